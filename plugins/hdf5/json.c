/* json.c: configurations as flat JSON objects. */
#include "json.h"
#include "abi.h"

enum { TEXT_BYTES = 512 };

static const char *after_blanks(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* A string without escapes, between quotes. NULL, or behind it. */
static const char *take_string(const char *p, const char **text, size_t *bytes)
{
    if (*p != '"')
        return NULL;
    *text = p + 1;
    *bytes = strcspn(*text, "\"\\");
    return (*text)[*bytes] == '"' ? *text + *bytes + 1 : NULL;
}

/* A value that is no object; a list has no strings in it. NULL, or behind it. */
static const char *take_value(const char *p, const char **text, size_t *bytes)
{
    if (*p == '"')
        return take_string(p, text, bytes);
    if (*p == '[') {
        *text = p;
        *bytes = strcspn(p, "]\"{}") + 1;
        return p[*bytes - 1] == ']' ? p + *bytes : NULL;
    }
    *text = p;
    *bytes = strcspn(p, ",} \t\r\n[{\"");
    return *bytes > 0 ? p + *bytes : NULL;
}

/* Parameters of the Python codec that a reader need not know, and a filter has no word for. */
static bool is_ignored(const char *key, size_t bytes)
{
    static const char *const names[] = {"id",         "index",    "index_chunk", "index_partition",
                                        "plan",       "name",     "units",       "fill",
                                        "slab_bytes", "word_bits"};
    return ztile_h5_find(names, sizeof names / sizeof *names, key, bytes) <
           sizeof names / sizeof *names;
}

/* Append "key=value" or, of true, "key"; nothing of null and false. A list's values get colons
 * between them. */
static bool append(char *words, const char *key, size_t key_bytes, const char *value, size_t bytes)
{
    const bool is_true = bytes == 4 && memcmp(value, "true", 4) == 0;
    size_t used = strlen(words);
    if (is_ignored(key, key_bytes) || (bytes == 4 && memcmp(value, "null", 4) == 0) ||
        (bytes == 5 && memcmp(value, "false", 5) == 0))
        return true;
    if (used + key_bytes + bytes + 3 > TEXT_BYTES)
        return false;
    if (used > 0)
        words[used++] = ',';
    for (size_t i = 0; i < key_bytes; i++)
        words[used++] = key[i] == '_' ? '-' : key[i];
    if (!is_true)
        words[used++] = '=';
    for (size_t i = 0; i < bytes && !is_true; i++)
        if (!strchr("[] \t\r\n", value[i]))
            words[used++] = value[i] == ',' ? ':' : value[i];
    words[used] = 0;
    return true;
}

bool zh_from_json(const char *json, struct ztile_h5_config *config)
{
    char words[TEXT_BYTES] = "";
    const char *p = after_blanks(json), *key, *value;
    size_t key_bytes, bytes;
    if (*p++ != '{')
        return false;
    for (p = after_blanks(p); *p != '}'; p = after_blanks(p)) {
        p = take_string(p, &key, &key_bytes);
        if (!p || *(p = after_blanks(p)) != ':')
            return false;
        p = take_value(after_blanks(p + 1), &value, &bytes);
        if (!p)
            return false;
        if (!append(words, key, key_bytes, value, bytes))
            return false;
        p = after_blanks(p);
        if (*p == ',')
            p++;
        else if (*p != '}')
            return false;
    }
    /* The Python codec takes rel and psnr of each chunk's own range. Such chunks are read; what is
     * added to them is coded as of no range, without a loss. */
    const size_t used = strlen(words);
    const bool is_relative = strstr(words, "rel=") || strstr(words, "psnr=");
    if (is_relative && !strstr(words, "pwrel=") && !strstr(words, "range=") &&
        used + sizeof ",range=0:0" <= TEXT_BYTES)
        memcpy(words + used, ",range=0:0", sizeof ",range=0:0");
    return ztile_h5_parse(words, config) == 0;
}

/* The shortest text that is read as the same number. */
static void number_text(double v, char *text, size_t bytes)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, bytes, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            return;
    }
}

char *zh_to_json(const char *id, const struct ztile_h5_config *c)
{
    static const char *const codecs[] = {"auto", "zfp", "ndzip", "sz"};
    static const char *const kinds[] = {"lossless", "abs",  "rel",       "pwrel",
                                        "psnr",     "rate", "precision", "expert"};
    char *json = malloc(TEXT_BYTES), value[64], lo[32], hi[32];
    if (!json)
        return NULL;
    number_text(c->value, value, sizeof value);
    number_text(c->range[0], lo, sizeof lo);
    number_text(c->range[1], hi, sizeof hi);
    if (c->kind == 0)
        snprintf(value, sizeof value, "true");
    if (c->kind == 7)
        snprintf(value, sizeof value, "[%u, %u, %u, %d]", c->expert[0], c->expert[1], c->expert[2],
                 (int)c->expert[3]);
    int used = snprintf(json, TEXT_BYTES, "{\"id\": \"%s\"", id);
    if (c->filter == ZTILE_H5_FILTER_ZFP)
        used += snprintf(json + used, TEXT_BYTES - (size_t)used, ", \"format\": \"zfp\"");
    else
        used += snprintf(json + used, TEXT_BYTES - (size_t)used, ", \"codec\": \"%s\"",
                         codecs[c->codec & 3]);
    used +=
        snprintf(json + used, TEXT_BYTES - (size_t)used, ", \"%s\": %s", kinds[c->kind & 7], value);
    if (c->flags & 1)
        used += snprintf(json + used, TEXT_BYTES - (size_t)used, ", \"rate_align\": true");
    if (c->kind == 2 || c->kind == 4)
        used += snprintf(json + used, TEXT_BYTES - (size_t)used, ", \"range\": [%s, %s]", lo, hi);
    snprintf(json + used, TEXT_BYTES - (size_t)used, "}");
    return json;
}

int zh_words_of_json(const char *json, int filter, size_t *count, unsigned **words)
{
    struct ztile_h5_config config;
    if (!zh_from_json(json, &config) || config.filter != filter)
        return ZH_NC_EFILTER;
    *words = malloc(ZTILE_H5_ASKED_WORDS * sizeof **words);
    if (!*words)
        return ZH_NC_ENOMEM;
    *count = ztile_h5_words(&config, *words);
    return ZH_NC_NOERR;
}
