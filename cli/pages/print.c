/* print.c: a page as a screen of 80 columns, as everything there is to say, or as a manual page. */
#include "pages/page.h"

#include "ztile.h"

#include <ctype.h>
#include <string.h>

enum { COLUMNS = 80, TERM_COLUMNS = 22 };

struct printer {
    FILE *file;
    bool is_manual;
    const char *heading; /* macro of a manual's headings: SH or SS */
};

/* Words, as many to a line as there is room for; 'at' is the column that the first begins at. */
static void fill_lines(FILE *file, const char *text, size_t bytes, size_t indent, size_t at)
{
    const char *end = text + bytes;
    bool is_first = true;
    while (text < end) {
        size_t skipped = strspn(text, " \n"), length, shown = 0;
        text += skipped;
        length = text < end ? strcspn(text, " \n") : 0;
        if (text >= end || length == 0)
            break;
        for (size_t i = 0; i < length; i++)
            shown += text[i] != '`';
        if (!is_first && at + 1 + shown > COLUMNS) {
            (void)fprintf(file, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!is_first) {
            (void)fputc(' ', file);
            at++;
        }
        for (size_t i = 0; i < length; i++)
            if (text[i] != '`')
                (void)fputc(text[i], file);
        at += shown;
        text += length;
        is_first = false;
    }
    (void)fputc('\n', file);
}

/* Text in troff's language; what stands between backticks is bold. */
static void put_troff(FILE *file, const char *text, size_t bytes)
{
    bool is_bold = false;
    char before = ' ';
    if (bytes > 0 && (text[0] == '.' || text[0] == '\''))
        (void)fputs("\\&", file);
    for (size_t i = 0; i < bytes; before = text[i++]) {
        if (text[i] == '`') {
            is_bold = !is_bold;
            (void)fputs(is_bold ? "\\fB" : "\\fR", file);
        } else if (text[i] == '-' && (is_bold || !isalnum((unsigned char)before))) {
            (void)fputs("\\-", file);
        } else if (text[i] == '\\') {
            (void)fputs("\\e", file);
        } else {
            (void)fputc(text[i], file);
        }
    }
}

static void put_heading(const struct printer *p, const char *text, size_t bytes)
{
    if (p->is_manual)
        (void)fprintf(p->file, ".%s %.*s\n", p->heading, (int)bytes, text);
    else
        (void)fprintf(p->file, "\n%.*s\n", (int)bytes, text);
}

static void put_paragraph(const struct printer *p, const char *text, size_t bytes)
{
    if (p->is_manual) {
        (void)fputs(".PP\n", p->file);
        put_troff(p->file, text, bytes);
        (void)fputc('\n', p->file);
    } else {
        (void)fputs("\n  ", p->file);
        fill_lines(p->file, text, bytes, 2, 2);
    }
}

static void put_term(const struct printer *p, const char *text, size_t bytes)
{
    const size_t term = (size_t)((const char *)memchr(text, '\t', bytes) - text);
    if (p->is_manual) {
        (void)fputs(".TP\n\\fB", p->file);
        put_troff(p->file, text, term);
        (void)fputs("\\fR\n", p->file);
        put_troff(p->file, text + term + 1, bytes - term - 1);
        (void)fputc('\n', p->file);
    } else {
        (void)fprintf(p->file, "\n  %.*s\n      ", (int)term, text);
        fill_lines(p->file, text + term + 1, bytes - term - 1, 6, 6);
    }
}

/* The paragraphs of a text. */
static void put_text(const struct printer *p, const char *text)
{
    while (text && *text) {
        const char *end = strstr(text, "\n\n");
        const size_t bytes = end ? (size_t)(end - text) : strlen(text);
        if (text[0] == '#')
            put_heading(p, text + 2, bytes - 2);
        else if (memchr(text, '\t', bytes))
            put_term(p, text, bytes);
        else
            put_paragraph(p, text, bytes);
        text += bytes + (end ? 2 : 0);
    }
}

static size_t format_option(const struct option_rule *o, char *text, size_t bytes)
{
    const bool has_letter = o->id < 256;
    return (size_t)snprintf(text, bytes, "%s%.*s%s--%s%s%s", has_letter ? "-" : "", has_letter,
                            (const char[]){(char)o->id}, has_letter ? ", " : "", o->name,
                            o->argument ? " " : "", o->argument ? o->argument : "");
}

/* An option in full: what it does as a sentence, and what there is to add. */
static void put_option(const struct printer *p, const struct option_rule *o)
{
    char text[1024];
    size_t used = format_option(o, text, sizeof text), brief;
    text[used++] = '\t';
    brief = used;
    used += (size_t)snprintf(text + used, sizeof text - used, "%s.%s%s", o->brief,
                             o->text ? " " : "", o->text ? o->text : "");
    text[brief] = (char)toupper((unsigned char)text[brief]);
    put_term(p, text, used < sizeof text ? used : sizeof text - 1);
}

static void put_usage(const struct printer *p, const struct page *page)
{
    for (const char *line = page->usage; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const int bytes = (int)strcspn(line, "\n");
        const char *gap = page->name[0] ? " " : "";
        if (p->is_manual)
            (void)fprintf(p->file, "%s\\fBztile%s%s\\fR %.*s\n", line == page->usage ? "" : ".br\n",
                          gap, page->name, bytes, line);
        else
            (void)fprintf(p->file, "%s ztile%s%s %.*s\n",
                          line == page->usage ? "usage:  " : "        ", gap, page->name, bytes,
                          line);
    }
}

/* The subcommands, on the page of the command itself. */
static void put_subcommands(const struct printer *p)
{
    char line[256];
    for (size_t i = 0; pages[i]; i++) {
        const int bytes = snprintf(line, sizeof line, "ztile-%s(1)\t%c%s.", pages[i]->name,
                                   toupper((unsigned char)pages[i]->brief[0]), pages[i]->brief + 1);
        put_term(p, line, (size_t)bytes);
    }
}

static void put_see_also(const struct printer *p, const struct page *page)
{
    put_heading(p, "SEE ALSO", 8);
    (void)fputs(p->is_manual ? "" : "  ", p->file);
    if (page->name[0])
        (void)fputs("ztile(1)\n", p->file);
    char text[512] = "";
    for (size_t i = 0, used = 0; !page->name[0] && pages[i]; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%sztile-%s(1)", i ? ", " : "",
                                 pages[i]->name);
    if (!page->name[0])
        fill_lines(p->file, text, strlen(text), 2, 2);
}

static void put_examples(const struct printer *p, const char *examples)
{
    put_heading(p, "EXAMPLES", 8);
    (void)fputs(p->is_manual ? ".nf\n" : "\n", p->file);
    while (*examples) {
        const size_t bytes = strcspn(examples, "\n");
        if (p->is_manual)
            put_troff(p->file, examples, bytes);
        else
            (void)fprintf(p->file, "  %.*s", (int)bytes, examples);
        (void)fputc('\n', p->file);
        examples += bytes + (examples[bytes] == '\n');
    }
    (void)fputs(p->is_manual ? ".fi\n" : "", p->file);
}

static void put_all(struct printer *p, const struct page *page)
{
    const char *gap = page->name[0] ? "-" : "";
    p->heading = "SH";
    if (p->is_manual)
        (void)fprintf(p->file,
                      ".TH ztile%s%s 1 \"\" \"ztile %s\" \"ztile manual\"\n"
                      ".SH NAME\nztile%s%s \\- %s\n.SH SYNOPSIS\n",
                      gap, page->name, zt_version(), gap, page->name, page->brief);
    put_usage(p, page);
    put_heading(p, "DESCRIPTION", 11);
    p->heading = "SS";
    put_text(p, page->about);
    if (!page->name[0])
        put_subcommands(p);
    if (page->options->name || page->options->text) {
        p->heading = "SH";
        put_heading(p, "OPTIONS", 7);
    }
    p->heading = "SS";
    for (const struct option_rule *o = page->options; o->name || o->text; o++) {
        if (o->name)
            put_option(p, o);
        else
            put_text(p, o->text);
    }
    p->heading = "SH";
    put_text(p, page->notes);
    if (page->examples)
        put_examples(p, page->examples);
    put_see_also(p, page);
}

/* A line of a list: a term, and beside it or below it what it means. */
static void put_line(FILE *file, const char *term, const char *brief)
{
    if (strlen(term) <= TERM_COLUMNS)
        (void)fprintf(file, "  %-*s  %s\n", TERM_COLUMNS, term, brief);
    else
        (void)fprintf(file, "  %s\n  %*s  %s\n", term, TERM_COLUMNS, "", brief);
}

static void put_screen(const struct printer *p, const struct page *page)
{
    char text[256];
    const char *about_end = strstr(page->about, "\n\n");
    const size_t about_bytes = about_end ? (size_t)(about_end - page->about) : strlen(page->about);
    const char *gap = page->name[0] ? " " : "";
    (void)fprintf(p->file, "example: %s\n", page->example);
    put_usage(p, page);
    (void)fputc('\n', p->file);
    fill_lines(p->file, page->about, about_bytes, 0, 0);
    (void)fputc('\n', p->file);
    for (size_t i = 0; !page->name[0] && pages[i]; i++)
        put_line(p->file, pages[i]->name, pages[i]->brief);
    for (int i = 0; i < MAIN_OPTIONS && page->main_options[i]; i++)
        for (const struct option_rule *o = page->options; o->name || o->text; o++)
            if (o->name && o->id == page->main_options[i]) {
                (void)format_option(o, text, sizeof text);
                put_line(p->file, text, o->brief);
                break;
            }
    if (page->name[0])
        (void)fprintf(p->file, "\nAll options: ztile%s%s --help-all, or man ztile-%s\n", gap,
                      page->name, page->name);
    else
        (void)fputs(
            "\nOf each: ztile SUBCOMMAND --help. All about arrays, files and exit statuses:\n"
            "ztile --help-all, or man ztile. Its version: ztile --version\n",
            p->file);
}

void page_print(const struct page *page, enum page_form form, FILE *file)
{
    struct printer p = {.file = file, .is_manual = form == PAGE_MANUAL};
    if (form == PAGE_SCREEN)
        put_screen(&p, page);
    else
        put_all(&p, page);
}
