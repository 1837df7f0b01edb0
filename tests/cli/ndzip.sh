# The ndzip codec in .zt files, and as a bare stream, whose type and shape are the caller's to know.
field a_20x30x40.f32 f32 20 30 40
field b_20x30x40.i64 i64 20 30 40
for name in a_20x30x40.f32 b_20x30x40.i64; do
    ztile compress -q -c ndzip $name
    ztile decompress -q -f $name.zt -o back.raw
    cmp $name back.raw && ztile info $name.zt | grep -E 'codec|index|bound'
done
ztile compress -q a_20x30x40.f32 -o a.ndz
ztile compress -q a_20x30x40.f32 --format ndzip -x serial -o - | cmp - a.ndz
ztile decompress -q a.ndz -t f32 -s 20x30x40 -o back.f32 && cmp a_20x30x40.f32 back.f32
ztile decompress -q -f --format ndzip -t f32 -s 20x30x40 -o - - <a.ndz | cmp a_20x30x40.f32 -
ztile decompress -q a.ndz -t f32 -s 20x30x40 --box 3:19,7,: -o box.f32
ztile decompress -q a_20x30x40.f32.zt --box 3:19,7,: -o same.f32 && cmp box.f32 same.f32
ztile compare a_20x30x40.f32 a.ndz -t f32 -s 20x30x40 | tail -n 2
status ztile decompress a.ndz -o x.f32
status ztile decompress a.ndz -t f64 -s 20x30x40 -o x.f64
status ztile decompress a.ndz -t f32 -s 10x30x40 -o x.f32
status ztile info a.ndz
status ztile index a.ndz
status ztile compress --abs 1e-3 a_20x30x40.f32 -o b.ndz
status ztile compress --abs 1e-3 -c ndzip a_20x30x40.f32 -o b.zt
status ztile compress -c zfp --format ndzip a_20x30x40.f32 -o b.ndz
status ztile compress --slab-bytes 1M a_20x30x40.f32 -o b.ndz
status ztile compress b_20x30x40.i64 -o b.ndz
ls
