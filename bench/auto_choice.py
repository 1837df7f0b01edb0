#!/usr/bin/env python3
"""auto_choice.py: what -c auto makes of a fixed list of fields, beside the best fixed choice.

    bench/auto_choice.py --ztile BIN --data FOLDER [--jobs N] [--known FILE] [--all] [WORD...]

FOLDER holds MANIFEST.tsv and the fields it lists. The list: these fields; each with its axes in
reversed order; a cut of plot3d_post_q4d; and 40 made fields (waves, steps, noise, variables one
behind the other, few columns, holes), whose seeds are fixed. Each is compressed without loss and at
rel 1e-2, 1e-3, 1e-4, by auto and by each fixed choice: zfp, sz default, sz high, its prediction
alone and its transform alone, without loss ndzip, zfp and sz default, all of them with a plan and
without.

Printed are: auto's ratio as a part of the best fixed choice's, the geometric mean and the worst;
for each fixed choice how much a plan changes its ratio; and how much larger sz high is than
default. CPU time is that of the command, in user mode, on one thread.
With WORDs only fields whose names have one of them are compressed. --all prints all sizes. --known
keeps the sizes of fixed choices in a file from one run to the next: remove it when the codecs or
what is planned change. Needs numpy and zstd."""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

BOUNDS = ("lossless", "1e-2", "1e-3", "1e-4")
LOSSY = ("zfp", "sz", "sz high", "sz prediction", "sz transform")
LOSSLESS = ("ndzip", "zfp", "sz")
HOW = {"": [], "prediction": ["--method", "prediction", "--effort", "high"],
       "transform": ["--method", "transform"]}
MARK = {"off": "", "on": " planned"}
NUMPY = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}
TYPE = {np.dtype(v): k for k, v in NUMPY.items()}


# ---- the fields ----

def stored_fields(folder):
    with open(os.path.join(folder, "MANIFEST.tsv"), encoding="utf-8") as f:
        for row in csv.DictReader(f, delimiter="\t"):
            path = os.path.join(folder, row["stored"])
            shape = [int(n) for n in row["dims"].split("x")]

            def load(path=path, row=row, shape=shape):
                if path.endswith(".zst"):
                    raw = subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True)
                    return np.frombuffer(raw.stdout, NUMPY[row["dtype"]]).reshape(shape)
                return np.fromfile(path, NUMPY[row["dtype"]]).reshape(shape)

            name = row["file"].split(".")[0]
            fill = row["fill"].split()[1] if row["fill"].startswith("_FillValue") else None
            yield name, load, fill
            if len(shape) > 1:
                yield name + " reversed", lambda load=load: load().transpose(), fill
            if name == "plot3d_post_q4d":  # of 5 x 38 x 76 x 38
                yield (name + " cut", lambda load=load:
                       load()[:, :25, :57, :33].transpose(0, 1, 3, 2), fill)


def grids(shape):
    return np.meshgrid(*(np.arange(n) / n for n in shape), indexing="ij", sparse=True)


def smooth(random, shape, terms, highest):
    """A sum of waves across all axes."""
    sum_of = np.zeros(shape)
    for _ in range(terms):
        phase = 2 * np.pi * random.random()
        for x in grids(shape):
            phase = phase + 2 * np.pi * highest * (random.random() - 0.5) * x
        sum_of += random.random() * np.sin(phase)
    return sum_of


def waves(random, shape):
    return smooth(random, shape, 6, 8 + 40 * random.random())


def steps(random, shape):
    a = smooth(random, shape, 4, 6)
    levels = 2 + int(30 * random.random())
    return np.floor(a * levels) / levels + 0.1 * (a > 0.5)


def noise(random, shape):
    return smooth(random, shape, 3, 5) + 10 ** (-3 * random.random()) * random.random(shape)


def stacked(random, shape):
    """Variables of unlike ranges and roughness along the slowest axis."""
    parts = [10 ** (4 * random.random() - 2) *
             (smooth(random, shape[1:], 4, 4 + 20 * random.random()) +
              10 ** (-6 * random.random()) * random.random(shape[1:]) + 3 * random.random())
             for _ in range(shape[0])]
    return np.stack(parts)


def columns(random, shape):
    """A table: each column of the fastest axis is another quantity."""
    rows = smooth(random, (shape[0], 1), 8, 60)
    walk = np.cumsum(random.random(shape) - 0.5, axis=0) * 0.01
    return (rows + walk) * (10 ** (2 * random.random(shape[1]))) + 10 * random.random(shape[1])


def holes(random, shape):
    a = smooth(random, shape, 5, 10)
    a[smooth(random, shape, 3, 6) > 0.6 * random.random() + 0.2] = np.nan
    return a


MADE = (
    (waves, [(300, 500), (40, 60, 90), (64, 3, 40, 30), (9, 20, 25, 40), (700, 130), (7, 87, 210),
             (250000,)]),
    (steps, [(300, 500), (40, 60, 90), (400, 300, 2), (12, 14, 30, 31), (130, 900), (3, 200, 150)]),
    (noise, [(200000,), (300, 500), (40, 60, 90), (6, 10, 40, 50), (50, 2, 70, 30), (999, 101),
             (31, 33, 150)]),
    (stacked, [(5, 25, 33, 57), (8, 110, 200), (3, 30, 41, 50), (4, 150000), (12, 20, 20, 30),
               (2, 60, 61, 62), (20, 100, 90)]),
    (columns, [(50000, 3), (30000, 7), (90000, 2), (20000, 12), (5000, 40), (120000, 4)]),
    (holes, [(300, 500), (40, 60, 90), (12, 14, 40, 50), (5, 200, 200), (900, 150), (64, 64, 64),
             (3, 20, 50, 60)]),
)


def made_fields():
    seed = 0
    for make, shapes in MADE:
        for shape in shapes:
            dtype = np.float64 if seed % 5 == 4 else np.float32

            def load(make=make, shape=shape, dtype=dtype, seed=seed):
                return make(np.random.Generator(np.random.PCG64(seed)), shape).astype(dtype)

            yield "%s %d" % (make.__name__, seed), load, None
            seed += 1


# ---- compressing ----

def compress(ztile, path, what, options):
    out = path + ".zt"
    command = [ztile, "compress", "-q", "-f", "-x", "serial", *what, *options, path, "-o", out]
    child = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise SystemExit("failed: " + " ".join(command))
    size = os.path.getsize(out)
    os.remove(out)
    return size, usage.ru_utime


def run_field(job):
    """{bound: {choice: (bytes, seconds)}}"""
    ztile, name, load, fill, scratch, known = job
    a = np.ascontiguousarray(load())
    path = os.path.join(scratch, name.replace(" ", "_"))
    a.tofile(path)
    what = ["-t", TYPE[a.dtype], "-s", "x".join(map(str, a.shape))] + (["--fill", fill] if fill
                                                                      else [])
    found = {}
    for bound in BOUNDS:
        how = ["--lossless"] if bound == "lossless" else ["--rel", bound]
        sizes = dict(known.get(name, {}).get(bound, {}))
        for choice in LOSSLESS if bound == "lossless" else LOSSY:
            codec, _, effort = choice.partition(" ")
            for plan in ("off", "on"):
                if choice + MARK[plan] not in sizes:
                    more = ["--plan", plan, "-c", codec, *HOW.get(effort, ["--effort", effort])]
                    sizes[choice + MARK[plan]] = compress(ztile, path, what, how + more)
        sizes["auto"] = compress(ztile, path, what, how + ["-c", "auto"])
        found[bound] = sizes
    os.remove(path)
    return name, found


# ---- what comes out ----

def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def say(what, parts, worst=min):
    """parts: [(part, name)]"""
    if parts:
        of, where = worst(parts)
        print("%-34s %4d cases  mean %.4f  worst %.4f (%s)" %
              (what, len(parts), mean([p for p, _ in parts]), of, where))


def report(found):
    auto, cost, plans, high = {b: [] for b in BOUNDS}, [0, 0], {}, []
    for name, bounds in found.items():
        for bound, sizes in bounds.items():
            where = name + ", " + bound
            fixed = {k: v for k, v in sizes.items() if k != "auto"}
            best = min(fixed, key=lambda k: fixed[k][0])
            auto[bound].append((fixed[best][0] / sizes["auto"][0], where))
            cost[0] += sizes["auto"][1]
            cost[1] += fixed[best][1]
            for choice in fixed:
                if choice + MARK["on"] in fixed:
                    plans.setdefault(choice, []).append(
                        (fixed[choice][0] / fixed[choice + MARK["on"]][0], where))
            for mark in MARK.values():
                if "sz high" + mark in fixed:
                    high.append((fixed["sz high" + mark][0] / fixed["sz" + mark][0],
                                 where + mark))
    for bound in BOUNDS:
        say("auto / best fixed, " + bound, auto[bound])
    say("auto / best fixed, all", [p for b in BOUNDS for p in auto[b]])
    print("CPU time of auto / of the best fixed choice: %.2f" % (cost[0] / max(cost[1], 1e-9)))
    for choice, parts in plans.items():
        say(choice + ", with a plan / without", parts)
    say("bytes of sz high / of sz", high, max)
    low = sorted(p for b in BOUNDS for p in auto[b] if p[0] < 0.97)
    for of, where in low:
        print("  auto %.3f  %s" % (of, where))
    for choice, parts in plans.items():
        for of, where in sorted(p for p in parts if p[0] < 0.99):
            print("  plan %.3f  %s, %s" % (of, choice, where))
    for of, where in sorted(p for p in high if p[0] > 1.005):
        print("  high %.3f  %s" % (of, where))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ztile", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--known")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("word", nargs="*")
    options = parser.parse_args()
    known = {}
    if options.known and os.path.exists(options.known):
        with open(options.known, encoding="utf-8") as f:
            known = json.load(f)
    wanted = [f for f in [*stored_fields(options.data), *made_fields()]
              if not options.word or any(w in f[0] for w in options.word)]
    found = {}
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, sizes in pool.map(run_field, ((options.ztile, *f, scratch, known)
                                                for f in wanted)):
            found[name] = sizes
            for bound in BOUNDS if options.all else ():
                print("%-26s %-8s" % (name, bound), "  ".join(
                    "%s %d" % (k, v[0]) for k, v in sorted(sizes[bound].items())))
            sys.stdout.flush()
    report(found)
    if options.known:
        for name, bounds in found.items():
            known[name] = {b: {k: v for k, v in s.items() if k != "auto"}
                           for b, s in bounds.items()}
        with open(options.known, "w", encoding="utf-8") as f:
            json.dump(known, f)


if __name__ == "__main__":
    main()
