"""coverage_table.py: a table out of what 'llvm-cov export' prints, for coverage.sh.

    coverage_table.py ROOT COVERAGE_JSON [--missed]

A line is run if a function runs it in any program, and in any instance where a kernel has several;
so is each way of a branch. Kernels for GPUs and the stubs in their place are no part of it.
"""
import collections
import json
import os
import sys

GROUPS = ("src/frame/", "src/index/", "src/codec/", "src/entropy/")


class File:
    def __init__(self):
        self.lines = collections.defaultdict(bool)
        self.ways = collections.defaultdict(bool)


def is_counted(name):
    base = os.path.basename(name)
    return name.startswith(GROUPS) and "cuda" not in base


def add_function(files, root, function):
    """Lines by its regions, as llvm-cov counts them: of nested ones the innermost counts."""
    names = [os.path.relpath(name, root) for name in function["filenames"]]
    lines = collections.defaultdict(dict)
    for first, _, last, _, count, file, _, kind in function["regions"]:
        if kind == 0 and is_counted(names[file]):
            for line in range(first, last + 1):
                depth = last - first
                if line not in lines[file] or depth <= lines[file][line][0]:
                    lines[file][line] = (depth, count > 0 or
                                         depth == lines[file].get(line, (None,))[0] and
                                         lines[file][line][1])
    for file, found in lines.items():
        for line, (_, is_run) in found.items():
            files[names[file]].lines[line] |= is_run
    for first, column, last, end, true, false, file, *_ in function["branches"]:
        if is_counted(names[file]):
            files[names[file]].ways[first, column, last, end, True] |= true > 0
            files[names[file]].ways[first, column, last, end, False] |= false > 0


def share(found):
    return f"{100 * sum(found) / len(found):6.1f}" if found else "     -"


def print_row(name, lines, ways):
    print(f"{name:36}{len(lines):7}{share(lines)} %{len(ways):9}{share(ways)} %")


def print_missed(name, file):
    for line in sorted(line for line, is_run in file.lines.items() if not is_run):
        print(f"{name}:{line}: not run")
    for (line, column, _, _, way), is_run in sorted(file.ways.items()):
        if not is_run:
            print(f"{name}:{line}:{column}: never {str(way).lower()}")


def main():
    root, path = sys.argv[1:3]
    files = collections.defaultdict(File)
    with open(path, encoding="utf-8") as json_file:
        for export in json.load(json_file)["data"]:
            for function in export["functions"]:
                add_function(files, os.path.realpath(root), function)
    print(f"{'':36}{'lines':>7}{'run':>8}{'branches':>9}{'run':>8}")
    for group in GROUPS:
        inside = {name: file for name, file in sorted(files.items()) if name.startswith(group)}
        for name, file in inside.items():
            print_row(name, file.lines.values(), file.ways.values())
        print_row(group + " all", [run for f in inside.values() for run in f.lines.values()],
                  [run for f in inside.values() for run in f.ways.values()])
    if "--missed" in sys.argv:
        for name, file in sorted(files.items()):
            print_missed(name, file)


main()
