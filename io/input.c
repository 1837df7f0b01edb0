/* input.c: opening an array of whatever format, and the checks that all formats share. */
#include "format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NPY_MAGIC  "\x93NUMPY"
#define HDF5_MAGIC "\x89HDF\r\n\x1a\n"

/* What the first bytes tell, raw where they tell nothing. */
static enum ztio_format format_of_head(const struct ztio_source *source)
{
    const unsigned char *head = source->head;
    if (source->head_bytes >= 6 && memcmp(head, NPY_MAGIC, 6) == 0)
        return ZTIO_NPY;
    if (source->head_bytes >= 8 && memcmp(head, HDF5_MAGIC, 8) == 0)
        return ZTIO_HDF5;
    /* classic, 64-bit offset, 64-bit data */
    if (source->head_bytes >= 4 && memcmp(head, "CDF", 3) == 0 &&
        (head[3] == 1 || head[3] == 2 || head[3] == 5))
        return ZTIO_NETCDF;
    return ZTIO_RAW;
}

static enum ztio_format format_of(const struct ztio_place *place, const struct ztio_source *source,
                                  const struct ztio_meta *hints)
{
    enum ztio_format format = hints ? hints->format : ZTIO_AUTO;
    if (format == ZTIO_AUTO)
        format = ztio_format_of_suffix(place->path);
    return format == ZTIO_AUTO ? format_of_head(source) : format;
}

static const char *name_of_format(enum ztio_format format)
{
    return format == ZTIO_NETCDF ? "netCDF" : format == ZTIO_HDF5 ? "HDF5" : "raw or .npy";
}

/* Plain formats have no variables; the others are no streams of bytes. */
static bool check_kind(const struct ztio_place *place, const struct ztio_source *source,
                       enum ztio_format format, struct ztio_error *error)
{
    bool has_variables = format == ZTIO_NETCDF || format == ZTIO_HDF5;
    if (has_variables && (!source->is_regular || strcmp(place->path, "-") == 0))
        return ztio_fail(error, ZTIO_BAD_USE, "%s: %s cannot be read from a pipe; name a file",
                         place->label, name_of_format(format));
    if (!has_variables && place->variable[0])
        return ztio_fail(error, ZTIO_BAD_USE, "%s is a %s file and has no variables; leave out :%s",
                         place->path, name_of_format(format), place->variable);
    return true;
}

struct ztio_input *ztio_open(const char *place_text, const struct ztio_meta *hints,
                             struct ztio_error *error)
{
    struct ztio_place place = {0};
    struct ztio_source source = {.fd = -1};
    struct ztio_input *input = NULL;
    if (!ztio_place_of_input(place_text, &place, error))
        return NULL;
    if (!ztio_source_open(place.path, place.label, &source, error))
        goto done;
    enum ztio_format format = format_of(&place, &source, hints);
    if (!check_kind(&place, &source, format, error))
        goto done;
    switch (format) {
    case ZTIO_NPY: input = ztio_open_npy(&place, &source, hints, error); break;
    case ZTIO_NETCDF: input = ztio_open_netcdf(&place, hints, error); break;
    case ZTIO_HDF5: input = ztio_open_hdf5(&place, hints, error); break;
    case ZTIO_AUTO:
    case ZTIO_RAW: input = ztio_open_raw(&place, &source, hints, error); break;
    }
done:
    ztio_source_close(&source);
    ztio_place_free(&place);
    return input;
}

const struct ztio_meta *ztio_meta_of(const struct ztio_input *input)
{
    return &input->meta;
}

bool ztio_is_seekable(const struct ztio_input *input)
{
    return input->is_seekable;
}

bool ztio_read(struct ztio_input *input, uint64_t first, uint64_t extent, void *buffer,
               uint64_t *got, struct ztio_error *error)
{
    uint64_t slices = input->meta.shape[0];
    *got = 0;
    if (slices != ZT_UNKNOWN && (first > slices || extent > slices - first))
        return ztio_fail(error, ZTIO_BAD_USE,
                         "%s has %" PRIu64 " slices; %" PRIu64 " from %" PRIu64
                         " on are not among them",
                         input->label, slices, extent, first);
    if (!input->is_seekable && first != input->next)
        return ztio_fail(error, ZTIO_BAD_USE,
                         "%s is a pipe and at slice %" PRIu64 "; slice %" PRIu64
                         " cannot be read: use a file",
                         input->label, input->next, first);
    if (extent > SIZE_MAX / input->slice_bytes)
        return ztio_fail(error, ZTIO_LACKING, "%s: a slab of %" PRIu64 " slices exceeds memory",
                         input->label, extent);
    if (extent == 0)
        return true;
    if (!input->reader->read(input, first, extent, buffer, got, error))
        return false;
    input->next = first + *got;
    return true;
}

void ztio_close(struct ztio_input *input)
{
    if (input)
        input->reader->close(input);
}

/* ---- places -------------------------------------------------------------------------------- */

void ztio_places_free(char **places, size_t count)
{
    for (size_t i = 0; places && i < count; i++)
        free(places[i]);
    free(places);
}

static bool place_alone(const char *path, char ***places, size_t *count, struct ztio_error *error)
{
    char **list = malloc(sizeof *list);
    char *copy = strdup(path);
    if (!list || !copy) {
        free(list);
        free(copy);
        return ztio_fail_memory(error, path);
    }
    list[0] = copy;
    *places = list;
    *count = 1;
    return true;
}

/* The format of a path, without a look into a pipe, whose bytes would be lost. */
static bool format_of_path(const struct ztio_place *place, enum ztio_format *format,
                           struct ztio_error *error)
{
    struct ztio_source source;
    struct stat is;
    *format = ztio_format_of_suffix(place->path);
    if (*format == ZTIO_RAW || *format == ZTIO_NPY)
        return true;
    if (stat(place->path, &is) == 0 && !S_ISREG(is.st_mode) && !S_ISDIR(is.st_mode))
        return true;
    if (!ztio_source_open(place->path, place->label, &source, error))
        return false;
    if (*format == ZTIO_AUTO)
        *format = format_of_head(&source);
    ztio_source_close(&source);
    return true;
}

bool ztio_places(const char *path, char ***places, size_t *count, struct ztio_error *error)
{
    struct ztio_place place = {0};
    struct ztio_candidates all = {0};
    enum ztio_format format = ZTIO_RAW;
    bool is_done = false;
    if (!ztio_place_of_input(path, &place, error))
        return false;
    bool is_alone = strcmp(path, "-") == 0 || place.variable[0];
    if (!is_alone && !format_of_path(&place, &format, error))
        goto done;
    if (format == ZTIO_NETCDF)
        is_done = ztio_places_of_netcdf(place.path, &all, error);
    else if (format == ZTIO_HDF5)
        is_done = ztio_places_of_hdf5(place.path, &all, error);
    else
        is_done = place_alone(path, places, count, error);
    if (is_done && (format == ZTIO_NETCDF || format == ZTIO_HDF5))
        is_done = ztio_candidates_places(&all, place.path, places, count, error);
done:
    ztio_candidates_free(&all);
    ztio_place_free(&place);
    return is_done;
}
