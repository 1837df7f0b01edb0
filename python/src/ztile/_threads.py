"""How many threads a call takes where it is not told."""
from __future__ import annotations

import os
import threading
from typing import Optional

from ._errors import ArgumentError

_MOST = 1024  # zt_omp.threads in ztile.h

_chosen: Optional[int] = None


def _checked(threads: int) -> int:
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= _MOST:
        raise ArgumentError(f"threads is a number from 1 to {_MOST}, not {threads!r}")
    return threads


def _from_environment() -> Optional[int]:
    for name in ("ZTILE_THREADS", "OMP_NUM_THREADS"):
        first = os.environ.get(name, "").split(",")[0].strip()
        if first.isdecimal() and int(first) > 0:
            return min(int(first), _MOST)
    return None


def set_threads(threads: Optional[int]) -> None:
    """Set how many threads calls take that are not told; None: back to the default."""
    global _chosen
    _chosen = None if threads is None else _checked(threads)


def get_threads() -> int:
    """How many threads a call takes that is not told: what set_threads said, or else the
    environment's ZTILE_THREADS or OMP_NUM_THREADS, or else the processors of this process."""
    threads = _chosen or _from_environment()
    if threads is None:
        try:
            threads = len(os.sched_getaffinity(0))
        except AttributeError:  # not on this system
            threads = os.cpu_count() or 1
    return min(threads, _MOST)


def of_call(threads: Optional[int]) -> int:
    return get_threads() if threads is None else _checked(threads)


def of_codec(threads: Optional[int] = None) -> int:
    """For codecs: one thread where the host (Zarr, Dask) runs codecs on threads of its own, unless
    a number was asked for."""
    if threads is None and _chosen is None and not os.environ.get("ZTILE_THREADS"):
        if threading.current_thread() is not threading.main_thread():
            return 1
    return of_call(threads)
