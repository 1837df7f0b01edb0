/* vectors.h: the golden zfp streams: rows of MANIFEST.tsv and the arrays that they name. */
#ifndef ZTILE_TEST_VECTORS_H
#define ZTILE_TEST_VECTORS_H

#include "support/support.h"
#include "ztile_zfp.h"

#include <stdlib.h>

/* Columns of MANIFEST.tsv, in its order. */
enum column {
    ID,
    KIND,
    TYPE,
    NX,
    NY,
    NZ,
    NW,
    SX,
    SY,
    SZ,
    SW,
    BASE,
    INPUT,
    SET,
    P1,
    P2,
    P3,
    P4,
    HEADER,
    WORDBITS,
    MINBITS,
    MAXBITS,
    MAXPREC,
    MINEXP,
    SET_RETURN,
    MODE,
    MODE_CODE,
    METADATA,
    HEADER_BITS,
    MAX_SIZE,
    ZBYTES,
    CONSUMED,
    ZOFFSET,
    ZFNV,
    DECFNV,
    MAXERR,
    FLAGS,
    NOTE,
    ZSHA,
    DSHA,
    COLUMNS
};

struct vector_row {
    char *at[COLUMNS];
    uint32_t type, rank;
    uint64_t shape[ZT_MAX_RANK]; /* slowest first */
    int64_t stride[ZT_MAX_RANK];
    zt_zfp zfp;
    size_t zbytes, consumed;
};

static inline uint64_t number(const char *text)
{
    return strtoull(text, NULL, 0);
}

/* Split a line of the manifest, which must outlive the row. False if it has other columns. */
bool vector_row_of(char *line, struct vector_row *row);

bool has_flag(const struct vector_row *row, const char *flag);

/* The memory that a row's array lies in, from malloc, and the array; NULL where the file is missing
 * or too short. */
void *vector_input(const char *dir, const struct vector_row *row, zt_array *array);

#endif
