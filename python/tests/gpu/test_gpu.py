"""Arrays in a GPU's memory, and of other libraries: in by both interfaces, out as DeviceArrays."""
import ctypes

import device
import numpy as np
import pytest
from device import CudaArray, DlpackOnly, InterfaceOnly, fetch, field, values_of

import ztile
from ztile import _core, _gpu

ways = pytest.mark.parametrize("way", [lambda a: a, InterfaceOnly, DlpackOnly],
                               ids=["both", "interface", "dlpack"])

PARAMS = [{}, {"rate": 8}, {"abs": 1e-2, "codec": "zfp"}, {"abs": 1e-2, "codec": "sz"},
          {"abs": 1e-2, "codec": "sz", "effort": "fast"}, {"rel": 1e-3, "plan": "on"}]


@ways
@pytest.mark.parametrize("params", PARAMS, ids=str)
def test_bytes_are_those_of_the_host(cube, way, params, seeds):
    assert ztile.compress(way(CudaArray(cube)), **params) == ztile.compress(cube, **params)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_type_and_order_goes_there_and_back(dtype, order):
    a = field((7, 10, 12), dtype)
    data = ztile.compress(CudaArray(a, order=order))
    assert data == ztile.compress(a)
    back = ztile.decompress(data, device=0)
    assert isinstance(back, ztile.DeviceArray)
    assert (back.dtype, back.shape, back.device, back.nbytes) == (a.dtype, a.shape, 0, a.nbytes)
    assert np.array_equal(values_of(back), a)


@ways
def test_out_is_written_where_it_lies(cube, way):
    data = ztile.compress(cube, abs=1e-3)
    wanted = ztile.decompress(data)
    for order in "C", "F":
        there = CudaArray(np.zeros_like(cube), order=order)
        out = way(there)
        assert ztile.decompress(data, out) is out
        assert np.array_equal(values_of(there), wanted)
    onto_host = np.empty_like(cube)
    assert ztile.decompress(data, onto_host, device="cuda") is onto_host
    assert np.array_equal(onto_host, wanted)


@ways
def test_files_on_the_gpu_are_written_and_read_there(cube, way):
    wanted = ztile.compress(cube, abs=1e-3)
    memory = CudaArray(np.zeros(ztile.compress_bound(cube, abs=1e-3), np.uint8))
    file = ztile.compress(CudaArray(cube), abs=1e-3, out=memory)
    assert isinstance(file, CudaArray) and values_of(file).tobytes() == wanted
    there = way(file)
    assert _gpu.is_on_device(there)
    assert np.array_equal(values_of(ztile.decompress(there)), ztile.decompress(wanted))
    assert np.array_equal(values_of(ztile.decompress_box(there, np.s_[2:5, 3])),
                          ztile.decompress(wanted)[2:5, 3])
    assert ztile.info(there) == ztile.info(wanted)
    host = np.zeros(ztile.compress_bound(CudaArray(cube), abs=1e-3), np.uint8)
    assert ztile.compress(CudaArray(cube), abs=1e-3, out=host).tobytes() == wanted
    assert ztile.compress(cube, abs=1e-3, out=host).tobytes() == wanted
    assert host[:len(wanted)].tobytes() == wanted


def test_memory_for_a_file_that_is_none_is_refused(cube):
    for out in CudaArray(np.zeros(5000, np.float32)), CudaArray(np.zeros((50, 500), np.uint8)):
        with pytest.raises(ztile.ArrayTypeError, match="uint8 with one axis"):
            ztile.compress(CudaArray(cube), out=out)
    with pytest.raises(ztile.Error, match="bytes"):
        ztile.compress(CudaArray(cube), out=CudaArray(np.zeros(50, np.uint8)))
    with pytest.raises(BufferError, match="read-only"):
        ztile.compress(CudaArray(cube), out=CudaArray(np.zeros(50000, np.uint8), read_only=True,
                                                      stream=5))


def test_calls_run_on_the_arrays_stream(cube, monkeypatch):
    runs = []
    real = _core.compress
    monkeypatch.setattr(_core, "compress", lambda *a: (runs.append(a[-1]), real(*a))[1])

    class Torch:
        cuda_stream = 77

    class Cupy:
        ptr = 78

    class Protocol:
        def __cuda_stream__(self):
            return 0, 79

    ztile.compress(CudaArray(cube, stream=5))
    ztile.compress(CudaArray(cube, stream=None))
    ztile.compress(DlpackOnly(CudaArray(cube)))
    for stream in 9, Torch(), Cupy(), Protocol(), 0:
        ztile.compress(CudaArray(cube), stream=stream)
    assert runs == [(0, s) for s in (5, 1, 1, 9, 77, 78, 79, 1)]


def test_dlpack_is_asked_for_the_calls_stream(cube):
    a = CudaArray(cube, stream=5)
    ztile.compress(a)
    assert a.asked == []  # its own stream: nothing to wait for
    ztile.compress(a, stream=9)
    ztile.compress(DlpackOnly(a))
    b = CudaArray(cube, stream=None)  # as PyTorch's
    ztile.compress(b)
    assert a.asked == [9, 1] and b.asked == [1]
    data = ztile.compress(cube)
    ztile.decompress(data, a, stream=33)
    assert a.asked == [9, 1, 33]


def test_other_streams_and_devices_are_refused(cube):
    a, b = CudaArray(cube, stream=5), CudaArray(cube, stream=6)
    with pytest.raises(ztile.ArgumentError, match="different CUDA streams; pass"):
        ztile.compare(a, b)
    b.stream, b.number = 5, 1
    with pytest.raises(ztile.ArgumentError, match="one GPU, these are on the GPUs 0 and 1"):
        ztile.compare(a, b)
    b.number = 0
    assert ztile.compare(a, b)["different_values"] == 0
    for stream in -1, "5", True, object():
        with pytest.raises(ztile.ArgumentError, match="cudaStream_t"):
            ztile.compress(a, stream=stream)
    with pytest.raises(ztile.ArgumentError, match="stream is for arrays in a GPU's memory"):
        ztile.compress(cube, stream=5)
    for kind in 8, 10:  # Metal, ROCm
        with pytest.raises(ztile.ArgumentError, match=f"number {kind} in DLPack"):
            ztile.compress(DlpackOnly(cube, kind))


def test_devices_are_named_as_other_libraries_do(cube):
    class Torch:
        def __init__(self, type, index):
            self.type, self.index = type, index

    class Cupy:
        id = 0

    data = ztile.compress(cube)
    for name in 0, "cuda", "cuda:0", Torch("cuda", None), Torch("cuda", 0), Cupy(), np.int64(0):
        assert ztile.decompress(data, device=name).device == 0
    for name in -1, "cpu", "cuda:x", Torch("cpu", None), True, 1.0:
        with pytest.raises(ztile.ArgumentError, match="device is a GPU"):
            ztile.decompress(data, device=name)


def test_arrays_that_are_none_of_ours_are_refused(cube):
    data = ztile.compress(cube)
    for a, words in (
            (CudaArray(cube.astype("float16")), "not float16"),
            (CudaArray(cube.astype("uint8")), "not uint8"),
            (DlpackOnly(CudaArray(cube.astype("complex64"))), "not bfloat64"),
            (CudaArray(cube.astype(">f4")), "byte order, not >f4"),
            (CudaArray(np.float32(3)), "1 to 4 dimensions, this one has 0"),
            (CudaArray(cube.reshape(1, 1, 9, 14, 21)), "this one has 5")):
        with pytest.raises(ztile.ArgumentError, match=words):
            ztile.compress(a)
    for out, words in (
            (CudaArray(cube.astype("float64")), "out is an array of float64, the data are float32"),
            (CudaArray(cube[:5]), "out has the shape"),
            (CudaArray(cube, read_only=True), "out is read-only")):
        with pytest.raises(ztile.ArgumentError, match=words):
            ztile.decompress(data, out)


def test_addresses_of_the_host_are_not_believed(cube):
    class Liar(InterfaceOnly):
        @property
        def __cuda_array_interface__(self):
            return {**super().__cuda_array_interface__, "data": (cube.ctypes.data, False)}

    with pytest.raises(ztile.ArgumentError, match="says that it is in a GPU's memory, and is not"):
        ztile.compress(Liar(CudaArray(cube)))


def test_errors_of_files_are_those_of_the_host(cube):
    data = ztile.compress(cube)
    for bad in data[:100], data[:-50] + bytes(50):
        with pytest.raises(ztile.CorruptError) as host:
            ztile.decompress(bad)
        with pytest.raises(ztile.CorruptError) as there:
            ztile.decompress(CudaArray(np.frombuffer(bad, np.uint8)))
        assert str(host.value) == str(there.value)


# ---- results -------------------------------------------------------------------------------------

def test_results_go_out_by_both_interfaces(cube):
    back = ztile.decompress(ztile.compress(cube), device=0)
    found = back.__cuda_array_interface__
    assert (found["version"], found["stream"], found["typestr"]) == (3, None, "<f4")
    assert back.__dlpack_device__() == (2, 0)
    for versions in None, (0, 8), (1, 0), (2, 3):
        capsule = back.__dlpack__(stream=3, max_version=versions)
        is_new = versions is not None and versions[0] >= 1
        assert ('"dltensor_versioned"' in repr(capsule)) == is_new
        again = _core.tensor_of_dlpack(capsule)
        assert again.facts() == back.tensor.facts()
        with pytest.raises(BufferError, match="used one"):
            _core.tensor_of_dlpack(capsule)
    with pytest.raises(BufferError, match="other devices"):
        back.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError, match="copy"):
        back.__dlpack__(copy=True)
    with pytest.raises(TypeError, match="cupy.from_dlpack"):
        np.asarray(back)


def test_results_live_as_long_as_what_is_made_of_them(cube):
    back = ztile.decompress(ztile.compress(cube), device=0)
    address = back.__cuda_array_interface__["data"][0]
    tensor = _core.tensor_of_dlpack(back.__dlpack__())
    view = back[3:, ::2]
    unused = back.__dlpack__(max_version=(1, 0))
    del back, unused
    assert np.array_equal(values_of(view), cube[3:, ::2])
    del view
    assert fetch(address, cube.nbytes).tobytes() == cube.tobytes()
    assert _core.device_of(address) == 0
    del tensor
    assert _core.device_of(address) is None  # freed


def test_taken_tensors_are_given_back(cube):
    a = DlpackOnly(CudaArray(cube))
    device.deleted.clear()
    ztile.compress(a)
    assert device.deleted == [a.a.memory.address]


KEYS = [(3,), (slice(2, 9),), (Ellipsis, 5), (slice(None, None, -1),), (slice(8, 3, -4), 7),
        (slice(None), slice(12, 2, -1), slice(1, None, 3)), (0, 0, 0), (-1, -1, -1), (None, 4, ...),
        (slice(5, 5),), (..., slice(-3, None)), (slice(None, None, 11), slice(3, 9, 2), -2, None),
        ()]


def test_boxes_are_the_slices_of_the_whole(cube, tmp_path):
    data = ztile.compress(cube, abs=1e-3)
    (tmp_path / "a.zt").write_bytes(data)
    whole = ztile.decompress(data)
    there = ztile.decompress(data, device=0)
    with ztile.open(tmp_path / "a.zt") as f:
        for key in KEYS:
            for part in (ztile.decompress_box(data, key, device=0), f.read_box(key, device="cuda"),
                         there[key]):
                assert part.shape == whole[key].shape, key
                assert np.array_equal(values_of(part), whole[key]), key
        assert np.array_equal(f[2:4], whole[2:4])  # the file's own reader is as it was
    with pytest.raises(IndexError):
        there[99]
    assert len(there) == 9 and "cuda:0" in repr(there)


def test_files_are_read_and_saved(cube, tmp_path):
    ztile.save(tmp_path / "a.zt", CudaArray(cube), abs=1e-3)
    assert (tmp_path / "a.zt").read_bytes() == ztile.compress(cube, abs=1e-3)
    wanted = ztile.load(tmp_path / "a.zt")
    with ztile.open(tmp_path / "a.zt") as f:
        assert np.array_equal(values_of(f.read(device=0)), wanted)
        there, here = CudaArray(np.zeros_like(cube)), np.zeros_like(cube)
        assert f.read(there) is there and np.array_equal(values_of(there), wanted)
        assert f.read(here, device=0) is here and np.array_equal(here, wanted)
        assert f.read(here) is here
        with pytest.raises(ztile.ArgumentError, match="shape"):
            f.read(CudaArray(cube[:3]))
    with ztile.create(tmp_path / "b.zt", cube.shape, "float32") as w:
        with pytest.raises(ztile.ArgumentError, match="compress\\(\\) and save\\(\\)"):
            w.write(CudaArray(cube))
        w.write(cube)


def test_limits_hold_for_results_on_the_gpu(cube):
    data = ztile.compress(cube)
    ztile.set_limits(output=cube.nbytes - 1)
    try:
        for call in (lambda: ztile.decompress(data, device=0),
                     lambda: ztile.decompress_box(data, ..., device=0)):
            with pytest.raises(ztile.OutOfMemoryError, match="output limit"):
                call()
    finally:
        ztile.set_limits()


# ---- the host's arrays of other libraries ----------------------------------------------

@pytest.mark.parametrize("kind", [1, 3])
def test_host_arrays_by_dlpack_are_not_copied(cube, kind):
    wanted = ztile.compress(cube, abs=1e-3)
    for a in cube, cube[::-1, :, ::2]:
        assert ztile.compress(DlpackOnly(a, kind), abs=1e-3) == ztile.compress(a, abs=1e-3)
        seen = _gpu.on_host(DlpackOnly(a, kind))
        assert isinstance(seen, np.ndarray) and np.shares_memory(seen, a)
    out = DlpackOnly(np.zeros_like(cube), kind)
    assert ztile.decompress(wanted, out) is out
    assert np.array_equal(out.a, ztile.decompress(wanted))
    assert np.array_equal(ztile.decompress(DlpackOnly(np.frombuffer(wanted, np.uint8).copy())),
                          out.a)


def test_jax_and_torch_on_the_host(cube):
    data = ztile.compress(cube)
    for name in "jax.numpy", "torch":
        try:
            library = __import__(name, fromlist=["x"])
        except ImportError:
            continue
        a = library.asarray(cube.copy())
        assert ztile.compress(a) == data
        if name == "torch":
            out = library.zeros(cube.shape, dtype=library.float32)
            assert ztile.decompress(data, out) is out and bool((out == a).all())
        else:
            with pytest.raises(ztile.ArgumentError, match="JAX, which must not be written to"):
                ztile.decompress(data, a)


def test_damaged_capsules_are_refused():
    class Bad(DlpackOnly):
        def __dlpack__(self, **_):
            return 5

    with pytest.raises(BufferError, match="no DLPack capsule"):
        ztile.compress(Bad(np.zeros(5)))
    a = np.zeros((1,) * 40, np.float32)
    with pytest.raises(BufferError, match="too many axes"):
        ztile.compress(DlpackOnly(a))
    device._alive.clear()  # a capsule that is refused stays its maker's
    with pytest.raises(ValueError, match="as many strides as axes"):
        _core.tensor(None, 0, 2, 32, (3, 4), (1,), 1, 0, False)
    assert ctypes.sizeof(device._Tensor) == 48
