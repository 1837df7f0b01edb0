/* plain.c: the plain C instance of the sz codec's tiles: the specification of the others. */
#define LINES "codec/sz/lorenzo/plain/lines.h"
#define OPS   zti_sz_plain
#include "codec/sz/lorenzo/instance.h"
