/* marks.c: write and read marks, which are one bit for each value of a tile. Tiles of logarithms
 * have two, one after the other: which values are zero, and which are negative. A mark is
 *
 *     u8       0: none; 1: all; 2: bitmap; 3 .. 18: runs, 3 + k + 8 (is_against)
 *     bitmap   a bit for each value, low bit first, in whole bytes
 *     runs     the number of values not marked, then of values marked (less 1), of values not
 *              marked (less 1), and so on for all values of the tile, in Golomb's code of
 *              exponential order k, padded with zero bits to a whole byte
 *
 * Golomb's code of n: v = n + 2^k has L + 1 bits; L - k zero bits, a one, then the low L bits of v.
 * is_against: the coded mark is the exclusive or of the mark and that of the row of values before;
 * the first row is coded unchanged. The shortest form is written; of several, the first. */
#include "codec/sz/runs.h"

enum { ORDERS = ZTI_SZ_MARKS_ORDERS, WORDS = ZTI_SZ_GROUPS };

/* The length of each run less 1 (of the first, its length); returns the number of runs. */
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

/* The order k with which the runs take the fewest bits; sets *bits to these. */
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

/* Exclusive or of marks and those 'row' values before; is_back: the inverse. */
static void differences_from_row(const uint64_t *marks, uint32_t n, uint32_t row, bool is_back,
                                 uint64_t *out)
{
    memset(out, 0, WORDS * sizeof *out);
    for (uint32_t i = 0; i < n; i++) {
        const bool before = i >= row && bit_at(is_back ? out : marks, i - row);
        out[i / 64] |= (uint64_t)(bit_at(marks, i) ^ before) << i % 64;
    }
}

static uint8_t *write_runs(uint8_t *to, const uint16_t *runs, uint32_t count, uint32_t k)
{
    struct zti_bit_writer w = zti_bit_writer_at(to);
    for (uint32_t i = 0; i < count; i++) {
        const struct zti_sz_code run = run_code(runs[i], k);
        zti_put_bits(&w, run.bits, run.count);
    }
    return to + (zti_bits_written(&w) + 7) / 8;
}

static uint8_t *write_marks(uint8_t *to, const uint64_t *marks, uint32_t n, uint32_t row)
{
    uint16_t runs[2][ZTI_SZ_TILE_VALUES + 1];
    uint64_t against[WORDS];
    uint32_t count[2], bits[2] = {0, 0}, k[2] = {0, 0};
    const bool begins_set = bit_at(marks, 0);
    count[0] = runs_of(marks, n, runs[0]);
    if (!is_uniform_mark(begins_set, count[0])) {
        differences_from_row(marks, n, row, false, against);
        count[1] = runs_of(against, n, runs[1]);
        for (uint32_t i = 0; i < 2; i++)
            k[i] = best_order(runs[i], count[i], &bits[i]);
    }
    const uint32_t best = bits[1] < bits[0];
    const uint32_t way = mark_way(begins_set, count[0], bits[best], k[best] + ORDERS * best, n);
    *to++ = (uint8_t)way;
    if (way >= ZTI_SZ_MARKS_RUNS)
        return write_runs(to, runs[best], count[best], k[best]);
    for (uint32_t i = 0; way == ZTI_SZ_MARKS_BITMAP && i < n; i += 8)
        *to++ = (uint8_t)(marks[i / 64] >> i % 64);
    return to;
}

uint8_t *zti_sz_encode_marks(uint8_t *to, const uint64_t *is_zero, const uint64_t *is_negative,
                             uint32_t n, uint32_t row)
{
    return write_marks(write_marks(to, is_zero, n, row), is_negative, n, row);
}

static const uint8_t *read_marks(const uint8_t *from, const uint8_t *end, uint32_t n, uint32_t row,
                                 uint64_t *marks)
{
    struct zti_bit_reader r = {.base = from, .end = (uint64_t)(end - from) * 8};
    uint64_t coded[WORDS];
    uint32_t way;
    if (!read_mark(&r, r.end, n, coded, &way))
        return NULL;
    if (is_against_row(way))
        differences_from_row(coded, n, row, true, marks);
    else
        memcpy(marks, coded, sizeof coded);
    return from + r.at / 8;
}

const uint8_t *zti_sz_decode_marks(const uint8_t *from, const uint8_t *end, uint32_t n,
                                   uint32_t row, uint64_t *is_zero, uint64_t *is_negative)
{
    const uint8_t *const at = read_marks(from, end, n, row, is_zero);
    return at ? read_marks(at, end, n, row, is_negative) : NULL;
}
