/* nczarr.c: configurations as flat JSON objects, and filters of variables in Zarr stores. */
#include "nczarr.h"

#include <jansson.h>

enum { TEXT_BYTES = 512, WORDS = 32 /* of any filter, at most */ };

/* Parameters of the Python codec that a reader need not know, and a filter has no word for. */
static bool is_ignored(const char *key)
{
    static const char *const names[] = {"id",         "index",    "index_chunk", "index_partition",
                                        "plan",       "name",     "units",       "fill",
                                        "slab_bytes", "word_bits"};
    return ztile_h5_find(names, sizeof names / sizeof *names, key, strlen(key)) <
           sizeof names / sizeof *names;
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

/* Words that would get too long are none. */
static bool append(char *words, const char *text)
{
    const size_t used = strlen(words), bytes = strlen(text);
    if (used + bytes >= TEXT_BYTES)
        return false;
    memcpy(words + used, text, bytes + 1);
    return true;
}

/* A number, a word, or a list of numbers with colons between them. */
static bool append_value(char *words, const json_t *value)
{
    char text[32];
    if (json_is_string(value))
        return !strchr(json_string_value(value), ',') && append(words, json_string_value(value));
    if (json_is_number(value)) {
        number_text(json_number_value(value), text, sizeof text);
        return append(words, text);
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *const item = json_array_get(value, i);
        if (!json_is_number(item) || (i > 0 && !append(words, ":")) || !append_value(words, item))
            return false;
    }
    return json_array_size(value) > 0;
}

/* Append "key=value" or, of true, "key"; nothing of null and false. */
static bool append_member(char *words, const char *key, const json_t *value)
{
    if (is_ignored(key) || json_is_null(value) || json_is_false(value))
        return true;
    if (words[0] && !append(words, ","))
        return false;
    const size_t begin = strlen(words);
    if (!append(words, key))
        return false;
    for (char *p = words + begin; *p; p++)
        if (*p == '_')
            *p = '-';
    return json_is_true(value) || (append(words, "=") && append_value(words, value));
}

/* False where the text is no such object or its words have no meaning. */
static bool from_json(const char *text, struct ztile_h5_config *config)
{
    char words[TEXT_BYTES] = "";
    const char *key;
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL;
    json_t *const root = json_loads(text, flags, NULL), *value;
    bool is_read = json_is_object(root);
    json_object_foreach(root, key, value)
    {
        is_read = is_read && append_member(words, key, value);
    }
    json_decref(root);
    /* The Python codec takes rel and psnr of each chunk's own range. Such chunks are read; what is
     * added to them is coded as of no range, without a loss. */
    const bool is_relative = strstr(words, "rel=") || strstr(words, "psnr=");
    if (is_read && is_relative && !strstr(words, "pwrel=") && !strstr(words, "range="))
        is_read = append(words, ",range=0:0");
    return is_read && ztile_h5_parse(words, config) == 0;
}

/* The object as text from malloc, NULL without memory. */
static char *to_json(const char *id, const struct ztile_h5_config *c)
{
    static const char *const codecs[] = {"auto", "zfp", "ndzip", "sz"};
    static const char *const efforts[] = {"", "fast", "default", "high"};
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
    if (c->effort)
        used += snprintf(json + used, TEXT_BYTES - (size_t)used, ", \"effort\": \"%s\"",
                         efforts[c->effort & 3]);
    if (c->flags & 1)
        used += snprintf(json + used, TEXT_BYTES - (size_t)used, ", \"rate_align\": true");
    if (c->kind == 2 || c->kind == 4)
        used += snprintf(json + used, TEXT_BYTES - (size_t)used, ", \"range\": [%s, %s]", lo, hi);
    if (c->ways)
        used += snprintf(json + used, TEXT_BYTES - (size_t)used, ", \"ways\": %u", c->ways);
    snprintf(json + used, TEXT_BYTES - (size_t)used, "}");
    return json;
}

int zh_words_of_json(const struct zh_words *filter, const char *json, size_t *count,
                     unsigned **words)
{
    struct ztile_h5_config config;
    if (!from_json(json, &config) || config.filter != filter->id)
        return ZH_NC_EFILTER;
    *words = malloc(ZTILE_H5_ASKED_WORDS * sizeof **words);
    if (!*words)
        return ZH_NC_ENOMEM;
    *count = ztile_h5_words(&config, *words);
    return ZH_NC_NOERR;
}

int zh_json_of_words(const struct zh_words *filter, void *caller, size_t count,
                     const unsigned *words, char **json)
{
    struct ztile_h5_config config;
    if (!filter->load(caller, count, words, &config))
        return ZH_NC_EFILTER;
    *json = to_json(filter->codec, &config);
    return *json ? ZH_NC_NOERR : ZH_NC_ENOMEM;
}

int zh_words_of_variable(const struct zh_words *filter, void *caller, int ncid, int varid,
                         size_t count, const unsigned *asked, size_t *stored_count,
                         unsigned **stored)
{
    struct zh_chunk chunk;
    /* a Zarr reader has no way to know that unsigned integers were moved */
    if (!zh_chunk_of_variable(caller, ncid, varid, &chunk) ||
        (chunk.is_unsigned && filter->moves_unsigned))
        return ZH_NC_EFILTER;
    *stored = malloc(WORDS * sizeof **stored);
    if (!*stored)
        return ZH_NC_ENOMEM;
    *stored_count = filter->store(caller, &chunk, count, asked, *stored);
    if (*stored_count > 0)
        return ZH_NC_NOERR;
    free(*stored);
    *stored = NULL;
    return ZH_NC_EFILTER;
}
