#!/usr/bin/env python3
"""includes.py: what layers.sh says of includes that takes more than a search.

    tests/includes.py SOURCE_DIR

Prints each fault on a line; exit status 1 if there is one.
"""
import os
import re
import sys

FOLDERS = ("src", "cli", "io", "tools")
ROOTS = ("src", "cli", "io", "tools", "include")
USERS = FOLDERS + ("tests", "plugins", "compat", "bench")
LINES = 800  # of a file, at most


def sources(folders):
    for top in folders:
        for folder, _, names in os.walk(top):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".cu")):
                    yield os.path.join(folder, name)


def resolve(user, name):
    for folder in (os.path.dirname(user),) + ROOTS:
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.exists(path):
            return path
    return None


def read_includes():
    """File -> the files that it includes, as often as it does."""
    pattern = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
    found = {}
    for path in sources(USERS):
        with open(path, encoding="utf-8") as file:
            names = [resolve(path, name) for name in pattern.findall(file.read())]
        found[path] = [name for name in names if name]
    return found


def count_lines(paths):
    total = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            total += sum(1 for line in file)
    return total


def find_cuts(includes):
    """Headers that one file of their folder compiles, once: they are no interface and no text, but
    a part of that file. Where all its parts would make it too long, it is cut by stage."""
    users = {}
    for user, names in includes.items():
        for name in names:
            users.setdefault(name, []).append(user)

    def compiled(path):
        return sum(map(compiled, users.get(path, ()))) if path.endswith(".h") else 1

    parts = {}
    for path in sources(FOLDERS):
        if path.endswith(".h") and compiled(path) == 1:
            user = users[path][0]
            if os.path.dirname(user) == os.path.dirname(path):
                parts.setdefault(user, []).append(path)
    for user, headers in sorted(parts.items()):
        if count_lines([user] + headers) <= LINES:
            yield "%s: only %s includes it; make one file of them" % (", ".join(headers), user)


def find_circles(includes):
    """Files that include each other inside a layer: NAME.h and NAME.c count as one."""

    def unit(path):
        return path.rsplit(".", 1)[0]

    def layer(path):
        return path.split("/")[: 2 if path.startswith("src/") else 1]

    uses = {}
    for user, names in includes.items():
        if user.startswith(tuple(folder + "/" for folder in FOLDERS)):
            near = (unit(name) for name in names if layer(name) == layer(user))
            uses.setdefault(unit(user), set()).update(near)

    done = set()  # no circle goes through these

    def walk(one, path):
        if one in path:
            return path[path.index(one) :] + [one]
        found = None
        for other in sorted(uses.get(one, ())):
            if found is None and other != one and other not in done:
                found = walk(other, path + [one])
        done.add(one)
        return found

    for one in sorted(uses):
        circle = None if one in done else walk(one, [])
        if circle:
            yield "a circle: " + " includes ".join(circle)


def main():
    os.chdir(sys.argv[1])
    includes = read_includes()
    faults = list(find_cuts(includes)) + list(find_circles(includes))
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(1 if faults else 0)


main()
