#!/usr/bin/env python3
"""layers.py: the figures of the layers, and of an array's way into a file and back.

    docs/figures/draw/layers.py FOLDER      writes layers.svg, array.svg
"""
import os
import sys

from svg import Figure

HIGH, PITCH = 46, 68  # of a box, from box to box


def name(f, x, y, width, title, words, kind="box"):
    """A box with a title and a line below it."""
    f.box(x, y, width, HIGH, kind)
    f.text(x + width / 2, y + 20, title, "", "middle")
    f.text(x + width / 2, y + 38, words, "small", "middle")


def up(f, x, y0, y1):
    f.path(f"M{x:g} {y0:g}L{x:g} {y1:g}")
    f.path(f"M{x - 5:g} {y1 + 7:g}L{x:g} {y1 - 1:g}L{x + 5:g} {y1 + 7:g}z", "tip")


def draw_layers(path):
    f = Figure("Layers of ztile: each leans on those below it", 6 * PITCH - 2)
    left, width, wide = (12, 129, 246), 105, 339
    rows = [12 + PITCH * i for i in range(6)]
    for x, title, words in zip(
        (*left, 363),
        ("command", "Python", "HDF5 filters", "libzfp's API"),
        ("cli, io, tools", "python", "plugins", "compat"),
    ):
        name(f, x, rows[0], width, title, words)
    name(f, 12, rows[1], wide, "ztile.h", "and the headers beside it")
    name(f, 12, rows[2], wide, "frame", "a .zt file: write, read, salvage")
    name(f, 12, rows[3], wide, "plan", "order of axes, codec and effort, by samples")
    for x, title, words in zip(
        left, ("index", "codec", "exec"), ("finds tiles", "tile to bits", "runs tiles")
    ):
        name(f, x, rows[4], width, title, words, "pale")
    for x, title, words in zip(
        left, ("entropy", "array, bits", "core"), ("quality", "simd, gpu", "threads")
    ):
        name(f, x, rows[5], width, title, words)
    for row in (0, 3, 4):
        for x in left:
            f.arrow(x + width / 2, rows[row] + HIGH, x + width / 2, rows[row + 1] - 2)
    for row in (1, 2):
        f.arrow(12 + wide / 2, rows[row] + HIGH, 12 + wide / 2, rows[row + 1] - 2)
    x, y = 450, rows[4] + HIGH / 2
    f.path(f"M{x} {rows[0] + HIGH}L{x} {y}L355 {y}")
    f.path(f"M360 {y - 5}L352 {y}L360 {y + 5}z", "tip")
    for i, words in enumerate(("codec", "and exec", "alone")):
        f.text(x - 8, rows[2] + 18 + 18 * i, words, "small", "end")
    f.save(path)


def draw_array(path):
    f = Figure("An array's way into a file, and back", 8 * PITCH - 2)
    width, left, right = 222, 12, 246
    rows = [12 + PITCH * i for i in range(8)]
    into = (
        ("zt_compress, zt_writer", "checks, once"),
        ("slabs", "cut along the slowest axis"),
        ("resolve", "range, absolute bound"),
        ("plan", "axes, codec, effort"),
        ("fill", "NaN and fill values out"),
        ("code", "one stream; tiles verified"),
        ("emit", "header, payload, checksums"),
    )
    back = (
        ("array", "special, exact values put back"),
        ("unplan", "axes as the user has them"),
        ("decode", "only the tiles that meet the box"),
        ("index", "where these tiles begin"),
        ("verify", "checksums of what is read"),
        ("header, tail", "every length checked"),
        ("zt_decompress, zt_reader", "seek table, frames"),
    )
    for i in range(7):
        name(f, left, rows[i], width, *into[i], "pale" if into[i][0] == "code" else "box")
        name(f, right, rows[i], width, *back[i], "pale" if back[i][0] == "decode" else "box")
        f.arrow(left + width / 2, rows[i] + HIGH, left + width / 2, rows[i + 1] - 2)
        up(f, right + width / 2, rows[i + 1], rows[i] + HIGH + 2)
    name(f, left, rows[7], 456, ".zt file", "frames, then a seek table")
    f.save(path)


if __name__ == "__main__":
    folder = sys.argv[1]
    for figure, draw in (("layers", draw_layers), ("array", draw_array)):
        draw(os.path.join(folder, figure + ".svg"))
