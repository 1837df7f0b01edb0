/* every_way.c: one zfp stream through every policy, layout and box. */
#include "support/every_way.h"
#include "ztile_expert.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t threads_of_way[] = {0, 1, 2, 3, 7, 16}; /* 0: serial */

enum { WAYS = sizeof threads_of_way / sizeof *threads_of_way, BOXES = 4, ROUNDS = 2 };

struct run {
    struct rng rng;
    struct every_way_tally *tally;
    zt_context *context[WAYS];
    char *why;
    const zt_zfp *zfp;
    zt_array like; /* contiguous, without data */
    const void *stream;
    size_t bytes;
    size_t raw_bytes;
    unsigned char *wanted; /* what one thread decodes without an index */
    unsigned char *out;
    uint32_t next_way;
};

#define FAIL(r, ...) (snprintf((r)->why, EVERY_WAY_WHY_BYTES, __VA_ARGS__), false)

/* Grains of a few tiles for small arrays, so that they have many pieces. */
static bool open_run(struct run *r, uint64_t seed, const zt_zfp *zfp, const zt_array *like,
                     struct every_way_tally *tally, char *why)
{
    memset(r, 0, sizeof *r);
    *r = (struct run){.rng = {seed}, .tally = tally, .why = why, .zfp = zfp};
    r->like = zt_array_nd(NULL, (zt_type)like->type, like->rank, like->shape);
    r->raw_bytes = values_of(like->rank, like->shape) * zt_type_bytes(like->type);
    for (uint32_t i = 0; i < WAYS; i++) {
        const bool is_small = r->raw_bytes < 1u << 16;
        const zt_omp omp = {.threads = threads_of_way[i],
                            .grain = is_small ? 1 + (uint32_t)rng_below(&r->rng, 9)
                                              : (uint32_t)rng_below(&r->rng, 3) * 100};
        if (zt_context_new(NULL, &r->context[i]) != ZT_OK)
            return FAIL(r, "no context");
        if (omp.threads && zt_context_set_omp(r->context[i], &omp) != ZT_OK)
            return FAIL(r, "no omp policy: %s", zt_context_error(r->context[i]));
    }
    return true;
}

static void close_run(struct run *r)
{
    for (uint32_t i = 0; i < WAYS; i++)
        zt_context_free(r->context[i]);
    free(r->wanted);
    free(r->out);
}

/* The policies in turn. */
static uint32_t next_way(struct run *r)
{
    return r->next_way++ % WAYS;
}

static zt_zfp_index random_index(struct run *r, uint32_t kind)
{
    static const uint32_t chunks[] = {0, 1, 2, 5, 16, 64, 1000, 4096};
    static const uint32_t partitions[] = {0, 1, 3, 32, 100};
    zt_zfp_index index;
    (void)zt_zfp_index_init(&index, sizeof index);
    index.kind = kind;
    index.chunk = chunks[rng_below(&r->rng, sizeof chunks / sizeof *chunks)];
    if (r->raw_bytes > 1u << 20 && index.chunk < 16) /* keeps indexes small */
        index.chunk = 16;
    if (kind == ZT_INDEX_HYBRID)
        index.partition = partitions[rng_below(&r->rng, sizeof partitions / sizeof *partitions)];
    return index;
}

/* Memory for an index; to be freed. */
static bool give_memory(struct run *r, zt_zfp_index *index)
{
    if (zt_zfp_index_bound(r->context[0], &r->like, r->zfp, index, &index->capacity_bytes) != ZT_OK)
        return FAIL(r, "no bound of the index: %s", zt_context_error(r->context[0]));
    index->bytes = need(index->capacity_bytes);
    return true;
}

static bool is_same_index(const zt_zfp_index *a, const zt_zfp_index *b)
{
    return a->index_bytes == b->index_bytes &&
           (a->index_bytes == 0 || memcmp(a->bytes, b->bytes, a->index_bytes) == 0);
}

/* ---- encoding ---- */

/* Code once more; stream and index must be those of one thread. */
static bool code_again(struct run *r, uint32_t way, const zt_array *array,
                       const zt_zfp_index *index, unsigned char *again, size_t capacity)
{
    zt_zfp_index own = *index;
    size_t bytes = 0;
    own.index_bytes = 0;
    if (!give_memory(r, &own))
        return false;
    const zt_status s =
        zt_zfp_compress_indexed(r->context[way], array, r->zfp, again, capacity, &bytes, &own);
    r->tally->encodings++;
    bool ok = true;
    if (s != ZT_OK)
        ok = FAIL(r, "encoding with %u threads: %s", threads_of_way[way],
                  zt_context_error(r->context[way]));
    else if (bytes != r->bytes || memcmp(again, r->stream, bytes) != 0)
        ok = FAIL(r, "the stream of %u threads differs", threads_of_way[way]);
    else if (!is_same_index(&own, index))
        ok = FAIL(r, "the index of %u threads differs", threads_of_way[way]);
    free(own.bytes);
    return ok;
}

static bool code_all(struct run *r, const zt_array *array, const zt_zfp_index *index,
                     size_t capacity)
{
    unsigned char *again = need(capacity);
    bool ok = true;
    for (uint32_t way = 1; ok && way < WAYS; way++)
        ok = code_again(r, way, array, index, again, capacity);
    free(again);
    return ok;
}

/* The index that the encoder noted is the one that a scan makes; but where libzfp's two sides do
 * not agree on a stream. */
static bool scan_agrees(struct run *r, const zt_array *array, const zt_zfp_index *index)
{
    zt_zfp plain = *r->zfp;
    size_t unused;
    zt_zfp_index own = *index;
    own.index_bytes = 0;
    plain.flags &= ~ZT_ZFP_AS_LIBZFP;
    if (zt_zfp_compress_bound(NULL, array, &plain, &unused) != ZT_OK) {
        r->tally->odd++;
        return true;
    }
    if (!give_memory(r, &own))
        return false;
    const zt_status s = zt_zfp_index_build(r->context[0], r->stream, r->bytes, r->zfp, array, &own);
    const bool ok = s == ZT_OK && is_same_index(&own, index);
    free(own.bytes);
    return ok || FAIL(r, "the index of a scan differs: %s",
                      s == ZT_OK ? "other bytes" : zt_context_error(r->context[0]));
}

/* Zero bytes behind a stream of which libzfp's decoder takes more than its encoder writes: minbits
 * of each tile, and 1 bit where the header says so for a maxbits of 0. */
static size_t bytes_behind(const zt_array *array, const zt_zfp *zfp)
{
    uint64_t tiles = 1;
    for (uint32_t i = 0; i < array->rank; i++)
        tiles *= (array->shape[i] + 3) / 4;
    const bool is_odd = (zfp->flags & ZT_ZFP_AS_LIBZFP) != 0 || zfp->maxbits == 0;
    return is_odd ? (size_t)tiles * (zfp->minbits / 8 + 1) + 64 : 0;
}

bool every_way_of_array(const zt_array *array, const zt_zfp *zfp, uint64_t seed,
                        struct every_way_tally *tally, char *why)
{
    struct run r;
    const size_t behind = bytes_behind(array, zfp);
    size_t capacity = 0;
    unsigned char *stream = NULL;
    bool ok = open_run(&r, seed, zfp, array, tally, why);
    zt_zfp_index index = random_index(&r, ZT_INDEX_OFFSETS + (uint32_t)(seed % 4));
    if (ok && zt_zfp_compress_bound(r.context[0], array, zfp, &capacity) != ZT_OK)
        ok = FAIL(&r, "no bound: %s", zt_context_error(r.context[0]));
    ok = ok && give_memory(&r, &index);
    if (ok) {
        stream = need(capacity + behind);
        memset(stream, 0, capacity + behind);
        if (zt_zfp_compress_indexed(r.context[0], array, zfp, stream, capacity, &r.bytes, &index) !=
            ZT_OK)
            ok = FAIL(&r, "encoding: %s", zt_context_error(r.context[0]));
        r.stream = stream;
    }
    ok = ok && code_all(&r, array, &index, capacity) && scan_agrees(&r, array, &index);
    free(index.bytes);
    ok = ok && every_way_of_stream(stream, r.bytes + behind, zfp, array, seed + 1, tally, why);
    free(stream);
    close_run(&r);
    return ok;
}

/* ---- decoding ---- */

static bool is_wanted(struct run *r, zt_status s, uint32_t way, const char *how)
{
    r->tally->decodings++;
    if (s != ZT_OK)
        return FAIL(r, "decoding with %u threads, %s: %s", threads_of_way[way], how,
                    zt_context_error(r->context[way]));
    return memcmp(r->out, r->wanted, r->raw_bytes) == 0 ||
           FAIL(r, "decoding with %u threads, %s: another array", threads_of_way[way], how);
}

/* Decode all with what index says; r->out is spoilt before. */
static zt_status decode(struct run *r, uint32_t way, zt_zfp_index *index)
{
    zt_array out = r->like;
    out.data = r->out;
    memset(r->out, 0xb7, r->raw_bytes);
    return decode_or_index(r->context[way], r->stream, r->bytes, r->zfp, index, &out, NULL);
}

/* A box in 'way', with an index or without (NULL). */
static bool box_is_wanted(struct run *r, uint32_t way, const zt_zfp_index *index)
{
    zt_box box;
    zt_array out = r->like;
    const size_t element = zt_type_bytes(r->like.type);
    for (uint32_t i = 0; i < r->like.rank; i++) {
        const uint64_t n = r->like.shape[i];
        box.lo[i] = rng_below(&r->rng, n);
        out.shape[i] = 1 + rng_below(&r->rng, n - box.lo[i]);
        box.hi[i] = box.lo[i] + out.shape[i];
    }
    out = zt_array_nd(r->out, (zt_type)out.type, out.rank, out.shape);
    memset(r->out, 0xb7, r->raw_bytes);
    r->tally->boxes++;
    if (zt_zfp_decompress_box(r->context[way], r->stream, r->bytes, r->zfp, index, &r->like, &box,
                              &out) != ZT_OK)
        return FAIL(r, "a box with %u threads: %s", threads_of_way[way],
                    zt_context_error(r->context[way]));
    zt_array part = r->like; /* the same box of the wanted array */
    uint64_t at = 0;
    for (uint32_t i = 0; i < part.rank; i++) {
        at += box.lo[i] * (uint64_t)part.stride[i];
        part.shape[i] = out.shape[i];
    }
    part.data = r->wanted + at * element;
    const size_t bytes = values_of(part.rank, part.shape) * element;
    unsigned char *slice = need(bytes);
    gather(&part, slice);
    const bool is_same = memcmp(slice, r->out, bytes) == 0;
    free(slice);
    return is_same || FAIL(r, "a box with %u threads %s is not the array's part",
                           threads_of_way[way], index ? "and an index" : "without an index");
}

/* Without an index, in every way; the index found on the way is the one that a scan makes. */
static bool without_index(struct run *r)
{
    bool ok = true;
    zt_zfp_index found = random_index(r, ZT_INDEX_COMPACT), built = found;
    if (!give_memory(r, &found) || !give_memory(r, &built))
        return false;
    if (zt_zfp_index_build(r->context[0], r->stream, r->bytes, r->zfp, &r->like, &built) != ZT_OK)
        ok = FAIL(r, "a scan: %s", zt_context_error(r->context[0]));
    for (uint32_t way = 0; ok && way < WAYS; way++) {
        ok = is_wanted(r, decode(r, way, NULL), way, "without an index");
        found.index_bytes = 0;
        ok = ok && is_wanted(r, decode(r, way, &found), way, "finding an index");
        if (ok && !is_same_index(&found, &built))
            ok = FAIL(r, "the index that %u threads find differs from the one of a scan",
                      threads_of_way[way]);
    }
    r->tally->without_index += built.index_bytes == 0;
    for (uint32_t i = 0; ok && i < BOXES; i++)
        ok = box_is_wanted(r, next_way(r), NULL);
    free(found.bytes);
    free(built.bytes);
    return ok;
}

static bool with_index(struct run *r, uint32_t kind)
{
    char how[96];
    zt_zfp_index index = random_index(r, kind);
    if (!give_memory(r, &index))
        return false;
    bool ok =
        zt_zfp_index_build(r->context[0], r->stream, r->bytes, r->zfp, &r->like, &index) == ZT_OK ||
        FAIL(r, "a scan: %s", zt_context_error(r->context[0]));
    snprintf(how, sizeof how, "index of kind %u with %u tiles a chunk", kind, index.chunk);
    const bool is_there = index.index_bytes > 0;
    for (uint32_t i = 0; ok && is_there && i < 2; i++) {
        const uint32_t way = next_way(r);
        ok = is_wanted(r, decode(r, way, &index), way, how);
    }
    for (uint32_t i = 0; ok && is_there && i < BOXES; i++)
        ok = box_is_wanted(r, next_way(r), &index);
    r->tally->layouts[kind] += is_there;
    free(index.bytes);
    return ok;
}

bool every_way_of_stream(const void *stream, size_t stream_bytes, const zt_zfp *zfp,
                         const zt_array *like, uint64_t seed, struct every_way_tally *tally,
                         char *why)
{
    struct run r;
    bool ok = open_run(&r, seed, zfp, like, tally, why);
    tally->streams++;
    if (ok) {
        r.stream = stream;
        r.bytes = stream_bytes;
        r.wanted = need(r.raw_bytes);
        r.out = need(r.raw_bytes);
        r.next_way = (uint32_t)rng_below(&r.rng, WAYS);
        zt_array out = r.like;
        out.data = r.wanted;
        if (zt_zfp_decompress(r.context[0], stream, stream_bytes, zfp, &out, NULL) != ZT_OK)
            ok = FAIL(&r, "decoding: %s", zt_context_error(r.context[0]));
    }
    ok = ok && without_index(&r);
    for (uint32_t i = 0; ok && i < ROUNDS; i++)
        for (uint32_t kind = ZT_INDEX_OFFSETS; ok && kind <= ZT_INDEX_COMPACT; kind++)
            ok = with_index(&r, kind);
    close_run(&r);
    return ok;
}

void every_way_print(const struct every_way_tally *t)
{
    printf("every way: %llu streams, %llu more encodings, %llu decodings, %llu boxes; "
           "indexes used: offsets %llu, lengths %llu, hybrid %llu, compact %llu; "
           "at fixed rate %llu, odd %llu\n",
           (unsigned long long)t->streams, (unsigned long long)t->encodings,
           (unsigned long long)t->decodings, (unsigned long long)t->boxes,
           (unsigned long long)t->layouts[ZT_INDEX_OFFSETS],
           (unsigned long long)t->layouts[ZT_INDEX_LENGTHS],
           (unsigned long long)t->layouts[ZT_INDEX_HYBRID],
           (unsigned long long)t->layouts[ZT_INDEX_COMPACT], (unsigned long long)t->without_index,
           (unsigned long long)t->odd);
}
