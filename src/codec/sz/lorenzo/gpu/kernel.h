/* kernel.h: kernel text: tiles of values to bytes and back, a block a tile. The includer defines
 *   word        a type, uint32_t or uint64_t: as wide as a value
 *   scalar      a type, float or double, as wide
 *   WIDTH       their bits
 *   IS_LOG      whether values are coded as logarithms, 0 or 1
 *   PUT_BLOCKS  blocks that are to be in a multiprocessor at a time, by what shared memory and
 *   TAKE_BLOCKS registers allow: coding, and decoding
 *   NAME(x)     x with this instance's suffix
 *
 *     values --> integers --> a warp a group of 64: differences along all axes, class and lengths
 *     --> sums --> every group's bits or'ed into place --> kept --> look-back --> stream
 *
 * The integers' place in shared memory takes the bytes at last, the values' place residuals.
 *
 * Narrow integers of 64-bit values are kept in 64 bits: sums and differences modulo 2^64 are those
 * modulo 2^32 in their lower half. */
#include "codec/sz/quantize/nearest.h" /* nearest */

#include "codec/sz/quantize/logarithm.h" /* log_at_once, log_or_exact, number */

#include "codec/sz/lorenzo/gpu/tile.h"

#include "codec/sz/lorenzo/gpu/walk.h"

#include "codec/sz/gpu/marks.h"

#include "codec/sz/lorenzo/gpu/values.h"

#include "codec/sz/lorenzo/gpu/parts.h"

#include "codec/sz/lorenzo/gpu/integers.h"

#include "codec/sz/lorenzo/gpu/rice.h"

#include "codec/sz/gpu/runs.h"

#include "codec/sz/gpu/encode_exact.h"

#include "codec/sz/gpu/encode_marks.h"

#include "codec/sz/lorenzo/gpu/huffman.h"

#include "codec/sz/lorenzo/gpu/measure.h"

#include "codec/sz/lorenzo/gpu/encode.h"

#include "codec/sz/lorenzo/gpu/tile_state.h"

#include "codec/sz/lorenzo/gpu/residuals.h"

#include "codec/sz/lorenzo/gpu/decode.h"

#define KERNEL(threads, blocks) SIMT_KERNEL void __launch_bounds__(threads, blocks)

#define LAUNCH_NAMED(kernel, blocks, threads, bytes)                                               \
    SIMT_LAUNCH(kernel, blocks, threads, bytes, queue, *s)

#if IS_LOG

/* Fewer arrays are coded so: the kernels are those of all efforts. */
KERNEL(PUT_THREADS, PUT_BLOCKS) NAME(put)(const struct sz_tiles s)
{
    put_tiles(&s, s.sz.effort);
}

KERNEL(THREADS, TAKE_BLOCKS) NAME(take)(const struct sz_tiles s)
{
    take_slot(&s, s.sz.effort);
}

KERNEL(PUT_THREADS, PUT_BLOCKS) NAME(count)(const struct sz_tiles s)
{
    count_tile(&s, s.sz.effort);
}

#define LAUNCH(kernel, blocks, threads, bytes)                                                     \
    LAUNCH_NAMED(NAME(kernel), blocks, threads, (bytes) + sizeof(struct marks))

#else

KERNEL(PUT_THREADS, PUT_BLOCKS) NAME(put_fast)(const struct sz_tiles s)
{
    put_tiles(&s, ZT_EFFORT_FAST);
}

KERNEL(PUT_THREADS, PUT_BLOCKS) NAME(put_default)(const struct sz_tiles s)
{
    put_tiles(&s, ZT_EFFORT_DEFAULT);
}

KERNEL(PUT_THREADS, PUT_BLOCKS) NAME(put_paper)(const struct sz_tiles s)
{
    put_tiles(&s, ZT_EFFORT_PAPER);
}

KERNEL(THREADS, TAKE_BLOCKS) NAME(take_fast)(const struct sz_tiles s)
{
    take_slot(&s, ZT_EFFORT_FAST);
}

KERNEL(THREADS, TAKE_BLOCKS) NAME(take_default)(const struct sz_tiles s)
{
    take_slot(&s, ZT_EFFORT_DEFAULT);
}

KERNEL(THREADS, TAKE_BLOCKS) NAME(take_paper)(const struct sz_tiles s)
{
    take_slot(&s, ZT_EFFORT_PAPER);
}

KERNEL(PUT_THREADS, PUT_BLOCKS) NAME(count_default)(const struct sz_tiles s)
{
    count_tile(&s, ZT_EFFORT_DEFAULT);
}

KERNEL(PUT_THREADS, PUT_BLOCKS) NAME(count_paper)(const struct sz_tiles s)
{
    count_tile(&s, ZT_EFFORT_PAPER);
}

/* A kernel, by the effort. */
#define LAUNCH(kernel, blocks, threads, bytes)                                                     \
    do {                                                                                           \
        if (s->sz.effort == ZT_EFFORT_FAST)                                                        \
            LAUNCH_NAMED(NAME(kernel##_fast), blocks, threads, bytes);                             \
        else if (s->sz.effort == ZT_EFFORT_PAPER)                                                  \
            LAUNCH_NAMED(NAME(kernel##_paper), blocks, threads, bytes);                            \
        else                                                                                       \
            LAUNCH_NAMED(NAME(kernel##_default), blocks, threads, bytes);                          \
    } while (0)

#endif

/* Codes are there for effort 'default' alone. */
extern "C" void NAME(zti_sz_cuda_put)(const struct sz_tiles *s, void *queue)
{
    const size_t codes =
        s->sz.effort == ZT_EFFORT_DEFAULT ? ZTI_SZ_BOOKS * 256 * sizeof(uint32_t) : 0;
    LAUNCH(put, simt_at_most(s->grid.count, PUT_MOST), PUT_THREADS, sizeof(struct coding) + codes);
}

extern "C" void NAME(zti_sz_cuda_take)(const struct sz_tiles *s, void *queue)
{
    const uint64_t blocks = s->chunks_each * s->tiles_each;
#if IS_LOG
    LAUNCH_NAMED(NAME(take), blocks, THREADS, sizeof(struct taking));
#else
    LAUNCH(take, blocks, THREADS, sizeof(struct taking));
#endif
}

extern "C" void NAME(zti_sz_cuda_count)(const struct sz_tiles *s, void *queue)
{
#if IS_LOG
    LAUNCH(count, s->grid.count, PUT_THREADS, sizeof(struct coding));
#else
    if (s->sz.effort == ZT_EFFORT_PAPER)
        LAUNCH_NAMED(NAME(count_paper), s->grid.count, PUT_THREADS, sizeof(struct coding));
    else
        LAUNCH_NAMED(NAME(count_default), s->grid.count, PUT_THREADS, sizeof(struct coding));
#endif
}
