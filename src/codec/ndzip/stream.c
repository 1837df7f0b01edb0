/* stream.c: the ndzip codec: describes its stream, and holds its table of functions, parameters and
 * head. walk.c and tile/ code the cubes.
 *
 * The stream is that of ndzip since March 2021. Source: F. Knorr, P. Thoman, T. Fahringer,
 * "ndzip-gpu: Efficient Lossless Compression of Scientific Floating-Point Data on GPUs", SC 2021.
 *
 * An array is cut into tiles (ndzip: hypercubes) of 4096 values: 4096, 64 x 64 or 16 x 16 x 16. A
 * word has the W bits of an element:
 *
 *     E[0] .. E[N-1]   where each tile's record ends: words from the first record, 32 bits each
 *     zero bytes       up to a whole word
 *     records          of the tiles, the array's last axis fastest, with nothing between them
 *
 * A tile's record has 4096 / W groups of W consecutive values:
 *
 *     masks            for each group a word: the OR of its values' residuals
 *     planes           for each group and each bit set in its mask, from the highest down: a word
 *                      with that bit of each residual, the first value's highest
 *
 * Residuals: values are rotated left by one bit, so that the sign is lowest. Along each axis, each
 * is replaced by its difference, modulo 2^W, to the one before it in the tile (0 before the first).
 * Then all bits but the highest of negative ones are flipped.
 *
 * In a bare stream all tiles are whole; elements outside them follow the records unchanged, in C
 * order. In a .zt frame the table is the stream's head and serves as its index, and the last tile
 * along an axis is padded (tile/part.h). A 4-D array has tiles of 1 x 16 x 16 x 16. Integers are
 * not rotated. */
#include "codec/learning.h"
#include "codec/ndzip/ndzip.h"
#include "codec/planning.h"

#include <math.h>

static uint32_t width_of(const struct zti_coding *coding)
{
    return 8 * (uint32_t)zt_type_bytes(coding->type);
}

/* A chunk is one tile, because the table has the end of each. */
static uint32_t chunk_tiles(uint32_t rank)
{
    (void)rank;
    return 1;
}

static zt_status configure(zt_context *context, const struct zti_target *target,
                           struct zti_coding *coding)
{
    if (target->kind != ZT_LOSSLESS)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "the ndzip codec is lossless; ask for no bound, or choose another codec");
    if (coding->grid.count > UINT32_MAX / (ZTI_NDZIP_VALUES + ZTI_NDZIP_VALUES / width_of(coding)))
        return zti_fail(context, ZT_UNSUPPORTED,
                        "a frame of %llu tiles could outgrow the 32-bit table of an ndzip stream; "
                        "lower slab_bytes, or choose another codec",
                        (unsigned long long)coding->grid.count);
    coding->verify_bound = NAN;
    return ZT_OK;
}

/* The codec's part of a frame header: one byte, 1 if the coding is raw, else 0. */
static size_t store_params(const struct zti_coding *coding, uint8_t *out)
{
    out[0] = zti_ndzip_is_stored(coding);
    return 1;
}

static void copy(struct zti_coding *coding)
{
    static const uint32_t one[ZT_MAX_RANK] = {1, 1, 1, 1};
    coding->grid = zti_grid_of(coding->grid.rank, coding->grid.shape, one);
}

static zt_status load_params(zt_context *context, const uint8_t *in, size_t in_bytes,
                             struct zti_coding *coding)
{
    if (in_bytes != 1 || in[0] > 1)
        return zti_fail(context, ZT_CORRUPT, "the ndzip parameters of a frame make no sense");
    if (in[0])
        copy(coding);
    coding->verify_bound = NAN;
    return ZT_OK;
}

static void describe(const struct zti_coding *coding, zt_info *info)
{
    (void)coding;
    (void)info;
}

/* A strip of cubes prefetches the lines of the next strip, so a thread should have long pieces. */
enum { PIECE_BYTES = 1024 * 1024 };

/* The shortest tile has all masks and no plane. */
static struct zti_sizes sizes(const struct zti_coding *coding)
{
    const uint32_t width = width_of(coding);
    const bool is_stored = zti_ndzip_is_stored(coding);
    const uint64_t most =
        is_stored ? width : (uint64_t)(ZTI_NDZIP_VALUES + ZTI_NDZIP_VALUES / width) * width;
    return (struct zti_sizes){.tile_min_bits = is_stored ? width : ZTI_NDZIP_VALUES,
                              .tile_max_bits = most,
                              .tile_read_max_bits = most,
                              .tile_fixed_bits = is_stored ? width : 0,
                              .align_bits = width,
                              .unit_bits = width,
                              .piece_bytes = PIECE_BYTES};
}

/* ---- the head: the table of ends ---- */

static uint64_t head_bytes(const struct zti_coding *coding)
{
    return zti_ndzip_is_stored(coding) ? 0
                                       : zti_round_up(4 * coding->grid.count, width_of(coding) / 8);
}

static void encode_head(const struct zti_coding *coding, const uint64_t *starts, uint8_t *head)
{
    const uint32_t width = width_of(coding);
    const uint64_t n = coding->grid.count, used = 4 * n, bytes = head_bytes(coding);
    if (bytes == 0)
        return;
    for (uint64_t i = 0; i < n; i++)
        zti_put_le32(head + 4 * i, (uint32_t)(starts[i + 1] / width));
    memset(head + used, 0, (size_t)(bytes - used));
}

static zt_status decode_head(zt_context *context, struct zti_coding *coding, const uint8_t *head)
{
    const uint32_t groups = ZTI_NDZIP_VALUES / width_of(coding);
    uint32_t end = 0;
    for (uint64_t i = 0; i < coding->grid.count && head_bytes(coding) > 0; i++) {
        const uint32_t next = zti_get_le32(head + 4 * i);
        if (next < end || next - end < groups || next - end > groups + ZTI_NDZIP_VALUES)
            return zti_fail(context, ZT_CORRUPT,
                            "the ndzip stream is damaged: its table says that tile %llu of %llu "
                            "has words %u to %u",
                            (unsigned long long)i, (unsigned long long)coding->grid.count, end,
                            next);
        end = next;
    }
    return ZT_OK;
}

static const uint32_t tile_shape[ZT_MAX_RANK][ZT_MAX_RANK] = {
    {4096}, {64, 64}, {16, 16, 16}, {1, 16, 16, 16}};

static const struct zti_learning learning = {.head_max_bytes = head_bytes,
                                             .head_bytes = head_bytes,
                                             .encode_head = encode_head,
                                             .decode_head = decode_head,
                                             .has_ends = true};

static uint32_t candidates(const zt_params *params, bool is_lossy, struct zti_candidate *list)
{
    enum { SPEED = 1900 };
    const bool is_open = params->codec == ZT_CODEC_AUTO;
    list[0] = (struct zti_candidate){.codec = ZT_CODEC_NDZIP,
                                     .effort = is_open ? ZT_EFFORT_DEFAULT : params->effort,
                                     .is_lossy = is_lossy,
                                     .speed = SPEED};
    return !is_lossy || !is_open;
}

/* Measured with AVX-512. */
static const struct zti_decode_times decode_times[2] = {
    {{0.55, 0.55, 0.55, 0.55}, {0, 0, 0, 0}, 1.3}, {{1.1, 1.1, 1.1, 1.1}, {0, 0, 0, 0}, 2.0}};

static const struct zti_planning planning = {.candidates = candidates,
                                             .decode_times = decode_times};

static const struct zti_tables tables = {.learning = &learning, .planning = &planning};

const struct zti_codec zti_codec_ndzip = {.name = "ndzip",
                                          .id = ZT_CODEC_NDZIP,
                                          .tile_shape = tile_shape,
                                          .chunk_tiles = chunk_tiles,
                                          .configure = configure,
                                          .store_params = store_params,
                                          .load_params = load_params,
                                          .describe = describe,
                                          .sizes = sizes,
                                          .encode = zti_ndzip_encode,
                                          .decode = zti_ndzip_decode,
                                          .skip = zti_ndzip_skip,
                                          .copy = copy,
                                          .tables = &tables};
