/* compare.h: what the cuda policy reads beside what the serial one does; and failures, counted. */
#ifndef SIMT_COMPARE_H
#define SIMT_COMPARE_H

#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static unsigned failures;

static void need_that(bool is_good, const char *what, unsigned number, const zt_context *context)
{
    if (is_good)
        return;
    printf("array %u: %s (%s)\n", number, what, zt_context_error(context));
    failures++;
}

/* The middle of an array, and all of it, as both policies read them. */
static void compare_values(zt_context *serial, zt_context *cuda, const zt_array *a,
                           const uint8_t *file, size_t n, unsigned number)
{
    for (uint32_t part = 0; part < 2; part++) {
        uint64_t shape[ZT_MAX_RANK];
        zt_box box;
        memset(&box, 0, sizeof box);
        for (uint32_t i = 0; i < a->rank; i++) {
            box.lo[i] = part * (a->shape[i] / 3);
            box.hi[i] = a->shape[i] - part * (a->shape[i] / 4);
            shape[i] = box.hi[i] - box.lo[i];
        }
        const size_t bytes = (size_t)values_of(a->rank, shape) * zt_type_bytes(a->type);
        void *const one = need(bytes), *const two = need(bytes);
        const zt_array to_one = zt_array_nd(one, (zt_type)a->type, a->rank, shape);
        const zt_array to_two = zt_array_nd(two, (zt_type)a->type, a->rank, shape);
        need_that(zt_decompress_box(serial, file, n, &box, &to_one) == ZT_OK &&
                      zt_decompress_box(cuda, file, n, &box, &to_two) == ZT_OK &&
                      memcmp(one, two, bytes) == 0,
                  part ? "a box differs" : "the values differ", number, cuda);
        free(one);
        free(two);
    }
}

#endif
