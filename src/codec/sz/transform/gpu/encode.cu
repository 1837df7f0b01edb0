/* encode.cu: the host's part of encoding with the transform by kernels: memory, copies, and what
 * ../kernels.h asks for. One tile is coded at a time. */
#include "codec/sz/gpu/work.h"
#include "codec/sz/transform/gpu/job.h"
#include "codec/sz/transform/gpu/tiles.h"

/* ---- memory ---- */

/* What is where in the device's memory, in bytes. */
struct room {
    uint64_t sums, layout, front, parts, chunks, places, table, model_of, strings, offsets, points;
    uint64_t values, others, spare, symbols, contexts, codes;
    uint64_t corrections, correction_codes; /* in 'spare' */
    uint64_t bytes;
};

/* Of a coding's tiles, at most. */
struct most {
    uint64_t values, parts, chunks, bands, number_bytes;
};

static struct most most_of(const struct zti_coding *coding)
{
    uint32_t extent[ZTI_TF_AXES] = {1, 1, 1, 1};
    struct most m;
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        extent[i] = coding->grid.side[i];
    m.values = zti_tile_values(coding);
    m.parts = tf_most_parts((size_t)m.values);
    m.chunks = m.values / tf_chunk_values(0) + 1;
    m.bands = tf_most_bands(extent);
    m.number_bytes = tf_is_narrow(coding) ? sizeof(float) : sizeof(double);
    return m;
}

/* A layout with its bands and items, and items of parts. */
static uint64_t layout_bytes(const struct most *m)
{
    return sizeof(struct zti_tf_layout) + m->bands * sizeof(struct zti_tf_band) +
           m->parts * (sizeof(struct zti_tf_item) + sizeof(uint32_t));
}

/* What stands before parts, or before chunks: a front with its tables, and two lengths of each. */
static uint64_t string_bytes(uint64_t parts)
{
    enum { FRONT = 1 << 16, EACH = 2 * ZTI_VARINT_MAX_BYTES };
    return FRONT + EACH * parts;
}

static uint64_t table_bytes(void)
{
    return ZTI_LL_MODELS * (ZTI_ANS_MIXED_ALPHABET * sizeof(struct zti_ans_mixed_entry) +
                            ZTI_ANS_STATES * sizeof(uint16_t)) +
           sizeof(uint16_t);
}

static struct room room_of(const struct zti_coding *coding)
{
    enum { BEHIND = 8 }; /* bytes that are read, but not used */
    const struct most m = most_of(coding);
    const uint64_t symbols = m.values + m.values / ZTI_TF_LEAST_ROW + 1;
    const uint64_t numbers = m.values * m.number_bytes;
    struct room r;
    uint64_t bytes = 0, spare = 0;
    r.corrections =
        sz_place(&spare, (m.values / ZTI_TF_CHUNK_CORRECTED_PART + 1) * sizeof(zti_tf_correction));
    r.correction_codes =
        sz_place(&spare, tf_codes_at(m.values + 1, (uint32_t)m.chunks + 1) + BEHIND);
    r.sums = sz_place(&bytes, sizeof(struct tf_sums));
    r.layout = sz_place(&bytes, layout_bytes(&m));
    r.front = sz_place(&bytes, sizeof(struct zti_tf_front));
    r.parts = sz_place(&bytes, m.parts * sizeof(struct tf_stream));
    r.chunks = sz_place(&bytes, m.chunks * sizeof(struct tf_stream));
    r.places = sz_place(&bytes, (m.parts + m.chunks) * sizeof(uint64_t));
    r.table = sz_place(&bytes, table_bytes());
    r.model_of = sz_place(&bytes, ZTI_TF_CONTEXTS);
    r.strings = sz_place(&bytes, string_bytes(m.parts) + string_bytes(m.chunks) + BEHIND);
    r.offsets = sz_place(&bytes, ZTI_FLAT_POINTS * sizeof(int64_t));
    r.points = sz_place(&bytes, ZTI_FLAT_POINTS * sizeof(double));
    r.values = sz_place(&bytes, numbers);
    r.others = sz_place(&bytes, numbers);
    r.spare = sz_place(&bytes, numbers > spare ? numbers : spare);
    r.symbols = sz_place(&bytes, symbols);
    r.contexts = sz_place(&bytes, symbols);
    r.codes = sz_place(&bytes, tf_codes_at(symbols, (uint32_t)m.parts + 1) + BEHIND);
    r.bytes = bytes;
    return r;
}

extern "C" uint64_t zti_tf_cuda_encode_bytes(const struct zti_coding *coding)
{
    return room_of(coding).bytes;
}

/* ---- a run over tiles ---- */

struct encoder {
    struct zti_tf_kernels kernels; /* the first member: they are called with its address */
    struct sz_work work;
    bool is_narrow;
    struct tf_job job;
    struct room room;
    uint8_t *stream; /* in the device's memory */
    uint64_t at;     /* the end of the stream so far */
    uint8_t *memory; /* the host's, in which all that follows is */
    uint8_t *layout; /* layout_bytes */
    struct tf_stream *streams;
    uint64_t *places;
    struct tf_sums *sums;
};

static struct encoder *encoder_of(struct zti_tf_kernels *k)
{
    return (struct encoder *)(void *)k;
}

static void clear_sums(struct encoder *e)
{
    sz_clear(&e->work, e->room.sums, sizeof(struct tf_sums));
}

/* Wait for all that is queued; false: something failed. */
static bool settle(struct encoder *e)
{
    e->kernels.has_failed = !sz_settle(&e->work);
    return !e->kernels.has_failed;
}

/* Fetch what kernels counted, and set the counts of the first 'contexts' contexts. False: something
 * failed. */
static bool fetch_sums(struct encoder *e, uint32_t contexts, uint32_t (*counts)[ZTI_LL_ALPHABET])
{
    const uint64_t far = offsetof(struct tf_sums, far);
    sz_fetch(&e->work, e->sums, e->room.sums, far);
    const bool has_far = settle(e) && e->sums->has_far;
    if (has_far)
        sz_fetch(&e->work, e->sums->far, e->room.sums + far, sizeof e->sums->far);
    if (!settle(e))
        return false;
    for (uint32_t i = 0; i < contexts; i++) {
        uint32_t *const to = counts[i];
        memset(to, 0, sizeof *counts);
        memcpy(to, e->sums->near[i], sizeof *e->sums->near);
        if (has_far)
            memcpy(to + TF_NEAR_SYMBOLS, e->sums->far[i], sizeof *e->sums->far);
    }
    return true;
}

static void set_box(struct encoder *e, const uint64_t *origin, const struct zti_tf_layout *layout)
{
    struct tf_job *const j = &e->job;
    const uint32_t rank = j->box.array.rank;
    for (uint32_t i = 0; i < rank; i++) {
        j->box.origin[i] = origin[i];
        j->box.extent[i] = layout->extent[i + ZTI_TF_AXES - rank];
    }
    j->box.n = (uint32_t)layout->values;
    j->blocks = simt_at_most((layout->values + 2 * TF_JOB_THREADS - 1) / (2 * TF_JOB_THREADS),
                             TF_JOB_BLOCKS);
}

/* Queue the copy of a layout. */
static void send_layout(struct encoder *e, const struct zti_tf_layout *layout)
{
    struct zti_tf_layout *const own = (struct zti_tf_layout *)(void *)e->layout;
    const uint64_t bands = sizeof *layout;
    const uint64_t items = bands + layout->bands * sizeof *layout->band;
    const uint64_t item_of = items + layout->items * sizeof *layout->item;
    uint32_t *const to = (uint32_t *)(void *)(e->layout + item_of);
    uint8_t *const there = e->work.memory + e->room.layout;
    *own = *layout;
    own->band = (struct zti_tf_band *)(void *)(there + bands);
    own->item = (struct zti_tf_item *)(void *)(there + items);
    memcpy(e->layout + bands, layout->band, items - bands);
    memcpy(e->layout + items, layout->item, item_of - items);
    for (uint32_t i = 0; i < layout->items; i++)
        for (uint32_t k = 0; k < layout->item[i].parts; k++)
            to[layout->item[i].part + k] = i;
    sz_send(&e->work, e->room.layout, e->layout, item_of + layout->parts * sizeof *to);
    e->job.layout = (const struct zti_tf_layout *)(const void *)there;
    e->job.item_of = (const uint32_t *)(const void *)(there + item_of);
    e->job.parts = layout->parts;
}

/* ---- what the coder of tiles asks for ---- */

static bool is_flat(struct zti_tf_kernels *k, const uint64_t *origin, const uint64_t *shape,
                    double most)
{
    struct encoder *const e = encoder_of(k);
    int64_t offset[ZTI_FLAT_POINTS];
    double value[ZTI_FLAT_POINTS];
    struct zti_array box = e->job.box.array;
    memcpy(box.shape, shape, box.rank * sizeof *shape);
    for (uint32_t i = 0; i < ZTI_FLAT_POINTS; i++) {
        uint64_t at[ZT_MAX_RANK];
        zti_array_point(&box, i, at);
        offset[i] = 0;
        for (uint32_t a = 0; a < box.rank; a++)
            offset[i] += (int64_t)(origin[a] + at[a]) * box.stride[a];
    }
    sz_send(&e->work, e->room.offsets, offset, sizeof offset);
    if (e->work.status == ZT_OK)
        zti_tf_cuda_points(&e->job,
                           (const int64_t *)(const void *)(e->work.memory + e->room.offsets),
                           (double *)(void *)(e->work.memory + e->room.points), e->work.queue);
    sz_fetch(&e->work, value, e->room.points, sizeof value);
    return settle(e) && zti_are_flat(value, most);
}

static bool make_symbols(struct zti_tf_kernels *k, const uint64_t *origin,
                         const struct zti_tf_layout *layout, double step, uint32_t shift,
                         uint32_t (*counts)[ZTI_LL_ALPHABET], struct zti_tf_tally *tally)
{
    struct encoder *const e = encoder_of(k);
    set_box(e, origin, layout);
    e->job.step = step;
    e->job.shift = shift;
    send_layout(e, layout);
    clear_sums(e);
    if (e->work.status == ZT_OK) {
        (e->is_narrow ? zti_tf_cuda_quantize_narrow
                      : zti_tf_cuda_quantize_wide)(&e->job, layout->levels, e->work.queue);
        zti_tf_cuda_count(&e->job, e->work.queue);
    }
    if (!fetch_sums(e, ZTI_TF_CONTEXTS, counts))
        return false;
    for (uint32_t g = 0; g < ZTI_TF_OCTAVES; g++)
        for (uint32_t i = 0; i < ZTI_TF_CENTROIDS; i++) {
            tally->off[g][i] = (int64_t)e->sums->off[g][i];
            tally->times[g][i] = e->sums->times[g][i];
        }
    tally->open_bits = e->sums->open_bits;
    tally->is_over = e->sums->is_over > 0;
    return e->sums->is_bad == 0;
}

static void set_part(const struct tf_stream *from, struct zti_tf_part *to)
{
    to->symbols = from->symbols;
    to->open_bits = from->open_bits;
    to->open_bytes = (from->open_bits + 7) / 8;
    to->code_bytes = from->code_bytes;
    to->exact = from->exact;
    to->exact_bytes = from->exact_bytes;
}

/* Code streams of parts or chunks, and fetch their lengths. */
static void code_streams(struct encoder *e, const struct tf_coding *c, const struct zti_tf_table *t,
                         uint64_t streams, struct zti_tf_part *part)
{
    sz_send(&e->work, e->room.table, t->bytes, t->size);
    if (e->work.status == ZT_OK)
        zti_tf_cuda_code(c, e->work.queue);
    sz_fetch(&e->work, e->streams, streams, c->streams * sizeof *e->streams);
    for (uint32_t i = 0; settle(e) && i < c->streams; i++)
        set_part(&e->streams[i], &part[i]);
}

static void code_parts(struct zti_tf_kernels *k, const struct zti_tf_table *table,
                       const uint8_t *model_of, uint32_t parts, struct zti_tf_part *part)
{
    struct encoder *const e = encoder_of(k);
    const struct tf_job *const j = &e->job;
    const struct tf_coding c = {j->symbols, j->contexts, j->model_of, j->table,
                                j->part,    parts,       j->codes};
    sz_send(&e->work, e->room.model_of, model_of, ZTI_TF_CONTEXTS);
    code_streams(e, &c, table, e->room.parts, part);
}

static bool find_corrections(struct zti_tf_kernels *k, const struct zti_tf_front *front,
                             uint32_t chunks, struct zti_tf_part *chunk,
                             uint32_t (*counts)[ZTI_LL_ALPHABET])
{
    struct encoder *const e = encoder_of(k);
    const uint32_t levels = ((const struct zti_tf_layout *)(const void *)e->layout)->levels;
    sz_send(&e->work, e->room.front, front, sizeof *front);
    clear_sums(e);
    e->job.chunks = chunks;
    e->job.chunk_values = tf_chunk_values(front->parts_way);
    if (e->work.status == ZT_OK) {
        (e->is_narrow ? zti_tf_cuda_find_narrow : zti_tf_cuda_find_wide)(&e->job, levels,
                                                                         e->work.queue);
        zti_tf_cuda_list_chunks(&e->job, e->work.queue);
    }
    sz_fetch(&e->work, e->streams, e->room.chunks, chunks * sizeof *e->streams);
    if (!fetch_sums(e, ZTI_TF_CORRECTION_MODELS, counts))
        return false;
    for (uint32_t i = 0; i < chunks; i++)
        set_part(&e->streams[i], &chunk[i]);
    return e->sums->is_over == 0;
}

static void code_chunks(struct zti_tf_kernels *k, const struct zti_tf_table *table, uint32_t chunks,
                        struct zti_tf_part *chunk)
{
    struct encoder *const e = encoder_of(k);
    const struct tf_job *const j = &e->job;
    const struct tf_coding c = {j->symbols,         NULL, NULL, j->table, j->chunk, chunks,
                                j->correction_codes};
    code_streams(e, &c, table, e->room.chunks, chunk);
}

static void join(struct zti_tf_kernels *k)
{
    struct encoder *const e = encoder_of(k);
    struct tf_job *const j = &e->job;
    const struct zti_tf_joined *const all = &k->joined;
    j->head_bytes = (uint32_t)all->head_bytes;
    j->tail_bytes = (uint32_t)all->tail_bytes;
    j->parts_bytes = all->parts_bytes;
    j->chunks = all->chunks;
    j->out = e->stream + e->at;
    for (uint32_t i = 0; i < all->parts; i++)
        e->places[i] = all->part[i].at;
    for (uint32_t i = 0; i < all->chunks; i++)
        e->places[all->parts + i] = all->chunk[i].at;
    sz_send(&e->work, e->room.places, e->places,
            (uint64_t)(all->parts + all->chunks) * sizeof *e->places);
    sz_send(&e->work, e->room.strings, all->head, all->head_bytes);
    sz_send(&e->work, e->room.strings + all->head_bytes, all->tail, all->tail_bytes);
    if (e->work.status == ZT_OK) {
        zti_tf_cuda_put_strings(j, e->work.queue);
        (e->is_narrow ? zti_tf_cuda_join_narrow : zti_tf_cuda_join_wide)(j, e->work.queue);
        if (all->chunks > 0)
            zti_tf_cuda_join_chunks(j, e->work.queue);
    }
    (void)settle(e);
    e->at += all->head_bytes + all->parts_bytes + all->tail_bytes + all->chunks_bytes;
}

static void write_raw(struct zti_tf_kernels *k, const uint64_t *origin,
                      const struct zti_tf_layout *layout)
{
    struct encoder *const e = encoder_of(k);
    set_box(e, origin, layout);
    e->job.out = e->stream + e->at;
    if (e->work.status == ZT_OK)
        zti_tf_cuda_put_raw(&e->job, e->work.queue);
    e->at += 1 + (uint64_t)e->job.box.n * zt_type_bytes(e->job.box.array.type);
}

/* ---- all tiles ---- */

/* Allocate the host's memory. */
static zt_status open_memory(struct encoder *e, const struct zti_coding *coding)
{
    const struct most m = most_of(coding);
    const uint64_t streams = m.parts > m.chunks ? m.parts : m.chunks;
    uint64_t bytes = 0;
    const uint64_t sums = sz_place(&bytes, sizeof *e->sums);
    const uint64_t layout = sz_place(&bytes, layout_bytes(&m));
    const uint64_t list = sz_place(&bytes, streams * sizeof *e->streams);
    const uint64_t places = sz_place(&bytes, (m.parts + m.chunks) * sizeof *e->places);
    const uint64_t head = sz_place(&bytes, string_bytes(m.parts));
    const uint64_t tail = sz_place(&bytes, string_bytes(m.chunks));
    e->memory = (uint8_t *)zti_alloc(e->work.context, (size_t)bytes);
    if (!e->memory)
        return zti_fail(e->work.context, ZT_NO_MEMORY, "no memory for the parts of a tile");
    e->sums = (struct tf_sums *)(void *)(e->memory + sums);
    e->layout = e->memory + layout;
    e->streams = (struct tf_stream *)(void *)(e->memory + list);
    e->places = (uint64_t *)(void *)(e->memory + places);
    e->kernels.joined.head = e->memory + head;
    e->kernels.joined.tail = e->memory + tail;
    return ZT_OK;
}

static void open_job(struct encoder *e, const struct zti_cuda_encoding *args)
{
    const struct room *const r = &e->room;
    struct tf_job *const j = &e->job;
    uint8_t *const at = e->work.memory;
    j->box.array = args->array;
    j->sz = *sz_of(args->whole);
    j->front = (const struct zti_tf_front *)(const void *)(at + r->front);
    j->values = at + r->values;
    j->others = at + r->others;
    j->spare = at + r->spare;
    j->symbols = at + r->symbols;
    j->contexts = at + r->contexts;
    j->codes = at + r->codes;
    j->corrections = (zti_tf_correction *)(void *)(at + r->spare + r->corrections);
    j->correction_codes = at + r->spare + r->correction_codes;
    j->part = (struct tf_stream *)(void *)(at + r->parts);
    j->chunk = (struct tf_stream *)(void *)(at + r->chunks);
    j->sums = (struct tf_sums *)(void *)(at + r->sums);
    j->table = (const struct zti_ans_mixed_entry *)(const void *)(at + r->table);
    j->model_of = at + r->model_of;
    j->places = (const uint64_t *)(const void *)(at + r->places);
    j->strings = at + r->strings;
}

/* Code all tiles, and note where chunks begin. */
static void encode_tiles(struct encoder *e, const struct zti_cuda_encoding *args, uint64_t *starts)
{
    const struct zti_grid *const grid = &args->coding->grid;
    struct zti_walk walk = zti_walk_from(grid, 0);
    uint64_t chunks = 0;
    for (; walk.tile < grid->count && e->work.status == ZT_OK; zti_walk_next(grid, &walk)) {
        uint32_t extent[ZT_MAX_RANK];
        sz_find_extent(grid, &walk, extent);
        if (sz_begins_chunk(args, walk.tile))
            starts[chunks++] = 8 * e->at;
        zti_tf_encode_by(&e->kernels, args->whole, walk.origin, extent);
    }
    sz_note_stream(&e->work, args, starts, chunks, 8 * e->at);
}

extern "C" zt_status zti_tf_cuda_encode(zt_context *context, const struct zti_cuda_encoding *args)
{
    const bool has_starts = args->starts && args->chunk_tiles > 0;
    struct encoder e;
    memset(&e, 0, sizeof e);
    e.kernels.is_flat = is_flat;
    e.kernels.make_symbols = make_symbols;
    e.kernels.code_parts = code_parts;
    e.kernels.find_corrections = find_corrections;
    e.kernels.code_chunks = code_chunks;
    e.kernels.join = join;
    e.kernels.write_raw = write_raw;
    e.work.context = context;
    e.work.queue = args->queue;
    e.is_narrow = tf_is_narrow(args->whole);
    e.room = room_of(args->whole);
    e.work.memory = (uint8_t *)args->work;
    e.stream = (uint8_t *)args->words;
    open_job(&e, args);
    uint64_t *const starts =
        has_starts ? (uint64_t *)zti_alloc(context, (size_t)args->coding->grid.count * 8) : NULL;
    if (has_starts && !starts)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for the places of chunks");
    e.work.status = open_memory(&e, args->whole);
    if (e.work.status == ZT_OK)
        encode_tiles(&e, args, starts);
    zti_release(context, e.memory);
    zti_release(context, starts);
    return e.work.status;
}
