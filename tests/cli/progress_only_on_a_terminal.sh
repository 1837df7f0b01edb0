# The bar is drawn on a terminal and never in a pipe; -q drops it.
need_terminal
truncate -s 1G zeros_256x1024x1024.f32
ztile compress zeros_256x1024x1024.f32 -o /dev/null 2>piped
in_terminal 'ztile compress zeros_256x1024x1024.f32 -o /dev/null' >shown
in_terminal 'ztile compress -q zeros_256x1024x1024.f32 -o /dev/null' >quiet
grep -c '%' piped
grep -q '\[[#.]*\] *[0-9]*% *, [0-9.]* [kMG]B/s  ETA [0-9]*:[0-9]*' shown && echo "a bar"
wc -c <quiet
