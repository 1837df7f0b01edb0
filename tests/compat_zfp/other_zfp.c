/* other_zfp.c: of another libzfp, what says how large its words are. */
#include <stddef.h>

extern const size_t stream_word_bits;
const size_t stream_word_bits = OTHER_WORD_BITS;
