"""Keyword arguments to the library's parameters: the bounds, the codec, the index, names."""
from __future__ import annotations

import math
import operator
from typing import Any, Optional, Tuple, TypedDict

import numpy as np

from ._errors import ArgumentError

# Numbers of ztile.h and ztile_sz.h, by their names in the command.
CODECS = {"auto": 0, "zfp": 1, "ndzip": 2, "sz": 3}
BOUNDS = {"lossless": 0, "abs": 1, "rel": 2, "pwrel": 3, "psnr": 4, "rate": 5, "precision": 6,
          "expert": 7, "rmse": 8, "rmse_rel": 9, "mae": 10, "mae_rel": 11}
MEANS = ("psnr", "rmse", "rmse_rel", "mae", "mae_rel")
INDEXES = {"default": 0, "none": 1, "offsets": 2, "lengths": 3, "hybrid": 4, "compact": 5}
INDEX_NAMES = {**{number: name for name, number in INDEXES.items()}, 6: "stream"}
EFFORTS = {"fast": 1, "default": 2, "high": 3}
METHODS = {"default": 0, "cusz": 1, "transform": 2, "prediction": 3, "multiples": 4}
PLANS = {"off": 0, "on": 1, "tight": 2}
RATE_ALIGN = 1
MAX_FILLS = 4
MAX_WAYS = 2**16 - 1  # ztile_h5.h


class Params(TypedDict, total=False):
    """What the bytes depend on; all of it is optional."""

    lossless: bool  # True: every bit is kept, as without a bound
    abs: float  # no value is off by more than this
    rel: float  # ... than this times (max - min)
    pwrel: float  # ... than this times the value itself
    psnr: float  # 20 log10(range / RMSE) is at least this many dB
    rmse: float  # the root of the mean squared error is at most this
    rmse_rel: float  # ... this times (max - min)
    mae: float  # the mean absolute error is at most this
    mae_rel: float  # ... this times (max - min)
    within: Tuple[Optional[float], Optional[float]]  # no value is decoded below or above these
    rate: float  # bits per value (zfp)
    precision: int  # bit planes (zfp)
    expert: Tuple[int, int, int, int]  # zfp's minbits, maxbits, maxprec, minexp
    codec: str  # auto, zfp, ndzip, sz
    rate_align: bool  # round a tile's bits up to whole words
    range: Tuple[float, float]  # the array's minimum and maximum, for rel where it is not at hand
    index: str  # default, none, offsets, lengths, hybrid, compact
    index_chunk: int  # tiles a chunk
    index_partition: int  # chunks a partition (hybrid)
    effort: str  # fast, default, high
    method: str  # of sz: default, prediction, multiples, transform or cusz
    sz_bins: int  # of method cusz
    ways: int  # of sz: those of a file of an array like this one, info(file).sz.ways
    plan: str  # off, on, tight
    slab_bytes: int  # raw bytes a frame at most
    word_bits: int  # 8, 16, 32, 64: what a zfp stream is padded to
    name: str  # kept in the file
    units: str  # likewise
    fill: Any  # a number that stands for no value, like NaN, and is kept exactly; or up to 4


def _one_of(what: str, names: dict[str, int], value: Any) -> int:
    if not isinstance(value, str) or value not in names:
        raise ArgumentError(f"{what} is one of {', '.join(names)}, not {value!r}")
    return names[value]


def _one_of_bits(value: Any) -> int:
    if value not in (8, 16, 32, 64):
        raise ArgumentError(f"word_bits is 8, 16, 32 or 64, not {value!r}")
    return int(value)


def _number(what: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{what} is a number, not {value!r}") from None


def _count(what: str, value: Any, most: int = 2**32 - 1) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        count = -1
    if not 0 <= count <= most:
        raise ArgumentError(f"{what} is a whole number from 0 to {most}, not {value!r}")
    return count


def _expert(value: Any) -> tuple[int, int, int, int]:
    try:
        minbits, maxbits, maxprec, minexp = (operator.index(v) for v in value)
    except (TypeError, ValueError):
        raise ArgumentError("expert is four whole numbers: minbits, maxbits, maxprec, minexp, "
                            f"not {value!r}") from None
    if not -(2**31) <= minexp < 2**31:
        raise ArgumentError(f"minexp is a number of 32 bits, not {minexp}")
    return (_count("minbits", minbits), _count("maxbits", maxbits), _count("maxprec", maxprec),
            minexp)


def _text(what: str, value: Any) -> Optional[str]:
    if value is not None and (not isinstance(value, str) or "\0" in value):
        raise ArgumentError(f"{what} is text without zero characters, not {value!r}")
    return value


def _fills(value: Any) -> tuple[Any, ...]:
    items = () if value is None else value if isinstance(value, (tuple, list)) else (value,)
    if len(items) > MAX_FILLS:
        raise ArgumentError(f"there are {len(items)} fill values; a file has at most {MAX_FILLS}")
    for item in items:
        _number("fill", item)
    return tuple(items)


def _fill_bits(dtype: np.dtype[Any], value: Any) -> int:
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            held = np.asarray(float(value)).astype(dtype)
    else:
        limits = np.iinfo(dtype)
        if value != value or not limits.min <= value <= limits.max or value != int(value):
            raise ArgumentError(f"the fill value {value!r} is no value of {dtype}")
        held = np.asarray(int(value), dtype)
    return int(held.view(f"u{dtype.itemsize}")[()])


def of_type(packed: tuple[Any, ...], dtype: np.dtype[Any]) -> tuple[Any, ...]:
    """The tuple that the extension module takes (core_params_get) for an array of this type."""
    return packed[:-1] + (tuple(_fill_bits(dtype, value) for value in packed[-1]),)


def _bounds(params: dict[str, Any]) -> tuple[tuple[str, Any], tuple[str, Any]]:
    """The bound, and one on the mean error beside it."""
    none = ("lossless", None)
    lossless = params.get("lossless")
    if lossless not in (None, False, True):
        raise ArgumentError(f"lossless is True or False, not {lossless!r}")
    asked = [(kind, params.get(kind)) for kind in BOUNDS if params.get(kind) is not None
             and (kind != "lossless" or lossless)]
    if len(asked) == 2 and asked[0][0] in ("abs", "rel") and asked[1][0] in MEANS:
        return asked[0], asked[1]
    if len(asked) > 1:
        kinds = " and ".join(kind for kind, _ in asked)
        raise ArgumentError(f"one bound at a time: {kinds} were given; "
                            "beside abs or rel may stand one of a mean error")
    return (asked[0] if asked else none), none


def _limits(value: Any) -> tuple[float, float]:
    try:
        low, high = (None, None) if value is None else value
    except (TypeError, ValueError):
        raise ArgumentError(f"within is two numbers (low, high), or None in place of one, not "
                            f"{value!r}") from None
    return (math.nan if low is None else _number("within", low),
            math.nan if high is None else _number("within", high))


def check_names(params: dict[str, Any]) -> None:
    for name in params:
        if name not in Params.__annotations__:
            raise ArgumentError(f"there is no parameter {name!r}; the bounds are "
                                f"{', '.join(BOUNDS)}, and without one the array is kept "
                                "lossless")


def plain(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters that were packed, as a host's JSON keeps them."""
    def of(value: Any) -> Any:
        if isinstance(value, (str, bool)):
            return value
        if isinstance(value, (tuple, list)):
            return [of(item) for item in value]
        try:
            return operator.index(value)
        except TypeError:
            return float(value)
    return {name: of(value) for name, value in params.items() if value is not None}


def pack(params: dict[str, Any]) -> tuple[Any, ...]:
    """What of_type makes the extension module's tuple from."""
    check_names(params)
    get = params.get
    (kind, value), (mean, mean_value) = _bounds(params)
    expert = _expert(value) if kind == "expert" else (0, 0, 0, 0)
    number = _number(kind, value) if kind not in ("lossless", "expert") else 0.0
    low_high = get("range")
    if low_high is None:
        low_high = (math.nan, math.nan)
    try:
        low, high = low_high
    except (TypeError, ValueError):
        raise ArgumentError(f"range is two numbers, (low, high), not {low_high!r}") from None
    return (
        _one_of("codec", CODECS, get("codec") or "auto"),
        BOUNDS[kind],
        RATE_ALIGN if get("rate_align") else 0,
        number,
        *expert,
        _count("slab_bytes", get("slab_bytes") or 0, 2**63),
        _number("range", low),
        _number("range", high),
        _one_of_bits(get("word_bits") or 64),
        _one_of("plan", PLANS, get("plan") or "off"),
        _one_of("index", INDEXES, get("index") or "default"),
        _count("index_chunk", get("index_chunk") or 0),
        _count("index_partition", get("index_partition") or 0),
        _one_of("effort", EFFORTS, get("effort") or "default"),
        _one_of("method", METHODS, get("method") or "default"),
        _count("sz_bins", get("sz_bins") or 0),
        _count("ways", get("ways") or 0, MAX_WAYS),
        _text("name", get("name")),
        _text("units", get("units")),
        BOUNDS[mean],
        0.0 if mean == "lossless" else _number(mean, mean_value),
        *_limits(get("within")),
        _fills(get("fill")),
    )
