# A value that nobody declared to be a fill value and that looks like one: --rel and --psnr are refused
# until the options say what it is, other bounds warn; compare knows what the file notes.
field a_9x10x11.f32 f32 9 10 11
for at in 400 404 1200 3956; do
    patch a_9x10x11.f32 $at ec78ad60
done
status ztile compress a_9x10x11.f32 --rel 1e-3
status ztile compress a_9x10x11.f32 --psnr 60
status ztile compress a_9x10x11.f32 --rel 1e-3 --format zfp
status ztile plan a_9x10x11.f32 --rel 1e-3
ls ./*.zt ./*.zfp 2>&1 | grep -c 'No such'
status ztile compress -q a_9x10x11.f32 --rel 1e-3 --fill 1e20
ztile compare -q a_9x10x11.f32 a_9x10x11.f32.zt | grep -E 'max abs|fill|bound'
status ztile compress -qf a_9x10x11.f32 --rel 1e-3 --no-fill
status ztile compress -f a_9x10x11.f32 --abs 1e-3 2>&1 | grep -v ratio
status ztile compress -qf a_9x10x11.f32 --abs 1e-3
status ztile compress -f a_9x10x11.f32 --abs 1e-3 --fill 1e20 2>&1 | grep warning
status ztile compress -f a_9x10x11.f32 --lossless 2>&1 | grep warning
status ztile compress -f a_9x10x11.f32 --abs 1e-3 --format zfp -o a.zfp --no-verify 2>&1 | grep warning
status ztile compress -t f32 -s '?x10x11' --rel 1e-3 --range -100:900 - -o pipe.zt <a_9x10x11.f32 2>&1 |
    grep warning
# two of them, and one that occurs twice only
for at in 800 808 816 820; do
    patch a_9x10x11.f32 $at 003c1cc6
done
status ztile compress a_9x10x11.f32 --rel 1e-3 -o b.zt
field b_9x10x11.f32 f32 9 10 11
patch b_9x10x11.f32 400 ec78ad60
patch b_9x10x11.f32 800 ec78ad60
status ztile compress -q b_9x10x11.f32 --rel 1e-3
