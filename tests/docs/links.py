#!/usr/bin/env python3
"""Check that each link of a page leads somewhere, and that each page that a source names is there.

    tests/docs/links.py SOURCE_DIR

Links to other sites are not followed.
"""
import pathlib
import re
import sys

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
NAMED = re.compile(r"\b(?:docs/[\w/.-]+\.(?:md|png|svg)|"
                   r"(?:README|CHANGELOG|CONTRIBUTING|SECURITY)\.md)\b")
TEXTS = {".c", ".h", ".cu", ".cc", ".py", ".sh", ".txt", ".1", ".md", ".toml", ".dict", ".cmake"}
FOLDERS = "bench", "cli", "compat", "docs", "examples", "include", "io", "plugins", "python", \
    "scripts", "src", "tests", "tools"


def without_code(text):
    """The text with its blocks of code emptied: what they show is no link and no heading."""
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def anchors(text):
    """The names that headings get on the project's pages."""
    found = {}
    for line in re.findall(r"^#+ (.*)", without_code(text), flags=re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line).lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found[name + (f"-{found[name]}" if name in found else "")] = 0
        found[name] = found.get(name, 0) + 1
    return found


def wrong_links(page):
    """Each link of a page that leads nowhere."""
    text = page.read_text(encoding="utf-8")
    for link in LINK.findall(without_code(text)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists():
            yield f"{link}: no such file"
        elif anchor and target.suffix == ".md" \
                and anchor not in anchors(target.read_text(encoding="utf-8")):
            yield f"{link}: no such heading"


def main():
    root = pathlib.Path(sys.argv[1])
    wrong = []
    pages = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("python/*.md")]
    for page in pages:
        wrong += [f"{page.relative_to(root)}: {what}" for what in wrong_links(page)]
    texts = [f for folder in FOLDERS for f in (root / folder).rglob("*") if f.suffix in TEXTS]
    for text in [*texts, *root.glob("*.md"), root / "Makefile"]:
        for name in set(NAMED.findall(text.read_text(encoding="utf-8", errors="replace"))):
            if not (root / name).exists():
                wrong.append(f"{text.relative_to(root)}: names {name}, which is not there")
    print("\n".join(wrong) or f"{len(pages)} pages, {len(texts)} texts: all links lead somewhere")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
