# --box: parts of axes, whole axes, single indices; what leaves the array is refused.
field a_9x10x11.i32 i32 9 10 11
ztile compress -q a_9x10x11.i32
for box in 0:2,3:4,: :,9,10 8,:,: ':,:,:' 1:,:3,5:; do
    ztile decompress -q --box "$box" a_9x10x11.i32.zt -o - | cksum
done
for box in 0:2,3:4 0:10,:,: 3:3,:,: 5:2,:,: -1:2,:,: a,:,: '' :,:,:,: 0:2,3:4,11; do
    status ztile decompress -q --box "$box" a_9x10x11.i32.zt -o no.i32
done
ls
