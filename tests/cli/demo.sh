# The demo: a table and a picture, nothing else.
ztile demo -q >table
cut -c 1-13 table | head -n 16
grep -c '%' table
ls
