/* fuzz_zti.c: any bytes as an index of any bytes as a bare zfp stream. With an index the calls give
 * what they give without, or an error; they return, and touch nothing but the array. An index that
 * the library finds in a stream is one that it takes, also with failing memory.
 *
 * Input: the choices of fuzz_choices, 16 bits: the length of the index, the index, the stream. It
 * is tried as it is, and once more with hashes that fit, so that what is behind them is reached. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { LENGTH_BYTES = 2, HASHED_BYTES = 4096, FIRST_VARINT = 6, VARINTS = 4 };

struct trial {
    zt_context *context;
    const zt_zfp *zfp;
    zt_array array; /* contiguous, without data */
    size_t raw_bytes;
    const uint8_t *stream;
    size_t stream_bytes;
    uint8_t *plain; /* what is decoded without an index, if has_plain */
    uint8_t *out;
    bool has_plain;
};

static void put64(uint8_t *to, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)(v >> 8 * i);
}

/* Make the hashes fit, where there is room for them. */
static void repair(uint8_t *index, size_t n, const uint8_t *stream, size_t stream_bytes)
{
    const size_t part = stream_bytes < HASHED_BYTES ? stream_bytes : HASHED_BYTES;
    size_t at = FIRST_VARINT;
    for (int i = 0; i < VARINTS; i++, at++)
        while (at < n && index[at] & 0x80)
            at++;
    if (at + 24 > n)
        return;
    put64(index + at, XXH3_64bits(stream, part));
    put64(index + at + 8, XXH3_64bits(stream + stream_bytes - part, part));
    put64(index + n - 8, XXH3_64bits(index, n - 8));
}

static void require_sentence(const struct trial *t, zt_status s)
{
    fuzz_require(s == ZT_OK || zt_context_error(t->context)[0] != 0,
                 "an error came without a sentence");
}

static zt_status decode(struct trial *t, zt_zfp_index *index, uint8_t *out)
{
    zt_array array = t->array;
    array.data = out;
    const zt_status s = index->index_bytes > 0
                            ? zt_zfp_decompress_indexed(t->context, t->stream, t->stream_bytes,
                                                        t->zfp, index, &array, NULL)
                            : zt_zfp_decompress_and_index(t->context, t->stream, t->stream_bytes,
                                                          t->zfp, index, &array, NULL);
    require_sentence(t, s);
    return s;
}

/* All, and a box in the middle, by an index. */
static void use(struct trial *t, zt_zfp_index *index)
{
    zt_box box;
    uint64_t extents[ZT_MAX_RANK];
    for (uint32_t i = 0; i < t->array.rank; i++) {
        extents[i] = (t->array.shape[i] + 2) / 3;
        box.lo[i] = t->array.shape[i] / 3;
        box.hi[i] = box.lo[i] + extents[i];
    }
    const zt_array part = zt_array_nd(t->out, (zt_type)t->array.type, t->array.rank, extents);
    require_sentence(
        t, zt_zfp_index_check(t->context, t->stream, t->stream_bytes, t->zfp, &t->array, index));
    require_sentence(
        t, zt_zfp_index_describe(t->context, &(zt_zfp_index){.struct_bytes = sizeof *index,
                                                             .bytes = index->bytes,
                                                             .index_bytes = index->index_bytes}));
    require_sentence(t, zt_zfp_decompress_box(t->context, t->stream, t->stream_bytes, t->zfp, index,
                                              &t->array, &box, &part));
    if (decode(t, index, t->out) == ZT_OK && t->has_plain)
        fuzz_require(memcmp(t->out, t->plain, t->raw_bytes) == 0,
                     "with the index the array is another one");
}

/* The index that is found while decoding is the one of a scan, and is taken. */
static void find(struct trial *t)
{
    zt_zfp_index found, built;
    size_t capacity;
    zt_zfp_index_init(&found, sizeof found);
    found.chunk = 3;
    if (zt_zfp_index_bound(t->context, &t->array, t->zfp, &found, &capacity) != ZT_OK)
        return;
    found.capacity_bytes = capacity;
    built = found;
    found.bytes = malloc(capacity);
    built.bytes = malloc(capacity);
    fuzz_require(found.bytes && built.bytes, "no memory");
    t->has_plain = decode(t, &found, t->plain) == ZT_OK;
    const zt_status s =
        zt_zfp_index_build(t->context, t->stream, t->stream_bytes, t->zfp, &t->array, &built);
    require_sentence(t, s);
    if (t->has_plain && s == ZT_OK) {
        fuzz_require(found.index_bytes == built.index_bytes &&
                         memcmp(found.bytes, built.bytes, found.index_bytes) == 0,
                     "the index that was found is not the one of a scan");
        const zt_status again = decode(t, &found, t->out);
        fuzz_require(again == ZT_OK || again == ZT_NO_MEMORY, "an own index is refused");
    }
    free(found.bytes);
    free(built.bytes);
}

static void try_all(const uint8_t *data, size_t bytes, uint64_t fail_at)
{
    struct fuzz_memory memory;
    zt_zfp zfp;
    struct trial t = {.context = fuzz_context(&memory, fail_at), .zfp = &zfp};
    if (!t.context)
        return;
    t.array = fuzz_choices(data, &zfp);
    data += FUZZ_CHOICES;
    bytes -= FUZZ_CHOICES + LENGTH_BYTES;
    size_t n = data[0] | (size_t)data[1] << 8;
    n = n < bytes ? n : bytes;
    uint8_t *index_bytes = malloc(n > 0 ? n : 1); /* its end is the sanitizer's to see */
    t.stream = data + LENGTH_BYTES + n;
    t.stream_bytes = bytes - n;
    if (fuzz_raw_bytes(t.array.type, t.array.rank, t.array.shape, &t.raw_bytes)) {
        t.plain = calloc(1, t.raw_bytes);
        t.out = malloc(t.raw_bytes);
        fuzz_require(t.plain && t.out && index_bytes, "no memory");
        zt_zfp_index index;
        zt_zfp_index_init(&index, sizeof index);
        index.bytes = index_bytes;
        index.index_bytes = n;
        find(&t);
        memcpy(index_bytes, data + LENGTH_BYTES, n);
        if (n > 0)
            use(&t, &index);
        repair(index_bytes, n, t.stream, t.stream_bytes);
        if (n > 0)
            use(&t, &index);
    }
    free(t.plain);
    free(t.out);
    free(index_bytes);
    fuzz_context_free(t.context, &memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_bytes)
{
    if (data_bytes < FUZZ_CHOICES + LENGTH_BYTES)
        return 0;
    for (uint64_t fail_at = 0; fail_at < 6; fail_at++)
        if (fail_at != 1) /* the first one is the context itself */
            try_all(data, data_bytes, fail_at);
    return 0;
}
