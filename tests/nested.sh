#!/bin/sh
# nested.sh: build ztile once more, another way, and run tests of that build.
#
#     tests/nested.sh SOURCE_DIR BUILD_DIR TARGET LABELS [CMake options]
#
# TARGET is what is built: all, or tests_short for what the short tests run. LABELS is what CTest's
# -L takes.
set -eu
source=$1
build=$2
target=$3
labels=$4
shift 4
mkdir -p "$build"
if ! cmake -S "$source" -B "$build" -DZTILE_TESTS=ON -DZTILE_WERROR=ON -DZTILE_TESTS_NESTED=OFF \
    -DZTILE_CUDA=OFF "$@" >"$build/configure.log" 2>&1; then
    cat "$build/configure.log"
    exit 1
fi
if ! cmake --build "$build" --target "$target" --parallel 2 >"$build/build.log" 2>&1; then
    grep -E 'error|warning|\*\*\*' "$build/build.log" || tail -n 30 "$build/build.log"
    exit 1
fi
ctest --test-dir "$build" --output-on-failure -L "$labels" -j 2
sed -n '/^SKIP: /p' "$build/Testing/Temporary/LastTest.log" | sort -u
