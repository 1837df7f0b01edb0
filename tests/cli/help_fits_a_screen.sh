# Every help is a screen of 24 lines of at most 80 columns, begins with an example, has at most five
# options, and goes to standard output; everything there is to say has 80 columns too. Each manual
# page is what troff understands.
for command in '' compress decompress info index compare plan plot demo bench entropy; do
    # shellcheck disable=SC2086
    ztile $command --help | awk -v name="$command" '
        length > 80 { print name ": a line of " length " columns" }
        NR == 1 && !/^example: ztile / { print name ": no example" }
        /^  (-., )?--/ { options++ }
        END { if (NR < 10 || NR > 24) print name ": " NR " lines"
              if (options > 5) print name ": " options " options" }'
    # shellcheck disable=SC2086
    [[ $(ztile help $command) == "$(ztile $command --help)" ]] || echo "help $command differs"
    # shellcheck disable=SC2086
    ztile $command --help-all | awk -v name="$command" '
        length > 80 { print name ": a line of " length " columns" }
        END { if (NR < 24) print name ": " NR " lines" }'
    ! command -v groff >/dev/null || ztile help --man $command | groff -man -ww -Tascii 2>&1 >/dev/null
done
ztile --version
