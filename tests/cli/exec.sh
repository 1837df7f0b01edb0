# -x and --isa: the bytes and values do not depend on threads nor on instructions.
field a_20x30x40.f32 f32 20 30 40
for bound in '--abs 1e-2' '--rate 5' '--precision 12' --lossless; do
    # shellcheck disable=SC2086
    ztile compress -q -x serial $bound a_20x30x40.f32 -o serial.zt -f
    ztile decompress -q -x serial serial.zt -o serial.f32 -f
    for policy in omp omp=1 omp=2 omp=7 omp=3,5; do
        # shellcheck disable=SC2086
        ztile compress -q -x $policy $bound a_20x30x40.f32 -o omp.zt -f
        ztile decompress -q -x $policy serial.zt -o omp.f32 -f
        cmp serial.zt omp.zt && cmp serial.f32 omp.f32 || echo "$bound differs under $policy"
    done
    for isa in plain avx2 avx512; do
        ztile compress -q --isa $isa $bound a_20x30x40.f32 -o isa.zt -f
        ztile decompress -q --isa $isa serial.zt -o isa.f32 -f
        cmp serial.zt isa.zt && cmp serial.f32 isa.f32 || echo "$bound differs with $isa"
    done
done
ztile --version -v | sed -E 's/(ztile|set:) .*/\1/'
status ztile compress --isa sse2 a_20x30x40.f32
ztile compare -q -x omp=2 a_20x30x40.f32 serial.zt | grep bound
for policy in omp= omp=x omp=1, omp=5000 threads; do
    status ztile compress -x $policy a_20x30x40.f32
done
