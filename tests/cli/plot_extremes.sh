# Pictures of arrays at the ends of what numbers are: drawn, and in no time.
has_pictures || skip "pictures are not in this build"
draw()
{
    perl -e "print pack 'd<*', map { $2 } 0 .. 99" >"$1.f64"
    for shape in 10x10 100 1x100 100x1; do
        timeout 60 ztile plot -q -f -t f64 -s $shape "$1.f64" -o picture.png || echo "$1 $shape"
    done
}
draw huge '$_ % 2 ? 1.7e308 : -1.7e308'
draw near '1e10 + ($_ % 3) * 2e-6'
draw nearest '4503599627370496 + ($_ % 2)'
draw denormal '5e-324 * $_'
draw constant '-3.5'
draw infinite '9**9**9'
draw mixed '$_ % 7 ? $_ : $_ % 2 ? 9**9**9 : -sin(9**9**9)'
rm picture.png
ls | wc -l
