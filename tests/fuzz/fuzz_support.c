/* fuzz_support.c: contexts whose memory is limited and counted; parameters out of bytes. */
#include "fuzz.h"

#include "ztile_expert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEAD_BYTES = 32 }; /* before each block, for its size; keeps the alignment of malloc */

static const uint64_t most_bytes = UINT64_C(64) << 20;

static void *limited_alloc(void *user, size_t bytes)
{
    struct fuzz_memory *memory = user;
    if (++memory->calls == memory->fail_at || bytes > most_bytes - memory->held_bytes)
        return NULL;
    unsigned char *block = malloc(HEAD_BYTES + bytes);
    if (!block)
        return NULL;
    *(uint64_t *)(void *)block = bytes;
    memory->held_bytes += bytes;
    return block + HEAD_BYTES;
}

static void limited_release(void *user, void *block)
{
    struct fuzz_memory *memory = user;
    if (!block)
        return;
    unsigned char *start = (unsigned char *)block - HEAD_BYTES;
    memory->held_bytes -= *(uint64_t *)(void *)start;
    free(start);
}

zt_context *fuzz_context(struct fuzz_memory *memory, uint64_t fail_at)
{
    zt_allocator allocator = {limited_alloc, limited_release, memory, {0, 0}};
    zt_context *context = NULL;
    memory->held_bytes = 0;
    memory->calls = 0;
    memory->fail_at = fail_at;
    if (zt_context_new(&allocator, &context) != ZT_OK)
        return NULL;
    return context;
}

void fuzz_context_free(zt_context *context, const struct fuzz_memory *memory)
{
    zt_context_free(context);
    fuzz_require(memory->held_bytes == 0, "memory was not given back");
}

void fuzz_require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

bool fuzz_raw_bytes(uint32_t type, uint32_t rank, const uint64_t *shape, size_t *raw_bytes)
{
    uint64_t bytes = zt_type_bytes(type);
    for (uint32_t i = 0; i < rank; i++) {
        if (shape[i] == 0 || shape[i] > FUZZ_MOST_RAW_BYTES / bytes)
            return false;
        bytes *= shape[i];
    }
    *raw_bytes = (size_t)bytes;
    return bytes > 0;
}

static uint32_t u16(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8;
}

static void set_parameters(zt_zfp *zfp, const uint8_t *c, zt_type type, uint32_t rank)
{
    uint32_t argument = u16(c + 2);
    zt_zfp_init(zfp, sizeof *zfp);
    zfp->word_bits = 8u << (c[0] >> 6);
    zfp->flags = (c[0] & 16 ? ZT_ZFP_HEADER : 0) | (c[0] & 32 ? ZT_ZFP_AS_LIBZFP : 0);
    switch (c[1] % 5) {
    case 0: zt_zfp_set_rate(zfp, argument / 256.0, type, rank, c[1] & 128, NULL); break;
    case 1: zt_zfp_set_precision(zfp, argument, NULL); break;
    case 2: zt_zfp_set_accuracy(zfp, ldexp(1, (int)(argument % 2200) - 1100), NULL); break;
    case 3: zt_zfp_set_reversible(zfp); break;
    default: zt_zfp_set_expert(zfp, u16(c + 8), u16(c + 10), c[12], (int16_t)u16(c + 13)); break;
    }
}

zt_array fuzz_choices(const uint8_t *c, zt_zfp *zfp)
{
    static const zt_type types[] = {ZT_F32, ZT_F64, ZT_I32, ZT_I64};
    const zt_type type = types[c[0] & 3];
    const uint32_t rank = 1 + (c[0] >> 2 & 3);
    uint64_t shape[ZT_MAX_RANK];
    for (int i = 0; i < ZT_MAX_RANK; i++)
        shape[i] = 1 + c[4 + i] % (rank < 3 ? 64u : 12u);
    set_parameters(zfp, c, type, rank);
    return zt_array_nd(NULL, type, rank, shape);
}
