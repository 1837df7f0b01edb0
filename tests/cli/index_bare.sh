# ztile index on bare zfp streams: FILE.zti is found, used and refused where it is wrong.
field a_40x64x64.f32 f32 40 64 64
ztile compress -q --abs 1e-3 a_40x64x64.f32 -o a.zfp
ztile decompress -q a.zfp -o none.f32
ztile decompress -q a.zfp --box 7:20,5:30,40:64 -o none_box.f32
ztile info a.zfp | grep '^index'
for kind in offsets lengths hybrid compact; do
    ztile index -q -f a.zfp --index $kind --index-chunk 8
    ztile info a.zfp | grep -o "^index *$kind.*"
    ztile decompress -q -f a.zfp -o $kind.f32 && cmp none.f32 $kind.f32
    ztile decompress -q -f -x omp=3,8 a.zfp --box 7:20,5:30,40:64 -o box.f32 &&
        cmp none_box.f32 box.f32
    # what compress writes beside a stream is the same
    ztile compress -q -f --abs 1e-3 --index $kind --index-chunk 8 a_40x64x64.f32 -o b.zfp
    cmp a.zfp b.zfp && cmp a.zfp.zti b.zfp.zti && echo same
done
ztile info --json a.zfp | grep -o '"file": *"a.zfp.zti"'
ztile decompress -qv -f a.zfp --box 0:1,:,: -o box.f32
ztile compare -q a_40x64x64.f32 a.zfp | grep -c bound
status ztile index a.zfp
ztile index -f a.zfp

# wrong ones
ztile compress -q --abs 1e-2 a_40x64x64.f32 -o other.zfp
status ztile decompress -q other.zfp --index-file a.zfp.zti -o no.f32
status ztile decompress -q other.zfp --index-file missing.zti -o no.f32
cp a.zfp.zti other.zfp.zti
status ztile decompress -q other.zfp -o no.f32
status ztile decompress -q other.zfp --box 0,:,: -o no.f32
status ztile info other.zfp
cp a_40x64x64.f32 other.zfp.zti
status ztile decompress -q other.zfp -o no.f32
: >other.zfp.zti
status ztile decompress -q other.zfp -o no.f32
ztile compress -q -f --abs 1e-2 a_40x64x64.f32 -o other.zfp
patch a.zfp.zti 40 ff
status ztile decompress -q a.zfp -o no.f32

# no header; fixed rate; a pipe; standard output
ztile compress -q --precision 20 --format zfp --zfp-header off a_40x64x64.f32 -o c.zfp
ztile index -q c.zfp --format zfp -t f32 -s 40x64x64 --precision 20
ztile decompress -q c.zfp --format zfp -t f32 -s 40x64x64 --precision 20 -o c.f32
status ztile decompress -q c.zfp --format zfp -t f32 -s 44x64x64 --precision 20 -o d.f32
ztile compress -q --rate 8 a_40x64x64.f32 -o rate.zfp
status ztile index rate.zfp
ztile compress --rate 8 --index compact a_40x64x64.f32 -o rate2.zfp 2>&1 | head -n 1
status ztile compress -q --abs 1 --index compact --format zfp a_40x64x64.f32 -o -
status ztile compress -q --abs 1 --index none --index-chunk 4 a_40x64x64.f32 -o e.zfp
status ztile index - <a.zfp
status ztile index --index none a.zfp
ls
