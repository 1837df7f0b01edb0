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
import sys
import tempfile

from sz_tables import raw_file

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "figures", "draw")
)
from svg import Figure  # noqa: E402

NAMES = {
    "zfp": "ztile zfp",
    "sz": "ztile sz",
    "sz-fast": "ztile sz fast",
    "sz-high": "ztile sz high",
    "ndzip": "ztile ndzip",
    "zfp-acc": None,
    "SZ3-lorreg": None,
}  # None: another row has it
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


def nice(low, high, steps=(1, 2, 5)):
    """Numbers on a logarithmic axis."""
    return [s * 10.0**e for e in range(-2, 6) for s in steps if low <= s * 10.0**e <= high]


def label_of(x, y, words, taken, right):
    """A place for a label by its point, that meets none before."""
    wide = (8.4 if words.startswith("ztile") else 7.6) * len(words)
    for dx, dy in (
        (9, 5),
        (-9 - wide, 5),
        (-wide / 2, -10),
        (-wide / 2, 21),
        (9, -9),
        (9, 18),
        (-9 - wide, -9),
        (-9 - wide, 18),
        (9, 30),
        (-9 - wide, 30),
    ):
        box = (x + dx, y + dy - 12, x + dx + wide, y + dy + 3)
        if (
            box[2] <= right
            and box[0] >= 48
            and all(
                box[2] < b[0] or box[0] > b[2] or box[3] < b[1] or box[1] > b[3] for b in taken
            )
        ):
            break
    taken.append(box)
    return box[0], box[3] - 3, dy == 5


def draw_panel(f, top, title, said, points):
    left, right, bottom = 52, f.width - 16, top + 300
    f.text(16, top, title, "head")
    f.text(16, top + 20, said, "small")
    ratios, speeds = zip(*points.values())
    x_low, x_high = min(speeds) / 1.35, max(speeds) * 1.7
    y_low, y_high = min(ratios) / 1.1, max(ratios) * 1.12

    def x_of(v):
        return left + (right - left) * math.log(v / x_low) / math.log(x_high / x_low)

    def y_of(v):
        return bottom - (bottom - top - 34) * math.log(v / y_low) / math.log(y_high / y_low)

    last = 0
    for v in nice(x_low, x_high):
        f.path(f"M{x_of(v):.1f} {top + 34}L{x_of(v):.1f} {bottom}", "faint")
        if x_of(v) - last > 45:
            last = x_of(v)
            f.text(last, bottom + 18, f"{v:g}", "small", "middle")
    ticks = nice(y_low, y_high)
    for v in (
        ticks
        if len(ticks) > 2
        else [1 + 0.1 * k for k in range(0, 40) if y_low <= 1 + 0.1 * k <= y_high][::2]
    ):
        f.path(f"M{left} {y_of(v):.1f}L{right} {y_of(v):.1f}", "faint")
        f.text(left - 6, y_of(v) + 5, f"{v:g}", "small", "end")
    f.text(right, bottom + 38, "compress, MB/s a core", "small", "end")
    f.text(left, bottom + 38, "upwards: ratio", "small")
    at = {c: (x_of(s), y_of(r)) for c, (r, s) in points.items()}
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in at.values()]
    for coder, (x, y) in sorted(
        at.items(), key=lambda item: (not item[0].startswith("ztile"), item[1][1])
    ):
        is_ours = coder.startswith("ztile")
        f.dot(x, y, 5, "a" if is_ours else "c")
        lx, ly, is_beside = label_of(x, y, coder, taken, right + 8)
        if not is_beside:  # the name stands away from its point: a line leads there
            end = min(max(x, lx), taken[-1][2])
            f.path(f"M{x:.1f} {y:.1f}L{end:.1f} {ly - (11 if ly > y else -3):.1f}", "line")
        f.text(lx, ly, coder, "head" if is_ours else "", "start")


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
    )
    for coder, (ratio, speed) in sorted(points.items()):
        print(f"rel 1e-3 {coder}\t{ratio:.2f}\t{speed:.0f}")
    points, count = points_of(lossless, 20)
    draw_panel(f, 394, "Without loss", f"geometric means of {count} fields, one thread", points)
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


main()
