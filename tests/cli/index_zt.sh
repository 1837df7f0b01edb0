# ztile index on .zt files: what comes out is what compress writes with that index.
field a_40x64x64.f32 f32 40 64 64
opt='-q -c zfp --plan off --abs 1e-7 --slab-bytes 300000'
for kind in none offsets lengths hybrid compact; do
    # shellcheck disable=SC2086
    ztile compress $opt --index $kind a_40x64x64.f32 -o $kind.zt
done
for from in none hybrid compact; do
    for to in none offsets lengths hybrid compact; do
        cp $from.zt x.zt
        ztile index -q --index $to x.zt
        cmp x.zt $to.zt && echo "$from $to"
    done
done
# shellcheck disable=SC2086
ztile compress $opt --index hybrid --index-chunk 3 --index-partition 5 a_40x64x64.f32 -o own.zt
ztile index -q --index hybrid --index-chunk 3 --index-partition 5 none.zt -o made.zt && cmp own.zt made.zt
status ztile index -q none.zt -o made.zt
ztile index none.zt -f -o made.zt
ztile info none.zt | grep -o '^index *[a-z]*'
ztile index -q none.zt -o - | cmp - compact.zt
patch none.zt 5000 0123456789abcdef
status ztile index none.zt
status ztile index none.zt --index best
status ztile index none.zt --index offsets --index-partition 3
status ztile index missing.zt
status ztile index
ls
