# Outputs that cannot be written: status 3, one line.
field a_9x10x11.f32 f32 9 10 11
ztile compress -q a_9x10x11.f32
status ztile compress -q a_9x10x11.f32 -o missing/a.zt
status ztile decompress -q a_9x10x11.f32.zt -o missing/a.f32
mkdir -p taken.f32/a_9x10x11.f32
status ztile decompress -q a_9x10x11.f32.zt -o taken.f32
ls
