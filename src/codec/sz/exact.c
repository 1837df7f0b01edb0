/* exact.c: write and read the exact values of a tile: NaN, infinities, and values for which no
 * integer meets the bound.
 *
 *     u8       0: all values of the tile; 1: runs; 2: bitmap
 *     runs     varints of one or two bytes: a number of values that are not exact, of values that
 *              are, and so on for all values of the tile
 *     bitmap   a bit for each value, low bit first, in whole bytes
 *     values   the exact ones, little-endian */
#include "codec/sz/runs.h"

static uint8_t *write_values(uint8_t *to, const uint64_t *is_exact, uint32_t n, const void *values,
                             size_t value_bytes)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!bit_at(is_exact, i))
            continue;
        if (value_bytes == 4)
            zti_put_le32(to, ((const uint32_t *)values)[i]);
        else
            zti_put_le64(to, ((const uint64_t *)values)[i]);
        to += value_bytes;
    }
    return to;
}

uint8_t *zti_sz_encode_exact(uint8_t *to, const uint64_t *is_exact, uint32_t n, const void *values,
                             size_t value_bytes)
{
    uint32_t way;
    (void)exact_mark_bytes(is_exact, n, &way);
    *to++ = (uint8_t)way;
    bool is_set = false;
    for (uint32_t at = 0, end; way == ZTI_SZ_EXACT_RUNS && at < n; at = end, is_set = !is_set) {
        end = run_end(is_exact, at, n, is_set);
        const struct zti_sz_code run = exact_run_code(end - at);
        for (uint32_t done = 0; done < run.count; done += 8)
            *to++ = (uint8_t)(run.bits >> done);
    }
    for (uint32_t at = 0; way == ZTI_SZ_EXACT_BITMAP && at < n; at += 8)
        *to++ = (uint8_t)(is_exact[at / 64] >> at % 64);
    return write_values(to, is_exact, n, values, value_bytes);
}

const uint8_t *zti_sz_decode_exact(const uint8_t *from, const uint8_t *end, uint32_t n,
                                   size_t value_bytes, uint64_t *is_exact, const uint8_t **values)
{
    struct zti_bit_reader r = {.base = from, .end = (uint64_t)(end - from) * 8};
    uint32_t count;
    if (!read_exact(&r, r.end, n, (uint32_t)value_bytes, is_exact, &count))
        return NULL;
    *values = from + r.at / 8;
    return *values + count * value_bytes;
}
