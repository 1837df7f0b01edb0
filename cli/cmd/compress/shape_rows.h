/* shape_rows.h: whether values look as if they had rows of another length than their shape says. */
#ifndef ZTI_CMD_SHAPE_ROWS_H
#define ZTI_CMD_SHAPE_ROWS_H

#include "ztile.h"

/* The values of a row that a C-contiguous slab of an array of 'values' values seems to have, where
 * that is not what its shape says; else 0. */
uint64_t find_other_rows(const zt_array *slab, uint64_t values);

#endif
