/* made.h: made fields for lossless coders, so that nothing is tuned to a few files: each with the
 * bits that a coder needs that knows how the field was made, and the most that ours may take. */
#ifndef ZTILE_TEST_MADE_H
#define ZTILE_TEST_MADE_H

#include "support/support.h"

enum { MADE_FIELDS = 31 };

struct made_field {
    const char *name;
    struct test_array values;
    double ideal_bits;              /* of a value: its entropy, given those before it */
    double high_bits, default_bits; /* of a value: what efforts may take at most */
};

/* Field number k; test_array_free its values. */
struct made_field made_field_of(uint32_t k);

/* Bytes of a field's file by sz without loss under an effort (set_coder); ends the program where
 * the values do not come back. */
size_t made_field_bytes(zt_context *context, const struct made_field *field, uint32_t coder);

#endif
