"""Interrupt the command in every way and look at what is left: an output that is absent, or whole.

    interruptions_test.py --ztile PATH --shim READ_ERROR_SO [--kills N] [--seed N]

Killed (SIGKILL) at random times; a disk that is full at any size (a small tmpfs where mounting is
permitted, a limit of a file's size else); memory that ends at any size (RLIMIT_AS); reading that
fails in the middle (read_error.c, preloaded); the reader of a pipe gone. The exit status is the
one that the manual says, an error is one line.
"""
import argparse
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time

BAD_DATA, IO_ERROR, LACKING = 2, 3, 5
SHAPE = "96x96x96"
VALUES = 96 ** 3
failures = []
counts = {}


def expect(condition, text):
    if not condition:
        failures.append(text)
        print("FAIL ", text)


def count(name, n=1):
    counts[name] = counts.get(name, 0) + n


class Field:
    """A field, what it is compressed to, and what that decompresses to."""

    def __init__(self, ztile, folder):
        self.ztile = ztile
        self.folder = folder
        self.raw = os.path.join(folder, f"field_{SHAPE}.f32")
        state, values = 1, []
        for i in range(VALUES):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            values.append((i % 96) * 0.25 + (i // 9216) * 0.5 + (state >> 20) / 4096)
        with open(self.raw, "wb") as file:
            file.write(struct.pack(f"<{VALUES}f", *values))
        self.zt = os.path.join(folder, "good.zt")
        self.back = os.path.join(folder, "good.f32")
        subprocess.run(self.compress(self.zt), check=True)
        subprocess.run(self.decompress(self.zt, self.back), check=True)
        self.wanted = {True: read(self.zt), False: read(self.back)}

    def compress(self, out, *more):
        return [self.ztile, "compress", "-q", "-f", "--abs", "1e-3", "--slab-bytes", "256K", *more,
                self.raw, "-o", out]

    def decompress(self, source, out, *more):
        return [self.ztile, "decompress", "-q", "-f", *more, source, "-o", out]

    def job(self, compresses, out):
        return self.compress(out) if compresses else self.decompress(self.zt, out)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def is_absent_or_whole(field, compresses, out):
    return not os.path.exists(out) or read(out) == field.wanted[compresses]


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)
    return done.returncode, done.stderr.decode(errors="replace")


def check(field, compresses, out, status, text, allowed, what):
    """One outcome of a job that may have failed."""
    expect(is_absent_or_whole(field, compresses, out), f"{what}: the output is half-written")
    expect(status in allowed, f"{what}: status {status}, {text!r}")
    expect((status == 0) == os.path.exists(out), f"{what}: status {status} and an output or none")
    expect(status == 0 or text.count("\n") == 1, f"{what}: the error is not one line: {text!r}")
    for name in os.listdir(os.path.dirname(out)):
        expect(os.path.join(os.path.dirname(out), name) in (out, field.raw, field.zt, field.back),
               f"{what}: {name} is left over")
    if os.path.exists(out):
        os.remove(out)


def kills(field, n, rng):
    """SIGKILL at random times; half the runs replace a file that is whole."""
    out = os.path.join(field.folder, "killed")
    began = time.monotonic()
    subprocess.run(field.job(True, out), check=True)
    once = time.monotonic() - began
    for i in range(n):
        compresses, replaces = bool(i & 1), bool(i & 2)
        if replaces:
            with open(out, "wb") as file:
                file.write(field.wanted[compresses])
        elif os.path.exists(out):
            os.remove(out)
        job = subprocess.Popen(field.job(compresses, out), stderr=subprocess.DEVNULL)
        try:
            job.wait(timeout=rng.uniform(0, 1.2 * once))
        except subprocess.TimeoutExpired:
            job.send_signal(signal.SIGKILL)
        status = job.wait()
        count("killed" if status == -signal.SIGKILL else "done before the kill")
        expect(status in (0, -signal.SIGKILL), f"kill {i}: status {status}")
        expect(is_absent_or_whole(field, compresses, out), f"kill {i}: the output is half-written")
        expect(os.path.exists(out) or not (replaces or status == 0), f"kill {i}: no output")
        for name in os.listdir(field.folder):  # what a killed run leaves is not the output
            path = os.path.join(field.folder, name)
            if path not in (out, field.raw, field.zt, field.back):
                count("temporary files left by kills")
                os.remove(path)
    if os.path.exists(out):
        os.remove(out)


def full_disk(field, steps):
    folder = os.path.join(field.folder, "disk")
    os.mkdir(folder)
    is_mounted = False
    for i in range(steps):
        for compresses in (True, False):
            most = len(field.wanted[compresses])
            limit = max(4096, most * i // steps)
            mount = ["mount", "-t", "tmpfs", "-o", f"size={limit}", "none", folder]
            mounted = subprocess.run(mount, stderr=subprocess.DEVNULL).returncode == 0
            is_mounted = is_mounted or mounted
            out = os.path.join(folder, "out")
            try:
                if mounted:
                    status, text = run(field.job(compresses, out))
                else:
                    status, text = run(field.job(compresses, out), preexec_fn=lambda n=limit:
                                       resource.setrlimit(resource.RLIMIT_FSIZE, (n, n)))
                check(field, compresses, out, status, text, (IO_ERROR,), f"disk of {limit} bytes")
                count("full disks (tmpfs)" if mounted else "full disks (ulimit -f)")
            finally:
                if mounted:
                    subprocess.run(["umount", folder], check=True)
    os.rmdir(folder)
    for compresses in (True, False):
        status, text = run(field.job(compresses, "/dev/full"))
        expect(status == IO_ERROR and text.count("\n") == 1, f"/dev/full: {status}, {text!r}")
        count("full disks (/dev/full)")


def run_lean(field, compresses, out, limit):
    """Run with so many bytes of address space; checked. True where it was enough."""
    status, text = run(field.job(compresses, out), preexec_fn=lambda:
                       resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    if status == 127 or status in (-signal.SIGKILL, -signal.SIGSEGV):
        count("too little memory to load the program")
        expect(not os.path.exists(out), f"memory of {limit} bytes: a file is left")
        return False
    check(field, compresses, out, status, text, (0, LACKING), f"memory of {limit} bytes")
    count("out of memory" if status else "enough memory")
    return status == 0


def no_memory(field, steps):
    """The least memory that is enough is searched for; then steps up to it."""
    out = os.path.join(field.folder, "lean")
    for compresses in (True, False):
        low, high = 2 << 20, 4 << 30
        expect(run_lean(field, compresses, out, high), "4 GiB are not enough")
        while high - low > 64 << 10:
            middle = (low + high) // 2
            if run_lean(field, compresses, out, middle):
                high = middle
            else:
                low = middle
        for i in range(steps):
            run_lean(field, compresses, out, high - (i + 1) * (256 << 10))
    expect(counts.get("out of memory", 0) > 0, "no run was out of memory")


def read_errors(field, shim, steps, rng):
    """Reading fails from some byte on, of the raw field or of the .zt file."""
    out = os.path.join(field.folder, "unread")
    for _ in range(steps):
        for compresses in (True, False):
            source = field.raw if compresses else field.zt
            at = rng.randrange(os.path.getsize(source))
            env = {**os.environ, "LD_PRELOAD": shim, "READ_ERROR_FILE": source,
                   "READ_ERROR_AT": str(at)}
            status, text = run(field.job(compresses, out), env=env)
            check(field, compresses, out, status, text, (IO_ERROR,), f"read error at byte {at}")
            count("read errors")
        env["READ_ERROR_END"] = str(at + 5000)  # a bad sector of the .zt file
        status, text = run(field.decompress(field.zt, out, "--salvage"), env=env)
        expect(status in (0, BAD_DATA, IO_ERROR) and (status == IO_ERROR or os.path.exists(out)),
               f"bad sector at {at}: status {status}, {text!r}")
        if os.path.exists(out):
            got, whole = read(out), field.wanted[False]
            nan = struct.pack("<f", float("nan"))
            expect(len(got) == len(whole) and all(
                got[k:k + 4] in (whole[k:k + 4], nan) for k in range(0, len(whole), 4)),
                f"bad sector at {at}: values that are neither whole nor NaN")
            os.remove(out)
        count("bad sectors salvaged")


def changed(field, shim):
    """The raw field is changed while it is compressed."""
    out = os.path.join(field.folder, "changed")
    before = os.stat(field.raw)
    env = {**os.environ, "LD_PRELOAD": shim, "READ_ERROR_FILE": field.raw,
           "READ_ERROR_AT": str(1 << 60), "READ_ERROR_DOES": "touch"}
    status, text = run(field.compress(out), env=env)
    check(field, True, out, status, text, (IO_ERROR,), "a change of the input")
    expect("was changed while it was read" in text, f"a change of the input: {text!r}")
    os.utime(field.raw, ns=(before.st_atime_ns, before.st_mtime_ns))
    count("changes of the input")


def broken_libraries(field, shim):
    """A library ends the program, or uses up its stack, while it reads."""
    out = os.path.join(field.folder, "ended")
    for does, wanted in (("exit", 7), ("overflow", -signal.SIGSEGV)):
        for compresses in (True, False):
            source = field.raw if compresses else field.zt
            env = {**os.environ, "LD_PRELOAD": shim, "READ_ERROR_FILE": source,
                   "READ_ERROR_AT": str(os.path.getsize(source) // 2), "READ_ERROR_DOES": does}
            status, text = run(field.job(compresses, out), env=env)
            expect(status == wanted, f"{does} in a library: status {status}, {text!r}")
            for name in os.listdir(field.folder):
                path = os.path.join(field.folder, name)
                if path not in (field.raw, field.zt, field.back):
                    expect(False, f"{does} in a library: {name} is left over")
                    os.remove(path)
            count("libraries that end the program")


def sync(field, shim):
    """--sync: the file is on the disk before it gets its name, the name before the end."""
    out, log = os.path.join(field.folder, "synced"), os.path.join(field.folder, "log")
    for compresses in (True, False):
        for more, fails in (([], False), (["--sync"], False), (["--sync"], True)):
            env = {**os.environ, "LD_PRELOAD": shim, "SYNC_LOG": log}
            if fails:
                env["SYNC_FAILS"] = "1"
            status, text = run(field.job(compresses, out) + more, env=env)
            lines = read(log).decode().split() if os.path.exists(log) else []
            wanted = ["sync", "file"] if fails else \
                ["sync", "file", "name", "sync", "folder"] if more else ["name"]
            expect(lines == wanted, f"{more}, syncing fails: {fails}: {lines}")
            if os.path.exists(log):
                os.remove(log)
            check(field, compresses, out, status, text, (IO_ERROR,) if fails else (0,), "sync")
            count("calls with and without --sync")


def no_reader(field, steps, rng):
    for i in range(steps):
        job = subprocess.Popen(field.job(bool(i & 1), "-"), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        job.stdout.read(rng.randrange(60000))
        job.stdout.close()
        text = job.stderr.read().decode(errors="replace")
        status = job.wait()
        expect(status in (IO_ERROR, -signal.SIGPIPE), f"reader gone: status {status}, {text!r}")
        expect(text.count("\n") <= 1, f"reader gone: {text!r}")
        count("readers gone")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ztile", required=True)
    parser.add_argument("--shim", required=True)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    rng = random.Random(options.seed)
    steps = max(4, options.kills // 8)
    print(f"seed {options.seed}")
    with tempfile.TemporaryDirectory() as folder:
        field = Field(options.ztile, folder)
        kills(field, options.kills, rng)
        full_disk(field, steps)
        no_memory(field, steps)
        read_errors(field, options.shim, steps, rng)
        no_reader(field, steps, rng)
        broken_libraries(field, options.shim)
        changed(field, options.shim)
        sync(field, options.shim)
    print(", ".join(f"{name} {n}" for name, n in counts.items()))
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
