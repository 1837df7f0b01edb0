#!/bin/sh
# figures.sh: the drawn figures are what their scripts draw.
#
#     tests/docs/figures.sh PYTHON SOURCE_DIR
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for script in codecs layers; do
    PYTHONDONTWRITEBYTECODE=1 "$1" "$2/docs/figures/draw/$script.py" "$work"
done
PYTHONDONTWRITEBYTECODE=1 "$1" "$2/bench/gpu_picture.py" draw --table "$2/docs/figures/ndzip-gpu.tsv" \
    --out "$work/ndzip-gpu.svg"
for figure in "$work"/*.svg; do
    cmp "$figure" "$2/docs/figures/$(basename "$figure")"
done
