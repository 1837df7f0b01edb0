/* room.h: what the tiles of a grid take at most, for the memory of threads and of kernels, and what
 * the host gives kernels. */
#ifndef ZTI_SZ_LOSSLESS_ROOM_H
#define ZTI_SZ_LOSSLESS_ROOM_H

#include "codec/sz/lossless/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of tiles, cut ones included. */
struct zti_ll_room {
    size_t cells, values, rows, width, slices;
    bool is_reordered;
};

ZTI_STATIC void ll_widen(struct zti_ll_room *room, const struct zti_ll_shape *s)
{
    room->cells = ll_cells(s) > room->cells ? ll_cells(s) : room->cells;
    room->values = s->values > room->values ? s->values : room->values;
    room->rows = s->rows > room->rows ? s->rows : room->rows;
    room->width = s->width > room->width ? s->width : room->width;
    room->slices = s->slices > room->slices ? s->slices : room->slices;
    room->is_reordered |= s->is_lanes || s->is_turned;
}

ZTI_STATIC struct zti_ll_room ll_room(const struct zti_grid *grid)
{
    struct zti_ll_room room = {0, 0, 0, 0, 0, false};
    for (uint32_t cut = 0; cut < 1u << grid->rank; cut++) {
        uint32_t extent[ZT_MAX_RANK];
        for (uint32_t i = 0; i < grid->rank; i++) {
            const uint32_t rest = (uint32_t)(grid->shape[i] % grid->side[i]);
            extent[i] = cut >> i & 1 && rest > 0 ? rest : grid->side[i];
        }
        const struct zti_ll_shape s = ll_shape(grid->rank, extent);
        ll_widen(&room, &s);
    }
    return room;
}

/* The powers of ten, ZTI_LL_POWERS to both sides, as kernels read them. */
uint64_t zti_ll_model_bytes(void);
void zti_ll_store_model(const struct zti_coding *coding, void *memory);

#ifdef __cplusplus
}
#endif

#endif
