"""ztile: compress scientific arrays in parallel, within an error bound or lossless.

    import numpy as np, ztile
    data = ztile.compress(a, abs=1e-3)      # no value off by more than 0.001
    b = ztile.decompress(data)

    ztile.save("field.zt", a, rel=1e-4)
    with ztile.open("field.zt") as f:       # a sliceable array, read where it is sliced
        part = f[10, ::2, -5:]

Arrays of CuPy, PyTorch and JAX go in and out the same way, also on a GPU (docs/python.md).

ztile.zfp has bare zfp streams (zfpy's bytes), ztile.entropy Huffman coding of any bytes,
ztile.numcodecs and ztile.zarr have codecs for Zarr.
"""
from . import entropy, zfp
from ._api import compare, compress, compress_bound, decompress, decompress_box
from ._core import version as __version__
from ._errors import (
    ArgumentError,
    ArrayTypeError,
    CorruptError,
    Error,
    FileError,
    NonFiniteError,
    OutOfMemoryError,
    UnsupportedError,
)
from ._file import File, Writer, create, info, load, open, save
from ._gpu import DeviceArray
from ._info import Info, SzInfo, ZfpInfo
from ._limits import set_limits
from ._params import Params
from ._threads import get_threads, set_threads

__all__ = [
    "ArgumentError",
    "ArrayTypeError",
    "CorruptError",
    "DeviceArray",
    "Error",
    "File",
    "FileError",
    "Info",
    "NonFiniteError",
    "OutOfMemoryError",
    "Params",
    "SzInfo",
    "UnsupportedError",
    "Writer",
    "ZfpInfo",
    "__version__",
    "compare",
    "compress",
    "compress_bound",
    "create",
    "decompress",
    "decompress_box",
    "entropy",
    "get_threads",
    "info",
    "load",
    "open",
    "save",
    "set_limits",
    "set_threads",
    "zfp",
]
