# NaN and infinities: refused with their count where lossy, kept where lossless.
field a_9x10x11.f32 f32 9 10 11
patch a_9x10x11.f32 400 0000c07f0000c07f0000807f
status ztile compress a_9x10x11.f32 --abs 1e-3
status ztile compress a_9x10x11.f32 --rel 1e-3
status ztile compress a_9x10x11.f32 --rate 8
status ztile compress a_9x10x11.f32 --abs 1e-3 --slab-bytes 1K
status ztile compress a_9x10x11.f32 --precision 16 --format zfp
cat a_9x10x11.f32 | status ztile compress - -t f32 -s 9x10x11 --abs 1e-3 -o b.zt
ls
ztile compress -q a_9x10x11.f32 && ztile decompress -q a_9x10x11.f32.zt -o - |
    cmp - a_9x10x11.f32 && echo kept
ztile compare -q a_9x10x11.f32 a_9x10x11.f32.zt | grep -E 'NaN|bound'
ztile compress -q a_9x10x11.f32 --precision 16 --format zfp --allow-nonfinite && ls
