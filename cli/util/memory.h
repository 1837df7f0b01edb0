/* memory.h: the most memory that the command takes, and taking it. */
#ifndef ZTI_UTIL_MEMORY_H
#define ZTI_UTIL_MEMORY_H

#include "io.h"

/* The most bytes that the command's arrays and the library's memory may each take: what
 * --memory-limit says, or four fifths of the machine's. */
void limit_memory(uint64_t bytes);
uint64_t memory_limit(void);

/* Memory, or false with the sentence for place; *memory is to be freed. bytes 0 is allowed. */
bool allocate(void **memory, uint64_t bytes, const char *place, struct ztio_error *error);

/* Have malloc keep some MiB that are freed, for libraries that allocate a buffer for each chunk:
 * the system would clear new memory each time. */
void keep_freed_memory(void);

#endif
