# A full disk is status 3, and no output file is left; nor where a file may not grow.
[[ -c /dev/full ]] || skip "/dev/full is missing"
field a_9x10x11.f32 f32 9 10 11
field b_90x10x11.f32 f32 90 10 11
ztile compress -q a_9x10x11.f32
status ztile compress -q a_9x10x11.f32 -o /dev/full
status ztile compress -q a_9x10x11.f32 --format zfp -o /dev/full
ztile compress -q a_9x10x11.f32 -o - >/dev/full
echo "status $?"
status ztile decompress -q a_9x10x11.f32.zt -o /dev/full
ztile decompress -q a_9x10x11.f32.zt -o - >/dev/full
echo "status $?"
ztile info a_9x10x11.f32.zt >/dev/full
echo "status $?"
ztile --help >/dev/full
echo "status $?"
status bash -c 'ulimit -f 4; exec ztile compress -q b_90x10x11.f32'
ls -A
