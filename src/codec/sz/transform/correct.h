/* correct.h: kernel text: values that the transform leaves beyond the bound, as multiples of the
 * stream's step that are added to them, or as they are.
 *
 *     varint   number of exact values
 *     each     varint: values since the one before; the value, little-endian
 *     varint   number of corrections; nothing follows 0
 *     varint   bytes of the tables, then of the codes
 *     tables   models of gaps and of steps
 *     codes    in turns gaps, less 1, and numbers of steps, less 1: symbols as of magnitudes; an
 *              ANS stream with 4 states
 *     open     in turns bits that gaps leave open, a sign, and bits that numbers of steps do */

/* A value of the type, as its bits. */
static uint64_t bits_of_number(uint32_t type, double v)
{
    const float narrow = (float)v;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return type == ZT_F32 ? bits : zti_bits_of_double(v);
}

static double number_of(uint32_t type, uint64_t bits)
{
    return type == ZT_F32 ? zti_float_from_bits(bits) : zti_double_from_bits(bits);
}

/* Whether an exact value is within the bound: in narrow streams it is rounded. */
static bool is_near_enough(const struct zti_coding *coding, uint64_t original)
{
    const number v = (number)number_of(coding->type, original);
    return zti_within(coding->type, original, bits_of_number(coding->type, v),
                      sz_of(coding)->bound);
}

/* What a value that is decoded as v needs: nothing, steps, or to be exact (false). 'sure' is a
 * little less than the bound. */
static bool correct(const struct zti_coding *coding, uint64_t original, double v, double sure,
                    int32_t *steps)
{
    const double bound = sz_of(coding)->bound, step = sz_of(coding)->step;
    const uint32_t type = coding->type;
    const double x = number_of(type, original);
    *steps = 0;
    if (fabs(x - v) <= bound * 1.001 && zti_within(type, original, bits_of_number(type, v), bound))
        return true;
    const double k = rint((x - v) / step);
    if (!(fabs(k) <= ZTI_TF_MOST_STEPS))
        return false;
    *steps = (int32_t)k;
    const uint64_t bits = bits_of_number(type, (double)(number)(v + k * step));
    return k != 0 &&
           (fabs(x - number_of(type, bits)) <= sure || zti_within(type, original, bits, bound));
}

/* Mark those of at most MARKED values of a row that may be decoded too far off. */
enum { MARKED = 64 };

static void mark_row(const struct zti_array *array, const void *from, const number *v, uint32_t n,
                     double sure, uint8_t *restrict mark)
{
    const int64_t stride = array->stride[array->rank - 1];
    const bool is_safe = sure >= 0x1p-100 && sure <= 0x1p100; /* else all are looked at closely */
    const float narrow = is_safe ? (float)(sure * (1 - 0x1p-20)) : -1;
    memset(mark, 0, MARKED);
    if (array->type == ZT_F32)
        for (uint32_t i = 0; i < n; i++)
            mark[i] = !(fabsf(((const float *)from)[i * stride] - (float)v[i]) <= narrow);
    else
        for (uint32_t i = 0; i < n; i++)
            mark[i] = !(fabs(((const double *)from)[i * stride] - (double)v[i]) <= sure);
}

/* A bit for each mark, which is 0 or 1. */
static uint64_t bits_of_marks(const uint8_t *mark)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < MARKED; i += 8) /* the product's top byte has the eight marks */
        bits |= (zti_get_le64(mark + i) * UINT64_C(0x0102040810204080)) >> 56 << i;
    return bits;
}

/* What a search for corrections has found. */
struct found {
    size_t count, most, exact;
};

/* Find those of a few values of a row, of which the first is number 'at' of the tile; false: too
 * many. */
static bool find_in_row(const struct zti_coding *coding, const struct zti_array *array,
                        const void *from, size_t at, uint32_t n, struct zti_tf_slot *slot,
                        struct found *f)
{
    const double sure = sz_of(coding)->bound * (1 - 0x1p-40);
    const size_t bytes = zt_type_bytes(array->type);
    const number *const v = (const number *)slot->values + at;
    uint8_t mark[MARKED];
    mark_row(array, from, v, n, sure, mark);
    for (uint64_t marks = bits_of_marks(mark); marks > 0; marks &= marks - 1) {
        const uint32_t i = zti_ctz64(marks);
        const uint64_t bits = zti_bits_at(from, i * array->stride[array->rank - 1], bytes);
        int32_t steps;
        const bool is_good = correct(coding, bits, (double)v[i], sure, &steps);
        if (is_good && steps == 0)
            continue;
        if (f->count == f->most || (!is_good && !is_near_enough(coding, bits)))
            return false;
        slot->corrections[f->count++] = (uint32_t)(at + i) | (uint32_t)(is_good ? steps : 0)
                                                                 << ZTI_TF_PLACE_BITS;
        f->exact += !is_good;
    }
    return true;
}

/* Find the values that need something; false: they are too many. */
static bool find_corrections(const struct zti_coding *coding, const struct zti_array *array,
                             const struct place *place, struct zti_tf_slot *slot, struct found *f)
{
    const uint32_t last = array->rank - 1, n = place->extent[last];
    const int64_t row_bytes = array->stride[last] * (int64_t)zt_type_bytes(array->type);
    uint64_t at[ZT_MAX_RANK];
    *f = (struct found){.most = slot->plan.values / ZTI_TF_CORRECTED_PART};
    size_t number_at = 0;
    memcpy(at, place->origin, sizeof at);
    do {
        const uint8_t *const from = zti_array_at(array, at);
        for (uint32_t i = 0, some; i < n; i += some, number_at += some) {
            some = n - i < MARKED ? n - i : MARKED;
            if (!find_in_row(coding, array, from + i * row_bytes, number_at, some, slot, f))
                return false;
        }
    } while (next_line(place, array->rank, at));
    return true;
}

/* The bits of value number 'at' of a tile. */
static uint64_t original_at(const struct zti_array *array, const struct place *place, uint32_t at)
{
    uint64_t where[ZT_MAX_RANK];
    for (uint32_t i = array->rank; i-- > 0; at /= place->extent[i])
        where[i] = place->origin[i] + at % place->extent[i];
    return zti_bits_at(zti_array_at(array, where), 0, zt_type_bytes(array->type));
}

/* The symbols of corrections by steps, and the bits that these leave open; returns how many
 * symbols. */
static size_t correction_symbols(struct zti_tf_slot *slot, size_t count, struct zti_bit_writer *w)
{
    size_t n = 0;
    int64_t before = -1;
    for (size_t i = 0; i < count; i++) {
        const uint32_t at = tf_place_of(slot->corrections[i]);
        const int32_t by = tf_steps_of(slot->corrections[i]);
        if (by == 0)
            continue;
        const uint64_t gap = (uint64_t)((int64_t)at - before - 1);
        const uint64_t steps = (uint64_t)abs(by) - 1;
        const uint32_t g = tf_symbol((double)gap), s = tf_symbol((double)steps);
        zti_put_bits(w, gap - tf_least_magnitude(g), tf_open_bits(g));
        zti_put_bits(w, by < 0, 1);
        zti_put_bits(w, steps - tf_least_magnitude(s), tf_open_bits(s));
        slot->contexts[n] = ZTI_TF_GAP;
        slot->symbols[n++] = (uint8_t)g;
        slot->contexts[n] = ZTI_TF_STEPS;
        slot->symbols[n++] = (uint8_t)s;
        before = at;
    }
    return n;
}

static uint8_t *put_exact(const struct zti_array *array, const struct place *place,
                          const struct zti_tf_slot *slot, size_t count, uint8_t *to)
{
    const size_t bytes = zt_type_bytes(array->type);
    int64_t before = -1;
    for (size_t i = 0; i < count; i++) {
        const uint32_t at = tf_place_of(slot->corrections[i]);
        if (tf_steps_of(slot->corrections[i]) != 0)
            continue;
        to = zti_put_varint(to, (uint64_t)((int64_t)at - before - 1));
        to = zti_put_value(to, original_at(array, place, at), bytes);
        before = at;
    }
    return to;
}

static void make_aside(struct zti_tf_slot *slot, size_t n)
{
    const struct zti_ans_model *const of[ZTI_TF_ASIDE] = {&slot->aside[0], &slot->aside[1]};
    uint64_t count[ZTI_TF_ASIDE][ZTI_LL_ALPHABET] = {{0}};
    for (size_t i = 0; i < n; i++)
        count[slot->contexts[i]][slot->symbols[i]]++;
    for (uint32_t k = 0; k < ZTI_TF_ASIDE; k++) {
        zti_ans_place(slot->aside[k].decode, ZTI_LL_ALPHABET, &slot->aside[k]);
        zti_ans_make(count[k], ZTI_ANS_PRECISIONS, &slot->aside[k]);
    }
    zti_ans_mixed_fill(of, ZTI_TF_ASIDE, &slot->table);
}

/* Corrections by steps, to 'to', and where they end; NULL: there is no room before 'end'. */
static uint8_t *put_steps(struct zti_tf_slot *slot, size_t count, uint8_t *to, const uint8_t *end)
{
    uint8_t *const open = slot->values; /* which are not needed any more */
    struct zti_bit_writer w = zti_bit_writer_at(open);
    const size_t n = correction_symbols(slot, count, &w);
    const size_t open_bytes = bytes_of(zti_bits_written(&w));
    make_aside(slot, n);
    const uint8_t *const codes =
        zti_ans_mixed_put(&slot->table, slot->contexts, slot->symbols, n, ZTI_ANS_FEW, slot->codes);
    const size_t code_bytes = (size_t)(slot->codes + zti_ans_mixed_bytes(n) - codes);
    const size_t table_bytes =
        bytes_of(zti_ans_stored_bits(&slot->aside[0]) + zti_ans_stored_bits(&slot->aside[1]));
    zti_put_le64(w.next, w.held);
    if (table_bytes + code_bytes + open_bytes + 20 > (size_t)(end - to))
        return NULL;
    to = zti_put_varint(to, table_bytes);
    to = zti_put_varint(to, code_bytes);
    w = zti_bit_writer_at(to);
    zti_ans_put(&slot->aside[0], &w);
    zti_ans_put(&slot->aside[1], &w);
    to += table_bytes;
    memcpy(to, codes, code_bytes);
    memcpy(to + code_bytes, open, open_bytes);
    return to + code_bytes + open_bytes;
}

/* The corrections of a tile whose values are decoded, to 'to'; its symbols and codes are not needed
 * any more. Returns where they end; NULL where there is no room before 'end'. */
static uint8_t *put_corrections(const struct zti_coding *coding, const struct zti_array *array,
                                const struct place *place, struct zti_tf_slot *slot, uint8_t *to,
                                const uint8_t *end)
{
    const size_t exact_bytes = zt_type_bytes(coding->type) + 4; /* a gap has at most 4 */
    struct found f;
    if (!find_corrections(coding, array, place, slot, &f) ||
        f.exact * exact_bytes + 20 > (size_t)(end - to))
        return NULL;
    if (f.count == 0)
        return to;
    to = zti_put_varint(to, f.exact);
    to = put_exact(array, place, slot, f.count, to);
    to = zti_put_varint(to, f.count - f.exact);
    return f.count > f.exact ? put_steps(slot, f.count, to, end) : to;
}

/* ---- and back ---- */

static bool take_exact(const struct zti_coding *coding, struct zti_tf_slot *slot,
                       struct zti_cursor *c)
{
    const size_t bytes = zt_type_bytes(coding->type);
    uint64_t at = 0;
    for (uint64_t n = zti_take_varint(c); n > 0; n--, at++) {
        const uint64_t gap = zti_take_varint(c);
        const uint8_t *const value = zti_take_bytes(c, bytes);
        if (!value || gap >= slot->plan.values - at || at >= slot->plan.values)
            return false;
        at += gap;
        const uint64_t bits = zti_get_value(value, bytes);
        ((number *)slot->values)[at] = (number)number_of(coding->type, bits);
    }
    return !c->is_bad;
}

/* A symbol's number with the bits that it leaves open. */
static uint64_t take_number(struct zti_ans_mixed *m, const struct zti_ans_model *model,
                            struct zti_bit_reader *open, bool has_sign, bool *is_negative)
{
    uint64_t bits = zti_peek_either(&m->r);
    const uint8_t symbol = zti_ans_mixed_step(model->decode, &m->state[m->next], &bits, &m->r.at);
    m->next = (m->next + 1) % ZTI_ANS_FEW;
    if (has_sign)
        *is_negative = zti_take_within(open, 1);
    const uint32_t n = symbol < ZTI_TF_SYMBOLS ? tf_open_bits(symbol) : 0;
    const uint64_t low = zti_peek_either(open) & ((UINT64_C(1) << n) - 1);
    open->at += n;
    return symbol < ZTI_TF_SYMBOLS ? tf_least_magnitude(symbol) + low : UINT64_MAX;
}

static bool take_steps(const struct zti_coding *coding, struct zti_tf_slot *slot, uint64_t n,
                       struct zti_ans_mixed *codes, struct zti_bit_reader *open)
{
    const double step = sz_of(coding)->step;
    uint64_t at = 0;
    for (; n > 0; n--, at++) {
        bool is_negative = false;
        const uint64_t gap = take_number(codes, &slot->aside[ZTI_TF_GAP], open, false, NULL);
        const uint64_t steps =
            take_number(codes, &slot->aside[ZTI_TF_STEPS], open, true, &is_negative);
        if (at >= slot->plan.values || gap >= slot->plan.values - at || steps >= 1u << 31 ||
            codes->r.at > codes->r.end || open->at > open->end)
            return false;
        at += gap;
        const double k = (double)steps + 1;
        number *const v = (number *)slot->values + at;
        *v = (number)((double)*v + (is_negative ? -k : k) * step);
    }
    return zti_ans_mixed_ends(codes) && open->end - open->at < 8;
}

static bool take_corrections(const struct zti_coding *coding, struct zti_tf_slot *slot,
                             struct zti_cursor *c)
{
    if (zti_cursor_left(c) == 0)
        return true;
    struct zti_cursor exact = *c; /* they come last, as what is corrected is decoded */
    const uint64_t skipped = zti_take_varint(c);
    for (uint64_t i = 0; i < skipped && !c->is_bad; i++) {
        (void)zti_take_varint(c);
        (void)zti_take_bytes(c, zt_type_bytes(coding->type));
    }
    const uint64_t n = zti_take_varint(c);
    if (n > 0) {
        const uint64_t tables = zti_take_varint(c), bytes = zti_take_varint(c);
        struct zti_bit_reader r = {.base = zti_take_bytes(c, tables), .end = tables * 8};
        struct zti_bit_reader in = {.base = zti_take_bytes(c, bytes), .end = bytes * 8};
        struct zti_bit_reader open = {.base = c->at, .end = zti_cursor_left(c) * 8};
        struct zti_ans_mixed codes;
        if (c->is_bad)
            return false;
        for (uint32_t k = 0; k < ZTI_TF_ASIDE; k++) {
            zti_ans_place(slot->aside[k].decode, ZTI_LL_ALPHABET, &slot->aside[k]);
            if (zti_ans_read(&r, &slot->aside[k]) || slot->aside[k].used == 0)
                return false;
        }
        if (r.at > r.end || r.end - r.at >= 8 || !zti_ans_mixed_open(&codes, &in, ZTI_ANS_FEW) ||
            !take_steps(coding, slot, n, &codes, &open))
            return false;
    } else if (zti_cursor_left(c) > 0) {
        return false;
    }
    return !c->is_bad && take_exact(coding, slot, &exact);
}
