# HDF5: written and read back, by the name of the data set.
need h5ls
field a_4x5x6.f64 f64 4 5 6
ztile compress -q a_4x5x6.f64
ztile decompress -q a_4x5x6.f64.zt -o a.h5 || skip "HDF5 is not in this build"
name=$(h5ls a.h5 | awk '{ print $1; exit }')
ztile compare -q a_4x5x6.f64 "a.h5:/$name" | grep diff
ztile compress -q "a.h5:/$name" -o b.zt && ztile compare -q a_4x5x6.f64 b.zt | grep bound
status ztile compress a.h5:/nothing
