"""What the codecs for numcodecs and Zarr have in common."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _api, _core, _gpu, _info, _params
from ._arrays import as_input, as_output, check_dtype, chunk_shape
from ._errors import ArgumentError, CorruptError

# Before a chunk whose array was big-endian. numcodecs' callers interpret the bytes that a codec
# returns, so these have to be in the array's byte order; a compressed chunk does not note it.
_BIG_ENDIAN = b"ztilebe\n"


def mark_order(data: bytes, dtype: np.dtype[Any]) -> bytes:
    """A compressed chunk, with the byte order of the array that it holds."""
    return _BIG_ENDIAN + data if dtype.str[0] == ">" else data


def split_order(buf: Any) -> tuple[memoryview, str]:
    """The compressed chunk that mark_order was given, and the byte order: '<' or '>'."""
    view = memoryview(buf)
    view = view.cast("B") if view.nbytes else view
    n = len(_BIG_ENDIAN)
    return (view[n:], ">") if view[:n] == _BIG_ENDIAN else (view, "<")


def in_order(a: np.ndarray[Any, Any], order: str) -> np.ndarray[Any, Any]:
    """The same values in this byte order, swapped where they lie."""
    dtype = a.dtype.newbyteorder(order)
    return a if dtype.isnative else a.byteswap(inplace=True).view(dtype)


def coded(a: Any) -> np.ndarray[Any, Any]:
    """A host's chunk with 1 to 4 axes."""
    if isinstance(a, np.ma.MaskedArray):
        return as_input(a)
    a = np.asarray(a)
    check_dtype(a.dtype)
    return as_input(a if 1 <= a.ndim <= 4 else a.reshape(chunk_shape(a.shape)))


def compress(a: Any, packed: tuple[Any, ...]) -> bytes:
    """A host's chunk, or one on a GPU, which then compresses it."""
    call = _gpu.Call(None, (a,), is_codec=True)
    if call.device is None:
        array = coded(a)
        return _core.compress(array, _params.of_type(packed, array.dtype), call.run)
    tensor, dtype = _coded_on_device(call, a)
    return _core.compress(tensor, _params.of_type(packed, dtype), call.run)


def _coded_on_device(call: _gpu.Call, a: Any) -> tuple[Any, np.dtype[Any]]:
    tensor = call.tensor(a)
    shape = _gpu.shape_of(tensor)
    dtype = check_dtype(_gpu.dtype_of(tensor))
    return (tensor if 1 <= len(shape) <= 4 else _gpu.merged(tensor, chunk_shape(shape))), dtype


def check_chunk(found: _info.Info, shape: Sequence[int], dtype: np.dtype[Any]) -> None:
    """Raise where a .zt chunk is not of the type and shape that the host's metadata give it."""
    wanted = check_dtype(dtype), chunk_shape(shape)
    if (found.dtype, found.shape) != wanted:
        raise CorruptError(
            f"a chunk holds {found.dtype} of shape {found.shape}, the array's metadata ask for "
            f"{wanted[0]} of shape {wanted[1]}; the metadata belong to other chunks")


def decompress(data: Any, shape: Sequence[int], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The chunk of this shape and type."""
    check_chunk(_api.inspect(data), shape, dtype)
    call = _gpu.Call(None, (), is_codec=True)
    target = as_output(None, check_dtype(dtype), chunk_shape(shape))
    _core.decompress(data, target, call.run)
    return target.reshape(tuple(shape))


def decompress_on_device(data: Any, out: Any) -> None:
    """A chunk, on the host or a GPU, into an array on a GPU."""
    call = _gpu.Call(None, (data, out))
    source = call.bytes(data)
    tensor, dtype = _coded_on_device(call, out)
    shape = _gpu.shape_of(tensor)
    check_chunk(_info.of_core(_core.inspect(source, call.run)), shape, dtype)
    _core.decompress(source, tensor, call.run)


def into_buffer(out: Any, dtype: np.dtype[Any], shape: Sequence[int]) -> np.ndarray[Any, Any]:
    """numcodecs' out, a contiguous buffer of any kind, as the array that a chunk is decoded into;
    new memory for None."""
    if out is None:
        return as_output(None, dtype, shape)
    view = memoryview(out)
    needed = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
    if view.readonly or not view.c_contiguous and not view.f_contiguous:
        raise ArgumentError("out is memory that can be written to, in one piece")
    if view.nbytes != needed:
        raise ArgumentError(f"out has {view.nbytes} bytes, the chunk has {needed}")
    # in memory order, as numcodecs fills buffers
    flat = np.asarray(out).reshape(-1, order="A").view(np.uint8)
    return flat.view(dtype).reshape(tuple(shape))
