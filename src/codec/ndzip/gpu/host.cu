/* host.cu: the CUDA instance of the ndzip codec: gpu/kernel.h for both widths, and the launches of
 * its kernels. */
#include "gpu/lookback.h"

#include "codec/gpu.h"
#include "codec/ndzip/tile/part.h"

/* Arguments of the kernels. */
struct cubes {
    struct zti_grid grid;
    struct shape shape;
    struct zti_view view;
    int64_t stride_bytes[3]; /* as in struct part, for cubes that the array's end does not cut */
    uint32_t rotation;
    uint32_t chunk_tiles;
    uint64_t *words;
    uint64_t words_count; /* decoding: of the stream; encoding: that may be written */
    uint64_t *states;
    uint64_t *starts;
    uint64_t first_tile;
    uint64_t first_chunk; /* encoding: the first chunk whose start is noted */
    const uint64_t *places;
    const uint64_t *chunks;
    uint64_t count; /* number of chunks */
};

enum { WARPS = 8 };

/* Set the part of a cube that lies in the view as a whole and has contiguous rows; false for any
 * other. Divides numbers of 32 bits where possible, because a division of 64 bits takes about 100
 * instructions. */
static __device__ __forceinline__ bool find_whole_part(const struct cubes *c, uint64_t tile,
                                                       struct part *p)
{
    const struct zti_array *const memory = &c->view.out;
    const bool is_small = c->grid.count >> 32 == 0;
    bool is_whole = c->stride_bytes[2] == (int64_t)c->shape.value_bytes;
    int64_t offset = 0;
    SIMT_UNROLL
    for (uint32_t i = ZT_MAX_RANK; i-- > 0;) {
        if (i >= c->grid.rank)
            continue;
        const uint64_t tiles = c->grid.tiles[i], side = c->grid.side[i], lo = c->view.lo[i];
        const uint64_t left = is_small ? (uint32_t)tile / (uint32_t)tiles : tile / tiles;
        const uint64_t origin = (tile - left * tiles) * side;
        is_whole &= origin >= lo && origin + side <= c->view.hi[i];
        offset += (int64_t)(origin - lo) * memory->stride[i];
        tile = left;
    }
    p->data = (uint8_t *)memory->data + offset * (int64_t)c->shape.value_bytes;
    for (uint32_t k = 0; k < 3; k++)
        p->stride_bytes[k] = c->stride_bytes[k];
    p->is_plain = is_whole;
    return is_whole;
}

/* Set the part of a cube inside the view; extents are 0 if it has none. */
static __device__ __forceinline__ void find_part(const struct cubes *c, uint64_t tile,
                                                 struct part *p)
{
    if (find_whole_part(c, tile, p))
        return;
    const struct zti_walk at = zti_walk_from(&c->grid, tile);
    *p = part_of(&c->grid, c->shape, &at, &c->view.out, c->view.lo, c->view.hi);
    for (uint32_t i = 0; i < c->grid.rank; i++)
        if (at.origin[i] >= c->view.hi[i] || at.origin[i] + c->grid.side[i] <= c->view.lo[i])
            for (uint32_t k = 0; k < 3; k++)
                p->extent[k] = p->skip[k] = 0;
    p->is_plain = false;
}

ZTI_NDZIP_FOLD(32, uint32_t, int32_t)
ZTI_NDZIP_FOLD(64, uint64_t, int64_t)

#define word        uint32_t
#define WIDTH       32
#define PUT_BLOCKS  5
#define TAKE_BLOCKS 5
#define NAME(x)     x##_32
#include "codec/ndzip/gpu/kernel.h" /* write_1d_32, read_1d_32, ... */

#define word  uint64_t
#define WIDTH 64
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define PUT_BLOCKS 3 /* sm_80 needs a few registers more than 64 */
#else
#define PUT_BLOCKS 4
#endif
#define TAKE_BLOCKS 4
#define NAME(x)     x##_64
#include "codec/ndzip/gpu/kernel.h" /* write_1d_64, read_1d_64, ... */

static bool has_kernels(const struct zti_coding *coding)
{
    return !zti_ndzip_is_stored(coding);
}

static uint64_t state_words(const struct zti_coding *coding, uint64_t tiles)
{
    (void)coding;
    return lookback_words(tiles);
}

static struct cubes cubes_of(const struct zti_coding *coding, const struct zti_view *view)
{
    struct cubes c;
    memset(&c, 0, sizeof c);
    c.grid = coding->grid;
    c.shape = shape_of(coding);
    c.view = *view;
    for (uint32_t i = 0; i < c.shape.rank; i++)
        c.stride_bytes[3 - c.shape.rank + i] =
            view->out.stride[c.shape.axis[i]] * (int64_t)c.shape.value_bytes;
    c.rotation = zti_ndzip_rotation(coding->type);
    return c;
}

/* Launch the kernel for a cube's rank. */
#define LAUNCH_WIDTH(direction, W, c, blocks, queue)                                               \
    do {                                                                                           \
        if ((c).shape.rank == 1)                                                                   \
            SIMT_LAUNCH(direction##_1d_##W, blocks, 32 * WARPS, 0, queue, c);                      \
        else if ((c).shape.rank == 2)                                                              \
            SIMT_LAUNCH(direction##_2d_##W, blocks, 32 * WARPS, 0, queue, c);                      \
        else                                                                                       \
            SIMT_LAUNCH(direction##_3d_##W, blocks, 32 * WARPS, 0, queue, c);                      \
    } while (0)

/* Launch the kernel for a cube's width and rank. */
#define LAUNCH(direction, c, blocks, queue)                                                        \
    do {                                                                                           \
        if ((c).shape.value_bytes == 4)                                                            \
            LAUNCH_WIDTH(direction, 32, c, blocks, queue);                                         \
        else                                                                                       \
            LAUNCH_WIDTH(direction, 64, c, blocks, queue);                                         \
    } while (0)

static zt_status encode(zt_context *context, const struct zti_cuda_encoding *e)
{
    (void)context;
    struct zti_view view;
    memset(&view, 0, sizeof view);
    view.out = e->array;
    memcpy(view.hi, e->array.shape, sizeof view.hi);
    struct cubes c = cubes_of(e->coding, &view);
    ZTI_CUDA_SET_ENCODING(&c, e);
    c.words_count = e->words_most > 0 ? e->words_most : UINT64_MAX / 2;
    LAUNCH(write, c, c.grid.count, e->queue);
    return ZT_OK;
}

static void decode(const struct zti_cuda_decoding *d)
{
    struct cubes c = cubes_of(d->coding, &d->view);
    ZTI_CUDA_SET_DECODING(&c, d);
    LAUNCH(read, c, c.count, d->queue);
}

extern "C" const struct zti_cuda_codec zti_cuda_ndzip = {
    false, true, NULL, has_kernels, state_words, encode, decode, NULL, NULL};
