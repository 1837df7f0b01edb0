/* json.c: a small emitter. Numbers that JSON does not have (NaN, infinities) become null. */
#include "util/json.h"

#include "util/print.h"
#include "ztile.h"

#include <inttypes.h>
#include <math.h>

static void begin_member(struct json *j, const char *key)
{
    if (j->has_member)
        (void)fputc(',', j->file);
    (void)fputc('\n', j->file);
    for (int i = 0; i < j->depth; i++)
        (void)fputs("  ", j->file);
    if (key)
        (void)fprintf(j->file, "\"%s\": ", key);
    j->has_member = true;
}

static void open_object(struct json *j)
{
    (void)fputc('{', j->file);
    j->depth++;
    j->has_member = false;
}

void json_begin(struct json *j, FILE *file)
{
    *j = (struct json){.file = file};
    open_object(j);
}

void json_object(struct json *j, const char *key)
{
    begin_member(j, key);
    open_object(j);
}

void json_close(struct json *j)
{
    j->depth--;
    j->has_member = false;
    begin_member(j, NULL);
    (void)fputc('}', j->file);
}

void json_list(struct json *j, const char *key)
{
    begin_member(j, key);
    (void)fputc('[', j->file);
    j->depth++;
    j->has_member = false;
}

void json_close_list(struct json *j)
{
    j->depth--;
    j->has_member = false;
    begin_member(j, NULL);
    (void)fputc(']', j->file);
}

void json_end(struct json *j)
{
    json_close(j);
    (void)fputc('\n', j->file);
}

void json_null(struct json *j, const char *key)
{
    begin_member(j, key);
    (void)fputs("null", j->file);
}

void json_number(struct json *j, const char *key, double value)
{
    begin_member(j, key);
    if (isfinite(value))
        (void)fprintf(j->file, "%.17g", value);
    else
        (void)fputs("null", j->file);
}

void json_count(struct json *j, const char *key, uint64_t value)
{
    begin_member(j, key);
    (void)fprintf(j->file, "%" PRIu64, value);
}

void json_count_or_null(struct json *j, const char *key, bool is_known, uint64_t value)
{
    if (is_known)
        json_count(j, key, value);
    else
        json_null(j, key);
}

void json_bool(struct json *j, const char *key, bool value)
{
    begin_member(j, key);
    (void)fputs(value ? "true" : "false", j->file);
}

/* Bytes that are no UTF-8 are passed on as Latin-1, so that the result is JSON whatever a file is
 * called. */
void json_text(struct json *j, const char *key, const char *value)
{
    if (!value) {
        json_null(j, key);
        return;
    }
    begin_member(j, key);
    (void)fputc('"', j->file);
    for (const char *p = value; *p;) {
        const unsigned char c = (unsigned char)*p;
        size_t n = utf8_bytes(p);
        if (c == '"' || c == '\\')
            (void)fprintf(j->file, "\\%c", c);
        else if (c < 0x20 || c == 0x7f || n == 0)
            (void)fprintf(j->file, "\\u%04x", c);
        else if (c == 0xc2 && (unsigned char)p[1] < 0xa0)
            (void)fprintf(j->file, "\\u%04x", (unsigned char)p[1]);
        else
            (void)fwrite(p, 1, n, j->file);
        p += n ? n : 1;
    }
    (void)fputc('"', j->file);
}

void json_shape(struct json *j, const char *key, uint32_t rank, const uint64_t *shape)
{
    begin_member(j, key);
    for (uint32_t i = 0; i < rank; i++) {
        (void)fputs(i ? ", " : "[", j->file);
        if (shape[i] == ZT_UNKNOWN)
            (void)fputs("null", j->file);
        else
            (void)fprintf(j->file, "%" PRIu64, shape[i]);
    }
    (void)fputc(']', j->file);
}
