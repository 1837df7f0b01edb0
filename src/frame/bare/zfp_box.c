/* zfp_box.c: zt_zfp_write_box: replaces a box of a fixed-rate zfp stream in place.
 *
 * Each tile that meets the box is coded as an array of its own. That gives the same bits as within
 * the whole array, because a tile at the array's end is padded from its own values. Neighbouring
 * tiles share a byte: the bits of the tile before are copied into the first byte, and the last byte
 * is merged with the tile after. */
#include "array/memory.h"
#include "frame/bare/box.h"
#include "frame/bare/zfp.h"

#include "quality/quality.h"

struct patch {
    const struct zti_coding *coding;
    const zt_box *box;
    const struct zti_array *values;
    uint8_t *stream;
    uint64_t start_bits; /* of the first tile */
    uint64_t tile_bits;
    uint64_t look_bits; /* bits of a tile that its decoder reads */
    uint8_t *scratch;   /* room for the largest tile, from any bit of a byte on, and the margin */
};

/* A tile as an array of its own. */
struct tile {
    uint64_t number;
    uint64_t origin[ZT_MAX_RANK]; /* in the whole array */
    uint64_t memory[256];         /* its values; array points here */
    struct zti_array array;
    struct zti_coding coding;
    bool is_inside; /* the tile lies in the box */
};

static void tile_at(const struct patch *p, const uint64_t *at, struct tile *t)
{
    const struct zti_grid *grid = &p->coding->grid;
    uint64_t extent[ZT_MAX_RANK] = {0};
    t->number = 0;
    t->is_inside = true;
    for (uint32_t i = 0; i < grid->rank; i++) {
        t->number = t->number * grid->tiles[i] + at[i];
        t->origin[i] = at[i] * grid->side[i];
        extent[i] = grid->shape[i] - t->origin[i];
        if (extent[i] > grid->side[i])
            extent[i] = grid->side[i];
        t->is_inside &= t->origin[i] >= p->box->lo[i] && t->origin[i] + extent[i] <= p->box->hi[i];
    }
    t->array = zti_array_packed(t->memory, p->coding->type, grid->rank, extent);
    t->coding = *p->coding;
    t->coding.grid = zti_grid_of(grid->rank, extent, grid->side);
}

/* Decode a tile from a copy of its bytes. */
static void decode_tile(const struct patch *p, struct tile *t)
{
    const uint64_t at = p->start_bits + t->number * p->tile_bits;
    const size_t bytes = (size_t)((at % 8 + p->look_bits + 7) / 8);
    struct zti_bit_reader r = {.base = p->scratch, .at = at % 8, .end = (uint64_t)bytes * 8};
    const struct zti_view view = zti_view_whole(&t->array);
    memcpy(p->scratch, p->stream + at / 8, bytes);
    memset(p->scratch + bytes, 0, ZTI_BIT_MARGIN_BYTES);
    t->coding.codec->decode(&t->coding, &r, 0, 1, &view);
}

/* Replace those values of a tile that are in the box. */
static void mix_values(const struct patch *p, struct tile *t)
{
    const uint32_t rank = t->array.rank;
    uint64_t lo[ZT_MAX_RANK], extent[ZT_MAX_RANK], count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        const uint64_t end = t->origin[i] + t->array.shape[i];
        lo[i] = t->origin[i] > p->box->lo[i] ? t->origin[i] : p->box->lo[i];
        extent[i] = (end < p->box->hi[i] ? end : p->box->hi[i]) - lo[i];
        count *= extent[i];
    }
    for (uint64_t k = 0; k < count; k++) {
        uint64_t rest = k, from[ZT_MAX_RANK], to[ZT_MAX_RANK];
        for (uint32_t i = rank; i-- > 0; rest /= extent[i]) {
            const uint64_t place = lo[i] + rest % extent[i];
            from[i] = place - p->box->lo[i];
            to[i] = place - t->origin[i];
        }
        memcpy(zti_array_at(&t->array, to), zti_array_at(p->values, from),
               zt_type_bytes(t->array.type));
    }
}

/* A tile's new values: the box's own memory if the tile lies inside, else decoded and mixed. */
static struct zti_array new_values(const struct patch *p, struct tile *t)
{
    if (!t->is_inside) {
        decode_tile(p, t);
        mix_values(p, t);
        return t->array;
    }
    uint64_t from[ZT_MAX_RANK];
    struct zti_array array = *p->values;
    for (uint32_t i = 0; i < array.rank; i++) {
        from[i] = t->origin[i] - p->box->lo[i];
        array.shape[i] = t->array.shape[i];
    }
    array.data = zti_array_at(p->values, from);
    return array;
}

static void encode_tile(const struct patch *p, struct tile *t)
{
    const struct zti_array array = new_values(p, t);
    const uint64_t at = p->start_bits + t->number * p->tile_bits;
    uint8_t *const to = p->stream + at / 8;
    struct zti_bit_writer w = zti_bit_writer_at(p->scratch);
    zti_put_bits(&w, *to & ((1u << at % 8) - 1), at % 8);
    (void)t->coding.codec->encode(&t->coding, &array, 0, 1, &w);
    zti_put_le64(w.next, w.held);
    const uint64_t bits = at % 8 + p->tile_bits;
    const uint32_t mask = (1u << bits % 8) - 1;
    memcpy(to, p->scratch, (size_t)(bits / 8));
    if (mask)
        to[bits / 8] = (uint8_t)((to[bits / 8] & ~mask) | (p->scratch[bits / 8] & mask));
}

/* Refuse a tile that decodes to infinity beside the box: coded again, that would spoil the tile's
 * other values. */
static zt_status check_tile(zt_context *context, const struct patch *p, struct tile *t)
{
    zt_stats stats;
    if (t->is_inside)
        return ZT_OK;
    (void)new_values(p, t);
    (void)zt_stats_init(&stats, sizeof stats);
    const zt_status status = zti_scan(context, &t->array, &stats);
    if (status != ZT_OK || stats.nan_values + stats.inf_values == 0)
        return status;
    return zti_fail(context, ZT_NONFINITE,
                    "tile %llu, of which the box has only a part, decodes to NaN or infinities "
                    "beside it; let the box cover all of the tile",
                    (unsigned long long)t->number);
}

/* Code each tile that meets the box again, or (is_trial) only check that it can be coded. */
static zt_status each_tile(zt_context *context, const struct patch *p, bool is_trial)
{
    const struct zti_grid *grid = &p->coding->grid;
    uint64_t lo[ZT_MAX_RANK], hi[ZT_MAX_RANK], at[ZT_MAX_RANK];
    for (uint32_t i = 0; i < grid->rank; i++) {
        at[i] = lo[i] = p->box->lo[i] / grid->side[i];
        hi[i] = (p->box->hi[i] - 1) / grid->side[i] + 1;
    }
    for (;;) {
        struct tile t;
        tile_at(p, at, &t);
        const zt_status status = is_trial ? check_tile(context, p, &t) : ZT_OK;
        if (status != ZT_OK)
            return status;
        if (!is_trial)
            encode_tile(p, &t);
        uint32_t i = grid->rank;
        while (i-- > 0 && ++at[i] == hi[i])
            at[i] = lo[i];
        if (i == UINT32_MAX)
            return ZT_OK;
    }
}

zt_status zt_zfp_write_box(zt_context *context, void *stream, size_t stream_bytes,
                           const zt_zfp *zfp, const zt_array *given_whole, const zt_box *box,
                           const zt_array *given)
{
    struct zti_coding coding;
    struct zti_array whole;
    struct zti_view values;
    uint32_t header_bits;
    zt_status status = zti_array_check(context, given_whole, ZTI_SHAPE_ONLY, &whole);
    if (status == ZT_OK)
        status = zti_check_on_host(context, stream, "the stream");
    if (status == ZT_OK && given)
        status = zti_check_on_host(context, given->data, "the box");
    if (status == ZT_OK)
        status =
            zti_bare_zfp_open(context, stream, stream_bytes, zfp, &whole, &coding, &header_bits);
    if (status == ZT_OK)
        status = zti_bare_box_check(context, &whole, box, given, ZTI_TO_READ, &values);
    if (status != ZT_OK)
        return status;
    const uint64_t tile_bits = zti_fixed_bits(&coding);
    if (tile_bits == 0)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "only a stream at fixed rate can be changed in place; here a block takes "
                        "%u to %u bits: compress the changed array instead",
                        zfp_of(&coding)->minbits, zfp_of(&coding)->maxbits);
    uint64_t end;
    if (!zti_mul(coding.grid.count, tile_bits, &end) || !zti_add(end, header_bits, &end) ||
        zti_ceil_div(end, 8) > stream_bytes)
        return zti_fail(context, ZT_CORRUPT,
                        "the zfp stream is cut short: %llu blocks of %llu bits do not fit in "
                        "its %llu bytes",
                        (unsigned long long)coding.grid.count, (unsigned long long)tile_bits,
                        (unsigned long long)stream_bytes);
    status = zti_bare_zfp_refuse_nonfinite(context, &values.out, zfp_of(&coding));
    if (status != ZT_OK)
        return status;
    const uint64_t reach = coding.codec->sizes(&coding).tile_read_max_bits;
    struct patch p = {.coding = &coding,
                      .box = box,
                      .values = &values.out,
                      .stream = stream,
                      .start_bits = header_bits,
                      .tile_bits = tile_bits,
                      .look_bits = reach < tile_bits ? reach : tile_bits};
    p.scratch = zti_alloc(context, (size_t)(coding.codec->sizes(&coding).tile_max_bits / 8) + 1 +
                                       2 * ZTI_BIT_MARGIN_BYTES);
    if (!p.scratch)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a tile");
    if (!zti_bare_zfp_accepts_nonfinite(zfp_of(&coding), whole.type, whole.rank))
        status = each_tile(context, &p, true);
    if (status == ZT_OK)
        status = each_tile(context, &p, false);
    zti_release(context, p.scratch);
    return status;
}
