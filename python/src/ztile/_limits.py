"""How much calls may take: memory, and bytes of values that are decoded."""
from __future__ import annotations

import math
from typing import Any, Optional, Sequence

import numpy as np

from . import _core
from ._errors import ArgumentError, OutOfMemoryError

_output: Optional[int] = None
_SPARE = 512 << 20
_LARGE = 4 << 20  # smaller memory is malloc's business


def _checked(name: str, limit: Optional[int]) -> int:
    if limit is None:
        return 0
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit < 2**63:
        raise ArgumentError(f"{name} is a number of bytes, at least 1, not {limit!r}")
    return limit


def set_limits(*, memory: Optional[int] = None, output: Optional[int] = None,
               spare: Optional[int] = None) -> None:
    """Set what each call of this process may take, in bytes; None: no limit. More raises
    ztile.OutOfMemoryError.

    memory  that the library holds for the call at once;
    output  of the array that it gives back.

    spare is the memory of large results that is kept when they are gone, for the next ones: 0 for
    none, None for 512 MiB.
    """
    global _output
    kept = _SPARE if spare is None else 0 if spare == 0 else _checked("spare", spare)
    _core.set_limits(_checked("memory", memory), _checked("output", output))
    _core.set_spare(kept)
    _output = output


def check_output(shape: Sequence[int], dtype: np.dtype[Any]) -> None:
    count = math.prod(shape) * dtype.itemsize
    if _output is not None and count > _output:
        raise OutOfMemoryError(f"an array of {count} bytes is more than the output limit of "
                               f"{_output} bytes")


def empty(shape: Sequence[int], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """np.empty within the limit; large memory comes from a result that is gone, if it can."""
    check_output(shape, dtype)
    count = math.prod(shape) * dtype.itemsize
    if count < _LARGE:
        return np.empty(tuple(shape), dtype)
    flat: np.ndarray[Any, Any] = np.frombuffer(memoryview(_core.Block(count)), dtype)
    return flat.reshape(tuple(shape))
