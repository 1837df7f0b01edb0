#!/bin/sh
# fuzz.sh: build the fuzz targets with clang and run each for some seconds. New inputs are kept
# under build/fuzz/, those that crash under build/fuzz/crashes/.
#
#     scripts/fuzz.sh SECONDS [TARGET...]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- zt salvage roads cost zfp zti ndzip huffman block write index npy h5ztile h5zfp
"$root/scripts/build.sh" fuzz -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DZTILE_FUZZ=ON -DZTILE_SANITIZE=ON -DZTILE_WERROR=ON -DZTILE_HDF5=OFF -DZTILE_NETCDF=OFF \
    -DZTILE_CAIRO=OFF
status=0
for target; do
    corpus=$target dict=$root/tests/fuzz/dict/$target.dict
    case $target in salvage | roads | cost) corpus=zt ;; esac # damage is made from good files
    mkdir -p "$root/build/fuzz/found/$target" "$root/build/fuzz/crashes"
    echo "fuzz_$target for $seconds seconds"
    "$root/build/fuzz/bin/fuzz_$target" -max_total_time="$seconds" -max_len=8192 -timeout=10 \
        -rss_limit_mb=2048 -print_final_stats=1 -verbosity=1 \
        ${dict:+$([ -f "$dict" ] && echo "-dict=$dict")} \
        -artifact_prefix="$root/build/fuzz/crashes/$target-" "$root/build/fuzz/found/$target" \
        "$root/tests/fuzz/corpus/$corpus" >"$root/build/fuzz/$target.log" 2>&1 || {
        status=1
        echo "fuzz_$target found something:"
        tail -n 40 "$root/build/fuzz/$target.log"
    }
    grep -E '^stat::number_of_executed_units|^Done' "$root/build/fuzz/$target.log" || true
done
[ "$status" = 0 ] && echo "nothing found"
exit $status
