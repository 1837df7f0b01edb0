/* hybrid.c: the layout 'hybrid': for each partition of P chunks, where it begins, and the lengths
 * of its chunks. With W = 2 it is the layout of Noordsij et al. ("Parallelization of Variable Rate
 * Decompression through Metadata", PDP 2020): 72 bytes for P = 32.
 *
 *     size       field
 *     u8         W: 2, 4 or 8, bytes of a length; the fewest that the longest chunk needs
 *     each partition:
 *     u64        where its first chunk begins, in units from the first tile
 *     W each     lengths of its P chunks, units; 0 behind the last chunk */
#include "index/layout.h"

#include "core/wire.h"

static uint64_t body_bytes(const struct zti_index_layout *layout, const uint64_t *starts,
                           uint64_t chunks)
{
    return zti_index_body_bytes(layout, chunks, zti_length_width(starts, chunks), 0);
}

static void store(const struct zti_index_layout *layout, const uint64_t *starts, uint64_t chunks,
                  uint8_t *out)
{
    const uint32_t width = zti_length_width(starts, chunks);
    *out++ = (uint8_t)width;
    for (uint64_t first = 0; first < chunks; first += layout->partition) {
        zti_put_le64(out, starts[first]);
        out += 8;
        const uint64_t rest = chunks - first;
        const uint64_t own = rest < layout->partition ? rest : layout->partition;
        const uint64_t missing_bytes = (layout->partition - own) * width;
        out = zti_store_lengths(out, starts + first, own, width);
        memset(out, 0, (size_t)missing_bytes);
        out += missing_bytes;
    }
}

static zt_status check(zt_context *context, struct zti_index *index)
{
    const uint32_t partition = index->layout.partition;
    const uint64_t partitions = zti_partitions_of(index->chunks, partition);
    const uint64_t each = zti_partition_bytes(partition, index->width);
    uint64_t end = 0;
    for (uint64_t i = 0; i < partitions; i++) {
        const uint8_t *const at = index->body + 1 + i * each;
        const uint64_t rest = index->chunks - i * partition;
        const uint64_t used = rest < partition ? rest : partition;
        if (zti_get_le64(at) != end ||
            !zti_add_lengths(at + 8, used, index->width, index->end, &end) ||
            !zti_all_zero(at + 8 + used * index->width, (size_t)(each - 8 - used * index->width)))
            return zti_fail(context, ZT_CORRUPT,
                            "the index is damaged or another stream's: partition %llu does not "
                            "begin where the one before ends, or ends beyond the stream",
                            (unsigned long long)i);
    }
    return zti_index_set_end(context, index, end);
}

static uint64_t start(const struct zti_index *index, uint64_t chunk)
{
    const uint32_t partition = index->layout.partition;
    const uint8_t *const at =
        index->body + 1 + chunk / partition * zti_partition_bytes(partition, index->width);
    return zti_get_le64(at) + zti_sum_lengths(at + 8, chunk % partition, index->width);
}

static void window(const struct zti_index *index, uint64_t first, uint64_t last,
                   struct zti_index_window *w)
{
    const uint32_t partition = index->layout.partition;
    const uint64_t each = zti_partition_bytes(partition, index->width), from = first / partition;
    w->at[0] = 1 + from * each;
    w->bytes[0] = (zti_partitions_of(last, partition) - from) * each;
}

const struct zti_layout zti_layout_hybrid = {.name = "hybrid",
                                             .body_bytes = body_bytes,
                                             .store = store,
                                             .open = zti_open_lengths,
                                             .check = check,
                                             .start = start,
                                             .window = window};
