#!/usr/bin/env python3
"""sz_ratios.py: how small the sz codec makes real fields, beside its peers.

    bench/sz_ratios.py --ztile BIN --data FOLDER [--effort NAME]... [--fields]

FOLDER holds MANIFEST.tsv, peers.tsv and peers-psnr.tsv. For each effort: the geometric means of the
ratio (raw bytes over all bytes of the .zt file) over all float fields but four with fill values, at
three relative bounds; every file is decompressed and compared. --fields prints every field, each
ratio with what part it is of the best of SZ3, SZ2, SPERR, HPEZ and PFPL on that field.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import tempfile

from sz_tables import raw_file

LEFT_OUT = {"bcc_tos2d", "cesm_le_ts2d", "spitzer2d", "um_seaice_v3d"}
BOUNDS = ("1e-2", "1e-3", "1e-4")
BEST = ("SZ3", "SZ3-lorreg", "SZ2", "SPERR", "HPEZ", "PFPL")


def fields_of(folder):
    with open(os.path.join(folder, "MANIFEST.tsv"), encoding="utf-8") as f:
        rows = list(csv.DictReader(f, delimiter="\t"))
    return [r for r in rows if r["dtype"][0] == "f" and r["file"].split(".")[0] not in LEFT_OUT]


def peers_of(folder):
    """{(peer, bound): {field: ratio}}"""
    found = {}
    for name, column in ("peers-psnr.tsv", 3), ("peers.tsv", 4):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            for line in f:
                words = line.rstrip("\n").split("\t")
                if line[0] != "#" and len(words) > 4:
                    bound = ("%.0e" % float(words[2])).replace("e-0", "e-")
                    found.setdefault((words[0], bound), {})[words[1]] = float(words[column])
    return found


def ratio_of(ztile, path, row, bound, effort, scratch):
    out = os.path.join(scratch, "out.zt")
    choice = ["--method", effort] if effort == "cusz" else ["--effort", effort]
    subprocess.run([ztile, "compress", "-q", "-f", "-c", "sz", *choice, "--rel", bound,
                    "-t", row["dtype"], "-s", row["dims"], path, "-o", out], check=True)
    told = subprocess.run([ztile, "compare", "-q", "--json", "-t", row["dtype"], "-s", row["dims"],
                           path, out], check=True, capture_output=True)
    told = json.loads(told.stdout)
    if not told["bound_held"]:
        raise SystemExit("%s: the bound does not hold" % row["file"])
    return told["ratio"]


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def of_best(found, peers, bound, field):
    """A ratio as a part of the best peer's."""
    return found[bound][field] / max(peers.get((p, bound), {}).get(field, 0) for p in BEST)


def print_fields(found, peers, rows):
    for row in rows:
        field = row["file"]
        print("  %-22s" % field,
              *("%8.2f (%.2f)" % (found[b][field], of_best(found, peers, b, field))
                for b in BOUNDS))
    parts = {b: [of_best(found, peers, b, row["file"]) for row in rows] for b in BOUNDS}
    for name, what in (("mean", mean), ("least", min)):
        print("  %-22s" % (name + " part of the best"),
              *("%15.2f" % what(parts[b]) for b in BOUNDS))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ztile", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--effort", action="append")
    parser.add_argument("--fields", action="store_true")
    options = parser.parse_args()
    rows = fields_of(options.data)
    peers = peers_of(options.data)
    print("%-24s %8s %8s %8s" % (("geometric mean of %d" % len(rows),) + BOUNDS))
    with tempfile.TemporaryDirectory() as scratch:
        for effort in options.effort or ["fast", "default", "high", "cusz"]:
            found = {b: {} for b in BOUNDS}
            for row in rows:
                path = raw_file(options.data, row, scratch)
                for bound in BOUNDS:
                    found[bound][row["file"]] = ratio_of(options.ztile, path, row, bound, effort,
                                                         scratch)
            if options.fields:
                print_fields(found, peers, rows)
            print("%-24s" % ("ztile sz, " + effort),
                  *("%8.2f" % mean(list(found[b].values())) for b in BOUNDS))
            for peer in sorted({p for p, _ in peers}):
                worse = sum(found[b][f] < r for b in BOUNDS
                            for f, r in peers.get((peer, b), {}).items() if f in found[b])
                of = sum(len(peers.get((peer, b), {})) for b in BOUNDS)
                print("    smaller ratio than %-12s on %2d of %d" % (peer, worse, of))
    for peer in sorted({p for p, _ in peers}):
        print("%-24s" % peer,
              *("%8.2f" % mean(list(peers.get((peer, b), {}).values())) for b in BOUNDS))


if __name__ == "__main__":
    main()
