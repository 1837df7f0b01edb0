# Nothing is overwritten without -f; what is there stays as it is.
field a_9x10x11.f32 f32 9 10 11
echo mine >a_9x10x11.f32.zt
status ztile compress -q a_9x10x11.f32
cat a_9x10x11.f32.zt
status ztile compress -q -f a_9x10x11.f32
status ztile decompress -q a_9x10x11.f32.zt
status ztile decompress -q -f a_9x10x11.f32.zt
echo mine >demo.png
if has_pictures; then
    status ztile demo 2>&1
else
    echo 'ztile: demo.png exists; -f overwrites it'
    echo 'status 1'
fi
cat demo.png
ls
