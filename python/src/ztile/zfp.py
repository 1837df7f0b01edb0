"""Bare zfp streams: the bytes that zfpy and libzfp write, and read.

The functions take zfpy's arguments and, for finite values, give zfpy's bytes; ``compress_numpy``
and ``decompress_numpy`` are zfpy's names for them. Two things differ: decompression runs on threads
as well, and NaN or infinities under lossy parameters, which zfp cannot represent, are refused
unless ``allow_nonfinite`` asks for what libzfp makes of them.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional, Tuple

import numpy as np

from . import _core, _params, _threads
from ._arrays import TYPES, as_input, as_output, check_dtype
from ._errors import ArgumentError

__all__ = ["Header", "compress", "compress_numpy", "decompress", "decompress_bare",
           "decompress_numpy", "header",
           "mode_expert", "mode_fixed_accuracy", "mode_fixed_precision", "mode_fixed_rate",
           "mode_reversible"]

# zfp's numbers, which are also zt_zfp_mode's
mode_expert = 1
mode_fixed_rate = 2
mode_fixed_precision = 3
mode_fixed_accuracy = 4
mode_reversible = 5

_HEADER = 1  # ZT_ZFP_HEADER
_AS_LIBZFP = 2  # ZT_ZFP_AS_LIBZFP

_Packed = Tuple[int, float, int, int, int, int, int, int]


@dataclass(frozen=True)
class Header:
    """What zfp's own header says; the shape is slowest axis first."""

    shape: Tuple[int, ...]
    dtype: np.dtype[Any]
    mode: int
    minbits: int
    maxbits: int
    maxprec: int
    minexp: int


def _is_unset(value: Any) -> bool:
    """zfpy says -1 for what is not asked for."""
    return value is None or isinstance(value, (int, float, np.number)) and bool(value < 0)


def _pack(tolerance: float, rate: float, precision: float, expert: Any, word_bits: int,
          flags: int) -> _Packed:
    asked = [(mode_fixed_accuracy, tolerance), (mode_fixed_rate, rate),
             (mode_fixed_precision, precision)]
    asked = [(mode, value) for mode, value in asked if not _is_unset(value)]
    if len(asked) + (expert is not None) > 1:
        raise ArgumentError("give one of tolerance, rate, precision and expert; none: reversible")
    if asked and not math.isfinite(_params._number("a parameter", asked[0][1])):
        raise ArgumentError(f"a tolerance, rate or precision is finite, not {asked[0][1]!r}")
    four = _params._expert(expert) if expert is not None else (0, 0, 0, 0)
    default = mode_expert if expert is not None else mode_reversible
    mode, value = asked[0] if asked else (default, 0.0)
    words = _params._count("word_bits", word_bits)
    return (mode, float(value), *four, words, flags)


def compress(arr: Any, tolerance: float = -1, rate: float = -1, precision: float = -1,
             write_header: bool = True, *, expert: Optional[Tuple[int, int, int, int]] = None,
             word_bits: int = 64, allow_nonfinite: bool = False,
             threads: Optional[int] = None) -> bytes:
    """The zfp stream of an array, within a tolerance, at a rate (bits per value), at a precision
    (bit planes), under expert parameters (minbits, maxbits, maxprec, minexp) or, with none of them,
    reversible. Any strides; word_bits is the width of a stream word of the zfp library that will
    read it (Debian's: 8)."""
    flags = (_HEADER if write_header else 0) | (_AS_LIBZFP if allow_nonfinite else 0)
    packed = _pack(tolerance, rate, precision, expert, word_bits, flags)
    return _core.zfp_compress(as_input(arr), packed, _threads.of_call(threads))


def header(data: Any, *, word_bits: int = 64) -> Header:
    """What the header at the start of a zfp stream says."""
    number, shape, mode, four = _core.zfp_header(data, word_bits)
    return Header(shape, TYPES[number], mode, *four)


def decompress(data: Any, out: Optional[np.ndarray[Any, Any]] = None, *,
               word_bits: int = 64, threads: Optional[int] = None) -> np.ndarray[Any, Any]:
    """Decode a stream that begins with zfp's header, into ``out`` if it is given (any strides)."""
    found = header(data, word_bits=word_bits)
    target = as_output(out, found.dtype, found.shape)
    packed = (0, 0.0, 0, 0, 0, 0, word_bits, _HEADER | _AS_LIBZFP)
    _core.zfp_decompress(data, packed, target, _threads.of_call(threads))
    return target


def decompress_bare(data: Any, shape: Tuple[int, ...], dtype: Any, *, tolerance: float = -1,
                    rate: float = -1, precision: float = -1,
                    expert: Optional[Tuple[int, int, int, int]] = None, word_bits: int = 64,
                    out: Optional[np.ndarray[Any, Any]] = None,
                    threads: Optional[int] = None) -> np.ndarray[Any, Any]:
    """Decode a stream without a header: its shape (slowest axis first), type and parameters have to
    be those it was compressed with."""
    target = as_output(out, check_dtype(np.dtype(dtype)), shape)
    packed = _pack(tolerance, rate, precision, expert, word_bits, _AS_LIBZFP)
    _core.zfp_decompress(data, packed, target, _threads.of_call(threads))
    return target


compress_numpy = compress
decompress_numpy = decompress
