/* tiles.h: kernel text of the transform coder: what kernels are given, and the memory in which a
 * tile is decoded.
 *
 * Kernels decode a batch of tiles, one after the other: fronts, layouts and the places of parts
 * (open.cu, a warp a tile), tables of models; parts to coefficients, a warp a part; levels of
 * lifting, corrections, values (decode.h). */
#ifndef ZTI_SZ_TRANSFORM_GPU_TILES_H
#define ZTI_SZ_TRANSFORM_GPU_TILES_H

#include "codec/sz/lossless/gpu/models.h"
#include "codec/sz/transform/corrections.h"
#include "codec/sz/transform/read_front.h"
#include "entropy/ans/gpu/warp_states.h"

enum {
    TF_MODELS = ZTI_LL_MODELS + 2, /* of magnitudes; of the gaps and steps of corrections */
    TF_GAPS = ZTI_LL_MODELS,
    TF_STEPS,
    TF_THREADS = 256,
    TF_MOST_BLOCKS = 256 /* that share a tile */
};

/* What is where in a slot, in bytes. */
struct tf_places {
    uint64_t front, layout, bands, items, parts, chunks, models, turned, values, others;
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
    struct sz_note tile;
    uint32_t is_bad; /* as later kernels found */
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
    struct ll_models models;
    uint32_t *turned; /* the tables of ZTI_LL_MODELS models: of a state the entries of all */
    void *values;     /* coefficients, then values in C order */
    void *others;     /* symbols and weights in the places of coefficients; values of a level */
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
    slot.models = ll_models_at(at + p->models, TF_MODELS);
    slot.turned = (uint32_t *)(void *)(at + p->turned);
    slot.values = at + p->values;
    slot.others = at + p->others;
    return slot;
}

/* Whether a tile is coded, with a good front. Kernels that may refuse it do not ask whether others
 * did: a thread would read what another writes. */
static __device__ __forceinline__ bool tf_goes_on(const struct sz_numbered *t,
                                                  const struct tf_slot *slot)
{
    return t->is_there && slot->note->tile.is_good && !slot->note->tile.is_raw;
}

/* The quantizer's step. */
static __device__ __forceinline__ double tf_step(const struct tf_tiles *f,
                                                 const struct tf_slot *slot)
{
    return f->s.sz.step * slot->front->step_parts / (int)ZTI_TF_STEP_PARTS;
}

/* Note that a tile is damaged. */
static __device__ __forceinline__ void
tf_refuse(const struct tf_tiles *f, const struct sz_numbered *t, const struct tf_slot *slot)
{
    (void)atomicOr((unsigned *)&slot->note->is_bad, 1u);
    note_bad(&f->s, t->chunk);
}

/* Whether a coding's values and coefficients are f32. */
static inline bool tf_is_narrow(const struct zti_coding *coding)
{
    return sz_of(coding)->tuning & 1;
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
