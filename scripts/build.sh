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

echo "building in build/${folder##*/}; its log: build/${folder##*/}/build.log"
if ! configure "$@"; then
    find "$folder" -mindepth 1 -maxdepth 1 -exec rm -rf {} +
    if ! configure "$@"; then
        cat "$log" >&2
        exit 1
    fi
fi
grep -E '^-- ztile:|CMake Warning' "$log" || true

# Say how far the build is: on a terminal in one line that changes, else every tenth.
show() {
    if [ -t 1 ]; then terminal=1; else terminal=0; fi
    awk -v terminal="$terminal" '
        /^\[ *[0-9]+%\]/ || /^\[[0-9]+\/[0-9]+\]/ {
            split(substr($1 $2, 2), number, /[%\/\]]/)
            percent = $0 ~ /^\[ *[0-9]+%/ ? number[1] : int(100 * number[1] / number[2])
            text = $0
            sub(/^\[[^]]*\] (Building [A-Z]+ object )?/, "", text)
            sub(/CMakeFiles\/[^\/]*\.dir\//, "", text)
            if (terminal) { printf "\r[%3d %%] %.60s\033[K", percent, text; fflush() }
            else if (int(percent / 10) > last) { print "  " percent " %"; fflush() }
            last = int(percent / 10) }
        END { if (terminal) printf "\r\033[K" }'
}

status=$folder/build.status
{
    cmake --build "$folder" --parallel "$jobs" 2>&1 && echo 0 >"$status" || echo 1 >"$status"
} | tee "$folder/build.log" | show
[ "$(cat "$status")" = 0 ] || {
    cat "$folder/build.log" >&2
    exit 1
}
grep -E 'warning:' "$folder/build.log" >&2 || true
