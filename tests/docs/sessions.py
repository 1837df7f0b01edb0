#!/usr/bin/env python3
"""Run the commands that the pages show, and compare what they print with what the page says.

    tests/docs/sessions.py [--write] [--python PYTHON] SOURCE_DIR BUILD_DIR [PAGE...]

--write puts what was printed into the pages. A block that begins with ```console is a session:
lines after '$ ' are commands ('> ' continues one), the lines below are their output, standard error
included. A page is one shell in an empty folder, with the build's commands on the PATH. A line of
HTML comment above a block says more:

    <!-- file: NAME -->     the block (of any language) is written to NAME
    <!-- needs: WORD... --> commands, the build's too, or python:MODULE, without which the block is
                            skipped
    <!-- not run: WHY -->   the block is not run
    <!-- numbers vary -->   numbers, spaces, dashes and parentheses are not compared
    <!-- run: COMMAND -->   a command that the page does not show

Speeds (... MB/s) and times are never compared; '...' alone on a line stands for any lines. What
the pages call /usr/local is the build's folder: plug-ins, libzfp's API, and what pkg-config says
of ztile. ZTILE_SOURCE and ZTILE_BUILD are the folders of the source and of the build.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"((?:^<!-- .*? -->\n)*)^```(\w*)\n(.*?)^```$", re.M | re.S)
SPEED = re.compile(r"[\d.]+(e[+-]?\d+)? *([kMG]B/s|m?s\b)")
VARIES = re.compile(r"[-+]?\d[\d.,]*(e[-+]?\d+)?|[-\s()]+")
MARK = "end of command"


class Missing(Exception):
    """What a block needs and this machine lacks."""


class Shell:
    """One bash for a page: folders, variables and exports last from block to block."""

    def __init__(self, folder, environment):
        self.bash = subprocess.Popen(["bash", "--norc"], cwd=folder, env=environment, text=True,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT)

    def run(self, command):
        self.bash.stdin.write(f"{{ {command}\n}} </dev/null\necho \"\n{MARK} $?\"\n")
        self.bash.stdin.flush()
        lines = []
        for line in self.bash.stdout:
            if line.startswith(MARK):
                text = "".join(lines)
                return text[:-1] if text.endswith("\n\n") or text == "\n" else text
            lines.append(line)
        raise RuntimeError(f"the shell ended in: {command}")

    def close(self):
        self.bash.stdin.close()
        self.bash.wait()


def steps(block):
    """The commands of a session, each with the output below it."""
    command, output = None, []
    for line in block.splitlines():
        if line.startswith("$ "):
            if command is not None:
                yield command, output
            command, output = line[2:], []
        elif line.startswith("> ") and not output:
            command += "\n" + line[2:]
        else:
            output.append(line)
    if command is not None:
        yield command, output


def normal(line, varies):
    line = SPEED.sub(r"N \2", line.rstrip())
    return " ".join(VARIES.sub(" ", line).split()) if varies else line


def same(wanted, got, varies):
    """Whether the lines agree; '...' in what is wanted stands for any number of lines."""
    wanted, got = [[normal(line, varies) for line in lines] for lines in (wanted, got)]
    if "..." not in [w.strip() for w in wanted]:
        return wanted == got
    at = [w.strip() for w in wanted].index("...")
    rest = wanted[at + 1:]
    return wanted[:at] == got[:at] and len(got) >= at + len(rest) and \
        (not rest or got[-len(rest):] == rest)


def need(words, python, build):
    path = f"{build}/bin:{os.environ['PATH']}"
    for word in words:
        if word.startswith("python:"):
            found = not subprocess.run([python, "-c", f"import {word[7:]}"], capture_output=True,
                                       check=False).returncode
        else:
            found = shutil.which(word, path=path)
        if not found:
            raise Missing(word)


def environment_of(source, build, folder, python):
    """The build's commands, and pkg-config for its library, first on the PATH."""
    bin_dir = folder / ".bin"
    bin_dir.mkdir()
    config = bin_dir / "pkg-config"
    config.write_text(f"""#!/bin/sh
case "$*" in
*ztile*) echo -I{source}/include -L{build}/src -Wl,-rpath,{build}/src -lztile ;;
*) exec {shutil.which('pkg-config')} "$@" ;;
esac
""")
    config.chmod(0o755)
    wrapper = bin_dir / "python3"
    wrapper.write_text(f'#!/bin/sh\nexec {python} "$@"\n')
    wrapper.chmod(0o755)
    path = f"{bin_dir}:{build}/bin:{os.environ['PATH']}"
    environment = dict(os.environ, LC_ALL="C.UTF-8", PATH=path, ZTILE_SOURCE=str(source),
                       ZTILE_BUILD=str(build))
    environment.pop("COLUMNS", None)
    return environment


def installed(command, source, build):
    """The command with the build's folders in place of an installation's."""
    for place, here in (("/usr/local/lib/ztile/hdf5", build / "plugins/hdf5/plugins"),
                        ("/usr/local/lib/ztile/zfp", build / "compat/zfp"),
                        ("/usr/local/include/ztile/zfp", source / "compat/zfp/include"),
                        ("/usr/local/share/ztile/examples", source / "examples")):
        command = command.replace(place, str(here))
    return command


def run_page(page, source, build, python):
    """The number of commands that were run, what was wrong and skipped, and the page as it runs."""
    text = page.read_text(encoding="utf-8")
    ran, wrong, skipped, parts, at = 0, [], [], [], 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        shell = Shell(folder, environment_of(source, build, folder, python))
        for found in BLOCK.finditer(text):
            marks = dict(re.findall(r"<!-- ([a-z ]+?)(?:: (.*?))? -->", found[1]))
            line = text[:found.start()].count("\n") + 1
            try:
                need(marks.get("needs", "").split(), python, build)
            except Missing as what:
                skipped.append(f"{page.name}:{line}: {what} is missing")
                continue
            if "run" in marks:
                shell.run(installed(marks["run"], source, build))
            if "file" in marks:
                (folder / marks["file"]).write_text(found[3])
            if found[2] != "console" or "not run" in marks:
                continue
            lines = []
            for command, wanted in steps(found[3]):
                got = shell.run(installed(command, source, build)).splitlines()
                ran += 1
                lines.append("$ " + command.replace("\n", "\n> "))
                if same(wanted, got, "numbers vary" in marks):
                    lines += wanted
                else:
                    lines += got
                    wrong.append(f"{page.name}:{line}: {command}\n" + "\n".join(
                        difflib.unified_diff(wanted, got, "page", "run", lineterm="", n=1)))
            parts += [text[at:found.start(3)], *(line + "\n" for line in lines)]
            at = found.end(3)
        shell.close()
    return ran, wrong, skipped, "".join(parts) + text[at:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("pages", nargs="*", help="README, tutorial, ...; all if none is named")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--python", help="default: the one that hdf5.python installs h5py for")
    options = parser.parse_args()
    source, build = options.source.resolve(), options.build.resolve()
    with_h5py = build / "venv_hdf5/bin/python"
    python = options.python or str(with_h5py if with_h5py.exists() else sys.executable)
    pages = [source / "README.md", *sorted((source / "docs").glob("*.md"))]
    total, failed = 0, False
    for page in pages:
        if options.pages and page.stem not in options.pages:
            continue
        ran, wrong, skipped, text = run_page(page, source, build, python)
        if options.write:
            page.write_text(text, encoding="utf-8")
        total += ran
        for what in skipped:
            print("SKIP: " + what)
        for what in wrong:
            print("FAIL: " + what)
        failed = failed or bool(wrong)
    print(f"{total} commands were run")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
