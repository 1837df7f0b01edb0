#!/bin/sh
# run.sh: the package's tests of arrays on a GPU, over the module whose GPU is the test device of
# tests/simt: kernels run on the CPU, and the host cannot reach the device's memory.
#
#     python/tests/gpu/run.sh SOURCE_DIR WORK_DIR MODULE VENV [PYTEST ARGUMENT...]
#
# MODULE is ztile_simt_python's file, VENV the environment of python/tests/run.sh. Exits with 77
# (skipped) where there is none.
set -eu
source=$1
work=$2
module=$3
venv=$4
shift 4

[ -x "$venv/bin/python" ] || {
    echo "SKIP: there is no environment with the packages of python/tests/requirements.txt"
    exit 77
}
mkdir -p "$work"
rm -rf "$work/package"
mkdir -p "$work/package/ztile"
cp "$source"/python/src/ztile/* "$work/package/ztile/"
cp "$module" "$work/package/ztile/_core.so"
cd "$work"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$work/package
export PYTHONDONTWRITEBYTECODE PYTHONPATH
exec "$venv/bin/python" -m pytest -q -p no:cacheprovider "$@" "$source/python/tests/gpu"
