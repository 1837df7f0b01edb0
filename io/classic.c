/* classic.c: is a classic netCDF file whole? libnetcdf (4.9) reads what is cut off as zeros, and
 * trusts the counts in the header; so the header is gone through first.
 *
 * The header, big-endian, as the NetCDF User's Guide lays it down (Appendix B); N is 4 bytes, 8 in
 * version 5; names, attribute values and records are padded to multiples of 4 bytes:
 *
 *   "CDF" version(1|2|5)  records(N)  dimensions  attributes  variables
 *   each list   tag(4) count(N), then its elements
 *   dimension   name-length(N) name  length(N), 0 for the record dimension
 *   attribute   name-length(N) name  type(4) count(N) values
 *   variable    name-length(N) name  rank(N) dimension-numbers(N each)  attributes
 *               type(4)  size(N)  offset of the first value(4 in version 1, else 8) */
#include "format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The header as it is read; once a length does not fit, everything reads as 0. */
struct header {
    struct ztio_source source;
    const char *path;
    unsigned version;
    uint64_t dims;
    uint64_t *dim; /* lengths */
    bool is_damaged;
};

/* Where the values end: fixed ones, and those of one record. */
struct extent {
    uint64_t fixed_end;
    uint64_t record_end;
    uint64_t record_bytes; /* padded; with only one variable there is no padding */
    uint64_t one_record_bytes;
    uint64_t record_variables;
};

/* UINT64_MAX where the result does not fit. */
static uint64_t add_checked(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t multiply_checked(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t pad_to_words(uint64_t n)
{
    return add_checked(n, 3) & ~UINT64_C(3);
}

static uint64_t get(struct header *h, size_t bytes)
{
    unsigned char b[8] = {0};
    size_t got = 0;
    uint64_t v = 0;
    if (h->is_damaged || !ztio_source_next(&h->source, b, bytes, &got, h->path, NULL) ||
        got < bytes) {
        h->is_damaged = true;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++)
        v = v << 8 | b[i];
    return v;
}

static uint64_t get_count(struct header *h)
{
    return get(h, h->version == 5 ? 8 : 4);
}

static void skip(struct header *h, uint64_t bytes)
{
    if (h->is_damaged || bytes > h->source.bytes - h->source.at)
        h->is_damaged = true;
    else
        h->source.at += bytes;
}

static void skip_name(struct header *h)
{
    skip(h, pad_to_words(get_count(h)));
}

/* The count of a list whose elements take at least element_bytes each. */
static uint64_t get_list(struct header *h, uint64_t tag, uint64_t element_bytes)
{
    uint64_t found = get(h, 4), n = get_count(h);
    uint64_t left = h->source.bytes - h->source.at;
    if ((found != tag && (found || n)) || n > left / element_bytes)
        h->is_damaged = true;
    return h->is_damaged ? 0 : n;
}

static uint64_t get_value_bytes(struct header *h)
{
    static const uint8_t bytes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    uint64_t type = get(h, 4);
    if (type < 1 || type >= sizeof bytes)
        h->is_damaged = true;
    return h->is_damaged ? 0 : bytes[type];
}

static void skip_attributes(struct header *h)
{
    for (uint64_t n = get_list(h, 12, 12); n > 0 && !h->is_damaged; n--) {
        skip_name(h);
        uint64_t value_bytes = get_value_bytes(h);
        skip(h, pad_to_words(multiply_checked(get_count(h), value_bytes)));
    }
}

static bool get_dimensions(struct header *h)
{
    h->dims = get_list(h, 10, 8);
    h->dim = malloc((size_t)(h->dims + 1) * sizeof *h->dim);
    for (uint64_t i = 0; h->dim && i < h->dims; i++) {
        skip_name(h);
        h->dim[i] = get_count(h);
    }
    return h->dim != NULL;
}

static void get_variable(struct header *h, struct extent *e)
{
    skip_name(h);
    uint64_t rank = get_count(h), values = 1;
    bool is_record = false;
    for (uint64_t i = 0; i < rank && !h->is_damaged; i++) {
        uint64_t d = get_count(h);
        if (d >= h->dims) {
            h->is_damaged = true;
            return;
        }
        if (i == 0 && h->dim[d] == 0)
            is_record = true;
        else
            values = multiply_checked(values, h->dim[d]);
    }
    skip_attributes(h);
    uint64_t bytes = multiply_checked(values, get_value_bytes(h));
    (void)get_count(h); /* the size once more, which has no room for large ones */
    uint64_t end = add_checked(get(h, h->version == 1 ? 4 : 8), bytes);
    if (is_record) {
        e->record_variables++;
        e->record_end = end > e->record_end ? end : e->record_end;
        e->record_bytes = add_checked(e->record_bytes, pad_to_words(bytes));
        e->one_record_bytes = bytes;
    } else if (end > e->fixed_end) {
        e->fixed_end = end;
    }
}

/* The byte after the last value. */
static uint64_t get_end(struct header *h)
{
    struct extent e = {0};
    skip(h, 4);
    uint64_t records = get_count(h);
    if (!get_dimensions(h))
        return 0;
    skip_attributes(h);
    for (uint64_t n = get_list(h, 11, 28); n > 0 && !h->is_damaged; n--)
        get_variable(h, &e);
    /* all bits set: written as a stream, the number of records was never filled in */
    bool is_counted = records != (h->version == 5 ? UINT64_MAX : UINT32_MAX);
    uint64_t end = e.fixed_end;
    if (e.record_variables && records && is_counted) {
        uint64_t bytes = e.record_variables == 1 ? e.one_record_bytes : e.record_bytes;
        uint64_t record_end = add_checked(e.record_end, multiply_checked(records - 1, bytes));
        end = record_end > end ? record_end : end;
    }
    return end;
}

bool ztio_check_classic(const char *path, struct ztio_error *error)
{
    struct header h = {.path = path};
    bool is_whole = true;
    if (!ztio_source_open(path, path, &h.source, error))
        return false;
    h.version = h.source.head_bytes >= 4 ? h.source.head[3] : 0;
    if (h.source.is_regular && memcmp(h.source.head, "CDF", 3) == 0 &&
        (h.version == 1 || h.version == 2 || h.version == 5)) {
        uint64_t end = get_end(&h);
        if (!h.dim)
            is_whole = ztio_fail_memory(error, path);
        else if (h.is_damaged)
            is_whole = ztio_fail(error, ZTIO_BAD_DATA,
                                 "%s cannot be read as netCDF: its header is damaged", path);
        else if (end > h.source.bytes)
            is_whole = ztio_fail(error, ZTIO_BAD_DATA,
                                 "%s was cut short: its variables reach to byte %" PRIu64
                                 ", the file has %" PRIu64,
                                 path, end, h.source.bytes);
    }
    free(h.dim);
    ztio_source_close(&h.source);
    return is_whole;
}
