# Damage is contained and named: what is left of a damaged file is written, the rest is listed.
field a_40x50x60.f32 f32 40 50 60
ztile compress -q --abs 0.01 -c zfp --slab-bytes 96K a_40x50x60.f32 -o a.zt
ztile decompress -q a.zt -o whole.f32
status ztile decompress --salvage a.zt -o same.f32
cmp same.f32 whole.f32 && echo same
cp a.zt flip.zt
patch flip.zt 30000 ffff
status ztile decompress --salvage flip.zt -o flip.f32
status ztile decompress --salvage-fill -1 --json -q flip.zt -o fill.f32
cat >outside.pl <<'P'
# values outside the boxes of the JSON list that differ from the undamaged array
my ($whole, $got, $list) = @ARGV;
sub slurp { local $/; open my $f, "<:raw", $_[0] or die; return <$f> }
my @w = unpack "L*", slurp($whole); my @g = unpack "L*", slurp($got);
my $json = slurp($list); my @box;
push @box, [split(/[,\s]+/, $1), split(/[,\s]+/, $2)]
    while $json =~ /"lo": \[\s*([^\]]*?)\s*\],\s*"hi": \[\s*([^\]]*?)\s*\]/g;
my $differ = 0;
for my $n (0 .. $#g) {
    my ($i, $j, $k) = (int($n / 3000), int($n / 60) % 50, $n % 60);
    next if $w[$n] == $g[$n];
    $differ++ unless grep { $i >= $_->[0] && $j >= $_->[1] && $k >= $_->[2] && $i < $_->[3] &&
                            $j < $_->[4] && $k < $_->[5] } @box;
}
print scalar(@box) > 0 ? "boxes" : "no boxes", ", outside them $differ values differ\n";
P
ztile decompress --salvage --json -q -f flip.zt -o flip.f32 >list.json
perl outside.pl whole.f32 flip.f32 list.json
for part in 20 10; do
    head -c $(($(stat -c %s a.zt) * part / 40)) a.zt >cut$part.zt
    status ztile decompress --salvage --json -q cut$part.zt -o cut$part.f32 >list.json
    perl outside.pl whole.f32 cut$part.f32 list.json
    grep -E '"(lost_values|unverified_values|seek_table)"' list.json
    tail -n 1 list.json
done
# one bit of a header, and of the seek table
cp a.zt bit.zt
printf '\x92' | dd of=bit.zt conv=notrunc status=none
status ztile decompress --salvage bit.zt -o bit.f32
cmp bit.f32 whole.f32 && echo same
head -c 40 a.zt >stub.zt
status ztile decompress --salvage stub.zt -o stub.f32
status ztile decompress --salvage --box 0:1,:,: a.zt -o box.f32
status ztile decompress --salvage --json a.zt -o -
status ztile decompress --json a.zt -o -
status ztile decompress --salvage-fill x a.zt
status ztile info --check flip.zt
# every frame that is hit, and a file that was cut
cp flip.zt three.zt
patch three.zt 50000 ffff
patch three.zt 160000 ffff
status ztile info --check three.zt
status ztile info --check --json -q three.zt >list.json
grep -E '"(frame|lost_values|damaged_frames|checksums_hold)"' list.json
status ztile info --check -q cut20.zt
status ztile info --check bit.zt
status ztile info --check stub.zt
cat a.zt | status ztile decompress --salvage - -o -
ls
