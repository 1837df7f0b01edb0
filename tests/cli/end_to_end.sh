# A field from file to file and back by whole commands: a table of times, and where they go; nothing
# stays in the folder.
[[ -r /proc/self/exe ]] || skip "/proc is missing"
field a_16x24x32.f32 f32 16 24 32
mkdir files
ztile bench --end-to-end a_16x24x32.f32 -o files >out || cat out
for row in cp 'ndzip, serial' 'sz high, serial' 'zfp rate 8, serial'; do
    grep -q "^$row  *[0-9.]* " out || echo "no row of $row"
done
grep -c '^compress .*, serial  *[0-9]' out
grep -c '^decompress .*, serial  *[0-9]' out
ls files
status ztile bench --end-to-end a_16x24x32.f32 --bounds lossless
status ztile bench --end-to-end a_16x24x32.f32 a_16x24x32.f32
