#!/bin/sh
# kernels_test.sh: compile what runs on GPUs, for each TARGET (90: sm_90), and look at what the compilers
# say: no warning, and no kernel that spills registers.
#
# With one target only the GPU's part of each file is compiled, to a cubin, and of files that are one text
# for several types that for float alone. With several all of it is, as in the library, and for the last target to
# text for later GPUs too; then a few kernels for the latest GPUs.
#
# Then a few kernels for the oldest GPUs, which lack instructions.
#
#     tests/gpu/kernels_test.sh SOURCE_DIR BUILD_DIR NVCC TARGET...
set -eu
source=$1
build=$2
nvcc=$3
shift 3
failed=0

complain() {
    echo "$*"
    failed=1
}

# cubin TARGET FILE OUTPUT: with what the compilers say in OUTPUT.log
cubin() {
    "$nvcc" -arch="$1" -cubin -I"$source/include" -I"$source/src" -std=c++20 -O3 -fmad=false \
        -DZTI_DEVICE -Xptxas=-v -o "$3" "$source/src/$2" >"$3.log" 2>&1
}

# Cubins for a target; what the compilers say goes to the build's log.
compile_kernels() {
    (cd "$source/src" && find . -name '*.cu' ! -name '*64.cu' ! -name '*wide.cu' ! -name 'i32.cu' ! -name 'log32.cu') | sort >"$build/files"
    if [ -f "$build/compiled" ] && [ -z "$(find "$source/src" "$source/include" -newer "$build/compiled")" ]; then
        return
    fi
    touch "$build/begun"
    for part in 0 1; do
        awk -v part="$part" 'NR % 2 == part' "$build/files" | while read -r file; do
            cubin "sm_$1" "$file" "$build/$part.cubin" || echo "error: $file does not compile"
            cat "$build/$part.cubin.log"
        done >"$build/$part.log" &
    done
    wait
    cat "$build/0.log" "$build/1.log" >"$build/build.log"
    if grep -E 'error' "$build/build.log"; then
        exit 1
    fi
    mv "$build/begun" "$build/compiled"
}

# The objects of the library with CUDA that nvcc compiles; the other files are C as in any build.
compile_objects() {
    architectures=
    for target; do
        architectures=${architectures:+$architectures-real;}$target
    done
    if ! cmake -S "$source" -B "$build" -DZTILE_CUDA=ON -DCMAKE_CUDA_COMPILER="$nvcc" \
        -DCMAKE_CUDA_FLAGS=-Xptxas=-v "-DZTILE_CUDA_ARCHITECTURES=$architectures" \
        -G "Unix Makefiles" -DZTILE_HDF5=OFF -DZTILE_NETCDF=OFF -DZTILE_CAIRO=OFF -DZTILE_COMPAT=OFF -DZTILE_H5PLUGIN=OFF \
        >"$build/configure.log" 2>&1; then
        cat "$build/configure.log"
        exit 1
    fi
    objects=$(sed -n 's/^\(.*\.cu\.o\):.*/\1/p' "$build/src/Makefile")
    if ! make -C "$build/src" -j 2 $objects >"$build/build.log" 2>&1; then
        grep -E 'error|\*\*\*' "$build/build.log" || tail -n 30 "$build/build.log"
        exit 1
    fi
}

mkdir -p "$build"
if [ $# -eq 1 ]; then
    compile_kernels "$1"
else
    compile_objects "$@"
fi
grep -E 'warning' "$build/build.log" && complain "the build has warnings"

# ---- registers: ptxas says what each kernel takes; of objects that are there already, nothing new
touch "$build/resources"
grep -E 'Compiling entry function|spill stores|Used [0-9]+ registers' "$build/build.log" \
    >"$build/resources.new" || true
[ ! -s "$build/resources.new" ] || mv "$build/resources.new" "$build/resources"
for target; do
    n=$(grep -c "Compiling entry function.*'sm_$target'" "$build/resources" || true)
    echo "$n kernels for sm_$target"
    [ "$n" -ge 50 ] || complain "there should be more"
done
grep -B1 -E '[1-9][0-9]* bytes spill' "$build/resources" && complain "kernels spill registers"

# ---- other GPUs: sm_75 has no cp.async and no sums over a warp, and fewer threads
others() {
    target=$1
    shift
    for kernels; do
        cubin "$target" "$kernels" "$build/other.cubin" ||
            complain "$kernels does not compile for $target"
        ! grep -E 'error|warning' "$build/other.cubin.log" || complain "$kernels for $target: see above"
        [ "$target" = sm_120 ] || # not tuned for: ndzip spills up to 44 bytes there
            ! grep -B1 -E '[1-9][0-9]* bytes spill' "$build/other.cubin.log" ||
            complain "$kernels spills registers on $target"
    done
}
others sm_75 gpu/scan.cu index/gpu/expand.cu codec/ndzip/gpu/host.cu entropy/huffman/gpu/decode.cu \
    entropy/huffman/gpu/encode.cu
[ $# -eq 1 ] || others sm_120 gpu/device.cu gpu/scan.cu codec/ndzip/gpu/host.cu

exit "$failed"
