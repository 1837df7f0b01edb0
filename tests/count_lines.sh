#!/bin/sh
# count_lines.sh: lines of code of folders: without blank lines, comments and generated tables, as
# clang-format lays them out.
#
#     tests/count_lines.sh SOURCE_DIR [FOLDER ...]      default: src
set -eu
cd "$1"
shift
[ $# -gt 0 ] || set -- src

# Comments go by the preprocessor's own rules: strings and characters are passed over whole.
strip='
    undef $/; $_ = <STDIN>;
    s{("(?:\\.|[^"\\])*"|\x27(?:\\.|[^\x27\\])*\x27)|/\*.*?\*/|//[^\n]*}{defined $1 ? $1 : ""}gse;
    s/^[ \t]*\n//gm;
    print'
total=0
for folder; do
    lines=$(find "$folder" \( -name '*.c' -o -name '*.h' -o -name '*.cu' \) \
        ! -path '*/tables/*' ! -name '*_tables.h' | sort | while read -r file; do
        clang-format --style=file "$file" | perl -e "$strip"
    done | wc -l)
    printf '%7d  %s\n' "$lines" "$folder"
    total=$((total + lines))
done
[ $# -eq 1 ] || printf '%7d  in all\n' "$total"
