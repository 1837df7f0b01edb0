"""Arrays of other libraries, as far as the tests need them: in the memory of the test device
(tests/simt/device_host.c), which ends the program when the host touches it, and in the host's."""
import ctypes

import numpy as np

from ztile import _core

_library = ctypes.PyDLL(_core.__file__)
_take = _library.test_device_take
_take.restype, _take.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
_give = _library.test_device_give
_give.restype, _give.argtypes = None, [ctypes.c_void_p]
_move = _library.test_device_move
_move.restype, _move.argtypes = None, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
_seed = _library.test_device_seed
_seed.restype, _seed.argtypes = None, [ctypes.c_uint64]


def seed_of_kernels(seed):
    """Choose the order of threads, blocks and copies."""
    _seed(seed)


def field(shape, dtype="float32"):
    """A smooth array with some noise."""
    axes = np.meshgrid(*[np.linspace(0, 3, n) for n in shape], indexing="ij")
    a = sum(np.sin((i + 1) * x) for i, x in enumerate(axes)) / len(shape)
    a = a + 0.01 * np.random.default_rng(1).standard_normal(shape)
    return (10000 * a if np.dtype(dtype).kind == "i" else a).astype(dtype)


class Memory:
    """Memory of the device, with the values of an array."""

    def __init__(self, values):
        values = np.ascontiguousarray(values)
        self.bytes = max(values.nbytes, 1)
        self.address = _take(self.bytes)
        _move(self.address, values.ctypes.data, values.nbytes)

    def __del__(self):
        _give(self.address)


def fetch(address, bytes):
    """Bytes of the device's memory."""
    found = np.empty(bytes, np.uint8)
    _move(found.ctypes.data, address, bytes)
    return found


def values_of(a):
    """What an array that has __cuda_array_interface__ holds, as NumPy's."""
    found = a.__cuda_array_interface__
    dtype, shape = np.dtype(found["typestr"]), tuple(found["shape"])
    strides = found.get("strides") or np.empty(shape, dtype).strides
    low = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides) if n)
    high = sum(max(0, (n - 1) * s) for n, s in zip(shape, strides) if n) + dtype.itemsize
    if 0 in shape:
        return np.empty(shape, dtype)
    block = fetch(found["data"][0] + low, high - low)
    return np.ndarray(shape, dtype, block.data, -low, strides).copy()


def put_bytes(address, values):
    """Set bytes of the device's memory."""
    _move(address, values.ctypes.data, values.nbytes)


# ---- DLPack's structure, beside the extension module's own ---------------------------------------

class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("device", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):
    pass


_Delete = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("manager", ctypes.c_void_p), ("delete", _Delete)]
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

_alive = {}  # structures that are in use, by their address
deleted = []  # addresses of data whose structures were freed


@_Delete
def _delete(managed):
    deleted.append(managed.contents.tensor.data)
    _alive.pop(ctypes.addressof(managed.contents))


def capsule_of(owner, address, dtype, shape, strides, kind, device, offset=0):
    """A capsule of DLPack before 1.0; strides in elements, or None."""
    axes = ctypes.c_int64 * len(shape)
    lists = axes(*shape), None if strides is None else axes(*strides)
    code = {"i": 0, "u": 1, "f": 2}.get(dtype.kind, 4)
    managed = _Managed(_Tensor(address - offset, kind, device, len(shape), code,
                               8 * dtype.itemsize, 1, lists[0], lists[1], offset), None, _delete)
    _alive[ctypes.addressof(managed)] = managed, lists, owner
    return _new_capsule(ctypes.addressof(managed), b"dltensor", None)


# ---- arrays -------------------------------------------------------------------------------------

class CudaArray:
    """Like CuPy's: both interfaces, and a stream."""

    number = 0

    def __init__(self, values, *, stream=5, order="C", read_only=False):
        values = np.asarray(values)
        self.dtype, self.shape, self.ndim = values.dtype, values.shape, values.ndim
        self.stream, self.read_only = stream, read_only
        self.asked = []  # the streams that __dlpack__ was called with
        held = np.asarray(values, order=order)
        self.strides = held.strides
        self.memory = Memory(held.T if order == "F" else held)

    @property
    def __cuda_array_interface__(self):
        found = {"shape": self.shape, "typestr": self.dtype.str, "version": 3,
                 "strides": self.strides, "data": (self.memory.address, self.read_only)}
        return found if self.stream is None else {**found, "stream": self.stream}

    def __dlpack_device__(self):
        return 2, self.number

    def __dlpack__(self, *, stream=None):
        self.asked.append(stream)
        steps = [s // self.dtype.itemsize for s in self.strides]
        return capsule_of(self.memory, self.memory.address, self.dtype, self.shape, steps, 2,
                          self.number)

    def __getitem__(self, key):  # of bytes
        part = object.__new__(CudaArray)
        part.__dict__.update(self.__dict__, shape=(key.stop,))
        return part


class InterfaceOnly:
    """Like Numba's: __cuda_array_interface__ without DLPack."""

    def __init__(self, a):
        self.a = a

    @property
    def __cuda_array_interface__(self):
        return self.a.__cuda_array_interface__


class DlpackOnly:
    """An array that has DLPack alone, as JAX's on a GPU; of the device or of the host."""

    def __init__(self, a, kind=None):
        self.a, self.kind = a, kind

    def __dlpack_device__(self):
        return self.a.__dlpack_device__() if self.kind is None else (self.kind, 0)

    def __dlpack__(self, *, stream=None, **more):
        if more:
            raise TypeError("DLPack before 1.0")
        if isinstance(self.a, np.ndarray):
            a = self.a
            return capsule_of(a, a.ctypes.data, a.dtype, a.shape,
                              [s // a.itemsize for s in a.strides], self.kind or 1, 0, offset=8)
        return self.a.__dlpack__(stream=stream)
