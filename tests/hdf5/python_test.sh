#!/bin/sh
# python_test.sh: a script beside it in a virtual environment of its own with h5py, hdf5plugin and
# netCDF4, which is made once and kept.
#
#     python_test.sh PYTHON VENV SCRIPT ARGUMENT...
set -u
python=$1
venv=$2
packages='numpy h5py hdf5plugin netCDF4'
if ! [ -e "$venv/complete" ]; then
    if [ "${ZTILE_NO_INSTALL:-}" = 1 ]; then
        echo "SKIP: ZTILE_NO_INSTALL=1 forbids to install h5py and hdf5plugin (PyPI)"
        exit 77
    fi
    rm -rf "$venv"
    if ! "$python" -m venv "$venv" >"$venv.log" 2>&1 ||
        ! timeout 300 "$venv/bin/pip" install -q --only-binary :all: $packages >>"$venv.log" 2>&1
    then
        echo "SKIP: h5py and hdf5plugin (PyPI) cannot be installed: $(tail -n 1 "$venv.log")"
        exit 77
    fi
    touch "$venv/complete"
fi
script=$(dirname "$0")/$3
shift 3
exec "$venv/bin/python" "$script" "$@"
