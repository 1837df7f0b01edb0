/* notes.h: kernel text: where the planes of a 4-D tile are, found by one thread. A warp then
 * decodes all planes of the tile at once (gpu/warp.h).
 *
 * A note says where a plane begins, in bits from the first plane on, and how many coefficients are
 * known after it. Notes are in shared memory; an additional one says which planes there are. */
#ifndef ZTI_ZFP_GPU_NOTES_H
#define ZTI_ZFP_GPU_NOTES_H

#include "codec/zfp/gpu/tail.h"

/* A note: place, coefficients. The additional one: first plane with a note, the plane behind the
 * last, coefficients known in the end. */
enum { NOTE_PLACE_BITS = 16, NOTE_PLANE_BITS = 8 };

FN uint32_t *notes_of_warp(uint32_t width)
{
    SIMT_SHARED_DYNAMIC(uint64_t, memory);
    return (uint32_t *)(void *)(memory + blockDim.x / 32 * zti_zfp_warp_words(width, 4) +
                                threadIdx.x / 32 * zti_zfp_notes_words(width));
}

/* The notes of the tile that a lane has read. */
FN uint32_t *notes_of_lane(uint32_t width, uint32_t lane)
{
    return notes_of_warp(width) + lane * ZTI_ZFP_NOTES_PITCH(width);
}

/* Whose notes the warp decodes. */
FN uint32_t *noted_lane(uint32_t width)
{
    return notes_of_lane(width, 32);
}

/* ---- bits of the stream ---- */

struct bit_words {
    const uint32_t *words;
    uint32_t count, shift; /* of words; the place of bit 0 in the first one */
};

FN struct bit_words bit_words_at(const struct zti_bit_reader *r)
{
    const uint64_t first = r->at / 32, all = r->count * 2, rest = first < all ? all - first : 0;
    const struct bit_words b = {
        (const uint32_t *)simt_in_global((const uint32_t *)(const void *)r->words + first),
        rest < 1u << 20 ? (uint32_t)rest : 1u << 20, (uint32_t)(r->at % 32)};
    return b;
}

/* 32 bits from a place on. */
FN uint32_t bits_at(const struct bit_words *b, uint32_t place)
{
    const uint32_t at = b->shift + place, i = at / 32;
    const uint32_t *const word = b->words + i;
    const uint32_t low = i < b->count ? word[0] : 0, high = i + 1 < b->count ? word[1] : 0;
    return __funnelshift_r(low, high, at);
}

/* Note the 'precision' highest planes of 'width', within the budget, and pass their bits. Returns
 * the number of leading coefficients that may not be 0. */
FN uint32_t note_planes(struct zti_bit_reader *r, uint32_t width, uint32_t n, uint32_t precision,
                        uint32_t budget)
{
    uint32_t *const notes = notes_of_lane(width, threadIdx.x % 32);
    const struct bit_words b = bit_words_at(r);
    const uint32_t most = precision < budget ? precision : budget;
    struct tail t = {0, 0, 0, 0};
    uint32_t zeros = 32, at = 0;
    while (zeros == 32 && at < most) { /* empty planes */
        const uint32_t bits = bits_at(&b, at);
        zeros = bits ? (uint32_t)__ffs((int)bits) - 1 : 32;
        at += zeros < most - at ? zeros : most - at;
    }
    const uint32_t first = at;
    uint32_t i = first;
    for (; i < precision && at < budget; i++) {
        const uint32_t place = at;
        at += t.known < budget - at ? t.known : budget - at;
        begin_tail(&t, n, budget - at);
        while (t.is_on)
            at += read_tail(&t, n, bits_at(&b, at), budget - at);
        notes[i] = place | t.known << NOTE_PLACE_BITS;
    }
    notes[width] = first | i << NOTE_PLANE_BITS | t.known << 2 * NOTE_PLANE_BITS;
    r->at += at;
    return t.known;
}

/* ---- tails to coefficients ---- */

/* A byte of a tail without its positive group tests; the second half of the table: if its first bit
 * is a test. */
static __device__ const uint8_t without_tests[512] = {
    0,   1,   2,   1,  4,   5,   2,   3,  8,   9,   10,  5,  4,   5,   6,   3,  16,  17,  18,  9,
    20,  21,  10,  11, 8,   9,   10,  5,  12,  13,  6,   7,  32,  33,  34,  17, 36,  37,  18,  19,
    40,  41,  42,  21, 20,  21,  22,  11, 16,  17,  18,  9,  20,  21,  10,  11, 24,  25,  26,  13,
    12,  13,  14,  7,  64,  65,  66,  33, 68,  69,  34,  35, 72,  73,  74,  37, 36,  37,  38,  19,
    80,  81,  82,  41, 84,  85,  42,  43, 40,  41,  42,  21, 44,  45,  22,  23, 32,  33,  34,  17,
    36,  37,  18,  19, 40,  41,  42,  21, 20,  21,  22,  11, 48,  49,  50,  25, 52,  53,  26,  27,
    24,  25,  26,  13, 28,  29,  14,  15, 128, 129, 130, 65, 132, 133, 66,  67, 136, 137, 138, 69,
    68,  69,  70,  35, 144, 145, 146, 73, 148, 149, 74,  75, 72,  73,  74,  37, 76,  77,  38,  39,
    160, 161, 162, 81, 164, 165, 82,  83, 168, 169, 170, 85, 84,  85,  86,  43, 80,  81,  82,  41,
    84,  85,  42,  43, 88,  89,  90,  45, 44,  45,  46,  23, 64,  65,  66,  33, 68,  69,  34,  35,
    72,  73,  74,  37, 36,  37,  38,  19, 80,  81,  82,  41, 84,  85,  42,  43, 40,  41,  42,  21,
    44,  45,  22,  23, 96,  97,  98,  49, 100, 101, 50,  51, 104, 105, 106, 53, 52,  53,  54,  27,
    48,  49,  50,  25, 52,  53,  26,  27, 56,  57,  58,  29, 28,  29,  30,  15, 0,   0,   2,   1,
    4,   2,   2,   1,  8,   4,   10,  5,  4,   2,   6,   3,  16,  8,   18,  9,  20,  10,  10,  5,
    8,   4,   10,  5,  12,  6,   6,   3,  32,  16,  34,  17, 36,  18,  18,  9,  40,  20,  42,  21,
    20,  10,  22,  11, 16,  8,   18,  9,  20,  10,  10,  5,  24,  12,  26,  13, 12,  6,   14,  7,
    64,  32,  66,  33, 68,  34,  34,  17, 72,  36,  74,  37, 36,  18,  38,  19, 80,  40,  82,  41,
    84,  42,  42,  21, 40,  20,  42,  21, 44,  22,  22,  11, 32,  16,  34,  17, 36,  18,  18,  9,
    40,  20,  42,  21, 20,  10,  22,  11, 48,  24,  50,  25, 52,  26,  26,  13, 24,  12,  26,  13,
    28,  14,  14,  7,  128, 64,  130, 65, 132, 66,  66,  33, 136, 68,  138, 69, 68,  34,  70,  35,
    144, 72,  146, 73, 148, 74,  74,  37, 72,  36,  74,  37, 76,  38,  38,  19, 160, 80,  162, 81,
    164, 82,  82,  41, 168, 84,  170, 85, 84,  42,  86,  43, 80,  40,  82,  41, 84,  42,  42,  21,
    88,  44,  90,  45, 44,  22,  46,  23, 64,  32,  66,  33, 68,  34,  34,  17, 72,  36,  74,  37,
    36,  18,  38,  19, 80,  40,  82,  41, 84,  42,  42,  21, 40,  20,  42,  21, 44,  22,  22,  11,
    96,  48,  98,  49, 100, 50,  50,  25, 104, 52,  106, 53, 52,  26,  54,  27, 48,  24,  50,  25,
    52,  26,  26,  13, 56,  28,  58,  29, 28,  14,  30,  15};

/* The coefficients among 32 bits of a tail. ones: those that are 1. */
FN uint32_t coefficient_bits(uint32_t bits, uint32_t ones, uint32_t is_test)
{
    const uint32_t tests = bits & ~ones;
    const uint32_t states = ones << 1 | is_test; /* bit i: whether bit i is a test */
    const uint32_t a = without_tests[(bits & 255) + 256 * (states & 1)];
    const uint32_t b = without_tests[(bits >> 8 & 255) + 256 * (states >> 8 & 1)];
    const uint32_t c = without_tests[(bits >> 16 & 255) + 256 * (states >> 16 & 1)];
    const uint32_t d = without_tests[(bits >> 24) + 256 * (states >> 24 & 1)];
    const uint32_t low = a | b << (8 - (uint32_t)__popc(tests & 255));
    const uint32_t high = c | d << (8 - (uint32_t)__popc(tests >> 16 & 255));
    return low | high << (16 - (uint32_t)__popc(tests & 0xffff));
}

#endif
