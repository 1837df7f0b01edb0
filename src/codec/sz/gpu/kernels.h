/* kernels.h: the arguments of the sz codec's kernels, and the functions that launch them for each
 * width of values. */
#ifndef ZTI_SZ_GPU_KERNELS_H
#define ZTI_SZ_GPU_KERNELS_H

#include "gpu/lookback.h"
#include "gpu/place.h"

#include "codec/gpu.h"
#include "codec/gpu_alone.h"
#include "codec/sz/lorenzo/gpu/scan/positions.h"
#include "codec/sz/lorenzo/sampling.h"
#include "codec/sz/lossless/spec.h"
#include "entropy/huffman/gpu/self_sync.h"

#include <math.h>

/* The arguments of kernels. */
struct sz_tiles {
    struct zti_grid grid;
    struct zti_sz sz;
    struct zti_view view; /* encoding: the array */
    uint32_t type, chunk_tiles;
    uint64_t *words;
    uint64_t words_count;
    uint64_t head_bytes; /* encoding with arguments in the device's memory: from the first word to
                            the first tile */
    uint64_t *states;
    uint64_t *starts;
    uint64_t first_tile, first_chunk;
    const uint64_t *places, *chunks;
    uint64_t count;    /* of chunks */
    void *model;       /* codebooks, one after another, or the model of effort 'high'; only read */
    uint32_t alphabet; /* of each */
    const struct zti_ll_power *ten; /* of keys: powers of ten, ZTI_LL_POWERS to both sides */
    uint32_t part;                  /* counting: one of this many tiles is counted */
    uint64_t *counts; /* counting: counts of each book's symbols, then bits in Rice codes; or a
                         struct zti_sz_tally */
    /* Decoding, a launch of several: tiles of chunks from number 'from' of those wanted on; of each
     * so many, from its tile 'skip' on. */
    void *found; /* lorenzo/gpu/scan/positions.h */
    uint64_t slots;
    uint64_t from, chunks_each, tiles_each, skip;
    int64_t least, most; /* range of integers whose multiples of the step fit the type */
};

enum { EXACT_WORDS = ZTI_SZ_GROUPS }; /* words with a bit for each value of a tile */

static __device__ __forceinline__ uint32_t value_bytes_of(uint32_t type)
{
    return type == ZT_F32 || type == ZT_I32 ? 4 : 8;
}

/* The index of a tile along the last axis of 'tiles' tiles; *number becomes that along the other
 * axes. */
static __device__ __forceinline__ uint64_t split_number(uint64_t *number, uint64_t tiles)
{
    if ((*number | tiles) >> 32 == 0) { /* 32-bit division is several times as fast */
        const uint32_t n = (uint32_t)*number, rest = n / (uint32_t)tiles;
        *number = rest;
        return n - rest * (uint32_t)tiles;
    }
    const uint64_t at = *number % tiles;
    *number /= tiles;
    return at;
}

/* Set the least and greatest integers whose multiples of the step are in the type's range. */
ZTI_STATIC void set_limits(struct sz_tiles *s)
{
    const bool is_32 = s->type == ZT_I32;
    const int64_t step = s->sz.whole_step > 0 ? (int64_t)s->sz.whole_step : 1;
    s->least = (is_32 ? INT32_MIN : INT64_MIN) / step;
    s->most = (is_32 ? INT32_MAX : INT64_MAX) / step;
}

/* Copy arguments that are in the device's memory to shared memory, so that no register has their
 * address. The block calls it. */
static __device__ __forceinline__ void copy_arguments(struct sz_tiles *to, const struct sz_tiles *s)
{
    for (uint32_t i = threadIdx.x; i < sizeof *to / 8; i += blockDim.x)
        ((uint64_t *)(void *)to)[i] = ((const uint64_t *)(const void *)s)[i];
    __syncthreads();
}

ZTI_STATIC struct zti_cuda_book sz_book(void *model, uint32_t alphabet, uint32_t book)
{
    const struct zti_cuda_books books = {model, alphabet, book + 1};
    return zti_cuda_book_of(&books, book);
}

#ifdef __cplusplus
extern "C" {
#endif

/* All tiles of a grid to bytes; what is to be found in tiles of the chunks wanted, and then these
 * to values; the symbols of tiles to counts. */
void zti_sz_cuda_encode_32(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_encode_64(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_make_tables(const struct sz_tiles *s, void *queue); /* before the others */
void zti_sz_cuda_find(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_decode_32(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_decode_64(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_count_32(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_count_64(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_encode_log_32(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_encode_log_64(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_decode_log_32(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_decode_log_64(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_count_log_32(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_count_log_64(const struct sz_tiles *s, void *queue);

void zti_sz_cuda_encode_keys_32(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_encode_keys_64(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_decode_keys_32(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_decode_keys_64(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_count_keys_32(const struct sz_tiles *s, void *queue);
void zti_sz_cuda_count_keys_64(const struct sz_tiles *s, void *queue);

/* The samples of a pass to a zeroed struct zti_sz_tally, in the place of counts. */
void zti_sz_cuda_sample_32(const struct sz_tiles *s, uint32_t pass, void *queue);
void zti_sz_cuda_sample_64(const struct sz_tiles *s, uint32_t pass, void *queue);
void zti_sz_cuda_sample_log_32(const struct sz_tiles *s, uint32_t pass, void *queue);
void zti_sz_cuda_sample_log_64(const struct sz_tiles *s, uint32_t pass, void *queue);
void zti_sz_cuda_sample_keys_32(const struct sz_tiles *s, uint32_t pass, void *queue);
void zti_sz_cuda_sample_keys_64(const struct sz_tiles *s, uint32_t pass, void *queue);

/* The same, counts of symbols, and all tiles to bytes with effort fast or default, for arguments
 * that are in the device's memory: 's' has those that the host knows, 'tiles' is the most that
 * there may be. */
void zti_sz_cuda_sample_alone_32(const struct sz_tiles *s, const struct sz_tiles *there,
                                 uint32_t pass, struct zti_sz_tally *tally, void *queue);
void zti_sz_cuda_sample_alone_64(const struct sz_tiles *s, const struct sz_tiles *there,
                                 uint32_t pass, struct zti_sz_tally *tally, void *queue);
void zti_sz_cuda_count_alone_32(const struct sz_tiles *there, uint64_t tiles, void *queue);
void zti_sz_cuda_count_alone_64(const struct sz_tiles *there, uint64_t tiles, void *queue);
void zti_sz_cuda_encode_alone_32(const struct sz_tiles *s, const struct sz_tiles *there,
                                 uint64_t tiles, void *queue);
void zti_sz_cuda_encode_alone_64(const struct sz_tiles *s, const struct sz_tiles *there,
                                 uint64_t tiles, void *queue);

/* What is launched to decode with arguments in the device's memory: enough for any stream, or for
 * one whose header was read. */
struct sz_launches {
    uint64_t rounds, slots; /* the most tiles of a round, */
    uint64_t chunks;        /* and the most chunks */
    uint64_t likely_chunks;
    bool has_fast, has_default; /* efforts that it may have */
};

/* Make the tables of effort default; find the parts of each tile, then decode tiles to values. */
void zti_sz_cuda_make_tables_alone(const struct sz_tiles *there, void *queue);
void zti_sz_cuda_find_alone(const struct sz_tiles *there, const struct sz_launches *l, void *queue);
void zti_sz_cuda_decode_alone_32(const struct sz_tiles *there, const struct sz_launches *l,
                                 void *queue);
void zti_sz_cuda_decode_alone_64(const struct sz_tiles *there, const struct sz_launches *l,
                                 void *queue);

/* alone_books.cu: build books of what was counted, choose between Huffman and Rice codes, and write
 * the head; read books of a stream that has them, unless *status is not ZT_OK. 'known' has the
 * books' memory, the counts, and, to write, the stream. */
void zti_sz_alone_learn_books(const struct sz_tiles *known, struct sz_tiles *there, void *queue);
void zti_sz_alone_read_books(const struct sz_tiles *known, const struct sz_tiles *there,
                             uint64_t *status, void *queue);

/* alone.cu, alone_decode.cu: functions of struct zti_cuda_alone. */
uint64_t zti_sz_alone_tiles(const struct zti_coding *coding);
bool zti_sz_alone_reads(const struct zti_coding *coding);
uint64_t zti_sz_alone_decoding_bytes(const struct zti_coding *coding);
void zti_sz_alone_load(const struct zti_cuda_alone_decoding *d);
void zti_sz_alone_decode(const struct zti_cuda_alone_decoding *d);

/* The most shared memory that those of a width ask for. */
size_t zti_sz_cuda_shared_32(void);
size_t zti_sz_cuda_shared_64(void);
size_t zti_sz_cuda_shared_log_32(void);
size_t zti_sz_cuda_shared_log_64(void);
size_t zti_sz_cuda_shared_keys_32(void);
size_t zti_sz_cuda_shared_keys_64(void);
size_t zti_sz_cuda_find_shared(uint32_t coder); /* at least, of zti_sz_cuda_find */

/* Effort 'high': the chunks wanted to values; so many tiles from first_tile on to bytes, or to
 * counts; and the bytes of the memory that taking works in, and the others. 'coding' is the whole
 * array's. */
void zti_sz_high_cuda_decode(const struct sz_tiles *s, const struct zti_coding *coding, void *work,
                             void *queue);
void zti_sz_high_cuda_encode(const struct sz_tiles *s, const struct zti_coding *coding,
                             uint64_t tiles, void *work, void *queue);
void zti_sz_high_cuda_count(const struct sz_tiles *s, const struct zti_coding *coding,
                            uint64_t tiles, void *work, void *queue);
uint64_t zti_sz_high_cuda_decode_bytes(const struct zti_coding *coding);
uint64_t zti_sz_high_cuda_encode_bytes(const struct zti_coding *coding);

#ifdef __cplusplus
}
#endif

#endif
