#!/usr/bin/env python3
"""Look for habits that make pages hard to read; with proselint, where it is installed, for others.

    tests/docs/habits.py [--proselint COMMAND] SOURCE_DIR

Looked through are README.md, the users' guides (docs/*.md) and docs/internals. Found are sentences
of more than 45 words, paragraphs of more than 8 lines, words that only this project used, history,
and turns of phrase that ask for a second reading. Code, tables and links are left out.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

MOST_WORDS, MOST_LINES = 45, 8
HABITS = {
    r"\b(of|for|behind|beside|beyond) which\b": "a chain of relative clauses: two sentences",
    r"\b(since then|in an earlier run|was measured before|nowadays)\b": "history: for docs/notes",
    r"\bnot yet\b|\bis honest about\b": "what is missing stands in one place",
    r"\b(takers|crew|vouch\w*|sounding|loud|shed|mended|doubtful)\b": "a private word",
    r"\b(\d\.\d+) to (\d\.\d+) times as (fast|much|many)\b": "a range: a median and a spread",
    r"\bas many as .{1,40} so many\b|\bso many at a time\b": "say the number",
    r"\b(and so|so that|but for) \w+ (and so|so that|but for)\b": "one thought a sentence",
    r"\bof course\b|\bobviously\b|\bsimply\b": "leave it out",
}
# What proselint finds that is no mistake here.
ALLOWED = ("typography", "hyperbole", "misc.phrasal_adjectives", "lexical_illusions", "spelling")


def prose(text):
    """Paragraphs of prose, each as its line number and its lines."""
    text = re.sub(r"^```.*?^```", lambda code: "\n" * code[0].count("\n"), text,
                  flags=re.M | re.S)
    lines, start = [], 0
    for number, line in enumerate([*text.split("\n"), ""], 1):
        is_own = not line.strip() or re.match(r"(\||#|    |!|<!--)", line)
        if is_own or re.match(r"\s*([-*]|\d+\.) ", line):
            if lines:
                yield start, lines
            lines = []
        if not is_own:
            start = start if lines else number
            lines.append(line)


def habits_of(text):
    """Line number and fault of each habit in a page."""
    for start, lines in prose(text):
        plain = re.sub(r"\]\([^)]*\)", "]", "\n".join(lines))
        if len(lines) > MOST_LINES:
            yield start, f"a paragraph of {len(lines)} lines"
        for sentence in re.split(r"(?<=[.!?:;])\s+", plain.replace("\n", " ")):
            words = len(re.findall(r"\w[\w'/.-]*", re.sub(r"`[^`]*`|\([^)]*\)", "", sentence)))
            if words > MOST_WORDS:
                yield start, f"a sentence of {words} words: {sentence[:60]}..."
        for habit, why in HABITS.items():
            found = re.search(habit, re.sub(r"`[^`]*`", "", plain), flags=re.I)
            if found:
                yield start + plain[:found.start()].count("\n"), f"'{found[0]}': {why}"


def proselint_of(command, pages, root):
    """What proselint says of the pages, but for what is allowed."""
    done = subprocess.run([command, "check", "-o", "json", *map(str, pages)], capture_output=True,
                          text=True, check=False)
    if not done.stdout.strip():
        yield f"proselint fails: {done.stderr.strip()[-300:]}"
        return
    for page, found in json.loads(done.stdout).get("result", {}).items():
        for what in found.get("diagnostics", []):
            if not what["check_path"].startswith(ALLOWED):
                name = pathlib.Path(page.replace("file:", "")).relative_to(root)
                yield f"{name}:{what['pos'][0]}: {what['check_path']}: {what['message']}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--proselint", help="the command")
    options = parser.parse_args()
    root = options.source.resolve()
    pages = [root / "README.md", *sorted(root.glob("docs/*.md")),
             *sorted(root.glob("docs/internals/*.md"))]
    wrong = [f"{page.relative_to(root)}:{line}: {what}" for page in pages
             for line, what in habits_of(page.read_text(encoding="utf-8"))]
    if options.proselint:
        wrong += proselint_of(options.proselint, pages, root)
    print("\n".join(wrong) or f"{len(pages)} pages read well")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
