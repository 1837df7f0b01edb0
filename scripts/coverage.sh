#!/bin/sh
# coverage.sh: how much of src/frame, src/index and the codecs the short tests run, in lines and in
# branches of the source (clang's: each condition, true and false).
#
#     scripts/coverage.sh [--missed]    --missed lists what no test runs
#
# Kernels are the plain ones. Those for GPUs, which the tests run on the CPU, are not counted; the
# code that calls them is. The command is left out. It takes minutes.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/coverage
jobs=${ZTILE_JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
flags="-O1 -fprofile-instr-generate -fcoverage-mapping"
mkdir -p "$build"
cmake -S "$root" -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="$flags" -DCMAKE_CXX_FLAGS_DEBUG=-O1 \
    -DCMAKE_EXE_LINKER_FLAGS=-fprofile-instr-generate -DZTILE_HAVE_TOLD_ACCESSES=OFF \
    -DZTILE_TESTS=ON -DZTILE_TESTS_NESTED=OFF -DZTILE_PLAIN=ON -DZTILE_CUDA=OFF -DZTILE_CLI=OFF \
    -DZTILE_COMPAT=OFF -DZTILE_H5PLUGIN=OFF >"$build/configure.log" 2>&1 ||
    { cat "$build/configure.log" >&2; exit 1; }
cmake --build "$build" --parallel "$jobs" --target tests_short >"$build/build.log" 2>&1 ||
    { cat "$build/build.log" >&2; exit 1; }

rm -rf "$build/profiles"
LLVM_PROFILE_FILE=$build/profiles/%p-%m.profraw ctest --test-dir "$build" \
    -L "^short$" -E "^layers$" -j "$jobs" >"$build/tests.log" 2>&1 ||
    { tail -n 30 "$build/tests.log" >&2; exit 1; }
tail -n 40 "$build/tests.log" | grep -E 'tests passed' || true

tool() { clang -print-prog-name="llvm-$1"; }
find "$build/profiles" -name '*.profraw' >"$build/profiles.txt"
"$(tool profdata)" merge -sparse -f "$build/profiles.txt" -o "$build/all.profdata"
objects=$(find "$build/bin" "$build/src" -type f -perm -u+x | sed 's/^/-object /')
# shellcheck disable=SC2086
"$(tool cov)" export -instr-profile="$build/all.profdata" $objects >"$build/coverage.json" \
    2>"$build/export.log"
python3 "$root/scripts/coverage_table.py" "$root" "$build/coverage.json" "$@"
