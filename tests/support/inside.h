/* inside.h: a test's arrays as the library has them inside, for tests below the public calls. */
#ifndef ZTILE_TEST_INSIDE_H
#define ZTILE_TEST_INSIDE_H

#include "array/array.h"

#include <stdlib.h>

static inline struct zti_array inside(const zt_array *given)
{
    struct zti_array array;
    if (zti_array_check(NULL, given, ZTI_SHAPE_ONLY, &array) != ZT_OK)
        abort();
    return array;
}

static inline struct zti_view view_of(const zt_array *out)
{
    const struct zti_array array = inside(out);
    return zti_view_whole(&array);
}

#endif
