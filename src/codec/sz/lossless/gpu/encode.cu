/* encode.cu: the host's part of encoding without loss by kernels: memory, copies, and what
 * ../kernels.h asks for. One tile is chosen for at a time; LL_PENDING are coded and joined
 * together. */
#include "codec/sz/gpu/work.h"
#include "codec/sz/lossless/gpu/job.h"
#include "codec/sz/lossless/gpu/tiles.h"

/* ---- memory ---- */

enum { BEHIND = 8 }; /* bytes that are read, but not used */

/* What is where in the device's memory, in bytes; and in a slot of it, and of the host's. */
struct room {
    uint64_t sums, exponents, distinct, counts, group_of, model_of, front, lists, streams;
    uint64_t values, keys, residuals, codes, marks, symbols, contexts, found, marked, number;
    uint64_t last, first, hits, first_hit, votes, source, how; /* of rows that repeat rows */
    uint64_t lengths, slots, bytes;
};

struct slot_room {
    uint64_t head, front, table, numbers, codes, open, bytes;
    uint64_t codes_end;
};

struct host_slot_room {
    uint64_t head, front, table, bytes;
};

/* Of a coding's tiles, at most. */
struct most {
    struct zti_ll_room tile;
    uint64_t value_bytes, raw_bytes, front_bytes, lists_bytes, slots;
};

/* A front has tables of ranks, of models, and 64 bits twice a slice, or some 32 bits a row. */
static struct most most_of(const struct zti_coding *coding)
{
    enum { FRONT = 1 << 17, EACH_ROW = 4 };
    struct most m;
    m.tile = ll_room(&coding->grid);
    m.value_bytes = zt_type_bytes(ll_coded_type(coding));
    m.raw_bytes = m.tile.values * zt_type_bytes(coding->type);
    m.front_bytes = FRONT + 2 * sizeof(double) * m.tile.slices + EACH_ROW * m.tile.rows;
    m.lists_bytes = 2 * sizeof(double) * m.tile.slices + sizeof(uint64_t) * ZTI_LL_MOST_RANKS +
                    (sizeof(int32_t) + 1) * m.tile.rows;
    m.slots = simt_at_most(coding->grid.count, LL_PENDING);
    return m;
}

static uint64_t table_bytes(void)
{
    return ZTI_LL_MODELS * (ZTI_ANS_MIXED_ALPHABET * sizeof(struct zti_ans_mixed_entry) +
                            ZTI_ANS_STATES * sizeof(uint16_t)) +
           sizeof(uint16_t);
}

static struct slot_room slot_room_of(const struct most *m)
{
    enum { HEAD = 64, FIELD = 16 };
    const uint64_t codes =
        ((m->tile.values + ZTI_ANS_MANY + 1) * ZTI_ANS_STATE_BITS / 8 + 16) / 4 * 4;
    struct slot_room r;
    r.bytes = 0;
    r.head = sz_place(&r.bytes, HEAD);
    r.front = sz_place(&r.bytes, m->front_bytes + BEHIND);
    r.table = sz_place(&r.bytes, table_bytes());
    r.numbers = sz_place(&r.bytes, m->tile.values * sizeof(uint16_t));
    r.codes = sz_place(&r.bytes, codes + BEHIND);
    r.codes_end = r.codes + codes;
    r.open = sz_place(&r.bytes, m->raw_bytes + 2 * FIELD + BEHIND);
    return r;
}

static struct host_slot_room host_slot_room_of(const struct most *m)
{
    enum { HEAD = 64 };
    struct host_slot_room r;
    r.bytes = 0;
    r.head = sz_place(&r.bytes, HEAD);
    r.front = sz_place(&r.bytes, m->front_bytes);
    r.table = sz_place(&r.bytes, table_bytes());
    return r;
}

static struct room room_of(const struct most *m)
{
    enum { POINTS = 4096 };
    const uint64_t n = m->tile.values;
    const uint64_t points = (uint64_t)POINTS * (ZTI_LL_TAPS + 1);
    const uint64_t most = points > n ? points : n;
    struct room r;
    uint64_t bytes = 0;
    r.sums = sz_place(&bytes, sizeof(struct ll_sums));
    r.exponents = sz_place(&bytes, sizeof(struct zti_ll_exponents));
    r.distinct = sz_place(&bytes, sizeof(uint64_t) << ZTI_LL_DISTINCT_BITS);
    r.counts = sz_place(&bytes, (uint64_t)ZTI_LL_CONTEXTS * ZTI_LL_ALPHABET * sizeof(uint32_t));
    r.group_of = sz_place(&bytes, ZTI_LL_TABLE);
    r.model_of = sz_place(&bytes, ZTI_LL_TABLE);
    r.front = sz_place(&bytes, sizeof(struct zti_ll_front));
    r.lists = sz_place(&bytes, m->lists_bytes);
    r.streams = sz_place(&bytes, LL_PENDING * sizeof(struct ll_stream));
    r.values = sz_place(&bytes, n * m->value_bytes);
    r.keys = sz_place(&bytes, m->tile.cells * m->value_bytes);
    r.residuals = sz_place(&bytes, n * m->value_bytes);
    r.codes = sz_place(&bytes, m->tile.cells);
    r.marks = sz_place(&bytes, m->tile.cells);
    r.symbols = sz_place(&bytes, n);
    r.contexts = sz_place(&bytes, n * sizeof(uint16_t));
    r.found = sz_place(&bytes, most * m->value_bytes);
    r.marked = sz_place(&bytes, POINTS);
    r.number = sz_place(&bytes, POINTS * sizeof(uint32_t));
    r.last = sz_place(&bytes, sizeof(uint64_t) << ZTI_LL_HASH_BITS);
    r.first = sz_place(&bytes, sizeof(uint64_t) << ZTI_LL_HASH_BITS);
    r.hits = sz_place(&bytes, n * sizeof(uint64_t));
    r.first_hit = sz_place(&bytes, (m->tile.rows + 1) * sizeof(uint32_t));
    r.votes = sz_place(&bytes, 2 * m->tile.width * sizeof(uint32_t));
    r.source = sz_place(&bytes, m->tile.rows * sizeof(int32_t));
    r.how = sz_place(&bytes, m->tile.rows);
    r.lengths = sz_place(&bytes, LL_LISTS * (n / LL_PART_VALUES + 1) * sizeof(uint32_t));
    r.slots = sz_place(&bytes, m->slots * slot_room_of(m).bytes);
    r.bytes = bytes;
    return r;
}

extern "C" uint64_t zti_ll_cuda_encode_bytes(const struct zti_coding *coding)
{
    const struct most m = most_of(coding);
    return room_of(&m).bytes;
}

/* ---- a run over tiles ---- */

/* A tile that is not joined yet. */
struct pending {
    bool is_raw;
    struct sz_box box;
    struct zti_ll_coded coded;
    uint32_t symbols;
};

struct encoder {
    struct zti_ll_kernels kernels; /* the first member: they are called with its address */
    struct sz_work work;
    const struct ll_kernels *by_width;
    struct ll_job job;
    struct room room;
    struct slot_room slot_room;
    struct host_slot_room host_room;
    struct most most;
    uint8_t *stream; /* in the device's memory */
    uint64_t at;     /* the end of the stream so far */
    uint64_t tile;   /* the next to be joined */
    const struct zti_cuda_encoding *args;
    uint64_t *starts, chunks; /* of chunks whose tiles were joined; starts: or NULL */
    struct pending pending[LL_PENDING];
    uint32_t pendings;
    uint8_t *memory; /* the host's, in which all that follows is */
    uint8_t *slots;  /* heads, fronts and tables */
    uint8_t *lists;
    struct zti_ll_front *front;
    struct ll_sums *sums;
    struct ll_stream *streams, *coded; /* as they are sent, and come back */
    uint64_t *distinct;
};

static struct encoder *encoder_of(struct zti_ll_kernels *k)
{
    return (struct encoder *)(void *)k;
}

static uint8_t *host_slot(const struct encoder *e, uint32_t i)
{
    return e->slots + i * e->host_room.bytes;
}

static uint64_t slot_at(const struct encoder *e, uint32_t i)
{
    return e->room.slots + i * e->slot_room.bytes;
}

static void clear_sums(struct encoder *e)
{
    sz_clear(&e->work, e->room.sums, sizeof(struct ll_sums));
}

/* Wait for all that is queued; false: something failed. */
static bool settle(struct encoder *e)
{
    e->kernels.has_failed = !sz_settle(&e->work);
    return !e->kernels.has_failed;
}

/* Fetch what a step found; after a failure, nothing was. */
static const struct ll_sums *fetch_sums(struct encoder *e)
{
    sz_fetch(&e->work, e->sums, e->room.sums, sizeof *e->sums);
    if (!settle(e))
        memset(e->sums, 0, sizeof *e->sums);
    return e->sums;
}

/* Fetch a list; after a failure, zeros. */
static void fetch_list(struct encoder *e, void *to, uint64_t from, uint64_t bytes)
{
    sz_fetch(&e->work, to, from, bytes);
    if (!settle(e))
        memset(to, 0, (size_t)bytes);
}

static bool is_good(const struct encoder *e)
{
    return e->work.status == ZT_OK;
}

/* ---- values ---- */

static bool bring(struct zti_ll_kernels *k, const uint64_t *origin, const uint32_t *extent,
                  const struct zti_ll_shape *shape)
{
    struct encoder *const e = encoder_of(k);
    struct ll_job *const j = &e->job;
    for (uint32_t i = 0; i < j->box.array.rank; i++) {
        j->box.origin[i] = origin[i];
        j->box.extent[i] = extent[i];
    }
    j->box.n = shape->values;
    j->shape = *shape;
    j->parts = (shape->values + LL_PART_VALUES - 1) / LL_PART_VALUES;
    k->front = host_slot(e, e->pendings) + e->host_room.front;
    clear_sums(e);
    if (is_good(e))
        e->by_width->gather(j, e->work.queue);
    return !j->is_multiples || fetch_sums(e)->is_beyond == 0;
}

static void sample(struct zti_ll_kernels *k, uint32_t first, uint32_t every, uint32_t n, void *to)
{
    struct encoder *const e = encoder_of(k);
    if (is_good(e))
        e->by_width->sample(&e->job, first, every, n, e->work.queue);
    fetch_list(e, to, e->room.found, n * e->most.value_bytes);
}

static void boxes(struct zti_ll_kernels *k, const struct zti_ll_box *box, uint32_t n, void *to)
{
    struct encoder *const e = encoder_of(k);
    const uint32_t *const dim = box[0].dim;
    struct ll_boxes all;
    memcpy(all.box, box, n * sizeof *box);
    all.n = n;
    if (is_good(e))
        e->by_width->boxes(&e->job, &all, e->work.queue);
    fetch_list(e, to, e->room.found,
               (uint64_t)n * dim[0] * dim[1] * dim[2] * dim[3] * e->most.value_bytes);
}

static uint32_t count_equal(struct zti_ll_kernels *k, uint64_t bits)
{
    struct encoder *const e = encoder_of(k);
    clear_sums(e);
    if (is_good(e))
        e->by_width->count_equal(&e->job, bits, e->work.queue);
    return fetch_sums(e)->count;
}

static void count_exponents(struct zti_ll_kernels *k, bool is_all, uint64_t none,
                            struct zti_ll_exponents *to)
{
    struct encoder *const e = encoder_of(k);
    sz_clear(&e->work, e->room.exponents, sizeof *to);
    if (is_good(e))
        e->by_width->count_exponents(&e->job, is_all, none, e->work.queue);
    fetch_list(e, to, e->room.exponents, sizeof *to);
}

static double least(struct zti_ll_kernels *k)
{
    struct encoder *const e = encoder_of(k);
    clear_sums(e);
    if (is_good(e))
        e->by_width->least(&e->job, e->work.queue);
    const uint64_t most = fetch_sums(e)->most;
    return most > 0 ? zti_double_from_bits(~most) : (double)INFINITY;
}

static uint32_t distinct(struct zti_ll_kernels *k, uint64_t *list)
{
    enum { PLACES = 1 << ZTI_LL_DISTINCT_BITS };
    struct encoder *const e = encoder_of(k);
    uint32_t n = 0;
    clear_sums(e);
    sz_clear(&e->work, e->room.distinct, PLACES * sizeof *list);
    if (is_good(e))
        e->by_width->distinct(&e->job, e->work.queue);
    const struct ll_sums *const sums = fetch_sums(e);
    if (sums->count > ZTI_LL_MOST_RANKS)
        return ZTI_LL_MOST_RANKS + 1;
    fetch_list(e, e->distinct, e->room.distinct, PLACES * sizeof *list);
    if (sums->has_empty)
        list[n++] = 0;
    for (uint32_t i = 0; i < PLACES; i++)
        if (e->distinct[i] > 0)
            list[n++] = e->distinct[i];
    return n;
}

/* ---- rows that repeat rows ---- */

static const struct ll_sums *find_hits(struct encoder *e, bool are_pairs)
{
    clear_sums(e);
    sz_clear(&e->work, e->room.last, sizeof(uint64_t) << ZTI_LL_HASH_BITS);
    sz_clear(&e->work, e->room.first, sizeof(uint64_t) << ZTI_LL_HASH_BITS);
    if (is_good(e))
        e->by_width->find_hits(&e->job, are_pairs, e->work.queue);
    return fetch_sums(e);
}

static size_t find_rows(struct zti_ll_kernels *k, bool is_known, struct zti_ll_transform *t)
{
    struct encoder *const e = encoder_of(k);
    const struct zti_ll_shape *const s = &e->job.shape;
    const struct ll_sums *sums = is_known ? NULL : find_hits(e, true);
    if (sums && !ll_are_hits(sums->hits, sums->looked_at))
        return 0;
    sums = find_hits(e, false);
    if (ll_are_few_hits(s, sums->hits, sums->equal))
        return 0;
    sz_clear(&e->work, e->room.votes, 2 * (uint64_t)s->width * sizeof(uint32_t));
    if (is_good(e))
        e->by_width->find_sources(&e->job, e->work.queue);
    sz_fetch(&e->work, t->source, e->room.source, s->rows * sizeof *t->source);
    sz_fetch(&e->work, t->how, e->room.how, s->rows);
    sums = fetch_sums(e);
    t->mirror = 0xffffffffu - (uint32_t)sums->mirror;
    return k->has_failed ? 0 : (size_t)sums->equal * s->width + sums->common;
}

/* ---- keys and symbols ---- */

/* Queue the copy of a transform, with its lists, and of a predictor, or NULL. */
static void send_front(struct encoder *e, const struct zti_ll_transform *t,
                       const struct zti_ll_predictor *p)
{
    const uint32_t slices = e->job.shape.slices, rows = e->job.shape.rows;
    struct zti_ll_transform *const to = &e->front->t;
    uint8_t *const there = e->work.memory + e->room.lists;
    uint64_t n = 0;
    *to = *t;
    if (p)
        e->front->p = *p;
    if (t->kind == ZTI_LL_LATTICE) {
        memcpy(e->lists, t->offset, slices * sizeof(double));
        memcpy(e->lists + slices * sizeof(double), t->step, slices * sizeof(double));
        to->offset = (double *)(void *)there;
        to->step = to->offset + slices;
        n = 2 * slices * sizeof(double);
    } else if (t->kind == ZTI_LL_RANK) {
        memcpy(e->lists, t->rank, t->ranks * sizeof *t->rank);
        to->rank = (uint64_t *)(void *)there;
        n = t->ranks * sizeof *t->rank;
    }
    if (t->has_rows) {
        memcpy(e->lists + n, t->source, rows * sizeof *t->source);
        to->source = (int32_t *)(void *)(there + n);
        n += rows * sizeof *t->source;
        memcpy(e->lists + n, t->how, rows);
        to->how = there + n;
        n += rows;
    }
    sz_send(&e->work, e->room.front, e->front, sizeof *e->front);
    sz_send(&e->work, e->room.lists, e->lists, n);
}

static uint64_t make_keys(struct zti_ll_kernels *k, const struct zti_ll_transform *t,
                          bool *has_marks)
{
    struct encoder *const e = encoder_of(k);
    send_front(e, t, NULL);
    clear_sums(e);
    if (is_good(e))
        e->by_width->make_keys(&e->job, e->work.queue);
    const struct ll_sums *const sums = fetch_sums(e);
    *has_marks = t->has_fill || sums->count > 0;
    return sums->open_bits;
}

static void points(struct zti_ll_kernels *k, uint32_t regime, const uint32_t *value, uint32_t n,
                   void *keys, uint8_t *marked)
{
    struct encoder *const e = encoder_of(k);
    const struct zti_ll_taps taps = ll_taps(&e->job.shape, regime);
    sz_send(&e->work, e->room.number, value, n * sizeof *value);
    if (is_good(e))
        e->by_width->points(&e->job, regime, n, e->work.queue);
    sz_fetch(&e->work, marked, e->room.marked, n);
    fetch_list(e, keys, e->room.found,
               (uint64_t)n * (taps.before + taps.own + 1) * e->most.value_bytes);
}

static uint64_t make_symbols(struct zti_ll_kernels *k, const struct zti_ll_transform *t,
                             const struct zti_ll_predictor *p, bool *has_signs)
{
    struct encoder *const e = encoder_of(k);
    send_front(e, t, p);
    e->job.has_marks = t->has_marks;
    clear_sums(e);
    if (is_good(e))
        e->by_width->make_symbols(&e->job, e->work.queue);
    const struct ll_sums *const sums = fetch_sums(e);
    *has_signs = e->job.has_signs = ll_have_signs(sums->any + 1);
    memcpy(k->contexts, sums->contexts, sizeof k->contexts);
    return sums->open_bits;
}

static void count_symbols(struct zti_ll_kernels *k, const uint8_t *group_of, uint32_t groups,
                          uint32_t (*counts)[ZTI_LL_ALPHABET])
{
    struct encoder *const e = encoder_of(k);
    e->job.groups = groups;
    sz_send(&e->work, e->room.group_of, group_of, ZTI_LL_TABLE);
    sz_clear(&e->work, e->room.counts, groups * sizeof *counts);
    if (is_good(e))
        zti_ll_cuda_count(&e->job, e->work.queue);
    fetch_list(e, counts, e->room.counts, groups * sizeof *counts);
}

/* ---- bytes ---- */

/* Where the list of what the transform leaves open begins in a slot. */
static uint64_t rest_at(const struct slot_room *r, const struct zti_ll_coded *coded)
{
    enum { ALIGN = 16 };
    return r->open + (coded->open_bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* Note where a chunk begins. */
static void note_start(struct encoder *e)
{
    if (e->starts && sz_begins_chunk(e->args, e->tile))
        e->starts[e->chunks++] = 8 * e->at;
    e->tile++;
}

static void join_raw(struct encoder *e, const struct pending *p)
{
    if (is_good(e))
        zti_ll_cuda_put_raw(&p->box, e->stream + e->at, e->work.queue);
    e->at += 1 + (uint64_t)p->box.n * zt_type_bytes(p->box.array.type);
}

/* Join pending tile i, now that it is known how many bytes its codes take. */
static void join(struct encoder *e, uint32_t i, uint32_t code_bytes)
{
    const struct slot_room *const r = &e->slot_room;
    struct pending *const p = &e->pending[i];
    uint8_t *const head = host_slot(e, i) + e->host_room.head;
    const uint64_t own = slot_at(e, i);
    const uint8_t *const slot = e->work.memory + own;
    struct ll_joining parts;
    p->coded.code_bytes = code_bytes;
    const size_t head_bytes = p->is_raw ? 0 : zti_ll_begin_tile(&p->coded, head);
    if (head_bytes == 0) {
        join_raw(e, p);
        return;
    }
    const uint64_t bytes[LL_PARTS] = {head_bytes, p->coded.front_bytes, code_bytes,
                                      p->coded.open_bytes, p->coded.rest_bytes};
    const uint64_t from[LL_PARTS] = {r->head, r->front, r->codes_end - code_bytes, r->open,
                                     rest_at(r, &p->coded)};
    parts.to = e->stream + e->at;
    for (uint32_t k = 0; k < LL_PARTS; k++) {
        parts.from[k] = slot + from[k];
        parts.bytes[k] = bytes[k];
        e->at += bytes[k];
    }
    sz_send(&e->work, own + r->head, head, head_bytes);
    if (is_good(e))
        zti_ll_cuda_join(&parts, e->work.queue);
}

/* Code all pending tiles, and place them. */
static void flush(struct encoder *e)
{
    uint32_t streams = 0, next = 0;
    for (uint32_t i = 0; i < e->pendings; i++) {
        uint8_t *const slot = e->work.memory + slot_at(e, i);
        struct ll_stream *const s = &e->streams[streams];
        if (e->pending[i].is_raw)
            continue;
        s->numbers = (const uint16_t *)(const void *)(slot + e->slot_room.numbers);
        s->table = (const struct zti_ans_mixed_entry *)(const void *)(slot + e->slot_room.table);
        s->end = (unsigned *)(void *)(slot + e->slot_room.codes_end);
        s->symbols = e->pending[i].symbols;
        s->states = ll_states(s->symbols);
        streams++;
    }
    sz_send(&e->work, e->room.streams, e->streams, streams * sizeof *e->streams);
    if (is_good(e) && streams > 0)
        zti_ll_cuda_code((struct ll_stream *)(void *)(e->work.memory + e->room.streams), streams,
                         e->work.queue);
    if (streams > 0)
        fetch_list(e, e->coded, e->room.streams, streams * sizeof *e->coded);
    for (uint32_t i = 0; i < e->pendings && is_good(e); i++) {
        note_start(e);
        join(e, i, e->pending[i].is_raw ? 0 : e->coded[next].code_bytes);
        next += !e->pending[i].is_raw;
    }
    e->pendings = 0;
}

/* The next pending tile, whose values are those that were brought last. */
static struct pending *next_pending(struct encoder *e)
{
    struct pending *const p = &e->pending[e->pendings];
    p->box = e->job.box;
    p->symbols = e->job.shape.values;
    return p;
}

static void end_pending(struct encoder *e)
{
    if (++e->pendings == e->most.slots)
        flush(e);
}

static void finish(struct zti_ll_kernels *k, const struct zti_ll_coded *coded,
                   const uint8_t *model_of, const struct zti_ll_table *table)
{
    struct encoder *const e = encoder_of(k);
    struct ll_job *const j = &e->job;
    struct pending *const p = next_pending(e);
    const struct slot_room *const r = &e->slot_room;
    const uint64_t own = slot_at(e, e->pendings), rest = rest_at(r, coded);
    uint8_t *const host = host_slot(e, e->pendings), *const slot = e->work.memory + own;
    enum { FIELD = 16 }; /* what the last field may reach over the end */
    p->is_raw = false;
    p->coded = *coded;
    memcpy(host + e->host_room.table, table->bytes, table->size);
    j->numbers = (uint16_t *)(void *)(slot + r->numbers);
    j->lists[0] = (unsigned *)(void *)(slot + r->open);
    j->lists[1] = (unsigned *)(void *)(slot + rest);
    sz_send(&e->work, e->room.model_of, model_of, ZTI_LL_TABLE);
    sz_send(&e->work, own + r->front, k->front, coded->front_bytes);
    sz_send(&e->work, own + r->table, host + e->host_room.table, table->size);
    sz_clear(&e->work, own + r->codes, r->codes_end - r->codes);
    sz_clear(&e->work, own + r->open, rest - r->open + coded->rest_bytes + FIELD);
    if (is_good(e)) {
        zti_ll_cuda_number(j, e->work.queue);
        e->by_width->put_lists(j, e->work.queue);
    }
    end_pending(e);
}

static void put_raw(struct zti_ll_kernels *k)
{
    struct encoder *const e = encoder_of(k);
    next_pending(e)->is_raw = true;
    end_pending(e);
}

/* ---- all tiles ---- */

/* Allocate the host's memory. */
static zt_status open_memory(struct encoder *e)
{
    uint64_t bytes = 0;
    const uint64_t slots = sz_place(&bytes, e->most.slots * e->host_room.bytes);
    const uint64_t lists = sz_place(&bytes, e->most.lists_bytes);
    const uint64_t front = sz_place(&bytes, sizeof *e->front);
    const uint64_t sums = sz_place(&bytes, sizeof *e->sums);
    const uint64_t streams = sz_place(&bytes, 2 * LL_PENDING * sizeof *e->streams);
    const uint64_t places = sz_place(&bytes, sizeof *e->distinct << ZTI_LL_DISTINCT_BITS);
    const uint64_t starts = sz_place(&bytes, e->args->coding->grid.count * sizeof *e->starts);
    e->memory = (uint8_t *)zti_alloc_zeroed(e->work.context, (size_t)bytes);
    if (!e->memory)
        return zti_fail(e->work.context, ZT_NO_MEMORY, "no memory for the parts of tiles");
    e->slots = e->memory + slots;
    e->lists = e->memory + lists;
    e->front = (struct zti_ll_front *)(void *)(e->memory + front);
    e->sums = (struct ll_sums *)(void *)(e->memory + sums);
    e->streams = (struct ll_stream *)(void *)(e->memory + streams);
    e->coded = e->streams + LL_PENDING;
    e->distinct = (uint64_t *)(void *)(e->memory + places);
    e->starts = (uint64_t *)(void *)(e->memory + starts);
    return ZT_OK;
}

static void open_job(struct encoder *e)
{
    const struct room *const r = &e->room;
    struct ll_job *const j = &e->job;
    uint8_t *const at = e->work.memory;
    j->box.array = e->args->array;
    j->sz = *sz_of(e->args->whole);
    j->type = ll_coded_type(e->args->whole);
    j->is_multiples = ll_is_of_multiples(e->args->whole);
    j->front = (const struct zti_ll_front *)(const void *)(at + r->front);
    j->ten = (const struct zti_ll_power *)e->args->model;
    j->values = at + r->values;
    j->residuals = at + r->residuals;
    j->keys = at + r->keys;
    j->codes = at + r->codes;
    j->marks = at + r->marks;
    j->symbols = at + r->symbols;
    j->contexts = (uint16_t *)(void *)(at + r->contexts);
    j->sums = (struct ll_sums *)(void *)(at + r->sums);
    j->exponents = (struct zti_ll_exponents *)(void *)(at + r->exponents);
    j->distinct = (unsigned long long *)(void *)(at + r->distinct);
    j->last = (unsigned long long *)(void *)(at + r->last);
    j->first = (unsigned long long *)(void *)(at + r->first);
    j->hits = (uint64_t *)(void *)(at + r->hits);
    j->first_hit = (uint32_t *)(void *)(at + r->first_hit);
    j->votes = (uint32_t *)(void *)(at + r->votes);
    j->source = (int32_t *)(void *)(at + r->source);
    j->how = at + r->how;
    j->found = at + r->found;
    j->marked = at + r->marked;
    j->number = (const uint32_t *)(const void *)(at + r->number);
    j->counts = (unsigned(*)[ZTI_LL_ALPHABET])(void *)(at + r->counts);
    j->group_of = at + r->group_of;
    j->model_of = at + r->model_of;
    j->lengths = (uint32_t *)(void *)(at + r->lengths);
}

static void encode_tiles(struct encoder *e)
{
    const struct zti_grid *const grid = &e->args->coding->grid;
    struct zti_walk walk = zti_walk_from(grid, 0);
    for (; walk.tile < grid->count && is_good(e); zti_walk_next(grid, &walk)) {
        uint32_t extent[ZT_MAX_RANK];
        sz_find_extent(grid, &walk, extent);
        zti_ll_encode_by(&e->kernels, e->args->whole, walk.origin, extent);
    }
    if (e->pendings > 0)
        flush(e);
    sz_note_stream(&e->work, e->args, e->starts, e->chunks, 8 * e->at);
}

extern "C" zt_status zti_ll_cuda_encode(zt_context *context, const struct zti_cuda_encoding *args)
{
    struct encoder *const e = (struct encoder *)zti_alloc_zeroed(context, sizeof *e);
    if (!e)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for an encoder");
    e->kernels.bring = bring;
    e->kernels.sample = sample;
    e->kernels.boxes = boxes;
    e->kernels.count_equal = count_equal;
    e->kernels.count_exponents = count_exponents;
    e->kernels.least = least;
    e->kernels.distinct = distinct;
    e->kernels.find_rows = find_rows;
    e->kernels.make_keys = make_keys;
    e->kernels.points = points;
    e->kernels.make_symbols = make_symbols;
    e->kernels.count_symbols = count_symbols;
    e->kernels.finish = finish;
    e->kernels.put_raw = put_raw;
    e->args = args;
    e->most = most_of(args->whole);
    e->room = room_of(&e->most);
    e->slot_room = slot_room_of(&e->most);
    e->host_room = host_slot_room_of(&e->most);
    e->by_width = e->most.value_bytes == 8 ? &zti_ll_cuda_encode_64 : &zti_ll_cuda_encode_32;
    e->work.context = context;
    e->work.queue = args->queue;
    e->work.memory = (uint8_t *)args->work;
    e->stream = (uint8_t *)args->words;
    open_job(e);
    e->work.status = open_memory(e);
    if (is_good(e))
        encode_tiles(e);
    const zt_status status = e->work.status;
    zti_release(context, e->memory);
    zti_release(context, e);
    return status;
}
