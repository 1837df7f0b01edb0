#!/bin/bash -eu
# build.sh: build the fuzz targets as OSS-Fuzz asks for them: $CC, $CXX, $CFLAGS, $CXXFLAGS,
# $LIB_FUZZING_ENGINE; sources in $SRC/ztile and $SRC/xxHash, intermediate files in $WORK; into $OUT
# go the targets, and for each its corpus, dictionary and options. Arguments are passed on to CMake.
#
# Without Docker: README.md in this folder.

# linked into the targets, and built with the same sanitizer
make -C "$SRC/xxHash" clean
make -C "$SRC/xxHash" -j"$(nproc)" libxxhash.a libxxhash.pc PREFIX="$WORK/xxhash" \
    CC="$CC" CFLAGS="$CFLAGS"
mkdir -p "$WORK/xxhash/include" "$WORK/xxhash/lib/pkgconfig"
cp "$SRC/xxHash"/*.h "$WORK/xxhash/include/"
cp "$SRC/xxHash/libxxhash.a" "$WORK/xxhash/lib/"
cp "$SRC/xxHash/libxxhash.pc" "$WORK/xxhash/lib/pkgconfig/"

# OpenMP would only say how many threads there are, and its library is not where the targets run
PKG_CONFIG_PATH=$WORK/xxhash/lib/pkgconfig cmake -S "$SRC/ztile" -B "$WORK/ztile" \
    -DCMAKE_BUILD_TYPE=None -DBUILD_SHARED_LIBS=OFF -DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON \
    -DZTILE_FUZZ=ON -DZTILE_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" \
    -DZTILE_HDF5=OFF -DZTILE_NETCDF=OFF -DZTILE_CAIRO=OFF -DZTILE_COMPAT=OFF "$@"
cmake --build "$WORK/ztile" --parallel "$(nproc)" --target fuzz_targets

for program in "$WORK"/ztile/bin/fuzz_*; do
    target=${program##*/fuzz_}
    corpus=$target
    case $target in salvage | roads | cost) corpus=zt ;; esac # damage is made from good files
    cp "$program" "$OUT/"
    zip -q -j "$OUT/fuzz_${target}_seed_corpus.zip" "$SRC/ztile/tests/fuzz/corpus/$corpus"/*
    dict=$SRC/ztile/tests/fuzz/dict/$target.dict
    [[ ! -f $dict ]] || cp "$dict" "$OUT/fuzz_$target.dict"
    printf '[libfuzzer]\nmax_len = 8192\n' >"$OUT/fuzz_$target.options"
done
