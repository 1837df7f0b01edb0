# compare: plain arrays of different kinds; a raw original takes its shape from the other file.
field a_9x10x11.f32 f32 9 10 11
npy a.npy '<f4' False '(9, 10, 11)' a_9x10x11.f32
cp a_9x10x11.f32 plain
ztile compress -q --rate 8 a_9x10x11.f32
ztile compare -q plain a.npy | grep diff
ztile compare -q a.npy plain | grep diff
ztile compare -q plain a_9x10x11.f32.zt | grep bound
ztile compare -q a_9x10x11.f32.zt a_9x10x11.f32.zt | grep diff
field b_9x10x11.i32 i32 9 10 11
status ztile compare a_9x10x11.f32 b_9x10x11.i32
