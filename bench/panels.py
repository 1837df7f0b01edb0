"""panels.py: ratio against speed, as points with names on logarithmic axes."""

import math
import os
import sys

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "figures", "draw")
)
from svg import Figure  # noqa: E402


def nice(low, high, steps=(1, 2, 5)):
    """Numbers on a logarithmic axis."""
    return [s * 10.0**e for e in range(-2, 6) for s in steps if low <= s * 10.0**e <= high]


def label_of(x, y, words, taken, right):
    """A place for a label by its point, that meets none before."""
    wide = (8.4 if words.startswith("ztile") else 7.6) * len(words)
    for dx, dy in (
        (9, 5),
        (-9 - wide, 5),
        (-wide / 2, -10),
        (-wide / 2, 21),
        (9, -9),
        (9, 18),
        (-9 - wide, -9),
        (-9 - wide, 18),
        (9, 30),
        (-9 - wide, 30),
    ):
        box = (x + dx, y + dy - 12, x + dx + wide, y + dy + 3)
        if (
            box[2] <= right
            and box[0] >= 48
            and all(
                box[2] < b[0] or box[0] > b[2] or box[3] < b[1] or box[1] > b[3] for b in taken
            )
        ):
            break
    taken.append(box)
    return box[0], box[3] - 3, dy == 5


def axes(f, top, speeds, ratios, unit, height, room):
    """Logarithmic axes of a panel, drawn; functions of a speed and of a ratio that give pixels."""
    left, right, bottom = 52, f.width - 16, top + height
    x_low, x_high = min(speeds) / 1.35, max(speeds) * 1.7
    y_low, y_high = min(ratios) / room, max(ratios) * room

    def x_of(v):
        return left + (right - left) * math.log(v / x_low) / math.log(x_high / x_low)

    def y_of(v):
        return bottom - (bottom - top - 34) * math.log(v / y_low) / math.log(y_high / y_low)

    last = 0
    for v in nice(x_low, x_high):
        f.path(f"M{x_of(v):.1f} {top + 34}L{x_of(v):.1f} {bottom}", "faint")
        if x_of(v) - last > 45:
            last = x_of(v)
            f.text(last, bottom + 18, f"{v:g}", "small", "middle")
    ticks = nice(y_low, y_high)
    for step in (0.2, 0.1, 0.05):
        if len(ticks) < 3:
            ticks = [step * k for k in range(200) if y_low <= step * k <= y_high]
    for v in ticks:
        f.path(f"M{left} {y_of(v):.1f}L{right} {y_of(v):.1f}", "faint")
        f.text(left - 6, y_of(v) + 5, f"{v:g}", "small", "end")
    f.text(right, bottom + 38, unit, "small", "end")
    f.text(left, bottom + 38, "upwards: ratio", "small")
    return x_of, y_of


def draw_points(f, at, right):
    """Labelled points, names to pixels; ztile's are blue and come first."""
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in at.values()]
    for coder, (x, y) in sorted(
        at.items(), key=lambda item: (not item[0].startswith("ztile"), item[1][1])
    ):
        is_ours = coder.startswith("ztile")
        f.dot(x, y, 5, "a" if is_ours else "c")
        lx, ly, is_beside = label_of(x, y, coder, taken, right)
        if not is_beside:  # the name stands away from its point: a line leads there
            end = min(max(x, lx), taken[-1][2])
            f.path(f"M{x:.1f} {y:.1f}L{end:.1f} {ly - (11 if ly > y else -3):.1f}", "line")
        f.text(lx, ly, coder, "head" if is_ours else "", "start")


def draw_panel(f, top, title, said, points, unit, height=300, room=1.1):
    """Points {name: (ratio, speed)} below a title."""
    f.text(16, top, title, "head")
    f.text(16, top + 20, said, "small")
    ratios, speeds = zip(*points.values())
    x_of, y_of = axes(f, top, speeds, ratios, unit, height, room)
    draw_points(f, {c: (x_of(s), y_of(r)) for c, (r, s) in points.items()}, f.width - 8)


def save_both_ways(path, title, said, rows, unit):
    """A figure with a panel for each type and direction: rows {(name, "f32" or "f64"): (ratio,
    compressing, decompressing)}; said: lines below which the panels are."""
    kinds = [k for k in ("f32", "f64") if any(kind == k for _, kind in rows)]
    f = Figure(title, 40 + 18 * len(said) + 576 * len(kinds))
    f.lines(16, 26, said, "small", 18)
    top = 40 + 18 * len(said)
    for kind in kinds:
        for column, what in ((1, "compressing"), (2, "decompressing")):
            points = {n: (row[0], row[column]) for (n, k), row in rows.items() if k == kind}
            name = {"f32": "float", "f64": "double"}[kind]
            draw_panel(f, top, f"{name}, {what}", "", points, unit, 220, 1.03)
            top += 288
    f.save(path)
