"""Array-to-bytes codecs for Zarr v3 (zarr-python 3); zarr finds them by their names.

ZTileCodec   "ztile": .zt chunks, any bound of ztile's. A selection of a part of a chunk fetches and
             decodes only what it needs, on any store that can read ranges.
ZfpCodec     "zfp", as registered among Zarr's extensions: zfp streams without a header, as zarrs
             and others write them.

Zarr's "numcodecs.zfpy" is read and written by ztile after ztile.numcodecs.register_zfpy().
"""
from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from zarr.abc.codec import ArrayBytesCodec, ArrayBytesCodecPartialDecodeMixin
from zarr.abc.store import RangeByteRequest
from zarr.core.buffer import cpu
from zarr.storage import StorePath

from . import _arrays, _chunks, _core, _gpu, _info, _limits, _params, _threads, zfp
from ._errors import ArgumentError, FileError

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack
    from zarr.abc.store import ByteGetter
    from zarr.core.array_spec import ArraySpec
    from zarr.core.buffer import Buffer, BufferPrototype, NDBuffer

# Chunks of fewer raw bytes, and selections of more than this part of a chunk, are fetched whole:
# one request takes less than the four or five in a row that reading a part takes.
_SMALL_BYTES = 1 << 18
_LARGE_PART = 0.5

# A part reads the header, the table at the end, the index, and what it wants of the tiles, each in
# small pieces. One request brings at least so many bytes, which answer most of the others.
_PIECE_BYTES = 1 << 14


def _dtype_of(spec: ArraySpec) -> np.dtype[Any]:
    return np.dtype(spec.dtype.to_native_dtype())


def _bytes_of(buffer: Buffer) -> Any:
    return memoryview(buffer.as_numpy_array())  # type: ignore[arg-type]


def _new_on_device(spec: ArraySpec) -> Optional[tuple[NDBuffer, Any]]:
    """A buffer for a chunk and its array, if Zarr's buffers are a GPU's (zarr.config.enable_gpu);
    None if they are the host's, or chunks have to be decoded there."""
    if spec.prototype.nd_buffer is cpu.NDBuffer or not _gpu.is_in_this_build():
        return None
    buffer = spec.prototype.nd_buffer.create(shape=spec.shape, dtype=_dtype_of(spec), order="C")
    array = buffer.as_ndarray_like()
    return (buffer, array) if _gpu.is_on_device(array) else None


# ---- parts of chunks -----------------------------------------------------------------------------

_pool: Optional[ThreadPoolExecutor] = None


def _readers() -> ThreadPoolExecutor:
    """Threads for reading parts. Not the event loop's: there the store's own reads run, for which
    these threads wait."""
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(max_workers=min(32, (os.cpu_count() or 1) + 4),
                                   thread_name_prefix="ztile")
    return _pool


def _forget_readers() -> None:
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_readers)


def _range_of(item: Any, extent: int) -> Optional[tuple[int, int, Any]]:
    """The range of an axis that an item of Zarr's selections takes, and the item within it."""
    if isinstance(item, slice):
        taken = range(*item.indices(extent))
        if len(taken) == 0:
            return None
        low, high = min(taken[0], taken[-1]), max(taken[0], taken[-1]) + 1
        last = taken[-1] - low + (1 if taken.step > 0 else -1)
        return low, high, slice(taken[0] - low, None if last < 0 else last, taken.step)
    if isinstance(item, (int, np.integer)):
        return int(item), int(item) + 1, 0
    if isinstance(item, np.ndarray) and item.dtype.kind in "iu" and item.size:
        low = int(item.min())
        return low, int(item.max()) + 1, item - low
    return None


def _box_of(selection: Any, shape: tuple[int, ...]) -> Optional[list[tuple[int, int, Any]]]:
    """The box around a selection; None where the chunk is to be read whole."""
    items = selection if isinstance(selection, tuple) else (selection,)
    if not 1 <= len(shape) <= 4 or len(items) != len(shape):
        return None
    box = [_range_of(item, extent) for item, extent in zip(items, shape)]
    ranges = [r for r in box if r is not None and 0 <= r[0] < r[1]]
    return ranges if len(ranges) == len(shape) else None


@dataclass(frozen=True)
class _PartReader:
    """Reads a part of one chunk, on a thread, through the event loop that its store lives in."""

    loop: asyncio.AbstractEventLoop
    chunk: ByteGetter
    prototype: BufferPrototype
    size: int
    pieces: list[tuple[int, memoryview]] = field(default_factory=list)  # first byte, bytes

    def _fetch(self, low: int, high: int) -> memoryview:
        got = asyncio.run_coroutine_threadsafe(
            self.chunk.get(self.prototype, RangeByteRequest(low, high)), self.loop).result()
        if got is None or len(got) > high - low:
            raise FileError("the store gave other bytes than it was asked for")
        piece: memoryview = _bytes_of(got)
        self.pieces.append((low, piece))
        return piece

    def _read(self, offset: int, memory: memoryview) -> int:
        high = offset + len(memory)
        for low, piece in self.pieces:
            if low <= offset and high <= low + len(piece):
                break
        else:
            low = max(0, min(offset, self.size - _PIECE_BYTES))
            piece = self._fetch(low, max(high, min(low + _PIECE_BYTES, self.size)))
        data = piece[offset - low:high - low]
        memory[:len(data)] = data
        return len(data)

    def read_box(self, box: list[tuple[int, int, Any]], shape: tuple[int, ...],
                 dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        reader = _core.Reader(self._read, self.size, _threads.of_codec())
        try:
            _chunks.check_chunk(_info.of_core(reader.info()), shape, dtype)
            out = _limits.empty([high - low for low, high, _ in box], _arrays.check_dtype(dtype))
            reader.read_box(tuple(r[0] for r in box), tuple(r[1] for r in box), out)
        finally:
            reader.close()
        return out


# ---- the codecs ----------------------------------------------------------------------------------

class ZTileCodec(ArrayBytesCodec, ArrayBytesCodecPartialDecodeMixin):
    """.zt chunks. Parameters are those of ztile.compress; rel and psnr are of each chunk's own
    range. Chunks of more than four axes lose those of length 1, then the slowest are merged."""

    is_fixed_size = False

    def __init__(self, **params: Unpack[_params.Params]) -> None:
        self._packed = _params.pack(dict(params))
        self._params = _params.plain(dict(params))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        return cls(**(data.get("configuration") or {}))

    def to_dict(self) -> dict[str, Any]:
        return {"name": "ztile", "configuration": dict(self._params)}

    def validate(self, *, shape: Any, dtype: Any, chunk_grid: Any) -> None:
        _arrays.check_dtype(np.dtype(dtype.to_native_dtype()))

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: ArraySpec) -> int:
        raise NotImplementedError("the size of .zt chunks depends on their values")

    def _encode_sync(self, chunk_array: NDBuffer, chunk_spec: ArraySpec) -> Buffer:
        array: Any = chunk_array.as_ndarray_like()
        if not (_gpu.is_on_device(array) and _gpu.is_in_this_build()):
            array = chunk_array.as_numpy_array()
        return chunk_spec.prototype.buffer.from_bytes(_chunks.compress(array, self._packed))

    def _decode_sync(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        new = _new_on_device(chunk_spec)
        if new is not None:
            buffer, array = new
            data = chunk_bytes.as_array_like()
            _chunks.decompress_on_device(data if _gpu.is_on_device(data) else
                                         _bytes_of(chunk_bytes), array)
            return buffer
        chunk = _chunks.decompress(_bytes_of(chunk_bytes), chunk_spec.shape, _dtype_of(chunk_spec))
        return chunk_spec.prototype.nd_buffer.from_numpy_array(chunk)

    async def _encode_single(self, chunk_array: NDBuffer, chunk_spec: ArraySpec) -> Buffer:
        return await asyncio.to_thread(self._encode_sync, chunk_array, chunk_spec)

    async def _decode_single(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        return await asyncio.to_thread(self._decode_sync, chunk_bytes, chunk_spec)

    async def _decode_partial_single(self, byte_getter: ByteGetter, selection: Any,
                                     chunk_spec: ArraySpec) -> Optional[NDBuffer]:
        dtype = _dtype_of(chunk_spec)
        elements = int(np.prod(chunk_spec.shape, dtype=np.int64))
        box = _box_of(selection, chunk_spec.shape)
        if box is None or elements * dtype.itemsize < _SMALL_BYTES or \
                not isinstance(byte_getter, StorePath) or \
                np.prod([high - low for low, high, _ in box]) > _LARGE_PART * elements:
            whole = await byte_getter.get(chunk_spec.prototype)
            if whole is None:
                return None
            return (await self._decode_single(whole, chunk_spec))[selection]
        try:
            size = await byte_getter.store.getsize(byte_getter.path)
        except FileNotFoundError:
            return None
        loop = asyncio.get_running_loop()
        reader = _PartReader(loop, byte_getter, chunk_spec.prototype, size)
        part = await loop.run_in_executor(_readers(), reader.read_box, box, chunk_spec.shape, dtype)
        return chunk_spec.prototype.nd_buffer.from_numpy_array(part[tuple(r[2] for r in box)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ZTileCodec) and self._params == other._params

    def __hash__(self) -> int:
        return hash(repr(sorted(self._params.items())))

    def __repr__(self) -> str:
        return f"ZTileCodec({', '.join(f'{k}={v!r}' for k, v in self._params.items())})"


_MODES = {"reversible": (), "expert": ("minbits", "maxbits", "maxprec", "minexp"),
          "fixed_accuracy": ("tolerance",), "fixed_rate": ("rate",),
          "fixed_precision": ("precision",)}


class ZfpCodec(ArrayBytesCodec):
    """Zfp streams without a header, as the codec "zfp" of Zarr's extensions has them: mode is
    'reversible', 'expert', 'fixed_accuracy', 'fixed_rate' or 'fixed_precision', each with its own
    parameters. NaN and infinities under a lossy mode are refused."""

    is_fixed_size = False

    def __init__(self, *, mode: str, **values: float) -> None:
        if mode not in _MODES or set(values) != set(_MODES[mode]):
            needs = "; ".join(f"{m}: {', '.join(p) or 'nothing'}" for m, p in _MODES.items())
            raise ArgumentError(f"mode {mode!r} with {', '.join(values) or 'nothing'} is no "
                                f"configuration of the codec 'zfp'. It takes, by mode, {needs}")
        self._mode = mode
        self._values = values
        self._arguments: dict[str, Any] = dict(values)
        if mode == "expert":
            self._arguments = {"expert": tuple(values[name] for name in _MODES[mode])}
        elif any(not value >= 0 for value in values.values()):
            raise ArgumentError(f"{mode} takes a number that is not negative, not {values!r}")

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        configuration = dict(data.get("configuration") or {})
        return cls(mode=configuration.pop("mode", None), **configuration)

    def to_dict(self) -> dict[str, Any]:
        return {"name": "zfp", "configuration": {"mode": self._mode, **self._values}}

    def validate(self, *, shape: Any, dtype: Any, chunk_grid: Any) -> None:
        _arrays.check_dtype(np.dtype(dtype.to_native_dtype()))
        if len(shape) > 4:
            raise ArgumentError(f"the codec 'zfp' takes chunks of at most 4 dimensions, these have "
                                f"{len(shape)}; the codec 'ztile' merges axes")

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: ArraySpec) -> int:
        raise NotImplementedError("the size of zfp streams depends on their values")

    def _encode_sync(self, chunk_array: NDBuffer, chunk_spec: ArraySpec) -> Buffer:
        data = zfp.compress(_chunks.coded(chunk_array.as_numpy_array()), write_header=False,
                            threads=_threads.of_codec(), **self._arguments)
        return chunk_spec.prototype.buffer.from_bytes(data)

    def _decode_sync(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        shape = _arrays.chunk_shape(chunk_spec.shape)
        chunk = zfp.decompress_bare(_bytes_of(chunk_bytes), shape,
                                    _arrays.check_dtype(_dtype_of(chunk_spec)),
                                    threads=_threads.of_codec(), **self._arguments)
        return chunk_spec.prototype.nd_buffer.from_numpy_array(chunk.reshape(chunk_spec.shape))

    async def _encode_single(self, chunk_array: NDBuffer, chunk_spec: ArraySpec) -> Buffer:
        return await asyncio.to_thread(self._encode_sync, chunk_array, chunk_spec)

    async def _decode_single(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        return await asyncio.to_thread(self._decode_sync, chunk_bytes, chunk_spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ZfpCodec) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self._mode, tuple(sorted(self._values.items()))))

    def __repr__(self) -> str:
        values = "".join(f", {name}={value!r}" for name, value in self._values.items())
        return f"ZfpCodec(mode={self._mode!r}{values})"
