# Pictures of arrays of 1 to 4 dimensions; slices that do not fit are refused.
field a_9x10x11.f32 f32 9 10 11
ztile compress -q --abs 1 a_9x10x11.f32
has_pictures || skip "pictures are not in this build"
ztile plot -q a_9x10x11.f32 a_9x10x11.f32.zt
ztile plot -q a_9x10x11.f32 -o one.png
ztile plot -q a_9x10x11.f32 a_9x10x11.f32.zt --slice :,3,: -o across.png
ztile plot -q a_9x10x11.f32 a_9x10x11.f32.zt --slice 2,:,4 -o line.png
ztile plot -q a_9x10x11.f32 -s 990 -t f32 -o flat.png
ztile plot -q a_9x10x11.f32 -s 3x3x10x11 -t f32 -o four.png
ztile plot -q a_9x10x11.f32.zt -o - | head -c 8 | od -An -c
for file in *.png; do
    echo "$file $(head -c 4 "$file" | tail -c 3)"
done
status ztile plot -q a_9x10x11.f32 -o one.png
for slice in 9,:,: :,: :,:,: 1,2,3 x,:,: 1:2,:,:; do
    status ztile plot -q a_9x10x11.f32 -o no.png --slice "$slice"
done
status ztile plot -q a_9x10x11.f32 -o /dev/full
ls
