/* encode.h: kernel text: a block encodes tiles to bytes, or counts the symbols of a tile. Its
 * parameters are those of lorenzo/gpu/kernel.h. */

enum {
    CUSZ_GROUPS = (int)ZTI_SZ_CUSZ_PART / (int)ZTI_SZ_GROUP,
    HIST_MOST = 4096, /* largest alphabet counted in shared memory */
    /* parts of a tile that hold bits of each group: lists and all else with Rice codes, or lists,
     * then symbols of each book */
    SECTIONS = ZTI_SZ_BOOKS
};

/* the first of the four warps for marks: two marks, two ways each */
enum { MARK_WARPS = ENCODE_WARPS - 4 };

/* A tile's form and bytes; the same in all threads. */
struct tile_form {
    uint32_t form, bytes; /* form: as in its first byte */
    uint32_t exact;       /* values that are exact, of keys */
    bool is_zero, has_exact, has_marks, is_coded;
};

/* Bytes of a tile's exact values and its marks. */
static __device__ __forceinline__ uint32_t exact_bytes_of(const struct encode_state *sh,
                                                          const struct tile_form *p)
{
    return p->has_exact ? sh->exact_bytes : 0;
}

static __device__ __forceinline__ uint32_t marks_bytes_of(struct encode_state *sh,
                                                          const struct tile_form *p)
{
    return p->has_marks ? marks_in(sh)->bytes[0] + marks_in(sh)->bytes[1] : 0;
}

static __device__ __forceinline__ void load_codes(const struct sz_tiles *s, struct encode_state *sh)
{
    for (uint32_t i = threadIdx.x; i < ZTI_SZ_BOOKS * 256; i += ENCODE_THREADS)
        codes_in(sh)[i] = sz_book(s->model, 256, i / 256).codes[i % 256];
}

/* The number of consecutive groups of each warp. */
static __device__ __forceinline__ uint32_t groups_each(uint32_t n)
{
    const uint32_t round = (uint32_t)ENCODE_WARPS * (uint32_t)ZTI_SZ_GROUP;
    return (n + round - 1) / round;
}

/* ---- the length ------------------------------------------------------------------------------ */

/* Measure the bits of each kind that a group takes with the cuSZ coder. */
static __device__ __forceinline__ void measure_cusz(const struct sz_tiles *s,
                                                    struct encode_state *sh, struct pair d,
                                                    uint32_t n, uint32_t g, uint32_t width)
{
    const uint32_t *const codes = sz_book(s->model, s->alphabet, 0).codes;
    const struct cusz p = cusz_of(codes, d, n, s->sz.bins, width == 32);
    const uint32_t rest = simt_reduce_add(code_count(p.low) + code_count(p.high));
    const uint32_t kept = cusz_kept(p);
    if (threadIdx.x % 32 == 0) {
        sh->classes[g] = 0;
        sh->plane_at[g] = 0;
        sh->rest_at[g] = rest;
        sh->excess_at[g] = kept * width;
    }
}

/* The bits of the class of group g, or with the cuSZ coder of a part's length; 0 after the last
 * group. */
static __device__ __forceinline__ uint32_t class_bits_of(struct encode_state *sh,
                                                         const struct tile_form *p, uint32_t g,
                                                         uint32_t coder)
{
    const uint32_t c = sh->classes[g], before = g > 0 ? sh->classes[g - 1] : 0;
    if (in_group(sh->walk.n, g) == 0)
        return 0;
    if (!p->is_coded)
        return class_code(c, before).count;
    if (coder == ZTI_SZ_CUSZ)
        return g > 0 && g % CUSZ_GROUPS == 0 ? 16 : 0;
    return code_count(codes_in(sh)[class_symbol(c, before)]);
}

enum { PLACING_WARPS = 4 }; /* the first warps; each places one kind of lengths */

/* Replace two numbers of each lane, sums[2 l] and sums[2 l + 1], by exclusive prefix sums; returns
 * the sum of all. One warp calls it. */
static __device__ __forceinline__ uint32_t sum_groups(uint32_t *sums)
{
    const uint32_t lane = threadIdx.x % 32, a = sums[2 * lane], b = sums[2 * lane + 1];
    const uint32_t up_to = (uint32_t)warp_sums_32(a + b);
    sums[2 * lane] = up_to - a - b;
    sums[2 * lane + 1] = up_to - b;
    return __shfl_sync(SIMT_ALL_LANES, up_to, 31);
}

/* Convert the lengths of groups' parts in sections to their places, section after section. A
 * section has lists and unary codes (Rice), or lists, or the symbols of a book. Returns the bits of
 * all sections. */
static __device__ __forceinline__ uint32_t place_rest(struct encode_state *sh,
                                                      const struct tile_form *p, uint32_t coder)
{
    const uint32_t l = threadIdx.x % 32;
    uint32_t rest[2], book[2], total = 0;
    if (coder != ZTI_SZ_DEFAULT)
        return sum_groups(sh->rest_at);
    SIMT_UNROLL
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t c = sh->classes[2 * l + k];
        rest[k] = sh->rest_at[2 * l + k];
        book[k] = is_list(c) || !p->is_coded ? 0 : book_of(c);
    }
    for (uint32_t section = 0; section < (uint32_t)SECTIONS; section++) {
        const uint32_t a = book[0] == section ? rest[0] : 0, b = book[1] == section ? rest[1] : 0;
        const uint32_t up_to = total + warp_sums_32(a + b);
        if (book[0] == section)
            sh->rest_at[2 * l] = up_to - a - b;
        if (book[1] == section)
            sh->rest_at[2 * l + 1] = up_to - b;
        total = __shfl_sync(SIMT_ALL_LANES, up_to, 31);
    }
    return total;
}

/* Convert the lengths of all groups to their places. */
static __device__ __forceinline__ void place_parts(struct encode_state *sh,
                                                   const struct tile_form *p, uint32_t coder)
{
    const uint32_t l = threadIdx.x % 32, kind = threadIdx.x / 32;
    uint32_t bits;
    if (kind == 0) {
        SIMT_UNROLL
        for (uint32_t k = 0; k < 2; k++)
            sh->class_at[2 * l + k] = class_bits_of(sh, p, 2 * l + k, coder);
    }
    if (kind == 3)
        bits = place_rest(sh, p, coder);
    else
        bits = sum_groups(kind == 0 ? sh->class_at : kind == 1 ? sh->plane_at : sh->excess_at);
    if (l == 0)
        *(kind == 0   ? &sh->class_bits
          : kind == 1 ? &sh->plane_bits
          : kind == 2 ? &sh->excess_bits
                      : &sh->rest_bits) = bits;
    if (kind == 0)
        sh->next_groups[l] = 0;
}

/* Clear the bytes from 'first' on that a tile may take. */
static __device__ __forceinline__ void clear_bytes(struct encode_state *sh, uint32_t bytes,
                                                   uint32_t first)
{
    const uint32_t zeros[4] = {0, 0, 0, 0};
    for (uint32_t i = threadIdx.x - first; i <= bytes / 16 + 1; i += ENCODE_THREADS - first)
        simt_store_16((char *)sh->a + 16 * i, zeros);
}

/* ---- residuals ------------------------------------------------------------------------------- */

/* Find marks, and set integers for values that have none. */
static __device__ __forceinline__ void fill_gaps(const struct sz_tiles *s, struct encode_state *sh,
                                                 const struct tile_form *p)
{
    const uint32_t warp = threadIdx.x / 32;
    const bool has_marks = p->has_marks;
    const uint64_t *const gaps = has_marks ? marks_in(sh)->gaps : sh->exact;
    bool has_gaps = p->has_exact;
    if (has_marks) {
        has_gaps = find_marks(&sh->walk, sh->u, marks_in(sh)) || has_gaps;
        if (threadIdx.x < EXACT_WORDS)
            marks_in(sh)->gaps[threadIdx.x] =
                marks_in(sh)->bits[0][threadIdx.x] | sh->exact[threadIdx.x];
        __syncthreads();
        if (warp >= MARK_WARPS)
            measure_mark(marks_in(sh), warp % 2, warp / 2 % 2 != 0, sh->walk.n);
    }
    if (has_gaps && warp == 0)
        fill_row_starts(s, sh, gaps);
    if (p->has_exact && warp == 2)
        measure_exact(sh);
    __syncthreads();
    if (has_marks && threadIdx.x % 32 == 0 && warp < 2)
        choose_way(marks_in(sh), warp, sh->walk.n);
    if (has_gaps)
        fill_rows(sh, gaps);
    __syncthreads();
}

/* Quantize a tile's values to integers, in sh->a, and set its form as far as these decide it. Its
 * base is valid after the next barrier. */
static __device__ __forceinline__ struct tile_form
begin_form(const struct sz_tiles *s, struct encode_state *sh, bool is_lossless, uint32_t coder)
{
    struct tile_form p;
    find_blocks(sh);
    p.form = integers_of(s, sh, is_lossless);
    p.is_coded = is_coded(coder, p.form);
    p.is_zero = false;
    p.has_exact = sh->has_exact != 0;
    p.has_marks = IS_LOG && !is_lossless;
    p.bytes = 0;
    if (p.has_marks || p.has_exact)
        fill_gaps(s, sh, &p);
    p.exact = IS_KEYS && p.has_exact ? exact_values_of(sh) : 0;
    const word base = has_base(coder) ? sh->a[0] : 0;
    const uint64_t away = fold(base - (word)s->sz.centre, (p.form & ZTI_SZ_NARROW) != 0);
    if (threadIdx.x == 0)
        sh->away = away;
    return p;
}

/* Compute a tile's residuals, and measure the bits of each group; is_counted: only classes. Returns
 * an estimate of the bits in Rice codes of a lane's groups that are not lists. */
static __device__ __forceinline__ uint32_t measure_groups(const struct sz_tiles *s,
                                                          struct encode_state *sh,
                                                          struct tile_form *p, uint32_t coder,
                                                          bool is_counted)
{
    const bool is_narrow = (p->form & ZTI_SZ_NARROW) != 0;
    const bool are_cusz = is_cusz(coder, p->form);
    const uint32_t width = is_narrow ? 32 : WIDTH, each = groups_each(sh->walk.n);
    const uint32_t first = threadIdx.x / 32 * each, some = groups_in(sh->walk.n);
    const struct residuals r = {first,           first + each < some ? first + each : some,
                                sh->walk.differ, has_base(coder) ? sh->a[0] : 0,
                                has_base(coder), are_cusz,
                                is_narrow};
    uint32_t all = 0;
    bool differs = false;
    if (WIDTH == 32 && !IS_LOG && coder != ZTI_SZ_CUSZ && sh->walk.has_parts)
        residuals_of_parts(sh, &r);
    else
        find_residuals(sh, &r);
    simt_order_warp(); /* a group has values of other lanes */
    if (!are_cusz)
        differs = measure_warp(sh, r.first, r.last, width, p->is_coded, is_counted, &all);
    for (uint32_t g = r.first; are_cusz && g < r.last; g++) {
        const struct pair u = pair_of(sh, g);
        differs = differs || (u.low | u.high) != 0;
        if (!is_counted)
            measure_cusz(s, sh, u, in_group(sh->walk.n, g), g, width);
    }
    for (uint32_t g = threadIdx.x; g < ZTI_SZ_GROUPS && !is_counted; g += ENCODE_THREADS)
        if (in_group(sh->walk.n, g) == 0)
            sh->classes[g] = sh->plane_at[g] = sh->rest_at[g] = sh->excess_at[g] = 0;
    p->is_zero = !__syncthreads_or(differs);
    return all;
}

/* All of a tile's encoding but writing its bytes: its form, and where each part begins. */
static __device__ __forceinline__ struct tile_form
prepare_tile(const struct sz_tiles *s, struct encode_state *sh, bool is_lossless, uint32_t coder)
{
    struct tile_form p = begin_form(s, sh, is_lossless, coder);
    (void)measure_groups(s, sh, &p, coder, false);
    p.bytes = 1 + base_bytes_of(sh->away) + exact_bytes_of(sh, &p) + marks_bytes_of(sh, &p);
    if (p.is_zero) {
        p.form = zero_form(p.form);
        clear_bytes(sh, p.bytes, 0);
        __syncthreads();
        return p;
    }
    if (threadIdx.x < 32 * (uint32_t)PLACING_WARPS)
        place_parts(sh, &p, coder);
    else
        clear_bytes(sh, sh->walk.n * (WIDTH / 8), 32 * (uint32_t)PLACING_WARPS);
    __syncthreads();
    p.bytes += (sh->class_bits + sh->plane_bits + sh->rest_bits + sh->excess_bits + 7) / 8;
    return p;
}

/* ---- the bytes ------------------------------------------------------------------------------- */

/* Write a group's class. */
static __device__ __forceinline__ void write_class(struct encode_state *sh,
                                                   const struct tile_form *p, uint32_t g,
                                                   uint32_t *out, uint32_t at, uint32_t coder)
{
    const uint32_t c = sh->classes[g], before = g > 0 ? sh->classes[g - 1] : 0;
    at += sh->class_at[g];
    if (!p->is_coded)
        or_bits(out, at, class_code(c, before).bits);
    else if (coder == ZTI_SZ_DEFAULT)
        or_bits_32(out, at, codes_in(sh)[class_symbol(c, before)] & 0xffff);
    else if (g > 0 && g % CUSZ_GROUPS == 0)
        or_bits_32(out, at, sh->rest_at[g] - sh->rest_at[g - CUSZ_GROUPS]);
}

/* Write a group that is not a list, without its class; plane_at and rest_at are where all planes,
 * and all that follows them, begin. */
static __device__ __forceinline__ void
write_group(const struct sz_tiles *s, struct encode_state *sh, const struct tile_form *p,
            const struct turner *t, uint32_t g, uint32_t *out, uint32_t planes, uint32_t coder)
{
    const uint32_t rest = planes + sh->plane_bits, n = in_group(sh->walk.n, g);
    const word *const u = sh->u + g * ZTI_SZ_GROUP;
    if (is_cusz(coder, p->form)) {
        const uint32_t width = (p->form & ZTI_SZ_NARROW) != 0 ? 32 : WIDTH;
        const uint32_t *const codes = sz_book(s->model, s->alphabet, 0).codes;
        const struct cusz d = cusz_of(codes, pair_of(sh, g), n, s->sz.bins, width == 32);
        write_codes(d.low, out, rest + sh->rest_at[g]);
        write_codes(d.high, out, rest + sh->rest_at[g] + simt_reduce_add(code_count(d.low)));
        write_kept(pair_of(sh, g), d, width, out, rest + sh->rest_bits + sh->excess_at[g]);
        return;
    }
    const uint32_t c = sh->classes[g], k = planes_of(c, p->is_coded);
    write_planes(t, u, n, k, out, planes + sh->plane_at[g]);
    if (!p->is_coded) {
        encode_rounds(t, u, n, k, out, rest + sh->rest_at[g]);
        return;
    }
    write_codes(code_in(codes_in(sh), u, n, c), out, rest + sh->rest_at[g]);
    write_excess(pair_of(sh, g), c, out, rest + sh->rest_bits + sh->excess_at[g]);
}

/* Write groups g and g + 1, one after the other. */
static __device__ __forceinline__ void write_each(const struct sz_tiles *s, struct encode_state *sh,
                                                  const struct tile_form *p, const struct turner *t,
                                                  uint32_t g, uint32_t *out, uint32_t planes,
                                                  uint32_t coder)
{
    const uint32_t rest = planes + sh->plane_bits;
    SIMT_NO_UNROLL
    for (uint32_t i = g; i < g + 2 && in_group(sh->walk.n, i) > 0; i++) {
        const uint32_t c = sh->classes[i];
        if (!is_cusz(coder, p->form) && is_list(c))
            write_list(pair_of(sh, i), c, out, rest + sh->rest_at[i]);
        else
            write_group(s, sh, p, t, i, out, planes, coder);
    }
}

/* As write_each, both at once if they are whole, are not lists, and have few planes. */
static __device__ __forceinline__ void write_both(const struct sz_tiles *s, struct encode_state *sh,
                                                  const struct tile_form *p, const struct turner *t,
                                                  uint32_t g, uint32_t n, uint32_t *out,
                                                  uint32_t planes, uint32_t coder)
{
    const uint32_t lane = threadIdx.x % 32, own = g + lane / 16, c = sh->classes[own];
    const uint32_t most = class_most(BOTH_BITS + (p->is_coded ? 1 : 0));
    const bool is_alone = is_list(c) || c > most || g * ZTI_SZ_GROUP + 128 > n;
    if (coder == ZTI_SZ_CUSZ || zti_unlikely(__any_sync(SIMT_ALL_LANES, is_alone))) {
        write_each(s, sh, p, t, g, out, planes, coder);
        return;
    }
    const word *const four = sh->u + g * ZTI_SZ_GROUP + 4 * lane;
    const uint32_t shift = planes_of(c, p->is_coded);
    const uint32_t rest = planes + sh->plane_bits;
    const uint32_t at = rest + sh->rest_at[own];
    word v[4];
    load_both(t, sh->u, g, v);
    write_planes_of_both(t, v, shift, out, planes + sh->plane_at[own]);
    if (p->is_coded) {
        write_codes_of_both(codes_of_four(codes_in(sh), four, lane % 16 * 4, ZTI_SZ_GROUP, c), out,
                            at);
        if (sh->excess_at[g] < (g + 2 < ZTI_SZ_GROUPS ? sh->excess_at[g + 2] : sh->excess_bits))
            write_more_of_both(four, shift, (word)symbol_most(book_of(c)), false, out,
                               rest + sh->rest_bits + sh->excess_at[own]);
        return;
    }
    SIMT_UNROLL
    for (uint32_t k = 0; k < 4; k++)
        v[k] >>= shift;
    encode_rounds_of_both(t, v, four, shift, out, at);
}

/* Take a warp's next two groups; warps with other work take fewer. Only the first lane's number
 * counts; the others have one to avoid a branch. */
static __device__ __forceinline__ uint32_t next_groups(struct encode_state *sh)
{
    return __shfl_sync(SIMT_ALL_LANES,
                       atomicAdd((unsigned *)sh->next_groups + threadIdx.x % 32, 2u), 0);
}

/* Take the number of the block's next tile, and find its place. One warp calls it, once for each
 * tile. */
static __device__ __forceinline__ void
claim_next(const struct sz_tiles *s, const struct sz_tiles *to, struct encode_state *sh)
{
    if (threadIdx.x % 32 > 0)
        return;
    const uint64_t number = lookback_claim(to->states);
    bool is_whole = false;
    sh->next_number = number;
    sh->is_next_alike = false;
    if (number >= s->grid.count)
        return;
    const word *const first = find_first(s, number, &is_whole);
    sh->next_first = first;
    sh->is_next_whole = is_whole;
    sh->is_next_alike = is_whole && sh->is_whole && (first - sh->walk.first) % AT_ONCE == 0;
}

/* Write all groups from bit 'at' on; returns whether this warp is the first without more groups. */
static __device__ __forceinline__ bool encode_groups(const struct sz_tiles *s,
                                                     struct encode_state *sh,
                                                     const struct tile_form *p, uint32_t *out,
                                                     uint32_t at, uint32_t coder)
{
    const uint32_t planes = at + sh->class_bits, n = sh->walk.n;
    const struct turner t = make_transposer();
    const uint32_t own = ENCODE_THREADS - 1 - threadIdx.x; /* the last warp has the fewest groups */
    uint32_t g;
    if (own < ZTI_SZ_GROUPS && in_group(n, own) > 0)
        write_class(sh, p, own, out, at, coder);
    while (in_group(n, g = next_groups(sh)) > 0)
        write_both(s, sh, p, &t, g, n, out, planes, coder);
    return in_group(n, g - 2) > 0; /* there is at least one group */
}

/* Write a tile of the chosen form to sh->a; valid after the next barrier. Returns true in one warp,
 * the first that is done or one chosen in its place. */
static __device__ __forceinline__ bool write_chosen(const struct sz_tiles *s,
                                                    struct encode_state *sh,
                                                    const struct tile_form *p, uint32_t coder)
{
    uint32_t *const out = (uint32_t *)(void *)sh->a;
    const uint32_t base_bytes = base_bytes_of(sh->away), head = 8 * (1 + base_bytes);
    const uint32_t values = head + 8 * exact_bytes_of(sh, p);
    if (threadIdx.x == 0) {
        or_bits_32(out, 0, first_byte(p->form, p->has_exact, base_bytes));
        or_bits(out, 8, sh->away);
    }
    if (p->has_exact && threadIdx.x / 32 == 2)
        write_exact_marks(sh, out, head);
    if (p->has_marks && threadIdx.x / 32 >= MARK_WARPS + 2) {
        const uint32_t mark = threadIdx.x / 32 % 2;
        write_mark(out, values + (mark == 0 ? 0 : 8 * marks_in(sh)->bytes[0]), marks_in(sh), mark,
                   sh->walk.n);
    }
    if (p->has_exact)
        write_exact_values(sh, out, values);
    if (p->is_zero)
        return threadIdx.x < 32;
    return encode_groups(s, sh, p, out, values + 8 * marks_bytes_of(sh, p), coder);
}

/* Write a raw tile. */
static __device__ __forceinline__ void write_raw(struct encode_state *sh, uint32_t bytes)
{
    uint32_t *const out = (uint32_t *)(void *)sh->a;
    clear_bytes(sh, bytes, 0);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < sh->walk.n; i += ENCODE_THREADS)
        or_bits(out, 8 + i * WIDTH, *value_in(&sh->walk, i));
    if (threadIdx.x == 0)
        or_bits_32(out, 0, ZTI_SZ_RAW);
}

/* The place of a tile with 'bytes' bytes in the stream, by look-back; it waits for the lengths of
 * other tiles, not for their bits. One warp calls it; all lanes get the result. */
static __device__ __forceinline__ uint64_t find_place(const struct sz_tiles *s,
                                                      const struct sz_tiles *to, uint64_t number,
                                                      uint32_t bytes)
{
    const uint64_t tile = to->first_tile + number;
    const uint64_t before = lookback_sum(to->states, number, s->grid.count, 8 * (uint64_t)bytes);
    if (threadIdx.x % 32 == 0 && to->starts && tile % to->chunk_tiles == 0)
        to->starts[tile / to->chunk_tiles - to->first_chunk] = before;
    return s == to ? before : before + 8 * s->head_bytes; /* known when compiled */
}

/* Write the kept tile, if any, to its place; then find the place of this one, if it is too long to
 * be kept (valid after the next barrier). The first warp calls it. */
static __device__ __forceinline__ void store_kept(const struct sz_tiles *s,
                                                  const struct sz_tiles *to,
                                                  struct encode_state *sh, uint32_t bytes)
{
    SIMT_NO_UNROLL
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t some = i == 0 ? sh->kept_bytes : bytes > KEPT_BYTES ? bytes : 0;
        if (some == 0)
            continue;
        const uint64_t place = find_place(s, to, i == 0 ? sh->kept_number : sh->number, some);
        if (i == 0)
            place_bytes(sh->kept, some, (uint8_t *)(void *)to->words, place / 8, 32);
        else if (threadIdx.x == 0)
            sh->place = place;
    }
}

/* Keep a tile's bytes in sh->a, or write them to their place if there is no room. */
static __device__ __forceinline__ void keep_bytes(const struct sz_tiles *to,
                                                  struct encode_state *sh, uint32_t bytes)
{
    const bool is_kept = bytes <= KEPT_BYTES;
    if (threadIdx.x == 0) {
        sh->kept_number = sh->number;
        sh->kept_bytes = is_kept ? bytes : 0;
    }
    if (!is_kept)
        place_bytes((const uint32_t *)(const void *)sh->a, bytes, (uint8_t *)(void *)to->words,
                    sh->place / 8, ENCODE_THREADS);
    SIMT_NO_UNROLL
    for (uint32_t i = 4 * threadIdx.x; is_kept && i <= bytes / 4; i += 4 * ENCODE_THREADS) {
        uint32_t some[4];
        simt_load_16(some, (const uint32_t *)(const void *)sh->a + i);
        simt_store_16(sh->kept + i, some);
    }
}

/* Choose how a tile is encoded, as encode_tile of lorenzo/encode.h does; returns its number of
 * bytes. A tile that is not short by prediction is tried without loss; if that fails, it is raw. */
static __device__ __forceinline__ uint32_t choose_form(const struct sz_tiles *s,
                                                       struct encode_state *sh, struct tile_form *p,
                                                       bool *is_raw, uint32_t coder)
{
    const uint32_t raw_bytes = sh->walk.n * (WIDTH / 8);
    const bool has_other = may_be_lossless(&s->sz);
    *is_raw = false;
    SIMT_NO_UNROLL
    for (uint32_t attempt = 0; attempt < 3; attempt++) {
        if (attempt == 2 && sh->first_bytes > raw_bytes)
            break;
        if (attempt > 0 || !sh->is_next_alike) /* else its values are already loaded */
            begin_values(sh);
        *p = prepare_tile(s, sh, attempt == 1, coder);
        if (attempt == 2)
            return p->bytes;
        if (attempt == 1 && p->bytes <= raw_bytes && p->bytes < sh->first_bytes)
            return p->bytes;
        if (attempt == 1)
            continue;
        const bool is_done = is_short(p->bytes, raw_bytes) &&
                             !(IS_KEYS && has_many_exact(&s->sz, p->exact, sh->walk.n));
        if (p->bytes <= raw_bytes && (is_done || !has_other))
            return p->bytes;
        if (!has_other)
            break;
        if (threadIdx.x == 0)
            sh->first_bytes = p->bytes;
    }
    *is_raw = true;
    return tile_most_bytes(sh->walk.n, WIDTH / 8);
}

/* Set a block's state for its first tile; valid after the next barrier. One thread calls it. */
static __device__ __forceinline__ void begin_block(const struct sz_tiles *s,
                                                   struct encode_state *sh, uint64_t number)
{
    for (uint32_t i = 0; i < (uint32_t)NONE; i++)
        sh->none[i] = 0;
    sh->number = number;
    sh->kept_bytes = 0;
    sh->is_next_alike = false;
    sh->inverse = 1 / s->sz.step;
    sh->limits = NAME(limits_of)(&s->sz);
    if (number >= s->grid.count)
        return;
    walk_of(s, number, &sh->walk);
    (void)find_first(s, number, &sh->is_whole);
}

/* Go to the next tile, and load its values if its walk is the same (is_next_alike). Valid after the
 * next barrier. */
static __device__ __forceinline__ void begin_next(const struct sz_tiles *s, struct encode_state *sh)
{
    if (threadIdx.x == 0) {
        sh->number = sh->next_number;
        if (sh->is_next_alike) {
            sh->walk.first = sh->next_first;
        } else if (sh->number < s->grid.count) {
            walk_of(s, sh->number, &sh->walk);
            sh->is_whole = sh->is_next_whole;
        }
    }
    begin_exact(sh);
    simt_wait_brought();
}

/* Encode a block's tiles and write them to their places in the stream. A tile waits for its place
 * while the next one is encoded. 'to' says where the stream is; it is 's' unless that is not among
 * the kernel's parameters: then 'to' is, which saves registers. */
static __device__ __forceinline__ void encode_tiles(const struct sz_tiles *s,
                                                    const struct sz_tiles *to, uint32_t coder)
{
    SIMT_SHARED_DYNAMIC(struct encode_state, sh);
    if (threadIdx.x == 0)
        begin_block(s, sh, lookback_claim(to->states));
    if (coder == ZTI_SZ_DEFAULT)
        load_codes(s, sh);
    __syncthreads();
    SIMT_NO_UNROLL
    for (;;) {
        const bool is_over = sh->number >= s->grid.count;
        struct tile_form p = {0, 0, 0, false, false, false, false};
        bool is_raw = false, is_first = threadIdx.x < 32;
        const uint32_t bytes = is_over ? 0 : choose_form(s, sh, &p, &is_raw, coder);
        if (threadIdx.x == 0 && !is_over)
            lookback_publish(to->states, sh->number, 8 * (uint64_t)bytes);
        if (threadIdx.x < 32)
            store_kept(s, to, sh, bytes);
        if (is_over)
            return;
        if (is_raw)
            write_raw(sh, bytes);
        else
            is_first = write_chosen(s, sh, &p, coder);
        if (is_first)
            claim_next(s, to, sh);
        __syncthreads();
        if (sh->is_next_alike)
            copy_values(sh, sh->next_first);
        keep_bytes(to, sh, bytes);
        begin_next(s, sh);
        __syncthreads();
    }
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Add the symbols of a tile's residuals to the global counts, by way of shared memory ('own') if
 * the alphabet is small. */
static __device__ __forceinline__ void count_cusz(const struct sz_tiles *s, struct encode_state *sh,
                                                  const struct tile_form *p, uint32_t *own)
{
    const bool is_narrow = (p->form & ZTI_SZ_NARROW) != 0;
    for (uint32_t i = threadIdx.x; i < sh->walk.n; i += ENCODE_THREADS) {
        const uint32_t symbol = cusz_symbol(sh->u[i], s->sz.bins, is_narrow);
        if (own)
            (void)atomicAdd((unsigned *)own + symbol, 1u);
        else
            (void)atomicAdd((unsigned long long *)s->counts + symbol, 1ull);
    }
}

/* As count_cusz, for effort 'default': classes and symbols. */
static __device__ __forceinline__ void count_groups(struct encode_state *sh, uint32_t *own)
{
    const uint32_t g = threadIdx.x, n = sh->walk.n, each = groups_each(n);
    if (g < ZTI_SZ_GROUPS && in_group(n, g) > 0)
        (void)atomicAdd(
            (unsigned *)own + class_symbol(sh->classes[g], g > 0 ? sh->classes[g - 1] : 0), 1u);
    for (uint32_t i = 0; i < each; i++) {
        const uint32_t of = threadIdx.x / 32 * each + i, c = sh->classes[of % ZTI_SZ_GROUPS];
        if (in_group(n, of) > 0 && !is_list(c))
            count_symbols(sh->u + of * ZTI_SZ_GROUP, in_group(n, of), c, own);
    }
}

static __device__ __forceinline__ void count_tile(const struct sz_tiles *s, uint32_t coder)
{
    SIMT_SHARED_DYNAMIC(struct encode_state, sh);
    const uint32_t symbols = books_of(coder) * s->alphabet;
    uint32_t *const own = symbols <= HIST_MOST ? (uint32_t *)(void *)sh->a : NULL;
    if (!zti_sz_is_counted(s->first_tile + blockIdx.x, s->part))
        return;
    if (threadIdx.x == 0)
        begin_block(s, sh, blockIdx.x);
    __syncthreads();
    begin_values(sh);
    struct tile_form p = begin_form(s, sh, false, coder);
    const uint32_t bits = simt_reduce_add(measure_groups(s, sh, &p, coder, true));
    if (p.is_zero)
        return;
    for (uint32_t i = threadIdx.x; own && i < symbols; i += ENCODE_THREADS)
        own[i] = 0;
    __syncthreads();
    if (coder == ZTI_SZ_CUSZ)
        count_cusz(s, sh, &p, own);
    else
        count_groups(sh, own);
    if (coder != ZTI_SZ_CUSZ && threadIdx.x % 32 == 0)
        (void)atomicAdd((unsigned long long *)s->counts + ZTI_SZ_BOOKS * s->alphabet,
                        (unsigned long long)bits);
    __syncthreads();
    for (uint32_t i = threadIdx.x; own && i < symbols; i += ENCODE_THREADS)
        if (own[i] > 0)
            (void)atomicAdd((unsigned long long *)s->counts + i, (unsigned long long)own[i]);
}
