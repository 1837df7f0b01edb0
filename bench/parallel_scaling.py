#!/usr/bin/env python3
"""Weak and strong scaling of compressed parallel HDF5 on one machine.

    parallel_scaling.py --build BUILD [--ranks 1,2,4,8] [--slices N] [--runs N]

examples/parallel_hdf5 with more and more ranks, in turns: strong scaling writes and reads N slices
(default 2048, 31 MB) with each number of ranks, weak scaling N slices a rank. Each once compressed
and once without a filter ("none"): the difference is what compression and its exchange of chunks
take. Seconds are the fastest of the runs. More
ranks than processors share them, which the table says."""
import argparse
import os
import re
import subprocess
import tempfile


def run(build, ranks, config, bound, slices, folder):
    """Seconds of writing and reading, and the bytes that were stored."""
    environment = dict(os.environ, HDF5_PLUGIN_PATH=os.path.join(build, "plugins/hdf5/plugins"),
                       OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_btl="self,vader")
    told = subprocess.run(["mpirun", "-n", str(ranks), os.path.join(build, "bin/parallel_hdf5"),
                           os.path.join(folder, "field.h5"), config, str(bound), str(slices)],
                          env=environment, capture_output=True, text=True, check=True).stdout
    seconds = [float(s) for s in re.findall(r"([\d.]+) s\b", told)]
    return seconds, int(re.search(r"bytes as (\d+)", told)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--ranks", default="1,2,4,8")
    parser.add_argument("--slices", type=int, default=2048)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print(f"{os.cpu_count()} processors\n")
    print("| scaling | ranks | raw MB | ratio | writing, s | without filter | share of compression "
          "| reading, s | without filter |")
    print("| --- |" + " ---: |" * 8)
    with tempfile.TemporaryDirectory() as folder:
        for scaling in "strong", "weak":
            for ranks in map(int, options.ranks.split(",")):
                slices = options.slices * (ranks if scaling == "weak" else 1)
                best = {}
                for _ in range(options.runs):
                    for config in "codec=sz,abs=1e-3", "none":
                        seconds, stored = run(options.build, ranks, config, 1e-3, slices, folder)
                        old = best.get(config, ([9e9, 9e9], 0))[0]
                        best[config] = [min(a, b) for a, b in zip(seconds, old)], stored
                (write, read), stored = best["codec=sz,abs=1e-3"]
                (plain_write, plain_read), raw = best["none"]
                print(f"| {scaling} | {ranks} | {raw / 1e6:.1f} | {raw / stored:.1f} | {write:.3f} "
                      f"| {plain_write:.3f} | {100 * max(0, 1 - plain_write / write):.0f} % "
                      f"| {read:.3f} | {plain_read:.3f} |", flush=True)


if __name__ == "__main__":
    main()
