/* sz_cuda_decoder.h: kernel text: bytes to a tile by a block. Its parameters are those of
 * sz_kernel.h.
 *
 * Where one Huffman code ends the next begins, and nothing in a tile of effort 'default' says where
 * the codes of a book do: a warp finds them a window at a time (entropy/sync_cuda.h), book after
 * book. With effort 'paper' each of a tile's parts has a warp. Lists and what values are more than
 * their symbols say are few: one thread takes them. */

enum {
    PIECE_BITS = 64,       /* of a lane's part of a window */
    CODED_TABLE_BITS = 8,  /* a table for each of five books, */
    PAPER_TABLE_BITS = 10, /* or for the only one */
    TABLE_WORDS = ZTI_SZ_BOOKS << CODED_TABLE_BITS
};

/* What a block knows of a tile's bits; the same in all threads. Places are in bits from 'base'. */
struct tile_bits {
    const uint32_t *words;
    uint32_t words_count;
    uint64_t base;
    uint32_t end; /* no tile reaches beyond */
    const uint32_t *tables;
};

static __device__ __forceinline__ struct tile_bits
tile_bits_at(const struct sz_tiles *s, uint64_t start, uint64_t end, const uint32_t *tables)
{
    const uint64_t first = start / 32, all = 2 * s->words_count;
    struct tile_bits b;
    b.words = (const uint32_t *)(const void *)s->words + first;
    b.words_count = all > first ? simt_at_most(all - first, UINT32_MAX) : 0;
    b.base = 32 * first;
    b.end = (uint32_t)(end - b.base);
    b.tables = tables;
    return b;
}

static __device__ __forceinline__ struct zti_bit_reader reader_at(const struct sz_tiles *s,
                                                                  uint64_t at)
{
    const struct zti_bit_reader r = {s->words, s->words_count, at};
    return r;
}

static __device__ __forceinline__ struct zti_code_bits
codes_of(const struct sz_tiles *s, const struct tile_bits *b, uint32_t book, uint32_t table_bits)
{
    const struct zti_cuda_book own = sz_book(s->model, s->alphabet, book);
    const struct zti_code_bits c = {own.numbers, own.order, b->tables + (book << table_bits),
                                    table_bits,  b->words,  b->words_count};
    return c;
}

/* The tables of all books, there after the next barrier. */
static __device__ __forceinline__ void make_tables(const struct sz_tiles *s, uint32_t effort,
                                                   uint32_t *tables)
{
    const uint32_t bits = effort == ZT_EFFORT_PAPER ? PAPER_TABLE_BITS : CODED_TABLE_BITS;
    for (uint32_t i = 0; i < (effort == ZT_EFFORT_PAPER ? 1 : ZTI_SZ_BOOKS); i++) {
        const struct zti_cuda_book book = sz_book(s->model, s->alphabet, i);
        zti_make_table(book.order, book.numbers, tables + (i << bits), bits, THREADS);
    }
}

/* Symbols from bit *at on, which goes behind them. A warp; false where they reach beyond the end.
 */
static __device__ __forceinline__ bool take_symbols(const struct zti_code_bits *c, uint32_t end,
                                                    uint32_t *at, uint32_t wanted, uint16_t *out)
{
    const uint32_t lane = threadIdx.x % 32, used = c->numbers[ZTI_BOOK_USED];
    if (used < 2) { /* codes of no bits */
        for (uint32_t i = lane; used == 1 && i < wanted; i += 32)
            out[i] = c->order[0];
        return used == 1 && *at <= end;
    }
    for (uint32_t done = 0; done < wanted;) {
        if (*at > end)
            return false;
        uint32_t start = *at + lane * PIECE_BITS, count, last = 0;
        const uint32_t limit = start + PIECE_BITS;
        const uint32_t stop = zti_settle(c, &start, limit, &count);
        const uint32_t up_to = done + warp_sums_32(count);
        struct zti_held_bits held = zti_held_at(c, start);
        for (uint32_t place = up_to - count, p = start; p < limit && place < wanted; place++) {
            const uint32_t code = zti_take_code(c, &held);
            p += code >> 16;
            out[place] = (uint16_t)code;
            last = place + 1 == wanted ? p : 0;
        }
        const unsigned ends = __ballot_sync(SIMT_ALL_LANES, last != 0);
        done = __shfl_sync(SIMT_ALL_LANES, up_to, 31);
        *at = ends ? __shfl_sync(SIMT_ALL_LANES, last, __ffs((int)ends) - 1)
                   : __shfl_sync(SIMT_ALL_LANES, stop, 31);
    }
    return *at <= end;
}

/* ---- what is before the residuals ---- */

/* What is before the residuals. One thread. */
static __device__ __forceinline__ bool take_head(const struct sz_tiles *s, const struct sz_tile *t,
                                                 struct shared *sh, struct zti_bit_reader *r,
                                                 uint64_t end_bits)
{
    const uint32_t first = (uint32_t)zti_take_bits64(r, 8), base_bytes = first >> 4;
    uint32_t before = 0;
    sh->form = first;
    if (base_bytes > 8 || base_bytes > t->n * (WIDTH / 8) || !is_form(&s->sz, WIDTH / 8, first))
        return false;
    sh->away = zti_take_bits64(r, 8 * base_bytes);
    sh->values_at = r->at;
    if ((first & ZTI_SZ_HAS_EXACT) && !take_exact(r, end_bits, t->n, WIDTH / 8, sh->exact))
        return false;
    for (uint32_t i = 0; (first & ZTI_SZ_HAS_EXACT) && i < EXACT_WORDS; i++) {
        sh->exact_before[i] = before;
        before += (uint32_t)__popcll(sh->exact[i]);
    }
    sh->values_at = r->at;
    r->at += (uint64_t)before * WIDTH;
    return !IS_LOG || (first & ZTI_SZ_LOSSLESS) || (first & 3) == ZTI_SZ_RAW ||
           (take_mark(r, end_bits, t->n, marks_of(sh), 0) &&
            take_mark(r, end_bits, t->n, marks_of(sh), 1));
}

/* ---- residuals ---- */

/* Rice codes. */
static __device__ __forceinline__ void take_rice(const struct sz_tiles *s, const struct sz_tile *t,
                                                 struct shared *sh, uint64_t start,
                                                 uint64_t end_bits)
{
    struct zti_bit_reader r = reader_at(s, start);
    const uint32_t g = threadIdx.x;
    if (threadIdx.x == 0) {
        r.at = sh->next;
        sh->is_good = find_groups(sh, &r, t->n, start, end_bits);
        sh->next = r.at;
    }
    __syncthreads();
    if (!sh->is_good || g * ZTI_SZ_GROUP >= t->n)
        return;
    r.at = start + sh->rest_at[g];
    take_group(r, start + sh->plane_bits + sh->plane_at[g], in_group(t->n, g), sh->classes[g],
               sh->a + g * (ZTI_SZ_GROUP + 1));
}

/* From symbols to classes, and where planes and symbols of each group are. The first warp; false
 * where classes make no sense. */
static __device__ __forceinline__ bool place_classes(struct shared *sh, const uint16_t *steps,
                                                     uint32_t n)
{
    const uint32_t width = (sh->form & 3) == ZTI_SZ_NARROW ? 32 : WIDTH;
    const uint32_t lane = threadIdx.x % 32, groups = (n + ZTI_SZ_GROUP - 1) / ZTI_SZ_GROUP;
    const uint32_t a = 2 * lane < groups ? class_after(steps[2 * lane], 0) : 0;
    const uint32_t b = 2 * lane + 1 < groups ? class_after(steps[2 * lane + 1], 0) : 0;
    const uint32_t up_to = warp_sums_32(a + b);
    bool is_good = true;
    for (uint32_t g = 2 * lane; g < 2 * lane + 2; g++) {
        const uint32_t c = class_of_number(g == 2 * lane ? up_to - b : up_to);
        const uint32_t own = in_group(n, g);
        is_good = is_good && (own == 0 || c <= ZTI_SZ_FEW + 1 + width);
        sh->classes[g] = own > 0 ? c : 0;
        sh->class_at[g] = sh->excess_at[g] = 0;
        sh->plane_at[g] = own > 0 ? class_shift(c) * own : 0;
        sh->rest_at[g] = own > 0 && !is_list(c) ? symbols_in(own, book_of(c)) : 0;
    }
    if (!__all_sync(SIMT_ALL_LANES, is_good))
        return false;
    place_groups(sh, SECTIONS);
    __syncwarp();
    return true;
}

/* All lists, from a reader that goes behind them. One thread. */
static __device__ __forceinline__ bool take_lists(struct shared *sh, struct zti_bit_reader *r,
                                                  uint32_t n, uint64_t end_bits)
{
    for (uint32_t g = 0; g * ZTI_SZ_GROUP < n; g++) {
        const uint32_t c = sh->classes[g];
        if (is_list(c) && !take_list(r, sh->a + g * (ZTI_SZ_GROUP + 1), in_group(n, g), c))
            return false;
        if (r->at > end_bits)
            return false;
    }
    return true;
}

/* Classes, lists, and the symbols of all books, which are in 'symbols' then. The first warp. */
static __device__ __forceinline__ bool
take_coded_symbols(const struct sz_tiles *s, const struct sz_tile *t, struct shared *sh,
                   const struct tile_bits *b, uint16_t *symbols)
{
    const uint32_t groups = (t->n + ZTI_SZ_GROUP - 1) / ZTI_SZ_GROUP;
    uint32_t at = (uint32_t)(sh->next - b->base), is_good = 1;
    const struct zti_code_bits classes = codes_of(s, b, 0, CODED_TABLE_BITS);
    if (!take_symbols(&classes, b->end, &at, groups, symbols))
        return false;
    /* Codes end with shuffles, which order memory in the tests; a book's only symbol does not show
     * either: no array of the tests has one in tiles of several groups. */
    simt_order_warp();
    if (!place_classes(sh, symbols, t->n) || sh->plane_bits > b->end - at)
        return false;
    if (threadIdx.x == 0) {
        struct zti_bit_reader r = reader_at(s, b->base + at + sh->plane_bits);
        sh->place = b->base + at; /* where planes begin */
        is_good = take_lists(sh, &r, t->n, b->base + b->end);
        at = (uint32_t)(r.at - b->base);
    }
    is_good = __shfl_sync(SIMT_ALL_LANES, is_good, 0);
    at = __shfl_sync(SIMT_ALL_LANES, at, 0);
    for (uint32_t book = 1; book < ZTI_SZ_BOOKS && is_good; book++) {
        const uint32_t first = sh->section_end[book - 1], wanted = sh->section_end[book] - first;
        const struct zti_code_bits c = codes_of(s, b, book, CODED_TABLE_BITS);
        is_good = wanted == 0 || take_symbols(&c, b->end, &at, wanted, symbols + first);
    }
    if (threadIdx.x == 0)
        sh->next = b->base + at;
    return is_good;
}

/* A group's values from symbols and planes; which of them are more. One thread a group. */
static __device__ __forceinline__ uint64_t take_coded_group(struct zti_bit_reader planes,
                                                            const uint16_t *symbols, uint32_t n,
                                                            uint32_t c, word *u)
{
    const uint32_t book = book_of(c), most = symbol_most(book);
    const uint32_t each = book > 1 ? 2 : 4, bits = book > 1 ? 4 : 2;
    uint64_t more = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t high = (uint32_t)symbols[i / each] >> i % each * bits & most;
        u[i] = high;
        more |= (uint64_t)(high == most) << i;
    }
    join_planes(planes, n, class_shift(c), u);
    return more;
}

/* What values are more than their symbols say. One thread. */
static __device__ __forceinline__ bool take_excesses(struct shared *sh, struct zti_bit_reader *r,
                                                     uint32_t n, uint64_t end_bits)
{
    for (uint32_t g = 0; g * ZTI_SZ_GROUP < n; g++) {
        word *const u = sh->a + g * (ZTI_SZ_GROUP + 1);
        for (uint64_t more = sh->more[g]; more != 0; more &= more - 1)
            u[zti_ctz64(more)] += (word)take_value(r) << class_shift(sh->classes[g]);
        if (r->at > end_bits)
            return false;
    }
    return true;
}

/* Huffman codes of effort 'default'. Symbols are in the array that integers come to later. */
static __device__ __forceinline__ void take_coded(const struct sz_tiles *s, const struct sz_tile *t,
                                                  struct shared *sh, const struct tile_bits *b)
{
    uint16_t *const symbols = (uint16_t *)(void *)sh->b;
    const uint32_t g = threadIdx.x;
    for (uint32_t i = threadIdx.x; i < PADDED; i += THREADS)
        sh->a[i] = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        const bool is_good = take_coded_symbols(s, t, sh, b, symbols);
        if (threadIdx.x == 0)
            sh->is_good = is_good;
    }
    __syncthreads();
    if (sh->is_good && g * ZTI_SZ_GROUP < t->n) {
        const uint32_t c = sh->classes[g];
        sh->more[g] = is_list(c) ? 0
                                 : take_coded_group(reader_at(s, sh->place + sh->plane_at[g]),
                                                    symbols + sh->rest_at[g], in_group(t->n, g), c,
                                                    sh->a + g * (ZTI_SZ_GROUP + 1));
    }
    __syncthreads();
    if (threadIdx.x == 0 && sh->is_good) {
        struct zti_bit_reader r = reader_at(s, sh->next);
        sh->is_good = take_excesses(sh, &r, t->n, b->base + b->end);
        sh->next = r.at;
    }
}

/* The symbols of a warp's part of a tile; where they end. */
static __device__ __forceinline__ bool take_paper_part(const struct sz_tiles *s, uint32_t n,
                                                       const struct shared *sh,
                                                       const struct tile_bits *b, uint32_t part,
                                                       uint16_t *symbols, uint32_t *at)
{
    const uint32_t first = part * PAPER_PART, left = n - first;
    const struct zti_code_bits c = codes_of(s, b, 0, PAPER_TABLE_BITS);
    struct zti_bit_reader r = reader_at(s, sh->next);
    *at = (uint32_t)(sh->next - b->base) + (n - 1) / PAPER_PART * 16;
    for (uint32_t i = 0; i < part; i++)
        *at += (uint32_t)zti_take_bits64(&r, 16);
    return take_symbols(&c, b->end, at, left < PAPER_PART ? left : (uint32_t)PAPER_PART,
                        symbols + first);
}

/* Huffman codes of effort 'paper', a part a warp; symbols as above. */
static __device__ __forceinline__ void take_paper(const struct sz_tiles *s, const struct sz_tile *t,
                                                  struct shared *sh, const struct tile_bits *b)
{
    uint16_t *const symbols = (uint16_t *)(void *)sh->b;
    const uint32_t g = threadIdx.x, part = threadIdx.x / 32, parts = (t->n - 1) / PAPER_PART + 1;
    const uint32_t width = (sh->form & 3) == ZTI_SZ_NARROW ? 32 : WIDTH;
    const uint32_t own = g < ZTI_SZ_GROUPS ? in_group(t->n, g) : 0;
    uint32_t at = 0, outliers = 0;
    bool is_good = true;
    if (part < parts)
        is_good = take_paper_part(s, t->n, sh, b, part, symbols, &at);
    is_good = !__syncthreads_or(!is_good);
    for (uint32_t i = 0; i < own; i++)
        outliers += symbols[g * ZTI_SZ_GROUP + i] == 0;
    if (g < ZTI_SZ_GROUPS)
        sh->excess_at[g] = outliers * width;
    if (threadIdx.x == 32 * (parts - 1))
        sh->place = b->base + at; /* where outliers begin */
    __syncthreads();
    if (threadIdx.x < 32) {
        const uint32_t bits = sum_groups(sh->excess_at);
        if (threadIdx.x == 0) {
            sh->next = sh->place + bits;
            sh->is_good = is_good && sh->next <= b->base + b->end;
        }
    }
    __syncthreads();
    struct zti_bit_reader r = reader_at(s, sh->place + (own > 0 ? sh->excess_at[g] : 0));
    for (uint32_t i = 0; sh->is_good && i < own; i++) {
        const uint32_t symbol = symbols[g * ZTI_SZ_GROUP + i];
        sh->a[pad(g * ZTI_SZ_GROUP + i)] =
            symbol != 0 ? (word)symbol - s->sz.bins / 2 : (word)zti_take_bits64(&r, width);
    }
}

/* A tile from bit 'start' on; sh->next is where it ends. False where it makes no sense. */
static __device__ __forceinline__ bool take_tile(const struct sz_tiles *s, const struct sz_tile *t,
                                                 struct shared *sh, uint64_t start, uint32_t effort,
                                                 const uint32_t *tables)
{
    const uint64_t end_bits = start + 8 * (1 + (uint64_t)t->n * (WIDTH / 8));
    bool is_bad = false;
    if (threadIdx.x == 0) {
        struct zti_bit_reader r = reader_at(s, start);
        is_bad = !take_head(s, t, sh, &r, end_bits);
        sh->next = (sh->form & 3) == ZTI_SZ_RAW ? end_bits : r.at;
    }
    if (__syncthreads_or(is_bad))
        return false;
    const uint32_t form = sh->form & 3;
    const bool is_huffman = is_coded(effort, sh->form);
    if (IS_LOG && form != ZTI_SZ_RAW && !(sh->form & ZTI_SZ_LOSSLESS))
        undo_rows(t, marks_of(sh));
    if (form == ZTI_SZ_NARROW || form == ZTI_SZ_WIDE) {
        const struct tile_bits b = tile_bits_at(s, start, end_bits, tables);
        if (is_huffman && effort == ZT_EFFORT_DEFAULT)
            take_coded(s, t, sh, &b);
        else if (is_huffman)
            take_paper(s, t, sh, &b);
        else
            take_rice(s, t, sh, start, end_bits);
        __syncthreads();
        if (!sh->is_good)
            return false;
    }
    if (form != ZTI_SZ_RAW)
        sum_tile(s, t, sh, is_huffman && effort == ZT_EFFORT_PAPER);
    put_values(s, t, sh);
    return true;
}

/* A block's chunk of tiles. */
static __device__ __forceinline__ void take_chunk(const struct sz_tiles *s, uint32_t effort)
{
    SIMT_SHARED_DYNAMIC(struct shared, sh);
    uint32_t *const tables = (uint32_t *)(void *)(marks_of(sh) + IS_LOG);
    const uint64_t i = blockIdx.x, chunk = s->chunks ? s->chunks[i] : s->first_chunk + i;
    const uint64_t first = chunk * s->chunk_tiles, rest = s->grid.count - first;
    const uint64_t last = first + (rest < s->chunk_tiles ? rest : s->chunk_tiles);
    uint64_t at = s->places[2 * i];
    if (effort != ZT_EFFORT_FAST)
        make_tables(s, effort, tables);
    for (uint64_t number = first; number < last; number++) {
        const struct sz_tile t = tile_of(s, number);
        const bool is_good = take_tile(s, &t, sh, at, effort, tables);
        at = is_good ? (sh->next + 7) & ~UINT64_C(7)
                     : UINT64_C(1) << 62; /* as if cut short: the host refuses it */
        __syncthreads();
        if (at >> 62 != 0)
            break;
    }
    if (threadIdx.x == 0)
        note_end(s->states, i, s->count, at, s->places[2 * i + 1]);
}
