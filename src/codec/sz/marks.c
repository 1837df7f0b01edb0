/* marks.c: a bit for each value of a tile: which values are zero, and which are negative. Tiles
 * of logarithms have both, one after the other:
 *
 *     u8       0: none; 1: all; 2: bitmap; 3 .. 18: runs, 3 + k + 8 (is_against)
 *     bitmap   a bit for each value, low bit first, in whole bytes
 *     runs     values that are not marked, values that are (less 1), values that are not (less 1)
 *              and so on until the tile's values are all counted, in Golomb's code of exponential
 *              order k, padded with zero bits to a whole byte
 *
 * Golomb's code of n: v = n + 2^k has L + 1 bits; L - k zero bits, a one, then the low L bits of v.
 * is_against: what is coded is where marks differ from those of the row of values before; the first
 * row is coded as it is. The shortest form is written, the first of several. */
#include "codec/sz/spec.h"

enum {
    NONE = ZTI_SZ_MARKS_NONE,
    ALL = ZTI_SZ_MARKS_ALL,
    BITMAP = ZTI_SZ_MARKS_BITMAP,
    RUNS = ZTI_SZ_MARKS_RUNS,
    ORDERS = ZTI_SZ_MARKS_ORDERS,
    WORDS = ZTI_SZ_GROUPS
};

/* The length of each run less 1, the first as it is; returns how many there are. */
static uint32_t runs_of(const uint64_t *bits, uint32_t n, uint16_t *runs)
{
    uint32_t count = 0, at = 0;
    for (bool is_set = false; at < n; is_set = !is_set) {
        const uint32_t end = run_end(bits, at, n, is_set);
        runs[count] = (uint16_t)(end - at - (count > 0));
        count++;
        at = end;
    }
    return count;
}

/* The order that so many runs are shortest with; adds its number and bits. */
static uint32_t best_order(const uint16_t *runs, uint32_t count, uint32_t *bits)
{
    uint32_t best = 0;
    *bits = UINT32_MAX;
    for (uint32_t k = 0; k < ORDERS; k++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < count && sum < *bits; i++)
            sum += run_bits(runs[i], k);
        if (sum < *bits) {
            *bits = sum;
            best = k;
        }
    }
    return best;
}

/* Marks exclusive-or those 'row' values before, or back. */
static void against_row(const uint64_t *marks, uint32_t n, uint32_t row, bool is_back,
                        uint64_t *out)
{
    memset(out, 0, WORDS * sizeof *out);
    for (uint32_t i = 0; i < n; i++) {
        const bool before = i >= row && bit_at(is_back ? out : marks, i - row);
        out[i / 64] |= (uint64_t)(bit_at(marks, i) ^ before) << i % 64;
    }
}

static uint8_t *put_runs(uint8_t *to, const uint16_t *runs, uint32_t count, uint32_t k)
{
    struct zti_bit_writer w = zti_bit_writer_at(to);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t v = runs[i] + (1u << k), top = zti_bit_length64(v) - 1;
        zti_put_bits(&w, UINT64_C(1) << (top - k), top - k + 1);
        zti_put_bits(&w, v & ((1u << top) - 1), top);
    }
    return to + (zti_bits_written(&w) + 7) / 8;
}

static uint8_t *put(uint8_t *to, const uint64_t *marks, uint32_t n, uint32_t row)
{
    uint16_t runs[2][ZTI_SZ_TILE_VALUES + 1];
    uint64_t against[WORDS];
    uint32_t count[2], bits[2], k[2];
    const uint32_t first = run_end(marks, 0, n, false);
    if (first == n || (first == 0 && run_end(marks, 0, n, true) == n)) {
        *to++ = first == n ? NONE : ALL;
        return to;
    }
    against_row(marks, n, row, false, against);
    for (uint32_t i = 0; i < 2; i++) {
        count[i] = runs_of(i == 0 ? marks : against, n, runs[i]);
        k[i] = best_order(runs[i], count[i], &bits[i]);
    }
    const uint32_t best = bits[1] < bits[0];
    if (bits[best] < n) {
        *to++ = (uint8_t)(RUNS + k[best] + ORDERS * best);
        return put_runs(to, runs[best], count[best], k[best]);
    }
    *to++ = BITMAP;
    for (uint32_t i = 0; i < n; i += 8)
        *to++ = (uint8_t)(marks[i / 64] >> i % 64);
    return to;
}

uint8_t *zti_sz_put_marks(uint8_t *to, const uint64_t *is_zero, const uint64_t *is_negative,
                          uint32_t n, uint32_t row)
{
    return put(put(to, is_zero, n, row), is_negative, n, row);
}

static const uint8_t *take_runs(const uint8_t *from, const uint8_t *end, uint32_t n, uint32_t k,
                                uint64_t *marks)
{
    struct zti_bit_reader r = {.base = from, .at = 0, .end = (uint64_t)(end - from) * 8};
    uint32_t at = 0, count = 0;
    for (bool is_set = false; at < n; is_set = !is_set, count++) {
        if (r.at >= r.end)
            return NULL;
        const uint64_t ahead = zti_peek_bits(&r);
        const uint32_t zeros = ahead ? zti_ctz64(ahead) : 64, top = zeros + k;
        if (top > ZTI_SZ_MARKS_TOP)
            return NULL;
        r.at += zeros + 1;
        const uint32_t v = (uint32_t)zti_take_bits(&r, top) | 1u << top;
        const uint32_t length = v - (1u << k) + (count > 0);
        if (length > n - at)
            return NULL;
        for (const uint32_t stop = at + length; at < stop; at++)
            marks[at / 64] |= (uint64_t)is_set << at % 64;
    }
    return r.at > r.end ? NULL : from + (r.at + 7) / 8;
}

static const uint8_t *take(const uint8_t *from, const uint8_t *end, uint32_t n, uint32_t row,
                           uint64_t *marks)
{
    uint64_t coded[WORDS] = {0};
    memset(marks, 0, WORDS * sizeof *marks);
    if (end - from < 1)
        return NULL;
    const uint8_t method = *from++;
    if (method == NONE)
        return from;
    if (method == ALL || method == BITMAP) {
        if (method == BITMAP && end - from < (n + 7) / 8)
            return NULL;
        for (uint32_t i = 0; i < n; i++) {
            const bool is_set = method == ALL || (from[i / 8] >> i % 8 & 1);
            marks[i / 64] |= (uint64_t)is_set << i % 64;
        }
        return method == ALL ? from : from + (n + 7) / 8;
    }
    if (method >= RUNS + 2 * ORDERS)
        return NULL;
    const bool is_against = method >= RUNS + ORDERS;
    from = take_runs(from, end, n, (uint32_t)(method - RUNS) % ORDERS, is_against ? coded : marks);
    if (from && is_against)
        against_row(coded, n, row, true, marks);
    return from;
}

const uint8_t *zti_sz_take_marks(const uint8_t *from, const uint8_t *end, uint32_t n, uint32_t row,
                                 uint64_t *is_zero, uint64_t *is_negative)
{
    const uint8_t *const at = take(from, end, n, row, is_zero);
    return at ? take(at, end, n, row, is_negative) : NULL;
}
