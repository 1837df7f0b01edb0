/* sz_cuda_find_codes.h: kernel text of sz_cuda_find.cu: Huffman codes of a lane's window, by tables
 * in shared memory, which are made once for all blocks. */

/* What an entry of effort 'paper' has in the place of ends: this is symbol 0. Eight entries can be
 * added up to know of how many it is said. */
enum { IS_OUTLIER = 1 << 20 };

static __device__ __forceinline__ uint32_t outliers_in(uint32_t eight)
{
    return eight / IS_OUTLIER % 16;
}

/* The tables of all books, a block each: blocks of find copy them. */
SIMT_KERNEL void __launch_bounds__(TABLE_THREADS) make_tables(const struct sz_tiles s)
{
    SIMT_SHARED(uint32_t, own, [ZTI_CODE_ENTRIES]);
    const uint32_t k = blockIdx.x;
    const struct zti_cuda_book book = sz_book(s.model, s.alphabet, k);
    uint32_t *const table = sz_tables_in(s.found, &s.sz, s.slots) + k * ZTI_CODE_ENTRIES;
    for (uint32_t i = threadIdx.x; i < ZTI_CODE_ENTRIES; i += TABLE_THREADS)
        own[i] = zti_code_at(book.order, book.numbers, zti_reversed(i, 16), 1, ZTI_SMALL_TABLE_BITS);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < ZTI_CODE_ENTRIES; i += TABLE_THREADS)
        table[i] = own[i] | zti_ends_in(own, i);
}

/* That of effort 'paper', of more bits, an entry a thread. */
SIMT_KERNEL void __launch_bounds__(TABLE_THREADS) make_paper_table(const struct sz_tiles s)
{
    const uint32_t bits = sz_table_bits(ZT_EFFORT_PAPER);
    const uint32_t i = blockIdx.x * TABLE_THREADS + threadIdx.x;
    const struct zti_cuda_book book = sz_book(s.model, s.alphabet, 0);
    const uint32_t code = zti_code_at(book.order, book.numbers, zti_reversed(i, 16), 1, bits);
    const bool is_outlier = zti_code_length(code) > 0 && (code & 0xffff) == 0;
    sz_tables_in(s.found, &s.sz, s.slots)[i] = code | (is_outlier ? (uint32_t)IS_OUTLIER : 0);
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
    const uint16_t *near; /* the order, if it is in shared memory */
};

/* Bits of the window: of two words of 32, and the one behind them, which is on its way meanwhile. */
struct ahead {
    uint32_t low, high, soon;
    uint32_t used; /* of the bits of 'low' */
    uint32_t next; /* number of the word behind those */
};

static __device__ __forceinline__ struct codes codes_of(const struct sz_tiles *s,
                                                        const struct finding *f,
                                                        const uint64_t *window, uint32_t book,
                                                        uint32_t effort)
{
    struct codes c;
    c.table_bits = sz_table_bits(effort);
    c.near = f->order;
    c.bits.numbers = f->numbers[book];
    c.bits.table = f->tables + (book << c.table_bits);
    c.bits.order = sz_book(s->model, s->alphabet, book).order;
    c.bits.words = (const uint32_t *)(const void *)window;
    return c;
}

static __device__ __forceinline__ struct ahead ahead_of(const struct codes *c,
                                                        const struct lane *l)
{
    const uint32_t at = (uint32_t)(l->at - 64 * l->first);
    const uint32_t *const from = c->bits.words + at / 32;
    const struct ahead a = {from[0], from[1], from[2], at % 32, at / 32 + 3};
    return a;
}

/* Where the lane is with them. */
static __device__ __forceinline__ uint64_t place_of(const struct ahead *a, const struct lane *l)
{
    return 64 * l->first + 32 * (a->next - 3) + a->used;
}

static __device__ __forceinline__ uint32_t next_bits(const struct ahead *a)
{
    return __funnelshift_r(a->low, a->high, a->used);
}

/* Go over up to 32 of them. */
static __device__ __forceinline__ void pass_bits(const struct codes *c, struct ahead *a,
                                                 uint32_t count)
{
    a->used += count;
    if (a->used >= 32) {
        a->used -= 32;
        a->low = a->high;
        a->high = a->soon;
        a->soon = c->bits.words[a->next++];
    }
}

/* The code that the next bits begin with: its symbol, in the low 16 bits of an entry. What a longer
 * code stands for is not waited for: where the next one begins is known without it. */
static __device__ __forceinline__ uint32_t next_code(const struct codes *c, uint32_t bits,
                                                     uint32_t *length)
{
    uint32_t entry = c->bits.table[bits & ((1u << c->table_bits) - 1)];
    *length = zti_code_length(entry);
    if (*length == 0) {
        const uint32_t place = zti_long_place(c->bits.numbers, bits, c->table_bits, length);
        entry = c->near ? c->near[place] : c->bits.order[place];
        entry |= entry == 0 ? (uint32_t)IS_OUTLIER : 0;
    }
    return entry;
}

/* The only symbol of a book, whose codes have no bits; UINT32_MAX: it has several. *is_good: it has
 * any. */
static __device__ __forceinline__ uint32_t only_symbol(const struct codes *c, bool *is_good)
{
    const uint32_t used = c->bits.numbers[ZTI_BOOK_USED];
    *is_good = *is_good && used > 0;
    return used < 2 ? c->bits.order[0] : UINT32_MAX;
}

static __device__ __forceinline__ uint32_t one_symbol(const struct codes *c, struct ahead *a,
                                                      uint32_t only)
{
    if (only != UINT32_MAX)
        return only;
    uint32_t length;
    const uint32_t entry = next_code(c, next_bits(a), &length);
    pass_bits(c, a, length);
    return entry & 0xffff;
}
