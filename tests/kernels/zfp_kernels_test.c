/* zfp_kernels_test.c: every instance of the zfp codec that this machine runs against plain C, byte
 * for byte: streams, arrays decoded from them with and without an index, what damaged streams
 * decode to, and how many bytes are consumed. Arrays and streams end where a page that cannot be
 * read begins.
 *
 *     zfp_kernels_test [--seed N] [--cases N] [--only N] [--bench]
 *
 * A case depends on the seed and its number alone. --bench times the instances instead. */
#include "support/support.h"
#include "ztile_zfp.h"
#include "ztile_expert.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* ---- memory that ends at a guard page ---- */

struct guarded {
    unsigned char *bytes;
    void *pages;
    size_t mapped_bytes;
};

static struct guarded guarded_new(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t whole = (bytes + page - 1) / page * page;
    struct guarded g = {.mapped_bytes = whole + page};
    g.pages =
        mmap(NULL, g.mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.pages == MAP_FAILED || mprotect((char *)g.pages + whole, page, PROT_NONE) != 0) {
        perror("guard page");
        exit(1);
    }
    g.bytes = (unsigned char *)g.pages + whole - bytes;
    return g;
}

static struct guarded guarded_copy(const void *from, size_t bytes)
{
    struct guarded g = guarded_new(bytes);
    memcpy(g.bytes, from, bytes);
    return g;
}

static void guarded_free(struct guarded *g)
{
    munmap(g->pages, g->mapped_bytes);
}

/* ---- a case ---- */

struct test_case {
    uint32_t type, rank;
    uint64_t shape[ZT_MAX_RANK];
    int64_t stride[ZT_MAX_RANK];
    bool is_contiguous;
    enum data_kind kind;
    uint64_t seed;
    zt_zfp zfp;
    uint32_t chunk; /* of the index; 0: the default */
};

struct stream {
    unsigned char *bytes;
    size_t n;
};

static void random_limits(struct rng *r, struct test_case *c)
{
    static const uint32_t precisions[] = {1, 2, 5, 8, 9, 16, 17, 24, 31, 32, 33, 48, 63, 64};
    static const double rates[] = {0.2, 1, 2.5, 3, 8, 8.3, 16, 31, 40, 64, 70};
    const uint32_t values = 1u << 2 * c->rank;
    switch (rng_below(r, 5)) {
    case 0: zt_zfp_set_precision(&c->zfp, precisions[rng_below(r, 14)], NULL); break;
    case 1:
        zt_zfp_set_rate(&c->zfp, rates[rng_below(r, 11)], (zt_type)c->type, c->rank, 0, NULL);
        break;
    case 2: c->zfp.minexp = rng_once_in(r, 3) ? -1074 : (int32_t)rng_below(r, 80) - 50; break;
    case 3: zt_zfp_set_reversible(&c->zfp); break;
    default: /* anything between minbits and maxbits, which may be less than a header */
        c->zfp.maxbits = (uint32_t)rng_below(r, 40 * values);
        c->zfp.minbits = rng_once_in(r, 2) ? 0 : (uint32_t)rng_below(r, c->zfp.maxbits + 1);
        c->zfp.maxprec = 1 + (uint32_t)rng_below(r, 64);
        c->zfp.minexp = rng_once_in(r, 4) ? -1075 : -1074;
    }
}

static struct test_case random_case(uint64_t seed, uint64_t n)
{
    static const uint64_t most[] = {0, 600, 60, 24, 11}; /* extent by rank */
    static const uint32_t chunks[] = {0, 1, 2, 5, 16, 64};
    struct rng r = {mix64(seed, n)};
    struct test_case c;
    memset(&c, 0, sizeof c);
    c.type = 1 + (uint32_t)(n % 4);
    c.rank = 1 + (uint32_t)(n / 4 % 4);
    for (uint32_t i = 0; i < c.rank; i++) /* often whole tiles, and many along one axis */
        c.shape[i] = rng_once_in(&r, 2) ? 1 + rng_below(&r, most[c.rank])
                                        : 4 * (1 + rng_below(&r, most[c.rank] / 4));
    if (rng_once_in(&r, 8))
        c.shape[c.rank - 1] *= 5;
    c.is_contiguous = !rng_once_in(&r, 4);
    if (c.is_contiguous)
        contiguous_strides(c.rank, c.shape, c.stride);
    else
        random_strides(&r, c.rank, c.shape, c.stride);
    c.kind = (enum data_kind)rng_below(&r, DATA_KINDS);
    c.seed = rng_next(&r);
    c.chunk = chunks[rng_below(&r, 6)];
    zt_zfp_init(&c.zfp, sizeof c.zfp);
    c.zfp.flags = ZT_ZFP_AS_LIBZFP;
    random_limits(&r, &c);
    return c;
}

/* ---- what an instance does with it ---- */

static bool complain(const zt_context *context, const char *what)
{
    printf("  %s: %s %s\n", zt_isa_name(zt_context_isa(context)), what, zt_context_error(context));
    return false;
}

static bool encode(zt_context *context, const struct test_case *c, const zt_array *in,
                   struct stream *out)
{
    size_t capacity;
    if (zt_zfp_compress_bound(context, in, &c->zfp, &capacity) != ZT_OK)
        return complain(context, "no bound:");
    struct guarded g = guarded_new(capacity ? capacity : 1);
    const zt_status s = zt_zfp_compress(context, in, &c->zfp, g.bytes, capacity, &out->n);
    if (s == ZT_OK) {
        out->bytes = need(out->n ? out->n : 1);
        memcpy(out->bytes, g.bytes, out->n);
    }
    guarded_free(&g);
    return s == ZT_OK || complain(context, "does not encode:");
}

/* Decode a stream into contiguous memory of its own, which ends at a guard page, or into one with
 * the case's strides; the values go to 'values'. */
static zt_status decode(zt_context *context, const struct test_case *c, const struct stream *s,
                        zt_zfp_index *index, void *values, size_t value_bytes, size_t *consumed)
{
    struct guarded in = guarded_copy(s->bytes, s->n);
    zt_status status;
    if (c->is_contiguous) {
        struct guarded out = guarded_new(value_bytes);
        const zt_array array = zt_array_nd(out.bytes, (zt_type)c->type, c->rank, c->shape);
        status = decode_or_index(context, in.bytes, s->n, &c->zfp, index, &array, consumed);
        memcpy(values, out.bytes, value_bytes);
        guarded_free(&out);
    } else {
        struct test_array out = test_array_new(c->type, c->rank, c->shape, c->stride);
        status = decode_or_index(context, in.bytes, s->n, &c->zfp, index, &out.array, consumed);
        gather(&out.array, values);
        if (!gaps_are_untouched(&out))
            status = ZT_CANCELLED; /* none that decoding gives */
        test_array_free(&out);
    }
    guarded_free(&in);
    return status;
}

/* Decode in both ways and compare: one status, and the same values where it is ZT_OK. */
static bool decode_both(zt_context *plain, zt_context *other, const struct test_case *c,
                        const struct stream *s, zt_zfp_index *index, size_t value_bytes,
                        const char *what)
{
    void *a = need(value_bytes), *b = need(value_bytes);
    size_t consumed[2] = {0, 0};
    const zt_status x = decode(plain, c, s, index, a, value_bytes, &consumed[0]);
    const zt_status y = decode(other, c, s, index, b, value_bytes, &consumed[1]);
    bool ok = true;
    if (x != y)
        ok = complain(other, "another status:");
    else if (x == ZT_OK && (memcmp(a, b, value_bytes) != 0 || consumed[0] != consumed[1]))
        ok = complain(other, what);
    free(a);
    free(b);
    return ok;
}

/* Flip some bits. */
static void damage(struct stream *s, uint64_t seed)
{
    struct rng r = {seed};
    for (uint64_t i = 1 + rng_below(&r, 8); i > 0 && s->n > 0; i--)
        s->bytes[rng_below(&r, s->n)] ^= (unsigned char)(1u << rng_below(&r, 8));
}

static bool with_index(zt_context *plain, zt_context *other, const struct test_case *c,
                       const struct stream *s, const zt_array *in, size_t value_bytes)
{
    zt_zfp_index index;
    (void)zt_zfp_index_init(&index, sizeof index);
    index.chunk = c->chunk;
    if (zt_zfp_index_bound(plain, in, &c->zfp, &index, &index.capacity_bytes) != ZT_OK)
        return complain(plain, "no bound of the index:");
    index.bytes = need(index.capacity_bytes ? index.capacity_bytes : 1);
    bool ok = true;
    if (zt_zfp_index_build(other, s->bytes, s->n, &c->zfp, in, &index) == ZT_OK &&
        index.index_bytes > 0)
        ok =
            decode_both(plain, other, c, s, &index, value_bytes, "decodes otherwise with an index");
    free(index.bytes);
    return ok;
}

static bool run_instance(zt_context *plain, zt_context *other, const struct test_case *c,
                         const zt_array *in, size_t value_bytes)
{
    struct stream a = {NULL, 0}, b = {NULL, 0};
    bool ok = encode(plain, c, in, &a) && encode(other, c, in, &b);
    if (ok && (a.n != b.n || memcmp(a.bytes, b.bytes, a.n) != 0))
        ok = complain(other, "the stream differs");
    ok = ok && decode_both(plain, other, c, &a, NULL, value_bytes, "decodes otherwise") &&
         with_index(plain, other, c, &a, in, value_bytes);
    if (ok) {
        damage(&a, c->seed);
        ok = decode_both(plain, other, c, &a, NULL, value_bytes, "decodes damage otherwise");
    }
    free(a.bytes);
    free(b.bytes);
    return ok;
}

static bool run_case(const struct test_case *c, zt_context **context, uint32_t contexts)
{
    const size_t value_bytes =
        (size_t)values_of(c->rank, c->shape) * zt_type_bytes((zt_type)c->type);
    struct test_array in = test_array_new(c->type, c->rank, c->shape, c->stride);
    fill_array(&in.array, c->kind, c->seed);
    struct guarded flat = guarded_new(value_bytes);
    zt_array array = in.array;
    if (c->is_contiguous) {
        gather(&in.array, flat.bytes);
        array = zt_array_const_nd(flat.bytes, (zt_type)c->type, c->rank, c->shape);
    }
    bool ok = true;
    for (uint32_t i = 1; ok && i < contexts; i++)
        ok = run_instance(context[0], context[i], c, &array, value_bytes);
    guarded_free(&flat);
    test_array_free(&in);
    return ok;
}

/* ---- timing ---- */

static double seconds_of(zt_context *context, const zt_array *in, const zt_array *out,
                         const zt_zfp *zfp, unsigned char *stream, size_t capacity,
                         bool is_encoding)
{
    struct timespec a, b;
    size_t n = 0;
    double best = 1e9;
    (void)zt_zfp_compress(context, in, zfp, stream, capacity, &n);
    for (int i = 0; i < 5; i++) {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        if (is_encoding)
            (void)zt_zfp_compress(context, in, zfp, stream, capacity, &n);
        else
            (void)zt_zfp_decompress(context, stream, n, zfp, out, NULL);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        const double s = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
        best = s < best ? s : best;
    }
    return best;
}

static void bench_row(zt_context **context, uint32_t contexts, uint32_t type, uint32_t rank)
{
    static const uint64_t shapes[][ZT_MAX_RANK] = {
        {0}, {1 << 18}, {256, 1024}, {64, 64, 64}, {16, 16, 32, 32}};
    int64_t stride[ZT_MAX_RANK];
    size_t capacity;
    zt_zfp zfp;
    contiguous_strides(rank, shapes[rank], stride);
    struct test_array in = test_array_new(type, rank, shapes[rank], stride);
    struct test_array out = test_array_new(type, rank, shapes[rank], stride);
    fill_array(&in.array, DATA_WAVE_NOISE, 1);
    (void)zt_zfp_init(&zfp, sizeof zfp);
    (void)zt_zfp_set_precision(&zfp, 16, NULL);
    (void)zt_zfp_compress_bound(context[0], &in.array, &zfp, &capacity);
    unsigned char *stream = need(capacity);
    const double values = (double)values_of(rank, shapes[rank]);
    printf("%s %u-D precision 16, ns a value:", type_name(type), rank);
    for (uint32_t i = 0; i < contexts; i++)
        printf("  %s %.2f %.2f", zt_isa_name(zt_context_isa(context[i])),
               1e9 / values *
                   seconds_of(context[i], &in.array, &out.array, &zfp, stream, capacity, true),
               1e9 / values *
                   seconds_of(context[i], &in.array, &out.array, &zfp, stream, capacity, false));
    printf("\n");
    free(stream);
    test_array_free(&in);
    test_array_free(&out);
}

/* ---- command line ---- */

int main(int argc, char **argv)
{
    uint64_t seed = seed_of_today(), cases = 2000, only = UINT64_MAX, failures = 0;
    bool is_bench = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--bench") == 0)
            is_bench = true;
        else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--cases") == 0)
            cases = strtoull(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--only") == 0)
            only = strtoull(argv[++i], NULL, 10);
        else
            return 2;
    }
    zt_context *context[ZT_ISA_AVX512 + 1];
    uint32_t contexts = 0;
    for (uint32_t isa = 0; isa <= ZT_ISA_AVX512; isa++) {
        if (zt_context_new(NULL, &context[contexts]) != ZT_OK ||
            zt_context_set_isa(context[contexts], (zt_isa)isa) != ZT_OK)
            return 1;
        if ((uint32_t)zt_context_isa(context[contexts]) == isa)
            contexts++;
        else
            zt_context_free(context[contexts]);
    }
    for (uint32_t type = 1; is_bench && type <= 4; type++)
        for (uint32_t rank = 1; rank <= ZT_MAX_RANK; rank++)
            bench_row(context, contexts, type, rank);
    for (uint64_t n = 0; !is_bench && contexts > 1 && n < cases && failures < 5; n++) {
        const struct test_case c = random_case(seed, n);
        if ((only != UINT64_MAX && n != only) || run_case(&c, context, contexts))
            continue;
        char shape[96], stride[96];
        printf("case %llu of seed %llu: %s %s strides %s %s, zfp %u %u %u %d, chunk %u\n",
               (unsigned long long)n, (unsigned long long)seed, type_name(c.type),
               shape_text(c.rank, c.shape, shape), stride_text(c.rank, c.stride, stride),
               data_kind_name(c.kind), c.zfp.minbits, c.zfp.maxbits, c.zfp.maxprec, c.zfp.minexp,
               c.chunk);
        failures++;
    }
    if (!is_bench)
        printf("seed %llu, %llu cases, instances up to %s: %llu failures\n",
               (unsigned long long)seed, (unsigned long long)cases,
               zt_isa_name(zt_context_isa(context[contexts - 1])), (unsigned long long)failures);
    for (uint32_t i = 0; i < contexts; i++)
        zt_context_free(context[i]);
    if (contexts == 1 && !is_bench) {
        printf("SKIP: this machine runs the plain C instance only\n");
        return TEST_SKIPPED;
    }
    return failures > 0;
}
