/* fuzz_support.c: contexts whose memory is limited and counted. */
#include "fuzz.h"

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
    *memory = (struct fuzz_memory){.fail_at = fail_at};
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
