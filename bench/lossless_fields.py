#!/usr/bin/env python3
"""lossless_fields.py: what the lossless coders of sz make of real fields, beside the best peer.

    bench/lossless_fields.py --ztile BIN --data FOLDER [--peers FILE.tsv] [--megabytes N]

Prints a table of the FOLDER's fields (MANIFEST.tsv): the ratio of each effort and of the best peer
of each field, from a table of peers that bench/lossless_peers.py writes. Then the geometric means,
the fields on which effort high is at least the best peer, and at least 0.95 of it; and MB/s of raw
values on one core, compressing and decompressing: bytes of all fields over their time in the
processor, each field repeated along its slowest axis to N megabytes (default 16). Reading and
writing files is part of these times. Every file is decompressed and compared with its field.
"""
import argparse
import csv
import math
import os
import resource
import subprocess
import tempfile

from sz_tables import raw_file

EFFORTS = "default", "high"


def best_peers(path):
    best = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            cells = line.rstrip("\n").split("\t")
            if line.startswith("#") or len(cells) < 4:
                continue
            peer, field, ratio = cells[0], cells[2], float(cells[3])
            if ratio > best.get(field, (0, ""))[0]:
                best[field] = ratio, peer
    return best


def seconds_of(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def both_ways(ztile, path, row, dims, effort, scratch):
    """Bytes of the file, and seconds to make and to read it."""
    packed, back = os.path.join(scratch, "out.zt"), os.path.join(scratch, "back")
    make = seconds_of([ztile, "compress", "-q", "-f", "-x", "serial", "-t", row["dtype"],
                       "-s", dims, path, "-o", packed, "-c", "sz", "--lossless",
                       "--effort", effort])
    read = seconds_of([ztile, "decompress", "-q", "-f", "-x", "serial", packed, "-o", back])
    with open(path, "rb") as one, open(back, "rb") as other:
        if one.read() != other.read():
            raise SystemExit(f"{path}: what comes back is something else")
    return os.path.getsize(packed), make, read


def repeated(path, row, megabytes, scratch):
    """A file that repeats the field up to about this many megabytes, and its shape."""
    with open(path, "rb") as f:
        data = f.read()
    times = max(1, round(megabytes * 1e6 / len(data)))
    out = os.path.join(scratch, "repeated")
    with open(out, "wb") as f:
        for _ in range(times):
            f.write(data)
    slowest, *others = row["dims"].split("x")
    return out, "x".join([str(int(slowest) * times), *others]), len(data) * times


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--ztile", required=True)
    options.add_argument("--data", required=True)
    options.add_argument("--peers")
    options.add_argument("--megabytes", type=float, default=16)
    args = options.parse_args()
    peers = best_peers(args.peers or os.path.join(args.data, "peers-lossless.tsv"))
    with open(os.path.join(args.data, "MANIFEST.tsv"), encoding="utf-8") as f:
        rows = list(csv.DictReader(f, delimiter="\t"))
    ratios = {effort: [] for effort in EFFORTS}
    spent = {effort: [0, 0, 0] for effort in EFFORTS}
    of_best = []
    print("| field | sz default | sz high | best peer | high of it |")
    print("| --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as scratch:
        for row in rows:
            path = raw_file(args.data, row, scratch)
            long, dims, long_bytes = repeated(path, row, args.megabytes, scratch)
            for effort in EFFORTS:
                size, _, _ = both_ways(args.ztile, path, row, row["dims"], effort, scratch)
                ratios[effort].append(os.path.getsize(path) / size)
                _, make, read = both_ways(args.ztile, long, row, dims, effort, scratch)
                spent[effort] = [a + b for a, b in zip(spent[effort], (long_bytes, make, read))]
            peer, name = peers[row["file"]]
            of_best.append(ratios["high"][-1] / peer)
            print(f"| {row['file']} | {ratios['default'][-1]:.3f} | {ratios['high'][-1]:.3f} | "
                  f"{peer:.3f} {name} | {of_best[-1]:.3f} |", flush=True)
    for effort in EFFORTS:
        mean = math.exp(sum(map(math.log, ratios[effort])) / len(rows))
        raw, make, read = spent[effort]
        print(f"\n{effort}: geometric mean {mean:.3f}; {raw / make / 1e6:.0f} MB/s compressing, "
              f"{raw / read / 1e6:.0f} decompressing")
    print(f"\nhigh is at least the best peer on {sum(x >= 1 for x in of_best)} of {len(rows)} "
          f"fields, at least 0.95 of it on {sum(x >= 0.95 for x in of_best)}")


if __name__ == "__main__":
    main()
