# Each type and mode through a file and back; default names; nothing but the two files is left.
for type in f32 f64 i32 i64; do
    mkdir $type
    cd $type || exit 1
    field a_9x10x11.$type $type 9 10 11
    cp a_9x10x11.$type kept
    for mode in --lossless '--abs 0.5' '--rel 1e-3' '--rate 12' '--rate 7 --rate-align' \
        '--precision 20' '--expert 1,16658,64,-1075'; do
        # shellcheck disable=SC2086
        ztile compress -q -f $mode a_9x10x11.$type || exit
        ztile decompress -q -f a_9x10x11.$type.zt || exit
        ztile compare -q kept a_9x10x11.$type.zt >table || exit
        ztile compare -q -t $type -s 9x10x11 kept a_9x10x11.$type >plain || exit
        [[ $mode != --lossless ]] || cmp kept a_9x10x11.$type || exit
        [[ $(grep 'max abs error' table) == $(grep 'max abs error' plain) ]] || echo "$type $mode"
        cp kept a_9x10x11.$type
    done
    grep -h bound table
    rm table plain
    ls
    cd ..
done
