# Every help is 10 to 40 lines of at most 80 columns, and goes to standard output.
for command in '' compress decompress info index compare plan plot demo bench; do
    # shellcheck disable=SC2086
    ztile $command --help | awk -v name="$command" '
        length > 80 { print name ": a line of " length " columns" }
        END { if (NR < 10 || NR > 40) print name ": " NR " lines" }'
    # shellcheck disable=SC2086
    [[ $(ztile help $command) == "$(ztile $command --help)" ]] || echo "help $command differs"
done
ztile --version
