"""Arrays in the memory of GPUs and of other libraries: __cuda_array_interface__ and DLPack.

An array that says through either that it is in a GPU's memory goes to the library as an address,
and the call runs there, on the array's stream. Results are DeviceArrays, which other libraries take
without a copy. Arrays of other libraries in the host's memory become NumPy arrays of that memory.
"""
from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any, Optional, Protocol, Sequence, Tuple, Union

import numpy as np

from . import _core, _indexing, _limits, _threads
from ._errors import ArgumentError, ArrayTypeError, UnsupportedError

if TYPE_CHECKING:
    from typing_extensions import TypeAlias

Run = Union[int, Tuple[int, int]]  # threads, or a GPU and a stream of it: what _core's calls take

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13  # DLDeviceType of DLPack
_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}  # DLDataTypeCode
_CODES = {"i": 0, "u": 1, "f": 2}
_LEGACY_STREAM = 1  # cudaStreamLegacy: the default stream, in both interfaces


class OnDevice(Protocol):
    """An array in the memory of a GPU: of CuPy, PyTorch, Numba, ..."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...


Device: TypeAlias = Any  # 0, "cuda", "cuda:1", torch.device, cupy.cuda.Device, a device of JAX
Stream: TypeAlias = Any  # a cudaStream_t as a number, torch.cuda.Stream, cupy.cuda.Stream, ...


def _interface_of(a: Any) -> Optional[dict[str, Any]]:
    """What an array's __cuda_array_interface__ is, if it can be had: PyTorch raises for tensors of
    the host and for those that need a gradient."""
    if not hasattr(type(a), "__cuda_array_interface__"):
        return None
    try:
        found: dict[str, Any] = a.__cuda_array_interface__
    except (AttributeError, RuntimeError, TypeError):
        return None
    return found


def _dlpack_device(a: Any) -> Optional[tuple[int, int]]:
    if not hasattr(type(a), "__dlpack_device__"):
        return None
    kind, number = a.__dlpack_device__()
    return int(kind), int(number)


def is_on_device(a: Any) -> bool:
    """Whether an object says that it is an array in the memory of a CUDA device."""
    if a is None or isinstance(a, (np.ndarray, bytes, bytearray, memoryview)):
        return False
    where = _dlpack_device(a)
    if where is None:
        return _interface_of(a) is not None
    if where[0] in (_CPU, _CUDA_HOST):
        return False
    if where[0] not in (_CUDA, _CUDA_MANAGED):
        raise ArgumentError("the array is in the memory of a device that ztile does not use "
                            f"(number {where[0]} in DLPack); copy it to the host")
    return True


@functools.lru_cache(maxsize=None)
def is_in_this_build() -> bool:
    """Whether the library has CUDA; that there is a GPU is not said."""
    try:
        _core.device_of(0)
    except UnsupportedError:
        return False
    return True


def on_host(a: Any) -> Any:
    """An array of another library in the host's memory as a NumPy array of the same memory, if it
    is one that NumPy takes only by DLPack; other objects as they are."""
    if isinstance(a, np.ndarray) or hasattr(type(a), "__array__") or _dlpack_device(a) is None:
        return a
    return np.asarray(memoryview(_of_dlpack(a, None)))


def refuse_immutable(out: Any) -> None:
    """DLPack before 1.0 does not say that an array is not to be written to."""
    if type(out).__module__.partition(".")[0] in ("jax", "jaxlib"):
        raise ArgumentError("out is an array of JAX, which must not be written to; decompress "
                            "without out= and give the result to jax.dlpack.from_dlpack")


def writable_on_host(a: Any) -> Any:
    """on_host for memory that is written to, which __array__ does not promise to share."""
    refuse_immutable(a)
    if isinstance(a, np.ndarray) or _dlpack_device(a) is None:
        return a
    return np.asarray(memoryview(_of_dlpack(a, None)))


# ---- tensors -------------------------------------------------------------------------------------

def _of_dlpack(a: Any, stream: Optional[int]) -> _core.Tensor:
    arguments = {} if stream is None else {"stream": stream}
    try:
        capsule = a.__dlpack__(max_version=(1, 0), **arguments)
    except TypeError:  # DLPack before 1.0
        capsule = a.__dlpack__(**arguments)
    return _core.tensor_of_dlpack(capsule)


def _of_interface(a: Any, interface: dict[str, Any], device: int) -> _core.Tensor:
    dtype = np.dtype(interface["typestr"])
    if interface.get("mask") is not None:
        raise ArgumentError("the array has a mask, which ztile does not keep")
    if not dtype.isnative or dtype.kind not in _CODES:
        raise ArrayTypeError("ztile compresses float32, float64, int32 and int64 in the machine's "
                             f"byte order, not {dtype.str}")
    address, is_read_only = interface["data"]
    steps = interface.get("strides")
    if steps is not None:
        if any(step % dtype.itemsize for step in steps):
            raise ArgumentError("the array's elements are not aligned to their size")
        steps = tuple(step // dtype.itemsize for step in steps)
    return _core.tensor(a, address or 0, _CODES[dtype.kind], 8 * dtype.itemsize,
                        tuple(interface["shape"]), steps, _CUDA, device, bool(is_read_only))


def dtype_of(tensor: _core.Tensor) -> np.dtype[Any]:
    """The NumPy type of a tensor whose type a file or its bytes can have."""
    _, code, bits, *_ = tensor.facts()
    name = f"{_KINDS.get(code, 'unknown')}{bits}"
    if name not in ("float32", "float64", "int32", "int64", "uint8", "int8"):
        raise ArrayTypeError(f"ztile compresses float32, float64, int32 and int64, not {name}")
    return np.dtype(name)


def _in_c_order(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(math.prod(max(n, 1) for n in shape[i + 1:]) for i in range(len(shape)))


# ---- where a call runs ---------------------------------------------------------------------------

def _number_of(device: Any) -> int:
    """The number of a device, in any of the ways in which libraries name them."""
    number: Any = device
    if isinstance(device, str):
        kind, _, number = device.partition(":")
        number = int(number) if number.isdecimal() else 0 if number == "" else None
        if kind not in ("cuda", "gpu"):
            number = None
    elif hasattr(device, "index") and hasattr(device, "type"):  # torch.device
        number = (device.index or 0) if device.type == "cuda" else None
    elif hasattr(device, "id"):  # CuPy's, JAX's
        number = device.id
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
        raise ArgumentError("device is a GPU: its number, 'cuda', 'cuda:1', or another library's "
                            f"device, not {device!r}")
    return int(number)


def _handle_of(stream: Any) -> int:
    """The cudaStream_t of a stream, in any of the ways in which libraries hold them."""
    handle: Any = stream
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        handle = (protocol() if callable(protocol) else protocol)[1]
    elif hasattr(stream, "cuda_stream"):  # PyTorch
        handle = stream.cuda_stream
    elif hasattr(stream, "ptr"):  # CuPy
        handle = stream.ptr
    if isinstance(handle, bool) or not isinstance(handle, (int, np.integer)) or handle < 0:
        raise ArgumentError("stream is a cudaStream_t as a number, or another library's stream, "
                            f"not {stream!r}")
    return int(handle) or _LEGACY_STREAM


class Call:
    """Where a call on some arrays runs: on threads, or on the GPU that they are on and in their
    stream. All arrays on GPUs have to be on one."""

    def __init__(self, threads: Optional[int], arrays: Sequence[Any], device: Device = None,
                 stream: Stream = None, *, is_codec: bool = False) -> None:
        there = [a for a in arrays if is_on_device(a)]
        devices = {self._device_of(a) for a in there}
        if device is not None:
            devices.add(_number_of(device))
        if len(devices) > 1:
            names = " and ".join(str(number) for number in sorted(devices))
            raise ArgumentError(f"a call takes arrays of one GPU, these are on the GPUs {names}")
        self.run: Run
        self.device = devices.pop() if devices else None
        if self.device is not None:
            self.run = (self.device, self._stream_of(there, stream))
        elif stream is not None:
            raise ArgumentError("stream is for arrays in a GPU's memory, or with device=")
        else:
            self.run = _threads.of_codec(threads) if is_codec else _threads.of_call(threads)

    @staticmethod
    def _device_of(a: Any) -> int:
        where = _dlpack_device(a)
        if where is not None:
            return where[1]
        address = (_interface_of(a) or {})["data"][0]
        number = _core.device_of(address) if address else 0  # an empty array has no address
        if number is None:
            raise ArgumentError(f"the {type(a).__name__} says that it is in a GPU's memory, and is "
                                "not")
        return number

    @staticmethod
    def _stream_of(there: Sequence[Any], stream: Stream) -> int:
        if stream is not None:
            return _handle_of(stream)
        streams = {(_interface_of(a) or {}).get("stream") for a in there} - {None}
        if len(streams) > 1:
            raise ArgumentError("the arrays are in use on different CUDA streams; pass the one "
                                "that has to wait for the others as stream=")
        return int(streams.pop() or 0) if streams else _LEGACY_STREAM

    def tensor(self, a: Any) -> _core.Tensor:
        """An array on the GPU, when what its library has queued for it comes before what is queued
        in this call's stream from now on."""
        assert isinstance(self.run, tuple)
        device, stream = self.run
        interface = _interface_of(a)
        if interface is not None and (interface.get("stream") == stream or
                                      _dlpack_device(a) is None):
            return _of_interface(a, interface, device)
        return _of_dlpack(a, stream)

    def bytes(self, data: Any) -> Any:
        """Compressed bytes: in the host's memory as they are, on the GPU as a Tensor."""
        return self.tensor(data) if is_on_device(data) else on_host(data)

    def allocate(self, shape: Sequence[int], dtype: np.dtype[Any]) -> DeviceArray:
        _limits.check_output(shape, dtype)
        tensor = _core.tensor_allocate(_CODES[dtype.kind], 8 * dtype.itemsize, tuple(shape),
                                       self.run)
        return DeviceArray(tensor, dtype)


def as_input(call: Call, a: Any) -> tuple[_core.Tensor, np.dtype[Any]]:
    """An array on the GPU, to compress."""
    tensor = call.tensor(a)
    _, _, _, shape, *_ = tensor.facts()
    dtype = dtype_of(tensor)
    if dtype.itemsize < 4:
        raise ArrayTypeError(f"ztile compresses float32, float64, int32 and int64, not {dtype}")
    if not 1 <= len(shape) <= 4:
        raise ArgumentError(f"ztile takes arrays of 1 to 4 dimensions, this one has {len(shape)}")
    return tensor, dtype


def as_output(call: Call, out: Any, dtype: np.dtype[Any], shape: Sequence[int]) -> _core.Tensor:
    """The caller's memory on the GPU for a result."""
    refuse_immutable(out)
    tensor = call.tensor(out)
    _, _, _, own, _, _, _, is_read_only = tensor.facts()
    found = dtype_of(tensor)
    if found != dtype:
        raise ArrayTypeError(f"out is an array of {found}, the data are {dtype}")
    if own != tuple(shape):
        raise ArgumentError(f"out has the shape {own}, the data have {tuple(shape)}, slowest axis "
                            "first")
    if is_read_only:
        raise ArgumentError("out is read-only")
    return tensor


def check_bytes(tensor: _core.Tensor) -> None:
    """Refuse memory for a file that is not bytes."""
    dtype = dtype_of(tensor)
    if dtype.itemsize != 1 or len(shape_of(tensor)) != 1:
        raise ArrayTypeError(f"out is an array of uint8 with one axis, not of {dtype} with the "
                             f"shape {shape_of(tensor)}")


def shape_of(array: Any) -> tuple[int, ...]:
    """Of a NumPy array or a Tensor."""
    found: tuple[int, ...] = array.facts()[3] if isinstance(array, _core.Tensor) else array.shape
    return found


def merged(tensor: _core.Tensor, shape: Sequence[int]) -> _core.Tensor:
    """The same memory, in C order, in another shape."""
    address, code, bits, own, strides, kind, device, is_read_only = tensor.facts()
    if any(n > 1 and s != c for n, s, c in zip(own, strides, _in_c_order(own))):
        raise ArgumentError("a chunk of more than four axes on a GPU is in C order, in one piece")
    return _core.tensor(tensor, address, code, bits, tuple(shape), None, kind, device, is_read_only)


def read(call: Call, key: Any, shape: Sequence[int], dtype: np.dtype[Any], box: Any) -> Any:
    """_indexing.read, where the call runs."""
    if call.device is None:
        return _indexing.read(key, shape, dtype, box)
    axes, result = _indexing.parse(key, shape)
    if not all(axis.count for axis in axes):
        return call.allocate([axis.count for axis in axes], dtype)[result]
    low, high = tuple(axis.low for axis in axes), tuple(axis.high for axis in axes)
    whole = call.allocate([h - b for b, h in zip(low, high)], dtype)
    box(low, high, whole.tensor)
    steps = tuple(slice(None, None, axis.step) for axis in axes)
    return whole[steps][result]


# ---- results -------------------------------------------------------------------------------------

class DeviceArray:
    """An array in the memory of a GPU. CuPy, PyTorch, JAX and Numba take it without a copy
    (cupy.from_dlpack, torch.from_dlpack, jax.dlpack.from_dlpack, cupy.asarray); it lives as long as
    what they make of it. Basic indexing gives views."""

    __slots__ = ("_tensor", "device", "dtype", "shape", "strides")

    def __init__(self, tensor: _core.Tensor, dtype: np.dtype[Any]) -> None:
        self._tensor = tensor
        self.dtype = dtype
        _, _, _, self.shape, steps, _, self.device, _ = tensor.facts()
        self.strides = tuple(step * dtype.itemsize for step in steps)  # bytes, as NumPy's

    @property
    def tensor(self) -> _core.Tensor:
        """What the extension module takes."""
        return self._tensor

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        # no stream: what ztile did is done
        address, *_ = self._tensor.facts()
        return {"shape": self.shape, "typestr": self.dtype.str, "strides": self.strides,
                "data": (address, False), "version": 3, "stream": None}

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, self.device

    def __dlpack__(self, *, stream: Optional[int] = None,
                   max_version: Optional[tuple[int, int]] = None,
                   dl_device: Optional[tuple[int, int]] = None,
                   copy: Optional[bool] = None) -> Any:
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError("a ztile.DeviceArray does not move to other devices")
        if copy:
            raise BufferError("a ztile.DeviceArray does not copy itself")
        return self._tensor.dlpack(max_version is not None and max_version[0] >= 1)

    def __getitem__(self, key: Any) -> DeviceArray:
        axes, result = _indexing.parse(key, self.shape)
        address, code, bits, _, steps, kind, device, is_read_only = self._tensor.facts()
        address += sum(a.first * s for a, s in zip(axes, self.strides) if a.count)
        shape, strides, i = [], [], 0
        for item in result:
            if item is None:
                shape.append(1)
                strides.append(0)
                continue
            if isinstance(item, slice):
                shape.append(axes[i].count)
                strides.append(steps[i] * axes[i].step)
            i += 1
        return DeviceArray(_core.tensor(self._tensor, address, code, bits, tuple(shape),
                                        tuple(strides), kind, device, is_read_only), self.dtype)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray[Any, Any]:
        raise TypeError("this array is in a GPU's memory: take it with cupy.from_dlpack or "
                        "torch.from_dlpack, or decompress without device= for one on the host")

    def __repr__(self) -> str:
        return f"<ztile.DeviceArray: {self.dtype}, shape {self.shape}, on cuda:{self.device}>"
