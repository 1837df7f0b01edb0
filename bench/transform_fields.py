#!/usr/bin/env python3
"""transform_fields.py: the transform coder of sz beside SPERR and effort high, field by field.

    bench/transform_fields.py --ztile BIN --data FOLDER [--psnr] [--pointwise] [--effort high]
                              [--only NAME] [--bounds 1e-2,1e-3,1e-4]

--psnr: ratios at the PSNR that SPERR reaches under pointwise bounds (FOLDER's peers-psnr.tsv), over
SPERR's. --pointwise: ratios under the same bounds, over effort high's. --effort: instead of the
transform. Ratios are of whole files; times are processor seconds of compressing on one thread. Ends
with status 1 where a PSNR or a bound was not kept.
"""
import argparse
import csv
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

from sz_tables import raw_file


def peers(folder):
    """By field and bound: SPERR's ratio and PSNR."""
    found = {}
    with open(os.path.join(folder, "peers-psnr.tsv"), encoding="utf-8") as f:
        for line in f:
            cells = line.rstrip("\n").split("\t")
            if cells[0] == "SPERR":
                found[cells[1], float(cells[2])] = float(cells[3]), float(cells[4])
    return found


def run(ztile, source, dims, options, scratch):
    """Compress and compare: ratio, PSNR, whether the bound holds, processor seconds."""
    out = os.path.join(scratch, "out.zt")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([ztile, "compress", source, "-s", dims, "-q", "-f", "-o", out, "-x", "serial",
                    *options], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = json.loads(subprocess.run([ztile, "compare", source, out, "-s", dims, "--json"],
                                     check=False, capture_output=True, text=True).stdout)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return told["ratio"], told["psnr"] or math.inf, told["bound_held"], seconds


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def main():
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("--ztile", required=True)
    parse.add_argument("--data", required=True)
    parse.add_argument("--psnr", action="store_true")
    parse.add_argument("--pointwise", action="store_true")
    parse.add_argument("--effort")
    parse.add_argument("--only", default="")
    parse.add_argument("--bounds", default="1e-2,1e-3,1e-4")
    a = parse.parse_args()
    ours = ["-c", "sz", "--effort", a.effort] if a.effort else ["--method", "transform"]
    high = ["-c", "sz", "--effort", "high"]
    with open(os.path.join(a.data, "MANIFEST.tsv"), encoding="utf-8") as f:
        rows = {row["file"]: row for row in csv.DictReader(f, delimiter="\t")}
    is_kept = True
    with tempfile.TemporaryDirectory() as scratch:
        for bound in map(float, a.bounds.split(",")):
            over_sperr, over_high = [], []
            for (name, at), (ratio, psnr) in sorted(peers(a.data).items()):
                if at != bound or a.only not in name:
                    continue
                source, dims = raw_file(a.data, rows[name], scratch), rows[name]["dims"]
                words = [f"{name:24} {bound:g}"]
                if a.psnr:
                    own, reached, _, seconds = run(a.ztile, source, dims,
                                                   [*ours, "--psnr", str(psnr)], scratch)
                    over_sperr.append(own / ratio)
                    is_kept = is_kept and reached >= psnr
                    words.append(f"psnr {psnr:5.1f} {reached - psnr:+.2f} dB ratio {own:8.2f} "
                                 f"SPERR {ratio:8.2f} x {own / ratio:.3f} {seconds:5.2f} s")
                if a.pointwise:
                    own, _, held, seconds = run(a.ztile, source, dims,
                                                [*ours, "--rel", str(bound)], scratch)
                    other, _, _, slow = run(a.ztile, source, dims, [*high, "--rel", str(bound)],
                                            scratch)
                    over_high.append(own / other)
                    is_kept = is_kept and held
                    words.append(f"rel {own:8.2f} high {other:8.2f} x {own / other:.3f} "
                                 f"{seconds:5.2f} s {slow:5.2f} s")
                print("  ".join(words), flush=True)
            for name, values in ("SPERR", over_sperr), ("high", over_high):
                if values:
                    print(f"{bound:g} over {name}: mean {mean(values):.3f}, "
                          f"least {min(values):.3f}", flush=True)
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
