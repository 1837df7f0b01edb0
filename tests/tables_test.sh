#!/bin/sh
# tables_test.sh: the tables in folders named tables/ are what their script makes.
#
#     tests/tables_test.sh SOURCE_DIR
set -eu
cd "$1"
failed=0
compare() { # compare FILE ARGUMENT...
    file=src/codec/zfp/tables/$1
    shift
    if ! python3 scripts/zfp_tables.py "$@" | cmp - "$file"; then
        echo "$file is not what scripts/zfp_tables.py $* makes"
        failed=1
    fi
}
compare strings.h strings
compare short_strings.h short
compare avx2_permutations.h avx2 src/codec/zfp/tile/order.h
compare avx512_permutations.h avx512 src/codec/zfp/tile/order.h
exit $failed
