#!/bin/sh
# build_test.sh: build the library with CUDA, and look at what came out: machine code for sm_80 and
# sm_90 and text for later GPUs; no kernel that spills registers, but for one; no symbol exported
# beside the API; a command and a check program that start without a GPU and say so, or do well with
# one.
#
#     tests/gpu/build_test.sh SOURCE_DIR BUILD_DIR NVCC
set -eu
source=$1
build=$2
nvcc=$3
failed=0

complain() {
    echo "$*"
    failed=1
}

mkdir -p "$build"
if ! cmake -S "$source" -B "$build" -DZTILE_CUDA=ON -DCMAKE_CUDA_COMPILER="$nvcc" \
    -DZTILE_HDF5=OFF -DZTILE_NETCDF=OFF -DZTILE_PNG=OFF -DZTILE_COMPAT=OFF -DZTILE_H5PLUGIN=OFF \
    >"$build/configure.log" 2>&1; then
    cat "$build/configure.log"
    exit 1
fi
if ! cmake --build "$build" --parallel 2 >"$build/build.log" 2>&1; then
    grep -E 'error|\*\*\*' "$build/build.log" || tail -n 30 "$build/build.log"
    exit 1
fi
grep -E 'warning' "$build/build.log" && complain "the build has warnings"

# ---- registers: ptxas says what each kernel takes; of objects that are there already, nothing new
touch "$build/resources"
grep -E 'Compiling entry function|spill stores|Used [0-9]+ registers' "$build/build.log" \
    >"$build/resources.new" || true
[ ! -s "$build/resources.new" ] || mv "$build/resources.new" "$build/resources"
for target in sm_80 sm_90; do
    n=$(grep -c "Compiling entry function.*'$target'" "$build/resources" || true)
    echo "$n kernels for $target"
    [ "$n" -ge 50 ] || complain "there should be more"
done
# One kernel may spill a register for sm_80: with a block less a multiprocessor it need not, and takes
# 1.2 times as long (docs/gpu.md).
grep -B1 -E '[1-9][0-9]* bytes spill' "$build/resources" | awk '
    /Compiling/ { kernel = $0 }
    /spill/ && !(kernel ~ /high_make_last/ && /[^0-9]4 bytes spill stores/) {
        print kernel; print
    }' | grep . && complain "kernels spill registers"

# ---- what is in the library
library=$(find "$build/src" -name 'libztile.so*' -type f)
tools=$(dirname "$nvcc")
if [ -x "$tools/cuobjdump" ]; then
    "$tools/cuobjdump" --list-elf "$library" >"$build/elf"
    "$tools/cuobjdump" --list-ptx "$library" >"$build/ptx"
    for target in sm_80 sm_90; do
        grep -q "$target" "$build/elf" || complain "no code for $target in $library"
    done
    grep -q 'sm_90' "$build/ptx" || complain "no PTX in $library"
else
    echo "SKIP: what code is in the library: there is no cuobjdump beside nvcc"
fi
nm -D --defined-only "$library" | awk '{ print $3 }' | grep -vE '^zt_' &&
    complain "the library exports these beside its API"
ldd "$library" | grep -E 'libcuda|libcudart' && complain "the library needs CUDA to start"

# ---- with or without a GPU
status=0
"$build/bin/ztile-gpu-check" --cases 500 >"$build/check.log" 2>&1 || status=$?
cat "$build/check.log"
case $status in
0) ;;
77)
    field=$build/a_8x8x8.f32
    head -c 2048 /dev/zero >"$field"
    status=0
    "$build/bin/ztile" compress -x cuda "$field" -o "$build/a.zt" -f 2>"$build/message" || status=$?
    cat "$build/message"
    [ "$status" -eq 5 ] && grep -q 'there is no GPU that CUDA can use .*; use serial or omp$' \
        "$build/message" || complain "ztile -x cuda says something else without a GPU"
    "$build/bin/ztile" compress -q -x omp "$field" -o "$build/a.zt" -f ||
        complain "ztile -x omp does not work"
    ;;
*) complain "ztile-gpu-check fails" ;;
esac
exit "$failed"
