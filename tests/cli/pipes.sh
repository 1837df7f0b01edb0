# Standard input and output, with a known and an unknown extent; no summary is mixed in.
field a_20x10x11.f32 f32 20 10 11
ztile compress -q - -t f32 -s 20x10x11 <a_20x10x11.f32 >known.zt
cat a_20x10x11.f32 | ztile compress -q - -t f32 -s '?x10x11' | cat >unknown.zt
ztile compress -q a_20x10x11.f32 -o - | cmp - known.zt && echo same
cat unknown.zt | ztile decompress -q - | cmp - a_20x10x11.f32 && echo same
ztile decompress -q known.zt -o - | cmp - a_20x10x11.f32 && echo same
ztile info - <unknown.zt | grep -E 'shape|file '
cat known.zt | ztile compare -q a_20x10x11.f32 - | grep bound
ztile decompress -q - -o b.npy <known.zt && ztile compare -q a_20x10x11.f32 b.npy | grep diff
status ztile compress -q - <a_20x10x11.f32
head -c 1000 a_20x10x11.f32 | status ztile compress -q - -t f32 -s 20x10x11 -o cut.zt
head -c 1000 a_20x10x11.f32 | status ztile compress -q - -t f32 -s '?x10x11' -o cut.zt
cat known.zt | status ztile info -
cat known.zt | status ztile decompress - --box 0:1,:,: -o box.f32
ls
