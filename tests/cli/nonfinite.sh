# NaN, infinities and fill values: kept and counted in .zt files under every bound; a lossy zfp stream
# has no place for them.
field a_9x10x11.f32 f32 9 10 11
patch a_9x10x11.f32 400 0000c07f0000c07f0000807f
patch a_9x10x11.f32 800 ecd2fb490000c07f
for bound in '--abs 1e-3' '--rel 1e-3' '--rate 8' '--abs 1e-3 --slab-bytes 1K'; do
    ztile compress -f a_9x10x11.f32 $bound --fill 2062941.5 2>&1 | grep kept
    ztile compare -q a_9x10x11.f32 a_9x10x11.f32.zt --fill 2062941.5 | grep -E 'NaN|bound'
done
ztile info a_9x10x11.f32.zt | grep special
ztile info a_9x10x11.f32.zt --json | grep special_values
cat a_9x10x11.f32 | ztile compress -q - -t f32 -s 9x10x11 --abs 1e-3 -o b.zt &&
    ztile compare -q a_9x10x11.f32 b.zt | grep NaN
status ztile compress a_9x10x11.f32 --abs 1e-3 --fill nan
status ztile compress a_9x10x11.f32 --fill 1 --fill 2 --fill 3 --fill 4 --fill 5
status ztile compress a_9x10x11.f32 --abs 1 --fill 1e60
status ztile compress a_9x10x11.f32 --precision 16 --fill 3 --format zfp
status ztile compress a_9x10x11.f32 --precision 16 --format zfp
ls
ztile compress -q -f a_9x10x11.f32 && ztile decompress -q a_9x10x11.f32.zt -o - |
    cmp - a_9x10x11.f32 && echo kept
ztile compare -q a_9x10x11.f32 a_9x10x11.f32.zt | grep -E 'NaN|bound'
ztile compress -q a_9x10x11.f32 --precision 16 --format zfp --allow-nonfinite && ls
