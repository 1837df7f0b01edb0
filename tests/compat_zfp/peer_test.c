/* peer_test.c: random calls of libzfp's low-level API, against libzfp itself.
 *
 *     peer_test OURS [PEER] [--cases N] [--seed S]
 *
 * OURS is a libzfp.so.1 of compat/zfp, PEER a real one of the same word size; without PEER bit
 * streams are still compared with a model, an array of bits. */
#include "peer.h"
#include "support/support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static unsigned failures;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition) && ++failures <= 20) {                                                    \
            printf("%s:%d: not %s: ", __func__, __LINE__, #condition);                             \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
        }                                                                                          \
    } while (0)

/* ---- bit streams: the same calls to a library and to a model ---- */

enum { ROOM = 4096 };

struct bits {
    unsigned char bit[ROOM * 8 + 4096];
    uint64_t at; /* the next one written or read */
};

static uint64_t model_write(struct bits *m, uint64_t value, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        m->bit[m->at++] = (unsigned char)(value >> i & 1);
    return n < 64 ? value >> n : 0;
}

static uint64_t model_read(struct bits *m, uint64_t n)
{
    uint64_t v = 0;
    for (uint64_t i = 0; i < n; i++)
        v |= (uint64_t)m->bit[m->at++] << i;
    return v;
}

static void write_at_random(const struct peer *p, bitstream *s, struct bits *m, struct rng *r)
{
    const uint64_t w = p->word_bits;
    for (int k = 0; k < 2000 && m->at < ROOM * 8 - 512; k++) {
        const uint64_t value = rng_next(r), n = rng_below(r, 65), op = rng_below(r, 200);
        if (op == 0) {
            const uint64_t pad = rng_below(r, 300);
            p->stream_pad(s, pad);
            for (uint64_t i = 0; i < pad; i++)
                model_write(m, 0, 1);
        } else if (op == 1) {
            const uint64_t pad = (w - m->at % w) % w;
            CHECK(p->stream_flush(s) == pad, "at bit %" PRIu64, m->at);
            model_write(m, 0, pad);
        } else if (op == 2) { /* go back, after a flush, and write over what is there */
            p->stream_flush(s);
            model_write(m, 0, (w - m->at % w) % w);
            m->at -= rng_below(r, m->at < 1000 ? m->at + 1 : 1000);
            p->stream_wseek(s, m->at);
            if (m->at % w) /* what was behind in that word is lost */
                memset(m->bit + m->at, 0, w - m->at % w);
        } else if (op < 50) {
            CHECK(p->stream_write_bit(s, value & 1) == (value & 1), "a bit");
            model_write(m, value & 1, 1);
        } else {
            const uint64_t rest = p->stream_write_bits(s, value, n);
            const uint64_t want = model_write(m, value, n);
            CHECK(rest == want, "%" PRIu64 " bits of %" PRIx64, n, value);
        }
        CHECK(p->stream_wtell(s) == m->at, "%" PRIu64, m->at);
        CHECK(p->stream_size(s) == m->at / w * (w / 8), "at bit %" PRIu64, m->at);
    }
}

static void read_at_random(const struct peer *p, bitstream *s, struct bits *m, struct rng *r,
                           uint64_t end)
{
    const uint64_t w = p->word_bits;
    for (int i = 0; i < 300; i++) {
        const uint64_t n = rng_below(r, 65), op = rng_below(r, 20);
        if (m->at + 512 > end || op == 0) {
            m->at = rng_below(r, end - 512);
            p->stream_rseek(s, m->at);
        } else if (op == 1) {
            const uint64_t skip = rng_below(r, 200);
            p->stream_skip(s, skip);
            m->at += skip;
        } else if (op == 2) {
            const uint64_t skip = (w - m->at % w) % w;
            CHECK(p->stream_align(s) == skip, "at bit %" PRIu64, m->at);
            m->at += skip;
        } else if (op == 3) {
            p->stream_rewind(s);
            m->at = 0;
        } else if (op < 8) {
            CHECK(p->stream_read_bit(s) == model_read(m, 1), "a bit before %" PRIu64, m->at);
        } else {
            CHECK(p->stream_read_bits(s, n) == model_read(m, n), "%" PRIu64 " bits", n);
        }
        CHECK(p->stream_rtell(s) == m->at, "%" PRIu64, m->at);
        CHECK(p->stream_size(s) == (m->at + w - 1) / w * (w / 8), "at bit %" PRIu64, m->at);
    }
}

static void check_bits(const struct peer *p, uint64_t seed)
{
    static struct bits m;
    struct rng r = {seed};
    unsigned char *memory = need(ROOM + 64), *other = need(ROOM + 64);
    memset(memory, 0x5a, ROOM + 64);
    memset(&m, 0, sizeof m);
    bitstream *s = p->stream_open(memory, ROOM + 5);
    CHECK(p->stream_data(s) == memory && p->stream_capacity(s) % (p->word_bits / 8) == 0 &&
              p->stream_capacity(s) >= ROOM && p->stream_capacity(s) <= ROOM + 5,
          "capacity %zu", p->stream_capacity(s));
    CHECK(p->stream_alignment() == p->word_bits && p->stream_stride_block(s) == 1 &&
              p->stream_stride_delta(s) == 0,
          "a property of streams");
    write_at_random(p, s, &m, &r);
    p->stream_flush(s);
    const uint64_t end = p->stream_wtell(s);
    CHECK(end > 2048, "only %" PRIu64 " bits written", end);
    for (uint64_t i = 0; i < m.at; i++)
        CHECK((memory[i / 8] >> i % 8 & 1) == m.bit[i], "bit %" PRIu64, i);
    for (int i = 5; i < 64; i++)
        CHECK(memory[ROOM + i] == 0x5a, "byte %d behind the memory", i);
    p->stream_rewind(s);
    m.at = 0;
    read_at_random(p, s, &m, &r, end);

    bitstream *copy = p->stream_clone(s), *to = p->stream_open(other, ROOM);
    const uint64_t n = rng_below(&r, end - p->stream_rtell(s) + 1), from = m.at;
    p->stream_write_bits(to, 5, 3);
    p->stream_copy(to, s, n);
    p->stream_flush(to);
    CHECK(p->stream_rtell(s) == from + n && p->stream_rtell(copy) == from, "after stream_copy");
    p->stream_rewind(to);
    CHECK(p->stream_read_bits(to, 3) == 5, "before the copied bits");
    for (uint64_t i = 0; i < n; i++)
        CHECK(p->stream_read_bit(to) == m.bit[from + i], "copied bit %" PRIu64, i);
    p->stream_close(copy);
    p->stream_close(to);
    p->stream_close(s);
    free(memory);
    free(other);
}

/* Ours alone: what lies beyond the memory is neither read nor written. */
static void check_ends(const struct peer *p)
{
    unsigned char *memory = need(13); /* an end inside a word; the sanitizers watch it */
    memset(memory, 0xff, 13);
    bitstream *s = p->stream_open(memory, 13);
    CHECK(p->stream_read_bits(s, 64) == UINT64_MAX && p->stream_read_bits(s, 64) == 0xffffffffff &&
              p->stream_read_bits(s, 64) == 0,
          "reading beyond the end");
    p->stream_rseek(s, 12345);
    CHECK(p->stream_read_bits(s, 10) == 0 && p->stream_rtell(s) == 12355, "seeking beyond the end");
    p->stream_rewind(s);
    for (int i = 0; i < 100; i++)
        p->stream_write_bits(s, 0, 64);
    CHECK(memory[12] == 0 && p->stream_wtell(s) == 6400, "writing beyond the end");
    p->stream_close(s);
    free(memory);
}

/* ---- parameters, fields, headers, against the peer ---- */

static void random_params(struct rng *r, const struct peer *p, zfp_stream *z, zfp_type type,
                          uint rank, uint64_t choice, double *result)
{
    const double u = rng_unit(r);
    const uint64_t a = rng_next(r), b = rng_next(r);
    *result = 0;
    switch (choice) {
    case 0: *result = p->zfp_stream_set_rate(z, u * 70, type, rank, a & 1); break;
    case 1: *result = p->zfp_stream_set_precision(z, (uint)(a % 70)); break;
    case 2:
        *result = p->zfp_stream_set_accuracy(z, u * (double)(b % 3) / (double)(1 + a % 99999));
        break;
    case 3: p->zfp_stream_set_reversible(z); break;
    case 4:
        *result = p->zfp_stream_set_params(z, (uint)(a % 300), (uint)(a % 300 + b % 2000),
                                           (uint)(b >> 32 & 127), (int)(a >> 40 & 255) - 128);
        break;
    case 5:
        *result = p->zfp_stream_set_params(z, (uint)(a % 2), (uint)(b % 20000),
                                           1 + (uint)(b >> 32 & 63), -1075);
        break;
    default: *result = p->zfp_stream_set_mode(z, a & 1 ? b % 4200 : b | 0xfff); break;
    }
}

static bool same_params(const zfp_stream *a, const zfp_stream *b)
{
    return a->minbits == b->minbits && a->maxbits == b->maxbits && a->maxprec == b->maxprec &&
           a->minexp == b->minexp;
}

static void check_parameters(const struct peer *ours, const struct peer *peer, uint64_t seed)
{
    zfp_stream *a = ours->zfp_stream_open(NULL), *b = peer->zfp_stream_open(NULL);
    for (uint64_t i = 0; i < 20; i++) {
        struct rng r = {mix64(seed, i)}, again = r;
        const zfp_type type = (zfp_type)(1 + seed % 4);
        const uint rank = 1 + (uint)(seed / 4 % 4);
        double x, y;
        random_params(&r, ours, a, type, rank, i % 7, &x);
        random_params(&again, peer, b, type, rank, i % 7, &y);
        CHECK(x == y && same_params(a, b), "setter %d: %g, %g", (int)(i % 7), x, y);
        CHECK(ours->zfp_stream_mode(a) == peer->zfp_stream_mode(b), "setter %d", (int)(i % 7));
        CHECK(ours->zfp_stream_compression_mode(a) == peer->zfp_stream_compression_mode(b) &&
                  ours->zfp_stream_rate(a, rank) == peer->zfp_stream_rate(b, rank) &&
                  ours->zfp_stream_precision(a) == peer->zfp_stream_precision(b) &&
                  ours->zfp_stream_accuracy(a) == peer->zfp_stream_accuracy(b),
              "setter %d", (int)(i % 7));
    }
    /* parameters that no setter takes have a code too, and set_mode refuses it */
    const zfp_stream before = *a;
    a->minbits = b->minbits = 2 + (uint)(seed % 4000);
    a->maxbits = b->maxbits = 1 + (uint)(seed / 7 % (a->minbits - 1));
    const uint64 code = ours->zfp_stream_mode(a);
    CHECK(code == peer->zfp_stream_mode(b), "the code of %u > %u bits", a->minbits, a->maxbits);
    a->minbits = before.minbits;
    a->maxbits = before.maxbits;
    CHECK(ours->zfp_stream_set_mode(a, code) == zfp_mode_null && same_params(a, &before),
          "a code of more minimum than maximum bits");
    CHECK(ours->zfp_stream_bit_stream(a) == NULL, "no bit stream was given");
    ours->zfp_stream_close(a);
    peer->zfp_stream_close(b);
}

static bool same_config(zfp_config a, zfp_config b)
{
    return a.mode == b.mode &&
           memcmp(&a.arg, &b.arg,
                  a.mode == zfp_mode_expert                                            ? 16
                  : a.mode == zfp_mode_fixed_precision                                 ? 4
                  : a.mode == zfp_mode_fixed_rate || a.mode == zfp_mode_fixed_accuracy ? 8
                                                                                       : 0) == 0;
}

static void check_configs(const struct peer *a, const struct peer *b)
{
    CHECK(same_config(a->zfp_config_none(), b->zfp_config_none()), "none");
    CHECK(same_config(a->zfp_config_rate(3.5, 1), b->zfp_config_rate(3.5, 1)), "aligned rate");
    CHECK(same_config(a->zfp_config_rate(3.5, 0), b->zfp_config_rate(3.5, 0)), "rate");
    CHECK(same_config(a->zfp_config_precision(7), b->zfp_config_precision(7)), "precision");
    CHECK(same_config(a->zfp_config_accuracy(.1), b->zfp_config_accuracy(.1)), "accuracy");
    CHECK(same_config(a->zfp_config_reversible(), b->zfp_config_reversible()), "reversible");
    CHECK(same_config(a->zfp_config_expert(1, 2, 3, 4), b->zfp_config_expert(1, 2, 3, 4)),
          "expert");
    for (int type = -1; type < 6; type++)
        CHECK(a->zfp_type_size((zfp_type)type) == b->zfp_type_size((zfp_type)type), "%d", type);
}

static void check_execution(const struct peer *p)
{
    zfp_stream *z = p->zfp_stream_open(NULL);
    CHECK(p->zfp_stream_execution(z) == zfp_exec_serial && z->exec.params == NULL, "at first");
    CHECK(p->zfp_stream_omp_threads(z) == 0 && p->zfp_stream_omp_chunk_size(z) == 0, "serial");
    CHECK(p->zfp_stream_set_omp_threads(z, 3) && p->zfp_stream_execution(z) == zfp_exec_omp,
          "threads choose omp");
    CHECK(p->zfp_stream_set_omp_chunk_size(z, 5) && p->zfp_stream_omp_threads(z) == 3 &&
              p->zfp_stream_omp_chunk_size(z) == 5,
          "both are kept");
    CHECK(p->zfp_stream_set_execution(z, zfp_exec_omp) && p->zfp_stream_omp_threads(z) == 3 &&
              ((zfp_exec_params_omp *)z->exec.params)->chunk_size == 5,
          "omp again");
    CHECK(!p->zfp_stream_set_execution(z, zfp_exec_cuda) &&
              p->zfp_stream_execution(z) == zfp_exec_omp,
          "no cuda");
    CHECK(!p->zfp_stream_set_execution(z, (zfp_exec_policy)7), "no policy 7");
    CHECK(p->zfp_stream_set_execution(z, zfp_exec_serial) && z->exec.params == NULL,
          "serial again");
    p->zfp_stream_close(z);
}

static void random_field(struct rng *r, zfp_field *f)
{
    static char base[8];
    size_t n[4] = {0, 0, 0, 0};
    const uint64_t rank = 1 + rng_below(r, 4);
    for (uint64_t i = 0; i < rank; i++)
        n[i] = 1 + (size_t)rng_below(r, rng_once_in(r, 8) ? UINT64_C(1) << (50 / rank) : 20);
    memset(f, 0, sizeof *f);
    f->type = (zfp_type)(1 + rng_below(r, 4));
    f->nx = n[0], f->ny = n[1], f->nz = n[2], f->nw = n[3];
    if (rng_once_in(r, 2)) {
        f->sx = (ptrdiff_t)rng_below(r, 9) - 4;
        f->sy = (ptrdiff_t)rng_below(r, 99) - 50;
        f->sz = rng_once_in(r, 2) ? 0 : (ptrdiff_t)rng_below(r, 999) - 500;
        f->sw = rng_once_in(r, 2) ? 0 : (ptrdiff_t)rng_below(r, 9999) - 5000;
    } else if (rng_once_in(r, 2)) { /* axes the other way round: no gaps all the same */
        f->sx = (ptrdiff_t)((n[1] ? n[1] : 1) * (n[2] ? n[2] : 1) * (n[3] ? n[3] : 1));
        f->sy = (ptrdiff_t)((n[2] ? n[2] : 1) * (n[3] ? n[3] : 1));
        f->sz = (ptrdiff_t)(n[3] ? n[3] : 1);
        f->sw = 1;
    }
    f->data = rng_once_in(r, 4) ? NULL : base;
}

static void check_field(const struct peer *a, const struct peer *b, struct rng *r)
{
    ptrdiff_t s[4] = {0}, t[4] = {0};
    size_t n[4] = {0}, m[4] = {0};
    zfp_field f, g;
    random_field(r, &f);
    CHECK(a->zfp_field_begin(&f) == b->zfp_field_begin(&f), "begin");
    CHECK(a->zfp_field_precision(&f) == b->zfp_field_precision(&f), "precision");
    CHECK(a->zfp_field_dimensionality(&f) == b->zfp_field_dimensionality(&f), "dimensionality");
    CHECK(a->zfp_field_size(&f, n) == b->zfp_field_size(&f, m) && !memcmp(n, m, sizeof n), "size");
    CHECK(a->zfp_field_size(&f, NULL) == b->zfp_field_size(&f, NULL), "size");
    CHECK(a->zfp_field_size_bytes(&f) == b->zfp_field_size_bytes(&f), "bytes %zu %zu",
          a->zfp_field_size_bytes(&f), b->zfp_field_size_bytes(&f));
    CHECK(a->zfp_field_blocks(&f) == b->zfp_field_blocks(&f), "blocks");
    CHECK(a->zfp_field_stride(&f, s) == b->zfp_field_stride(&f, t) && !memcmp(s, t, sizeof s),
          "stride");
    CHECK(a->zfp_field_is_contiguous(&f) == b->zfp_field_is_contiguous(&f), "contiguous");
    const uint64 code = b->zfp_field_metadata(&f);
    CHECK(a->zfp_field_metadata(&f) == code, "metadata %" PRIx64, code);
    const uint64 any = rng_once_in(r, 2) ? code : rng_next(r) >> rng_below(r, 14);
    g = f;
    const zfp_bool x = a->zfp_field_set_metadata(&f, any), y = b->zfp_field_set_metadata(&g, any);
    CHECK(!x == !y && !memcmp(&f, &g, sizeof f), "metadata %" PRIx64, any);
}

static void check_header(const struct peer *a, const struct peer *b, struct rng *r)
{
    unsigned char p[64] = {0}, q[64] = {0};
    zfp_field f, g;
    double ignored;
    bitstream *s = a->stream_open(p, sizeof p), *t = b->stream_open(q, sizeof q);
    zfp_stream *x = a->zfp_stream_open(s), *y = b->zfp_stream_open(t);
    const uint mask = (uint)rng_below(r, 8), rank = 1 + (uint)rng_below(r, 4);
    const uint64_t choice = rng_below(r, 7);
    struct rng again = *r;
    random_params(r, a, x, zfp_type_float, rank, choice, &ignored);
    random_params(&again, b, y, zfp_type_float, rank, choice, &ignored);
    random_field(r, &f);
    CHECK(a->zfp_stream_maximum_size(x, &f) >= b->zfp_stream_maximum_size(y, &f), "maximum size");
    const size_t bits = a->zfp_write_header(x, &f, mask);
    CHECK(bits == b->zfp_write_header(y, &f, mask), "mask %u", mask);
    a->zfp_stream_flush(x);
    b->zfp_stream_flush(y);
    CHECK(memcmp(p, q, sizeof p) == 0, "header, mask %u", mask);
    if (rng_once_in(r, 3)) { /* damage it */
        const uint64_t at = rng_below(r, 160);
        p[at / 8] ^= (unsigned char)(1 << at % 8);
        q[at / 8] ^= (unsigned char)(1 << at % 8);
    }
    a->stream_rewind(s);
    b->stream_rewind(t);
    g = f;
    const size_t got = a->zfp_read_header(x, &f, mask), want = b->zfp_read_header(y, &g, mask);
    CHECK(got == want && !memcmp(&f, &g, sizeof f) && same_params(x, y), "mask %u: %zu, %zu bits",
          mask, got, want);
    CHECK(a->stream_rtell(s) == b->stream_rtell(t), "mask %u", mask);
    a->zfp_stream_close(x);
    b->zfp_stream_close(y);
    a->stream_close(s);
    b->stream_close(t);
}

/* ---- blocks ---- */

enum { BLOCKS = 5, STREAM_BYTES = BLOCKS * 65536 };

struct block_case {
    zfp_type type;
    uint rank;
    size_t n[4]; /* x first */
    ptrdiff_t s[4];
    uint64_t shape[ZT_MAX_RANK]; /* slowest first, of what is in memory */
    int64_t stride[ZT_MAX_RANK];
    uint32_t our_type;
    int family; /* of PEER_ENCODE, PEER_ENCODE_STRIDED, PEER_ENCODE_PARTIAL */
    enum data_kind kind;
};

static struct block_case random_block(struct rng *r, zfp_type type, uint rank)
{
    static const uint32_t ours[5] = {0, ZT_I32, ZT_I64, ZT_F32, ZT_F64};
    struct block_case c = {.type = type, .rank = rank, .our_type = ours[type]};
    c.family = (int)rng_below(r, 3);
    c.kind = (enum data_kind)rng_below(r, DATA_KINDS);
    for (uint i = 0; i < rank; i++)
        c.shape[i] = c.family == PEER_ENCODE_PARTIAL ? 1 + rng_below(r, 4) : 4;
    if (c.family == PEER_ENCODE)
        contiguous_strides(rank, c.shape, c.stride);
    else
        random_strides(r, rank, c.shape, c.stride);
    for (uint i = 0; i < rank; i++) {
        c.n[i] = (size_t)c.shape[rank - 1 - i];
        c.s[i] = (ptrdiff_t)c.stride[rank - 1 - i];
    }
    if (c.family == PEER_ENCODE_PARTIAL && rng_once_in(r, 20))
        c.n[rng_below(r, rank)] = 0;
    return c;
}

static void check_blocks(const struct peer *a, const struct peer *b, uint64_t seed)
{
    struct rng r = {seed};
    struct block_case c[BLOCKS];
    const zfp_type type = (zfp_type)(1 + rng_below(&r, 4));
    const uint rank = 1 + (uint)rng_below(&r, 4);
    unsigned char *p = need(STREAM_BYTES), *q = need(STREAM_BYTES);
    double ignored;
    memset(p, 0, STREAM_BYTES);
    memset(q, 0, STREAM_BYTES);
    bitstream *s = a->stream_open(p, STREAM_BYTES), *t = b->stream_open(q, STREAM_BYTES);
    zfp_stream *x = a->zfp_stream_open(s), *y = b->zfp_stream_open(t);
    const uint64_t choice = rng_below(&r, 6);
    struct rng again = r;
    random_params(&r, a, x, type, rank, choice, &ignored);
    random_params(&again, b, y, type, rank, choice, &ignored);
    a->stream_write_bits(s, 5, 3); /* not at the beginning of a byte */
    b->stream_write_bits(t, 5, 3);
    for (int i = 0; i < BLOCKS; i++) {
        c[i] = random_block(&r, type, rank);
        struct test_array in = test_array_new(c[i].our_type, rank, c[i].shape, c[i].stride);
        fill_array(&in.array, c[i].kind, rng_next(&r));
        const size_t n =
            peer_block(a, c[i].family, (int)type, rank, x, in.array.data, c[i].n, c[i].s);
        const size_t m =
            peer_block(b, c[i].family, (int)type, rank, y, in.array.data, c[i].n, c[i].s);
        CHECK(n == m, "case %" PRIx64 ", block %d: %zu, %zu bits", seed, i, n, m);
        test_array_free(&in);
    }
    CHECK(a->stream_wtell(s) == b->stream_wtell(t), "case %" PRIx64, seed);
    CHECK(a->zfp_stream_flush(x) == b->zfp_stream_flush(y), "case %" PRIx64, seed);
    CHECK(memcmp(p, q, STREAM_BYTES) == 0, "case %" PRIx64 ": streams differ", seed);
    if (rng_once_in(&r, 4)) /* any bits decode to something, the same */
        for (size_t i = 0; i < 3000; i++)
            p[i] = q[i] = (unsigned char)rng_next(&r);
    a->stream_rseek(s, 3);
    b->stream_rseek(t, 3);
    for (int i = 0; i < BLOCKS; i++) {
        struct test_array u = test_array_new(c[i].our_type, rank, c[i].shape, c[i].stride);
        struct test_array v = test_array_new(c[i].our_type, rank, c[i].shape, c[i].stride);
        const int family = c[i].family + PEER_DECODE;
        const size_t n = peer_block(a, family, (int)type, rank, x, u.array.data, c[i].n, c[i].s);
        const size_t m = peer_block(b, family, (int)type, rank, y, v.array.data, c[i].n, c[i].s);
        CHECK(n == m, "case %" PRIx64 ", block %d: %zu, %zu bits", seed, i, n, m);
        CHECK(memcmp(u.memory, v.memory, u.memory_bytes) == 0,
              "case %" PRIx64 ", block %d: values differ", seed, i);
        CHECK(a->stream_rtell(s) == b->stream_rtell(t), "case %" PRIx64, seed);
        test_array_free(&u);
        test_array_free(&v);
    }
    CHECK(a->zfp_stream_align(x) == b->zfp_stream_align(y), "case %" PRIx64, seed);
    a->zfp_stream_close(x);
    b->zfp_stream_close(y);
    a->stream_close(s);
    b->stream_close(t);
    free(p);
    free(q);
}

#define PROMOTED(small, promote, demote)                                                           \
    do {                                                                                           \
        small i[256], o[256], e[256];                                                              \
        int32 x[256], y[256];                                                                      \
        for (int k = 0; k < 256; k++)                                                              \
            i[k] = (small)rng_next(r), o[k] = e[k] = 0, x[k] = y[k] = 0;                           \
        a->promote(x, i, dims);                                                                    \
        b->promote(y, i, dims);                                                                    \
        CHECK(memcmp(x, y, sizeof x) == 0, #promote);                                              \
        for (int k = 0; k < 256; k++)                                                              \
            x[k] = (int32)rng_next(r);                                                             \
        a->demote(o, x, dims);                                                                     \
        b->demote(e, x, dims);                                                                     \
        CHECK(memcmp(o, e, sizeof o) == 0, #demote);                                               \
    } while (0)

static void check_small_integers(const struct peer *a, const struct peer *b, struct rng *r)
{
    const uint dims = 1 + (uint)rng_below(r, 4);
    PROMOTED(int8, zfp_promote_int8_to_int32, zfp_demote_int32_to_int8);
    PROMOTED(uint8, zfp_promote_uint8_to_int32, zfp_demote_int32_to_uint8);
    PROMOTED(int16, zfp_promote_int16_to_int32, zfp_demote_int32_to_int16);
    PROMOTED(uint16, zfp_promote_uint16_to_int32, zfp_demote_int32_to_uint16);
}

int main(int argc, char **argv)
{
    static struct peer ours, peer;
    uint64_t cases = 3000, seed = seed_of_today();
    const char *peer_path = argc > 2 && argv[2][0] != '-' ? argv[2] : NULL;
    for (int i = 2; i + 1 < argc; i++) {
        if (strcmp(argv[i], "--cases") == 0)
            cases = strtoull(argv[i + 1], NULL, 0);
        if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 0);
    }
    if (argc < 2 || !peer_open(&ours, argv[1]) || (peer_path && !peer_open(&peer, peer_path)))
        return 1;
    printf("seed %" PRIu64 "\n", seed);
    check_ends(&ours);
    check_execution(&ours);
    for (uint64_t i = 0; i < 20; i++)
        check_bits(&ours, mix64(seed, i));
    if (!peer_path)
        printf("SKIP: no libzfp of %zu-bit words to compare with: blocks, fields, headers\n",
               ours.word_bits);
    for (uint64_t i = 0; peer_path && i < cases; i++) {
        struct rng r = {mix64(seed, i)};
        check_blocks(&ours, &peer, rng_next(&r));
        check_field(&ours, &peer, &r);
        check_header(&ours, &peer, &r);
        check_small_integers(&ours, &peer, &r);
        if (i < 1000)
            check_parameters(&ours, &peer, rng_next(&r));
        if (i < 10)
            check_bits(&peer, mix64(seed, i)); /* the model is right about libzfp */
    }
    if (peer_path) {
        check_configs(&ours, &peer);
        check_execution(&peer);
    }
    printf("%" PRIu64 " cases, %u failures\n", peer_path ? cases : 0, failures);
    return failures > 0;
}
