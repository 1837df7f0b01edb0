/* team.c: see team.h. */
#include "exec/omp/team.h"

/* A piece should be long against the time under the lock, and its worst case fit a core's cache. */
enum { PIECE_BYTES = 256 * 1024, PIECES_A_THREAD = 8 };

/* The smallest piece if the caller sets no grain: creating a thread takes as long as coding a few
 * of these. */
enum { LEAST_PIECE_RAW_BYTES = 16 * 1024 };

uint64_t zti_team_grain(const zt_context *context, const struct zti_coding *coding, uint64_t count,
                        uint32_t threads)
{
    if (context->omp.grain)
        return context->omp.grain;
    const uint32_t wanted_bytes = coding->codec->sizes(coding).piece_bytes;
    const uint64_t least = LEAST_PIECE_RAW_BYTES / zti_tile_bytes(coding) + 1;
    const uint64_t fair = count / ((uint64_t)threads * PIECES_A_THREAD) + 1;
    const uint32_t piece_bytes = wanted_bytes ? wanted_bytes : PIECE_BYTES;
    uint64_t grain = piece_bytes / zti_tile_most_bytes(coding) + 1;
    if (grain > fair)
        grain = fair;
    return grain > least ? grain : least;
}

void zti_team_open(struct zti_team *team, zt_context *context, const struct zti_coding *coding)
{
    *team = (struct zti_team){.context = context, .coding = coding};
    (void)pthread_mutex_init(&team->lock, NULL);
    (void)pthread_cond_init(&team->changed, NULL);
}

void zti_team_close(struct zti_team *team)
{
    (void)pthread_cond_destroy(&team->changed);
    (void)pthread_mutex_destroy(&team->lock);
}

void zti_team_fail(struct zti_team *team, zt_status status, const zt_context *own)
{
    if (status == ZT_OK || team->status != ZT_OK)
        return;
    team->status = status;
    memcpy(team->context->sentence, own->sentence, sizeof own->sentence);
}

void zti_team_note(struct zti_team *team, uint32_t thread, zt_status status, const zt_context *own,
                   uint64_t tiles)
{
    team->done_tiles += tiles;
    zti_team_fail(team, status, own);
    if (thread == 0 && team->status == ZT_OK &&
        team->done_tiles - team->reported >= zti_report_tiles(team->coding)) {
        zt_context teller = *own;
        teller.progress = team->context->progress;
        teller.progress_user = team->context->progress_user;
        const uint64_t done = team->reported = team->done_tiles;
        (void)pthread_cond_broadcast(&team->changed);
        (void)pthread_mutex_unlock(&team->lock);
        status = zti_report(&teller, done, team->coding->grid.count);
        (void)pthread_mutex_lock(&team->lock);
        zti_team_fail(team, status, &teller);
    }
    (void)pthread_cond_broadcast(&team->changed);
}
