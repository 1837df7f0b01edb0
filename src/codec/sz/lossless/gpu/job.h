/* job.h: kernel text of the lossless coder: what kernels are given that encode a tile, or by which
 * the host decides, and the memory in which that is done. The host waits between the steps of
 * ../kernels.h; encode.cu is its part.
 *
 * The codes of a tile are made last. Until then a slot has what they are made of (numbers of
 * symbols in the encoder's table), and the tile's other parts: its front, and the bits that symbols
 * and the transform leave open. A stream of ANS is one chain. So some tiles are coded side by side,
 * a warp each, and then joined. */
#ifndef ZTI_SZ_LOSSLESS_GPU_JOB_H
#define ZTI_SZ_LOSSLESS_GPU_JOB_H

#include "codec/sz/gpu/put.h"
#include "codec/sz/lossless/kernels.h"
#include "entropy/ans/mixed.h"

enum {
    LL_JOB_THREADS = 256,
    LL_JOB_WARPS = LL_JOB_THREADS / 32,
    LL_JOB_BLOCKS = 512,   /* at most, that share values */
    LL_JOB_BOXES = 4,      /* that are copied at once */
    LL_ROW_PIECE = 256,    /* values of a row that a warp works on at a time */
    LL_PART_VALUES = 1024, /* whose open bits a warp packs */
    LL_LISTS = 2,          /* of open bits: of symbols, of the transform */
    LL_NEAR_GROUPS = 32,   /* of contexts, counted in shared memory */
    LL_PENDING = 16        /* tiles that are coded side by side */
};

/* What a step finds, zeroed before it. */
struct ll_sums {
    unsigned long long open_bits; /* of symbols, or of the transform */
    unsigned long long any;       /* bits of residuals' magnitudes; negative ones less 1 */
    unsigned long long most;      /* the complement of the least magnitude */
    unsigned is_beyond, count;    /* count: values that are equal, distinct, or have no key */
    unsigned has_empty;           /* among distinct values: the one that marks empty places */
    unsigned hits, looked_at, equal, common; /* of rows that repeat rows */
    unsigned long long mirror;
    unsigned contexts[ZTI_LL_CONTEXTS];
};

struct ll_job {
    struct sz_box box;
    struct zti_sz sz;
    uint32_t type;     /* of what is coded */
    bool is_multiples; /* which are numbers of multiples */
    bool has_marks, has_signs;
    struct zti_ll_shape shape;
    const struct zti_ll_front *front; /* its transform and predictor */
    const struct zti_ll_power *ten;
    void *values, *residuals; /* in the order of coding; keys: cells */
    void *keys;
    uint8_t *codes, *marks; /* cells */
    uint8_t *symbols;
    uint16_t *contexts;
    struct ll_sums *sums;
    struct zti_ll_exponents *exponents;
    unsigned long long *distinct;     /* a table, and the list made of it */
    unsigned long long *last, *first; /* tables of places of values, ZTI_LL_HASH_BITS */
    uint64_t *hits;                   /* a value */
    uint32_t *first_hit;              /* of a row, and behind the last */
    uint32_t *votes;                  /* two rows */
    int32_t *source;                  /* a row */
    uint8_t *how;
    void *found; /* samples, or points: with these, what follows */
    uint8_t *marked;
    const uint32_t *number; /* of points' values */
    unsigned (*counts)[ZTI_LL_ALPHABET];
    const uint8_t *group_of, *model_of; /* of contexts */
    uint32_t groups;
    uint32_t *lengths; /* bits of each part of values: LL_LISTS times 'parts' */
    uint32_t parts;
    uint16_t *numbers;         /* in a slot, as the lists of open bits */
    unsigned *lists[LL_LISTS]; /* zeroed */
};

struct ll_boxes {
    struct zti_ll_box box[LL_JOB_BOXES];
    uint32_t n;
};

/* A tile's symbols to be coded; codes end at 'end', in zeroed memory. */
struct ll_stream {
    const uint16_t *numbers;
    const struct zti_ans_mixed_entry *table;
    unsigned *end;
    uint32_t symbols, states, code_bytes;
};

/* The parts of a coded tile, and where it goes. */
enum { LL_PARTS = 5 }; /* the first bytes, front, codes, two lists of open bits */
struct ll_joining {
    uint8_t *to;
    const uint8_t *from[LL_PARTS];
    uint64_t bytes[LL_PARTS];
};

#ifdef __cplusplus
extern "C" {
#endif

/* Kernels by the width of values, for the functions of ../kernels.h. */
struct ll_kernels {
    void (*gather)(const struct ll_job *j, void *queue);
    void (*sample)(const struct ll_job *j, uint32_t first, uint32_t every, uint32_t n, void *queue);
    void (*boxes)(const struct ll_job *j, const struct ll_boxes *boxes, void *queue);
    void (*count_equal)(const struct ll_job *j, uint64_t bits, void *queue);
    void (*count_exponents)(const struct ll_job *j, bool is_all, uint64_t none, void *queue);
    void (*least)(const struct ll_job *j, void *queue);
    void (*distinct)(const struct ll_job *j, void *queue);
    void (*make_keys)(const struct ll_job *j, void *queue);
    void (*points)(const struct ll_job *j, uint32_t regime, uint32_t n, void *queue);
    void (*make_symbols)(const struct ll_job *j, void *queue);
    void (*put_lists)(const struct ll_job *j, void *queue);
    void (*find_hits)(const struct ll_job *j, bool are_pairs, void *queue);
    void (*find_sources)(const struct ll_job *j, void *queue);
};

extern const struct ll_kernels zti_ll_cuda_encode_32, zti_ll_cuda_encode_64;

/* codes.cu: counts of symbols in groups of contexts; symbols to numbers in the table; these to
 * codes; parts of a tile, and values as they are, to their places. */
void zti_ll_cuda_count(const struct ll_job *j, void *queue);
void zti_ll_cuda_number(const struct ll_job *j, void *queue);
void zti_ll_cuda_code(struct ll_stream *stream, uint32_t streams, void *queue);
void zti_ll_cuda_join(const struct ll_joining *parts, void *queue);
void zti_ll_cuda_put_raw(const struct sz_box *box, uint8_t *to, void *queue);

/* encode.cu: all tiles of an array; the memory that this takes. */
zt_status zti_ll_cuda_encode(zt_context *context, const struct zti_cuda_encoding *e);
uint64_t zti_ll_cuda_encode_bytes(const struct zti_coding *coding);

#ifdef __cplusplus
}
#endif

/* A thread's number among those that share values, and how many these are. */
static __device__ __forceinline__ uint32_t ll_own_number(void)
{
    return blockIdx.x * LL_JOB_THREADS + threadIdx.x;
}

static __device__ __forceinline__ uint32_t ll_all_threads(void)
{
    return gridDim.x * LL_JOB_THREADS;
}

/* The grid of a launch over n things, a thread each, or several. */
static inline uint32_t ll_grid(uint64_t n)
{
    return simt_at_most((n + LL_JOB_THREADS - 1) / LL_JOB_THREADS, LL_JOB_BLOCKS);
}

#endif
