# A cut or garbled file: status 2 (5 where a version number is hit), one sentence, no output; a bare
# stream that is cut as well.
field a_9x10x11.f32 f32 9 10 11
ztile compress -q --abs 0.5 a_9x10x11.f32
ztile compress -q --abs 0.5 a_9x10x11.f32 -o a.zfp
rm a_9x10x11.f32
try()
{
    "$@" >out 2>err
    local status=$?
    [[ $status == 5 && $(<err) == *' version '* ]] && status=2
    [[ $status == 2 && ! -s out && $(wc -l <err) == 1 && ! -e out.f32 ]] ||
        { echo "$* $n: status $status"; cat err; }
}
size=$(stat -c %s a_9x10x11.f32.zt)
for ((n = 0; n < size; n += n < 200 || n > size - 100 ? 7 : 97)); do
    head -c $n a_9x10x11.f32.zt >cut.zt
    try ztile decompress -q cut.zt -o out.f32
    try ztile info cut.zt
    cat cut.zt | try ztile decompress -q - -o out.f32
    { head -c $n a_9x10x11.f32.zt; printf '\x55\xaa'; tail -c +$((n + 3)) a_9x10x11.f32.zt; } |
        head -c "$size" >bad.zt
    cmp -s bad.zt a_9x10x11.f32.zt && continue
    try ztile decompress -q bad.zt -o out.f32
    try ztile info --check -q bad.zt
done
size=$(stat -c %s a.zfp)
for ((n = 0; n < size - 8; n += n < 40 ? 3 : 97)); do
    head -c $n a.zfp >cut.zfp
    try ztile decompress -q cut.zfp -o out.f32
done
echo "this is no compressed file" >text.zt
try ztile info text.zt
: >empty.zt
try ztile decompress empty.zt -o out.f32
ls
