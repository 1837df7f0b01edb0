/* ztile_h5.h: ask HDF5 for ztile's filters in words.
 *
 *     #include <hdf5.h>
 *     #include <ztile_h5.h>
 *
 *     hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
 *     H5Pset_chunk(dcpl, 3, chunk);
 *     ztile_h5_set(dcpl, "codec=sz,abs=1e-3");
 *
 * The words, separated by commas:
 *
 *     abs=E  rel=E  pwrel=E  psnr=DB  rate=BITS  precision=PLANES  lossless
 *     expert=MINBITS:MAXBITS:MAXPREC:MINEXP        one bound; none is lossless
 *     codec=auto|zfp|ndzip|sz      auto: zfp for rate, precision and expert, else sz
 *     effort=fast|default|high     of sz: how much time may go into the ratio
 *     range=LO:HI      the whole array's; rel and psnr need it, for a filter sees single chunks
 *     rate-align       a tile takes whole words
 *     ways=N           of sz: a number of zt_info_sz_ways (ztile_sz.h): axes and groups of all
 *                      chunks, which are not chosen from each chunk's samples
 *     format=zt|zfp    zfp: filter 32013, whose files H5Z-ZFP reads: rate, precision, abs,
 *                      lossless (reversible) and expert only
 *
 * A header and nothing to link: the filters are plug-ins that HDF5 finds by HDF5_PLUGIN_PATH. C99,
 * also C++. Without hdf5.h included before, only ztile_h5_parse and ztile_h5_words are here. */
#ifndef ZTILE_H5_H
#define ZTILE_H5_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ztile's filter: a number of the range that HDF5 leaves to private use. H5Z-ZFP's. */
#define ZTILE_H5_FILTER     48613
#define ZTILE_H5_FILTER_ZFP 32013

/* The table of bytes that ztile's filter is configured by, 32-bit words as cd_values:
 *
 *     word 0    'Z' and 'T' in the highest two bytes, version 1, form (0 asked, 1 stored)
 *     word 1    codec, kind of bound, flags of the bound, effort, from the lowest byte up; effort 0
 *               is the default one
 *     word 2-3  value of the bound, a double, its low half first
 *     word 4-7  expert: minbits, maxbits, maxprec, minexp; rel and psnr: the range, two doubles;
 *               else may be left out, or are zero
 *     word 8    ways of sz; may be left out, or zero
 *   stored by the filter in a dataset's property list:
 *     word 8    type (1 f32, 2 f64, 3 i32, 4 i64), 1 if it is unsigned, rank, 1 if there is a fill
 *               value, from the lowest byte up
 *     word 9-   extents of a chunk as it is coded, slowest first; the fill value's bits, low half
 *               first; the ways of sz, if there are any
 *
 * Codecs, kinds and efforts have the numbers of zt_codec, zt_bound_kind and zt_effort. */
#define ZTILE_H5_TABLE 0x5a540100u
enum { ZTILE_H5_STORED_AT = 8, ZTILE_H5_ASKED_WORDS = 9 };

struct ztile_h5_config {
    int filter; /* ZTILE_H5_FILTER or ZTILE_H5_FILTER_ZFP */
    unsigned codec;
    unsigned kind;
    unsigned flags;
    unsigned effort;
    double value;
    double range[2];
    int has_range;
    unsigned expert[4]; /* minexp as its 32 bits */
    unsigned ways;
    char error[160]; /* a sentence, where parsing failed */
};

static inline unsigned ztile_h5_find(const char *const *names, unsigned count, const char *name,
                                     size_t bytes)
{
    unsigned i;
    for (i = 0; i < count; i++)
        if (strlen(names[i]) == bytes && memcmp(names[i], name, bytes) == 0)
            return i;
    return count;
}

/* One number up to 'stop'; NULL where there is none, else behind it. */
static inline const char *ztile_h5_number(const char *text, const char *stop, double *number)
{
    char *end;
    int is_lost; /* a number that is rounded to 0 */
    if (text == stop || *text == ' ')
        return NULL;
    errno = 0;
    *number = strtod(text, &end);
    is_lost = *number == 0 && errno == ERANGE;
    return end == text || end > stop || *number != *number || is_lost ? NULL : end;
}

/* COUNT numbers with colons between; 0 if they are not that. */
static inline int ztile_h5_numbers(const char *text, const char *stop, double *numbers, int count)
{
    int i;
    for (i = 0; i < count; i++) {
        text = ztile_h5_number(text, stop, &numbers[i]);
        if (!text || (i + 1 < count && *text++ != ':'))
            return 0;
    }
    return text == stop;
}

/* One word "key" or "key=value"; 0 where it means nothing. */
static inline int ztile_h5_word(struct ztile_h5_config *c, const char *word, const char *stop)
{
    static const char *const codecs[] = {"auto", "zfp", "ndzip", "sz"};
    static const char *const kinds[] = {"lossless", "abs",  "rel",       "pwrel",
                                        "psnr",     "rate", "precision", "expert"};
    const char *equals = (const char *)memchr(word, '=', (size_t)(stop - word));
    const size_t key = (size_t)((equals ? equals : stop) - word);
    const char *value = equals ? equals + 1 : stop;
    const size_t rest = (size_t)(stop - value);
    const unsigned kind = ztile_h5_find(kinds, 8, word, key);
    double v[4];
    int i;
    if (kind < 8) {
        c->kind = kind;
        if (kind == 0)
            return !equals;
        if (kind < 7)
            return ztile_h5_numbers(value, stop, &c->value, 1);
        if (!ztile_h5_numbers(value, stop, v, 4))
            return 0;
        for (i = 0; i < 4; i++) {
            if (v[i] != (double)(int64_t)v[i] || v[i] < (i < 3 ? 0 : -32768) || v[i] > 4294967295.0)
                return 0;
            c->expert[i] = (unsigned)(int64_t)v[i];
        }
        return 1;
    }
    if (key == 5 && memcmp(word, "codec", 5) == 0) {
        c->codec = ztile_h5_find(codecs, 4, value, rest);
        return c->codec < 4;
    }
    if (key == 6 && memcmp(word, "effort", 6) == 0) {
        static const char *const efforts[] = {"fast", "default", "high"};
        const unsigned effort = ztile_h5_find(efforts, 3, value, rest);
        c->effort = effort == 1 ? 0 : effort + 1; /* the default is not written down */
        return effort < 3;
    }
    if (key == 5 && memcmp(word, "range", 5) == 0) {
        c->has_range = 1;
        return ztile_h5_numbers(value, stop, c->range, 2) && c->range[0] <= c->range[1];
    }
    if (key == 6 && memcmp(word, "format", 6) == 0) {
        c->filter =
            rest == 3 && memcmp(value, "zfp", 3) == 0 ? ZTILE_H5_FILTER_ZFP : ZTILE_H5_FILTER;
        return rest == 3 ? c->filter == ZTILE_H5_FILTER_ZFP
                         : rest == 2 && memcmp(value, "zt", 2) == 0;
    }
    if (key == 4 && memcmp(word, "ways", 4) == 0) {
        if (!ztile_h5_numbers(value, stop, v, 1) || v[0] < 0 || v[0] > 65535.0)
            return 0;
        c->ways = (unsigned)v[0];
        return v[0] == (double)c->ways;
    }
    if (key == 10 && memcmp(word, "rate-align", 10) == 0) {
        c->flags |= 1u;
        return !equals;
    }
    return 0;
}

/* Read a configuration. 0, or -1 with a sentence in config->error. */
static inline int ztile_h5_parse(const char *text, struct ztile_h5_config *config)
{
    int bounds = 0;
    memset(config, 0, sizeof *config);
    config->filter = ZTILE_H5_FILTER;
    while (*text) {
        const char *comma = strchr(text, ','), *stop = comma ? comma : text + strlen(text);
        const int is_other = strncmp(text, "codec=", 6) == 0 || strncmp(text, "range=", 6) == 0 ||
                             strncmp(text, "format=", 7) == 0 || strncmp(text, "rate-", 5) == 0 ||
                             strncmp(text, "effort=", 7) == 0 || strncmp(text, "ways=", 5) == 0;
        bounds += !is_other;
        if (!ztile_h5_word(config, text, stop)) {
            snprintf(config->error, sizeof config->error,
                     "\"%.*s\" means nothing to ztile's filter; see ztile_h5.h",
                     (int)(stop - text < 80 ? stop - text : 80), text);
            return -1;
        }
        text = comma ? comma + 1 : stop;
    }
    if (bounds > 1) {
        snprintf(config->error, sizeof config->error,
                 "only one bound can be kept; give one of "
                 "abs, rel, pwrel, psnr, rate, precision, lossless, expert");
        return -1;
    }
    if ((config->kind == 2 || config->kind == 4) && !config->has_range) {
        snprintf(config->error, sizeof config->error,
                 "a filter sees one chunk at a time: give abs "
                 "instead of rel or psnr, or the whole array's range=LO:HI with it");
        return -1;
    }
    if (config->filter == ZTILE_H5_FILTER_ZFP &&
        (config->codec > 1 || config->kind == 2 || config->kind == 3 || config->kind == 4 ||
         config->flags || config->effort || config->ways)) {
        snprintf(config->error, sizeof config->error,
                 "format=zfp goes with rate, precision, abs, "
                 "lossless and expert only");
        return -1;
    }
    return 0;
}

static inline void ztile_h5_put_double(unsigned *words, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    words[0] = (unsigned)bits;
    words[1] = (unsigned)(bits >> 32);
}

static inline double ztile_h5_get_double(const unsigned *words)
{
    const uint64_t bits = words[0] | (uint64_t)words[1] << 32;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* The cd_values of a configuration, ZTILE_H5_ASKED_WORDS at most; returns how many. */
static inline size_t ztile_h5_words(const struct ztile_h5_config *c, unsigned *words)
{
    /* H5Z-ZFP's numbers of modes, by kind of bound */
    static const unsigned char modes[8] = {5, 3, 0, 0, 0, 1, 2, 4};
    memset(words, 0, ZTILE_H5_ASKED_WORDS * sizeof *words);
    if (c->filter == ZTILE_H5_FILTER_ZFP) {
        words[0] = modes[c->kind];
        if (c->kind == 7)
            memcpy(words + 2, c->expert, sizeof c->expert);
        else if (c->kind == 6)
            words[2] = (unsigned)c->value;
        else if (c->kind != 0)
            ztile_h5_put_double(words + 2, c->value);
        return c->kind == 7 ? 6 : c->kind == 6 ? 3 : c->kind == 0 ? 1 : 4;
    }
    words[0] = ZTILE_H5_TABLE;
    words[1] = c->codec | c->kind << 8 | c->flags << 16 | c->effort << 24;
    ztile_h5_put_double(words + 2, c->value);
    if (c->kind == 7)
        memcpy(words + 4, c->expert, sizeof c->expert);
    if (c->kind == 2 || c->kind == 4) {
        ztile_h5_put_double(words + 4, c->range[0]);
        ztile_h5_put_double(words + 6, c->range[1]);
    }
    words[8] = c->ways;
    return c->ways ? 9 : c->kind == 7 || c->kind == 2 || c->kind == 4 ? 8 : 4;
}

#if defined(H5_VERS_MAJOR)
/* Add the filter to a dataset creation property list, as one that must work (H5Z_FLAG_MANDATORY). A
 * negative number, and a sentence on HDF5's error stack, where that cannot be. */
static inline herr_t ztile_h5_set(hid_t dcpl, const char *config)
{
    struct ztile_h5_config c;
    unsigned words[ZTILE_H5_ASKED_WORDS];
    size_t count;
    if (ztile_h5_parse(config, &c) != 0) {
        H5Epush2(H5E_DEFAULT, __FILE__, "ztile_h5_set", __LINE__, H5E_ERR_CLS, H5E_ARGS,
                 H5E_BADVALUE, "%s", c.error);
        return -1;
    }
    count = ztile_h5_words(&c, words);
    return H5Pset_filter(dcpl, (H5Z_filter_t)c.filter, H5Z_FLAG_MANDATORY, count, words);
}
#endif

#endif
