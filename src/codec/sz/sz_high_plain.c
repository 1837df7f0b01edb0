/* sz_high_plain.c: the plain C instance of effort 'high'. */
#define OPS zti_sz_high_plain
#include "codec/sz/sz_high_text.h"
