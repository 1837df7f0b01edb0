/* sz_cuda_find_codes.h: kernel text of sz_cuda_find.cu: Huffman codes of a lane's window, by tables
 * in shared memory, which are made once for all blocks. */

/* The tables of all books, a block each: blocks of find copy them. Those of effort 'paper', of more
 * bits, have no ends. */
SIMT_KERNEL void __launch_bounds__(TABLE_THREADS) make_tables(const struct sz_tiles s)
{
    SIMT_SHARED(uint32_t, own, [1 << MOST_TABLE_BITS]);
    const uint32_t bits = sz_table_bits(s.sz.effort), k = blockIdx.x;
    const struct zti_cuda_book book = sz_book(s.model, s.alphabet, k);
    uint32_t *const table = sz_tables_in(s.found, &s.sz, s.slots) + (k << bits);
    for (uint32_t i = threadIdx.x; i < 1u << bits; i += TABLE_THREADS)
        own[i] = zti_code_at(book.order, book.numbers, zti_reversed(i, 16), 1, bits);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < 1u << bits; i += TABLE_THREADS)
        table[i] = own[i] | (s.sz.effort == ZT_EFFORT_PAPER ? 0 : zti_ends_in(own, i));
}

/* Tables and numbers of all books, there after the next barrier. The block calls it. */
static __device__ __forceinline__ void copy_books(const struct sz_tiles *s, const struct finding *f,
                                                  uint32_t effort)
{
    const uint32_t *const from = sz_tables_in(s->found, &s->sz, s->slots);
    const uint32_t threads = blockDim.x, words = sz_table_words(effort);
    for (uint32_t first = 4 * threadIdx.x; first < words; first += 4 * 4 * threads) {
        uint32_t v[4][4]; /* at once */
SIMT_UNROLL
        for (uint32_t k = 0; k < 4; k++)
            if (first + 4 * k * threads < words)
                simt_load_16(v[k], from + first + 4 * k * threads);
SIMT_UNROLL
        for (uint32_t k = 0; k < 4; k++)
            if (first + 4 * k * threads < words)
                simt_store_16(f->tables + first + 4 * k * threads, v[k]);
    }
    for (uint32_t k = 0; k < sz_tables(effort); k++)
        for (uint32_t m = threadIdx.x; m < ZTI_BOOK_NUMBERS; m += threads)
            f->numbers[k][m] = sz_book(s->model, s->alphabet, k).numbers[m];
    const struct zti_cuda_book book = sz_book(s->model, s->alphabet, 0);
    const uint32_t used = f->order ? book.numbers[ZTI_BOOK_USED] : 0;
    for (uint32_t i = threadIdx.x; i < used; i += threads)
        f->order[i] = book.order[i];
}

/* A book to decode with, and bits of the window. */
struct codes {
    struct zti_code_bits bits;
    uint32_t table_bits;
};

/* Bits of the window from bit 'at' on, of which 32 are there after each refill. */
struct ahead {
    uint64_t held;
    uint32_t count, next, at;
};

static __device__ __forceinline__ struct codes codes_of(const struct sz_tiles *s,
                                                        const struct finding *f,
                                                        const struct lane *l, uint32_t book,
                                                        uint32_t effort)
{
    struct codes c;
    c.table_bits = sz_table_bits(effort);
    c.bits.numbers = f->numbers[book];
    c.bits.table = f->tables + (book << c.table_bits);
    c.bits.order = f->order ? f->order : sz_book(s->model, s->alphabet, book).order;
    c.bits.words = (const uint32_t *)(const void *)window_of(f, l->column);
    return c;
}

static __device__ __forceinline__ struct ahead ahead_of(const struct codes *c,
                                                        const struct lane *l)
{
    struct ahead a;
    a.at = (uint32_t)(l->at - 64 * l->first);
    a.held = (uint64_t)c->bits.words[a.at / 32] >> a.at % 32;
    a.count = 32 - a.at % 32;
    a.next = a.at / 32 + 1;
    return a;
}

static __device__ __forceinline__ void refill(const struct codes *c, struct ahead *a)
{
    if (a->count < 32) {
        a->held |= (uint64_t)c->bits.words[a->next] << a->count;
        a->count += 32;
        a->next++;
    }
}

/* The next symbol; 16 bits are there. What a longer code stands for is not waited for: where the
 * next one begins is known without it. */
static __device__ __forceinline__ uint32_t next_symbol(const struct codes *c, struct ahead *a)
{
    const uint32_t code = c->bits.table[(uint32_t)a->held & ((1u << c->table_bits) - 1)];
    uint32_t bits = zti_code_length(code), symbol = code & 0xffff;
    if (bits == 0)
        symbol = c->bits.order[zti_long_place(c->bits.numbers, (uint32_t)a->held, c->table_bits,
                                              &bits)];
    a->held >>= bits;
    a->count -= bits;
    a->at += bits;
    return symbol;
}

/* The only symbol of a book, whose codes have no bits; UINT32_MAX: it has several. *is_good: it has
 * any. */
static __device__ __forceinline__ uint32_t only_symbol(const struct codes *c, bool *is_good)
{
    const uint32_t used = c->bits.numbers[ZTI_BOOK_USED];
    *is_good = *is_good && used > 0;
    return used < 2 ? c->bits.order[0] : UINT32_MAX;
}

/* Four symbols of 16 bits; adds to *outliers how many are 0. */
static __device__ __forceinline__ uint64_t four_symbols(const struct codes *c, struct ahead *a,
                                                        uint32_t *outliers)
{
    uint32_t symbols[4];
SIMT_UNROLL
    for (uint32_t k = 0; k < 4; k++) {
        if (k % 2 == 0)
            refill(c, a);
        symbols[k] = next_symbol(c, a);
    }
SIMT_UNROLL
    for (uint32_t k = 0; k < 4; k++)
        *outliers += symbols[k] == 0;
    return (uint64_t)(symbols[2] | symbols[3] << 16) << 32 | symbols[0] | symbols[1] << 16;
}

static __device__ __forceinline__ uint32_t one_symbol(const struct codes *c, struct ahead *a,
                                                      uint32_t only)
{
    if (only != UINT32_MAX)
        return only;
    refill(c, a);
    return next_symbol(c, a);
}
