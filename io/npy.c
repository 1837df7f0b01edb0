/* npy.c: NumPy's .npy files, as numpy.lib.format describes them.
 *
 * OFFSET  SIZE  DESCRIPTION
 *      0     6  "\x93NUMPY"
 *      6     2  version: major 1, 2 or 3; minor 0
 *      8   2|4  H, the length of the text; 2 bytes in version 1, 4 in the others
 *   10|12    H  text: a Python dictionary of 'descr', 'fortran_order' and 'shape', then spaces
 *               and a newline
 *             values
 *
 * With fortran_order the first axis is the fastest in the file. The logical shape is the same, so
 * a slab along axis 0 is a piece of every column; it is gathered through a window of the file. */
#include "format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_MAX_BYTES = 1 << 16, /* of the dictionary: numpy itself needs 118 */
    HEADER_ALIGN_BYTES = 64,
    WINDOW_BYTES = 1 << 22 /* of a Fortran-ordered file, at a time */
};

/* What the dictionary says. */
struct dictionary {
    char descr[64];
    bool is_fortran;
    uint32_t rank; /* may exceed what shape holds */
    uint64_t shape[ZT_MAX_RANK];
    bool has_descr, has_order, has_shape;
};

/* ---- the dictionary ------------------------------------------------------------------------ */

/* Text from p to end; each parse function moves p behind what it takes. */
struct text {
    const char *p;
    const char *end;
};

static void skip_space(struct text *t)
{
    while (t->p < t->end && (*t->p == ' ' || *t->p == '\t' || *t->p == '\n' || *t->p == '\r'))
        t->p++;
}

static bool take(struct text *t, char c)
{
    skip_space(t);
    if (t->p == t->end || *t->p != c)
        return false;
    t->p++;
    return true;
}

static bool take_word(struct text *t, const char *word)
{
    size_t n = strlen(word);
    skip_space(t);
    if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n) != 0)
        return false;
    t->p += n;
    return true;
}

/* A quoted string without escapes, cut to the size of out; what does not print becomes '?'. */
static bool take_string(struct text *t, char *out, size_t out_bytes)
{
    size_t n = 0;
    skip_space(t);
    if (t->p == t->end || (*t->p != '\'' && *t->p != '"'))
        return false;
    char quote = *t->p++;
    for (; t->p < t->end && *t->p != quote; t->p++)
        if (n + 1 < out_bytes)
            out[n++] = *t->p >= ' ' && *t->p <= '~' ? *t->p : '?';
    out[n] = 0;
    return take(t, quote);
}

/* Numbers of up to 63 bits; Python 2 wrote some with an L behind. */
static bool take_number(struct text *t, uint64_t *number)
{
    uint64_t n = 0;
    skip_space(t);
    if (t->p == t->end || *t->p < '0' || *t->p > '9')
        return false;
    for (; t->p < t->end && *t->p >= '0' && *t->p <= '9'; t->p++) {
        uint64_t digit = (uint64_t)(*t->p - '0');
        if (n > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        n = n * 10 + digit;
    }
    if (t->p < t->end && *t->p == 'L')
        t->p++;
    *number = n;
    return true;
}

static bool take_shape(struct text *t, struct dictionary *d)
{
    if (!take(t, '('))
        return false;
    for (d->rank = 0; !take(t, ')'); d->rank++) {
        uint64_t extent;
        if (!take_number(t, &extent))
            return false;
        if (d->rank < ZT_MAX_RANK)
            d->shape[d->rank] = extent;
        if (!take(t, ',')) {
            d->rank++;
            return d->rank > 1 && take(t, ')'); /* (5) is a number, (5,) a tuple */
        }
    }
    return true;
}

/* A type that is no string is a list of fields: keep how it begins. */
static bool take_descr(struct text *t, struct dictionary *d)
{
    if (take_string(t, d->descr, sizeof d->descr))
        return true;
    if (!take(t, '['))
        return false;
    snprintf(d->descr, sizeof d->descr, "with fields");
    uint32_t depth = 1;
    for (; t->p < t->end && depth > 0; t->p++)
        depth += *t->p == '[' ? 1u : *t->p == ']' ? UINT32_MAX : 0u;
    return depth == 0;
}

static bool take_entry(struct text *t, struct dictionary *d)
{
    char key[32];
    if (!take_string(t, key, sizeof key) || !take(t, ':'))
        return false;
    if (strcmp(key, "descr") == 0 && !d->has_descr)
        return d->has_descr = take_descr(t, d);
    if (strcmp(key, "shape") == 0 && !d->has_shape)
        return d->has_shape = take_shape(t, d);
    if (strcmp(key, "fortran_order") != 0 || d->has_order)
        return false;
    d->is_fortran = take_word(t, "True");
    return d->has_order = d->is_fortran || take_word(t, "False");
}

static bool parse_dictionary(const char *text, size_t n, struct dictionary *d)
{
    struct text t = {text, text + n};
    *d = (struct dictionary){0};
    if (!take(&t, '{'))
        return false;
    while (!take(&t, '}')) {
        if (!take_entry(&t, d))
            return false;
        if (!take(&t, ',')) {
            if (!take(&t, '}'))
                return false;
            break;
        }
    }
    skip_space(&t);
    return t.p == t.end && d->has_descr && d->has_order && d->has_shape;
}

/* ---- the header ---------------------------------------------------------------------------- */

static bool fail_short(const char *label, struct ztio_error *error)
{
    return ztio_fail(error, ZTIO_BAD_DATA, "%s ends within its .npy header: it was cut short",
                     label);
}

/* Read up to the first value. */
static bool read_header(struct ztio_source *source, const char *label, struct dictionary *d,
                        uint64_t *start, struct ztio_error *error)
{
    unsigned char head[12] = {0};
    size_t got;
    if (!ztio_source_next(source, head, 8, &got, label, error))
        return false;
    if (got < 6 || memcmp(head, "\x93NUMPY", 6) != 0)
        return ztio_fail(error, ZTIO_BAD_DATA,
                         "%s is no .npy file: it does not begin with \\x93NUMPY", label);
    if (got < 8)
        return fail_short(label, error);
    if (head[6] < 1 || head[6] > 3 || head[7] != 0)
        return ztio_fail(error, ZTIO_BAD_DATA,
                         "%s: .npy version %d.%d is not known here, only 1.0, 2.0 and 3.0", label,
                         head[6], head[7]);
    size_t length_bytes = head[6] == 1 ? 2 : 4;
    if (!ztio_source_next(source, head + 8, length_bytes, &got, label, error))
        return false;
    if (got < length_bytes)
        return fail_short(label, error);
    uint32_t n = (uint32_t)head[8] | (uint32_t)head[9] << 8 | (uint32_t)head[10] << 16 |
                 (uint32_t)head[11] << 24;
    if (n > TEXT_MAX_BYTES)
        return ztio_fail(error, ZTIO_BAD_DATA,
                         "%s: an .npy header of %" PRIu32 " bytes is not believed", label, n);
    char *text = malloc(n + 1);
    if (!text)
        return ztio_fail_memory(error, label);
    bool is_read = ztio_source_next(source, text, n, &got, label, error);
    if (is_read && got < n)
        is_read = fail_short(label, error);
    if (is_read && !parse_dictionary(text, n, d))
        is_read = ztio_fail(error, ZTIO_BAD_DATA,
                            "%s: the .npy header is damaged: it is no dictionary of descr, "
                            "fortran_order and shape",
                            label);
    free(text);
    *start = 8 + length_bytes + n;
    return is_read;
}

/* descr is a byte order, < > or =, and a type. */
static bool take_meta(const struct dictionary *d, const char *label, struct ztio_body *body,
                      struct ztio_error *error)
{
    struct ztio_meta *meta = &body->input.meta;
    const char *name = d->descr + (strchr("<>=", d->descr[0]) && d->descr[0] ? 1 : 0);
    meta->type = strcmp(name, "f4") == 0   ? ZT_F32
                 : strcmp(name, "f8") == 0 ? ZT_F64
                 : strcmp(name, "i4") == 0 ? ZT_I32
                 : strcmp(name, "i8") == 0 ? ZT_I64
                                           : 0u;
    if (!meta->type)
        return ztio_fail(error, ZTIO_BAD_DATA,
                         "%s: dtype %s is not one ztile compresses: f4 f8 i4 i8", label, d->descr);
    if (d->rank < 1 || d->rank > ZT_MAX_RANK)
        return ztio_fail(error, ZTIO_BAD_DATA,
                         "%s: an array of rank %" PRIu32 " is not one ztile compresses: 1 to 4",
                         label, d->rank);
    bool is_big = d->descr[0] == '>' || (d->descr[0] != '<' && ztio_is_big_endian());
    body->is_swapped = is_big != ztio_is_big_endian();
    meta->format = ZTIO_NPY;
    meta->rank = d->rank;
    memcpy(meta->shape, d->shape, sizeof meta->shape);
    return ztio_check_shape(meta, label, &body->input.slice_bytes, error);
}

/* ---- Fortran order ------------------------------------------------------------------------- */

/* Columns [column, column + columns) of a Fortran-ordered array, of which rows [row, row + rows)
 * of the slab are wanted. Column c of axes 1, 2, 3 has its axis-1 index running fastest. */
struct window {
    uint64_t column, columns;
    uint64_t row, rows;
    size_t pitch_bytes; /* from a column's first wanted value to the next one's */
};

/* Put a window's values into the slab, a few rows at a time: neighbouring columns are often
 * neighbours in the slab, so its cache lines are filled while they are at hand. */
static inline void scatter(const struct ztio_meta *meta, const struct window *w,
                           const unsigned char *from, unsigned char *slab, size_t value_bytes)
{
    enum { ROWS = 16 };
    uint64_t n[ZT_MAX_RANK] = {1, 1, 1, 1};
    for (uint32_t i = 1; i < meta->rank; i++)
        n[i] = meta->shape[i];
    size_t slice = (size_t)(n[1] * n[2] * n[3]) * value_bytes;
    for (uint64_t row = 0; row < w->rows; row += ROWS) {
        uint64_t rows = w->rows - row < ROWS ? w->rows - row : ROWS;
        uint64_t i1 = w->column % n[1], i2 = w->column / n[1] % n[2], i3 = w->column / n[1] / n[2];
        for (uint64_t c = 0; c < w->columns; c++) {
            const unsigned char *in = from + c * w->pitch_bytes + row * value_bytes;
            unsigned char *out =
                slab + (w->row + row) * slice + ((i1 * n[2] + i2) * n[3] + i3) * value_bytes;
            for (uint64_t r = 0; r < rows; r++)
                memcpy(out + r * slice, in + r * value_bytes, value_bytes);
            if (++i1 == n[1]) {
                i1 = 0;
                if (++i2 == n[2]) {
                    i2 = 0;
                    i3++;
                }
            }
        }
    }
}

/* Read one window and put it into its place. */
static bool gather_window(struct ztio_body *body, uint64_t first, const struct window *w,
                          unsigned char *memory, unsigned char *slab, struct ztio_error *error)
{
    const struct ztio_meta *meta = &body->input.meta;
    size_t value_bytes = zt_type_bytes(meta->type);
    uint64_t at = body->start + (w->column * meta->shape[0] + first + w->row) * value_bytes;
    size_t bytes = (size_t)((w->columns - 1) * w->pitch_bytes + w->rows * value_bytes);
    if (!ztio_source_at(&body->source, at, memory, bytes, body->input.label, error))
        return false;
    if (value_bytes == 4)
        scatter(meta, w, memory, slab, 4);
    else
        scatter(meta, w, memory, slab, 8);
    return true;
}

static bool read_fortran(struct ztio_input *input, uint64_t first, uint64_t extent, void *buffer,
                         uint64_t *got, struct ztio_error *error)
{
    struct ztio_body *body = (struct ztio_body *)input;
    size_t value_bytes = zt_type_bytes(input->meta.type);
    uint64_t pitch = input->meta.shape[0] * value_bytes;
    uint64_t columns = input->slice_bytes / value_bytes;
    /* Whole columns in one read, wanted or not, as long as half of it is wanted or the columns
     * are no larger than what a disk reads anyway; otherwise column by column. */
    bool is_dense = pitch <= WINDOW_BYTES &&
                    (extent * value_bytes >= pitch / 2 || pitch <= (UINT64_C(1) << 14));
    uint64_t columns_max = is_dense ? WINDOW_BYTES / pitch : 1;
    uint64_t rows_max = is_dense ? extent : WINDOW_BYTES / value_bytes;
    unsigned char *memory = malloc(WINDOW_BYTES);
    bool is_read = memory != NULL;
    if (!memory)
        return ztio_fail_memory(error, input->label);
    struct window w = {.pitch_bytes = is_dense ? (size_t)pitch : 0};
    for (w.column = 0; is_read && w.column < columns; w.column += w.columns) {
        w.columns = columns - w.column < columns_max ? columns - w.column : columns_max;
        for (w.row = 0; is_read && w.row < extent; w.row += w.rows) {
            w.rows = extent - w.row < rows_max ? extent - w.row : rows_max;
            is_read = gather_window(body, first, &w, memory, buffer, error);
        }
    }
    free(memory);
    if (is_read && body->is_swapped)
        ztio_swap(buffer, extent * columns, value_bytes);
    *got = extent;
    return is_read;
}

/* ---- reading ------------------------------------------------------------------------------- */

static const struct ztio_reader c_reader = {ztio_body_read, ztio_body_close, true};
static const struct ztio_reader fortran_reader = {read_fortran, ztio_body_close, false};

struct ztio_input *ztio_open_npy(struct ztio_place *place, struct ztio_source *source,
                                 const struct ztio_meta *hints, struct ztio_error *error)
{
    struct dictionary d;
    struct ztio_body *body = calloc(1, sizeof *body);
    if (!body) {
        ztio_fail_memory(error, place->label);
        return NULL;
    }
    if (!read_header(source, place->label, &d, &body->start, error) ||
        !take_meta(&d, place->label, body, error) ||
        !ztio_check_hints(&body->input.meta, hints, place->label, error))
        goto failed;
    /* with one axis there is but one order */
    bool is_fortran = d.is_fortran && d.rank > 1;
    if (is_fortran && !source->is_regular) {
        /* the first slab needs bytes from everywhere */
        if (!ztio_source_spool(source, place->label, error))
            goto failed;
        body->start = 0;
    }
    body->source = *source;
    if (!ztio_body_check_size(body, place->label, error))
        goto failed;
    body->input.reader = is_fortran ? &fortran_reader : &c_reader;
    body->input.is_seekable = source->is_regular;
    body->input.label = place->label;
    place->label = NULL;
    source->fd = -1;
    return &body->input;
failed:
    free(body);
    return NULL;
}

/* ---- writing ------------------------------------------------------------------------------- */

struct npy_output {
    struct ztio_output output;
    size_t header_bytes;
};

/* The header for an array of so many slices into text, padded with spaces to bytes; with bytes 0
 * the length that is needed, a multiple of HEADER_ALIGN_BYTES. */
static size_t make_header(const struct ztio_meta *meta, uint64_t slices, char *text, size_t bytes)
{
    static const unsigned char magic[8] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    char dictionary[256]; /* 70 bytes and 4 extents of up to 20 digits */
    const char *type = meta->type == ZT_F32   ? "f4"
                       : meta->type == ZT_F64 ? "f8"
                       : meta->type == ZT_I32 ? "i4"
                                              : "i8";
    int n =
        snprintf(dictionary, sizeof dictionary,
                 "{'descr': '<%s', 'fortran_order': False, 'shape': (%" PRIu64 ",", type, slices);
    for (uint32_t i = 1; i < meta->rank; i++)
        n += snprintf(dictionary + n, sizeof dictionary - (size_t)n, " %" PRIu64 "%s",
                      meta->shape[i], i + 1 < meta->rank ? "," : "");
    n += snprintf(dictionary + n, sizeof dictionary - (size_t)n, "), }");
    size_t used = sizeof magic + 2 + (size_t)n + 1;
    if (bytes == 0)
        return (used + HEADER_ALIGN_BYTES - 1) / HEADER_ALIGN_BYTES * HEADER_ALIGN_BYTES;
    memset(text, ' ', bytes);
    memcpy(text, magic, sizeof magic);
    text[8] = (char)((bytes - 10) & 0xff);
    text[9] = (char)((bytes - 10) >> 8);
    memcpy(text + 10, dictionary, (size_t)n);
    text[bytes - 1] = '\n';
    return bytes;
}

static bool finish_npy(struct ztio_output *output, struct ztio_error *error)
{
    const struct npy_output *npy = (const struct npy_output *)output;
    char text[512];
    if (output->meta.shape[0] != ZT_UNKNOWN)
        return true;
    make_header(&output->meta, output->written, text, npy->header_bytes);
    return ztio_bytes_patch(output->bytes, 0, text, npy->header_bytes, error);
}

static const struct ztio_writer npy_writer = {ztio_plain_write, finish_npy, ztio_plain_drop};

struct ztio_output *ztio_start_npy(struct ztio_bytes *bytes, const struct ztio_meta *meta,
                                   struct ztio_error *error)
{
    char text[512];
    bool is_open = meta->shape[0] == ZT_UNKNOWN;
    if (is_open && !ztio_bytes_is_file(bytes)) {
        ztio_fail(error, ZTIO_BAD_USE,
                  "%s: an .npy header comes first and holds the shape, which is not known yet: "
                  "write to a file",
                  ztio_bytes_label(bytes));
        return NULL;
    }
    struct npy_output *npy = calloc(1, sizeof *npy);
    if (!npy) {
        ztio_fail_memory(error, ztio_bytes_label(bytes));
        return NULL;
    }
    npy->output = (struct ztio_output){.writer = &npy_writer, .meta = *meta, .bytes = bytes};
    /* an extent that is not known yet has room for any */
    npy->header_bytes = make_header(meta, meta->shape[0], NULL, 0);
    make_header(meta, is_open ? 0 : meta->shape[0], text, npy->header_bytes);
    if (ztio_bytes_write(bytes, text, npy->header_bytes, error))
        return &npy->output;
    free(npy);
    return NULL;
}
