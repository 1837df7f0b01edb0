/* ans_avx2.c: the text of the ANS coder compiled with BMI2, whose shifts take their count from any
 * register and which has an instruction for the low bits of a word. */
#include "entropy/instances.h"

#define NAME(x) x##_avx2
#include "entropy/ans_text.h"
#undef NAME

void zti_ans_encode_avx2(const struct zti_ans_plan *plan, const uint16_t *symbols,
                         uint8_t *scratch_end, struct zti_bit_writer *writer)
{
    encode_avx2(plan, symbols, scratch_end, writer);
}

bool zti_ans_decode_avx2(const struct zti_ans_plan *plan, struct zti_bit_reader *reader,
                         uint16_t *out)
{
    return decode_avx2(plan, reader, out);
}
