/* host.c: find the calling HDF5 library's functions, and the few things done with them. */
#define _GNU_SOURCE /* dladdr */
#include "host.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The address of a name in the object that holds 'caller', or in what it is linked to. A program
 * that holds HDF5 itself must be linked to show it (-rdynamic). */
static void *find(void *caller, const char *name)
{
    Dl_info info;
    void *handle = NULL;
    if (dladdr(caller, &info) != 0 && info.dli_fname)
        handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        handle = dlopen(NULL, RTLD_LAZY);
    void *found = handle ? dlsym(handle, name) : NULL;
    if (handle)
        (void)dlclose(handle); /* its other owners keep it loaded */
    return found ? found : dlsym(RTLD_DEFAULT, name);
}

/* Declare a pointer to a function of the host: FIND(caller, result, name, parameters). */
#define FIND(caller, result, name, parameters)                                                     \
    result(*name) parameters;                                                                      \
    do {                                                                                           \
        void *found_ = find(caller, #name);                                                        \
        memcpy(&name, &found_, sizeof found_);                                                     \
    } while (0)

/* A number that HDF5 keeps in a variable. A program that uses the variable itself has taken it over
 * (a copy relocation); the library's own then still has its first value, which is none. */
static zh_hid id_of(void *caller, const char *name)
{
    const zh_hid *id = find(caller, name);
    if (!id || *id <= 0)
        id = dlsym(RTLD_DEFAULT, name);
    return id ? *id : -1;
}

/* Since 2.0 HDF5 pauses its stack while a filter runs: nothing can be pushed. A stack of our own
 * can still take its place. */
static void push(void *caller, zh_hid class, zh_hid major, zh_hid minor, const char *sentence)
{
    bool is_paused = false;
    zh_hid stack = 0; /* H5E_DEFAULT */
    FIND(caller, int, H5Epush2,
         (zh_hid, const char *, const char *, unsigned, zh_hid, zh_hid, zh_hid, const char *, ...));
    FIND(caller, int, H5Eis_paused, (zh_hid, bool *));
    FIND(caller, zh_hid, H5Ecreate_stack, (void));
    FIND(caller, int, H5Eset_current_stack, (zh_hid));
    if (H5Eis_paused)
        (void)H5Eis_paused(0, &is_paused);
    if (is_paused && H5Ecreate_stack && H5Eset_current_stack)
        stack = H5Ecreate_stack();
    if (H5Epush2)
        (void)H5Epush2(stack, "ztile", "filter", 0, class, major, minor, "%s", sentence);
    if (stack > 0)
        (void)H5Eset_current_stack(stack); /* which closes it */
}

void zh_complain(void *caller, const char *format, ...)
{
    char sentence[600];
    va_list args;
    if (!caller)
        return;
    FIND(caller, int, H5open, (void));
    if (!H5open || H5open() < 0) /* the numbers below are set by H5open */
        return;
    const zh_hid class = id_of(caller, "H5E_ERR_CLS_g"), major = id_of(caller, "H5E_PLINE_g"),
                 minor = id_of(caller, "H5E_CALLBACK_g");
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (class > 0 && major > 0 && minor > 0)
        push(caller, class, major, minor, sentence);
}

/* ---- datasets ---- */

static zh_hid native_order(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one ? ZH_ORDER_LE : ZH_ORDER_BE;
}

/* ztile's type for numbers of a kind and size, 0 for none. */
static uint32_t type_of(int class, size_t bytes)
{
    if (class == ZH_FLOAT)
        return bytes == 4 ? ZT_F32 : bytes == 8 ? ZT_F64 : 0;
    if (class == ZH_INTEGER)
        return bytes == 4 ? ZT_I32 : bytes == 8 ? ZT_I64 : 0;
    return 0;
}

/* The bits of a fill value in memory; 0 is an ordinary value. */
static void set_fill(struct zh_chunk *chunk, const void *value)
{
    uint32_t narrow;
    if (zt_type_bytes(chunk->type) == 8) {
        memcpy(&chunk->fill, value, sizeof chunk->fill);
    } else {
        memcpy(&narrow, value, sizeof narrow);
        chunk->fill = narrow;
    }
    chunk->has_fill = chunk->fill != 0;
}

bool zh_chunk_of_dataset(void *caller, zh_hid dcpl, zh_hid type, struct zh_chunk *chunk)
{
    zh_size extents[ZH_MAX_RANK];
    FIND(caller, int, H5Tget_class, (zh_hid));
    FIND(caller, size_t, H5Tget_size, (zh_hid));
    FIND(caller, int, H5Tget_order, (zh_hid));
    FIND(caller, int, H5Tget_sign, (zh_hid));
    FIND(caller, int, H5Pget_chunk, (zh_hid, int, zh_size *));
    if (!H5Tget_class || !H5Tget_size || !H5Tget_order || !H5Tget_sign || !H5Pget_chunk)
        return false;
    const int class = H5Tget_class(type);
    const size_t bytes = H5Tget_size(type);
    memset(chunk, 0, sizeof *chunk);
    chunk->type = type_of(class, bytes);
    if (chunk->type == 0) {
        zh_complain(caller,
                    "ztile codes integers and floats of 4 or 8 bytes, not %s of %zu; use "
                    "another filter for this dataset",
                    class == ZH_INTEGER ? "integers"
                    : class == ZH_FLOAT ? "floats"
                                        : "a type",
                    bytes);
        return false;
    }
    if (H5Tget_order(type) != native_order()) {
        zh_complain(caller, "the dataset's type has not this machine's byte order; create it with "
                            "a native type, HDF5 converts where it is read");
        return false;
    }
    chunk->is_unsigned = class == ZH_INTEGER && H5Tget_sign(type) == ZH_SIGN_NONE;
    const int rank = H5Pget_chunk(dcpl, ZH_MAX_RANK, extents);
    if (rank < 1 || rank > ZH_MAX_RANK) {
        zh_complain(caller, "the dataset is not chunked; filters need chunks");
        return false;
    }
    chunk->rank = (uint32_t)rank;
    for (int i = 0; i < rank; i++)
        chunk->shape[i] = extents[i];
    FIND(caller, int, H5Pfill_value_defined, (zh_hid, int *));
    FIND(caller, int, H5Pget_fill_value, (zh_hid, zh_hid, void *));
    int defined = 0;
    uint64_t value = 0;
    if (H5Pfill_value_defined && H5Pget_fill_value && H5Pfill_value_defined(dcpl, &defined) >= 0 &&
        defined == ZH_FILL_BY_USER && H5Pget_fill_value(dcpl, type, &value) >= 0)
        set_fill(chunk, &value);
    return true;
}

bool zh_chunk_of_variable(void *caller, int ncid, int varid, struct zh_chunk *chunk)
{
    size_t extents[1024]; /* netCDF's own limit of a variable's dimensions */
    int type, rank, storage;
    FIND(caller, int, nc_inq_vartype, (int, int, int *));
    FIND(caller, int, nc_inq_varndims, (int, int, int *));
    FIND(caller, int, nc_inq_var_chunking, (int, int, int *, size_t *));
    if (!nc_inq_vartype || !nc_inq_varndims || !nc_inq_var_chunking ||
        nc_inq_vartype(ncid, varid, &type) != ZH_NC_NOERR ||
        nc_inq_varndims(ncid, varid, &rank) != ZH_NC_NOERR || rank < 1 || rank > ZH_MAX_RANK ||
        nc_inq_var_chunking(ncid, varid, &storage, extents) != ZH_NC_NOERR)
        return false;
    memset(chunk, 0, sizeof *chunk);
    chunk->is_unsigned = type == ZH_NC_UINT || type == ZH_NC_UINT64;
    chunk->type = type == ZH_NC_FLOAT                           ? ZT_F32
                  : type == ZH_NC_DOUBLE                        ? ZT_F64
                  : type == ZH_NC_INT || type == ZH_NC_UINT     ? ZT_I32
                  : type == ZH_NC_INT64 || type == ZH_NC_UINT64 ? ZT_I64
                                                                : 0;
    chunk->rank = (uint32_t)rank;
    for (int i = 0; i < rank; i++)
        chunk->shape[i] = extents[i];
    FIND(caller, int, nc_inq_var_fill, (int, int, int *, void *));
    int has_none = 1;
    uint64_t value = 0;
    if (chunk->type != 0 && nc_inq_var_fill &&
        nc_inq_var_fill(ncid, varid, &has_none, &value) == ZH_NC_NOERR && !has_none)
        set_fill(chunk, &value);
    return chunk->type != 0;
}

bool zh_get_values(void *caller, zh_hid dcpl, int filter, unsigned *flags, size_t *count,
                   unsigned *values)
{
    FIND(caller, int, H5Pget_filter_by_id2,
         (zh_hid, int, unsigned *, size_t *, unsigned *, size_t, char *, unsigned *));
    return H5Pget_filter_by_id2 &&
           H5Pget_filter_by_id2(dcpl, filter, flags, count, values, 0, NULL, NULL) >= 0;
}

bool zh_set_values(void *caller, zh_hid dcpl, int filter, unsigned flags, size_t count,
                   const unsigned *values)
{
    FIND(caller, int, H5Pmodify_filter, (zh_hid, int, unsigned, size_t, const unsigned *));
    return H5Pmodify_filter && H5Pmodify_filter(dcpl, filter, flags, count, values) >= 0;
}

/* What to leave out for a filter of HDF5's own. */
static const char *remedy_of(int filter)
{
    switch (filter) {
    case ZH_FILTER_SHUFFLE: return "shuffle=False in h5py, no -f SHUF in h5repack, ";
    case ZH_FILTER_FLETCHER32: return "fletcher32=False in netCDF4, no -f FLET in h5repack, ";
    case ZH_FILTER_NBIT: return "no -f NBIT in h5repack, ";
    case ZH_FILTER_SCALEOFFSET: return "scaleoffset=None in h5py, no -f SOFF in h5repack, ";
    default: return "";
    }
}

bool zh_check_pipeline(void *caller, zh_hid dcpl, int filter, bool is_lossless, bool is_optional)
{
    char name[80] = "";
    unsigned flags, config;
    size_t none = 0;
    FIND(caller, int, H5Pget_filter2,
         (zh_hid, unsigned, unsigned *, size_t *, unsigned *, size_t, char *, unsigned *));
    if (!H5Pget_filter2)
        return false;
    for (unsigned i = 0;; i++, none = 0) {
        const int other = H5Pget_filter2(dcpl, i, &flags, &none, NULL, sizeof name, name, &config);
        if (other == filter)
            return true;
        if (other < 0)
            return false;
        const bool is_resizing = other == ZH_FILTER_DEFLATE || other == ZH_FILTER_FLETCHER32 ||
                                 other == ZH_FILTER_SZIP || other == ZH_FILTER_NBIT ||
                                 other == ZH_FILTER_SCALEOFFSET;
        if (is_lossless && (is_optional || !is_resizing))
            continue;
        name[sizeof name - 1] = 0;
        zh_complain(caller,
                    "%s (filter %d) stands before filter %d in the pipeline, so that %s; "
                    "leave it out: %sH5Premove_filter(dcpl, %d) in C",
                    name[0] ? name : "another", other, filter,
                    is_lossless ? "chunks have not the bytes of their values"
                                : "no bound on the values would hold",
                    remedy_of(other), other);
        return false;
    }
}

/* ---- what needs no host ---- */

bool zh_threads(void *caller, uint32_t *threads)
{
    const char *text = getenv("ZTILE_THREADS");
    unsigned long wanted = 1;
    char *end = NULL;
    if (text && *text)
        wanted = strtoul(text, &end, 10);
    *threads = (uint32_t)wanted;
    if (end && (*end || *text == '-' || wanted > 1024)) {
        zh_complain(caller,
                    "ZTILE_THREADS is \"%s\" in the environment; it is a number of "
                    "threads, at most 1024, or 0 for all processors",
                    text);
        return false;
    }
    return true;
}

zt_context *zh_context(void *caller)
{
    uint32_t threads;
    return zh_threads(caller, &threads) ? zh_context_of(caller, threads) : NULL;
}

zt_context *zh_context_of(void *caller, uint32_t threads)
{
    zt_context *context;
    if (zt_context_new(NULL, &context) != ZT_OK) {
        zh_complain(caller, "no memory for a context");
        return NULL;
    }
    if (threads != 1) {
        const zt_omp omp = {.threads = threads};
        (void)zt_context_set_omp(context, &omp); /* where there is none: one thread */
    }
    return context;
}

uint32_t zh_drop_unit_axes(struct zh_chunk *chunk)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < chunk->rank; i++)
        if (chunk->shape[i] != 1)
            chunk->shape[kept++] = chunk->shape[i];
    if (kept == 0)
        chunk->shape[kept++] = 1;
    chunk->rank = kept;
    return kept;
}

size_t zh_raw_bytes(uint32_t type, uint32_t rank, const uint64_t *shape)
{
    uint64_t bytes = zt_type_bytes(type);
    for (uint32_t i = 0; i < rank; i++) {
        if (shape[i] == 0 || bytes > SIZE_MAX / 2 / shape[i])
            return 0;
        bytes *= shape[i];
    }
    return (size_t)bytes;
}
