# compare against another original: the bound does not hold, status 4.
field a_9x10x11.f32 f32 9 10 11
ztile compress -q --abs 0.5 a_9x10x11.f32
cp a_9x10x11.f32 b_9x10x11.f32
patch b_9x10x11.f32 400 00000044
status ztile compare -q b_9x10x11.f32 a_9x10x11.f32.zt
status ztile compare -q --json b_9x10x11.f32 a_9x10x11.f32.zt | grep -E 'bound|status'
