/* parts.h: kernel text: parts of a tile to coefficients. A warp has a part.
 *
 * A symbol's context has weights of magnitudes around it. Those in other rows are complete, so
 * their sum is a lane's for each place of a segment. Those before it in the row come from the
 * symbols just decoded:
 *
 *     a block alone    a chain of symbols. Each state's entries in the tables of all models are
 *                      loaded ahead, a lane each, so that a symbol waits for no table
 *     several blocks   a lane has a block; at each place the warp decodes four blocks' symbols
 *                      at once
 *
 * Weights stand in the places of their coefficients for the rows that follow; symbols too, where
 * open bits are read behind a run. */

/* ---- bits ---- */

/* The next bits of a stream with ZTI_ANS_FEW states, which all lanes read alike. */
struct ahead {
    const uint32_t *words;
    uint64_t next, count; /* words: the one after 'coming', and how many there are */
    uint64_t bits;        /* the lowest 'left' are loaded: at least 32 after fill_ahead */
    uint32_t left, coming;
};

static __device__ __forceinline__ uint32_t next_word(struct ahead *a)
{
    const uint64_t at = a->next++;
    return at < a->count ? a->words[at] : 0;
}

static __device__ __forceinline__ void fill_ahead(struct ahead *a)
{
    if (a->left >= 32)
        return;
    a->bits |= (uint64_t)a->coming << a->left;
    a->left += 32;
    a->coming = next_word(a);
}

/* Read a stream's beginning and its states. */
static __device__ __forceinline__ bool open_ahead(const struct sz_tiles *s, uint64_t at,
                                                  struct ahead *a, uint32_t *state)
{
    struct zti_bit_reader r = sz_reader(s, at);
    const bool has_start = zti_ans_read_start(&r);
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZTI_ANS_FEW; k++)
        state[k] = zti_get_within(&r, ZTI_ANS_STATE_BITS);
    a->words = (const uint32_t *)(const void *)r.words;
    a->count = 2 * r.count;
    a->next = r.at / 32;
    a->bits = next_word(a) >> r.at % 32;
    a->left = 32 - (uint32_t)(r.at % 32);
    a->coming = next_word(a);
    fill_ahead(a);
    return has_start;
}

/* The state that follows an entry. It takes at most 12 bits, so two fit between fills. */
static __device__ __forceinline__ uint32_t next_state(struct ahead *a, uint32_t entry)
{
    const uint32_t n = ZTI_ANS_BITS(entry);
    const uint32_t state = ZTI_ANS_BASE(entry) + ((uint32_t)a->bits & ((1u << n) - 1));
    a->bits >>= n;
    a->left -= n;
    return state;
}

/* Whether exactly the stream, which ends at bit 'end', was read, and all states are 0. */
static __device__ __forceinline__ bool ahead_ends_at(const struct ahead *a, const uint32_t *state,
                                                     uint64_t end)
{
    return 32 * (a->next - 1) - a->left == end && (state[0] | state[1] | state[2] | state[3]) == 0;
}

/* ---- values ---- */

/* The coefficient of a lane's symbol, whose open bits begin behind those of the lanes before, from
 * *open on. */
static __device__ __forceinline__ number take_value(const struct sz_tiles *s,
                                                    const struct scale *scale, uint32_t symbol,
                                                    uint64_t *open)
{
    const uint32_t bits = symbol > 0 ? tf_open_bits(symbol) + 1 : 0, up_to = warp_sums_32(bits);
    struct zti_bit_reader r = sz_reader(s, *open + up_to - bits);
    const uint64_t own = zti_get_bits64(&r, bits);
    const number v = value_of(scale, (number)(tf_least_magnitude(symbol) + (own >> 1)));
    *open += __shfl_sync(SIMT_ALL_LANES, up_to, 31);
    return own & 1 ? -v : v;
}

/* The coefficients of block k of a run. */
static __device__ void read_block(const struct part_work *w, const struct sz_tiles *s,
                                  const struct scale *scale, uint32_t k, uint64_t *open)
{
    const uint32_t n = w->run.extent[ZTI_TF_AXES - 1], lane = threadIdx.x;
    uint32_t at[ZTI_TF_AXES] = {0, 0, 0, 0};
    do {
        const size_t row = w->run.at[k] + row_place(w->layout, at);
        for (uint32_t x = lane; x < (n + 31) / 32 * 32; x += 32) {
            const uint32_t symbol = x < n ? w->symbols[row + x] : 0;
            number v = 0;
            if (__any_sync(SIMT_ALL_LANES, symbol > 0))
                v = take_value(s, scale, symbol, open);
            if (x < n)
                w->values[row + x] = v;
        }
    } while (next_row(w->run.extent, at));
}

/* ---- a block alone ---- */

/* The stream of a part whose symbols come one by one, and the states, the next symbol's first. A
 * lane has the entries of the states in its model's table, and what the next one's symbol weighs.
 */
struct chain {
    struct ahead bits;
    uint32_t state[ZTI_ANS_FEW], entry[ZTI_ANS_FEW], weight;
};

static __device__ __forceinline__ uint32_t entry_ahead(const struct part_work *w, uint32_t state)
{
    return w->turned[state * (int)ZTI_LL_MODELS + threadIdx.x % (int)ZTI_LL_MODELS];
}

static __device__ bool open_chain(const struct part_work *w, const struct sz_tiles *s, uint64_t at,
                                  struct chain *c)
{
    const bool has_start = open_ahead(s, at, &c->bits, c->state);
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZTI_ANS_FEW; k++)
        c->entry[k] = entry_ahead(w, c->state[k]);
    c->weight = w->sh->weight[c->entry[0] & 255];
    return has_start;
}

/* The next symbol, of a model, and what it weighs. */
static __device__ __forceinline__ uint32_t take_symbol(const struct part_work *w, struct chain *c,
                                                       uint32_t model, uint32_t *weight)
{
    const uint32_t entry = __shfl_sync(SIMT_ALL_LANES, c->entry[0], (int)model);
    *weight = __shfl_sync(SIMT_ALL_LANES, c->weight, (int)model);
    const uint32_t state = next_state(&c->bits, entry);
    fill_ahead(&c->bits);
    SIMT_UNROLL
    for (uint32_t k = 0; k + 1 < ZTI_ANS_FEW; k++) {
        c->state[k] = c->state[k + 1];
        c->entry[k] = c->entry[k + 1];
    }
    c->state[ZTI_ANS_FEW - 1] = state;
    c->entry[ZTI_ANS_FEW - 1] = entry_ahead(w, state);
    c->weight = w->sh->weight[c->entry[0] & 255];
    return entry & 255;
}

/* What a segment of a block alone is decoded from: of each place, a lane's, the sum over other rows
 * and its factor; the weights of the two places before in the row. */
struct segment {
    uint32_t some, sum, scale, one, two;
};

/* The lanes' symbols; *weight: what the own one weighs. */
static __device__ __forceinline__ uint32_t decode_segment(const struct part_work *w,
                                                          struct chain *c, struct segment *g,
                                                          uint32_t *weight)
{
    const uint32_t lane = threadIdx.x;
    uint32_t symbol = 0, of_next = __shfl_sync(SIMT_ALL_LANES, g->sum, 0);
    uint32_t scale = __shfl_sync(SIMT_ALL_LANES, g->scale, 0);
    *weight = 0;
    SIMT_UNROLL_4
    for (uint32_t i = 0; i < g->some; i++) {
        const uint32_t sum = of_next + w->two * g->two + w->one * g->one;
        const uint32_t model = w->sh->model_of[tf_context(sum, scale)];
        of_next = __shfl_sync(SIMT_ALL_LANES, g->sum, (int)(i + 1) % 32);
        scale = __shfl_sync(SIMT_ALL_LANES, g->scale, (int)(i + 1) % 32);
        g->two = g->one;
        const uint32_t taken = take_symbol(w, c, model, &g->one);
        symbol = lane == i ? taken : symbol;
        *weight = lane == i ? g->one : *weight;
    }
    return symbol;
}

/* Whether a segment has a magnitude other than 0. */
static __device__ __forceinline__ bool has_symbols(const struct part_work *w, struct chain *c,
                                                   const struct segment *g)
{
    const uint32_t all = simt_reduce_add(g->sum) + w->one * g->one + w->two * g->two;
    uint32_t weight;
    return w->run.extent[ZTI_TF_AXES - 1] < ZTI_TF_LEAST_ROW ||
           take_symbol(w, c, w->sh->model_of[tf_segment_context(all)], &weight) != 0;
}

/* The coefficients of a block that is a part. */
static __device__ void decode_alone(struct part_work *w, const struct sz_tiles *s,
                                    const struct scale *scale, struct chain *c, uint64_t *open)
{
    const uint32_t n = w->run.extent[ZTI_TF_AXES - 1], lane = threadIdx.x;
    uint32_t at[ZTI_TF_AXES] = {0, 0, 0, 0};
    do {
        const size_t row = w->run.at[w->first] + row_place(w->layout, at);
        struct segment g = {0, 0, 0, 0, 0};
        find_near(w, at);
        for (uint32_t first = 0; first < n; first += g.some) {
            const uint32_t x = first + lane;
            uint32_t symbol = 0, weight = 0, weights = 0;
            number v = 0;
            g.some = tf_segment(n, first);
            g.sum = sum_near(w, w->weights + row + x, x, lane < g.some, &weights);
            g.scale = scale_at(w, x, weights);
            if (has_symbols(w, c, &g))
                symbol = decode_segment(w, c, &g, &weight);
            else
                g.one = g.two = 0;
            if (__any_sync(SIMT_ALL_LANES, symbol > 0))
                v = take_value(s, scale, symbol, open);
            if (lane < g.some) {
                w->weights[row + x] = (uint16_t)weight;
                w->values[row + x] = v;
            }
        }
        simt_order_warp();
    } while (next_row(w->run.extent, at));
}

/* ---- several blocks: a lane has a block ---- */

/* The segment of a lane's block: the weights of the two places before in the row, where the block
 * is, and whether it has symbols; of place i, a lane's, the factor. */
struct side {
    uint32_t one, two, scale;
    size_t at;
    bool is_active;
};

/* Sums of the places of a segment, in all blocks, for lanes to read behind the next barrier;
 * returns the own block's sum of them. last: added to the first place of blocks. */
static __device__ uint32_t sum_segments(const struct part_work *w, size_t row, uint32_t first,
                                        uint32_t some, uint32_t last, uint32_t *scale)
{
    const uint32_t lane = threadIdx.x, x = first + lane;
    uint32_t own = 0;
    for (uint32_t k = 0; k < w->lanes; k++) {
        uint32_t weights = 0;
        uint32_t sum = sum_near(w, w->weights + w->run.at[k] + row + x, x, lane < some, &weights);
        sum += row == 0 && x == 0 ? last : 0;
        const uint32_t all = simt_reduce_add(sum);
        own = lane == k ? all : own;
        w->sh->sum[k][lane] = sum;
        *scale = scale_at(w, x, weights);
    }
    return own;
}

/* Which blocks have symbols in a segment; returns a bit for each. */
static __device__ uint32_t find_active(const struct part_work *w, struct warp_states *a,
                                       const struct ans_tables *tables, uint32_t all,
                                       struct side *b)
{
    const uint32_t lane = threadIdx.x;
    b->is_active = lane < w->lanes;
    if (w->run.extent[ZTI_TF_AXES - 1] >= ZTI_TF_LEAST_ROW) {
        const uint32_t sum = all + w->one * b->one + w->two * b->two;
        const uint32_t model = w->sh->model_of[tf_segment_context(b->is_active ? sum : 0)];
        const uint32_t symbol =
            warp_states_decode(a, tables, ZTI_ANS_FEW, model * (uint32_t)ZTI_ANS_STATES, w->lanes);
        b->is_active = b->is_active && symbol != 0;
    }
    if (!b->is_active)
        b->one = b->two = 0;
    return __ballot_sync(SIMT_ALL_LANES, b->is_active);
}

/* The symbols of a segment in all blocks. */
static __device__ void decode_segments(const struct part_work *w, struct warp_states *a,
                                       const struct ans_tables *tables, size_t place, uint32_t some,
                                       uint32_t active, struct side *b)
{
    const uint32_t lane = threadIdx.x, n = (uint32_t)__popc(active);
    const uint32_t place_of = (uint32_t)__popc(active & ((1u << lane) - 1));
    if (b->is_active)
        w->sh->block[place_of] = (uint8_t)lane;
    simt_order_warp();
    const int of = lane < n ? w->sh->block[lane] : 0;
    for (uint32_t i = 0; i < some; i++) {
        const uint32_t scale = __shfl_sync(SIMT_ALL_LANES, b->scale, (int)i);
        uint32_t model = 0, symbol = 0;
        if (b->is_active) {
            const uint32_t sum = w->sh->sum[lane][i] + w->one * b->one + w->two * b->two;
            model = w->sh->model_of[tf_context(sum, scale)] * (uint32_t)ZTI_ANS_STATES;
        }
        if (n > 0) {
            model = __shfl_sync(SIMT_ALL_LANES, model, of);
            symbol = warp_states_decode(a, tables, ZTI_ANS_FEW, model, n);
            symbol = __shfl_sync(SIMT_ALL_LANES, symbol, (int)place_of);
        }
        b->two = b->one;
        b->one = b->is_active ? w->sh->weight[symbol] : 0;
        if (lane < w->lanes) {
            w->symbols[b->at + place + i] = b->is_active ? (uint8_t)symbol : 0;
            w->weights[b->at + place + i] = (uint16_t)b->one;
        }
    }
}

/* The symbols of a run. last: the last magnitude's weight of the run before in the same part, or 0;
 * returns that of this run. */
static __device__ uint32_t decode_run(struct part_work *w, struct warp_states *a,
                                      const struct ans_tables *tables, uint32_t last)
{
    const uint32_t n = w->run.extent[ZTI_TF_AXES - 1], lane = threadIdx.x;
    uint32_t at[ZTI_TF_AXES] = {0, 0, 0, 0};
    struct side b = {0, 0, 0, 0, false};
    b.at = w->run.at[lane < w->lanes ? lane : 0];
    do {
        const size_t row = row_place(w->layout, at);
        b.one = b.two = 0;
        find_near(w, at);
        for (uint32_t x = 0, some; x < n; x += some) {
            some = tf_segment(n, x);
            const uint32_t all = sum_segments(w, row, x, some, last, &b.scale);
            const uint32_t active = find_active(w, a, tables, all, &b);
            decode_segments(w, a, tables, row + x, some, active, &b);
            simt_order_warp();
        }
    } while (next_row(w->run.extent, at));
    return __shfl_sync(SIMT_ALL_LANES, b.one, (int)w->lanes - 1);
}

/* ---- a part ---- */

static __device__ bool decode_block(const struct tf_tiles *f, const struct tf_slot *slot,
                                    uint32_t which, struct part_work *w)
{
    const struct tf_part *const part = &slot->part[which];
    const struct zti_tf_item *const item = &slot->layout->item[part->item];
    struct zti_tf_walk walk = item->walk;
    struct chain chain;
    uint64_t open = part->open;
    if (!tf_next_run(w->layout, &walk, &w->run))
        return false;
    const struct scale scale = scale_of(slot->front, w->run.band, tf_step(f, slot));
    w->first = which - item->part;
    set_taps(w);
    if (!open_chain(w, &f->s, part->codes, &chain))
        return false;
    decode_alone(w, &f->s, &scale, &chain, &open);
    return ahead_ends_at(&chain.bits, chain.state, part->end) && open <= part->codes &&
           part->codes - open < 8;
}

static __device__ bool decode_runs(const struct tf_tiles *f, const struct tf_slot *slot,
                                   uint32_t which, struct part_work *w)
{
    const struct tf_part *const part = &slot->part[which];
    const struct zti_tf_item *const item = &slot->layout->item[part->item];
    const struct ans_tables tables = {NULL, w->tables, 0};
    const struct zti_bit_reader in = sz_reader(&f->s, part->codes);
    struct zti_tf_walk walk = item->walk;
    struct warp_states a;
    uint64_t open = part->open;
    uint32_t last = 0;
    const bool has_start = warp_states_begin(&a, &in, ZTI_ANS_FEW, w->sh->window);
    for (uint32_t i = 0; i < item->runs && tf_next_run(w->layout, &walk, &w->run); i++) {
        const struct scale scale = scale_of(slot->front, w->run.band, tf_step(f, slot));
        w->lanes = w->run.lanes;
        set_taps(w);
        last = decode_run(w, &a, &tables, last);
        for (uint32_t k = 0; k < w->lanes; k++)
            read_block(w, &f->s, &scale, k, &open);
    }
    return warp_states_end_at(&a, ZTI_ANS_FEW, part->end) && has_start && open <= part->codes &&
           part->codes - open < 8;
}

SIMT_KERNEL void SIMT_BOUNDS(32, 16) NAME(tf_decode_parts)(const struct tf_tiles f)
{
    SIMT_SHARED(struct part_memory, memory, );
    const uint32_t which = blockIdx.x / f.most_parts, part = blockIdx.x % f.most_parts;
    const struct sz_numbered t = sz_numbered_of(&f.s, &f.batch, which);
    const struct tf_slot slot = tf_slot_of(&f, which);
    struct part_work w;
    if (!tf_goes_on(&t, &slot) || part >= slot.layout->parts)
        return;
    for (uint32_t i = threadIdx.x; i < 256; i += 32)
        memory.weight[i] = i < ZTI_TF_SYMBOLS ? weight_of((number)tf_least_magnitude(i),
                                                          part_of_shift(slot.front->shift))
                                              : 0;
    for (uint32_t i = threadIdx.x; i < ZTI_TF_CONTEXTS; i += 32)
        memory.model_of[i] = slot.front->model_of[i];
    memset(&w, 0, sizeof w);
    w.sh = &memory;
    w.layout = slot.layout;
    w.tables = slot.models.tables;
    w.turned = slot.turned;
    w.weights = (uint16_t *)slot.others;
    w.symbols = (uint8_t *)(w.weights + slot.layout->values);
    w.values = (number *)slot.values;
    const bool is_alone = slot.layout->item[slot.part[part].item].is_alone;
    const bool is_good =
        is_alone ? decode_block(&f, &slot, part, &w) : decode_runs(&f, &slot, part, &w);
    if (threadIdx.x == 0 && !is_good)
        tf_refuse(&f, &t, &slot);
}
