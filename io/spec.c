/* spec.c: what users write: types, shapes, places, names that say what is in a raw file; and the
 * sentences that answer them. */
#include "format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

bool ztio_fail(struct ztio_error *error, int exit_status, const char *format, ...)
{
    if (error) {
        va_list args;
        error->exit_status = exit_status;
        va_start(args, format);
        (void)vsnprintf(error->sentence, sizeof error->sentence, format, args);
        va_end(args);
    }
    return false;
}

static void (*warn_by)(struct ztio_error *warning);

void ztio_on_warning(void (*warn)(struct ztio_error *warning))
{
    warn_by = warn;
}

void ztio_warn(const char *format, ...)
{
    struct ztio_error warning = {0, "warning: "};
    const size_t used = strlen(warning.sentence);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(warning.sentence + used, sizeof warning.sentence - used, format, args);
    va_end(args);
    if (warn_by)
        warn_by(&warning);
}

bool ztio_fail_memory(struct ztio_error *error, const char *label)
{
    return ztio_fail(error, ZTIO_LACKING, "%s: out of memory", label);
}

const char *ztio_remedy(int why)
{
    switch (why) {
    case ENOSPC:
    case EDQUOT: return "; free some space";
    case EFBIG: return "; raise the limit of a file's size (ulimit -f)";
    case EACCES:
    case EPERM:
    case EROFS: return "; check the permissions";
    case EBADF: return "; it is closed, direct it elsewhere";
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
    case ENAMETOOLONG: return "; check the name";
    default: return "; check the device";
    }
}

void ztio_copy_text(char *field, size_t field_bytes, const char *text)
{
    size_t n = strlen(text);
    if (n >= field_bytes) {
        n = field_bytes - 1;
        /* 10xxxxxx is a byte inside a character: do not cut before it */
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
    }
    memcpy(field, text, n);
    field[n] = 0;
}

/* ---- types and shapes ---------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint32_t type;
} types[] = {{"f32", ZT_F32}, {"f64", ZT_F64}, {"i32", ZT_I32}, {"i64", ZT_I64}};

enum { TYPES = sizeof types / sizeof *types };

uint32_t ztio_type_of_name(const char *name)
{
    for (size_t i = 0; i < TYPES; i++)
        if (strcmp(name, types[i].name) == 0)
            return types[i].type;
    return 0;
}

const char *ztio_name_of_type(uint32_t type)
{
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].type == type)
            return types[i].name;
    return "?";
}

/* Read an extent of at least 1 and at most INT64_MAX; *text moves behind it. */
static bool parse_extent(const char **text, uint64_t *extent)
{
    const char *p = *text;
    uint64_t n = 0;
    if (*p < '0' || *p > '9')
        return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (n > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        n = n * 10 + digit;
    }
    *text = p;
    *extent = n;
    return n > 0;
}

bool ztio_parse_shape(const char *text, uint32_t *rank, uint64_t *shape)
{
    uint64_t found[ZT_MAX_RANK];
    uint32_t n = 0;
    for (;; text++) {
        if (n == ZT_MAX_RANK)
            return false;
        if (n == 0 && *text == '?') {
            found[0] = ZT_UNKNOWN;
            text++;
        } else if (!parse_extent(&text, &found[n])) {
            return false;
        }
        n++;
        if (*text != 'x')
            break;
    }
    if (*text)
        return false;
    *rank = n;
    for (uint32_t i = 0; i < n; i++)
        shape[i] = found[i];
    return true;
}

char *ztio_format_shape(uint32_t rank, const uint64_t *shape, char *text)
{
    size_t n = 0; /* 4 extents of at most 20 digits and 3 'x' are 83 bytes */
    text[0] = 0;
    for (uint32_t i = 0; i < rank && i < ZT_MAX_RANK; i++) {
        if (i)
            text[n++] = 'x';
        if (shape[i] == ZT_UNKNOWN)
            n += (size_t)sprintf(text + n, "?");
        else
            n += (size_t)sprintf(text + n, "%" PRIu64, shape[i]);
    }
    return text;
}

bool ztio_check_shape(const struct ztio_meta *meta, const char *label, uint64_t *slice_bytes,
                      struct ztio_error *error)
{
    char shape[96];
    uint64_t bytes = zt_type_bytes(meta->type);
    if (bytes == 0 || meta->rank < 1 || meta->rank > ZT_MAX_RANK)
        return ztio_fail(error, ZTIO_BAD_USE,
                         "%s: an array has 1 to 4 axes of type f32, f64, i32 or i64", label);
    for (uint32_t i = meta->rank; i-- > 0;) {
        uint64_t extent = meta->shape[i];
        if (extent == 0)
            return ztio_fail(error, ZTIO_BAD_DATA,
                             "%s: there are no values in it: its shape is %s (slowest first)",
                             label, ztio_format_shape(meta->rank, meta->shape, shape));
        if (i == 0) {
            *slice_bytes = bytes;
            if (extent == ZT_UNKNOWN)
                return true;
        }
        if (extent > (uint64_t)INT64_MAX / bytes)
            return ztio_fail(error, ZTIO_BAD_DATA,
                             "%s: an array of %s values (slowest first) is larger than any file",
                             label, ztio_format_shape(meta->rank, meta->shape, shape));
        bytes *= extent;
    }
    return true;
}

bool ztio_check_hints(const struct ztio_meta *meta, const struct ztio_meta *hints,
                      const char *label, struct ztio_error *error)
{
    char there[96], asked[96];
    if (!hints)
        return true;
    if (hints->type && hints->type != meta->type)
        return ztio_fail(error, ZTIO_BAD_USE, "%s holds %s, not %s; leave out -t", label,
                         ztio_name_of_type(meta->type), ztio_name_of_type(hints->type));
    bool is_same = hints->rank == 0 || hints->rank == meta->rank;
    for (uint32_t i = 0; is_same && i < hints->rank; i++)
        is_same = hints->shape[i] == meta->shape[i] || hints->shape[i] == ZT_UNKNOWN;
    if (!is_same)
        return ztio_fail(error, ZTIO_BAD_USE,
                         "%s has the shape %s (slowest first), not %s; leave out -s", label,
                         ztio_format_shape(meta->rank, meta->shape, there),
                         ztio_format_shape(hints->rank, hints->shape, asked));
    return true;
}

/* ---- names --------------------------------------------------------------------------------- */

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

enum ztio_format ztio_format_of_suffix(const char *path)
{
    static const struct {
        const char *suffix;
        enum ztio_format format;
    } known[] = {{".npy", ZTIO_NPY},    {".nc", ZTIO_NETCDF}, {".nc4", ZTIO_NETCDF},
                 {".cdf", ZTIO_NETCDF}, {".h5", ZTIO_HDF5},   {".hdf5", ZTIO_HDF5},
                 {".he5", ZTIO_HDF5},   {".f32", ZTIO_RAW},   {".f64", ZTIO_RAW},
                 {".i32", ZTIO_RAW},    {".i64", ZTIO_RAW}};
    const char *dot = strrchr(last_component(path), '.');
    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
        if (strcasecmp(dot, known[i].suffix) == 0)
            return known[i].format;
    return ZTIO_AUTO;
}

void ztio_meta_of_name(const char *path, struct ztio_meta *meta)
{
    const char *name = last_component(path);
    const char *dot = strrchr(name, '.');
    if (!dot)
        return;
    uint32_t type = ztio_type_of_name(dot + 1);
    if (!type)
        return;
    meta->type = type;

    char stem[96]; /* more than any shape */
    const char *from = dot;
    while (from > name && from[-1] != '_')
        from--;
    size_t n = (size_t)(dot - from);
    if (from == name || n >= sizeof stem)
        return;
    memcpy(stem, from, n);
    stem[n] = 0;
    uint32_t rank;
    uint64_t shape[ZT_MAX_RANK];
    if (stem[0] != '?' && ztio_parse_shape(stem, &rank, shape)) {
        meta->rank = rank;
        memcpy(meta->shape, shape, rank * sizeof *shape);
    }
}

/* ---- places -------------------------------------------------------------------------------- */

void ztio_place_free(struct ztio_place *place)
{
    free(place->path);
    free(place->variable);
    free(place->label);
    *place = (struct ztio_place){0};
}

/* The first path_bytes of text are the path; the variable follows one byte later. */
static bool make_place(const char *text, size_t path_bytes, const char *label,
                       struct ztio_place *place, struct ztio_error *error)
{
    place->path = strndup(text, path_bytes);
    place->variable = strdup(text[path_bytes] ? text + path_bytes + 1 : "");
    place->label = strdup(label);
    if (place->path && place->variable && place->label)
        return true;
    ztio_place_free(place);
    return ztio_fail_memory(error, label);
}

/* Bytes of text before a ':' that follows a netCDF or HDF5 suffix; all where there is none. */
static size_t end_of_suffix(const char *text, char *scratch)
{
    for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        size_t n = (size_t)(colon - text);
        memcpy(scratch, text, n);
        scratch[n] = 0;
        enum ztio_format format = ztio_format_of_suffix(scratch);
        if (format == ZTIO_NETCDF || format == ZTIO_HDF5)
            return n;
    }
    return strlen(text);
}

/* Bytes of text before the ':' that ends the name of a file that exists; 0 where there is none. */
static size_t end_of_file_name(const char *text, char *scratch)
{
    struct stat is;
    for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        size_t n = (size_t)(colon - text);
        memcpy(scratch, text, n);
        scratch[n] = 0;
        if (n > 0 && stat(scratch, &is) == 0 && !S_ISDIR(is.st_mode))
            return n;
    }
    return 0;
}

bool ztio_place_of_input(const char *text, struct ztio_place *place, struct ztio_error *error)
{
    struct stat is;
    if (strcmp(text, "-") == 0)
        return make_place(text, 1, "standard input", place, error);
    if (!strchr(text, ':') || lstat(text, &is) == 0)
        return make_place(text, strlen(text), text, place, error);
    char *scratch = strdup(text);
    if (!scratch)
        return ztio_fail_memory(error, text);
    size_t n = end_of_file_name(text, scratch);
    if (n == 0) /* no file: let the sentence name the one that was probably meant */
        n = end_of_suffix(text, scratch);
    free(scratch);
    return make_place(text, n, text, place, error);
}

bool ztio_place_of_output(const char *text, struct ztio_place *place, struct ztio_error *error)
{
    if (strcmp(text, "-") == 0)
        return make_place(text, 1, "standard output", place, error);
    char *scratch = strdup(text);
    if (!scratch)
        return ztio_fail_memory(error, text);
    size_t n = end_of_suffix(text, scratch);
    free(scratch);
    return make_place(text, n, text, place, error);
}
