"""What is in a .zt file, as a Python object."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Tuple

import numpy as np

from . import _params
from ._arrays import TYPES
from ._errors import UnsupportedError

_CODECS = {number: name for name, number in _params.CODECS.items()}
_BOUNDS = {number: name for name, number in _params.BOUNDS.items()}


@dataclass(frozen=True)
class ZfpInfo:
    """The parameters of a zfp stream; ``shift``: integers were multiplied by 2**shift."""

    word_bits: int
    minbits: int
    maxbits: int
    maxprec: int
    minexp: int
    shift: int


@dataclass(frozen=True)
class SzInfo:
    """The parameters of an sz stream; bit i of ``axes``: differences are taken along axis i;
    ``step``: what values are multiples of; ``ways``: axes and groups as the number that
    compress(ways=) takes, 0: none."""

    method: str  # default, multiples, cusz or transform
    effort: str
    axes: int
    step: float
    ways: int


@dataclass(frozen=True)
class Info:
    """What is in a .zt file. Shapes are slowest axis first; sizes are in bytes."""

    shape: Tuple[int, ...]
    dtype: np.dtype[Any]
    codec: str  # none: no frame is coded, as all would be longer
    bound: str  # what was asked for: lossless, abs, rel, ...
    bound_value: Optional[float]
    abs_bound: Optional[float]  # what was promised; 0: lossless; None: nothing absolute
    raw_bytes: int
    file_bytes: int
    stream_bytes: int
    index: str
    index_bytes: int
    index_chunk: int
    index_partition: int
    frames: int
    raw_frames: int  # that hold their values as they are, as the codec would have needed more
    slab_extent: int  # along the slowest axis, in each frame but the last
    exact_values: int  # kept beside the stream, because the codec would have broken the bound
    special_values: int  # NaN, infinities and fill values, kept beside it
    name: str
    units: str
    format_version: int
    mean: Optional[str]  # the bound on the mean error, alone or beside another
    mean_value: Optional[float]
    mean_error: Optional[float]  # reached, in its unit
    within: Tuple[Optional[float], Optional[float]]  # limits of decoded values
    zfp: Optional[ZfpInfo]
    sz: Optional[SzInfo]

    @property
    def ratio(self) -> float:
        """Raw bytes over file bytes."""
        return self.raw_bytes / self.file_bytes

    @property
    def bits_per_value(self) -> float:
        return 8 * self.dtype.itemsize / self.ratio


def _sz_of(method: int, effort: int, *rest: Any) -> SzInfo:
    methods = {number: name for name, number in _params.METHODS.items()}
    efforts = {number: name for name, number in _params.EFFORTS.items()}
    return SzInfo(methods.get(method, str(method)), efforts.get(effort, str(effort)), *rest)


def _finite(value: float) -> Optional[float]:
    return value if value == value else None


def of_core(found: dict[str, Any]) -> Info:
    """From what the extension module returns (core_info_dict)."""
    if found["type"] not in TYPES:
        raise UnsupportedError(f"the file's type {found['type']} needs a later version of ztile")
    bound = _BOUNDS.get(found["bound_kind"], str(found["bound_kind"]))
    mean = _BOUNDS.get(found["mean_kind"]) if found["mean_kind"] else None
    codec = _CODECS.get(found["codec"], str(found["codec"]))
    if found["raw_frames"] == found["frames"]:
        codec = "none"
    abs_bound = found["abs_bound"]
    same = ("shape", "raw_bytes", "file_bytes", "stream_bytes", "index_bytes", "index_chunk",
            "index_partition", "frames", "raw_frames", "slab_extent", "exact_values",
            "special_values", "name", "units", "format_version")
    return Info(
        dtype=TYPES[found["type"]],
        codec=codec,
        bound=bound,
        bound_value=found["bound_value"] if bound not in ("lossless", "expert") else None,
        abs_bound=abs_bound if abs_bound == abs_bound else None,
        index=_params.INDEX_NAMES.get(found["index"], str(found["index"])),
        mean=mean,
        mean_value=found["mean_value"] if mean else None,
        mean_error=found["mean_error"] if mean else None,
        within=(_finite(found["within_lo"]), _finite(found["within_hi"])),
        zfp=ZfpInfo(*found["zfp"]) if codec == "zfp" else None,
        sz=_sz_of(*found["sz"]) if codec == "sz" else None,
        **{key: found[key] for key in same},
    )
