#!/bin/sh
# run.sh: build the source distribution, from it the wheel, install that into a clean virtual
# environment, and run the package's tests against what is installed there.
#
#     python/tests/run.sh SOURCE_DIR WORK_DIR [PYTHON [PYTEST ARGUMENT...]]
#
# ZTILE_KERNELS in the environment: object files of the kernels that the wheel is to take, instead of
# compiling them for minutes; all else is then compiled with -O1, as their speed is not what is tested.
#
# The environment stays in WORK_DIR and is made again when requirements.txt changes. Exits with 77
# (skipped) where Python lacks venv, pip or headers, or its packages cannot be fetched; a wheel that
# does not build or install is a failure.
set -eu

source=$1
work=$2
python=${3:-python3}
[ $# -lt 3 ] && shift 2 || shift 3
log=$work/log.txt
venv=$work/venv
requirements=$source/python/tests/requirements.txt
mkdir -p "$work"

skip() {
    echo "SKIP: $1"
    tail -n 3 "$log" 2>/dev/null || true
    exit 77
}

: >"$log"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    skip "zarr 3 needs Python 3.11 or later, $python is older"
"$python" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' ||
    skip "there is no Python.h (Debian package python3-dev)"

# ---- the environment: complete if its stamp says so
if ! cmp -s "$requirements" "$venv/requirements.txt"; then
    rm -rf "$venv"
    "$python" -m venv "$venv" >"$log" 2>&1 ||
        skip "python3 -m venv fails (Debian packages python3-venv, python3-pip)"
    "$venv/bin/python" -m pip install -q -r "$requirements" >"$log" 2>&1 ||
        skip "pip cannot fetch the packages of python/tests/requirements.txt"
    cp "$requirements" "$venv/requirements.txt"
fi

# ---- the source distribution, unpacked: files that are as before keep their time
rm -rf "$work/sdist" "$work/unpacked"
mkdir -p "$work/unpacked" "$work/source"
(cd "$source" && "$venv/bin/python" -c 'import sys
from scikit_build_core.build import build_sdist
build_sdist(sys.argv[1])' "$work/sdist") >"$log" 2>&1 &&
    tar -xzf "$work"/sdist/*.tar.gz -C "$work/unpacked" --strip-components=1 || {
    tail -n 30 "$log"
    echo "the source distribution cannot be made"
    exit 1
}
"$python" - "$work/unpacked" "$work/source" <<'END'
import filecmp, pathlib, shutil, sys
new, kept = map(pathlib.Path, sys.argv[1:])
for file in [f for f in kept.rglob("*") if f.is_file()]:
    if not (new / file.relative_to(kept)).is_file():
        file.unlink()
for file in [f for f in new.rglob("*") if f.is_file()]:
    to = kept / file.relative_to(new)
    if not to.is_file() or not filecmp.cmp(file, to, shallow=False):
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, to)
END

# ---- the wheel
rm -rf "$work/wheel"
fast=
[ -z "${ZTILE_KERNELS:-}" ] || fast="--config-settings=cmake.build-type=RelWithDebInfo
    --config-settings=cmake.define.CMAKE_C_FLAGS_RELWITHDEBINFO=-O1"
"$venv/bin/python" -m pip wheel -q --no-build-isolation --no-deps --wheel-dir "$work/wheel" \
    --config-settings=build-dir="$work/cmake" $fast \
    --config-settings=cmake.define.ZTILE_KERNELS="${ZTILE_KERNELS:-}" "$work/source" >"$log" 2>&1 || {
    tail -n 30 "$log"
    echo "the wheel does not build"
    exit 1
}
"$venv/bin/python" -m pip install -q --no-deps --force-reinstall "$work"/wheel/*.whl

# ---- the wheel where nothing else is
sh "$source/python/tests/fresh.sh" "$work"/wheel/*.whl "$work/fresh" "$python" >"$log" 2>&1 || {
    tail -n 30 "$log"
    echo "the wheel does not work in a new environment"
    exit 1
}

# ---- the tests, away from the source tree
cd "$work"
PYTHONDONTWRITEBYTECODE=1 MYPY_CACHE_DIR=$work/mypy
export PYTHONDONTWRITEBYTECODE MYPY_CACHE_DIR
exec "$venv/bin/python" -m pytest -q -p no:cacheprovider "$@" "$source/python/tests"
