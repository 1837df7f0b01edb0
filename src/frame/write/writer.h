/* writer.h: the writer behind zt_writer_* and zt_compress. In: slices of an array in any portions.
 * Out: a .zt file, one frame a slab. */
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
    struct zti_scanned *scanned;     /* of each frame, after zti_writer_measure; else NULL */
    const struct zti_scanned *known; /* of the frame that is put; else NULL */
    uint64_t put;                    /* slices so far */
    uint64_t pending_slices;         /* of these, those in 'pending', not coded yet */
    struct zti_buffer pending;       /* C-contiguous */
    enum zti_writer_state state;
};

/* Set up a writer; allocates nothing. The caller then sets its output, a sink or memory. */
zt_status zti_writer_init(zt_context *context, const struct zti_array *whole,
                          const zt_params *params, struct zt_writer *writer);

/* Measure the range of the whole array, if the bound needs one and the caller gave none; its slabs
 * are then not scanned again. */
zt_status zti_writer_measure(struct zt_writer *writer, const struct zti_array *array);

zt_status zti_writer_put(struct zt_writer *writer, const struct zti_array *slab);

/* async.c: write the whole file by the kernels of zt_compress_async, where array and output are in
 * the GPU's memory and the bytes are the same. *is_done false: nothing was written that counts. */
zt_status zti_write_at_once(struct zt_writer *writer, const struct zti_array *array, bool *is_done);

/* What that takes of the GPU's memory, or zeros for requests that it does not take. */
struct zti_at_once {
    uint64_t scratch_bytes, out_bytes;
};

struct zti_at_once zti_at_once_of(zt_context *context, const struct zti_request *request);

/* Write the pending slices and the seek table. */
zt_status zti_writer_finish(struct zt_writer *writer);

/* Free what a writer holds, but not the writer. */
void zti_writer_clear(struct zt_writer *writer);

#endif
