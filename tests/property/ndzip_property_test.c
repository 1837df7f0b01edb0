/* ndzip_property_test.c: random arrays through ndzip, in .zt files and as bare streams.
 *
 *     ndzip_property_test [--seed N] [--cases N] [--only N]
 *
 * For each case, whose extents lie around multiples of the tile's: the same bits come back; the
 * bytes are the same under every instruction set, policy and strides; a box is the slice of the
 * whole; nothing is written between elements; a file never outgrows its raw bytes by more than what
 * surrounds the stream; where all tiles are whole, a file holds the bare stream; a damaged bare
 * stream gives an error or some array. A case depends on the seed and its number alone. */
#include "support/support.h"
#include "ztile_ndzip.h"
#include "ztile_expert.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct test_case {
    uint64_t seed;
    uint32_t type, rank;
    uint64_t shape[ZT_MAX_RANK];
    int64_t stride[ZT_MAX_RANK];
    enum data_kind kind;
    uint64_t slab_bytes;
    bool is_bare;
};

struct trial {
    const struct test_case *c;
    zt_context *context;
    struct rng rng;
    size_t raw_bytes;
    unsigned char *raw, *back, *coded;
    size_t capacity, coded_bytes;
};

static bool fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    return false;
}

/* ---- cases ---- */

static uint64_t random_extent(struct rng *r, uint64_t side, uint64_t most_tiles)
{
    const uint64_t whole = side * rng_below(r, most_tiles + 1);
    switch (rng_below(r, 4)) {
    case 0: return whole ? whole : side;
    case 1: return whole + 1;
    case 2: return whole > 1 ? whole - 1 : 1;
    default: return whole + 1 + rng_below(r, side);
    }
}

static struct test_case random_case(uint64_t seed, uint64_t n)
{
    static const uint64_t side[5][4] = {{0}, {4096}, {64, 64}, {16, 16, 16}, {1, 16, 16, 16}};
    struct rng r = {mix64(seed, n)};
    struct test_case c;
    memset(&c, 0, sizeof c);
    c.seed = rng_next(&r);
    c.is_bare = rng_once_in(&r, 2);
    c.type = c.is_bare ? ZT_F32 + (uint32_t)rng_below(&r, 2) : 1 + (uint32_t)rng_below(&r, 4);
    c.rank = 1 + (uint32_t)rng_below(&r, c.is_bare ? 3 : 4);
    for (uint32_t i = 0; i < c.rank; i++)
        c.shape[i] = random_extent(&r, side[c.rank][i], c.rank == 1 ? 5 : c.rank == 2 ? 3 : 2);
    if (rng_once_in(&r, 2))
        random_strides(&r, c.rank, c.shape, c.stride);
    else
        contiguous_strides(c.rank, c.shape, c.stride);
    c.kind = (enum data_kind)rng_below(&r, DATA_KINDS);
    if (rng_once_in(&r, 3))
        c.slab_bytes = 1 + rng_below(&r, 1 << 17);
    return c;
}

static void print_case(const struct test_case *c)
{
    char shape[96], stride[96];
    printf("%s, %s, shape %s (slowest first), strides %s, data %s, slabs of %llu bytes\n",
           c->is_bare ? "bare" : ".zt", type_name(c->type), shape_text(c->rank, c->shape, shape),
           stride_text(c->rank, c->stride, stride), data_kind_name(c->kind),
           (unsigned long long)c->slab_bytes);
}

/* ---- both kinds of output through the same four calls ---- */

static void params_of(const struct test_case *c, zt_params *p)
{
    (void)zt_params_init(p, sizeof *p);
    p->codec = ZT_CODEC_NDZIP;
    if (c->slab_bytes)
        p->slab_bytes = c->slab_bytes;
}

static zt_status bound(struct trial *t, const zt_array *array)
{
    zt_params p;
    params_of(t->c, &p);
    return t->c->is_bare ? zt_ndzip_compress_bound(t->context, array, &t->capacity)
                         : zt_compress_bound(t->context, array, &p, &t->capacity);
}

static zt_status compress(struct trial *t, const zt_array *array, unsigned char *to, size_t *bytes)
{
    zt_params p;
    params_of(t->c, &p);
    return t->c->is_bare ? zt_ndzip_compress(t->context, array, to, t->capacity, bytes)
                         : zt_compress(t->context, array, &p, to, t->capacity, bytes);
}

static zt_status decompress(struct trial *t, const unsigned char *data, size_t bytes,
                            const zt_array *out)
{
    return t->c->is_bare ? zt_ndzip_decompress(t->context, data, bytes, out, NULL)
                         : zt_decompress(t->context, data, bytes, out);
}

static zt_status decompress_box(struct trial *t, const zt_array *whole, const zt_box *box,
                                const zt_array *out)
{
    return t->c->is_bare
               ? zt_ndzip_decompress_box(t->context, t->coded, t->coded_bytes, whole, box, out)
               : zt_decompress_box(t->context, t->coded, t->coded_bytes, box, out);
}

/* ---- what holds ---- */

static void shuffle_context(struct trial *t)
{
    random_policy(&t->rng, t->context);
    (void)zt_context_set_isa(t->context, (zt_isa)rng_below(&t->rng, 3));
}

static bool check_bytes(struct trial *t, const zt_array *strided, const zt_array *plain)
{
    t->coded_bytes = 0;
    shuffle_context(t);
    if (bound(t, plain) != ZT_OK)
        return fail("bound: %s", zt_context_error(t->context));
    t->coded = need(t->capacity + 64);
    memset(t->coded, 0x5a, t->capacity + 64);
    if (compress(t, strided, t->coded, &t->coded_bytes) != ZT_OK)
        return fail("compression: %s", zt_context_error(t->context));
    for (size_t i = t->capacity; i < t->capacity + 64; i++)
        if (t->coded[i] != 0x5a)
            return fail("compression wrote beyond the bound");
    if (!t->c->is_bare && !t->c->slab_bytes &&
        t->coded_bytes > t->raw_bytes + 256 + t->raw_bytes / 1000)
        return fail("%zu raw bytes became %zu", t->raw_bytes, t->coded_bytes);
    for (uint32_t isa = ZT_ISA_PLAIN; isa <= ZT_ISA_AVX512; isa++) {
        unsigned char *again = need(t->capacity);
        size_t bytes = 0;
        shuffle_context(t);
        (void)zt_context_set_isa(t->context, (zt_isa)isa);
        const bool is_same = compress(t, plain, again, &bytes) == ZT_OK &&
                             bytes == t->coded_bytes && memcmp(again, t->coded, bytes) == 0;
        free(again);
        if (!is_same)
            return fail("other bytes with %s", zt_isa_name((zt_isa)isa));
    }
    return true;
}

static bool check_back(struct trial *t)
{
    const struct test_case *c = t->c;
    for (uint32_t isa = ZT_ISA_PLAIN; isa <= ZT_ISA_AVX512; isa++) {
        shuffle_context(t);
        (void)zt_context_set_isa(t->context, (zt_isa)isa);
        /* in memory of its own, so that a sanitizer sees reads beyond the end */
        unsigned char *copy = need(t->coded_bytes);
        memcpy(copy, t->coded, t->coded_bytes);
        struct test_array out = test_array_new(c->type, c->rank, c->shape, c->stride);
        const bool is_done = decompress(t, copy, t->coded_bytes, &out.array) == ZT_OK;
        const bool is_clean = gaps_are_untouched(&out);
        gather(&out.array, t->back);
        test_array_free(&out);
        free(copy);
        if (!is_done)
            return fail("decompression: %s", zt_context_error(t->context));
        if (!is_clean)
            return fail("decompression wrote between the elements");
        if (memcmp(t->raw, t->back, t->raw_bytes) != 0)
            return fail("other bits came back with %s", zt_isa_name((zt_isa)isa));
    }
    return true;
}

static bool check_box(struct trial *t, const zt_array *plain)
{
    const struct test_case *c = t->c;
    zt_box box;
    uint64_t shape[ZT_MAX_RANK] = {0};
    int64_t stride[ZT_MAX_RANK] = {0};
    memset(&box, 0, sizeof box);
    shuffle_context(t);
    for (uint32_t i = 0; i < c->rank; i++) {
        box.lo[i] = rng_below(&t->rng, c->shape[i]);
        box.hi[i] = box.lo[i] + 1 + rng_below(&t->rng, c->shape[i] - box.lo[i]);
        shape[i] = box.hi[i] - box.lo[i];
    }
    random_strides(&t->rng, c->rank, shape, stride);
    struct test_array out = test_array_new(c->type, c->rank, shape, stride);
    zt_array part = *plain;
    uint64_t first = 0;
    for (uint32_t i = 0; i < c->rank; i++) {
        part.shape[i] = shape[i];
        first += box.lo[i] * (uint64_t)plain->stride[i];
    }
    part.data = t->raw + first * zt_type_bytes(c->type);
    const size_t bytes = values_of(c->rank, shape) * zt_type_bytes(c->type);
    unsigned char *wanted = need(bytes), *got = need(bytes);
    bool ok = decompress_box(t, plain, &box, &out.array) == ZT_OK ||
              fail("box: %s", zt_context_error(t->context));
    gather(&part, wanted);
    gather(&out.array, got);
    ok = ok && (gaps_are_untouched(&out) || fail("a box wrote between its elements"));
    ok = ok && (memcmp(wanted, got, bytes) == 0 ||
                fail("a box from %llu of axis 0 is not the slice", (unsigned long long)box.lo[0]));
    free(wanted);
    free(got);
    test_array_free(&out);
    return ok;
}

/* A float file with whole tiles only, in one frame, holds the bare stream. */
static bool check_stream_inside(struct trial *t, const zt_array *plain)
{
    static const uint64_t side[4] = {0, 4096, 64, 16};
    const struct test_case *c = t->c;
    if (c->is_bare || c->type > ZT_F64 || c->rank > 3 || c->slab_bytes)
        return true;
    for (uint32_t i = 0; i < c->rank; i++)
        if (c->shape[i] % side[c->rank] != 0)
            return true;
    size_t capacity = 0, bytes = 0;
    (void)zt_ndzip_compress_bound(t->context, plain, &capacity);
    unsigned char *stream = need(capacity);
    bool is_there = zt_ndzip_compress(t->context, plain, stream, capacity, &bytes) == ZT_OK;
    const bool is_stored = bytes > t->raw_bytes;
    const unsigned char *wanted = is_stored ? t->raw : stream;
    const size_t wanted_bytes = is_stored ? t->raw_bytes : bytes;
    bool is_found = false;
    for (size_t i = 0; is_there && !is_found && i + wanted_bytes <= t->coded_bytes; i += 8)
        is_found = memcmp(t->coded + i, wanted, wanted_bytes) == 0;
    free(stream);
    return is_found || fail("the file does not hold the %s", is_stored ? "values" : "bare stream");
}

/* Some array, or an error: never a crash, nothing written outside. */
static bool check_damage(struct trial *t)
{
    const struct test_case *c = t->c;
    bool ok = true;
    for (int i = 0; ok && i < 4 && t->coded_bytes > 0; i++) {
        shuffle_context(t);
        size_t bytes = t->coded_bytes;
        unsigned char *copy = need(bytes);
        memcpy(copy, t->coded, bytes);
        if (i == 0)
            bytes = rng_below(&t->rng, bytes);
        else
            copy[rng_below(&t->rng, i == 1 && bytes > 600 ? 600 : bytes)] ^=
                (unsigned char)(1u << rng_below(&t->rng, 8));
        unsigned char *cut = need(bytes + 1);
        memcpy(cut, copy, bytes);
        struct test_array out = test_array_new(c->type, c->rank, c->shape, c->stride);
        const zt_status status = decompress(t, cut, bytes, &out.array);
        ok = status == ZT_OK || status == ZT_CORRUPT || status == ZT_UNSUPPORTED ||
             status == ZT_BAD_ARG || fail("damage gives status %d", (int)status);
        if (i == 0 && status == ZT_OK)
            ok = fail("a stream cut to %zu bytes is accepted", bytes);
        ok = ok && (gaps_are_untouched(&out) || fail("damage made it write between elements"));
        test_array_free(&out);
        free(copy);
        free(cut);
    }
    return ok;
}

static bool run_case(zt_context *context, uint64_t seed, uint64_t n)
{
    const struct test_case c = random_case(seed, n);
    struct trial t = {.c = &c, .context = context, .rng = {mix64(c.seed, 1)}};
    struct test_array in = test_array_new(c.type, c.rank, c.shape, c.stride);
    fill_array(&in.array, c.kind, c.seed);
    t.raw_bytes = values_of(c.rank, c.shape) * zt_type_bytes(c.type);
    t.raw = need(t.raw_bytes);
    t.back = need(t.raw_bytes);
    gather(&in.array, t.raw);
    const zt_array plain = zt_array_nd(t.raw, (zt_type)c.type, c.rank, c.shape);
    const bool ok = check_bytes(&t, &in.array, &plain) && check_back(&t) && check_box(&t, &plain) &&
                    check_box(&t, &plain) && check_stream_inside(&t, &plain) && check_damage(&t);
    if (!ok) {
        printf("  case %llu of seed %llu: ", (unsigned long long)n, (unsigned long long)seed);
        print_case(&c);
    }
    free(t.raw);
    free(t.back);
    free(t.coded);
    test_array_free(&in);
    return ok;
}

int main(int argc, char **argv)
{
    struct case_range range = {seed_of_today(), 0, 1000};
    uint64_t failures = 0;
    zt_context *context;
    for (int i = 1; i + 1 < argc; i += 2)
        (void)take_case_option(argv[i], argv[i + 1], &range);
    if (zt_context_new(NULL, &context) != ZT_OK)
        return 1;
    printf("seed %llu\n", (unsigned long long)range.seed);
    for (uint64_t n = range.first; n < range.cases && failures <= 5; n++)
        failures += !run_case(context, range.seed, n);
    printf("%llu cases, %llu failures\n", (unsigned long long)(range.cases - range.first),
           (unsigned long long)failures);
    zt_context_free(context);
    return failures ? 1 : 0;
}
