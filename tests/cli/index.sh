# --index: never changes the stream; info tells of it; boxes and arrays are the same.
field a_40x64x64.f32 f32 40 64 64
ztile compress -q --abs 1e-3 -c zfp --index none a_40x64x64.f32 -o none.zt
ztile decompress -q none.zt -o none.f32
ztile decompress -q none.zt --box 7:20,5:30,40:64 -o none_box.f32
for kind in offsets lengths hybrid compact; do
    ztile compress -q --abs 1e-3 -c zfp --index $kind --index-chunk 8 a_40x64x64.f32 -o $kind.zt
    ztile info $kind.zt | grep -o "^index *$kind"
    ztile info --json $kind.zt | grep -o '"chunk": *8'
    ztile decompress -q $kind.zt -o $kind.f32 && cmp none.f32 $kind.f32
    ztile decompress -q -x omp=3,8 $kind.zt --box 7:20,5:30,40:64 -o box.f32 -f &&
        cmp none_box.f32 box.f32
done
ztile compress -q --abs 1e-3 -c zfp a_40x64x64.f32 -o default.zt
ztile info default.zt | grep -o '^index *[a-z]*'
ztile compress -q --rate 8 --index offsets a_40x64x64.f32 -o rate.zt
ztile info rate.zt | grep -o '^index *[a-z]*'
for words in '--index-chunk 0' '--index-chunk x' '--index-partition 70000' \
    '--index none --index-chunk 4' '--index compact --index-partition 8'; do
    # shellcheck disable=SC2086
    status ztile compress $words a_40x64x64.f32 -o no.zt
done
