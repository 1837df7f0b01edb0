#!/usr/bin/env python3
"""abi_test.py: the interface that programs were compiled with, against the one of these headers.

    tests/abi/abi_test.py SOURCE_DIR CC [--write]

ztile.abi beside this file lists every public function, struct with its fields, enumerator and
constant, and the size of each struct on 64-bit machines. Programs that were compiled before keep
working while its lines stay. A line that changes or goes needs another soname (SOVERSION in
src/CMakeLists.txt); --write then stores the new list. New lines need --write only.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile


def declarations(source, compiler):
    """Each declaration of the headers on a line, without comments and bodies."""
    headers = sorted(glob.glob(os.path.join(source, "include", "*.h")))
    text = "".join('#include "%s"\n' % path for path in headers)
    done = subprocess.run([compiler, "-E", "-P", "-std=c11", "-xc", "-"], input=text,
                          capture_output=True, text=True, check=True)
    flat = re.sub(r"\s+", " ", done.stdout)
    flat = flat.replace('__attribute__((visibility("default")))', "extern")
    while True:  # bodies of inline functions, from the innermost braces outwards
        shorter = re.sub(r"(static inline [^;{}]*\) ?)(;?)\{[^{}]*\}", r"\1;", flat)
        shorter = re.sub(r"(static inline [^{}]*\) ?\{[^{}]*)\{[^{}]*\}", r"\1", shorter)
        if shorter == flat:
            break
        flat = shorter
    found = re.findall(r"(?:extern|static inline) [^;{}]*\bzt_\w+\([^;{}]*\)", flat)
    found += re.findall(r"typedef (?:struct|enum) zt_\w+ \{.*?\} zt_\w+", flat)
    found += re.findall(r"typedef [^;{}]*\bzt_\w+\)?\([^;{}]*\)", flat)
    return [re.sub(r" +", " ", line).strip() for line in found]


def constants(source):
    pattern = re.compile(r"^#define (ZT_(?!API|VERSION)\w+)\s+([^\s/]+)", re.M)
    for path in sorted(glob.glob(os.path.join(source, "include", "*.h"))):
        with open(path, encoding="utf-8") as file:
            for name, value in pattern.findall(file.read()):
                yield "#define %s %s" % (name, value)


def sizes(source, compiler, lines):
    """sizeof each struct, by a program."""
    structs = re.compile(r"^typedef struct (zt_\w+) \{")
    names = sorted({m.group(1) for m in map(structs.match, lines) if m})
    headers = sorted(glob.glob(os.path.join(source, "include", "*.h")))
    text = "#include <stdio.h>\n" + "".join('#include "%s"\n' % path for path in headers)
    text += "int main(void)\n{\n%s    return 0;\n}\n" % "".join(
        '    printf("sizeof %s %%zu\\n", sizeof(%s));\n' % (name, name) for name in names)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "sizes")
        # the initializers of inline functions call into the library, which is not linked
        subprocess.run([compiler, "-O1", "-xc", "-", "-o", program], input=text, text=True,
                       check=True)
        done = subprocess.run([program], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def main(arguments):
    if len(arguments) not in (2, 3) or arguments[2:] not in ([], ["--write"]):
        print(__doc__, file=sys.stderr)
        return 2
    source, compiler = arguments[:2]
    lines = declarations(source, compiler)
    lines = sorted(set(lines)) + list(constants(source)) + sizes(source, compiler, lines)
    stored = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ztile.abi")
    if arguments[2:]:
        with open(stored, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
        return 0
    with open(stored, encoding="utf-8") as file:
        before = file.read().splitlines()
    gone = [line for line in before if line not in lines]
    new = [line for line in lines if line not in before]
    for line in gone:
        print("no longer: " + line)
    for line in new:
        print("new: " + line)
    if not gone and not new:
        print("%d declarations are those of ztile.abi" % len(lines))
    return 1 if gone or new else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
