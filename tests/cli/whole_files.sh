# A whole netCDF-4 file through HDF5's filter and back; what is refused; nothing half-written.
need ncgen
need ncdump
awk 'BEGIN {
    print "netcdf in { dimensions: t = UNLIMITED; y = 32; x = 36;"
    print "variables: double t(t); float y(y); float warm(t, y, x); warm:units = \"K\";"
    print "warm:_FillValue = 1e20f; int n(y); string s(y); :title = \"a file\"; data: t = 1, 2, 3;"
    print "y = 1, 2; n = 5, 6; s = \"one\", \"two\"; warm = _"
    for (i = 1; i < 3 * 32 * 36; i++) printf ", %.6g", 280 + 9 * sin(i % 36 / 5) + cos(i / 97)
    print "; group: g { variables: double u(y, x); data: u = 0"
    for (i = 1; i < 32 * 36; i++) printf ", %.9g", sin(i / 31)
    print "; } }"
}' >in.cdl
ncgen -4 -o in.nc in.cdl || exit 1
ztile compress in.nc --abs 1e-2 -o out.nc || skip "HDF5 is not in this build"
ncdump -h in.nc | sed 1d >a
ncdump -h out.nc | sed 1d >b
cmp a b && ncdump -hs out.nc | grep -c 'Filter = "48613'
ztile compare -q in.nc:warm out.nc:warm | grep 'special\|max abs\|bound'
ztile info out.nc | awk '{print $1, $2, $3, $4, $5, $6, $7}'
ztile info --check out.nc:g/u | tail -1
ztile info --json out.nc:/warm | grep bound
status ztile info in.nc
status ztile info out.nc:n
ztile decompress -q out.nc -o back.nc
ztile compare -q out.nc:/g/u back.nc:/g/u | grep differ
ncdump in.nc | sed '1d; / \(warm\|u\) =/,/;/d' >a
ncdump back.nc | sed '1d; / \(warm\|u\) =/,/;/d' >b
cmp a b && ncdump -hs back.nc | grep -c Filter
ztile compress -q in.nc --var u:rel=1e-3 --var warm:lossless -c zfp -o some.h5 && echo some
status ztile compress in.nc -o out.nc
status ztile compress in.nc --var nothing -o no.nc
status ztile compress in.nc:warm -o no.nc
status ztile compress in.nc -o no.zarr
status ztile compress in.nc --slab-bytes 1M -o no.nc
for option in --dry-run --explain '--plan off' '--prefer speed'; do
    # shellcheck disable=SC2086
    status ztile compress in.nc $option -o no.nc
done
status ztile decompress in.nc -o no.nc
status ztile compress out.nc -o no.nc
nccopy -k classic back.nc classic.nc 2>/dev/null || ncgen -k classic -o classic.nc - <<'CDL'
netcdf classic { dimensions: x = 2; variables: float v(x); data: v = 1, 2; }
CDL
status ztile compress classic.nc -o no.nc
head -c 9000 in.nc >cut.nc
status ztile compress cut.nc -o no.nc
ls -A
