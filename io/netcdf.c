/* netcdf.c: variables of netCDF files, classic and HDF5-based, through libnetcdf, which sees to
 * byte order and unlimited dimensions. Packed integers are unpacked as the CF conventions say. */
#include "format.h"

#include <inttypes.h>
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_MAX_BYTES = 4096, /* of a units attribute that is worth reading */
    GROUP_MAX_DEPTH = 32
};

/* A variable and how it is read. */
struct variable {
    int group;
    int id;
    nc_type stored; /* as it counts: unsigned where an _Unsigned attribute says so */
    uint32_t rank;  /* of the variable, axes of length 1 included */
    uint32_t axes[ZT_MAX_RANK];
    struct ztio_packing packing;
    struct ztio_meta meta;
};

struct netcdf_input {
    struct ztio_input input;
    int file;
    struct variable variable;
};

/* ---- attributes ---------------------------------------------------------------------------- */

/* The numbers of an attribute, as doubles. *count is 0 where there is none or where it holds no
 * numbers, and more than room where it has more values than that, which are not read then. */
static nc_type get_numbers(const struct variable *v, const char *name, double *numbers, size_t room,
                           size_t *count)
{
    nc_type type = NC_NAT;
    *count = 0;
    if (nc_inq_att(v->group, v->id, name, &type, count) != NC_NOERR || type == NC_CHAR ||
        type > NC_UINT64) {
        *count = 0;
        return NC_NAT;
    }
    if (*count <= room && nc_get_att_double(v->group, v->id, name, numbers) != NC_NOERR)
        *count = 0;
    return type;
}

static bool has_attribute(const struct variable *v, const char *name)
{
    int id;
    return nc_inq_attid(v->group, v->id, name, &id) == NC_NOERR;
}

/* A text attribute, "" where there is none. */
static void get_text(const struct variable *v, const char *name, char *field, size_t field_bytes)
{
    nc_type type;
    size_t n;
    char text[TEXT_MAX_BYTES + 1];
    field[0] = 0;
    if (nc_inq_att(v->group, v->id, name, &type, &n) != NC_NOERR)
        return;
    if (type == NC_CHAR && n <= TEXT_MAX_BYTES &&
        nc_get_att_text(v->group, v->id, name, text) == NC_NOERR) {
        text[n] = 0;
        ztio_copy_text(field, field_bytes, text);
    }
    if (type == NC_STRING && n == 1) {
        char *string = NULL;
        if (nc_get_att_string(v->group, v->id, name, &string) == NC_NOERR && string) {
            ztio_copy_text(field, field_bytes, string);
            nc_free_string(1, &string);
        }
    }
}

/* Classic files have no unsigned types; this attribute stands in for them. */
static nc_type as_unsigned(const struct variable *v, nc_type type)
{
    char text[8];
    get_text(v, "_Unsigned", text, sizeof text);
    if (strcmp(text, "true") != 0 && strcmp(text, "True") != 0)
        return type;
    return type == NC_BYTE    ? NC_UBYTE
           : type == NC_SHORT ? NC_USHORT
           : type == NC_INT   ? NC_UINT
           : type == NC_INT64 ? NC_UINT64
                              : type;
}

/* ---- types --------------------------------------------------------------------------------- */

static uint32_t type_of(nc_type type)
{
    return type == NC_FLOAT    ? ZT_F32
           : type == NC_DOUBLE ? ZT_F64
           : type == NC_INT    ? ZT_I32
           : type == NC_INT64  ? ZT_I64
                               : 0u;
}

static nc_type netcdf_type_of(uint32_t type)
{
    return type == ZT_F32   ? NC_FLOAT
           : type == ZT_F64 ? NC_DOUBLE
           : type == ZT_I32 ? NC_INT
                            : NC_INT64;
}

/* The bytes of an integer type, 0 of any other. */
static uint32_t integer_bytes(nc_type type)
{
    switch (type) {
    case NC_BYTE:
    case NC_UBYTE: return 1;
    case NC_SHORT:
    case NC_USHORT: return 2;
    case NC_INT:
    case NC_UINT: return 4;
    case NC_INT64:
    case NC_UINT64: return 8;
    default: return 0;
    }
}

/* Stored values that stand for none: _FillValue and missing_value. */
static bool get_missing(struct variable *v, const char *label, struct ztio_error *error)
{
    static const char *const names[] = {"_FillValue", "missing_value"};
    struct ztio_packing *packing = &v->packing;
    for (int i = 0; i < 2; i++) {
        size_t room = ZTIO_MISSING_VALUES - packing->missing_count, count;
        get_numbers(v, names[i], packing->missing + packing->missing_count, room, &count);
        if (count > room)
            return ztio_fail(error, ZTIO_LACKING, "%s: %zu values of %s are more than ztile takes",
                             label, count, names[i]);
        packing->missing_count += (uint32_t)count;
    }
    /* an unsigned variable of a classic file has attributes of the signed type */
    for (uint32_t i = 0; !packing->is_signed && i < packing->missing_count; i++)
        if (packing->missing[i] < 0)
            packing->missing[i] += ldexp(1, (int)(8 * packing->stored_bytes));
    return true;
}

/* Fill v->packing; meta.type becomes what the values unpack to. */
static bool get_packing(struct variable *v, const char *label, struct ztio_error *error)
{
    struct ztio_packing *packing = &v->packing;
    size_t scales, offsets;
    packing->scale = 1;
    packing->offset = 0;
    nc_type scale_type = get_numbers(v, "scale_factor", &packing->scale, 1, &scales);
    nc_type offset_type = get_numbers(v, "add_offset", &packing->offset, 1, &offsets);
    if ((scales != 1 && has_attribute(v, "scale_factor")) ||
        (offsets != 1 && has_attribute(v, "add_offset")) || !isfinite(packing->scale) ||
        !isfinite(packing->offset))
        return ztio_fail(error, ZTIO_BAD_DATA,
                         "%s: its scale_factor or add_offset is no finite number", label);
    packing->is_packed = true;
    packing->stored_bytes = integer_bytes(v->stored);
    packing->is_signed = v->stored == NC_BYTE || v->stored == NC_SHORT || v->stored == NC_INT ||
                         v->stored == NC_INT64;
    bool is_float =
        (scales == 0 || scale_type == NC_FLOAT) && (offsets == 0 || offset_type == NC_FLOAT);
    v->meta.type = ztio_unpacked_type(packing, is_float);
    return get_missing(v, label, error);
}

static void get_fill(struct variable *v)
{
    double fills[ZTIO_MISSING_VALUES];
    size_t count;
    get_numbers(v, "_FillValue", fills, ZTIO_MISSING_VALUES, &count);
    if (count == 0)
        get_numbers(v, "missing_value", fills, ZTIO_MISSING_VALUES, &count);
    v->meta.has_fill = count > 0 && count <= ZTIO_MISSING_VALUES;
    v->meta.fill = v->meta.has_fill ? fills[0] : 0;
}

static bool get_type(struct variable *v, const char *label, struct ztio_error *error)
{
    char name[NC_MAX_NAME + 1] = "?";
    nc_type type;
    if (nc_inq_vartype(v->group, v->id, &type) != NC_NOERR)
        type = NC_NAT;
    v->stored = as_unsigned(v, type);
    bool has_packing = has_attribute(v, "scale_factor") || has_attribute(v, "add_offset");
    if (has_packing && integer_bytes(v->stored))
        return get_packing(v, label, error);
    v->meta.type = type_of(v->stored);
    if (v->meta.type) {
        get_fill(v);
        return true;
    }
    (void)nc_inq_type(v->group, v->stored, name, NULL);
    return ztio_fail(error, ZTIO_BAD_DATA,
                     "%s: type %s is not one ztile compresses: float, double, int, int64, or "
                     "integers packed with scale_factor or add_offset",
                     label, name);
}

/* Let the library keep a layer of chunks. */
static void set_cache(const struct variable *v, const uint64_t *shape)
{
    size_t sizes[NC_MAX_VAR_DIMS], value_bytes, bytes, slots;
    uint64_t chunk[NC_MAX_VAR_DIMS];
    int storage;
    if (nc_inq_var_chunking(v->group, v->id, &storage, sizes) != NC_NOERR ||
        storage != NC_CHUNKED || nc_inq_type(v->group, v->stored, NULL, &value_bytes) != NC_NOERR)
        return;
    for (uint32_t i = 0; i < v->rank; i++)
        chunk[i] = sizes[i];
    if (ztio_chunk_cache(v->rank, shape, chunk, v->axes[0], value_bytes, &bytes, &slots))
        (void)nc_set_var_chunk_cache(v->group, v->id, bytes, slots, 0.75f);
}

/* All there is to know of a variable; v has its group and id. */
static bool describe(struct variable *v, const char *label, struct ztio_error *error)
{
    char name[NC_MAX_NAME + 1];
    int rank, dims[NC_MAX_VAR_DIMS];
    uint64_t shape[NC_MAX_VAR_DIMS];
    if (nc_inq_varname(v->group, v->id, name) != NC_NOERR ||
        nc_inq_varndims(v->group, v->id, &rank) != NC_NOERR || rank > NC_MAX_VAR_DIMS ||
        nc_inq_vardimid(v->group, v->id, dims) != NC_NOERR)
        return ztio_fail(error, ZTIO_BAD_DATA, "%s cannot be made sense of", label);
    for (int i = 0; i < rank; i++) {
        size_t n;
        if (nc_inq_dimlen(v->group, dims[i], &n) != NC_NOERR)
            return ztio_fail(error, ZTIO_BAD_DATA, "%s: a dimension has no length", label);
        shape[i] = n;
    }
    v->rank = (uint32_t)rank;
    v->meta.format = ZTIO_NETCDF;
    ztio_copy_text(v->meta.name, sizeof v->meta.name, name);
    get_text(v, "units", v->meta.units, sizeof v->meta.units);
    if (!get_type(v, label, error) ||
        !ztio_take_shape(v->rank, shape, label, &v->meta, v->axes, error))
        return false;
    set_cache(v, shape);
    return true;
}

/* ---- finding variables --------------------------------------------------------------------- */

/* A variable of one axis that is named like its dimension. */
static bool is_coordinate(const struct variable *v)
{
    char name[NC_MAX_NAME + 1], dim_name[NC_MAX_NAME + 1];
    int rank, dim;
    return nc_inq_varndims(v->group, v->id, &rank) == NC_NOERR && rank == 1 &&
           nc_inq_vardimid(v->group, v->id, &dim) == NC_NOERR &&
           nc_inq_varname(v->group, v->id, name) == NC_NOERR &&
           nc_inq_dimname(v->group, dim, dim_name) == NC_NOERR && strcmp(name, dim_name) == 0;
}

/* Add what can be read in a group to all; prefix is "" or "/group/". */
static bool gather_variables(int group, const char *prefix, struct ztio_candidates *all)
{
    int count = 0;
    uint64_t slice_bytes;
    if (nc_inq_nvars(group, &count) != NC_NOERR)
        return true;
    for (int id = 0; id < count; id++) {
        struct variable v = {.group = group, .id = id};
        char name[NC_MAX_NAME + 1];
        if (is_coordinate(&v) || !describe(&v, "", NULL) ||
            !ztio_check_shape(&v.meta, "", &slice_bytes, NULL) ||
            nc_inq_varname(group, id, name) != NC_NOERR)
            continue;
        size_t bytes = strlen(prefix) + strlen(name) + 1;
        char *full = malloc(bytes);
        if (!full)
            return false;
        snprintf(full, bytes, "%s%s", prefix, name);
        bool is_added =
            ztio_candidates_add(all, full, v.meta.type == ZT_F32 || v.meta.type == ZT_F64);
        free(full);
        if (!is_added)
            return false;
    }
    return true;
}

static bool gather(int group, const char *prefix, int depth, struct ztio_candidates *all)
{
    int count = 0;
    if (!gather_variables(group, prefix, all))
        return false;
    if (depth == GROUP_MAX_DEPTH || nc_inq_grps(group, &count, NULL) != NC_NOERR || count <= 0)
        return true;
    int *groups = malloc((size_t)count * sizeof *groups);
    bool is_done = groups != NULL;
    if (is_done && nc_inq_grps(group, &count, groups) != NC_NOERR)
        count = 0;
    for (int i = 0; is_done && i < count; i++) {
        char name[NC_MAX_NAME + 1];
        if (nc_inq_grpname(groups[i], name) != NC_NOERR)
            continue;
        size_t bytes = strlen(prefix) + strlen(name) + sizeof "//";
        char *inner = malloc(bytes);
        if (inner)
            snprintf(inner, bytes, "%s%s/", prefix[0] ? prefix : "/", name);
        is_done = inner && gather(groups[i], inner, depth + 1, all);
        free(inner);
    }
    free(groups);
    return is_done;
}

/* Open or make a file. libnetcdf takes some names for addresses, and leaves out leading spaces,
 * but not after a "./". It uses HDF5 itself. */
static int open_by_name(const char *path, bool is_new, int *file)
{
    size_t bytes = strlen(path) + sizeof "./";
    char *name = malloc(bytes);
    if (!name)
        return NC_ENOMEM;
    snprintf(name, bytes, "%s%s", path[0] == '/' ? "" : "./", path);
#if ZTIO_HAVE_HDF5
    ztio_prepare_hdf5();
#endif
    int status =
        is_new ? nc_create(name, NC_CLOBBER | NC_NETCDF4, file) : nc_open(name, NC_NOWRITE, file);
    free(name);
    return status;
}

static bool open_file(const char *path, int *file, struct ztio_error *error)
{
    if (!ztio_check_classic(path, error))
        return false;
    int status = open_by_name(path, false, file);
    return status == NC_NOERR || ztio_fail(error, ZTIO_BAD_DATA, "%s cannot be read as netCDF: %s",
                                           path, nc_strerror(status));
}

bool ztio_places_of_netcdf(const char *path, struct ztio_candidates *all, struct ztio_error *error)
{
    int file;
    if (!open_file(path, &file, error))
        return false;
    bool is_done = gather(file, "", 0, all);
    (void)nc_close(file);
    return is_done || ztio_fail_memory(error, path);
}

/* The next name on the way to "/group/variable" into part; false at the last one, to which *path
 * then points, and at names that are too long. */
static bool take_group(const char **path, char *part)
{
    while (**path == '/')
        (*path)++;
    const char *slash = strchr(*path, '/');
    if (!slash || slash - *path > NC_MAX_NAME)
        return false;
    memcpy(part, *path, (size_t)(slash - *path));
    part[slash - *path] = 0;
    *path = slash + 1;
    return true;
}

/* Go down the groups of "/group/variable"; *name becomes the variable's own name. */
static bool enter_groups(int file, const char *variable, int *group, const char **name)
{
    char part[NC_MAX_NAME + 1];
    *group = file;
    while (take_group(&variable, part))
        if (nc_inq_grp_ncid(*group, part, group) != NC_NOERR)
            return false;
    *name = variable;
    return true;
}

/* The variable that the place means, or the only one. */
static bool find(int file, const struct ztio_place *place, struct variable *v,
                 struct ztio_error *error)
{
    struct ztio_candidates all = {0};
    const char *variable = place->variable, *name;
    bool is_found = false;
    if (!variable[0]) {
        if (!gather(file, "", 0, &all)) {
            ztio_fail_memory(error, place->path);
            goto done;
        }
        variable = ztio_candidates_pick(&all, place->path, error);
        if (!variable)
            goto done;
    }
    is_found = enter_groups(file, variable, &v->group, &name) &&
               nc_inq_varid(v->group, name, &v->id) == NC_NOERR;
    if (!is_found) {
        (void)gather(file, "", 0, &all);
        ztio_candidates_refuse(&all, place->path, variable, error);
    }
done:
    ztio_candidates_free(&all);
    return is_found;
}

/* ---- reading ------------------------------------------------------------------------------- */

static bool read_netcdf(struct ztio_input *input, uint64_t first, uint64_t extent, void *buffer,
                        uint64_t *got, struct ztio_error *error)
{
    const struct netcdf_input *netcdf = (const struct netcdf_input *)input;
    const struct variable *v = &netcdf->variable;
    size_t from[NC_MAX_VAR_DIMS], count[NC_MAX_VAR_DIMS];
    for (uint32_t i = 0; i < v->rank; i++) {
        from[i] = 0;
        count[i] = 1;
    }
    for (uint32_t i = 0; i < input->meta.rank; i++)
        count[v->axes[i]] = (size_t)input->meta.shape[i];
    from[v->axes[0]] = (size_t)first;
    count[v->axes[0]] = (size_t)extent;

    uint64_t values = extent * input->slice_bytes / zt_type_bytes(input->meta.type);
    void *to = buffer;
    if (v->packing.is_packed)
        to = ztio_packed_part(&v->packing, input->meta.type, buffer, values);
    int status = nc_get_vara(v->group, v->id, from, count, to);
    if (status != NC_NOERR)
        return ztio_fail(error, ZTIO_IO_ERROR, "%s: cannot read: %s", input->label,
                         nc_strerror(status));
    if (v->packing.is_packed)
        ztio_unpack(&v->packing, input->meta.type, buffer, values);
    *got = extent;
    return true;
}

static void close_netcdf(struct ztio_input *input)
{
    (void)nc_close(((struct netcdf_input *)input)->file);
    free(input->label);
    free(input);
}

static const struct ztio_reader netcdf_reader = {read_netcdf, close_netcdf, false};

/* ztile's filters in a file that is HDF5. */
static bool check_filters(const struct netcdf_input *netcdf, const char *path, const char *label,
                          struct ztio_error *error)
{
#if ZTIO_HAVE_HDF5
    char group[4096], name[NC_MAX_NAME + 1];
    size_t bytes;
    int format, mode;
    const struct variable *v = &netcdf->variable;
    if (nc_inq_format_extended(netcdf->file, &format, &mode) != NC_NOERR ||
        format != NC_FORMATX_NC_HDF5)
        return true;
    if (nc_inq_varname(v->group, v->id, name) != NC_NOERR ||
        nc_inq_grpname_len(v->group, &bytes) != NC_NOERR || bytes >= sizeof group ||
        nc_inq_grpname_full(v->group, NULL, group) != NC_NOERR)
        return ztio_fail(error, ZTIO_BAD_DATA, "%s cannot be made sense of", label);
    return ztio_check_filters_at(path, group, name, label, error);
#else
    (void)netcdf;
    (void)path;
    (void)label;
    (void)error;
    return true;
#endif
}

struct ztio_input *ztio_open_netcdf(struct ztio_place *place, const struct ztio_meta *hints,
                                    struct ztio_error *error)
{
    struct netcdf_input *netcdf = calloc(1, sizeof *netcdf);
    if (!netcdf) {
        ztio_fail_memory(error, place->label);
        return NULL;
    }
    if (!open_file(place->path, &netcdf->file, error)) {
        free(netcdf);
        return NULL;
    }
    struct ztio_input *input = &netcdf->input;
    if (!find(netcdf->file, place, &netcdf->variable, error) ||
        !describe(&netcdf->variable, place->label, error) ||
        !check_filters(netcdf, place->path, place->label, error))
        goto failed;
    input->meta = netcdf->variable.meta;
    if (!ztio_check_shape(&input->meta, place->label, &input->slice_bytes, error) ||
        !ztio_check_hints(&input->meta, hints, place->label, error))
        goto failed;
    input->reader = &netcdf_reader;
    input->is_seekable = true;
    input->label = place->label;
    place->label = NULL;
    return input;
failed:
    (void)nc_close(netcdf->file);
    free(netcdf);
    return NULL;
}

/* ---- writing ------------------------------------------------------------------------------- */

struct netcdf_output {
    struct ztio_output output;
    int file; /* -1 once closed */
    int group;
    int id;
};

static bool fail_netcdf(const struct ztio_bytes *bytes, int status, struct ztio_error *error)
{
    return ztio_fail(error, ZTIO_IO_ERROR, "%s: cannot write: %s; check name and free space",
                     ztio_bytes_label(bytes), nc_strerror(status));
}

/* Make the groups of "/group/variable"; *name becomes the variable's own name. */
static int make_groups(int file, const char *variable, int *group, const char **name)
{
    char part[NC_MAX_NAME + 1];
    *group = file;
    while (take_group(&variable, part)) {
        int status = nc_def_grp(*group, part, group);
        if (status != NC_NOERR)
            return status;
    }
    *name = variable;
    return NC_NOERR;
}

/* Chunks, fill value, units. */
static int define_details(const struct netcdf_output *netcdf, const struct ztio_meta *meta)
{
    uint64_t chunk[ZT_MAX_RANK];
    size_t sizes[ZT_MAX_RANK];
    union ztio_value fill;
    bool has_fill = ztio_fill_of(meta, &fill);
    int status = nc_def_var_fill(netcdf->group, netcdf->id, has_fill ? NC_FILL : NC_NOFILL,
                                 has_fill ? &fill : NULL);
    if (status == NC_NOERR && meta->shape[0] == ZT_UNKNOWN) {
        ztio_chunk_shape(meta, chunk);
        for (uint32_t i = 0; i < meta->rank; i++)
            sizes[i] = (size_t)chunk[i];
        status = nc_def_var_chunking(netcdf->group, netcdf->id, NC_CHUNKED, sizes);
    }
    if (status == NC_NOERR && meta->units[0])
        status =
            nc_put_att_text(netcdf->group, netcdf->id, "units", strlen(meta->units), meta->units);
    return status;
}

static int define(struct netcdf_output *netcdf, const char *variable, const struct ztio_meta *meta)
{
    int dims[ZT_MAX_RANK];
    const char *name;
    int status =
        make_groups(netcdf->file, ztio_name_of_variable(meta, variable), &netcdf->group, &name);
    for (uint32_t i = 0; status == NC_NOERR && i < meta->rank; i++) {
        char dim_name[16];
        snprintf(dim_name, sizeof dim_name, "dim%" PRIu32, i);
        size_t n = meta->shape[i] == ZT_UNKNOWN ? NC_UNLIMITED : (size_t)meta->shape[i];
        status = nc_def_dim(netcdf->group, dim_name, n, &dims[i]);
    }
    if (status != NC_NOERR)
        return status;
    nc_type type = netcdf_type_of(meta->type);
    status = nc_def_var(netcdf->group, name, type, (int)meta->rank, dims, &netcdf->id);
    /* a name from elsewhere may be none that netCDF takes */
    if (status == NC_EBADNAME && !variable[0])
        status = nc_def_var(netcdf->group, "data", type, (int)meta->rank, dims, &netcdf->id);
    if (status == NC_NOERR)
        status = define_details(netcdf, meta);
    return status == NC_NOERR ? nc_enddef(netcdf->file) : status;
}

static bool write_netcdf(struct ztio_output *output, uint64_t extent, const void *buffer,
                         struct ztio_error *error)
{
    const struct netcdf_output *netcdf = (const struct netcdf_output *)output;
    size_t from[ZT_MAX_RANK] = {0}, count[ZT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < output->meta.rank; i++)
        count[i] = (size_t)output->meta.shape[i];
    from[0] = (size_t)output->written;
    count[0] = (size_t)extent;
    int status = nc_put_vara(netcdf->group, netcdf->id, from, count, buffer);
    return status == NC_NOERR || fail_netcdf(output->bytes, status, error);
}

static bool finish_netcdf(struct ztio_output *output, struct ztio_error *error)
{
    struct netcdf_output *netcdf = (struct netcdf_output *)output;
    int status = nc_close(netcdf->file);
    netcdf->file = -1;
    return status == NC_NOERR || fail_netcdf(output->bytes, status, error);
}

static void drop_netcdf(struct ztio_output *output)
{
    struct netcdf_output *netcdf = (struct netcdf_output *)output;
    if (netcdf->file >= 0)
        (void)nc_abort(netcdf->file);
    free(netcdf);
}

static const struct ztio_writer netcdf_writer = {write_netcdf, finish_netcdf, drop_netcdf};

struct ztio_output *ztio_start_netcdf(struct ztio_bytes *bytes, const char *variable,
                                      const struct ztio_meta *meta, struct ztio_error *error)
{
    struct netcdf_output *netcdf = calloc(1, sizeof *netcdf);
    if (!netcdf) {
        ztio_fail_memory(error, ztio_bytes_label(bytes));
        return NULL;
    }
    netcdf->output = (struct ztio_output){.writer = &netcdf_writer, .meta = *meta, .bytes = bytes};
    int status = open_by_name(ztio_bytes_hand_over(bytes), true, &netcdf->file);
    if (status == NC_NOERR) {
        status = define(netcdf, variable, meta);
        if (status == NC_NOERR)
            return &netcdf->output;
        (void)nc_abort(netcdf->file);
    }
    free(netcdf);
    fail_netcdf(bytes, status, error);
    return NULL;
}

/* ---- the table of ztile-netcdf.so; see modules.c --------------------------------------------- */

extern const struct ztio_format_functions ztile_netcdf;

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct ztio_format_functions ztile_netcdf = {ztio_open_netcdf, ztio_places_of_netcdf,
                                                   ztio_start_netcdf};
