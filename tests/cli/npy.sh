# .npy in C and Fortran order and both endiannesses; back to .npy by the default name.
field a_4x5x6.f32 f32 4 5 6
npy c.npy '<f4' False '(4, 5, 6)' a_4x5x6.f32
perl -e 'local $/; my @v = unpack "f<*", <STDIN>; print pack "f>*", @v' <a_4x5x6.f32 >big
npy big.npy '>f4' False '(4, 5, 6)' big
perl -e 'local $/; my @v = unpack "f<*", <STDIN>; my @t;
    for my $i (0 .. 3) { for my $j (0 .. 4) { for my $k (0 .. 5) {
        $t[$i + 4 * ($j + 5 * $k)] = $v[($i * 5 + $j) * 6 + $k] } } }
    print pack "f<*", @t' <a_4x5x6.f32 >fortran
npy f.npy '<f4' True '(4, 5, 6)' fortran
for name in c big f; do
    ztile compress -q $name.npy && rm $name.npy && ztile decompress -q $name.npy.zt &&
        ztile compare -q a_4x5x6.f32 $name.npy | grep diff
done
npy half.npy '<f2' False '(4, 5, 12)' a_4x5x6.f32
status ztile compress half.npy
ls
