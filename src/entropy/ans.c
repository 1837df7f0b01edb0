/* ans.c: coding with ANS models: the plain instance, and the choice of one.
 *
 * A stream is the states that the encoder ended in, 12 bits each, then for each symbol the bits
 * that its state sheds, the first symbol's first. The encoder begins with all states at 0, and so
 * must the decoder end. */
#include "core/cpu.h"
#include "entropy/instances.h"

#define NAME(x) x##_plain
#include "entropy/ans_text.h"
#undef NAME

enum { SCRATCH_SLACK_BYTES = 16 }; /* bits are stored eight bytes at a time */

uint64_t zti_ans_most_bits(size_t n, uint32_t ways)
{
    return ((uint64_t)n + ways) * ZTI_ANS_STATE_BITS;
}

size_t zti_ans_scratch_bytes(size_t n)
{
    return n * ZTI_ANS_STATE_BITS / 8 + SCRATCH_SLACK_BYTES;
}

void zti_ans_encode(const struct zti_ans_plan *plan, const uint16_t *symbols, void *scratch,
                    struct zti_bit_writer *writer)
{
    uint8_t *end = (uint8_t *)scratch + zti_ans_scratch_bytes(plan->n);
#if defined(ZTI_HAS_X86_INSTANCES)
    if (plan->isa >= ZT_ISA_AVX2) {
        zti_ans_encode_avx2(plan, symbols, end, writer);
        return;
    }
#endif
    encode_plain(plan, symbols, end, writer);
}

bool zti_ans_decode(const struct zti_ans_plan *plan, struct zti_bit_reader *reader, uint16_t *out)
{
#if defined(ZTI_HAS_X86_INSTANCES)
    if (plan->isa >= ZT_ISA_AVX2)
        return zti_ans_decode_avx2(plan, reader, out);
#endif
    return decode_plain(plan, reader, out);
}
