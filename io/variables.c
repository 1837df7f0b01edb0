/* variables.c: what netCDF and HDF5 files have in common: which variable is meant, axes of length
 * 1, packed values. */
#include "format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- candidates ---------------------------------------------------------------------------- */

bool ztio_candidates_add(struct ztio_candidates *all, const char *name, bool is_float)
{
    if (all->count == all->room) {
        size_t room = all->room ? 2 * all->room : 16;
        struct ztio_candidate *list = realloc(all->list, room * sizeof *list);
        if (!list)
            return false;
        all->list = list;
        all->room = room;
    }
    char *copy = strdup(name);
    if (!copy)
        return false;
    all->list[all->count++] = (struct ztio_candidate){copy, is_float};
    return true;
}

void ztio_candidates_free(struct ztio_candidates *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->list[i].name);
    free(all->list);
    *all = (struct ztio_candidates){0};
}

/* The first few names, with commas between. */
static void list_names(const struct ztio_candidates *all, char *text, size_t text_bytes)
{
    enum { SHOWN = 4 };
    size_t n = 0;
    text[0] = 0;
    for (size_t i = 0; i < all->count && i <= SHOWN && n < text_bytes; i++)
        n += (size_t)snprintf(text + n, text_bytes - n, "%s%s", i ? ", " : "",
                              i < SHOWN ? all->list[i].name : "...");
}

const char *ztio_candidates_pick(const struct ztio_candidates *all, const char *path,
                                 struct ztio_error *error)
{
    const char *only_float = NULL;
    size_t floats = 0;
    char names[256];
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].is_float) {
            only_float = all->list[i].name;
            floats++;
        }
    if (floats == 1)
        return only_float;
    if (all->count == 1)
        return all->list[0].name;
    if (all->count == 0) {
        ztio_fail(error, ZTIO_BAD_DATA,
                  "%s has no variable of 1 to 4 axes of float or integers of 4 or 8 bytes", path);
        return NULL;
    }
    list_names(all, names, sizeof names);
    ztio_fail(error, ZTIO_BAD_USE, "%s holds %zu variables (%s); name one, as in %.200s:%.100s",
              path, all->count, names, path, all->list[0].name);
    return NULL;
}

bool ztio_candidates_refuse(const struct ztio_candidates *all, const char *path,
                            const char *variable, struct ztio_error *error)
{
    char names[256];
    list_names(all, names, sizeof names);
    return ztio_fail(error, ZTIO_BAD_USE, "%s has no variable %.200s%s%s", path, variable,
                     all->count ? "; it has " : "", names);
}

bool ztio_candidates_places(const struct ztio_candidates *all, const char *path, char ***places,
                            size_t *count, struct ztio_error *error)
{
    char **list = calloc(all->count + 1, sizeof *list);
    char names[256];
    size_t n = 0;
    if (!list)
        return ztio_fail_memory(error, path);
    for (size_t i = 0; i < all->count; i++) {
        if (!all->list[i].is_float)
            continue;
        size_t bytes = strlen(path) + strlen(all->list[i].name) + sizeof ":";
        list[n] = malloc(bytes);
        if (!list[n]) {
            ztio_places_free(list, n);
            return ztio_fail_memory(error, path);
        }
        snprintf(list[n++], bytes, "%s:%s", path, all->list[i].name);
    }
    if (n == 0) {
        ztio_places_free(list, n);
        list_names(all, names, sizeof names);
        if (all->count)
            return ztio_fail(error, ZTIO_BAD_USE,
                             "%s has no float variable; name one of the others (%s), as in "
                             "%.200s:%.100s",
                             path, names, path, all->list[0].name);
        return ztio_candidates_pick(all, path, error) != NULL;
    }
    *places = list;
    *count = n;
    return true;
}

/* ---- shape --------------------------------------------------------------------------------- */

bool ztio_take_shape(uint32_t file_rank, const uint64_t *file_shape, const char *label,
                     struct ztio_meta *meta, uint32_t *axes, struct ztio_error *error)
{
    uint32_t surplus = file_rank > ZT_MAX_RANK ? file_rank - ZT_MAX_RANK : 0;
    uint32_t rank = 0;
    if (file_rank == 0)
        return ztio_fail(error, ZTIO_BAD_DATA,
                         "%s is a single value; ztile compresses arrays of 1 to 4 axes", label);
    for (uint32_t i = 0; i < file_rank; i++) {
        if (surplus > 0 && file_shape[i] == 1) {
            surplus--;
            continue;
        }
        if (rank == ZT_MAX_RANK)
            return ztio_fail(error, ZTIO_BAD_DATA,
                             "%s has %u axes, more than 4 of them longer than 1; "
                             "ztile compresses arrays of 1 to 4 axes",
                             label, file_rank);
        meta->shape[rank] = file_shape[i];
        axes[rank++] = i;
    }
    meta->rank = rank;
    return true;
}

bool ztio_chunk_cache(uint32_t file_rank, const uint64_t *file_shape, const uint64_t *chunk,
                      uint32_t slow_axis, size_t value_bytes, size_t *cache_bytes,
                      size_t *cache_slots)
{
    uint64_t chunks = 1, bytes = value_bytes;
    for (uint32_t i = 0; i < file_rank; i++) {
        if (chunk[i] == 0 || chunk[i] > ZTIO_CACHE_MAX_BYTES / bytes)
            return false;
        bytes *= chunk[i];
    }
    for (uint32_t i = 0; i < file_rank; i++) {
        uint64_t along = i == slow_axis ? 1 : (file_shape[i] - 1) / chunk[i] + 1;
        if (along > ZTIO_CACHE_MAX_BYTES / bytes)
            return false;
        bytes *= along;
        chunks *= along;
    }
    *cache_bytes = (size_t)bytes;
    *cache_slots = (size_t)chunks * 10 + 1; /* HDF5's advice: ten times what it is to hold */
    return bytes > 1 << 20;
}

/* ---- packed values ------------------------------------------------------------------------- */

uint32_t ztio_unpacked_type(const struct ztio_packing *packing, bool has_float_attributes)
{
    return has_float_attributes && packing->stored_bytes <= 2 ? ZT_F32 : ZT_F64;
}

void *ztio_packed_part(const struct ztio_packing *packing, uint32_t type, void *buffer, uint64_t n)
{
    return (char *)buffer + n * (zt_type_bytes(type) - packing->stored_bytes);
}

/* The stored integer at p, as a double: exact up to 53 bits. */
static inline double stored_at(uint32_t bytes, bool is_signed, const void *p)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
    } v;
    switch (bytes) {
    case 1: memcpy(&v, p, 1); return is_signed ? (double)v.i8 : (double)v.u8;
    case 2: memcpy(&v, p, 2); return is_signed ? (double)v.i16 : (double)v.u16;
    case 4: memcpy(&v, p, 4); return is_signed ? (double)v.i32 : (double)v.u32;
    default: memcpy(&v, p, 8); return is_signed ? (double)v.i64 : (double)v.u64;
    }
}

/* The stored values are at the end of the buffer, so that writing value i, which reaches at most
 * to the end of stored value i, never touches one that is still to be read. */
void ztio_unpack(const struct ztio_packing *packing, uint32_t type, void *buffer, uint64_t n)
{
    const uint32_t bytes = packing->stored_bytes;
    const bool is_signed = packing->is_signed;
    const char *stored = ztio_packed_part(packing, type, buffer, n);
    for (uint64_t i = 0; i < n; i++) {
        double v = stored_at(bytes, is_signed, stored + i * bytes);
        bool is_missing = false;
        for (uint32_t k = 0; k < packing->missing_count; k++)
            is_missing |= v == packing->missing[k];
        double value = is_missing ? (double)NAN : v * packing->scale + packing->offset;
        if (type == ZT_F32)
            ((float *)buffer)[i] = (float)value;
        else
            ((double *)buffer)[i] = value;
    }
}

/* ---- writing ------------------------------------------------------------------------------- */

bool ztio_fill_of(const struct ztio_meta *meta, union ztio_value *fill)
{
    const double v = meta->fill;
    const double limit = meta->type == ZT_I32 ? 0x1p31 : 0x1p63;
    if (!meta->has_fill)
        return false;
    switch (meta->type) {
    case ZT_F32: fill->f32 = (float)v; return isnan(v) || (double)fill->f32 == v;
    case ZT_F64: fill->f64 = v; return true;
    default:
        if (!(v >= -limit && v < limit && v == floor(v)))
            return false;
        if (meta->type == ZT_I32)
            fill->i32 = (int32_t)v;
        else
            fill->i64 = (int64_t)v;
        return true;
    }
}

void ztio_chunk_shape(const struct ztio_meta *meta, uint64_t *chunk)
{
    enum { CHUNK_BYTES = 1 << 20 }; /* what HDF5's chunk cache holds unless told otherwise */
    uint64_t left = CHUNK_BYTES / zt_type_bytes(meta->type);
    for (uint32_t i = meta->rank; i-- > 0;) {
        chunk[i] = meta->shape[i] < left ? meta->shape[i] : left;
        left /= chunk[i];
        left = left ? left : 1;
    }
}

const char *ztio_name_of_variable(const struct ztio_meta *meta, const char *variable)
{
    if (variable[0])
        return variable;
    return meta->name[0] && !strchr(meta->name, '/') ? meta->name : "data";
}
