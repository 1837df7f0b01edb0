/* sz_cuda_find_codes.h: kernel text of sz_cuda_find.cu: Huffman codes of a lane's window, by tables
 * in shared memory, which are made once for all blocks. */

/* How many values a symbol says too little of: all of them are as large as it can say, or more; of
 * effort 'paper' it says nothing. */
static __device__ __forceinline__ uint32_t values_above(uint32_t symbol, uint32_t book,
                                                        uint32_t effort)
{
    if (effort == ZT_EFFORT_PAPER)
        return symbol == 0;
    return book == 0   ? 0
           : book == 1 ? (uint32_t)__popc(symbol & symbol >> 1 & 0x55)
                       : (uint32_t)((symbol & 15) == 15) + (symbol >> 4 == 15);
}

/* The tables of all books, a block each: blocks of find copy them. */
SIMT_KERNEL void __launch_bounds__(TABLE_THREADS) make_tables(const struct sz_tiles s)
{
    const uint32_t effort = s.sz.effort, bits = sz_table_bits(effort), k = blockIdx.x;
    const struct zti_cuda_book book = sz_book(s.model, s.alphabet, k);
    uint32_t *const table = sz_tables_in(s.found, &s.sz, s.slots) + (k << bits);
    for (uint32_t i = threadIdx.x; i < 1u << bits; i += TABLE_THREADS) {
        const uint32_t code =
            zti_code_at(book.order, book.numbers, zti_reversed(i, 16), 1, bits);
        table[i] = code | (code ? values_above(code & 0xffff, k, effort) << 24 : 0);
    }
}

/* Tables and numbers of all books, there after the next barrier. The block calls it. */
static __device__ __forceinline__ void copy_books(const struct sz_tiles *s, struct finding *f,
                                                  uint32_t effort)
{
    const uint32_t *const from = sz_tables_in(s->found, &s->sz, s->slots);
    for (uint32_t first = 0; first < sz_table_words(effort); first += 8 * FIND_THREADS) {
        uint32_t v[8]; /* at once */
SIMT_UNROLL
        for (uint32_t k = 0; k < 8; k++)
            v[k] = from[first + k * FIND_THREADS + threadIdx.x];
SIMT_UNROLL
        for (uint32_t k = 0; k < 8; k++)
            tables_of(f)[first + k * FIND_THREADS + threadIdx.x] = v[k];
    }
    for (uint32_t k = 0; k < sz_tables(effort); k++)
        for (uint32_t m = threadIdx.x; m < ZTI_BOOK_NUMBERS; m += FIND_THREADS)
            f->numbers[k][m] = sz_book(s->model, s->alphabet, k).numbers[m];
}

/* A book to decode with. */
struct codes {
    const uint32_t *numbers, *table;
    const uint16_t *order;
    uint32_t book, effort, table_bits;
    const uint32_t *words; /* of the window */
};

/* Bits of the window from bit 'at' on, of which 32 are there after each refill. */
struct ahead {
    uint64_t held;
    uint32_t count, next, at;
};

static __device__ __forceinline__ struct codes codes_of(const struct sz_tiles *s,
                                                        struct finding *f, uint32_t book,
                                                        uint32_t effort)
{
    struct codes c;
    c.numbers = f->numbers[book];
    c.table_bits = sz_table_bits(effort);
    c.table = tables_of(f) + (book << c.table_bits);
    c.order = sz_book(s->model, s->alphabet, book).order;
    c.book = book;
    c.effort = effort;
    c.words = (const uint32_t *)(const void *)f->window[threadIdx.x];
    return c;
}

static __device__ __forceinline__ struct ahead ahead_of(const struct codes *c,
                                                        const struct lane *l)
{
    struct ahead a;
    a.at = (uint32_t)(l->at - 64 * l->first);
    a.held = (uint64_t)c->words[a.at / 32] >> a.at % 32;
    a.count = 32 - a.at % 32;
    a.next = a.at / 32 + 1;
    return a;
}

static __device__ __forceinline__ void refill(const struct codes *c, struct ahead *a)
{
    if (a->count < 32) {
        a->held |= (uint64_t)c->words[a->next] << a->count;
        a->count += 32;
        a->next++;
    }
}

/* A code that is longer than the table's. */
static __device__ __forceinline__ uint32_t long_code(const uint16_t *order, const uint32_t *numbers,
                                                  uint32_t bits, uint32_t from, uint32_t book,
                                                  uint32_t effort)
{
    const uint32_t code = zti_code_at(order, numbers, zti_reversed(bits & 0xffff, 16), from,
                                      numbers[ZTI_BOOK_LONGEST]);
    return code | (code ? values_above(code & 0xffff, book, effort) << 24 : 0);
}

/* The next code, as in tables; 16 bits are there. */
static __device__ __forceinline__ uint32_t next_code(const struct codes *c, struct ahead *a)
{
    uint32_t code = c->table[(uint32_t)a->held & ((1u << c->table_bits) - 1)];
    if (code == 0)
        code = long_code(c->order, c->numbers, (uint32_t)a->held, c->table_bits + 1, c->book,
                         c->effort);
    const uint32_t bits = code >> 16 & 31;
    a->held >>= bits;
    a->count -= bits;
    a->at += bits;
    return code;
}

/* The only symbol of a book, whose codes have no bits; UINT32_MAX: it has several. *is_good: it has
 * any. */
static __device__ __forceinline__ uint32_t only_symbol(const struct codes *c, bool *is_good)
{
    const uint32_t used = c->numbers[ZTI_BOOK_USED];
    *is_good = *is_good && used > 0;
    return used < 2 ? c->order[0] : UINT32_MAX;
}

/* Four symbols, so many bits each; adds to *above what values_above says of them. */
static __device__ __forceinline__ uint64_t four_symbols(const struct codes *c, struct ahead *a,
                                                        uint32_t bits, uint32_t *above)
{
    uint64_t symbols = 0;
SIMT_UNROLL
    for (uint32_t k = 0; k < 4; k++) {
        if (k % 2 == 0)
            refill(c, a);
        const uint32_t code = next_code(c, a);
        symbols |= (uint64_t)(code & 0xffff) << k * bits;
        *above += code >> 24;
    }
    return symbols;
}

static __device__ __forceinline__ uint32_t one_symbol(const struct codes *c, struct ahead *a,
                                                      uint32_t only)
{
    if (only != UINT32_MAX)
        return only;
    refill(c, a);
    return next_code(c, a) & 0xffff;
}
