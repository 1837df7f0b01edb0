/* fields.h: fields of real data: rows of MANIFEST.tsv, and raw or zstd-compressed files beside it.
 * */
#ifndef ZTILE_TEST_FIELDS_H
#define ZTILE_TEST_FIELDS_H

#include "support/support.h"

struct field {
    char name[128], stored[160];
    uint32_t type, rank;
    uint64_t shape[ZT_MAX_RANK];
};

/* One row of the manifest; false where it is none. The line is written to. */
bool parse_field(char *line, struct field *f);

/* The raw values, from malloc, or NULL. */
unsigned char *load_field(const char *dir, const struct field *f);

#endif
