# Command lines that make no sense: status 1, one line each.
field a_2x3x4.f32 f32 2 3 4
while read -r -a words; do
    ztile "${words[@]}" >out 2>err
    status=$?
    [[ $status == 1 && ! -s out && $(wc -l <err) == 1 ]] || echo "${words[*]}: status $status"
    cat err >&2
done <<'END'
squeeze a
compress
compress a_2x3x4.f32 --abs
compress a_2x3x4.f32 --abs -1
compress a_2x3x4.f32 --abs nan
compress a_2x3x4.f32 --abs inf
compress a_2x3x4.f32 --abs 1e
compress a_2x3x4.f32 --rel -0.5
compress a_2x3x4.f32 --abs 1e-400
compress a_2x3x4.f32 --rel 1e-400
compress a_2x3x4.f32 --pwrel 1e-999
compress a_2x3x4.f32 --rel 1e-3 --range 1e-400:1
compress a_2x3x4.f32 --rel 1e-3 --range 0:1e999
compress a_2x3x4.f32 --fill 1e-400
compress a_2x3x4.f32 --fill 1e-60
compress a_2x3x4.f32 --rate 0
compress a_2x3x4.f32 --precision 65
compress a_2x3x4.f32 --precision 1.5
compress a_2x3x4.f32 --expert 1,2,3
compress a_2x3x4.f32 --expert 9,8,16,0
compress a_2x3x4.f32 --expert 1,,2,3,4
compress a_2x3x4.f32 --abs 1 --rate 8
compress a_2x3x4.f32 --rate-align
compress a_2x3x4.f32 --abs 1 --range 0:1
compress a_2x3x4.f32 --rel 1 --range 2:1
compress a_2x3x4.f32 -t f16
compress a_2x3x4.f32 -s 2x3x
compress a_2x3x4.f32 -s 1x2x3x4x5
compress a_2x3x4.f32 --slab-bytes 0
compress a_2x3x4.f32 --slab-bytes 1X
compress a_2x3x4.f32 --format gzip
compress a_2x3x4.f32 --zfp-word-bits 12
compress a_2x3x4.f32 --format zfp --zfp-header maybe
compress a_2x3x4.f32 --no-such-option
compress a_2x3x4.f32 -Z
compress a_2x3x4.f32 --force -Zx
compress a_2x3x4.f32 --quiet=yes
compress a_2x3x4.f32 --allow-nonfinite
compress a_2x3x4.f32 --format zfp --slab-bytes 4K
decompress a_2x3x4.f32
decompress a.zt --rate 8
info
compare a_2x3x4.f32
compress a_2x3x4.f32 --rm --dry-run
compress a_2x3x4.f32 --rm -o -
plot
demo a
demo -o -
demo --save -
demo --save a -o a
END
ls
