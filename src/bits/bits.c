/* bits.c: the rarer operations on bit writers. */
#include "bits/bits.h"

void zti_put_zeros(struct zti_bit_writer *w, uint64_t n)
{
    uint32_t to_byte = (8 - w->held_bits) & 7;
    if (n > 64 && to_byte) {
        zti_put_bits(w, 0, to_byte);
        n -= to_byte;
    }
    if (n > 64) {
        memset(w->next, 0, (size_t)(n >> 3));
        w->next += n >> 3;
        n &= 7;
    }
    while (n > 0) {
        uint32_t step = n < 56 ? (uint32_t)n : 56;
        zti_put_bits(w, 0, step);
        n -= step;
    }
}

void zti_bits_cut(struct zti_bit_writer *w, uint64_t bits)
{
    if (bits >= zti_bits_written(w))
        return;
    zti_put_le64(w->next, w->held);
    w->next = w->base + (bits >> 3);
    w->held_bits = bits & 7;
    w->held = *w->next & ((1u << w->held_bits) - 1);
}
