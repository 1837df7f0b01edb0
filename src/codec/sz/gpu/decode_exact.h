/* decode_exact.h: kernel text: bits of values from runs of them, and which values are kept as
 * they are, as one thread reads it from a stream. */

/* Bits in order, a word at a time. */
struct runs {
    uint64_t *to, held;
    uint32_t at;
};

static __device__ __forceinline__ void add_run(struct runs *w, uint32_t length, bool is_set)
{
    const uint64_t all = is_set ? ~UINT64_C(0) : 0;
    const uint32_t end = w->at + length;
    uint64_t held = w->held | all << w->at % 64;
    for (uint32_t i = w->at / 64; i < end / 64; i++, held = all)
        w->to[i] = held;
    w->held = held & ((UINT64_C(1) << end % 64) - 1);
    w->at = end;
}

/* Zeros up to the last word of all. */
static __device__ __forceinline__ void end_runs(struct runs *w)
{
    if (w->at < ZTI_SZ_TILE_VALUES)
        add_run(w, ZTI_SZ_TILE_VALUES - w->at, false);
}

/* zti_sz_take_exact: which values are exact, from a reader that goes behind the marks; false where
 * they are not a tile's. *count: how many. One thread. */
static __device__ __forceinline__ bool take_exact(struct zti_bit_reader *r, uint64_t end_bits,
                                                  uint32_t n, uint32_t value_bytes, uint64_t *bits,
                                                  uint32_t *count)
{
    struct runs w = {bits, 0, 0};
    *count = 0;
    if (r->at + 8 > end_bits)
        return false;
    const uint32_t way = (uint32_t)zti_take_bits64(r, 8);
    if (way > ZTI_SZ_EXACT_BITMAP ||
        (way == ZTI_SZ_EXACT_BITMAP && r->at + (n + 7) / 8 * 8 > end_bits))
        return false;
    bool is_set = false;
    for (; way == ZTI_SZ_EXACT_RUNS && w.at < n; is_set = !is_set) {
        if (r->at + 8 > end_bits)
            return false;
        uint32_t length = (uint32_t)zti_take_bits64(r, 8);
        if (length >= 128) {
            if (r->at + 8 > end_bits)
                return false;
            length = (length & 127) | (uint32_t)zti_take_bits64(r, 8) << 7;
        }
        if (length > n - w.at || (length == 0 && w.at > 0))
            return false;
        *count += is_set ? length : 0;
        add_run(&w, length, is_set);
    }
    for (uint32_t i = 0; way == ZTI_SZ_EXACT_BITMAP && i < n; i += 64) {
        const uint32_t bytes = n - i < 64 ? (n - i + 7) / 8 : 8;
        const uint64_t all = n - i < 64 ? (UINT64_C(1) << (n - i)) - 1 : ~UINT64_C(0);
        w.held = zti_take_bits64(r, 8 * bytes) & all;
        *count += (uint32_t)__popcll(w.held);
        bits[i / 64] = w.held;
    }
    if (way == ZTI_SZ_EXACT_ALL) {
        add_run(&w, n, true);
        *count = n;
    }
    if (way != ZTI_SZ_EXACT_BITMAP)
        end_runs(&w);
    else
        for (uint32_t i = (n + 63) / 64; i < ZTI_SZ_GROUPS; i++)
            bits[i] = 0;
    return r->at + 8 * (uint64_t)*count * value_bytes <= end_bits;
}
