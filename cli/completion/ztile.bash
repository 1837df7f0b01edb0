# Bash completion of ztile: subcommands, their options, and the values of those.

_ztile_options()
{
    local common='--quiet --verbose --help --memory-limit -q -v -h'
    local mode='--abs --rate --rate-align --precision --lossless --expert --format
        --zfp-word-bits --type --shape -t -s'
    case $1 in
        compress)
            printf '%s ' "$common" "$mode" --rel --pwrel --psnr --range --fill --no-fill \
                --allow-nonfinite --zfp-header \
                --no-verify --slab-bytes --output --force -o -f --codec -c --exec -x --isa \
                --index --index-chunk --index-partition --plan --prefer \
                --explain --dry-run --effort --sz-bins --var --sync
            ;;
        decompress)
            printf '%s ' "$common" "$mode" --box --output --force -o -f --exec -x --isa \
                --index-file --salvage --salvage-fill --json --sync
            ;;
        info) printf '%s ' "$common" --json --check --index-file ;;
        index)
            printf '%s ' "$common" "$mode" --index --index-chunk --index-partition --output \
                --force -o -f --sync
            ;;
        plan)
            printf '%s ' "$common" --abs --rel --pwrel --psnr --lossless --type --shape -t -s \
                --codec -c --effort --range --fill --no-fill --prefer --exec -x --isa
            ;;
        compare) printf '%s ' "$common" "$mode" --json --fill --exec -x --isa --index-file ;;
        plot)
            printf '%s ' "$common" "$mode" --slice --output --force -o -f --exec -x --isa \
                --index-file
            ;;
        demo) printf '%s ' "$common" --save --output --force -o -f --exec -x --isa ;;
        bench)
            printf '%s ' "$common" --index-study --stages --json --output --force -o -f --exec -x --isa \
                --type --shape -t -s --bounds --codecs --peers --fill
            ;;
    esac
}

# The values an option takes; nothing for those that take a number or a file.
_ztile_values()
{
    case $1 in
        -t | --type) printf 'f32 f64 i32 i64' ;;
        -c | --codec) printf 'auto zfp ndzip sz' ;;
        --effort) printf 'fast default high paper' ;;
        -x | --exec) printf 'serial omp' ;;
        --isa) printf 'plain avx2 avx512' ;;
        --format) printf 'zt zfp ndzip' ;;
        --zfp-header) printf 'on off' ;;
        --zfp-word-bits) printf '8 16 32 64' ;;
        --index) printf 'none offsets lengths hybrid compact' ;;
        --codecs) printf 'zfp sz sz-fast sz-high ndzip libzfp fpzip zstd' ;;
        --bounds) printf 'rel=1e-3 abs=1e-3 lossless' ;;
        --plan) printf 'on off tight' ;;
        --prefer) printf 'ratio speed balanced' ;;
        --slab-bytes) printf '16M 64M 256M 1G' ;;
        --memory-limit) printf '1G 4G 16G' ;;
    esac
}

_ztile()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} values
    COMPREPLY=()
    # --format=zt comes as three words
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W 'compress decompress info index compare plan plot demo bench help \
            --help --version' -- "$word"))
        return
    fi
    if [[ ${COMP_WORDS[1]} == help ]]; then
        COMPREPLY=($(compgen -W 'compress decompress info index compare plan plot demo bench' -- "$word"))
        return
    fi
    values=$(_ztile_values "$before")
    if [[ -n $values ]]; then
        COMPREPLY=($(compgen -W "$values" -- "$word"))
        return
    fi
    case $before in
        -s | --shape | --abs | --rel | --pwrel | --psnr | --rate | --precision | --expert | --range | --box | --slice | --sz-bins)
            return
            ;;
    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$(_ztile_options "${COMP_WORDS[1]}")" -- "$word"))
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word") # names may hold spaces
    fi
}

complete -o filenames -F _ztile ztile
