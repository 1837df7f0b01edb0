# The demo: a table and, where the build draws them, a picture; nothing else.
ztile demo -q >table
cut -c 1-13 table | head -n 13
grep -c '%' table
rm table
if has_pictures; then
    [[ $(head -c 4 demo.png | tail -c 3) == PNG ]] && rm demo.png
fi
ls
