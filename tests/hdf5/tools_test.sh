#!/bin/bash
# tools_test.sh: the filters under HDF5's and netCDF's own commands, and files exchanged with
# H5Z-ZFP where it is installed.
#
#     tools_test.sh PLUGINS ZTILE WORDS [LIBZFP]
#
# PLUGINS is the folder of the plug-ins, ZTILE the command, WORDS ztile_h5_words, LIBZFP compat/zfp's
# library of 8-bit words.
set -u
plugins=$1
ztile=$2
words=$3
libzfp=${4:-}
for tool in h5repack h5dump ncgen nccopy ncdump; do
    if ! command -v $tool >/dev/null 2>&1; then
        echo "SKIP: there is no $tool (Debian packages hdf5-tools, netcdf-bin)"
        exit 77
    fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

complain() {
    echo "$*"
    failed=1
}

# Two fields of both float types and two of integers, through a text that ncgen knows.
{
    echo 'netcdf in { dimensions: z = 12; y = 20; x = 30; variables: float v(z, y, x);'
    echo 'double w(y, x); int k(y, x); int64 l(x); byte b(x); data:'
    for name in v:7200 w:600 k:600 l:30 b:30; do
        awk -v name="${name%:*}" -v n="${name#*:}" 'BEGIN {
            printf "%s = ", name
            for (i = 0; i < n; i++) {
                f = sin(i % 30 / 9) + cos(int(i / 30) % 20 / 7) + int(i / 600)
                printf (name ~ /[klb]/ ? "%d" : "%.9g") "%s", name ~ /[klb]/ ? 20 * f : f,
                    i + 1 < n ? ", " : ";\n"
            }
        }'
    done
    echo '}'
} >in.cdl
ncgen -4 -o in.nc in.cdl || exit 1

# numbers FILE VARIABLE: its values, one a line
numbers() { HDF5_PLUGIN_PATH=$2 h5dump -m %.17g -y -w 1 -d "$3" "$1" 2>&1 | grep -E '^ +[-0-9]'; }

# within FILE VARIABLE BOUND: values against in.nc
within() {
    paste <(numbers in.nc "$plugins" "$2") <(numbers "$1" "$plugins" "$2") | tr -d , |
        awk -v bound="$3" '
            NF != 2 { bad = 1 }
            { d = $1 - $2; if (d < 0) d = -d; if (d > worst) worst = d }
            END { if (bad || NR == 0 || worst > bound) { print "error " worst; exit 1 } }' ||
        complain "$1: $2 is not within $3"
}

# ---- h5repack and nccopy, with the numbers that ztile_h5_words gives
repack() { # CONFIG OUT CHUNK_OF_V CHUNK_OF_W
    HDF5_PLUGIN_PATH=$plugins h5repack $("$words" "$1" | sed -n 's/^h5repack //p') \
        -l "v:CHUNK=$3" -l "w:CHUNK=$4" -l k:CHUNK=20x30 in.nc "$2" 2>&1 ||
        complain "h5repack $1 fails"
}
for config in abs=1e-3 codec=zfp,abs=1e-3 lossless format=zfp,abs=1e-3 format=zfp,lossless; do
    rm -f out.h5 out.nc
    # where a chunk reaches beyond the dataset, netCDF's fill value of 1e37 is coded beside the
    # values: ztile's filter keeps the bound there, zfp's stream does not
    layers=5
    row=7
    [ "${config#format=zfp}" = "$config" ] || layers=4 row=10
    repack "$config" out.h5 ${layers}x20x30 20x$row
    bound=0.001
    [ "${config%lossless}" = "$config" ] || bound=0
    within out.h5 v $bound
    within out.h5 w $bound
    HDF5_PLUGIN_PATH=$plugins h5dump -pH -d v out.h5 | grep -q 'USER_DEFINED_FILTER' ||
        complain "h5repack $config applied no filter"
    arguments=$("$words" "$config" | sed -n "s/^nccopy -F '\*,\(.*\)'/\1/p")
    HDF5_PLUGIN_PATH=$plugins nccopy -4 -F "v,$arguments" -F "w,$arguments" -F "k,$arguments" \
        -c z/$layers,y/20,x/30 in.nc out.nc || complain "nccopy $config fails"
    within out.nc v $bound
    within out.nc w $bound
    HDF5_PLUGIN_PATH=$plugins ncdump -hs out.nc | grep -q 'v:_Filter' ||
        complain "nccopy $config applied no filter"
done
"$words" abs=fish 2>err && complain "ztile_h5_words takes abs=fish"
grep -q fish err || complain "ztile_h5_words does not say what is wrong"

# zfp's accuracy of integers is no bound
HDF5_PLUGIN_PATH=$plugins h5repack -l k:CHUNK=20x30 -f k:UD=32013,0,4,3,0,0,1072693248 in.nc \
    integers.h5 2>err
grep -q 'zfp knows no accuracy for integers' err || complain "no warning of integers: $(cat err)"

# a filter that cannot be: nccopy fails with the file left alone, and says why on HDF5's stack
HDF5_PLUGIN_PATH=$plugins nccopy -4 -F b,48613,1,2,3,4 in.nc bad.nc >/dev/null 2>&1 &&
    complain "nccopy takes cd_values of nobody"

# the command reads what the filters wrote
HDF5_PLUGIN_PATH=$plugins "$ztile" compress --lossless out.nc:v -o v.zt >err 2>&1 ||
    complain "ztile does not read a filtered variable: $(cat err)"

# the command chooses ways of sz for all chunks of a dataset, whatever the threads: word 13 of 13
"$ztile" demo --save field.h5:u >/dev/null 2>&1
h5repack -l u:CHUNK=24x24x24 field.h5 chunks.h5 || complain "h5repack does not cut chunks"
for exec in serial omp=2; do
    "$ztile" compress chunks.h5 -o "ways_$exec.h5" --abs 1e-3 -x $exec -q || complain "-x $exec fails"
done
# HDF5 keeps the second in which a dataset was made
[ "$(cmp -l ways_serial.h5 ways_omp=2.h5 2>&1 | wc -l)" -le 4 ] || complain "threads choose other ways"
[ "$(h5dump -pH -d u ways_serial.h5 | sed -n 's/.*PARAMS { *\(.*\) }/\1/p' | wc -w)" = 13 ] ||
    complain "a dataset of many chunks has no ways"
"$ztile" compare chunks.h5:u ways_serial.h5:u | grep -q 'bound.*holds' ||
    complain "the bound does not hold in chosen ways"

# ---- H5Z-ZFP
theirs=$(ls -d /usr/lib/*/hdf5/serial/plugins /usr/lib/hdf5/serial/plugins 2>/dev/null | head -n 1)
if [ ! -e "$theirs/libh5zzfp.so" ]; then
    echo "SKIP: there is no H5Z-ZFP to exchange with (Debian package hdf5-filter-plugin-zfp-serial)"
    exit $failed
fi
for mode in 4,1,0,0,1074921472 3,2,0,17 4,3,0,3539053052,1062232653 1,5 6,4,0,1,500,20,4294967286; do
    for by in "$plugins" "$theirs"; do
        file=$([ "$by" = "$plugins" ] && echo ours.h5 || echo theirs.h5)
        rm -f $file
        HDF5_PLUGIN_PATH=$by h5repack -l v:CHUNK=5x20x30 -l w:CHUNK=1x30 -l k:CHUNK=20x30 \
            -f v,w,k,l:UD=32013,0,$mode in.nc $file || complain "$mode: h5repack fails"
    done
    for name in v w k; do
        numbers ours.h5 "$plugins" $name >a
        for pair in "ours.h5 $theirs" "theirs.h5 $plugins" "theirs.h5 $theirs"; do
            numbers ${pair% *} "${pair#* }" $name >b
            [ -s a ] && cmp -s a b || complain "$mode: $name differs, $pair"
        done
    done
    for file in ours.h5 theirs.h5; do # all but the version in the first word
        h5dump -pH -d v -d w -d k $file | grep -E 'SIZE|PARAMS|CHUNKED' |
            sed 's/PARAMS { [0-9]*/PARAMS { /' >$file.what
    done
    cmp -s ours.h5.what theirs.h5.what || complain "$mode: sizes or stored words differ"
done
# H5Z-ZFP itself on ztile's libzfp
if [ -n "$libzfp" ]; then
    HDF5_PLUGIN_PATH=$theirs h5repack -l v:CHUNK=4x20x30 \
        -f v:UD=32013,0,4,3,0,3539053052,1062232653 in.nc plain.h5
    HDF5_PLUGIN_PATH=$theirs LD_PRELOAD=$libzfp h5repack -l v:CHUNK=4x20x30 \
        -f v:UD=32013,0,4,3,0,3539053052,1062232653 in.nc preloaded.h5 ||
        complain "H5Z-ZFP does not work with ztile's libzfp"
    numbers plain.h5 "$theirs" v >a
    LD_PRELOAD=$libzfp numbers preloaded.h5 "$theirs" v >b
    [ -s a ] && cmp -s a b || complain "H5Z-ZFP with ztile's libzfp gives other values"
fi
# a property list that comes with stored words
HDF5_PLUGIN_PATH=$plugins h5repack -l v:CHUNK=12x20x30 theirs.h5 again.h5 ||
    complain "H5Z-ZFP's file cannot be repacked"
HDF5_PLUGIN_PATH=$plugins h5dump -pH -d v again.h5 | grep -q 'FILTER_ID 32013' ||
    complain "H5Z-ZFP's file loses its filter when it is repacked"

[ "$failed" = 0 ] && echo "HDF5's and netCDF's commands use both filters; files are H5Z-ZFP's"
exit $failed
