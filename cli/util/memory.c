/* memory.c: the most memory that the command takes, and taking it. */
#include "util/memory.h"
#include "ztile_store.h"

#include "util/errors.h"
#include "util/numbers.h"

#include <stdlib.h>
#include <unistd.h>
#ifdef __GLIBC__ /* which a header above defines */
#include <malloc.h>
#endif

static uint64_t limit_bytes; /* 0: not given */

void limit_memory(uint64_t bytes)
{
    limit_bytes = bytes;
}

uint64_t memory_limit(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    if (limit_bytes > 0)
        return limit_bytes;
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes / 5 * 4
                                       : UINT64_MAX;
}

void keep_freed_memory(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the largest that it takes */
    (void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

bool allocate(void **memory, uint64_t bytes, const char *place, struct ztio_error *error)
{
    const bool is_over = bytes > memory_limit();
    *memory = bytes <= SIZE_MAX - 1 && !is_over ? malloc((size_t)bytes + (bytes == 0)) : NULL;
    zt_expect_writes(*memory, (size_t)bytes);
    if (*memory)
        return true;
    char size[CLI_TEXT_BYTES], limit[CLI_TEXT_BYTES];
    if (is_over)
        return fail(error, ZTIO_LACKING,
                    "%s: %s in memory are more than the limit of %s; raise --memory-limit, or use "
                    "smaller slabs or a box",
                    place, format_size((double)bytes, size),
                    format_size((double)memory_limit(), limit));
    return fail(error, ZTIO_LACKING, "%s: no memory for %s; free some, or use smaller slabs", place,
                format_size((double)bytes, size));
}
