/* runs.h: read from a stream which values of a tile are exact (exact.c), zero or negative
 * (marks.c), and set a bit for each. For the CPU and for kernels, where one thread reads. Eight
 * bytes after the end are readable. */
#ifndef ZTI_SZ_RUNS_H
#define ZTI_SZ_RUNS_H

#include "codec/sz/spec.h"

/* A writer of bits, which stores a word at a time. */
struct runs {
    uint64_t *to, held;
    uint32_t at;
};

ZTI_STATIC void add_run(struct runs *w, uint32_t length, bool is_set)
{
    const uint64_t all = is_set ? ~UINT64_C(0) : 0;
    const uint32_t end = w->at + length;
    uint64_t held = w->held | all << w->at % 64;
    for (uint32_t i = w->at / 64; i < end / 64; i++, held = all)
        w->to[i] = held;
    w->held = held & ((UINT64_C(1) << end % 64) - 1);
    w->at = end;
}

/* Append zeros up to the end of the array of bits. */
ZTI_STATIC void end_runs(struct runs *w)
{
    if (w->at < ZTI_SZ_TILE_VALUES)
        add_run(w, ZTI_SZ_TILE_VALUES - w->at, false);
}

/* Read a bit for each of n values, in whole bytes; false if these end after bit end_bits. */
ZTI_STATIC bool read_bitmap(struct zti_bit_reader *r, uint64_t end_bits, uint32_t n, uint64_t *bits)
{
    if (r->at + (n + 7) / 8 * 8 > end_bits)
        return false;
    for (uint32_t i = 0; i < n; i += 64) {
        const uint32_t some = n - i < 64 ? (n - i + 7) / 8 * 8 : 64;
        bits[i / 64] = zti_get_bits64(r, some) & (~UINT64_C(0) >> (n - i < 64 ? 64 - (n - i) : 0));
    }
    for (uint32_t i = (n + 63) / 64; i < ZTI_SZ_GROUPS; i++)
        bits[i] = 0;
    return true;
}

ZTI_STATIC bool read_exact_runs(struct zti_bit_reader *r, uint64_t end_bits, uint32_t n,
                                struct runs *to)
{
    for (bool is_set = false; to->at < n; is_set = !is_set) {
        if (r->at + 8 > end_bits)
            return false;
        uint32_t length = (uint32_t)zti_get_bits64(r, 8);
        if (length >= 128) {
            if (r->at + 8 > end_bits)
                return false;
            length = (length & 127) | (uint32_t)zti_get_bits64(r, 8) << 7;
        }
        if (length > n - to->at || (length == 0 && to->at > 0))
            return false;
        add_run(to, length, is_set);
    }
    return true;
}

/* Read which of n values are exact, and their number *count; the reader is then at the exact
 * values. False if the marks are not valid, or they and the values end after bit end_bits. */
ZTI_STATIC bool read_exact(struct zti_bit_reader *r, uint64_t end_bits, uint32_t n,
                           uint32_t value_bytes, uint64_t *bits, uint32_t *count)
{
    struct runs w = {bits, 0, 0};
    *count = 0;
    if (r->at + 8 > end_bits)
        return false;
    const uint32_t way = (uint32_t)zti_get_bits64(r, 8);
    if (way > ZTI_SZ_EXACT_BITMAP ||
        (way == ZTI_SZ_EXACT_BITMAP && !read_bitmap(r, end_bits, n, bits)) ||
        (way == ZTI_SZ_EXACT_RUNS && !read_exact_runs(r, end_bits, n, &w)))
        return false;
    if (way == ZTI_SZ_EXACT_ALL)
        add_run(&w, n, true);
    if (way != ZTI_SZ_EXACT_BITMAP)
        end_runs(&w);
    for (uint32_t i = 0; 64 * i < n; i++)
        *count += zti_popcount64(bits[i]);
    return r->at + 8 * (uint64_t)*count * value_bytes <= end_bits;
}

/* Read a mark's runs in Golomb's code of order k. */
ZTI_STATIC bool read_mark_runs(struct zti_bit_reader *r, uint64_t end_bits, uint32_t n, uint32_t k,
                               uint64_t *bits)
{
    struct runs w = {bits, 0, 0};
    bool is_set = false;
    for (uint32_t is_later = 0; w.at < n; is_set = !is_set, is_later = 1) {
        if (r->at >= end_bits)
            return false;
        const uint64_t ahead = zti_peek_bits(r);
        const uint32_t zeros = ahead ? zti_ctz64(ahead) : 64, top = zeros + k;
        if (top > ZTI_SZ_MARKS_TOP)
            return false;
        r->at += zeros + 1 + top;
        const uint32_t v = (uint32_t)(ahead >> zeros >> 1) & ((1u << top) - 1);
        const uint32_t length = (v | 1u << top) - (1u << k) + is_later;
        if (length > n - w.at)
            return false;
        add_run(&w, length, is_set);
    }
    end_runs(&w);
    return r->at <= end_bits;
}

/* Read a mark as it is coded, and its form *its_way: if is_against_row, the bits are differences
 * from the row before. False if it is not valid. */
ZTI_STATIC bool read_mark(struct zti_bit_reader *r, uint64_t end_bits, uint32_t n, uint64_t *bits,
                          uint32_t *its_way)
{
    if (r->at + 8 > end_bits)
        return false;
    const uint32_t way = (uint32_t)zti_get_bits64(r, 8);
    *its_way = way;
    if (way < ZTI_SZ_MARKS_BITMAP) {
        struct runs w = {bits, 0, 0};
        add_run(&w, n, way == ZTI_SZ_MARKS_ALL);
        end_runs(&w);
        return true;
    }
    if (way == ZTI_SZ_MARKS_BITMAP)
        return read_bitmap(r, end_bits, n, bits);
    if (way >= ZTI_SZ_MARKS_RUNS + 2 * ZTI_SZ_MARKS_ORDERS ||
        !read_mark_runs(r, end_bits, n, order_of_way(way), bits))
        return false;
    r->at = (r->at + 7) & ~UINT64_C(7);
    return true;
}

#endif
