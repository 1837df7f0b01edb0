"""Arrays of CuPy, PyTorch and JAX on a real GPU, by the package that is installed:

    python -m pytest -rs python/tests/device

python/tests/gpu has more cases, over kernels compiled for the CPU. ZTILE_DEVICE_MIB is the size of
the array that test_speed codes, 256 by default."""
import gc
import os
import statistics
import threading
import time

import numpy as np
import pytest
from libraries import KINDS, DlpackOnly, InterfaceOnly, field, library_of

import ztile
from ztile import _gpu

PARAMS = {
    "zfp-rate": {"codec": "zfp", "rate": 8},
    "zfp-abs": {"codec": "zfp", "abs": 1e-3},
    "zfp-lossless": {"codec": "zfp"},
    "ndzip": {"codec": "ndzip"},
    "sz-fast": {"codec": "sz", "abs": 1e-3, "effort": "fast"},
    "sz-default": {"codec": "sz", "abs": 1e-3, "effort": "default"},
    "sz-high": {"codec": "sz", "abs": 1e-3, "effort": "high"},
    "sz-high-prediction": {"codec": "sz", "abs": 1e-3, "effort": "high", "method": "prediction"},
    "sz-lossless": {"codec": "sz"},
    "plan": {"abs": 1e-3, "plan": "on"},
}
SHAPES = [(10007,), (130, 67), (33, 20, 47), (5, 9, 12, 17)]


@pytest.fixture(autouse=True)
def with_cuda():
    if not _gpu.is_in_this_build():
        pytest.skip("this ztile was built without CUDA")


@pytest.fixture(params=list(KINDS))
def library(request):
    return library_of(request.param)


@pytest.fixture(params=[name for name, kind in KINDS.items() if kind.is_writable])
def writable(request):
    """A library whose arrays may be written to."""
    return library_of(request.param)


@pytest.fixture
def cupy():
    return library_of("CuPy").xp


@pytest.fixture
def torch():
    return library_of("PyTorch").torch


@pytest.fixture
def cube():
    return field((30, 41, 52))


def params_of(name, dtype):
    """Integers are 10000 times as large."""
    params = dict(PARAMS[name])
    if "abs" in params and np.dtype(dtype).kind == "i":
        params["abs"] = 10
    return params


def outcome(call):
    """What a call returns, or its error's type and sentence."""
    try:
        return call()
    except ztile.Error as error:
        return type(error), str(error)


def same(a, b):
    """Whether two arrays have the same bits."""
    return a.dtype == b.dtype and a.shape == b.shape and \
        np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


def check_there_and_back(library, a, params):
    """The GPU writes the bytes of the serial policy, and decodes its values."""
    wanted = outcome(lambda: ztile.compress(a, threads=1, **params))
    there = library.put(a)
    found = outcome(lambda: ztile.compress(there, **params))
    assert found == wanted
    if not isinstance(wanted, bytes):
        return
    assert same(library.get(there), a)  # as it was
    values = ztile.decompress(wanted, threads=1)
    back = ztile.decompress(wanted, device=0)
    assert isinstance(back, ztile.DeviceArray)
    assert (back.dtype, back.shape, back.device) == (a.dtype, a.shape, 0)
    assert same(library.get(library.take(back)), values)
    if library.is_writable:
        out = library.put(np.zeros_like(a))
        assert ztile.decompress(wanted, out) is out
        assert same(library.get(out), values)


# ---- bytes and values ------------------------------------------------------------------

@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("name", PARAMS)
def test_every_codec_and_type(name, dtype):
    for shape in SHAPES:
        check_there_and_back(library_of("CuPy"), field(shape, dtype), params_of(name, dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PARAMS)
def test_every_library(library, name, dtype, cube):
    check_there_and_back(library, cube.astype(dtype), params_of(name, dtype))


@pytest.mark.parametrize("name", ["zfp-rate", "zfp-abs", "ndzip", "sz-fast", "sz-default",
                                  "sz-high"])
def test_large_arrays(name):
    params = {**PARAMS[name], "index": "hybrid", "index_chunk": 1}
    check_there_and_back(library_of("CuPy"), field((130, 257, 260)), params)


VIEWS = {
    "steps": lambda a: a[..., 1::2],
    "rows": lambda a: a[3:-2:3],
    "swapped": lambda a: a.swapaxes(0, -1),
    "both": lambda a: a.swapaxes(0, -1)[2:, ..., ::3],
    "reversed": lambda a: a[::-1, ..., ::-2],
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["zfp-rate", "zfp-abs", "ndzip", "sz-fast", "sz-default",
                                  "sz-high"])
def test_arrays_with_gaps(writable, name, view):
    if view == "reversed" and not writable.has_reversed_views:
        pytest.skip(f"{writable.name} has no such views")
    for dtype in "float32", "float64":
        a = field((30, 41, 52), dtype)
        part, there = VIEWS[view](a), VIEWS[view](writable.put(a))
        data = ztile.compress(part, threads=1, **PARAMS[name])
        assert ztile.compress(there, **PARAMS[name]) == data
        base = writable.put(np.full_like(a, 7))
        out = VIEWS[view](base)
        assert ztile.decompress(data, out) is out
        wanted = np.full_like(a, 7)
        ztile.decompress(data, VIEWS[view](wanted), threads=1)
        assert same(writable.get(base), wanted)  # and nothing in the gaps


@pytest.mark.parametrize("wrap", [InterfaceOnly, DlpackOnly])
def test_each_interface_alone(library, wrap, cube):
    there = wrap(library.put(cube))
    assert ztile.compress(there, abs=1e-3) == ztile.compress(cube, abs=1e-3)
    if library.is_writable:
        out = library.put(np.zeros_like(cube))
        ztile.decompress(ztile.compress(cube), wrap(out))
        assert same(library.get(out), cube)


def test_nan_and_fill_values(library, cube):
    cube[3, 4:9] = np.nan
    cube[7, :, 11] = -np.inf
    cube[20:, :3] = -9999
    for params in {"abs": 1e-3}, {"rel": 1e-4, "codec": "zfp"}, {"abs": 1e-3, "codec": "sz"}, \
            {"pwrel": 1e-3}, {"psnr": 60}, {}:
        params["fill"] = -9999
        check_there_and_back(library, cube, params)


def test_arrays_of_one_value_and_of_none(library):
    for shape in (1,), (1, 1, 1), (0,), (3, 0, 2):
        check_there_and_back(library, field(shape), {})


def test_compare(library, cube):
    there = library.put(cube), library.put(cube + np.float32(0.5))
    wanted = ztile.compare(cube, cube + np.float32(0.5), abs=0.1)
    found = ztile.compare(*there, abs=0.1)
    assert found == pytest.approx(wanted, nan_ok=True)


# ---- what stays on the GPU -------------------------------------------------------------

def test_files_on_the_gpu(writable, cube):
    for params in PARAMS.values():
        wanted = ztile.compress(cube, threads=1, **params)
        there = writable.put(cube)
        memory = writable.put(np.zeros(ztile.compress_bound(there, **params), np.uint8))
        file = ztile.compress(there, out=memory, **params)
        assert type(file) is type(memory) and writable.address(file) == writable.address(memory)
        assert writable.get(file).tobytes() == wanted
        back = ztile.decompress(file)
        assert isinstance(back, ztile.DeviceArray)
        assert same(writable.get(writable.take(back)), ztile.decompress(wanted, threads=1))
        assert ztile.info(file) == ztile.info(wanted)


def test_files_from_one_memory_to_the_other(writable, cube):
    wanted = ztile.compress(cube, abs=1e-3)
    host = np.zeros(ztile.compress_bound(cube, abs=1e-3), np.uint8)
    memory = writable.put(host)
    assert ztile.compress(writable.put(cube), abs=1e-3, out=host).tobytes() == wanted
    file = ztile.compress(cube, abs=1e-3, out=memory)
    assert writable.get(file).tobytes() == wanted
    onto_host = np.zeros_like(cube)
    assert ztile.decompress(file, onto_host) is onto_host
    assert same(onto_host, ztile.decompress(wanted))


def test_files_that_jax_holds(cube):
    jax = library_of("JAX")
    data = ztile.compress(cube, abs=1e-3)
    back = ztile.decompress(jax.put(np.frombuffer(data, np.uint8)))
    assert same(jax.get(jax.take(back)), ztile.decompress(data))


def test_parts(cube, cupy, tmp_path):
    data = ztile.compress(cube, abs=1e-3)
    (tmp_path / "a.zt").write_bytes(data)
    whole = ztile.decompress(data)
    there = ztile.decompress(data, device="cuda:0")
    with ztile.open(tmp_path / "a.zt") as f:
        for key in (3,), (slice(2, 9),), (..., 5), (slice(None, None, -1),), (-1, -1, -1), \
                (None, 4, ...), (slice(5, 5),), (slice(None, None, 11), slice(3, 9, 2), -2), ():
            for part in ztile.decompress_box(data, key, device=0), f.read_box(key, device=0), \
                    there[key]:
                assert same(cupy.asnumpy(cupy.from_dlpack(part)), whole[key]), key
                assert same(cupy.asnumpy(cupy.asarray(part)), whole[key]), key
        assert same(cupy.asnumpy(cupy.asarray(f.read(device=0))), whole)


def test_files_on_disk(library, cube, tmp_path):
    ztile.save(tmp_path / "a.zt", library.put(cube), abs=1e-3)
    assert (tmp_path / "a.zt").read_bytes() == ztile.compress(cube, abs=1e-3)
    if library.is_writable:
        with ztile.open(tmp_path / "a.zt") as f:
            out = library.put(np.zeros_like(cube))
            assert f.read(out) is out
            assert same(library.get(out), ztile.load(tmp_path / "a.zt"))


# ---- DLPack ----------------------------------------------------------------------------

def test_results_are_taken_without_a_copy(library, cube):
    back = ztile.decompress(ztile.compress(cube), device=0)
    address = back.__cuda_array_interface__["data"][0]
    taken = library.take(back)
    assert library.address(taken) == address
    del back
    gc.collect()
    ztile.decompress(ztile.compress(cube + 1), device=0)  # does not get that memory
    assert same(library.get(taken), cube)
    assert ztile.compress(taken) == ztile.compress(cube)


def test_results_by_the_interface(cube, cupy):
    back = ztile.decompress(ztile.compress(cube), device=0)
    taken = cupy.asarray(back)
    assert taken.data.ptr == back.__cuda_array_interface__["data"][0]
    del back
    gc.collect()
    assert same(cupy.asnumpy(taken * 1), cube)


def test_views_of_results(cube, cupy, torch):
    back = ztile.decompress(ztile.compress(cube), device=0)
    assert same(cupy.asnumpy(cupy.from_dlpack(back[3:, ::2])), cube[3:, ::2])
    assert same(torch.from_dlpack(back[3:, ::2]).cpu().numpy(), cube[3:, ::2])
    assert same(torch.as_tensor(back, device="cuda").cpu().numpy(), cube)
    with pytest.raises(TypeError, match="cupy.from_dlpack"):
        np.asarray(back)


def test_results_are_freed(cube, cupy):
    a = field((128, 256, 256))  # 32 MiB
    data = ztile.compress(a)
    cupy.asarray(ztile.decompress(data, device=0))
    gc.collect()
    free = cupy.cuda.runtime.memGetInfo()[0]
    for _ in range(10):
        back = ztile.decompress(data, device=0)
        cupy.from_dlpack(back)
        back.__dlpack__()  # which nobody takes
    del back
    gc.collect()
    assert free - cupy.cuda.runtime.memGetInfo()[0] < a.nbytes


def test_tensors_with_a_gradient(torch, cube):
    there = torch.from_numpy(cube).cuda().requires_grad_()
    with pytest.raises((BufferError, RuntimeError), match="grad"):
        ztile.compress(there)
    assert ztile.compress(there.detach()) == ztile.compress(cube)
    with torch.no_grad():
        assert ztile.compress(there * 1) == ztile.compress(cube)


def test_arrays_of_jax_are_no_output(cube):
    jax = library_of("JAX")
    there = jax.put(np.zeros_like(cube))
    with pytest.raises(ztile.ArgumentError, match="JAX, which must not be written to"):
        ztile.decompress(ztile.compress(cube), there)
    assert not jax.get(there).any()


def test_memory_that_both_sides_reach(cupy, torch, cube):
    """Pinned and managed memory."""
    wanted = ztile.compress(cube, abs=1e-3)
    pinned = torch.from_numpy(cube).pin_memory()
    assert ztile.compress(pinned, abs=1e-3) == wanted
    out = torch.zeros(cube.shape).pin_memory()
    assert ztile.decompress(wanted, out) is out
    assert same(out.numpy(), ztile.decompress(wanted))
    memory = cupy.cuda.MemoryPointer(cupy.cuda.ManagedMemory(cube.nbytes), 0)
    managed = cupy.ndarray(cube.shape, cube.dtype, memory)
    managed[...] = cupy.asarray(cube)
    assert ztile.compress(managed, abs=1e-3) == wanted
    managed[...] = 0
    assert ztile.decompress(wanted, managed) is managed
    assert same(cupy.asnumpy(managed), ztile.decompress(wanted))


# ---- streams and devices ---------------------------------------------------------------

STEPS = 100  # kernels that are still queued when a call begins


def test_streams_of_cupy(cupy):
    a = field((64, 256, 256))
    data = ztile.compress(a + np.float32(1))
    cupy.asarray(a) + 1  # compiled before
    cupy.cuda.Device().synchronize()
    for streams in (cupy.cuda.Stream(non_blocking=True), None), \
            (cupy.cuda.Stream(non_blocking=True), "given"), (cupy.cuda.Stream.null, None):
        stream, how = streams
        with stream:
            there = cupy.asarray(a)
            for _ in range(STEPS):
                there = there + np.float32(1)
                there = there - np.float32(1)
            there = cupy.asarray(a) + np.float32(1)
            arguments = {} if how is None else {"stream": stream}
            assert ztile.compress(there, **arguments) == data
            out = cupy.full(a.shape, 7, a.dtype)
            ztile.decompress(data, out, **arguments)
            result = out * 2
            assert cupy.cuda.get_current_stream() == stream
        stream.synchronize()
        assert same(cupy.asnumpy(result), (a + np.float32(1)) * 2)


def test_streams_of_torch(torch):
    a = field((64, 256, 256))
    data = ztile.compress(a + np.float32(1))
    base = torch.from_numpy(a).cuda()
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    for arguments in {}, {"stream": stream}, {"stream": stream.cuda_stream}:
        with torch.cuda.stream(stream):
            there = torch.full_like(base, 3)
            for _ in range(STEPS):
                there.add_(1).sub_(1)
            there.copy_(base).add_(1)
            assert ztile.compress(there, **arguments) == data
            for _ in range(STEPS):
                there.add_(1).sub_(1)
            ztile.decompress(data, there, **arguments)
            result = there * 2
            assert torch.cuda.current_stream() == stream
        stream.synchronize()
        assert same(result.cpu().numpy(), (a + np.float32(1)) * 2)


def test_what_jax_still_computes():
    jax = library_of("JAX")
    numpy = jax.jax.numpy
    a = jax.put(field((1500, 1500)))
    work = jax.jax.jit(lambda x: numpy.tanh(x @ x @ x @ x / 1e6))
    work(a).block_until_ready()
    found = work(a + 0)
    data = ztile.compress(found)
    assert data == ztile.compress(jax.get(found))
    again = jax.take(ztile.decompress(data, device=0))
    assert same(jax.get(again + 0), jax.get(found))


def test_the_current_device_stays(cupy, cube):
    count = cupy.cuda.runtime.getDeviceCount()
    wanted = ztile.compress(cube, abs=1e-3)
    for current in range(min(count, 2)):
        for other in range(min(count, 2)):
            with cupy.cuda.Device(other):
                there = cupy.asarray(cube)
            with cupy.cuda.Device(current):
                assert ztile.compress(there, abs=1e-3) == wanted
                assert ztile.decompress(wanted, device=other).device == other
                with pytest.raises(ztile.Error):
                    ztile.decompress(wanted[:-50], device=other)
                assert cupy.cuda.runtime.getDevice() == current


def test_threads_at_once(cupy):
    arrays = [field((40, 50, 60 + i)) for i in range(4)]
    wanted = [ztile.compress(a, abs=1e-3, codec="sz") for a in arrays]
    wrong = []

    def work(i):
        with cupy.cuda.Stream(non_blocking=True):
            for _ in range(5):
                data = ztile.compress(cupy.asarray(arrays[i]), abs=1e-3, codec="sz")
                back = cupy.from_dlpack(ztile.decompress(data, device=0))
                if data != wanted[i] or not same(cupy.asnumpy(back), ztile.decompress(data)):
                    wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# ---- what is refused -------------------------------------------------------------------

def test_other_types_and_shapes(library, cube):
    data = ztile.compress(cube)
    for a, words in ((cube.astype("float16"), "not float16"), (cube.astype("uint8"), "not uint8"),
                     (cube.astype("complex64"), "complex64|<c8"),
                     (cube[:1, :1, 0].reshape(1, 1, 1, 1, 1), "this one has 5"),
                     (cube[0, 0, 0].reshape(()), "this one has 0")):
        with pytest.raises(ztile.ArgumentError, match=words):
            ztile.compress(library.put(a.copy()).reshape(a.shape))
    if not library.is_writable:
        return
    for out, words in ((cube.astype("float64"), "float64, the data are float32"),
                       (cube[:5], "out has the shape")):
        with pytest.raises(ztile.ArgumentError, match=words):
            ztile.decompress(data, library.put(out))
    with pytest.raises(ztile.ArrayTypeError, match="uint8 with one axis"):
        ztile.compress(library.put(cube), out=library.put(np.zeros(5000, np.float32)))
    with pytest.raises(ztile.Error, match="bytes"):
        ztile.compress(library.put(cube), out=library.put(np.zeros(50, np.uint8)))


def test_other_devices_and_streams(cupy, cube):
    data = ztile.compress(cube)
    for device in "cpu", -1, 1.5:
        with pytest.raises(ztile.ArgumentError, match="device is a GPU"):
            ztile.decompress(data, device=device)
    with pytest.raises(ztile.ArgumentError, match="there is no CUDA device"):
        ztile.decompress(data, device=cupy.cuda.runtime.getDeviceCount())
    with pytest.raises(ztile.ArgumentError, match="stream is for arrays in a GPU's memory"):
        ztile.compress(cube, stream=cupy.cuda.Stream())
    with cupy.cuda.Stream(non_blocking=True):
        found = ztile.decompress(data, device=cupy.cuda.Device(0), stream=cupy.cuda.Stream())
    assert same(cupy.asnumpy(cupy.asarray(found)), cube)


def test_devices_of_libraries(torch, cube):
    data = ztile.compress(cube)
    for device in torch.device("cuda"), torch.device("cuda", 0), "cuda", \
            library_of("JAX").devices[0]:
        assert ztile.decompress(data, device=device).device == 0


def test_addresses_of_the_host(cube, cupy):
    class Liar(InterfaceOnly):
        @property
        def __cuda_array_interface__(self):
            return {**super().__cuda_array_interface__, "data": (cube.ctypes.data, False)}

    with pytest.raises(ztile.ArgumentError, match="says that it is in a GPU's memory, and is not"):
        ztile.compress(Liar(cupy.asarray(cube)))


def test_damaged_files(library, cube):
    data = ztile.compress(cube, abs=1e-3)
    for bad in data[:100], data[:-50] + bytes(50), data[:2000] + b"\xff" + data[2001:]:
        wanted = outcome(lambda bad=bad: ztile.decompress(bad, threads=1))
        assert isinstance(wanted, tuple)
        there = library.put(np.frombuffer(bad, np.uint8))
        assert outcome(lambda there=there: ztile.decompress(there)) == wanted
        assert outcome(lambda bad=bad: ztile.decompress(bad, device=0)) == wanted


# ---- Zarr ------------------------------------------------------------------------------

@pytest.fixture
def zarr(cupy):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    from ztile.zarr import ZfpCodec, ZTileCodec
    zarr.registry.register_codec("ztile", ZTileCodec)  # an installed package says so itself
    zarr.registry.register_codec("zfp", ZfpCodec)
    return zarr


ARRAYS = [((64, 90, 100), (20, 45, 100)), ((4000,), (1000,)), ((64, 128, 128), (64, 128, 128)),
          ((3, 1, 2, 4, 6, 8), (2, 1, 2, 4, 6, 8))]


@pytest.mark.parametrize("codec", ["zfp", "ndzip", "sz", "ZfpCodec"])
@pytest.mark.parametrize("shape, chunks", ARRAYS, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_zarr(zarr, cupy, codec, shape, chunks):
    from ztile.zarr import ZfpCodec, ZTileCodec
    if codec == "ZfpCodec" and len(shape) > 4:
        pytest.skip("this codec takes at most 4 axes")
    serializer = ZfpCodec(mode="fixed_accuracy", tolerance=1e-3) if codec == "ZfpCodec" else \
        ZTileCodec(codec=codec) if codec == "ndzip" else ZTileCodec(codec=codec, abs=1e-3)
    a, stores = field(shape), [zarr.storage.MemoryStore(), zarr.storage.MemoryStore()]

    def make(store):
        return zarr.create_array(store, shape=shape, chunks=chunks, dtype="f4",
                                 serializer=serializer, compressors=None, filters=None)

    here = make(stores[0])
    here[...] = a
    values = here[...]
    with zarr.config.enable_gpu():
        there = make(stores[1])
        there[...] = cupy.asarray(a)
        whole, part = there[...], there[2:40]
    assert isinstance(whole, cupy.ndarray) and isinstance(part, cupy.ndarray)
    assert same(cupy.asnumpy(whole), values)
    assert same(cupy.asnumpy(part), values[2:40])
    assert same(zarr.open_array(stores[1])[...], values)  # the GPU's chunks, read on the host
    with zarr.config.enable_gpu():
        assert same(cupy.asnumpy(zarr.open_array(stores[0])[...]), values)


# ---- speed -----------------------------------------------------------------------------

SPEED = ["zfp-rate", "zfp-abs", "ndzip", "sz-fast", "sz-default", "sz-high", "sz-high-prediction"]
ROUNDS = 5
LIMIT_SECONDS = 6  # for each number; at least one call


def seconds(call, limit=LIMIT_SECONDS):
    """The median of ROUNDS calls, or of as many as fit into the limit."""
    times, end = [], time.perf_counter() + limit
    while not times or (len(times) < ROUNDS and time.perf_counter() < end):
        start = time.perf_counter()
        call()  # returns when the work is done
        times.append(time.perf_counter() - start)
    return statistics.median(times), len(times)


def test_speed(cupy, capsys):
    """Prints a table; nothing is asserted about it."""
    mib = int(os.environ.get("ZTILE_DEVICE_MIB", "256"))
    a = field((mib, 512, 512), noise=1e-4)
    small = cupy.asarray(a[0, :128, :128])
    there = cupy.asarray(a)
    out = cupy.empty_like(there)
    lines = [f"{mib} MiB of f32 from and to GPU memory, GB/s of raw values, medians of {ROUNDS}; "
             "the small array has 64 KiB",
             f"{'':20}{'ratio':>8}{'compress':>10}{'decompress':>12}"
             f"{'small: compress, decompress':>30}"]
    for name in SPEED:
        params = {**PARAMS[name], "index": "hybrid", "index_chunk": 1}
        memory = cupy.empty(ztile.compress_bound(there, **params), np.uint8)
        file = ztile.compress(there, out=memory, **params)
        one, rounds = seconds(lambda: ztile.compress(there, out=memory, **params))
        ztile.decompress(file, out)
        other, more = seconds(lambda: ztile.decompress(file, out))
        tiny = ztile.compress(small, **params)
        times = [1000 * seconds(call)[0] for call in (
            lambda: ztile.compress(small, **params), lambda: ztile.decompress(tiny, device=0))]
        fewer = "" if rounds == more == ROUNDS else f"  ({rounds} and {more} calls)"
        lines.append(f"{name:20}{a.nbytes / file.size:8.2f}{a.nbytes / one / 1e9:10.2f}"
                     f"{a.nbytes / other / 1e9:12.2f}{times[0]:18.2f} ms{times[1]:6.2f} ms{fewer}")
        del memory, file
    with capsys.disabled():
        print("\n" + "\n".join(lines))
