"""fields_test.py: every field of real data through the ztile command and back.

    fields_test.py --ztile BIN --check BIN --data DIR [--zfp BIN] [--only NAME]

DIR holds MANIFEST.tsv and raw or zstd-compressed fields. For each one:
  - floats at abs 1e-3 of their range, integers at abs 1: the bound is verified by check_bound,
    which shares no code with ztile; rate; precision 16; lossless, compared byte by byte;
  - NaN come back bit for bit; as a lossy zfp stream such a field is refused with their number;
  - with --format zfp --zfp-word-bits 8 the bytes are those of Debian's `zfp -h`, and each of the
    two tools decodes the other's file to the same bytes.
Only Python's standard library is used.
"""

import argparse
import concurrent.futures
import csv
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
ZFP_TYPE = {"f32": "-f", "f64": "-d", "i32": "-t", "i64": "-t"}


class Failure(Exception):
    pass


def run(command, expect=0):
    """Run a command; return what it printed on standard error."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", check=False)
    if done.returncode != expect:
        raise Failure(f"exit status {done.returncode}, not {expect}: {' '.join(command)}\n"
                      f"    {done.stdout.strip()} {done.stderr.strip()}")
    return done.stderr


class Field:
    """One field, and the folder in which its files are made."""

    def __init__(self, row, args, folder):
        self.args = args
        self.folder = folder
        self.name = row["file"]
        self.type = row["dtype"]
        self.shape = row["dims"]
        nan = re.match(r"NaN x (\d+)", row["fill"])
        self.nan = int(nan.group(1)) if nan else 0
        self.has_huge_fill = "1e+20" in row["fill"]
        self.raw = os.path.join(folder, "field.raw")
        stored = os.path.join(args.data, row["stored"])
        if stored.endswith(".zst"):
            run(["zstd", "-q", "-d", "-f", "-o", self.raw, stored])
        else:
            os.symlink(os.path.abspath(stored), self.raw)
        self.calls = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def is_float(self):
        return self.type[0] == "f"

    def abs_bound(self):
        if not self.is_float():
            return "1"
        if self.has_huge_fill:
            return "1e-3"
        out = subprocess.run([self.args.check, "range", self.type, self.raw],
                             stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        low, high = (float.fromhex(v) for v in out)
        return repr(1e-3 * (high - low))

    def compress(self, out, *options, expect=0):
        self.calls += 1
        return run([self.args.ztile, "compress", self.raw, "-f", "-o", out, "-t", self.type,
                    "-s", self.shape, *options], expect)

    def decompress(self, path, out, *options):
        self.calls += 1
        run([self.args.ztile, "decompress", path, "-f", "-o", out, *options])

    def require_same(self, first, second, what):
        if not filecmp.cmp(first, second, shallow=False):
            raise Failure(what)

    def settings(self):
        """Options of ztile, the same for zfp, and whether the call is lossy."""
        bound = self.abs_bound()
        rate = "8" if self.is_float() else "16"
        yield ["--abs", bound], ["-a", bound], True
        yield ["--rate", rate], ["-r", rate], True
        if self.is_float():
            yield ["--precision", "16"], ["-p", "16"], True
        yield ["--lossless"], ["-R"], False

    def check_refusal(self, options):
        out = self.path("refused.zfp")
        done = subprocess.run([self.args.ztile, "compress", self.raw, "-f", "-o", out, "-t",
                               self.type, "-s", self.shape, *options], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        self.calls += 1
        if done.returncode not in (1, 2):
            raise Failure(f"{options}: {self.nan} NaN are not refused ({done.returncode})")
        if not re.search(rf"\b{self.nan}\b", done.stderr) or done.stderr.count("\n") != 1:
            raise Failure(f"{options}: the refusal is not one line with the count {self.nan}: "
                          f"{done.stderr}")
        if os.path.exists(out):
            raise Failure(f"{options}: an output file was left behind")

    def check_zt(self, options, is_lossy):
        out, back = self.path("field.zt"), self.path("back.raw")
        self.compress(out, *options)
        self.decompress(out, back)
        if not is_lossy:
            self.require_same(self.raw, back, f"{options}: not the same bytes")
        elif options[0] == "--abs":
            done = subprocess.run([self.args.check, "within", self.type, options[1], self.raw,
                                   back], stdout=subprocess.PIPE, text=True, check=False)
            if done.returncode:
                raise Failure(f"{options}: {done.stdout.strip()}")
        elif os.path.getsize(back) != os.path.getsize(self.raw):
            raise Failure(f"{options}: another size came back")

    def zfp_shape(self):
        extents = self.shape.split("x")[::-1]
        return [f"-{len(extents)}", *extents]

    def zfp_type(self):
        return [ZFP_TYPE[self.type]] + ([self.type] if not self.is_float() else [])

    def check_zfp(self, options, zfp_options, is_lossy):
        ours, theirs = self.path("ours.zfp"), self.path("theirs.zfp")
        extra = ["--allow-nonfinite"] if self.nan and is_lossy else []
        self.compress(ours, *options, "--format", "zfp", "--zfp-word-bits", "8", *extra)
        run([self.args.zfp, "-q", "-h", *self.zfp_type(), *self.zfp_shape(), *zfp_options,
             "-i", self.raw, "-z", theirs])
        self.require_same(ours, theirs, f"{options}: the stream differs from that of zfp -h")
        run([self.args.zfp, "-q", "-h", "-z", ours, "-o", self.path("by_zfp.raw")])
        self.decompress(theirs, self.path("by_ztile.raw"), "--zfp-word-bits", "8")
        self.require_same(self.path("by_zfp.raw"), self.path("by_ztile.raw"),
                          f"{options}: the two tools decode to different values")

    def check(self):
        for options, zfp_options, is_lossy in self.settings():
            self.check_zt(options, is_lossy)
            if self.nan and is_lossy:
                self.check_refusal([*options, "--format", "zfp"])
            if self.args.zfp:
                self.check_zfp(options, zfp_options, is_lossy)


def check_field(row, args):
    """Returns (name, calls, message); the message is empty if all is well."""
    with tempfile.TemporaryDirectory(prefix="ztile-field-") as folder:
        field = None
        try:
            field = Field(row, args, folder)
            field.check()
            return row["file"], field.calls, ""
        except (Failure, OSError, subprocess.CalledProcessError) as error:
            return row["file"], field.calls if field else 0, str(error)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ztile", required=True)
    parser.add_argument("--check", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--zfp")
    parser.add_argument("--only")
    args = parser.parse_args()
    manifest = os.path.join(args.data, "MANIFEST.tsv")
    if not os.path.exists(manifest):
        print(f"SKIP: no real fields in {args.data} (ZTILE_SHARED_DIR says where they are)")
        return SKIPPED
    if not shutil.which("zstd"):
        print("SKIP: zstd is missing, and most fields are stored with it")
        return SKIPPED
    args.zfp = args.zfp or shutil.which("zfp")
    if not args.zfp:
        print("SKIP: the zfp command is missing, streams are not compared with its own")
    with open(manifest, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
                if args.only in (None, row["file"])]
    rows.sort(key=lambda row: -int(row["bytes"]))
    calls = failures = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        for name, n, message in pool.map(lambda row: check_field(row, args), rows):
            calls += n
            if message:
                failures += 1
                print(f"{name}: {message}")
    print(f"{len(rows)} fields, {calls} calls of ztile, {failures} fields failed")
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
