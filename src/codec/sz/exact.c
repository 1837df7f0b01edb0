/* exact.c: values kept as they are, within a tile: where the bound could not be met, NaN,
 * infinities.
 *
 *     u8       0: all values of the tile; 1: runs; 2: bitmap
 *     runs     varints of one or two bytes: values that are not exact, values that are, and so on
 *              until the tile's values are all counted
 *     bitmap   a bit for each value, low bit first, in whole bytes
 *     values   the exact ones, little-endian
 */
#include "codec/sz/spec.h"

static uint8_t *put_run(uint8_t *to, uint32_t length)
{
    if (length >= 128) {
        *to++ = (uint8_t)(length | 128);
        length >>= 7;
    }
    *to++ = (uint8_t)length;
    return to;
}

static uint8_t *put_values(uint8_t *to, const uint64_t *is_exact, uint32_t n, const void *values,
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

uint8_t *zti_sz_put_exact(uint8_t *to, const uint64_t *is_exact, uint32_t n, const void *values,
                          size_t value_bytes)
{
    uint32_t runs_bytes = 0, at = 0;
    for (bool is_set = false; at < n; is_set = !is_set) {
        const uint32_t end = run_end(is_exact, at, n, is_set);
        runs_bytes += end - at >= 128 ? 2 : 1;
        at = end;
    }
    if (run_end(is_exact, 0, n, true) == n) {
        *to++ = ZTI_SZ_EXACT_ALL;
    } else if (runs_bytes <= (n + 7) / 8) {
        *to++ = ZTI_SZ_EXACT_RUNS;
        at = 0;
        for (bool is_set = false; at < n; is_set = !is_set) {
            const uint32_t end = run_end(is_exact, at, n, is_set);
            to = put_run(to, end - at);
            at = end;
        }
    } else {
        *to++ = ZTI_SZ_EXACT_BITMAP;
        for (at = 0; at < n; at += 8)
            *to++ = (uint8_t)(is_exact[at / 64] >> at % 64);
    }
    return put_values(to, is_exact, n, values, value_bytes);
}

static const uint8_t *take_runs(const uint8_t *from, const uint8_t *end, uint32_t n,
                                uint64_t *is_exact)
{
    uint32_t at = 0;
    for (bool is_set = false; at < n; is_set = !is_set) {
        if (from == end)
            return NULL;
        uint32_t length = *from++;
        if (length >= 128) {
            if (from == end)
                return NULL;
            length = (length & 127) | (uint32_t)*from++ << 7;
        }
        if (length > n - at || (length == 0 && at > 0))
            return NULL;
        for (const uint32_t stop = at + length; at < stop; at++)
            is_exact[at / 64] |= (uint64_t)is_set << at % 64;
    }
    return from;
}

const uint8_t *zti_sz_take_exact(const uint8_t *from, const uint8_t *end, uint32_t n,
                                 size_t value_bytes, uint64_t *is_exact, const uint8_t **values)
{
    memset(is_exact, 0, ZTI_SZ_GROUPS * sizeof *is_exact);
    if (end - from < 1)
        return NULL;
    const uint8_t method = *from++;
    uint32_t count = 0;
    if (method == ZTI_SZ_EXACT_RUNS) {
        from = take_runs(from, end, n, is_exact);
        if (!from)
            return NULL;
    } else if (method == ZTI_SZ_EXACT_BITMAP || method == ZTI_SZ_EXACT_ALL) {
        if (method == ZTI_SZ_EXACT_BITMAP && end - from < (n + 7) / 8)
            return NULL;
        for (uint32_t i = 0; i < n; i++) {
            const bool is_set = method == ZTI_SZ_EXACT_ALL || (from[i / 8] >> i % 8 & 1);
            is_exact[i / 64] |= (uint64_t)is_set << i % 64;
        }
        from += method == ZTI_SZ_EXACT_BITMAP ? (n + 7) / 8 : 0;
    } else {
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        count += bit_at(is_exact, i);
    if ((size_t)(end - from) < count * value_bytes)
        return NULL;
    *values = from;
    return from + count * value_bytes;
}
