# Planning: a file says its plan, boxes are in the user's axes, other policies give the same bytes.
perl -e 'for my $t (0 .. 1) { for my $z (0 .. 2) { for my $y (0 .. 59) { for my $x (0 .. 79) {
    print pack "f<", 100 * $t + 10 * $z + sin($y / 9) + cos($x / 7) } } } }' >a_2x3x60x80.f32
ztile compress -q -c zfp --rel 1e-4 --plan off a_2x3x60x80.f32 -o off.zt
ztile compress -q -c zfp --rel 1e-4 a_2x3x60x80.f32 -o on.zt
ztile info off.zt | grep -c '^plan'
ztile info on.zt | grep '^plan'
ztile info --json on.zt | tr -d ' \n' | grep -o '"plan":{[^}]*}'
[[ $(wc -c <on.zt) -lt $(wc -c <off.zt) ]] && echo smaller
ztile compress -q -x serial -c zfp --rel 1e-4 a_2x3x60x80.f32 -o serial.zt && cmp on.zt serial.zt
ztile compress -q -c zfp --rel 1e-4 --range -2:112.5 - -t f32 -s 2x3x60x80 <a_2x3x60x80.f32 -o pipe.zt
ztile compare -q a_2x3x60x80.f32 pipe.zt | grep '^bound'
ztile compare -q a_2x3x60x80.f32 on.zt | grep '^bound'
ztile decompress -q on.zt -o whole.f32
ztile decompress -q on.zt --box 1:2,0:3,7:9,30:31 -o box.f32
perl -e 'local $/; open my $in, "<:raw", "whole.f32"; my $all = <$in>;
    for my $z (0 .. 2) { for my $y (7, 8) {
        print substr $all, 4 * (((3 + $z) * 60 + $y) * 80 + 30), 4 } }' | cmp - box.f32 && echo slice
ztile compress -q --explain --rel 1e-3 a_2x3x60x80.f32 -o auto.zt 2>&1 | grep -o '^  chosen'
# What was chosen is what is in the file, and takes no more than what else was coded.
ztile compress -q --explain --rel 1e-3 --effort high a_2x3x60x80.f32 -o high.zt 2>&1 |
    awk '$1 == "chosen" { least = $NF } $1 == "instead" && $NF != "-" && $NF > least { print "why?" }'
for bound in '--psnr 60' '--pwrel 1e-3'; do
    ztile plan $bound -c sz a_2x3x60x80.f32 | grep -o '^  best      sz'
done
# The published cuSZ coder has no plan unless one is asked for, and is sz's.
ztile compress -q --method cusz --rel 1e-4 a_2x3x60x80.f32 -o cusz.zt
ztile compress -q -f -c sz --method cusz --rel 1e-4 --plan off a_2x3x60x80.f32 -o off.zt
cmp cusz.zt off.zt && echo 'cusz is not planned'
ztile info -v cusz.zt | grep -c 'method cusz'
status ztile compress -q --effort paper --rel 1e-4 a_2x3x60x80.f32 -o old.zt
status ztile compress -q --sz-bins 512 --rel 1e-4 a_2x3x60x80.f32 -o old.zt
ztile compress -q --dry-run --rel 1e-3 a_2x3x60x80.f32 -o none.zt 2>&1 |
    grep -o 'nothing was written'
ls none.zt 2>/dev/null
ztile compress --rel 1e-3 -q --prefer speed a_2x3x60x80.f32 -o speed.zt
ztile compare -q a_2x3x60x80.f32 speed.zt | grep '^bound'
ztile plan --rel 1e-3 -c zfp a_2x3x60x80.f32 | grep -v instead
ztile plan --rel 1e-3 a_2x3x60x80.f32 -t f32 -s 120x240 >/dev/null
status ztile plan --rate 8 a_2x3x60x80.f32
status ztile compress --prefer cheap a_2x3x60x80.f32
