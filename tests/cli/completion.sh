# Completion: subcommands, options, values, also behind '=', and names with spaces. Shells read what
# is printed for them.
ztile help --bash >bash
. ./bash && rm bash
complete_words()
{
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _ztile
    printf '[%s]' "${COMPREPLY[@]}"
    echo
}
: >'a b.f32'
: >ac.f32
complete_words ztile c
complete_words ztile help pl
complete_words ztile decompress --b
complete_words ztile compress -x ''
complete_words ztile compress --format =
complete_words ztile compress --format = zf
complete_words ztile compress --abs ''
complete_words ztile info 'a '
for shell in zsh fish; do
    ztile help --$shell >script
    ! command -v $shell >/dev/null || $shell -n script
done
# as many options in each as the parser knows
for command in compress decompress info index compare plan plot demo bench; do
    wanted=$(ztile help --man $command | grep -cE '^\\fB(\\-., )?\\-\\-[a-z].*\\fR$')
    [[ $(ztile help --fish | grep -c "from $command' -l ") == "$wanted" ]] || echo "fish: $command"
    [[ $(ztile help --zsh | awk -v name="    $command)" '
        $0 == name { on = 1 } on && /--[a-z]/ { n++ } on && /;;/ { on = 0 } END { print n }') == "$wanted" ]] ||
        echo "zsh: $command"
done
