#!/bin/sh
# upstream.sh: LLNL's own tests of zfp 1.0, compiled with public headers and run over compat/zfp's library.
#
#     upstream.sh SOURCE LIBRARY-FOLDER
#
# SOURCE is a folder with the source of zfp 1.0.0 or 1.0.1; LIBRARY-FOLDER has libzfp.so of 64-bit words.
# Tests that include a source file of libzfp get zfp.h and its macros in its place, so that the function
# under test is the library's. Left out are the tests of CUDA, and those of the
# private struct of bit streams (testZfpHeader, testBitstream*) and of omp.c's static functions. Needs cmocka.
set -eu
source=$(cd "$1" && pwd)
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
for file in "$source"/tests/src/misc/test*[!r].c "$source"/tests/src/encode/test*.c \
    "$source"/tests/src/decode/test*.c "$source"/tests/src/endtoend/testZfpSerial*.c \
    "$source"/tests/src/endtoend/testZfpOmp*.c "$source"/tests/src/execPolicy/testOmp.c; do
    name=$(basename "$file" .c)
    random=rand64
    if grep -q 'rand32\.h' "$file"; then random=rand32; fi
    if compile "$file" "$work/$random.o" "$work/utils.a" -o "$work/$name" -L"$library" \
        -Wl,-rpath,"$library" -lzfp -lcmocka -lm \
        >"$work/log" 2>&1 && "$work/$name" >>"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name failed:"
        grep -E 'error|FAILED|^\[  ERROR' "$work/log" | head -5
    fi
    rm -f "$work/$name"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
