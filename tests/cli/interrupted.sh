# An interrupted run leaves nothing half-written and ends as its signal says.
field part f32 9 10 11
for signal in INT TERM; do
    mkfifo pipe
    # perl: a shell's background job would ignore SIGINT
    perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' \
        ztile compress -q - -t f32 -s '?x10x11' --slab-bytes 1K -o out.zt <pipe &
    job=$!
    exec 5>pipe
    cat part >&5
    for _ in {1..100}; do
        [[ $(ls -A | grep -c out.zt) -gt 0 ]] && break
        sleep 0.05
    done
    ls -A | grep -c out.zt
    kill -$signal $job
    wait $job
    echo "status $?"
    exec 5>&-
    rm pipe
done 2>/dev/null
ls -A
