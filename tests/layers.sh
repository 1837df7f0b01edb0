#!/bin/sh
# layers.sh: the rules of the source tree that a search can check.
#
#     tests/layers.sh SOURCE_DIR
#
# Dependencies point one way, files stay small, the public header stands on its own.
set -u
cd "$1" || exit 1
failed=0

complain() {
    printf '%s\n' "$1" "$2" | sed '2,$s/^/    /'
    failed=1
}

# forbid WHO WHAT FOLDER...: no file in the folders includes a header that matches WHAT.
forbid() {
    who=$1
    what=$2
    shift 2
    for folder; do
        [ -d "$folder" ] || continue
        found=$(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[\"<]($what)" "$folder" \
            --include='*.c' --include='*.h' --include='*.cu' || true)
        [ -z "$found" ] || complain "$who must not include $what" "$found"
    done
}

# ---- which layer may include which
forbid gpu 'array/|bits/|entropy/|codec/|index/|exec/|frame/|quality/|plan/' src/gpu
forbid simd 'array/|entropy/|codec/|index/|exec/|frame/|quality/|plan/' src/simd
forbid core 'gpu/|array/|bits/|entropy/|codec/|index/|exec/|frame/|quality/|plan/' src/core
forbid array 'bits/|entropy/|codec/|index/|exec/|frame/|quality/|plan/' src/array
forbid bits 'array/|entropy/|codec/|index/|exec/|frame/|quality/|plan/' src/bits
forbid entropy 'codec/|index/|exec/|frame/|quality/|plan/' src/entropy
forbid codec 'exec/|index/|frame/|plan/' src/codec
forbid index 'codec/|exec/|frame/|plan/' src/index
forbid exec 'codec/[a-z]+/|frame/|plan/' src/exec
forbid quality 'codec/|index/|exec/|frame/|plan/' src/quality
forbid plan 'codec/[a-z]+/|frame/' src/plan
forbid 'the frame, but for bare streams,' 'codec/[a-z]+/' src/frame/format src/frame/read \
    src/frame/salvage src/frame/write
forbid 'the library' 'io\.h|io/|cli/|bench/|draw/' src
forbid 'the input and output of the command' 'core/|array/|bits/|codec/|index/|exec/|frame/|quality/' io
forbid 'the command' 'core/|array/|bits/|codec/|index/|exec/|frame/|quality/' cli tools
forbid 'drawing' 'cmd/|bench/' tools/draw
forbid 'the Python module' 'core/|array/|bits/|codec/|index/|exec/|frame/|quality/|io\.h' python
forbid 'a plug-in' 'core/|array/|bits/|codec/|index/|exec/|frame/|quality/|io\.h' plugins
forbid "libzfp's API" 'array/|bits/|index/|frame/|quality/|plan/|io\.h' compat
forbid 'an example' 'core/|array/|bits/|codec/|index/|exec/|frame/|quality/|io\.h' examples

# ---- one codec does not know another
for one in src/codec/*/; do
    for other in src/codec/*/; do
        [ "$one" = "$other" ] || forbid "$one" "codec/$(basename "$other")/" "$one"
    done
done

# ---- where tiles run is the business of exec, and of core, which opens contexts
found=$(grep -rnE 'ZT_(SERIAL|OMP|CUDA)\b|->policy\b|zt_context_policy' src \
    --include='*.c' --include='*.h' --include='*.cu' | grep -vE '^src/(exec|core)/' || true)
[ -z "$found" ] || complain 'a policy is named outside exec and core' "$found"

# ---- a caller's array is checked once, by the public call that it is given to; below that it is a
#      struct zti_array, which says itself where its memory is
found=$(grep -rlE 'zti_array_check\(' src --include='*.c' | grep -v '^src/array/' |
    xargs grep -LE '^[a-z_ ]+ \*?zt_[a-z_]+\(')
[ -z "$found" ] || complain 'an array is checked where no public call is' "$found"
found=$(grep -rnw zt_array src --include='*.h' | grep -vE 'const zt_array \*given|^[^:]*:[0-9]*: ?[/ ]\*' || true)
[ -z "$found" ] || complain "what is inside the library takes a caller's array" "$found"
found=$(grep -rnE '\bzti_(is_on_device|memory_of)\b' src --include='*.c' --include='*.h' --include='*.cu' |
    grep -vE '^src/(array|gpu|core)/' || true)
[ -z "$found" ] || complain 'it is asked outside of src/array where memory is' "$found"

# ---- what is common to codecs names none: no codec, no effort
found=$(grep -rnoE '\b(ZT_(CODEC|EFFORT)_[A-Z]+|ZTI_(ZFP|SZ|NDZIP)\w*|zti_(codec_)?(zfp|sz|ndzip)\w*)' \
    src --include='*.c' --include='*.h' |
    grep -vE '^src/(codec|frame/bare)/|:ZT_(CODEC_AUTO|EFFORT_DEFAULT)$' || true)
[ -z "$found" ] || complain 'a codec or an effort is named outside of codec/ and bare streams' "$found"
found=$(grep -niwE 'zfp|sz|ndzip' src/codec/*.h || true)
[ -z "$found" ] || complain 'the interface of codecs names one' "$found"

# ---- ztile.h stands on <stddef.h> and <stdint.h>, the other public headers on ztile.h
found=$(grep -nE '^[[:space:]]*#[[:space:]]*include' include/*.h |
    grep -vE '^include/ztile\.h:.*<(stddef|stdint)\.h>|^include/ztile_[a-z]+\.h:.*"ztile\.h"' || true)
[ -z "$found" ] || complain 'a public header includes more than it may' "$found"

# ---- ztile.h is read whole
[ "$(wc -l <include/ztile.h)" -le 450 ] || complain 'ztile.h has more than 450 lines' ''

# ---- files have at most 800 lines
sources=$(find include src io cli tools tests bench examples compat plugins python -name build -prune -o \
    \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.sh' -o -name '*.py' \) -print \
    2>/dev/null)
found=$(for f in $sources; do
    lines=$(wc -l <"$f")
    [ "$lines" -le 800 ] || echo "$f has $lines"
done)
[ -z "$found" ] || complain 'a file has more than 800 lines' "$found"

# ---- a folder can be taken in at a glance
found=$(for folder in $(find src cli io tools -type d); do
    files=$(find "$folder" -maxdepth 1 -type f | wc -l)
    [ "$files" -le 22 ] || echo "$folder has $files files"
done)
[ -z "$found" ] || complain 'a folder has more than some twenty files' "$found"

# ---- headers are interfaces or texts; files make no circles inside a layer
if command -v python3 >/dev/null; then
    found=$(python3 tests/includes.py . || true)
    [ -z "$found" ] || complain 'an include is not as it should be' "$found"
else
    echo 'SKIP: includes are not looked at without python3'
fi

# ---- lines of code have at most 100 characters
found=$(LC_ALL=C.UTF-8 grep -nHE '^.{101,}' $(echo "$sources" | grep -v '\.sh$') || true)
[ -z "$found" ] || complain 'a line has more than 100 characters' "$found"

# ---- code is laid out by clang-format, of the version that .clang-format is written for
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    found=$(echo "$sources" | grep -E '\.(c|h|cu)$' | grep -v '/tables/' |
        xargs clang-format --style=file --dry-run -Werror 2>&1 | grep -E 'error:' | head -n 5)
    [ -z "$found" ] || complain 'clang-format would lay out other lines (clang-format -i)' "$found"
else
    echo 'SKIP: there is no clang-format 14 (Debian package clang-format)'
fi

# ---- files begin with a comment that says what they are for
found=$(for f in $sources; do
    head -n 2 "$f" | grep -qE '^(/\*|//|#|""")' || echo "$f"
done)
[ -z "$found" ] || complain 'a file does not say first what it is for' "$found"

# ---- the library prints nothing, ends nothing, reads no environment
found=$(grep -rnE '\b(printf|puts|putchar|fprintf|perror|exit|abort|getenv|signal)[[:space:]]*\(' \
    src --include='*.c' --include='*.h' | grep -vE '^[^:]*:[0-9]*:[[:space:]]*(\*|/\*|//)' || true)
[ -z "$found" ] || complain 'the library prints, exits or reads the environment' "$found"

# ---- no paths of somebody's machine
found=$(grep -rnE '(^|[^[:alnum:]_.$}/-])/(home|root|work|Users|mnt|opt)/[[:alnum:]]' $sources \
    CMakeLists.txt CMakePresets.json Makefile cmake scripts tests/CMakeLists.txt README.md \
    CONTRIBUTING.md CHANGELOG.md docs 2>/dev/null | grep -v '^tests/layers\.sh:' || true)
[ -z "$found" ] || complain 'a path of one machine' "$found"

# ---- no unfinished business
found=$(grep -rnwE 'TODO|FIXME|XXX|HACK' $sources | grep -v '^tests/layers\.sh:' || true)
[ -z "$found" ] || complain 'unfinished business' "$found"

[ "$failed" = 0 ] && echo "the source tree keeps its rules"
exit "$failed"
