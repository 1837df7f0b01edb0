"""Peers of ztile that come as Python packages, and one report with all of them.

    python -m ztile.bench FILE... -o DIR [--bounds LIST] [--codecs LIST] [--ztile COMMAND]

measures SZ3, SPERR and Blosc2 (packages h5py and hdf5plugin) and pcodec, each where it is
installed, writes DIR/peers.tsv, and lets 'ztile bench FILE... --peers DIR/peers.tsv -o DIR' measure
the rest and make the report. FILE is .npy, or raw with a name that says what it is:
wind_512x512x128.f32.
"""
from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import numpy as np

Coder = Tuple[Callable[[], Any], Callable[[Any], Tuple[int, np.ndarray]]]
Peer = Callable[[np.ndarray, float], Optional[Coder]]  # None: not this array
BOUNDS = "rel=1e-2,rel=1e-3,rel=1e-4,rel=1e-5,lossless"
TYPES = {"f32": "<f4", "f64": "<f8", "i32": "<i4", "i64": "<i8"}
COLUMNS = ("file codec threads bound value bytes max_error psnr encode_seconds "
           "decode_seconds").split()
LEAST_RUNS, ENOUGH_SECONDS = 3, 0.15  # as in the command


class Refused(Exception):
    """One sentence for the user."""


def read_array(path: str) -> np.ndarray:
    """The array of a file; its name says what a raw one is."""
    if path.endswith(".npy"):
        array = np.load(path)
        if array.dtype.newbyteorder("<") not in [np.dtype(t) for t in TYPES.values()]:
            raise Refused(f"{path}: holds {array.dtype}; save it as float or int of 4 or 8 bytes")
        return np.ascontiguousarray(array.astype(array.dtype.newbyteorder("=")))
    found = re.search(r"_(\d+(?:x\d+){0,3})\.(f32|f64|i32|i64)$", path)
    if not found:
        raise Refused(f"{path}: only .npy and raw files whose name says shape and type, such as "
                      "wind_512x512x128.f32, are read here; convert it with ztile or NumPy")
    shape = tuple(int(n) for n in found[1].split("x"))
    array = np.fromfile(path, TYPES[found[2]])
    if array.size != np.prod(shape, dtype=np.int64):
        raise Refused(f"{path}: has {array.size} values, its name says {found[1]}; rename it")
    return array.reshape(shape)


def parse_bounds(text: str) -> List[Tuple[str, float]]:
    bounds = []
    for word in text.split(","):
        kind, _, value = word.partition("=")
        try:
            number = float(value) if kind in ("rel", "abs") else 0.0
        except ValueError:
            number = -1.0
        if kind not in ("rel", "abs", "lossless") or (kind != "lossless" and not number > 0):
            raise Refused(f"--bounds: '{word}' is not rel=E, abs=E or lossless, with E above 0")
        bounds.append((kind, number))
    return bounds


# ---- peers -------------------------------------------------------------------------------------

def through_hdf5(filter_of: Callable[[float], Any]) -> Callable[[np.ndarray, float], Coder]:
    """A filter of HDF5, on an array that is one chunk of a file in memory."""
    def coder(array: np.ndarray, tolerance: float) -> Coder:
        import h5py

        def encode() -> Any:
            file = h5py.File("bench.h5", "w", driver="core", backing_store=False, rdcc_nbytes=0)
            file.create_dataset("a", data=array, chunks=array.shape, **filter_of(tolerance))
            file.flush()
            return file

        def decode(file: Any) -> Tuple[int, np.ndarray]:
            size, after = file["a"].id.get_storage_size(), file["a"][...]
            file.close()
            return size, after

        return encode, decode
    return coder


def through_sperr(array: np.ndarray, tolerance: float) -> Optional[Coder]:
    """SPERR within a bound of each value; the first two axes of four become one."""
    import hdf5plugin
    if array.ndim < 2:
        return None
    shape = (-1,) + array.shape[2:] if array.ndim > 3 else array.shape
    # hdf5plugin's filter takes the first extent for that of the fastest axis
    seen = array.reshape(array.reshape(shape).shape[::-1])
    encode, decode = through_hdf5(lambda bound: hdf5plugin.Sperr(absolute=bound))(seen, tolerance)

    def decode_shaped(file: Any) -> Tuple[int, np.ndarray]:
        size, after = decode(file)
        return size, after.reshape(array.shape)

    return encode, decode_shaped


def find_peers() -> Iterator[Tuple[str, str, Peer]]:
    """Name, 'lossy' or 'lossless', and how to call each peer that is installed."""
    try:
        import h5py  # noqa: F401
        import hdf5plugin
        yield "SZ3", "lossy", through_hdf5(lambda tolerance: hdf5plugin.SZ3(absolute=tolerance))
        yield "SPERR", "lossy", through_sperr
        blosc = dict(cname="zstd", clevel=5, filters=hdf5plugin.Blosc2.BITSHUFFLE)
        yield "Blosc2", "lossless", through_hdf5(lambda _: hdf5plugin.Blosc2(**blosc))
    except ImportError:
        print("without SZ3, SPERR and Blosc2: h5py and hdf5plugin are not installed",
              file=sys.stderr)
    try:
        from pcodec import ChunkConfig, standalone

        def pcodec(array: np.ndarray, _: float) -> Coder:
            flat = array.reshape(-1)

            def decode(data: bytes) -> Tuple[int, np.ndarray]:
                out = standalone.simple_decompress(data)
                return len(data), np.asarray(out).reshape(array.shape)

            return lambda: standalone.simple_compress(flat, ChunkConfig()), decode

        yield "pcodec", "lossless", pcodec
    except ImportError:
        print("without pcodec: it is not installed", file=sys.stderr)


# ---- measuring ---------------------------------------------------------------------------------

def errors_of(before: np.ndarray, after: np.ndarray) -> Tuple[float, float]:
    """Largest absolute error and PSNR in dB of the finite values."""
    valid = np.isfinite(before)
    a, b = before[valid].astype("f8"), after[valid].astype("f8")
    if a.size == 0:
        return 0.0, float("nan")
    error = np.abs(a - b)
    mean_square = float(np.mean(error * error))
    span = float(a.max() - a.min())
    if mean_square == 0:
        return 0.0, float("inf")
    return float(error.max()), 20 * float(np.log10(span / np.sqrt(mean_square)))


def measure(array: np.ndarray, coder: Coder) -> Dict[str, float]:
    """The fastest of a few runs, in processor time, which other programs disturb little."""
    encode, decode = coder
    encode_seconds = decode_seconds = float("inf")
    began = time.perf_counter()
    runs = 0
    while runs < LEAST_RUNS or time.perf_counter() - began < ENOUGH_SECONDS:
        start = time.process_time()
        coded = encode()
        middle = time.process_time()
        size, after = decode(coded)
        end = time.process_time()
        encode_seconds = min(encode_seconds, middle - start)
        decode_seconds = min(decode_seconds, end - middle)
        runs += 1
    max_error, psnr = errors_of(array, after)
    return dict(bytes=size, max_error=max_error, psnr=psnr, encode_seconds=encode_seconds,
                decode_seconds=decode_seconds)


def rows_of(path: str, bounds: List[Tuple[str, float]]) -> Iterator[Dict[str, Any]]:
    array = read_array(path)
    finite = array[np.isfinite(array)] if array.dtype.kind == "f" else array
    span = float(finite.max()) - float(finite.min()) if finite.size else 0.0
    for name, kind, call in find_peers():
        for bound, value in bounds:
            tolerance = value * span if bound == "rel" else value
            is_lossy = tolerance > 0
            if is_lossy != (kind == "lossy"):
                continue
            if is_lossy and (finite.size != array.size or array.dtype.kind != "f"):
                print(f"{path}: not with {name}, which has no place for NaN or integers",
                      file=sys.stderr)
                break
            coder = call(array, tolerance)
            if coder is None:
                print(f"{path}: not with {name}, which takes no arrays of {array.ndim}-D",
                      file=sys.stderr)
                break
            row = measure(array, coder)
            yield dict(row, file=os.path.basename(path), codec=name, threads=1, bound=bound,
                       value=value)


def write_rows(path: str, files: List[str], bounds: List[Tuple[str, float]]) -> int:
    count = 0
    with open(path, "w", encoding="utf-8") as out:
        out.write("#" + "\t".join(COLUMNS) + "\n")
        for file in files:
            for row in rows_of(file, bounds):
                out.write("\t".join(str(row[c]) for c in COLUMNS) + "\n")
                count += 1
    return count


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m ztile.bench",
        description="Measure SZ3, SPERR, Blosc2 and pcodec; make one report with 'ztile bench'.")
    parser.add_argument("files", nargs="+", metavar="FILE", help=".npy, or NAME_512x512.f32")
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="of the report")
    parser.add_argument("-f", "--force", action="store_true", help="overwrite what is there")
    parser.add_argument("--bounds", default=BOUNDS, help=f"default: {BOUNDS}")
    parser.add_argument("--codecs", help="of those that ztile bench measures itself")
    parser.add_argument("--ztile", default="ztile", metavar="COMMAND", help="default: ztile")
    options = parser.parse_args(arguments)
    peers = os.path.join(options.output, "peers.tsv")
    try:
        bounds = parse_bounds(options.bounds)
        if not shutil.which(options.ztile):
            raise Refused(f"{options.ztile}: there is no such command; name it with --ztile")
        if os.path.exists(peers) and not options.force:
            raise Refused(f"{peers} exists; -f overwrites it")
        os.makedirs(options.output, exist_ok=True)
        write_rows(peers, options.files, bounds)
    except (Refused, OSError) as problem:
        print(f"ztile.bench: {problem}", file=sys.stderr)
        return 1
    command = [options.ztile, "bench", *options.files, "--peers", peers, "-o", options.output,
               "--bounds", options.bounds]
    command += ["--codecs", options.codecs] if options.codecs else []
    command += ["-f"] if options.force else []
    return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
