/* list.h: kernel text of the transform coder: multiples in the places of coefficients to the list
 * of a part's symbols with their contexts, and their open bits to the stream. A warp has a part;
 * all neighbours are there, so that a lane has a place. */

/* ---- symbols ---- */

/* The list of a part, and how many symbols it has; bits that the lane's symbols leave open. */
struct listing {
    uint8_t *symbols, *contexts;
    uint32_t count, open_bits;
};

/* Which blocks have symbols in a segment, a bit each. */
static __device__ __forceinline__ uint32_t active_blocks(const struct part_work *w, size_t place,
                                                         bool is_here, struct listing *l)
{
    const bool are_all = w->run.extent[ZTI_TF_AXES - 1] < ZTI_TF_LEAST_ROW;
    uint32_t active = 0;
    for (uint32_t k = 0; k < w->lanes; k++) {
        const uint32_t symbol = is_here ? w->symbols[w->run.at[w->first + k] + place] : 0;
        l->open_bits += symbol > 0 ? 1 + tf_open_bits(symbol) : 0;
        active |= (uint32_t)(are_all || __any_sync(SIMT_ALL_LANES, symbol > 0)) << k;
    }
    return active;
}

/* List a segment of a row of all blocks: what is said of it, then its places. last: added to the
 * sum of blocks' first places. */
static __device__ void list_segment(const struct part_work *w, size_t row, uint32_t first,
                                    uint32_t last, struct listing *l)
{
    const uint32_t n = w->run.extent[ZTI_TF_AXES - 1], lane = threadIdx.x, x = first + lane;
    const uint32_t some = tf_segment(n, first), said = n < ZTI_TF_LEAST_ROW ? 0 : w->lanes;
    const bool is_here = lane < some;
    const uint32_t active = active_blocks(w, row + x, is_here, l);
    const uint32_t each = (uint32_t)__popc(active);
    uint32_t to = l->count + said + lane * each;
    for (uint32_t k = 0; k < w->lanes; k++) {
        const size_t at = w->run.at[w->first + k] + row + x;
        const uint16_t *const own = w->weights + at;
        uint32_t weights = 0, sum = sum_near(w, own, x, is_here, &weights);
        sum += row == 0 && x == 0 ? last : 0;
        const uint32_t before =
            (is_here && x > 0 ? w->one * own[-1] : 0) + (is_here && x > 1 ? w->two * own[-2] : 0);
        const bool is_active = active >> k & 1;
        if (said > 0) {
            const uint32_t all = simt_reduce_add(sum + (lane == 0 ? before : 0));
            if (lane == 0) {
                l->symbols[l->count + k] = is_active;
                l->contexts[l->count + k] = (uint8_t)tf_segment_context(all);
            }
        }
        if (is_active && is_here) {
            l->symbols[to] = w->symbols[at];
            l->contexts[to] = (uint8_t)tf_context(sum + before, scale_at(w, x, weights));
        }
        to += is_active;
    }
    l->count += said + some * each;
}

/* List the blocks of a run; returns the weight of its last value. */
static __device__ uint32_t list_run(struct part_work *w, uint32_t last, struct listing *l)
{
    const uint32_t n = w->run.extent[ZTI_TF_AXES - 1];
    uint32_t at[ZTI_TF_AXES] = {0, 0, 0, 0};
    size_t row;
    set_taps(w);
    do {
        row = row_place(w->layout, at);
        find_near(w, at);
        for (uint32_t first = 0; first < n; first += tf_segment(n, first))
            list_segment(w, row, first, last, l);
        simt_order_warp();
    } while (next_row(w->run.extent, at));
    return w->weights[w->run.at[w->first + w->lanes - 1] + row + n - 1];
}

/* What a warp works on, without its run; *item becomes the part's. */
static __device__ __forceinline__ struct part_work open_part(const struct tf_job *j, uint32_t which,
                                                             const struct zti_tf_item **item)
{
    struct part_work w;
    memset(&w, 0, sizeof w);
    w.layout = j->layout;
    w.weights = (uint16_t *)j->others;
    w.symbols = (uint8_t *)(w.weights + j->box.n);
    w.values = (number *)j->values;
    *item = &j->layout->item[j->item_of[which]];
    w.first = (*item)->is_alone ? which - (*item)->part : 0;
    return w;
}

/* The next run of a part. */
static __device__ __forceinline__ bool open_run(const struct zti_tf_item *item,
                                                struct zti_tf_walk *walk, struct part_work *w)
{
    const bool is_there = tf_next_run(w->layout, walk, &w->run);
    w->lanes = item->is_alone ? 1 : w->run.lanes;
    return is_there;
}

SIMT_KERNEL void SIMT_BOUNDS(32, 16) NAME(tf_list_parts)(SIMT_ARGUMENT struct tf_job j)
{
    SIMT_SHARED(struct part_memory, memory, );
    const struct zti_tf_item *item;
    struct part_work w = open_part(&j, blockIdx.x, &item);
    struct zti_tf_walk walk = item->walk;
    uint64_t at = item->symbols_at;
    uint32_t last = 0;
    struct listing l = {NULL, NULL, 0, 0};
    if (j.sums->is_over || j.sums->is_bad)
        return;
    w.sh = &memory;
    for (uint32_t i = 0; i < item->runs && open_run(item, &walk, &w); i++) {
        if (i == 0) {
            at += w.first * tf_block_symbols(w.run.extent);
            l.symbols = j.symbols + at;
            l.contexts = j.contexts + at;
        }
        last = list_run(&w, last, &l);
    }
    const uint32_t open_bits = simt_reduce_add(l.open_bits);
    if (threadIdx.x == 0) {
        struct tf_stream *const part = &j.part[blockIdx.x];
        part->at = at;
        part->symbols = l.count;
        part->open_bits = open_bits;
        (void)atomicAdd(&j.sums->open_bits, (unsigned long long)open_bits);
    }
}

/* ---- open bits ---- */

/* Append the signs of a row, with the bits that symbols leave open. */
static __device__ __forceinline__ void pack_row(struct packer *p, const number *value, uint32_t n)
{
    for (uint32_t first = 0; first < n; first += 32) {
        const uint32_t x = first + threadIdx.x;
        const number v = x < n ? value[x] : 0, m = magnitude_of(v);
        const uint32_t open = tf_open_bits((uint32_t)symbol_of(m));
        const uint64_t low = (uint64_t)m & ((UINT64_C(1) << open) - 1);
        pack(p, m > 0 ? (uint64_t)(v < 0) | low << 1 : 0, m > 0 ? open + 1 : 0);
    }
}

/* The open bits of a part to its place, then its codes. */
SIMT_KERNEL void SIMT_BOUNDS(32, 16) NAME(tf_join_parts)(SIMT_ARGUMENT struct tf_job j)
{
    SIMT_SHARED(unsigned, words, [PACK_WORDS]);
    const struct tf_stream *const part = &j.part[blockIdx.x];
    const struct zti_tf_item *item;
    struct part_work w = open_part(&j, blockIdx.x, &item);
    struct zti_tf_walk walk = item->walk;
    struct packer p = packer_at(words, j.out + j.head_bytes + j.places[blockIdx.x]);
    for (uint32_t i = 0; i < item->runs && open_run(item, &walk, &w); i++)
        for (uint32_t k = 0; k < w.lanes; k++) {
            const number *const block = w.values + w.run.at[w.first + k];
            uint32_t at[ZTI_TF_AXES] = {0, 0, 0, 0};
            do
                pack_row(&p, block + row_place(w.layout, at), w.run.extent[ZTI_TF_AXES - 1]);
            while (next_row(w.run.extent, at));
        }
    const uint64_t end = tf_codes_at(part->at + part->symbols, blockIdx.x + 1);
    copy_bytes(end_packed(&p), j.codes + end - part->code_bytes, part->code_bytes, threadIdx.x, 32);
}
