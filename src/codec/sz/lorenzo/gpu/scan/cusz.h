/* cusz.h: kernel text of lorenzo/gpu/scan/scan.cu: symbols of the cuSZ coder (lorenzo/cusz.h). A
 * tile's four parts begin at known places: each of its lanes has one, with a window of its own in
 * that of the tile.
 *
 * Lanes leave their symbols in shared memory, 32 at a time, and the warp takes them to the slots:
 * 32 lanes that store 8 bytes each, all elsewhere, are 32 requests, and look-ups wait behind them.
 *
 *     shared    [a lane's 64 bytes][another's]...     16 bytes a lane of eight parts go together
 *
 * Which 16 bytes of a lane's are where depends on the lane, so that neither those that store their
 * own nor those that load eight lanes' meet in the same banks. */

enum {
    PART_BITS = 64 * PART_WORDS,
    /* So many symbols, the words that are looked at behind them, and what is before them in a
     * word. */
    CODES_BITS = (int)ROUND_SYMBOLS * (int)ZTI_HUFFMAN_MAX_BITS + 128,
    ROUND_PIECES = ROUND_SYMBOLS / 8, /* of 16 bytes */
    PIECE_ROWS = 32 / ROUND_PIECES    /* lanes whose pieces go together */
};
static_assert(CODES_BITS + 63 <= PART_BITS, "a round's codes fit in a window");
static_assert(PIECE_ROWS % (2 * ROUND_PIECES) == 0 && PIECE_ROWS % (int)CUSZ_LANES == 0,
              "a lane's pieces are of the same part, and at equal distances");

static __device__ __forceinline__ uint64_t *part_window(const struct finding *f, uint32_t thread)
{
    return f->windows + thread * (PART_WORDS + 1);
}

/* The bits from each lane's place on, eight lanes for a window. The warp calls it. */
static __device__ __forceinline__ void load_part_windows(const struct sz_tiles *s,
                                                         const struct finding *f, struct lane *l)
{
    enum { LOADS = PART_WORDS / 8 };
    const uint32_t me = threadIdx.x % 32, own = threadIdx.x - me;
    l->first = l->at / 64;
    simt_order_warp();              /* the shuffles below order it in the tests */
    for (uint32_t i = 32; i > 0;) { /* first ones last: those that few tiles have */
        uint64_t v[2 * LOADS];
        i -= 8;
        SIMT_UNROLL
        for (uint32_t k = 0; k < 2 * LOADS; k++) {
            const uint32_t of = i + k / LOADS * 4 + me / 8;
            const uint64_t from = __shfl_sync(SIMT_ALL_LANES, l->first, (int)of);
            const uint64_t word = from + k % LOADS * 8 + me % 8;
            v[k] = word < s->words_count ? s->words[word] : 0;
        }
        SIMT_UNROLL
        for (uint32_t k = 0; k < 2 * LOADS; k++)
            part_window(f, own + i + k / LOADS * 4 + me / 8)[k % LOADS * 8 + me % 8] = v[k];
    }
    __syncwarp();
}

/* A lane's piece of its symbols. */
static __device__ __forceinline__ uint32_t *piece_of(const struct finding *f, uint32_t thread,
                                                     uint32_t piece)
{
    return f->symbols + 4 * (thread * ROUND_PIECES + (piece ^ thread / 2 % ROUND_PIECES));
}

/* Eight symbols, of 16 bits; returns how many are 0. */
static __device__ __forceinline__ uint32_t eight_symbols(const struct codes *c, struct ahead *a,
                                                         uint32_t *to)
{
    uint32_t two[4], all = 0;
    SIMT_UNROLL
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t first, second;
        const uint32_t bits = next_bits(a), low = next_code(c, bits, &first);
        const uint32_t high = next_code(c, bits >> first, &second);
        skip_bits(a, first + second);
        two[k] = __byte_perm(low, high, 0x5410);
        all += low + high;
    }
    simt_store_16(to, two);
    return outliers_in(all);
}

/* A round of the lane's part, of so many symbols; returns how many are 0. */
static __device__ __forceinline__ uint32_t read_symbols(const struct finding *f,
                                                        const struct codes *c, struct ahead *a,
                                                        uint32_t only, uint32_t count)
{
    uint32_t outliers = 0, i = 0;
    SIMT_NO_UNROLL
    for (; only == UINT32_MAX && i + 8 <= count; i += 8)
        outliers += eight_symbols(c, a, piece_of(f, threadIdx.x, i / 8));
    for (; i < count; i++) {
        const uint32_t symbol = one_symbol(c, a, only);
        ((uint16_t *)(void *)piece_of(f, threadIdx.x, i / 8))[i % 8] = (uint16_t)symbol;
        outliers += symbol == 0;
    }
    return outliers;
}

/* Where a lane takes pieces of eight lanes' symbols to, four times. */
struct slots {
    uint16_t *to[32 / PIECE_ROWS];
};

static __device__ __forceinline__ struct slots slots_of(const struct sz_tiles *s,
                                                        const struct lane *l)
{
    const uint32_t me = threadIdx.x % 32, part = me / ROUND_PIECES % CUSZ_LANES;
    struct slots p;
    SIMT_UNROLL
    for (uint32_t k = 0; k < 32 / PIECE_ROWS; k++) {
        const uint32_t of = k * PIECE_ROWS + me / ROUND_PIECES;
        const uint64_t slot = __shfl_sync(SIMT_ALL_LANES, l->slot, (int)of);
        p.to[k] = (uint16_t *)sz_symbols_in(sz_slot(s->found, &s->sz, slot), &s->sz) +
                  part * ZTI_SZ_CUSZ_PART + me % ROUND_PIECES * 8;
    }
    return p;
}

/* A round of the warp's lanes with a bit in 'some' to their tiles' slots, from symbol 'first' of
 * each part on. The warp calls it. */
static __device__ __forceinline__ void write_symbols(const struct finding *f, const struct slots *p,
                                                     uint32_t first, unsigned some)
{
    const uint32_t me = threadIdx.x % 32, row = me / ROUND_PIECES;
    const uint32_t *const from = piece_of(f, threadIdx.x - me + row, me % ROUND_PIECES);
    __syncwarp();
    SIMT_UNROLL
    for (uint32_t k = 0; k < 32 / PIECE_ROWS; k++) {
        uint32_t eight[4];
        if (some >> (k * PIECE_ROWS + row) & 1) {
            simt_load_16(eight, from + 4 * ROUND_PIECES * PIECE_ROWS * k);
            simt_store_16(p->to[k] + first, eight);
        }
    }
}

/* So many symbols of a lane's part; returns how many outliers they stand for. The warp calls it. */
static __device__ __forceinline__ uint32_t find_part(const struct sz_tiles *s,
                                                     const struct finding *f, struct lane *l,
                                                     uint32_t count)
{
    const struct codes c = codes_of(s, f, part_window(f, threadIdx.x), 0, ZTI_SZ_CUSZ);
    const struct slots p = slots_of(s, l);
    const uint32_t only = only_symbol(&c, &l->is_good);
    struct ahead a = {0, 0, 0, 0, c.bits.words};
    uint32_t outliers = 0;
    count = l->is_good ? count : 0;
    for (uint32_t first = 0;; first += ROUND_SYMBOLS) {
        const bool is_here = first < count;
        const unsigned some = __ballot_sync(SIMT_ALL_LANES, is_here);
        if (some == 0)
            break;
        const bool is_short = is_here && a.next >= c.bits.words + 3 + (PART_BITS - CODES_BITS) / 32;
        if (__any_sync(SIMT_ALL_LANES, first == 0 || is_short)) {
            l->at = first > 0 ? place_of(c.bits.words, &a, l) : l->at;
            load_part_windows(s, f, l);
            a = ahead_of(c.bits.words, l);
        }
        const uint32_t left = count - first;
        if (is_here)
            outliers += read_symbols(f, &c, &a, only,
                                     left < ROUND_SYMBOLS ? left : (uint32_t)ROUND_SYMBOLS);
        write_symbols(f, &p, first, some);
        simt_order_warp(); /* the vote above does it in the tests */
    }
    l->at = count > 0 ? place_of(c.bits.words, &a, l) : l->at;
    l->is_good = l->is_good && l->at <= l->end;
    return outliers;
}

/* A tile of the cuSZ coder, by four lanes that all know its head. The warp calls it. */
static __device__ __forceinline__ void find_cusz(const struct sz_tiles *s, const struct finding *f,
                                                 struct lane *l)
{
    const uint32_t part = threadIdx.x % CUSZ_LANES, parts = cusz_parts(l->n);
    const uint32_t first = part * ZTI_SZ_CUSZ_PART, leader = threadIdx.x % 32 - part;
    const bool was_good = l->is_good;
    uint32_t count = 0;
    struct zti_bit_reader r = reader_at(s, l->at);
    if (l->is_good && part < parts) {
        l->at += (parts - 1) * 16;
        for (uint32_t i = 0; i < part; i++)
            l->at += zti_get_bits64(&r, 16);
        count = l->n - first < ZTI_SZ_CUSZ_PART ? l->n - first : (uint32_t)ZTI_SZ_CUSZ_PART;
    }
    uint32_t outliers = find_part(s, f, l, count);
    const unsigned good = __ballot_sync(SIMT_ALL_LANES, l->is_good || part >= parts);
    l->is_good = was_good && (good >> leader & 15) == 15;
    outliers += __shfl_xor_sync(SIMT_ALL_LANES, outliers, 1);
    outliers += __shfl_xor_sync(SIMT_ALL_LANES, outliers, 2);
    l->at = __shfl_sync(SIMT_ALL_LANES, l->at, (int)(leader + (l->is_good ? parts - 1 : 0)));
    if (!l->is_good)
        return;
    if (is_leader(l))
        l->to->rest_at = in_tile(l);
    l->at += (uint64_t)outliers * (l->is_wide ? 64 : 32);
    l->is_good = l->at <= l->end;
}
