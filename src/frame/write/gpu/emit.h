/* emit.h: the last stage by kernels: what stands around a payload that kernels have coded without
 * the host, which sees no number of it. In: the payload behind room for a header, what a header
 * says of it, and the bytes of its index. Out: the whole file of one frame. */
#ifndef ZTI_FRAME_WRITE_GPU_EMIT_H
#define ZTI_FRAME_WRITE_GPU_EMIT_H

#include "codec/gpu_alone.h"
#include "frame/format/lengths.h"
#include "index/gpu/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the frame comes to. */
struct zti_emitted {
    struct zti_header_numbers numbers;
    struct zti_lengths lengths;
    bool is_raw;
    uint64_t chunks; /* of the index, if there is one */
    uint32_t chunk_tiles;
    uint32_t noted_step; /* starts that were noted, from chunk to chunk */
    uint64_t file_bytes; /* for the caller's use as out_bytes */
};

/* Pointers are to the device's memory. */
struct zti_emission {
    struct zti_header_text text;
    struct zti_index_layout layout; /* its chunk_tiles: from one noted start to the next */
    bool has_default_index;       /* it is left out where the frame would else be longer than raw */
    bool fits_chunks;             /* how many tiles a chunk has follows from the bits */
    uint32_t counted_chunk_tiles; /* the most tiles of a chunk */
    uint64_t least_chunks;        /* with fewer chunks of that length there is no index */
    uint8_t raw_codec;            /* of a frame that holds its values as they are */
    uint32_t raw_params_bytes;
    uint8_t raw_params[ZTI_CODEC_PARAMS_BYTES];
    struct zti_array array;
    uint64_t values_bytes; /* of it */
    uint8_t *out;
    uint32_t room_bytes; /* of a likely header; there the payload is */
    uint64_t *moving;    /* zeroed: zti_cuda_moving_words */
    uint64_t payload_most;
    const struct zti_cuda_chosen *chosen;
    const struct zti_index_found *index;
    const uint32_t *index_words;
    struct zti_emitted *emitted; /* scratch */
    uint64_t *out_bytes;
};

/* Words of emission.moving for a payload of at most payload_bytes: the ticket, and a flag for each
 * part. */
uint64_t zti_cuda_moving_words(uint64_t payload_bytes);

/* Choose the chunks of the index, after the payload; then write what stands around it. */
void zti_cuda_choose_chunks(const struct zti_emission *emission, void *queue);
void zti_cuda_emit(const struct zti_emission *emission, void *queue);

#ifdef __cplusplus
}
#endif

#endif
