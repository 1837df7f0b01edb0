"""Bad input: each gives the exception it should, with a sentence that says what to do."""
import io
import os
import signal

import numpy as np
import pytest
from conftest import field

import ztile


@pytest.mark.parametrize("a, words", [
    (np.zeros(5, "uint8"), "not uint8; try a.astype('int32')"),
    (np.zeros(5, "uint64"), "a.view('int64')"),
    (np.zeros(5, "float16"), "a.astype('float32')"),
    (np.zeros(5, "complex128"), "a.view('float64')"),
    (np.zeros(5, "bool"), "a.astype('int32')"),
    (np.zeros(5, "datetime64[s]"), "a.view('int64')"),
    (np.array(["text"]), "not <U4"),
    (np.array([None]), "not object"),
    ("text", "not <U4"),
])
def test_types_that_are_not_compressed(a, words):
    with pytest.raises(ztile.ArrayTypeError) as caught:
        ztile.compress(a)
    assert words in str(caught.value)
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, ValueError)


def test_limits():
    a = field((40, 50))
    data = ztile.compress(a, abs=1e-2)
    try:
        ztile.set_limits(output=a.nbytes - 1)
        with pytest.raises(ztile.OutOfMemoryError, match="output limit of 7999 bytes"):
            ztile.decompress(data)
        with pytest.raises(MemoryError, match="output limit"):
            ztile.decompress(data, np.empty_like(a))
        assert ztile.decompress_box(data, np.s_[3:9]).shape == (6, 50)
        ztile.set_limits(memory=100)
        with pytest.raises(ztile.OutOfMemoryError, match="memory limit of 100 bytes"):
            ztile.compress(a, abs=1e-2)
        with pytest.raises(ztile.ArgumentError, match="memory is a number of bytes"):
            ztile.set_limits(memory=0)
    finally:
        ztile.set_limits()
    assert ztile.decompress(data).shape == a.shape


def test_memory_of_results_is_used_again_but_not_while_it_is_seen():
    a = field((1 << 10, 1 << 10))
    assert a.nbytes >= 4 << 20
    data = ztile.compress(a, abs=1e-2)
    expected = ztile.decompress(data, np.empty_like(a))

    def address(of):
        return of.__array_interface__["data"][0]

    try:
        first = ztile.decompress(data)
        part = first[5:7, 3:]  # shares its memory
        where = address(first)
        del first
        second = ztile.decompress(data[:])
        assert not np.shares_memory(part, second)
        second[:] = 0
        assert np.array_equal(part, expected[5:7, 3:])
        del part
        third = ztile.decompress(data)
        assert address(third) == where and third.flags.writeable and np.array_equal(third, expected)
        ztile.set_limits(spare=0)
        del second, third
        assert np.array_equal(ztile.decompress(data), expected)
        with pytest.raises(ztile.ArgumentError, match="spare is a number of bytes"):
            ztile.set_limits(spare=-1)
    finally:
        ztile.set_limits()


@pytest.mark.parametrize("a, words", [
    (np.zeros(()), "a.reshape(1)"),
    (np.zeros((2,) * 5), "a.reshape(-1, *a.shape[-3:])"),
    (np.zeros((3, 0, 2)), "axis 1 (slowest first) has no elements"),
    (np.ma.MaskedArray(np.zeros(3), [True, False, False]), "a.filled(0)"),
])
def test_arrays_that_are_not_compressed(a, words):
    with pytest.raises(ztile.ArgumentError) as caught:
        ztile.compress(a, abs=0.1)
    assert words in str(caught.value)


@pytest.mark.parametrize("params, words", [
    ({"abs": 1e-3, "rate": 8}, "one bound at a time: abs and rate"),
    ({"abs": 1e-3, "lossless": True}, "one bound at a time: lossless and abs"),
    ({"lossless": "yes"}, "lossless is True or False, not 'yes'"),
    ({"tolerance": 1e-3}, "there is no parameter 'tolerance'"),
    ({"abs": "small"}, "abs is a number"),
    ({"abs": -1.0}, "bound"),
    ({"abs": float("nan")}, "bound"),
    ({"codec": "gzip"}, "auto, zfp, ndzip, sz"),
    ({"index": "best"}, "compact"),
    ({"plan": "yes"}, "off, on, tight"),
    ({"expert": (1, 2)}, "four whole numbers"),
    ({"expert": (1, 2, 3, 2**40)}, "32 bits"),
    ({"index_chunk": -1}, "whole number"),
    ({"index_chunk": 1.5}, "whole number"),
    ({"range": 3}, "two numbers"),
    ({"name": 3}, "text"),
    ({"name": "a\0b"}, "text"),
    ({"name": "x" * 200}, "127"),
    ({"word_bits": 24}, "24"),
    ({"fill": "x"}, "fill is a number"),
    ({"fill": [1, 2, 3, 4, 5]}, "at most 4"),
    ({"abs": 1, "ways": 1}, "1 are no ways of sz for arrays of 2 dimensions"),
    ({"ways": -1}, "ways is a whole number from 0 to 65535, not -1"),
    ({"ways": 2**16}, "ways is a whole number"),
    ({"ways": "own"}, "ways is a whole number"),
    ({"rate": 0}, "rate"),
    ({"precision": 99}, "precision"),
    ({"threads": 0}, "threads"),
    ({"threads": 10**6}, "threads"),
    ({"threads": True}, "threads"),
])
def test_parameters_that_make_no_sense(params, words):
    with pytest.raises(ztile.ArgumentError) as caught:
        ztile.compress(np.zeros((8, 8)), **params)
    assert words in str(caught.value)


def test_a_fill_value_is_a_value_of_the_type():
    for fill in 2**31, 0.5, float("nan"):
        with pytest.raises(ztile.ArgumentError, match="no value of int32"):
            ztile.compress(np.zeros(9, "int32"), abs=1, fill=fill)


@pytest.mark.parametrize("out, words", [
    (np.empty((8, 9), "float64"), "float64"),
    (np.empty((9, 8), "float32"), "(9, 8)"),
    (np.empty((8, 9), ">f4"), "byte order"),
    (bytearray(8 * 9 * 4), "NumPy array"),
    (np.broadcast_to(np.float32(0), (8, 9)), "read-only"),
    (np.empty((8, 9), [("a", "u1"), ("b", "f4")])["b"], "aligned"),
])
def test_wrong_out(out, words):
    data = ztile.compress(field((8, 9)))
    with pytest.raises(ztile.ArgumentError) as caught:
        ztile.decompress(data, out)
    assert words in str(caught.value)


@pytest.mark.parametrize("key", [(0, 0, 0), 8, -9, [1, 2], np.array([True] * 8), 1.5, "x",
                                 (..., ...), True])
def test_wrong_index(key):
    data = ztile.compress(field((8, 9)))
    with pytest.raises(IndexError):
        ztile.decompress_box(data, key)


@pytest.mark.parametrize("data", [b"", b"x", b"CDF\x01" + bytes(100), bytes(1000),
                                  b"\x93NUMPY" + bytes(200), os.urandom(5000)])
def test_foreign_bytes(data, tmp_path):
    path = tmp_path / "foreign.zt"
    path.write_bytes(data)
    for call in (ztile.decompress, ztile.info, lambda d: ztile.decompress_box(d, 0),
                 lambda d: ztile.open(io.BytesIO(d)), lambda d: ztile.open(path)):
        with pytest.raises((ztile.CorruptError, ztile.UnsupportedError)) as caught:
            call(data)
        assert len(str(caught.value)) > 10


def test_every_truncation_is_found():
    data = ztile.compress(field((40, 50)), abs=1e-2, slab_bytes=4000)
    for n in list(range(0, len(data), 13)) + [len(data) - 1]:
        with pytest.raises(ztile.CorruptError):
            ztile.decompress(data[:n])
        with pytest.raises(ztile.CorruptError):
            ztile.open(io.BytesIO(data[:n]))[:]
    with pytest.raises(ztile.CorruptError):
        ztile.decompress(data + b"more")


def test_every_flipped_bit_is_found_or_harmless():
    a = field((40, 50))
    data = ztile.compress(a, abs=1e-2)
    good = ztile.decompress(data)
    rng = np.random.default_rng(3)
    found = 0
    for at in rng.choice(len(data) * 8, 400, replace=False):
        damaged = bytearray(data)
        damaged[at // 8] ^= 1 << at % 8
        try:
            assert np.array_equal(ztile.decompress(damaged), good)
        except (ztile.CorruptError, ztile.UnsupportedError):
            found += 1
    assert found > 390


def test_no_memory_is_an_exception_and_not_the_end():
    # one byte at each 4 GiB: such an array takes no memory, its worst-case result does
    a = np.lib.stride_tricks.as_strided(np.zeros(1), (2**45,), (0,))
    with pytest.raises((MemoryError, ztile.ArgumentError)):
        ztile.compress(a)


def test_an_exception_of_the_source_or_sink_comes_through():
    class Broken(io.BytesIO):
        def read(self, *args):
            raise TimeoutError("the object store is asleep")

        def write(self, *args):
            raise TimeoutError("the object store is asleep")

    data = ztile.compress(field((8, 9)))
    with pytest.raises(TimeoutError, match="asleep"):
        ztile.open(Broken(data))
    with pytest.raises(TimeoutError, match="asleep"):
        with ztile.create(Broken(), (8, 9), "float32") as writer:
            writer.write(field((8, 9)))


def test_ctrl_c_interrupts_a_long_call():
    class Stop(Exception):
        pass

    def stop(*_):
        raise Stop

    a = np.random.default_rng(0).standard_normal((256, 256, 256))
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(Stop):
            ztile.compress(a, threads=1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert ztile.decompress(ztile.compress(a[:4])).shape == (4, 256, 256)
