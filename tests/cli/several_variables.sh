# Several variables go to a directory or a device; never two to one file, nor to standard output.
need ncgen
field a_4x5x6.f32 f32 4 5 6
ztile compress -q a_4x5x6.f32
ztile decompress -q a_4x5x6.f32.zt -o a.nc || skip "netCDF is not in this build"
rm a*
cat >b.cdl <<'CDL'
netcdf b {
dimensions: x = 4;
variables: float g.t(x);
data: g.t = 1, 2, 3, 4;
group: g { variables: float t(x); data: t = 5, 6, 7, 8; }
}
CDL
ncgen -4 -o b.nc b.cdl && rm b.cdl
status ztile compress -q b.nc -o -
status ztile compress -q b.nc -o one.zt
: >taken
status ztile compress -q b.nc -o taken
status ztile compress -q -f b.nc
status ztile compress -q b.nc -o /dev/null
rm taken
status ztile compress -q b.nc:/g/t
ls -A
