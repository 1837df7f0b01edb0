# A bare stream equals that of zfp's own tool (of 8-bit words), and each decodes the other's.
need zfp
field a_9x10x11.f64 f64 9 10 11
while read -r ours theirs; do
    # shellcheck disable=SC2086
    ztile compress -q -f ${ours//_/ } a_9x10x11.f64 -o ours.zfp --zfp-word-bits 8
    # shellcheck disable=SC2086
    zfp -q -h -d -3 11 10 9 ${theirs//_/ } -i a_9x10x11.f64 -z theirs.zfp
    cmp ours.zfp theirs.zfp
    ztile decompress -q -f theirs.zfp -o ours.f64
    zfp -q -h -z ours.zfp -o theirs.f64
    cmp ours.f64 theirs.f64 && echo "$ours"
done <<'END'
--abs_1e-3 -a_1e-3
--rate_8 -r_8
--precision_20 -p_20
--lossless -R
--expert_100,4000,30,-20 -c_100_4000_30_-20
END
