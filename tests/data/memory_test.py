"""memory_test.py: arrays larger than the memory that ztile may have go through it slab by slab.

    memory_test.py --ztile BIN [--gib N] [--limit-mib N]

Makes a sparse raw file of N GiB (default 2) with values here and there, compresses and
decompresses it with the address space limited to the given MiB (default 1024), looks at the peak
of resident memory, and compares what comes back where there are values.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile

SKIPPED = 77
MIB = 1 << 20
PLANE = 1024 * 1024 * 4  # bytes of a 1024 x 1024 plane of float


def limited(command, limit):
    """Run with a limit on memory; return the peak of resident memory in bytes."""
    def set_limit():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    with subprocess.Popen(command, preexec_fn=set_limit) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"exit status {process.returncode}: {' '.join(command)}")
    return usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ztile", required=True)
    parser.add_argument("--gib", type=int, default=2)
    parser.add_argument("--limit-mib", type=int, default=1024)
    args = parser.parse_args()
    planes = args.gib * 256
    with tempfile.TemporaryDirectory(prefix="ztile-memory-") as folder:
        if os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize < (args.gib << 30) + (1 << 30):
            print(f"SKIP: less than {args.gib + 1} GiB free in {folder}")
            return SKIPPED
        raw, packed, back = (os.path.join(folder, n) for n in ("in.raw", "in.zt", "back.raw"))
        probe = bytes(range(64)) * 64  # as floats: small and large ones, all finite
        places = [p * PLANE + 4096 * (p % 100) for p in range(0, planes, 37)]
        with open(raw, "wb") as file:
            for place in places:
                file.seek(place)
                file.write(probe)
            file.truncate(planes * PLANE)
        limit = args.limit_mib * MIB
        peak = limited([args.ztile, "compress", raw, "-o", packed, "-t", "f32", "-s",
                        f"{planes}x1024x1024", "--lossless"], limit)
        peak_back = limited([args.ztile, "decompress", packed, "-o", back], limit)
        print(f"{args.gib} GiB: compress took {peak // MIB} MiB at most, decompress "
              f"{peak_back // MIB} MiB, of {args.limit_mib}")
        if os.path.getsize(back) != planes * PLANE:
            sys.exit("another size came back")
        with open(back, "rb") as file:
            for place in places:
                file.seek(place)
                if file.read(len(probe)) != probe:
                    sys.exit(f"other bytes came back at {place}")
    return 0 if max(peak, peak_back) < limit else 1


if __name__ == "__main__":
    sys.exit(main())
