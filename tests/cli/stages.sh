# The time of sz by stages: what a stage takes is anything, which there are is not.
field a_40x40x30.f32 f32 40 40 30
ztile bench --stages -x serial a_40x40x30.f32 --bounds rel=1e-3,lossless >tables || exit 1
head -n 1 tables | sed 's/, [a-z0-9]*, one/, ISA, one/'
# the stages, in order, and the efforts
awk '/^a_40/ || $1 == "stage" { $1 = $1; print; is_table = 1; next } is_table && NF > 4 { print $1 }' tables
# stages add up to the whole
ztile bench --stages --json -x omp=2 a_40x40x30.f32 --bounds rel=1e-3 >json
perl -MJSON::PP -0777 -e '
    my $d = decode_json(<STDIN>);
    for my $r (@{$d->{rows}}) {
        for my $way ("compress_seconds", "decompress_seconds") {
            my ($s, $sum) = ($r->{$way}, 0);
            $sum += $_ == $s->{all} ? 0 : $_ for values %$s;
            print "$r->{effort}: $sum is not $s->{all}\n" if abs($sum - $s->{all}) > 1e-6;
        }
        print "$r->{effort} $r->{bound} $r->{bound_value} ",
            $r->{raw_bytes} > $r->{bytes} ? "smaller" : "not smaller", "\n";
    }' <json
# sizes are those of a file without a plan
ztile compress -q -c sz --effort high --plan off --rel 1e-3 a_40x40x30.f32 -o high.zt
grep -c "\"bytes\": $(wc -c <high.zt)," json
status ztile bench --stages
status ztile bench --stages --codecs sz a_40x40x30.f32
status ztile bench --stages -o folder a_40x40x30.f32
status ztile bench --stages --index-study a_40x40x30.f32
status ztile bench --stages --bounds psnr=60 a_40x40x30.f32
status ztile bench --stages missing_2x2x2.f32
