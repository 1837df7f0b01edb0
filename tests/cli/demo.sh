# The field alone, and the demo: a table and, where the build draws them, a picture; nothing else.
ztile demo -q --save field_96x96x96.f32 >table
tail -n 1 table
rm table
ls
ztile demo -q -f -o demo.png --save field_96x96x96.f32 >table
grep -o 'values.*,' table
cut -c 1-21 table | tail -n +6 | head -n 18
grep -c '%' table
wc -c <field_96x96x96.f32
rm table field_96x96x96.f32
if has_pictures; then
    [[ $(head -c 4 demo.png | tail -c 3) == PNG ]] && rm demo.png
fi
ls
