/* parts.h: kernel text: parts of a tile to coefficients. A warp has a part. Its symbols wait for
 * each other, so all lanes decode each of them alike; sums over neighbours in other rows, which are
 * complete, are a lane's for each place of a segment. Symbols stand in the places of their
 * coefficients until the open bits of a run are read. */

/* ---- codes ---- */

/* The codes of a part while they are decoded. */
struct part_codes {
    struct zti_bit_reader r;
    uint64_t ahead;              /* bits already fetched */
    uint32_t left;               /* of them */
    uint32_t state[ZTI_ANS_FEW]; /* the first is the next symbol's */
};

static __device__ __forceinline__ bool open_codes(const struct sz_tiles *s, uint64_t at,
                                                  struct part_codes *c)
{
    c->r = sz_reader(s, at);
    c->left = 0;
    c->ahead = 0;
    const bool has_start = zti_ans_read_start(&c->r);
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZTI_ANS_FEW; k++)
        c->state[k] = zti_get_within(&c->r, ZTI_ANS_STATE_BITS);
    return has_start;
}

static __device__ __forceinline__ bool codes_end_at(const struct part_codes *c, uint64_t end)
{
    return c->r.at == end && (c->state[0] | c->state[1] | c->state[2] | c->state[3]) == 0;
}

static __device__ __forceinline__ uint32_t take_symbol(struct part_codes *c, const uint32_t *table)
{
    const uint32_t entry = table[c->state[0]], n = ZTI_ANS_BITS(entry);
    if (c->left < ZTI_ANS_STATE_BITS) {
        c->ahead = zti_peek_bits(&c->r);
        c->left = 64;
    }
    const uint32_t next = ZTI_ANS_BASE(entry) + (uint32_t)(c->ahead & ((1u << n) - 1));
    c->ahead >>= n;
    c->left -= n;
    c->r.at += n;
    c->state[0] = c->state[1];
    c->state[1] = c->state[2];
    c->state[2] = c->state[3];
    c->state[3] = next;
    return entry & 255;
}

/* ---- a run of blocks ---- */

/* What a warp shares: of symbols their weights, of contexts their models; of the places of a
 * segment the sums of each block, and scales. */
struct part_memory {
    uint16_t weight[256];
    uint8_t model_of[ZTI_TF_CONTEXTS];
    uint32_t sum[ZTI_TF_LANES][ZTI_TF_SEGMENT], all[ZTI_TF_LANES];
    uint32_t scale[ZTI_TF_SEGMENT];
};

/* A part, and the blocks of its run that are decoded: 'lanes' of them, from 'first' on. */
struct part_work {
    struct part_memory *sh;
    const struct zti_tf_layout *layout;
    const uint32_t *tables;
    uint8_t *symbols; /* of the tile, in the places of coefficients */
    number *values;
    struct zti_tf_run run;
    uint32_t first, lanes;
    struct zti_tf_tap tap[ZTI_TF_TAPS];
    uint32_t taps, row_taps;
    uint32_t one, two; /* weights of the places one and two before in the row */
};

static __device__ void set_taps(struct part_work *w)
{
    w->taps = tf_taps(w->run.extent, w->tap);
    w->row_taps = w->run.extent[ZTI_TF_AXES - 1] > 1 ? 2 : 0;
    w->one = w->row_taps > 0 ? w->tap[w->taps - 2].weight : 0;
    w->two = w->row_taps > 0 ? w->tap[w->taps - 1].weight : 0;
    w->taps -= w->row_taps;
}

static __device__ __forceinline__ bool next_row(const uint32_t *extent, uint32_t *at)
{
    for (uint32_t a = ZTI_TF_AXES - 1; a-- > 0; at[a] = 0)
        if (++at[a] < extent[a])
            return true;
    return false;
}

static __device__ __forceinline__ size_t row_place(const struct zti_tf_layout *layout,
                                                   const uint32_t *at)
{
    return at[0] * layout->stride[0] + at[1] * layout->stride[1] + at[2] * layout->stride[2];
}

/* Sums over neighbours in other rows, of the places of a segment in all blocks; and scales. at: the
 * row's place; its last number is the segment's. */
static __device__ void sum_segment(const struct part_work *w, const uint32_t *at, uint32_t some,
                                   uint32_t last)
{
    const uint32_t lane = threadIdx.x, x = at[ZTI_TF_AXES - 1] + lane;
    const bool is_here = lane < some;
    const size_t row = row_place(w->layout, at);
    const bool is_first = row == 0 && x == 0;
    uint32_t weights = (x > 0 ? w->one : 0) + (x > 1 ? w->two : 0);
    uint32_t sum[ZTI_TF_LANES] = {0};
    for (uint32_t i = 0; i < w->taps && is_here; i++) {
        bool is_there = true;
        ptrdiff_t step = 0;
        for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
            const uint32_t own = a + 1 < ZTI_TF_AXES ? at[a] : x;
            is_there = is_there && (uint32_t)((int32_t)own + w->tap[i].step[a]) < w->run.extent[a];
            step += w->tap[i].step[a] * (ptrdiff_t)w->layout->stride[a];
        }
        if (!is_there)
            continue;
        weights += w->tap[i].weight;
        for (uint32_t k = 0; k < w->lanes; k++) {
            const size_t place = w->run.at[w->first + k] + row + x;
            sum[k] += w->tap[i].weight * w->sh->weight[w->symbols[(ptrdiff_t)place + step]];
        }
    }
    w->sh->scale[lane] = ZTI_TF_SCALE(weights > 0 ? weights : 1);
    for (uint32_t k = 0; k < w->lanes; k++) {
        const uint32_t own = is_here ? sum[k] + (is_first ? last : 0) : 0;
        const uint32_t all = simt_reduce_add(own);
        w->sh->sum[k][lane] = own;
        if (lane == 0)
            w->sh->all[k] = all;
    }
    simt_order_warp();
}

static __device__ __forceinline__ uint32_t take_in_context(const struct part_work *w,
                                                           struct part_codes *codes,
                                                           uint32_t context)
{
    return take_symbol(codes, w->tables + (size_t)w->sh->model_of[context] * ZTI_ANS_STATES);
}

/* The weights of the two places before one, in each block. */
struct before {
    uint32_t one[ZTI_TF_LANES], two[ZTI_TF_LANES];
};

/* The symbols of a segment in all blocks. */
static __device__ void decode_segment(const struct part_work *w, const uint32_t *at, uint32_t some,
                                      struct part_codes *codes, struct before *b)
{
    const uint32_t n = w->run.extent[ZTI_TF_AXES - 1], lane = threadIdx.x;
    const size_t own = row_place(w->layout, at) + at[ZTI_TF_AXES - 1] + lane;
    uint32_t active = 0;
    for (uint32_t k = 0; k < w->lanes; k++) {
        const uint32_t all = w->sh->all[k] + w->one * b->one[k] + w->two * b->two[k];
        const bool is_active =
            n < ZTI_TF_LEAST_ROW || take_in_context(w, codes, tf_segment_context(all)) != 0;
        active |= (uint32_t)is_active << k;
        if (is_active)
            continue;
        b->one[k] = b->two[k] = 0;
        if (lane < some)
            w->symbols[w->run.at[w->first + k] + own] = 0;
    }
    for (uint32_t i = 0; i < some && active != 0; i++)
        for (uint32_t k = 0; k < w->lanes; k++) {
            if (!(active >> k & 1))
                continue;
            const uint32_t sum = w->sh->sum[k][i] + w->one * b->one[k] + w->two * b->two[k];
            const uint32_t symbol = take_in_context(w, codes, tf_context(sum, w->sh->scale[i]));
            b->two[k] = b->one[k];
            b->one[k] = w->sh->weight[symbol];
            if (lane == i)
                w->symbols[w->run.at[w->first + k] + own] = (uint8_t)symbol;
        }
    simt_order_warp();
}

/* The symbols of a run. last: the last magnitude's weight of the run before in the same part, or 0;
 * returns that of this run. */
static __device__ uint32_t decode_run(const struct part_work *w, struct part_codes *codes,
                                      uint32_t last)
{
    const uint32_t n = w->run.extent[ZTI_TF_AXES - 1];
    uint32_t at[ZTI_TF_AXES] = {0, 0, 0, 0};
    struct before b;
    do {
        uint32_t *const x = &at[ZTI_TF_AXES - 1];
        memset(&b, 0, sizeof b);
        for (uint32_t some; *x < n; *x += some) {
            some = tf_segment(n, *x);
            sum_segment(w, at, some, last);
            decode_segment(w, at, some, codes, &b);
        }
        *x = 0;
    } while (next_row(w->run.extent, at));
    return b.one[w->lanes - 1];
}

/* The coefficients of a block, whose open bits begin at *open. */
static __device__ void read_block(const struct part_work *w, const struct sz_tiles *s,
                                  const struct scale *scale, uint32_t k, uint64_t *open)
{
    const uint32_t n = w->run.extent[ZTI_TF_AXES - 1], lane = threadIdx.x;
    uint32_t at[ZTI_TF_AXES] = {0, 0, 0, 0};
    do {
        const size_t row = w->run.at[w->first + k] + row_place(w->layout, at);
        for (uint32_t x = lane; x < (n + 31) / 32 * 32; x += 32) {
            const uint32_t symbol = x < n ? w->symbols[row + x] : 0;
            const uint32_t bits = symbol > 0 ? tf_open_bits(symbol) + 1 : 0;
            const uint32_t up_to = warp_sums_32(bits);
            struct zti_bit_reader r = sz_reader(s, *open + up_to - bits);
            const uint64_t own = zti_get_bits64(&r, bits);
            const number v = value_of(scale, (number)(tf_least_magnitude(symbol) + (own >> 1)));
            if (x < n)
                w->values[row + x] = own & 1 ? -v : v;
            *open += __shfl_sync(SIMT_ALL_LANES, up_to, 31);
        }
    } while (next_row(w->run.extent, at));
}

/* ---- a part ---- */

static __device__ bool decode_part(const struct tf_tiles *f, const struct tf_slot *slot,
                                   uint32_t which, struct part_work *w)
{
    const struct tf_part *const part = &slot->part[which];
    const struct zti_tf_item *const item = &slot->layout->item[part->item];
    const double step = f->s.sz.step * slot->front->step_parts / (int)ZTI_TF_STEP_PARTS;
    struct zti_tf_walk walk = item->walk;
    struct part_codes codes;
    uint64_t open = part->open;
    uint32_t last = 0;
    bool is_good = open_codes(&f->s, part->codes, &codes);
    for (uint32_t i = 0; is_good && i < item->runs && tf_next_run(w->layout, &walk, &w->run); i++) {
        const struct scale scale = scale_of(slot->front, w->run.band, step);
        w->first = item->is_alone ? which - item->part : 0;
        w->lanes = item->is_alone ? 1 : w->run.lanes;
        set_taps(w);
        last = decode_run(w, &codes, last);
        for (uint32_t k = 0; k < w->lanes; k++)
            read_block(w, &f->s, &scale, k, &open);
        is_good = codes.r.at <= part->end && open <= part->codes;
    }
    return is_good && codes_end_at(&codes, part->end) && open <= part->codes &&
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
        memory.model_of[i] = slot.front->model_of[i]; /* read behind sum_segment, as weights are */
    memset(&w, 0, sizeof w);
    w.sh = &memory;
    w.layout = slot.layout;
    w.tables = slot.models.tables;
    w.symbols = (uint8_t *)slot.others;
    w.values = (number *)slot.values;
    const bool is_good = decode_part(&f, &slot, part, &w);
    if (threadIdx.x == 0 && !is_good)
        tf_refuse(&f, &t, &slot);
}
