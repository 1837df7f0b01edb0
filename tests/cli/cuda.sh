# -x cuda: the bytes and values of other policies; where there is no CUDA or no GPU, status 5 and a
# sentence that says what to use instead.
field a_20x30x40.f32 f32 20 30 40
ztile compress -q -x serial a_20x30x40.f32 -o serial.zt
ztile compress -q -x cuda a_20x30x40.f32 -o cuda.zt 2>message
code=$?
if [[ $code -eq 0 ]]; then
    ztile decompress -q -x cuda serial.zt -o cuda.f32
    cmp serial.zt cuda.zt && cmp a_20x30x40.f32 cuda.f32 && echo "as it should be"
elif [[ $code -eq 5 && $(wc -l <message) -eq 1 && ! -e cuda.zt ]] &&
    grep -q 'use serial or omp$' message; then
    echo "as it should be"
else
    cat message
fi
status ztile compress -x cuda= a_20x30x40.f32
status ztile compress -x cuda=x a_20x30x40.f32
