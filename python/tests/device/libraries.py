"""What the tests ask of CuPy, PyTorch and JAX, in the same words for all three."""
import functools
import os

import numpy as np
import pytest

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # leave memory to the others


class CuPy:
    name, module, is_writable, has_reversed_views = "CuPy", "cupy", True, True

    def __init__(self, xp):
        self.xp = xp
        self.device_count = xp.cuda.runtime.getDeviceCount()

    def put(self, a):
        """A copy on the GPU."""
        return self.xp.asarray(np.ascontiguousarray(a))

    def get(self, a):
        """A copy on the host."""
        return self.xp.asnumpy(a)

    def take(self, a):
        """An array of another library, by DLPack."""
        return self.xp.from_dlpack(a)

    def address(self, a):
        return a.data.ptr


class PyTorch:
    name, module, is_writable, has_reversed_views = "PyTorch", "torch", True, False

    def __init__(self, torch):
        self.torch = torch
        self.device_count = torch.cuda.device_count()

    def put(self, a):
        return self.torch.from_numpy(np.array(a, order="C")).cuda()

    def get(self, a):
        return a.cpu().numpy()

    def take(self, a):
        return self.torch.from_dlpack(a)

    def address(self, a):
        return a.data_ptr()


class JAX:
    name, module, is_writable, has_reversed_views = "JAX", "jax", False, False

    def __init__(self, jax):
        jax.config.update("jax_enable_x64", True)
        self.jax = jax
        self.devices = jax.devices("cuda")
        self.device_count = len(self.devices)

    def put(self, a):
        return self.jax.device_put(np.ascontiguousarray(a), self.devices[0])

    def get(self, a):
        return np.asarray(a)

    def take(self, a):
        return self.jax.dlpack.from_dlpack(a)

    def address(self, a):
        return a.unsafe_buffer_pointer()


KINDS = {kind.name: kind for kind in (CuPy, PyTorch, JAX)}


@functools.lru_cache(maxsize=None)
def _found(name):
    kind = KINDS[name]
    try:
        module = __import__(kind.module)
        if name == "JAX":
            import jax.dlpack  # noqa: F401
        library = kind(module)
    except ImportError as error:
        return f"{name} is not installed ({error})"
    except Exception as error:  # each has a type of its own for this
        return f"{name} finds no GPU ({error})"
    return library if library.device_count else f"{name} finds no GPU"


def library_of(name):
    """The library of this name; without it or without a GPU, the test is skipped."""
    found = _found(name)
    if isinstance(found, str):
        pytest.skip(found)
    return found


class InterfaceOnly:
    """Like Numba's arrays: __cuda_array_interface__ without DLPack."""

    def __init__(self, a):
        self.a = a

    @property
    def __cuda_array_interface__(self):
        return self.a.__cuda_array_interface__


class DlpackOnly:
    def __init__(self, a):
        self.a = a

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()

    def __dlpack__(self, **arguments):
        return self.a.__dlpack__(**arguments)


def field(shape, dtype="float32", noise=0.01):
    """A smooth array with some noise, between about -1 and 1; integers: times 10000."""
    axes = np.meshgrid(*[np.linspace(0, 3, n) for n in shape], indexing="ij", sparse=True)
    a = sum(np.sin((i + 1) * x) for i, x in enumerate(axes)) / len(shape)
    a = a + noise * np.random.default_rng(1).standard_normal(shape)
    return (10000 * a if np.dtype(dtype).kind == "i" else a).astype(dtype)
