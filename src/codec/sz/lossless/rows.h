/* rows.h: kernel text: rows of a tile that repeat earlier ones, in the same direction or mirrored,
 * as they are or negated. Values are looked up by their magnitudes; each hit is a vote for the
 * mirror's place and for the row it is in. */

enum { WAYS = 4 };

#if defined(ZTI_WITH_AVX512)
typedef uint32_t half_u32s __attribute__((vector_size(32)));

/* As select_columns, from *first on; *first is then the first value that was not looked at. */
ZTI_INLINE uint32_t select_vectors(const value *v, uint32_t width, value sign, uint32_t skipped,
                                   bool are_pairs, uint32_t *first, uint32_t *column)
{
    const __m512i factor = _mm512_set1_epi64((int64_t)ZTI_LL_HASH_FACTOR);
    const __m512i most = _mm512_set1_epi64((int64_t)(UINT64_MAX >> skipped));
    __m256i at = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                  _mm256_set1_epi32((int32_t)*first));
    uint32_t n = 0, x = *first;
    for (; x + 8 <= width; x += 8) {
#if WIDTH == 32
        const __m256i mask = _mm256_set1_epi32((int32_t)~sign);
        const __m256i own = _mm256_loadu_si256((const void *)(v + x));
        const __m256i before = _mm256_loadu_si256((const void *)(v + x - 1));
        const half_u32s size = (half_u32s)_mm256_and_si256(own, mask);
        const half_u32s other = (half_u32s)_mm256_and_si256(before, mask);
        const __m512i whole =
            _mm512_cvtepu32_epi64((__m256i)(are_pairs ? ZTI_LL_PAIR(size, other) : size));
        const __mmask8 is_new = are_pairs ? _mm256_cmpneq_epi32_mask((__m256i)size, (__m256i)other)
                                          : _mm256_cmpneq_epi32_mask(own, before);
        const __mmask8 is_some = _mm256_test_epi32_mask((__m256i)size, (__m256i)size);
#else
        const __m512i mask = _mm512_set1_epi64((int64_t)~sign);
        const __m512i own = _mm512_loadu_si512((const void *)(v + x));
        const __m512i before = _mm512_loadu_si512((const void *)(v + x - 1));
        const u64s size = (u64s)_mm512_and_si512(own, mask);
        const u64s other = (u64s)_mm512_and_si512(before, mask);
        const __m512i whole = (__m512i)(are_pairs ? ZTI_LL_PAIR(size, other) : size);
        const __mmask8 is_new = are_pairs ? _mm512_cmpneq_epi64_mask((__m512i)size, (__m512i)other)
                                          : _mm512_cmpneq_epi64_mask(own, before);
        const __mmask8 is_some = _mm512_test_epi64_mask((__m512i)size, (__m512i)size);
#endif
        const __m512i hash = _mm512_mullo_epi64(whole, factor);
        const __mmask8 all = _mm512_cmple_epu64_mask(hash, most) & is_new & is_some;
        _mm256_storeu_si256((void *)(column + n), _mm256_maskz_compress_epi32(all, at));
        n += (uint32_t)__builtin_popcount(all);
        at = _mm256_add_epi32(at, _mm256_set1_epi32(8));
    }
    *first = x;
    return n;
}
#elif defined(ZTI_WITH_AVX2) && WIDTH == 32
/* The same with AVX2. Values of 64 bits have none: a hash would take three products. */
ZTI_INLINE uint32_t select_vectors(const value *v, uint32_t width, value sign, uint32_t skipped,
                                   bool are_pairs, uint32_t *first, uint32_t *column)
{
    const __m256i factor = _mm256_set1_epi64x((int64_t)(ZTI_LL_HASH_FACTOR & UINT32_MAX));
    const __m128i shift = _mm_cvtsi32_si128((int)(32 - skipped));
    uint32_t n = 0, x = *first;
    for (; x + LANES <= width; x += LANES) {
        const vector own = (vector)load_keys((const key *)v + x);
        const vector before = (vector)load_keys((const key *)v + x - 1);
        const vector size = own & ~sign, other = before & ~sign;
        const vector is_same = (vector)(are_pairs ? size == other : own == before);
        const vector none = is_same | (vector)(size == (vector){0});
        const __m256i all = (__m256i)(are_pairs ? ZTI_LL_PAIR(size, other) : size);
        const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(all, factor), 32);
        const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(all, 32), factor);
        const vector high = (vector)_mm256_blend_epi32(even, odd, 0xaa) +
                            (vector)all * (uint32_t)(ZTI_LL_HASH_FACTOR >> 32);
        const vector rest = (vector)_mm256_srl_epi32((__m256i)high, shift) | none;
        uint32_t some = (uint32_t)_mm256_movemask_ps((__m256)(rest == (vector){0}));
        for (; some; some &= some - 1)
            column[n++] = x + zti_ctz32(some);
    }
    *first = x;
    return n;
}
#else
ZTI_INLINE uint32_t select_vectors(const value *v, uint32_t width, value sign, uint32_t skipped,
                                   bool are_pairs, uint32_t *first, uint32_t *column)
{
    (void)v;
    (void)width;
    (void)sign;
    (void)skipped;
    (void)are_pairs;
    (void)first;
    (void)column;
    return 0;
}
#endif

/* The columns of a row whose values are looked up: not the first one, and no value that is 0 or
 * equals the one before it. Of the others only those are whose hash begins with 'skipped' zero
 * bits. The hash is of the value's magnitude or, for pairs, of that and the magnitude before it.
 * Returns how many there are; 8 places more may be overwritten. */
ZTI_INLINE uint32_t select_columns(const value *v, uint32_t width, value sign, uint32_t skipped,
                                   bool are_pairs, uint32_t *column)
{
    uint32_t x = 1, n = select_vectors(v, width, sign, skipped, are_pairs, &x, column);
    for (; x < width; x++) {
        uint64_t hash;
        column[n] = x;
        n += is_looked_up(v[x], v[x - 1], sign, skipped, are_pairs, &hash);
    }
    return n;
}

/* A value's place: its row; and its column in the low bits of x, with its tag above them. */

struct at {
    int32_t row;
    uint32_t x;
};

/* A value, and where its magnitude was before, about; whether its sign was another. */
struct hit {
    int32_t row, other;
    uint32_t x, column;
    bool is_negated;
};

/* Whether pairs of magnitudes were in a row before: one in a thousand, of those of one hash in
 * 2^ZTI_LL_PAIR_BITS. Single values are alike by chance. */
static bool may_repeat(const struct tile *tile, const value *v)
{
    const uint32_t width = tile->s.width;
    const value sign = zti_is_float(tile->type) ? SIGN : 0;
    int32_t *const place = tile->slot->places;
    uint32_t *const column = tile->slot->sums;
    size_t hits = 0, looked_at = 0;
    for (size_t i = 0; i < (size_t)1 << (ZTI_LL_HASH_BITS - ZTI_LL_PAIR_BITS); i++)
        place[i] = -1;
    for (uint32_t row = 0; row < tile->s.rows; row++) {
        const value *const own = v + (size_t)row * width;
        const uint32_t n = select_columns(own, width, sign, ZTI_LL_PAIR_BITS, true, column);
        for (uint32_t k = 0; k < n; k++) {
            const value *const one = own + column[k];
            const uint64_t hash = hash_of_pair(one[0] & ~sign, one[-1] & ~sign);
            int32_t *const at =
                &place[hash << ZTI_LL_PAIR_BITS >> (64 - ZTI_LL_HASH_BITS + ZTI_LL_PAIR_BITS)];
            const int32_t last = *at;
            hits += last >= 0 && last < (int32_t)(row * width) &&
                    is_pair(v[last], v[last - 1], one[0], one[-1], sign);
            *at = (int32_t)(one - v);
        }
        looked_at += n;
    }
    return ll_are_hits(hits, looked_at);
}

/* Where values were last, about: a hash table of places. */
struct places {
    struct at *place;
    uint32_t bits, skipped; /* of the number of places; of the hash, which are zero */
};

static struct places open_places(const struct tile *tile, uint32_t skipped)
{
    struct places p = {.place = (struct at *)(void *)tile->slot->places,
                       .bits = ll_places_bits(tile->s.values, skipped),
                       .skipped = skipped};
    for (size_t i = 0; i < (size_t)1 << p.bits; i++)
        p.place[i].row = -1;
    return p;
}

ZTI_INLINE struct at *place_of_hash(const struct places *p, uint64_t hash)
{
    return &p->place[hash << p->skipped >> (64 - p->bits)];
}

/* List the values of a row whose magnitudes were in an earlier row, and where they were last.
 * Returns how many. */
static size_t find_row_hits(const struct tile *tile, const struct places *places, uint32_t row,
                            struct hit *hit)
{
    const value sign = zti_is_float(tile->type) ? SIGN : 0;
    const uint32_t width = tile->s.width;
    const value *const v = tile->values + (size_t)row * width;
    uint32_t *const column = tile->slot->sums;
    const uint32_t n = select_columns(v, width, sign, places->skipped, false, column);
    size_t hits = 0;
    for (uint32_t i = 0; i < n; i++)
        zti_prefetch(place_of_hash(places, hash_of(v[column[i]] & ~sign)));
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t x = column[i];
        const value own = v[x], size = own & ~sign;
        const uint64_t hash = hash_of(size);
        struct at *const at = place_of_hash(places, hash);
        const struct at last = *at;
        const uint32_t tag = tag_of(hash, own != size);
        const uint32_t other = last.x >> COLUMN_BITS ^ tag;
        *at = (struct at){(int32_t)row, x | tag << COLUMN_BITS};
        hit[hits] =
            (struct hit){(int32_t)row, last.row, x, last.x & ((1u << COLUMN_BITS) - 1), other != 0};
        hits += (last.row >= 0) & (last.row < (int32_t)row) & (other <= 1);
    }
    return hits;
}

/* The row that the last hit of a row is in, if at the same column; or -1. */
static int32_t row_of_last(const struct hit *hit, size_t hits)
{
    if (hits == 0)
        return -1;
    const struct hit *const last = &hit[hits - 1];
    return last->x == last->column && !last->is_negated ? last->other : -1;
}

/* The hits of all rows but those that are equal to the row behind the one that the row before them
 * repeats: their source is known. Returns how many; *equal: how many rows these are. */
static size_t find_hits(const struct tile *tile, struct zti_ll_transform *t, struct hit *hit,
                        uint32_t *equal)
{
    const struct zti_ll_shape *const s = &tile->s;
    const struct places places = open_places(tile, ll_sampled_bits(s->width));
    const size_t row_bytes = s->width * sizeof(value);
    int32_t other = -1; /* what the row before repeats, perhaps */
    size_t hits = 0;
    *equal = 0;
    for (uint32_t row = 0; row < s->rows; row++) {
        const value *const own = tile->values + (size_t)row * s->width;
        other += other >= 0;
        t->source[row] = -1;
        t->how[row] = 0;
        if (other > 0 && memcmp(own, tile->values + (size_t)other * s->width, row_bytes) == 0) {
            t->source[row] = other;
            ++*equal;
            continue;
        }
        const size_t n = find_row_hits(tile, &places, row, hit + hits);
        other = row_of_last(hit + hits, n);
        hits += n;
    }
    return hits;
}

/* The most frequent sum of a value's column and its place's. votes has room for two rows. */
static uint32_t find_mirror(const struct zti_ll_shape *s, const struct hit *hit, size_t hits,
                            uint32_t *votes)
{
    uint32_t best = 1;
    memset(votes, 0, 2 * (size_t)s->width * sizeof *votes);
    for (size_t i = 0; i < hits; i++)
        votes[hit[i].x + hit[i].column]++;
    for (uint32_t c = 1; c < 2 * s->width; c++)
        if (votes[c] > votes[best])
            best = c;
    return best;
}

/* The row and way that most hits of a row have: votes are zero before and
 * after. */
static size_t find_source(const struct zti_ll_shape *s, const struct hit *hit, size_t hits,
                          uint32_t *votes, struct zti_ll_transform *t)
{
    const uint32_t row = (uint32_t)hit->row;
    uint32_t most = 0;
    for (size_t i = 0; i < hits; i++) {
        const uint32_t negated = hit[i].is_negated ? 2 : 0;
        for (uint32_t m = 0; m < 2; m++) {
            uint32_t *const vote = &votes[WAYS * (uint32_t)hit[i].other + negated + m];
            if (ll_mirrored(m, t->mirror, s->width, hit[i].x) != hit[i].column || ++*vote <= most)
                continue;
            most = *vote;
            t->source[row] = hit[i].other;
            t->how[row] = (uint8_t)(negated + m);
        }
    }
    for (size_t i = 0; i < hits; i++)
        memset(&votes[WAYS * (uint32_t)hit[i].other], 0, WAYS * sizeof *votes);
    most <<= ll_sampled_bits(s->width);
    if (ll_is_source(s->width, most))
        return most;
    t->source[row] = -1;
    return 0;
}

/* Values of a row, about, that are near what is repeated (is_near); or some number below 'least'.
 */
static uint32_t count_near(const struct tile *tile, const value *v, uint32_t row, uint32_t other,
                           uint32_t how, const struct zti_ll_transform *t, uint32_t least)
{
    const bool is_float = zti_is_float(tile->type);
    const uint32_t width = tile->s.width;
    const uint32_t every = ll_near_every(width);
    uint32_t count = 0;
    for (uint32_t x = 1; x < width && count * every + width - x >= least; x += every) {
        const size_t i = (size_t)row * width + x;
        value from = v[(size_t)other * width + ll_mirrored(how, t->mirror, width, x)];
        from ^= how & 2 ? SIGN : 0;
        count += is_near(is_float, v[i], v[i - 1], from);
    }
    return count * every;
}

/* Let a row repeat a row if one beside it does: the same one, or one beside that. */
static void spread_source(const struct tile *tile, const value *v, uint32_t row, uint32_t beside,
                          struct zti_ll_transform *t)
{
    uint32_t most = ll_least_near(tile->s.width);
    if (t->source[row] >= 0 || t->source[beside] < 0)
        return;
    const uint32_t how = t->how[beside];
    for (int32_t step = -1; step <= 1; step++) {
        const int32_t other = t->source[beside] + step;
        if (other < 0 || other >= (int32_t)row)
            continue;
        const uint32_t near = count_near(tile, v, row, (uint32_t)other, how, t, most + 1);
        if (near <= most)
            continue;
        most = near;
        t->source[row] = other;
        t->how[row] = (uint8_t)how;
    }
}

/* Which rows repeat rows; false where they are too few. *many: they are a quarter of all or more.
 */
static bool find_rows(const struct tile *tile, struct zti_ll_transform *t, bool *many)
{
    const struct zti_ll_shape *const s = &tile->s;
    const value *const v = tile->values;
    struct hit *const hit = (struct hit *)(void *)tile->slot->found;
    uint32_t *const votes = tile->slot->votes;
    uint32_t equal;
    size_t found;
    t->source = tile->slot->source;
    t->how = tile->slot->how;
    if (s->is_lanes)
        return false;
    if (is_far(tile)) {
        found = tile->kernels->find_rows(tile->kernels, tile->known->has_rows, t);
        t->has_rows = ll_have_rows(s, found, many);
        return t->has_rows;
    }
    if (!tile->known->has_rows && !may_repeat(tile, v))
        return false;
    const size_t hits = find_hits(tile, t, hit, &equal);
    found = (size_t)equal * s->width;
    if (ll_are_few_hits(s, hits, equal))
        return false;
    t->mirror = find_mirror(s, hit, hits, votes);
    memset(votes, 0, WAYS * (size_t)s->rows * sizeof *votes);
    for (size_t i = 0, n; i < hits; i += n) {
        for (n = 1; i + n < hits && hit[i + n].row == hit[i].row;)
            n++;
        found += find_source(s, hit + i, n, votes, t);
    }
    for (uint32_t row = 1; row < s->rows; row++)
        spread_source(tile, v, row, row - 1, t);
    for (uint32_t row = s->rows - 1; row-- > 0;)
        spread_source(tile, v, row, row + 1, t);
    t->has_rows = ll_have_rows(s, found, many);
    return t->has_rows;
}
