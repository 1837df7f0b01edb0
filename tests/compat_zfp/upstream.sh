#!/bin/sh
# upstream.sh: LLNL's own tests of zfp 1.0, compiled with public headers and run over compat/zfp's library.
#
#     upstream.sh SOURCE LIBRARY-FOLDER
#
# SOURCE is a folder with the source of zfp 1.0.0 or 1.0.1; LIBRARY-FOLDER has libzfp.so of 64-bit words. Where
# SOURCE is "-", ZTILE_ZFP_SOURCE in the environment names it; without, it is skipped (77).
# Tests that include a source file of libzfp get zfp.h and its macros in its place, so that the function
# under test is the library's. Left out are the tests of CUDA, and those of the
# private struct of bit streams (testZfpHeader, testBitstream*) and of omp.c's static functions. Needs cmocka.
#
# Where googletest is there, the tests of the compressed arrays in C++ follow, and those of cfp, their C
# interface: templates of SOURCE's include/zfp, whose streams are the library's. Left out is
# testAlignedMemory, which does not compile with the headers it was released with.
set -eu
named=$1
[ "$named" != - ] || named=${ZTILE_ZFP_SOURCE:-}
if [ -z "$named" ]; then
    echo "SKIP: ZTILE_ZFP_SOURCE in the environment names no folder with the source of zfp 1.0.1"
    exit 77
fi
source=$(cd "$named" && pwd)
library=$(cd "$2" && pwd)
include=$(cd "$(dirname "$0")/../../compat/zfp/include" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

mkdir -p "$work/src" "$work/include/zfp"
for dims in 1 2 3 4; do
    for type in i l f d; do
        printf '#include "%s"\n' zfp.h zfp/internal/zfp/macros.h "$source/src/block$dims.h" \
            "$source/src/traits$type.h" "$source/src/template/template.h" \
            "$source/src/template/codec.h" >"$work/src/encode$dims$type.c"
        cp "$work/src/encode$dims$type.c" "$work/src/decode$dims$type.c"
    done
done
ln -s "$include/zfp/bitstream.h" "$include/zfp/internal" "$work/include/zfp/"

compile() {
    ${CC:-cc} -std=gnu99 -O1 -w -fopenmp -I"$work" -I"$work/include" -I"$include" -I"$source/tests" \
        -I"$source/tests/utils" -I"$source" "$@"
}
for file in "$source"/tests/utils/*.c; do
    name=$(basename "$file" .c)
    compile -c "$file" -o "$work/$name.o"
    case $name in rand*) ;; *) ar q "$work/utils.a" "$work/$name.o" 2>/dev/null ;; esac
done

passed=0
failed=0
# run_test NAME COMPILER... : compile the test, run it, count it.
run_test() {
    name=$1
    shift
    if "$@" -o "$work/$name" -L"$library" -Wl,-rpath,"$library" -lzfp -lm >"$work/log" 2>&1 &&
        "$work/$name" >>"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name failed:"
        grep -E 'error|FAILED|^\[  ERROR' "$work/log" | head -5
    fi
    rm -f "$work/$name"
}
random_of() { if grep -q 'rand32\.h' "$1"; then echo "$work/rand32.o"; else echo "$work/rand64.o"; fi; }

for file in "$source"/tests/src/misc/test*[!r].c "$source"/tests/src/encode/test*.c \
    "$source"/tests/src/decode/test*.c "$source"/tests/src/endtoend/testZfpSerial*.c \
    "$source"/tests/src/endtoend/testZfpOmp*.c "$source"/tests/src/execPolicy/testOmp.c; do
    run_test "$(basename "$file" .c)" compile "$file" "$(random_of "$file")" "$work/utils.a" -lcmocka
done
echo "C: $passed passed, $failed failed"

compile_arrays() {
    ${CXX:-c++} -std=c++14 -O1 -w -DZFP_WITH_ALIGNED_ALLOC -I"$include" -I"$source/include" -I"$source/src" \
        -I"$source/tests" -I"$source/tests/array" -I"$source/tests/utils" -I"$source" "$@"
}
if echo '#include <gtest/gtest.h>' | compile_arrays -x c++ -E - >"$work/log" 2>&1; then
    in_c=$passed
    failed_in_c=$failed
    for file in "$source"/tests/*.cpp "$source"/tests/array/*/test*.cpp; do
        case $file in *Base.cpp | *AlignedMemory.cpp) continue ;; esac
        run_test "$(basename "$file" .cpp)" compile_arrays "$file" "$(random_of "$file")" "$work/utils.a" \
            -lgtest_main -lgtest -lpthread
    done
    for namespace in cfp cfp2; do
        compile_arrays -DCFP_NAMESPACE=$namespace -c "$source/cfp/cfp.cpp" -o "$work/$namespace.o"
    done
    for file in "$source"/tests/cfp/test*[df].c "$source/tests/cfp/testCfpNamespace.c"; do
        namespace=cfp
        case $file in *Namespace.c) namespace=cfp2 ;; esac
        run_test "$(basename "$file" .c)" compile -I"$source/include" -DCFP_NAMESPACE=$namespace "$file" \
            "$work/$namespace.o" "$(random_of "$file")" "$work/utils.a" -lcmocka -lstdc++
    done
    echo "C++ and cfp: $((passed - in_c)) passed, $((failed - failed_in_c)) failed"
else
    echo "SKIP: no googletest, so no tests of the arrays in C++"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
