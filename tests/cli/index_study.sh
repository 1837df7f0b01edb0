# The index study: tables, JSON, CSV and plots. Speeds are anything; sizes are exact.
field a_40x40x30.f32 f32 40 40 30
ztile bench --index-study -x omp=2 a_40x40x30.f32 -o study -q >tables
grep -A2 '^file *type' tables
awk 'NF == 8 && $1 ~ /^[0-9]+$/ && $7 > 0 && $8 > 0 { print $1, $2, $3, $4, $5 }' tables
head -n 4 study/index-overhead.csv
for name in overhead throughput speedup; do
    echo "$name $(wc -l <study/index-$name.csv) $(head -n 1 study/index-$name.csv)"
    if has_pictures; then
        [[ $(head -c 4 study/index-$name.png | tail -c 3) == PNG ]] || echo "$name.png is no picture"
    fi
done
status ztile bench --index-study a_40x40x30.f32 -o study

# offsets take 8 bytes a chunk, and 3 that say so
awk -F, '$5 == "offsets" && $7 - 8 * int(($2 + $4 - 1) / $4) > 12 { print "too large: " $0 }' \
    study/index-overhead.csv

# several arrays, of a pipe too; JSON
ztile bench --index-study -x serial --json a_40x40x30.f32 - -t f32 -s 40x40x30 \
    <a_40x40x30.f32 >json
perl -0777 -ne '
    s/"(?:[^"\\]|\\.)*"/0/g; s/null|true|false|-?\d[\d.e+-]*/0/g; s/\s//g;
    1 while s/\[(?:0(?:,0)*)?\]|\{(?:0:0(?:,0:0)*)?\}/0/;
    print $_ eq "0" ? "JSON\n" : "no JSON: $_\n"' json
grep -c '"file":' json

status ztile bench --index-study
status ztile bench --index-study --stages a_40x40x30.f32
status ztile bench --index-study missing_2x2x2.f32
perl -e 'print pack("f<*", 1, "nan", 2, 3)' >nan_2x2.f32
status ztile bench --index-study nan_2x2.f32
status ztile bench --index-study a_40x40x30.f32 -o a_40x40x30.f32
