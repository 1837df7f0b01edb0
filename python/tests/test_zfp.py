"""Bare zfp streams against zfpy, byte for byte, both ways."""
import numpy as np
import pytest
import zfpy
from conftest import field

import ztile
from ztile import zfp

DTYPES = ["float32", "float64", "int32", "int64"]
SHAPES = [(5,), (1003,), (30, 41), (13, 22, 18), (5, 6, 9, 7)]
MODES = [{}, {"tolerance": 1e-3}, {"tolerance": 0}, {"rate": 7.5}, {"precision": 17}]


# zfp has no tolerance for integers
CASES = [(dtype, mode) for dtype in DTYPES for mode in MODES
         if "tolerance" not in mode or np.dtype(dtype).kind == "f"]


@pytest.mark.parametrize("dtype, mode", CASES, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_bytes_are_zfpys(shape, dtype, mode):
    a = field(shape, dtype)
    theirs = zfpy.compress_numpy(a, **mode)
    assert zfp.compress(a, **mode) == theirs
    assert zfp.compress_numpy(a, **mode, threads=2) == theirs
    expected = zfpy.decompress_numpy(theirs)
    assert zfp.decompress(theirs).tobytes() == expected.tobytes()
    assert zfp.decompress_numpy(theirs, threads=2).tobytes() == expected.tobytes()
    assert zfpy.decompress_numpy(zfp.compress(a, **mode)).tobytes() == expected.tobytes()
    assert zfp.header(theirs).shape == shape and zfp.header(theirs).dtype == np.dtype(dtype)
    bare = zfp.compress(a, **mode, write_header=False)
    assert bare == zfpy.compress_numpy(a, **mode, write_header=False)
    assert zfp.decompress_bare(bare, shape, dtype, **mode).tobytes() == expected.tobytes()


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_strides_are_zfpys(mode):
    a = field((22, 31, 40))
    for view in (np.asfortranarray(a), a.T, a[::2, :, 1::3], a[:, ::-1, :]):
        assert zfp.compress(view, **mode) == zfp.compress(np.ascontiguousarray(view), **mode)
    assert zfp.compress(a.T, **mode) == zfpy.compress_numpy(a.T, **mode)


def test_out_and_expert(cube):
    data = zfp.compress(cube, expert=(1, 500, 20, -9))
    assert zfp.header(data).mode == zfp.mode_expert
    out = np.empty(cube.shape, cube.dtype, order="F")
    assert zfp.decompress(data, out) is out
    assert np.array_equal(out, zfpy.decompress_numpy(data))


def test_words_of_8_bits_are_read_back(cube):
    data = zfp.compress(cube, tolerance=1e-3, word_bits=8)
    assert np.array_equal(zfp.decompress(data, word_bits=8),
                          zfp.decompress(zfp.compress(cube, tolerance=1e-3)))


def test_nonfinite_values_are_refused_unless_asked_for(cube):
    cube[1, 2, 3] = np.nan
    with pytest.raises(ztile.NonFiniteError):
        zfp.compress(cube, tolerance=1e-3)
    assert len(zfp.compress(cube, tolerance=1e-3, allow_nonfinite=True)) > 0
    assert zfp.decompress(zfp.compress(cube)).tobytes() == cube.tobytes()


@pytest.mark.parametrize("arguments, words", [
    ({"tolerance": 1, "rate": 3}, "one of"),
    ({"rate": "high"}, "is a number"),
    ({"precision": 90}, "1 to 64"),
    ({"tolerance": float("nan")}, "finite"),
    ({"tolerance": float("inf")}, "finite"),
    ({"expert": (9, 3, 20, 0)}, "minbits <= maxbits"),
    ({"expert": 5}, "four whole numbers"),
    ({"rate": 8, "word_bits": 12}, "12"),
])
def test_parameters_that_make_no_sense(arguments, words):
    with pytest.raises(ztile.ArgumentError) as caught:
        zfp.compress(np.zeros((8, 8)), **arguments)
    assert words in str(caught.value)


def test_foreign_and_truncated_streams(cube):
    data = zfp.compress(cube, tolerance=1e-3)
    for bad in (b"", b"zfp", b"no zfp stream at all", bytes(100), data[:100], data[:-9]):
        with pytest.raises(ztile.CorruptError):
            zfp.decompress(bad)
    with pytest.raises(ztile.ArgumentError, match="shape"):
        zfp.decompress(data, np.empty((3, 3), "float32"))
    with pytest.raises(ztile.CorruptError):
        zfp.decompress_bare(data[:200], cube.shape, "float32", tolerance=1e-3)
    # a header that claims an array which the stream cannot hold
    huge = zfp.compress(np.zeros((4, 4), "float32"), rate=8)
    for at in range(4, 12):
        damaged = bytearray(huge)
        damaged[at] ^= 0xFF
        try:
            zfp.decompress(damaged)
        except (ztile.Error, MemoryError):
            pass
