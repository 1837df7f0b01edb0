"""Memory to memory: round trips, strides, threads, boxes, what is copied and what is not."""
import array
import io
import threading
import time
import tracemalloc

import numpy as np
import pytest
from conftest import field

import ztile

SHAPES = [(1,), (1000,), (37, 45), (13, 22, 31), (5, 9, 14, 11)]
DTYPES = ["float32", "float64", "int32", "int64"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_lossless_gives_back_every_bit(shape, dtype):
    a = field(shape, dtype)
    data = ztile.compress(a)
    b = ztile.decompress(data)
    assert isinstance(data, bytes)
    assert b.dtype == a.dtype and b.shape == a.shape
    assert a.tobytes() == b.tobytes()
    found = ztile.info(data)
    assert (found.shape, found.dtype, found.bound) == (shape, np.dtype(dtype), "lossless")
    assert found.abs_bound == 0 and found.file_bytes == len(data)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_codec_can_be_chosen(dtype):
    a = field((17, 64, 48), dtype)
    a[:, :8] = 0  # noise alone would be stored as it is
    for codec in "zfp", "ndzip":
        data = ztile.compress(a, codec=codec)
        assert ztile.info(data).codec == codec
        assert ztile.decompress(data).tobytes() == a.tobytes()
        assert np.array_equal(ztile.decompress_box(data, np.s_[3:9, -1]), a[3:9, -1])
    with pytest.raises(ztile.UnsupportedError, match="lossless"):
        ztile.compress(a, codec="ndzip", abs=1e-3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["rmse", "rmse_rel", "mae", "mae_rel"])
def test_a_mean_error_is_met_alone_and_beside_a_bound(dtype, kind):
    a = (1e6 * field((17, 64, 48), "float64")).astype(dtype)
    scale = float(a.max()) - float(a.min())
    value = 1e-3 if kind.endswith("rel") else 1e-3 * scale
    for beside in {}, {"abs": 5e-3 * scale}:
        data = ztile.compress(a, codec="sz", **{kind: value}, **beside)
        found = ztile.info(data)
        errors = ztile.compare(a, ztile.decompress(data))
        reached = errors[kind.split("_")[0]] / (1 if value > 1 else scale)
        assert reached <= value * (1 + 1e-9)
        assert (found.mean, found.mean_value) == (kind, value)
        assert found.mean_error == pytest.approx(reached, rel=1e-6)
        assert errors["max_abs_error"] <= beside.get("abs", np.inf)
    for wrong in {"pwrel": 0.1}, {"psnr": 50}, {"rate": 8}:
        with pytest.raises(ztile.ArgumentError, match="one bound at a time"):
            ztile.compress(a, **{kind: value}, **wrong)


def test_decoded_values_stay_within_limits():
    least = np.float32(0.003)  # no multiple of the step
    a = np.maximum(field((17, 64, 48), "float32"), least)
    free = ztile.decompress(ztile.compress(a, codec="sz", abs=0.01))
    data = ztile.compress(a, codec="sz", abs=0.01, within=(least, None))
    assert free.min() < least and ztile.decompress(data).min() == least
    assert ztile.decompress_box(data, np.s_[3:9, -1]).min() >= least
    assert ztile.info(data).within == (least, None)
    with pytest.raises(ztile.ArgumentError, match="fill values"):
        ztile.compress(a, abs=0.01, within=(0.1, None))
    with pytest.raises(ztile.ArgumentError, match="within is two numbers"):
        ztile.compress(a, abs=0.01, within=3)


def test_noise_is_stored_as_it_is():
    a = np.random.default_rng(7).random((12784, 2, 2, 2))
    data = ztile.compress(a, codec="zfp")
    assert len(data) <= a.nbytes + a.nbytes // 5000 + 160
    assert (ztile.info(data).codec, ztile.info(data).raw_frames) == ("none", 1)
    assert ztile.decompress(data).tobytes() == a.tobytes()


@pytest.mark.parametrize("effort, method", [("default", "default"), ("default", "cusz"),
                                            ("fast", "default")])
def test_parameters_of_sz_reach_the_file(cube, effort, method):
    data = ztile.compress(cube, abs=1e-3, codec="sz", effort=effort, method=method)
    found = ztile.info(data)
    assert (found.codec, found.sz.effort, found.sz.method) == ("sz", effort, method)
    assert found.zfp is None
    assert 0 < found.sz.step <= 2e-3
    whole = ztile.decompress(data)
    assert np.abs(whole - cube).max() <= 1e-3
    assert np.array_equal(ztile.decompress_box(data, np.s_[2:9, -3]), whole[2:9, -3])


@pytest.mark.parametrize("effort", ["fast", "default"])
@pytest.mark.parametrize("shape", [(5000,), (90, 111), (30, 41, 52), (5, 9, 14, 11)])
def test_an_array_is_coded_in_the_ways_of_another(tmp_path, shape, effort):
    params = {"abs": 1e-3, "codec": "sz", "effort": effort}
    own = ztile.compress(field(shape), **params)
    ways = ztile.info(own).sz.ways
    assert ways > 0
    given = ztile.compress(field(shape), ways=ways, **params)
    assert len(given) == pytest.approx(len(own), rel=0.01)
    assert ztile.compress(field(shape), ways=0, **params) == own
    a = field(shape, seed=2)
    files = []
    for axes in range(2 ** len(shape)):
        other = ways - ztile.info(own).sz.axes + axes
        data = ztile.compress(a, ways=other, **params)
        assert (ztile.info(data).sz.ways, ztile.info(data).sz.axes) == (other, axes)
        assert np.abs(ztile.decompress(data) - a).max() <= 1e-3
        ztile.save(tmp_path / "saved.zt", a, ways=other, **params)
        with ztile.create(tmp_path / "w.zt", shape, a.dtype, ways=other, **params) as writer:
            writer.write(a)
        assert data == (tmp_path / "saved.zt").read_bytes() == (tmp_path / "w.zt").read_bytes()
        files.append(data)
    assert len(set(files)) == len(files)


def test_ways_of_another_rank_are_refused_and_other_coders_ignore_them(cube):
    params = {"abs": 1e-3, "codec": "sz"}
    ways = ztile.info(ztile.compress(cube, **params)).sz.ways
    for a in cube[0], cube[None]:
        with pytest.raises(ValueError, match=f"{ways} are no ways of sz for arrays of {a.ndim} "
                           "dimensions; take those of a file of such an array"):
            ztile.compress(a, ways=ways, **params)
    for more in {"method": "cusz"}, {"effort": "high"}, {"codec": "zfp"}, {"plan": "on"}:
        with_ways = ztile.compress(cube, ways=ways, **{**params, **more})
        assert with_ways == ztile.compress(cube, **{**params, **more})
        assert more == {"plan": "on"} or not getattr(ztile.info(with_ways).sz, "ways", 0)


@pytest.mark.parametrize("plan", ["on", "tight"])
def test_a_plan_makes_files_smaller_and_keeps_the_shape(plan):
    x = np.linspace(0, 9, 480)
    a = (np.sin(x)[:, None] + np.cos(x)).astype(np.float32).reshape(2, 240, 1, 480)
    off = ztile.compress(a, abs=1e-4, codec="zfp", plan="off")
    data = ztile.compress(a, abs=1e-4, codec="zfp", plan=plan)
    assert len(data) < len(off) == len(ztile.compress(a, abs=1e-4, codec="zfp"))
    back = ztile.decompress(data)
    assert back.shape == a.shape and np.abs(back - a).max() <= 1e-4


@pytest.mark.parametrize("codec", ["zfp", "sz"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_absolute_bound_holds(shape, dtype, codec):
    a = field(shape, dtype)
    bound = 3.0 if np.dtype(dtype).kind == "i" else 1e-3
    data = ztile.compress(a, abs=bound, codec=codec)
    b = ztile.decompress(data)
    assert np.max(np.abs(a.astype("float64") - b)) <= bound
    assert ztile.info(data).bound_value == bound
    assert ztile.compare(a, b, abs=bound)["beyond_bound"] == 0


def test_relative_bound_is_of_the_range(cube):
    data = ztile.compress(cube, rel=1e-3)
    error = np.abs(cube.astype("float64") - ztile.decompress(data)).max()
    limit = 1e-3 * (float(cube.max()) - float(cube.min()))
    assert error <= limit
    assert ztile.info(data).abs_bound == pytest.approx(limit)


def test_rate_precision_and_expert_reach_the_codec(cube):
    assert ztile.info(ztile.compress(cube, rate=8)).zfp.maxbits == 512
    assert ztile.info(ztile.compress(cube, precision=11)).zfp.maxprec == 11
    found = ztile.info(ztile.compress(cube, expert=(1, 400, 20, -12)))
    assert found.bound == "expert" and found.bound_value is None
    assert (found.zfp.minbits, found.zfp.maxbits, found.zfp.maxprec, found.zfp.minexp) == \
        (1, 400, 20, -12)


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_values_are_kept_under_a_lossy_bound(dtype):
    a = field((30, 40), dtype)
    a[3:5, 7:20] = -9999
    specials = a == -9999
    if a.dtype.kind == "f":
        a[9, 9], a[10, 10] = np.nan, np.inf
        specials |= ~np.isfinite(a)
    data = ztile.compress(a, rel=1e-3, fill=-9999)
    b = ztile.decompress(data)
    assert np.array_equal(a[specials], b[specials], equal_nan=a.dtype.kind == "f")
    values = a[~specials].astype("float64")
    assert np.abs(values - b[~specials]).max() <= 1e-3 * (values.max() - values.min())
    assert ztile.info(data).special_values == specials.sum()


def test_name_units_index_and_slabs_reach_the_file(cube):
    found = ztile.info(ztile.compress(cube, abs=1e-3, name="température", units="K",
                                      index="hybrid", index_chunk=4, slab_bytes=40000))
    assert (found.name, found.units) == ("température", "K")
    assert (found.index, found.index_chunk) == ("hybrid", 4)
    assert found.frames > 1 and found.slab_extent < 30
    assert 1 < found.ratio < 32 and found.bits_per_value == pytest.approx(32 / found.ratio)


VIEWS = {
    "fortran": lambda a: np.asfortranarray(a),
    "transposed": lambda a: a.T,
    "reversed": lambda a: a[::-1, ::-1, ::-1],
    "every second": lambda a: a[::2, 1::3, ::-2],
    "broadcast": lambda a: np.broadcast_to(a[:1], a.shape),
    "read-only": lambda a: (a.setflags(write=False), a)[1],
}


@pytest.mark.parametrize("view", VIEWS)
def test_strides_do_not_show_in_the_bytes(view):
    a = VIEWS[view](field((12, 21, 30)))
    data = ztile.compress(a, abs=1e-3)
    assert data == ztile.compress(np.ascontiguousarray(a), abs=1e-3)
    out = np.zeros(tuple(2 * n for n in a.shape), a.dtype)[::-2, ::2, 1::2]
    assert ztile.decompress(data, out) is out
    assert np.array_equal(out, ztile.decompress(data))
    fortran = np.empty(a.shape, a.dtype, order="F")
    assert np.array_equal(ztile.decompress(data, out=fortran), out)


def peak_of(call):
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_strided_arrays_are_not_copied():
    a = field((64, 64, 64), "float64")
    contiguous = peak_of(lambda: ztile.compress(a, abs=1e-3))
    for view in a.T, a[::-1, :, ::-1], np.asfortranarray(a):
        assert peak_of(lambda: ztile.compress(view, abs=1e-3)) < contiguous + 10000
    data = ztile.compress(a, abs=1e-3)
    out = np.empty(a.shape, order="F")
    assert peak_of(lambda: ztile.decompress(data, out)) < 10000


def test_other_byte_order_and_unaligned_memory_keep_their_values(cube):
    data = ztile.compress(cube, abs=1e-3)
    big = cube.astype(">f4")
    assert ztile.compress(big, abs=1e-3) == data
    assert ztile.zfp.compress(big, tolerance=1e-3) == ztile.zfp.compress(cube, tolerance=1e-3)
    file = io.BytesIO()
    ztile.save(file, big)
    assert np.array_equal(ztile.open(file)[:], big)
    packed = np.empty(cube.shape, np.dtype([("flag", "u1"), ("value", "f4")]))
    packed["value"] = cube
    assert ztile.compress(packed["value"], abs=1e-3) == data


def test_other_buffers_and_subclasses_are_taken():
    a = array.array("d", np.linspace(0, 1, 100))
    assert np.array_equal(ztile.decompress(ztile.compress(a)), np.linspace(0, 1, 100))
    assert np.array_equal(ztile.decompress(ztile.compress([[1.5, 2.5], [3.5, 4.5]])),
                          [[1.5, 2.5], [3.5, 4.5]])
    unmasked = np.ma.MaskedArray(np.arange(50.0))
    assert np.array_equal(ztile.decompress(ztile.compress(unmasked)), np.arange(50.0))
    data = ztile.compress(a)
    for buffer in bytearray(data), memoryview(data), np.frombuffer(data, "u1"):
        assert np.array_equal(ztile.decompress(buffer), a)


def test_threads_do_not_show_in_the_bytes(cube):
    a = np.tile(cube, (3, 2, 2))
    data = {ztile.compress(a, abs=1e-3, threads=n) for n in (1, 2, 3, 8)}
    assert len(data) == 1
    for n in 1, 2, 5:
        assert np.array_equal(ztile.decompress(*data, threads=n), ztile.decompress(*data))


def test_threads_are_set_by_call_by_default_and_by_environment(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "6,2")
    monkeypatch.delenv("ZTILE_THREADS", raising=False)
    assert ztile.get_threads() == 6
    monkeypatch.setenv("ZTILE_THREADS", "5")
    assert ztile.get_threads() == 5
    ztile.set_threads(3)
    try:
        assert ztile.get_threads() == 3
    finally:
        ztile.set_threads(None)
    monkeypatch.setenv("ZTILE_THREADS", "many")
    monkeypatch.setenv("OMP_NUM_THREADS", "")
    assert ztile.get_threads() >= 1


KEYS = [
    (3,), (slice(2, 9),), (Ellipsis, 5), (slice(None, None, -1),), (slice(20, 3, -4), 7),
    (slice(None), slice(40, 2, -1), slice(1, None, 3)), (0, 0, 0), (-1, -1, -1), (None, 4, ...),
    (slice(5, 5),), (..., slice(-3, None)), (slice(None, None, 11), slice(3, 9, 2), -2, None), (),
]


@pytest.mark.parametrize("params", [{"abs": 1e-3}, {"rate": 8}, {"index": "none"},
                                    {"slab_bytes": 30000}])
def test_box_is_the_slice_of_the_whole(cube, params):
    data = ztile.compress(cube, **params)
    whole = ztile.decompress(data)
    for key in KEYS:
        part = ztile.decompress_box(data, key)
        assert np.array_equal(part, whole[key]), key
        assert np.shape(part) == whole[key].shape


def test_random_boxes_of_all_ranks():
    rng = np.random.default_rng(7)
    for shape in (300,), (40, 33), (17, 20, 9), (6, 11, 8, 10):
        data = ztile.compress(field(shape, "float64"), abs=1e-4)
        whole = ztile.decompress(data)
        for _ in range(40):
            key = tuple(
                int(rng.integers(-n, n)) if rng.random() < 0.3 else
                slice(*(None if rng.random() < 0.2 else int(rng.integers(-n - 2, n + 2))
                        for _ in range(2)), int(rng.choice([-5, -2, -1, 1, 2, 3, 7])))
                for n in shape[:rng.integers(0, len(shape) + 1)])
            assert np.array_equal(ztile.decompress_box(data, key), whole[key]), (shape, key)


def test_sparse_selection_of_a_large_array_reads_parts():
    a = np.arange(2_000_000, dtype="int32").reshape(200, 100, 100)
    data = ztile.compress(a)
    assert np.array_equal(ztile.decompress_box(data, np.s_[::50, ::40, ::-30]),
                          a[::50, ::40, ::-30])


def test_the_interpreters_lock_is_released():
    a = field((160, 160, 160), "float64")
    slowly = {"codec": "sz", "effort": "high", "threads": 1}  # the fastest codec takes 4 ms
    worker = threading.Thread(target=lambda: ztile.compress(a, **slowly))
    worker.start()
    steps = 0
    while worker.is_alive():
        steps += 1
        time.sleep(0.001)
    assert steps > 5
