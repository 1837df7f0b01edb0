/* awkward.h: arrays that are awkward to code without loss: values that a transform, a mark or an
 * escape is for, with some among them that are none. */
#ifndef ZTILE_TEST_AWKWARD_H
#define ZTILE_TEST_AWKWARD_H

#include "support/support.h"

enum { AWKWARD_KINDS = 14 };

/* Array number n: any type, rank and shape; its kind is n modulo AWKWARD_KINDS. */
struct test_array awkward_array(uint64_t number);

/* The same of some hundred values. */
struct test_array small_awkward_array(uint64_t number);

#endif
