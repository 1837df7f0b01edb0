# Large slabs of a pipe go through a temporary file: the bytes are those of a file, with a known and
# an unknown extent, over several slabs, and where there is no place for one.
[[ $(stat -f -c %T .) != tmpfs ]] || skip "this folder is in memory"
field part.f32 f32 20 100 110
for ((i = 0; i < 120; i++)); do cat part.f32; done >a_2400x100x110.f32
mkdir scratch
options=(-q -x serial -t f32 -c sz --abs 1e-2 --slab-bytes 52M)
ztile compress "${options[@]}" a_2400x100x110.f32 -o file.zt
for shape in 2400x100x110 '?x100x110'; do
    cat a_2400x100x110.f32 | TMPDIR=scratch ztile compress "${options[@]}" -s "$shape" - |
        cmp - file.zt && echo same
done
cat a_2400x100x110.f32 | TMPDIR=/no/such/place ztile compress "${options[@]}" -s 2400x100x110 - \
    -o named.zt
cmp named.zt file.zt && echo same
ls -A scratch

# It ends in a slice, before its last slice, after it; what the temporary file has no room for.
head -c 60000010 a_2400x100x110.f32 | status ztile compress "${options[@]}" -s '?x100x110' - -o cut.zt
head -c 60016000 a_2400x100x110.f32 | status ztile compress "${options[@]}" -s 2400x100x110 - -o cut.zt
cat a_2400x100x110.f32 part.f32 | status ztile compress "${options[@]}" -s 2400x100x110 - -o cut.zt
cat a_2400x100x110.f32 |
    TMPDIR=scratch status bash -c 'ulimit -f 20000; exec ztile compress "$@" -o cut.zt' - \
        "${options[@]}" -s 2400x100x110 -
ls
