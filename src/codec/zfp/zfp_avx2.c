/* zfp_avx2.c: the AVX2 and BMI2 instance of the zfp codec: the plain texts, whose loops the
 * compiler makes vectors of, over planes that are taken without a loop. */
#include "codec/zfp/zfp_bmi_take.h"

/* take_plane where the budget does not end soon; the plane is less than 2 n bits long. Those of 4
 * are too short to gain. */
ZTI_INLINE uint64_t take_plane_at_once(struct zti_bit_reader *r, uint32_t n, uint32_t *c,
                                       uint32_t *left)
{
    const uint32_t known = *c;
    if (n == 4 || zti_unlikely(*left < 2 * n))
        return take_plane(r, n, c, left);
    const uint64_t own = below(n == 64 ? window64(r->base, r->at) : window57(r->base, r->at),
                               known);
    if (known == n) {
        r->at += n;
        *left -= n;
        return own;
    }
    const uint64_t v = window57(r->base, r->at + known) << 1 | 1;
    const struct group_bits g = group_bits_of(v);
    const uint32_t more = (uint32_t)g.end - (uint32_t)_mm_popcnt_u64(below(g.tests, g.end));
    uint32_t used = known + (uint32_t)g.end + 1;
    uint64_t plane = own | _pext_u64(v, below(~g.tests, g.end + 1)) >> 1 << known;
    if (known + more >= n || (n == 64 && g.end >= 57)) { /* up to the last coefficient */
        const uint64_t x = below(_pext_u64(v, ~g.tests) >> 1, n - 1 - known);
        used = n + (uint32_t)_mm_popcnt_u64(x);
        if (zti_unlikely(used - known > 57)) /* more than the window has */
            return take_plane(r, n, c, left);
        plane = own | x << known | UINT64_C(1) << (n - 1);
        *c = n;
    } else {
        *c = known + more;
    }
    r->at += used;
    *left -= used;
    return plane;
}

ZTI_INLINE void take_plane256_at_once(struct zti_bit_reader *r, uint64_t *plane, uint32_t *c,
                                      uint32_t *left)
{
    uint64_t quarters[64 * 3 + 1];
    if (zti_unlikely(*left < 512)) {
        take_plane256(r, plane, c, left);
        return;
    }
    const bool is_whole = *c == 256;
    const uint64_t used =
        is_whole ? 256 : take_plane_of_quarters(r->base, r->at, quarters, c);
    for (uint32_t q = 0; q < 4; q++)
        plane[q] = is_whole ? window64(r->base, r->at + 64 * q) : quarters[64 * q];
    r->at += used;
    *left -= (uint32_t)used;
}

#define take_plane take_plane_at_once
#define take_plane256 take_plane256_at_once
#include "codec/zfp/zfp_plain.h"

#define ZTI_ZFP_INSTANCE zti_zfp_ranges_avx2
#include "codec/zfp/zfp_ranges.h"
