"""HDF5: whether a dataset can be trusted to ztile's filters, before h5py reads it.

The filters are plug-ins that HDF5 calls itself (docs/hdf5.md). HDF5 tells a plug-in neither which
filters stand before it nor how large the dataset's chunks are; ``check`` sees both.
"""
from __future__ import annotations

import math
import struct
import warnings
from typing import Any, Optional, Sequence, Tuple

from . import zfp
from ._arrays import TYPES
from ._errors import CorruptError, Error

__all__ = ["check"]

FILTER = 48613  # ztile's own
FILTER_ZFP = 32013  # H5Z-ZFP's


def _of_ztile(words: Sequence[int]) -> Optional[Tuple[int, bool]]:
    """Bytes of a chunk, and whether all are kept; None where the filter will refuse the words. The
    table is that of ztile_h5.h."""
    if len(words) < 9 or words[0] != 0x5a540101 or words[8] & 0xff not in TYPES:
        return None
    rank = words[8] >> 16 & 0xff
    count = math.prod(words[9:9 + rank])
    return TYPES[words[8] & 0xff].itemsize * count, words[1] >> 8 & 0xff == 0


def _of_zfp(words: Sequence[int]) -> Optional[Tuple[int, bool]]:
    """The same of H5Z-ZFP's words: zfp's header behind a word of versions."""
    for order in "<>":  # a big-endian machine's come with their bytes turned
        try:
            found = zfp.header(struct.pack(f"{order}{len(words) - 1}I", *words[1:]), word_bits=8)
        except (Error, struct.error):
            continue
        return found.dtype.itemsize * math.prod(found.shape), found.mode == zfp.mode_reversible
    return None


def check(dataset: Any) -> None:
    """Look at an h5py.Dataset before it is read; files from others may lie.

    CorruptError where one of ztile's filters or H5Z-ZFP is told of other chunks than the dataset
    has: HDF5 would hand out memory that is not the file's, or crash. A UserWarning where
    another filter stands before a bound, which then holds for no value. Datasets with other filters
    pass, and so do virtual ones: call it for the datasets behind them."""
    if dataset.chunks is None:
        return
    properties = dataset.id.get_create_plist()
    size = dataset.id.get_type().get_size() * math.prod(dataset.chunks)
    before = ""
    for i in range(properties.get_nfilters()):
        number, _, values, name = properties.get_filter(i)
        words = [int(v) & 0xffffffff for v in values]
        found = {FILTER: _of_ztile, FILTER_ZFP: _of_zfp}.get(number, lambda _: None)(words)
        if found and found[0] != size:
            raise CorruptError(f"{dataset.name}: its filter {number} is told of chunks of "
                               f"{found[0]} bytes, and they have {size}; the file is damaged, or "
                               "made to harm")
        if found and not found[1] and before:
            warnings.warn(f"{dataset.name}: {before} stands before filter {number}, which then "
                          "keeps no bound: its values may be off by any amount; write it again "
                          "from the original, with no filter before", stacklevel=2)
        before = before or f"{name.decode(errors='replace')} (filter {number})"
