/* batch.h: kernel text: the tiles of large coders that one launch decodes: those of a batch, which
 * are numbered as they are in the chunks wanted, 'each' a chunk. */
#ifndef ZTI_SZ_GPU_BATCH_H
#define ZTI_SZ_GPU_BATCH_H

#include "codec/sz/gpu/kernels.h"

struct sz_batch {
    uint64_t first; /* of the batch */
    uint64_t each;
    uint32_t count;
};

struct sz_numbered {
    uint64_t chunk;         /* of those wanted */
    uint64_t first;         /* tile of it */
    uint64_t number;        /* of the tile */
    bool is_there, is_last; /* of its chunk */
};

static __device__ __forceinline__ struct sz_numbered
sz_numbered_of(const struct sz_tiles *s, const struct sz_batch *batch, uint32_t number)
{
    const uint64_t item = batch->first + number;
    struct sz_numbered t;
    t.chunk = item / batch->each;
    t.first = (s->chunks ? s->chunks[t.chunk] : s->first_chunk + t.chunk) * s->chunk_tiles;
    t.number = t.first + item % batch->each;
    t.is_there = t.number < s->grid.count;
    t.is_last = item % batch->each + 1 == s->chunk_tiles || t.number + 1 == s->grid.count;
    return t;
}

/* Note that a tile is damaged, by an end beyond the stream: the host then refuses the stream. */
static __device__ __forceinline__ void note_bad(const struct sz_tiles *s, uint64_t chunk)
{
    note_end(s->states, chunk, s->count, UINT64_C(1) << 62, s->places[2 * chunk + 1]);
}

/* A tile's place and size; the last axis is fastest. */
struct sz_tile {
    uint32_t rank, n;
    uint32_t extent[ZT_MAX_RANK];
    uint32_t step[ZT_MAX_RANK]; /* between neighbours along an axis, in values of the tile */
    uint64_t origin[ZT_MAX_RANK];
};

static __device__ __forceinline__ struct sz_tile tile_of(const struct sz_tiles *s, uint64_t number)
{
    const struct zti_walk at = zti_walk_from(&s->grid, number);
    struct sz_tile t;
    t.rank = s->grid.rank;
    t.n = 1;
    for (uint32_t i = t.rank; i-- > 0;) {
        t.origin[i] = at.origin[i];
        t.extent[i] = extent_at(&s->grid, i, at.origin[i]);
        t.step[i] = t.n;
        t.n *= t.extent[i];
    }
    return t;
}

/* The bit of the stream where a byte is; 0 where there is none. */
static __device__ __forceinline__ uint64_t sz_bit_of(const struct sz_tiles *s, const uint8_t *at)
{
    return at ? 8 * (uint64_t)(at - (const uint8_t *)(const void *)s->words) : 0;
}

/* A reader of the stream's bits from one on. */
static __device__ __forceinline__ struct zti_bit_reader sz_reader(const struct sz_tiles *s,
                                                                  uint64_t at)
{
    const struct zti_bit_reader r = {s->words, s->words_count, at};
    return r;
}

/* Whether bits end in a part's last byte. */
static __device__ __forceinline__ bool sz_is_at_end(uint64_t at, uint64_t end)
{
    return at <= end && end - at < 8;
}

/* Whether the view has values of a tile. */
static __device__ __forceinline__ bool sz_is_wanted(const struct sz_tiles *s,
                                                    const struct sz_tile *t)
{
    bool is_wanted = true;
    for (uint32_t k = 0; k < t->rank; k++)
        is_wanted = is_wanted && t->origin[k] < s->view.hi[k] &&
                    t->origin[k] + t->extent[k] > s->view.lo[k];
    return is_wanted;
}

/* What the first kernel of a tile leaves for the others. Places are bits of the stream. */
struct sz_note {
    uint64_t is_good; /* so far */
    uint64_t is_raw;  /* or not wanted: then it has no value to store */
    uint64_t raw;     /* where values are as they are */
    uint64_t end;     /* of the tile */
};

/* Find the bytes of a tile of large_tile.h: the lengths of the tiles before it in its chunk tell
 * its place. One thread calls it. */
static __device__ __forceinline__ bool sz_find_tile(const struct sz_tiles *s,
                                                    const struct sz_numbered *t,
                                                    const struct sz_tile *tile,
                                                    struct zti_cursor *own, struct sz_note *note)
{
    const uint8_t *const bytes = (const uint8_t *)(const void *)s->words;
    const uint64_t place = s->places[2 * t->chunk] / 8, most = 8 * s->words_count;
    struct zti_cursor c = {bytes + (place < most ? place : most), bytes + most, place > most};
    bool is_raw = false;
    for (uint64_t number = t->first; !c.is_bad && number <= t->number; number++) {
        const struct sz_tile other = tile_of(s, number);
        *own = sz_tile_bytes(&c, (uint64_t)other.n * value_bytes_of(s->type), &is_raw);
    }
    note->is_raw = is_raw || !sz_is_wanted(s, tile);
    note->raw = sz_bit_of(s, own->at);
    note->end = sz_bit_of(s, c.at);
    return !c.is_bad;
}

/* The place of value i of a tile in the view, or NULL if it is outside. */
static __device__ __forceinline__ char *value_at(const struct sz_tiles *s, const struct sz_tile *t,
                                                 uint32_t i)
{
    int64_t offset = 0;
    for (uint32_t k = 0; k < t->rank; k++) {
        const uint64_t at = t->origin[k] + i / t->step[k] % t->extent[k];
        if (at < s->view.lo[k] || at >= s->view.hi[k])
            return NULL;
        offset += (int64_t)(at - s->view.lo[k]) * s->view.out.stride[k];
    }
    return (char *)s->view.out.data + offset * (int64_t)value_bytes_of(s->type);
}

static __device__ __forceinline__ void store_bits(const struct sz_tiles *s, char *to, uint64_t bits)
{
    if (value_bytes_of(s->type) == 4)
        *(uint32_t *)(void *)to = (uint32_t)bits;
    else
        *(uint64_t *)(void *)to = bits;
}

/* The values of a raw tile to the view. The block calls it. */
static __device__ __forceinline__ void sz_put_raw(const struct sz_tiles *s,
                                                  const struct sz_tile *tile, uint64_t raw)
{
    const uint32_t value_bits = 8 * value_bytes_of(s->type);
    for (uint32_t i = threadIdx.x; i < tile->n; i += blockDim.x) {
        char *const to = value_at(s, tile, i);
        struct zti_bit_reader r = {s->words, s->words_count, raw + (uint64_t)i * value_bits};
        if (to)
            store_bits(s, to, zti_get_bits64(&r, value_bits));
    }
}

/* On the host: a place of a slot for more bytes, which fit the device's alignment. */
static inline uint64_t sz_place(uint64_t *bytes, uint64_t more)
{
    const uint64_t at = *bytes;
    *bytes += (more + 255) / 256 * 256;
    return at;
}

#endif
