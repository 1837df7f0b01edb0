# Small slabs: many frames; the same bytes however the data come; a pipe is decoded frame by frame.
field a_40x10x11.f64 f64 40 10 11
ztile compress -q -c zfp --abs 0.25 --slab-bytes 4K a_40x10x11.f64
cat a_40x10x11.f64 | ztile compress -q -c zfp --abs 0.25 --slab-bytes 4KiB - -t f64 -s 40x10x11 |
    cmp - a_40x10x11.f64.zt && echo same
ztile info a_40x10x11.f64.zt | grep format
cat a_40x10x11.f64.zt | ztile decompress -q - >piped.f64
ztile decompress -q a_40x10x11.f64.zt -o whole.f64
cmp piped.f64 whole.f64 && echo same
ztile compare -q a_40x10x11.f64 a_40x10x11.f64.zt | grep bound
ztile decompress -q --box 3:30,2:9,5:6 a_40x10x11.f64.zt -o box.f64
perl -e '
    local $/; open my $in, "<:raw", "whole.f64"; my $all = <$in>;
    for my $i (3 .. 29) { for my $j (2 .. 8) {
        print substr $all, 8 * (($i * 10 + $j) * 11 + 5), 8 } }
' | cmp - box.f64 && echo same
