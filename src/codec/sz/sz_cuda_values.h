/* sz_cuda_values.h: kernel text, decoding: differences along axes to integers, and these to values.
 * Its parameters are those of sz_kernel.h. */

/* Groups are a word further apart than they are long, so that threads at equal places of theirs are
 * in different banks. */
enum { PADDED = ZTI_SZ_TILE_VALUES + ZTI_SZ_GROUPS };

/* Parts of a tile that hold bits of each group: lists and all else with Rice codes, or lists, then
 * symbols of each book. */
enum { SECTIONS = ZTI_SZ_BOOKS };

/* What a block has in shared memory. */
struct shared {
    word a[PADDED], b[PADDED];
    uint64_t exact[EXACT_WORDS]; /* which values are kept as they are */
    uint32_t exact_before[EXACT_WORDS];
    uint32_t classes[ZTI_SZ_GROUPS];
    uint32_t
        class_at[ZTI_SZ_GROUPS]; /* a group's class, planes, list or symbols, and what is more */
    uint32_t plane_at[ZTI_SZ_GROUPS]; /* than these say: how many bits, then where. With effort */
    uint32_t rest_at[ZTI_SZ_GROUPS]; /* 'paper' in the place of classes where parts begin, and of */
    uint32_t excess_at[ZTI_SZ_GROUPS]; /* what is more residuals as they are */
    uint64_t more[ZTI_SZ_GROUPS];      /* decoding: values that are more than their symbols say */
    uint32_t class_bits, plane_bits, rest_bits, excess_bits, exact_bytes, exact_way;
    uint32_t section_end[SECTIONS];
    uint32_t form, is_good;
    uint64_t away, place, values_at, next;
};

static __device__ __forceinline__ uint32_t pad(uint32_t i)
{
    return i + i / ZTI_SZ_GROUP;
}

static __device__ __forceinline__ word fold(word d, bool is_narrow)
{
    if (is_narrow) {
        const uint32_t low = (uint32_t)d;
        return (word)(low << 1 ^ (0 - (low >> 31)));
    }
    return (word)(d << 1) ^ (word)(0 - (d >> (WIDTH - 1)));
}

static __device__ __forceinline__ word unfold(word u, bool is_narrow)
{
    const word own = is_narrow ? (word)(uint32_t)u : u;
    return own >> 1 ^ (word)(0 - (own & 1));
}

/* Bits of a float in the order of the numbers; its own inverse. */
static __device__ __forceinline__ word ordered(word bits)
{
    return bits ^ ((word)(0 - (bits >> (WIDTH - 1))) >> 1);
}

/* That of a block whose values are logarithms. */
static __device__ __forceinline__ struct marks *marks_of(struct shared *sh)
{
    return (struct marks *)(void *)(sh + 1);
}

/* ---- integers to values ---- */

/* Sums along one axis, in place: a piece of a line a thread, or where these are few a warp. */
static __device__ __forceinline__ void sum_lines(const struct sz_tile *t, uint32_t k, word *u)
{
    const uint32_t extent = t->extent[k], step = t->step[k];
    const uint32_t side = t->block > 0 && t->block < extent ? t->block : extent;
    const uint32_t each = (extent + side - 1) / side, pieces = t->n / extent * each;
    const uint32_t lane = threadIdx.x % 32;
    const bool is_alone = pieces >= THREADS / 4;
    for (uint32_t p = is_alone ? threadIdx.x : threadIdx.x / 32; p < pieces;
         p += is_alone ? THREADS : THREADS / 32) {
        const uint32_t l = p / each, begin = p % each * side;
        const uint32_t first = l / step * step * extent + l % step + begin * step;
        const uint32_t n = extent - begin < side ? extent - begin : side;
        word sum = 0;
        for (uint32_t i = 0; is_alone && i < n; i++) {
            word *const at = u + pad(first + i * step);
            sum += *at;
            *at = sum;
        }
        for (uint32_t i = 0; !is_alone && i < n; i += 32) {
            word *const at = u + pad(first + (i + lane < n ? i + lane : 0) * step);
            const uint64_t own = i + lane < n ? *at : 0;
            const word up_to = (word)warp_sums(own) + sum;
            if (i + lane < n)
                *at = up_to;
            sum = __shfl_sync(SIMT_ALL_LANES, up_to, 31);
        }
    }
}

/* The bits of a value from its integer. */
static __device__ __forceinline__ word value_of(const struct sz_tiles *s, uint32_t form,
                                                word integer)
{
    const bool is_narrow = (form & 3) == ZTI_SZ_NARROW;
    const int64_t q =
        WIDTH == 32 || is_narrow ? (int64_t)(int32_t)(uint32_t)integer : (int64_t)integer;
    if (s->sz.source == ZTI_SZ_BITS || (form & ZTI_SZ_LOSSLESS))
        return ordered(integer);
    if (IS_LOG && (WIDTH == 32 || is_narrow)) {
        const double fineness = (double)s->sz.fineness;
        return bits_of(NAME(number)((double)q, fineness, 1 / fineness));
    }
    if (IS_LOG)
        return bits_of(NAME(wide_number)(q, &s->sz));
    if (s->sz.source == ZTI_SZ_LATTICE)
        return bits_of((scalar)((double)q * s->sz.step));
    return (word)multiple(q, (int64_t)s->sz.whole_step, WIDTH == 32 ? INT32_MIN : INT64_MIN,
                          WIDTH == 32 ? INT32_MAX : INT64_MAX);
}

/* Residuals, in sh->a, to integers in sh->b; is_plain: as they are, not folded and by groups. */
static __device__ __forceinline__ void sum_tile(const struct sz_tiles *s, const struct sz_tile *t,
                                                struct shared *sh, bool is_plain)
{
    const bool is_narrow = (sh->form & 3) == ZTI_SZ_NARROW;
    const bool is_zero = (sh->form & 3) == ZTI_SZ_ZERO;
    for (uint32_t i = threadIdx.x; i < t->n; i += THREADS)
        sh->b[pad(is_zero || is_plain ? i : place_in_groups(t, i))] =
            is_zero    ? 0
            : is_plain ? sh->a[pad(i)]
                       : unfold(sh->a[pad(i)], is_narrow);
    __syncthreads();
    for (uint32_t k = t->rank; k-- > 0 && !is_zero;) {
        if (!(s->sz.axes >> k & 1) || t->extent[k] == 1)
            continue;
        sum_lines(t, k, sh->b);
        __syncthreads();
    }
}

/* A tile's values to the view. */
static __device__ __forceinline__ void put_values(const struct sz_tiles *s, const struct sz_tile *t,
                                                  struct shared *sh)
{
    const bool has_marks = IS_LOG && !(sh->form & ZTI_SZ_LOSSLESS);
    const bool is_raw = (sh->form & 3) == ZTI_SZ_RAW;
    const bool is_narrow = (sh->form & 3) == ZTI_SZ_NARROW;
    const word base = (word)s->sz.centre + unfold((word)sh->away, is_narrow);
    for (uint32_t i = threadIdx.x; i < t->n; i += THREADS) {
        word *const to = (word *)(void *)value_at(s, t, i);
        struct zti_bit_reader r = {s->words, s->words_count, sh->values_at};
        if (!to)
            continue;
        if (is_raw) {
            r.at += (uint64_t)i * WIDTH;
            *to = (word)zti_take_bits64(&r, WIDTH);
        } else if ((sh->form & ZTI_SZ_HAS_EXACT) && bit_at(sh->exact, i)) {
            const uint64_t before = sh->exact[i / 64] & ((UINT64_C(1) << i % 64) - 1);
            r.at += (uint64_t)(sh->exact_before[i / 64] + (uint32_t)__popcll(before)) * WIDTH;
            *to = (word)zti_take_bits64(&r, WIDTH);
        } else {
            const word v = value_of(s, sh->form, sh->b[pad(i)] + base);
            const bool is_zero = has_marks && bit_at(marks_of(sh)->bits[0], i);
            const bool is_negative = has_marks && bit_at(marks_of(sh)->bits[1], i);
            *to = (is_zero ? 0 : v) ^ (word)is_negative << (WIDTH - 1);
        }
    }
}
