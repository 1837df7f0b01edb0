/* sz_cuda_coded.h: kernel text: groups of 64 values in Huffman codes, a thread a group: the symbols
 * of efforts 'default' (sz_coded.h) and 'paper' (sz_paper.h), how many bits they take, and the
 * bits. Its parameters are those of sz_kernel.h. */

enum {
    PAPER_PART = 1024, /* symbols that begin at a known place */
    PAPER_GROUPS = PAPER_PART / ZTI_SZ_GROUP,
    HIST_MOST = 4096 /* symbols that are counted in shared memory */
};

/* Codes that wait until there are enough of them for a word. */
struct held_codes {
    uint64_t bits;
    uint32_t count;
};

static __device__ __forceinline__ void flush_codes(struct held_codes *held, uint32_t *out,
                                                   uint32_t *at)
{
    put_at(out, at, held->bits, held->count);
    held->bits = 0;
    held->count = 0;
}

static __device__ __forceinline__ void hold_code(struct held_codes *held, uint32_t code,
                                                 uint32_t *out, uint32_t *at)
{
    if (held->count > 64 - ZTI_HUFFMAN_MAX_BITS)
        flush_codes(held, out, at);
    held->bits |= (uint64_t)(code & 0xffff) << held->count;
    held->count += code >> 16;
}

/* ---- effort 'default' ---- */

/* The symbol of a group's class, knowing the one before. */
static __device__ __forceinline__ uint32_t class_symbol(uint32_t c, uint32_t before)
{
    return class_step(class_number(c), class_number(before));
}

/* Symbol i of a group of class c, whose values are followed by zeros. */
static __device__ __forceinline__ uint32_t symbol_of(const word *u, uint32_t c, uint32_t i)
{
    const uint32_t book = book_of(c), shift = class_shift(c), most = symbol_most(book);
    const uint32_t each = book > 1 ? 2 : 4, bits = book > 1 ? 4 : 2;
    uint32_t symbol = 0;
    for (uint32_t k = 0; k < each; k++) {
        const word high = above(u[i * each + k], shift);
        symbol |= (high < most ? (uint32_t)high : most) << k * bits;
    }
    return symbol;
}

/* Bits of a group's symbols. */
static __device__ __forceinline__ uint32_t symbols_bits(const struct zti_cuda_book *book,
                                                        const word *u, uint32_t n, uint32_t c)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < symbols_in(n, book_of(c)); i++)
        bits += book->codes[symbol_of(u, c, i)] >> 16;
    return bits;
}

/* Bits of what values are more than their symbols say. */
static __device__ __forceinline__ uint32_t excess_bits_of(const word *u, uint32_t n, uint32_t c)
{
    const uint32_t shift = class_shift(c), most = symbol_most(book_of(c));
    uint32_t bits = 0;
    for (uint32_t i = 0; i < n; i++) {
        const word high = above(u[i], shift);
        bits += high < most ? 0 : value_bits(high - most);
    }
    return bits;
}

/* How many bits a group takes of each kind. */
static __device__ __forceinline__ void measure_coded(const struct sz_tiles *s, struct shared *sh,
                                                     const word *u, uint32_t n, uint32_t g)
{
    const uint32_t c = sh->classes[g], before = g > 0 ? sh->classes[g - 1] : 0;
    const struct zti_cuda_book classes = sz_book(s->model, s->alphabet, 0);
    sh->class_at[g] = n > 0 ? classes.codes[class_symbol(c, before)] >> 16 : 0;
    sh->plane_at[g] = class_shift(c) * n;
    sh->rest_at[g] = sh->excess_at[g] = 0;
    if (is_list(c)) {
        sh->rest_at[g] = list_bits(u, n, c);
    } else {
        const struct zti_cuda_book book = sz_book(s->model, s->alphabet, book_of(c));
        sh->rest_at[g] = symbols_bits(&book, u, n, c);
        sh->excess_at[g] = excess_bits_of(u, n, c);
    }
}

/* A group's bits; all but its planes and its list. */
static __device__ __forceinline__ void put_coded(const struct sz_tiles *s, const struct shared *sh,
                                                 const word *u, uint32_t n, uint32_t g,
                                                 uint32_t *out, uint32_t classes, uint32_t rest)
{
    const uint32_t c = sh->classes[g], before = g > 0 ? sh->classes[g - 1] : 0;
    const uint32_t code = sz_book(s->model, s->alphabet, 0).codes[class_symbol(c, before)];
    uint32_t at = classes + sh->class_at[g];
    put_at(out, &at, code & 0xffff, code >> 16);
    if (is_list(c))
        return;
    const struct zti_cuda_book book = sz_book(s->model, s->alphabet, book_of(c));
    const uint32_t shift = class_shift(c), most = symbol_most(book_of(c));
    struct held_codes held = {0, 0};
    at = rest + sh->rest_at[g];
    for (uint32_t i = 0; i < symbols_in(n, book_of(c)); i++)
        hold_code(&held, book.codes[symbol_of(u, c, i)], out, &at);
    flush_codes(&held, out, &at);
    at = rest + sh->rest_bits + sh->excess_at[g];
    for (uint32_t i = 0; i < n; i++)
        if (above(u[i], shift) >= most)
            put_value_at(out, &at, above(u[i], shift) - most);
}

/* Count a group's symbols in 'counts', 256 a book; returns about its bits in Rice codes. */
static __device__ __forceinline__ uint32_t count_coded(const struct shared *sh, const word *u,
                                                       uint32_t n, uint32_t g, uint32_t alphabet,
                                                       uint32_t *counts)
{
    const uint32_t c = sh->classes[g], before = g > 0 ? sh->classes[g - 1] : 0;
    (void)atomicAdd((unsigned *)counts + class_symbol(c, before), 1u);
    if (is_list(c))
        return 0;
    for (uint32_t i = 0; i < symbols_in(n, book_of(c)); i++)
        (void)atomicAdd((unsigned *)counts + book_of(c) * alphabet + symbol_of(u, c, i), 1u);
    return rice_bits(u, n, class_planes(c)) + n * (1 - class_shift(c));
}

/* ---- effort 'paper' ---- */

/* The symbol of a residual; 0: it is kept as it is. */
static __device__ __forceinline__ uint32_t paper_symbol(word d, uint32_t bins, bool is_narrow)
{
    const word sum = d + bins / 2, symbol = is_narrow ? (word)(uint32_t)sum : sum;
    return symbol > 0 && symbol < bins ? (uint32_t)symbol : 0;
}

/* In the place of classes: where parts begin, but the first. */
static __device__ __forceinline__ void measure_paper(const struct sz_tiles *s, struct shared *sh,
                                                     const word *d, uint32_t n, uint32_t g,
                                                     uint32_t width)
{
    const struct zti_cuda_book book = sz_book(s->model, s->alphabet, 0);
    uint32_t bits = 0, outliers = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t symbol = paper_symbol(d[i], s->sz.bins, width == 32);
        bits += book.codes[symbol] >> 16;
        outliers += symbol == 0;
    }
    sh->classes[g] = 0;
    sh->class_at[g] = n > 0 && g > 0 && g % PAPER_GROUPS == 0 ? 16 : 0;
    sh->plane_at[g] = 0;
    sh->rest_at[g] = bits;
    sh->excess_at[g] = outliers * width;
}

static __device__ __forceinline__ void put_paper(const struct sz_tiles *s, const struct shared *sh,
                                                 const word *d, uint32_t n, uint32_t g,
                                                 uint32_t width, uint32_t *out, uint32_t starts,
                                                 uint32_t rest)
{
    const struct zti_cuda_book book = sz_book(s->model, s->alphabet, 0);
    uint32_t at = starts + sh->class_at[g], outlier_at = rest + sh->rest_bits + sh->excess_at[g];
    struct held_codes held = {0, 0};
    if (g > 0 && g % PAPER_GROUPS == 0)
        put_at(out, &at, sh->rest_at[g] - sh->rest_at[g - PAPER_GROUPS], 16);
    at = rest + sh->rest_at[g];
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t symbol = paper_symbol(d[i], s->sz.bins, width == 32);
        hold_code(&held, book.codes[symbol], out, &at);
        if (symbol == 0)
            put_at(out, &outlier_at, width == 32 ? (word)(uint32_t)d[i] : d[i], width);
    }
    flush_codes(&held, out, &at);
}

/* ---- where bits of groups go ---- */

/* Sums over groups: of bits of each kind, where each group's begin. What is in sections, the one
 * kind there is or lists and symbols of each book, comes section after section. The first warp. */
static __device__ __forceinline__ void place_groups(struct shared *sh, uint32_t sections)
{
    const uint32_t l = threadIdx.x % 32, a = sh->rest_at[2 * l], b = sh->rest_at[2 * l + 1];
    const uint32_t ca = sh->classes[2 * l], cb = sh->classes[2 * l + 1];
    const uint32_t of_a = sections == 1 || is_list(ca) ? 0 : book_of(ca);
    const uint32_t of_b = sections == 1 || is_list(cb) ? 0 : book_of(cb);
    const uint32_t classes = sum_groups(sh->class_at), planes = sum_groups(sh->plane_at);
    const uint32_t excess = sum_groups(sh->excess_at);
    uint32_t total = 0;
    for (uint32_t section = 0; section < sections; section++) {
        const uint32_t own_a = of_a == section ? a : 0, own_b = of_b == section ? b : 0;
        const uint32_t up_to = total + (uint32_t)warp_sums(own_a + own_b);
        if (of_a == section)
            sh->rest_at[2 * l] = up_to - own_a - own_b;
        if (of_b == section)
            sh->rest_at[2 * l + 1] = up_to - own_b;
        total = __shfl_sync(SIMT_ALL_LANES, up_to, 31);
        if (l == 0)
            sh->section_end[section] = total;
    }
    if (l == 0) {
        sh->class_bits = classes;
        sh->plane_bits = planes;
        sh->rest_bits = total;
        sh->excess_bits = excess;
    }
}
