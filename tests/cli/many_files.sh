# Several files and directories: each to a file of its own; what fails is told, the others are done.
mkdir -p in/below out
field a_2x3x4.f32 f32 2 3 4
field b_2x3x4.f64 f64 2 3 4
field in/c_3x3x3.f32 f32 3 3 3
field in/below/d_3x3x3.i32 i32 3 3 3
echo text >in/notes.txt
echo "-- beside the inputs, and removed"
ztile compress -q a_2x3x4.f32 b_2x3x4.f64 in
cp a_2x3x4.f32 kept
status ztile compress -q --rm -f a_2x3x4.f32 in
find . -type f | LC_ALL=C sort
echo "-- back, into a directory that is made"
status ztile decompress -q -o back in a_2x3x4.f32.zt
find back -type f | LC_ALL=C sort
cmp back/a_2x3x4.f32 kept
echo "-- one fails, and the others are done"
status ztile compress -q missing.f32 b_2x3x4.f64 -o out
ls out
echo "-- never two to one file"
mkdir x y && cp b_2x3x4.f64 x && cp b_2x3x4.f64 y
status ztile compress -q -f x y -o out
status ztile compress -q x y -o one.zt
status ztile compress -q x - -o out
status ztile compress -q out
echo "-- what is written in the input's place stays"
cp kept a_2x3x4.f32
status ztile compress -q -f --rm a_2x3x4.f32 -o a_2x3x4.f32
ztile info a_2x3x4.f32 | head -n 1
status ztile decompress -q --rm --box 0:1,:,: in/c_3x3x3.f32.zt -o box.f32
