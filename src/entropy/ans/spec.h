/* spec.h: the rules of ANS that decide bits, for C, vectors and CUDA: states, entries of the tables
 * for both directions, and the beginning of a mixed stream. Macros take numbers or vectors. */
#ifndef ZTI_ANS_SPEC_H
#define ZTI_ANS_SPEC_H

#include "entropy/bits_within.h"

enum {
    ZTI_ANS_STATE_BITS = 12,
    ZTI_ANS_STATES = 1 << ZTI_ANS_STATE_BITS,
    ZTI_ANS_MAX_ALPHABET = 1024
};

/* The decoder's entry for a state: the symbol, how many bits are read, and the base that is added
 * to them for the next state. */
#define ZTI_ANS_ENTRY(symbol, bits, base) ((symbol) | (bits) << 16 | (base) << 20)
#define ZTI_ANS_BITS(entry)               ((entry) >> 16 & 15)
#define ZTI_ANS_BASE(entry)               ((entry) >> 20)

/* The encoder's step from state y (4096 .. 8191) for a symbol with frequency f: it emits the low n
 * = ZTI_ANS_EMITTED(y, steps[0]) bits of y, which leaves a number in [f, 2 f), and goes to state
 * next[ZTI_ANS_NUMBER(y, n, steps[1])], the index modulo 2^32. */
#define ZTI_ANS_EMITTED(state, steps)   (((state) + (steps)) >> 16)
#define ZTI_ANS_NUMBER(state, n, steps) (((state) >> (n)) + (steps))

/* Read the padding before a stream's states; false if it has no one in 8 bits. */
ZTI_STATIC bool zti_ans_read_start(struct zti_bit_reader *r)
{
    uint32_t zeros = 0;
    while (zeros < 8 && zti_get_within(r, 1) == 0)
        zeros++;
    return zeros < 8;
}

#endif
