/* compat.h: what the files of the libzfp compatibility library share.
 *
 * The library is built from ztile's objects and not on top of ztile.h alone: a stream may begin in
 * the middle of a byte, behind a header or another stream, and clients code single blocks. Both
 * need the codec's tiles and exec directly. There is no second zfp coder here; everything that
 * turns values into bits and back is src/codec/zfp.
 *
 * ZFP_WORD_BITS, 8 or 64, is the word size of this build. */
#ifndef ZTILE_COMPAT_ZFP_H
#define ZTILE_COMPAT_ZFP_H

#include "codec/zfp/zfp.h"
#include "zfp.h"
#include "ztile_zfp.h"

_Static_assert(ZFP_WORD_BITS == 8 || ZFP_WORD_BITS == 64, "words have 8 or 64 bits");
_Static_assert(sizeof(zfp_stream) == 40 && sizeof(zfp_field) == 80 && sizeof(zfp_config) == 24 &&
                   sizeof(zfp_execution) == 16 && sizeof(zfp_exec_params_omp) == 8,
               "layouts that clients of libzfp were compiled with");

/* A bit stream: words before 'word' are in memory; 'held' has 'held_bits' bits of the word that is
 * being filled (and is not counted in 'word') or of the one that was fetched (and is). */
struct bitstream {
    uint8_t *data;
    size_t bytes; /* as given by the client, not only whole words */
    uint64_t word;
    uint64_t held;
    uint32_t held_bits; /* writing: below a word's; reading: at most a word's, less one */
};

/* Write n bits that lie in memory, the first one lowest in the first byte. */
void compat_write_run(bitstream *stream, const uint8_t *from, uint64_t n);

/* Give the memory the bits that are held, so that what writes to memory can go on there. */
void compat_store_held(bitstream *stream);

/* Go to a word, nothing held. */
void compat_go_to_word(bitstream *stream, uint64_t word);

/* ztile's number for a type, 0 for none. */
uint32_t compat_type(zfp_type type);

/* The field as ztile sees it: slowest axis first, strides resolved. False without type or axes. */
bool compat_array(const zfp_field *field, zt_array *array);

/* The four parameters, to be treated as libzfp does. */
zt_zfp compat_params(const zfp_stream *stream);

/* What a header's bits say. Its parts can stand alone here, so the codec is shown a whole header,
 * completed with parts that are valid. False where they make no sense. */
bool compat_read_codes(uint64_t field_code, uint64_t mode_code, zt_zfp *params,
                       struct zti_array *array);

/* Whether no libzfp of another word size is in this process whose calls arrive here. */
bool compat_words_fit(void);

/* A code that stands in for the part that is not there: a 1-D field of one int32. */
enum { COMPAT_ANY_FIELD = 0 };
/* Likewise: the reversible mode. */
enum { COMPAT_ANY_MODE = 2176 };

#endif
