# What ztile bench repeats of papers: tables and JSON of links, distortion and Huffman coding. Speeds
# are anything; sizes, and what follows from both by the model of links, are not.
field a_40x40x30.f32 f32 40 40 30
is_json='
    use JSON::PP;
    my $d = decode_json(join "", <STDIN>);'
ztile bench --link 1,7200 -x serial --codecs sz,ndzip --bounds rel=1e-3,lossless a_40x40x30.f32 >tables
head -n 2 tables
awk 'NF > 5 && $2 == 1 { print $1, $2, $3 }' tables
ztile bench --link 1,7200 --json -x serial --codecs sz,ndzip --bounds rel=1e-3,lossless \
    a_40x40x30.f32 | perl -e "$is_json"'
    for my $r (@{$d->{rows}}) {
        my ($e, $t) = ($r->{encode_seconds}, $r->{decode_seconds});
        for my $l (@{$r->{links}}) {
            my $send = $r->{bytes} * 8e-9 / $l->{gbit};
            my $most = (sort { $b <=> $a } $e, $t, $send)[0];
            print "one after another: $l->{seconds}\n" if abs($l->{seconds} / ($e + $send + $t) - 1) > 1e-6;
            print "pipelined: $l->{pipelined_seconds}\n" if abs($l->{pipelined_seconds} / $most - 1) > 1e-6;
            my $pays = $l->{seconds} < $l->{raw_seconds};
            print "$r->{codec} $l->{gbit}\n" if $pays != ($l->{gbit} < $r->{pays_up_to_gbit});
        }
        print "$r->{codec} $r->{bound} ", scalar @{$r->{links}}, "\n";
    }'
if has_pictures; then
    ztile bench --link 10 -q -x serial --codecs sz --bounds rel=1e-3 a_40x40x30.f32 -o links >/dev/null
    ls links
else
    printf 'link-a_40x40x30-f32-0.%s\n' png svg
fi

ztile bench --distortion -q a_40x40x30.f32 --codecs zfp,zfp-rate,sz-cusz --bounds rel=1e-2,rel=1e-4
if has_pictures; then
    ztile bench --distortion -q a_40x40x30.f32 --codecs zfp --bounds rel=1e-2,rel=1e-4 -o study >/dev/null
    ls study | grep rate-distortion
else
    printf 'rate-distortion-a_40x40x30-f32.%s\n' png svg
fi
ztile bench --distortion --json -q a_40x40x30.f32 --codecs zfp-rate | perl -e "$is_json"'
    print join(" ", map { $_->{bound_value} } @{$d->{rows}}), "\n"'
# rates are for the study alone, or by name
ztile bench --json -x serial a_40x40x30.f32 --bounds rel=1e-3 | grep -cE 'zfp-rate|sz-paper'

perl -e 'print "abracadabra" x 500' >text
ztile bench --huffman --json text | perl -e "$is_json"'
    print join(" ", map { $_->{alphabet} } @{$d->{codebooks}}), "\n";
    print join(" ", map { "$_->{magnitude},$_->{reduction}" } @{$d->{merges}}), "\n";
    printf "%s %.4f %d\n", $_->{text}, $_->{mean_bits}, $_->{reduction} for @{$d->{texts}};
    print "threads\n" if @{$d->{threads}};'
: >empty
for words in '--link 0' '--link x' '--link 1,2,3,4,5,6,7' '--link -1' '--link' \
    '--link 10 --huffman' '--distortion --stages' '--distortion --bounds psnr=60'; do
    # shellcheck disable=SC2086
    status ztile bench $words a_40x40x30.f32
done
status ztile bench --link 10
status ztile bench --huffman missing
status ztile bench --huffman empty
