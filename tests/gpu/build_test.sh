#!/bin/sh
# build_test.sh: build the library with CUDA, and look at what came out: machine code for sm_80 and
# sm_90 and text for later GPUs; no symbol exported beside the API; a command and a check program that
# start without a GPU and say so, or do well with one.
#
#     tests/gpu/build_test.sh BUILD_DIR NVCC
#
# BUILD_DIR is that of kernels_test.sh, which comes first.
set -eu
build=$1
nvcc=$2
failed=0

complain() {
    echo "$*"
    failed=1
}

if ! cmake --build "$build" --parallel 2 >"$build/rest.log" 2>&1; then
    grep -E 'error|\*\*\*' "$build/rest.log" || tail -n 30 "$build/rest.log"
    exit 1
fi
grep -E 'warning' "$build/rest.log" && complain "the build has warnings"

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
    [ "$status" -eq 5 ] && grep -Eq 'there is no (CUDA driver|GPU that CUDA) .*; use serial or omp$' \
        "$build/message" || complain "ztile -x cuda says something else without a GPU"
    "$build/bin/ztile" compress -q -x omp "$field" -o "$build/a.zt" -f ||
        complain "ztile -x omp does not work"
    ;;
*) complain "ztile-gpu-check fails" ;;
esac
exit "$failed"
