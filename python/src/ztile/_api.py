"""Memory to memory: compress, decompress, compare."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Optional, TypeVar, overload

import numpy as np

from . import _core, _gpu, _indexing, _info, _params
from ._arrays import as_input, as_output
from ._errors import ArgumentError, ArrayTypeError

if TYPE_CHECKING:
    from typing_extensions import Unpack

Out = TypeVar("Out")


def _as_input(call: _gpu.Call, a: Any) -> tuple[Any, np.dtype[Any]]:
    if _gpu.is_on_device(a):
        return _gpu.as_input(call, a)
    array = as_input(a)
    return array, array.dtype


def _as_output(call: _gpu.Call, out: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
    if _gpu.is_on_device(out):
        return _gpu.as_output(call, out, dtype, shape)
    return as_output(out, dtype, shape)


@overload
def compress(a: Any, *, out: None = None, threads: Optional[int] = None,
             stream: _gpu.Stream = None, **params: Unpack[_params.Params]) -> bytes: ...
@overload
def compress(a: Any, *, out: Out, threads: Optional[int] = None, stream: _gpu.Stream = None,
             **params: Unpack[_params.Params]) -> Out: ...
def compress(a: Any, *, out: Any = None, threads: Optional[int] = None,
             stream: _gpu.Stream = None, **params: Unpack[_params.Params]) -> Any:
    """Compress an array into the bytes of a complete .zt file.

    a       float32, float64, int32 or int64, 1 to 4 dimensions, any strides: nothing is copied
            but values in the other byte order, and arrays whose elements are not aligned.
            Arrays of CuPy, PyTorch, JAX, ... on the host, too, and on a GPU, which then
            compresses them.
    abs=    no value is off by more than this;
    rel=    ... by more than this times (max - min);
    pwrel=  ... by more than this times the value itself;
    psnr=   20 log10(range / RMSE) is at least this, in dB;
    rmse=, rmse_rel=, mae=, mae_rel=   the root of the mean squared error, or the mean absolute
            error, is at most this, or this times (max - min). One of these and psnr may stand
            beside abs or rel; both are then kept;
    within= (low, high), either may be None: no value is decoded beyond; ArgumentError where one
            of the array lies there and is no fill value;
    rate=, precision=, expert=   zfp's other modes;
    lossless=  True says what no bound does: every bit is kept.
    codec=  'auto', 'zfp', 'ndzip' or 'sz'. Without a plan auto is zfp for rate, precision and
            expert, ndzip for floats without loss, else sz.
    fill=   a number that stands for no value (a list: up to 4): kept exactly, like NaN and
            infinities, and no part of a range or a bound.
    ways=   of sz with effort fast or default, without a plan: the axes and groups of a file of an
            array like this one, info(file).sz.ways. sz then looks at no samples to choose them.
    threads=  how many at most; the bytes are the same for any number.
    out=    memory for the file, on the host or a GPU: an array of uint8 of at least
            compress_bound() bytes. The result is then the part of it that was written.
    stream= of a GPU, in which the array is ready; its own library's if it says one.

    Further parameters: index, index_chunk, index_partition, effort, method, sz_bins, plan,
    slab_bytes, word_bits, rate_align, range, name, units. The interpreter's lock is released
    meanwhile.
    """
    packed = _params.pack(dict(params))
    call = _gpu.Call(threads, (a, out), stream=stream)
    array, dtype = _as_input(call, a)
    if out is None:
        return _core.compress(array, _params.of_type(packed, dtype), call.run)
    target = call.bytes(out)
    if isinstance(target, _core.Tensor):
        _gpu.check_bytes(target)
    used = _core.compress_into(array, _params.of_type(packed, dtype), call.run, target)
    return out[:used]


def compress_bound(a: Any, **params: Unpack[_params.Params]) -> int:
    """The most bytes that compress() makes of an array with these parameters."""
    packed = _params.pack(dict(params))
    call = _gpu.Call(None, (a,))
    array, dtype = _as_input(call, a)
    return _core.compress_bound(array, _params.of_type(packed, dtype), call.run)


def inspect(data: Any) -> _info.Info:
    """What is in the bytes of a .zt file."""
    call = _gpu.Call(1, (data,))
    return _info.of_core(_core.inspect(call.bytes(data), call.run))


@overload
def decompress(data: _gpu.OnDevice, out: None = None, *, threads: Optional[int] = None,
               device: _gpu.Device = None, stream: _gpu.Stream = None) -> _gpu.DeviceArray: ...
@overload
def decompress(data: Any, out: None = None, *, threads: Optional[int] = None, device: None = None,
               stream: _gpu.Stream = None) -> np.ndarray[Any, Any]: ...
@overload
def decompress(data: Any, out: None = None, *, threads: Optional[int] = None, device: _gpu.Device,
               stream: _gpu.Stream = None) -> _gpu.DeviceArray: ...
@overload
def decompress(data: Any, out: Out, *, threads: Optional[int] = None, device: _gpu.Device = None,
               stream: _gpu.Stream = None) -> Out: ...
def decompress(data: Any, out: Any = None, *, threads: Optional[int] = None,
               device: _gpu.Device = None, stream: _gpu.Stream = None) -> Any:
    """Decompress the bytes of a .zt file, into ``out`` if it is given: an array of the file's type
    and shape with any strides, on the host or on a GPU. Every checksum is verified first.

    Bytes on a GPU, and ``device=`` (0, 'cuda:1', a device of another library), give a DeviceArray
    there. ``stream=`` is the GPU's stream in which bytes and out are ready; their own library's if
    it says one."""
    call = _gpu.Call(threads, (data, out), device, stream)
    source = call.bytes(data)
    found = _info.of_core(_core.inspect(source, call.run))
    if out is None and call.device is not None:
        result = call.allocate(found.shape, found.dtype)
        _core.decompress(source, result.tensor, call.run)
        return result
    target = _as_output(call, out, found.dtype, found.shape)
    _core.decompress(source, target, call.run)
    return target if out is None else out


@overload
def decompress_box(data: _gpu.OnDevice, slices: _indexing.Key, *, threads: Optional[int] = None,
                   device: _gpu.Device = None,
                   stream: _gpu.Stream = None) -> _gpu.DeviceArray: ...
@overload
def decompress_box(data: Any, slices: _indexing.KeyOfArray, *, threads: Optional[int] = None,
                   device: None = None, stream: _gpu.Stream = None) -> _indexing.Array: ...
@overload
def decompress_box(data: Any, slices: _indexing.Key, *, threads: Optional[int] = None,
                   device: None = None, stream: _gpu.Stream = None) -> _indexing.Part: ...
@overload
def decompress_box(data: Any, slices: _indexing.Key, *, threads: Optional[int] = None,
                   device: _gpu.Device, stream: _gpu.Stream = None) -> _gpu.DeviceArray: ...
def decompress_box(data: Any, slices: _indexing.Key, *, threads: Optional[int] = None,
                   device: _gpu.Device = None, stream: _gpu.Stream = None) -> Any:
    """What ``decompress(data)[slices]`` is, for NumPy's basic indexing, decoding only the part of
    the array that it takes. Where the result is on a GPU, a slice with steps decodes the box around
    it."""
    call = _gpu.Call(threads, (data,), device, stream)
    source = call.bytes(data)
    found = _info.of_core(_core.inspect(source, call.run))

    def box(low: tuple[int, ...], high: tuple[int, ...], out: Any) -> None:
        _core.decompress_box(source, low, high, out, call.run)

    return _gpu.read(call, slices, found.shape, found.dtype, box)


def compare(original: Any, reconstructed: Any, *, abs: Optional[float] = None,
            threads: Optional[int] = None) -> dict[str, float]:
    """How far two arrays of one type and shape are apart: max_abs_error, rmse, mae, psnr, ... over
    the finite values of the original; with ``abs``, beyond_bound counts values that are off by
    more."""
    call = _gpu.Call(threads, (original, reconstructed))
    first, dtype = _as_input(call, original)
    second, other = _as_input(call, reconstructed)
    if dtype != other:
        raise ArrayTypeError(f"the original is of {dtype}, the other array of {other}")
    shapes = [_gpu.shape_of(a) for a in (first, second)]
    if shapes[0] != shapes[1]:
        raise ArgumentError(f"the original has the shape {shapes[0]}, the other array {shapes[1]}")
    bound = math.nan if abs is None else float(abs)
    return _core.compare(first, second, bound, call.run)
