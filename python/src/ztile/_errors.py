"""The exceptions: ztile.Error and its subclasses, one for each thing that the library reports.

Each also is the built-in exception that a caller would expect, so that ``except ValueError`` works
for those who do not know this module. The message is the library's own sentence.
"""
from __future__ import annotations


class Error(Exception):
    """Something that ztile refuses or cannot do. ``status`` is the library's number for it."""

    status: int = 0


class ArgumentError(Error, ValueError):
    """An argument, or a combination of them, makes no sense."""


class ArrayTypeError(ArgumentError, TypeError):
    """An array of a type that ztile does not compress, or not the type that the file holds."""


class CorruptError(Error, ValueError):
    """The data are damaged, cut short, or not what they claim to be."""


class UnsupportedError(Error, NotImplementedError):
    """Not in this version of ztile, or written by a later one."""


class OutOfMemoryError(Error, MemoryError):
    """There is no memory for what was asked."""


class FileError(Error, OSError):
    """Reading or writing failed."""


class NonFiniteError(Error, ValueError):
    """NaN or infinities in a lossy bare zfp stream, which has no place for them."""


for _class in list(globals().values()):
    if isinstance(_class, type) and issubclass(_class, Error):
        _class.__module__ = "ztile"  # where users know it from; it shows in tracebacks


# Numbers of zt_status in ztile.h. A buffer that is too small cannot happen here, and a cancelled
# call has the exception of who cancelled it.
_CLASSES: dict[int, type[Error]] = {
    1: ArgumentError,
    2: CorruptError,
    3: UnsupportedError,
    4: OutOfMemoryError,
    6: FileError,
    7: NonFiniteError,
}


def error_of(status: int, sentence: str) -> Error:
    """The exception for a status of the library; the extension module raises it."""
    error = _CLASSES.get(status, Error)(sentence)
    error.status = status
    return error
