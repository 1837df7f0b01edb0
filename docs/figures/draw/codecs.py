#!/usr/bin/env python3
"""codecs.py: the figures of how each codec turns a tile into bits, and of the three questions.

    docs/figures/draw/codecs.py FOLDER      writes zfp.svg, ndzip.svg, sz.svg, sz-high.svg, questions.svg

The numbers in the figures are computed here, by the steps that the figures name.
"""

import os
import sys

from svg import Figure


def fold(q):
    """Zigzag: 0, -1, 1, -2, ... become 0, 1, 2, 3, ..."""
    return 2 * q if q >= 0 else -2 * q - 1


# ---- zfp -------------------------------------------------------------------------------------------


def lift(v):
    """zfp's forward transform of four integers."""
    x, y, z, w = v
    x = (x + w) >> 1
    w -= x
    z = (z + y) >> 1
    y -= z
    x = (x + z) >> 1
    z -= x
    w = (w + y) >> 1
    y -= w
    w += y >> 1
    y -= w >> 1
    return [x, y, z, w]


def negabinary(i):
    mask = 0xAAAA
    return ((i + mask) ^ mask) & 0xFFFF


def zfp_tile():
    values = [
        [18.4, 18.9, 19.6, 20.1],
        [18.1, 18.7, 19.2, 20.0],
        [17.6, 18.0, 18.8, 19.5],
        [16.9, 17.7, 18.3, 18.8],
    ]
    integers = [
        [int(v * 2 ** (14 - 2 - 5)) for v in row] for row in values
    ]  # 14 bits; 2^5 is above all
    rows = [lift(row) for row in integers]
    columns = [lift([rows[i][j] for i in range(4)]) for j in range(4)]
    coefficients = [[columns[j][i] for j in range(4)] for i in range(4)]
    order = sorted(
        ((i, j) for i in range(4) for j in range(4)),
        key=lambda p: (p[0] + p[1], p[0] ** 2 + p[1] ** 2),
    )
    return values, integers, coefficients, [coefficients[i][j] for i, j in order]


def draw_zfp(path):
    values, integers, coefficients, ordered = zfp_tile()
    words = [negabinary(c) for c in ordered]
    top = max(w.bit_length() for w in words)
    kept = top - 5
    f = Figure("How zfp turns a tile into bits", 776)
    f.step(32, 1, "A tile: 4 values along each axis", ["here 4 x 4 temperatures"])
    f.grid(42, 62, values, 48)
    f.step(196, 2, "Integers with one exponent", ["each value times the same power of two, 2^7"])
    f.grid(42, 226, integers, 48)
    f.step(
        360, 3, "A transform along each axis", ["smooth tiles leave small numbers off the corner"]
    )
    f.grid(42, 390, coefficients, 48, kinds=lambda i, j: "pale" if i + j == 0 else "box")
    f.lines(252, 264, ["the exponent, 5, stands first", "in the stream, in 8 bits"], "small", 18)
    f.step(
        524,
        4,
        "Bit planes, the highest first",
        [
            "a column is a coefficient, low frequencies left, in base -2;",
            "the zeros at a plane's end take one bit together",
        ],
    )
    for row in range(top):
        bits = [(w >> (top - 1 - row)) & 1 for w in words]
        last = max((k for k, b in enumerate(bits) if b), default=-1)
        for k, bit in enumerate(bits):
            kind = "gone" if row >= kept else "a" if bit else "pale" if k <= last else "box"
            f.box(42 + 18 * k, 572 + 13 * row, 18, 13, kind, 0)
    cut = 572 + 13 * kept
    f.path(f"M36 {cut}L338 {cut}")
    f.lines(346, cut - 6, ["coded"], "small")
    f.lines(346, cut + 16, ["left out: below", "the bound"], "small", 17)
    f.save(path)


# ---- ndzip -----------------------------------------------------------------------------------------


def draw_ndzip(path):
    values = [52, 53, 53, 54, 56, 57, 57, 58]
    before = [0] + values[:-1]
    residuals = [v - b for v, b in zip(values, before)]
    flipped = [r if r >= 0 else (0x80 | (~r & 0x7F)) for r in residuals]
    f = Figure("How ndzip turns a tile into bits", 560)
    f.step(
        32,
        1,
        "A tile: 4096 values as integers",
        ["4096, 64 x 64 or 16 x 16 x 16; here 8 of one byte"],
    )
    f.grid(42, 62, [values], 50)
    f.arrow(242, 92, 242, 112)
    f.step(136, 2, "Differences along each axis", ["each value less the one before it"])
    f.grid(42, 166, [residuals], 50, kinds=lambda i, j: "pale")
    f.arrow(242, 196, 242, 216)
    f.step(
        240,
        3,
        "Bits of a group turned on their side",
        ["a row was a residual; it becomes a bit plane"],
    )
    for i, r in enumerate(flipped):
        for b in range(8):
            f.box(42 + 20 * b, 278 + 20 * i, 20, 20, "a" if r >> (7 - b) & 1 else "box", 0)
    f.arrow(216, 358, 250, 358)
    mask = 0
    for r in flipped:
        mask |= r
    for b in range(8):
        is_kept = mask >> (7 - b) & 1
        for i, r in enumerate(flipped):
            kind = "gone" if not is_kept else "a" if r >> (7 - b) & 1 else "box"
            f.box(264 + 20 * i, 278 + 20 * b, 20, 20, kind, 0)
    f.text(42, 456, "8 residuals", "small")
    f.text(264, 456, "8 planes; faint: all zero", "small")
    f.step(488, 4, "A mask, then the planes that are not zero")
    x = 42
    f.box(x, 502, 96, 30, "c")
    f.text(x + 48, 522, f"{mask:08b}", "mono on", "middle")
    x += 100
    for b in range(8):
        if mask >> (7 - b) & 1:
            f.box(x, 502, 54, 30, "a")
            f.text(x + 27, 522, f"bit {7 - b}", "mono on", "middle")
            x += 58
    f.text(42, 550, "the mask says which bits' planes follow", "small")
    f.save(path)


# ---- sz, efforts fast and default --------------------------------------------------------------------


def draw_sz(path):
    step = 0.2
    values = [1.02, 1.19, 1.44, 1.58, 1.83, 1.97, 2.02, 1.96, 1.81, 1.62]
    q = [round(v / step) for v in values]
    d = [b - a for a, b in zip([q[0]] + q[:-1], q)]
    u = [fold(n) for n in d]
    f = Figure("How sz turns a tile into bits", 716)
    f.step(
        32,
        1,
        "Values become multiples of a step",
        ["the step is twice the bound, so no error is larger"],
    )
    x0, y0, dx, unit = 62, 196, 42, 22
    for n in range(5, 11):
        y = y0 - (n - 5) * unit
        f.path(f"M{x0 - 14} {y}L{x0 + 9 * dx + 14} {y}", "faint")
        f.text(x0 - 22, y + 5, n, "mono small", "end")
    f.path(
        "M"
        + "L".join(
            f"{x0 + i * dx:g} {y0 - (v / step - 5) * unit:.1f}" for i, v in enumerate(values)
        )
    )
    for i, n in enumerate(q):
        f.dot(x0 + i * dx, y0 - (n - 5) * unit, 5, "a")
    f.grid(42, 212, [q], 42)
    f.arrow(252, 242, 252, 262)
    f.step(
        286,
        2,
        "Lorenzo prediction: differences",
        ["along each axis in turn; the first value is kept as the base"],
    )
    f.grid(42, 316, [d], 42, kinds=lambda i, j: "pale")
    f.arrow(252, 346, 252, 366)
    f.step(390, 3, "Folded: small numbers first", ["0, -1, 1, -2, 2 become 0, 1, 2, 3, 4"])
    f.grid(42, 420, [u], 42, kinds=lambda i, j: "pale")
    f.arrow(252, 450, 252, 470)
    f.step(
        494,
        4,
        "Groups of 64, each with a class k",
        ["the class says how wide the group's numbers are"],
    )
    low = [n & 1 for n in u]
    f.text(42, 548, "effort fast", "head")
    f.text(232, 548, "k low bits as planes, the rest in unary", "small")
    x = 42
    f.box(x, 556, 46, 28, "c")
    f.text(x + 23, 575, "k = 1", "mono on", "middle")
    x += 48
    for b in low:
        f.box(x, 556, 16, 28, "a", 0)
        f.text(x + 8, 575, b, "mono on", "middle")
        x += 16
    x += 2
    for n in u:
        code = "1" * (n >> 1) + "0"
        f.box(x, 556, 9 * len(code) + 4, 28, "b", 0)
        f.text(x + (9 * len(code) + 4) / 2, 575, code, "mono on", "middle")
        x += 9 * len(code) + 4
    f.text(42, 616, "effort default", "head")
    f.text(232, 616, "Huffman codes of pairs, by class", "small")
    x = 42
    f.box(x, 624, 46, 28, "c")
    f.text(x + 23, 643, "k = 1", "mono on", "middle")
    x += 48
    for i in range(0, len(u), 2):
        f.box(x, 624, 62, 28, "d")
        f.text(x + 31, 643, f"({u[i]}, {u[i + 1]})", "mono on", "middle")
        x += 66
    f.lines(
        42,
        676,
        [
            "Codebooks are made from the array's own counts and stand",
            "once in its head. Values that fit no step are kept exactly.",
        ],
        "small",
        18,
    )
    f.save(path)


# ---- sz, effort high -----------------------------------------------------------------------------------


def draw_high(path):
    f = Figure("How sz with effort high turns a tile into bits", 760)
    f.step(
        32,
        1,
        "From a coarse grid to all points",
        ["every level halves the distance between known points"],
    )
    side, cell = 9, 25
    for i in range(side):
        for j in range(side):
            level = next(n for n in (3, 2, 1, 0) if i % (1 << n) == 0 and j % (1 << n) == 0)
            kind = {3: "c", 2: "d", 1: "b", 0: "box"}[level]
            f.dot(56 + cell * j, 68 + cell * i, {3: 9, 2: 8, 1: 7, 0: 5}[level], kind)
    for n, (kind, words) in enumerate(
        (
            ("c", "coarse grid, kept once"),
            ("d", "next level"),
            ("b", "the one after"),
            ("box", "level 0: three in four"),
        )
    ):
        f.dot(296, 96 + 34 * n, 8 if kind != "box" else 6, kind)
        f.text(312, 101 + 34 * n, words, "small")
    f.step(
        320,
        2,
        "Each point is predicted by its neighbours",
        ["a cubic along each axis that the point is between on"],
    )
    xs, known = (70, 150, 310, 390), (22, 30, 44, 47)
    p = (9 * (known[1] + known[2]) - known[0] - known[3] + 8) >> 4
    heights = [404 - (v - 22) for v in known]
    f.path(
        "M"
        + "L".join(
            f"{x} {y}"
            for x, y in zip(
                (xs[0], xs[1], 230, xs[2], xs[3]),
                (heights[0], heights[1], 404 - (p - 22), heights[2], heights[3]),
            )
        ),
        "faint",
    )
    for x, y, w, v in zip(xs, heights, ("-1/16", "9/16", "9/16", "-1/16"), known):
        f.dot(x, y, 8, "b")
        f.text(x, 430, v, "mono", "middle")
        f.text(x, 448, w, "small", "middle")
    f.dot(230, 404 - (p - 22), 8, "a")
    f.text(230, 430, f"P = {p}", "mono", "middle")
    f.step(
        486,
        3,
        "The residual q, in steps of twice the bound",
        [f"the value is 40: q = 40 - {p} = {40 - p}"],
    )
    f.step(
        540,
        4,
        "A context from what is known",
        ["how large residuals near by were says how large q will be"],
    )
    shades = (("1", "box"), ("0", "box"), ("2", "box"), ("q", "a"))
    for n, (words, kind) in enumerate(shades):
        f.box(42 + 40 * n, 572, 40, 28, kind, 0)
        f.text(62 + 40 * n, 591, words, "mono on" if kind == "a" else "mono", "middle")
    f.arrow(206, 586, 250, 586)
    f.text(260, 591, "48 contexts, each a model", "small")
    f.step(
        640,
        5,
        "Interleaved ANS states write the bits",
        ["32 states take turns: 32 symbols are decoded at a time"],
    )
    for n in range(8):
        f.box(42 + 52 * n, 672, 48, 28, "pale")
        f.text(66 + 52 * n, 691, f"s{n}" if n < 7 else "...", "mono", "middle")
    f.arrow(252, 704, 252, 722)
    f.box(42, 724, 412, 24, "d")
    f.text(248, 741, "1 0110 01 11010 0 0010 1 101 ...", "mono on", "middle")
    f.save(path)


# ---- the three questions --------------------------------------------------------------------------------


def draw_questions(path):
    f = Figure("Three independent questions: codec, policy, index", 640)
    f.step(32, 1, "How does a tile become bits?  The codec", ["zfp, ndzip or sz"])
    for i in range(3):
        for j in range(4):
            f.box(42 + 34 * j, 66 + 34 * i, 34, 34, "pale" if (i, j) != (0, 1) else "a", 0)
            f.text(
                59 + 34 * j,
                88 + 34 * i,
                4 * i + j,
                "mono on" if (i, j) == (0, 1) else "mono",
                "middle",
            )
    f.arrow(186, 117, 236, 117)
    f.box(246, 102, 130, 30, "a")
    f.text(311, 122, "1011001110", "mono on", "middle")
    f.lines(246, 152, ["a tile on its own:", "no other tile is needed"], "small", 18)
    lengths = (34, 46, 22, 40, 28, 36, 20, 44, 30, 24, 38, 32)
    f.step(
        214, 2, "Where do the tiles run?  The policy", ["serial, omp (threads) or cuda (a GPU)"]
    )
    for lane in range(3):
        f.text(42, 268 + 34 * lane, ("thread 0", "thread 1", "thread 2")[lane], "small")
        x = 112
        for k in range(4 * lane, 4 * lane + 4):
            f.box(x, 250 + 34 * lane, lengths[k], 26, "abd"[lane], 2)
            f.text(x + lengths[k] / 2, 268 + 34 * lane, k, "mono on", "middle")
            x += lengths[k] + 3
    f.lines(
        290, 268, ["any number of threads,", "any order in time:", "the same bytes"], "small", 18
    )
    f.arrow(340, 318, 340, 376)
    x = 42
    starts = []
    for k, n in enumerate(lengths):
        starts.append(x)
        f.box(x, 382, n, 28, "abd"[k // 4], 0)
        f.text(x + n / 2, 401, k, "mono on", "middle")
        x += n
    f.text(42, 374, "the stream: tiles of different lengths", "small")
    f.step(
        530,
        3,
        "How does a decoder find a tile?  The index",
        ["none, offsets, lengths, hybrid or compact"],
    )
    for k in range(0, 12, 4):
        f.box(starts[k], 466, 76, 28, "c")
        f.text(starts[k] + 38, 485, f"chunk {k // 4}", "mono on", "middle")
        f.path(f"M{starts[k] + 1} 466L{starts[k] + 1} 412", "line")
        f.path(f"M{starts[k] - 4} 420L{starts[k] + 1} 411L{starts[k] + 6} 420z", "tip")
    f.lines(
        42,
        576,
        [
            "An entry says where a chunk of tiles begins, so that threads",
            "start in the middle and a box is read without the rest.",
            "It stands beside the stream and changes none of its bits.",
        ],
        "small",
        19,
    )
    f.save(path)


if __name__ == "__main__":
    folder = sys.argv[1]
    for name, draw in (
        ("zfp", draw_zfp),
        ("ndzip", draw_ndzip),
        ("sz", draw_sz),
        ("sz-high", draw_high),
        ("questions", draw_questions),
    ):
        draw(os.path.join(folder, name + ".svg"))
