# --rel on a pipe needs the range; with it the file equals that of a measured range.
field a_9x10x11.f32 f32 9 10 11
cat a_9x10x11.f32 | status ztile compress -q - -t f32 -s 9x10x11 --rel 1e-3 -o no.zt
ztile compress -q --rel 1e-3 a_9x10x11.f32
range=$(ztile compress -v -f --rel 1e-3 a_9x10x11.f32 2>&1 | sed -n 's/  range \(.*\),.*/\1/p')
cat a_9x10x11.f32 | ztile compress -q - -t f32 -s 9x10x11 --rel 1e-3 --range "$range" |
    cmp - a_9x10x11.f32.zt && echo same
ls
