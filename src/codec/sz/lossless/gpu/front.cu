/* front.cu: the first kernels of lossless tiles: a tile's place among those of its chunk, its parts
 * and its front, read by one lane, and frequencies of its models, by a lane each; then the
 * decoder's tables of models, a warp each. And the host's part of all kernels. */
#include "codec/sz/lossless/gpu/tiles.h"

/* ---- parts ---- */

/* Read the lengths of a coded tile's parts, and its front. */
static __device__ bool read_parts(const struct ll_tiles *l, const struct zti_ll_shape *shape,
                                  struct zti_cursor *c, struct ll_slot *slot,
                                  struct zti_ans_model *model)
{
    struct ll_note *const note = slot->note;
    const uint64_t front = zti_get_varint(c), codes = zti_get_varint(c), open = zti_get_varint(c);
    const uint8_t *const at = zti_get_bytes(c, front);
    if (!zti_get_bytes(c, codes) || !zti_get_bytes(c, open))
        return false;
    struct zti_bit_reader r = sz_reader(&l->s, sz_bit_of(&l->s, at));
    note->codes = r.at + 8 * front;
    note->codes_end = note->open = note->codes + 8 * codes;
    note->open_end = note->rest = note->open + 8 * open;
    note->rest_end = sz_bit_of(&l->s, c->end);
    slot->list.model = model;
    return ll_read_front(l->type, shape, &r, &slot->list, slot->front) &&
           sz_is_at_end(r.at, note->codes);
}

SIMT_KERNEL void SIMT_BOUNDS(32, 16) ll_read_fronts(const struct ll_tiles l)
{
    SIMT_SHARED(struct zti_ans_model, model, [ZTI_LL_MODELS]);
    const struct sz_numbered t = sz_numbered_of(&l.s, &l.batch, blockIdx.x);
    struct ll_slot slot = ll_slot_of(&l, blockIdx.x);
    const uint32_t lane = threadIdx.x;
    if (!t.is_there)
        return;
    ll_clear_models(&slot.models, ZTI_LL_MODELS, model);
    if (lane == 0) {
        const struct sz_tile tile = tile_of(&l.s, t.number);
        const struct zti_ll_shape shape = ll_shape_of(&l, &tile);
        struct zti_cursor c = {NULL, NULL, false};
        slot.front->models = 0;
        struct sz_note *const note = &slot.note->tile;
        note->is_good = sz_find_tile(&l.s, &t, &tile, &c, note) &&
                        (note->is_raw || read_parts(&l, &shape, &c, &slot, model));
        if (!note->is_good)
            note_bad(&l.s, t.chunk);
    }
    simt_order_warp();
    if (!slot.note->tile.is_good || slot.note->tile.is_raw || lane >= slot.front->models)
        return;
    ll_make_frequencies(&model[lane]);
}

SIMT_KERNEL void SIMT_BOUNDS(32, 16) ll_make_tables(const struct ll_tiles l)
{
    const uint32_t which = blockIdx.x / (int)ZTI_LL_MODELS, k = blockIdx.x % (int)ZTI_LL_MODELS;
    const struct sz_numbered t = sz_numbered_of(&l.s, &l.batch, which);
    const struct ll_slot slot = ll_slot_of(&l, which);
    if (t.is_there && slot.note->tile.is_good && !slot.note->tile.is_raw && k < slot.front->models)
        ll_make_table(&slot.models, k);
}

extern "C" void zti_ll_cuda_fronts(const struct ll_tiles *l, void *queue)
{
    SIMT_LAUNCH(ll_read_fronts, l->batch.count, 32, 0, queue, *l);
    SIMT_LAUNCH(ll_make_tables, l->batch.count * (int)ZTI_LL_MODELS, 32, 0, queue, *l);
}

/* ---- the host's part ---- */

/* Tiles at a time: a warp decodes the symbols of one, so all take hardly longer than one. */
enum { BATCH = 512, LARGE_BATCH = 128 };

static struct ll_places places_of(const struct zti_coding *coding)
{
    const struct zti_ll_room room = ll_room(&coding->grid);
    const uint64_t value_bytes = ll_value_bits(ll_coded_type(coding)) / 8;
    struct ll_places p;
    uint64_t bytes = 0;
    (void)sz_place(&bytes, sizeof(struct ll_note));
    p.front = sz_place(&bytes, sizeof(struct zti_ll_front));
    p.models = sz_place(&bytes, ll_models_bytes(ZTI_LL_MODELS));
    p.lattices = sz_place(&bytes, 2 * room.slices * sizeof(double));
    p.ranks = sz_place(&bytes, ZTI_LL_MOST_RANKS * sizeof(uint64_t));
    p.source = sz_place(&bytes, room.rows * sizeof(int32_t));
    p.how = sz_place(&bytes, room.rows);
    p.keys = sz_place(&bytes, room.cells * value_bytes);
    p.codes = sz_place(&bytes, room.cells);
    p.marks = sz_place(&bytes, room.cells);
    p.symbols = sz_place(&bytes, room.values);
    p.bytes = bytes;
    return p;
}

static unsigned slots_of(const struct zti_coding *coding)
{
    const bool is_large = sz_of(coding)->tuning & ZTI_LL_IS_LARGE;
    return simt_at_most(coding->grid.count, is_large ? LARGE_BATCH : BATCH);
}

extern "C" uint64_t zti_ll_cuda_decode_bytes(const struct zti_coding *coding)
{
    return slots_of(coding) * places_of(coding).bytes;
}

extern "C" void zti_ll_cuda_decode(const struct sz_tiles *s, const struct zti_coding *coding,
                                   void *work, void *queue)
{
    const uint64_t tiles = s->grid.count, slots = slots_of(coding);
    struct ll_tiles l;
    memset(&l, 0, sizeof l);
    l.s = *s;
    l.slots = (uint8_t *)work;
    l.in_slot = places_of(coding);
    l.type = ll_coded_type(coding);
    l.is_multiples = ll_is_of_multiples(coding);
    l.batch.each = tiles < s->chunk_tiles ? tiles : s->chunk_tiles;
    for (; l.batch.first < s->count * l.batch.each; l.batch.first += slots) {
        l.batch.count = simt_at_most(s->count * l.batch.each - l.batch.first, (unsigned)slots);
        zti_ll_cuda_fronts(&l, queue);
        zti_ll_cuda_symbols(&l, queue);
        if (ll_value_bits(l.type) == 32)
            zti_ll_cuda_values_32(&l, queue);
        else
            zti_ll_cuda_values_64(&l, queue);
    }
}
