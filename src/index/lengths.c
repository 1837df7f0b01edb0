/* lengths.c: the layout 'lengths': the length of each chunk. zti_index_check sums them, and keeps
 * where every SUM_CHUNKS-th chunk begins, so that a look-up adds fewer than SUM_CHUNKS lengths.
 *
 *     size       field
 *     u8         W: 2, 4 or 8, bytes of a length; the fewest that the longest chunk needs
 *     W each     length of a chunk, units */
#include "index/layout.h"

enum { SUM_CHUNKS = 64 };

uint32_t zti_length_width(const uint64_t *starts, uint64_t chunks)
{
    uint64_t any = 0;
    for (uint64_t i = 0; i < chunks; i++)
        any |= starts[i + 1] - starts[i];
    return zti_length_width_of(any);
}

ZTI_INLINE void write_length(uint8_t *to, uint64_t length, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        to[i] = (uint8_t)(length >> 8 * i);
}

uint8_t *zti_store_length(uint8_t *to, uint64_t length, uint32_t width)
{
    write_length(to, length, width);
    return to + width;
}

ZTI_INLINE void write_lengths(uint8_t *to, const uint64_t *starts, uint64_t n, uint32_t width)
{
    for (uint64_t i = 0; i < n; i++)
        write_length(to + i * width, starts[i + 1] - starts[i], width);
}

/* Compiled for each width. */
uint8_t *zti_store_lengths(uint8_t *to, const uint64_t *starts, uint64_t n, uint32_t width)
{
    if (width == 2)
        write_lengths(to, starts, n, 2);
    else if (width == 4)
        write_lengths(to, starts, n, 4);
    else
        write_lengths(to, starts, n, 8);
    return to + n * width;
}

ZTI_INLINE uint64_t length_at(const uint8_t *from, uint32_t width)
{
    return width == 2   ? (uint64_t)from[0] | (uint64_t)from[1] << 8
           : width == 4 ? zti_get_le32(from)
                        : zti_get_le64(from);
}

ZTI_INLINE uint64_t sum_of(const uint8_t *from, uint64_t n, uint32_t width)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += length_at(from + i * width, width);
    return sum;
}

uint64_t zti_sum_lengths(const uint8_t *from, uint64_t n, uint32_t width)
{
    return width == 2 ? sum_of(from, n, 2) : width == 4 ? sum_of(from, n, 4) : sum_of(from, n, 8);
}

bool zti_add_lengths(const uint8_t *from, uint64_t n, uint32_t width, uint64_t limit, uint64_t *sum)
{
    if (width < 8) /* the sum of 65536 lengths below 2^32 does not overflow */
        return zti_add(*sum, zti_sum_lengths(from, n, width), sum) && *sum <= limit;
    for (uint64_t i = 0; i < n; i++)
        if (!zti_add(*sum, zti_get_le64(from + 8 * i), sum))
            return false;
    return *sum <= limit;
}

static uint64_t body_bytes(const struct zti_index_layout *layout, const uint64_t *starts,
                           uint64_t chunks)
{
    return zti_index_body_bytes(layout, chunks, zti_length_width(starts, chunks), 0);
}

static void store(const struct zti_index_layout *layout, const uint64_t *starts, uint64_t chunks,
                  uint8_t *out)
{
    (void)layout;
    const uint32_t width = zti_length_width(starts, chunks);
    *out++ = (uint8_t)width;
    (void)zti_store_lengths(out, starts, chunks, width);
}

zt_status zti_open_lengths(zt_context *context, struct zti_index *index)
{
    const uint64_t bytes = index->body_bytes;
    index->width = bytes > 0 ? index->body[0] : 0;
    if (!zti_is_length_width(index->width) ||
        bytes != zti_index_body_bytes(&index->layout, index->chunks, index->width, 0))
        return zti_index_bad_size(context, index);
    return ZT_OK;
}

static zt_status check(zt_context *context, struct zti_index *index)
{
    const uint64_t sums = index->chunks / SUM_CHUNKS + 1; /* a sixteenth of the body or less */
    if (!index->sums && sums <= SIZE_MAX / sizeof *index->sums) /* else: checked before, in vain */
        index->sums = zti_alloc(context, (size_t)sums * sizeof *index->sums);
    if (!index->sums)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for the sums of %llu lengths",
                        (unsigned long long)index->chunks);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < sums; i++) {
        const uint64_t first = i * SUM_CHUNKS, rest = index->chunks - first;
        index->sums[i] = sum;
        if (!zti_add_lengths(index->body + 1 + first * index->width,
                             rest < SUM_CHUNKS ? rest : SUM_CHUNKS, index->width, index->end, &sum))
            return zti_fail(context, ZT_CORRUPT,
                            "the index is damaged or another stream's: its lengths exceed the "
                            "stream's %llu",
                            (unsigned long long)index->end);
    }
    return zti_index_set_end(context, index, sum);
}

static uint64_t start(const struct zti_index *index, uint64_t chunk)
{
    const uint64_t first = chunk / SUM_CHUNKS * SUM_CHUNKS;
    return index->sums[chunk / SUM_CHUNKS] +
           zti_sum_lengths(index->body + 1 + first * index->width, chunk - first, index->width);
}

static void window(const struct zti_index *index, uint64_t first, uint64_t last,
                   struct zti_index_window *w)
{
    w->at[0] = 1 + first * index->width;
    w->bytes[0] = (last - first) * index->width;
}

const struct zti_layout zti_layout_lengths = {.name = "lengths",
                                              .body_bytes = body_bytes,
                                              .store = store,
                                              .open = zti_open_lengths,
                                              .check = check,
                                              .start = start,
                                              .window = window};
