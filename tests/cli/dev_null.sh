# -o /dev/null works and leaves the device alone.
field a_9x10x11.f32 f32 9 10 11
ztile compress -q a_9x10x11.f32 -o /dev/null && ztile compress -q a_9x10x11.f32 &&
    ztile decompress -q a_9x10x11.f32.zt -o /dev/null && [[ -c /dev/null ]] && ls
