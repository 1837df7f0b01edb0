/* context.h: kernel text of effort 'high': compute the contexts of a row's points from the
 * magnitudes of neighbouring residuals. Included by interp/instance.h. */

/* Up to SEGMENT points of a row of a band, from point 'first' on. */
struct segment {
    const struct row *row;
    const uint32_t *dim, *at; /* the band's, and the row in it */
    const struct zti_sz_level *level;
    uint32_t first, n;
    uint32_t own_n; /* number of points that this tile codes */
    size_t place;   /* of its first point among the bands */
    bool is_joined; /* it consists of several rows */
};

/* The magnitudes that make the contexts of a row: those of the points on both sides of each point
 * ('between'), and those of the rows before in its band ('before'). Their weighted sum, in
 * sixteenths, is below 2^12. */
struct around {
    const uint8_t *between[8], *before[3];
    uint32_t axes, rows;
    bool is_last; /* no point follows the last one: between[0] is used for between[1] */
};

/* Set *a. It is not returned: a structure that is written by narrow stores and copied by wide loads
 * cannot be forwarded from the store buffer. */
ZTI_INLINE void load_neighbours(const struct segment *s, const uint8_t *own, struct around *a)
{
    const struct row *const row = s->row;
    const uint32_t first = s->first;
    uint32_t betweens = 0, rows = 0;
    size_t step = s->dim[3];
    if (row->odd & 8) {
        a->between[betweens++] = row->parent[3].magnitudes + first;
        a->between[betweens++] = row->parent[3].magnitudes + first + 1;
    }
    a->is_last = row->odd & 8 && first + s->own_n >= row->parent[3].of;
    for (uint32_t i = 0; i < 3; i++) {
        const struct parent *const parent = &row->parent[i];
        if (!(row->odd >> i & 1))
            continue;
        a->between[betweens++] = parent->magnitudes + first;
        a->between[betweens++] =
            parent->magnitudes + first + (row->across >> i & 1 ? parent->step : 0);
    }
    for (uint32_t i = 3; i-- > 0; step *= s->dim[i])
        if (s->at[i] > 0)
            a->before[rows++] = own - step;
    a->axes = betweens / 2;
    a->rows = rows;
}

/* The sums of WIDE points from point k on, without the first 'first' rows before. Sums of four
 * magnitudes fit in bytes. */
ZTI_INLINE words sums_of(const struct around *a, uint32_t k, uint32_t axes, uint32_t first,
                         uint32_t rows)
{
    words between = {0};
    small before = {0};
    for (uint32_t i = 0; i < axes; i += 2) {
        small pair = load_small(a->between[2 * i] + k) + load_small(a->between[2 * i + 1] + k);
        if (i + 1 < axes)
            pair += load_small(a->between[2 * i + 2] + k) + load_small(a->between[2 * i + 3] + k);
        between += words_of(pair);
    }
    for (uint32_t i = first; i < rows; i++)
        before += load_small(a->before[i] + k);
    return ZTI_SZ_HIGH_NEIGHBOURHOOD(int16_t, between, axes, words_of(before), rows);
}

ZTI_INLINE uint32_t sum_of_last(const struct around *a, uint32_t k)
{
    uint32_t between = 0, before = 0;
    for (uint32_t i = 0; i < 2 * a->axes; i++)
        between += a->between[i == 1 ? 0 : i][k];
    for (uint32_t i = 0; i < a->rows; i++)
        before += a->before[i][k];
    return ZTI_SZ_HIGH_NEIGHBOURHOOD(uint32_t, between, a->axes, before, a->rows);
}

/* The kind of a neighbourhood depends only on sum / 16. */
#define OFF(most) +(((most) + 1) % 16)
_Static_assert((ZTI_SZ_HIGH_LADDER(OFF)) == 0, "a sum's lowest four bits make a difference");
#undef OFF

/* Tables of the kind of each sum / 16. */
struct kinds {
    _Alignas(64) uint8_t of[256];
    /* for each 16 entries: the first one's kind, and after which entries it rises */
    uint8_t base[16], above[2][16];
};

static void make_kinds(struct kinds *kinds)
{
    memset(kinds->above, 255, sizeof kinds->above);
    for (uint32_t i = 0; i < 256; i++)
        kinds->of[i] = zti_sz_high_context(16 * i, 0);
    for (uint32_t h = 0; h < 16; h++) {
        kinds->base[h] = h > 0 ? kinds->of[16 * h] : 0;
        for (uint32_t i = 16 * h + 1, steps = 0; h > 0 && i < 16 * h + 16; i++)
            if (kinds->of[i] > kinds->of[i - 1])
                kinds->above[steps++][h] = (uint8_t)(i - 1);
    }
}

#if defined(ZTI_WITH_AVX512)
ZTI_INLINE small kinds_of_sums(const struct kinds *kinds, words sums)
{
    const __m512i at = _mm512_castsi128_si512(_mm256_cvtepi16_epi8((__m256i)(sums >> 4)));
    const __m512i *const of = (const __m512i *)(const void *)kinds->of;
    const __m512i low =
        _mm512_permutex2var_epi8(_mm512_loadu_si512(of), at, _mm512_loadu_si512(of + 1));
    const __m512i high =
        _mm512_permutex2var_epi8(_mm512_loadu_si512(of + 2), at, _mm512_loadu_si512(of + 3));
    const __m128i number = _mm512_castsi512_si128(at);
    return (small)_mm_mask_blend_epi8(_mm_movepi8_mask(number), _mm512_castsi512_si128(low),
                                      _mm512_castsi512_si128(high));
}
#elif defined(ZTI_WITH_AVX2)
/* Entries below 16 have a table; each later 16 entries have at most two steps. */
ZTI_INLINE small kinds_of_sums(const struct kinds *kinds, words sums)
{
    const __m256i multiple = (__m256i)(sums >> 4);
    const __m128i number =
        _mm_packus_epi16(_mm256_castsi256_si128(multiple), _mm256_extracti128_si256(multiple, 1));
    const __m128i part = _mm_and_si128(_mm_srli_epi16(number, 4), _mm_set1_epi8(15));
    const __m128i one = _mm_set1_epi8(1), of_small = (__m128i)load_small(kinds->of);
    const __m128i low = _mm_shuffle_epi8(of_small, _mm_adds_epu8(number, _mm_set1_epi8(0x70)));
    const __m128i first = _mm_shuffle_epi8((__m128i)load_small(kinds->above[0]), part);
    const __m128i second = _mm_shuffle_epi8((__m128i)load_small(kinds->above[1]), part);
    const __m128i steps = _mm_add_epi8(_mm_min_epu8(_mm_subs_epu8(number, first), one),
                                       _mm_min_epu8(_mm_subs_epu8(number, second), one));
    const __m128i base = _mm_shuffle_epi8((__m128i)load_small(kinds->base), part);
    return (small)_mm_add_epi8(_mm_add_epi8(low, base), steps);
}
#else
ZTI_INLINE small kinds_of_sums(const struct kinds *kinds, words sums)
{
    words kind = {0};
    (void)kinds;
#define ABOVE(most) kind -= sums > (int16_t)(most);
    ZTI_SZ_HIGH_LADDER(ABOVE)
#undef ABOVE
    return __builtin_convertvector(kind, small);
}
#endif

ZTI_INLINE uint8_t kind_of_sum(const struct kinds *kinds, uint32_t sum, uint32_t base)
{
    return (uint8_t)(kinds->of[sum >> 4] + base);
}

ZTI_INLINE void kinds_with(const struct around *a, const struct kinds *kinds, uint32_t n,
                           uint32_t base, uint8_t *contexts, uint32_t axes, uint32_t rows)
{
    for (uint32_t k = 0; k < n; k += WIDE)
        store_small(kinds_of_sums(kinds, sums_of(a, k, axes, 0, rows)) + (uint8_t)base,
                    contexts + k);
}

/* The contexts of n points, compiled for each number of axes (1 to 4) and of rows before (1 to 3),
 * because loops over these would take most of the time. */
static void kinds_of(const struct around *a, const struct kinds *kinds, uint32_t n, uint32_t depth,
                     uint8_t *contexts)
{
    const uint32_t base = zti_sz_high_first_context(depth);
#define CASE(axes, rows)                                                                           \
    case 4 * (axes) + (rows): kinds_with(a, kinds, n, base, contexts, axes, rows); break
    switch (4 * a->axes + a->rows) {
        CASE(1, 1);
        CASE(1, 2);
        CASE(1, 3);
        CASE(2, 1);
        CASE(2, 2);
        CASE(2, 3);
        CASE(3, 1);
        CASE(3, 2);
        CASE(3, 3);
        CASE(4, 1);
        CASE(4, 2);
        CASE(4, 3);
    }
#undef CASE
    if (a->is_last)
        contexts[n - 1] = kind_of_sum(kinds, sum_of_last(a, n - 1), base);
}

/* The sums of n points, without the first 'rows' rows before. */
static void sums_without(const struct around *a, uint32_t rows, uint32_t n, uint16_t *sum)
{
    for (uint32_t k = 0; k < n; k += WIDE) {
        const words sums = sums_of(a, k, a->axes, rows, a->rows);
        memcpy(sum + k, &sums, sizeof sums);
    }
    if (a->is_last)
        sum[n - 1] = (uint16_t)sum_of_last(a, n - 1);
}

ZTI_INLINE void kinds_of_four(const struct kinds *kinds, const uint16_t *sum, const uint8_t *own,
                              bool is_first, uint32_t n, uint32_t depth, uint8_t *contexts)
{
    const uint32_t base = zti_sz_high_first_context(depth);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t two = is_first ? 0 : (uint32_t)own[-1] + own[-2];
        contexts[k] = kind_of_sum(kinds, zti_sz_high_first_row(sum[k], is_first, two), base);
    }
}
