/* ans.h: models of asymmetric numeral systems with tables (tANS, Duda 2009), whose mean code length
 * is within a fraction of a percent of the entropy, also below one bit a symbol. In: counts of
 * symbols, or a stored table. Out: frequencies, and tables for encoder and decoder.
 *
 * A model gives each symbol of an alphabet of at most 1024 a frequency; all frequencies sum to
 * 4096. All models have the same states, so each symbol of a stream can have its own model
 * (ans/mixed.h). A model with one symbol takes no bits.
 *
 * All arithmetic is on integers, so all machines give the same bits. */
#ifndef ZTI_ANS_ANS_H
#define ZTI_ANS_ANS_H

#include "entropy/ans/spec.h"

/* Frequencies, and tables for both directions. The caller frees it with zti_ans_free. */
struct zti_ans_model {
    uint32_t alphabet;
    uint32_t used;         /* number of symbols with a frequency */
    uint32_t only;         /* the symbol, where used is 1 */
    uint32_t precision;    /* bits of a stored weight below its leading one */
    uint32_t *decode;      /* [4096]: ZTI_ANS_ENTRY */
    uint32_t *steps;       /* [2 * alphabet]: for the encoder, see ans/spec.h */
    uint16_t *next;        /* [4096]: the encoder's states, grouped by symbol */
    uint16_t *frequencies; /* [alphabet]: sum 4096, or 0 where used is 0 */
    uint16_t *weights;     /* [alphabet]: as stored; 0: the symbol does not occur */
};

/* Build a model from counts whose sum is below 2^48. Chooses the precision of stored weights with
 * which table and symbols together take the fewest bits. ZT_BAD_ARG for an alphabet of 0 or above
 * 1024; ZT_NO_MEMORY. */
zt_status zti_ans_build(zt_context *context, const uint64_t *counts, uint32_t alphabet,
                        struct zti_ans_model *model);

void zti_ans_free(zt_context *context, struct zti_ans_model *model);

/* Bits, rounded up, that symbols with these counts take in this model, without the 12 bits of each
 * final state; UINT64_MAX if a symbol that occurs has no frequency. */
uint64_t zti_ans_cost_bits(const struct zti_ans_model *model, const uint64_t *counts);

/* The stored table: its bits, append it, read it. It is short if neighbouring symbols have similar
 * frequencies (number residuals 0, -1, 1, -2, 2, ...): about two bits a symbol and those of the
 * precision. Reading never touches a byte after that of the reader's last bit. ZT_CORRUPT for a
 * table that is cut short or invalid. */
uint64_t zti_ans_stored_bits(const struct zti_ans_model *model);
void zti_ans_write(const struct zti_ans_model *model, struct zti_bit_writer *writer);
zt_status zti_ans_load(zt_context *context, struct zti_bit_reader *reader, uint32_t alphabet,
                       struct zti_ans_model *model);

/* The same in memory of the caller's, of zti_ans_model_bytes for an alphabet of 1 to 1024 symbols
 * and aligned for uint32_t: a model without frequencies; what zti_ans_build makes of it, but for
 * the decoder's table, and only the least precisions are tried, of ZTI_ANS_PRECISIONS; the same
 * with a precision chosen by weights, not by frequencies; and zti_ans_load. The last returns NULL
 * or what is wrong with the table; it is zti_ans_read_weights (table.h) and zti_ans_make_decoder,
 * of a model that is used. */
size_t zti_ans_model_bytes(uint32_t alphabet);
void zti_ans_place(void *memory, uint32_t alphabet, struct zti_ans_model *model);
enum { ZTI_ANS_PRECISIONS = 8 };
void zti_ans_make(const uint64_t *counts, uint32_t precisions, struct zti_ans_model *model);
void zti_ans_make_quickly(const uint64_t *counts, uint32_t precisions, struct zti_ans_model *model);
const char *zti_ans_read(struct zti_bit_reader *reader, struct zti_ans_model *model);
void zti_ans_make_decoder(struct zti_ans_model *model);

#endif
