/* rice.h: the codec of the contract's test. */
#ifndef ZTILE_TEST_RICE_H
#define ZTILE_TEST_RICE_H

#include "codec/codec.h"

enum { RICE_CODEC = 77, RICE_TILE_VALUES = 4096 };

extern const struct zti_codec rice_codec;

#endif
