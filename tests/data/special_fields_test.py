"""special_fields_test.py: fields with NaN and fill values through the command, and what holes cost.

    special_fields_test.py --ztile BIN --check BIN --data DIR          the test
    special_fields_test.py --ztile BIN --check BIN --data DIR --cost   a table of costs

Test: bcc_tos2d (a third is land, 1e20), cesm_le_ts2d and spitzer2d (a few NaN) under --abs with
each codec: special values come back bit for bit, all others within the bound (check_bound, which
shares no code with ztile), and their number is told. Cost: five whole fields before and after holes
are punched into them: 1 % and 30 % of the values at random, and the land of bcc_tos2d, laid over
the last two axes.
Only Python's standard library is used.
"""

import argparse
import array
import csv
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
FIELDS = {"bcc_tos2d.f32": ("1e-3", "1e20"), "cesm_le_ts2d.f32": ("1e-2", None),
          "spitzer2d.f32": ("1e-2", None)}
WHOLE = ["echam_t3d.f32", "ccsm_trefht4d.f32", "ukv_orog2d.f32", "colpex_theta4d.f32",
         "channel_dns_uvw4d.f64"]


def load(args, row, folder):
    """The raw file of a field."""
    stored = os.path.join(args.data, row["stored"])
    raw = os.path.join(folder, row["file"])
    if stored.endswith(".zst"):
        subprocess.run(["zstd", "-q", "-d", "-f", "-o", raw, stored], check=True)
    else:
        shutil.copyfile(stored, raw)
    return raw


def read(path, kind):
    values = array.array({"f32": "I", "f64": "Q"}[kind])
    with open(path, "rb") as file:
        values.frombytes(file.read())
    return values


def is_special(bits, fill):
    return bits == fill or bits & 0x7F800000 == 0x7F800000


def check_field(args, row, folder, failures):
    bound, fill = FIELDS[row["file"]]
    raw = load(args, row, folder)
    out, back = os.path.join(folder, "out.zt"), os.path.join(folder, "back.raw")
    values = read(raw, "f32")
    huge = {v for v in values if 0x60000000 < v < 0x7F800000} if fill else set()
    bits = max(huge, default=-1)
    for codec in ("zfp", "sz", "auto", "ndzip"):
        asked = ["--lossless"] if codec == "ndzip" else ["--abs", bound]
        command = [args.ztile, "compress", "-q", "-f", raw, "-o", out, "-t", "f32", "-s",
                   row["dims"], "-c", codec, *asked]
        if fill:
            command += ["--fill", fill]
        subprocess.run(command, check=True)
        subprocess.run([args.ztile, "decompress", "-q", "-f", out, "-o", back], check=True)
        got = read(back, "f32")
        special = changed = 0
        for before, after in zip(values, got):
            if is_special(before, bits):
                special += 1
                changed += before != after
        info = json.loads(subprocess.run([args.ztile, "info", "--json", out], check=True,
                                         stdout=subprocess.PIPE).stdout)
        told = info["special_values"]
        within = subprocess.run([args.check, "within", "f32", "0" if codec == "ndzip" else bound,
                                 raw, back], stdout=subprocess.PIPE, text=True, check=False)
        good = changed == 0 and special > 0 and within.returncode == 0 and len(got) == len(values)
        good = good and (codec == "ndzip" or told == special)
        print(f"{row['file']} {codec}: {special} special values, {changed} changed, ratio "
              f"{info['ratio']:.2f}, {within.stdout.strip() or 'the others within the bound'}")
        if not good:
            failures.append(row["file"])


def coastline(args, rows, folder):
    row = rows["bcc_tos2d.f32"]
    values = read(load(args, row, folder), "f32")
    height, width = (int(n) for n in row["dims"].split("x"))
    return height, width, [v > 0x60000000 and v < 0x7F800000 for v in values]


def punch(values, shape, how, land, nan):
    rng = random.Random(1)
    holed = array.array(values.typecode, values)
    if how != "coastline":
        part = 0.01 if how == "1 %" else 0.3
        for i in range(len(holed)):
            if rng.random() < part:
                holed[i] = nan
        return holed
    height, width, mask = land
    ny, nx = (shape + [1])[-2:] if len(shape) == 1 else shape[-2:]
    rows = [[mask[(y * height // ny) * width + x * width // nx] for x in range(nx)]
            for y in range(ny)]
    for i in range(len(holed)):
        if rows[i // nx % ny][i % nx]:
            holed[i] = nan
    return holed


def cost(args, rows, folder):
    land = coastline(args, rows, folder)
    raw, out = os.path.join(folder, "holed.raw"), os.path.join(folder, "holed.zt")
    print("| field | codec | whole | 1 % | 30 % | coastline |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in WHOLE:
        row = rows[name]
        kind, shape = row["dtype"], [int(n) for n in row["dims"].split("x")]
        values = read(load(args, row, folder), kind)
        low, high = (float.fromhex(v) for v in subprocess.run(
            [args.check, "range", kind, os.path.join(folder, name)], stdout=subprocess.PIPE,
            text=True, check=True).stdout.split())
        nan = 0x7FC00000 if kind == "f32" else 0x7FF8000000000000
        sizes = {"zfp": [], "sz": []}
        for how in ("whole", "1 %", "30 %", "coastline"):
            with open(raw, "wb") as file:
                (values if how == "whole" else punch(values, shape, how, land, nan)).tofile(file)
            for codec, list_of in sizes.items():
                subprocess.run([args.ztile, "compress", "-q", "-f", raw, "-o", out, "-t", kind,
                                "-s", row["dims"], "-c", codec, "--plan", "off", "--abs",
                                repr(1e-3 * (high - low))], check=True)
                info = subprocess.run([args.ztile, "info", "--json", out], check=True,
                                      stdout=subprocess.PIPE).stdout
                list_of.append((os.path.getsize(out), json.loads(info)["stream_bytes"]))
        total = os.path.getsize(raw)
        for codec, list_of in sizes.items():
            cells = [" / ".join(f"{100 * (list_of[0][k] / sizes_of[k] - 1):+.1f} %" for k in (0, 1))
                     for sizes_of in list_of[1:]]
            print(f"| {name} | {codec} | {total / list_of[0][0]:.2f} | {' | '.join(cells)} |",
                  flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ztile", required=True)
    parser.add_argument("--check", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--cost", action="store_true")
    args = parser.parse_args()
    manifest = os.path.join(args.data, "MANIFEST.tsv")
    if not os.path.exists(manifest) or not shutil.which("zstd"):
        print(f"SKIP: no real fields in {args.data} (ZTILE_SHARED_DIR), or no zstd to read them")
        return SKIPPED
    with open(manifest, newline="", encoding="utf-8") as file:
        rows = {row["file"]: row
                for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}
    failures = []
    with tempfile.TemporaryDirectory(prefix="ztile-special-") as folder:
        if args.cost:
            cost(args, rows, folder)
        else:
            for name in FIELDS:
                check_field(args, rows[name], folder, failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
