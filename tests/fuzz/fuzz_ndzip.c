/* fuzz_ndzip.c: any bytes as a bare ndzip stream, which has no checksum: any bits decode to
 * something or are refused. What matters is that the calls return and touch nothing but the array,
 * also with failing memory, and that all instruction sets agree.
 *
 * Input: 8 bytes of choices, then the stream.
 *   0    bit 0 type, 1-2 rank - 1 (mod 3), 3 more threads
 *   1    unused
 *   2-7  extents, 16 bits each (1-D: plus 1; 2-D: mod 300, plus 1; 3-D: mod 60, plus 1) */
#include "fuzz.h"
#include "ztile_ndzip.h"
#include "ztile_expert.h"

#include <stdlib.h>
#include <string.h>

enum { CHOICES = 8 };

static zt_array array_of(const uint8_t *data)
{
    static const uint32_t most[3] = {1u << 16, 300, 60};
    const uint32_t rank = 1 + (uint32_t)(data[0] >> 1 & 3) % 3;
    uint64_t shape[ZT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = 1 + (data[2 + 2 * i] | (uint32_t)data[3 + 2 * i] << 8) % most[rank - 1];
    return zt_array_nd(NULL, data[0] & 1 ? ZT_F64 : ZT_F32, rank, shape);
}

/* Decode into every second element; what is between must stay. Memory is to be freed. */
static zt_status decode(zt_context *context, const uint8_t *stream, size_t bytes,
                        const zt_array *array, uint8_t **memory, size_t room)
{
    const size_t element = zt_type_bytes(array->type);
    size_t consumed = 0;
    zt_array out = *array;
    *memory = malloc(room);
    fuzz_require(*memory, "no memory");
    memset(*memory, 0xb7, room);
    out.data = *memory + element;
    for (uint32_t i = 0; i < out.rank; i++)
        out.stride[i] *= 2;
    const zt_status status = zt_ndzip_decompress(context, stream, bytes, &out, &consumed);
    fuzz_require(status != ZT_OK || consumed <= bytes, "more was consumed than is there");
    fuzz_require(status == ZT_OK || zt_context_error(context)[0] != 0,
                 "an error came without a sentence");
    for (size_t at = 0; at < room; at += 2 * element)
        for (size_t i = 0; i < element; i++)
            fuzz_require((*memory)[at + i] == 0xb7, "decoding wrote between the elements");
    return status;
}

/* A box in the middle is the slice of the whole, where that decodes. */
static void decode_box(zt_context *context, const uint8_t *stream, size_t bytes,
                       const zt_array *array, const uint8_t *whole, uint64_t fail_at)
{
    const size_t element = zt_type_bytes(array->type);
    uint64_t shape[ZT_MAX_RANK] = {0}, at[3] = {0, 0, 0}, n[3] = {1, 1, 1}, step[3] = {0, 0, 0};
    zt_box box;
    size_t raw_bytes;
    memset(&box, 0, sizeof box);
    for (uint32_t i = 0; i < array->rank; i++) {
        const uint32_t k = 3 - array->rank + i;
        at[k] = box.lo[i] = array->shape[i] / 3;
        n[k] = shape[i] = (array->shape[i] + 2) / 3;
        box.hi[i] = box.lo[i] + shape[i];
        step[k] = 2 * (uint64_t)array->stride[i];
    }
    if (!fuzz_raw_bytes(array->type, array->rank, shape, &raw_bytes))
        return;
    uint8_t *memory = malloc(raw_bytes), *from = memory;
    fuzz_require(memory, "no memory");
    const zt_array out = zt_array_nd(memory, (zt_type)array->type, array->rank, shape);
    const zt_status status = zt_ndzip_decompress_box(context, stream, bytes, array, &box, &out);
    fuzz_require(status == ZT_OK || !whole || fail_at, "a box of a sound stream is refused");
    for (uint64_t z = 0; status == ZT_OK && whole && z < n[0]; z++)
        for (uint64_t y = 0; y < n[1]; y++)
            for (uint64_t x = 0; x < n[2]; x++, from += element) {
                const uint64_t i =
                    (at[0] + z) * step[0] + (at[1] + y) * step[1] + (at[2] + x) * step[2];
                fuzz_require(memcmp(from, whole + (i + 1) * element, element) == 0,
                             "a box is not the slice");
            }
    free(memory);
}

static void try_stream(const uint8_t *data, size_t bytes, uint64_t fail_at)
{
    struct fuzz_memory held;
    const zt_array array = array_of(data);
    size_t raw_bytes;
    if (!fuzz_raw_bytes(array.type, array.rank, array.shape, &raw_bytes))
        return;
    zt_context *context = fuzz_context(&held, fail_at);
    if (!context)
        return;
    const size_t room = 2 * raw_bytes + zt_type_bytes(array.type);
    const zt_omp two = {.threads = 2, .grain = 1};
    uint8_t *first, *other;
    if (data[0] & 8)
        (void)zt_context_set_omp(context, &two);
    (void)zt_context_set_isa(context, ZT_ISA_PLAIN);
    const zt_status status = decode(context, data + CHOICES, bytes - CHOICES, &array, &first, room);
    for (uint32_t isa = ZT_ISA_AVX2; isa <= ZT_ISA_AVX512 && !fail_at; isa++) {
        (void)zt_context_set_isa(context, (zt_isa)isa);
        fuzz_require(decode(context, data + CHOICES, bytes - CHOICES, &array, &other, room) ==
                             status &&
                         (status != ZT_OK || memcmp(first, other, room) == 0),
                     "instruction sets differ");
        free(other);
    }
    decode_box(context, data + CHOICES, bytes - CHOICES, &array, status == ZT_OK ? first : NULL,
               fail_at);
    free(first);
    fuzz_context_free(context, &held);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_bytes)
{
    if (data_bytes < CHOICES)
        return 0;
    for (uint64_t fail_at = 0; fail_at < 4; fail_at++)
        if (fail_at != 1) /* the first one is the context itself */
            try_stream(data, data_bytes, fail_at);
    return 0;
}
