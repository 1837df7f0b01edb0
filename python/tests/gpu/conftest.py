"""Fixtures of the tests of arrays on a GPU."""
import gc
import time

import device
import pytest
from device import field


@pytest.fixture
def cube():
    return field((9, 14, 21))


@pytest.fixture(params=[0, 3, 5])
def seeds(request):
    device.seed_of_kernels(request.param)
    yield
    device.seed_of_kernels(0)


@pytest.fixture(autouse=True)
def nothing_is_left():
    """Structures that were taken are freed, if a little later by a thread of Zarr's."""
    gc.collect()
    before = len(device._alive)
    yield
    end = time.monotonic() + 30
    while len(device._alive) > before and time.monotonic() < end:
        gc.collect()
        time.sleep(0.01)
    assert len(device._alive) <= before
