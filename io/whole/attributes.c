/* attributes.c: attributes, and the values of datasets that lie elsewhere in the file or
 * refer to objects or parts of datasets. A reference is an address in its file, so in another file
 * it has to be made again. */
#include "whole/whole.h"

#include <stdlib.h>
#include <string.h>

/* ---- references ------------------------------------------------------------------------------ */

static bool has_references(hid_t type)
{
    return H5Tdetect_class(type, H5T_REFERENCE) > 0;
}

/* The object in the file that is written which a reference of the other means; NULL: none. */
static const struct object *target_of(const struct whole *w, H5R_type_t kind, const void *reference)
{
    H5O_info_t info;
    hid_t object = H5Rdereference2(w->in, H5P_DEFAULT, kind, reference);
    if (object < 0)
        return NULL;
    const bool is_known = H5Oget_info2(object, &info, H5O_INFO_BASIC) >= 0;
    (void)H5Oclose(object);
    return is_known ? whole_find(w, &info) : NULL;
}

/* One that leads nowhere stays so. */
static bool turn_reference(const struct whole *w, hid_t type, void *value)
{
    const bool is_region = H5Tequal(type, H5T_STD_REF_DSETREG) > 0;
    const size_t bytes = is_region ? sizeof(hdset_reg_ref_t) : sizeof(hobj_ref_t);
    const H5R_type_t kind = is_region ? H5R_DATASET_REGION : H5R_OBJECT;
    unsigned char old[sizeof(hdset_reg_ref_t)];
    if (!is_region && H5Tequal(type, H5T_STD_REF_OBJ) <= 0)
        return ztio_fail(w->error, ZTIO_BAD_DATA,
                         "%s: holds references of a kind that came after "
                         "HDF5 1.10, which this build of ztile cannot carry over",
                         w->place);
    memcpy(old, value, bytes);
    memset(value, 0, bytes);
    const struct object *target = target_of(w, kind, old);
    if (!target || !target->is_made)
        return true;
    if (!is_region)
        return H5Rcreate(value, w->out, target->path, kind, -1) >= 0 ||
               whole_fail_write(w, target->path);
    hid_t space = H5Rget_region(w->in, kind, old);
    const bool done = space >= 0 && H5Rcreate(value, w->out, target->path, kind, space) >= 0;
    if (!done)
        (void)whole_fail_write(w, target->path);
    (void)H5Sclose(space);
    return done;
}

static bool turn_value(const struct whole *w, hid_t type, void *value);

static bool turn_members(const struct whole *w, hid_t type, void *value)
{
    const int members = H5Tget_nmembers(type);
    bool done = true;
    for (int i = 0; done && i < members; i++) {
        hid_t member = H5Tget_member_type(type, (unsigned)i);
        if (has_references(member))
            done = turn_value(w, member, (char *)value + H5Tget_member_offset(type, (unsigned)i));
        (void)H5Tclose(member);
    }
    return done;
}

static bool turn_elements(const struct whole *w, hid_t type, void *values, size_t count)
{
    hid_t element = H5Tget_super(type);
    const size_t bytes = H5Tget_size(element);
    bool done = true;
    for (size_t i = 0; done && i < count; i++)
        done = turn_value(w, element, (char *)values + i * bytes);
    (void)H5Tclose(element);
    return done;
}

/* All references in a value of a type that holds some. */
static bool turn_value(const struct whole *w, hid_t type, void *value)
{
    hsize_t extents[H5S_MAX_RANK];
    size_t count = 1;
    switch (H5Tget_class(type)) {
    case H5T_REFERENCE: return turn_reference(w, type, value);
    case H5T_COMPOUND: return turn_members(w, type, value);
    case H5T_VLEN: {
        const hvl_t *list = value;
        return turn_elements(w, type, list->p, list->len);
    }
    case H5T_ARRAY: {
        const int rank = H5Tget_array_dims2(type, extents);
        for (int i = 0; i < rank; i++)
            count *= (size_t)extents[i];
        return turn_elements(w, type, value, count);
    }
    default: return true;
    }
}

/* ---- values of one kind, all in memory ------------------------------------------------------- */

/* Room for the values of a space; NULL, with a sentence, where there is none. *count: how many. */
static void *room_for(const struct whole *w, hid_t space, hid_t type, size_t *count)
{
    const hssize_t values = H5Sget_simple_extent_npoints(space);
    const size_t bytes = H5Tget_size(type);
    *count = values > 0 ? (size_t)values : 0;
    void *room = bytes > 0 && *count <= SIZE_MAX / 2 / bytes ? calloc(*count + 1, bytes) : NULL;
    if (!room)
        (void)ztio_fail_memory(w->error, w->place);
    return room;
}

static bool turn_all(const struct whole *w, hid_t type, void *values, size_t count)
{
    const size_t bytes = H5Tget_size(type);
    if (!has_references(type))
        return true;
    for (size_t i = 0; i < count; i++)
        if (!turn_value(w, type, (char *)values + i * bytes))
            return false;
    return true;
}

static bool lies_elsewhere(hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);
    bool found = class == H5T_VLEN || class == H5T_REFERENCE ||
                 (class == H5T_STRING && H5Tis_variable_str(type) > 0);
    const int members = class == H5T_COMPOUND ? H5Tget_nmembers(type) : class == H5T_ARRAY ? 1 : 0;
    for (int i = 0; !found && i < members; i++) {
        hid_t part =
            class == H5T_ARRAY ? H5Tget_super(type) : H5Tget_member_type(type, (unsigned)i);
        found = lies_elsewhere(part);
        (void)H5Tclose(part);
    }
    return found;
}

bool whole_is_by_value(hid_t type)
{
    return H5Tcommitted(type) > 0 || lies_elsewhere(type);
}

/* A part of two datasets with as many values, and their bytes in memory. */
struct part {
    hid_t from, to, type;
    hid_t space; /* the part of both */
    hid_t memory;
};

static bool copy_part(struct whole *w, const char *path, const struct part *p)
{
    size_t count;
    void *values = room_for(w, p->memory, p->type, &count);
    bool done = values != NULL;
    if (done && count > 0) {
        done = (H5Dread(p->from, p->type, p->memory, p->space, H5P_DEFAULT, values) >= 0 ||
                whole_fail_read(w, path)) &&
               turn_all(w, p->type, values, count) &&
               (H5Dwrite(p->to, p->type, p->memory, p->space, H5P_DEFAULT, values) >= 0 ||
                whole_fail_write(w, path));
        (void)H5Dvlen_reclaim(p->type, p->memory, H5P_DEFAULT, values);
    }
    free(values);
    return done;
}

/* So many slices along the slowest axis at a time as take about PART_BYTES. */
static bool copy_parts(struct whole *w, const char *path, struct part *p)
{
    enum { PART_BYTES = 16 << 20 };
    hsize_t shape[H5S_MAX_RANK], from[H5S_MAX_RANK] = {0}, count[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_ndims(p->space);
    uint64_t slice = H5Tget_size(p->type);
    if (rank < 1) { /* one value, or none */
        p->memory = p->space;
        return copy_part(w, path, p);
    }
    (void)H5Sget_simple_extent_dims(p->space, shape, NULL);
    memcpy(count, shape, sizeof count);
    for (int i = 1; i < rank; i++)
        slice = shape[i] && slice > UINT64_MAX / shape[i] ? UINT64_MAX : slice * shape[i];
    const uint64_t step = slice && slice < PART_BYTES ? PART_BYTES / slice : 1;
    for (bool done = true; from[0] < shape[0]; from[0] += count[0]) {
        count[0] = shape[0] - from[0] < step ? shape[0] - from[0] : step;
        p->memory = H5Screate_simple(rank, count, NULL);
        done = p->memory >= 0 &&
               H5Sselect_hyperslab(p->space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0;
        done = done ? copy_part(w, path, p) : whole_fail_read(w, path);
        (void)H5Sclose(p->memory);
        if (!done)
            return false;
    }
    return true;
}

bool whole_copy_values(struct whole *w, const struct object *o)
{
    hid_t from = H5Dopen2(w->in, o->path, H5P_DEFAULT);
    hid_t to = H5Dopen2(w->out, o->path, H5P_DEFAULT);
    hid_t stored = H5Dget_type(from);
    struct part p = {.from = from, .to = to, .type = H5Tcopy(stored), .space = H5Dget_space(from)};
    const bool done = p.type >= 0 && p.space >= 0 && to >= 0 ? copy_parts(w, o->path, &p)
                                                             : whole_fail_read(w, o->path);
    (void)H5Tclose(p.type);
    (void)H5Sclose(p.space);
    (void)H5Tclose(stored);
    (void)H5Dclose(to);
    (void)H5Dclose(from);
    return done;
}

/* ---- attributes ------------------------------------------------------------------------------ */

struct owner {
    struct whole *whole;
    const char *path;
    hid_t to;
};

static bool copy_values(struct whole *w, const char *path, hid_t from, hid_t to, hid_t stored,
                        hid_t space)
{
    size_t count;
    hid_t type = H5Tcopy(stored);
    void *values = room_for(w, space, type, &count);
    bool done = values != NULL;
    if (done && count > 0) {
        done = (H5Aread(from, type, values) >= 0 || whole_fail_read(w, path)) &&
               turn_all(w, type, values, count) &&
               (H5Awrite(to, type, values) >= 0 || whole_fail_write(w, path));
        (void)H5Dvlen_reclaim(type, space, H5P_DEFAULT, values);
    }
    free(values);
    (void)H5Tclose(type);
    return done;
}

static herr_t copy_attribute(hid_t object, const char *name, const H5A_info_t *info, void *user)
{
    const struct owner *owner = user;
    struct whole *w = owner->whole;
    (void)info;
    hid_t from = H5Aopen(object, name, H5P_DEFAULT);
    if (from < 0) {
        (void)whole_fail_read(w, owner->path);
        return -1;
    }
    hid_t stored = H5Aget_type(from), space = H5Aget_space(from);
    hid_t properties = H5Aget_create_plist(from), type = whole_type(w, stored);
    hid_t to = type >= 0 ? H5Acreate2(owner->to, name, type, space, properties, H5P_DEFAULT) : -1;
    bool done = to >= 0;
    if (!done && w->error->exit_status == 0)
        (void)whole_fail_write(w, owner->path);
    done = done && copy_values(w, owner->path, from, to, stored, space);
    if (to >= 0)
        (void)H5Aclose(to);
    (void)H5Tclose(type);
    (void)H5Pclose(properties);
    (void)H5Sclose(space);
    (void)H5Tclose(stored);
    (void)H5Aclose(from);
    return done ? 0 : -1;
}

/* Whether a file knows the order in which the attributes of an object were made. */
static bool has_order(hid_t object, H5O_type_t type)
{
    unsigned order = 0;
    hid_t properties = type == H5O_TYPE_GROUP     ? H5Gget_create_plist(object)
                       : type == H5O_TYPE_DATASET ? H5Dget_create_plist(object)
                                                  : H5Tget_create_plist(object);
    (void)H5Pget_attr_creation_order(properties, &order);
    (void)H5Pclose(properties);
    return (order & H5P_CRT_ORDER_TRACKED) != 0;
}

bool whole_copy_attributes(struct whole *w, const struct object *o)
{
    hsize_t at = 0;
    hid_t from = H5Oopen(w->in, o->path, H5P_DEFAULT);
    if (from < 0)
        return whole_fail_read(w, o->path);
    struct owner owner = {w, o->path, H5Oopen(w->out, o->path, H5P_DEFAULT)};
    bool done = owner.to >= 0 || whole_fail_write(w, o->path);
    const bool is_ordered = has_order(from, o->type); /* else as they lie in the object's header */
    if (done &&
        H5Aiterate2(from, is_ordered ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME,
                    is_ordered ? H5_ITER_INC : H5_ITER_NATIVE, &at, copy_attribute, &owner) < 0)
        done = w->error->exit_status == 0 ? whole_fail_read(w, o->path) : false;
    if (owner.to >= 0)
        (void)H5Oclose(owner.to);
    (void)H5Oclose(from);
    return done;
}
