"""Codecs for numcodecs, and so for Zarr v2 and whatever else uses them.

ZTile        id "ztile": .zt chunks, any bound of ztile's.
ZtileZFPY    id "ztile_zfpy": zfpy's bytes, under a name of its own.
ZFPY         the same under the id "zfpy", in the place of numcodecs' own codec: after
             register_zfpy(), stores written with numcodecs.zfpy are read and written by ztile,
             Zarr v2's "zfpy" and Zarr v3's "numcodecs.zfpy" alike. Where the package zfpy is not
             installed, numcodecs finds it without being told.

Chunks are coded as they lie in memory: one in Fortran order as its transpose, which is how
numcodecs' callers take the result apart. Chunks of big-endian arrays begin with a mark of 8 bytes
and are decoded to big-endian arrays.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from numcodecs.abc import Codec
from numcodecs.registry import register_codec

from . import _api, _chunks, _core, _params, _threads, zfp
from ._errors import ArgumentError

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _as_it_lies(a: Any) -> Any:
    if not isinstance(a, np.ndarray):
        a = np.asarray(a)
    return a.T if a.flags.f_contiguous and not a.flags.c_contiguous else a


class ZTile(Codec):  # type: ignore[misc]
    """Compress chunks into .zt files. Parameters are those of ztile.compress; rel and psnr are of
    each chunk's own range."""

    codec_id = "ztile"

    def __init__(self, **params: Unpack[_params.Params]) -> None:
        self._packed = _params.pack(dict(params))
        self._params = _params.plain(dict(params))

    def encode(self, buf: Any) -> bytes:
        a = _as_it_lies(buf)
        return _chunks.mark_order(_chunks.compress(a, self._packed), a.dtype)

    def decode(self, buf: Any, out: Any = None) -> Any:
        data, order = _chunks.split_order(buf)
        found = _api.inspect(data)
        target = _chunks.into_buffer(out, found.dtype, found.shape)
        _core.decompress(data, target, _threads.of_codec())
        result = _chunks.in_order(target, order)
        return result if out is None else out

    def get_config(self) -> dict[str, Any]:
        return {"id": self.codec_id, **self._params}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._params.items())})"


class ZtileZFPY(Codec):  # type: ignore[misc]
    """Zfpy's bytes; arrays that zfpy refuses, big-endian ones, are taken. Parameters are those of
    numcodecs.zfpy.ZFPY; NaN and infinities under a lossy mode are refused unless allow_nonfinite
    asks for what libzfp makes of them."""

    codec_id = "ztile_zfpy"

    def __init__(self, mode: int = zfp.mode_fixed_accuracy, tolerance: float = -1,
                 rate: float = -1, precision: float = -1,
                 compression_kwargs: Optional[dict[str, Any]] = None,
                 allow_nonfinite: bool = False) -> None:
        values = {zfp.mode_fixed_accuracy: ("tolerance", tolerance),
                  zfp.mode_fixed_rate: ("rate", rate),
                  zfp.mode_fixed_precision: ("precision", precision)}
        if mode not in values:
            raise ArgumentError("mode is zfp's number: 2 fixed rate, 3 fixed precision, 4 fixed "
                                f"accuracy, not {mode!r}; without a loss: mode 4 and no tolerance")
        # numcodecs writes compression_kwargs into its metadata; they repeat the mode's value
        self.mode = mode
        self.tolerance, self.rate, self.precision = tolerance, rate, precision
        self.compression_kwargs: dict[str, Any] = dict([values[mode]])
        self.allow_nonfinite = allow_nonfinite

    def encode(self, buf: Any) -> bytes:
        a = _as_it_lies(buf)
        data = zfp.compress(_chunks.coded(a), **self.compression_kwargs,
                            allow_nonfinite=self.allow_nonfinite, threads=_threads.of_codec())
        return _chunks.mark_order(data, a.dtype)

    def decode(self, buf: Any, out: Any = None) -> Any:
        data, order = _chunks.split_order(buf)
        found = zfp.header(data)
        target = _chunks.into_buffer(out, found.dtype, found.shape)
        zfp.decompress(data, target, threads=_threads.of_codec())
        result = _chunks.in_order(target, order)
        return result if out is None else out

    def get_config(self) -> dict[str, Any]:
        config = {"id": self.codec_id, "mode": self.mode,
                  "compression_kwargs": self.compression_kwargs, "tolerance": self.tolerance,
                  "rate": self.rate, "precision": self.precision}
        return {**config, "allow_nonfinite": True} if self.allow_nonfinite else config

    def __repr__(self) -> str:
        return (f"{type(self).__name__}(mode={self.mode!r}, tolerance={self.tolerance}, "
                f"rate={self.rate}, precision={self.precision})")


class ZFPY(ZtileZFPY):
    """The same in the place of numcodecs' own codec; see register_zfpy."""

    codec_id = "zfpy"


def register_zfpy() -> None:
    """From now on, numcodecs (and Zarr) take ztile's codec wherever metadata say "zfpy"."""
    register_codec(ZFPY)


register_codec(ZTile)
register_codec(ZtileZFPY)
