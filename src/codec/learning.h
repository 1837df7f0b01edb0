/* learning.h: optional table of codecs that make passes over all values before the first tile is
 * coded, or store a head before the first tile of the stream. */
#ifndef ZTI_LEARNING_H
#define ZTI_LEARNING_H

#include "codec/codec.h"

struct zti_learning {
    /* Before all else: choose a coder by samples of the array, which may be in a GPU's memory.
     * NULL: there is no choice. */
    zt_status (*choose)(zt_context *context, struct zti_coding *coding,
                        const struct zti_array *array);
    /* Before the passes: what is learnt from the array without counting, such as a model that the
     * caller forgets. The array is in the host's memory if reads_array says that it is read; else
     * it may be in a GPU's. NULL: nothing. */
    zt_status (*begin)(zt_context *context, struct zti_coding *coding,
                       const struct zti_array *array);
    /* The passes; NULL: none. exec runs pass 0, 1, ... until tally_bytes returns 0. In a pass, each
     * thread fills a zeroed tally from runs of tiles in any order; the tallies are merged into one,
     * from which 'learn' makes coding->model. The result must not depend on which tiles a tally
     * has. */
    size_t (*tally_bytes)(const struct zti_coding *coding, uint32_t pass);
    /* Whether the pass reads samples only. */
    bool (*is_sampled)(const struct zti_coding *coding, uint32_t pass);
    void (*tally)(const struct zti_coding *coding, uint32_t pass, const struct zti_array *array,
                  uint64_t first, uint64_t last, void *tally);
    void (*merge)(const struct zti_coding *coding, uint32_t pass, void *into, const void *from);
    /* Whether learning reads more of the array than kernels do, which make its passes where they
     * can; NULL: yes. */
    bool (*reads_array)(const struct zti_coding *coding);
    zt_status (*learn)(zt_context *context, struct zti_coding *coding, uint32_t pass,
                       const struct zti_array *array, void *tally);
    /* Set the coding to number i of those with other tiles that learning can choose; false past the
     * last. NULL: learning never changes tiles. */
    bool (*vary)(struct zti_coding *coding, uint32_t i);
    void (*forget)(zt_context *context, struct zti_coding *coding); /* free the model, if any */

    /* The head of a stream, before its first tile. head_max_bytes: a limit that holds before
     * learning. head_bytes: known after 'learn' or load_params. encode_head is called after the
     * tiles are coded: starts[i] is where tile i begins and starts[count] where the last one ends,
     * in bits from the first tile (NULL unless has_ends). decode_head parses and checks a head. */
    uint64_t (*head_max_bytes)(const struct zti_coding *coding);
    uint64_t (*head_bytes)(const struct zti_coding *coding);
    void (*encode_head)(const struct zti_coding *coding, const uint64_t *starts, uint8_t *head);
    zt_status (*decode_head)(zt_context *context, struct zti_coding *coding, const uint8_t *head);
    bool has_ends; /* the head begins with a 32-bit number for each tile: its end, in units of
                      unit_bits from the first tile. It serves as the index */
};

static inline const struct zti_learning *zti_learning_of(const struct zti_codec *codec)
{
    return codec && codec->tables ? codec->tables->learning : NULL;
}

/* Whether a codec makes passes over values before the first tile is coded. */
static inline bool zti_learns(const struct zti_codec *codec)
{
    return zti_learning_of(codec) && zti_learning_of(codec)->tally_bytes;
}

static inline zt_status zti_choose_coder(zt_context *context, struct zti_coding *coding,
                                         const struct zti_array *array)
{
    const struct zti_learning *const learning = zti_learning_of(coding->codec);
    return learning && learning->choose ? learning->choose(context, coding, array) : ZT_OK;
}

/* Bytes of a stream before its first tile. */
static inline uint64_t zti_head_bytes(const struct zti_coding *coding)
{
    const struct zti_learning *const learning = zti_learning_of(coding->codec);
    return learning ? learning->head_bytes(coding) : 0;
}

/* Whether the head says where tiles begin; a raw coding has no head. */
static inline bool zti_has_ends(const struct zti_coding *coding)
{
    return zti_head_bytes(coding) > 0 && zti_learning_of(coding->codec)->has_ends;
}

static inline void zti_encode_head(const struct zti_coding *coding, const uint64_t *starts,
                                   uint8_t *head)
{
    if (zti_learning_of(coding->codec))
        zti_learning_of(coding->codec)->encode_head(coding, starts, head);
}

static inline zt_status zti_decode_head(zt_context *context, struct zti_coding *coding,
                                        const uint8_t *head)
{
    const struct zti_learning *const learning = zti_learning_of(coding->codec);
    return learning ? learning->decode_head(context, coding, head) : ZT_OK;
}

/* Free what a coding has learnt, if anything; coding->codec may be NULL. */
static inline void zti_forget(zt_context *context, struct zti_coding *coding)
{
    if (zti_learning_of(coding->codec) && zti_learning_of(coding->codec)->forget)
        zti_learning_of(coding->codec)->forget(context, coding);
}

#endif
