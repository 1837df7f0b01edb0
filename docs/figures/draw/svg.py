"""svg.py: the few shapes that the figures are made of, legible on light and dark pages and at 400 pixels."""

WIDTH = 480  # units; text of 15 units is then 12 pixels high where the page is 400 wide
SHOWN = 640  # pixels, where there is room

STYLE = """
text { font: 15px system-ui, sans-serif; fill: #1b1f24; }
.small { font-size: 13px; fill: #57606a; }
.mono { font: 13px ui-monospace, monospace; }
.head { font-weight: 600; }
.on { fill: #ffffff; }
.page { fill: #ffffff; }
.box { fill: #eef3f8; stroke: #8c959f; }
.a { fill: #0969da; } .b { fill: #1a7f37; } .c { fill: #bc4c00; } .d { fill: #8250df; }
.pale { fill: #dbeafe; stroke: #8c959f; } .gone { fill: #ffffff; stroke: #dde1e6; }
.line { stroke: #57606a; fill: none; stroke-width: 1.5; }
.faint { stroke: #c3c9d0; fill: none; }
.tip { fill: #57606a; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; } .small { fill: #9da7b3; } .on { fill: #0d1117; }
.page { fill: #0d1117; } .box { fill: #1c2530; stroke: #6e7681; }
.a { fill: #58a6ff; } .b { fill: #56d364; } .c { fill: #ffa657; } .d { fill: #d2a8ff; }
.pale { fill: #16325c; stroke: #6e7681; } .gone { fill: #0d1117; stroke: #2b313a; }
.line { stroke: #9da7b3; } .faint { stroke: #444c56; } .tip { fill: #9da7b3; }
}
"""


def escape(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Figure:
    def __init__(self, title, height, width=WIDTH):
        self.title, self.width, self.height, self.parts = title, width, height, []

    def add(self, element):
        self.parts.append(element)

    def text(self, x, y, words, kind="", anchor="start"):
        self.add(
            f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'
        )

    def lines(self, x, y, lines, kind="", step=19):
        for i, words in enumerate(lines):
            self.text(x, y + i * step, words, kind)

    def box(self, x, y, width, height, kind="box", round=4):
        self.add(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round}" class="{kind}"/>'
        )

    def path(self, d, kind="line"):
        self.add(f'<path d="{d}" class="{kind}"/>')

    def arrow(self, x0, y0, x1, y1):
        """A straight arrow, down or to the right."""
        self.path(f"M{x0:g} {y0:g}L{x1:g} {y1:g}")
        if x0 == x1:
            self.path(f"M{x1 - 5:g} {y1 - 7:g}L{x1:g} {y1 + 1:g}L{x1 + 5:g} {y1 - 7:g}z", "tip")
        else:
            self.path(f"M{x1 - 7:g} {y1 - 5:g}L{x1 + 1:g} {y1:g}L{x1 - 7:g} {y1 + 5:g}z", "tip")

    def dot(self, x, y, radius, kind):
        self.add(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" class="{kind}"/>')

    def grid(self, x, y, rows, width, height=24, kinds=None):
        """Cells with numbers in them; kinds(row, column) names a cell's class."""
        for i, row in enumerate(rows):
            for j, words in enumerate(row):
                kind = kinds(i, j) if kinds else "box"
                self.box(x + j * width, y + i * height, width, height, kind, 0)
                if words != "":
                    on = "mono on" if kind in "abcd" else "mono"
                    self.text(
                        x + (j + 0.5) * width, y + (i + 0.5) * height + 5, words, on, "middle"
                    )

    def step(self, y, number, title, lines=()):
        """The heading of a step of an algorithm, and what is said below it."""
        self.dot(22, y - 5, 11, "a")
        self.text(22, y, number, "on head", "middle")
        self.text(42, y, title, "head")
        self.lines(42, y + 20, lines, "small", 18)

    def save(self, path):
        shown = round(self.height * SHOWN / self.width)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{SHOWN}" height="{shown}" role="img" aria-label="{escape(self.title)}">\n'
            f"<title>{escape(self.title)}</title>\n<style>{STYLE}</style>\n"
            f'<rect width="{self.width}" height="{self.height}" rx="8" class="page"/>\n'
        )
        with open(path, "w", encoding="utf-8") as f:
            f.write(head + "\n".join(self.parts) + "\n</svg>\n")
