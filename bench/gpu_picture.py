#!/usr/bin/env python3
"""gpu_picture.py: ratio against throughput of lossless compressors on a GPU, as figure 6 of the
paper on ndzip-gpu.

    bench/gpu_picture.py collect --peers peers.tsv --check bench.txt --out ndzip-gpu.tsv
    bench/gpu_picture.py draw --table ndzip-gpu.tsv --out ndzip-gpu.svg

peers.tsv is what bench/gpu_peers.py wrote with --made, bench.txt what `ztile-gpu-check --bench`
printed on the same device: both are of the same cubes of waves and noise, kernels from GPU memory
to GPU memory. 'collect' keeps what came back bit for bit, of each compressor the setting with the
largest ratio.
"""

import argparse
import csv
import re

from panels import save_both_ways

CUBES = {"wave_f32_384": "f32", "wave_f64_320": "f64"}
LINE = re.compile(
    r"# (ndzip|zfp reversible)\s+(f32|f64) 3d\s+ratio\s+([\d.]+)\s+kernels\s+[\d.]+\s+[\d.]+ ms"
    r"\s+([\d.]+)\s+([\d.]+) GB/s"
)


def collect(peers, check, out):
    best = {}
    with open(peers, encoding="utf-8") as f:
        lines = [line for line in f if not line.startswith("#")]
    for row in csv.DictReader(lines, delimiter="\t"):
        key = row["peer"], CUBES.get(row["field"])
        numbers = [float(row[c]) for c in ("ratio", "compress_GB/s", "decompress_GB/s")]
        if row["check"] == "same" and key[1] and numbers > best.get(key, [0]):
            best[key] = numbers
    with open(check, encoding="utf-8") as f:
        for line in f:
            found = LINE.match(line)
            if found:
                numbers = [float(n) for n in found.groups()[2:]]
                best["ztile " + found[1].split()[0], found[2]] = numbers
    with open(out, "w", encoding="utf-8") as f:
        print("#compressor\ttype\tratio\tcompress_GBps\tdecompress_GBps", file=f)
        for (name, kind), numbers in sorted(best.items(), key=lambda item: (item[0][1], item[0])):
            print(name, kind, *(f"{n:g}" for n in numbers), sep="\t", file=f)


def draw(table, out):
    rows = {}
    with open(table, encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                name, kind, *numbers = line.split("\t")
                rows[name.replace("nvCOMP ", ""), kind] = [float(n) for n in numbers]
    said = (
        "NVIDIA H100, cubes of waves and noise, within GPU memory.",
        "ANS, Bitcomp, Cascaded, (G)Deflate, LZ4, Snappy, Zstd: nvCOMP's.",
    )
    title = "Lossless compressors on a GPU: ratio against throughput"
    save_both_ways(out, title, said, rows, "GB/s of raw values")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("collect", "draw"))
    for name in ("peers", "check", "table"):
        parser.add_argument("--" + name)
    parser.add_argument("--out", required=True)
    a = parser.parse_args()
    if a.what == "collect":
        collect(a.peers, a.check, a.out)
    else:
        draw(a.table, a.out)


if __name__ == "__main__":
    main()
