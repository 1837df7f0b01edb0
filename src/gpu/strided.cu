/* strided.cu: see strided.h. A thread takes every so-many-th value, so that neighbours take
 * neighbours. */
#include "gpu/strided.h"
#include "gpu/elements.h"

enum { THREADS = 256, MOST_BLOCKS = 1 << 16 };

#define MOVE_KERNEL(name, type)                                                                    \
    SIMT_KERNEL void __launch_bounds__(THREADS) name(const struct zti_array array, type *packed,   \
                                                     const uint64_t count, const bool is_packing)  \
    {                                                                                              \
        type *const values = (type *)array.data;                                                   \
        for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count;                 \
             i += (uint64_t)gridDim.x * THREADS) {                                                 \
            if (is_packing)                                                                        \
                packed[i] = values[offset_of(&array, i)];                                          \
            else                                                                                   \
                values[offset_of(&array, i)] = packed[i];                                          \
        }                                                                                          \
    }

MOVE_KERNEL(move_32, uint32_t)
MOVE_KERNEL(move_64, uint64_t)

static void move(const struct zti_array *array, void *packed, bool is_packing, void *queue)
{
    const struct zti_array a = zti_array_joined(array);
    const uint64_t count = zti_array_values(a.rank, a.shape);
    const unsigned blocks = simt_at_most((count + THREADS - 1) / THREADS, MOST_BLOCKS);
    if (zt_type_bytes(a.type) == 4)
        SIMT_LAUNCH(move_32, blocks, THREADS, 0, queue, a, (uint32_t *)packed, count, is_packing);
    else
        SIMT_LAUNCH(move_64, blocks, THREADS, 0, queue, a, (uint64_t *)packed, count, is_packing);
}

extern "C" void zti_cuda_pack(const struct zti_array *from, void *to, void *queue)
{
    move(from, to, true, queue);
}

extern "C" void zti_cuda_unpack(const void *from, const struct zti_array *to, void *queue)
{
    move(to, (void *)from, false, queue);
}
