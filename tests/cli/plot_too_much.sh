# A slice of more values than a picture is drawn of is refused before it is read.
has_pictures || skip "pictures are not in this build"
truncate -s 536870916 line.raw
status ztile plot line.raw -t f32 -s 134217729
rm line.raw
ls -A
