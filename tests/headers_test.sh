#!/bin/sh
# headers_test.sh: every public header compiles by itself, without a warning, as C99, C11 and C++.
#
#     tests/headers_test.sh SOURCE_DIR CC [CXX]
set -u
include=$1/include
cc=$2
cxx=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# compile COMPILER... FILE: without a warning
compile() {
    "$@" -I"$include" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only || {
        echo "$header does not compile with: $*"
        failed=1
    }
}

for path in "$include"/*.h; do
    header=$(basename "$path")
    printf '#include <%s>\nint main(void) { return ZT_OK; }\n' "$header" >"$work/one.c"
    cp "$work/one.c" "$work/one.cc"
    compile "$cc" -std=c99 -Wstrict-prototypes -Wmissing-prototypes "$work/one.c"
    compile "$cc" -std=c11 -Wstrict-prototypes -Wmissing-prototypes "$work/one.c"
    [ -z "$cxx" ] || compile "$cxx" -std=c++11 "$work/one.cc"
done
[ -n "$cxx" ] || echo "no C++ compiler: the headers were tried as C only"
[ "$failed" = 0 ] && echo "every public header stands alone"
exit "$failed"
