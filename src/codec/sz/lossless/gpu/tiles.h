/* tiles.h: kernel text of the lossless coder: what kernels are given, and the memory in which a
 * tile is decoded.
 *
 * Six kernels decode a batch of tiles, one after the other: fronts (front.cu, a warp a tile),
 * models' tables (a warp each), symbols (symbols.cu, a warp), residuals, keys and values (decode.h,
 * a block). Keys have the cells of spec.h, rows with margins; residuals stand where the keys come.
 */
#ifndef ZTI_SZ_LOSSLESS_GPU_TILES_H
#define ZTI_SZ_LOSSLESS_GPU_TILES_H

#include "codec/sz/lossless/gpu/models.h"

enum { LL_THREADS = 256, LL_WARPS = LL_THREADS / 32 };

/* What is where in a slot, in bytes. */
struct ll_places {
    uint64_t front, models, lattices, ranks, source, how;
    uint64_t keys, codes, marks, symbols;
    uint64_t bytes; /* of a slot */
};

struct ll_tiles {
    struct sz_tiles s; /* model: the powers of ten */
    struct sz_batch batch;
    uint8_t *slots;
    struct ll_places in_slot;
    uint32_t type;     /* of what is coded */
    bool is_multiples; /* which are numbers of multiples */
};

/* What the first kernel leaves for the others, at the beginning of a slot. Places are bits of the
 * stream. */
struct ll_note {
    struct sz_note tile;
    uint64_t codes, codes_end, open, open_end, rest, rest_end;
};

struct ll_slot {
    struct ll_note *note;
    struct zti_ll_front *front;
    struct ll_models models;
    struct zti_ll_lists list; /* without models */
    void *keys;               /* cells */
    uint8_t *codes, *marks;   /* cells */
    uint8_t *symbols;         /* in the order of coding */
};

static __device__ __forceinline__ struct ll_slot ll_slot_of(const struct ll_tiles *l,
                                                            uint32_t number)
{
    const struct ll_places *const p = &l->in_slot;
    uint8_t *const at = l->slots + number * p->bytes;
    struct ll_slot slot;
    slot.note = (struct ll_note *)(void *)at;
    slot.front = (struct zti_ll_front *)(void *)(at + p->front);
    slot.models = ll_models_at(at + p->models, ZTI_LL_MODELS);
    slot.list.lattices = (double *)(void *)(at + p->lattices);
    slot.list.ranks = (uint64_t *)(void *)(at + p->ranks);
    slot.list.source = (int32_t *)(void *)(at + p->source);
    slot.list.how = at + p->how;
    slot.list.model = NULL;
    slot.keys = at + p->keys;
    slot.codes = at + p->codes;
    slot.marks = at + p->marks;
    slot.symbols = at + p->symbols;
    return slot;
}

static __device__ __forceinline__ struct zti_ll_shape ll_shape_of(const struct ll_tiles *l,
                                                                  const struct sz_tile *tile)
{
    return ll_shape(l->s.grid.rank, tile->extent);
}

/* A tile of the batch, its memory and its shape; false: it is not coded, or damaged. */
static __device__ __forceinline__ bool ll_open(const struct ll_tiles *l, struct sz_numbered *t,
                                               struct ll_slot *slot, struct zti_ll_shape *shape)
{
    *t = sz_numbered_of(&l->s, &l->batch, blockIdx.x);
    *slot = ll_slot_of(l, blockIdx.x);
    if (!t->is_there || !slot->note->tile.is_good || slot->note->tile.is_raw)
        return false;
    const struct sz_tile tile = tile_of(&l->s, t->number);
    *shape = ll_shape_of(l, &tile);
    return true;
}

#ifdef __cplusplus
extern "C" {
#endif

/* Chunks wanted to values; the memory that this takes. 'coding' is the whole array's. */
void zti_ll_cuda_decode(const struct sz_tiles *s, const struct zti_coding *coding, void *work,
                        void *queue);
uint64_t zti_ll_cuda_decode_bytes(const struct zti_coding *coding);

/* The kernels of a batch, in their order. */
void zti_ll_cuda_fronts(const struct ll_tiles *l, void *queue);
void zti_ll_cuda_symbols(const struct ll_tiles *l, void *queue);
void zti_ll_cuda_values_32(const struct ll_tiles *l, void *queue);
void zti_ll_cuda_values_64(const struct ll_tiles *l, void *queue);

#ifdef __cplusplus
}
#endif

#endif
