/* compare.h: what the cuda policy writes and reads beside what the serial one does; and failures,
 * counted. */
#ifndef SIMT_COMPARE_H
#define SIMT_COMPARE_H

#include "simt_device.h"
#include "simt_runtime.h"
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

/* Compress by both policies, from the host's memory or the device's: the same bytes. Read them by
 * both. */
static inline void check_policies(zt_context *serial, zt_context *cuda, const zt_array *a,
                                  const zt_params *params, bool is_there, unsigned number)
{
    enum { LEAST_SLAB = 1, SLAB = 1 << 22 };
    const size_t bytes = array_bytes(a);
    zt_array from = *a;
    size_t cap = 0, n = 0, m = 0;
    simt_opt.seed = number;
    simt_slab_bytes = number % 2 ? LEAST_SLAB : SLAB; /* a layer of tiles, or several */
    need_that(zt_context_set_policy(cuda, ZT_CUDA) == ZT_OK &&
                  zt_compress_bound(cuda, a, params, &cap) == ZT_OK,
              "no policy or bound", number, cuda);
    uint8_t *const one = need(cap), *const two = need(cap);
    uint8_t *const out = is_there ? simt_device_take(cap) : two;
    if (is_there) {
        from.data = simt_device_take(bytes);
        simt_device_move(from.data, a->data, bytes);
    }
    need_that(zt_compress(serial, a, params, one, cap, &n) == ZT_OK, "it is not compressed", number,
              serial);
    need_that(zt_compress(cuda, &from, params, out, cap, &m) == ZT_OK, "kernels do not compress it",
              number, cuda);
    if (is_there) {
        simt_device_move(two, out, m);
        simt_device_give(from.data);
        simt_device_give(out);
    }
    need_that(n == m && memcmp(one, two, n) == 0, "the file differs", number, cuda);
    compare_values(serial, cuda, a, one, n, number);
    free(one);
    free(two);
}

#endif
