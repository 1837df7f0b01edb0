/* print.c: names out of files on a terminal. They may hold control characters, by which a file
 * could move the cursor, hide lines or type for the user; these are shown as \x1b and so on, and
 * with them all bytes that are no UTF-8. */
#include "util/print.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

size_t utf8_bytes(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (n > 1 && (p[0] < 0xc2 || p[0] >= 0xf5))
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool is_overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool is_surrogate = p[0] == 0xed && p[1] >= 0xa0;
    bool is_beyond = p[0] == 0xf4 && p[1] >= 0x90;
    return is_overlong || is_surrogate || is_beyond ? 0 : n;
}

void copy_utf8(const char *from, char *to, size_t to_bytes)
{
    size_t used = 0;
    while (*from) {
        size_t n = utf8_bytes(from);
        size_t need = n ? n : 2;
        if (used + need >= to_bytes)
            break;
        if (n) {
            memcpy(to + used, from, n);
        } else {
            to[used] = (char)(0xc0 | (unsigned char)*from >> 6);
            to[used + 1] = (char)(0x80 | (*from & 0x3f));
        }
        used += need;
        from += n ? n : 1;
    }
    to[used] = '\0';
}

/* Bytes of the character that text begins with; 0 if its first byte is to be shown by number. */
static size_t shown_bytes(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    const bool is_control = p[0] < 0x20 || p[0] == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0);
    return is_control ? 0 : utf8_bytes(text);
}

void escape_text(const char *from, char *to, size_t to_bytes)
{
    size_t used = 0;
    while (*from) {
        char hex[] = "\\x00";
        const size_t n = shown_bytes(from);
        const size_t need = n ? n : sizeof hex - 1;
        if (used + need >= to_bytes)
            break;
        (void)snprintf(hex + 2, 3, "%02x", (unsigned)(unsigned char)*from);
        memcpy(to + used, n ? from : hex, need);
        used += need;
        from += n ? n : 1;
    }
    to[used] = '\0';
}

void print(FILE *file, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    const size_t n = length > 0 ? (size_t)length : 0;
    char *text = malloc(5 * n + 2); /* as it is, and escaped */
    if (text && n > 0) {
        const bool is_line = format[strlen(format) - 1] == '\n';
        (void)vsnprintf(text, n + 1, format, again);
        text[is_line ? n - 1 : n] = '\0';
        const size_t lines = strspn(format, "\n"); /* before the text */
        (void)fwrite(text, 1, lines, file);
        escape_text(text + lines, text + n + 1, 4 * n + 1);
        (void)fprintf(file, "%s%s", text + n + 1, is_line ? "\n" : "");
    }
    va_end(again);
    free(text);
}
