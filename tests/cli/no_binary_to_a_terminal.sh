# Binary output to a terminal is refused unless -f says so.
need_terminal
field a_9x10x11.f32 f32 9 10 11
ztile compress -q a_9x10x11.f32
in_terminal 'ztile compress -q a_9x10x11.f32 -o -; echo "status $?"' | tr -d '\r'
in_terminal 'ztile decompress -q a_9x10x11.f32.zt -o -; echo "status $?"' | tr -d '\r'
in_terminal 'ztile compress -q a_9x10x11.f32 -o - -f' | grep -c ZTF
