# Nothing comes out of a pipe: status 2, and no output.
for out in a.zt a.zfp; do
    true | status ztile compress -q - -t f32 -s '?x10x11' -o $out
done
ls
