/* team.h: what encoding and decoding on several threads share: the lock, the first failure, the
 * progress, and how many tiles a thread takes at a time. */
#ifndef ZTI_OMP_TEAM_H
#define ZTI_OMP_TEAM_H

#include "core/map.h"
#include "core/threads.h"
#include "exec/policy.h"
#include "exec/run.h"

#include <pthread.h>

struct zti_team {
    zt_context *context;
    const struct zti_coding *coding;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    zt_status status;
    uint64_t done_tiles;
    uint64_t reported;
};

void zti_team_open(struct zti_team *team, zt_context *context, const struct zti_coding *coding);
void zti_team_close(struct zti_team *team);

/* With the lock held: keep the first failure and its message. */
void zti_team_fail(struct zti_team *team, zt_status status, const zt_context *own);

/* With the lock held: count a piece's tiles, note its failure, and report progress if this is the
 * calling thread. The lock is released while the progress function runs. */
void zti_team_note(struct zti_team *team, uint32_t thread, zt_status status, const zt_context *own,
                   uint64_t tiles);

/* Tiles of a piece of 'count' tiles. */
uint64_t zti_team_grain(const zt_context *context, const struct zti_coding *coding, uint64_t count,
                        uint32_t threads);

/* encode.c */
zt_status zti_omp_encode(zt_context *context, const struct zti_coding *coding,
                         const struct zti_array *array, struct zti_tiles tiles, uint8_t *out,
                         size_t out_capacity_bytes, uint64_t start_bits, uint64_t *end_bits,
                         struct zti_misses *misses, const struct zti_starts *starts);
zt_status zti_omp_encode_pieces(zt_context *context, const struct zti_coding *coding,
                                const struct zti_array *array, struct zti_window *window,
                                const struct zti_drain *drain, uint64_t *stream_bits,
                                struct zti_misses *misses, const struct zti_starts *starts);

/* decode.c */
zt_status zti_omp_decode(zt_context *context, const struct zti_coding *coding, const uint8_t *data,
                         size_t data_bytes, uint64_t start_bits, const struct zti_index *index,
                         const struct zti_view *view, const struct zti_scatter *scatter,
                         const struct zti_starts *starts, uint64_t *end_bits);

#endif
