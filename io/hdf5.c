/* hdf5.c: datasets of HDF5 files through libhdf5, which sees to byte order, chunks and filters.
 * Packed integers (scale_factor, add_offset) are unpacked as in netCDF files. */
#include "whole/whole.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MAX_BYTES = 4096 }; /* of a units attribute that is worth reading */

/* A dataset and how it is read. */
struct variable {
    hid_t dataset;
    hid_t stored; /* the memory type that is read: H5T_NATIVE_..., not to be closed */
    uint32_t rank;
    uint32_t axes[ZT_MAX_RANK];
    struct ztio_packing packing;
    struct ztio_meta meta;
};

struct hdf5_input {
    struct ztio_input input;
    hid_t file;
    struct variable variable;
};

/* ---- what the library says ----------------------------------------------------------------- */

/* The innermost message of the error stack is the cause. */
static herr_t keep_first(unsigned n, const H5E_error2_t *message, void *text)
{
    if (n == 0 && message->desc)
        ztio_copy_text(text, ZTIO_CAUSE_BYTES, message->desc);
    return 0;
}

const char *ztio_cause_hdf5(char *text)
{
    ztio_copy_text(text, ZTIO_CAUSE_BYTES, "HDF5 gives no reason");
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, text);
    return text;
}

/* Unless told otherwise, the library prints its error stack, and closes once more at exit what it
 * could not close before: after a disk was full, that ends in a crash (seen with 1.10.8). The
 * first call counts only before the library's first other use. */
void ztio_prepare_hdf5(void)
{
    (void)H5dont_atexit();
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    ztio_register_filters();
}

hid_t ztio_create_hdf5(const char *path, hid_t properties, hid_t access)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, properties, access);
    const int again = file >= 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (again >= 0)
        (void)close(again);
    return file;
}

/* ---- attributes ---------------------------------------------------------------------------- */

static bool has_attribute(hid_t dataset, const char *name)
{
    return H5Aexists(dataset, name) > 0;
}

struct attribute {
    hid_t id, type, space;
};

static bool open_attribute(hid_t dataset, const char *name, struct attribute *a)
{
    a->id = has_attribute(dataset, name) ? H5Aopen(dataset, name, H5P_DEFAULT) : -1;
    if (a->id < 0)
        return false;
    a->type = H5Aget_type(a->id);
    a->space = H5Aget_space(a->id);
    return true;
}

static void close_attribute(const struct attribute *a)
{
    (void)H5Sclose(a->space);
    (void)H5Tclose(a->type);
    (void)H5Aclose(a->id);
}

/* The numbers of an attribute as doubles; see get_numbers in netcdf.c. *bytes is the size of one
 * if they are floats, otherwise 0. */
static void get_numbers(hid_t dataset, const char *name, double *numbers, size_t room,
                        size_t *count, size_t *float_bytes)
{
    *count = 0;
    *float_bytes = 0;
    struct attribute a;
    if (!open_attribute(dataset, name, &a))
        return;
    H5T_class_t class = H5Tget_class(a.type);
    hssize_t values = H5Sget_simple_extent_npoints(a.space);
    if ((class == H5T_FLOAT || class == H5T_INTEGER) && values > 0) {
        *count = (size_t)values;
        *float_bytes = class == H5T_FLOAT ? H5Tget_size(a.type) : 0;
        if (*count <= room && H5Aread(a.id, H5T_NATIVE_DOUBLE, numbers) < 0)
            *count = 0;
    }
    close_attribute(&a);
}

/* Read a text attribute of one value, of either kind of string. */
static void read_text(hid_t attribute, hid_t type, char *field, size_t field_bytes)
{
    char text[TEXT_MAX_BYTES + 1];
    if (H5Tis_variable_str(type) > 0) {
        char *string = NULL;
        hid_t memory = H5Tcopy(type);
        if (H5Aread(attribute, memory, &string) >= 0 && string) {
            ztio_copy_text(field, field_bytes, string);
            (void)H5free_memory(string);
        }
        (void)H5Tclose(memory);
    } else if (H5Tget_size(type) <= TEXT_MAX_BYTES) {
        memset(text, 0, sizeof text);
        if (H5Aread(attribute, type, text) >= 0) {
            size_t n = strlen(text); /* one kind of padding is spaces */
            while (n > 0 && text[n - 1] == ' ')
                text[--n] = 0;
            ztio_copy_text(field, field_bytes, text);
        }
    }
}

static void get_text(hid_t dataset, const char *name, char *field, size_t field_bytes)
{
    field[0] = 0;
    struct attribute a;
    if (!open_attribute(dataset, name, &a))
        return;
    if (H5Tget_class(a.type) == H5T_STRING && H5Sget_simple_extent_npoints(a.space) == 1)
        read_text(a.id, a.type, field, field_bytes);
    close_attribute(&a);
}

/* ---- types --------------------------------------------------------------------------------- */

/* Integers and floats of the plain kinds, by what they are in memory. Types with odd precision or
 * a bias of their own equal none of these in either byte order. */
struct plain_type {
    const char *name;
    uint32_t type; /* zt_type; 0 where ztile has none */
    uint32_t bytes;
    bool is_integer, is_signed;
    hid_t little, big, native;
};

enum { PLAIN_TYPES = 10 };

/* The H5T_ names are calls, hence no constant table. */
static void make_plain_types(struct plain_type *list)
{
    const struct plain_type types[PLAIN_TYPES] = {
        {"f32", ZT_F32, 4, false, true, H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_NATIVE_FLOAT},
        {"f64", ZT_F64, 8, false, true, H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE},
        {"i32", ZT_I32, 4, true, true, H5T_STD_I32LE, H5T_STD_I32BE, H5T_NATIVE_INT32},
        {"i64", ZT_I64, 8, true, true, H5T_STD_I64LE, H5T_STD_I64BE, H5T_NATIVE_INT64},
        {"i8", 0, 1, true, true, H5T_STD_I8LE, H5T_STD_I8BE, H5T_NATIVE_INT8},
        {"u8", 0, 1, true, false, H5T_STD_U8LE, H5T_STD_U8BE, H5T_NATIVE_UINT8},
        {"i16", 0, 2, true, true, H5T_STD_I16LE, H5T_STD_I16BE, H5T_NATIVE_INT16},
        {"u16", 0, 2, true, false, H5T_STD_U16LE, H5T_STD_U16BE, H5T_NATIVE_UINT16},
        {"u32", 0, 4, true, false, H5T_STD_U32LE, H5T_STD_U32BE, H5T_NATIVE_UINT32},
        {"u64", 0, 8, true, false, H5T_STD_U64LE, H5T_STD_U64BE, H5T_NATIVE_UINT64}};
    memcpy(list, types, sizeof types);
}

static bool find_plain_type(hid_t type, struct plain_type *found)
{
    struct plain_type list[PLAIN_TYPES];
    make_plain_types(list);
    for (int i = 0; i < PLAIN_TYPES; i++)
        if (H5Tequal(type, list[i].little) > 0 || H5Tequal(type, list[i].big) > 0) {
            *found = list[i];
            return true;
        }
    return false;
}

uint32_t ztio_type_of_hdf5(hid_t type, hid_t *native)
{
    struct plain_type plain;
    if (!find_plain_type(type, &plain))
        return 0;
    *native = plain.native;
    return plain.type;
}

void ztio_name_type_hdf5(hid_t type, char *name, size_t name_bytes)
{
    struct plain_type plain;
    if (find_plain_type(type, &plain)) {
        ztio_copy_text(name, name_bytes, plain.name);
        return;
    }
    switch (H5Tget_class(type)) {
    case H5T_FLOAT: snprintf(name, name_bytes, "float of %zu bits", 8 * H5Tget_size(type)); return;
    case H5T_INTEGER:
        snprintf(name, name_bytes, "integer of %zu bits", H5Tget_precision(type));
        return;
    case H5T_TIME: ztio_copy_text(name, name_bytes, "time"); return;
    case H5T_STRING: ztio_copy_text(name, name_bytes, "string"); return;
    case H5T_BITFIELD: ztio_copy_text(name, name_bytes, "bit field"); return;
    case H5T_OPAQUE: ztio_copy_text(name, name_bytes, "opaque"); return;
    case H5T_COMPOUND: ztio_copy_text(name, name_bytes, "compound"); return;
    case H5T_REFERENCE: ztio_copy_text(name, name_bytes, "reference"); return;
    case H5T_ENUM: ztio_copy_text(name, name_bytes, "enumeration"); return;
    case H5T_VLEN: ztio_copy_text(name, name_bytes, "variable length"); return;
    case H5T_ARRAY: ztio_copy_text(name, name_bytes, "array"); return;
    default: ztio_copy_text(name, name_bytes, "unknown"); return;
    }
}

/* Fill v->packing; meta.type becomes what the values unpack to. */
static bool get_packing(struct variable *v, const struct plain_type *plain, const char *label,
                        struct ztio_error *error)
{
    static const char *const names[] = {"_FillValue", "missing_value"};
    struct ztio_packing *packing = &v->packing;
    size_t scales, offsets, scale_bytes, offset_bytes;
    *packing = (struct ztio_packing){
        .is_packed = true, .is_signed = plain->is_signed, .stored_bytes = plain->bytes, .scale = 1};
    get_numbers(v->dataset, "scale_factor", &packing->scale, 1, &scales, &scale_bytes);
    get_numbers(v->dataset, "add_offset", &packing->offset, 1, &offsets, &offset_bytes);
    if ((scales != 1 && has_attribute(v->dataset, "scale_factor")) ||
        (offsets != 1 && has_attribute(v->dataset, "add_offset")) || !isfinite(packing->scale) ||
        !isfinite(packing->offset))
        return ztio_fail(error, ZTIO_BAD_DATA,
                         "%s: its scale_factor or add_offset is no finite number", label);
    bool is_float = (scales == 0 || scale_bytes == 4) && (offsets == 0 || offset_bytes == 4);
    v->meta.type = ztio_unpacked_type(packing, is_float);
    for (int i = 0; i < 2; i++) {
        size_t room = ZTIO_MISSING_VALUES - packing->missing_count, count, ignored;
        get_numbers(v->dataset, names[i], packing->missing + packing->missing_count, room, &count,
                    &ignored);
        if (count > room)
            return ztio_fail(error, ZTIO_LACKING, "%s: %zu values of %s are more than ztile takes",
                             label, count, names[i]);
        packing->missing_count += (uint32_t)count;
    }
    return true;
}

size_t ztio_missing_hdf5(hid_t dataset, double *missing)
{
    static const char *const names[] = {"_FillValue", "missing_value"};
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    size_t found = 0, count, ignored;
    for (int i = 0; i < 2; i++) {
        get_numbers(dataset, names[i], missing + found, ZTIO_MISSING_VALUES - found, &count,
                    &ignored);
        found += count <= ZTIO_MISSING_VALUES - found ? count : 0;
    }
    if (found > 0)
        return found;
    hid_t plist = H5Dget_create_plist(dataset);
    if (H5Pfill_value_defined(plist, &defined) >= 0 && defined == H5D_FILL_VALUE_USER_DEFINED &&
        H5Pget_fill_value(plist, H5T_NATIVE_DOUBLE, missing) >= 0)
        found = 1;
    (void)H5Pclose(plist);
    return found;
}

/* The attributes that say so, or a fill value that the dataset's creator chose. */
static void get_fill(struct variable *v)
{
    double missing[ZTIO_MISSING_VALUES];
    v->meta.has_fill = ztio_missing_hdf5(v->dataset, missing) > 0;
    v->meta.fill = v->meta.has_fill ? missing[0] : 0;
}

static bool get_type(struct variable *v, const char *label, struct ztio_error *error)
{
    char name[64];
    struct plain_type plain;
    hid_t type = H5Dget_type(v->dataset);
    bool is_plain = find_plain_type(type, &plain);
    ztio_name_type_hdf5(type, name, sizeof name);
    (void)H5Tclose(type);
    bool has_packing =
        has_attribute(v->dataset, "scale_factor") || has_attribute(v->dataset, "add_offset");
    if (is_plain)
        v->stored = plain.native;
    if (is_plain && plain.is_integer && has_packing)
        return get_packing(v, &plain, label, error);
    if (is_plain && plain.type) {
        v->meta.type = plain.type;
        get_fill(v);
        return true;
    }
    return ztio_fail(error, ZTIO_BAD_DATA,
                     "%s: type %s is not one ztile compresses: f32, f64, i32, i64, or integers "
                     "packed with scale_factor or add_offset",
                     label, name);
}

/* All there is to know of a dataset; v has it open. */
static bool describe(struct variable *v, const char *name, const char *label,
                     struct ztio_error *error)
{
    hsize_t dims[H5S_MAX_RANK];
    uint64_t shape[H5S_MAX_RANK];
    hid_t space = H5Dget_space(v->dataset);
    int rank = H5Sget_simple_extent_ndims(space);
    if (rank > 0)
        (void)H5Sget_simple_extent_dims(space, dims, NULL);
    bool is_null = H5Sget_simple_extent_type(space) == H5S_NULL;
    (void)H5Sclose(space);
    if (rank < 0 || is_null)
        return ztio_fail(error, ZTIO_BAD_DATA, "%s: there are no values in it", label);
    for (int i = 0; i < rank; i++)
        shape[i] = dims[i];
    const char *slash = strrchr(name, '/');
    v->rank = (uint32_t)rank;
    v->meta.format = ZTIO_HDF5;
    ztio_copy_text(v->meta.name, sizeof v->meta.name, slash ? slash + 1 : name);
    get_text(v->dataset, "units", v->meta.units, sizeof v->meta.units);
    return get_type(v, label, error) &&
           ztio_take_shape(v->rank, shape, label, &v->meta, v->axes, error);
}

/* ---- finding datasets ---------------------------------------------------------------------- */

struct gathering {
    struct ztio_candidates *all;
    bool is_out_of_memory;
};

bool ztio_is_scale_hdf5(hid_t dataset)
{
    char class[32];
    get_text(dataset, "CLASS", class, sizeof class);
    return strcmp(class, "DIMENSION_SCALE") == 0;
}

static herr_t gather_one(hid_t file, const char *name, const H5O_info_t *info, void *user)
{
    struct gathering *gathering = user;
    struct variable v = {0};
    uint64_t slice_bytes;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    v.dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (v.dataset < 0)
        return 0;
    if (!ztio_is_scale_hdf5(v.dataset) && describe(&v, name, "", NULL) &&
        ztio_check_shape(&v.meta, "", &slice_bytes, NULL) &&
        !ztio_candidates_add(gathering->all, name, v.meta.type == ZT_F32 || v.meta.type == ZT_F64))
        gathering->is_out_of_memory = true;
    (void)H5Dclose(v.dataset);
    return gathering->is_out_of_memory;
}

static bool gather(hid_t file, const char *path, struct ztio_candidates *all,
                   struct ztio_error *error)
{
    char why[ZTIO_CAUSE_BYTES];
    struct gathering gathering = {all, false};
    if (H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, gather_one, &gathering, H5O_INFO_BASIC) < 0)
        return ztio_fail(error, ZTIO_BAD_DATA, "%s: cannot list its datasets: %s", path,
                         ztio_cause_hdf5(why));
    return !gathering.is_out_of_memory || ztio_fail_memory(error, path);
}

static hid_t open_file(const char *path, struct ztio_error *error)
{
    char why[ZTIO_CAUSE_BYTES];
    ztio_prepare_hdf5();
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        ztio_fail(error, ZTIO_BAD_DATA, "%s cannot be read as HDF5: %s", path,
                  ztio_cause_hdf5(why));
    return file;
}

bool ztio_places_of_hdf5(const char *path, struct ztio_candidates *all, struct ztio_error *error)
{
    hid_t file = open_file(path, error);
    if (file < 0)
        return false;
    bool is_done = gather(file, path, all, error);
    (void)H5Fclose(file);
    return is_done;
}

/* Open the dataset again, with a cache for a layer of chunks. */
static void set_cache(hid_t file, const char *name, struct variable *v)
{
    hsize_t dims[H5S_MAX_RANK], sizes[H5S_MAX_RANK];
    uint64_t shape[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
    size_t bytes, slots;
    hid_t layout = H5Dget_create_plist(v->dataset);
    hid_t space = H5Dget_space(v->dataset);
    bool is_chunked = H5Pget_layout(layout) == H5D_CHUNKED &&
                      H5Pget_chunk(layout, (int)v->rank, sizes) == (int)v->rank &&
                      H5Sget_simple_extent_dims(space, dims, NULL) == (int)v->rank;
    (void)H5Sclose(space);
    (void)H5Pclose(layout);
    for (uint32_t i = 0; is_chunked && i < v->rank; i++) {
        shape[i] = dims[i];
        chunk[i] = sizes[i];
    }
    if (!is_chunked || !ztio_chunk_cache(v->rank, shape, chunk, v->axes[0], H5Tget_size(v->stored),
                                         &bytes, &slots))
        return;
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    (void)H5Pset_chunk_cache(access, slots, bytes, H5D_CHUNK_CACHE_W0_DEFAULT);
    (void)H5Dclose(v->dataset); /* or both would share the old cache */
    v->dataset = H5Dopen2(file, name, access);
    (void)H5Pclose(access);
}

/* Open the dataset that the place means, or the only one, and describe it. */
static bool find(hid_t file, const struct ztio_place *place, struct variable *v,
                 struct ztio_error *error)
{
    struct ztio_candidates all = {0};
    const char *name = place->variable;
    bool is_found = false;
    if (!name[0]) {
        if (!gather(file, place->path, &all, error))
            goto done;
        name = ztio_candidates_pick(&all, place->path, error);
        if (!name)
            goto done;
    }
    v->dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (v->dataset >= 0) {
        is_found = describe(v, name, place->label, error) &&
                   ztio_check_filters(file, name, place->label, error);
        if (is_found)
            set_cache(file, name, v);
        if (v->dataset < 0)
            is_found = ztio_fail(error, ZTIO_IO_ERROR, "%s: cannot open it again", place->label);
    } else {
        (void)gather(file, place->path, &all, NULL);
        ztio_candidates_refuse(&all, place->path, name, error);
    }
done:
    ztio_candidates_free(&all);
    return is_found;
}

/* ---- reading ------------------------------------------------------------------------------- */

static bool read_hdf5(struct ztio_input *input, uint64_t first, uint64_t extent, void *buffer,
                      uint64_t *got, struct ztio_error *error)
{
    const struct variable *v = &((struct hdf5_input *)input)->variable;
    hsize_t from[H5S_MAX_RANK] = {0}, count[H5S_MAX_RANK];
    char why[ZTIO_CAUSE_BYTES];
    for (uint32_t i = 0; i < v->rank; i++)
        count[i] = 1;
    for (uint32_t i = 0; i < input->meta.rank; i++)
        count[v->axes[i]] = input->meta.shape[i];
    from[v->axes[0]] = first;
    count[v->axes[0]] = extent;

    uint64_t values = extent * input->slice_bytes / zt_type_bytes(input->meta.type);
    void *to = buffer;
    if (v->packing.is_packed)
        to = ztio_packed_part(&v->packing, input->meta.type, buffer, values);
    hid_t space = H5Dget_space(v->dataset);
    hid_t memory = H5Screate_simple((int)v->rank, count, NULL);
    bool is_read = H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
                   H5Dread(v->dataset, v->stored, memory, space, H5P_DEFAULT, to) >= 0;
    if (!is_read)
        ztio_fail(error, ZTIO_IO_ERROR, "%s: cannot read: %s", input->label, ztio_cause_hdf5(why));
    (void)H5Sclose(memory);
    (void)H5Sclose(space);
    if (is_read && v->packing.is_packed)
        ztio_unpack(&v->packing, input->meta.type, buffer, values);
    *got = extent;
    return is_read;
}

static void close_hdf5(struct ztio_input *input)
{
    struct hdf5_input *hdf5 = (struct hdf5_input *)input;
    (void)H5Dclose(hdf5->variable.dataset);
    (void)H5Fclose(hdf5->file);
    free(input->label);
    free(hdf5);
}

static const struct ztio_reader hdf5_reader = {read_hdf5, close_hdf5, false};

struct ztio_input *ztio_open_hdf5(struct ztio_place *place, const struct ztio_meta *hints,
                                  struct ztio_error *error)
{
    struct hdf5_input *hdf5 = calloc(1, sizeof *hdf5);
    if (!hdf5) {
        ztio_fail_memory(error, place->label);
        return NULL;
    }
    struct ztio_input *input = &hdf5->input;
    hdf5->variable.dataset = -1;
    hdf5->file = open_file(place->path, error);
    if (hdf5->file < 0 || !find(hdf5->file, place, &hdf5->variable, error))
        goto failed;
    input->meta = hdf5->variable.meta;
    if (!ztio_check_shape(&input->meta, place->label, &input->slice_bytes, error) ||
        !ztio_check_hints(&input->meta, hints, place->label, error))
        goto failed;
    input->reader = &hdf5_reader;
    input->is_seekable = true;
    input->label = place->label;
    place->label = NULL;
    return input;
failed:
    if (hdf5->variable.dataset >= 0)
        (void)H5Dclose(hdf5->variable.dataset);
    if (hdf5->file >= 0)
        (void)H5Fclose(hdf5->file);
    free(hdf5);
    return NULL;
}

/* ---- writing ------------------------------------------------------------------------------- */

struct hdf5_output {
    struct ztio_output output;
    hid_t file; /* -1 once closed */
    hid_t dataset;
    hid_t native; /* not to be closed */
};

static bool fail_hdf5(const struct ztio_bytes *bytes, struct ztio_error *error)
{
    char why[ZTIO_CAUSE_BYTES];
    return ztio_fail(error, ZTIO_IO_ERROR, "%s: cannot write: %s; check name and free space",
                     ztio_bytes_label(bytes), ztio_cause_hdf5(why));
}

static bool put_units(hid_t dataset, const char *units)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate(H5S_SCALAR);
    (void)H5Tset_size(type, strlen(units) + 1);
    (void)H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t attribute = H5Acreate2(dataset, "units", type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool is_put = attribute >= 0 && H5Awrite(attribute, type, units) >= 0;
    if (attribute >= 0)
        (void)H5Aclose(attribute);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    return is_put;
}

static bool put_fill(hid_t dataset, hid_t stored, hid_t native, const union ztio_value *fill)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(dataset, "_FillValue", stored, space, H5P_DEFAULT, H5P_DEFAULT);
    bool is_put = attribute >= 0 && H5Awrite(attribute, native, fill) >= 0;
    if (attribute >= 0)
        (void)H5Aclose(attribute);
    (void)H5Sclose(space);
    return is_put;
}

/* Make the dataset, and the groups on the way to it. */
static bool define(struct hdf5_output *hdf5, const char *variable, const struct ztio_meta *meta,
                   struct ztio_error *error)
{
    struct plain_type list[PLAIN_TYPES];
    hsize_t dims[ZT_MAX_RANK], most[ZT_MAX_RANK], chunk[ZT_MAX_RANK];
    uint64_t chunk_shape[ZT_MAX_RANK];
    union ztio_value fill;
    bool is_open = meta->shape[0] == ZT_UNKNOWN;
    make_plain_types(list);
    int t = 0; /* the check of the shape has seen that it is there */
    while (t + 1 < PLAIN_TYPES && list[t].type != meta->type)
        t++;
    hdf5->native = list[t].native;
    ztio_chunk_shape(meta, chunk_shape);
    for (uint32_t i = 0; i < meta->rank; i++) {
        dims[i] = most[i] = meta->shape[i];
        chunk[i] = chunk_shape[i];
    }
    if (is_open) {
        dims[0] = 0;
        most[0] = H5S_UNLIMITED;
    }
    hid_t space = H5Screate_simple((int)meta->rank, dims, most);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    bool is_set = space >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 &&
                  H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER) >= 0 &&
                  (!is_open || H5Pset_chunk(layout, (int)meta->rank, chunk) >= 0);
    hdf5->dataset = is_set ? H5Dcreate2(hdf5->file, ztio_name_of_variable(meta, variable),
                                        list[t].little, space, links, layout, H5P_DEFAULT)
                           : -1;
    is_set = hdf5->dataset >= 0 && (!meta->units[0] || put_units(hdf5->dataset, meta->units)) &&
             (!ztio_fill_of(meta, &fill) ||
              put_fill(hdf5->dataset, list[t].little, list[t].native, &fill));
    if (!is_set) /* before the next call makes HDF5 forget why */
        fail_hdf5(hdf5->output.bytes, error);
    (void)H5Pclose(layout);
    (void)H5Pclose(links);
    (void)H5Sclose(space);
    return is_set;
}

static bool write_hdf5(struct ztio_output *output, uint64_t extent, const void *buffer,
                       struct ztio_error *error)
{
    const struct hdf5_output *hdf5 = (const struct hdf5_output *)output;
    const struct ztio_meta *meta = &output->meta;
    hsize_t from[ZT_MAX_RANK] = {output->written}, count[ZT_MAX_RANK] = {extent};
    hsize_t whole[ZT_MAX_RANK] = {output->written + extent};
    for (uint32_t i = 1; i < meta->rank; i++)
        whole[i] = count[i] = meta->shape[i];
    if (meta->shape[0] == ZT_UNKNOWN && H5Dset_extent(hdf5->dataset, whole) < 0)
        return fail_hdf5(output->bytes, error);
    hid_t space = H5Dget_space(hdf5->dataset);
    hid_t memory = H5Screate_simple((int)meta->rank, count, NULL);
    bool is_written =
        H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
        H5Dwrite(hdf5->dataset, hdf5->native, memory, space, H5P_DEFAULT, buffer) >= 0;
    if (!is_written)
        fail_hdf5(output->bytes, error);
    (void)H5Sclose(memory);
    (void)H5Sclose(space);
    return is_written;
}

static bool close_output(struct hdf5_output *hdf5)
{
    bool is_closed = hdf5->dataset < 0 || H5Dclose(hdf5->dataset) >= 0;
    is_closed &= hdf5->file < 0 || H5Fclose(hdf5->file) >= 0;
    hdf5->dataset = hdf5->file = -1;
    return is_closed;
}

static bool finish_hdf5(struct ztio_output *output, struct ztio_error *error)
{
    return close_output((struct hdf5_output *)output) || fail_hdf5(output->bytes, error);
}

static void drop_hdf5(struct ztio_output *output)
{
    (void)close_output((struct hdf5_output *)output);
    free(output);
}

static const struct ztio_writer hdf5_writer = {write_hdf5, finish_hdf5, drop_hdf5};

struct ztio_output *ztio_start_hdf5(struct ztio_bytes *bytes, const char *variable,
                                    const struct ztio_meta *meta, struct ztio_error *error)
{
    struct hdf5_output *hdf5 = calloc(1, sizeof *hdf5);
    if (!hdf5) {
        ztio_fail_memory(error, ztio_bytes_label(bytes));
        return NULL;
    }
    hdf5->output = (struct ztio_output){.writer = &hdf5_writer, .meta = *meta, .bytes = bytes};
    hdf5->dataset = -1;
    ztio_prepare_hdf5();
    hdf5->file = ztio_create_hdf5(ztio_bytes_hand_over(bytes), H5P_DEFAULT, H5P_DEFAULT);
    if (hdf5->file < 0)
        fail_hdf5(bytes, error);
    else if (define(hdf5, variable, meta, error))
        return &hdf5->output;
    drop_hdf5(&hdf5->output);
    return NULL;
}
