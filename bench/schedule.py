#!/usr/bin/env python3
"""Counts how much faster several threads can be than one, by the schedule of ztile's threads and
the times of stages that one thread takes.

    bench/schedule.py [--ztile ZTILE] [--bound rel=1e-3] FIELD_296x296x296.f32

The stages are those of 'ztile bench --stages -x serial'. Range, samples, counting, coding and
decoding are cut into pieces of 32 tiles of 4096 values, which threads take in order; a coded piece
is copied to its place when all before it are coded. All else runs on one thread. Memory, which all
threads share, and the start of threads take no time here: what is measured beside says what they
cost.
"""
import argparse
import heapq
import json
import subprocess

PIECE_VALUES = 32 * 4096
COPY_BYTES_A_SECOND = 5e9
THREADS = (1, 2, 4, 8, 16)
SHARED = ("range", "samples", "count", "encode", "decode")


def time_of_pieces(pieces, piece_seconds, copy_seconds, threads):
    """When the last piece is in its place. A thread that has coded a piece copies it as soon as
    those before it are coded; else whoever is free next does."""
    free = [0.0] * threads
    coded = 0.0
    for _ in range(pieces):
        at = heapq.heappop(free)
        coded = max(coded, at + piece_seconds)
        heapq.heappush(free, at + piece_seconds + (copy_seconds if threads > 1 else 0))
    return max(max(free), coded)


def seconds(stages, values, coded_bytes, threads):
    pieces = -(-values // PIECE_VALUES)
    total = 0.0
    for stage, taken in stages.items():
        if stage == "all":
            continue
        if stage not in SHARED:
            total += taken
            continue
        copy = coded_bytes / pieces / COPY_BYTES_A_SECOND if stage == "encode" else 0
        total += time_of_pieces(pieces, taken / pieces, copy, threads)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ztile", default="build/release/bin/ztile")
    parser.add_argument("--bound", default="rel=1e-3")
    parser.add_argument("field")
    args = parser.parse_args()
    out = subprocess.run([args.ztile, "bench", "--stages", "--json", "-x", "serial", "--bounds",
                          args.bound, args.field], check=True, capture_output=True, text=True)
    print("times as fast as one thread, compress / decompress; shares that one thread does alone")
    print(f"{'effort':8}" + "".join(f"{n:>13}" for n in THREADS) + "        alone")
    for row in json.loads(out.stdout)["rows"]:
        values = row["raw_bytes"] // 4
        texts = []
        both = (row["compress_seconds"], row["decompress_seconds"])
        for threads in THREADS:
            gains = [seconds(s, values, row["bytes"], 1) / seconds(s, values, row["bytes"], threads)
                     for s in both]
            texts.append(f"{gains[0]:5.1f} /{gains[1]:5.1f}")
        alone = [sum(t for k, t in s.items() if k not in SHARED and k != "all") / s["all"]
                 for s in both]
        print(f"{row['effort']:8}" + "".join(f"{t:>13}" for t in texts) +
              f"  {alone[0]:.1%}, {alone[1]:.1%}")


main()
