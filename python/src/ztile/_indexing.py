"""NumPy's basic indexing over something that can only read boxes."""
from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Sequence, SupportsIndex, Union

import numpy as np

from ._limits import empty

if TYPE_CHECKING:
    from types import EllipsisType

    from typing_extensions import TypeAlias, Unpack

    # What selects a part, and what of that is known to select an array and not a single value.
    Item: TypeAlias = Union[SupportsIndex, slice, EllipsisType, None]
    Key: TypeAlias = Union[Item, tuple[Item, ...]]
    KeyOfArray: TypeAlias = Union[slice, EllipsisType, None, tuple[slice, Unpack[tuple[Item, ...]]],
                                  tuple[Unpack[tuple[Item, ...]], slice]]
    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
    Part: TypeAlias = Union[Array, np.number[Any]]

Box = Callable[["tuple[int, ...]", "tuple[int, ...]", "np.ndarray[Any, Any]"], None]

# A strided selection is read as its bounding box and thinned out, unless the box is this many times
# larger and larger than this many elements; then it is read part by part.
_WASTE = 8
_SMALL = 1 << 20


@dataclass(frozen=True)
class Axis:
    """The indices first, first + step, ... along an axis."""

    first: int
    count: int
    step: int

    @property
    def low(self) -> int:
        return min(self.first, self.first + (self.count - 1) * self.step)

    @property
    def high(self) -> int:
        return max(self.first, self.first + (self.count - 1) * self.step) + 1


def _axis_of(item: Any, axis: int, extent: int) -> tuple[Axis, Any]:
    """The indices that one item selects, and what the axis of the result is indexed with."""
    if isinstance(item, slice):
        start, stop, step = item.indices(extent)
        return Axis(start, len(range(start, stop, step)), step), slice(None)
    try:
        if isinstance(item, (bool, np.bool_)):
            raise TypeError
        index = operator.index(item)
    except TypeError:
        raise IndexError("only integers, slices, Ellipsis and None can index an array in a file, "
                         f"not {type(item).__name__}; read a part and index that") from None
    if not -extent <= index < extent:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {extent}")
    return Axis(index % extent, 1, 1), 0


def parse(key: Any, shape: Sequence[int]) -> tuple[list[Axis], tuple[Any, ...]]:
    """The axes that a key selects, and the index that gives their array the shape NumPy gives."""
    items = list(key) if isinstance(key, tuple) else [key]
    dots = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    given = sum(item is not None and item is not Ellipsis for item in items)
    if given > len(shape):
        raise IndexError(f"too many indices: the array has {len(shape)} dimensions, {given} were "
                         "indexed")
    missing = [slice(None)] * (len(shape) - given)
    at = dots[0] if dots else len(items)
    items[at:at + len(dots)] = missing
    axes: list[Axis] = []
    result: list[Any] = []
    for item in items:
        if item is None:
            result.append(None)
        else:
            axis, index = _axis_of(item, len(axes), shape[len(axes)])
            axes.append(axis)
            result.append(index)
    return axes, tuple(result)


def _fill(box: Box, axes: list[Axis], out: np.ndarray[Any, Any]) -> None:
    low = tuple(axis.low for axis in axes)
    high = tuple(axis.high for axis in axes)
    if all(abs(axis.step) == 1 for axis in axes):
        box(low, high, out[tuple(slice(None, None, axis.step) for axis in axes)])
        return
    extents = [axis.high - axis.low for axis in axes]
    elements = int(np.prod(extents, dtype=np.float64))
    if elements > _SMALL and elements > _WASTE * out.size:
        split = next(i for i, axis in enumerate(axes) if abs(axis.step) > 1)
        axis = axes[split]
        for i in range(axis.count):
            part = Axis(axis.first + i * axis.step, 1, 1)
            _fill(box, axes[:split] + [part] + axes[split + 1:],
                  out[(slice(None),) * split + (slice(i, i + 1),)])
        return
    whole = np.empty(extents, out.dtype)
    box(low, high, whole)
    out[...] = whole[tuple(slice(None, None, axis.step) for axis in axes)]


def read(key: Key, shape: Sequence[int], dtype: np.dtype[Any], box: Box) -> Part:
    """What NumPy would return for the key; box(low, high, out) reads a box, which has no empty
    axis."""
    axes, result = parse(key, shape)
    out = empty([axis.count for axis in axes], dtype)
    if out.size:
        _fill(box, axes, out)
    part: Part = out[result]
    return part
