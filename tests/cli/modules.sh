# Libraries of other formats and of pictures are no part of the program: it loads them for a file that
# needs them, and says so where its modules are not there.
need ldd
program=$(command -v ztile)
ldd "$program" | grep -E 'hdf5|netcdf|cairo'
if [[ -x /usr/bin/time ]] && ! grep -q __asan_init "$program"; then
    faults=$(/usr/bin/time -f %R ztile --version 2>&1 >/dev/null)
    ((faults < 300)) || echo "$faults page faults to say a version"
fi
[[ -f $(dirname "$program")/ztile-hdf5.so ]] || skip "netCDF and HDF5 are not in this build"
has_pictures || skip "pictures are not in this build"
cp "$program" alone
field a_4x5x6.f32 f32 4 5 6
ztile compress -q a_4x5x6.f32 -o a.zt
ztile decompress -q a.zt -o a.nc
ztile decompress -q a.zt -o a.h5
status ./alone compress -q a_4x5x6.f32
status ./alone info a.nc
status ./alone compress -q a.h5
status ./alone decompress -q a.zt -o b.nc
status ./alone plot -q a_4x5x6.f32
ls
