#!/bin/sh
# published.sh: the wheel as scripts/wheel.sh makes it, by another compiler, for an old glibc: it works
# in a new environment, and its command writes the bytes that this build's command writes.
#
#     python/tests/published.sh SOURCE_DIR WORK_DIR PYTHON ZTILE
set -eu
source=$1
work=$2
python=$3
ours=$4
rm -rf "$work"
mkdir -p "$work/dist"
if ! sh "$source/scripts/wheel.sh" "$work/dist" "$python" >"$work/log.txt" 2>&1; then
    tail -n 30 "$work/log.txt"
    grep -q 'No matching distribution\|Could not' "$work/log.txt" || exit 1
    echo "SKIP: pip cannot fetch what the wheel is built with"
    exit 77
fi
set -- "$work"/dist/*-cp311-abi3-manylinux_2_28_x86_64.whl
[ -f "$1" ] || { ls "$work/dist"; echo "this is no wheel for Python 3.11 and glibc 2.28"; exit 1; }
sh "$source/python/tests/fresh.sh" "$1" "$work/fresh" "$python"

cd "$work"
"$ours" demo --save field.npy >/dev/null
for arguments in '--abs 1e-3' '--rel 1e-4 -c zfp' '--lossless -c ndzip' '--abs 1e-3 -c sz --effort high' \
    '--pwrel 1e-2' '--psnr 60' '--lossless'; do
    rm -f ours.zt theirs.zt
    "$ours" compress -q $arguments field.npy -o ours.zt
    PATH=$work/fresh/bin ztile compress -q $arguments field.npy -o theirs.zt
    cmp ours.zt theirs.zt || { echo "other bytes with $arguments"; exit 1; }
done
