/* ndzip_kernels_test.c: every instance of every ndzip kernel against the plain one, byte for byte,
 * at all alignments of rows and records, with random and extreme values and guarded memory. */
#include "codec/ndzip/ndzip.h"
#include "support/support.h"

#include <stdlib.h>

enum { GUARD = 128, MOST_BYTES = 8 * (ZTI_NDZIP_VALUES + 64), CASES = 60 };

struct memory {
    unsigned char *bytes;
    size_t n;
};

static struct memory memory_new(size_t n)
{
    struct memory m = {aligned_alloc(64, (n + 63) / 64 * 64), (n + 63) / 64 * 64};
    if (!m.bytes)
        exit(1);
    memset(m.bytes, 0xa5, m.n);
    return m;
}

/* Whether all but [first, last) has the pattern. */
static bool is_clean(const struct memory *m, size_t first, size_t last)
{
    for (size_t i = 0; i < m->n; i++)
        if ((i < first || i >= last) && m->bytes[i] != 0xa5)
            return false;
    return true;
}

/* From a few bits to all of them, constant, and single bits. */
static uint64_t value(struct rng *r, uint64_t kind, uint64_t i)
{
    switch (kind % 6) {
    case 0: return rng_next(r);
    case 1: return 0;
    case 2: return UINT64_MAX;
    case 3: return i * 0x0003000500070011 + (rng_next(r) & 0xff);
    case 4: return rng_once_in(r, 300) ? UINT64_C(1) << rng_below(r, 64) : 0;
    default: return rng_next(r) >> rng_below(r, 64);
    }
}

struct cube {
    uint32_t width, rank;
    size_t value_bytes;
    int64_t row_bytes, plane_bytes;
    size_t span_bytes;
};

static struct cube cube_of(struct rng *r, uint32_t width, uint32_t rank)
{
    static const int64_t side[4] = {0, 4096, 64, 16};
    struct cube c = {.width = width, .rank = rank, .value_bytes = width / 8};
    c.row_bytes = (side[rank] + (int64_t)rng_below(r, 20)) * (int64_t)c.value_bytes;
    c.plane_bytes = c.row_bytes * (16 + (int64_t)rng_below(r, 3));
    c.span_bytes = (size_t)(rank == 1   ? 4096 * (int64_t)c.value_bytes
                            : rank == 2 ? 64 * c.row_bytes
                                        : 16 * c.plane_bytes);
    return c;
}

/* Code one cube by both; false, with a sentence, where they differ. */
static bool check_case(struct rng *r, uint32_t isa, const struct cube *c, uint64_t kind)
{
    const struct zti_ndzip_kernels *plain = zti_ndzip_kernels_of(ZT_ISA_PLAIN, c->width, c->rank);
    const struct zti_ndzip_kernels *other = zti_ndzip_kernels_of(isa, c->width, c->rank);
    const size_t shift = c->value_bytes * rng_below(r, 16),
                 at = GUARD + c->value_bytes * rng_below(r, 16);
    const uint32_t rotation = (uint32_t)rng_below(r, 2);
    struct memory in = memory_new(GUARD + shift + c->span_bytes + GUARD);
    struct memory back = memory_new(in.n), wanted = memory_new(at + MOST_BYTES + GUARD);
    struct memory got = memory_new(wanted.n);
    struct zti_ndzip_rows rows = {.at = in.bytes + GUARD + shift,
                                  .ahead = in.bytes + GUARD + shift,
                                  .row_bytes = c->row_bytes,
                                  .plane_bytes = c->plane_bytes};
    for (size_t i = 0; i + c->value_bytes <= c->span_bytes; i += c->value_bytes) {
        const uint64_t v = value(r, kind, i);
        memcpy(rows.at + i, &v, c->value_bytes);
    }
    const size_t end = (size_t)(plain->put(&rows, rotation, wanted.bytes + at) - wanted.bytes);
    bool ok = is_clean(&wanted, at, end + ZTI_NDZIP_OVERSHOOT);
    for (int streams = 0; streams < (other->stream ? 2 : 1); streams++) {
        memset(got.bytes, 0xa5, got.n);
        const uint8_t *to = (streams ? other->stream : other->put)(&rows, rotation, got.bytes + at);
        ok = ok && to == got.bytes + end &&
             memcmp(got.bytes + at, wanted.bytes + at, end - at) == 0 &&
             is_clean(&got, at, end + ZTI_NDZIP_OVERSHOOT);
    }
    /* what is between rows must stay as it is: start from the values with rows of a pattern */
    memcpy(back.bytes, in.bytes, in.n);
    rows.at = rows.ahead = back.bytes + GUARD + shift;
    const size_t row_bytes = 4096 * c->value_bytes / (c->rank == 1 ? 1 : c->rank == 2 ? 64 : 256);
    for (uint32_t i = 0; i < 4096 * c->value_bytes / row_bytes; i++)
        memset(rows.at + (c->rank == 3 ? i / 16 * c->plane_bytes + i % 16 * c->row_bytes
                                       : i * c->row_bytes),
               0x11, row_bytes);
    ok = ok && other->take(got.bytes + at, rotation, &rows) == got.bytes + end &&
         memcmp(back.bytes, in.bytes, in.n) == 0;
    if (!ok)
        printf("%s: %u bits, rank %u, rotation %u, values of kind %llu, offsets %zu and %zu\n",
               zt_isa_name((zt_isa)isa), c->width, c->rank, rotation, (unsigned long long)kind,
               shift, at);
    free(in.bytes);
    free(back.bytes);
    free(wanted.bytes);
    free(got.bytes);
    return ok;
}

/* Any bits for a record: all instances take the same from it, and read no more than a record has.
 */
static bool check_garbage(struct rng *r, uint32_t isa, const struct cube *c)
{
    const struct zti_ndzip_kernels *plain = zti_ndzip_kernels_of(ZT_ISA_PLAIN, c->width, c->rank);
    const struct zti_ndzip_kernels *other = zti_ndzip_kernels_of(isa, c->width, c->rank);
    const size_t bytes = c->value_bytes * ZTI_NDZIP_VALUES + ZTI_NDZIP_VALUES / 8;
    unsigned char *record = need(bytes + ZTI_NDZIP_OVERSHOOT);
    struct memory a = memory_new(c->span_bytes), b = memory_new(c->span_bytes);
    const bool is_full = rng_once_in(r, 2);
    for (size_t i = 0; i < bytes + ZTI_NDZIP_OVERSHOOT; i++)
        record[i] = is_full ? 0xff : (unsigned char)rng_next(r);
    struct zti_ndzip_rows rows = {
        .at = a.bytes, .ahead = a.bytes, .row_bytes = c->row_bytes, .plane_bytes = c->plane_bytes};
    const uint8_t *end = plain->take(record, 1, &rows);
    rows.at = rows.ahead = b.bytes;
    const bool ok = other->take(record, 1, &rows) == end && memcmp(a.bytes, b.bytes, a.n) == 0 &&
                    (size_t)(end - record) <= bytes;
    if (!ok)
        printf("%s: %u bits, rank %u: garbage differs\n", zt_isa_name((zt_isa)isa), c->width,
               c->rank);
    free(record);
    free(a.bytes);
    free(b.bytes);
    return ok;
}

int main(void)
{
    struct rng r = {42};
    unsigned failures = 0, cases = 0;
    const uint32_t best = zti_isa_of(NULL);
    for (uint32_t isa = ZT_ISA_PLAIN; isa <= best; isa++)
        for (uint32_t width = 32; width <= 64; width += 32)
            for (uint32_t rank = 1; rank <= 3; rank++)
                for (uint64_t i = 0; i < CASES; i++, cases++) {
                    const struct cube c = cube_of(&r, width, rank);
                    failures += !check_case(&r, isa, &c, i);
                    failures += !check_garbage(&r, isa, &c);
                }
    printf("%u cases up to %s, %u failures\n", cases, zt_isa_name((zt_isa)best), failures);
    return failures != 0;
}
