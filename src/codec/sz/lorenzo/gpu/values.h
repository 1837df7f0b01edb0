/* values.h: kernel text: places of integers in shared memory, and the conversion of integers to
 * values. Its parameters are those of lorenzo/gpu/kernel.h. */

/* Decoded integers have an unused word after each 32 in shared memory, so that threads at equal
 * places of their 32 use different banks. */
enum { PADDED = ZTI_SZ_TILE_VALUES + ZTI_SZ_TILE_VALUES / 32 };

static __device__ __forceinline__ uint32_t padded_place(uint32_t i)
{
    return i + i / 32;
}

static __device__ __forceinline__ word above(word u, uint32_t k)
{
    return k < WIDTH ? u >> k : 0;
}

static __device__ __forceinline__ word fold(word d, bool is_narrow)
{
    const uint32_t low = (uint32_t)d;
    return is_narrow ? (word)ZTI_SZ_FOLDED(low, 32) : ZTI_SZ_FOLDED(d, WIDTH);
}

static __device__ __forceinline__ word unfold(word u, bool is_narrow)
{
    const word own = is_narrow ? (word)(uint32_t)u : u;
    return ZTI_SZ_UNFOLDED(own);
}

/* ---- integers to values ---- */

/* The bits of a value from its integer. */
static __device__ __forceinline__ word value_of(const struct sz_tiles *s, uint32_t form,
                                                word integer)
{
    const bool is_narrow = (form & ZTI_SZ_KIND) == ZTI_SZ_NARROW;
    const int64_t q =
        WIDTH == 32 || is_narrow ? (int64_t)(int32_t)(uint32_t)integer : (int64_t)integer;
    if (is_of_bits(&s->sz, form))
        return ZTI_SZ_ORDERED(integer, WIDTH);
#if IS_KEYS
    return bits_of(NAME(of_key)(&s->sz, s->ten, q));
#endif
    if (IS_LOG && (WIDTH == 32 || is_narrow)) {
        const double fineness = (double)s->sz.fineness;
        return bits_of(NAME(number)((double)q, fineness, 1 / fineness));
    }
    if (IS_LOG)
        return bits_of(NAME(wide_number)(q, &s->sz));
    if (s->sz.source == ZTI_SZ_LATTICE)
        return bits_of(NAME(multiple_of)((double)q, s->sz.step));
    return (word)multiple_within(q, (int64_t)s->sz.whole_step, s->least, s->most,
                                 WIDTH == 32 ? INT32_MIN : INT64_MIN,
                                 WIDTH == 32 ? INT32_MAX : INT64_MAX);
}
