/* complete.c: completion of the command's words for bash, zsh and fish. */
#include "pages/page.h"

#include <string.h>

/* What an option's value is: some words, a file, or something that only the user knows. */
enum value { VALUE_NONE, VALUE_WORDS, VALUE_FILE, VALUE_OTHER };

static enum value value_of(const struct option_rule *o)
{
    static const char *const files[] = {"OUT", "FILE", "DIR", "PICTURE", "FIELD", "TSV"};
    if (!o->argument)
        return VALUE_NONE;
    if (strchr(o->argument, '|'))
        return VALUE_WORDS;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(o->argument, files[i]) == 0)
            return VALUE_FILE;
    return VALUE_OTHER;
}

/* The values that an option takes, apart by blanks: what stands between the '|', without
 * what may follow in brackets. */
static void put_values(const struct option_rule *o, FILE *file)
{
    int depth = 0;
    for (const char *p = o->argument; *p; p++) {
        depth += *p == '[';
        if (depth == 0)
            (void)fputc(*p == '|' ? ' ' : *p, file);
        depth -= *p == ']';
    }
}

/* A text in single quotes; 'special' are escaped with a backslash. */
static void put_quoted(const char *text, const char *special, FILE *file)
{
    (void)fputc('\'', file);
    for (const char *p = text; *p; p++) {
        if (*p == '\'') {
            (void)fputs("'\\''", file);
        } else if (*p != '`') {
            if (strchr(special, *p))
                (void)fputc('\\', file);
            (void)fputc(*p, file);
        }
    }
    (void)fputc('\'', file);
}

static void put_names(FILE *file)
{
    for (size_t i = 0; pages[i]; i++)
        (void)fprintf(file, "%s ", pages[i]->name);
}

/* Forms of options, with a text behind each; those with a value that completion cannot know, or
 * all. */
static void put_bash_options(const struct page *page, bool all, const char *behind, FILE *file)
{
    for (const struct option_rule *o = page->options; o->name || o->text; o++) {
        if (!o->name || (!all && value_of(o) != VALUE_OTHER))
            continue;
        (void)fprintf(file, "--%s%s", o->name, behind);
        if (o->id < 256)
            (void)fprintf(file, "-%c%s", o->id, behind);
    }
}

static void put_bash(FILE *file)
{
    (void)fputs("# bash completion of ztile, printed by 'ztile help --bash'\n"
                "_ztile()\n{\n"
                "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                "    local options= values=\n    COMPREPLY=()\n"
                "    # --format=zt comes as three words\n"
                "    if [[ $word == = ]]; then\n        word=\n"
                "    elif [[ $before == = ]]; then\n"
                "        before=${COMP_WORDS[COMP_CWORD - 2]}\n    fi\n"
                "    case ${COMP_WORDS[1]},$before in\n",
                file);
    for (size_t i = 0; pages[i]; i++) {
        for (const struct option_rule *o = pages[i]->options; o->name || o->text; o++) {
            if (!o->name || value_of(o) != VALUE_WORDS)
                continue;
            (void)fprintf(file, "        %s,--%s", pages[i]->name, o->name);
            if (o->id < 256)
                (void)fprintf(file, " | %s,-%c", pages[i]->name, o->id);
            (void)fputs(") values='", file);
            put_values(o, file);
            (void)fputs("' ;;\n", file);
        }
    }
    (void)fputs("    esac\n    case ${COMP_WORDS[1]} in\n", file);
    for (size_t i = 0; pages[i]; i++) {
        (void)fprintf(file, "        %s)\n            [[ ' ", pages[i]->name);
        put_bash_options(pages[i], false, " ", file);
        (void)fputs("' == *\" $before \"* ]] && return\n            options='", file);
        put_bash_options(pages[i], true, " ", file);
        (void)fputs("' ;;\n", file);
    }
    (void)fputs("    esac\n    if ((COMP_CWORD == 1)); then\n        values='", file);
    put_names(file);
    (void)fputs("help --help --help-all --version'\n"
                "    elif [[ ${COMP_WORDS[1]} == help ]]; then\n        values='",
                file);
    put_names(file);
    (void)fputs(
        "'\n    fi\n    if [[ -n $values ]]; then\n"
        "        COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
        "    elif [[ $word == -* ]]; then\n"
        "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n    else\n"
        "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\") # names may hold spaces\n"
        "    fi\n}\ncomplete -o filenames -F _ztile ztile\n",
        file);
}

/* '(-o --output)'{-o,--output}'[what it does]:OUT:_files' */
static void put_zsh_option(const struct option_rule *o, FILE *file)
{
    if (o->id < 256)
        (void)fprintf(file, " \\\n            '(-%c --%s)'{-%c,--%s}", o->id, o->name, o->id,
                      o->name);
    else
        (void)fprintf(file, " \\\n            --%s", o->name);
    (void)fputs("'['", file);
    put_quoted(o->brief, "[]:", file);
    (void)fputs("']'", file);
    switch (value_of(o)) {
    case VALUE_NONE: break;
    case VALUE_WORDS:
        (void)fprintf(file, "':%s:('", o->name);
        (void)fputc('\'', file);
        put_values(o, file);
        (void)fputs("'')'", file);
        break;
    case VALUE_FILE: (void)fprintf(file, "':%s:_files'", o->argument); break;
    case VALUE_OTHER: (void)fprintf(file, "':%s: '", o->name); break;
    }
}

static void put_zsh(FILE *file)
{
    (void)fputs("#compdef ztile\n# zsh completion of ztile, printed by 'ztile help --zsh'\n"
                "local -a subcommands=(\n",
                file);
    for (size_t i = 0; pages[i]; i++) {
        (void)fprintf(file, "    %s:", pages[i]->name);
        put_quoted(pages[i]->brief, ":", file);
        (void)fputc('\n', file);
    }
    (void)fputs(")\nif ((CURRENT == 2)); then\n"
                "    _describe subcommand subcommands\n    return\nfi\n"
                "local subcommand=$words[2]\nshift words\n((CURRENT--))\n"
                "case $subcommand in\n    help) _describe subcommand subcommands ;;\n",
                file);
    for (size_t i = 0; pages[i]; i++) {
        (void)fprintf(file, "    %s)\n        _arguments -s", pages[i]->name);
        for (const struct option_rule *o = pages[i]->options; o->name || o->text; o++)
            if (o->name)
                put_zsh_option(o, file);
        (void)fputs(pages[i]->most > 0 ? " \\\n            '*:file:_files' ;;\n" : " ;;\n", file);
    }
    (void)fputs("esac\n", file);
}

static void put_fish(FILE *file)
{
    (void)fputs("# fish completion of ztile, printed by 'ztile help --fish'\n"
                "complete -c ztile -n '__fish_use_subcommand' -f -l version -s V -d version\n"
                "complete -c ztile -n '__fish_use_subcommand' -f -l help -s h -d help\n"
                "complete -c ztile -n '__fish_use_subcommand' -f -a help -d help\n"
                "complete -c ztile -n '__fish_seen_subcommand_from help' -f -a '",
                file);
    put_names(file);
    (void)fputs("'\n", file);
    for (size_t i = 0; pages[i]; i++) {
        (void)fprintf(file, "complete -c ztile -n '__fish_use_subcommand' -f -a %s -d ",
                      pages[i]->name);
        put_quoted(pages[i]->brief, "", file);
        (void)fputc('\n', file);
        for (const struct option_rule *o = pages[i]->options; o->name || o->text; o++) {
            if (!o->name)
                continue;
            (void)fprintf(file, "complete -c ztile -n '__fish_seen_subcommand_from %s' -l %s",
                          pages[i]->name, o->name);
            if (o->id < 256)
                (void)fprintf(file, " -s %c", o->id);
            if (value_of(o) == VALUE_WORDS) {
                (void)fputs(" -x -a '", file);
                put_values(o, file);
                (void)fputc('\'', file);
            } else if (o->argument) {
                (void)fputs(value_of(o) == VALUE_FILE ? " -r" : " -x", file);
            }
            (void)fputs(" -d ", file);
            put_quoted(o->brief, "", file);
            (void)fputc('\n', file);
        }
    }
}

bool pages_complete(const char *shell, FILE *file)
{
    if (strcmp(shell, "bash") == 0)
        put_bash(file);
    else if (strcmp(shell, "zsh") == 0)
        put_zsh(file);
    else if (strcmp(shell, "fish") == 0)
        put_fish(file);
    else
        return false;
    return true;
}
