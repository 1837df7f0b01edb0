/* writer.h: the writer behind zt_writer_* and zt_compress: slabs to frames. */
#ifndef ZTI_FRAME_WRITE_WRITER_H
#define ZTI_FRAME_WRITE_WRITER_H

#include "frame/write/stages.h"

enum zti_writer_state { ZTI_WRITER_OPEN, ZTI_WRITER_CLOSED, ZTI_WRITER_FAILED };

struct zt_writer {
    zt_context *context;
    struct zti_request request;
    struct zti_scratch scratch;
    struct zti_output output;
    struct zti_options options;
    struct zti_scanned *scanned; /* of each frame, where all values were gone through; or NULL */
    uint64_t put;                /* slices that were put */
    uint64_t staged;             /* of them not coded yet, in stage */
    struct zti_buffer stage;
    enum zti_writer_state state;
};

/* Set up a writer whose output is neither sink nor memory yet; nothing is allocated. */
zt_status zti_writer_init(zt_context *context, const struct zti_array *whole,
                          const zt_params *params, struct zt_writer *writer);

/* Measure the range that rel and psnr are of, where they need one that the caller did not give, of
 * the whole array, whose slabs then need not be gone through again. */
zt_status zti_writer_measure(struct zt_writer *writer, const struct zti_array *array);

/* Append slices. */
zt_status zti_writer_put(struct zt_writer *writer, const struct zti_array *slab);

/* Write the rest and the seek table. */
zt_status zti_writer_finish(struct zt_writer *writer);

/* Free what a writer holds, not itself. */
void zti_writer_clear(struct zt_writer *writer);

#endif
