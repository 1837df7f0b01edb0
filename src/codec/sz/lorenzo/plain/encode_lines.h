/* encode_lines.h: kernel text: integers that fill a register, which rows of tiles are coded in
 * (lorenzo/residuals.h). The includer defines
 *   uval        uint32_t or uint64_t
 *   VAL_BITS    their width
 *   NAME(x)     x with this instance's suffix
 * AVX2 and AVX-512 have their own of what moves lanes of 32 bits, in
 * lorenzo/x86/encode_lines_avx2.h and lorenzo/x86/encode_lines_avx512.h; this text is the
 * specification. */
#undef LANES
#if defined(ZTI_WITH_AVX512)
#define LANES (512 / VAL_BITS)
#elif defined(ZTI_WITH_AVX2)
#define LANES (256 / VAL_BITS)
#else
#define LANES (128 / VAL_BITS)
#endif
typedef uval NAME(line) __attribute__((vector_size(LANES * VAL_BITS / 8)));

ZTI_INLINE NAME(line) NAME(load_line)(const uval *from)
{
    NAME(line) v;
    memcpy(&v, from, sizeof v);
    return v;
}

ZTI_INLINE void NAME(store_line)(NAME(line) v, uval *to)
{
    memcpy(to, &v, sizeof v);
}

#if VAL_BITS == 32 && defined(ZTI_WITH_AVX512)
#include "codec/sz/lorenzo/x86/encode_lines_avx512.h"
#elif VAL_BITS == 32 && defined(ZTI_WITH_AVX2)
#include "codec/sz/lorenzo/x86/encode_lines_avx2.h"
#else

/* What is before each value: of the first, the last value of the line before. */
ZTI_INLINE NAME(line) NAME(moved_on)(NAME(line) v, NAME(line) before)
{
#if LANES == 2
    return (NAME(line)){before[1], v[0]};
#elif LANES == 4
    return (NAME(line)){before[3], v[0], v[1], v[2]};
#else
    return (NAME(line)){before[7], v[0], v[1], v[2], v[3], v[4], v[5], v[6]};
#endif
}

#if VAL_BITS == 32
/* The same of values that are so far apart, 2 or 3 (of longer lines up to a value less than these
 * have). */
ZTI_INLINE line_32 moved_by_32(line_32 v, line_32 before, uint32_t by)
{
    const line_32 two = {before[2], before[3], v[0], v[1]};
    const line_32 three = {before[1], before[2], before[3], v[0]};
    return by == 2 ? two : three;
}
#endif

/* A line to its place: 4 or 8 values are side by side in a block, or (part is 0) all are. */
ZTI_INLINE void NAME(put_line)(NAME(line) v, uval *to, uint32_t part)
{
    uval u[LANES];
    if (part == 0 || part >= LANES) {
        NAME(store_line)(v, to);
        return;
    }
    NAME(store_line)(v, u);
    if (part == 4)
        for (uint32_t i = 0; i + 4 <= LANES; i += 4)
            memcpy(to + i / 4 * ZTI_SZ_GROUP, u + i, 4 * sizeof *to);
    else
        for (uint32_t i = 0; i + 8 <= LANES; i += 8)
            memcpy(to + i / 8 * ZTI_SZ_GROUP, u + i, 8 * sizeof *to);
}
#endif
