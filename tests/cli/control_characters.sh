# Names may hold anything; what is printed of them moves no cursor and forges no line.
field a f32 2 3 4
name=$'a\e[2J\nfile    fake\x7f_2x3x4.f32'
mv a "$name"
ztile compress -q "$name" -o a.zt
ztile compress "$name" -o $'b\e[31m.zt' 2>&1 | cut -d, -f1
ztile decompress $'b\e[31m.zt' -o $'c\e[31m.f32' 2>&1 | cut -d, -f1
ztile info $'b\e[31m.zt' | grep file
status ztile decompress $'b\e[31m.zt' -o $'c\e[31m.f32'
