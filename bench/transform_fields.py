#!/usr/bin/env python3
"""The transform coder of sz beside SPERR and effort high, field by field.

    bench/transform_fields.py [--ztile build/release/bin/ztile] [--data ../shared/data] [--only NAME]
        [--method transform] [--bounds 1e-2,1e-3,1e-4] [--psnr] [--pointwise] [--high]

--psnr: ratios at the PSNR that SPERR reaches under three pointwise bounds (peers-psnr.tsv), over
SPERR's. --pointwise: ratios under the same bounds, over effort high's. Ratios are of whole files;
times are processor seconds of compressing on one thread.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile


def raw_file(data, name, folder):
    """A field of the data folder as a raw file, decompressed where it is stored by zstd."""
    plain = data / name
    if plain.exists():
        return plain
    out = pathlib.Path(folder) / name
    if not out.exists():
        subprocess.run(["zstd", "-dq", str(data / (name + ".zst")), "-o", str(out)], check=True)
    return out


def shapes(data):
    rows = (data / "MANIFEST.tsv").read_text().splitlines()[1:]
    return {r.split("\t")[0]: r.split("\t")[3] for r in rows}


def peers(data):
    """(field, bound): SPERR's ratio and PSNR."""
    found = {}
    for line in (data / "peers-psnr.tsv").read_text().splitlines():
        words = line.split("\t")
        if words[0] == "SPERR":
            found[words[1], float(words[2])] = float(words[3]), float(words[4])
    return found


def run(ztile, source, shape, options, folder):
    """Compress and compare: ratio, PSNR, whether the bound holds, processor seconds."""
    out = os.path.join(folder, "out.zt")
    before = os.times()
    subprocess.run([ztile, "compress", source, "-s", shape, "-f", "-o", out, "-x", "serial", *options],
                   check=True, stderr=subprocess.DEVNULL)
    after = os.times()
    told = json.loads(subprocess.run([ztile, "compare", source, out, "-s", shape, "--json"],
                                     check=False, capture_output=True, text=True).stdout)
    seconds = after.children_user - before.children_user + after.children_system - before.children_system
    return told["ratio"], told["psnr"] or math.inf, told["bound_held"], seconds


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def main():
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("--ztile", default="build/release/bin/ztile")
    parse.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data"))
    parse.add_argument("--only", default="")
    parse.add_argument("--method", default="transform")
    parse.add_argument("--effort", default="")
    parse.add_argument("--bounds", default="1e-2,1e-3,1e-4")
    parse.add_argument("--psnr", action="store_true")
    parse.add_argument("--pointwise", action="store_true")
    a = parse.parse_args()
    ours = ["--effort", a.effort] if a.effort else ["--method", a.method]
    known, shape_of = peers(a.data), shapes(a.data)
    bounds = [float(b) for b in a.bounds.split(",")]
    held = True
    with tempfile.TemporaryDirectory() as folder:
        for bound in bounds:
            over_sperr, over_high = [], []
            for (name, b), (ratio, psnr) in sorted(known.items()):
                if b != bound or a.only not in name:
                    continue
                source, shape = str(raw_file(a.data, name, folder)), shape_of[name]
                words = [f"{name:24} {bound:g}"]
                if a.psnr:
                    own, reached, _, seconds = run(a.ztile, source, shape, [*ours, "--psnr", str(psnr)], folder)
                    over_sperr.append(own / ratio)
                    held = held and reached >= psnr
                    words.append(f"psnr {psnr:5.1f} {reached - psnr:+.2f} dB ratio {own:8.2f} "
                                 f"SPERR {ratio:8.2f} x {own / ratio:.3f} {seconds:5.2f} s")
                if a.pointwise:
                    own, _, is_held, seconds = run(a.ztile, source, shape, [*ours, "--rel", str(bound)], folder)
                    high, _, _, slow = run(a.ztile, source, shape, ["-c", "sz", "--effort", "high", "--rel", str(bound)],
                                           folder)
                    over_high.append(own / high)
                    held = held and is_held
                    words.append(f"rel {own:8.2f} high {high:8.2f} x {own / high:.3f} "
                                 f"{seconds:5.2f} s {slow:5.2f} s")
                print("  ".join(words), flush=True)
            print(f"mean at {bound:g}: over SPERR {mean(over_sperr):.3f} (least {min(over_sperr, default=math.nan):.3f}), "
                  f"over high {mean(over_high):.3f} (least {min(over_high, default=math.nan):.3f})", flush=True)
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
