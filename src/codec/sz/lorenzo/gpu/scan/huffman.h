/* huffman.h: kernel text of lorenzo/gpu/scan/scan.cu: tiles of effort 'default'
 * (lorenzo/huffman.h).
 *
 * The symbols of a book are consecutive for all groups. Each lane of a tile has a piece of the next
 * bits, and they self-synchronize (huffman/gpu/self_sync.h). A prefix sum of the codes that begin
 * in each piece gives a lane the place of its symbols. It stores whole words; the lane in which a
 * word begins stores all of it. Bits after the book's last code are ignored. */

enum {
    PIECE_BITS = 240, /* two rounds of pieces fit in a window */
    ROUND_BITS = CODED_LANES * PIECE_BITS,
    AHEAD_BITS = 128 /* after a round: four codes, and the bits read with the last one */
};
static_assert(2 * (ROUND_BITS + 16) + 63 + AHEAD_BITS <= WINDOW_BITS, "two rounds fit in a window");

/* Symbols of a lane's tile: of books 1 to 4, 16 bits each. */
struct books {
    uint64_t counts; /* symbols, */
    uint64_t begins; /* and the number of the first */
    uint64_t lists;  /* a bit for each group that is a list */
};

/* Decode classes, and skip the planes. Sets b->counts and b->lists and, for each other group, the
 * number of symbols of its book before its own. The warp calls it. */
static __device__ __forceinline__ void find_coded_classes(const struct sz_tiles *s,
                                                          const struct finding *f, struct lane *l,
                                                          struct books *b)
{
    const uint32_t most = class_most(l->is_wide ? 64 : 32);
    const struct codes c = codes_of(s, f, window_of(f, l->column), 0, ZTI_SZ_DEFAULT);
    uint32_t planes = 0, number = 0;
    refill_windows(s, f, l, WINDOW_BITS / 2); /* 64 codes take fewer bits */
    b->counts = b->lists = 0;
    if (!l->is_good)
        return;
    const uint32_t only = only_symbol(&c, &l->is_good);
    struct ahead a = ahead_of(c.bits.words, l);
    for (uint32_t g = 0; l->is_good && g * ZTI_SZ_GROUP < l->n; g++) {
        const uint32_t n = in_group(l->n, g);
        number = class_after(one_symbol(&c, &a, only), number);
        const uint32_t class_of = class_of_number(number);
        l->is_good = class_of <= most;
        if (!l->is_good)
            return;
        if (is_leader(l))
            classes_of(f, l)[g] = (uint8_t)class_of;
        uint64_t place = 0;
        if (is_list(class_of)) {
            b->lists |= UINT64_C(1) << g;
        } else {
            const uint32_t shift = 16 * (book_of(class_of) - 1);
            place = b->counts >> shift & 0xffff;
            b->counts += (uint64_t)symbols_in(n, book_of(class_of)) << shift;
        }
        if (is_leader(l))
            l->to->groups[g] = group_of(class_of, planes) | place << 32;
        planes += class_shift(class_of) * n;
    }
    l->at = place_of(c.bits.words, &a, l);
    skip_planes(l, planes);
}

/* Set the places of the symbols of books and of groups; a lane has every eighth group. */
static __device__ __forceinline__ void place_groups(const struct finding *f, const struct lane *l,
                                                    struct books *b)
{
    uint32_t begin = 0;
    b->begins = 0;
    for (uint32_t book = 1; book < ZTI_SZ_BOOKS; book++) {
        const uint32_t shift = 16 * (book - 1);
        b->begins |= (uint64_t)begin << shift;
        begin += (((uint32_t)(b->counts >> shift) & 0xffff) + 15) / 16 * 16;
    }
    for (uint32_t g = threadIdx.x % CODED_LANES; l->is_good && g * ZTI_SZ_GROUP < l->n;
         g += CODED_LANES) {
        const uint32_t c = classes_of(f, l)[g];
        uint32_t *const place = (uint32_t *)(void *)(l->to->groups + g) + 1;
        if (!is_list(c))
            *place += (uint32_t)(b->begins >> 16 * (book_of(c) - 1)) & 0xffff;
    }
}

/* ---- a round: one piece in each lane ---- */

/* Symbols from number 'first' of a book on, and where their codes begin in the window. */
struct round {
    uint32_t at, first, left;
    uint8_t *to; /* place of the book's symbols */
};

/* Decode four codes from bit *at on; *at is then their end. Returns their symbols. */
static __device__ __forceinline__ uint32_t four_codes(const struct zti_code_bits *c, uint32_t *at)
{
    const uint32_t *const from = c->words + *at / 32;
    uint64_t held = (uint64_t)__funnelshift_r(from[1], from[2], *at % 32) << 32 |
                    __funnelshift_r(from[0], from[1], *at % 32);
    uint32_t symbols = 0;
    SIMT_UNROLL
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t code = c->table[(uint32_t)held & (ZTI_CODE_ENTRIES - 1)];
        if (zti_code_length(code) == 0)
            code = zti_long_code(c->order, c->numbers, (uint32_t)held, ZTI_SMALL_TABLE_BITS);
        held >>= zti_code_length(code);
        *at += zti_code_length(code);
        symbols |= (code & 0xff) << 8 * k;
    }
    return symbols;
}

static __device__ __forceinline__ void write_word(const struct round *r, uint32_t own,
                                                  uint32_t four)
{
    *(uint32_t *)(void *)(r->to + r->first + own) = four;
}

/* Store a lane's words of a round; returns the end of their last code. The lane's first code begins
 * at bit 'at' and is symbol 'own'; the next lane's first is symbol 'next'. */
static __device__ __forceinline__ uint32_t write_words(const struct zti_code_bits *c,
                                                       const struct round *r, uint32_t at,
                                                       uint32_t own, uint32_t next)
{
    for (; own % 4 != 0; own++)
        at += zti_code_length(zti_code_from(c, at));
    for (; own + 4 <= next; own += 4)
        write_word(r, own, four_codes(c, &at));
    uint32_t four = 0;
    for (uint32_t k = 0; own + k < next; k++) { /* the last of a book */
        const uint32_t code = zti_code_from(c, at);
        at += zti_code_length(code);
        four |= (code & 0xff) << 8 * k;
    }
    if (own < next)
        write_word(r, own, four);
    return at;
}

/* Decode a round of the lanes whose tile has symbols left. It ends with a whole word, or with the
 * book's last symbol. The warp calls it. */
static __device__ __forceinline__ void decode_round(const struct zti_code_bits *c, struct round *r)
{
    const uint32_t piece = threadIdx.x % CODED_LANES, last = threadIdx.x % 32 | (CODED_LANES - 1);
    const bool is_here = r->left > 0;
    uint32_t at = r->at + (is_here ? piece * PIECE_BITS : 0), count = 0;
    (void)zti_settle(c, CODED_LANES, &at, is_here ? at + PIECE_BITS : 0, &count);
    uint32_t up_to = count;
    SIMT_UNROLL
    for (uint32_t step = 1; step < CODED_LANES; step *= 2) {
        const uint32_t before = __shfl_up_sync(SIMT_ALL_LANES, up_to, (int)step);
        up_to += piece >= step ? before : 0;
    }
    const uint32_t all = __shfl_sync(SIMT_ALL_LANES, up_to, (int)last);
    const uint32_t own = up_to - count, taken = all < r->left ? all / 4 * 4 : r->left;
    const uint32_t next = (up_to + 3) / 4 * 4;
    uint32_t end = r->at;
    if ((own + 3) / 4 * 4 < taken)
        end = write_words(c, r, at, own, next < taken ? next : taken);
    SIMT_UNROLL
    for (uint32_t step = 1; step < CODED_LANES; step *= 2) {
        const uint32_t other = __shfl_xor_sync(SIMT_ALL_LANES, end, (int)step);
        end = other > end ? other : end;
    }
    r->at = end;
    r->first += taken;
    r->left -= taken;
}

/* ---- symbols ---- */

/* Store the only symbol of a book 'left' times. */
static __device__ __forceinline__ void store_repeated(struct round *r, uint32_t only)
{
    for (uint32_t i = 4 * (threadIdx.x % CODED_LANES); i < r->left; i += 4 * CODED_LANES)
        *(uint32_t *)(void *)(r->to + i) = only * 0x01010101u;
    r->left = 0;
}

/* Decode the symbols of a book. The warp calls it. */
static __device__ __forceinline__ void find_symbols_of(const struct sz_tiles *s,
                                                       const struct finding *f, struct lane *l,
                                                       const struct books *b, uint32_t book)
{
    const uint32_t shift = 16 * (book - 1), count = (uint32_t)(b->counts >> shift) & 0xffff;
    const struct codes c = codes_of(s, f, window_of(f, l->column), book, ZTI_SZ_DEFAULT);
    struct round r = {0, 0, l->is_good ? count : 0,
                      (uint8_t *)sz_symbols_in(l->to, &s->sz) + ((b->begins >> shift) & 0xffff)};
    if (r.left > 0) {
        const uint32_t only = only_symbol(&c, &l->is_good);
        if (only != UINT32_MAX)
            store_repeated(&r, only);
    }
    while (__any_sync(SIMT_ALL_LANES, r.left > 0)) {
        refill_windows(s, f, l, ROUND_BITS + AHEAD_BITS);
        r.at = (uint32_t)(l->at - 64 * l->first);
        decode_round(&c.bits, &r);
        l->at = 64 * l->first + r.at;
    }
}

/* The number of a group's n values with excesses. */
static __device__ __forceinline__ uint32_t values_above(const uint8_t *symbols, uint32_t n,
                                                        uint32_t book)
{
    const uint32_t bits = symbol_bits(book), all = n * bits;
    uint32_t above = 0;
    for (uint32_t first = 0; first < all; first += 128) {
        uint32_t words[4];
        simt_load_16(words, symbols + first / 8);
        SIMT_UNROLL
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t begin = first + 32 * k, left = all > begin ? all - begin : 0;
            const uint32_t own = left < 32 ? words[k] & ((1u << left) - 1) : words[k];
            const uint32_t pairs = own & own >> 1;
            above +=
                (uint32_t)__popc(bits == 4 ? pairs & pairs >> 2 & 0x11111111 : pairs & 0x55555555);
        }
    }
    return above;
}

/* Count the excesses of all groups, over their classes; returns a bit for each group that has any.
 * The warp calls it. */
static __device__ __forceinline__ uint64_t find_excesses(const struct sz_tiles *s,
                                                         const struct finding *f,
                                                         const struct lane *l)
{
    const uint8_t *const symbols = (const uint8_t *)sz_symbols_in(l->to, &s->sz);
    uint64_t some = 0;
    simt_order_warp(); /* symbols are other lanes'; shuffles order them in the tests */
    for (uint32_t g = threadIdx.x % CODED_LANES; l->is_good && g * ZTI_SZ_GROUP < l->n;
         g += CODED_LANES) {
        const uint32_t c = classes_of(f, l)[g];
        if (is_list(c))
            continue;
        const uint32_t above =
            values_above(symbols + (l->to->groups[g] >> 32), in_group(l->n, g), book_of(c));
        classes_of(f, l)[g] = (uint8_t)above;
        some |= (uint64_t)(above > 0) << g;
    }
    for (uint32_t step = 1; step < CODED_LANES; step *= 2)
        some |= __shfl_xor_sync(SIMT_ALL_LANES, some, (int)step);
    return some;
}

/* Scan a tile of effort 'default'. The warp calls it. */
static __device__ __forceinline__ void find_coded(const struct sz_tiles *s, const struct finding *f,
                                                  struct lane *l)
{
    struct books b;
    find_coded_classes(s, f, l, &b);
    skip_groups(s, f, l, PASS_LISTS, b.lists);
    place_groups(f, l, &b);
    SIMT_NO_UNROLL
    for (uint32_t book = 1; book < ZTI_SZ_BOOKS; book++)
        find_symbols_of(s, f, l, &b, book);
    l->is_good = l->is_good && l->at <= l->end;
    skip_groups(s, f, l, PASS_EXCESSES, find_excesses(s, f, l));
}
