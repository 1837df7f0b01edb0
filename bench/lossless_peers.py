#!/usr/bin/env python3
"""Lossless codecs on real fields: ratio and speed, as the tables of docs/notes/2026-11-codecs.md;
the comparison of the ndzip papers (tables 3 to 5, figure 6) with what can be had.

    lossless_peers.py --library BUILD/src/libztile.so DATA_DIR [--seconds S] [--fields N]
        [--picture FILE] [--fpc FOLDER] [--spdp FOLDER]

DATA_DIR holds fields named NAME_... with a MANIFEST.tsv (columns: file, stored, dtype, dims, ...);
stored files may be compressed with zstd. Everything runs on one thread and from memory to memory,
in this process: ztile's ndzip (.zt) and zfp (.zt), libzfp (reversible), fpzip, zstd -1 and -3, LZ4,
xz -6 (LZMA), blosc2 (zstd -1 with bitshuffle), pcodec. FPC and SPDP are compiled from fpc.c and
spdp.c in the folders that are given, and run as the programs they are, files in and out: their time
is the processes'. --picture draws the ratio against the speeds, means by type. Each direction runs
until S seconds (default 0.1) are used, at least 3 times; the fastest counts, in MB/s of raw data.
Every round trip is compared.

Needs numpy, zstandard, lz4, blosc2 and pcodec from PyPI; libzfp and libfpzip where they are
installed.
Codecs that are missing are named at the end."""
import argparse
import ctypes
import ctypes.util
import math
import os
import resource
import subprocess
import tempfile
import time

import numpy as np

from panels import save_both_ways


def ztile(library, codec):
    """Compress and decompress with a codec of ours, into .zt files with their checksums."""

    class Array(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_uint32), ("rank", ctypes.c_uint32),
                    ("shape", ctypes.c_uint64 * 4), ("stride", ctypes.c_int64 * 4),
                    ("reserved", ctypes.c_uint64 * 2)]

    lib = ctypes.CDLL(library)
    types = {"float32": 1, "float64": 2, "int32": 3, "int64": 4}

    def array_of(a):
        z = Array(a.ctypes.data, types[a.dtype.name], a.ndim)
        for i in range(a.ndim):
            z.shape[i] = a.shape[i]
            z.stride[i] = a.strides[i] // a.itemsize
        return z

    params = (ctypes.c_uint8 * 4096)()
    for size in range(64, 4096, 8):  # of zt_params, which grows with versions
        if lib.zt_params_init(params, ctypes.c_size_t(size)) == 0:
            break
    ctypes.cast(params, ctypes.POINTER(ctypes.c_uint32))[1] = codec
    out = {}

    def compress(a):
        z, n = array_of(a), ctypes.c_size_t()
        if "room" not in out or out["of"] is not a:
            assert lib.zt_compress_bound(None, ctypes.byref(z), params, ctypes.byref(n)) == 0
            out["room"], out["of"] = np.ones(n.value, np.uint8), a
        room = out["room"]
        assert lib.zt_compress(None, ctypes.byref(z), params, ctypes.c_void_p(room.ctypes.data),
                               ctypes.c_size_t(room.size), ctypes.byref(n)) == 0
        return room[:n.value]

    def decompress(stream, back):
        z = array_of(back)
        assert lib.zt_decompress(None, ctypes.c_void_p(stream.ctypes.data),
                                 ctypes.c_size_t(stream.size), ctypes.byref(z)) == 0

    return compress, decompress


def installed(name):
    """A shared library of the system; OSError where there is none."""
    path = ctypes.util.find_library(name)
    if path is None:
        raise OSError("lib%s is not installed" % name)
    return ctypes.CDLL(path)


def libzfp():
    lib = installed("zfp")
    for name in ("zfp_field_alloc", "zfp_stream_open", "stream_open"):
        getattr(lib, name).restype = ctypes.c_void_p
    for name in ("zfp_stream_maximum_size", "zfp_compress", "zfp_decompress"):
        getattr(lib, name).restype = ctypes.c_size_t
    types = {"int32": 1, "int64": 2, "float32": 3, "float64": 4}
    p = ctypes.c_void_p
    room = {}

    def run(a, buffer, encode):
        f, z = p(lib.zfp_field_alloc()), p(lib.zfp_stream_open(None))
        lib.zfp_field_set_type(f, types[a.dtype.name])
        lib.zfp_field_set_pointer(f, p(a.ctypes.data))
        shape = [ctypes.c_size_t(n) for n in reversed(a.shape)]
        getattr(lib, "zfp_field_set_size_%dd" % a.ndim)(f, *shape)
        lib.zfp_stream_set_reversible(z)
        if buffer is None:
            if room.get("of") is not a:
                room["b"], room["of"] = np.ones(lib.zfp_stream_maximum_size(z, f), np.uint8), a
            buffer = room["b"]
        s = p(lib.stream_open(p(buffer.ctypes.data), ctypes.c_size_t(buffer.size)))
        lib.zfp_stream_set_bit_stream(z, s)
        n = (lib.zfp_compress if encode else lib.zfp_decompress)(z, f)
        lib.stream_close(s)
        lib.zfp_stream_close(z)
        lib.zfp_field_free(f)
        return buffer[:n]

    return lambda a: run(a, None, True), lambda stream, back: run(back, stream, False)


def fpzip():
    class Fpz(ctypes.Structure):
        _fields_ = [(name, ctypes.c_int) for name in ("type", "prec", "nx", "ny", "nz", "nf")]

    lib = installed("fpzip")
    for name in ("fpzip_write_to_buffer", "fpzip_read_from_buffer"):
        getattr(lib, name).restype = ctypes.POINTER(Fpz)
    lib.fpzip_write.restype = lib.fpzip_read.restype = ctypes.c_size_t
    room = {}

    def fill(f, a):
        shape = ([1, 1, 1, 1] + list(a.shape))[-4:]
        f.contents.type = 0 if a.itemsize == 4 else 1
        f.contents.prec = 0
        f.contents.nf, f.contents.nz, f.contents.ny, f.contents.nx = shape

    def compress(a):
        if a.dtype.kind != "f":
            raise TypeError("floats only")
        if room.get("of") is not a:
            room["b"], room["of"] = np.ones(a.nbytes + a.nbytes // 4 + 4096, np.uint8), a
        b = room["b"]
        f = lib.fpzip_write_to_buffer(ctypes.c_void_p(b.ctypes.data), ctypes.c_size_t(b.size))
        fill(f, a)
        n = lib.fpzip_write(f, ctypes.c_void_p(a.ctypes.data))
        lib.fpzip_write_close(f)
        return b[:n]

    def decompress(stream, back):
        f = lib.fpzip_read_from_buffer(ctypes.c_void_p(stream.ctypes.data))
        fill(f, back)
        lib.fpzip_read(f, ctypes.c_void_p(back.ctypes.data))
        lib.fpzip_read_close(f)

    return compress, decompress


def zstd(level):
    import zstandard
    c, d = zstandard.ZstdCompressor(level=level), zstandard.ZstdDecompressor()

    def decompress(stream, back):
        back.reshape(-1).view(np.uint8)[:] = np.frombuffer(d.decompress(stream), np.uint8)

    return lambda a: c.compress(a), decompress


def lz4():
    import lz4.block

    def decompress(stream, back):
        whole = lz4.block.decompress(stream, uncompressed_size=back.nbytes)
        back.reshape(-1).view(np.uint8)[:] = np.frombuffer(whole, np.uint8)

    return lambda a: lz4.block.compress(a, store_size=False), decompress


def xz():
    import lzma

    def decompress(stream, back):
        back.reshape(-1).view(np.uint8)[:] = np.frombuffer(lzma.decompress(stream), np.uint8)

    return lambda a: lzma.compress(a, preset=6), decompress


class Program:
    """A compressor that reads standard input and writes standard output: NAME LEVEL, and back NAME
    alone. seconds: of the processor, of the last process."""

    def __init__(self, folder, name, level, floats_only):
        if folder is None:
            raise OSError("no source folder was given")
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, name)
        self.level, self.floats_only, self.seconds = level, floats_only, 0.0
        subprocess.run(["cc", "-O3", "-o", self.path, os.path.join(folder, name + ".c"), "-lm"],
                       check=True, capture_output=True)

    def run(self, words, data):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([self.path, *words], input=data, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return done.stdout

    def compress(self, a):
        if self.floats_only and a.dtype != np.float64:
            raise TypeError("float64 only")
        return self.run([str(self.level)], a.tobytes())

    def decompress(self, stream, back):
        back.reshape(-1).view(np.uint8)[:] = np.frombuffer(self.run([], stream), np.uint8)


def program(folder, name, level, floats_only):
    made = Program(folder, name, level, floats_only)
    return made.compress, made.decompress, made


def blosc():
    import blosc2
    blosc2.set_nthreads(1)

    def compress(a):
        return blosc2.compress2(a, typesize=a.itemsize, clevel=1, codec=blosc2.Codec.ZSTD,
                                filters=[blosc2.Filter.BITSHUFFLE], nthreads=1)

    return compress, lambda stream, back: blosc2.decompress2(stream, dst=back, nthreads=1)


def pco():
    from pcodec import ChunkConfig, standalone
    config = ChunkConfig()

    def compress(a):
        return standalone.simple_compress(a.reshape(-1), config)

    def decompress(stream, back):
        standalone.simple_decompress_into(stream, back.reshape(-1))

    return compress, decompress


def load(directory, row):
    path = os.path.join(directory, row[1])
    with open(path, "rb") as f:
        raw = f.read()
    if path.endswith(".zst"):
        import zstandard
        raw = zstandard.ZstdDecompressor().decompress(raw, max_output_size=int(row[4]))
    dtype = {"f32": "<f4", "f64": "<f8", "i32": "<i4", "i64": "<i8"}[row[2]]
    return np.frombuffer(raw, dtype).reshape([int(n) for n in row[3].split("x")]).copy()


def fastest(action, seconds, made=None):
    best, used, runs = math.inf, 0.0, 0
    while used < seconds or runs < 3:
        t = time.process_time()
        result = action()
        t = made.seconds if made else time.process_time() - t
        best, used, runs = min(best, t), used + t, runs + 1
    return result, max(best, 1e-9)


def draw(path, names, logs):
    """Figure 6: ratio against speed, in both directions, means by type."""
    rows = {}
    for name in names:
        for kind in "f32", "f64":
            own = [values for of, values in logs[name] if of == kind]
            if own:
                shown = "ztile " + name if name in ("ndzip", "zfp") else name
                rows[shown, kind] = [math.exp(sum(v[i] for v in own) / len(own)) for i in range(3)]
    save_both_ways(path, "Lossless compressors: ratio against speed",
                   ["Geometric means over fields, one thread."], rows, "MB/s of raw values")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--fields", type=int, default=10**9, help="the first N alone")
    parser.add_argument("--picture")
    parser.add_argument("--fpc", help="a folder with fpc.c")
    parser.add_argument("--spdp", help="a folder with spdp.c")
    parser.add_argument("data")
    options = parser.parse_args()
    makers = {"ndzip": lambda: ztile(options.library, 2), "zfp": lambda: ztile(options.library, 1),
              "libzfp": libzfp, "fpzip": fpzip, "zstd -1": lambda: zstd(1),
              "zstd -3": lambda: zstd(3), "LZ4": lz4, "xz": xz, "blosc2": blosc, "pcodec": pco,
              "FPC": lambda: program(options.fpc, "fpc", 15, True),
              "SPDP": lambda: program(options.spdp, "spdp", 5, False)}
    codecs, missing = {}, []
    for name, maker in makers.items():
        try:
            codecs[name] = maker()
        except (ImportError, OSError, TypeError, subprocess.CalledProcessError) as problem:
            missing.append("%s (%s)" % (name, problem))
    with open(os.path.join(options.data, "MANIFEST.tsv"), encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f][1:]
    rows = rows[:options.fields]
    print("Each cell: ratio, MB/s compressing, MB/s decompressing.\n")
    print("| field | " + " | ".join(codecs) + " |")
    print("| --- |" + " ---: |" * len(codecs))
    logs = {name: [] for name in codecs}
    for row in rows:
        a, cells = load(options.data, row), []
        for name, (compress, decompress, *made) in codecs.items():
            try:
                stream, c = fastest(lambda: compress(a), options.seconds, *made)
            except TypeError:
                cells.append("–")
                continue
            back = np.zeros_like(a)
            _, d = fastest(lambda: decompress(stream, back), options.seconds, *made)
            if back.tobytes() != a.tobytes():
                raise SystemExit("%s changes %s" % (name, row[0]))
            values = (a.nbytes / len(stream), a.nbytes / c / 1e6, a.nbytes / d / 1e6)
            logs[name].append((row[2], [math.log(v) for v in values]))
            cells.append("%.2f, %.0f, %.0f" % values)
        print("| %s %s | " % (row[0], row[3]) + " | ".join(cells) + " |", flush=True)
    means = [[math.exp(sum(v[i] for _, v in log) / len(log)) for i in range(3)] if log else None
             for log in logs.values()]
    means = ["%.2f, %.0f, %.0f" % tuple(m) if m else "–" for m in means]
    print("| geometric mean | " + " | ".join(means) + " |")
    if options.picture:
        draw(options.picture, list(codecs), logs)
    if missing:
        print("\nNot here: " + "; ".join(missing))


if __name__ == "__main__":
    main()
