"""NumPy arrays that the extension module can take: types, byte order, alignment, shape."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._errors import ArgumentError, ArrayTypeError
from ._gpu import on_host, writable_on_host
from ._limits import empty

# zt_type in ztile.h
TYPES: dict[int, np.dtype[Any]] = {
    1: np.dtype(np.float32),
    2: np.dtype(np.float64),
    3: np.dtype(np.int32),
    4: np.dtype(np.int64),
}
NUMBERS: dict[str, int] = {dtype.name: number for number, dtype in TYPES.items()}

_ADVICE = {
    "float16": "a.astype('float32')",
    "longdouble": "a.astype('float64')",
    "float128": "a.astype('float64')",
    "bool": "a.astype('int32')",
    "int8": "a.astype('int32')",
    "uint8": "a.astype('int32')",
    "int16": "a.astype('int32')",
    "uint16": "a.astype('int32')",
    "uint32": "a.astype('int64')",
    "uint64": "a.view('int64'), which keeps the bits",
    "complex64": "a.view('float32')",
    "complex128": "a.view('float64')",
}


def check_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type in native byte order, if it is one of ours."""
    if dtype.name in NUMBERS:
        return TYPES[NUMBERS[dtype.name]]
    advice = _ADVICE.get(dtype.name)
    if advice is None and dtype.kind in "mM":
        advice = "a.view('int64')"
    raise ArrayTypeError(
        f"ztile compresses float32, float64, int32 and int64, not {dtype}"
        + (f"; try {advice}" if advice else "")
    )


def as_input(a: Any) -> np.ndarray[Any, Any]:
    """An array to compress, without a copy wherever its memory can be read as it is. Values in
    the other byte order, or not aligned to their size, are copied."""
    if isinstance(a, np.ma.MaskedArray):
        if np.ma.is_masked(a):
            raise ArgumentError("the array has masked values, which ztile does not keep; "
                                "fill them first, e.g. a.filled(0)")
        a = a.data
    array: np.ndarray[Any, Any] = np.asarray(on_host(a))
    dtype = check_dtype(array.dtype)
    if array.ndim < 1 or array.ndim > 4:
        raise ArgumentError(
            f"ztile takes arrays of 1 to 4 dimensions, this one has {array.ndim}; "
            + ("reshape it, e.g. a.reshape(1)" if array.ndim == 0 else
               "merge its slowest axes, e.g. a.reshape(-1, *a.shape[-3:])")
        )
    if not array.dtype.isnative:
        return array.astype(dtype)
    if not array.flags.aligned or any(stride % array.itemsize for stride in array.strides):
        return array.copy()
    return array


def as_output(out: Any, dtype: np.dtype[Any], shape: Sequence[int]) -> np.ndarray[Any, Any]:
    """The caller's memory for a result, which is written to where it lies; or new memory."""
    if out is None:
        return empty(shape, dtype)
    out = writable_on_host(out)
    if not isinstance(out, np.ndarray):
        raise ArrayTypeError(f"out is a NumPy array, not {type(out).__name__}")
    if out.dtype != dtype or not out.dtype.isnative:
        raise ArrayTypeError(f"out is an array of {out.dtype.str} ({out.dtype}), the data are "
                             f"{dtype.str} ({dtype}) in this machine's byte order")
    if out.shape != tuple(shape):
        raise ArgumentError(f"out has the shape {out.shape}, the data have {tuple(shape)}, "
                            "slowest axis first")
    if not out.flags.writeable:
        raise ArgumentError("out is read-only")
    if not out.flags.aligned or any(stride % out.itemsize for stride in out.strides):
        raise ArgumentError("out's elements are not aligned to their size")
    return out


def chunk_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """The 1 to 4 axes in which a host's chunk of any rank is coded. No axes: one of length 1. More
    than four: axes of length 1 are dropped, then the slowest ones merged until four are left."""
    merged = list(shape) or [1]
    if len(merged) > 4:
        merged = [extent for extent in merged if extent != 1] or [1]
    while len(merged) > 4:
        merged[:2] = [merged[0] * merged[1]]
    return tuple(merged)
