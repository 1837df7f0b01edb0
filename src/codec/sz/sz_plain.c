/* sz_plain.c: the plain C instance of the sz codec's tiles: the specification of the others. */
#define SMALL "codec/sz/sz_small.h"
#define WORDS_32 "codec/sz/sz_words.h"
#define LINES_TEXT "codec/sz/sz_lines.h"
#define OPS zti_sz_plain
#include "codec/sz/sz_instance.h"
