# Pictures as SVG and PDF too; of a file with an odd name; and where there are no fonts.
has_pictures || skip "pictures are not in this build"
name=$(printf 'a<&\377\001b_9x10x11.f32')
field "$name" f32 9 10 11
ztile compress -q --abs 1 "$name"
printf '<fontconfig/>\n' >no_fonts.conf
draw()
{
    for suffix in svg pdf png; do
        ztile plot -q -f "$name" "$name.zt" -o picture.$suffix
        ztile plot -q -f "$name" --slice 2,:,4 -o line.$suffix
    done
    for svg in picture.svg line.svg; do
        well_formed $svg
        echo "$(grep -c '<title>a&lt;&amp;.*9x10x11' $svg) title," \
            "$(grep -o 'data:image/png' $svg | wc -l) images"
    done
    for pdf in picture.pdf line.pdf; do
        echo "$(head -c 5 $pdf) $(tail -n 1 $pdf)"
    done
    for png in picture.png line.png; do
        head -c 4 $png | tail -c 3
    done
    echo
}
draw
FONTCONFIG_FILE=$PWD/no_fonts.conf draw
rm "$name" "$name.zt"
ls
