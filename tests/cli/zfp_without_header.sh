# A stream without a header is decoded with what the options say of it.
field a_9x10x11.f32 f32 9 10 11
ztile compress -q a_9x10x11.f32 --rate 16 --format zfp --zfp-header off
ztile compress -q a_9x10x11.f32 --rate 16 -o with.zfp
status ztile decompress -q a_9x10x11.f32.zfp -o b.f32
status ztile info a_9x10x11.f32.zfp
ztile decompress -q a_9x10x11.f32.zfp -o b.f32 --format zfp -t f32 -s 9x10x11 --rate 16
ztile decompress -q with.zfp -o c.f32
cmp b.f32 c.f32 && echo same
ztile compare -q a_9x10x11.f32 a_9x10x11.f32.zfp --format zfp -t f32 -s 9x10x11 --rate 16 | tail -n 1
status ztile decompress -q a_9x10x11.f32.zfp -o d.f32 --format zfp -t f32 -s 900x1000x1100 \
    --rate 16
ztile decompress -q --box 1,2:4,: with.zfp -o box.f32 && stat -c %s box.f32
