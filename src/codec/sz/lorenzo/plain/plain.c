/* plain.c: the plain C instance of the sz codec's tiles: the specification of the others. */
#define SMALL    "codec/sz/lorenzo/plain/bytes.h"
#define WORDS_32 "codec/sz/lorenzo/plain/words.h"
#define LINES    "codec/sz/lorenzo/plain/lines.h"
#define OPS      zti_sz_plain
#include "codec/sz/lorenzo/instance.h"
