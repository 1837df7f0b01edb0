/* tiles.h: kernel text of the transform coder: what kernels are given, and the memory in which a
 * tile is decoded.
 *
 * A tile is decoded by kernels each of which begins where the one before has ended for all tiles of
 * a batch: its front, layout and parts' places (open.cu, a warp a tile); parts to coefficients, a
 * warp a part; levels of lifting, corrections, values (decode.h). */
#ifndef ZTI_SZ_TRANSFORM_GPU_TILES_H
#define ZTI_SZ_TRANSFORM_GPU_TILES_H

#include "codec/sz/gpu/batch.h"
#include "codec/sz/transform/read_front.h"

enum {
    TF_MODELS = ZTI_LL_MODELS + 2, /* of magnitudes; of the gaps and steps of corrections */
    TF_GAPS = ZTI_LL_MODELS,
    TF_STEPS,
    TF_THREADS = 256,
    TF_MOST_BLOCKS = 256 /* that share a tile */
};

/* What is where in a slot, in bytes. */
struct tf_places {
    uint64_t front, layout, bands, items, parts, chunks, weights, numbers, tables, values, others;
    uint64_t bytes; /* of a slot */
};

struct tf_tiles {
    struct sz_tiles s;
    struct sz_batch batch;
    uint8_t *slots;
    struct tf_places in_slot;
    uint32_t most_parts, most_chunks, most_levels; /* of a tile */
    uint32_t blocks;                               /* that share one */
    uint32_t level;                                /* that is lifted */
};

/* What the first kernel leaves for the others, at the beginning of a slot. Places are bits of the
 * stream. */
struct tf_note {
    uint64_t is_good, is_raw;
    uint64_t end; /* of the tile */
    uint64_t raw; /* values as they are */
    uint32_t is_bad;
    uint32_t chunks; /* of corrections */
    bool has_steps;  /* among them */
};

/* A part, or a chunk of corrections: where its open bits begin, its codes, and where these end. */
struct tf_part {
    uint64_t open, codes, end;
    uint32_t item; /* that it is of */
};

struct tf_slot {
    struct tf_note *note;
    struct zti_tf_front *front;
    struct zti_tf_layout *layout;
    struct tf_part *part, *chunk;
    uint16_t *weights; /* and then frequencies, of each model */
    uint32_t *numbers; /* memory of as many as an alphabet has, of each model */
    uint32_t *tables;  /* of each model */
    void *values;      /* coefficients, then values in C order */
    void *others;      /* symbols in the places of coefficients; values of a level */
};

static __device__ __forceinline__ struct tf_slot tf_slot_of(const struct tf_tiles *f,
                                                            uint32_t number)
{
    const struct tf_places *const p = &f->in_slot;
    uint8_t *const at = f->slots + number * p->bytes;
    struct tf_slot slot;
    slot.note = (struct tf_note *)(void *)at;
    slot.front = (struct zti_tf_front *)(void *)(at + p->front);
    slot.layout = (struct zti_tf_layout *)(void *)(at + p->layout);
    slot.part = (struct tf_part *)(void *)(at + p->parts);
    slot.chunk = (struct tf_part *)(void *)(at + p->chunks);
    slot.weights = (uint16_t *)(void *)(at + p->weights);
    slot.numbers = (uint32_t *)(void *)(at + p->numbers);
    slot.tables = (uint32_t *)(void *)(at + p->tables);
    slot.values = at + p->values;
    slot.others = at + p->others;
    return slot;
}

static __device__ __forceinline__ struct zti_bit_reader tf_reader(const struct sz_tiles *s,
                                                                  uint64_t at)
{
    const struct zti_bit_reader r = {s->words, s->words_count, at};
    return r;
}

/* Whether a tile is coded, and its bytes are good so far. */
static __device__ __forceinline__ bool tf_goes_on(const struct sz_numbered *t,
                                                  const struct tf_slot *slot)
{
    return t->is_there && slot->note->is_good && !slot->note->is_bad && !slot->note->is_raw;
}

/* Note that a tile is damaged. */
static __device__ __forceinline__ void
tf_refuse(const struct tf_tiles *f, const struct sz_numbered *t, const struct tf_slot *slot)
{
    (void)atomicOr((unsigned *)&slot->note->is_bad, 1u);
    note_bad(&f->s, t->chunk);
}

#ifdef __cplusplus
extern "C" {
#endif

/* Chunks wanted to values; the memory that this takes. 'coding' is the whole array's. */
void zti_tf_cuda_decode(const struct sz_tiles *s, const struct zti_coding *coding, void *work,
                        void *queue);
uint64_t zti_tf_cuda_decode_bytes(const struct zti_coding *coding);

/* The kernels of a batch behind the first one. */
void zti_tf_cuda_values_narrow(struct tf_tiles *f, void *queue);
void zti_tf_cuda_values_wide(struct tf_tiles *f, void *queue);

#ifdef __cplusplus
}
#endif

#endif
