/* open.cu: the first kernels of transformed tiles: a tile's place among those of its chunk, its
 * front, layout, and where its parts and corrections are, read by one lane, and frequencies of its
 * models, by a lane each; then the decoder's tables of models, a warp each. And the host's part of
 * all kernels. */
#include "codec/sz/transform/gpu/tiles.h"

/* ---- what a tile has ---- */

/* Where parts are: the bytes of open bits and of codes of each, then these. */
static __device__ bool find_parts(const struct tf_tiles *f, struct zti_cursor *c,
                                  const struct tf_slot *slot)
{
    const struct zti_tf_layout *const layout = slot->layout;
    for (uint32_t i = 0; i < layout->parts && !c->is_bad; i++) {
        slot->part[i].open = zti_get_varint(c);
        slot->part[i].codes = zti_get_varint(c);
    }
    for (uint32_t i = 0; i < layout->items; i++)
        for (uint32_t k = 0; k < layout->item[i].parts; k++)
            slot->part[layout->item[i].part + k].item = i;
    for (uint32_t i = 0; i < layout->parts && !c->is_bad; i++) {
        struct tf_part *const part = &slot->part[i];
        const uint8_t *const open = zti_get_bytes(c, part->open);
        const uint8_t *const codes = zti_get_bytes(c, part->codes);
        part->open = sz_bit_of(&f->s, open);
        part->end = sz_bit_of(&f->s, codes) + 8 * part->codes;
        part->codes = sz_bit_of(&f->s, codes);
    }
    return !c->is_bad;
}

/* Where chunks of corrections are, and their models' weights. */
static __device__ bool find_chunks(const struct tf_tiles *f, struct zti_cursor *c,
                                   const struct tf_slot *slot, struct zti_ans_model *model)
{
    const uint32_t each = tf_chunk_values(slot->front->parts_way);
    const uint32_t chunks = (uint32_t)((slot->layout->values + each - 1) / each);
    if (zti_cursor_left(c) == 0)
        return true;
    const uint64_t tables = zti_get_varint(c);
    const uint8_t *const at = zti_get_bytes(c, tables);
    if (c->is_bad)
        return false;
    struct zti_bit_reader r = sz_reader(&f->s, sz_bit_of(&f->s, at));
    const uint64_t end = r.at + 8 * tables;
    for (uint32_t k = TF_GAPS; k <= TF_STEPS && tables > 0; k++)
        if (zti_ans_read_weights(&r, &model[k]) || model[k].used == 0)
            return false;
    if (!sz_is_at_end(r.at, end))
        return false;
    for (uint32_t i = 0; i < chunks; i++)
        slot->chunk[i].end = zti_get_varint(c);
    for (uint32_t i = 0; i < chunks && !c->is_bad; i++) {
        struct tf_part *const chunk = &slot->chunk[i];
        const uint64_t bytes = chunk->end;
        chunk->open = sz_bit_of(&f->s, zti_get_bytes(c, bytes));
        chunk->end = chunk->open + 8 * bytes;
    }
    slot->note->chunks = chunks;
    slot->note->has_steps = tables > 0;
    return !c->is_bad && zti_cursor_left(c) == 0;
}

static __device__ void set_layout(const struct tf_tiles *f, uint32_t number,
                                  const struct sz_tile *tile, const struct tf_slot *slot)
{
    uint8_t *const at = f->slots + number * f->in_slot.bytes;
    uint32_t extent[ZTI_TF_AXES] = {1, 1, 1, 1};
    for (uint32_t i = 0; i < tile->rank; i++)
        extent[i + ZTI_TF_AXES - tile->rank] = tile->extent[i];
    memset(slot->layout, 0, sizeof *slot->layout);
    slot->layout->band = (struct zti_tf_band *)(void *)(at + f->in_slot.bands);
    slot->layout->item = (struct zti_tf_item *)(void *)(at + f->in_slot.items);
    tf_set_extent(slot->layout, extent);
}

/* Read a coded tile's front, and find its parts. */
static __device__ bool read_tile(const struct tf_tiles *f, struct zti_cursor *c,
                                 const struct tf_slot *slot, struct zti_ans_model *model)
{
    const uint64_t front = zti_get_varint(c);
    const uint8_t *const at = zti_get_bytes(c, front);
    if (c->is_bad)
        return false;
    struct zti_bit_reader r = sz_reader(&f->s, sz_bit_of(&f->s, at));
    const uint64_t end = r.at + 8 * front;
    if (!tf_read_front(&r, slot->layout, model, slot->front) || !sz_is_at_end(r.at, end))
        return false;
    tf_set_items(slot->layout, slot->front->parts_way);
    return find_parts(f, c, slot) && find_chunks(f, c, slot, model);
}

/* Whether a tile with a good front has model k. */
static __device__ __forceinline__ bool has_model(const struct tf_slot *slot, uint32_t k)
{
    return k < slot->front->models ||
           (k >= TF_GAPS && k <= (uint32_t)TF_STEPS && slot->note->has_steps);
}

SIMT_KERNEL void SIMT_BOUNDS(32, 16) tf_open_tiles(const struct tf_tiles f)
{
    SIMT_SHARED(struct zti_ans_model, model, [TF_MODELS]);
    const struct sz_numbered t = sz_numbered_of(&f.s, &f.batch, blockIdx.x);
    const struct tf_slot slot = tf_slot_of(&f, blockIdx.x);
    const uint32_t lane = threadIdx.x;
    if (!t.is_there)
        return;
    ll_clear_models(&slot.models, TF_MODELS, model);
    if (lane == 0) {
        const struct sz_tile tile = tile_of(&f.s, t.number);
        struct zti_cursor c = {NULL, NULL, false};
        struct sz_note *const note = &slot.note->tile;
        slot.front->models = 0;
        slot.note->is_bad = slot.note->chunks = 0;
        slot.note->has_steps = false;
        set_layout(&f, blockIdx.x, &tile, &slot);
        note->is_good = sz_find_tile(&f.s, &t, &tile, &c, note) &&
                        (note->is_raw || read_tile(&f, &c, &slot, model));
        if (!note->is_good)
            note_bad(&f.s, t.chunk);
    }
    simt_order_warp();
    if (tf_goes_on(&t, &slot) && has_model(&slot, lane))
        ll_make_frequencies(&model[lane]);
}

SIMT_KERNEL void SIMT_BOUNDS(32, 16) tf_make_tables(const struct tf_tiles f)
{
    const uint32_t which = blockIdx.x / (int)TF_MODELS, k = blockIdx.x % (int)TF_MODELS;
    const struct sz_numbered t = sz_numbered_of(&f.s, &f.batch, which);
    const struct tf_slot slot = tf_slot_of(&f, which);
    if (!tf_goes_on(&t, &slot) || !has_model(&slot, k))
        return;
    ll_make_table(&slot.models, k);
    simt_order_warp();
    for (uint32_t i = threadIdx.x; i < ZTI_ANS_STATES && k < ZTI_LL_MODELS; i += 32)
        slot.turned[i * (int)ZTI_LL_MODELS + k] = slot.models.tables[k * ZTI_ANS_STATES + i];
}

/* ---- the host's part ---- */

enum { BATCH = 8 }; /* tiles */

static struct tf_places places_of(const struct zti_coding *coding)
{
    const uint64_t values = zti_tile_values(coding), parts = tf_most_parts((size_t)values);
    const uint64_t bytes_each = tf_is_narrow(coding) ? sizeof(float) : sizeof(double);
    uint32_t extent[ZTI_TF_AXES] = {1, 1, 1, 1};
    struct tf_places p;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        extent[i] = coding->grid.side[i];
    (void)sz_place(&bytes, sizeof(struct tf_note));
    p.front = sz_place(&bytes, sizeof(struct zti_tf_front));
    p.layout = sz_place(&bytes, sizeof(struct zti_tf_layout));
    p.bands = sz_place(&bytes, tf_most_bands(extent) * sizeof(struct zti_tf_band));
    p.items = sz_place(&bytes, parts * sizeof(struct zti_tf_item));
    p.parts = sz_place(&bytes, parts * sizeof(struct tf_part));
    p.chunks = sz_place(&bytes, (values / tf_chunk_values(0) + 1) * sizeof(struct tf_part));
    p.models = sz_place(&bytes, ll_models_bytes(TF_MODELS));
    p.turned = sz_place(&bytes, sizeof(uint32_t) * ZTI_LL_MODELS * ZTI_ANS_STATES);
    p.values = sz_place(&bytes, values * bytes_each);
    p.others = sz_place(&bytes, values * bytes_each);
    p.bytes = bytes;
    return p;
}

static unsigned slots_of(const struct zti_coding *coding)
{
    return simt_at_most(coding->grid.count, BATCH);
}

extern "C" uint64_t zti_tf_cuda_decode_bytes(const struct zti_coding *coding)
{
    return slots_of(coding) * places_of(coding).bytes;
}

extern "C" void zti_tf_cuda_decode(const struct sz_tiles *s, const struct zti_coding *coding,
                                   void *work, void *queue)
{
    const uint64_t tiles = s->grid.count, slots = slots_of(coding),
                   values = zti_tile_values(coding);
    struct tf_tiles f;
    memset(&f, 0, sizeof f);
    f.s = *s;
    f.slots = (uint8_t *)work;
    f.in_slot = places_of(coding);
    f.most_parts = (uint32_t)tf_most_parts((size_t)values);
    f.most_chunks = (uint32_t)(values / tf_chunk_values(0) + 1);
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        f.most_levels += tf_levels(coding->grid.side[i], 2);
    f.blocks = simt_at_most((values + 2 * TF_THREADS - 1) / (2 * TF_THREADS), TF_MOST_BLOCKS);
    f.batch.each = tiles < s->chunk_tiles ? tiles : s->chunk_tiles;
    for (; f.batch.first < s->count * f.batch.each; f.batch.first += slots) {
        f.batch.count = simt_at_most(s->count * f.batch.each - f.batch.first, (unsigned)slots);
        SIMT_LAUNCH(tf_open_tiles, f.batch.count, 32, 0, queue, f);
        SIMT_LAUNCH(tf_make_tables, f.batch.count * (int)TF_MODELS, 32, 0, queue, f);
        if (tf_is_narrow(coding))
            zti_tf_cuda_values_narrow(&f, queue);
        else
            zti_tf_cuda_values_wide(&f, queue);
    }
}
