/* policy.h: the table of functions that each execution policy (serial, omp, cuda) gives to exec.c,
 * which does what all have in common. Used in src/exec only. Other parallel work on the host goes
 * through core/map.h. */
#ifndef ZTI_EXEC_POLICY_H
#define ZTI_EXEC_POLICY_H

#include "exec/stream.h"
#include "index/index.h"

/* Tiles [first, last) of a grid. */
struct zti_tiles {
    uint64_t first, last;
};

/* Add 'bits', the stream position of the tiles' first bit, to the starts of the chunks that begin
 * in these tiles. */
static inline void zti_offset_starts(const struct zti_starts *starts, struct zti_tiles tiles,
                                     uint64_t bits)
{
    for (uint64_t chunk = zti_index_chunks(tiles.first, starts->chunk_tiles);
         chunk < zti_index_chunks(tiles.last, starts->chunk_tiles); chunk++)
        starts->list[chunk] += bits;
}

/* Bytes of a window that stay free of tiles: what was left there, and the margin. */
enum { ZTI_WINDOW_REST_BYTES = ZTI_DRAIN_UNIT_BYTES + 4 * ZTI_BIT_MARGIN_BYTES };

/* exec.c: how many tiles a window of these bytes has room for, whatever they take; ZT_NO_MEMORY if
 * there is room for none. */
zt_status zti_tiles_in_window(zt_context *context, const struct zti_coding *coding,
                              uint64_t window_bytes, uint64_t *tiles);

struct zti_policy {
    bool is_by_kernels; /* arrays and streams may be in a GPU's memory; false: only in the host's */

    /* As zti_exec_encode, for tiles [first, last); cuda always gets all. starts count from
     * start_bits. */
    zt_status (*encode)(zt_context *context, const struct zti_coding *coding,
                        const struct zti_array *array, struct zti_tiles tiles, uint8_t *out,
                        size_t out_capacity_bytes, uint64_t start_bits, uint64_t *end_bits,
                        struct zti_misses *misses, const struct zti_starts *starts);
    /* As zti_exec_encode_pieces, but for the end: the window is set to what was not taken yet, and
     * *stream_bits to all of the stream's. NULL: encode is called for as many tiles as a window has
     * room for. */
    zt_status (*encode_pieces)(zt_context *context, const struct zti_coding *coding,
                               const struct zti_array *array, struct zti_window *window,
                               const struct zti_drain *drain, uint64_t *stream_bits,
                               struct zti_misses *misses, const struct zti_starts *starts);
    /* As zti_exec_decode, zti_exec_decode_scattered (scatter) and zti_exec_decode_noting (starts);
     * either may be NULL. */
    zt_status (*decode)(zt_context *context, const struct zti_coding *coding, const uint8_t *data,
                        size_t data_bytes, uint64_t start_bits, const struct zti_index *index,
                        const struct zti_view *view, const struct zti_scatter *scatter,
                        const struct zti_starts *starts, uint64_t *end_bits);

    /* Make one of the codec's passes over all tiles; tally is zeroed. passing may be NULL. */
    zt_status (*tally)(zt_context *context, struct zti_coding *coding, uint32_t pass,
                       const struct zti_array *array, void *tally,
                       const struct zti_passing *passing);

    /* Whether the policy can decode this well; if not, the host's policy does. NULL: always. */
    bool (*can_decode)(const struct zti_coding *coding, const struct zti_scatter *scatter);

    /* As zti_exec_checks_index and zti_exec_scratch; NULL: false, and nothing to do. */
    bool (*checks_index)(const struct zti_coding *coding, const struct zti_index *index,
                         const struct zti_view *view);
    zt_status (*scratch)(zt_context *context, const struct zti_coding *coding,
                         const struct zti_index_layout *layout, uint64_t *bytes);
};

extern const struct zti_policy zti_serial, zti_omp, zti_cuda;

/* The context's policy, or the host's if that cannot run this coding. */
const struct zti_policy *zti_policy_of(const zt_context *context, const struct zti_coding *coding);

/* The policy for decoding into a scatter, or into a view if that is NULL. */
const struct zti_policy *zti_policy_to_decode(const zt_context *context,
                                              const struct zti_coding *coding,
                                              const struct zti_scatter *scatter);

/* survey.c: make a pass on the host's threads. */
zt_status zti_tally_on_host(zt_context *context, struct zti_coding *coding, uint32_t pass,
                            const struct zti_array *array, void *tally,
                            const struct zti_passing *passing);

#endif
