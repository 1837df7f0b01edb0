# Units that are no UTF-8 (old netCDF files) are kept as what they mean, not refused.
need ncgen
printf 'netcdf u { dimensions: x = 4; variables: float w(x); w:units = "\xb0C";
data: w = 1, 2, 3, 4; }' >u.cdl
ncgen -o u.nc u.cdl
ztile compress -q u.nc || skip "netCDF is not in this build"
ztile info --json u.w.zt | grep units | od -An -c
# Control characters in them are shown by number.
printf 'netcdf v { dimensions: x = 4; variables: float w(x); w:units = "m\x1b]0;owned\x07\x7f\xc2\x9b2J\\n";
data: w = 1, 2, 3, 4; }' >v.cdl
ncgen -o v.nc v.cdl
ztile compress -q v.nc
ztile info v.w.zt | grep units
ztile info --json v.w.zt | grep units
