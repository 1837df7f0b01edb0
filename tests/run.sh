#!/bin/sh
# run.sh: build with tests, run tiers of them, and say in the end what was skipped, and why.
#
#     tests/run.sh short|medium|ci|long [FOLDER [CMake options]]
#
# short runs the short tier, medium both short and medium, ci the medium tier and what builds
# again, long everything.
# FOLDER is the name of the build folder under build/ (default: test).
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
tier=${1:-medium}
folder=${2:-test}
[ $# -lt 2 ] && shift $# || shift 2
case $tier in
short) labels='^short$' ;;
medium) labels='^(short|medium)$' ;;
ci) labels='^(medium|ci)$' ;;
long) labels= ;;
*)
    echo "use: run.sh short|medium|ci|long [FOLDER [CMake options]]" >&2
    exit 2
    ;;
esac
[ "$tier" = long ] && quick=OFF || quick=ON # long: as a release is compiled
jobs=${ZTILE_JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}

# Kernels for GPUs take minutes to compile: the test build.cuda_kernels does, where there is nvcc.
"$root/scripts/build.sh" "$folder" -DZTILE_TESTS=ON -DZTILE_WERROR=ON -DZTILE_CUDA=OFF \
    -DZTILE_QUICK_BUILD=$quick "$@"

status=0
ctest --test-dir "$root/build/$folder" --output-on-failure -L "$labels" -j "$jobs" \
    ${ZTILE_CTEST_OPTIONS:-} || status=$?

# Tests print "SKIP: reason" for the whole or a part of what they would have done.
log=$root/build/$folder/Testing/Temporary/LastTest.log
skipped=$(awk '
    /^[0-9]+\/[0-9]+ Testing: / { name = $3 }
    /^SKIP: / { line = "  " name ": " substr($0, 7); if (!(line in seen)) print line; seen[line] = 1 }
' "$log" 2>/dev/null || true)
if [ -n "$skipped" ]; then
    echo "Skipped:"
    echo "$skipped"
else
    echo "Skipped: nothing"
fi
exit $status
