/* sz_rows_back.h: kernel text: folded residuals in the order of groups to a tile's integers, or to
 * the numbers that these are multiples for, in one pass over its rows: taken from blocks, unfolded,
 * summed along all axes at once, the base added. The inverse of sz_rows.h, whose walk it takes. The
 * includer defines uval, VAL_BITS and NAME(x), and has included sz_rows.h.
 *
 * A row is worked on in lines, which are as long as a register. The last of them may be longer than
 * what is left of the row: its other values are read from what is behind, and only what is held for
 * the rows that follow and integers, whose next row is written later, get to know them. */

#if defined(__AVX512F__)
#define LINE_BYTES 64
#elif defined(__AVX2__)
#define LINE_BYTES 32
#else
#define LINE_BYTES 16
#endif
#define LANES (8 * LINE_BYTES / VAL_BITS)

#if VAL_BITS == 32
typedef int32_t NAME(signed_line) __attribute__((vector_size(LINE_BYTES)));
#else
typedef int64_t NAME(signed_line) __attribute__((vector_size(LINE_BYTES)));
#endif

/* What becomes of integers. */
enum NAME(product) {
    NAME(PLAIN),     /* they stay integers */
    NAME(F32),       /* floats: the products of doubles, rounded */
    NAME(F32_SHORT), /* floats: the products of floats, where these are the same */
    NAME(F64)
};

/* Each value becomes the sum of all up to it, in 'last' to be the last of them in all places. */
ZTI_INLINE NAME(line) NAME(sums_in_line)(NAME(line) v)
{
#if defined(__AVX512F__) && VAL_BITS == 32
    return (NAME(line))sums_of_lanes_32((__m512i)v);
#elif defined(__AVX512F__)
    const __m512i none = _mm512_setzero_si512();
    v += (NAME(line))_mm512_alignr_epi64((__m512i)v, none, 7);
    v += (NAME(line))_mm512_alignr_epi64((__m512i)v, none, 6);
    return v + (NAME(line))_mm512_alignr_epi64((__m512i)v, none, 4);
#elif defined(__AVX2__) && VAL_BITS == 32
    v += (NAME(line))_mm256_slli_si256((__m256i)v, 4);
    v += (NAME(line))_mm256_slli_si256((__m256i)v, 8);
    const __m256i low = _mm256_permute2x128_si256((__m256i)v, (__m256i)v, 0x08);
    return v + (NAME(line))_mm256_shuffle_epi32(low, 0xff);
#elif defined(__AVX2__)
    v += (NAME(line))_mm256_slli_si256((__m256i)v, 8);
    const __m256i low = _mm256_permute2x128_si256((__m256i)v, (__m256i)v, 0x08);
    return v + (NAME(line))_mm256_unpackhi_epi64(low, low);
#else
    for (uint32_t i = 1; i < LANES; i++)
        v[i] += v[i - 1];
    return v;
#endif
}

/* The last of a line in all places. */
ZTI_INLINE NAME(line) NAME(last_in_line)(NAME(line) v)
{
#if defined(__AVX512F__) && VAL_BITS == 32
    return (NAME(line))last_of_lanes_32((__m512i)v);
#elif defined(__AVX512F__)
    return (NAME(line))_mm512_permutexvar_epi64(_mm512_set1_epi64(7), (__m512i)v);
#elif defined(__AVX2__) && VAL_BITS == 32
    return (NAME(line))_mm256_permutevar8x32_epi32((__m256i)v, _mm256_set1_epi32(7));
#elif defined(__AVX2__)
    return (NAME(line))_mm256_permute4x64_epi64((__m256i)v, 0xff);
#else
    return (NAME(line)){0} + v[LANES - 1];
#endif
}

/* A line of residuals, unfolded, from its place: so many values are side by side in a block; 0: all
 * are. */
ZTI_INLINE NAME(line) NAME(take_line)(const uval *from, uint32_t part)
{
    NAME(line) v;
#define QUARTER(i) _mm_loadu_si128((const __m128i *)(const void *)(from + (i) * ZTI_SZ_GROUP))
#define HALF(i) _mm256_loadu_si256((const __m256i *)(const void *)(from + (i) * ZTI_SZ_GROUP))
#if defined(__AVX512F__) && VAL_BITS == 32
    if (part == 4) {
        const __m512i two = _mm512_inserti32x4(_mm512_castsi128_si512(QUARTER(0)), QUARTER(1), 1);
        v = (NAME(line))_mm512_inserti32x4(_mm512_inserti32x4(two, QUARTER(2), 2), QUARTER(3), 3);
    } else
#endif
#if defined(__AVX512F__)
        if (2 * part == LANES)
        v = (NAME(line))_mm512_inserti64x4(_mm512_castsi256_si512(HALF(0)), HALF(1), 1);
    else
#elif defined(__AVX2__)
    if (2 * part == LANES)
        v = (NAME(line))_mm256_inserti128_si256(_mm256_castsi128_si256(QUARTER(0)), QUARTER(1), 1);
    else
#endif
        v = NAME(load_line)(from);
#undef QUARTER
#undef HALF
    (void)part;
    return (v >> 1) ^ -(v & 1);
}

ZTI_INLINE uint32_t NAME(four_at)(const uint8_t *from)
{
    uint32_t four;
    memcpy(&four, from, sizeof four);
    return four;
}

ZTI_INLINE uint64_t NAME(eight_at)(const uint8_t *from)
{
    uint64_t eight;
    memcpy(&eight, from, sizeof eight);
    return eight;
}

/* The same of residuals that are in bytes, unfolded. */
ZTI_INLINE NAME(line) NAME(take_small_line)(const uint8_t *from, uint32_t part)
{
    typedef uint8_t bytes __attribute__((vector_size(LANES)));
    typedef int8_t signed_bytes __attribute__((vector_size(LANES)));
    bytes v;
#define FOUR(i) NAME(four_at)(from + (i) * ZTI_SZ_GROUP)
#define EIGHT(i) NAME(eight_at)(from + (i) * ZTI_SZ_GROUP)
#if LANES == 16
    typedef uint32_t fours __attribute__((vector_size(LANES)));
    typedef uint64_t eights __attribute__((vector_size(LANES)));
    if (part == 4)
        v = (bytes)(fours){FOUR(0), FOUR(1), FOUR(2), FOUR(3)};
    else if (part == 8)
        v = (bytes)(eights){EIGHT(0), EIGHT(1)};
    else
#elif LANES == 8
    typedef uint32_t fours __attribute__((vector_size(LANES)));
    if (part == 4)
        v = (bytes)(fours){FOUR(0), FOUR(1)};
    else
#endif
        memcpy(&v, from, sizeof v);
#undef FOUR
#undef EIGHT
    (void)part;
    const signed_bytes unfolded = (signed_bytes)((v >> 1) ^ -(v & 1));
    return (NAME(line))__builtin_convertvector(unfolded, NAME(signed_line));
}

/* The numbers of a line, in as many bytes each as an integer has or, of narrow ones, twice as many.
 */
ZTI_INLINE void NAME(multiply)(NAME(line) v, uint32_t product, double step, uint8_t *to)
{
#if VAL_BITS == 32
    typedef int32_t half __attribute__((vector_size(sizeof v / 2)));
    typedef float floats __attribute__((vector_size(sizeof v)));
    typedef float half_floats __attribute__((vector_size(sizeof v / 2)));
    typedef double doubles __attribute__((vector_size(sizeof v)));
    if (product == NAME(F32_SHORT)) {
        const floats x = __builtin_convertvector((NAME(signed_line))v, floats) * (float)step;
        memcpy(to, &x, sizeof x);
        return;
    }
    half h[2];
    memcpy(h, &v, sizeof v);
    for (uint32_t i = 0; i < 2; i++) {
        const doubles x = __builtin_convertvector(h[i], doubles) * step;
        const half_floats y = __builtin_convertvector(x, half_floats);
        if (product == NAME(F64))
            memcpy(to + i * sizeof x, &x, sizeof x);
        else
            memcpy(to + i * sizeof y, &y, sizeof y);
    }
#else
    typedef double doubles __attribute__((vector_size(sizeof v)));
    const doubles x = __builtin_convertvector((NAME(signed_line))v, doubles) * step;
    memcpy(to, &x, sizeof x);
    (void)product;
#endif
}

/* What the lines of a row have in common. */
struct NAME(row_back) {
    struct NAME(row) row; /* of sz_rows.h */
    const struct NAME(residuals) * from;
    double step;
    bool is_streamed;
};

/* Bytes of what becomes of an integer. */
ZTI_INLINE uint32_t NAME(product_bytes)(uint32_t product)
{
    return product == NAME(F64) ? 8 : product == NAME(PLAIN) ? (uint32_t)sizeof(uval) : 4;
}

/* What becomes of a line, its first so many bytes, to 'to'. */
ZTI_INLINE void NAME(put_product)(NAME(line) v, uint32_t product, double step, uint32_t bytes,
                                  bool is_streamed, uint8_t *to)
{
    const uint32_t all = LANES * NAME(product_bytes)(product);
    uint8_t out[2 * LINE_BYTES];
    if (product == NAME(PLAIN)) {
        memcpy(to, &v, sizeof v);
        return;
    }
    NAME(multiply)(v, product, step, out);
    if (is_streamed)
        for (uint32_t i = 0; i < all; i += LINE_BYTES)
            small_stream_part(out + i, to + i);
    else if (zti_likely(bytes >= all))
        memcpy(to, out, all);
    else
        memcpy(to, out, bytes);
}

/* A row with so many axes, which is at 'at' among the residuals, to 'to'. To 'any' are added, of
 * floats, the bits of magnitudes. */
ZTI_INLINE NAME(line) NAME(take_row)(const struct NAME(row_back) * back, uint32_t axes,
                                     uint32_t product, uint32_t at, uint8_t *to, NAME(line) any)
{
    const struct NAME(row) r = back->row;
    const struct NAME(residuals) d = *back->from;
    const double step = back->step;
    const uint32_t value_bytes = NAME(product_bytes)(product);
    const bool is_streamed =
        back->is_streamed && (uintptr_t)to % 64 == 0 && r.length * value_bytes % 64 == 0;
    bool has_any = false;
    for (uint32_t i = 0; i < axes; i++)
        has_any |= r.has_one[i];
    NAME(line) before = (NAME(line)){0} + (has_any ? 0 : r.base);
    for (uint32_t x = 0; x < r.length; x += LANES) {
        const uint32_t from = at + NAME(place_in_row)(x, r.part);
        NAME(line) v = d.is_small ? NAME(take_small_line)(d.small + from, r.part)
                                  : NAME(take_line)(d.u + from, r.part);
        if (r.is_along) {
            v = NAME(sums_in_line)(v) + before;
            before = NAME(last_in_line)(v);
        } else {
            v += before;
        }
        for (uint32_t i = 0; i < axes; i++) {
            const NAME(line) was = NAME(load_line)(r.held[i] + x);
            v += r.has_one[i] ? was : (NAME(line)){0};
            NAME(store_line)(v, r.held[i] + x);
        }
        if (product == NAME(F32_SHORT))
            any |= v ^ -(v >> (VAL_BITS - 1));
        NAME(put_product)(v, product, step, (r.length - x) * value_bytes, is_streamed,
                          to + (size_t)x * value_bytes);
    }
    return any;
}

/* All rows of a tile to 'rows'; returns the bits of all magnitudes. */
ZTI_INLINE uval NAME(take_rows)(const struct tile *tile, uint32_t axes, const struct blocks *blocks,
                                struct NAME(row_back) back, uint32_t product, struct rows *rows)
{
    const uint32_t last = tile->rank - 1, length = tile->extent[last];
    struct tile padded = *tile; /* to whole lines, for what is held */
    padded.extent[last] = (length + LANES - 1) / LANES * LANES;
    uval held[2 * ZTI_SZ_TILE_VALUES];
    NAME(line) any = {0};
    struct NAME(row_walk) walk = NAME(row_walk_of)(&padded, axes, blocks, held);
    for (uint32_t done = 0; done < tile->n; done += length, NAME(walk_on)(&walk), next_row(rows)) {
        uint32_t in_blocks;
        uint8_t *const to = (uint8_t *)(uintptr_t)rows->at;
        const uint32_t across = NAME(row_at)(&walk, &back.row, &in_blocks);
        const uint32_t at = blocks->count > 0 ? in_blocks : done;
        if (across == 0)
            any = NAME(take_row)(&back, 0, product, at, to, any);
        else if (across == 1)
            any = NAME(take_row)(&back, 1, product, at, to, any);
        else if (across == 2)
            any = NAME(take_row)(&back, 2, product, at, to, any);
        else
            any = NAME(take_row)(&back, 3, product, at, to, any);
    }
    uval each[LANES], all = 0;
    NAME(store_line)(any, each);
    for (uint32_t i = 0; i < LANES; i++)
        all |= each[i];
    return all;
}

/* Shorter rows, and those of which differences begin anew, are done with an axis at a time. */
static bool NAME(is_back_in_lines)(const struct tile *tile)
{
    return tile->block == 0 && tile->extent[tile->rank - 1] >= 8;
}

/* From residuals, ZTI_SZ_BEHIND beyond which are readable, to the rows of an array. */
static void NAME(sums_in_lines)(const struct zti_coding *coding, const struct tile *tile, uval base,
                                const struct NAME(residuals) * d, uint32_t product,
                                const struct rows *rows)
{
    const uint32_t last = tile->rank - 1;
    struct blocks blocks = {.count = 0};
    if (coding->sz.is_blocked)
        blocks = blocks_of(tile);
    const struct NAME(row_back) back = {.row = {.is_along = coding->sz.axes >> last & 1,
                                                .base = base,
                                                .length = tile->extent[last],
                                                .part = blocks.count > 0 ? blocks.row : 0},
                                        .from = d,
                                        .step = coding->sz.step,
                                        .is_streamed = coding->is_streamed};
    struct rows to = *rows;
    const uint32_t axes = coding->sz.axes;
    if (product == NAME(PLAIN)) {
        (void)NAME(take_rows)(tile, axes, &blocks, back, NAME(PLAIN), &to);
        return;
    }
    if (product == NAME(F64)) {
        (void)NAME(take_rows)(tile, axes, &blocks, back, NAME(F64), &to);
        return;
    }
#if VAL_BITS == 32
    /* With a step that is a normal float, products of less than 2^24 with it are exact in doubles,
     * and those of floats are the same rounded once. */
    if ((double)(float)back.step == back.step && back.step >= 0x1p-126 &&
        NAME(take_rows)(tile, axes, &blocks, back, NAME(F32_SHORT), &to) < 1u << 24)
        return;
    to = *rows;
    (void)NAME(take_rows)(tile, axes, &blocks, back, NAME(F32), &to);
#endif
}
#undef LANES
#undef LINE_BYTES
