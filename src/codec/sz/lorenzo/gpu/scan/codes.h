/* codes.h: kernel text of lorenzo/gpu/scan/scan.cu: decode the Huffman codes of a lane's window
 * with tables in shared memory, which one kernel makes for all blocks. */

/* The cuSZ coder: an entry of symbol 0 has this bit in the place of ends. The sum of eight entries
 * has the number of such symbols. */
enum { IS_OUTLIER = 1 << 20 };

static __device__ __forceinline__ uint32_t with_outlier(uint32_t entry)
{
    return entry | ((entry & 0xffff) == 0 ? (uint32_t)IS_OUTLIER : 0);
}

static __device__ __forceinline__ uint32_t outliers_in(uint32_t eight)
{
    return eight / IS_OUTLIER % 16;
}

/* Make the table of a book. The block calls it. */
static __device__ __forceinline__ void make_table(const struct sz_tiles *s, uint32_t k)
{
    SIMT_SHARED(uint32_t, own, [ZTI_CODE_ENTRIES]);
    const struct zti_cuda_book book = sz_book(s->model, s->alphabet, k);
    uint32_t *const table = sz_tables_in(s->found, &s->sz, s->slots) + k * ZTI_CODE_ENTRIES;
    for (uint32_t i = threadIdx.x; i < ZTI_CODE_ENTRIES; i += TABLE_THREADS)
        own[i] =
            zti_code_at(book.order, book.numbers, zti_reversed(i, 16), 1, ZTI_SMALL_TABLE_BITS);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < ZTI_CODE_ENTRIES; i += TABLE_THREADS)
        table[i] = own[i] | zti_ends_in(own, i);
}

/* Make the tables of all books, one in each block; the blocks of 'find' copy them. */
SIMT_KERNEL void __launch_bounds__(TABLE_THREADS) make_tables(const struct sz_tiles s)
{
    make_table(&s, blockIdx.x);
}

/* Nothing if the stream has no books. */
SIMT_KERNEL void __launch_bounds__(TABLE_THREADS) make_tables_alone(const struct sz_tiles *there)
{
    if (there->grid.count > 0 && there->sz.coder == ZTI_SZ_DEFAULT)
        make_table(there, blockIdx.x);
}

/* Make the table of the cuSZ coder, which has more bits; a thread makes an entry. */
SIMT_KERNEL void __launch_bounds__(TABLE_THREADS) make_cusz_table(const struct sz_tiles s)
{
    const uint32_t i = blockIdx.x * TABLE_THREADS + threadIdx.x;
    const struct zti_cuda_book book = sz_book(s.model, s.alphabet, 0);
    const uint32_t code =
        zti_code_at(book.order, book.numbers, zti_reversed(i, 16), 1, CUSZ_TABLE_BITS);
    sz_tables_in(s.found, &s.sz, s.slots)[i] = zti_code_length(code) > 0 ? with_outlier(code) : 0;
}

/* Copy the tables and numbers of all books; valid after the next barrier. The block calls it. */
static __device__ __forceinline__ void copy_books(const struct sz_tiles *s, const struct finding *f,
                                                  uint32_t coder)
{
    const uint32_t *const from = sz_tables_in(s->found, &s->sz, s->slots);
    const uint32_t threads = blockDim.x, words = sz_table_words(coder);
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
    for (uint32_t k = 0; k < books_of(coder); k++)
        for (uint32_t m = threadIdx.x; m < ZTI_BOOK_NUMBERS; m += threads)
            f->numbers[k][m] = sz_book(s->model, s->alphabet, k).numbers[m];
    if (!f->near)
        return;
    const struct zti_cuda_book book = sz_book(s->model, s->alphabet, 0);
    const uint32_t longs = book.numbers[ZTI_BOOK_ENTRY + (int)CUSZ_TABLE_BITS + 1];
    for (uint32_t i = threadIdx.x; longs + i < book.numbers[ZTI_BOOK_USED]; i += threads)
        f->near[i] = with_outlier(book.order[longs + i]);
}

/* Codes longer than the table of the cuSZ coder is wide: of each length the first one, and how far
 * it is from there to its place among those that are near, or in the order. They are in registers,
 * as some lane or other of a warp has such a code often, and the others wait. */
enum { LONGER = (int)ZTI_HUFFMAN_MAX_BITS - (int)CUSZ_TABLE_BITS };

struct longer {
    uint32_t first[LONGER], away[LONGER];
};

static __device__ __forceinline__ struct longer longer_of(const uint32_t *numbers, bool is_near)
{
    const uint32_t bits = CUSZ_TABLE_BITS + 1;
    const uint32_t before = is_near ? numbers[ZTI_BOOK_ENTRY + bits] : 0;
    struct longer l;
    SIMT_UNROLL
    for (uint32_t i = 0; i < LONGER; i++) {
        l.first[i] = numbers[ZTI_BOOK_FIRST + bits + i];
        l.away[i] = numbers[ZTI_BOOK_ENTRY + bits + i] - before - l.first[i];
    }
    return l;
}

/* What zti_long_place does, but for codes that are near. */
static __device__ __forceinline__ uint32_t longer_place(const struct longer *l, uint32_t bits,
                                                        uint32_t *length)
{
    const uint32_t high = __brev(bits) >> (32 - ZTI_HUFFMAN_MAX_BITS);
    uint32_t away = l->away[0], own = high >> (LONGER - 1);
    *length = CUSZ_TABLE_BITS + 1;
    SIMT_UNROLL
    for (uint32_t i = 1; i < LONGER; i++) {
        const uint32_t code = high >> (LONGER - 1 - i);
        const bool is_longer = code >= l->first[i];
        *length += is_longer;
        own = is_longer ? code : own;
        away = is_longer ? l->away[i] : away;
    }
    return own + away;
}

/* A book, and bits of the window. */
struct codes {
    struct zti_code_bits bits;
    uint32_t table_bits;
    const uint32_t *near; /* the cuSZ coder: of the block, */
    struct longer longer; /* and what there is to know of these */
};

static __device__ __forceinline__ struct codes codes_of(const struct sz_tiles *s,
                                                        const struct finding *f,
                                                        const uint64_t *window, uint32_t book,
                                                        uint32_t coder)
{
    struct codes c;
    c.table_bits = sz_table_bits(coder);
    c.bits.numbers = f->numbers[book];
    c.bits.table = f->tables + (book << c.table_bits);
    c.bits.order = sz_book(s->model, s->alphabet, book).order;
    c.bits.words = (const uint32_t *)(const void *)window;
    c.near = f->near;
    if (coder == ZTI_SZ_CUSZ)
        c.longer = longer_of(c.bits.numbers, f->near != NULL);
    return c;
}

/* Decode the next code: its symbol is in the low 16 bits of an entry. The place of the next code
 * does not depend on a longer code's symbol, so its load is not waited for. */
static __device__ __forceinline__ uint32_t next_code(const struct codes *c, uint32_t bits,
                                                     uint32_t *length)
{
    uint32_t own = bits & ((1u << c->table_bits) - 1);
    simt_anew(own); /* or its place takes an instruction more */
    uint32_t entry = c->bits.table[own];
    *length = zti_code_length(entry);
    if (entry < ZTI_CODE_HAS_LENGTH) {
        const uint32_t place = c->table_bits == CUSZ_TABLE_BITS
                                   ? longer_place(&c->longer, bits, length)
                                   : zti_long_place(c->bits.numbers, bits, c->table_bits, length);
        entry = c->near ? c->near[place] : with_outlier(c->bits.order[place]);
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
    skip_bits(a, length);
    return entry & 0xffff;
}
