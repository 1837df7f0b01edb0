# Values that an option does not take are refused with status 1, and nothing is written.
field a_2x3x4.f32 f32 2 3 4
for words in '-c gzip' '--pwrel x' '--pwrel 1' '--psnr 0' '--plan maybe' '-x omp=' '-x gpu' '--index best' \
    '--sz-bins -1'; do
    # shellcheck disable=SC2086
    status ztile compress a_2x3x4.f32 $words
done
ztile compress -q a_2x3x4.f32 -c zfp -x serial --index none --plan off
ls
