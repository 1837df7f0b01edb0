# Closed standard files: nothing of a message gets into a file, and a lost output is an error.
field a_9x10x11.f32 f32 9 10 11
ztile compress a_9x10x11.f32 2>&-
ztile compress a_9x10x11.f32 -o b.zt <&- >&- 2>&-
cmp a_9x10x11.f32.zt b.zt && ztile decompress -q b.zt -o - | cmp - a_9x10x11.f32 && echo same
ztile info b.zt >&-
echo "status $?"
ztile decompress -q b.zt -o - >&-
echo "status $?"
ztile compress -q - -t f32 -s 9x10x11 -o c.zt <&-
echo "status $?"
ls
