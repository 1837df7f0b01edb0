"""HDF5: ztile's filters for h5py, and whether a dataset can be trusted to them.

    import h5py, ztile.hdf5
    ztile.hdf5.register()
    with h5py.File("a.h5", "w") as f:
        f.create_dataset("a", data=a, chunks=True, **ztile.hdf5.filter(abs=1e-3))

The filters are plug-ins that HDF5 calls itself (docs/hdf5.md). HDF5 tells a plug-in neither which
filters stand before it nor how large the dataset's chunks are; ``check`` sees both.
"""
from __future__ import annotations

import math
import os
import struct
import warnings
from typing import TYPE_CHECKING, Any, Optional, Sequence, Tuple, TypedDict

from . import _params, zfp
from ._arrays import TYPES
from ._errors import ArgumentError, CorruptError, Error

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Filter", "check", "filter", "register"]

FILTER = 48613  # ztile's own
FILTER_ZFP = 32013  # H5Z-ZFP's
TABLE = 0x5a540100  # the first word of what ztile's filter is told; ztile_h5.h has all

# Parameters of compress() that a filter has words for.
_WORDS = {*_params.BOUNDS, "codec", "effort", "range", "rate_align", "ways"} - {*_params.MEANS[1:]}


class Filter(TypedDict):
    """Two arguments of h5py's create_dataset."""

    compression: int
    compression_opts: Tuple[int, ...]


def register() -> str:
    """Let h5py read and write datasets with ztile's filters, without HDF5_PLUGIN_PATH.

    Returns the folder of the plug-ins, for programs that bring an HDF5 of their own: they read
    HDF5_PLUGIN_PATH when they start."""
    import h5py

    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "hdf5")
    if not os.path.isdir(folder):
        raise Error("this build of the package has no HDF5 plug-ins")
    known = [h5py.h5pl.get(i) for i in range(h5py.h5pl.size())]
    if os.fsencode(folder) not in known:
        h5py.h5pl.prepend(os.fsencode(folder))
    return folder


def filter(**params: Unpack[_params.Params]) -> Filter:
    """What create_dataset is told for a bound: filter(abs=1e-3), filter(codec="sz", pwrel=1e-2).

    Parameters are those of compress() that say codec, effort, ways and bound; without a bound the
    values are kept exactly. Without a codec the filter takes sz, but zfp for rate, precision and
    expert. It sees one chunk at a time, so ``rel`` and ``psnr`` need the ``range`` of the whole
    array."""
    given = dict(params)
    for name in given:
        if name in _params.Params.__annotations__ and name not in _WORDS:
            raise ArgumentError(f"a filter has no parameter {name!r}; it takes "
                                f"{', '.join(sorted(_WORDS))}")
    packed = _params.pack(given)
    if given.get("psnr") is not None and packed[1] != _params.BOUNDS["psnr"]:
        raise ArgumentError("a filter has words for one bound: leave out psnr or the other")
    codec, kind, flags, value = packed[:4]
    expert, low_high = packed[4:8], packed[9:11]
    needs_range = kind in (_params.BOUNDS["rel"], _params.BOUNDS["psnr"])
    if needs_range and math.isnan(low_high[0]):
        raise ArgumentError("a filter sees one chunk at a time: give abs instead of rel or psnr, "
                            "or the whole array's range=(low, high) with it")
    effort, ways = packed[16] if given.get("effort") not in (None, "default") else 0, packed[19]
    table = struct.pack("<IId", TABLE, codec | kind << 8 | flags << 16 | effort << 24, value)
    if needs_range:
        table += struct.pack("<dd", *low_high)
    elif kind == _params.BOUNDS["expert"]:
        table += struct.pack("<IIIi", *expert)
    if ways:
        table = struct.pack("<32sI", table, ways)
    return {"compression": FILTER,
            "compression_opts": struct.unpack(f"<{len(table) // 4}I", table)}


def _of_ztile(words: Sequence[int]) -> Optional[Tuple[int, bool]]:
    """Bytes of a chunk, and whether all are kept; None where the filter will refuse the words. The
    table is that of ztile_h5.h."""
    if len(words) < 9 or words[0] != TABLE | 1 or words[8] & 0xff not in TYPES:
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
