# A bare stream that misses its tolerance is written with one warning; .zt holds the bound.
perl -e 'print pack "f<*", map { ($_ % 4 ? 1 : 1e30) * ($_ % 3 + 1) } 0 .. 63' >a_4x4x4.f32
ztile compress -q --abs 1e-3 a_4x4x4.f32 --format zfp
echo "status $?"
ztile compress -q --abs 1e-3 a_4x4x4.f32 --format zfp -f --no-verify
ztile compress -q --abs 1e-3 a_4x4x4.f32 && ztile compare -q a_4x4x4.f32 a_4x4x4.f32.zt | grep bound
status ztile compare -q a_4x4x4.f32 a_4x4x4.f32.zfp >/dev/null
