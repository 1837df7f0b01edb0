/* scan.cu: find the positions of groups, lists and symbols in tiles that are decoded. They must be
 * found one after another: a class, list, round of unary codes or Huffman code begins where the one
 * before ends, and so does the next tile. A few lanes have a chunk, and store the positions in the
 * tiles' slots (lorenzo/gpu/scan/positions.h).
 *
 * The lanes of a chunk do the same work, and the first one stores the results. So a warp has few
 * tiles, whose parts are of similar length, and there are many warps. Some work is split among
 * these lanes: with effort 'fast' each has a group (lorenzo/gpu/scan/rice.h), for the symbols of
 * effort 'default' a piece (lorenzo/gpu/scan/huffman.h), with the cuSZ coder one of the tile's four
 * parts.
 *
 * Tiles are at different places of the stream. So a warp copies the next bits of each tile (with
 * the cuSZ coder, of each lane) to a window in shared memory, by loads of all 32 lanes:
 *
 *     stream    ......[a tile's window]..........[another's]........
 *     shared    [a tile's][another's]...
 *
 * If a read unexpectedly passes the window's end, the bits are read from the stream. */
#include "codec/sz/gpu/kernels.h"

#include "codec/sz/runs.h"

enum {
    COLUMNS = 64, /* most columns of a block: windows, or tiles without parts */
    FAST_COLUMNS = 16,
    CUSZ_COLUMNS = 64,
    CUSZ_LANES = 4, /* lanes of a chunk, by coder */
    CODED_LANES = 8,
    FAST_LANES = 4,
    WINDOW_WORDS = 64,
    WINDOW_BITS = 64 * WINDOW_WORDS,
    ZEROS_STEP = WINDOW_BITS / 32 + 4, /* from a window's counts of zeros to the next one's */
    CLASSES_BITS = 1536, /* more than 64 classes, and the bits before them in a word */
    PART_WORDS = 24,     /* words of a window of the cuSZ coder; each lane has one */
    ROUND_SYMBOLS = 32,  /* symbols of such a lane, before they are written to its tile's slot */
    NEAR_SYMBOLS = 2048, /* most symbols of a cuSZ book with its longer codes in shared memory */
    TABLE_THREADS = 256
};

/* The lanes that share a chunk and a window. */
static __host__ __device__ __forceinline__ uint32_t chunk_lanes(uint32_t coder)
{
    return coder == ZTI_SZ_CUSZ   ? (uint32_t)CUSZ_LANES
           : coder == ZTI_SZ_FAST ? (uint32_t)FAST_LANES
                                  : (uint32_t)CODED_LANES;
}

/* Words from a tile's window to the next; one is unused, to avoid bank conflicts. With the cuSZ
 * coder, each of the tile's parts has a window. */
static __host__ __device__ __forceinline__ uint32_t window_step(uint32_t coder)
{
    return coder == ZTI_SZ_CUSZ ? CUSZ_LANES * ((uint32_t)PART_WORDS + 1)
                                : (uint32_t)WINDOW_WORDS + 1;
}

/* The shared memory of a block: tables (huffman/gpu/self_sync.h) and numbers of books, except with
 * effort 'fast'; windows; for each tile the groups' classes, later their numbers of excesses. With
 * the cuSZ coder (lorenzo/gpu/scan/cusz.h) also the entries of codes longer than the table's, in
 * order, and symbols not yet written. */
struct finding {
    uint32_t *tables;
    uint32_t (*numbers)[ZTI_BOOK_NUMBERS];
    uint64_t *windows;
    uint8_t (*classes)[ZTI_SZ_GROUPS];
    uint32_t step;   /* from a window to the next, in words */
    uint16_t *zeros; /* effort 'fast': zeros before each 32-bit word of each window */
    uint32_t *near;  /* entries of longer codes, or NULL if they may be many */
    uint32_t *symbols;
};

static __host__ __device__ __forceinline__ uint32_t books_bytes(uint32_t coder)
{
    const uint32_t words = sz_table_words(coder) + books_of(coder) * ZTI_BOOK_NUMBERS;
    return (words * (uint32_t)sizeof(uint32_t) + 15) / 16 * 16;
}

static __host__ __device__ __forceinline__ uint32_t windows_bytes(uint32_t coder, uint32_t threads)
{
    return threads / chunk_lanes(coder) * window_step(coder) * (uint32_t)sizeof(uint64_t);
}

static __host__ __device__ __forceinline__ uint32_t classes_bytes(uint32_t coder, uint32_t threads)
{
    return threads / chunk_lanes(coder) * ZTI_SZ_GROUPS;
}

static __host__ __device__ __forceinline__ uint32_t zeros_bytes(uint32_t coder, uint32_t threads)
{
    return coder != ZTI_SZ_FAST
               ? 0
               : threads / chunk_lanes(coder) * (uint32_t)ZEROS_STEP * (uint32_t)sizeof(uint16_t);
}

static __host__ __device__ __forceinline__ uint32_t symbols_bytes(uint32_t coder, uint32_t threads)
{
    return coder != ZTI_SZ_CUSZ ? 0
                                : NEAR_SYMBOLS * (uint32_t)sizeof(uint32_t) +
                                      threads * ROUND_SYMBOLS * (uint32_t)sizeof(uint16_t);
}

static __device__ __forceinline__ struct finding finding_in(char *memory, uint32_t coder,
                                                            uint32_t alphabet)
{
    const uint32_t windows = books_bytes(coder);
    const uint32_t zeros = windows + windows_bytes(coder, blockDim.x);
    const uint32_t classes = zeros + zeros_bytes(coder, blockDim.x);
    struct finding f;
    f.tables = (uint32_t *)(void *)memory;
    f.numbers = (uint32_t(*)[ZTI_BOOK_NUMBERS])(void *)(f.tables + sz_table_words(coder));
    f.windows = (uint64_t *)(void *)(memory + windows);
    f.classes = (uint8_t(*)[ZTI_SZ_GROUPS])(memory + classes);
    f.step = window_step(coder);
    f.zeros = (uint16_t *)(void *)(memory + zeros);
    f.near = f.symbols = NULL;
    if (coder == ZTI_SZ_CUSZ) {
        const uint32_t near = classes + classes_bytes(coder, blockDim.x);
        f.near = alphabet <= NEAR_SYMBOLS ? (uint32_t *)(void *)(memory + near) : NULL;
        f.symbols = (uint32_t *)(void *)(memory + near) + NEAR_SYMBOLS;
    }
    return f;
}

/* A lane's state in a tile. */
struct lane {
    uint32_t column, sharing; /* its window, and lanes that have it */
    bool is_good, is_wide;
    uint32_t n, start; /* values; low bits of where it began */
    uint64_t at, end;  /* bits; no tile reaches beyond */
    uint64_t first;    /* word that its window begins with */
    uint64_t slot;     /* its number, and the slot */
    struct sz_found *to;
};

static __device__ __forceinline__ struct zti_bit_reader reader_at(const struct sz_tiles *s,
                                                                  uint64_t at)
{
    const struct zti_bit_reader r = {s->words, s->words_count, at};
    return r;
}

/* Whether the lane is the first of its tile's, which stores what all find. */
static __device__ __forceinline__ bool is_leader(const struct lane *l)
{
    return threadIdx.x % l->sharing == 0;
}

/* ---- windows ---- */

static __device__ __forceinline__ uint64_t *window_of(const struct finding *f, uint32_t column)
{
    return f->windows + column * f->step;
}

static __device__ __forceinline__ uint8_t *classes_of(const struct finding *f, const struct lane *l)
{
    return f->classes[l->column];
}

/* Broadcast what only the leader has found: whether it is valid, and where it ends. The warp calls
 * it. */
static __device__ __forceinline__ void broadcast_leader(struct lane *l)
{
    l->is_good = __shfl_sync(SIMT_ALL_LANES, (int)l->is_good, 0, (int)l->sharing) != 0;
    l->at = __shfl_sync(SIMT_ALL_LANES, l->at, 0, (int)l->sharing);
}

/* The lane's position in its tile. */
static __device__ __forceinline__ uint32_t in_tile(const struct lane *l)
{
    return (uint32_t)l->at - l->start;
}

/* Load the bits from each lane's position on to its window. The warp calls it. */
static __device__ __forceinline__ void load_windows(const struct sz_tiles *s,
                                                    const struct finding *f, struct lane *l)
{
    const uint32_t me = threadIdx.x % 32, own = (threadIdx.x - me) / l->sharing;
    const uint32_t loads = WINDOW_WORDS / 32, each = 8 / loads; /* windows at a time */
    l->first = l->at / 64;
    const uint64_t rest = l->first < s->words_count ? s->words_count - l->first : 0;
    const uint32_t count = simt_at_most(rest, WINDOW_WORDS);
    simt_order_warp();                           /* the shuffles below order it in the tests */
    for (uint32_t i = 32 / l->sharing; i > 0;) { /* first ones last: those that few tiles have */
        uint64_t v[8];
        i -= 8 / loads;
        SIMT_UNROLL
        for (uint32_t k = 0; k < each; k++) {
            const int of = (int)((i + k) * l->sharing);
            const uint64_t *const from = s->words + __shfl_sync(SIMT_ALL_LANES, l->first, of) + me;
            const uint32_t some = __shfl_sync(SIMT_ALL_LANES, count, of);
            SIMT_UNROLL
            for (uint32_t m = 0; m < loads; m++)
                v[k * loads + m] = me + 32 * m < some ? from[32 * m] : 0;
        }
        SIMT_UNROLL
        for (uint32_t k = 0; k < 8; k++)
            window_of(f, own + i + k / loads)[k % loads * 32 + me] = v[k];
    }
    __syncwarp();
}

static __device__ __forceinline__ struct zti_bit_reader in_window(const struct finding *f,
                                                                  const struct lane *l)
{
    const struct zti_bit_reader r = {window_of(f, l->column), WINDOW_WORDS, l->at - 64 * l->first};
    return r;
}

/* As load_windows, if an active lane has fewer bits left than 'bits'; returns whether it did. The
 * warp calls it. */
static __device__ __forceinline__ bool
refill_windows(const struct sz_tiles *s, const struct finding *f, struct lane *l, uint32_t bits)
{
    const bool is_far = l->is_good && l->at - 64 * l->first > WINDOW_BITS - bits;
    const bool is_any = __any_sync(SIMT_ALL_LANES, is_far) != 0;
    if (is_any)
        load_windows(s, f, l);
    return is_any;
}

/* Bits of the window: of two words of 32, and the one behind them, which is on its way then. */
struct ahead {
    uint32_t low, high, soon;
    uint32_t used;        /* of the bits of 'low' */
    const uint32_t *next; /* the word behind those */
};

static __device__ __forceinline__ struct ahead ahead_of(const uint32_t *words, const struct lane *l)
{
    const uint32_t at = (uint32_t)(l->at - 64 * l->first);
    const uint32_t *const from = words + at / 32;
    const struct ahead a = {from[0], from[1], from[2], at % 32, from + 3};
    return a;
}

/* Where the lane is with them. */
static __device__ __forceinline__ uint64_t place_of(const uint32_t *words, const struct ahead *a,
                                                    const struct lane *l)
{
    return 64 * l->first + 32 * (uint32_t)(a->next - 3 - words) + a->used;
}

static __device__ __forceinline__ uint32_t next_bits(const struct ahead *a)
{
    return __funnelshift_r(a->low, a->high, a->used);
}

/* Skip up to 32 bits. */
static __device__ __forceinline__ void skip_bits(struct ahead *a, uint32_t count)
{
    a->used += count;
    if (a->used >= 32) {
        a->used -= 32;
        a->low = a->high;
        a->high = a->soon;
        a->soon = *a->next++;
    }
}

/* ---- what is before residuals ---- */

/* Read both marks; false if they are not valid. */
static __device__ __forceinline__ bool read_both_marks(struct zti_bit_reader *r, uint64_t end_bits,
                                                       uint32_t n, struct sz_found *to)
{
    uint64_t(*const bits)[ZTI_SZ_GROUPS] = sz_marks_in(to)->bits;
    return read_mark(r, end_bits, n, bits[0], &to->way[0]) &&
           read_mark(r, end_bits, n, bits[1], &to->way[1]);
}

/* Marks from l->at on, in the window or, where they go beyond it, in the stream. */
static __device__ __forceinline__ void read_marks(const struct sz_tiles *s, const struct finding *f,
                                                  struct lane *l)
{
    struct zti_bit_reader r = in_window(f, l), far = reader_at(s, l->at);
    l->is_good = read_both_marks(&r, l->end - 64 * l->first, l->n, l->to);
    far.at = 64 * l->first + r.at;
    if (r.at > WINDOW_BITS - 64) {
        far.at = l->at;
        l->is_good = read_both_marks(&far, l->end, l->n, l->to);
    }
    l->at = far.at;
}

/* Read what precedes the residuals, in the leader; l->at is then after it. Returns the form. */
static __device__ __forceinline__ uint32_t decode_head(const struct sz_tiles *s,
                                                       const struct finding *f, struct lane *l)
{
    const uint32_t value_bytes = value_bytes_of(s->type);
    struct zti_bit_reader r = in_window(f, l);
    const uint32_t first = (uint32_t)zti_get_bits64(&r, 8);
    l->to->form = first;
    l->is_good = is_first_byte(&s->sz, l->n, value_bytes, first);
    if (!l->is_good)
        return first;
    l->to->away = zti_get_bits64(&r, 8 * base_bytes_in(first));
    l->at = 64 * l->first + r.at;
    l->to->values_at = in_tile(l);
    if (first & ZTI_SZ_HAS_EXACT) {
        uint32_t exact = 0;
        struct zti_bit_reader far = reader_at(s, l->at);
        l->is_good = read_exact(&far, l->end, l->n, value_bytes, l->to->exact, &exact);
        l->at = far.at;
        l->to->values_at = in_tile(l);
        l->at += (uint64_t)exact * 8 * value_bytes;
    }
    if ((first & ZTI_SZ_KIND) == ZTI_SZ_RAW)
        l->at = l->end;
    return first;
}

/* ---- classes ---- */

/* The entry of a group, without the place of its list or rounds. */
static __device__ __forceinline__ uint64_t group_of(uint32_t c, uint32_t planes)
{
    return c | (uint64_t)planes << 8;
}

/* Whether a group has rounds, or no bits at all: then a group of the same class has a code of one
 * bit, and from how many zeros are before it is known where it ends. */
static __device__ __forceinline__ bool is_rounds_or_none(uint32_t c)
{
    return c == 0 || !is_list(c);
}

/* Skip the planes, which follow the classes. */
static __device__ __forceinline__ void skip_planes(struct lane *l, uint32_t planes)
{
    l->is_good = l->is_good && l->at <= l->end && planes <= l->end - l->at;
    if (!l->is_good)
        return;
    if (is_leader(l))
        l->to->planes_at = in_tile(l);
    l->at += planes;
}

/* Classes of Rice codes, and planes. Where groups have the same class, which most often takes a bit
 * that is 1, only the first one's is noted, and a bit in 'changes'. The warp calls it. */
static __device__ __forceinline__ void
find_classes(const struct sz_tiles *s, const struct finding *f, struct lane *l, uint64_t *changes)
{
    const uint32_t most = class_most(l->is_wide ? 64 : 32);
    uint32_t planes = 0, c = 0;
    *changes = 0;
    refill_windows(s, f, l, CLASSES_BITS);
    if (!l->is_good)
        return;
    const uint32_t *const words = (const uint32_t *)(const void *)window_of(f, l->column);
    struct ahead a = ahead_of(words, l);
    for (uint32_t g = 0, left = l->n; left > 0;) {
        const uint32_t bits = next_bits(&a);
        uint32_t length;
        c = class_in(bits, c, &length);
        l->is_good = c <= most;
        if (!l->is_good)
            return;
        if (is_leader(l))
            classes_of(f, l)[g] = (uint8_t)c;
        *changes |= UINT64_C(1) << g;
        const uint32_t ones = is_rounds_or_none(c) ? zti_ctz32(~(bits >> length)) : 0;
        const uint32_t more = (left - 1) / ZTI_SZ_GROUP, same = ones < more ? ones : more;
        const uint32_t all = (same + 1) * ZTI_SZ_GROUP, n = left < all ? left : all;
        skip_bits(&a, length + same);
        planes += class_planes(c) * n;
        left -= n;
        g += same + 1;
    }
    l->at = place_of(words, &a, l);
    skip_planes(l, planes);
}

static __device__ __forceinline__ uint32_t class_of_group(const struct finding *f,
                                                          const struct lane *l, uint64_t changes,
                                                          uint32_t g)
{
    return classes_of(f, l)[g - (64 - zti_bit_length64(changes << (63 - g)))];
}

/* Note each group's, and where its planes are. */
static __device__ __forceinline__ void note_classes(const struct finding *f, const struct lane *l,
                                                    uint64_t changes)
{
    uint32_t planes = 0, c = 0;
    for (uint32_t g = 0; l->is_good && is_leader(l) && g * ZTI_SZ_GROUP < l->n; g++) {
        c = changes >> g & 1 ? classes_of(f, l)[g] : c;
        classes_of(f, l)[g] = (uint8_t)c;
        l->to->groups[g] = group_of(c, planes);
        planes += class_planes(c) * in_group(l->n, g);
    }
}

/* ---- lists, rounds and excesses ---- */

enum pass { PASS_ALL, PASS_LISTS, PASS_EXCESSES };

/* Skip a group's list or rounds; false if a value is past its end. */
static __device__ __forceinline__ bool skip_group(struct zti_bit_reader *r, enum pass pass,
                                                  uint32_t n, uint32_t c)
{
    uint32_t alive = n, next = 0;
    if (pass == PASS_LISTS || is_list(c)) {
        for (uint32_t i = 0; i < c; i++) {
            next += read_gap(r, c);
            if (next++ >= n)
                return false;
            (void)read_value(r);
        }
        return true;
    }
    for (uint32_t round = 0; round < ZTI_SZ_ROUNDS && alive > 0; round++)
        alive = (uint32_t)__popcll(zti_get_bits64(r, alive));
    for (; alive > 0; alive--)
        (void)read_number(r);
    return true;
}

static __device__ __forceinline__ bool skip_in_window(struct zti_bit_reader *r, enum pass pass,
                                                      uint32_t n, uint32_t c)
{
    for (uint32_t i = 0; pass == PASS_EXCESSES && i < c; i++)
        (void)read_value(r);
    return pass == PASS_EXCESSES || skip_group(r, pass, n, c);
}

/* The same in the stream; where it ends, or UINT64_MAX. */
static __device__ __forceinline__ uint64_t skip_in_stream(const uint64_t *words, uint64_t count,
                                                          uint64_t at, enum pass pass, uint32_t n,
                                                          uint32_t c)
{
    struct zti_bit_reader r = {words, count, at};
    return skip_in_window(&r, pass, n, c) ? r.at : UINT64_MAX;
}

/* Rounds in the window, up to the numbers behind them; how many of these there are. Of what is
 * beyond the window other bits are read: the caller goes again. */
static __device__ __forceinline__ uint32_t skip_rounds(const struct finding *f,
                                                       const struct lane *l, uint32_t n,
                                                       uint32_t *at)
{
    const uint32_t *const words = (const uint32_t *)(const void *)window_of(f, l->column);
    uint32_t alive = n;
    for (uint32_t round = 0; round < ZTI_SZ_ROUNDS && alive > 0 && *at < WINDOW_BITS; round++) {
        const uint32_t *const from = words + *at / 32;
        const uint32_t low = __funnelshift_r(from[0], from[1], *at % 32);
        const uint32_t high = __funnelshift_r(from[1], from[2], *at % 32);
        const uint64_t own = ((uint64_t)high << 32 | low) << (64 - alive);
        *at += alive;
        alive = (uint32_t)__popcll(own);
    }
    return alive;
}

/* One group, of class c or with c excesses. */
static __device__ __forceinline__ void skip_one_group(const struct sz_tiles *s,
                                                      const struct finding *f, struct lane *l,
                                                      enum pass pass, uint32_t n, uint32_t c)
{
    struct zti_bit_reader r = in_window(f, l);
    uint32_t at = (uint32_t)r.at;
    bool is_good = true;
    if (pass == PASS_ALL && !is_list(c)) {
        uint32_t numbers = skip_rounds(f, l, n, &at);
        for (r.at = at; numbers > 0 && r.at <= WINDOW_BITS; numbers--)
            (void)read_number(&r);
    } else {
        is_good = skip_in_window(&r, pass, n, c);
    }
    uint64_t end = is_good ? 64 * l->first + r.at : UINT64_MAX;
    if (r.at > WINDOW_BITS)
        end = skip_in_stream(s->words, s->words_count, l->at, pass, n, c);
    l->is_good = end <= l->end;
    l->at = l->is_good ? end : l->at;
}

/* Of each group in order, or of those with a bit in 'of', what a pass is over. The warp calls
 * it. */
static __device__ __forceinline__ void skip_groups(const struct sz_tiles *s,
                                                   const struct finding *f, struct lane *l,
                                                   enum pass pass, uint64_t of)
{
    uint64_t left = of;
    simt_order_warp(); /* classes are other lanes'; votes order them in the tests */
    for (uint32_t next = 0;; next++) {
        const bool has_one = pass == PASS_ALL ? next * ZTI_SZ_GROUP < l->n : left != 0;
        if (!__any_sync(SIMT_ALL_LANES, l->is_good && has_one))
            break;
        refill_windows(s, f, l, WINDOW_BITS / 4);
        if (!l->is_good || !has_one)
            continue;
        const uint32_t g = pass == PASS_ALL ? next : zti_ctz64(left);
        const uint32_t c = classes_of(f, l)[g];
        const uint32_t at = in_tile(l);
        left &= left - 1;
        if (is_leader(l) && pass == PASS_EXCESSES)
            l->to->excess_at[g] = at;
        else if (is_leader(l))
            ((uint32_t *)(void *)(l->to->groups + g))[1] = at;
        skip_one_group(s, f, l, pass, in_group(l->n, g), c);
    }
    if (pass == PASS_EXCESSES && l->is_good && is_leader(l))
        l->to->excess_groups = of;
}

#include "codec/sz/lorenzo/gpu/scan/rice.h"

#include "codec/sz/lorenzo/gpu/scan/codes.h"

#include "codec/sz/lorenzo/gpu/scan/huffman.h"

#include "codec/sz/lorenzo/gpu/scan/cusz.h"

/* ---- tiles ---- */

/* A tile from l->at on, which goes to where the next one begins. The warp calls it; is_good: there
 * is one. */
static __device__ __forceinline__ void find_tile(const struct sz_tiles *s, const struct finding *f,
                                                 struct lane *l, uint32_t coder)
{
    const bool is_here = l->is_good;
    uint32_t form = ZTI_SZ_ZERO;
    load_windows(s, f, l);
    l->start = (uint32_t)l->at;
    l->end = l->at + 8 * tile_most_bytes(l->n, value_bytes_of(s->type));
    if (is_here && is_leader(l)) {
        l->to->start = l->at;
        form = decode_head(s, f, l);
    }
    form = __shfl_sync(SIMT_ALL_LANES, form, 0, (int)l->sharing);
    l->is_wide = (form & ZTI_SZ_KIND) == ZTI_SZ_WIDE;
    broadcast_leader(l);
    if (s->sz.source == ZTI_SZ_LOG) {
        refill_windows(s, f, l, WINDOW_BITS / 2);
        if (l->is_good && is_here && has_marks(&s->sz, form) && is_leader(l))
            read_marks(s, f, l);
        broadcast_leader(l);
    }
    const bool has_groups = has_residuals(form);
    const bool is_huffman = is_coded(coder, form), is_taken = l->is_good;
    bool is_good = is_taken;
    l->is_good = is_taken && has_groups && !is_huffman;
    if (__any_sync(SIMT_ALL_LANES, l->is_good)) {
        uint64_t changes;
        find_classes(s, f, l, &changes);
        if (coder == ZTI_SZ_FAST) {
            skip_lists_and_rounds(s, f, l, changes);
        } else {
            note_classes(f, l, changes);
            skip_groups(s, f, l, PASS_ALL, 0);
        }
    }
    if (has_groups && !is_huffman)
        is_good = l->is_good;
    l->is_good = is_taken && has_groups && is_huffman;
    if (coder != ZTI_SZ_FAST && __any_sync(SIMT_ALL_LANES, l->is_good)) {
        if (coder == ZTI_SZ_CUSZ)
            find_cusz(s, f, l);
        else
            find_coded(s, f, l);
    }
    if (has_groups && is_huffman)
        is_good = l->is_good;
    l->is_good = is_good;
    if (is_here && !is_good && is_leader(l))
        l->to->start = FOUND_NOTHING;
    if (is_here && is_good && is_leader(l) && !is_cusz(coder, form))
        l->to->rest_at = in_tile(l);
    l->at = is_good ? (l->at + 7) & ~UINT64_C(7)
                    : UINT64_C(1) << 62; /* as if the stream were cut: the host refuses it */
}

/* The number of values of a tile. */
static __device__ __forceinline__ uint32_t values_in(const struct sz_tiles *s, uint64_t number)
{
    uint32_t n = 1;
    for (uint32_t i = s->grid.rank; i-- > 0;)
        n *= extent_at(&s->grid, i, split_number(&number, s->grid.tiles[i]) * s->grid.side[i]);
    return n;
}

/* Scan the tiles of a lane's chunk. */
static __device__ __forceinline__ void find_chunk(const struct sz_tiles *s, uint32_t coder)
{
    SIMT_SHARED_DYNAMIC(char, shared);
    const struct finding in_shared = finding_in(shared, coder, s->alphabet);
    const struct finding *const f = &in_shared;
    const uint32_t each = chunk_lanes(coder);
    const uint64_t own = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / each;
    const uint64_t i = s->from + own;
    const bool is_here = own < s->chunks_each;
    const uint64_t chunk = !is_here ? 0 : s->chunks ? s->chunks[i] : s->first_chunk + i;
    uint64_t *const places = sz_chunk_places(s->found, &s->sz, s->slots);
    struct lane l = {threadIdx.x / each, each, false, false, 1, 0, 0, 0, 0, 0, NULL};
    if (coder != ZTI_SZ_FAST) {
        copy_books(s, f, coder);
        __syncthreads();
    }
    if (is_here)
        l.at = s->skip > 0 ? places[own] : s->places[2 * i];
    for (uint64_t k = 0; k < s->tiles_each; k++) {
        const uint64_t in_chunk = s->skip + k, number = chunk * s->chunk_tiles + in_chunk;
        const bool is_tile = is_here && in_chunk < s->chunk_tiles && number < s->grid.count;
        l.slot = is_here ? own * s->tiles_each + k : 0;
        l.to = sz_slot(s->found, &s->sz, l.slot);
        l.is_good = is_tile && l.at >> 62 == 0;
        l.n = is_tile ? values_in(s, number) : 1;
        if (is_tile && !l.is_good && is_leader(&l))
            l.to->start = FOUND_NOTHING;
        const uint64_t before = l.at;
        find_tile(s, f, &l, coder);
        l.at = is_tile ? l.at : before;
    }
    if (!is_here || threadIdx.x % each != 0)
        return;
    places[own] = l.at;
    if (s->skip + s->tiles_each >= s->chunk_tiles)
        note_end(s->states, i, s->count, l.at, s->places[2 * i + 1]);
}

SIMT_KERNEL void SIMT_BOUNDS(FAST_COLUMNS *FAST_LANES, 12) find_fast(const struct sz_tiles s)
{
    find_chunk(&s, ZTI_SZ_FAST);
}

SIMT_KERNEL void SIMT_BOUNDS(COLUMNS *CODED_LANES, 2) find_default(const struct sz_tiles s)
{
    find_chunk(&s, ZTI_SZ_DEFAULT);
}

/* The most columns of effort default here: with more a thread has too few registers. */
enum { CODED_COLUMNS_ALONE = COLUMNS - 8 };

/* For arguments in the device's memory. Of both efforts, one kernel has nothing to do. */
#define FIND_ALONE(name, coder_of_it, threads, blocks)                                             \
    SIMT_KERNEL void SIMT_BOUNDS(threads, blocks) name(const struct sz_tiles *const there)         \
    {                                                                                              \
        SIMT_SHARED(struct sz_tiles, s, );                                                         \
        const uint64_t first = (uint64_t)blockIdx.x * (blockDim.x / chunk_lanes(coder_of_it));     \
        if (first >= there->chunks_each || there->sz.coder != coder_of_it)                         \
            return;                                                                                \
        copy_arguments(&s, there);                                                                 \
        find_chunk(&s, coder_of_it);                                                               \
    }

FIND_ALONE(find_fast_alone, ZTI_SZ_FAST, FAST_COLUMNS *FAST_LANES, 12)
FIND_ALONE(find_default_alone, ZTI_SZ_DEFAULT, CODED_COLUMNS_ALONE *CODED_LANES, 2)

SIMT_KERNEL void SIMT_BOUNDS(CUSZ_COLUMNS *CUSZ_LANES, 2) find_cusz_parts(const struct sz_tiles s)
{
    find_chunk(&s, ZTI_SZ_CUSZ);
}

static size_t shared_bytes(uint32_t coder, uint32_t threads)
{
    return books_bytes(coder) + windows_bytes(coder, threads) + zeros_bytes(coder, threads) +
           classes_bytes(coder, threads) + symbols_bytes(coder, threads);
}

/* Of the cuSZ coder: twice as many where they find room and each multiprocessor has a block. */
static uint32_t cusz_columns_of(const struct sz_tiles *s)
{
    const uint32_t most = CUSZ_COLUMNS;
    return s->chunks_each >= (uint64_t)simt_multiprocessors() * most &&
                   shared_bytes(ZTI_SZ_CUSZ, most * CUSZ_LANES) <= simt_shared_most()
               ? most
               : most / 2;
}

/* Of effort default: as many as find room and leave a block or two for each multiprocessor. */
static uint32_t coded_columns_of(uint64_t chunks)
{
    const uint32_t most = COLUMNS;
    return chunks >= 128 * most &&
                   shared_bytes(ZTI_SZ_DEFAULT, most * CODED_LANES) <= simt_shared_most()
               ? most
           : chunks >= 64 * most ? most / 2
                                 : most / 4;
}

/* Columns of a block. */
static uint32_t columns_of(const struct sz_tiles *s)
{
    return s->sz.coder == ZTI_SZ_FAST   ? (uint32_t)FAST_COLUMNS
           : s->sz.coder == ZTI_SZ_CUSZ ? cusz_columns_of(s)
                                        : coded_columns_of(s->chunks_each);
}

extern "C" size_t zti_sz_cuda_find_shared(uint32_t coder)
{
    const uint32_t columns = coder == ZTI_SZ_FAST   ? (uint32_t)FAST_COLUMNS
                             : coder == ZTI_SZ_CUSZ ? (uint32_t)CUSZ_COLUMNS / 2
                                                    : (uint32_t)COLUMNS / 2;
    return shared_bytes(coder, columns * chunk_lanes(coder));
}

extern "C" void zti_sz_cuda_find(const struct sz_tiles *s, void *queue)
{
    const uint32_t coder = s->sz.coder, threads = columns_of(s) * chunk_lanes(coder);
    const uint64_t blocks = (s->chunks_each * chunk_lanes(coder) + threads - 1) / threads;
    const size_t bytes = shared_bytes(coder, threads);
    if (coder == ZTI_SZ_FAST)
        SIMT_LAUNCH(find_fast, blocks, threads, bytes, queue, *s);
    else if (coder == ZTI_SZ_CUSZ)
        SIMT_LAUNCH(find_cusz_parts, blocks, threads, bytes, queue, *s);
    else
        SIMT_LAUNCH(find_default, blocks, threads, bytes, queue, *s);
}

extern "C" void zti_sz_cuda_find_alone(const struct sz_tiles *there, const struct sz_launches *l,
                                       void *queue)
{
    const uint32_t columns = FAST_COLUMNS, threads = columns * FAST_LANES;
    const uint32_t all = coded_columns_of(l->likely_chunks), most = CODED_COLUMNS_ALONE;
    const uint32_t coded = all < most ? all : most, coded_threads = coded * CODED_LANES;
    if (l->has_fast)
        SIMT_LAUNCH(find_fast_alone, (l->chunks + columns - 1) / columns, threads,
                    shared_bytes(ZTI_SZ_FAST, threads), queue, there);
    if (l->has_default)
        SIMT_LAUNCH(find_default_alone, (l->chunks + coded - 1) / coded, coded_threads,
                    shared_bytes(ZTI_SZ_DEFAULT, coded_threads), queue, there);
}

extern "C" void zti_sz_cuda_make_tables_alone(const struct sz_tiles *there, void *queue)
{
    SIMT_LAUNCH(make_tables_alone, ZTI_SZ_BOOKS, TABLE_THREADS, 0, queue, there);
}

extern "C" void zti_sz_cuda_make_tables(const struct sz_tiles *s, void *queue)
{
    const uint32_t blocks = sz_table_words(s->sz.coder) / TABLE_THREADS;
    if (s->sz.coder == ZTI_SZ_CUSZ)
        SIMT_LAUNCH(make_cusz_table, blocks, TABLE_THREADS, 0, queue, *s);
    else if (blocks > 0)
        SIMT_LAUNCH(make_tables, books_of(s->sz.coder), TABLE_THREADS, 0, queue, *s);
}
