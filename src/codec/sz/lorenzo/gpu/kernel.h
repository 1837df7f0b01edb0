/* kernel.h: kernel text: a block encodes a tile of values to bytes, or decodes it. The includer
 * defines
 *   word        a type, uint32_t or uint64_t: as wide as a value
 *   scalar      a type, float or double, as wide
 *   WIDTH       their bits
 *   IS_LOG      whether values are coded as logarithms, 0 or 1
 *   IS_KEYS     whether integers are keys (quantize/keys.h), 0 or 1
 *   ENCODE_BLOCKS, DECODE_BLOCKS
 *               blocks that a multiprocessor is to hold at a time, as shared memory and registers
 *               allow
 *   NAME(x)     x with this instance's suffix
 *
 *     values --> integers --> a warp a group of 64: differences along all axes, class and lengths
 *     --> sums --> every group's bits or'ed into place --> kept --> look-back --> stream
 *
 * The bytes overwrite the integers in shared memory, and residuals overwrite the values.
 *
 * Narrow integers of 64-bit values are kept in 64 bits: sums and differences modulo 2^64 are those
 * modulo 2^32 in their lower half. */
#include "codec/sz/quantize/nearest.h" /* nearest */

#include "codec/sz/quantize/logarithm.h" /* log_at_once, log_or_exact, number */

#if IS_KEYS
#include "codec/sz/lossless/decimals.h"

#include "codec/sz/quantize/keys.h" /* of_key */
#endif

#include "codec/sz/lorenzo/gpu/walk.h"

#include "codec/sz/gpu/marks.h"

#include "codec/sz/lorenzo/gpu/values.h"

#include "codec/sz/lorenzo/gpu/integers.h"

#include "codec/sz/lorenzo/gpu/rice.h"

#include "codec/sz/gpu/runs.h"

#include "codec/sz/gpu/encode_exact.h"

#include "codec/sz/gpu/encode_marks.h"

#include "codec/sz/lorenzo/gpu/huffman.h"

#include "codec/sz/lorenzo/gpu/measure.h"

#include "codec/sz/lorenzo/gpu/encode.h"

#include "codec/sz/lorenzo/gpu/sample.h"

#include "codec/sz/lorenzo/gpu/tile_state.h"

#include "codec/sz/lorenzo/gpu/residuals.h"

#include "codec/sz/lorenzo/gpu/decode.h"

#define KERNEL(name, threads, blocks, work)                                                        \
    SIMT_KERNEL void SIMT_BOUNDS(threads, blocks) NAME(name)(const struct sz_tiles s)              \
    {                                                                                              \
        work;                                                                                      \
    }

#define LAUNCH_NAMED(kernel, blocks, threads, bytes)                                               \
    SIMT_LAUNCH(kernel, blocks, threads, bytes, queue, *s)

/* Few blocks, which have registers for what one thread works out. */
KERNEL(look, ENCODE_THREADS, 2, look_at_box(&s, s.counts))
KERNEL(race, ENCODE_THREADS, 2, race_tile(&s, s.counts))

/* Of effort 'default', which alone has codes in shared memory. */
#define CODES_BYTES (ZTI_SZ_BOOKS * 256 * sizeof(uint32_t))

#if IS_LOG || IS_KEYS

/* For less frequent kinds of streams, one kernel serves all efforts. */
KERNEL(encode, ENCODE_THREADS, ENCODE_BLOCKS, encode_tiles(&s, &s, s.sz.coder))
KERNEL(decode, THREADS, DECODE_BLOCKS, decode_slot(&s, s.sz.coder, blockIdx.x))
KERNEL(count, ENCODE_THREADS, ENCODE_BLOCKS, count_tile(&s, s.sz.coder))

#define LAUNCH(kernel, blocks, threads, bytes) LAUNCH_NAMED(NAME(kernel), blocks, threads, bytes)
#define MARKS_BYTES                            (IS_LOG ? sizeof(struct marks) : 0)

#else

/* From 10.0 on it takes more registers than four blocks have. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000 && WIDTH == 32
#define CUSZ_BLOCKS 3
#else
#define CUSZ_BLOCKS ENCODE_BLOCKS
#endif

KERNEL(encode_fast, ENCODE_THREADS, ENCODE_BLOCKS, encode_tiles(&s, &s, ZTI_SZ_FAST))
KERNEL(encode_default, ENCODE_THREADS, ENCODE_BLOCKS, encode_tiles(&s, &s, ZTI_SZ_DEFAULT))
KERNEL(encode_cusz, ENCODE_THREADS, CUSZ_BLOCKS, encode_tiles(&s, &s, ZTI_SZ_CUSZ))
KERNEL(decode_fast, THREADS, DECODE_BLOCKS, decode_slot(&s, ZTI_SZ_FAST, blockIdx.x))
KERNEL(decode_default, THREADS, DECODE_BLOCKS, decode_slot(&s, ZTI_SZ_DEFAULT, blockIdx.x))
KERNEL(decode_cusz, THREADS, DECODE_BLOCKS, decode_slot(&s, ZTI_SZ_CUSZ, blockIdx.x))
KERNEL(count_default, ENCODE_THREADS, ENCODE_BLOCKS, count_tile(&s, ZTI_SZ_DEFAULT))
KERNEL(count_cusz, ENCODE_THREADS, ENCODE_BLOCKS, count_tile(&s, ZTI_SZ_CUSZ))

/* For arguments in the device's memory. Samples go to a tally that these do not name. */
#define SAMPLES_ALONE(name, work)                                                                  \
    SIMT_KERNEL void SIMT_BOUNDS(ENCODE_THREADS, 2)                                                \
        NAME(name)(const struct sz_tiles *const there, uint64_t *const tally)                      \
    {                                                                                              \
        work(there, tally);                                                                        \
    }

SAMPLES_ALONE(look_alone, look_at_box)
SAMPLES_ALONE(race_alone, race_tile)

SIMT_KERNEL void SIMT_BOUNDS(ENCODE_THREADS, ENCODE_BLOCKS)
    NAME(count_alone)(const struct sz_tiles *const there)
{
    SIMT_SHARED(struct sz_tiles, s, );
    if (blockIdx.x >= there->grid.count || !zti_sz_is_counted(blockIdx.x, there->part))
        return;
    copy_arguments(&s, there);
    count_tile(&s, ZTI_SZ_DEFAULT);
}

/* Of both efforts, one kernel has nothing to do: which, is chosen after they are launched. known:
 * the arguments that the host knows. */
#define ENCODE_ALONE(name, coder_of_it)                                                            \
    SIMT_KERNEL void SIMT_BOUNDS(ENCODE_THREADS, ENCODE_BLOCKS)                                    \
        NAME(name)(const struct sz_tiles *const there, SIMT_ARGUMENT struct sz_tiles known)        \
    {                                                                                              \
        SIMT_SHARED(struct sz_tiles, s, );                                                         \
        if (there->sz.coder != coder_of_it)                                                        \
            return;                                                                                \
        copy_arguments(&s, there);                                                                 \
        encode_tiles(&s, &known, coder_of_it);                                                     \
    }

ENCODE_ALONE(encode_fast_alone, ZTI_SZ_FAST)
ENCODE_ALONE(encode_default_alone, ZTI_SZ_DEFAULT)

/* With effort default, and for 8.0 also with fast, it takes a few registers more than five blocks
 * have. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900 && WIDTH == 64
#define DECODE_ALONE_BLOCKS (DECODE_BLOCKS - 1)
#else
#define DECODE_ALONE_BLOCKS DECODE_BLOCKS
#endif
#define DECODE_DEFAULT_ALONE_BLOCKS (WIDTH == 64 ? DECODE_BLOCKS - 1 : DECODE_ALONE_BLOCKS)

#define DECODE_ALONE(name, coder_of_it, blocks)                                                    \
    SIMT_KERNEL void SIMT_BOUNDS(THREADS, blocks) NAME(name)(const struct sz_tiles *const there)   \
    {                                                                                              \
        SIMT_SHARED(struct sz_tiles, s, );                                                         \
        const uint64_t slots = there->chunks_each * there->tiles_each;                             \
        if (blockIdx.x >= slots || there->sz.coder != coder_of_it)                                 \
            return;                                                                                \
        copy_arguments(&s, there);                                                                 \
        for (uint64_t slot = blockIdx.x; slot < slots; slot += gridDim.x) {                        \
            decode_slot(&s, coder_of_it, slot);                                                    \
            __syncthreads(); /* the tile's shared memory is the next one's */                      \
        }                                                                                          \
    }

DECODE_ALONE(decode_fast_alone, ZTI_SZ_FAST, DECODE_ALONE_BLOCKS)
DECODE_ALONE(decode_default_alone, ZTI_SZ_DEFAULT, DECODE_DEFAULT_ALONE_BLOCKS)

extern "C" void NAME(zti_sz_cuda_sample_alone)(const struct sz_tiles *s,
                                               const struct sz_tiles *there, uint32_t pass,
                                               struct zti_sz_tally *tally, void *queue)
{
    uint64_t *const counts = (uint64_t *)(void *)tally;
    if (pass == ZTI_SZ_LOOK_PASS)
        SIMT_LAUNCH(NAME(look_alone), look_blocks(s), ENCODE_THREADS, sizeof(struct encode_state),
                    queue, there, counts);
    else
        SIMT_LAUNCH(NAME(race_alone), race_blocks_most(), ENCODE_THREADS,
                    sizeof(struct encode_state), queue, there, counts);
}

extern "C" void NAME(zti_sz_cuda_count_alone)(const struct sz_tiles *there, uint64_t tiles,
                                              void *queue)
{
    SIMT_LAUNCH(NAME(count_alone), tiles, ENCODE_THREADS, sizeof(struct encode_state), queue,
                there);
}

/* With effort fast only the one kernel is launched; with default both. */
extern "C" void NAME(zti_sz_cuda_encode_alone)(const struct sz_tiles *s,
                                               const struct sz_tiles *there, uint64_t tiles,
                                               void *queue)
{
    const unsigned blocks = simt_at_most(tiles, ENCODE_BLOCKS * simt_multiprocessors());
    SIMT_LAUNCH(NAME(encode_fast_alone), blocks, ENCODE_THREADS, sizeof(struct encode_state), queue,
                there, *s);
    if (s->sz.coder == ZTI_SZ_DEFAULT)
        SIMT_LAUNCH(NAME(encode_default_alone), blocks, ENCODE_THREADS,
                    sizeof(struct encode_state) + CODES_BYTES, queue, there, *s);
}

extern "C" void NAME(zti_sz_cuda_decode_alone)(const struct sz_tiles *there,
                                               const struct sz_launches *l, void *queue)
{
    const unsigned blocks = simt_at_most(l->slots, 4 * DECODE_BLOCKS * simt_multiprocessors());
    if (l->has_fast)
        SIMT_LAUNCH(NAME(decode_fast_alone), blocks, THREADS, sizeof(struct decode_state), queue,
                    there);
    if (l->has_default)
        SIMT_LAUNCH(NAME(decode_default_alone), blocks, THREADS, sizeof(struct decode_state), queue,
                    there);
}

#define MARKS_BYTES 0
/* Launch the kernel of an effort. */
#define LAUNCH(kernel, blocks, threads, bytes)                                                     \
    do {                                                                                           \
        if (s->sz.coder == ZTI_SZ_FAST)                                                            \
            LAUNCH_NAMED(NAME(kernel##_fast), blocks, threads, bytes);                             \
        else if (s->sz.coder == ZTI_SZ_CUSZ)                                                       \
            LAUNCH_NAMED(NAME(kernel##_cusz), blocks, threads, bytes);                             \
        else                                                                                       \
            LAUNCH_NAMED(NAME(kernel##_default), blocks, threads, bytes);                          \
    } while (0)

#endif

extern "C" size_t NAME(zti_sz_cuda_shared)(void)
{
    const size_t encoding = sizeof(struct encode_state) + MARKS_BYTES + CODES_BYTES;
    return encoding > sizeof(struct decode_state) ? encoding : sizeof(struct decode_state);
}

extern "C" void NAME(zti_sz_cuda_encode)(const struct sz_tiles *s, void *queue)
{
    const size_t codes = s->sz.coder == ZTI_SZ_DEFAULT ? CODES_BYTES : 0;
    LAUNCH(encode, simt_at_most(s->grid.count, ENCODE_BLOCKS * simt_multiprocessors()),
           ENCODE_THREADS, sizeof(struct encode_state) + MARKS_BYTES + codes);
}

extern "C" void NAME(zti_sz_cuda_decode)(const struct sz_tiles *s, void *queue)
{
    const uint64_t blocks = s->chunks_each * s->tiles_each;
    LAUNCH(decode, blocks, THREADS, sizeof(struct decode_state));
}

extern "C" void NAME(zti_sz_cuda_count)(const struct sz_tiles *s, void *queue)
{
#if IS_LOG || IS_KEYS
    LAUNCH(count, s->grid.count, ENCODE_THREADS, sizeof(struct encode_state) + MARKS_BYTES);
#else
    if (s->sz.coder == ZTI_SZ_CUSZ)
        LAUNCH_NAMED(NAME(count_cusz), s->grid.count, ENCODE_THREADS, sizeof(struct encode_state));
    else
        LAUNCH_NAMED(NAME(count_default), s->grid.count, ENCODE_THREADS,
                     sizeof(struct encode_state));
#endif
}

extern "C" void NAME(zti_sz_cuda_sample)(const struct sz_tiles *s, uint32_t pass, void *queue)
{
    const size_t bytes = sizeof(struct encode_state) + MARKS_BYTES;
    if (pass == ZTI_SZ_LOOK_PASS)
        LAUNCH_NAMED(NAME(look), look_blocks(s), ENCODE_THREADS, bytes);
    else
        LAUNCH_NAMED(NAME(race), race_blocks(s), ENCODE_THREADS, bytes);
}
