"""Memory to memory: compress, decompress, compare."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Optional, overload

import numpy as np

from . import _core, _indexing, _info, _params, _threads
from ._arrays import as_input, as_output
from ._errors import ArgumentError, ArrayTypeError

if TYPE_CHECKING:
    from typing_extensions import Unpack


def compress(a: Any, *, threads: Optional[int] = None, **params: Unpack[_params.Params]) -> bytes:
    """Compress an array into the bytes of a complete .zt file.

    a       float32, float64, int32 or int64, 1 to 4 dimensions, any strides: nothing is copied
            but values in the other byte order, and arrays whose elements are not aligned.
    abs=    no value is off by more than this;
    rel=    ... by more than this times (max - min);
    pwrel=  ... by more than this times the value itself;
    psnr=   20 log10(range / RMSE) is at least this, in dB;
    rate=, precision=, expert=   zfp's other modes. One bound at most; none: lossless.
    codec=  'auto', 'zfp', 'ndzip' or 'sz'.
    fill=   a number that stands for no value (a list: up to 4): kept exactly, like NaN and
            infinities, and no part of a range or a bound.
    threads=  how many at most; the bytes are the same for any number.

    Further parameters: index, index_chunk, index_partition, effort, method, sz_bins, plan,
    slab_bytes, word_bits, rate_align, range, name, units. The interpreter's lock is released
    meanwhile.
    """
    packed = _params.pack(dict(params))
    array = as_input(a)
    return _core.compress(array, _params.of_type(packed, array.dtype), _threads.of_call(threads))


def inspect(data: Any) -> _info.Info:
    """What is in the bytes of a .zt file."""
    return _info.of_core(_core.inspect(data))


def decompress(data: Any, out: Optional[np.ndarray[Any, Any]] = None, *,
               threads: Optional[int] = None) -> np.ndarray[Any, Any]:
    """Decompress the bytes of a .zt file, into ``out`` if it is given: an array of the file's type
    and shape with any strides. Every checksum is verified first."""
    found = inspect(data)
    target = as_output(out, found.dtype, found.shape)
    _core.decompress(data, target, _threads.of_call(threads))
    return target


@overload
def decompress_box(data: Any, slices: _indexing.KeyOfArray, *,
                   threads: Optional[int] = None) -> _indexing.Array: ...
@overload
def decompress_box(data: Any, slices: _indexing.Key, *,
                   threads: Optional[int] = None) -> _indexing.Part: ...
def decompress_box(data: Any, slices: _indexing.Key, *,
                   threads: Optional[int] = None) -> _indexing.Part:
    """What ``decompress(data)[slices]`` is, for NumPy's basic indexing, decoding only the part of
    the array that it takes."""
    found = inspect(data)
    count = _threads.of_call(threads)

    def box(low: tuple[int, ...], high: tuple[int, ...], out: np.ndarray[Any, Any]) -> None:
        _core.decompress_box(data, low, high, out, count)

    return _indexing.read(slices, found.shape, found.dtype, box)


def compare(original: Any, reconstructed: Any, *, abs: Optional[float] = None,
            threads: Optional[int] = None) -> dict[str, float]:
    """How far two arrays of one type and shape are apart: max_abs_error, rmse, psnr, ... over the
    finite values of the original; with ``abs``, beyond_bound counts values that are off by more."""
    first, second = as_input(original), as_input(reconstructed)
    if first.dtype != second.dtype:
        raise ArrayTypeError(f"the original is of {first.dtype}, the other array of {second.dtype}")
    if first.shape != second.shape:
        raise ArgumentError(f"the original has the shape {first.shape}, the other array "
                            f"{second.shape}")
    bound = math.nan if abs is None else float(abs)
    return _core.compare(first, second, bound, _threads.of_call(threads))
