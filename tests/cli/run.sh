#!/bin/bash
# Run the cases of the command's tests: tests/cli/run.sh BUILD_BIN_DIR [CASE...]
#
# A case is NAME.sh, run by bash in an empty directory of its own with ztile on the PATH, beside
# what it must give: NAME.out and NAME.err (none: nothing) and NAME.status (none: 0). In .out and
# .err a '*' stands for any text within a line. A case that cannot run here exits with 77 and says
# why. Functions for cases are in lib.bash, which is read before them.

[ -n "$BASH_VERSION" ] || exec bash "$0" "$@"
if [[ $# -lt 1 || ! -x $1/ztile ]]; then
    echo "usage: tests/cli/run.sh BUILD_BIN_DIR [CASE...], where BUILD_BIN_DIR holds ztile" >&2
    exit 1
fi
bin=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PATH=$bin:$PATH LC_ALL=C
export LSAN_OPTIONS=suppressions=$here/leaks.supp:print_suppressions=0 # in sanitized builds
unset COLUMNS
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

# matches WANTED GOT: the same lines, '*' aside.
matches()
{
    local wanted got pattern
    exec 3<"$1" 4<"$2"
    while true; do
        if ! IFS= read -r wanted <&3 && [[ -z $wanted ]]; then
            ! IFS= read -r got <&4
            return
        fi
        IFS= read -r got <&4 || [[ -n $got ]] || return 1
        pattern=${wanted//\\/\\\\}
        pattern=${pattern//\?/\\?}
        pattern=${pattern//\[/\\[}
        # shellcheck disable=SC2053
        [[ $got == $pattern ]] || return 1
    done
}

# run_case NAME: prints pass, FAIL or skip with what is wrong.
run_case()
{
    local name=$1 dir=$work/$1 wanted_status=0 status wrong=
    mkdir -p "$dir/at" && : >"$dir/none"
    (cd "$dir/at" && exec bash -c '. "$1"; . "$2"' "$name" "$here/lib.bash" "$here/$name.sh") >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    if [[ $status == 77 ]]; then
        echo "SKIP: cli case $name: $(tail -n 1 "$dir/out")"
        skipped=$((skipped + 1))
        return
    fi
    [[ -f $here/$name.status ]] && wanted_status=$(<"$here/$name.status")
    [[ $status == "$wanted_status" ]] || wrong="exit status $status, not $wanted_status"
    for part in out err; do
        local wanted=$here/$name.$part
        [[ -f $wanted ]] || wanted=$dir/none
        matches "$wanted" "$dir/$part" || wrong="${wrong:+$wrong; }$part differs"
    done
    if [[ -z $wrong ]]; then
        echo "pass  $name"
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
    echo "FAIL  $name: $wrong"
    for part in out err; do
        local wanted=$here/$name.$part
        [[ -f $wanted ]] || wanted=$dir/none
        diff "$wanted" "$dir/$part" | head -n 20 | sed "s/^/      $part /"
    done
}

if [[ $# -eq 0 ]]; then
    cases=("$here"/*.sh)
else
    cases=("$@")
fi
for case in "${cases[@]}"; do
    name=$(basename "$case" .sh)
    [[ $name == run ]] || run_case "$name"
done
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed -eq 0 ]]
