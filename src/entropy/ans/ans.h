/* ans.h: asymmetric numeral systems with tables (tANS, Duda 2009): codes whose mean length is
 * within a fraction of a percent of the entropy, also below one bit a symbol.
 *
 * A model is frequencies out of 4096 for symbols below an alphabet of at most 1024; this is models
 * and their tables. A symbol's state belongs to no model, because all have the same number of
 * states: each symbol of a stream can have its own (ans/mixed.h). A model in which one symbol has
 * all frequency takes no bits.
 *
 * All arithmetic is on integers: the bits are a function of the arguments, whatever the machine. */
#ifndef ZTI_ANS_ANS_H
#define ZTI_ANS_ANS_H

#include "entropy/ans/spec.h"

/* Frequencies, and tables for both directions. Owned by who made it; zti_ans_free. */
struct zti_ans_model {
    uint32_t alphabet;
    uint32_t used;         /* symbols with a frequency */
    uint32_t only;         /* the symbol, where used is 1 */
    uint32_t precision;    /* bits of a stored weight below its leading one */
    uint32_t *decode;      /* [4096]: ZTI_ANS_ENTRY */
    uint32_t *steps;       /* [2 * alphabet]: for the encoder, see ans/spec.h */
    uint16_t *next;        /* [4096]: the encoder's states, symbol after symbol */
    uint16_t *frequencies; /* [alphabet]: sum 4096, or 0 where used is 0 */
    uint16_t *weights;     /* [alphabet]: what is stored; 0 where a symbol does not occur */
};

/* The model for symbols that occur this often; their sum is below 2^48. Of all precisions with
 * which the table can be stored, the one is taken that makes table and symbols together shortest.
 * ZT_BAD_ARG for an alphabet of 0 or above 1024; ZT_NO_MEMORY. */
zt_status zti_ans_build(zt_context *context, const uint64_t *counts, uint32_t alphabet,
                        struct zti_ans_model *model);

void zti_ans_free(zt_context *context, struct zti_ans_model *model);

/* Bits, rounded up, that symbols with these counts take in this model, but for the 12 of each
 * state; UINT64_MAX where one occurs that has no frequency. */
uint64_t zti_ans_cost_bits(const struct zti_ans_model *model, const uint64_t *counts);

/* The table: the bits it takes, appending it, and reading it. Numbering symbols so that neighbours
 * have frequencies alike makes it short (0, -1, 1, -2, 2, ... for residuals): then it is about two
 * bits a symbol and those of the precision. Reading looks at no byte beyond that of the reader's
 * last bit. ZT_CORRUPT, with a sentence, for a table that is cut short or not one of ours. */
uint64_t zti_ans_stored_bits(const struct zti_ans_model *model);
void zti_ans_put(const struct zti_ans_model *model, struct zti_bit_writer *writer);
zt_status zti_ans_take(zt_context *context, struct zti_bit_reader *reader, uint32_t alphabet,
                       struct zti_ans_model *model);

/* The same in memory of the caller's, of zti_ans_model_bytes for an alphabet of 1 to 1024 symbols
 * and aligned for uint32_t: a model without frequencies; what zti_ans_build makes of it, but that
 * only the least precisions are tried, of ZTI_ANS_PRECISIONS; and zti_ans_take. The latter returns
 * NULL or what is wrong with the table. */
size_t zti_ans_model_bytes(uint32_t alphabet);
void zti_ans_place(void *memory, uint32_t alphabet, struct zti_ans_model *model);
enum { ZTI_ANS_PRECISIONS = 8 };
void zti_ans_make(const uint64_t *counts, uint32_t precisions, struct zti_ans_model *model);
const char *zti_ans_read(struct zti_bit_reader *reader, struct zti_ans_model *model);

#endif
