"""Files: read lazily, written slab by slab."""
from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Iterator, Optional, Sequence, Tuple, TypeVar, overload

import numpy as np

from . import _api, _core, _gpu, _indexing, _info, _params, _sources, _threads
from ._arrays import NUMBERS, as_input, as_output, check_dtype
from ._errors import ArgumentError, ArrayTypeError

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Unpack

Out = TypeVar("Out")


class File:
    """An array in a .zt file. Slicing it (NumPy's basic indexing) reads and decodes only what the
    slice takes. Threads may share it: each that reads at the same time gets a reader of its own.
    Dask takes it as it is (``dask.array.from_array``), and it can be pickled if it has a path."""

    def __init__(self, file: Any, *, threads: Optional[int] = None) -> None:
        self._threads = threads
        self._run: _gpu.Run = _threads.of_call(threads)
        self._lock = threading.Lock()
        self._idle: list[_core.Reader] = []
        self._reading = 0  # readers in use; the last one closes the source of a closed file
        self._is_closed = False
        self._source = _sources.source_of(file)
        try:
            with self._reader() as reader:
                self.info = _info.of_core(reader.info())
        except BaseException:
            self._source.close()
            raise

    @contextmanager
    def _reader(self, run: Optional[_gpu.Run] = None) -> Iterator[_core.Reader]:
        """A reader of the file's own, or one that runs elsewhere, for one call."""
        is_own = run is None or run == self._run
        with self._lock:
            if self._is_closed:
                raise ValueError("this file is closed")
            reader = self._idle.pop() if self._idle and is_own else None
            self._reading += 1
        try:
            if reader is None:
                reader = _core.Reader(self._source.read, self._source.bytes,
                                      self._run if run is None else run)
            yield reader
            # a reader that failed is dropped; the others wait for the next call
            with self._lock:
                if not self._is_closed and is_own:
                    self._idle.append(reader)
        finally:
            with self._lock:
                self._reading -= 1
                is_last = self._is_closed and self._reading == 0
            if is_last:
                self._source.close()

    def _box(self, low: tuple[int, ...], high: tuple[int, ...], out: Any,
             run: Optional[_gpu.Run] = None) -> None:
        with self._reader(run) as reader:
            reader.read_box(low, high, out)

    @overload
    def __getitem__(self, key: _indexing.KeyOfArray) -> _indexing.Array: ...
    @overload
    def __getitem__(self, key: _indexing.Key) -> _indexing.Part: ...
    def __getitem__(self, key: _indexing.Key) -> _indexing.Part:
        return _indexing.read(key, self.shape, self.dtype, self._box)

    @overload
    def read(self, out: None = None, *, device: None = None,
             stream: _gpu.Stream = None) -> np.ndarray[Any, Any]: ...
    @overload
    def read(self, out: None = None, *, device: _gpu.Device,
             stream: _gpu.Stream = None) -> _gpu.DeviceArray: ...
    @overload
    def read(self, out: Out, *, device: _gpu.Device = None, stream: _gpu.Stream = None) -> Out: ...
    def read(self, out: Any = None, *, device: _gpu.Device = None,
             stream: _gpu.Stream = None) -> Any:
        """The whole array, into ``out`` if it is given, on the host or on a GPU; with ``device=``
        a DeviceArray there."""
        if device is None and not _gpu.is_on_device(out):
            target = as_output(out, self.dtype, self.shape)
            self._box((0,) * self.ndim, self.shape, target)
            return target if out is None else out
        call = _gpu.Call(self._threads, (out,), device, stream)
        if out is None:
            return self.read_box(..., device=device, stream=stream)
        there = _gpu.as_output(call, out, self.dtype, self.shape) if _gpu.is_on_device(out) else \
            as_output(out, self.dtype, self.shape)
        self._box((0,) * self.ndim, self.shape, there, call.run)
        return out

    def read_box(self, key: _indexing.Key, *, device: _gpu.Device,
                 stream: _gpu.Stream = None) -> _gpu.DeviceArray:
        """``self[key]`` on a GPU. A slice with steps decodes the box around it."""
        call = _gpu.Call(self._threads, (), device, stream)

        def box(low: tuple[int, ...], high: tuple[int, ...], out: Any) -> None:
            self._box(low, high, out, call.run)

        result: _gpu.DeviceArray = _gpu.read(call, key, self.shape, self.dtype, box)
        return result

    def check(self) -> None:
        """Verify every checksum, decoding nothing; CorruptError says what is damaged."""
        with self._reader() as reader:
            reader.check()

    @property
    def shape(self) -> Tuple[int, ...]:
        return self.info.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.info.dtype

    @property
    def ndim(self) -> int:
        return len(self.info.shape)

    @property
    def size(self) -> int:
        return self.info.raw_bytes // self.info.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.info.raw_bytes

    @property
    def chunks(self) -> Tuple[int, ...]:
        """The shape of what a frame holds: the thickest slab that is coded on its own."""
        return (min(self.info.slab_extent, self.shape[0]), *self.shape[1:])

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("an array in a file cannot be had without a copy")
        whole = self.read()
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def __repr__(self) -> str:
        where = f" {self._source.path!r}" if self._source.path else ""
        return f"<ztile.File{where}: {self.dtype}, shape {self.shape}, {self.info.codec}>"

    def __reduce__(self) -> Any:
        if self._source.path is None:
            raise TypeError("a ztile.File without a path cannot be pickled")
        return _open_again, (self._source.path, self._threads)

    def close(self) -> None:
        """Close the file; parts that are being read by other threads are read to their end."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
            is_last = self._reading == 0
        for reader in idle:
            reader.close()
        if is_last:
            self._source.close()

    def __enter__(self) -> File:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()


def _open_again(path: str, threads: Optional[int]) -> File:
    return File(path, threads=threads)


class Writer:
    """An array that is being written, slab by slab along its slowest axis. As a context manager it
    finishes the file at the end of the block; after an exception there is no file."""

    def __init__(self, file: Any, shape: Sequence[Optional[int]], dtype: Any, *, mode: str,
                 sync: bool, threads: Optional[int], params: dict[str, Any]) -> None:
        self.dtype = check_dtype(np.dtype(dtype))
        self.shape = tuple(shape)
        if not all(isinstance(n, (int, np.integer)) and n >= 0 or n is None and i == 0
                   for i, n in enumerate(self.shape)):
            raise ArgumentError("shape is a tuple of lengths, slowest axis first, of which the "
                                f"first may be None, not {shape!r}")
        packed = _params.of_type(_params.pack(params), self.dtype)
        count = _threads.of_call(threads)
        self._sink = _sources.sink_of(file, mode, sync)
        self.written = 0  # slices
        self._writer: Optional[_core.Writer] = None
        try:
            self._writer = _core.Writer(
                self._sink.write, NUMBERS[self.dtype.name],
                tuple(None if n is None else int(n) for n in self.shape), packed, count)
        except BaseException:
            self.discard()
            raise

    def _open(self) -> _core.Writer:
        if self._writer is None:
            raise ValueError("this file is closed")
        return self._writer

    @property
    def slab_extent(self) -> int:
        """Slabs of this thickness, put in order, are coded where they lie and not copied first."""
        return self._open().slab_extent()

    def write(self, slab: Any) -> None:
        """Append slices: an array of any thickness along the slowest axis, any strides. After a
        failure the file is gone."""
        writer = self._open()
        if _gpu.is_on_device(slab):
            raise ArgumentError("a file is written from arrays in the host's memory, this one is "
                                "in a GPU's; compress() and save() take it")
        a = as_input(slab)
        if a.dtype != self.dtype:
            raise ArrayTypeError(f"the file is of {self.dtype}, the slab of {a.dtype}")
        if a.ndim != len(self.shape) or a.shape[1:] != self.shape[1:]:
            raise ArgumentError(f"the file has the shape {self.shape}, slowest axis first; a slab "
                                f"of the shape {a.shape} does not continue it")
        try:
            writer.put(a)
        except BaseException:
            self.discard()
            raise
        self.written += a.shape[0]

    def close(self) -> None:
        """Finish the file; it is then there under its name. Closing it again does nothing."""
        if self._writer is None:
            return
        try:
            self._writer.finish()
        except BaseException:
            self.discard()
            raise
        self._writer.close()
        self._writer = None
        self._sink.commit()

    def discard(self) -> None:
        """Give up: what was written is removed."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self._sink.discard()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()


def open(file: Any, *, threads: Optional[int] = None) -> File:
    """Open a .zt file, or a file object that can seek, as an array that is read where it is
    sliced."""
    return File(file, threads=threads)


def load(file: Any, *, threads: Optional[int] = None) -> np.ndarray[Any, Any]:
    """Read a whole .zt file."""
    with File(file, threads=threads) as f:
        return f.read()


def create(file: Any, shape: Sequence[Optional[int]], dtype: Any, *, mode: str = "w",
           sync: bool = False, threads: Optional[int] = None,
           **params: Unpack[_params.Params]) -> Writer:
    """Begin a .zt file of this shape and type, to be written slab by slab; shape[0] may be None
    where it is not known yet. ``mode='x'`` keeps a file that is there already. With ``sync`` the
    file, once closed, survives a power cut. Parameters are those of compress(); with ``rel`` the
    range has to be told. The bytes are those of compress()."""
    return Writer(file, shape, dtype, mode=mode, sync=sync, threads=threads, params=dict(params))


def save(file: Any, a: Any, *, mode: str = "w", sync: bool = False,
         threads: Optional[int] = None, stream: _gpu.Stream = None,
         **params: Unpack[_params.Params]) -> None:
    """Write an array as a .zt file. ``mode`` and ``sync`` are those of create(), the others those
    of compress()."""
    data = _api.compress(a, threads=threads, stream=stream, **params)
    sink = _sources.sink_of(file, mode, sync)
    try:
        sink.write(memoryview(data))
    except BaseException:
        sink.discard()
        raise
    sink.commit()


def info(file: Any) -> _info.Info:
    """What is in a .zt file: a path, a file object, or its bytes."""
    if _sources.is_path(file) or hasattr(file, "seek") and hasattr(file, "read"):
        with File(file, threads=1) as f:
            return f.info
    return _api.inspect(file)
