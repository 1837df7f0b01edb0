/* values.c: datasets of a file that is written again: what they are, in which chunks they go
 * through a filter, and their values, block by block. chunks.c has the threads for the filter. */
#include "whole/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    OUR_FILTER = 48613,     /* plugins/hdf5/ztile_h5.h */
    OUR_FILTER_ZFP = 32013, /* H5Z-ZFP's, and ours */
    CHUNK_LEAST = 32 << 10, /* of chunks that are kept: smaller ones compress badly */
    CHUNK_MOST = 64 << 20,  /* likewise: a larger one is a lot to decode for one value */
    BLOCK_BYTES = 32 << 20, /* read and written at a time, at most */
    BLOCK_LEAST = 8 << 20,  /* of blocks by turns; more where threads would have few chunks */
    CHUNKS_A_THREAD = 4,
    HEADER_BYTES = 128 /* that chunks and a filter add to a dataset's header, at most */
};

/* ---- what a dataset is ----------------------------------------------------------------------- */

bool ztio_is_our_filter(H5Z_filter_t filter)
{
    return filter == OUR_FILTER || filter == OUR_FILTER_ZFP;
}

static bool has_our_filter(hid_t properties)
{
    return H5Pget_filter_by_id2(properties, OUR_FILTER, NULL, NULL, NULL, 0, NULL, NULL) >= 0 ||
           H5Pget_filter_by_id2(properties, OUR_FILTER_ZFP, NULL, NULL, NULL, 0, NULL, NULL) >= 0;
}

/* A number of bytes that 63 bits hold, or 0. */
static uint64_t count_raw_bytes(const struct ztio_variable *v)
{
    uint64_t bytes = zt_type_bytes(v->type);
    for (uint32_t i = 0; i < v->rank; i++) {
        if (v->shape[i] == 0 || bytes > (uint64_t)INT64_MAX / v->shape[i])
            return 0;
        bytes *= v->shape[i];
    }
    return bytes;
}

/* NaN are kept exactly without being fill values. */
static bool is_same_missing(const struct ztio_variable *v, double a, double b)
{
    return isnan(a) || (v->type == ZT_F32 ? (float)a == (float)b : a == b);
}

static bool has_fill(hid_t properties)
{
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    return H5Pfill_value_defined(properties, &defined) >= 0 &&
           defined == H5D_FILL_VALUE_USER_DEFINED;
}

/* Values that mean there is none beside the first, of which filters know but one. */
static bool has_other_missing(const struct ztio_variable *v, hid_t properties)
{
    double fill = v->missing_count > 0 ? v->missing[0] : 0;
    bool differs = v->missing_count > 0 && has_fill(properties) &&
                   H5Pget_fill_value(properties, H5T_NATIVE_DOUBLE, &fill) >= 0 &&
                   !is_same_missing(v, fill, v->missing[0]);
    for (size_t i = 1; i < v->missing_count; i++)
        differs |= !is_same_missing(v, v->missing[i], v->missing[0]);
    return differs;
}

/* Whether it has floats in a plain layout; what they are goes to v. */
static bool describe(hid_t dataset, hid_t type, hid_t space, hid_t properties,
                     struct ztio_variable *v)
{
    hsize_t extents[ZTIO_MAX_AXES];
    hid_t native;
    const H5D_layout_t layout = H5Pget_layout(properties);
    const int rank = H5Sget_simple_extent_ndims(space);
    v->type = ztio_type_of_hdf5(type, &native);
    if ((v->type != ZT_F32 && v->type != ZT_F64) || rank < 1 || rank > ZTIO_MAX_AXES ||
        H5Sget_simple_extent_type(space) != H5S_SIMPLE || H5Pget_external_count(properties) > 0 ||
        (layout != H5D_CHUNKED && layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) ||
        H5Sget_simple_extent_dims(space, extents, NULL) != rank)
        return false;
    v->rank = (uint32_t)rank;
    for (int i = 0; i < rank; i++)
        v->shape[i] = extents[i];
    v->raw_bytes = count_raw_bytes(v);
    v->stored_bytes = H5Dget_storage_size(dataset);
    v->has_our_filter = has_our_filter(properties);
    v->missing_count = ztio_missing_hdf5(dataset, v->missing);
    v->has_other_missing = has_other_missing(v, properties);
    return v->raw_bytes > 0;
}

bool whole_describe(struct whole *w, struct object *o, bool *is_candidate)
{
    hid_t dataset = H5Dopen2(w->in, o->path, H5P_DEFAULT);
    if (dataset < 0)
        return whole_fail_read(w, o->path);
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    hid_t properties = H5Dget_create_plist(dataset);
    const bool is_open = type >= 0 && space >= 0 && properties >= 0;
    if (!is_open)
        (void)whole_fail_read(w, o->path);
    o->is_by_value = is_open && whole_is_by_value(type);
    *is_candidate = is_open && describe(dataset, type, space, properties, &o->variable);
    (void)H5Pclose(properties);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    (void)H5Dclose(dataset);
    return is_open;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* The file's own chunks, where they will do. */
static bool keep_chunks(const struct ztio_variable *v, hid_t properties, hsize_t *chunk)
{
    if (H5Pget_layout(properties) != H5D_CHUNKED ||
        H5Pget_chunk(properties, (int)v->rank, chunk) != (int)v->rank)
        return false;
    const uint64_t bytes = whole_chunk_bytes(v, chunk);
    return bytes >= CHUNK_LEAST && bytes <= CHUNK_MOST && whole_long_axes(v, chunk) <= ZT_MAX_RANK;
}

/* A chunk that reaches beyond the array is padded with the fill value, beside which zfp's stream
 * loses what it was to keep: take extents that divide the array's where there are some near. */
static void divide_evenly(const struct ztio_variable *v, hsize_t *chunk)
{
    for (uint32_t i = 0; i < v->rank; i++) {
        if (v->shape[i] % chunk[i] == 0)
            continue;
        for (hsize_t n = chunk[i]; n > chunk[i] / 4; n--)
            if (v->shape[i] % n == 0) {
                chunk[i] = n;
                break;
            }
        if (v->shape[i] % chunk[i] != 0 &&
            whole_chunk_bytes(v, chunk) / chunk[i] <= CHUNK_MOST / v->shape[i])
            chunk[i] = v->shape[i];
    }
}

/* The properties with which the dataset is made anew; negative on failure. */
static hid_t new_properties(const struct object *o, hid_t old, hid_t space)
{
    const struct ztio_variable *v = &o->variable;
    const struct ztio_choice *choice = &o->choice;
    hsize_t chunk[ZTIO_MAX_AXES], extents[ZTIO_MAX_AXES], most[ZTIO_MAX_AXES];
    hid_t properties = H5Pcopy(old);
    bool is_fixed = true;
    if (properties < 0 || H5Premove_filter(properties, H5Z_FILTER_ALL) < 0)
        return properties < 0 ? -1 : (H5Pclose(properties), -1);
    (void)H5Sget_simple_extent_dims(space, extents, most);
    for (uint32_t i = 0; i < v->rank; i++)
        is_fixed &= extents[i] == most[i];
    bool done;
    if (choice->what == ZTIO_PLAIN) {
        done = !is_fixed || H5Pset_layout(properties, H5D_CONTIGUOUS) >= 0;
    } else {
        if (!keep_chunks(v, old, chunk))
            whole_choose_chunks(v, chunk);
        if (choice->filter == OUR_FILTER_ZFP)
            divide_evenly(v, chunk);
        /* what means that there is no value is kept exactly if it is the fill value */
        done = (v->missing_count == 0 || has_fill(old) ||
                H5Pset_fill_value(properties, H5T_NATIVE_DOUBLE, v->missing) >= 0) &&
               H5Pset_chunk(properties, (int)v->rank, chunk) >= 0 &&
               H5Pset_alloc_time(properties, H5D_ALLOC_TIME_INCR) >= 0 &&
               H5Pset_filter(properties, choice->filter, H5Z_FLAG_MANDATORY, choice->words,
                             choice->word) >= 0;
    }
    if (done)
        return properties;
    (void)H5Pclose(properties);
    return -1;
}

/* ---- values ---------------------------------------------------------------------------------- */

struct copy {
    struct whole *whole;
    const struct object *object;
    hid_t from, to, native;
    void *values, *again;        /* again: NULL where nothing is checked */
    struct ztio_input *plain;    /* of 'from', mapped; or NULL */
    struct whole_stored *stored; /* its chunks in the file; or NULL */
};

static bool copy_block(const struct copy *c, const struct blocks *b)
{
    struct whole *w = c->whole;
    const char *path = c->object->path;
    const struct ztio_variable *v = &c->object->variable;
    if (!whole_transfer(c->from, b, c->native, c->values, false))
        return whole_fail_read(w, path);
    if (!whole_transfer(c->to, b, c->native, c->values, true))
        return whole_fail_write(w, path);
    if (c->again) {
        if (!whole_transfer(c->to, b, c->native, c->again, false))
            return whole_fail_read(w, path);
        w->how->checked(w->how->user, v, &c->object->choice, c->values, c->again, b->values);
    }
    w->how->advance(w->how->user, b->values * zt_type_bytes(v->type));
    return true;
}

/* Whether chunks are kept, or go, so that blocks are of whole chunks of what is read. */
static bool has_blocks_of_chunks(hid_t from, const struct object *o)
{
    hsize_t chunk[ZTIO_MAX_AXES];
    hid_t properties = H5Dget_create_plist(from);
    const bool is_kept =
        o->choice.filter != OUR_FILTER_ZFP && keep_chunks(&o->variable, properties, chunk);
    const bool is_chunked = H5Pget_layout(properties) == H5D_CHUNKED;
    (void)H5Pclose(properties);
    return is_chunked && (is_kept || o->choice.what == ZTIO_PLAIN);
}

static bool copy_by_hdf5(struct copy *c, struct blocks *b)
{
    const uint64_t bytes = whole_block_bytes(b, &c->object->variable);
    c->values = malloc((size_t)bytes);
    c->again = c->object->choice.is_checked ? malloc((size_t)bytes) : NULL;
    bool done = (c->values && (c->again || !c->object->choice.is_checked)) ||
                ztio_fail_memory(c->whole->error, c->whole->place);
    if (done)
        do {
            whole_take_block(b);
            done = copy_block(c, b);
        } while (done && whole_next_block(b));
    free(c->again);
    free(c->values);
    return done;
}

/* ---- values, with threads for the filter ---- */

/* A block whose chunks threads may be coding. */
struct pending {
    struct blocks block;
    void *values;
    bool is_coded; /* by threads; else by HDF5 */
};

static bool begin_block(struct copy *c, struct whole_coders *coders, const struct blocks *b,
                        struct pending *p)
{
    const bool is_back = c->object->choice.what == ZTIO_PLAIN;
    p->block = *b;
    p->values = whole_coders_values(coders);
    p->is_coded = is_back && whole_coders_start(coders, b, c->from);
    if (!p->is_coded && !c->plain && !c->stored &&
        !whole_transfer(c->from, b, c->native, p->values, false))
        return whole_fail_read(c->whole, c->object->path);
    if (!is_back)
        p->is_coded = whole_coders_start(coders, b, c->to);
    return true;
}

static bool end_block(struct copy *c, struct whole_coders *coders, const struct pending *p)
{
    struct whole *w = c->whole;
    const char *path = c->object->path;
    const struct blocks *b = &p->block;
    const bool is_back = c->object->choice.what == ZTIO_PLAIN;
    const bool is_done = p->is_coded && whole_coders_finish(coders, p->values, c->to);
    const bool is_missing = c->plain || c->stored || (is_back && p->is_coded); /* in memory */
    if (!is_done && is_missing && !whole_transfer(c->from, b, c->native, p->values, false))
        return whole_fail_read(w, path);
    if ((is_back || !is_done) && !whole_transfer(c->to, b, c->native, p->values, true))
        return whole_fail_write(w, path);
    w->how->advance(w->how->user, b->values * zt_type_bytes(c->object->variable.type));
    return true;
}

/* Slices before this one of the slowest axis are coded. */
static void pass(const struct copy *c, uint64_t slices)
{
    const struct ztio_variable *const v = &c->object->variable;
    uint64_t values = slices;
    for (uint32_t i = 1; i < v->rank; i++)
        values *= v->shape[i];
    if (c->plain)
        ztio_map_passed(c->plain, values);
}

static bool copy_by_threads(struct copy *c, struct whole_coders *coders, struct blocks *b)
{
    struct pending pending[WHOLE_BATCHES];
    uint64_t begun = 0, ended = 0;
    bool is_more = true, done = true;
    while (done && ended < begun + is_more) {
        if (is_more && begun - ended < WHOLE_BATCHES) {
            whole_take_block(b);
            done = begin_block(c, coders, b, &pending[begun++ % WHOLE_BATCHES]);
            is_more = whole_next_block(b);
            continue;
        }
        done = end_block(c, coders, &pending[ended++ % WHOLE_BATCHES]);
        if (ended < begun)
            pass(c, pending[ended % WHOLE_BATCHES].block.from[0]);
    }
    return done;
}

/* Blocks that stay in a cache, but large ones where HDF5 would decode a chunk for each of them. */
static uint64_t choose_block_bytes(const struct copy *c, const hsize_t *chunk)
{
    const struct ztio_variable *v = &c->object->variable;
    hsize_t stored[ZTIO_MAX_AXES];
    whole_chunks_of(c->from, v, stored);
    const uint64_t wanted = CHUNKS_A_THREAD * c->whole->how->threads * whole_chunk_bytes(v, chunk);
    const bool is_decoded_again =
        whole_chunk_bytes(v, stored) > BLOCK_LEAST / 4 && !has_blocks_of_chunks(c->from, c->object);
    if (is_decoded_again || c->object->choice.is_checked)
        return BLOCK_BYTES;
    return wanted < BLOCK_LEAST ? BLOCK_LEAST : wanted < BLOCK_BYTES ? wanted : BLOCK_BYTES;
}

/* Whether the values to be coded can be had without HDF5. */
static void find_values(struct copy *c, struct whole_coders *coders, const hsize_t *chunk)
{
    const struct ztio_variable *const v = &c->object->variable;
    const void *values = NULL;
    c->plain = whole_map(c->whole->in, c->whole->place, c->from, c->native, v, &values);
    if (c->plain) {
        whole_coders_map(coders, values);
        return;
    }
    c->stored = whole_stored_open(c->whole->in, c->from, c->native, v);
    if (c->stored && memcmp(whole_stored_chunk(c->stored), chunk, v->rank * sizeof *chunk) != 0) {
        whole_stored_close(c->stored);
        c->stored = NULL;
    }
    if (c->stored)
        whole_coders_store(coders, c->stored, c->from);
}

static bool copy_all(struct copy *c)
{
    hsize_t chunk[ZTIO_MAX_AXES];
    struct blocks b;
    const struct ztio_choice *choice = &c->object->choice;
    const bool is_back = choice->what == ZTIO_PLAIN;
    const hid_t filtered = is_back ? c->from : c->to;
    whole_chunks_of(filtered, &c->object->variable, chunk);
    whole_begin_blocks(&b, &c->object->variable, chunk, choose_block_bytes(c, chunk));
    struct whole_coders *coders =
        choice->is_checked
            ? NULL
            : whole_coders_begin(filtered, c->native, &b, is_back, c->whole->how->threads);
    if (coders && !is_back)
        find_values(c, coders, chunk);
    bool done = coders ? copy_by_threads(c, coders, &b) : copy_by_hdf5(c, &b);
    whole_coders_end(coders);
    whole_stored_close(c->stored);
    if (c->plain) {
        done = done && ztio_map_is_good(c->plain, c->whole->error);
        ztio_close(c->plain);
    }
    return done;
}

/* Bytes of values and of the index of chunks. */
static uint64_t bytes_of(hid_t dataset)
{
    H5O_info_t info;
    const uint64_t bytes = H5Dget_storage_size(dataset);
    return H5Oget_info2(dataset, &info, H5O_INFO_META_SIZE) < 0
               ? bytes
               : bytes + info.meta_size.obj.index_size + info.meta_size.obj.heap_size;
}

/* A dataset that was made anew, which no link leads to yet. */
struct made {
    hid_t dataset;
    uint64_t values_bytes, bytes; /* with the index of chunks */
};

static bool fill_dataset(struct whole *w, const struct object *o, struct made *made)
{
    struct copy c = {.whole = w, .object = o, .native = -1, .to = made->dataset};
    (void)ztio_type_of_hdf5(o->variable.type == ZT_F32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE,
                            &c.native);
    c.from = whole_open_dataset(w->in, o->path, BLOCK_BYTES);
    if (c.from < 0)
        return whole_fail_read(w, o->path);
    const bool done = copy_all(&c);
    if (done) {
        made->values_bytes = H5Dget_storage_size(c.to);
        made->bytes = bytes_of(c.to);
    }
    (void)H5Dclose(c.from);
    return done;
}

/* Make the dataset anew. Its type is the machine's: filters want it so, and readers do not see. */
static bool make_anew(struct whole *w, struct object *o, hid_t from, struct made *made)
{
    const hid_t type = o->variable.type == ZT_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    hid_t old = H5Dget_create_plist(from), space = H5Dget_space(from);
    hid_t properties = new_properties(o, old, space), access = whole_cache(0);
    if (properties >= 0 && o->choice.may_have_ways) {
        whole_choose_ways(w, o, from, properties);
        (void)H5Pmodify_filter(properties, o->choice.filter, H5Z_FLAG_MANDATORY, o->choice.words,
                               o->choice.word);
    }
    made->dataset = properties >= 0 ? H5Dcreate_anon(w->out, type, space, properties, access) : -1;
    if (made->dataset < 0)
        (void)whole_fail_write(w, o->path);
    (void)H5Pclose(access);
    (void)H5Pclose(properties);
    (void)H5Sclose(space);
    (void)H5Pclose(old);
    return made->dataset >= 0 && fill_dataset(w, o, made);
}

/* Its values are written when all is there that they may refer to. */
static bool make_empty(struct whole *w, const struct object *o)
{
    hid_t from = H5Dopen2(w->in, o->path, H5P_DEFAULT);
    if (from < 0)
        return whole_fail_read(w, o->path);
    hid_t stored = H5Dget_type(from), space = H5Dget_space(from);
    hid_t properties = H5Dget_create_plist(from), type = whole_type(w, stored);
    hid_t to = type >= 0
                   ? H5Dcreate2(w->out, o->path, type, space, H5P_DEFAULT, properties, H5P_DEFAULT)
                   : -1;
    if (to < 0 && w->error->exit_status == 0)
        (void)whole_fail_write(w, o->path);
    if (to >= 0)
        (void)H5Dclose(to);
    (void)H5Tclose(type);
    (void)H5Pclose(properties);
    (void)H5Sclose(space);
    (void)H5Tclose(stored);
    (void)H5Dclose(from);
    return to >= 0;
}

/* As it is stored; its attributes come later, with all others'. It must not be open: where chunks
 * of it are in HDF5's cache, H5Ocopy writes behind a buffer (seen with 1.10.8). */
static bool copy_stored(struct whole *w, const struct object *o)
{
    hid_t how = H5Pcreate(H5P_OBJECT_COPY);
    const bool done = how >= 0 && H5Pset_copy_object(how, H5O_COPY_WITHOUT_ATTR_FLAG) >= 0 &&
                      H5Ocopy(w->in, o->path, w->out, o->path, how, H5P_DEFAULT) >= 0;
    if (!done)
        (void)whole_fail_write(w, o->path);
    (void)H5Pclose(how);
    return done;
}

/* Make it anew, and link to it if it was asked for or is smaller than it was. Otherwise o->choice
 * becomes to keep it, and HDF5 gives its room in the file to what is written next. */
static bool try_anew(struct whole *w, struct object *o, hid_t from, uint64_t *values_bytes)
{
    struct made made = {.dataset = -1};
    bool done = make_anew(w, o, from, &made);
    if (done && !o->choice.is_asked && made.bytes + HEADER_BYTES >= bytes_of(from))
        o->choice.what = ZTIO_KEEP;
    else if (done)
        done = H5Olink(made.dataset, w->out, o->path, H5P_DEFAULT, H5P_DEFAULT) >= 0 ||
               whole_fail_write(w, o->path);
    if (made.dataset >= 0 && H5Dclose(made.dataset) < 0 && done)
        done = whole_fail_write(w, o->path);
    *values_bytes = made.values_bytes;
    return done;
}

/* The dataset, with a cache of one chunk where each block is of whole ones. */
static hid_t open_source(struct whole *w, const struct object *o)
{
    const struct ztio_variable *const v = &o->variable;
    hsize_t chunk[ZTIO_MAX_AXES];
    hid_t dataset = H5Dopen2(w->in, o->path, H5P_DEFAULT);
    if (dataset < 0)
        return dataset;
    whole_chunks_of(dataset, v, chunk);
    const uint64_t bytes = has_blocks_of_chunks(dataset, o) ? whole_chunk_bytes(v, chunk) : 0;
    (void)H5Dclose(dataset);
    return whole_open_dataset(w->in, o->path, bytes > 0 ? (size_t)bytes : BLOCK_BYTES);
}

static bool rewrite(struct whole *w, struct object *o)
{
    uint64_t values_bytes;
    hid_t from = open_source(w, o);
    if (from < 0)
        return whole_fail_read(w, o->path);
    const bool done = try_anew(w, o, from, &values_bytes);
    (void)H5Dclose(from);
    if (!done)
        return false;
    if (o->choice.what == ZTIO_KEEP) {
        w->how->kept(w->how->user, &o->variable);
        return true;
    }
    w->rewritten++;
    w->is_asked |= o->choice.is_asked;
    w->how->done(w->how->user, &o->variable, values_bytes);
    return true;
}

bool whole_make_dataset(struct whole *w, struct object *o)
{
    const bool done = o->choice.what == ZTIO_KEEP || rewrite(w, o);
    if (!done || o->choice.what != ZTIO_KEEP)
        return done;
    return o->is_by_value ? make_empty(w, o) : copy_stored(w, o);
}
