"""Zarr v3: the codec with partial decoding, zfp's, and numcodecs.zfpy in both directions."""
import asyncio
import json
import warnings

import numpy as np
import pytest
import zarr
import zfpy
from conftest import field
from numcodecs import registry
from numcodecs.zfpy import ZFPY as TheirZFPY
from zarr.storage import LocalStore, MemoryStore

import ztile
from ztile import numcodecs as codecs
from ztile import zfp
from ztile.zarr import ZfpCodec, ZTileCodec

KEYS = [np.s_[...], np.s_[3], np.s_[-1, 5:9], np.s_[:, 7, ::3], np.s_[10:70:7, 2:50, -1],
        np.s_[40:41, 40:41, 40:41], np.s_[5, 6, 7], np.s_[2:60]]


def make(store, a, serializer, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # these codecs are not in Zarr's specification
        z = zarr.create_array(store, shape=a.shape, dtype=a.dtype, serializer=serializer,
                              **{"chunks": (64, 48, 40), "compressors": None, **more})
        z[:] = a
    return z


class CountingStore(LocalStore):
    """Counts requests for chunks, and the bytes that are read of them."""

    got = requests = 0

    async def get(self, key, prototype, byte_range=None):
        value = await super().get(key, prototype, byte_range)
        if value is not None and "zarr.json" not in key:
            CountingStore.got += len(value)
            CountingStore.requests += 1
        return value

    async def getsize(self, key):
        CountingStore.requests += 1
        return await super().getsize(key)


@pytest.fixture(scope="module")
def big():
    return field((80, 60, 50), "float64")


@pytest.mark.parametrize("more", [
    {}, {"chunks": (8, 9, 10)}, {"chunks": (40, 24, 20), "shards": (80, 48, 60)},
    {"filters": [zarr.codecs.TransposeCodec(order=(2, 0, 1))]},
    {"compressors": zarr.codecs.ZstdCodec()}, {"dtype": ">f8"}], ids=str)
def test_round_trip(tmp_path, big, more):
    dtype = more.pop("dtype", "f8") if "dtype" in more else "f8"
    z = make(tmp_path / "s.zarr", big.astype(dtype), ZTileCodec(abs=1e-4), **more)
    again = zarr.open_array(tmp_path / "s.zarr", mode="r")
    whole = again[:]
    assert np.abs(whole - big).max() <= 1e-4
    for key in KEYS:
        assert np.array_equal(again[key], whole[key]), key
    rows = [3, 17, 18, 70]
    assert np.array_equal(again.oindex[rows, :, [0, 49]], whole[np.ix_(rows, range(60), [0, 49])])
    assert np.array_equal(again.vindex[rows, [1, 2, 3, 4], [9, 8, 7, 6]],
                          whole[rows, [1, 2, 3, 4], [9, 8, 7, 6]])
    mask = whole > 0.9
    assert np.array_equal(again.vindex[mask], whole[mask])
    z[5:7, :, 3] = 0.25
    assert np.abs(z[5:7, :, 3] - 0.25).max() <= 1e-4


@pytest.mark.parametrize("params", [{"codec": "zfp"}, {"index": "compact"}])
def test_a_part_of_a_chunk_reads_a_part_of_its_bytes(tmp_path, big, params):
    make(tmp_path / "s.zarr", big, ZTileCodec(abs=1e-6, **params), chunks=big.shape)
    z = zarr.open_array(CountingStore(tmp_path / "s.zarr"), mode="r")
    CountingStore.got = 0
    whole = z[:]
    all_bytes = CountingStore.got
    CountingStore.got = 0
    assert np.array_equal(z[40:44, 20:24, 20:24], whole[40:44, 20:24, 20:24])
    assert 0 < CountingStore.got < all_bytes / 4


@pytest.mark.parametrize("codec", ["zfp", "sz", "ndzip"])
@pytest.mark.parametrize("shards", [None, (128, 128, 128)])
def test_a_part_of_a_chunk_takes_few_requests(tmp_path, codec, shards):
    a = field((128, 128, 128))
    bound = {} if codec == "ndzip" else {"abs": 1e-3}
    make(tmp_path / "s.zarr", a, ZTileCodec(codec=codec, **bound), shards=shards,
         chunks=(64, 64, 64) if shards else a.shape)
    z = zarr.open_array(CountingStore(tmp_path / "s.zarr"), mode="r")
    CountingStore.got = CountingStore.requests = 0
    part = z[3:7, 3:7, 3:7]
    requests, part_bytes = CountingStore.requests, CountingStore.got
    CountingStore.got = 0
    assert np.array_equal(part, z[:][3:7, 3:7, 3:7])
    if shards:  # the shard's index, and one of its eight chunks
        assert requests == 2 and CountingStore.got / 9 < part_bytes < CountingStore.got / 7
    else:
        assert requests <= 6 and part_bytes < CountingStore.got / 10


def test_many_parts_at_once_do_not_wait_for_each_other(tmp_path):
    a = field((160, 160, 64))
    make(tmp_path / "s.zarr", a, ZTileCodec(abs=1e-3), chunks=(40, 40, 64))
    z = zarr.open_array(tmp_path / "s.zarr", mode="r")
    assert np.abs(z[5::40, :, 3] - a[5::40, :, 3]).max() <= 1e-3

    async def many():
        part = z._async_array
        return await asyncio.gather(*[part.getitem((i, slice(0, 160), slice(0, 4)))
                                      for i in range(100)])

    for i, got in enumerate(zarr.core.sync.sync(many())):
        assert np.abs(got - a[i, :, :4]).max() <= 1e-3


def test_chunks_are_coded_in_the_ways_that_the_metadata_keep(tmp_path, big):
    ways = ztile.info(ztile.compress(big[:40, :30, :25], abs=1e-4)).sz.ways
    make(tmp_path / "s.zarr", big, ZTileCodec(abs=1e-4, ways=ways), chunks=(40, 30, 25))
    again = zarr.open_array(tmp_path / "s.zarr")
    assert again.metadata.codecs[0].to_dict()["configuration"] == {"abs": 1e-4, "ways": ways}
    assert np.abs(again[:] - big).max() <= 1e-4
    for i in range(8):
        at = [i // 4, i // 2 % 2, i % 2]
        part = big[tuple(slice(n * k, n * (k + 1)) for n, k in zip((40, 30, 25), at))]
        chunk = tmp_path.joinpath("s.zarr", "c", *map(str, at)).read_bytes()
        assert chunk == ztile.compress(part, abs=1e-4, ways=ways)
        assert ztile.info(chunk).sz.ways == ways


def test_equal_codecs_have_equal_hashes():
    one, other = (ZTileCodec(rel=1e-3, codec="zfp") for _ in range(2))
    assert one == other and hash(one) == hash(other) and one != ZTileCodec(rel=2e-3)
    one, other = (ZfpCodec(mode="fixed_rate", rate=8) for _ in range(2))
    assert one == other and hash(one) == hash(other) and one != ZfpCodec(mode="reversible")


def test_missing_chunks_and_memory_stores(big):
    z = zarr.create_array(MemoryStore(), shape=big.shape, dtype="f8", chunks=(64, 48, 40),
                          serializer=ZTileCodec(abs=1e-4), compressors=None, fill_value=7)
    z[:10, :10, :10] = big[:10, :10, :10]
    assert z[79, 59, 49] == 7 and np.all(z[70:, 50:, :4] == 7)
    assert np.abs(z[2:5, 3, 4] - big[2:5, 3, 4]).max() <= 1e-4


def test_chunks_at_the_edge_may_be_padded_with_nan(tmp_path):
    a = field((30, 33))
    make(tmp_path / "s.zarr", a, ZTileCodec(abs=1e-3), chunks=(16, 16), fill_value=np.nan)
    assert np.abs(zarr.open_array(tmp_path / "s.zarr")[:] - a).max() <= 1e-3


def test_scalars_and_six_dimensions(tmp_path):
    z = zarr.create_array(tmp_path / "0.zarr", shape=(), dtype="f4", serializer=ZTileCodec(),
                          compressors=None)
    z[...] = 3.5
    assert zarr.open_array(tmp_path / "0.zarr")[...] == 3.5
    a = field((3, 1, 2, 8, 30, 40))
    make(tmp_path / "6.zarr", a, ZTileCodec(abs=1e-3), chunks=a.shape)
    z = zarr.open_array(tmp_path / "6.zarr")
    assert np.abs(z[:] - a).max() <= 1e-3
    assert np.array_equal(z[1, 0, 1, 2:4], z[:][1, 0, 1, 2:4])


ZFP_MODES = [{"mode": "reversible"}, {"mode": "fixed_accuracy", "tolerance": 1e-3},
             {"mode": "fixed_rate", "rate": 10.5}, {"mode": "fixed_precision", "precision": 19},
             {"mode": "expert", "minbits": 1, "maxbits": 700, "maxprec": 19, "minexp": -20}]


@pytest.mark.parametrize("mode", ZFP_MODES, ids=str)
def test_zfp_chunks_are_bare_streams(tmp_path, mode):
    a = field((20, 30, 40))
    make(tmp_path / "s.zarr", a, ZfpCodec(**mode), chunks=a.shape)
    metadata = json.loads((tmp_path / "s.zarr" / "zarr.json").read_text())
    assert metadata["codecs"] == [{"name": "zfp", "configuration": mode}]
    chunk = (tmp_path / "s.zarr" / "c" / "0" / "0" / "0").read_bytes()
    names = {"tolerance", "rate", "precision"} & set(mode)
    if mode["mode"] == "expert":  # which zfpy does not offer
        assert chunk == zfp.compress(a, write_header=False, expert=(1, 700, 19, -20))
    else:
        assert chunk == zfpy.compress_numpy(a, write_header=False, **{n: mode[n] for n in names})
    z = zarr.open_array(tmp_path / "s.zarr", mode="r")
    assert np.abs(z[:] - a).max() < 0.01
    assert np.array_equal(z[3, 4], z[:][3, 4])


@pytest.mark.filterwarnings("ignore")
def test_big_endian_arrays_keep_their_values(tmp_path, in_zfpys_place):
    from zarr.codecs.numcodecs import ZFPY

    a = field((20, 30, 40), ">f8")
    for codec in ZTileCodec(), ZfpCodec(mode="reversible"), ZFPY(mode=4):
        z = make(tmp_path / "s.zarr", a, codec, chunks=(10, 20, 40), overwrite=True)
        assert np.array_equal(z[:], a)
        assert np.array_equal(zarr.open_array(tmp_path / "s.zarr", mode="r")[:], a)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("writer", ["theirs", "ours"])
def test_zarr_v3_zfpy_store_is_read_by_the_other_side(tmp_path, writer):
    from zarr.codecs.numcodecs import ZFPY

    a = field((21, 30, 17))
    first, second = (TheirZFPY, codecs.ZFPY)[::1 if writer == "theirs" else -1]
    try:
        registry.register_codec(first)
        make(tmp_path / "s.zarr", a, ZFPY(mode=4, tolerance=1e-2), chunks=(8, 10, 17))
        expected = zarr.open_array(tmp_path / "s.zarr", mode="r")[:]
        registry.register_codec(second)
        z = zarr.open_array(tmp_path / "s.zarr", mode="r")
        assert np.array_equal(z[:], expected)
    finally:
        registry.register_codec(TheirZFPY)
    assert np.abs(expected - a).max() <= 1e-2


@pytest.mark.parametrize("codec, configuration, words", [
    ("ztile", {"abs": 1, "rel": 1}, "one bound"),
    ("ztile", {"clevel": 5}, "no parameter 'clevel'"),
    ("zfp", {"mode": "fixed"}, "It takes, by mode"),
    ("zfp", {}, "It takes, by mode"),
    ("zfp", {"mode": "fixed_rate", "rate": -3}, "not negative"),
    ("zfp", {"mode": "fixed_rate", "rate": 8, "extra": 1}, "It takes, by mode"),
])
def test_foreign_metadata_carry_our_sentence(tmp_path, codec, configuration, words):
    make(tmp_path / "s.zarr", field((8, 8)), ZTileCodec(abs=1e-3), chunks=(8, 8))
    path = tmp_path / "s.zarr" / "zarr.json"
    metadata = json.loads(path.read_text())
    metadata["codecs"] = [{"name": codec, "configuration": configuration}]
    path.write_text(json.dumps(metadata))
    with pytest.raises(Exception) as caught:
        zarr.open_array(tmp_path / "s.zarr", mode="r")[:]
    assert words in str(caught.value)


def test_chunks_of_other_metadata_carry_our_sentence(tmp_path, big):
    make(tmp_path / "s.zarr", big, ZTileCodec(abs=1e-3))
    path = tmp_path / "s.zarr" / "zarr.json"
    metadata = json.loads(path.read_text())
    metadata["data_type"] = "float32"
    path.write_text(json.dumps(metadata))
    z = zarr.open_array(tmp_path / "s.zarr", mode="r")
    for key in np.s_[...], np.s_[1:3, 1:3, 1:3]:
        with pytest.raises(ztile.CorruptError, match="metadata ask for float32"):
            z[key]


def test_bad_chunks_and_arrays_carry_our_sentence(tmp_path, big):
    z = make(tmp_path / "s.zarr", big, ZTileCodec(abs=1e-3), chunks=big.shape)
    chunk = tmp_path / "s.zarr" / "c" / "0" / "0" / "0"
    good = chunk.read_bytes()
    for bad in good[:500], b"", b"foreign bytes", good[:len(good) // 2]:
        chunk.write_bytes(bad)
        for key in np.s_[...], np.s_[1:3, 1:3, 1:3]:
            with pytest.raises(ztile.CorruptError):
                z[key]
    for dtype, words in ("uint16", "a.astype('int32')"), ("complex64", "float32"):
        for codec in ZTileCodec(), ZfpCodec(mode="reversible"):
            with pytest.raises(ztile.ArrayTypeError) as caught:
                zarr.create_array(tmp_path / "t.zarr", shape=(4,), dtype=dtype, serializer=codec,
                                  compressors=None, overwrite=True)
            assert words in str(caught.value)
    with pytest.raises(ztile.ArgumentError, match="at most 4 dimensions"):
        zarr.create_array(tmp_path / "t.zarr", shape=(2,) * 5, dtype="f4", compressors=None,
                          serializer=ZfpCodec(mode="reversible"))
    with pytest.raises(ztile.ArgumentError, match="one bound"):
        ZTileCodec(abs=1, rate=8)
