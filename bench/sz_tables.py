#!/usr/bin/env python3
"""sz_tables.py: what the sz codec makes of tight bounds, and how it stands at equal quality.

    bench/sz_tables.py --ztile BIN --data FOLDER [--made FILE]

Prints three tables. Bits a value from rel 1e-2 to lossless, and what each halving of the bound
costs: on channel_dns_uvw4d and on FILE, the 128 x 128 x 128 float64 values that 'sz_bench --write
FILE' makes. Then, field by field, PSNR and ratio at rel 1e-4 (some 85 dB) beside the lowest fixed
rate of zfp, in steps of half a bit, that has at least this PSNR: the form of table V of the cuSZ
paper. Then the bytes of the first 1000 values of sperr_999x999 at rel 1e-3.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import tempfile

LEFT_OUT = {"bcc_tos2d", "cesm_le_ts2d", "spitzer2d", "um_seaice_v3d"}
TIGHT = ["1e-%d" % n for n in range(2, 15)] + ["0"]


def rows_of(folder):
    with open(os.path.join(folder, "MANIFEST.tsv"), encoding="utf-8") as f:
        rows = list(csv.DictReader(f, delimiter="\t"))
    return [r for r in rows if r["dtype"][0] == "f" and r["file"].split(".")[0] not in LEFT_OUT]


def raw_file(folder, row, scratch):
    stored = os.path.join(folder, row["stored"])
    if not stored.endswith(".zst"):
        return stored
    out = os.path.join(scratch, row["file"])
    if not os.path.exists(out):
        subprocess.run(["zstd", "-q", "-d", stored, "-o", out], check=True)
    return out


def told_of(ztile, path, kind, dims, scratch, *options):
    """What compare says of a file compressed with these options, and its bytes."""
    out = os.path.join(scratch, "out.zt")
    subprocess.run([ztile, "compress", "-q", "-f", "-t", kind, "-s", dims, path, "-o", out,
                    *options], check=True)
    told = json.loads(subprocess.run([ztile, "compare", "-q", "--json", "-t", kind, "-s", dims,
                                      path, out], check=True, capture_output=True).stdout)
    return told, os.path.getsize(out)


def print_tight(ztile, name, path, kind, dims, scratch):
    values = math.prod(int(n) for n in dims.split("x"))
    before, before_rel = None, None
    print("\n| %s, rel | bits a value | ratio | a halving costs |" % name)
    print("| --- | --- | --- | --- |")
    for rel in TIGHT:
        _, size = told_of(ztile, path, kind, dims, scratch, "-c", "sz", "--rel", rel)
        bits = 8 * size / values
        step = "" if before is None or rel == "0" else "%.2f" % (
            (bits - before) / math.log2(before_rel / float(rel)))
        print("| %s | %.2f | %.2f | %s |" % (rel if rel != "0" else "lossless", bits,
                                             int(kind[1:]) / bits, step))
        before, before_rel = bits, float(rel)


def rate_of(ztile, path, row, scratch, least_psnr):
    """The lowest fixed rate of zfp with at least this PSNR."""
    width = int(row["dtype"][1:])
    low, high = 1, 2 * width
    while low < high:
        half = (low + high) // 2
        told, size = told_of(ztile, path, row["dtype"], row["dims"], scratch, "-c", "zfp",
                             "--rate", str(half / 2), "--index", "none")
        psnr = told["psnr"]
        if psnr is None or psnr >= least_psnr:
            high = half
        else:
            low = half + 1
    return high / 2


def print_equal_quality(ztile, folder, rows, scratch):
    print("\n| field | PSNR, dB | bits a value | ratio | zfp's rate | ratio over zfp's |\n"
          "| --- | --- | --- | --- | --- | --- |")
    gains = []
    for row in rows:
        path, width = raw_file(folder, row, scratch), int(row["dtype"][1:])
        values = math.prod(int(n) for n in row["dims"].split("x"))
        told, size = told_of(ztile, path, row["dtype"], row["dims"], scratch, "-c", "sz", "--rel",
                             "1e-4")
        rate = rate_of(ztile, path, row, scratch, told["psnr"])
        bits = 8 * size / values
        gains.append(rate / bits)
        print("| %s | %.1f | %.2f | %.1f | %.1f | %.2f |" % (
            row["file"].split(".")[0], told["psnr"], bits, width / bits, rate, rate / bits))
    print("| geometric mean | | | | | %.2f |" % math.exp(sum(map(math.log, gains)) / len(gains)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ztile", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--made")
    options = parser.parse_args()
    rows = rows_of(options.data)
    with tempfile.TemporaryDirectory() as scratch:
        for row in rows:
            if row["file"].startswith("channel_dns"):
                print_tight(options.ztile, "channel_dns_uvw4d",
                            raw_file(options.data, row, scratch), row["dtype"], row["dims"],
                            scratch)
        if options.made:
            print_tight(options.ztile, "turbulence-like, float64", options.made, "f64",
                        "128x128x128", scratch)
        print_equal_quality(options.ztile, options.data, rows, scratch)
        small = os.path.join(scratch, "first.f32")
        with open(os.path.join(options.data, "sperr_999x999.f32"), "rb") as f, \
                open(small, "wb") as g:
            g.write(f.read(4000))
        print("\nfirst 1000 values of sperr_999x999, rel 1e-3:",
              *("%s %d bytes" % (effort, told_of(options.ztile, small, "f32", "1000", scratch, "-c",
                                                 "sz", "--effort", effort, "--rel", "1e-3")[1])
                for effort in ("fast", "default")))


if __name__ == "__main__":
    main()
