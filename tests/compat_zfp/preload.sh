#!/bin/sh
# preload.sh: Debian's zfp command with compat/zfp's library in libzfp's place: the same files, the
# same words, the same exit status.
#
#     preload.sh LIBRARY ZTILE
#
# LIBRARY is w8/libzfp.so.1 (Debian's programs have 8-bit words); ZTILE, the command, makes a field.
set -u
library=$1
ztile=$2
if ! command -v zfp >/dev/null 2>&1; then
    echo "SKIP: there is no zfp command (Debian package zfp)"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
runs=0

complain() {
    echo "$*"
    failed=1
}

# both ARGUMENTS...: run zfp with and without; outputs are a.* and b.*
both() {
    rm -f a.* b.*
    zfp "$@" -z a.z -o a.out 2>a.err
    echo $? >a.status
    LD_PRELOAD=$library zfp "$@" -z b.z -o b.out 2>b.err
    echo $? >b.status
    runs=$((runs + 1))
    for what in z out err status; do
        [ -f a.$what ] || [ -f b.$what ] || continue
        cmp -s a.$what b.$what || complain "zfp $*: .$what differs"
    done
}

"$ztile" demo --save field.f32 >/dev/null || exit 1 # 96x96x96 of float
LD_PRELOAD=$library zfp 2>usage
grep -q ztile usage || complain "the library was not preloaded"

for mode in '-r 4.3' '-p 11' '-a 1e-3' '-R' '-c 0 300 19 -20' '-c 203 203 64 -1074'; do
    for policy in '-x serial' '-x omp' '-x omp=2,40'; do
        both -h -f -3 96 96 24 $mode $policy -s -i field.f32
    done
    both -f -1 221184 $mode -i field.f32
    both -f -2 576 384 $mode -s -i field.f32
    both -f -4 16 16 54 16 $mode -i field.f32 # 4-D
    both -f -3 97 95 23 $mode -i field.f32    # cut blocks
    both -d -3 48 96 23 $mode -i field.f32    # the same bytes as other types
    both -t i32 -3 96 96 24 $mode -i field.f32
    both -t i64 -2 300 350 $mode -i field.f32
done
both -f -3 96 96 24 -p 65000 -i field.f32  # odd numbers
both -f -3 96 96 24 -r 0 -i field.f32
both -f -3 96 96 24 -c 5 4 3 2 -i field.f32 # refused
both -f -3 96 96 24 -r 8 -i missing.f32

# what libzfp cannot do (nor with -h a rate of whole bytes a block under omp: it aborts), and the library can
zfp -h -f -3 96 96 24 -a 1e-4 -i field.f32 -z whole.zfp -o serial.f32 2>/dev/null
if LD_PRELOAD=$library zfp -h -z whole.zfp -x omp=2 -o parallel.f32 2>err; then
    cmp -s serial.f32 parallel.f32 || complain "omp decompression gives other values"
else
    complain "omp decompression fails: $(cat err)"
fi
LD_PRELOAD=$library zfp -q -h -f -3 96 96 24 -c 200 200 64 -1074 -x omp=2 -i field.f32 -z a.zfp &&
    zfp -q -h -f -3 96 96 24 -c 200 200 64 -1074 -i field.f32 -z b.zfp &&
    cmp -s a.zfp b.zfp || complain "an unaligned stream of fixed rate differs under omp"
head -c 5000 whole.zfp >cut.zfp
LD_PRELOAD=$library zfp -h -z cut.zfp -o cut.f32 2>err
[ $? -lt 128 ] || complain "a stream that is cut short ends zfp with a signal"

[ "$failed" = 0 ] && echo "$runs runs of zfp give the same with and without the library"
exit "$failed"
