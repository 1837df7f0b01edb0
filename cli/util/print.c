/* print.c: names out of files on a terminal. They may hold control characters, by which a file
 * could move the cursor, hide lines or type for the user; these are shown as \x1b and so on, and
 * with them all bytes that are no UTF-8. */
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
