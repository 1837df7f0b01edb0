/* text.c: text that grows. */
#include "draw/text.h"

#include "store/bytes.h"
#include "util/errors.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct text *t, size_t more)
{
    if (t->is_failed)
        return false;
    if (t->n + more + 1 <= t->room)
        return true;
    const size_t room = 2 * (t->n + more + 1024);
    char *bytes = realloc(t->bytes, room);
    t->is_failed = !bytes;
    if (bytes) {
        t->bytes = bytes;
        t->room = room;
    }
    return bytes != NULL;
}

void text_add(struct text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n >= 0 && make_room(t, (size_t)n)) {
        (void)vsnprintf(t->bytes + t->n, (size_t)n + 1, format, again);
        t->n += (size_t)n;
    }
    va_end(again);
}

void text_add_bytes(struct text *t, const void *data, size_t n)
{
    if (!make_room(t, n))
        return;
    memcpy(t->bytes + t->n, data, n);
    t->n += n;
    t->bytes[t->n] = 0;
}

void text_add_escaped(struct text *t, const char *words)
{
    for (; *words; words++) {
        switch (*words) {
        case '<': text_add(t, "&lt;"); break;
        case '>': text_add(t, "&gt;"); break;
        case '&': text_add(t, "&amp;"); break;
        case '"': text_add(t, "&quot;"); break;
        default:
            if ((unsigned char)*words >= 0x20)
                text_add(t, "%c", *words);
        }
    }
}

void text_add_base64(struct text *t, const void *data, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = data;
    if (!make_room(t, (n + 2) / 3 * 4))
        return;
    char *out = t->bytes + t->n;
    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const unsigned v = (unsigned)in[i] << 16 | (left > 1 ? (unsigned)in[i + 1] << 8 : 0) |
                           (left > 2 ? in[i + 2] : 0u);
        *out++ = digits[v >> 18];
        *out++ = digits[v >> 12 & 63];
        *out++ = left > 1 ? digits[v >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[v & 63] : '=';
    }
    *out = 0;
    t->n = (size_t)(out - t->bytes);
}

bool text_save(const struct text *t, const char *path, const struct options *o,
               struct ztio_error *error)
{
    if (t->is_failed)
        return fail(error, ZTIO_LACKING, "%s: no memory for its text; free some", path);
    const struct ztio_creation how = creation_of(o);
    struct ztio_bytes *bytes = ztio_bytes_create(path, &how, error);
    if (!bytes)
        return false;
    if (ztio_bytes_write(bytes, t->bytes ? t->bytes : "", t->n, error))
        return ztio_bytes_commit(bytes, error);
    ztio_bytes_abandon(bytes);
    return false;
}

void text_free(struct text *t)
{
    free(t->bytes);
    *t = (struct text){NULL, 0, 0, false};
}
