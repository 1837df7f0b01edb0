/* frame_faults_test.c: whatever can fail while a .zt file is written or read does, at every place
 * in turn: memory, reads, writes, a cancelling progress function; and every byte that is not the
 * stream's lies, with checksums that fit. Calls end with the status that says so and a sentence,
 * give back all memory, and never hand out values as good that are not. */
#include "unit/frame_support.h"
#include "ztile_expert.h"

#include "fuzz/zt_repair.h"

/* ---- files of every kind ---- */

/* NaN and infinities; fill values; values that are kept exactly; random bits, stored raw */
enum { SPECIAL = 1, FILLED = 2, EXACT = 4, RANDOM = 8 };

struct kind {
    uint32_t type, rank;
    uint64_t shape[ZT_MAX_RANK];
    uint32_t codec, effort, plan;
    zt_bound bound;
    uint32_t index, chunk, partition;
    uint64_t slab_bytes;
    uint32_t holds;
};

#define ABS(v)                                                                                     \
    {                                                                                              \
        .kind = ZT_ABS, .value = (v)                                                               \
    }

static const struct kind kinds[] = {
    {ZT_F32, 3, {21, 9, 10}, ZT_CODEC_ZFP, 0, 0, ABS(1e-2), ZT_INDEX_OFFSETS, 2, 0, 3000, SPECIAL},
    {ZT_F32, 3, {9, 9, 10}, ZT_CODEC_ZFP, 0, 0, {.kind = ZT_RATE, .value = 6}, 0, 0, 0, 1 << 20, 0},
    {ZT_I32,
     2,
     {23, 19},
     ZT_CODEC_ZFP,
     0,
     0,
     {.kind = ZT_PRECISION, .value = 9},
     ZT_INDEX_LENGTHS,
     1,
     0,
     1 << 20,
     0},
    {ZT_F64,
     4,
     {5, 6, 7, 9},
     ZT_CODEC_ZFP,
     0,
     0,
     {.kind = ZT_LOSSLESS},
     ZT_INDEX_HYBRID,
     1,
     2,
     1 << 20,
     0},
    {ZT_F32, 1, {777}, ZT_CODEC_ZFP, 0, 0, ABS(1e-3), ZT_INDEX_COMPACT, 1, 0, 1 << 20, EXACT},
    {ZT_F32,
     3,
     {17, 18, 19},
     ZT_CODEC_SZ,
     CODER_FAST,
     0,
     ABS(1e-2),
     ZT_INDEX_LENGTHS,
     1,
     0,
     1 << 20,
     FILLED},
    {ZT_F64,
     2,
     {66, 70},
     ZT_CODEC_SZ,
     0,
     0,
     {.kind = ZT_REL, .value = 1e-4},
     ZT_INDEX_COMPACT,
     1,
     0,
     20000,
     SPECIAL | EXACT},
    {ZT_F32, 3, {18, 33, 34}, ZT_CODEC_SZ, CODER_HIGH, 0, ABS(1e-2), 0, 0, 0, 1 << 20, SPECIAL},
    {ZT_F32,
     2,
     {66, 70},
     ZT_CODEC_SZ,
     CODER_CUSZ,
     0,
     ABS(1e-2),
     ZT_INDEX_OFFSETS,
     1,
     0,
     1 << 20,
     0},
    {ZT_F64,
     1,
     {999},
     ZT_CODEC_SZ,
     0,
     0,
     {.kind = ZT_PWREL, .value = 1e-3},
     0,
     0,
     0,
     1 << 20,
     SPECIAL},
    {ZT_I64, 2, {40, 41}, ZT_CODEC_SZ, 0, 0, {.kind = ZT_LOSSLESS}, 0, 0, 0, 1 << 20, 0},
    {ZT_F32,
     2,
     {64, 66},
     ZT_CODEC_SZ,
     0,
     0,
     {.kind = ZT_PSNR, .value = 70},
     0,
     0,
     0,
     1 << 20,
     FILLED},
    {ZT_F32, 3, {17, 18, 19}, ZT_CODEC_NDZIP, 0, 0, {.kind = ZT_LOSSLESS}, 0, 0, 0, 1 << 20, 0},
    {ZT_F32,
     4,
     {40, 3, 2, 17},
     ZT_CODEC_AUTO,
     0,
     ZT_PLAN_ON,
     ABS(1e-2),
     0,
     0,
     0,
     1 << 20,
     SPECIAL | FILLED},
    {ZT_F64, 3, {3, 40, 41}, ZT_CODEC_ZFP, 0, ZT_PLAN_TIGHT, ABS(1e-3), 0, 0, 0, 20000, 0},
    {ZT_F32,
     3,
     {2, 70, 3},
     ZT_CODEC_SZ,
     0,
     ZT_PLAN_ON,
     ABS(1e-3),
     ZT_INDEX_OFFSETS,
     1,
     0,
     1 << 20,
     SPECIAL},
    {ZT_F32,
     3,
     {12, 13, 14},
     ZT_CODEC_ZFP,
     0,
     0,
     {.kind = ZT_PSNR, .value = 60},
     0,
     0,
     0,
     4000,
     SPECIAL},
    {ZT_F32,
     3,
     {18, 33, 34},
     ZT_CODEC_AUTO,
     0,
     ZT_PLAN_ON,
     {.kind = ZT_PSNR, .value = 60},
     0,
     0,
     0,
     1 << 20,
     0},
    {ZT_F32,
     3,
     {40, 30, 6},
     ZT_CODEC_AUTO,
     0,
     ZT_PLAN_ON,
     {.kind = ZT_REL, .value = 1e-3},
     0,
     0,
     0,
     8000,
     EXACT},
    {ZT_F64, 2, {70, 66}, ZT_CODEC_SZ, CODER_HIGH, ZT_PLAN_ON, ABS(1e-2), 0, 0, 0, 1 << 20, 0},
    {ZT_I64,
     1,
     {700},
     ZT_CODEC_ZFP,
     0,
     0,
     {.kind = ZT_LOSSLESS},
     ZT_INDEX_COMPACT,
     1,
     0,
     1 << 20,
     RANDOM}};

enum { KINDS = sizeof kinds / sizeof *kinds };

struct sample {
    const struct kind *kind;
    zt_params params;
    zt_array array; /* as it is compressed, later as it is decoded */
    struct bytes file;
};

static struct sample sample_of(const struct kind *k)
{
    struct sample s = {.kind = k, .array = new_array((zt_type)k->type, k->rank, k->shape)};
    const size_t n = (size_t)values_of(k->rank, k->shape);
    fill_array(&s.array, k->holds & RANDOM ? DATA_BITS : DATA_WAVE_NOISE, 3);
    for (size_t i = 0; k->holds & SPECIAL && i < n; i += 41)
        set_number(&s.array, i, i % 2 ? (double)NAN : -(double)INFINITY);
    for (size_t i = 7; k->holds & FILLED && i < n; i += 29)
        set_number(&s.array, i, 1e20);
    for (size_t i = 11; k->holds & EXACT && i < n; i += 301)
        set_number(&s.array, i, 3e33);
    (void)zt_params_init(&s.params, sizeof s.params);
    s.params.codec = k->codec;
    set_coder(&s.params, k->effort);
    s.params.plan = k->plan;
    s.params.bound = k->bound;
    s.params.index = k->index;
    s.params.index_chunk = k->chunk;
    s.params.index_partition = k->partition;
    s.params.slab_bytes = k->slab_bytes;
    if (k->holds & FILLED) {
        s.params.fills = 1;
        assert_int_equal(zt_fill_bits((zt_type)k->type, 1e20, s.params.fill), ZT_OK);
    }
    if (k->bound.kind == ZT_REL || k->bound.kind == ZT_PSNR) {
        s.params.range_lo = -3;
        s.params.range_hi = 3;
    }
    s.file = compress(&s.array, &s.params);
    return s;
}

static void free_sample(struct sample *s)
{
    free(s->file.data);
    free(s->array.data);
}

/* ---- roads: every way through a file. Each runs on a context that may fail, from a source and to
 * a sink that may. ---- */

struct rig {
    zt_context *context;
    struct counted memory;
    int64_t reads_left; /* then reading fails; -1: never */
    size_t sink_bytes;  /* then writing fails */
    int64_t steps_left; /* then the progress function cancels; -1: never */
    uint64_t told;      /* values that salvage says are lost or not proved */
    int64_t tells_left; /* then it is cancelled; -1: never */
};

static int step(void *user, uint64_t done, uint64_t total)
{
    struct rig *g = (struct rig *)user;
    assert_true(done <= total);
    return g->steps_left == 0 || (g->steps_left > 0 && g->steps_left-- == 0);
}

static int tell(void *user, zt_loss loss, const zt_box *box, const char *why)
{
    struct rig *g = (struct rig *)user;
    assert_true(why[0] && (loss == ZT_LOSS_LOST || loss == ZT_LOSS_UNVERIFIED));
    assert_true(box->lo[0] < box->hi[0]);
    g->told++;
    return g->tells_left == 0 || (g->tells_left > 0 && g->tells_left-- == 0);
}

static void make_rig(struct rig *g)
{
    *g = (struct rig){.reads_left = -1, .sink_bytes = SIZE_MAX, .steps_left = -1, .tells_left = -1};
    const zt_allocator a = {.alloc = counted_alloc, .release = counted_release, .user = &g->memory};
    g->memory.calls_left = -1;
    assert_int_equal(zt_context_new(&a, &g->context), ZT_OK);
    (void)zt_context_set_progress(g->context, step, g);
}

static void drop_rig(struct rig *g)
{
    zt_context_free(g->context);
    assert_int_equal(g->memory.held, 0);
}

static zt_status write_slabs(struct rig *g, const struct sample *s, zt_array *out)
{
    struct mem_sink to = {.limit = g->sink_bytes};
    const zt_sink sink = sink_of(&to);
    zt_writer *w = NULL;
    (void)out;
    zt_array whole = s->array, slab = s->array;
    const size_t slice = array_bytes(&whole) / (size_t)whole.shape[0];
    whole.shape[0] = ZT_UNKNOWN;
    zt_status status = zt_writer_open(g->context, &sink, &whole, &s->params, &w);
    for (uint64_t at = 0, n; !status && at < s->array.shape[0]; at += n) {
        n = s->array.shape[0] - at < 7 ? s->array.shape[0] - at : 7;
        slab.shape[0] = n;
        slab.data = (char *)s->array.data + at * slice;
        status = zt_writer_put(w, &slab);
    }
    if (!status)
        status = zt_writer_close(w);
    zt_writer_free(w);
    free(to.bytes.data);
    return status;
}

/* The same to a store, which gets the same bytes. */
static zt_status write_store(struct rig *g, const struct sample *s, zt_array *out)
{
    struct mem_store to = {.limit = g->sink_bytes, .reads_left = g->reads_left};
    const zt_store store = store_of(&to);
    zt_writer *w = NULL;
    (void)out;
    zt_status status = zt_writer_open_store(g->context, &store, &s->array, &s->params, &w);
    if (!status)
        status = zt_writer_put(w, &s->array);
    if (!status)
        status = zt_writer_close(w);
    zt_writer_free(w);
    if (!status)
        assert_int_equal(to.bytes.n, s->file.n);
    if (!status)
        assert_memory_equal(to.bytes.data, s->file.data, s->file.n);
    free(to.bytes.data);
    return status;
}

static zt_status compress_again(struct rig *g, const struct sample *s, zt_array *out)
{
    size_t n = 0, capacity = 0;
    (void)out;
    zt_params p = s->params;
    p.range_lo = p.range_hi = (double)NAN;
    zt_status status = zt_compress_bound(g->context, &s->array, &p, &capacity);
    unsigned char *to = status ? NULL : (unsigned char *)need(capacity);
    if (!status)
        status = zt_compress(g->context, &s->array, &p, to, capacity, &n);
    free(to);
    return status;
}

static zt_status plan(struct rig *g, const struct sample *s, zt_array *out)
{
    zt_option options[64];
    uint32_t n;
    (void)out;
    const uint32_t kind = s->params.bound.kind;
    if (kind != ZT_LOSSLESS && kind != ZT_ABS && kind != ZT_REL)
        return ZT_OK;
    return zt_plan_options(g->context, &s->array, &s->params, options, 64, &n);
}

static zt_status read_whole(struct rig *g, const struct sample *s, zt_array *out)
{
    return zt_decompress(g->context, s->file.data, s->file.n, out);
}

/* A box inside, into the front of out. */
static zt_status read_box(struct rig *g, const struct sample *s, zt_array *out)
{
    zt_box box = {{0}, {0}};
    zt_array part = *out;
    for (uint32_t i = 0; i < out->rank; i++) {
        box.lo[i] = out->shape[i] / 3;
        box.hi[i] = out->shape[i] - out->shape[i] / 4;
        part.shape[i] = box.hi[i] - box.lo[i];
    }
    part = zt_array_nd(out->data, (zt_type)out->type, out->rank, part.shape);
    return zt_decompress_box(g->context, s->file.data, s->file.n, &box, &part);
}

/* Frame by frame, as a whole or in the smallest parts that a reader offers, and with a source of
 * known size all that a reader can do. */
static zt_status read_frames(struct rig *g, const struct sample *s, zt_array *out,
                             bool is_sequential, bool is_by_parts)
{
    struct mem_source from;
    const zt_source source = source_of(&from, s->file.data, s->file.n, is_sequential);
    from.calls_left = g->reads_left;
    zt_reader *r = NULL;
    zt_info info;
    zt_info_init(&info, sizeof info);
    zt_array slab = *out;
    const size_t slice = array_bytes(out) / (size_t)out->shape[0];
    uint64_t first = 0, extent = 1;
    zt_status status = zt_reader_open(g->context, &source, &r);
    if (!status)
        status = zt_reader_info(r, &info);
    while (!status && extent > 0) {
        status = zt_reader_next(r, &first, &extent);
        if (status || extent == 0 || extent > out->shape[0] || first > out->shape[0] - extent)
            break;
        for (uint64_t done = 0; !status && done < extent; done += slab.shape[0]) {
            slab.shape[0] = is_by_parts ? zt_reader_part_extent(r, 1) : extent;
            slab.data = (char *)out->data + (first + done) * slice;
            status = zt_reader_read(r, &slab);
        }
    }
    if (!status && !is_sequential)
        status = zt_reader_check(r);
    zt_reader_close(r);
    return status;
}

static zt_status read_source(struct rig *g, const struct sample *s, zt_array *out)
{
    return read_frames(g, s, out, false, false);
}

static zt_status read_parts(struct rig *g, const struct sample *s, zt_array *out)
{
    return read_frames(g, s, out, false, true);
}

static zt_status read_pipe(struct rig *g, const struct sample *s, zt_array *out)
{
    return read_frames(g, s, out, true, false);
}

static zt_status salvage(struct rig *g, const struct sample *s, zt_array *out)
{
    struct mem_source from;
    const zt_source source = source_of(&from, s->file.data, s->file.n, false);
    from.calls_left = g->reads_left;
    zt_reader *r = NULL;
    zt_salvage found;
    zt_salvage_init(&found, sizeof found);
    found.part = tell;
    found.user = g;
    zt_array slab = *out;
    const size_t slice = array_bytes(out) / (size_t)out->shape[0];
    uint64_t first = 0, extent = 1;
    g->told = 0;
    zt_status status = zt_reader_open_damaged(g->context, &source, &r);
    while (!status && extent > 0) {
        status = zt_reader_next(r, &first, &extent);
        if (status || extent == 0 || extent > out->shape[0] || first > out->shape[0] - extent)
            break;
        slab.shape[0] = extent;
        slab.data = (char *)out->data + first * slice;
        status = zt_reader_salvage(r, &slab, &found);
    }
    if (!status)
        assert_int_equal(g->told, found.lost_boxes + found.unverified_boxes);
    zt_reader_close(r);
    return status;
}

static zt_status reindex(struct rig *g, const struct sample *s, zt_array *out)
{
    struct mem_source from;
    struct mem_sink to = {.limit = g->sink_bytes};
    const zt_source source = source_of(&from, s->file.data, s->file.n, false);
    const zt_sink sink = sink_of(&to);
    from.calls_left = g->reads_left;
    (void)out;
    const zt_index_kind kind =
        s->params.index == ZT_INDEX_HYBRID ? ZT_INDEX_COMPACT : ZT_INDEX_HYBRID;
    const zt_status status = zt_replace_index(g->context, &source, &sink, kind, 1, 0);
    free(to.bytes.data);
    return status;
}

typedef zt_status (*road)(struct rig *g, const struct sample *s, zt_array *out);

/* The values, as a road leaves them, are to be compared where it is known what they are. */
static zt_array room_for(const zt_array *a)
{
    zt_array out = new_array((zt_type)a->type, a->rank, a->shape);
    memset(out.data, 0x5a, array_bytes(&out));
    return out;
}

/* ---- what fails ---- */

static void need_end(struct rig *g, zt_status status, zt_status wanted)
{
    assert_int_equal(g->memory.held, 1); /* the context */
    if (status && status != wanted)
        fail_msg("wanted '%s', got '%s': %s", zt_strerror(wanted), zt_strerror(status),
                 zt_context_error(g->context));
    assert_true(status == ZT_OK || zt_context_error(g->context)[0]);
}

enum { PAYLOAD, A_BIT, HEADER, TABLE, CUT, ALL_ZERO, DAMAGES };

/* A copy of a file that is damaged. */
static struct sample damaged(const struct sample *s, int how)
{
    struct sample d = *s;
    const size_t n = s->file.n;
    d.file.data = (unsigned char *)need(n);
    memcpy(d.file.data, s->file.data, n);
    const zt_info info = info_of(&s->file);
    const size_t payload = (size_t)(info.stream_bytes / info.frames);
    switch (how) {
    case PAYLOAD:
        d.file.data[64 + payload / 2] ^= 0x10;
        d.file.data[64 + payload / 3] ^= 0x01;
        break;
    case A_BIT: d.file.data[20] ^= 0x20; break; /* of the first header: put right */
    case HEADER: memset(d.file.data + 4, 0x77, 40); break;
    case TABLE: memset(d.file.data + n - 12, 0, 12); break;
    case CUT: d.file.n = n - n / 3; break;
    default: memset(d.file.data, 0, n);
    }
    return d;
}

static void memory_may_end_at_every_allocation(void **state)
{
    static const road roads[] = {write_slabs, write_store, compress_again, plan,
                                 read_whole,  read_box,    read_source,    read_parts,
                                 read_pipe,   salvage,     reindex};
    (void)state;
    for (uint32_t i = 0; i < KINDS; i += TEST_STEP) {
        struct sample s = sample_of(&kinds[i]);
        struct rig g;
        zt_array out = room_for(&s.array);
        make_rig(&g);
        for (size_t k = 0; k < sizeof roads / sizeof *roads; k++) {
            zt_status status = ZT_NO_MEMORY;
            for (int64_t n = 0; status != ZT_OK; n++) {
                assert_true(n < 20000);
                g.memory.calls_left = n;
                status = roads[k](&g, &s, &out);
                need_end(&g, status, ZT_NO_MEMORY);
            }
        }
        for (int how = 0; how < DAMAGES; how++) {
            struct sample d = damaged(&s, how);
            zt_status status = ZT_NO_MEMORY;
            for (int64_t n = 0; status == ZT_NO_MEMORY; n++) {
                g.memory.calls_left = n;
                status = salvage(&g, &d, &out);
                need_end(&g, status, status == ZT_CORRUPT ? ZT_CORRUPT : ZT_NO_MEMORY);
            }
            free(d.file.data);
        }
        drop_rig(&g);
        free(out.data);
        free_sample(&s);
    }
}

static void reads_and_writes_may_fail_at_every_call(void **state)
{
    static const road readers[] = {read_source, read_parts, read_pipe, reindex, write_store};
    static const road writers[] = {write_slabs, reindex, write_store};
    (void)state;
    for (uint32_t i = 0; i < KINDS; i += TEST_SHARE == 1 ? 1 : 3) {
        struct sample s = sample_of(&kinds[i]);
        struct rig g;
        zt_array out = room_for(&s.array);
        make_rig(&g);
        for (size_t k = 0; k < sizeof readers / sizeof *readers; k++) {
            g.reads_left = -1;
            zt_status status = ZT_IO;
            for (int64_t n = 0; status != ZT_OK; n++) {
                g.reads_left = n;
                status = readers[k](&g, &s, &out);
                need_end(&g, status, ZT_IO);
            }
        }
        for (int how = 0; how < DAMAGES; how++) {
            struct sample d = damaged(&s, how);
            for (int64_t n = 0; n < 12; n++) { /* what cannot be read is damage to salvage */
                g.reads_left = n;
                const zt_status status = salvage(&g, &d, &out);
                need_end(&g, status, n == 0 || status == ZT_CORRUPT ? ZT_CORRUPT : ZT_IO);
            }
            free(d.file.data);
        }
        g.reads_left = -1;
        for (size_t k = 0; k < 3; k++)
            for (size_t part = 0; part < 16; part++) {
                g.sink_bytes = s.file.n * part / 20;
                const zt_status status = writers[k](&g, &s, &out);
                assert_int_equal(status, ZT_IO);
                need_end(&g, status, ZT_IO);
            }
        drop_rig(&g);
        free(out.data);
        free_sample(&s);
    }
}

static void progress_and_salvage_may_be_cancelled_at_every_call(void **state)
{
    static const road roads[] = {write_slabs, write_store, compress_again, read_whole, read_box,
                                 read_source, read_parts,  read_pipe,      salvage,    reindex};
    (void)state;
    for (uint32_t i = 0; i < KINDS; i += TEST_SHARE == 1 ? 1 : 3) {
        struct sample s = sample_of(&kinds[i]), d = damaged(&s, PAYLOAD);
        struct rig g;
        zt_array out = room_for(&s.array);
        make_rig(&g);
        for (size_t k = 0; k < sizeof roads / sizeof *roads; k++) {
            zt_status status = ZT_CANCELLED;
            for (int64_t n = 0; status != ZT_OK; n++) {
                assert_true(n < 1000);
                g.steps_left = n;
                status = roads[k](&g, &s, &out);
                need_end(&g, status, ZT_CANCELLED);
            }
        }
        g.steps_left = -1;
        zt_status status = ZT_CANCELLED;
        for (int64_t n = 0; status != ZT_OK; n++) {
            g.tells_left = n;
            status = salvage(&g, &d, &out);
            need_end(&g, status, ZT_CANCELLED);
        }
        drop_rig(&g);
        free(out.data);
        free(d.file.data);
        free_sample(&s);
    }
}

/* ---- what lies ---- */

static bool is_refusal(zt_status status)
{
    return status == ZT_CORRUPT || status == ZT_UNSUPPORTED || status == ZT_BAD_ARG ||
           status == ZT_NO_MEMORY;
}

/* All roads through a file that says what it wants. Where it is good, it is so on each. */
static void take_all_roads(struct rig *g, const struct sample *s)
{
    zt_info info;
    zt_info_init(&info, sizeof info);
    zt_status status = zt_inspect(g->context, s->file.data, s->file.n, &info);
    struct sample now = *s;
    if (!status && info.raw_bytes <= 1 << 18)
        now.array = zt_array_nd(NULL, (zt_type)info.type, info.rank, info.shape);
    zt_array out = room_for(&now.array), other = room_for(&now.array);
    status = read_whole(g, &now, &out);
    const zt_status by_file = read_source(g, &now, &other);
    assert_true(status == ZT_OK || is_refusal(status));
    assert_true(by_file == ZT_OK || is_refusal(by_file));
    if (!status && !by_file)
        assert_memory_equal(out.data, other.data, array_bytes(&out));
    const zt_status by_parts = read_parts(g, &now, &other);
    assert_true(by_parts == ZT_OK || is_refusal(by_parts));
    if (!status && !by_parts)
        assert_memory_equal(out.data, other.data, array_bytes(&out));
    const zt_status by_pipe = read_pipe(g, &now, &other);
    assert_true(by_pipe == ZT_OK || is_refusal(by_pipe));
    const zt_status kept = salvage(g, &now, &other);
    assert_true(kept == ZT_OK || is_refusal(kept));
    if (!status) {
        assert_int_equal(kept, ZT_OK);
        assert_int_equal(g->told, 0);
        assert_memory_equal(out.data, other.data, array_bytes(&out));
    }
    const zt_status boxed = read_box(g, &now, &other);
    assert_true(boxed == ZT_OK || (status != ZT_OK && is_refusal(boxed)));
    const zt_status again = reindex(g, &now, &other);
    assert_true(again == ZT_OK || is_refusal(again));
    free(out.data);
    free(other.data);
}

/* Bytes [from, to) of the file, one at a time. */
static void lie(struct rig *g, const struct sample *s, size_t from, size_t to)
{
    struct sample d = *s;
    d.file.data = (unsigned char *)need(s->file.n);
    for (size_t at = from; at < to; at++) {
        const unsigned char old = s->file.data[at];
        const unsigned char lies[] = {
            0, 1, 0x7f, 0x80, 0xff, (unsigned char)(old + 1), (unsigned char)(old - 1), old ^ 0x10};
        for (size_t i = 0; i < sizeof lies; i++) {
            if (lies[i] == old)
                continue;
            memcpy(d.file.data, s->file.data, s->file.n);
            d.file.data[at] = lies[i];
            zt_repair(d.file.data, d.file.n);
            take_all_roads(g, &d);
        }
    }
    free(d.file.data);
    assert_int_equal(g->memory.held, 1);
}

static void every_byte_but_the_streams_may_lie(void **state)
{
    enum { HEADER_BYTES = 64, HEAD_BYTES = 24, TAIL_BYTES = 160, TABLE_BYTES = 48 };
    (void)state;
    for (uint32_t i = 0; i < KINDS; i += TEST_STEP) {
        struct sample s = sample_of(&kinds[i]);
        const zt_info info = info_of(&s.file);
        const size_t payload = (size_t)(info.frames == 1 ? info.stream_bytes : HEAD_BYTES);
        const size_t n = s.file.n, tail = HEADER_BYTES + payload;
        struct rig g;
        make_rig(&g);
        lie(&g, &s, 0, HEADER_BYTES + HEAD_BYTES);
        if (tail > HEADER_BYTES + HEAD_BYTES && tail < n - TABLE_BYTES)
            lie(&g, &s, tail,
                tail + TAIL_BYTES < n - TABLE_BYTES ? tail + TAIL_BYTES : n - TABLE_BYTES);
        lie(&g, &s, n - TABLE_BYTES, n);
        drop_rig(&g);
        free_sample(&s);
    }
}

/* ---- calls in the wrong order, or with what makes no sense ---- */

static void salvage_calls_that_make_no_sense(void **state)
{
    (void)state;
    struct sample s = sample_of(&kinds[0]);
    struct rig g;
    struct mem_source from;
    zt_source source = source_of(&from, s.file.data, s.file.n, false);
    zt_array out = room_for(&s.array), wrong;
    zt_reader *r = NULL, *whole = NULL;
    uint64_t first, extent;
    struct {
        zt_salvage known;
        uint64_t later; /* a field of a later version */
    } found;
    make_rig(&g);
    zt_context *c = g.context;
    assert_int_equal(zt_salvage_init(NULL, sizeof found.known), ZT_BAD_ARG);
    assert_int_equal(zt_salvage_init(&found.known, sizeof found.known - 1), ZT_BAD_ARG);
    assert_int_equal(zt_salvage_init(&found.known, (size_t)UINT32_MAX + 1), ZT_BAD_ARG);
    assert_int_equal(zt_salvage_init(&found.known, sizeof found), ZT_OK);
    assert_int_equal(zt_reader_salvage(NULL, &out, &found.known), ZT_BAD_ARG);
    source.source_bytes = ZT_UNKNOWN;
    need_failure(c, zt_reader_open_damaged(c, &source, &r), ZT_BAD_ARG, "pipe");
    source.source_bytes = s.file.n;
    need_failure(c, zt_reader_open_damaged(c, NULL, &r), ZT_BAD_ARG, "source");
    assert_int_equal(zt_reader_open_damaged(c, &source, NULL), ZT_BAD_ARG);
    need_ok(c, zt_reader_open(c, &source, &whole));
    need_ok(c, zt_reader_next(whole, &first, &extent));
    need_failure(c, zt_reader_salvage(whole, &out, &found.known), ZT_BAD_ARG, "damaged");
    zt_reader_close(whole);

    need_ok(c, zt_reader_open_damaged(c, &source, &r));
    need_failure(c, zt_reader_salvage(r, &out, &found.known), ZT_BAD_ARG, "no frame");
    need_ok(c, zt_reader_next(r, &first, &extent));
    out.shape[0] = extent;
    need_failure(c, zt_reader_salvage(r, &out, NULL), ZT_BAD_ARG, "zt_salvage");
    found.known.struct_bytes = 8;
    need_failure(c, zt_reader_salvage(r, &out, &found.known), ZT_BAD_ARG, "zt_salvage");
    found.known.struct_bytes = sizeof found;
    found.known.has_fill = 2;
    need_failure(c, zt_reader_salvage(r, &out, &found.known), ZT_UNSUPPORTED, "later");
    found.known.has_fill = 0;
    found.known.reserved = 1;
    need_failure(c, zt_reader_salvage(r, &out, &found.known), ZT_UNSUPPORTED, "later");
    found.known.reserved = 0;
    found.later = 1;
    need_failure(c, zt_reader_salvage(r, &out, &found.known), ZT_UNSUPPORTED, "later");
    found.later = 0;
    wrong = out;
    wrong.shape[0]++;
    assert_int_equal(zt_reader_salvage(r, &wrong, &found.known), ZT_BAD_ARG);
    need_ok(c, zt_reader_salvage(r, &out, &found.known));
    need_failure(c, zt_reader_salvage(r, &out, &found.known), ZT_BAD_ARG, "no frame"); /* twice */
    while (extent > 0)
        need_ok(c, zt_reader_next(r, &first, &extent));
    need_failure(c, zt_reader_salvage(r, &out, &found.known), ZT_BAD_ARG, "no frame");
    zt_reader_close(r);
    drop_rig(&g);
    free(out.data);
    free_sample(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(salvage_calls_that_make_no_sense),
        cmocka_unit_test(memory_may_end_at_every_allocation),
        cmocka_unit_test(reads_and_writes_may_fail_at_every_call),
        cmocka_unit_test(progress_and_salvage_may_be_cancelled_at_every_call),
        cmocka_unit_test(every_byte_but_the_streams_may_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
