/* job.h: ztile compress of one array: what is known of it, and what came of it. */
#ifndef ZTI_CMD_COMPRESS_JOB_H
#define ZTI_CMD_COMPRESS_JOB_H

#include "store/bytes.h"
#include "ztile_quality.h"
#include "util/progress.h"

struct compress_job {
    const struct options *options;
    const char *place;
    char *out;
    zt_params params; /* with the range, once it is known */
    zt_context *context;
    struct ztio_input *input;
    const struct ztio_meta *meta;
    char name[128]; /* of the variable, and its units: what a .zt file may keep of them */
    char units[64];
    struct byte_sink sink;
    struct byte_sink index_sink; /* of a bare stream's index, where one is asked for */
    struct progress progress;
    zt_stats *frame_stats; /* of each frame of a .zt file, where the array was scanned; or NULL */
    uint64_t frame_slices;
    uint64_t slice_bytes;
    uint64_t slices;          /* read */
    enum coded_format format; /* of the output */
    struct far_values *far;   /* what looks like fill values, while it is looked for; or NULL */
    bool has_far;             /* that was told, or there is none */
    uint64_t special_values;
    double mean_error; /* that was reached, with a bound on the mean */
    double seconds;
};

/* The slices of a slab of about the writer's size; fewer where the array has fewer. */
bool allocate_slab(const struct compress_job *job, uint64_t extent, void **slab,
                   struct ztio_error *error);

/* Say that the pipe that is read holds no values; returns false. */
bool fail_empty(const struct compress_job *job, struct ztio_error *error);

#endif
