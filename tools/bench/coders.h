/* coders.h: the codecs that ztile bench compares: ztile's own, and peers that are found on this
 * machine when it runs (libzfp, fpzip, zstd), each called as its own documentation says. */
#ifndef ZTI_BENCH_CODERS_H
#define ZTI_BENCH_CODERS_H

#include "ztile.h"

#include <stdbool.h>

/* An array in memory, and what is known of it. */
struct subject {
    char *place;
    uint32_t type;
    uint32_t rank;
    uint64_t shape[ZT_MAX_RANK];
    uint64_t raw_bytes;
    uint64_t values_count;
    void *values;
    double lo, hi;           /* over finite values that are no fill values */
    uint64_t special_values; /* the others */
    uint32_t fills;
    uint64_t fill[ZT_MAX_FILLS];
};

/* What is asked of a codec. */
struct target {
    zt_bound bound;      /* abs, rel, lossless; precision for fpzip alone */
    double tolerance;    /* absolute; 0: lossless */
    uint32_t threads;    /* 1: serial */
    zt_context *context; /* with the policy that this means */
};

struct coder {
    const char *name;
    bool is_peer;
    bool decodes_alone; /* with one thread, however many are asked for */
    bool (*is_there)(void);
    bool (*fits)(const struct subject *subject, const struct target *target);
    size_t (*capacity)(const struct subject *subject, const struct target *target);
    /* Bytes written, 0 on failure. */
    size_t (*encode)(const struct subject *subject, const struct target *target, void *out,
                     size_t capacity);
    bool (*decode)(const struct subject *subject, const struct target *target, const void *in,
                   size_t n, void *values);
    bool is_study;  /* takes part where it is named, or in a study of distortion */
    bool has_rates; /* takes bits a value and no bounds */
};

extern const struct coder *const coders[];
extern const int coder_count;

/* peers.c */
extern const struct coder coder_libzfp, coder_fpzip, coder_zstd;

#endif
