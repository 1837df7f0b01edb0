/* gpu_alone.h: kernels for a codec whose streams can be coded without the host: they learn from
 * values, choose the coding, and store what a header says of it. A table beside that of gpu.h. */
#ifndef ZTI_GPU_ALONE_H
#define ZTI_GPU_ALONE_H

#include "codec/codec.h"
#include "core/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What kernels chose. */
struct zti_cuda_chosen {
    uint64_t bits;       /* of all tiles */
    uint64_t head_bytes; /* of the stream, before the first tile */
    uint64_t tiles;
    uint32_t params_bytes;
    uint8_t params[ZTI_CODEC_PARAMS_BYTES]; /* as of store_params */
};

/* What is queued. Pointers are to the device's memory, except coding. */
struct zti_cuda_alone_encoding {
    const struct zti_coding *coding;    /* configured for values of an unknown range */
    struct zti_array array;             /* the whole array */
    const struct zti_scan_found *found; /* of the array */
    void *stream;     /* a multiple of 8; room for a head and all tiles at their largest */
    uint64_t *starts; /* receives where chunks begin, in bits from the first tile */
    uint32_t chunk_tiles;
    void *zeroed; /* zeroed_bytes, all 0 */
    void *work;   /* work_bytes */
    struct zti_cuda_chosen *chosen;
    void *queue;
};

/* What a file says of a stream. */
struct zti_cuda_stored {
    const uint8_t *payload; /* a multiple of 8 */
    uint64_t bits;          /* of it; 0: the file cannot be read */
    const uint8_t *sums;    /* the checksum of each range of 2^range_log2 bytes */
    uint32_t range_log2;
    bool is_raw; /* its values are as they are: no codec reads it */
    uint32_t params_bytes;
    uint8_t params[ZTI_CODEC_PARAMS_BYTES];
};

/* What is queued to decode: first the parameters, by load, which says how many tiles there are;
 * then all tiles, whose places have been found. Where *status is not ZT_OK, or the stream is raw,
 * there are no tiles. */
struct zti_cuda_alone_decoding {
    const struct zti_coding *coding; /* its type and shape count */
    struct zti_array array;          /* receives the values */
    const struct zti_cuda_stored *stored;
    uint64_t *tiles;        /* receives their number, at most tiles_most, */
    uint64_t *first_bit;    /* and where in the stream the first one begins */
    const uint64_t *places; /* as of zti_cuda_decoding */
    const uint64_t *chunks; /* how many there are */
    const uint32_t *chunk_tiles;
    const struct zti_coding *known; /* of the stream, as its header says; NULL: unknown */
    uint32_t known_chunk_tiles;     /* then not 0 */
    void *work;                     /* decoding_bytes */
    uint64_t *status;
    void *queue;
};

struct zti_cuda_alone {
    /* Whether the current device has kernels for a coding. */
    bool (*takes)(const struct zti_coding *coding);
    /* Whether zt_compress has another coder for an array, by samples of it. */
    zt_status (*is_for_others)(zt_context *context, const struct zti_coding *coding,
                               const struct zti_array *array, bool *is_so);
    uint64_t (*zeroed_bytes)(const struct zti_coding *coding);
    uint64_t (*work_bytes)(const struct zti_coding *coding);
    /* The most tiles that the coding may come to have, and the most bits of the stream. */
    uint64_t (*tiles_most)(const struct zti_coding *coding);
    uint64_t (*bits_most)(const struct zti_coding *coding);
    /* The bytes that a header has for its parameters, mostly and at most. */
    uint32_t (*params_likely)(const struct zti_coding *coding);
    uint32_t (*params_most)(const struct zti_coding *coding);
    void (*encode)(const struct zti_cuda_alone_encoding *e);

    /* Whether kernels read a stream of this coding. */
    bool (*reads)(const struct zti_coding *coding);
    uint64_t (*decoding_bytes)(const struct zti_coding *coding);
    void (*load)(const struct zti_cuda_alone_decoding *d);
    void (*decode)(const struct zti_cuda_alone_decoding *d);
};

/* That of the codec with this zt_codec number, or NULL. */
const struct zti_cuda_alone *zti_cuda_alone_of(uint32_t id);

#ifdef __cplusplus
}
#endif

#endif
