# Shapes and types that do not fit the file: refused, no output.
field a_9x10x11.f32 f32 9 10 11
status ztile compress a_9x10x11.f32 -s 9x10x12
status ztile compress a_9x10x11.f32 -t f64
cp a_9x10x11.f32 plain
status ztile compress plain
status ztile compress plain -t f32
status ztile compress plain -t f32 -s 9x10x10
ztile compress -q plain -t f32 -s '?x10x11' && ztile info plain.zt | grep shape
ztile compress -q a_9x10x11.f32
status ztile decompress -q a_9x10x11.f32.zt -s 9x10x12 -o b.f32
status ztile decompress -q a_9x10x11.f32.zt -t f64 -o b.f32
field b_9x10x12.f32 f32 9 10 12
status ztile compare b_9x10x12.f32 a_9x10x11.f32.zt
status ztile compress b_9x10x12.f32 -s 18446744073709551615x3x3 -t f32
ls
