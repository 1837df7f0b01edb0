/* index_test.c: every layout against the starts that it was made from, its size against the
 * formulas of docs/format/zt.md, and damaged indexes, whose look-ups must stay inside their
 * bytes. */
#include "support/checked_index.h"
#include "support/support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* Chunks and where they begin; starts has chunks + 1 entries. */
struct chunks {
    uint64_t *starts;
    uint64_t count;
};

enum lengths {
    ZERO,
    ONE,
    CONSTANT,
    TINY,        /* 0..3 */
    USUAL,       /* around a few hundred */
    ONE_LONG,    /* short ones, and one of a million units */
    FRONT_HEAVY, /* all of the stream in the first chunk */
    BACK_HEAVY,
    MIXED, /* of any magnitude below 2^20 */
    OVER_16_BITS,
    OVER_32_BITS,
    LENGTHS
};

static uint64_t length_of(struct rng *r, enum lengths kind, uint64_t i, uint64_t count)
{
    switch (kind) {
    case ZERO: return 0;
    case ONE: return 1;
    case CONSTANT: return 256;
    case TINY: return rng_below(r, 4);
    case USUAL: return 100 + rng_below(r, 300);
    case ONE_LONG: return i == count / 2 ? 1000000 : rng_below(r, 9);
    case FRONT_HEAVY: return i == 0 ? 60000 : 0;
    case BACK_HEAVY: return i + 1 == count ? 60000 : 0;
    case MIXED: return rng_next(r) >> (44 + rng_below(r, 20));
    case OVER_16_BITS: return 65000 + rng_below(r, 1200);
    case OVER_32_BITS: return rng_next(r) >> 24;
    case LENGTHS: break;
    }
    return 0;
}

static struct chunks chunks_new(struct rng *r, enum lengths kind, uint64_t count)
{
    struct chunks c = {.starts = need((size_t)(count + 1) * sizeof *c.starts), .count = count};
    c.starts[0] = 0;
    for (uint64_t i = 0; i < count; i++)
        c.starts[i + 1] = c.starts[i] + length_of(r, kind, i, count);
    return c;
}

static uint64_t longest_of(const struct chunks *c)
{
    uint64_t longest = 0;
    for (uint64_t i = 0; i < c->count; i++)
        if (c->starts[i + 1] - c->starts[i] > longest)
            longest = c->starts[i + 1] - c->starts[i];
    return longest;
}

/* An index in memory of just its size, so that the sanitizer sees what is read beyond. */
static uint8_t *stored(const struct zti_index_layout *layout, const struct chunks *c, size_t *bytes)
{
    *bytes = (size_t)zti_index_bytes(layout, c->starts, c->count);
    uint8_t *index = need(*bytes);
    memset(index, 0xa5, *bytes);
    zti_index_store(layout, c->starts, c->count, index);
    return index;
}

/* The sizes of docs/format/zt.md; compact's depends on more than the number of chunks. */
static uint64_t size_of(const struct zti_index_layout *layout, const struct chunks *c)
{
    const uint64_t longest = longest_of(c), p = layout->partition;
    const uint64_t width = longest < 65536 ? 2 : longest >> 32 == 0 ? 4 : 8;
    const uint64_t head = 1 + (layout->chunk_tiles < 128 ? 1 : 2);
    switch (layout->kind) {
    case ZT_INDEX_OFFSETS: return head + 8 * c->count;
    case ZT_INDEX_LENGTHS: return head + 1 + width * c->count;
    case ZT_INDEX_HYBRID:
        return head + (p < 128 ? 1 : 2) + 1 + (c->count + p - 1) / p * (8 + p * width);
    default: return 0;
    }
}

static void check(const struct zti_index_layout *layout, const struct chunks *c, struct rng *r)
{
    size_t bytes;
    uint8_t *const data = stored(layout, c, &bytes);
    const uint64_t end = c->starts[c->count], padding = rng_below(r, 64);
    const uint64_t cut = c->count > 0 ? rng_below(r, layout->chunk_tiles) : 0;
    struct zti_index index;
    if (layout->kind != ZT_INDEX_COMPACT)
        assert_int_equal(bytes, size_of(layout, c));
    assert_true(bytes <= zti_index_bytes_max(layout, c->count));
    assert_int_equal(checked_index(NULL, data, bytes, c->count * layout->chunk_tiles - cut,
                                   end + padding, &index),
                     ZT_OK);
    assert_int_equal(index.layout.kind, layout->kind);
    assert_int_equal(index.layout.chunk_tiles, layout->chunk_tiles);
    assert_int_equal(index.chunks, c->count);
    for (uint64_t i = 0; i < c->count; i++)
        if (zti_index_start(&index, i) != c->starts[i])
            fail_msg("kind %u: chunk %llu of %llu begins at %llu, not %llu", layout->kind,
                     (unsigned long long)i, (unsigned long long)c->count,
                     (unsigned long long)c->starts[i],
                     (unsigned long long)zti_index_start(&index, i));
    assert_int_equal(zti_index_start(&index, c->count),
                     layout->kind == ZT_INDEX_OFFSETS ? end + padding : end);
    zti_index_close(NULL, &index);
    free(data);
}

static struct zti_index_layout random_layout(struct rng *r, uint32_t kind)
{
    return (struct zti_index_layout){
        .kind = kind,
        .chunk_tiles = 1 + (uint32_t)rng_below(r, rng_once_in(r, 2) ? 4 : 5000),
        .partition = kind != ZT_INDEX_HYBRID ? 0
                     : rng_once_in(r, 2)     ? ZTI_INDEX_PARTITION
                                             : 1 + (uint32_t)rng_below(r, 200)};
}

static void every_layout_finds_every_chunk(void **state)
{
    (void)state;
    struct rng r = {3};
    for (uint64_t count = 0; count <= 200; count += TEST_SHARE)
        for (uint32_t kind = ZT_INDEX_OFFSETS; kind <= ZT_INDEX_COMPACT; kind++)
            for (enum lengths l = 0; l < LENGTHS; l++) {
                struct chunks c = chunks_new(&r, l, count);
                const struct zti_index_layout layout = random_layout(&r, kind);
                check(&layout, &c, &r);
                free(c.starts);
            }
}

static void compact_finds_chunks_around_block_edges(void **state)
{
    (void)state;
    static const uint64_t counts[] = {255, 256, 257, 511, 512, 513, 514, 768, 1000, 65537};
    struct rng r = {4};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (uint32_t kind = ZT_INDEX_OFFSETS; kind <= ZT_INDEX_COMPACT; kind++)
            for (enum lengths l = 0; l < LENGTHS; l++) {
                struct chunks c = chunks_new(&r, l, counts[i]);
                const struct zti_index_layout layout = random_layout(&r, kind);
                check(&layout, &c, &r);
                free(c.starts);
            }
}

static void a_million_chunks_are_found(void **state)
{
    (void)state;
    static const enum lengths some[] = {USUAL, MIXED, ONE_LONG};
    struct rng r = {5};
    for (size_t l = 0; l < 3; l++) {
        struct chunks c = chunks_new(&r, some[l], 1000003 / TEST_SHARE);
        for (uint32_t kind = ZT_INDEX_OFFSETS; kind <= ZT_INDEX_COMPACT; kind++) {
            const struct zti_index_layout layout = random_layout(&r, kind);
            check(&layout, &c, &r);
        }
        free(c.starts);
    }
}

static void positions_of_64_bits_are_kept(void **state)
{
    (void)state;
    uint64_t starts[] = {
        0, 1, UINT64_C(1) << 40, UINT64_C(1) << 62, (UINT64_C(1) << 62) + 1, UINT64_MAX - 63};
    const struct chunks some = {starts, 5};
    uint64_t huge[] = {0, UINT64_MAX - 63};
    const struct chunks only = {huge, 1};
    struct rng r = {6};
    for (uint32_t kind = ZT_INDEX_OFFSETS; kind <= ZT_INDEX_COMPACT; kind++) {
        const struct zti_index_layout layout = random_layout(&r, kind);
        check(&layout, &some, &r);
        check(&layout, &only, &r);
    }
    const struct zti_index_layout widest = {
        .kind = ZT_INDEX_HYBRID, .chunk_tiles = 1, .partition = 16000};
    check(&widest, &some, &r);
}

static void hybrid_is_the_published_table(void **state)
{
    (void)state;
    struct rng r = {8};
    struct chunks c = chunks_new(&r, USUAL, 40);
    const struct zti_index_layout layout = {ZT_INDEX_HYBRID, 8, 32};
    size_t bytes;
    uint8_t *const data = stored(&layout, &c, &bytes);
    assert_int_equal(bytes, 4 + 2 * 72);
    assert_memory_equal(data, "\x04\x08\x20\x02", 4);
    for (uint32_t i = 0; i < 64; i++) {
        const uint8_t *const at = data + 4 + i / 32 * 72;
        const uint64_t length = i < 40 ? c.starts[i + 1] - c.starts[i] : 0;
        if (i % 32 == 0)
            assert_int_equal(zti_get_le64(at), c.starts[i]);
        assert_int_equal(at[8 + 2 * (i % 32)] | at[9 + 2 * (i % 32)] << 8, length);
    }
    free(data);
    free(c.starts);
}

static void the_bytes_of_small_indexes(void **state)
{
    (void)state;
    uint64_t starts[] = {0, 5, 5, 300, 301};
    const struct chunks c = {starts, 4};
    /* span 301, 4 chunks: L = 6; high parts 0, 0, 4 -> ones at 0, 1, 6 of 3 + 4 bits (0x43); low
     * parts 5, 5, 300 - 256 = 44 from bit 7: 25 bits */
    static const struct {
        struct zti_index_layout layout;
        const char *bytes;
        size_t count;
    } cases[] = {
        {{ZT_INDEX_LENGTHS, 300, 0}, "\x03\xac\x02\x02\x05\0\0\0\x27\x01\x01\0", 12},
        {{ZT_INDEX_HYBRID, 1, 3},
         "\x04\x01\x03\x02\0\0\0\0\0\0\0\0\x05\0\0\0\x27\x01"
         "\x2c\x01\0\0\0\0\0\0\x01\0\0\0\0\0",
         32},
        {{ZT_INDEX_COMPACT, 16, 0}, "\x05\x10\x02\x2d\x01\x19\0\xc3\xa2\x60\x01", 11},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t bytes;
        uint8_t *const data = stored(&cases[i].layout, &c, &bytes);
        assert_int_equal(bytes, cases[i].count);
        assert_memory_equal(data, cases[i].bytes, bytes);
        free(data);
    }
}

/* 2.5 + log2(mean length) bits a chunk; of the last, short block an entry of the directory more,
 * and the head. */
static void compact_keeps_its_bound(void **state)
{
    (void)state;
    static const uint64_t means[] = {1,   2,   3,   7,    8,     100,     181,    255,
                                     256, 257, 400, 1000, 65535, 1 << 20, 3 << 20};
    struct rng r = {9};
    const uint64_t n = 100000;
    const struct zti_index_layout layout = {ZT_INDEX_COMPACT, 1, 0};
    for (size_t i = 0; i < sizeof means / sizeof means[0]; i++)
        for (uint32_t spread = 0; spread < 3; spread++) {
            struct chunks c = {.starts = need((size_t)(n + 1) * 8), .count = n};
            c.starts[0] = 0;
            for (uint64_t k = 0; k < n; k++) {
                const uint64_t m = means[i];
                const uint64_t length = spread == 0           ? m
                                        : spread == 1         ? 1 + rng_below(&r, 2 * m - 1)
                                        : rng_once_in(&r, 16) ? 16 * m - 15
                                                              : 1;
                c.starts[k + 1] = c.starts[k] + length;
            }
            const double bits = 8.0 * (double)zti_index_bytes(&layout, c.starts, n);
            const double bound = 2.5 + log2((double)c.starts[n] / (double)n);
            if (bits > bound * (double)n)
                fail_msg("mean %llu, spread %u: %.3f bits a chunk, more than %.3f",
                         (unsigned long long)means[i], spread, bits / (double)n, bound);
            free(c.starts);
        }
}

/* ---- damage ---- */

/* Open what may be damaged and, where that succeeds, look up every chunk. */
static bool survives(const uint8_t *data, size_t bytes, uint64_t tiles, uint64_t units)
{
    struct zti_index index;
    uint8_t *const copy = need(bytes > 0 ? bytes : 1); /* exact, for the sanitizer */
    memcpy(copy, data, bytes);
    const zt_status status = checked_index(NULL, copy, bytes, tiles, units, &index);
    if (status == ZT_OK) {
        for (uint64_t i = 0; i <= index.chunks; i++)
            assert_true(zti_index_start(&index, i) <= index.end && index.end <= units);
        assert_int_equal(zti_index_start(&index, 0), 0);
        zti_index_close(NULL, &index);
    } else {
        assert_true(status == ZT_CORRUPT || status == ZT_UNSUPPORTED);
    }
    free(copy);
    return status == ZT_OK;
}

static void damaged_indexes_are_refused_or_stay_inside(void **state)
{
    (void)state;
    struct rng r = {10};
    for (uint32_t round = 0; round < 40; round++)
        for (uint32_t kind = ZT_INDEX_OFFSETS; kind <= ZT_INDEX_COMPACT; kind++) {
            const uint64_t count = 1 + rng_below(&r, round < 30 ? 40 : 600);
            struct chunks c = chunks_new(&r, (enum lengths)rng_below(&r, LENGTHS), count);
            const struct zti_index_layout layout = random_layout(&r, kind);
            const uint64_t tiles = count * layout.chunk_tiles, units = c.starts[count];
            size_t bytes;
            uint8_t *const data = stored(&layout, &c, &bytes);
            for (size_t i = 0; i < bytes; i += TEST_SHARE) {
                const uint8_t was = data[i];
                data[i] = (uint8_t)(was ^ (round % 2 ? 1u << rng_below(&r, 8) : 0xff));
                (void)survives(data, bytes, tiles, units);
                data[i] = (uint8_t)rng_next(&r);
                (void)survives(data, bytes, tiles, units);
                data[i] = was;
            }
            const size_t step = 1 + bytes / 100;
            for (size_t n = 0; n < bytes; n += n < 20 ? 1 : step)
                assert_false(survives(data, n, tiles, units));
            assert_true(survives(data, bytes, tiles, units));
            free(data);
            free(c.starts);
        }
}

static void an_index_of_another_stream_is_refused(void **state)
{
    (void)state;
    struct rng r = {11};
    for (uint32_t kind = ZT_INDEX_OFFSETS; kind <= ZT_INDEX_COMPACT; kind++) {
        struct chunks c = chunks_new(&r, USUAL, 1000);
        const struct zti_index_layout layout = {kind, 4, kind == ZT_INDEX_HYBRID ? 32 : 0};
        const uint64_t end = c.starts[1000];
        size_t bytes;
        uint8_t *const data = stored(&layout, &c, &bytes);
        assert_true(survives(data, bytes, 4000, end));
        assert_true(survives(data, bytes, 3997, end));
        assert_false(survives(data, bytes, 4400, end));
        assert_false(survives(data, bytes, 3600, end));
        assert_false(survives(data, bytes, UINT64_MAX, end));
        assert_false(survives(data, bytes, 4000, end / 2));
        assert_false(survives(data, bytes, 4000, 0));
        if (kind != ZT_INDEX_OFFSETS) {
            assert_false(survives(data, bytes, 4000, end + 64));
            assert_false(survives(data, bytes, 4000, end - 1));
            assert_false(survives(data, bytes, 4000, UINT64_MAX));
        }
        free(data);
        free(c.starts);
    }
}

static void a_later_kind_is_told_apart_from_damage(void **state)
{
    (void)state;
    static const uint8_t later[] = {6, 1, 0, 0, 0}, none[] = {1, 1}, no_chunk[] = {2, 0};
    static const uint8_t no_partition[] = {4, 1, 0, 2};
    struct zti_index index;
    zt_context *context;
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    assert_int_equal(checked_index(context, later, sizeof later, 1, 1, &index), ZT_UNSUPPORTED);
    assert_string_equal(zt_context_error(context),
                        "an index of kind 6 is of a later version of ztile");
    assert_int_equal(checked_index(context, none, sizeof none, 1, 1, &index), ZT_CORRUPT);
    assert_int_equal(checked_index(context, no_chunk, sizeof no_chunk, 1, 1, &index), ZT_CORRUPT);
    assert_int_equal(checked_index(context, no_partition, sizeof no_partition, 1, 1, &index),
                     ZT_CORRUPT);
    assert_int_equal(checked_index(context, later, 0, 1, 1, &index), ZT_CORRUPT);
    zt_context_free(context);
}

/* An allocator that counts what is out. */
static void *count_out(void *user, size_t bytes)
{
    ++*(int *)user;
    return malloc(bytes);
}

static void count_back(void *user, void *memory)
{
    *(int *)user -= memory != NULL;
    free(memory);
}

static void an_index_that_fails_its_check_twice_leaks_nothing(void **state)
{
    (void)state;
    enum { CHUNKS = 300 };
    int out = 0;
    const zt_allocator allocator = {.alloc = count_out, .release = count_back, .user = &out};
    const struct zti_index_layout layout = {.kind = ZT_INDEX_LENGTHS, .chunk_tiles = 1};
    struct rng r = {1};
    struct chunks c = chunks_new(&r, CONSTANT, CHUNKS);
    const size_t n = (size_t)zti_index_bytes(&layout, c.starts, CHUNKS);
    uint8_t *const bytes = need(n);
    zt_context *context = NULL;
    struct zti_index index;
    zti_index_store(&layout, c.starts, CHUNKS, bytes);
    assert_int_equal(zt_context_new(&allocator, &context), ZT_OK);
    const int before = out;
    assert_int_equal(zti_index_open(context, bytes, n, CHUNKS, c.starts[CHUNKS] - 1, &index),
                     ZT_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(zti_index_check(context, &index), ZT_CORRUPT);
    zti_index_close(context, &index);
    assert_int_equal(out, before);
    zt_context_free(context);
    free(bytes);
    free(c.starts);
}

/* The most bytes of a window, for windows of layouts that a user can ask for. */
static void windows_are_no_larger_than_their_most(void **state)
{
    (void)state;
    enum { CHUNKS = 3000 };
    static const uint32_t partitions[] = {1, 2, 3, 32, 33, 1000, ZTI_INDEX_PARTITION_MOST};
    struct rng r = {2};
    for (enum lengths kind = ZERO; kind < LENGTHS; kind++)
        for (uint32_t i = 0; i < 3 + sizeof partitions / sizeof *partitions; i++) {
            static const uint32_t others[] = {ZT_INDEX_OFFSETS, ZT_INDEX_LENGTHS, ZT_INDEX_COMPACT};
            const struct zti_index_layout layout = {.kind = i < 3 ? others[i] : ZT_INDEX_HYBRID,
                                                    .chunk_tiles = 1,
                                                    .partition = i < 3 ? 0 : partitions[i - 3]};
            struct chunks c = chunks_new(&r, kind, CHUNKS);
            const size_t n = (size_t)zti_index_bytes(&layout, c.starts, CHUNKS);
            uint8_t *const bytes = need(n);
            struct zti_index index;
            zti_index_store(&layout, c.starts, CHUNKS, bytes);
            assert_int_equal(checked_index(NULL, bytes, n, CHUNKS, c.starts[CHUNKS], &index),
                             ZT_OK);
            for (uint32_t k = 0; k < 200; k++) {
                const uint64_t first = rng_below(&r, CHUNKS);
                const uint64_t count = 1 + rng_below(&r, k % 2 ? CHUNKS - first : 1);
                const struct zti_index_window w = zti_index_window_of(&index, first, first + count);
                assert_true(w.bytes[0] + w.bytes[1] <= zti_index_window_max(&layout, count));
            }
            zti_index_close(NULL, &index);
            free(bytes);
            free(c.starts);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_finds_every_chunk),
        cmocka_unit_test(compact_finds_chunks_around_block_edges),
        cmocka_unit_test(a_million_chunks_are_found),
        cmocka_unit_test(positions_of_64_bits_are_kept),
        cmocka_unit_test(hybrid_is_the_published_table),
        cmocka_unit_test(the_bytes_of_small_indexes),
        cmocka_unit_test(compact_keeps_its_bound),
        cmocka_unit_test(damaged_indexes_are_refused_or_stay_inside),
        cmocka_unit_test(an_index_of_another_stream_is_refused),
        cmocka_unit_test(a_later_kind_is_told_apart_from_damage),
        cmocka_unit_test(an_index_that_fails_its_check_twice_leaks_nothing),
        cmocka_unit_test(windows_are_no_larger_than_their_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
