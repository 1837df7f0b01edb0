/* hdf5_filters.c: ztile's filters in the command. HDF5 needs no plug-in for them, and a dataset's
 * pipeline is looked at before its values are read: a filter sees neither what stands before it nor
 * how large the dataset's chunks are. */
#include "whole/whole.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 64, NAME_BYTES = 128, PATH_BYTES = 8192 };

static const H5Z_class2_t *class_of(size_t i)
{
    return ztio_added_filters()[i].class;
}

/* Done when HDF5 is first needed. */
void ztio_register_filters(void)
{
    for (size_t i = 0; i < ZTIO_FILTERS && class_of(i); i++)
        (void)H5Zregister(class_of(i));
}

ztio_filter_run *ztio_run_of_filter(H5Z_filter_t filter)
{
    for (size_t i = 0; i < ZTIO_FILTERS && class_of(i); i++)
        if (class_of(i)->id == filter)
            return ztio_added_filters()[i].run;
    return NULL;
}

/* A dataset as its chunks are. */
struct chunks {
    const char *label;
    hid_t properties;
    uint64_t bytes; /* of one, without filters */
    struct ztio_error *error;
};

static bool open_chunks(hid_t dataset, struct chunks *c)
{
    hsize_t extents[H5S_MAX_RANK];
    hid_t type = H5Dget_type(dataset);
    const int rank = H5Pget_chunk(c->properties, H5S_MAX_RANK, extents);
    c->bytes = H5Tget_size(type);
    for (int i = 0; i < rank; i++)
        c->bytes = extents[i] > UINT64_MAX / c->bytes ? UINT64_MAX : c->bytes * extents[i];
    (void)H5Tclose(type);
    return rank > 0 && c->bytes > 0;
}

/* Filter 'at' of the pipeline, if it is one of ours, against the chunks and what stands before. */
static bool check_one(const struct chunks *c, unsigned at)
{
    unsigned flags, config, words[WORDS];
    char name[NAME_BYTES] = "";
    size_t count = WORDS, none = 0, i = 0;
    uint64_t bytes;
    bool is_lossless;
    const H5Z_filter_t id =
        H5Pget_filter2(c->properties, at, &flags, &count, words, 0, NULL, &config);
    while (i < ZTIO_FILTERS && (!class_of(i) || class_of(i)->id != id))
        i++;
    /* what is not understood is refused by the filter itself */
    if (i == ZTIO_FILTERS ||
        !ztio_added_filters()[i].stored(count < WORDS ? count : WORDS, words, &bytes, &is_lossless))
        return true;
    if (bytes != c->bytes)
        return ztio_fail(c->error, ZTIO_BAD_DATA,
                         "%s: its filter %d is told of chunks of %" PRIu64 " bytes, and they have "
                         "%" PRIu64 "; the file is damaged, or made to harm",
                         c->label, (int)id, bytes, c->bytes);
    if (at == 0 || is_lossless)
        return true;
    const H5Z_filter_t other =
        H5Pget_filter2(c->properties, 0, &flags, &none, NULL, sizeof name, name, &config);
    name[sizeof name - 1] = 0;
    ztio_warn("%s: %s (filter %d) stands before filter %d, which then keeps no bound: its values "
              "may be off by any amount; write it again from the original, with no filter before",
              c->label, name, (int)other, (int)id);
    return true;
}

bool ztio_check_filters(hid_t file, const char *path, const char *label, struct ztio_error *error)
{
    char why[ZTIO_CAUSE_BYTES];
    struct chunks c = {.label = label, .properties = -1, .error = error};
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    if (dataset >= 0)
        c.properties = H5Dget_create_plist(dataset);
    bool is_right = c.properties >= 0 || ztio_fail(error, ZTIO_BAD_DATA, "%s: cannot read: %s",
                                                   label, ztio_cause_hdf5(why));
    const int count =
        is_right && H5Pget_layout(c.properties) == H5D_CHUNKED && open_chunks(dataset, &c)
            ? H5Pget_nfilters(c.properties)
            : 0;
    for (int i = 0; is_right && i < count; i++)
        is_right = check_one(&c, (unsigned)i);
    if (c.properties >= 0)
        (void)H5Pclose(c.properties);
    if (dataset >= 0)
        (void)H5Dclose(dataset);
    return is_right;
}

/* netCDF has names of its own for variables that are called like a dimension and are none. */
bool ztio_check_filters_at(const char *path, const char *group, const char *variable,
                           const char *label, struct ztio_error *error)
{
    char name[PATH_BYTES], other[PATH_BYTES], why[ZTIO_CAUSE_BYTES];
    const char *slash = strcmp(group, "/") == 0 ? "" : "/";
    ztio_prepare_hdf5();
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return ztio_fail(error, ZTIO_BAD_DATA, "%s cannot be read as HDF5: %s", path,
                         ztio_cause_hdf5(why));
    (void)snprintf(name, sizeof name, "%s%s%s", group, slash, variable);
    (void)snprintf(other, sizeof other, "%s%s_nc4_non_coord_%s", group, slash, variable);
    const bool has_other = H5Lexists(file, other, H5P_DEFAULT) > 0;
    const bool is_alone = has_other && H5Lexists(file, name, H5P_DEFAULT) <= 0;
    const bool is_right = (!has_other || ztio_check_filters(file, other, label, error)) &&
                          (is_alone || ztio_check_filters(file, name, label, error));
    (void)H5Fclose(file);
    return is_right;
}
