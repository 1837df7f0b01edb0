"""Where bytes come from and go to: paths and file objects, as the extension module calls them."""
from __future__ import annotations

import itertools
import os
import threading
from typing import Any, Optional

from ._errors import ArgumentError

_numbers = itertools.count()


class PathSource:
    """A file by its name; any thread may read at any time."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._file = open(path, "rb", buffering=0)
        self._lock = threading.Lock()
        self.bytes = os.fstat(self._file.fileno()).st_size

    def read(self, offset: int, memory: memoryview) -> int:
        got = 0
        while got < len(memory):
            step = self._read_some(offset + got, memory[got:])
            if step == 0:
                break
            got += step
        return got

    def _read_some(self, offset: int, memory: memoryview) -> int:
        if hasattr(os, "preadv"):
            return os.preadv(self._file.fileno(), [memory], offset)
        with self._lock:
            self._file.seek(offset)
            return self._file.readinto(memory) or 0

    def close(self) -> None:
        self._file.close()


class ObjectSource:
    """A file object that can seek: an open file, BytesIO, what fsspec opens."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._lock = threading.Lock()
        self.path: Optional[str] = None
        self.bytes: int = file.seek(0, os.SEEK_END)

    def read(self, offset: int, memory: memoryview) -> int:
        with self._lock:
            self._file.seek(offset)
            got = 0
            while got < len(memory):
                data = self._file.read(len(memory) - got)
                if not data:
                    break
                memory[got:got + len(data)] = data
                got += len(data)
            return got

    def close(self) -> None:
        """The file belongs to the caller."""


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _open_to_others(file: int, path: str) -> None:
    """Give a whole file mode and owner of the one that it replaces, or what the umask leaves."""
    try:
        old = os.stat(path)
    except OSError:
        mask = os.umask(0o077)  # it can only be read by setting it
        os.umask(mask)
        os.fchmod(file, 0o666 & ~mask)
        return
    mode = old.st_mode & 0o777
    for owner in (old.st_uid, -1):
        try:
            os.fchown(file, owner, old.st_gid)
            break
        except OSError:
            pass
    if os.fstat(file).st_gid != old.st_gid:  # the rights of a group are not given to another
        mode &= ~0o070 | (mode & 0o007) << 3
    os.fchmod(file, mode)


class PathSink:
    """A file that appears under its name when it is whole, and not at all before. Until then only
    its owner may read it; a file that is replaced keeps its mode and, where that is permitted, its
    owner."""

    def __init__(self, path: str, mode: str, sync: bool) -> None:
        if mode not in ("w", "x"):
            raise ArgumentError(f"mode is 'w', or 'x' to keep a file that is there, not {mode!r}")
        if mode == "x" and os.path.lexists(path):
            raise FileExistsError(17, "the file exists", path)
        folder, name = os.path.split(path)
        self._path = path
        self._is_new = mode == "x"
        self._sync = sync
        self._part = os.path.join(folder, f".{name}.{os.getpid()}.{next(_numbers)}.part")
        self._file = open(self._part, "xb", buffering=0, opener=_open_private)

    def write(self, memory: memoryview) -> None:
        done = 0
        while done < len(memory):
            done += self._file.write(memory[done:])

    def commit(self) -> None:
        try:
            if self._sync:
                os.fsync(self._file.fileno())
            _open_to_others(self._file.fileno(), self._path)
            self._file.close()
            if self._is_new:
                os.link(self._part, self._path)  # fails where another has made the file meanwhile
                os.unlink(self._part)
            else:
                os.replace(self._part, self._path)
        except OSError:
            self.discard()
            raise
        if self._sync:
            folder = os.open(os.path.dirname(self._path) or ".", os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def discard(self) -> None:
        self._file.close()
        try:
            os.unlink(self._part)
        except FileNotFoundError:
            pass


class ObjectSink:
    """A file object, which gets the bytes in order; a pipe will do."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, memory: memoryview) -> None:
        data: Any = memory.tobytes()  # file objects may keep what they are given
        while len(data):
            done = self._file.write(data)
            data = data[len(data) if done is None else done:]

    def commit(self) -> None:
        """The file belongs to the caller."""

    def discard(self) -> None:
        """What was written cannot be taken back."""


def is_path(file: Any) -> bool:
    return isinstance(file, (str, os.PathLike))


def source_of(file: Any) -> Any:
    if is_path(file):
        return PathSource(os.fsdecode(file))
    if hasattr(file, "seek") and hasattr(file, "read"):
        return ObjectSource(file)
    raise ArgumentError("a file is a path, or an object that can seek and read, not "
                        f"{type(file).__name__}")


def sink_of(file: Any, mode: str, sync: bool) -> Any:
    if is_path(file):
        return PathSink(os.fsdecode(file), mode, sync)
    if sync:
        raise ArgumentError("sync is for files that are named by a path")
    if hasattr(file, "write"):
        return ObjectSink(file)
    raise ArgumentError(f"a file is a path, or an object that can write, not {type(file).__name__}")
