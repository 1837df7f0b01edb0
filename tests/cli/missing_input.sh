# Inputs that are not there, or are directories: status 3; directories without arrays: status 2.
field a_9x10x11.f32 f32 9 10 11
mkdir d
for command in compress info; do
    status ztile $command nothing.f32
    status ztile $command d
done
status ztile decompress nothing.f32.zt
status ztile compare a_9x10x11.f32 nothing.zt
status ztile compare nothing.f32 a_9x10x11.f32
ls
