"""Any bytes by Huffman, and back: what `ztile entropy` writes.

    coded = ztile.entropy.encode(text)
    coded = ztile.entropy.encode(genome, symbols="kmers", k=4, letters=b"ACGT")
    again = ztile.entropy.decode(coded)
"""
from typing import Any, Optional

from . import _core
from ._errors import CorruptError
from ._threads import get_threads

__all__ = ["decode", "encode"]

SYMBOLS = {"bytes": 1, "words": 2, "kmers": 3}
BLOCK_BYTES = 1 << 24
REDUCTION_AUTO = 0xffffffff


def encode(
    data: Any,
    symbols: str = "bytes",
    *,
    k: int = 0,
    letters: bytes = b"",
    merge: Optional[int] = None,
    reduction: Optional[int] = None,
    threads: Optional[int] = None,
) -> bytes:
    """Code contiguous bytes. Symbols are "bytes", "words" of 16 bits, or "kmers": k letters side
    by side, of those given or of those that occur. merge (10 to 12) merges the codes of 2^merge
    symbols, 2^reduction of them at once; the result is the same."""
    if symbols not in SYMBOLS:
        raise ValueError(f"symbols are bytes, words or kmers, not {symbols}")
    view = memoryview(data).cast("B")
    each = BLOCK_BYTES - BLOCK_BYTES % max(k, 1)
    blocks = []
    for at in range(0, len(view) + 1, each):
        part = view[at : at + each]
        blocks.append(
            _core.entropy_encode(
                part, SYMBOLS[symbols], k, letters, len(part) < each, merge or 0,
                REDUCTION_AUTO if reduction is None else reduction, threads or get_threads(),
            )
        )
    return b"".join(blocks)


def decode(data: Any, *, threads: Optional[int] = None) -> bytes:
    """The bytes that were coded."""
    view = memoryview(data).cast("B")
    parts = []
    is_last = False
    while not is_last:
        if len(view) == 0:
            raise CorruptError("the data ends before its last block; it was cut short")
        _, _, _, is_last, count, block = _core.entropy_inspect(view)
        parts.append(_core.entropy_decode(view[:block], count, threads or get_threads()))
        view = view[block:]
    if len(view) > 0:
        raise CorruptError("the data goes on after its last block; cut it there")
    return b"".join(parts)
