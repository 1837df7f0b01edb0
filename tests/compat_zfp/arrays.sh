#!/bin/sh
# arrays.sh: a program linked to libzfp prints the same with compat/zfp's library in its place.
#
#     arrays.sh PROGRAM FOLDER
set -u
program=$1
folder=$2
theirs=$("$program") || exit 1
ours=$(LD_LIBRARY_PATH=$folder "$program") || exit 1
LD_LIBRARY_PATH=$folder ldd "$program" | grep -q "$folder/libzfp.so.1" || {
    echo "the program does not take the library in $folder"
    exit 1
}
[ -n "$theirs" ] && [ "$theirs" = "$ours" ] || {
    printf 'libzfp:\n%s\nhere:\n%s\n' "$theirs" "$ours"
    exit 1
}
printf '%s\n' "$ours"
