#!/usr/bin/env python3
"""sz_distortion.py: rate and distortion of the sz codec beside its peers, as in the cuSZ paper.

    bench/sz_distortion.py --ztile BIN --data FOLDER [--out FILE] [--tight FILE.f64]

PSNR over bits a value at rel 1e-1 .. 1e-6, six fields, one picture (FILE: .png or .svg); the
figures go to standard output. Peers are those of hdf5plugin, as bare HDF5 chunks: SZ3, SZ, zfp,
SPERR. Every one is given the same absolute bound; ztile's sizes are those of whole files. Needs
numpy, h5py, hdf5plugin and matplotlib. --tight: also the ratios at rel 1e-8 and 1e-10 of a made
field, 128 x 128 x 128, of 'sz_bench --slope S --write FILE.f64', beside SZ3's.
"""
import argparse
import io
import os
import subprocess
import tempfile

import h5py
import hdf5plugin
import matplotlib
import numpy
from PIL import Image

from sz_tables import raw_file, rows_of, told_of

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

FIELDS = ["sperr_999x999", "seis_viking", "sperr_wmag91", "echam_t3d", "md_adk_dims",
          "channel_dns_uvw4d"]
BOUNDS = [10.0 ** -n for n in range(1, 7)]
EFFORTS = [("ztile high", "high", "#b2182b"), ("ztile default", "default", "#ef8a62")]
PEERS = [("SZ3", lambda b: hdf5plugin.SZ3(absolute=b), "#2166ac"),
         ("SZ2", lambda b: hdf5plugin.SZ(absolute=b), "#67a9cf"),
         ("zfp", lambda b: hdf5plugin.Zfp(accuracy=b), "#4d4d4d"),
         ("SPERR", lambda b: hdf5plugin.Sperr(absolute=b), "#1b7837")]


def peer(values, make, bound):
    """Bytes of one HDF5 chunk, and what it decodes to; None where the filter cannot."""
    memory = io.BytesIO()
    try:
        with h5py.File(memory, "w") as f:
            f.create_dataset("x", data=values, chunks=values.shape, **make(bound))
        with h5py.File(memory, "r") as f:
            return f["x"].id.get_storage_size(), f["x"][...]
    except (OSError, RuntimeError, ValueError):
        return None


def psnr_of(values, back):
    span = float(values.max()) - float(values.min())
    error = values.astype("f8") - back.astype("f8")
    rms = float(numpy.sqrt(numpy.mean(error * error)))
    return 20 * numpy.log10(span / rms) if rms > 0 else None


def lines_of(options, row, scratch):
    """name: [(bits a value, PSNR)] of a field."""
    path, dims = raw_file(options.data, row, scratch), row["dims"]
    shape = tuple(int(n) for n in dims.split("x"))
    values = numpy.fromfile(path, dtype="<f%d" % (int(row["dtype"][1:]) // 8)).reshape(shape)
    span = float(values.max()) - float(values.min())
    lines = {}
    for rel in BOUNDS:
        for name, effort, _ in EFFORTS:
            told, size = told_of(options.ztile, path, row["dtype"], dims, scratch, "-c", "sz",
                                 "--abs", repr(rel * span), "--effort", effort)
            if told["psnr"] is not None:
                lines.setdefault(name, []).append((8 * size / values.size, told["psnr"]))
        for name, make, _ in PEERS:
            flat = values.reshape((-1,) + shape[-2:]) if len(shape) == 4 else values
            got = peer(flat, make, rel * span)
            psnr = psnr_of(flat, got[1]) if got else None
            if psnr is not None:
                lines.setdefault(name, []).append((8 * got[0] / values.size, psnr))
    return lines


def draw(all_lines, out):
    figure, axes = pyplot.subplots(2, 3, figsize=(11, 6.4), constrained_layout=True)
    for axis, (field, lines) in zip(axes.flat, all_lines):
        for name, *_, color in EFFORTS + PEERS:
            if name in lines:
                axis.plot(*zip(*lines[name]), marker="o", markersize=3, linewidth=1.3, label=name,
                          color=color)
        axis.set_title(field, fontsize=10)
        axis.set_xlim(0, 16)
        axis.set_ylim(10, 140)
        axis.grid(color="#dddddd", linewidth=0.6)
    for axis in axes[-1]:
        axis.set_xlabel("bits a value")
    for axis in axes[:, 0]:
        axis.set_ylabel("PSNR, dB")
    axes.flat[0].legend(fontsize=8, loc="lower right")
    figure.savefig(out, dpi=100)
    if out.endswith(".png"):
        Image.open(out).convert("RGB").quantize(64).save(out, optimize=True)


def print_tight(options, scratch):
    values = numpy.fromfile(options.tight, dtype="<f8").reshape(128, 128, 128)
    span = values.max() - values.min()
    for rel in (1e-8, 1e-10):
        _, size = told_of(options.ztile, options.tight, "f64", "128x128x128", scratch, "-c", "sz",
                          "--rel", repr(rel))
        theirs = peer(values, PEERS[0][1], rel * span)
        print("%.0e\tztile %.3f\tSZ3 %.3f" % (rel, values.nbytes / size, values.nbytes / theirs[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ztile", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out")
    parser.add_argument("--tight")
    options = parser.parse_args()
    rows = {row["file"].split(".")[0]: row for row in rows_of(options.data)}
    with tempfile.TemporaryDirectory() as scratch:
        if options.tight:
            print_tight(options, scratch)
        all_lines = [(field, lines_of(options, rows[field], scratch)) for field in
                     (FIELDS if options.out else [])]
    for field, lines in all_lines:
        for name, points in lines.items():
            print(field, name, *("%.3f:%.1f" % point for point in points), sep="\t")
    if options.out:
        draw(all_lines, os.path.abspath(options.out))


if __name__ == "__main__":
    main()
