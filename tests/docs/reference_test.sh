#!/bin/sh
# reference_test.sh: the reference of the public headers builds without a warning, and has them all.
#
#     tests/docs/reference_test.sh SOURCE_DIR
set -eu
cd "$1"
command -v doxygen >/dev/null || {
    echo "SKIP: there is no doxygen (Debian package doxygen)"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
    cat docs/Doxyfile
    echo "OUTPUT_DIRECTORY = $work"
} | doxygen -
for path in include/*.h; do
    page=$work/html/$(basename "$path" .h | sed 's/_/__/g')_8h.html
    [ -s "$page" ] || { echo "$path has no page"; exit 1; }
done
echo "the reference builds without a warning"
