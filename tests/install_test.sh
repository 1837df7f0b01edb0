#!/bin/sh
# install_test.sh: install a build into an empty folder, move that folder, and use it as a stranger
# would: the example compiled through pkg-config and through find_package, as C and as C++; the
# shared library exports nothing but the API; the sources also build by hand.
#
#     tests/install_test.sh SOURCE_DIR BUILD_DIR CC [CXX]
set -eu
source=$1
build=$2
cc=$3
cxx=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

complain() {
    echo "$*"
    failed=1
}

cmake --install "$build" --prefix "$work/first" >"$work/install.log" || {
    cat "$work/install.log"
    exit 1
}
# what is installed must not know where it was built or installed
mv "$work/first" "$work/prefix"
prefix=$work/prefix
pc=$(find "$prefix" -name ztile.pc)
[ -n "$pc" ] || { echo "ztile.pc is not installed"; exit 1; }
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
libdir=$(cd "$(dirname "$pc")/.." && pwd)
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
grep -rl "$build\|$source" "$libdir/cmake" "$libdir/pkgconfig" "$prefix/include" &&
    complain "the files above name the build or the source folder"

# ---- pkg-config
example=$source/examples/compress_field.c
cp "$example" "$work/example.c"
cp "$example" "$work/example.cc"
flags=$(pkg-config --cflags --libs ztile)
"$cc" -std=c11 -Wall -Wextra -Werror -o "$work/example_c" "$work/example.c" $flags -lm
"$work/example_c" >"$work/out_c" || complain "the example fails as C"
if [ -n "$cxx" ]; then
    "$cxx" -Wall -Wextra -Werror -o "$work/example_cxx" "$work/example.cc" $flags -lm
    "$work/example_cxx" >"$work/out_cxx" || complain "the example fails as C++"
    cmp -s "$work/out_c" "$work/out_cxx" || complain "the example prints other things as C++"
else
    echo "SKIP: no C++ compiler, the installed header is tried as C only"
fi

# ---- find_package
mkdir "$work/client"
cp "$work/example.c" "$work/example.cc" "$work/client"
languages=C
[ -z "$cxx" ] || languages='C CXX'
cat >"$work/client/CMakeLists.txt" <<EOT
cmake_minimum_required(VERSION 3.16)
project(client LANGUAGES $languages)
find_package(ztile 0.1 REQUIRED)
add_executable(client_c example.c)
target_link_libraries(client_c ztile::ztile m)
if(CMAKE_CXX_COMPILER)
    add_executable(client_cxx example.cc)
    target_link_libraries(client_cxx ztile::ztile m)
endif()
EOT
if cmake -S "$work/client" -B "$work/client/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" ${cxx:+-DCMAKE_CXX_COMPILER="$cxx"} >"$work/client.log" 2>&1 &&
    cmake --build "$work/client/build" >>"$work/client.log" 2>&1; then
    for client in "$work/client/build"/client_c*; do
        "$client" >"$work/out" || complain "$(basename "$client") fails"
        cmp -s "$work/out_c" "$work/out" || complain "$(basename "$client") prints other things"
    done
else
    cat "$work/client.log"
    complain "find_package(ztile) does not work"
fi

# ---- symbols
shared=$(find "$libdir" -maxdepth 1 -name 'libztile.so')
if [ -n "$shared" ]; then
    others=$(nm -D --defined-only "$shared" | awk '{print $3}' | grep -v '^zt_' || true)
    [ -z "$others" ] || complain "libztile.so exports more than zt_*: $others"
    # every function of the headers is there
    for name in $(grep -ohE '^ZT_API [^(]*\bzt_[a-z0-9_]+\(' "$prefix"/include/ztile*.h |
        grep -oE 'zt_[a-z0-9_]+\(' | tr -d '('); do
        nm -D --defined-only "$shared" | grep -qw "$name" || complain "$name is not exported"
    done
fi

# ---- libzfp's API: beside libzfp and never found by accident; a client of it
[ ! -e "$libdir/libzfp.so" ] || complain "libzfp.so is installed where linkers look"
for words in w8 w64; do
    folder=$libdir/ztile/zfp/$words
    [ -e "$folder/libzfp.so.1" ] || continue
    others=$(nm -D --defined-only "$folder/libzfp.so.1" | awk '{print $3}' |
        grep -vE '^(zfp|stream)_' || true)
    [ -z "$others" ] || complain "$words/libzfp.so.1 exports more than libzfp: $others"
    cat >"$work/zfp_client.c" <<EOT
#include <zfp.h>
int main(void)
{
    float in[64] = {1}, out[64];
    char buffer[1000];
    bitstream *s = stream_open(buffer, sizeof buffer);
    zfp_stream *zfp = zfp_stream_open(s);
    zfp_field *field = zfp_field_3d(in, zfp_type_float, 4, 4, 4);
    zfp_stream_set_reversible(zfp);
    size_t n = zfp_compress(zfp, field);
    zfp_stream_rewind(zfp);
    zfp_field_set_pointer(field, out);
    return !(n > 0 && zfp_decompress(zfp, field) == n && out[0] == 1 && out[63] == 0);
}
EOT
    "$cc" -std=c11 -Wall -Wextra -Werror -I"$prefix/include/ztile/zfp" -o "$work/zfp_client" \
        "$work/zfp_client.c" -L"$folder" -lzfp || complain "zfp.h does not compile"
    LD_LIBRARY_PATH=$folder:$LD_LIBRARY_PATH "$work/zfp_client" ||
        complain "a client of $words/libzfp.so fails"
done

# ---- the HDF5 plug-ins
for plugin in "$libdir"/ztile/hdf5/*.so; do
    [ -e "$plugin" ] || continue
    [ "$(nm -D --defined-only "$plugin" | wc -l)" = 3 ] || complain "$plugin shows other names"
    if nm -D "$plugin" | grep -E ' U (H5|nc_)'; then complain "$plugin is linked to HDF5"; fi
done
if [ -x "$prefix/bin/ztile_h5_words" ]; then
    "$prefix/bin/ztile_h5_words" abs=1 | grep -q 48613 || complain "ztile_h5_words does not work"
fi

# ---- the command
if [ -x "$prefix/bin/ztile" ]; then
    "$prefix/bin/ztile" --version >/dev/null || complain "the installed ztile does not run"
    for module in hdf5:field.nc draw:field.png; do
        [ -e "$build/bin/ztile-${module%:*}.so" ] || continue
        head -c 4096 /dev/zero >"$work/field_32x32.f32"
        case $module in
        hdf5*) (cd "$work" && "$prefix/bin/ztile" compress -q field_32x32.f32 -o f.zt &&
            "$prefix/bin/ztile" decompress -q f.zt -o field.nc) ;;
        *) (cd "$work" && "$prefix/bin/ztile" plot -q field_32x32.f32 -o field.png) ;;
        esac
        [ -s "$work/${module#*:}" ] || complain "the installed ztile does not load ztile-${module%:*}.so"
    done
fi

[ "$failed" = 0 ] && echo "what is installed works"
exit "$failed"
