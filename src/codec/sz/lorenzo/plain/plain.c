/* plain.c: the plain C instance of the Lorenzo coder of sz tiles, the specification of the
 * others. */
#define LINES "codec/sz/lorenzo/plain/lines.h"
#define OPS   zti_sz_plain
#include "codec/sz/lorenzo/instance.h"
