/* walk.c: write an HDF5 file (or netCDF-4, which is one) again, with some of its float datasets
 * through a filter, and all else as it was.
 *
 *   1. list     every object once, by its address in the file, and name it by the first link that
 *               leads there; choose what becomes of datasets
 *   2. make     groups, named types and datasets, in the order of their links
 *   3. finish   attributes, and values that may refer to objects, which all exist by now
 *
 * What is left alone goes over by H5Ocopy, chunks as they are stored, whatever filters they need;
 * but values that lie elsewhere in the file (strings, lists, references) are read and written. */
#include "whole/whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 1000 }; /* of groups in groups */

bool whole_fail_read(const struct whole *w, const char *path)
{
    char why[ZTIO_CAUSE_BYTES];
    return ztio_fail(w->error, ZTIO_BAD_DATA, "%s: cannot read %s: %s", w->place, path,
                     ztio_cause_hdf5(why));
}

bool whole_fail_write(const struct whole *w, const char *path)
{
    char why[ZTIO_CAUSE_BYTES];
    return ztio_fail(w->error, ZTIO_IO_ERROR, "%s: cannot write %s: %s", w->label, path,
                     ztio_cause_hdf5(why));
}

static bool walk_group(struct whole *w, const char *path);

/* ---- 1: the list --------------------------------------------------------------------------- */

static int compare_objects(const void *a, const void *b)
{
    const struct object *x = a, *y = b;
    if (x->file_number != y->file_number)
        return x->file_number < y->file_number ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

struct object *whole_find(const struct whole *w, const H5O_info_t *info)
{
    const struct object key = {.file_number = info->fileno, .address = info->addr};
    return w->count ? bsearch(&key, w->objects, w->count, sizeof *w->objects, compare_objects)
                    : NULL;
}

static herr_t list_one(hid_t file, const char *name, const H5O_info_t *info, void *user)
{
    struct whole *w = user;
    (void)file;
    if (w->count == w->room) {
        const size_t room = w->room ? 2 * w->room : 64;
        struct object *more = realloc(w->objects, room * sizeof *more);
        if (!more) {
            (void)ztio_fail_memory(w->error, w->place);
            return -1;
        }
        w->objects = more;
        w->room = room;
    }
    struct object *o = &w->objects[w->count];
    const bool is_root = strcmp(name, ".") == 0;
    const size_t bytes = strlen(name) + 2;
    *o = (struct object){.file_number = info->fileno,
                         .address = info->addr,
                         .type = info->type,
                         .path = malloc(bytes)};
    if (!o->path) {
        (void)ztio_fail_memory(w->error, w->place);
        return -1;
    }
    (void)snprintf(o->path, bytes, "/%s", is_root ? "" : name);
    w->count++;
    return 0;
}

/* Ask for each dataset of floats what is to become of it. */
static bool choose_all(struct whole *w)
{
    uint64_t total = 0;
    char label[1024];
    for (size_t i = 0; i < w->count; i++) {
        struct object *o = &w->objects[i];
        bool is_candidate = false;
        if (o->type != H5O_TYPE_DATASET)
            continue;
        if (!whole_describe(w, o, &is_candidate))
            return false;
        o->choice.what = ZTIO_KEEP;
        o->variable.path = o->path;
        if (is_candidate && !w->how->choose(w->how->user, &o->variable, &o->choice, w->error))
            return false;
        if (o->choice.what == ZTIO_KEEP)
            continue;
        (void)snprintf(label, sizeof label, "%s:%s", w->place, o->path);
        if (!ztio_check_filters(w->in, o->path, label, w->error))
            return false;
        total += o->variable.raw_bytes;
    }
    return w->how->begin(w->how->user, total, w->error);
}

static bool list_objects(struct whole *w)
{
    if (H5Ovisit2(w->in, H5_INDEX_NAME, H5_ITER_INC, list_one, w, H5O_INFO_BASIC) < 0)
        return w->error->exit_status == 0 ? whole_fail_read(w, "/") : false;
    qsort(w->objects, w->count, sizeof *w->objects, compare_objects);
    for (size_t i = 0; i < w->count; i++)
        w->objects[i].is_named = strcmp(w->objects[i].path, "/") == 0;
    w->is_naming = true;
    const bool done = walk_group(w, "/");
    w->is_naming = false;
    return done && whole_mark_coordinates(w) && choose_all(w);
}

/* ---- 2: groups, types, links ----------------------------------------------------------------- */

hid_t whole_type(struct whole *w, hid_t type)
{
    H5O_info_t info;
    if (H5Tcommitted(type) <= 0)
        return H5Tcopy(type);
    if (H5Oget_info2(type, &info, H5O_INFO_BASIC) < 0)
        return -1;
    struct object *o = whole_find(w, &info);
    if (!o) /* no link leads to it */
        return H5Tcopy(type);
    return whole_ensure(w, o) ? H5Topen2(w->out, o->path, H5P_DEFAULT) : -1;
}

static bool make_type(struct whole *w, const struct object *o)
{
    hid_t from = H5Topen2(w->in, o->path, H5P_DEFAULT);
    hid_t type = from >= 0 ? H5Tcopy(from) : -1;
    hid_t properties = from >= 0 ? H5Tget_create_plist(from) : -1;
    bool done = type >= 0 && properties >= 0 &&
                H5Tcommit2(w->out, o->path, type, H5P_DEFAULT, properties, H5P_DEFAULT) >= 0;
    if (!done)
        (void)whole_fail_write(w, o->path);
    (void)H5Pclose(properties);
    (void)H5Tclose(type);
    (void)H5Tclose(from);
    return done;
}

static bool make_group(struct whole *w, const struct object *o)
{
    hid_t from = H5Gopen2(w->in, o->path, H5P_DEFAULT);
    hid_t properties = from >= 0 ? H5Gget_create_plist(from) : -1;
    hid_t to =
        properties >= 0 ? H5Gcreate2(w->out, o->path, H5P_DEFAULT, properties, H5P_DEFAULT) : -1;
    if (to < 0)
        (void)whole_fail_write(w, o->path);
    else
        (void)H5Gclose(to);
    (void)H5Pclose(properties);
    (void)H5Gclose(from);
    return to >= 0;
}

/* The group that an object is in. */
static struct object *parent_of(const struct whole *w, const struct object *o)
{
    size_t n = (size_t)(strrchr(o->path, '/') - o->path);
    n = n ? n : 1;
    for (size_t i = 0; i < w->count; i++)
        if (strlen(w->objects[i].path) == n && memcmp(w->objects[i].path, o->path, n) == 0)
            return &w->objects[i];
    return NULL;
}

bool whole_ensure(struct whole *w, struct object *o)
{
    if (o->is_made)
        return true;
    struct object *parent = parent_of(w, o);
    if (parent && !whole_ensure(w, parent))
        return false;
    o->is_made = true; /* before a dataset asks for itself by its own references */
    switch (o->type) {
    case H5O_TYPE_GROUP: return make_group(w, o);
    case H5O_TYPE_NAMED_DATATYPE: return make_type(w, o);
    case H5O_TYPE_DATASET: return whole_make_dataset(w, o);
    default:
        return ztio_fail(w->error, ZTIO_BAD_DATA,
                         "%s: %s is no group, dataset or type, of which "
                         "alone HDF5 files of this version are made",
                         w->place, o->path);
    }
}

struct walk {
    struct whole *whole;
    const char *group; /* "/" or "/a/b" */
};

/* The first link that leads to an object names it. */
static bool name_object(struct whole *w, struct object *o, const char *path)
{
    if (o->is_named)
        return true;
    char *copy = strdup(path);
    if (!copy)
        return ztio_fail_memory(w->error, w->place);
    free(o->path);
    o->path = copy;
    o->is_named = true;
    return o->type != H5O_TYPE_GROUP || walk_group(w, path);
}

static bool make_hard_link(struct whole *w, const char *path, hid_t links)
{
    H5O_info_t info;
    if (H5Oget_info_by_name2(w->in, path, &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
        return whole_fail_read(w, path);
    struct object *o = whole_find(w, &info);
    if (!o)
        return ztio_fail(w->error, ZTIO_BAD_DATA, "%s: %s changed while it was read", w->place,
                         path);
    if (w->is_naming)
        return name_object(w, o, path);
    const bool is_its_own = strcmp(o->path, path) == 0;
    if (!whole_ensure(w, o))
        return false;
    if (!is_its_own)
        return H5Lcreate_hard(w->out, o->path, w->out, path, links, H5P_DEFAULT) >= 0 ||
               whole_fail_write(w, path);
    return o->type != H5O_TYPE_GROUP || walk_group(w, path);
}

static bool make_other_link(struct whole *w, const char *path, const H5L_info_t *info, hid_t links)
{
    const char *file, *object;
    unsigned flags;
    char *value = malloc(info->u.val_size + 1);
    bool done = value && H5Lget_val(w->in, path, value, info->u.val_size, H5P_DEFAULT) >= 0;
    if (!done) {
        free(value);
        return whole_fail_read(w, path);
    }
    value[info->u.val_size] = 0;
    if (info->type == H5L_TYPE_SOFT)
        done = H5Lcreate_soft(value, w->out, path, links, H5P_DEFAULT) >= 0;
    else if (info->type == H5L_TYPE_EXTERNAL)
        done = H5Lunpack_elink_val(value, info->u.val_size, &flags, &file, &object) >= 0 &&
               H5Lcreate_external(file, object, w->out, path, links, H5P_DEFAULT) >= 0;
    else
        done = H5Lcreate_ud(w->out, path, info->type, value, info->u.val_size, links,
                            H5P_DEFAULT) >= 0;
    free(value);
    return done || whole_fail_write(w, path);
}

static herr_t walk_link(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    const struct walk *walk = user;
    struct whole *w = walk->whole;
    const bool is_root = walk->group[1] == 0;
    const size_t bytes = strlen(walk->group) + strlen(name) + 2;
    char *path = malloc(bytes);
    (void)group;
    if (!path) {
        (void)ztio_fail_memory(w->error, w->place);
        return -1;
    }
    (void)snprintf(path, bytes, "%s/%s", is_root ? "" : walk->group, name);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    bool done = links >= 0 && H5Pset_char_encoding(links, info->cset) >= 0;
    if (!done)
        (void)whole_fail_write(w, path);
    if (done && info->type == H5L_TYPE_HARD)
        done = make_hard_link(w, path, links);
    else if (done && !w->is_naming)
        done = make_other_link(w, path, info, links);
    (void)H5Pclose(links);
    free(path);
    return done ? 0 : -1;
}

/* Make what the links of a group lead to, in the order they were made where the file knows it. */
static bool walk_group(struct whole *w, const char *path)
{
    unsigned order = 0;
    hsize_t index = 0;
    struct walk walk = {w, path};
    if (w->depth == DEPTH_MAX)
        return ztio_fail(w->error, ZTIO_BAD_DATA,
                         "%s: groups are more than %d deep; the file is "
                         "damaged",
                         w->place, DEPTH_MAX);
    hid_t group = H5Gopen2(w->in, path, H5P_DEFAULT);
    if (group < 0)
        return whole_fail_read(w, path);
    hid_t properties = H5Gget_create_plist(group);
    (void)H5Pget_link_creation_order(properties, &order);
    (void)H5Pclose(properties);
    w->depth++;
    const bool done =
        H5Literate(group, order & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME,
                   H5_ITER_INC, &index, walk_link, &walk) >= 0;
    if (!done && w->error->exit_status == 0)
        (void)whole_fail_read(w, path);
    w->depth--;
    (void)H5Gclose(group);
    return done;
}

/* ---- the file ------------------------------------------------------------------------------ */

/* Names of 1.8's features where the file has them, so that nothing newer than it is asked of its
 * readers. */
hid_t whole_access(const struct whole *w)
{
    H5F_info2_t info;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Fget_info2(w->in, &info) >= 0 && info.super.version >= 2)
        (void)H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    return access;
}

/* An empty file with the properties of the other's file and root group. */
static bool create_like(struct whole *w, const char *path)
{
    unsigned links = 0, attributes = 0;
    hid_t from = H5Fget_create_plist(w->in);
    hid_t properties = from >= 0 ? H5Pcopy(from) : -1;
    hid_t root = H5Gopen2(w->in, "/", H5P_DEFAULT);
    hid_t group = root >= 0 ? H5Gget_create_plist(root) : -1;
    hid_t access = whole_access(w);
    const bool is_set = properties >= 0 && group >= 0 && access >= 0 &&
                        H5Pget_link_creation_order(group, &links) >= 0 &&
                        H5Pget_attr_creation_order(group, &attributes) >= 0 &&
                        H5Pset_link_creation_order(properties, links) >= 0 &&
                        H5Pset_attr_creation_order(properties, attributes) >= 0;
    w->out = is_set ? ztio_create_hdf5(path, properties, access) : -1;
    if (w->out < 0)
        (void)whole_fail_write(w, "it");
    (void)H5Pclose(access);
    (void)H5Pclose(group);
    (void)H5Gclose(root);
    (void)H5Pclose(properties);
    (void)H5Pclose(from);
    return w->out >= 0;
}

static bool finish(struct whole *w)
{
    for (size_t i = 0; i < w->count; i++) {
        const struct object *o = &w->objects[i];
        if (!o->is_made)
            continue;
        if (!whole_copy_attributes(w, o) ||
            (o->is_by_value && o->choice.what == ZTIO_KEEP && !whole_copy_values(w, o)))
            return false;
    }
    if (H5Fflush(w->out, H5F_SCOPE_GLOBAL) < 0 || H5Fclose(w->out) < 0) {
        (void)whole_fail_write(w, "it");
        return false;
    }
    w->out = -1;
    return true;
}

/* The first bytes of a file: what some have before HDF5's own, or all. */
static bool copy_bytes(const char *from, const char *to, const char *mode, uint64_t bytes,
                       struct ztio_error *error)
{
    char block[1 << 16];
    FILE *in = bytes ? fopen(from, "rb") : NULL, *out = in ? fopen(to, mode) : NULL;
    bool done = bytes == 0 || out;
    for (uint64_t left = bytes; done && left > 0;) {
        const size_t n = left < sizeof block ? (size_t)left : sizeof block;
        done = fread(block, 1, n, in) == n && fwrite(block, 1, n, out) == n;
        left -= n;
    }
    if (in)
        (void)fclose(in);
    if (out)
        done &= fclose(out) == 0;
    return done ||
           ztio_fail(error, ZTIO_IO_ERROR,
                     "%s: its bytes cannot be copied to the other file; check the device", from);
}

static uint64_t bytes_of_file(const char *path)
{
    struct stat is;
    return stat(path, &is) == 0 ? (uint64_t)is.st_size : 0;
}

static bool rewrite_to(struct whole *w, const char *path, const char *part,
                       struct ztio_error *error)
{
    hsize_t user_block = 0;
    hid_t properties = H5Fget_create_plist(w->in);
    (void)H5Pget_userblock(properties, &user_block);
    (void)H5Pclose(properties);
    if (!list_objects(w) || !create_like(w, part))
        return false;
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->objects[i].path, "/") == 0)
            w->objects[i].is_made = true;
    if (!walk_group(w, "/") || !finish(w) || !copy_bytes(path, part, "r+b", user_block, error))
        return false;
    const uint64_t before = bytes_of_file(path);
    if (w->is_asked || (w->rewritten > 0 && bytes_of_file(part) < before))
        return true;
    w->how->copied(w->how->user);
    return copy_bytes(path, part, "wb", before, error);
}

/* A file that is left half-made: what HDF5 still has open would be written at its closing. */
static void drop_out(struct whole *w)
{
    if (w->out >= 0)
        (void)H5Fclose(w->out);
}

bool ztio_rewrite_hdf5(const char *path, const char *out, const struct ztio_creation *creation,
                       const struct ztio_rewrite *how, struct ztio_error *error)
{
    struct whole w = {.in = -1, .out = -1, .place = path, .how = how, .error = error};
    if (!ztio_check_whole(path, error))
        return false;
    ztio_prepare_hdf5();
    struct ztio_bytes *bytes = ztio_bytes_create(out, creation, error);
    if (!bytes)
        return false;
    w.label = ztio_bytes_label(bytes);
    bool done =
        ztio_bytes_is_file(bytes) ||
        ztio_fail(error, ZTIO_BAD_USE, "%s: netCDF and HDF5 go to files only; name one", w.label);
    if (done) {
        w.in = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        done = w.in >= 0 || whole_fail_read(&w, "it");
    }
    done = done && rewrite_to(&w, path, ztio_bytes_hand_over(bytes), error);
    drop_out(&w);
    if (w.in >= 0)
        (void)H5Fclose(w.in);
    for (size_t i = 0; i < w.count; i++)
        free(w.objects[i].path);
    free(w.objects);
    if (done)
        return ztio_bytes_commit(bytes, error);
    ztio_bytes_abandon(bytes);
    return false;
}
