/* fuzz.h: what the fuzz targets share. */
#ifndef ZTILE_FUZZ_H
#define ZTILE_FUZZ_H

#include "ztile_zfp.h"

#include <stdbool.h>

/* libFuzzer's entry, also called by replay_main.c. Each target defines it once. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_bytes);

/* Most bytes of values that a target decodes: claims of more are not followed. */
enum { FUZZ_MOST_RAW_BYTES = 1 << 20 };

/* Memory for a context: at most 64 MiB at a time, and the allocation with the number 'fail_at'
 * (from 1; 0: none) fails. */
struct fuzz_memory {
    _Atomic uint64_t held_bytes; /* several threads allocate at once */
    _Atomic uint64_t calls;
    uint64_t fail_at;
};

zt_context *fuzz_context(struct fuzz_memory *memory, uint64_t fail_at);

/* Free a context and see that nothing is left of what it allocated. */
void fuzz_context_free(zt_context *context, const struct fuzz_memory *memory);

/* Say what is wrong and abort, which is what a fuzzer looks for. */
void fuzz_require(bool condition, const char *what);

/* Bytes of all values of an array; false if that is more than FUZZ_MOST_RAW_BYTES. */
bool fuzz_raw_bytes(uint32_t type, uint32_t rank, const uint64_t *shape, size_t *raw_bytes);

/* Array and parameters of a bare zfp stream, from FUZZ_CHOICES bytes:
 *   0      bits 0-1 type, 2-3 rank - 1, 4 ZT_ZFP_HEADER, 5 ZT_ZFP_AS_LIBZFP, 6-7 word size
 *   1      how parameters are set: mod 5 rate, precision, accuracy, reversible, expert
 *   2-3    its argument, little-endian
 *   4-7    extents (mod 64, plus 1)
 *   8-15   expert: minbits, maxbits (16 bits each), maxprec (8), minexp (16), unused (8) */
enum { FUZZ_CHOICES = 16 };

zt_array fuzz_choices(const uint8_t *choices, zt_zfp *zfp);

#endif
