/* lines.h: kernel text: load and store lines, which are vectors of integers; rows of tiles are
 * encoded (lorenzo/residuals.h) and decoded (lorenzo/integers.h) line by line. The includer defines
 *   uval        uint32_t or uint64_t
 *   VAL_BITS    their width
 *   NAME(x)     x with this instance's suffix
 *   LINES       the text of operations on lines for the instruction set */
#ifndef ZTI_SZ_LINES
#define ZTI_SZ_LINES
typedef u32s line_32;
typedef u64s line_64;
typedef uint32_t quarter_line __attribute__((vector_size(16)));
typedef uint64_t two_words __attribute__((vector_size(16)));

#include LINES
#endif

#undef LANES
#define LANES (8 * V_BYTES / VAL_BITS)

ZTI_INLINE NAME(line) NAME(load_line)(const uval *from)
{
    return NAME(v_load)(from);
}

ZTI_INLINE void NAME(store_line)(NAME(line) v, uval *to)
{
    NAME(v_store)(to, v);
}

/* ---- lines in pieces of 4 or 8 values, each in a block; part = 0: in one piece ---- */

ZTI_INLINE void NAME(write_line)(NAME(line) v, uval *to, uint32_t part)
{
    typedef uval half_line __attribute__((vector_size(V_BYTES / 2)));
    half_line half[2];
    quarter_line quarter[V_BYTES / 16];
    memcpy(half, &v, sizeof v);
    memcpy(quarter, &v, sizeof v);
    if (LANES >= 8 && part == LANES / 2)
        for (uint32_t i = 0; i < 2; i++)
            memcpy(to + i * ZTI_SZ_GROUP, &half[i], sizeof half[i]);
    else if (LANES == 16 && part == 4)
        for (uint32_t i = 0; i < V_BYTES / 16; i++)
            memcpy(to + i * ZTI_SZ_GROUP, &quarter[i], sizeof quarter[i]);
    else
        NAME(store_line)(v, to);
}

/* Load a line whose pieces are 64 integers apart. */
ZTI_INLINE NAME(line) NAME(pieces)(const uval *from, uint32_t part)
{
#if defined(ZTI_WITH_AVX2)
    if (LANES >= 8 && part == LANES / 2)
        return (NAME(line))two_halves(from, from + ZTI_SZ_GROUP);
#endif
#if defined(ZTI_WITH_AVX512)
    if (LANES == 16 && part == 4)
        return (NAME(line))four_quarters(from, ZTI_SZ_GROUP * sizeof *from);
#endif
    (void)part;
    return NAME(load_line)(from);
}

/* As pieces, of integers in bytes. */
ZTI_INLINE NAME(line) NAME(pieces_of_bytes)(const uint8_t *from, uint32_t part)
{
#if defined(ZTI_WITH_AVX2)
    if (LANES >= 8 && part == 4) {
        const bool is_long = LANES == 16;
        return NAME(line_of_bytes)(
            (two_words)(quarter_line){zti_get_le32(from), zti_get_le32(from + ZTI_SZ_GROUP),
                                      is_long ? zti_get_le32(from + 2 * ZTI_SZ_GROUP) : 0,
                                      is_long ? zti_get_le32(from + 3 * ZTI_SZ_GROUP) : 0});
    }
    if (LANES == 16 && part == 8)
        return NAME(line_of_bytes)(
            (two_words){zti_get_le64(from), zti_get_le64(from + ZTI_SZ_GROUP)});
#endif
    (void)part;
    return NAME(bytes_at)(from);
}

/* 64 integers from bytes, times 2^k (k below VAL_BITS); is_more: or'ed to those in u. */
ZTI_INLINE void NAME(widen_to)(struct small s, uint32_t k, bool is_more, uval *u)
{
    uint8_t bytes[ZTI_SZ_GROUP];
    small_store(s, bytes);
#if defined(ZTI_WITH_AVX512) || (defined(ZTI_WITH_AVX2) && VAL_BITS == 32)
    for (uint32_t i = 0; i < ZTI_SZ_GROUP; i += LANES) {
        const NAME(line) v = NAME(pieces_of_bytes)(bytes + i, 0) << k;
        NAME(store_line)(is_more ? v | NAME(load_line)(u + i) : v, u + i);
    }
#else
    for (uint32_t i = 0; i < ZTI_SZ_GROUP; i++)
        u[i] = (uval)bytes[i] << k | (is_more ? u[i] : 0);
#endif
}

/* Replace n integers by their prefix sums. */
ZTI_INLINE void NAME(sum_row)(uval *u, uint32_t n)
{
    NAME(line) before = {0};
    uint32_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const NAME(line) sums = NAME(v_sums)(NAME(load_line)(u + i)) + before;
        NAME(store_line)(sums, u + i);
        before = NAME(v_last)(sums);
    }
    for (uval sum = before[0]; i < n; i++)
        u[i] = sum = (uval)(sum + u[i]);
}
