/* context.h: kernel text: contexts of a row's symbols, from the magnitudes and marks of rows that
 * are complete; and residuals to symbols and back. */

/* Where neighbours of a tile's rows are, of each kind of rows that was asked for. */
struct near_rows {
    uint32_t known;
    struct zti_ll_near of[ZTI_LL_NEAR_KINDS];
};

ZTI_INLINE const struct zti_ll_near *near_of(struct near_rows *all, const struct zti_ll_shape *s,
                                             const struct zti_ll_transform *t,
                                             const struct row *row)
{
    const uint32_t kind = ll_near_kind(s, row->number, row->regime, t->has_rows ? t->source : NULL);
    if (!(all->known >> kind & 1))
        all->of[kind] = ll_near(s, kind);
    all->known |= 1u << kind;
    return &all->of[kind];
}

/* The sum of weighted codes of a row's neighbours in one row before. */
ZTI_INLINE shorts sum_of_row(const uint8_t *at, const uint8_t *far)
{
    return ZTI_LL_ROW_SUM(load_codes(at), load_codes(at - 1) + load_codes(at + 1),
                          load_codes(at - 2) + load_codes(at + 2), load_codes(far));
}

/* Means of n values with neighbours in one, two or three rows. */
ZTI_INLINE void mean_of_rows(uint32_t rows, const struct zti_ll_near *near, const uint8_t *code,
                             uint32_t n, uint16_t *mean)
{
    for (uint32_t i = 0; i < n; i += CODES_AT_ONCE) {
        shorts sum = sum_of_row(code + near->at[0] + i, code + near->far[0] + i);
        for (uint32_t k = 1; k < rows; k++)
            sum += sum_of_row(code + near->at[k] + i, code + near->far[k] + i);
        store_codes(mean + i, high_half(sum, ll_eighths(rows)));
    }
}

ZTI_INLINE void mean_of_lanes(const struct zti_ll_near *near, const uint8_t *code, uint32_t n,
                              uint16_t *mean)
{
    const ptrdiff_t *const at = near->at;
    for (uint32_t i = 0; i < n; i += CODES_AT_ONCE) {
        const shorts two = load_codes(code + at[1] + i) + load_codes(code + at[2] + i);
        const shorts last = load_codes(code + at[4] + i) + load_codes(code + at[5] + i);
        const shorts sum =
            ZTI_LL_LANE_SUM(load_codes(code + at[0] + i), two, load_codes(code + at[3] + i), last);
        store_codes(mean + i, high_half(sum, ll_eighths(1)));
    }
}

/* The means of codes, in eighths, that n values of a row have their contexts of. */
ZTI_INLINE void find_means(const struct zti_ll_shape *s, const struct zti_ll_near *near,
                           const uint8_t *code, uint32_t n, uint16_t *mean)
{
    if (s->is_lanes)
        mean_of_lanes(near, code, n, mean);
    else if (near->rows == 1)
        mean_of_rows(1, near, code, n, mean);
    else if (near->rows == 2)
        mean_of_rows(2, near, code, n, mean);
    else
        mean_of_rows(3, near, code, n, mean);
}

/* The marks of n symbols, and their codes for contexts. */
static void symbols_to_codes(bool has_signs, bool has_marks, const uint8_t *restrict symbol,
                             const uint16_t *restrict mean, uint32_t n, uint8_t *restrict mark,
                             uint8_t *restrict code)
{
    uint32_t i = 0;
    if (!has_signs && !has_marks) {
        memcpy(code, symbol, n);
        return;
    }
#if defined(ZTI_WITH_AVX2)
    for (; i + LEAST_CODES <= n; i += CODES_AT_ONCE) {
        const shorts own = load_codes(symbol + i), of_value = has_signs ? (own + 1) >> 1 : own;
        const shorts of_mark = (load_sums(mean + i) + 4) >> 3;
        const shorts is_mark = has_marks ? (shorts)(own >= ZTI_LL_MARK_RAW) : (shorts){0};
        store_bytes(code + i, n - i, (of_mark & is_mark) | (of_value & ~is_mark));
        if (has_marks)
            store_bytes(mark + i, n - i, own & is_mark);
    }
#endif
    for (; i < n; i++) {
        const bool is_mark = has_marks && symbol[i] >= ZTI_LL_MARK_RAW;
        const uint32_t of_value = has_signs ? (symbol[i] + 1u) / 2 : symbol[i];
        code[i] = is_mark ? ll_code_of_mean(mean[i]) : (uint8_t)of_value;
        if (has_marks)
            mark[i] = is_mark ? symbol[i] : 0;
    }
}

#if defined(ZTI_WITH_AVX2)
/* 1 of each mark that is the fill value's. */
ZTI_INLINE shorts are_fills(const uint8_t *mark)
{
    return (shorts)(load_codes(mark) == ZTI_LL_MARK_FILL) & 1;
}

/* As ll_context. */
ZTI_INLINE shorts contexts_of(shorts level, shorts fills)
{
    const shorts own = ZTI_LL_FILLS + ZTI_LL_FILL_LEVELS * (fills >> 1) + (level >> 3);
    const shorts none = (shorts)(fills == 0), all = (shorts)(fills == 6);
    return (level & none) | (((ZTI_LL_ALL_FILLS & all) | (own & ~all)) & ~none);
}
#endif

/* Contexts of n values of a row by their means. */
ZTI_INLINE void find_contexts(const struct row *row, const struct zti_ll_beside *b,
                              const uint8_t *mark, bool has_marks, const uint16_t *mean, uint32_t n,
                              uint16_t *context)
{
    const uint16_t first = row->source >= 0 ? ZTI_LL_REPEATS : 0;
    for (uint32_t i = 0; i < n; i += CODES_AT_ONCE) {
        const shorts own = load_sums(mean + i);
        store_codes(context + i, least_of(own, ZTI_LL_LEVEL_ABOVE(own)) + first);
    }
    if (row->source >= 0 || !has_marks || !b->has_any)
        return;
#if defined(ZTI_WITH_AVX2)
    for (uint32_t i = 0; i < n; i += CODES_AT_ONCE) {
        const uint8_t *const at = mark + i;
        const shorts across = are_fills(at + b->up) + are_fills(at + b->other);
        const shorts fills = 2 * across + are_fills(at + b->left) + are_fills(at + b->right);
        store_codes(context + i, contexts_of(load_sums(context + i), fills));
    }
    return;
#endif
    for (uint32_t i = 0; i < n; i++) {
        const int fills = 2 * (mark[i + b->up] == ZTI_LL_MARK_FILL) +
                          2 * (mark[i + b->other] == ZTI_LL_MARK_FILL) +
                          (mark[i + b->left] == ZTI_LL_MARK_FILL) +
                          (mark[i + b->right] == ZTI_LL_MARK_FILL);
        context[i] = (uint16_t)ll_context(context[i], (uint32_t)fills);
    }
}

/* Codes and marks of a row's margins are those at its ends. */
static void end_row(const struct zti_ll_shape *s, const struct row *row, bool has_marks,
                    uint8_t *code, uint8_t *mark)
{
    const size_t first = row->cell, end = first + row->width;
    memset(code + first - ZTI_LL_MARGIN, code[first], ZTI_LL_MARGIN);
    for (size_t i = end; i < first + s->width + ZTI_LL_MARGIN; i++)
        code[i] = code[end - 1];
    if (has_marks)
        set_mark_margins(s, mark, row->number);
}

/* The mean of a piece's codes, in eighths, which the next piece of a row that has no row before it
 * has for all of its means. */
ZTI_INLINE uint32_t mean_of_piece(const uint8_t *code)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < ZTI_LL_PIECE; i++)
        sum += code[i];
    return 8 * sum / ZTI_LL_PIECE;
}

#if defined(ZTI_WITH_AVX2)

/* Codes of a vector of residuals, their signs, and the bits that are left open. */
ZTI_INLINE vector codes_of(vector residual, bool has_signs, vector *open)
{
    const vector sign = V(sign)(residual), size = (residual ^ sign) - sign;
    const vector length = V(bit_length)(size), none = (vector){0};
    const vector above = (vector)(length > 3) & (length - 3);
    const vector code = 4 * above + V(right)(size, above);
    *open = above;
    if (has_signs)
        return 2 * code + sign;
    *open = above + ((vector)(size != none) & 1);
    return code;
}

/* Symbols of n residuals, a multiple of AT_ONCE. Returns the bits that they leave open. */
ZTI_INLINE uint64_t find_symbols(bool has_signs, const key *residual, uint32_t n, uint8_t *symbol)
{
    vector sum = {0}, open;
    uint64_t all = 0;
    for (uint32_t i = 0; i < n; i += AT_ONCE) {
#if WIDTH == 32
        v_store_bytes_32(symbol + i, codes_of(v_load_32(residual + i), has_signs, &open));
        sum += open;
#else
        const u64s a = codes_of(v_load_64(residual + i), has_signs, &open);
        sum += open;
        const u64s b = codes_of(v_load_64(residual + i + LANES), has_signs, &open);
        sum += open;
        v_store_bytes_32(symbol + i, v_even_32((u32s)a, (u32s)b));
#endif
    }
    for (uint32_t k = 0; k < LANES; k++)
        all += sum[k];
    return all;
}
#else

ZTI_INLINE uint64_t find_symbols(bool has_signs, const key *residual, uint32_t n, uint8_t *symbol)
{
    (void)has_signs;
    (void)residual;
    (void)n;
    (void)symbol;
    return 0;
}
#endif

/* Symbols of n residuals, whose marks are given or NULL. Returns the bits that they leave open. */
static uint64_t residuals_to_symbols(bool has_signs, const key *restrict residual,
                                     const uint8_t *restrict mark, uint32_t n,
                                     uint8_t *restrict symbol)
{
    const uint32_t whole = AT_ONCE > 1 ? n / AT_ONCE * AT_ONCE : 0;
    uint64_t open = find_symbols(has_signs, residual, whole, symbol);
    for (uint32_t i = whole; i < n; i++) {
        uint64_t bits;
        symbol[i] = symbol_of(has_signs, residual[i]);
        (void)open_bits_of(has_signs, residual[i], &bits);
        open += bits;
    }
    for (uint32_t i = 0; mark && i < n; i++)
        symbol[i] = mark[i] ? mark[i] : symbol[i];
    return open; /* marks have the residual 0 */
}

/* ---- what symbols leave open: signs, where these have none, and bits below the two highest ----
 */

static void make_steps(bool has_signs, bool has_marks, struct steps *steps)
{
    for (uint32_t symbol = 0; symbol < ZTI_LL_ALPHABET; symbol++)
        make_step(has_signs, has_marks, symbol, steps);
}

#if defined(ZTI_WITH_AVX2)
/* The same of a vector of residuals. */
ZTI_INLINE void find_open_fields(bool has_signs, const key *residual, vector *bits, vector *count)
{
    vector r;
    memcpy(&r, residual, sizeof r);
    const vector sign = V(sign)(r), size = (r ^ sign) - sign;
    (void)codes_of(r, true, count);
    *bits = size & ~(~(vector){0} << *count);
    if (!has_signs) {
        *bits = *bits << 1 | (sign & 1);
        *count += (vector)(size != (vector){0}) & 1;
    }
}

#endif

ZTI_INLINE void write_signed(bool has_signs, const key *residual, size_t n,
                             struct zti_bit_writer *to)
{
    struct zti_bit_writer w = *to;
    uint64_t open, next;
    size_t i = 0;
#if defined(ZTI_WITH_AVX2)
    for (; i + FIELDS <= n; i += FIELDS) {
        fields bits, count;
        find_open_fields(has_signs, residual + i, &bits, &count);
        write_fields(false, bits, count, &w);
    }
#endif
    for (; i + 2 <= n; i += 2) {
        const uint64_t bits = open_bits_of(has_signs, residual[i], &open);
        const uint64_t more = open_bits_of(has_signs, residual[i + 1], &next);
        if (open + next <= 56) {
            zti_put_bits(&w, bits | more << open, (uint32_t)(open + next));
            continue;
        }
        zti_put_bits64(&w, bits, (uint32_t)open);
        zti_put_bits64(&w, more, (uint32_t)next);
    }
    if (i < n) {
        const uint64_t bits = open_bits_of(has_signs, residual[i], &open);
        zti_put_bits64(&w, bits, (uint32_t)open);
    }
    *to = w;
}

/* Marks have the residual 0, which leaves nothing open. */
static void encode_residuals(bool has_signs, const key *residual, size_t n,
                             struct zti_bit_writer *w)
{
    if (has_signs)
        write_signed(true, residual, n, w);
    else
        write_signed(false, residual, n, w);
}

#if defined(ZTI_WITH_AVX2)
/* Residuals of some symbols, at most FIELDS, whose open bits begin at bit *at; false if these are
 * too many to be read at once. What is behind is overwritten. */
ZTI_INLINE bool read_some(bool has_signs, bool has_marks, const uint8_t *symbol, uint32_t some,
                          const struct zti_bit_reader *r, uint64_t *at, key *residual)
{
    const fields s = load_bytes(symbol), code = has_signs ? (s + 1) >> 1 : s;
    const fields above = code >> 2, open = above - ((fields)(above != (fields){0}) & 1);
    const fields least = (((code & 3) | 4) << open) - ((fields)(above == (fields){0}) & 4);
    fields is_one = some < FIELDS ? first_fields(some) : ~(fields){0}, bits;
    if (has_marks)
        is_one &= (fields)(s < (fields){0} + ZTI_LL_MARK_RAW);
    const fields count = has_signs ? open : open + ((fields)(code != (fields){0}) & 1);
    if (!read_fields(r, at, count & is_one, &bits))
        return false;
    const fields sign = 0 - ((has_signs ? s : bits) & 1);
    const fields size = (least + (has_signs ? bits : bits >> 1)) & is_one;
    const fields all = (size ^ sign) - sign;
    memcpy(residual, &all, sizeof all);
    return true;
}
#else
ZTI_INLINE bool read_some(bool has_signs, bool has_marks, const uint8_t *symbol, uint32_t some,
                          const struct zti_bit_reader *r, uint64_t *at, key *residual)
{
    (void)has_signs;
    (void)has_marks;
    (void)symbol;
    (void)some;
    (void)r;
    (void)at;
    (void)residual;
    return false;
}
#endif

/* Residuals of n symbols. What is behind, up to a vector, is overwritten. */
ZTI_INLINE void read_signed(bool has_signs, bool has_marks, const struct steps *steps,
                            const uint8_t *symbol, uint32_t n, struct zti_bit_reader *r,
                            key *residual)
{
    enum { AT_A_TIME = FIELDS > 1 ? FIELDS : 8, MOST = AT_A_TIME * 64 + 128 };
    const uint8_t *const base = r->base;
    uint64_t at = r->at;
    uint32_t i = 0;
    for (; i + AT_A_TIME <= n; i += AT_A_TIME) {
        if (read_some(has_signs, has_marks, symbol + i, AT_A_TIME, r, &at, residual + i))
            continue;
        if (at + MOST > r->end)
            break;
        for (uint32_t k = i; k < i + AT_A_TIME; k++) {
            const uint32_t open = steps->open[symbol[k]];
            uint64_t bits = zti_get_le64(base + (at >> 3)) >> (at & 7);
            if (WIDTH == 64 && open > 57)
                bits |= (uint64_t)base[(at >> 3) + 8] << 1 << (63 - (at & 7));
            residual[k] = residual_of(has_signs, steps, symbol[k], bits & ~(~UINT64_C(0) << open));
            at += open;
        }
    }
    if (i < n && n - i < AT_A_TIME &&
        read_some(has_signs, has_marks, symbol + i, n - i, r, &at, residual + i))
        i = n;
    r->at = at;
    for (; i < n; i++) {
        const uint32_t open = steps->open[symbol[i]];
        residual[i] = residual_of(has_signs, steps, symbol[i], ll_get(r, open));
    }
}

static void decode_residuals(bool has_signs, bool has_marks, const struct steps *steps,
                             const uint8_t *symbol, uint32_t n, struct zti_bit_reader *r,
                             key *residual)
{
    if (has_signs && !has_marks)
        read_signed(true, false, steps, symbol, n, r, residual);
    else if (has_signs)
        read_signed(true, true, steps, symbol, n, r, residual);
    else
        read_signed(false, has_marks, steps, symbol, n, r, residual);
}
