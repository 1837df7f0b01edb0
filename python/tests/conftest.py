"""Arrays that the tests share."""
import numpy as np
import pytest


def field(shape, dtype="float32", seed=1):
    """A smooth array with some noise, between about -1 and 1; integers: times 10000."""
    axes = np.meshgrid(*[np.linspace(0, 3, n) for n in shape], indexing="ij")
    a = sum(np.sin((i + 1) * x) for i, x in enumerate(axes)) / len(shape)
    a = a + 0.01 * np.random.default_rng(seed).standard_normal(shape)
    return (10000 * a if np.dtype(dtype).kind == "i" else a).astype(dtype)


@pytest.fixture
def cube():
    return field((30, 41, 52))


@pytest.fixture
def in_zfpys_place():
    from numcodecs import registry
    from numcodecs.zfpy import ZFPY

    from ztile.numcodecs import register_zfpy

    register_zfpy()
    yield
    registry.register_codec(ZFPY)
