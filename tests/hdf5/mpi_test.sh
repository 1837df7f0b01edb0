#!/bin/sh
# mpi_test.sh: four ranks write one compressed file together and read it again, cut another way; what
# they wrote is what one rank writes, and serial HDF5 reads it.
#
#     mpi_test.sh MPIRUN PROGRAM PLUGINS
set -u
mpirun=$1
program=$2
plugins=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HDF5_PLUGIN_PATH=$plugins
# more ranks than processors; as root, in containers; without the network
OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_btl=self,vader
export HDF5_PLUGIN_PATH OMPI_MCA_rmaps_base_oversubscribe OMPI_ALLOW_RUN_AS_ROOT
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_btl
failed=0

complain() {
    echo "$*"
    failed=1
}

run() { # RANKS FILE CONFIG ERROR
    "$mpirun" -n "$1" "$program" "$work/$2" "$3" "$4" >"$work/out" 2>&1 || {
        complain "$1 ranks, $3:"
        cat "$work/out"
    }
    cat "$work/out"
}

run 4 four.h5 codec=zfp,abs=1e-3 1e-3
run 4 exact.h5 lossless 0
run 4 zfp.h5 format=zfp,abs=1e-3 1e-3
run 1 one.h5 codec=zfp,abs=1e-3 1e-3
if command -v h5dump >/dev/null 2>&1; then
    for file in four one; do
        h5dump -m %.9g -d field "$work/$file.h5" | tail -n +2 >"$work/$file.txt"
    done
    cmp -s "$work/four.txt" "$work/one.txt" || complain "four ranks and one write other values"
    [ "$(wc -l <"$work/four.txt")" -gt 1000 ] || complain "serial HDF5 does not read what MPI wrote"
else
    echo "SKIP: there is no h5dump, what MPI wrote is not read by serial HDF5"
fi
# a configuration that makes no sense: every rank fails, none hangs
"$mpirun" -n 4 "$program" "$work/bad.h5" abs=fish 1 >"$work/out" 2>&1 &&
    complain "abs=fish is taken"
grep -q 'abs=fish' "$work/out" || complain "no sentence about abs=fish"
exit $failed
