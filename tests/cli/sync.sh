# --sync is for files; it is done once they are on the disk (tests/trust has what if they are not).
field a_9x10x11.f32 f32 9 10 11
ztile compress -q --sync a_9x10x11.f32 -o a.zt
ztile index -q --sync a.zt --index offsets
ztile decompress -q --sync a.zt -o a.npy
status ztile compress -q --sync a_9x10x11.f32 -o - >piped
status ztile decompress -q --sync a.zt -o /dev/null
ls
