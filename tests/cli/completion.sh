# Completion: subcommands, options, values, also behind '=', and names with spaces.
source=$(dirname "$(dirname "$(dirname "${BASH_SOURCE[0]}")")")/cli/completion/ztile.bash
. "$source"
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
