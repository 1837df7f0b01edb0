/* sz_coder.h: kernel text: a tile of values to bytes and back, and the walk over tiles. Included
 * once by each instance (sz_plain.c, sz_avx2.c, sz_avx512.c) after the texts it leans on; what
 * differs between instances is in those. */

struct scratch {
    union {
        float f32[ZTI_SZ_TILE_VALUES];
        double f64[ZTI_SZ_TILE_VALUES];
        uint32_t u32[ZTI_SZ_TILE_VALUES];
        uint64_t u64[ZTI_SZ_TILE_VALUES];
        uint8_t bytes[ZTI_SZ_RAW_BYTES];
    } values; /* of the tile, contiguous */
    union {
        uint32_t u32[ZTI_SZ_TILE_VALUES];
        uint64_t u64[ZTI_SZ_TILE_VALUES];
    } a, b;
    struct exact exact;
    uint8_t out[ZTI_SZ_RAW_BYTES + 16 + ZTI_SZ_SLACK_BYTES + ZTI_BIT_MARGIN_BYTES];
    uint8_t other[ZTI_SZ_RAW_BYTES + 16 + ZTI_SZ_SLACK_BYTES + ZTI_BIT_MARGIN_BYTES];
};

static struct tile tile_at(const struct zti_coding *coding, const struct zti_walk *walk)
{
    static const uint32_t block[ZT_MAX_RANK] = {256, 16, 8, 8};
    const struct zti_grid *const grid = &coding->grid;
    struct tile tile = {.rank = grid->rank, .n = 1};
    tile.block = coding->sz.effort == ZT_EFFORT_PAPER ? block[grid->rank - 1] : 0;
    for (uint32_t i = 0; i < grid->rank; i++) {
        const uint64_t rest = grid->shape[i] - walk->origin[i];
        tile.origin[i] = walk->origin[i];
        tile.extent[i] = rest < grid->side[i] ? (uint32_t)rest : grid->side[i];
        tile.n *= tile.extent[i];
    }
    return tile;
}

/* One row of values between strided and contiguous memory. */
ZTI_INLINE void copy_row(void *to, int64_t to_stride, const void *from, int64_t from_stride,
                         uint32_t n, size_t value_bytes)
{
    if (to_stride == 1 && from_stride == 1) {
        if (n * value_bytes == 64)
            memcpy(to, from, 64);
        else
            memcpy(to, from, n * value_bytes);
    } else if (value_bytes == 4) {
        for (int64_t i = 0; i < n; i++)
            ((uint32_t *)to)[i * to_stride] = ((const uint32_t *)from)[i * from_stride];
    } else {
        for (int64_t i = 0; i < n; i++)
            ((uint64_t *)to)[i * to_stride] = ((const uint64_t *)from)[i * from_stride];
    }
}

static void gather_tile(const struct tile *tile, const zt_array *array, uint8_t *values)
{
    const uint32_t last = tile->rank - 1;
    const size_t value_bytes = zt_type_bytes(array->type);
    uint32_t at[ZT_MAX_RANK] = {0};
    const char *from = zti_array_at(array, tile->origin);
    for (uint32_t done = 0; done < tile->n; done += tile->extent[last]) {
        copy_row(values + done * value_bytes, 1, from, array->stride[last], tile->extent[last],
                 value_bytes);
        for (uint32_t i = last; i-- > 0;) {
            from += array->stride[i] * (int64_t)value_bytes;
            if (++at[i] < tile->extent[i])
                break;
            from -= (int64_t)tile->extent[i] * array->stride[i] * (int64_t)value_bytes;
            at[i] = 0;
        }
    }
}

/* The part of a tile that is in a view. */
static void scatter_tile(const struct tile *tile, const struct zti_view *view,
                         const uint8_t *values)
{
    const uint32_t last = tile->rank - 1;
    const size_t value_bytes = zt_type_bytes(view->out.type);
    uint64_t lo[ZT_MAX_RANK], hi[ZT_MAX_RANK], at[ZT_MAX_RANK];
    for (uint32_t i = 0; i < tile->rank; i++) {
        const uint64_t end = tile->origin[i] + tile->extent[i];
        lo[i] = at[i] = view->lo[i] > tile->origin[i] ? view->lo[i] : tile->origin[i];
        hi[i] = view->hi[i] < end ? view->hi[i] : end;
        if (lo[i] >= hi[i])
            return;
    }
    uint64_t from = 0, to_at[ZT_MAX_RANK], step[ZT_MAX_RANK], width = 1;
    for (uint32_t i = last + 1; i-- > 0; width *= tile->extent[i]) {
        from += (lo[i] - tile->origin[i]) * width;
        step[i] = width;
        to_at[i] = lo[i] - view->lo[i];
    }
    char *to = zti_array_at(&view->out, to_at);
    for (uint32_t i = 0; i <= last;) {
        copy_row(to, view->out.stride[last], values + from * value_bytes, 1,
                 (uint32_t)(hi[last] - lo[last]), value_bytes);
        for (i = last; i-- > 0;) {
            const int64_t stride = view->out.stride[i] * (int64_t)value_bytes;
            to += stride;
            from += step[i];
            if (++at[i] < hi[i])
                break;
            to -= (int64_t)(hi[i] - lo[i]) * stride;
            from -= (hi[i] - lo[i]) * step[i];
            at[i] = lo[i];
        }
    }
}

/* ---- values to integers ---- */

/* Bits of a float in the order of the numbers. */
static inline uint32_t ordered_32(uint32_t bits)
{
    return bits ^ ((0 - (bits >> 31)) >> 1);
}

static inline uint64_t ordered_64(uint64_t bits)
{
    return bits ^ ((0 - (bits >> 63)) >> 1);
}

static inline int64_t nearest_multiple(int64_t x, int64_t step)
{
    int64_t q = x / step;
    const int64_t rest = x % step;
    if (rest > step / 2)
        q++;
    else if (rest < -(step / 2))
        q--;
    return q;
}

static void integers_of_bits(uint32_t type, uint32_t n, struct scratch *s)
{
    if (type == ZT_F32)
        for (uint32_t i = 0; i < n; i++)
            s->a.u32[i] = ordered_32(s->values.u32[i]);
    else
        for (uint32_t i = 0; i < n; i++)
            s->a.u64[i] = ordered_64(s->values.u64[i]);
}

static uint32_t integers_of_logs(const struct zti_coding *coding, uint32_t n, struct scratch *s)
{
    if (coding->type == ZT_F32)
        (void)logs_f32(&coding->sz, s->values.f32, n, s->a.u32, &s->exact);
    else if (!logs_f64(&coding->sz, s->values.f64, n, s->a.u32, &s->exact)) {
        logs_wide_f64(&coding->sz, s->values.f64, n, s->a.u64, &s->exact);
        return ZTI_SZ_WIDE;
    }
    return ZTI_SZ_NARROW;
}

/* Fill s->a with 32-bit or 64-bit integers; returns the form. */
static uint32_t integers_of(const struct zti_coding *coding, uint32_t n, struct scratch *s)
{
    const struct zti_sz *sz = &coding->sz;
    s->exact.count = 0;
    s->exact.has_zeros = false;
    if (sz->source == ZTI_SZ_LOG)
        return integers_of_logs(coding, n, s);
    if (sz->source == ZTI_SZ_BITS) {
        integers_of_bits(coding->type, n, s);
        return coding->type == ZT_F32 ? ZTI_SZ_NARROW : ZTI_SZ_WIDE;
    }
    if (coding->type == ZT_F32) {
        (void)quantize_f32(sz, s->values.f32, n, s->a.u32, &s->exact);
        return ZTI_SZ_NARROW;
    }
    if (coding->type == ZT_F64) {
        if (quantize_f64(sz, s->values.f64, n, s->a.u32, &s->exact))
            return ZTI_SZ_NARROW;
        quantize_wide_f64(sz, s->values.f64, n, s->a.u64, &s->exact);
        return ZTI_SZ_WIDE;
    }
    const int64_t step = (int64_t)sz->whole_step;
    if (coding->type == ZT_I32) {
        for (uint32_t i = 0; i < n; i++)
            s->a.u32[i] = (uint32_t)nearest_multiple((int32_t)s->values.u32[i], step);
        return ZTI_SZ_NARROW;
    }
    uint64_t far = 0;
    for (uint32_t i = 0; i < n; i++) {
        s->a.u64[i] = (uint64_t)nearest_multiple((int64_t)s->values.u64[i], step);
        far |= (s->a.u64[i] + (UINT64_C(1) << 30)) >> 31;
    }
    if (far)
        return ZTI_SZ_WIDE;
    for (uint32_t i = 0; i < n; i++)
        s->a.u32[i] = (uint32_t)s->a.u64[i];
    return ZTI_SZ_NARROW;
}

/* The multiple, or the end of the type's range where it is beyond. */
static inline int64_t multiple(int64_t q, int64_t step, int64_t least, int64_t most)
{
    if (q > most / step)
        return most;
    return q < least / step ? least : q * step;
}

static void values_of_bits(uint32_t type, uint32_t n, struct scratch *s)
{
    if (type == ZT_F32)
        for (uint32_t i = 0; i < n; i++)
            s->values.u32[i] = ordered_32(s->a.u32[i]);
    else
        for (uint32_t i = 0; i < n; i++)
            s->values.u64[i] = ordered_64(s->a.u64[i]);
}

/* s->values from the integers in s->a. */
static void values_from(const struct zti_coding *coding, uint32_t n, bool is_wide, bool is_bits,
                        struct scratch *s)
{
    const struct zti_sz *sz = &coding->sz;
    const int64_t step = (int64_t)sz->whole_step;
    if (is_bits) {
        values_of_bits(coding->type, n, s);
    } else if (sz->source == ZTI_SZ_LOG && coding->type == ZT_F32) {
        numbers_f32(sz, &s->exact, s->a.u32, n, s->values.f32);
    } else if (sz->source == ZTI_SZ_LOG && !is_wide) {
        numbers_f64(sz, &s->exact, s->a.u32, n, s->values.f64);
    } else if (sz->source == ZTI_SZ_LOG) {
        numbers_wide_f64(sz, &s->exact, s->a.u64, n, s->values.f64);
    } else if (coding->type == ZT_F32) {
        dequantize_f32(sz->step, s->a.u32, n, s->values.f32);
    } else if (coding->type == ZT_F64 && !is_wide) {
        dequantize_f64(sz->step, s->a.u32, n, s->values.f64);
    } else if (coding->type == ZT_F64) {
        dequantize_wide_f64(sz->step, s->a.u64, n, s->values.f64);
    } else if (coding->type == ZT_I32) {
        for (uint32_t i = 0; i < n; i++)
            s->values.u32[i] =
                (uint32_t)multiple((int32_t)s->a.u32[i], step, INT32_MIN, INT32_MAX);
    } else {
        for (uint32_t i = 0; i < n; i++)
            s->values.u64[i] = (uint64_t)multiple(is_wide ? (int64_t)s->a.u64[i]
                                                          : (int32_t)s->a.u32[i],
                                                  step, INT64_MIN, INT64_MAX);
    }
}

/* ---- a tile to bytes ---- */

static bool put_tile_integers(const struct zti_coding *coding, const struct tile *tile,
                              uint32_t form, struct scratch *s, uint8_t *out,
                              uint32_t most_bytes, uint32_t *bytes)
{
    const uint64_t *const gaps = gaps_of(&s->exact);
    if (form & ZTI_SZ_WIDE) {
        if (gaps)
            bridge_64(tile, gaps, s->a.u64, (uint64_t)coding->sz.centre);
        return put_integers_64(coding, tile, form, &s->exact, s->a.u64, s->b.u64, out, most_bytes,
                               bytes);
    }
    if (gaps)
        bridge_32(tile, gaps, s->a.u32, (uint32_t)coding->sz.centre);
    return put_integers_32(coding, tile, form, &s->exact, s->a.u32, s->b.u32, out, most_bytes,
                           bytes);
}

/* The bytes of the tile in s->values; *coded is where they are. */
static uint32_t put_tile(const struct zti_coding *coding, const struct tile *tile,
                         struct scratch *s, const uint8_t **coded)
{
    const uint32_t raw_bytes = tile->n * (uint32_t)zt_type_bytes(coding->type);
    uint32_t bytes = raw_bytes + 1, lossless;
    s->exact.values = s->values.bytes;
    *coded = s->out;
    const uint32_t form = integers_of(coding, tile->n, s);
    const bool fits = put_tile_integers(coding, tile, form, s, s->out, raw_bytes, &bytes);
    if (fits && bytes < raw_bytes / 4 * 3)
        return bytes;
    if (!fits)
        bytes = raw_bytes + 1;
    if (coding->sz.source == ZTI_SZ_LATTICE || coding->sz.source == ZTI_SZ_LOG) {
        s->exact.count = 0;
        s->exact.has_zeros = false;
        integers_of_bits(coding->type, tile->n, s);
        if (put_tile_integers(coding, tile,
                              ZTI_SZ_LOSSLESS |
                                  (coding->type == ZT_F32 ? ZTI_SZ_NARROW : ZTI_SZ_WIDE),
                              s, s->other, bytes - 1, &lossless)) {
            *coded = s->other;
            return lossless;
        }
    }
    if (bytes > raw_bytes) {
        s->out[0] = ZTI_SZ_RAW;
        for (uint32_t i = 0; i < tile->n; i++) {
            if (zt_type_bytes(coding->type) == 4)
                zti_put_le32(s->out + 1 + 4 * (size_t)i, s->values.u32[i]);
            else
                zti_put_le64(s->out + 1 + 8 * (size_t)i, s->values.u64[i]);
        }
    }
    return bytes;
}

static void encode(const struct zti_coding *coding, const zt_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *w)
{
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    struct scratch s;
    for (; walk.tile < last; zti_walk_next(&coding->grid, &walk)) {
        const struct tile tile = tile_at(coding, &walk);
        const uint8_t *coded;
        gather_tile(&tile, array, s.values.bytes);
        const uint32_t bytes = put_tile(coding, &tile, &s, &coded);
        memcpy(w->next, coded, bytes); /* tiles are whole bytes, so nothing is held */
        w->next += bytes;
    }
}

/* ---- bytes to a tile ---- */

struct tile_head {
    uint32_t form;
    uint64_t away; /* of the base from the centre, folded */
    const uint8_t *exact_values;
};

/* The bytes of a tile before its groups; returns where these are, or NULL. */
static const uint8_t *take_head(const struct zti_coding *coding, const struct tile *tile,
                                const uint8_t *at, const uint8_t *end, struct tile_head *head,
                                struct scratch *s)
{
    const size_t value_bytes = zt_type_bytes(coding->type);
    const uint32_t first = *at++, base_bytes = first >> 4;
    const bool is_bits = coding->sz.source == ZTI_SZ_BITS || (first & ZTI_SZ_LOSSLESS);
    const bool is_wide = (first & 3) == ZTI_SZ_WIDE;
    head->form = first & ZTI_SZ_FORM;
    if (base_bytes > 8 || end - at < (ptrdiff_t)base_bytes)
        return NULL;
    if ((first & ZTI_SZ_LOSSLESS && coding->sz.source != ZTI_SZ_LATTICE &&
         coding->sz.source != ZTI_SZ_LOG) ||
        (is_wide && value_bytes == 4) || (is_bits && !is_wide && (first & 3) == ZTI_SZ_NARROW &&
                                          value_bytes == 8))
        return NULL;
    head->away = 0;
    for (uint32_t i = 0; i < base_bytes; i++)
        head->away |= (uint64_t)*at++ << 8 * i;
    s->exact.count = 0;
    if ((first & 3) == ZTI_SZ_RAW)
        return first == ZTI_SZ_RAW ? at : NULL;
    if (first & ZTI_SZ_HAS_EXACT) {
        s->exact.count = 1;
        at = zti_sz_take_exact(at, end, tile->n, value_bytes, s->exact.bits, &head->exact_values);
    }
    if (at && has_marks(coding, first))
        at = zti_sz_take_marks(at, end, tile->n, tile->extent[tile->rank - 1], s->exact.zero,
                               s->exact.negative);
    return at;
}

static void take_raw(uint32_t n, size_t value_bytes, const uint8_t *from, struct scratch *s)
{
    for (uint32_t i = 0; i < n; i++) {
        if (value_bytes == 4)
            s->values.u32[i] = zti_get_le32(from + 4 * (size_t)i);
        else
            s->values.u64[i] = zti_get_le64(from + 8 * (size_t)i);
    }
}

static void take_exact_values(size_t value_bytes, const uint8_t *from, struct scratch *s)
{
    for (uint32_t word = 0; word < ZTI_SZ_GROUPS; word++)
        for (uint64_t left = s->exact.bits[word]; left; left &= left - 1) {
            const uint32_t i = word * 64 + lowest_bit(left);
            if (value_bytes == 4)
                s->values.u32[i] = zti_get_le32(from);
            else
                s->values.u64[i] = zti_get_le64(from);
            from += value_bytes;
        }
}

/* Take one tile; to s->values unless it is only passed over. False where it makes no sense. */
static bool take_tile(const struct zti_coding *coding, const struct tile *tile,
                      struct zti_bit_reader *r, bool is_wanted, struct scratch *s)
{
    const size_t value_bytes = zt_type_bytes(coding->type), raw_bytes = tile->n * value_bytes;
    const uint8_t *const start = r->base + r->at / 8, *const end = start + 1 + raw_bytes;
    struct tile_head head;
    const uint8_t *at = take_head(coding, tile, start, end, &head, s);
    if (!at)
        return false;
    r->at += (uint64_t)(at - start) * 8;
    if ((head.form & 3) == ZTI_SZ_RAW) {
        if (is_wanted)
            take_raw(tile->n, value_bytes, at, s);
        r->at += raw_bytes * 8;
        return true;
    }
    const bool is_zero = (head.form & 3) == ZTI_SZ_ZERO;
    const bool is_bits = coding->sz.source == ZTI_SZ_BITS || (head.form & ZTI_SZ_LOSSLESS);
    const bool is_wide = is_zero ? value_bytes == 8 : (head.form & 3) == ZTI_SZ_WIDE;
    const uint64_t end_bits = (uint64_t)(end - r->base) * 8;
    if (is_wanted || !is_zero) {
        if (is_wide ? !take_integers_64(coding, tile, head.form, head.away, r, end_bits, s->a.u64,
                                        s->b.u64)
                    : !take_integers_32(coding, tile, head.form, head.away, r, end_bits, s->a.u32,
                                        s->b.u32))
            return false;
    }
    r->at = (r->at + 7) & ~UINT64_C(7);
    if (is_wanted) {
        values_from(coding, tile->n, is_wide, is_bits, s);
        if (s->exact.count)
            take_exact_values(value_bytes, head.exact_values, s);
    }
    return true;
}

static void decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, const struct zti_view *view)
{
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    struct scratch s;
    for (; walk.tile < last; zti_walk_next(&coding->grid, &walk)) {
        const struct tile tile = tile_at(coding, &walk);
        if (r->at > r->end || !take_tile(coding, &tile, r, view != NULL, &s)) {
            r->at = r->end + 1; /* as if it were cut short: exec refuses it */
            return;
        }
        if (view)
            scatter_tile(&tile, view, s.values.bytes);
    }
}

/* ---- a sample of the tiles ---- */

static void sample(const struct zti_coding *coding, const zt_array *array, uint64_t number,
                   uint64_t *bits, int64_t *base)
{
    const struct zti_walk walk = zti_walk_from(&coding->grid, number);
    const struct tile tile = tile_at(coding, &walk);
    struct scratch s;
    gather_tile(&tile, array, s.values.bytes);
    const bool is_wide = integers_of(coding, tile.n, &s) == ZTI_SZ_WIDE;
    const uint64_t *const gaps = gaps_of(&s.exact);
    if (gaps && is_wide)
        bridge_64(&tile, gaps, s.a.u64, 0);
    else if (gaps)
        bridge_32(&tile, gaps, s.a.u32, 0);
    *base = is_wide ? (int64_t)s.a.u64[0] : (int32_t)s.a.u32[0];
    memcpy(&s.values, &s.a, (is_wide ? sizeof(uint64_t) : sizeof(uint32_t)) * tile.n);
    for (uint32_t axes = 0; axes < 1u << tile.rank; axes++)
        bits[axes] += is_wide ? cost_64(&tile, axes, s.values.u64, s.a.u64, s.b.u64, s.out)
                              : cost_32(&tile, axes, s.values.u32, s.a.u32, s.b.u32, s.out);
}

static void try_blocks(const struct zti_coding *coding, const zt_array *array, uint64_t number,
                       uint64_t *bits)
{
    const struct zti_walk walk = zti_walk_from(&coding->grid, number);
    const struct tile tile = tile_at(coding, &walk);
    struct scratch s;
    gather_tile(&tile, array, s.values.bytes);
    const bool is_wide = integers_of(coding, tile.n, &s) == ZTI_SZ_WIDE;
    if (gaps_of(&s.exact))
        return;
    if (is_wide)
        try_blocks_64(coding, &tile, s.a.u64, s.b.u64, s.out, bits);
    else
        try_blocks_32(coding, &tile, s.a.u32, s.b.u32, s.out, bits);
}

static void count(const struct zti_coding *coding, const zt_array *array, uint64_t number,
                  struct zti_sz_counts *counts)
{
    const struct zti_walk walk = zti_walk_from(&coding->grid, number);
    const struct tile tile = tile_at(coding, &walk);
    struct scratch s;
    gather_tile(&tile, array, s.values.bytes);
    const bool is_wide = integers_of(coding, tile.n, &s) == ZTI_SZ_WIDE;
    const uint64_t *const gaps = gaps_of(&s.exact);
    if (is_wide) {
        if (gaps)
            bridge_64(&tile, gaps, s.a.u64, (uint64_t)coding->sz.centre);
        count_integers_64(coding, &tile, s.a.u64, s.b.u64, counts);
    } else {
        if (gaps)
            bridge_32(&tile, gaps, s.a.u32, (uint32_t)coding->sz.centre);
        count_integers_32(coding, &tile, s.a.u32, s.b.u32, counts);
    }
}
