#!/usr/bin/env python3
"""ratio_speed.py: ratio against speed of ztile's codecs and all peers, as one figure.

    bench/ratio_speed.py measure --ztile BIN --data FOLDER --out ours.tsv
    bench/ratio_speed.py draw --data FOLDER --ours ours.tsv --out ratio-speed.svg

FOLDER holds MANIFEST.tsv, the fields (some compressed with zstd), peers.tsv and peers-lossless.tsv.
'measure' runs 'ztile bench' with one thread on each field, at rel 1e-3 and lossless. 'draw' takes
geometric means over those fields that every coder of a panel has, so that all means are of the same
fields. Speeds of peers are those in the files: other runs, on the same kind of machine.
"""

import argparse
import csv
import json
import math
import os
import subprocess
import tempfile

from panels import Figure, draw_panel
from sz_tables import raw_file

NAMES = {
    "zfp": "ztile zfp",
    "sz": "ztile sz",
    "sz-fast": "ztile sz fast",
    "sz-high": "ztile sz high",
    "ndzip": "ztile ndzip",
    "zfp-acc": None,
    "SZ3-lorreg": None,
}  # None: another row has it
UNIT = "compress, MB/s a core"
CODECS = "zfp,sz,sz-fast,sz-high,ndzip,libzfp,fpzip"


def measure(ztile, data, out):
    with open(os.path.join(data, "MANIFEST.tsv"), encoding="utf-8") as f:
        rows = list(csv.DictReader(f, delimiter="\t"))
    with open(out, "w", encoding="utf-8") as f, tempfile.TemporaryDirectory() as scratch:
        print("#codec\tfield\tbound\tratio\tcompress_MBps\tdecompress_MBps", file=f)
        for row in rows:
            told = subprocess.run(
                [
                    ztile,
                    "bench",
                    "--json",
                    "-q",
                    "-x",
                    "serial",
                    "--codecs",
                    CODECS,
                    "--bounds",
                    "rel=1e-3,lossless",
                    "-t",
                    row["dtype"],
                    "-s",
                    row["dims"],
                    raw_file(data, row, scratch),
                ],
                check=True,
                capture_output=True,
            )
            for r in json.loads(told.stdout)["rows"]:
                print(
                    r["codec"],
                    row["file"],
                    r["bound"],
                    f"{r['ratio']:.4f}",
                    f"{r['encode_mb_per_s']:.0f}",
                    f"{r['decode_mb_per_s']:.0f}",
                    sep="\t",
                    file=f,
                )


def rows_of(path, name, field, bound):
    """{coder: {field: (ratio, MB/s)}} of a table; name and bound look at a row's columns."""
    found = {}
    with open(path, encoding="utf-8") as f:
        header = None
        for line in f:
            words = line.rstrip("\n").split("\t")
            if line[0] == "#":
                header = words if len(words) > 3 else header
                continue
            row = dict(zip([h.lstrip("#") for h in header], words))
            if bound(row) and NAMES.get(name(row), name(row)):
                coder = NAMES.get(name(row), name(row))
                found.setdefault(coder, {})[row[field]] = (
                    float(row["ratio"]),
                    float(row["compress_MBps"]),
                )
    return found


def mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def points_of(coders, least):
    """Means over the fields that all coders with enough fields have."""
    coders = {c: fields for c, fields in coders.items() if len(fields) >= least}
    common = set.intersection(*(set(fields) for fields in coders.values()))
    return {
        c: tuple(mean([fields[f][i] for f in common]) for i in (0, 1))
        for c, fields in coders.items()
    }, len(common)


def draw(data, ours, out):
    by_codec = {"name": lambda r: r["codec"], "field": "field"}
    lossy = rows_of(
        os.path.join(data, "peers.tsv"),
        lambda r: r["peer"],
        "field",
        lambda r: float(r["rel_bound"]) == 1e-3,
    )
    lossy.update(rows_of(ours, bound=lambda r: r["bound"] == "rel", **by_codec))
    lossless = rows_of(
        os.path.join(data, "peers-lossless.tsv"),
        lambda r: f"{r['peer']} {r['level']}".strip(" -"),
        "field",
        lambda r: True,
    )
    lossless.update(rows_of(ours, bound=lambda r: r["bound"] == "lossless", **by_codec))
    f = Figure("Ratio against speed: ztile's codecs and their peers", 740)
    points, count = points_of(lossy, 13)
    draw_panel(
        f,
        28,
        "Within 0.001 of the range",
        f"geometric means of {count} fields, one thread",
        points,
        UNIT,
    )
    for coder, (ratio, speed) in sorted(points.items()):
        print(f"rel 1e-3 {coder}\t{ratio:.2f}\t{speed:.0f}")
    points, count = points_of(lossless, 20)
    draw_panel(
        f, 394, "Without loss", f"geometric means of {count} fields, one thread", points, UNIT
    )
    for coder, (ratio, speed) in sorted(points.items()):
        print(f"lossless {coder}\t{ratio:.3f}\t{speed:.0f}")
    f.save(out)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("measure", "draw"))
    parser.add_argument("--ztile")
    parser.add_argument("--data", required=True)
    parser.add_argument("--ours")
    parser.add_argument("--out", required=True)
    a = parser.parse_args()
    if a.what == "measure":
        measure(a.ztile, a.data, a.out)
    else:
        draw(a.data, a.ours, a.out)


if __name__ == "__main__":
    main()
