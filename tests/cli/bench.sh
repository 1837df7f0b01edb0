# ztile bench: tables, JSON, rows, charts and the report. Speeds are anything; sizes are exact.
field a_24x20x28.f32 f32 24 20 28
field b_16x40.f64 f64 1 16 40
perl -e 'print pack("f<*", map { $_ % 50 == 7 ? "nan" : sin($_ / 9) } 0 .. 1999)' >c_2000.f32
ztile bench a_24x20x28.f32 b_16x40.f64 --codecs zfp,sz,ndzip -x omp=2 -o report \
    --bounds rel=1e-2,rel=1e-3,lossless >tables || exit 1
awk '$2 ~ /^[12]$/ && NF == 9 && $8 > 0 && $9 > 0 && ($6 == "-" || $6 <= 1) { n++ }
    /^rel|^lossless/ { print $1, $2 } END { print n, "rows that hold" }' tables
ls report | grep -vE '(png|svg)$'
if has_pictures; then
    for picture in report/*.png; do
        [[ $(head -c 4 "$picture" | tail -c 3) == PNG ]] || echo "$picture is no picture"
    done
    for picture in report/*.svg; do
        well_formed "$picture"
        grep -inE '\b(nan|inf)\b' "$picture"
    done
    (cd report && ls *.svg)
    ls report | grep -c png
    echo "$(grep -o '<img class="chart"' report/report.html | wc -l) charts," \
        "$(grep -o '<img class="slices"' report/report.html | wc -l) pictures"
    grep -oE '(href|src)="[a-z]*:' report/report.html | sort -u
else
    grep -q 'draws no pictures' report/report.html || echo 'no word of it in the report'
    printf '%s\n' rate-distortion-a_24x20x28-f32.svg rate-distortion-b_16x40-f64.svg ratio.svg \
        speed-compress.svg speed-decompress.svg 9 '5 charts, 4 pictures' 'src="data:'
fi
echo "$(grep -c '<section' report/report.html) sections"

# as JSON; a pipe; NaN are kept, and libzfp is not given them; rows of others
ztile bench -x serial --json --codecs zfp,ndzip --bounds abs=0.01,lossless - -t f32 -s 2000 \
    <c_2000.f32 >json
perl -MJSON::PP -0777 -e '
    my $d = decode_json(<STDIN>);
    print scalar(@{$d->{rows}}), " rows, ", $d->{files}[0]{special_values}, " special\n";
    print join(" ", map { "$_->{codec} $_->{policy} $_->{bound}" } @{$d->{rows}}), "\n";
    print "too large an error\n" for grep { $_->{max_abs_error} > $_->{abs_bound} } @{$d->{rows}};
' <json
awk -F'\t' 'NF == 10 && $1 == "b_16x40.f64" && $2 == "sz" { $2 = "other"; print }' OFS='\t' \
    report/bench.tsv >peers.tsv
ztile bench b_16x40.f64 --codecs sz --bounds rel=1e-2 -x serial --peers peers.tsv | grep -c other
echo 'b_16x40.f64	other	1' >bad.tsv
status ztile bench b_16x40.f64 --codecs sz --bounds rel=1e-2 --peers bad.tsv
status ztile bench a_24x20x28.f32 --codecs zfp -o report
status ztile bench a_24x20x28.f32 --codecs gzip
status ztile bench a_24x20x28.f32 --bounds rel=0
status ztile bench a_24x20x28.f32 --bounds ''
status ztile bench
status ztile bench missing_2x2x2.f32
