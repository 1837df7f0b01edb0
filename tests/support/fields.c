/* fields.c: real data, read. */
#include "support/fields.h"

#include <stdlib.h>
#include <string.h>

bool parse_field(char *line, struct field *f)
{
    char type[16], dims[128];
    memset(f, 0, sizeof *f);
    if (sscanf(line, "%127[^\t]\t%159[^\t]\t%15[^\t]\t%127[^\t]", f->name, f->stored, type, dims) !=
        4)
        return false;
    f->type = type_of_name(type);
    for (char *at = dims; *at && f->rank < ZT_MAX_RANK; at += *at == 'x')
        f->shape[f->rank++] = strtoull(at, &at, 10);
    return f->type != 0 && f->rank > 0;
}

unsigned char *load_field(const char *dir, const struct field *f)
{
    const size_t bytes = values_of(f->rank, f->shape) * zt_type_bytes(f->type);
    char text[4096];
    const size_t n = strlen(f->stored);
    const bool is_packed = n > 4 && strcmp(f->stored + n - 4, ".zst") == 0;
    snprintf(text, sizeof text, is_packed ? "zstd -q -d -c '%s/%s'" : "%s/%s", dir, f->stored);
    FILE *file = is_packed ? popen(text, "r") : fopen(text, "rb");
    if (!file)
        return NULL;
    unsigned char *values = need(bytes);
    const bool is_whole = fread(values, 1, bytes, file) == bytes;
    const int closed = is_packed ? pclose(file) : fclose(file);
    if (is_whole && closed == 0)
        return values;
    free(values);
    return NULL;
}
