"""Arrays of other libraries, by DLPack and __cuda_array_interface__, in a package without CUDA;
python/tests/gpu has those on a GPU."""
import numpy as np
import pytest
from conftest import field

import ztile
from ztile import _gpu


class Dlpack:
    """An array that has DLPack alone, as NumPy exports it."""

    def __init__(self, a):
        self.a = a

    def __dlpack__(self, *, stream=None, max_version=None):
        return self.a.__dlpack__()

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()


class OnGpu:
    """An array that says that it is on a GPU."""

    shape, typestr = (4, 5), "<f4"

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.typestr, "data": (4096, False), "version": 3,
                "stream": 1}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_host_arrays_come_and_go_by_dlpack(dtype):
    a = field((12, 17, 9), dtype)
    for view in a, a[::2, ::-1, 3:], a.T:
        assert ztile.compress(Dlpack(view)) == ztile.compress(view)
    data = ztile.compress(a)
    out = np.zeros_like(a)
    target = Dlpack(out)
    assert ztile.decompress(data, target) is target and np.array_equal(out, a)
    assert np.array_equal(ztile.decompress(Dlpack(np.frombuffer(data, "u1").copy())), a)


def test_out_of_compress_is_filled(cube):
    data = ztile.compress(cube, abs=1e-3)
    most = ztile.compress_bound(cube, abs=1e-3)
    assert most >= len(data)
    for out in np.zeros(most, np.uint8), bytearray(most), memoryview(bytearray(most)):
        part = ztile.compress(cube, abs=1e-3, out=out)
        assert bytes(part) == data and bytes(out)[:len(data)] == data
    with pytest.raises(ztile.Error, match="bytes"):
        ztile.compress(cube, out=bytearray(100))


@pytest.mark.skipif(_gpu.is_in_this_build(), reason="this build has CUDA")
def test_arrays_on_a_gpu_need_a_build_with_cuda(cube):
    sentence = "ztile cannot use this GPU: the cuda policy is not in this build; copy the arrays " \
        "to the host"
    data = ztile.compress(cube)
    for call in (lambda: ztile.compress(OnGpu()), lambda: ztile.decompress(data, OnGpu()),
                 lambda: ztile.decompress(OnGpu()), lambda: ztile.decompress(data, device=0),
                 lambda: ztile.decompress_box(data, 3, device="cuda:0"),
                 lambda: ztile.compare(cube, OnGpu())):
        with pytest.raises(ztile.UnsupportedError) as caught:
            call()
        assert str(caught.value) == sentence


def test_other_devices_are_refused():
    class Metal(Dlpack):
        def __dlpack_device__(self):
            return 8, 0

    with pytest.raises(ztile.ArgumentError, match="number 8 in DLPack"):
        ztile.compress(Metal(np.zeros(5)))
    with pytest.raises(ztile.ArgumentError, match="stream is for arrays in a GPU's memory"):
        ztile.compress(np.zeros(5), stream=3)
