/* kernels.h: what host.cu and the kernels of zfp share. */
#ifndef ZTI_ZFP_GPU_KERNELS_H
#define ZTI_ZFP_GPU_KERNELS_H

#include "codec/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif
#include "codec/zfp/zfp.h"
#ifdef __cplusplus
}
#endif

/* Threads of a block, at most; fewer where their slots would not fit in shared memory. */
enum { ZTI_ZFP_THREADS = 128, ZTI_ZFP_CUBE_THREADS = 64 /* a tile of 64 values each */ };

/* Where a warp has a tile (gpu/warp.h): words of 32 bits between planes in shared memory, an odd
 * number against bank conflicts; and words of 64 bits of the warp's tile and its planes. */
#define ZTI_ZFP_PLANE_PITCH(rank) ((1u << 2 * (rank)) / 32 | 1)

static __host__ __device__ __forceinline__ uint32_t zti_zfp_warp_words(uint32_t width,
                                                                       uint32_t rank)
{
    return ((1u << 2 * rank) + ZTI_ZFP_PLANE_PITCH(rank) * 32) * width / 64;
}

/* Words of 32 bits of a tile's notes (gpu/notes.h), an odd number, and words of 64 bits of a warp's
 * notes and the word behind them. */
#define ZTI_ZFP_NOTES_PITCH(width) ((width) + 1)

static __host__ __device__ __forceinline__ uint32_t zti_zfp_notes_words(uint32_t width)
{
    return 32 * ZTI_ZFP_NOTES_PITCH(width) / 2 + 1;
}

/* Parameters of the kernels; those without a comment are explained in codec/gpu.h. */
struct zfp_tiles {
    struct zti_grid grid;
    struct zti_zfp zfp;
    struct zti_view view; /* encoding: out is the array */
    uint64_t fixed_bits;  /* of each tile, or 0 */
    uint64_t *words;
    uint64_t words_count;
    uint64_t *states;
    uint64_t *starts;
    uint8_t *unproven;
    const uint64_t *places;
    const uint64_t *chunks;
    uint64_t first_tile;
    uint64_t first_chunk; /* encoding: the first whose start is noted */
    uint64_t count;       /* of chunks */
    int64_t first_bits;
    uint32_t start_bits;
    uint32_t chunk_tiles;
    uint32_t slot_words; /* of 64 bits (host.cu) */
    uint32_t
        warp_tiles; /* tiles that a warp encodes, or chunks that it decodes; 0: a thread each */
    uint32_t block_bytes; /* of shared memory */
};

struct zfp_launches {
    void (*put)(const struct zfp_tiles *tiles, unsigned threads, void *queue);
    void (*take)(const struct zfp_tiles *tiles, unsigned threads, void *queue);
};

#ifdef __cplusplus
extern "C" {
#endif
extern const struct zfp_launches zti_zfp_cuda_f32, zti_zfp_cuda_f64, zti_zfp_cuda_i32,
    zti_zfp_cuda_i64;
#ifdef __cplusplus
}
#endif

#endif
