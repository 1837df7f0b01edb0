/* filtered.c: the datasets of an HDF5 or netCDF-4 file that are behind one of ztile's filters, by
 * their names; what the filters were told, and how many bytes the datasets take. */
#include "whole/whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct listing {
    const struct ztio_place *place;
    bool (*one)(void *user, const struct ztio_filtered *dataset);
    void *user;
    uint64_t others;
    bool is_stopped;
};

/* The place's variable is a path, or netCDF's or HDF5's name of one in the root. */
static bool is_meant(const char *variable, const char *path)
{
    static const char other[] = "_nc4_non_coord_";
    variable += variable[0] == '/';
    return !variable[0] || strcmp(variable, path) == 0 ||
           (strncmp(path, other, sizeof other - 1) == 0 &&
            strcmp(variable, path + sizeof other - 1) == 0);
}

/* The last of ours in the pipeline. */
static bool find_filter(hid_t properties, struct ztio_filtered *d)
{
    const int count = H5Pget_layout(properties) == H5D_CHUNKED ? H5Pget_nfilters(properties) : 0;
    unsigned flags;
    for (int i = count; i-- > 0;) {
        d->words = ZTIO_FILTER_WORDS;
        d->filter =
            H5Pget_filter2(properties, (unsigned)i, &flags, &d->words, d->word, 0, NULL, NULL);
        if (ztio_is_our_filter(d->filter)) {
            d->words = d->words < ZTIO_FILTER_WORDS ? d->words : ZTIO_FILTER_WORDS;
            return true;
        }
    }
    return false;
}

static void describe(hid_t dataset, hid_t type, hid_t space, hid_t properties,
                     struct ztio_filtered *d)
{
    hsize_t extents[ZTIO_MAX_AXES], chunk[ZTIO_MAX_AXES];
    hid_t native;
    struct ztio_variable *v = &d->variable;
    const int rank = H5Sget_simple_extent_dims(space, extents, NULL);
    v->type = ztio_type_of_hdf5(type, &native);
    if (v->type == 0) /* unsigned */
        v->type = H5Tget_size(type) == 8 ? ZT_I64 : ZT_I32;
    ztio_name_type_hdf5(type, d->type_name, sizeof d->type_name);
    v->rank = (uint32_t)rank;
    v->raw_bytes = H5Tget_size(type);
    (void)H5Pget_chunk(properties, ZTIO_MAX_AXES, chunk);
    for (int i = 0; i < rank; i++) {
        v->shape[i] = extents[i];
        d->chunk[i] = chunk[i];
        v->raw_bytes = extents[i] > UINT64_MAX / v->raw_bytes ? UINT64_MAX
                       : v->raw_bytes                         ? v->raw_bytes * extents[i]
                                                              : 0;
    }
    v->stored_bytes = H5Dget_storage_size(dataset);
}

/* What is listed is what cd_values claim; say where a reader would be warned, or refused. */
static void warn_of_filters(hid_t file, const char *place, const char *path)
{
    char label[1024];
    struct ztio_error lie = {0, ""};
    (void)snprintf(label, sizeof label, "%s:%s", place, path);
    if (!ztio_check_filters(file, path, label, &lie))
        ztio_warn("%s", lie.sentence);
}

static herr_t list_one(hid_t file, const char *name, const H5O_info_t *info, void *user)
{
    struct listing *l = user;
    struct ztio_filtered d = {.filter = 0};
    if (info->type != H5O_TYPE_DATASET || !is_meant(l->place->variable, name))
        return 0;
    const size_t bytes = strlen(name) + sizeof "/";
    char *path = malloc(bytes);
    hid_t dataset = path ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
    if (dataset < 0) {
        free(path);
        return -1;
    }
    (void)snprintf(path, bytes, "/%s", name);
    d.variable.path = path;
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    hid_t properties = H5Dget_create_plist(dataset);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank > 0 && rank <= ZTIO_MAX_AXES && find_filter(properties, &d)) {
        describe(dataset, type, space, properties, &d);
        warn_of_filters(file, l->place->path, path);
        l->is_stopped = !l->one(l->user, &d);
    } else {
        l->others++;
    }
    (void)H5Pclose(properties);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    (void)H5Dclose(dataset);
    free(path);
    return l->is_stopped;
}

static bool list_all(struct listing *l, struct ztio_error *error)
{
    char why[ZTIO_CAUSE_BYTES];
    const char *path = l->place->path;
    ztio_prepare_hdf5();
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const bool done = file >= 0 && (H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, list_one, l,
                                              H5O_INFO_BASIC) >= 0);
    if (!done)
        (void)ztio_fail(error, ZTIO_BAD_DATA, "%s: cannot list its datasets: %s", path,
                        ztio_cause_hdf5(why));
    if (file >= 0)
        (void)H5Fclose(file);
    return done && !l->is_stopped;
}

bool ztio_each_filtered(const char *text,
                        bool (*one)(void *user, const struct ztio_filtered *dataset), void *user,
                        uint64_t *others, struct ztio_error *error)
{
    struct ztio_place place;
    struct listing l = {.place = &place, .one = one, .user = user};
    if (!ztio_place_of_input(text, &place, error))
        return false;
    const bool done = list_all(&l, error);
    *others = l.others;
    ztio_place_free(&place);
    return done;
}
