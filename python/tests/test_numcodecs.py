"""Codecs for numcodecs, and Zarr v2 stores through them: written by either side, read by the
other."""
import json

import numpy as np
import pytest
import zarr
from conftest import field
from numcodecs import registry
from numcodecs.zfpy import ZFPY as TheirZFPY

import ztile
from ztile import numcodecs as codecs

ZFPY_CONFIGS = [{"mode": 4, "tolerance": 1e-3}, {"mode": 4}, {"mode": 2, "rate": 9},
                {"mode": 3, "precision": 14}]


@pytest.mark.parametrize("codec", [codecs.ZTile(abs=1e-3), codecs.ZTile(),
                                   codecs.ZTile(codec="ndzip", lossless=True),
                                   codecs.ZTile(rate=np.float32(12)),
                                   codecs.ZTile(expert=(1, 500, np.int64(20), -9), codec=None),
                                   codecs.ZTile(rel=1e-3, range=(0, 1.5), name="t"),
                                   codecs.ZTile(abs=1e-3, ways=np.int64(3 << 5 | 7)),
                                   codecs.ZtileZFPY(tolerance=1e-3), codecs.ZFPY()])
def test_codecs_survive_their_configuration(codec, cube):
    config = json.loads(json.dumps(codec.get_config()))
    again = registry.get_codec(config) if config["id"] != "zfpy" else codecs.ZFPY.from_config(
        {k: v for k, v in config.items() if k != "id"})
    assert again == codec and repr(again) == repr(codec)
    assert again.encode(cube) == codec.encode(cube)


def test_a_store_that_netcdf_wrote_without_loss_is_read(cube):
    codec = registry.get_codec({"id": "ztile", "codec": "sz", "lossless": True, "effort": "fast"})
    assert np.array_equal(codec.decode(codec.encode(cube)), cube)
    assert codec.encode(cube) == codecs.ZTile(codec="sz", effort="fast").encode(cube)


@pytest.mark.parametrize("codec", [codecs.ZTile(abs=1e-3), codecs.ZtileZFPY(tolerance=1e-3)])
def test_out_takes_any_buffer(codec, cube):
    data = codec.encode(cube)
    expected = codec.decode(data)
    assert np.abs(expected - cube).max() <= 1e-3
    for out in np.empty_like(cube), np.empty(cube.size, "f4"), bytearray(cube.nbytes):
        assert codec.decode(data, out=out) is out
        assert bytes(memoryview(out).cast("B")) == expected.tobytes()
    for out in bytearray(3), bytes(cube.nbytes):
        with pytest.raises(ztile.ArgumentError, match="out"):
            codec.decode(data, out=out)


@pytest.mark.parametrize("config", ZFPY_CONFIGS, ids=str)
def test_bytes_are_those_of_numcodecs_zfpy(config):
    for shape in (40,), (12, 13), (9, 10, 11), (4, 5, 6, 7):
        a = field(shape, "float64")
        theirs = TheirZFPY(**config)
        ours = codecs.ZtileZFPY(**config)
        assert ours.encode(a) == bytes(theirs.encode(a))
        assert np.array_equal(ours.decode(theirs.encode(a)), theirs.decode(ours.encode(a)))
        assert codecs.ZFPY.from_config({k: v for k, v in theirs.get_config().items()
                                        if k != "id"}).encode(a) == ours.encode(a)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("codec", [codecs.ZTile(abs=1e-3), codecs.ZtileZFPY(tolerance=1e-3),
                                   codecs.ZFPY(tolerance=1e-3)])
def test_zarr_v2_store_round_trip(tmp_path, codec, order, in_zfpys_place):
    a = field((21, 30, 17), "float64")
    z = zarr.create_array(tmp_path / "s.zarr", shape=a.shape, chunks=(8, 10, 17), dtype=a.dtype,
                          zarr_format=2, compressors=codec, filters=None, order=order)
    z[:] = a
    again = zarr.open_array(tmp_path / "s.zarr", mode="r")
    assert np.abs(again[:] - a).max() <= 1e-3
    assert np.array_equal(again[3:9, 5, ::2], again[:][3:9, 5, ::2])


@pytest.mark.parametrize("dtype", [">f4", ">f8", ">i4", ">i8", "<f4", "<f8", "<i4", "<i8"])
@pytest.mark.parametrize("codec", [codecs.ZTile(), codecs.ZtileZFPY(), codecs.ZFPY()], ids=repr)
def test_big_endian_arrays_are_decoded_to_what_they_were(codec, dtype):
    common = pytest.importorskip("numcodecs.tests.common", reason="numcodecs has none since 0.17")
    for shape in (40,), (9, 10, 11):
        a = field(shape, dtype)
        assert a.dtype.str == dtype
        common.check_encode_decode_array(a, codec)
        common.check_encode_decode_array(np.asfortranarray(a), codec)
        out = bytearray(a.nbytes)
        codec.decode(codec.encode(a), out=out)
        assert bytes(out) == a.tobytes()
        if dtype[0] == "<":  # chunks have no mark, as ever
            plain = ztile.compress if isinstance(codec, codecs.ZTile) else ztile.zfp.compress
            assert codec.encode(a) == plain(a)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("codec", [codecs.ZTile, codecs.ZtileZFPY, codecs.ZFPY])
def test_zarr_v2_store_of_big_endian_values(tmp_path, codec, order, in_zfpys_place):
    a = field((21, 30, 17), ">f4")
    z = zarr.create_array(tmp_path / "be", shape=a.shape, chunks=(8, 10, 17), dtype=a.dtype,
                          zarr_format=2, compressors=codec(), filters=None, order=order)
    z[:] = a
    again = zarr.open_array(tmp_path / "be", mode="r")
    assert again.dtype == a.dtype and np.array_equal(again[:], a)


def test_zfpy_refuses_big_endian_arrays_and_our_chunks_of_them(cube):
    with pytest.raises(TypeError):
        TheirZFPY(mode=4).encode(cube.astype(">f4"))
    with pytest.raises(Exception, match="not a valid header|[Hh]eader"):
        TheirZFPY(mode=4).decode(codecs.ZFPY().encode(cube.astype(">f4")))


def test_zarr_v2_store_of_six_dimensions(tmp_path):
    a = field((1, 2, 1, 8, 6, 5), "float32")
    z = zarr.create_array(tmp_path / "s.zarr", shape=a.shape, chunks=a.shape, dtype=a.dtype,
                          zarr_format=2, compressors=codecs.ZTile(abs=1e-3), filters=None)
    z[:] = a
    assert np.abs(zarr.open_array(tmp_path / "s.zarr", mode="r")[:] - a).max() <= 1e-3


@pytest.mark.parametrize("writer", ["theirs", "ours"])
def test_zarr_v2_zfpy_store_is_read_by_the_other_side(tmp_path, writer):
    a = field((21, 30, 17), "float32")
    write = TheirZFPY if writer == "theirs" else codecs.ZFPY
    read = codecs.ZFPY if writer == "theirs" else TheirZFPY
    try:
        registry.register_codec(write)
        z = zarr.create_array(tmp_path / "s.zarr", shape=a.shape, chunks=(8, 10, 17),
                              dtype=a.dtype, zarr_format=2, filters=None,
                              compressors=write(mode=4, tolerance=1e-2))
        z[:] = a
        expected = z[:]
        registry.register_codec(read)
        assert np.array_equal(zarr.open_array(tmp_path / "s.zarr", mode="r")[:], expected)
    finally:
        registry.register_codec(TheirZFPY)
    assert np.abs(expected - a).max() <= 1e-2


def test_bad_chunks_and_metadata_carry_our_sentence(tmp_path, cube):
    z = zarr.create_array(tmp_path / "s.zarr", shape=cube.shape, chunks=cube.shape,
                          dtype=cube.dtype, zarr_format=2, filters=None,
                          compressors=codecs.ZTile(abs=1e-3))
    z[:] = cube
    chunk = tmp_path / "s.zarr" / "0.0.0"
    good = chunk.read_bytes()
    for bad in good[:500], b"foreign bytes, not ztile's", good[:1000] + b"\0" + good[1001:]:
        chunk.write_bytes(bad)
        with pytest.raises(ztile.CorruptError):
            z[:]
    chunk.write_bytes(good)
    metadata = tmp_path / "s.zarr" / ".zarray"
    text = json.loads(metadata.read_text())
    text["compressor"] = {"id": "ztile", "level": 9}
    metadata.write_text(json.dumps(text))
    with pytest.raises(ztile.ArgumentError, match="there is no parameter 'level'"):
        zarr.open_array(tmp_path / "s.zarr", mode="r")[:]


def test_bad_arguments_carry_our_sentence(cube):
    with pytest.raises(ztile.ArgumentError, match="one bound"):
        codecs.ZTile(abs=1, rel=1)
    with pytest.raises(ztile.ArgumentError, match="zfp's number"):
        codecs.ZFPY(mode=5)
    with pytest.raises(ztile.ArrayTypeError, match="uint8"):
        codecs.ZTile().encode(np.zeros(5, "uint8"))
    cube[0, 0, 0] = np.inf
    with pytest.raises(ztile.NonFiniteError):
        codecs.ZFPY(tolerance=1e-3).encode(cube)
    lax = codecs.ZFPY(tolerance=1e-3, allow_nonfinite=True)
    assert lax.get_config()["allow_nonfinite"] and len(lax.encode(cube))
    with pytest.raises(ztile.CorruptError):
        codecs.ZtileZFPY().decode(b"no zfp stream")
