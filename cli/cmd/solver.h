/* solver.h: the field of ztile demo. */
#ifndef ZTI_CMD_SOLVER_H
#define ZTI_CMD_SOLVER_H

#include "io.h"
#include "util/progress.h"

enum { FIELD_N = 96 }; /* extent along each of the three axes */

/* Fill field (FIELD_N^3 floats) with one of the two substances after `steps` steps. The same bits
 * on every machine: nothing but additions and multiplications in a fixed order. */
bool simulate(float *field, int steps, struct progress *progress, struct ztio_error *error);

#endif
