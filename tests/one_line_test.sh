#!/bin/sh
# one_line_test.sh: the library built by one line, as CONTRIBUTING.md says, and golden streams and old
# files through what came out, with each instruction set.
#
#     tests/one_line_test.sh SOURCE_DIR WORK_DIR BIN_DIR SHARED_DIR COMPILER...
set -eu
source=$1
work=$2
bin=$3
shared=$4
shift 4
mkdir -p "$work"
failed=0

build() { # build COMPILER: $work/COMPILER/libztile.so.1
    mkdir -p "$work/$1"
    (cd "$source" && $1 -shared -fPIC -O2 -ffp-contract=off -Iinclude -Isrc \
        -o "$work/$1/libztile.so.1" $(find src -name '*.c') -lxxhash -lpthread -lm)
}

check() { # check COMPILER
    compiler=$1
    for isa in "" --plain --avx2; do
        LD_LIBRARY_PATH=$work/$compiler "$bin/zfp_vectors_test" "$shared/vectors/zfp" \
            "$source/tests/golden/zfp_rows_as_libzfp.tsv" $isa
    done
    LD_LIBRARY_PATH=$work/$compiler "$bin/ndzip_vectors_test" "$shared/vectors/ndzip"
    for store in "$source"/tests/compat/*/MANIFEST.tsv; do
        LD_LIBRARY_PATH=$work/$compiler "$bin/compat_test" "$(dirname "$store")"
    done
}

for compiler; do
    if ! command -v $compiler >/dev/null; then
        echo "SKIP: there is no $compiler"
        continue
    fi
    build $compiler
    check $compiler >"$work/out" 2>&1 || {
        tail -n 20 "$work/out"
        echo "a test fails with the library that $compiler built"
        failed=1
    }
done

# another processor: compiled, and not run; so the optimizer would only take time
cross=aarch64-linux-gnu-gcc
if command -v $cross >/dev/null; then
    mkdir -p "$work/cross"
    cp "$(echo '#include <xxhash.h>' | cc -E - | sed -n 's/^# 1 "\(.*xxhash\.h\)".*/\1/p' | head -n 1)" \
        "$work/cross"
    (cd "$source" && $cross -shared -fPIC -O0 -ffp-contract=off -Iinclude -Isrc -I"$work/cross" \
        -o "$work/cross/libztile.so" $(find src -name '*.c'))
else
    echo "SKIP: there is no $cross"
fi
exit $failed
