"""How fast a large buffer that zfpy wrote is read, by zfpy and by ztile, in alternate runs.

    python python/bench/zfpy_buffer.py [--mib 256] [--tolerance 1e-3] [--runs 5]

Needs the packages zfpy (1.0.1, of which this measures the wheel that PyPI has) and ztile. Prints
the median of each one's wall-clock and processor time, and zfpy's over ztile's.
"""
from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
import zfpy

import ztile


def field(mib):
    """float32 that is smooth with some noise, and takes a few bits per value."""
    n = round((mib * 2**18) ** (1 / 3))
    x = np.linspace(0, 20, n, dtype="float32")
    a = np.sin(x)[:, None, None] * np.cos(x * 1.3)[:, None] + np.sin(0.7 * x)
    return a + 0.002 * np.random.default_rng(0).standard_normal((n, n, n), dtype="float32")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mib", type=float, default=256)
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    a = field(options.mib)
    data = zfpy.compress_numpy(a, tolerance=options.tolerance)
    out = np.zeros_like(a)
    # zfpy allocates its result at each call, and so does ztile where it is given no 'out'
    calls = {
        "zfpy.decompress_numpy": lambda: zfpy.decompress_numpy(data),
        "ztile.zfp, 1 thread": lambda: ztile.zfp.decompress(data, threads=1),
        "ztile.zfp, 2 threads": lambda: ztile.zfp.decompress(data, threads=2),
        "  into the same memory": lambda: ztile.zfp.decompress(data, out, threads=2),
        "zfpy.compress_numpy": lambda: zfpy.compress_numpy(a, tolerance=options.tolerance),
        "ztile.zfp, 1 thread ": lambda: ztile.zfp.compress(a, options.tolerance, threads=1),
        "ztile.zfp, 2 threads ": lambda: ztile.zfp.compress(a, options.tolerance, threads=2),
    }
    wall = {name: [] for name in calls}
    processor = {name: [] for name in calls}
    expected = zfpy.decompress_numpy(data)
    assert ztile.zfp.decompress(data).tobytes() == expected.tobytes()
    assert ztile.zfp.compress(a, options.tolerance) == data
    for _ in range(options.runs):
        for name, call in calls.items():
            start, used = time.perf_counter(), time.process_time()
            call()
            wall[name].append(time.perf_counter() - start)
            processor[name].append(time.process_time() - used)
    print(f"{a.nbytes / 2**20:.0f} MiB of float32, {8 * len(data) / a.size:.2f} bits per value; "
          f"median of {options.runs} alternate runs")
    for name in calls:
        if name.startswith("zfpy"):
            theirs = name
            print()
        seconds, cpu = statistics.median(wall[name]), statistics.median(processor[name])
        ratio = statistics.median(wall[theirs]) / seconds
        print(f"{name:24} {seconds:6.3f} s  {a.nbytes / seconds / 1e9:5.2f} GB/s  "
              f"processor {cpu:6.3f} s  {ratio:5.2f} x")


if __name__ == "__main__":
    main()
