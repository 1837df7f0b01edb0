/* lanes.h: kernel text, AVX2: the symbols of blocks that are decoded side by side, each from codes
 * of its own: block number k is lane k of vectors. */

enum { MODEL_VECTORS = (ZTI_TF_MAGNITUDE_CONTEXTS + 15) / 16 };

/* Where contexts lead: the number of a context's model, in bytes of both halves of a vector; how
 * far models' tables are from each other; and what magnitudes count for. */
struct lane_tables {
    __m256i model[MODEL_VECTORS];
    const int *first;
    __m256i stride;
    __m256 part;
};

static struct lane_tables lane_tables_of(const struct zti_ans_model *model,
                                         const struct zti_tf_front *front)
{
    const ptrdiff_t stride = model[1].decode - model[0].decode;
    struct lane_tables t = {.first = (const int *)model[0].decode,
                            .stride = _mm256_set1_epi32((int32_t)stride),
                            .part = _mm256_set1_ps(1.0f / (float)(1u << front->shift))};
    for (uint32_t i = 0; i < MODEL_VECTORS; i++)
        t.model[i] = _mm256_broadcastsi128_si256(
            _mm_loadu_si128((const __m128i *)(const void *)(front->model_of + 16 * i)));
    return t;
}

/* The model of each lane's context, below 64. A byte that is not below 16, less 16 i, selects none
 * of vector i. */
ZTI_INLINE __m256i models_of_lanes(const struct lane_tables *t, __m256i context)
{
    const __m256i none = _mm256_set1_epi32((int32_t)0x80808000);
    const __m256i least = _mm256_set1_epi8(0x70);
    __m256i model = _mm256_setzero_si256();
    for (int i = 0; i < MODEL_VECTORS; i++) {
        const __m256i at = _mm256_sub_epi8(context, _mm256_set1_epi32(16 * i));
        const __m256i which = _mm256_or_si256(_mm256_adds_epu8(at, least), none);
        model = _mm256_or_si256(model, _mm256_shuffle_epi8(t->model[i], which));
    }
    return model;
}

/* weight_of of the least magnitude of each lane's symbol. */
ZTI_INLINE __m256i weights_of_lanes(__m256i symbol, __m256 part)
{
    const __m256i first = _mm256_set1_epi32(4 * (127 + 4) - ZTI_TF_PLAIN_MAGNITUDES);
    const __m256i middle = _mm256_or_si256(_mm256_slli_epi32(_mm256_add_epi32(symbol, first), 21),
                                           _mm256_set1_epi32(1 << 20));
    const __m256i is_plain = _mm256_cmpgt_epi32(_mm256_set1_epi32(ZTI_TF_PLAIN_MAGNITUDES), symbol);
    const __m256 m = _mm256_blendv_ps(_mm256_castsi256_ps(middle), _mm256_cvtepi32_ps(symbol),
                                      _mm256_castsi256_ps(is_plain));
    const __m256 most = _mm256_set1_ps((1 << ZTI_TF_MAGNITUDE_BITS) - 1);
    return _mm256_cvttps_epi32(_mm256_min_ps(_mm256_mul_ps(m, part), most));
}

/* Rows of 4 x 4 numbers to columns, in each half. */
ZTI_INLINE void turn_4(__m256i *v)
{
    const __m256i a = _mm256_unpacklo_epi32(v[0], v[1]), b = _mm256_unpackhi_epi32(v[0], v[1]);
    const __m256i c = _mm256_unpacklo_epi32(v[2], v[3]), d = _mm256_unpackhi_epi32(v[2], v[3]);
    v[0] = _mm256_unpacklo_epi64(a, c);
    v[1] = _mm256_unpackhi_epi64(a, c);
    v[2] = _mm256_unpacklo_epi64(b, d);
    v[3] = _mm256_unpackhi_epi64(b, d);
}

/* Rows of 8 x 8 numbers to columns. */
ZTI_INLINE void turn_8(__m256i *v)
{
    turn_4(v);
    turn_4(v + 4);
    for (int i = 0; i < 4; i++) {
        const __m256i a = v[i], b = v[i + 4];
        v[i] = _mm256_permute2x128_si256(a, b, 0x20);
        v[i + 4] = _mm256_permute2x128_si256(a, b, 0x31);
    }
}

/* The states of the lanes' codes, those of the next symbols first, and where their bits are, from
 * those of lane 0 on. */
struct lane_states {
    const int *base;
    __m256i state[ZTI_ANS_FEW];
    __m256i at;
};

enum { V_LANE_PLACES = 8 }; /* that are turned from rows to lanes at a time */

ZTI_INLINE uint64_t lane_offset(const struct lane_row *lane, uint32_t k)
{
    return 8 * (uint64_t)(lane[k].codes->base - lane[0].codes->base);
}

/* Which of four states is the next one, and those behind it; or, turned back, where these were. */
ZTI_INLINE __m128i order_of_states(uint32_t next, bool is_back)
{
    const __m128i i = _mm_setr_epi32(0, 1, 2, 3), by = _mm_set1_epi32((int32_t)next);
    return is_back ? _mm_sub_epi32(i, by) : _mm_add_epi32(i, by);
}

static void load_states(const struct lane_row *lane, struct lane_states *s)
{
    uint32_t at[ZTI_TF_LANES];
    __m128i of[ZTI_TF_LANES];
    for (uint32_t k = 0; k < ZTI_TF_LANES; k++) {
        const struct codes *const c = lane[k].codes;
        const __m128 state = _mm_loadu_ps((const float *)(const void *)c->state);
        of[k] = _mm_castps_si128(_mm_permutevar_ps(state, order_of_states(c->next, false)));
        at[k] = (uint32_t)(lane_offset(lane, k) + c->at);
    }
    for (uint32_t k = 0; k < ZTI_ANS_FEW; k++)
        s->state[k] = _mm256_set_m128i(of[k + 4], of[k]);
    turn_4(s->state);
    s->at = _mm256_loadu_si256((const __m256i *)(const void *)at);
}

static void store_states(const struct lane_row *lane, uint32_t lanes, uint32_t symbols,
                         struct lane_states *s)
{
    uint32_t at[ZTI_TF_LANES];
    __m128i of[ZTI_TF_LANES];
    _mm256_storeu_si256((__m256i *)(void *)at, s->at);
    turn_4(s->state);
    for (uint32_t k = 0; k < ZTI_ANS_FEW; k++) {
        of[k] = _mm256_castsi256_si128(s->state[k]);
        of[k + 4] = _mm256_extracti128_si256(s->state[k], 1);
    }
    for (uint32_t k = 0; k < lanes; k++) {
        struct codes *const c = lane[k].codes;
        const __m128 state = _mm_castsi128_ps(of[k]);
        _mm_storeu_ps((float *)(void *)c->state,
                      _mm_permutevar_ps(state, order_of_states(c->next, true)));
        c->at = at[k] - lane_offset(lane, k);
        c->next += symbols;
    }
}

/* Decode symbol number i of a segment in each lane. Returns the symbols, and above their 16 bits
 * what they count for. before: what the last symbol counts for, and above its 16 bits the one
 * before. */
ZTI_INLINE __m256i decode_in_lanes(const struct lane_tables *t, struct lane_states *s, uint32_t i,
                                   __m256i sum, uint32_t scale, __m256i *before)
{
    __m256i *const state = &s->state[i % ZTI_ANS_FEW];
    const __m256i model = models_of_lanes(t, contexts_of(sum, _mm256_set1_epi32((int32_t)scale)));
    const __m256i place = _mm256_add_epi32(_mm256_madd_epi16(model, t->stride), *state);
    const __m256i entry = _mm256_i32gather_epi32(t->first, place, 4);
    const __m256i held = _mm256_i32gather_epi32(s->base, _mm256_srli_epi32(s->at, 3), 1);
    const __m256i bits = _mm256_srlv_epi32(held, _mm256_and_si256(s->at, _mm256_set1_epi32(7)));
    const __m256i n = _mm256_and_si256(_mm256_srli_epi32(entry, 16), _mm256_set1_epi32(15));
    const __m256i above = _mm256_sllv_epi32(_mm256_set1_epi32(-1), n);
    const __m256i symbol = _mm256_and_si256(entry, _mm256_set1_epi32(255));
    const __m256i weight = weights_of_lanes(symbol, t->part);
    *state = _mm256_add_epi32(_mm256_srli_epi32(entry, 20), _mm256_andnot_si256(above, bits));
    s->at = _mm256_add_epi32(s->at, n);
    *before = _mm256_or_si256(_mm256_slli_epi32(*before, 16), weight);
    return _mm256_or_si256(symbol, _mm256_slli_epi32(weight, 16));
}

/* Store at most 8 symbols of a lane, and what they count for. */
ZTI_INLINE void store_lane(const struct lane_row *lane, uint32_t at, uint32_t n, __m256i found)
{
    const __m128i a = _mm256_castsi256_si128(found), b = _mm256_extracti128_si256(found, 1);
    const __m128i low = _mm_set1_epi32(0xffff);
    const __m128i cells = _mm_packus_epi32(_mm_srli_epi32(a, 16), _mm_srli_epi32(b, 16));
    const __m128i wide = _mm_packus_epi32(_mm_and_si128(a, low), _mm_and_si128(b, low));
    const uint64_t symbols = (uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(wide, wide));
    if (n == V_LANE_PLACES) {
        _mm_storeu_si128((__m128i *)(void *)(lane->cell + at), cells);
        memcpy(lane->symbol + at, &symbols, V_LANE_PLACES);
    } else {
        uint16_t cell[V_LANE_PLACES];
        _mm_storeu_si128((__m128i *)(void *)cell, cells);
        memcpy(lane->cell + at, cell, n * sizeof *cell);
        memcpy(lane->symbol + at, &symbols, n);
    }
}

enum { LEAST_LANES = 3 }; /* fewer are decoded one by one */

/* A vector's worth of lanes, while a segment is decoded. */
struct lane_group {
    struct lane_row lane[ZTI_TF_LANES]; /* those that are missing do what the first one does */
    uint32_t lanes;
    struct lane_states states;
    __m256i before; /* see decode_in_lanes */
};

static void open_group(const struct lane_row *lane, uint32_t lanes, uint32_t at,
                       struct lane_group *g)
{
    uint32_t before[ZTI_TF_LANES];
    g->lanes = lanes;
    for (uint32_t k = 0; k < ZTI_TF_LANES; k++) {
        g->lane[k] = lane[k < lanes ? k : 0];
        const uint16_t *const cell = g->lane[k].cell + at;
        before[k] = cell[-1] | (uint32_t)cell[-2] << 16;
    }
    g->before = _mm256_loadu_si256((const __m256i *)(const void *)before);
    g->states.base = (const int *)(const void *)lane->codes->base;
    load_states(g->lane, &g->states);
}

/* The symbols of a segment in one or two groups, whose look-ups do not wait for each other. */
ZTI_INLINE void read_groups(const struct lane_tables *t, const uint32_t *scale, uint32_t at,
                            uint32_t end, struct lane_group *group, uint32_t groups,
                            __m256i weights)
{
    for (uint32_t i = at; i < end; i += V_LANE_PLACES) {
        const uint32_t n = end - i < V_LANE_PLACES ? end - i : (uint32_t)V_LANE_PLACES;
        __m256i v[2][V_LANE_PLACES];
        for (uint32_t g = 0; g < groups; g++) {
            for (uint32_t k = 0; k < ZTI_TF_LANES; k++)
                v[g][k] =
                    _mm256_loadu_si256((const __m256i *)(const void *)(group[g].lane[k].sum + i));
            turn_8(v[g]);
        }
#pragma GCC unroll 8
        for (uint32_t k = 0; k < V_LANE_PLACES; k++) {
            if (k >= n)
                break;
#pragma GCC unroll 2
            for (uint32_t g = 0; g < groups; g++) {
                const __m256i near = _mm256_madd_epi16(group[g].before, weights);
                v[g][k] = decode_in_lanes(t, &group[g].states, k, _mm256_add_epi32(v[g][k], near),
                                          scale[i + k], &group[g].before);
            }
        }
        for (uint32_t g = 0; g < groups; g++) {
            turn_8(v[g]);
            for (uint32_t k = 0; k < group[g].lanes; k++)
                store_lane(&group[g].lane[k], i, n, v[g][k]);
        }
    }
}

/* As read_places, for lanes that have codes of their own. Each lane has at least 64 bits of codes
 * left behind the segment. Sums are read up to 7 places behind the segment's end. */
static void read_lanes(const struct lane_tables *t, const uint32_t *scale, uint32_t at,
                       uint32_t end, const struct lane_row *lane, uint32_t lanes,
                       struct row_weights w)
{
    const __m256i weights = _mm256_set1_epi32((int32_t)(w.one | w.two << 16));
    struct lane_group group[2];
    const uint32_t first = lanes < ZTI_TF_LANES ? lanes : (uint32_t)ZTI_TF_LANES;
    open_group(lane, first, at, &group[0]);
    if (lanes > first) {
        open_group(lane + first, lanes - first, at, &group[1]);
        read_groups(t, scale, at, end, group, 2, weights);
        store_states(group[1].lane, group[1].lanes, end - at, &group[1].states);
    } else {
        read_groups(t, scale, at, end, group, 1, weights);
    }
    store_states(group[0].lane, first, end - at, &group[0].states);
}
