#!/bin/sh
# build.sh: configure and build into a folder under build/.
#
#     scripts/build.sh FOLDER [CMake options]
#
# A cache that was left there by another checkout, compiler or CMake is thrown away: everything in
# the folder can be built again. Output is kept short; what failed is shown whole.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
folder=$root/build/$1
shift
jobs=${ZTILE_JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
mkdir -p "$folder"
log=$folder/configure.log

configure() { cmake -S "$root" -B "$folder" "$@" >"$log" 2>&1; }

if ! configure "$@"; then
    find "$folder" -mindepth 1 -maxdepth 1 -exec rm -rf {} +
    if ! configure "$@"; then
        cat "$log" >&2
        exit 1
    fi
fi
grep -E '^-- ztile:|CMake Warning' "$log" || true
cmake --build "$folder" --parallel "$jobs" >"$folder/build.log" 2>&1 || {
    cat "$folder/build.log" >&2
    exit 1
}
grep -E 'warning:' "$folder/build.log" >&2 || true
