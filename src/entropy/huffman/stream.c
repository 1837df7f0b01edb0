/* stream.c: the Huffman stream (stream.h): the checks of arguments that writing and reading share,
 * and the choice of a method. */
#include "entropy/huffman/stream.h"

zt_status zti_symbols_check(zt_context *context, const struct zti_symbols *s)
{
    if (s->bytes != 1 && s->bytes != 2 && s->bytes != 4)
        return zti_fail(context, ZT_BAD_ARG, "symbols have 1, 2 or 4 bytes, not %u", s->bytes);
    if (s->alphabet == 0 || s->alphabet > ZTI_HUFFMAN_MAX_ALPHABET)
        return zti_fail(context, ZT_BAD_ARG, "an alphabet of %u symbols is not in 1 to %d",
                        s->alphabet, ZTI_HUFFMAN_MAX_ALPHABET);
    if (s->bytes == 1 && s->alphabet > 256)
        return zti_fail(context, ZT_BAD_ARG, "an alphabet of %u symbols does not fit 1 byte each",
                        s->alphabet);
    if (!s->data && s->count > 0)
        return zti_fail(context, ZT_BAD_ARG, "no memory is given for the symbols");
    if (s->count > SIZE_MAX / 8)
        return zti_fail(context, ZT_BAD_ARG, "%llu symbols do not fit in memory",
                        (unsigned long long)s->count);
    return ZT_OK;
}

zt_status zti_merges_check(zt_context *context, uint32_t magnitude, uint32_t reduction)
{
    if (magnitude < ZTI_PART_MAGNITUDE || magnitude > ZTI_CHUNK_MAGNITUDE)
        return zti_fail(context, ZT_BAD_ARG, "merges take chunks of 2^%d to 2^%d symbols, not 2^%u",
                        ZTI_PART_MAGNITUDE, ZTI_CHUNK_MAGNITUDE, magnitude);
    if (reduction > ZTI_MERGE_MOST_FACTOR && reduction != ZT_REDUCTION_AUTO)
        return zti_fail(context, ZT_BAD_ARG, "a reduction factor is 0 to %d, not %u",
                        ZTI_MERGE_MOST_FACTOR, reduction);
    return ZT_OK;
}
