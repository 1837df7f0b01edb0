#!/bin/sh
# wheel.sh: make what is published of the Python package: a source distribution, and from it a wheel for
# Linux on x86-64 that runs with any glibc since 2.28 and any Python since 3.11.
#
#     scripts/wheel.sh OUT_DIR [PYTHON]
#
# The compiler is clang as PyPI's ziglang packages it, since it links against the symbols of an old
# glibc on any machine. With CC in the environment that compiler takes its place, and the wheel gets the
# tag that auditwheel finds. What is needed is kept in build/wheel. ZTILE_KERNELS: see python/tests/run.sh.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
python=${2:-python3}
work=$root/build/wheel
venv=$work/venv
log=$work/log.txt
mkdir -p "$work"

run() { "$@" >"$log" 2>&1 || { tail -n 30 "$log" >&2; exit 1; }; }

[ -x "$venv/bin/auditwheel" ] || {
    run "$python" -m venv "$venv"
    run "$venv/bin/pip" install -q scikit-build-core ziglang auditwheel wheel ninja 'cmake>=3.25'
}
PATH=$venv/bin:$PATH

# ---- the source distribution, with the header of xxHash, so that it builds where that is missing
header=$(echo '#include <xxhash.h>' | ${CC:-cc} -E - | sed -n 's/^# 1 "\(.*xxhash\.h\)".*/\1/p' | head -n 1)
[ -n "$header" ] || { echo "xxhash.h was not found (Debian package libxxhash-dev)" >&2; exit 1; }
mkdir -p "$root/python/xxhash"
cp "$header" "$root/python/xxhash/xxhash.h"
trap 'rm -rf "$root/python/xxhash"' EXIT
cd "$root"
run "$venv/bin/python" -c 'import sys
from scikit_build_core.build import build_sdist
print(build_sdist(sys.argv[1]))' "$out"
sdist=$out/$(tail -n 1 "$log")
rm -rf "$root/python/xxhash"

# ---- the compiler
if [ -z "${CC:-}" ]; then
    for tool in cc ar ranlib; do
        target=
        [ $tool != cc ] || target='-target x86_64-linux-gnu.2.28 -fno-sanitize=undefined'
        printf '#!/bin/sh\nexec "%s/bin/python" -m ziglang %s %s "$@"\n' "$venv" $tool "$target" \
            >"$work/zig-$tool"
        chmod +x "$work/zig-$tool"
    done
    CC=$work/zig-cc AR=$work/zig-ar RANLIB=$work/zig-ranlib
    ZIG_GLOBAL_CACHE_DIR=$work/zig-cache
    export CC AR RANLIB ZIG_GLOBAL_CACHE_DIR
fi

# ---- the wheel, with the tag that its symbols allow
rm -rf "$work/plain" "$work/source" "$work/cmake" # files of a source distribution have no time
mkdir -p "$work/source"
tar -xzf "$sdist" -C "$work/source" --strip-components=1
fast=
[ -z "${ZTILE_KERNELS:-}" ] || fast="--config-settings=cmake.build-type=RelWithDebInfo
    --config-settings=cmake.define.CMAKE_C_FLAGS_RELWITHDEBINFO=-O1"
run "$venv/bin/pip" wheel -q --no-build-isolation --no-deps --wheel-dir "$work/plain" \
    --config-settings=build-dir="$work/cmake" $fast \
    --config-settings=cmake.define.ZTILE_KERNELS="${ZTILE_KERNELS:-}" "$work/source"
run "$venv/bin/auditwheel" show "$work"/plain/*.whl
tag=$(sed -n 's/.*"\(manylinux_[0-9_]*_x86_64\)".*/\1/p' "$log" | head -n 1)
[ -n "$tag" ] || { cat "$log" >&2; exit 1; }
if [ "$CC" = "$work/zig-cc" ]; then # its symbols may be older than what it was compiled for
    minor=${tag#manylinux_2_}
    [ "${minor%_x86_64}" -le 28 ] || { echo "the wheel needs $tag" >&2; exit 1; }
    tag=manylinux_2_28_x86_64
fi
run "$venv/bin/wheel" tags --remove --platform-tag "$tag" "$work"/plain/*.whl
cp "$work"/plain/*.whl "$out"
ls -l "$out"
