/* tail.h: kernel text: the tail of a bit plane, 32 bits at once, by one thread.
 *
 * A plane of n coefficients with c known ones is coded as c bits, then its tail: a group test ("is
 * any later bit set?") and, if it is positive, the bits of the following coefficients, with a group
 * test behind each 1. The last coefficient's bit is implied by a positive test that leaves only it.
 *
 * Encoding doubles the 1s. Decoding has the inverse: in a run of 1s every other one is a positive
 * group test, and a 0 where a test is due is a negative one, the plane's end. */
#ifndef ZTI_ZFP_GPU_TAIL_H
#define ZTI_ZFP_GPU_TAIL_H

#include "codec/zfp/gpu/kernels.h"
#include "codec/zfp/tile/planes.h"

/* A word with each of its 1s twice. The 1 that has r others before it moves by r: a product. */
FN uint64_t double_ones_of(uint32_t v)
{
    uint64_t moved = 0;
    for (uint32_t factor = 1; v != 0; factor *= 2) {
        const uint32_t less = v - 1;
        moved += (uint64_t)(v & ~less) * factor;
        v &= less;
    }
    return moved | moved << 1;
}

/* Which of 32 bits of a tail are coefficients' 1s. is_test: whether the first bit is a group test,
 * 1 or 0. A run of 1s that begins at an even place is carried away by adding its first. */
FN uint32_t coefficients_of(uint32_t bits, uint32_t is_test)
{
    const uint32_t starts = bits & ~(bits << 1) & 0x55555555u & ~is_test;
    return bits & ((bits + starts) ^ 0x55555555u);
}

/* A tail that is being read. */
struct tail {
    uint32_t known;   /* coefficients so far */
    uint32_t is_test; /* whether the next bit is a group test, 1 or 0 */
    uint32_t ones;    /* coefficients' 1s among the bits read last */
    bool is_on;       /* whether it goes on */
};

/* At the tail of a plane; 'left' bits remain of the budget. */
FN void begin_tail(struct tail *t, uint32_t n, uint32_t left)
{
    t->is_test = 1;
    t->is_on = t->known < n && left > 0;
}

/* The coefficients of a tail's next 32 bits do not fit: the last one of the tile is implied. Find
 * where the last but one of them ends. tests: the bits that are positive group tests. */
FN uint32_t place_of_last(uint32_t tests, uint32_t coefficients)
{
    uint32_t place = coefficients, before = 0;
    while (before != place) {
        before = place;
        place = coefficients + (uint32_t)__popc(tests & simt_ones(place));
    }
    return place;
}

/* Read the next 32 bits of a tail; 'left' bits remain of the budget. If they end within a run of
 * zeros, a 1 is implied there. Returns how many bits belong to the tail. */
FN uint32_t read_tail(struct tail *t, uint32_t n, uint32_t bits, uint32_t left)
{
    bits &= simt_ones(left);
    const uint32_t ones = coefficients_of(bits, t->is_test), tests = bits & ~ones;
    const uint32_t ends = (ones << 1 | t->is_test) & ~bits;
    const uint32_t most = left < 32 ? left : 32;
    const uint32_t end = ends ? (uint32_t)__ffs((int)ends) - 1 : most;
    const uint32_t some = end - (uint32_t)__popc(tests & simt_ones(end));
    const uint32_t rest = n - 1 - t->known; /* coefficients that have bits */
    t->ones = ones & simt_ones(end);
    if (some >= rest) {
        const uint32_t place = place_of_last(tests, rest);
        const uint32_t after = (uint32_t)(((uint64_t)ones << 1 | t->is_test) >> place) & 1;
        if (!(after && (place == 32 || (ends && place == end)))) {
            t->ones = ones & simt_ones(place);
            t->known = n;
            t->is_on = false;
            return place + after;
        }
    }
    t->known += some + (!ends && left < 32 ? 1 : 0);
    t->is_on = !ends && left >= 32;
    t->is_test = ones >> 31;
    return end < most ? end + 1 : most;
}

#endif
