/* blocks.c: the chunks of a dataset, and a walk over its values in blocks of whole chunks. */
#include "whole/whole.h"

enum {
    CHUNK_BYTES = 1 << 20, /* of chunks that are chosen: as many as HDF5's cache holds */
    CACHE_SLOTS = 12421    /* of chunks that are read; prime, as HDF5 advises */
};

hid_t whole_cache(size_t bytes)
{
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    (void)H5Pset_chunk_cache(access, CACHE_SLOTS, bytes, H5D_CHUNK_CACHE_W0_DEFAULT);
    return access;
}

hid_t whole_open_dataset(hid_t file, const char *path, size_t cache_bytes)
{
    hid_t access = whole_cache(cache_bytes);
    hid_t dataset = H5Dopen2(file, path, access);
    (void)H5Pclose(access);
    return dataset;
}

uint64_t whole_chunk_bytes(const struct ztio_variable *v, const hsize_t *chunk)
{
    uint64_t bytes = zt_type_bytes(v->type);
    for (uint32_t i = 0; i < v->rank; i++)
        bytes = bytes > UINT64_MAX / chunk[i] ? UINT64_MAX : bytes * chunk[i];
    return bytes;
}

uint32_t whole_long_axes(const struct ztio_variable *v, const hsize_t *chunk)
{
    uint32_t axes = 0;
    for (uint32_t i = 0; i < v->rank; i++)
        axes += chunk[i] > 1;
    return axes;
}

void whole_choose_chunks(const struct ztio_variable *v, hsize_t *chunk)
{
    for (uint32_t i = 0; i < v->rank; i++)
        chunk[i] = v->shape[i];
    for (uint32_t i = 0; whole_long_axes(v, chunk) > ZT_MAX_RANK; i++)
        chunk[i] = 1;
    while (whole_chunk_bytes(v, chunk) > CHUNK_BYTES) {
        uint32_t longest = 0;
        for (uint32_t i = 1; i < v->rank; i++)
            if (chunk[i] >= chunk[longest])
                longest = i;
        chunk[longest] = ((chunk[longest] + 1) / 2 + 3) / 4 * 4;
    }
}

void whole_chunks_of(hid_t dataset, const struct ztio_variable *v, hsize_t *chunk)
{
    hid_t properties = H5Dget_create_plist(dataset);
    if (H5Pget_layout(properties) != H5D_CHUNKED ||
        H5Pget_chunk(properties, (int)v->rank, chunk) < 0)
        whole_choose_chunks(v, chunk);
    (void)H5Pclose(properties);
}

/* ---- blocks ---- */

void whole_begin_blocks(struct blocks *b, const struct ztio_variable *v, const hsize_t *chunk,
                        uint64_t most_bytes)
{
    uint64_t bytes = zt_type_bytes(v->type);
    bool is_growing = true;
    *b = (struct blocks){.rank = v->rank};
    for (uint32_t i = 0; i < v->rank; i++) {
        b->shape[i] = v->shape[i];
        b->block[i] = chunk[i] < v->shape[i] ? chunk[i] : v->shape[i];
        bytes *= b->block[i];
    }
    for (uint32_t i = v->rank; is_growing && i-- > 0;) {
        const uint64_t chunks = (v->shape[i] - 1) / b->block[i] + 1;
        const uint64_t fit = bytes < most_bytes ? most_bytes / bytes : 1;
        const uint64_t times = chunks < fit ? chunks : fit;
        bytes *= times;
        is_growing = times == chunks;
        b->block[i] = is_growing ? v->shape[i] : b->block[i] * times;
    }
}

/* Go to the block at b->from. */
void whole_take_block(struct blocks *b)
{
    b->values = 1;
    for (uint32_t i = 0; i < b->rank; i++) {
        const hsize_t left = b->shape[i] - b->from[i];
        b->count[i] = left < b->block[i] ? left : b->block[i];
        b->values *= b->count[i];
    }
}

bool whole_next_block(struct blocks *b)
{
    for (uint32_t i = b->rank; i-- > 0;) {
        b->from[i] += b->block[i];
        if (b->from[i] < b->shape[i])
            return true;
        b->from[i] = 0;
    }
    return false;
}

uint64_t whole_block_bytes(const struct blocks *b, const struct ztio_variable *v)
{
    uint64_t bytes = zt_type_bytes(v->type);
    for (uint32_t i = 0; i < b->rank; i++)
        bytes *= b->block[i];
    return bytes;
}

bool whole_transfer(hid_t dataset, const struct blocks *b, hid_t native, void *values,
                    bool is_write)
{
    hid_t space = H5Dget_space(dataset);
    hid_t memory = H5Screate_simple((int)b->rank, b->count, NULL);
    const bool done =
        H5Sselect_hyperslab(space, H5S_SELECT_SET, b->from, NULL, b->count, NULL) >= 0 &&
        (is_write ? H5Dwrite(dataset, native, memory, space, H5P_DEFAULT, values)
                  : H5Dread(dataset, native, memory, space, H5P_DEFAULT, values)) >= 0;
    if (done) { /* a success would wipe out why */
        (void)H5Sclose(memory);
        (void)H5Sclose(space);
    }
    return done;
}
