#!/bin/sh
# fresh.sh: install a wheel into a new virtual environment whose PATH has no compiler, nor anything
# else, and use it there: the module, the command, the HDF5 plug-ins, the codecs for Zarr.
#
#     python/tests/fresh.sh WHEEL WORK_DIR PYTHON
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bytes=$(wc -c <"$1")
[ "$bytes" -le 4194304 ] || { echo "$1 has $bytes bytes, more than 4 MiB"; exit 1; }
rm -rf "$2"
"$3" -m venv "$2"
"$2/bin/pip" install -q --no-compile --only-binary :all: "$1[zarr]" h5py
env -i PATH="$2/bin" HOME="$2" "$2/bin/python" "$here/fresh.py" cc gcc clang c++ cmake ninja make ld
echo "$(basename "$1"): $bytes bytes; works without a compiler"
