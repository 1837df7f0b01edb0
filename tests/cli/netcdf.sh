# netCDF: written and read back; every float variable of a file, each to its own .zt; packed data.
need ncgen
field a_4x5x6.f32 f32 4 5 6
ztile compress -q a_4x5x6.f32
ztile decompress -q a_4x5x6.f32.zt -o a.nc || skip "netCDF is not in this build"
variable=$(ncdump -h a.nc | sed -n 's/.*float \([a-z0-9_]*\)(.*/\1/p')
ztile compare -q a_4x5x6.f32 "a.nc:$variable" | grep diff
cat >two.cdl <<'CDL'
netcdf two {
dimensions: t = UNLIMITED; x = 3;
variables:
  float warm(t, x); warm:units = "K";
  short packed(t, x); packed:scale_factor = 0.5; packed:add_offset = 1.;
  int count(t);
  char text(x);
data:
  warm = 1, 2, 3, 4, 5, 6;
  packed = 2, 4, 6, 8, 10, 12;
  count = 7, 8;
  text = "abc";
}
CDL
ncgen -o two.nc two.cdl
mkdir many
ztile compress -q two.nc -o many && ls many
ztile info many/two.warm.zt | grep -E 'name|units|shape'
ztile decompress -q many/two.packed.zt -o packed.f64 && od -An -t f8 packed.f64 || true
ztile compress -q two.nc:count && ztile info two.count.zt | grep type
ztile decompress -q two.count.zt && ls two.*
status ztile compress two.nc:text
status ztile compress two.nc:nothing
printf 'netcdf f { dimensions: x = 8; variables: float v(x); v:_FillValue = 1e20f; data:
    v = 1, 2, 1e20, 3, _, 4, 5, 6; }' >f.cdl
ncgen -o f.nc f.cdl
ztile compress -q -c sz f.nc:v --rel 1e-2 -o v.zt
ztile info v.zt --json | grep -E 'special_values|abs_bound'
ztile compare -q f.nc:v v.zt | grep -E 'fill|bound'
