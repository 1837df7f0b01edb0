/* open.h: a file of one frame in the device's memory, opened by kernels: its header and tail are
 * parsed, its checksums compared, its index expanded. The host sees nothing of it. */
#ifndef ZTI_FRAME_READ_GPU_OPEN_H
#define ZTI_FRAME_READ_GPU_OPEN_H

#include "codec/gpu_alone.h"
#include "frame/format/lengths.h"
#include "index/gpu/find.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pointers are to the device's memory. */
struct zti_opening {
    struct zti_array array; /* that the file is to have */
    uint64_t values_bytes;  /* of it */
    const uint8_t *data;
    uint64_t data_bytes; /* that can be read */
    uint8_t codec;
    uint8_t raw_codec; /* of a frame that holds its values as they are */
    uint32_t raw_params_bytes;
    uint8_t raw_params[ZTI_CODEC_PARAMS_BYTES];
    struct zti_cuda_stored *stored; /* receives what the codec is given; .status as below */
    struct zti_index_stored *index; /* receives the index; kind ZT_INDEX_NONE: there is none */
    uint64_t *status;               /* receives the zt_status of the whole call so far */
};

/* Parse and check the file. */
void zti_cuda_open(const struct zti_opening *opening, void *queue);

/* Have the array become the values of a frame that has them as they are; nothing for others. */
void zti_cuda_unpack_raw(const struct zti_opening *opening, void *queue);

#ifdef __cplusplus
}
#endif

#endif
