#!/usr/bin/env python3
"""same_bytes.py: whether two builds of the command write the same files.

    same_bytes.py record ZTILE DATA_DIR > hashes.tsv
    same_bytes.py check  ZTILE DATA_DIR hashes.tsv

Some 2,000 files: the start of each field of DATA_DIR/MANIFEST.tsv (whole slices, at most 512 KiB)
with every codec, effort, kind of bound, index and plan, by one thread, two threads and each
instruction set in turn. A row is a choice of options, a column a field: the first eight digits of
the file's SHA-256, or the exit status where the command refuses.
"""
import hashlib
import os
import subprocess
import sys
import tempfile

MOST_BYTES = 512 << 10
VALUE_BYTES = {"f32": 4, "f64": 8, "i32": 4, "i64": 8}

BOUNDS = [["--lossless"], ["--abs", "0.01"], ["--rel", "1e-2"], ["--rel", "1e-4"],
          ["--rel", "1e-7"], ["--pwrel", "1e-3"], ["--psnr", "60"]]
CODECS = [["-c", "zfp"], ["-c", "sz"], ["-c", "sz", "--effort", "fast"],
          ["-c", "sz", "--effort", "high"], ["-c", "sz", "--method", "cusz"]]
INDEXES = [["--index", kind] for kind in ("none", "offsets", "lengths", "hybrid", "compact")]
RUNS = [["-x", "serial"], ["-x", "omp=2"], ["-x", "serial", "--isa", "avx2"],
        ["-x", "omp=2,3", "--isa", "plain"]]


def choices():
    """Options, each a row of the table."""
    rows = [codec + bound + ["--plan", "off"] for codec in CODECS for bound in BOUNDS]
    rows += [["-c", "ndzip", "--lossless", "--plan", plan] for plan in ("off", "on")]
    rows += [codec + bound + ["--plan", "on"] for codec in CODECS[:4]
             for bound in (BOUNDS[0], BOUNDS[2], BOUNDS[3])]
    rows += [["-c", "zfp", "--rel", "1e-3", "--plan", "tight"]]
    rows += [["-c", "auto"] + bound for bound in (BOUNDS[0], BOUNDS[3])]
    rows += [["-c", "zfp", "--rate", "8"], ["-c", "zfp", "--rate", "5.3"],
             ["-c", "zfp", "--precision", "14"], ["-c", "zfp", "--expert", "60,2000,40,-20"]]
    rows += [["-c", codec, "--rel", "1e-3", "--plan", "off"] + index
             for codec in ("zfp", "sz") for index in INDEXES]
    rows += [["-c", "sz", "--rel", "1e-3", "--plan", "off", "--slab-bytes", "100000"],
             ["-c", "zfp", "--rel", "1e-3", "--index", "hybrid", "--index-chunk", "1"],
             ["-c", "sz", "--rel", "1e-3", "--method", "cusz", "--sz-bins", "4096"],
             ["-c", "sz", "--rel", "1e-3", "--effort", "high", "--index", "none"],
             ["-c", "auto", "--rel", "1e-3", "--prefer", "speed"],
             ["-c", "auto", "--rel", "1e-3", "--prefer", "balanced"]]
    return rows


def fields(data_dir, scratch):
    """The start of each field, as raw files whose options are returned beside their names."""
    found = []
    with open(os.path.join(data_dir, "MANIFEST.tsv")) as manifest:
        names = manifest.readline().rstrip("\n").split("\t")
        rows = [dict(zip(names, line.rstrip("\n").split("\t"))) for line in manifest]
    for row in rows:
        stored = os.path.join(data_dir, row["stored"])
        shape = [int(n) for n in row["dims"].split("x")]
        if stored.endswith(".zst"):
            unpacked = subprocess.run(["zstd", "-qdc", stored], check=True, capture_output=True)
            values = unpacked.stdout
        else:
            with open(stored, "rb") as file:
                values = file.read()
        slice_bytes = len(values) // shape[0]
        shape[0] = min(shape[0], max(1, MOST_BYTES // slice_bytes))
        name = os.path.join(scratch, row["file"])
        with open(name, "wb") as file:
            file.write(values[:shape[0] * slice_bytes])
        found.append((row["file"], name, ["-t", row["dtype"], "-s", "x".join(map(str, shape))]))
    return found


def digest(ztile, options, name, array):
    command = [ztile, "compress", name, "-o", "-", "-q"] + array + options
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        return "exit %d" % done.returncode
    return hashlib.sha256(done.stdout).hexdigest()[:8]


def table(ztile, data_dir):
    with tempfile.TemporaryDirectory() as scratch:
        arrays = fields(data_dir, scratch)
        yield "options", [name for name, _, _ in arrays]
        for i, row in enumerate(choices()):
            run = RUNS[i % len(RUNS)]
            yield " ".join(row), [digest(ztile, row + run, name, array)
                                  for _, name, array in arrays]


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "record":
        for options, cells in table(*arguments[1:3]):
            print("\t".join([options] + cells), flush=True)
        return 0
    if len(arguments) != 4 or arguments[0] != "check":
        print(__doc__, file=sys.stderr)
        return 2
    if not os.path.exists(os.path.join(arguments[2], "MANIFEST.tsv")):
        print("SKIP: no fields in " + arguments[2])
        return 77
    with open(arguments[3]) as file:
        before = {line.split("\t")[0]: line.rstrip("\n").split("\t")[1:] for line in file}
    files = other = 0
    for options, cells in table(*arguments[1:3]):
        if options == "options":
            names = cells
            continue
        for name, now, then in zip(names, cells, before.get(options, [])):
            files += 1
            if now != then:
                other += 1
                print("other bytes: %s %s: %s, was %s" % (name, options, now, then))
    print("%d files, %d with other bytes" % (files, other))
    return 1 if other or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
