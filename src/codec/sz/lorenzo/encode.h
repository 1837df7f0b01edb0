/* encode.h: kernel text: encode tiles of values to bytes. Each instance includes it once, through
 * lorenzo/instance.h, after the texts that it needs; only those differ between instances. */

struct scratch {
    struct rows ahead; /* what is prefetched meanwhile */
    union values values;
    union integers a, b;
    struct exact exact;
    struct zti_ll_power ten[2 * ZTI_LL_POWERS + 1]; /* of significant digits only */
    uint8_t out[ZTI_SZ_RAW_BYTES + 16 + ZTI_SZ_SLACK_BYTES + ZTI_BIT_MARGIN_BYTES];
    uint8_t other[ZTI_SZ_RAW_BYTES + 16 + ZTI_SZ_SLACK_BYTES + ZTI_BIT_MARGIN_BYTES];
};

static void gather_tile(const struct tile *tile, const struct zti_array *array, uint8_t *values)
{
    const uint32_t value_bytes = (uint32_t)zt_type_bytes(array->type), last = tile->rank - 1;
    struct rows rows = joined(rows_of(tile, array));
    const uint32_t n = rows.bytes > 0 ? rows.bytes / value_bytes : tile->extent[last];
    for (uint32_t done = 0; done < tile->n; done += n, next_row(&rows))
        copy_row(values + (size_t)done * value_bytes, 1, rows.at, array->stride[last], n,
                 value_bytes);
}

/* ---- values to integers ---- */

static void begin_scratch(const struct zti_coding *coding, struct scratch *s)
{
    s->ahead.bytes = 0;
    if (sz_of(coding)->source == ZTI_SZ_DIGITS)
        ll_make_powers(s->ten);
}

/* Quantize floating-point values to multiples of a step, to logarithms or keys; returns the
 * form. */
static uint32_t integers_of_floats(const struct zti_coding *coding, uint32_t n, struct scratch *s)
{
    const struct zti_sz *const sz = sz_of(coding);
    if (coding->type == ZT_F32) {
        (void)quantize_f32(sz, s->ten, s->values.f32, n, s->a.u32, &s->exact);
        return ZTI_SZ_NARROW;
    }
    if (quantize_f64(sz, s->ten, s->values.f64, n, s->a.u32, &s->exact))
        return ZTI_SZ_NARROW;
    quantize_wide_f64(sz, s->ten, s->values.f64, n, s->a.u64, &s->exact);
    return ZTI_SZ_WIDE;
}

/* Fill s->a with 32-bit or 64-bit integers; returns the form. */
static uint32_t integers_of(const struct zti_coding *coding, uint32_t n, struct scratch *s)
{
    const struct zti_sz *sz = sz_of(coding);
    s->exact.count = 0;
    s->exact.has_zeros = false;
    if (sz->source == ZTI_SZ_BITS) {
        order_bits(coding->type, n, s->values.bytes, s->a.u64);
        return coding->type == ZT_F32 ? ZTI_SZ_NARROW : ZTI_SZ_WIDE;
    }
    if (coding->type == ZT_F32 || coding->type == ZT_F64)
        return integers_of_floats(coding, n, s);
    const int64_t step = (int64_t)sz->whole_step;
    if (coding->type == ZT_I32) {
        for (uint32_t i = 0; i < n; i++)
            s->a.u32[i] = (uint32_t)nearest_multiple((int32_t)s->values.u32[i], step);
        return ZTI_SZ_NARROW;
    }
    bool is_far = false;
    for (uint32_t i = 0; i < n; i++) {
        s->a.u64[i] = (uint64_t)nearest_multiple((int64_t)s->values.u64[i], step);
        is_far |= !is_narrow_integer((int64_t)s->a.u64[i]);
    }
    if (is_far)
        return ZTI_SZ_WIDE;
    for (uint32_t i = 0; i < n; i++)
        s->a.u32[i] = (uint32_t)s->a.u64[i];
    return ZTI_SZ_NARROW;
}

/* Set integers for values that have none of their own. */
static void bridge(const struct tile *tile, bool is_wide, int64_t centre, struct scratch *s)
{
    const uint64_t *const gaps = gaps_of(&s->exact);
    if (gaps && is_wide)
        bridge_64(tile, gaps, s->a.u64, (uint64_t)centre);
    else if (gaps)
        bridge_32(tile, gaps, s->a.u32, (uint32_t)centre);
}

/* Read a tile and quantize it to integers; returns whether these are wide. */
static bool integers_of_tile(const struct zti_coding *coding, const struct zti_array *array,
                             const struct tile *tile, int64_t centre, struct scratch *s)
{
    gather_tile(tile, array, s->values.bytes);
    const bool is_wide = integers_of(coding, tile->n, s) == ZTI_SZ_WIDE;
    bridge(tile, is_wide, centre, s);
    return is_wide;
}

/* ---- a tile to bytes ---- */

static bool encode_tile_integers(const struct zti_coding *coding, const struct tile *tile,
                                 uint32_t form, struct scratch *s, uint8_t *out,
                                 uint32_t most_bytes, uint32_t *bytes)
{
    bridge(tile, form & ZTI_SZ_WIDE, sz_of(coding)->centre, s);
    if (form & ZTI_SZ_WIDE)
        return encode_integers_64(coding, tile, form, &s->exact, s->a.u64, s->b.u64, &s->ahead, out,
                                  most_bytes, bytes);
    return encode_integers_32(coding, tile, form, &s->exact, s->a.u32, s->b.u32, &s->ahead, out,
                              most_bytes, bytes);
}

/* Encode a tile from the bits of its values; returns the number of bytes. If that is not shorter
 * than 'bytes', the code of that length stays, or, if it is too long, the tile becomes raw. */
static uint32_t encode_bits(const struct zti_coding *coding, const struct tile *tile,
                            struct scratch *s, uint32_t bytes, const uint8_t **coded)
{
    const uint32_t raw_bytes = tile->n * (uint32_t)zt_type_bytes(coding->type);
    uint32_t lossless;
    if (may_be_lossless(sz_of(coding))) {
        s->exact.count = 0;
        s->exact.has_zeros = false;
        order_bits(coding->type, tile->n, s->values.bytes, s->a.u64);
        if (encode_tile_integers(coding, tile,
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

/* Where what counting finds of a tile is kept; NULL: nowhere. */
static struct zti_sz_counted *counted_of(const struct zti_coding *coding, uint64_t number)
{
    const struct zti_sz_model *const model = coding->model;
    return sz_of(coding)->coder == ZTI_SZ_DEFAULT && model && model->counted
               ? model->counted + number
               : NULL;
}

/* What was kept of a tile, or NULL. */
static const struct zti_sz_counted *kept_of(const struct zti_coding *coding, uint64_t number)
{
    const struct zti_sz_counted *const counted = counted_of(coding, number);
    return counted && counted->is_there ? counted : NULL;
}

/* Encode a tile that was kept. Groups that fit in bytes are read as such. */
static bool encode_counted(const struct zti_coding *coding, const struct tile *tile,
                           const struct zti_sz_counted *kept, struct scratch *s,
                           uint32_t most_bytes, uint32_t *bytes)
{
    s->ahead.bytes = 0;
    for (uint32_t g = 0; g < groups_in(tile->n) && !kept->is_zero; g++) {
        const uint32_t at = g * ZTI_SZ_GROUP, down = kept->smalls.down[g];
        if (down > 0) {
            widen_to_32(small_load(kept->smalls.v + at), down, false, s->b.u32 + at);
            widen_to_32(small_load(kept->low + at), 0, true, s->b.u32 + at);
        }
    }
    return encode_residuals_32(coding, tile, ZTI_SZ_NARROW, &s->exact, s->b.u32, kept, kept->base,
                               kept->is_zero, &s->ahead, s->out, most_bytes, bytes);
}

/* Encode a tile; returns its number of bytes and sets *coded to them. kept: what counting its
 * symbols has found; NULL: nothing, so its values are read. */
static uint32_t encode_tile(const struct zti_coding *coding, const struct tile *tile,
                            const struct zti_sz_counted *kept, const struct zti_array *array,
                            struct scratch *s, const uint8_t **coded)
{
    const uint32_t raw_bytes = tile->n * (uint32_t)zt_type_bytes(coding->type);
    uint32_t bytes = raw_bytes + 1, base;
    bool fits, is_zero, is_gathered = false;
    s->exact.values = s->values.bytes;
    s->exact.count = 0;
    s->exact.has_zeros = false;
    *coded = s->out;
    if (kept) {
        fits = encode_counted(coding, tile, kept, s, raw_bytes, &bytes);
    } else if (residuals_of_values(coding, tile, array, s->b.u32, &base, &is_zero)) {
        fits = encode_residuals_32(coding, tile, ZTI_SZ_NARROW, &s->exact, s->b.u32, NULL, base,
                                   is_zero, &s->ahead, s->out, raw_bytes, &bytes);
    } else {
        is_gathered = true;
        gather_tile(tile, array, s->values.bytes);
        const uint32_t form = integers_of(coding, tile->n, s);
        fits = encode_tile_integers(coding, tile, form, s, s->out, raw_bytes, &bytes);
    }
    if (fits && is_short(bytes, raw_bytes) &&
        !has_many_exact(sz_of(coding), s->exact.count, tile->n))
        return bytes;
    if (!is_gathered)
        gather_tile(tile, array, s->values.bytes);
    return encode_bits(coding, tile, s, fits ? bytes : raw_bytes + 1, coded);
}

/* What is prefetched while a tile is encoded. The rows of one tile are short and far apart, which
 * is slow to prefetch. So each row of tiles along the last axis is cut into strips of the same
 * number of tiles, whose rows have about STRIP_BYTES; the last strip may be shorter. Each tile
 * prefetches its share of the rows of the next strip. If a tile's own rows have STRIP_BYTES, it
 * prefetches those of the next tile. */
enum { STRIP_BYTES = 1536 };

/* The rows of 'tiles' tiles from the walk's on, and of these the part 'share' of 'shares', to be
 * prefetched with 'groups' groups. */
static struct rows rows_from(const struct zti_coding *coding, const struct zti_array *array,
                             const struct zti_walk *walk, uint64_t tiles, uint64_t share,
                             uint64_t shares, uint32_t groups)
{
    const uint32_t last = coding->grid.rank - 1;
    const uint64_t rest = coding->grid.shape[last] - walk->origin[last];
    struct tile tile = tile_at(coding, walk);
    const uint64_t count = tile.n / tile.extent[last];
    if (tiles > 1)
        tile.extent[last] =
            (uint32_t)(rest / tiles < coding->grid.side[last] ? rest
                                                              : tiles * coding->grid.side[last]);
    struct rows rows = rows_of(&tile, array);
    const uint64_t bytes = count * rows.bytes / shares;
    uint64_t row = count * share / shares;
    if (row == 0)
        rows = joined(rows);
    rows.some = (uint32_t)zti_round_up((bytes + groups - 1) / groups, 64);
    for (uint32_t i = last; i-- > 0 && row > 0; row /= rows.extent[i]) {
        rows.place[i] = (uint32_t)(row % rows.extent[i]);
        rows.at += rows.place[i] * rows.step[i];
    }
    return rows;
}

/* The tiles of a strip that this thread encodes. */
struct strip {
    uint64_t first, end;
};

static struct strip strip_of(const struct zti_coding *coding, const struct zti_walk *walk)
{
    const uint32_t last = coding->grid.rank - 1;
    const uint64_t across = coding->grid.tiles[last];
    const uint64_t x = walk->origin[last] / coding->grid.side[last];
    const uint64_t row_bytes = coding->grid.shape[last] * zt_type_bytes(coding->type);
    const uint64_t strips = (row_bytes + STRIP_BYTES / 2) / STRIP_BYTES;
    const uint64_t tiles = strips > 1 ? (across + strips - 1) / strips : across;
    const uint64_t before = x % tiles, rest = across - (x - before);
    struct strip s = {.first = walk->tile - before};
    s.end = s.first + (rest < tiles ? rest : tiles);
    if (s.first < coding->run.first)
        s.first = coding->run.first;
    if (coding->run.last > 0 && s.end > coding->run.last)
        s.end = coding->run.last;
    return s;
}

/* The tile's share of the next strip's rows, to be prefetched in 'groups' pieces. */
static struct rows rows_ahead(const struct zti_coding *coding, const struct zti_array *array,
                              const struct zti_walk *walk, uint32_t groups)
{
    const struct strip s = strip_of(coding, walk);
    if (s.end == coding->run.last || s.end == coding->grid.count)
        return (struct rows){.bytes = 0};
    const struct zti_walk next = zti_walk_from(&coding->grid, s.end);
    return rows_from(coding, array, &next, strip_of(coding, &next).end - s.end,
                     walk->tile - s.first, s.end - s.first, groups);
}

/* Prefetch the first strip of a thread that begins among others. */
static void fetch_first(const struct zti_coding *coding, const struct zti_array *array,
                        const struct zti_walk *walk)
{
    const uint64_t end = strip_of(coding, walk).end;
    struct rows rows = rows_from(coding, array, walk, end - walk->tile, 0, 1, 1);
    fetch_some(&rows);
}

static void encode(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *w)
{
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    struct scratch s;
    begin_scratch(coding, &s);
    if (coding->run.last > 0 && first == coding->run.first && !kept_of(coding, first))
        fetch_first(coding, array, &walk);
    while (walk.tile < last) {
        const uint8_t *coded;
        const struct tile tile = tile_at(coding, &walk);
        const struct zti_sz_counted *const kept = kept_of(coding, walk.tile);
        if (!kept) /* tiles behind one that was kept mostly were, too */
            s.ahead = rows_ahead(coding, array, &walk, groups_in(tile.n));
        const uint32_t bytes = encode_tile(coding, &tile, kept, array, &s, &coded);
        zti_walk_next(&coding->grid, &walk);
        memcpy(w->next, coded, bytes); /* tiles are whole bytes, so the writer holds no bits */
        w->next += bytes;
    }
}

/* ---- a sample of the tiles ---- */

static void sample(const struct zti_coding *coding, const struct zti_array *array, uint64_t number,
                   uint64_t *bits, int64_t *base)
{
    const struct zti_walk walk = zti_walk_from(&coding->grid, number);
    const struct tile tile = tile_at(coding, &walk);
    struct scratch s;
    begin_scratch(coding, &s);
    const bool is_wide = integers_of_tile(coding, array, &tile, 0, &s);
    *base = is_wide ? (int64_t)s.a.u64[0] : (int32_t)s.a.u32[0];
    if (bits && is_wide)
        look_64(&tile, s.a.u64, s.b.u64, s.values.u64, bits);
    else if (bits)
        look_32(&tile, s.a.u32, s.b.u32, s.values.u32, bits);
}

static uint64_t try_groups(const struct zti_coding *coding, const struct zti_array *array,
                           uint64_t number, uint64_t *bits)
{
    const struct zti_walk walk = zti_walk_from(&coding->grid, number);
    const struct tile tile = tile_at(coding, &walk);
    struct scratch s;
    struct zti_coding own = *coding;
    uint32_t base;
    bool is_zero;
    begin_scratch(coding, &s);
    sz_in(&own)->is_blocked = false;
    if (residuals_of_values(&own, &tile, array, s.b.u32, &base, &is_zero))
        add_shapes_32(&own, &tile, s.b.u32, s.a.u32, base, is_zero, bits);
    else if (integers_of_tile(&own, array, &tile, sz_of(coding)->centre, &s))
        try_groups_64(&own, &tile, s.a.u64, s.b.u64, bits);
    else
        try_groups_32(&own, &tile, s.a.u32, s.b.u32, bits);
    return tile.n;
}

/* Count a tile's integers of 64 bits, or of the cuSZ coder. */
static void count_others(const struct zti_coding *coding, const struct tile *tile, bool is_wide,
                         struct scratch *s, struct zti_sz_counts *counts)
{
    struct smalls smalls;
    struct symbols symbols;
    bool is_zero;
    if (sz_of(coding)->coder != ZTI_SZ_CUSZ) {
        const uint64_t *const u = residuals_64(coding, tile, s->a.u64, s->b.u64, &is_zero);
        if (!is_zero)
            count_residuals_64(coding, tile, u, &smalls, &symbols, &s->ahead, counts);
    } else if (is_wide) {
        count_cusz_64(coding, tile, s->a.u64, s->b.u64, counts);
    } else {
        count_cusz_32(coding, tile, s->a.u32, s->b.u32, counts);
    }
}

/* Keep a tile whose symbols were counted. */
static void keep(struct zti_sz_counted *kept, uint32_t n, uint32_t base, bool is_zero,
                 const uint32_t *u, const struct symbols *symbols)
{
    const uint32_t groups = groups_in(n);
    uint32_t most = 0; /* bits that are not in bytes */
    for (uint32_t g = 0; g < groups && !is_zero; g++)
        most = kept->smalls.down[g] > most ? kept->smalls.down[g] : most;
    kept->is_there = most <= 8;
    kept->is_zero = is_zero;
    kept->base = base;
    if (is_zero || !kept->is_there)
        return;
    for (uint32_t at = 0; at < groups * ZTI_SZ_GROUP; at += ZTI_SZ_GROUP)
        if (kept->smalls.down[at / ZTI_SZ_GROUP] > 0)
            small_store(bytes_above_32(u + at, 0, true), kept->low + at);
    kept->about = symbols->about;
    for (uint32_t i = 0, at = 0; i < ZTI_SZ_BOOKS; at += symbols->about.count[i++])
        memcpy(kept->symbols + at, symbols->of[i], symbols->about.count[i] * sizeof *kept->symbols);
}

static void count(const struct zti_coding *coding, const struct zti_array *array, uint64_t number,
                  uint64_t next, struct zti_sz_counts *counts)
{
    const struct zti_walk walk = zti_walk_from(&coding->grid, number);
    const struct tile tile = tile_at(coding, &walk);
    struct zti_sz_counted *const kept = counted_of(coding, number);
    struct scratch s;
    struct smalls own, *const smalls = kept ? &kept->smalls : &own;
    struct symbols symbols;
    const uint32_t *u = s.b.u32;
    uint32_t base;
    bool is_zero;
    begin_scratch(coding, &s);
    s.exact.count = 0;
    s.exact.has_zeros = false;
    if (next < coding->grid.count) {
        const struct zti_walk ahead = zti_walk_from(&coding->grid, next);
        s.ahead = rows_from(coding, array, &ahead, 1, 0, 1, groups_in(tile.n));
    }
    if (!residuals_of_values(coding, &tile, array, s.b.u32, &base, &is_zero)) {
        const bool is_wide = integers_of_tile(coding, array, &tile, sz_of(coding)->centre, &s);
        if (is_wide || sz_of(coding)->coder == ZTI_SZ_CUSZ) {
            count_others(coding, &tile, is_wide, &s, counts);
            return;
        }
        base = s.a.u32[0];
        u = residuals_32(coding, &tile, s.a.u32, s.b.u32, &is_zero);
    }
    if (is_zero)
        fetch_share(&s.ahead, tile.n);
    else
        count_residuals_32(coding, &tile, u, smalls, &symbols, &s.ahead, counts);
    if (kept && s.exact.count == 0 && !s.exact.has_zeros)
        keep(kept, tile.n, base, is_zero, u, &symbols);
}
