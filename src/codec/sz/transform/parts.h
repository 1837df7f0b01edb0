/* parts.h: kernel text: a tile's parts as bytes: for each its open bits, then its codes. Open bits
 * are in the order of blocks, of a block in C order: the sign of each magnitude other than 0, and
 * the bits that its symbol leaves open. */

/* ---- values ---- */

/* Replace the multiples of the step in a row by the values that they stand for. */
static void restore_row(const struct scale *s, uint32_t n, number *value)
{
    for (uint32_t i = 0; i < n; i++) {
        const number v = value_of(s, magnitude_of(value[i]));
        value[i] = value[i] < 0 ? -v : v;
    }
}

/* ---- open bits ---- */

/* A bit for each of at most 64 marks, a multiple of 8, which are 0 or 1. */
ZTI_INLINE uint64_t bits_of_marks(const uint8_t *mark, uint32_t n)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < n; i += 8) /* the product's top byte has the eight marks */
        bits |= (zti_get_le64(mark + i) * UINT64_C(0x0102040810204080)) >> 56 << i;
    return bits;
}

/* For at most a segment of multiples, a bit each: which are not 0, below 0, have open bits. */
struct marks {
    uint32_t some, below, open;
};

/* The same of MARKS multiples at once: their number is fixed, so that loops become vectors. */
enum { MARKS = 16 };

static struct marks marks_of_16(const number *value)
{
    uint8_t some[MARKS], below[MARKS], open[MARKS];
    for (uint32_t i = 0; i < MARKS; i++)
        some[i] = value[i] != 0;
    for (uint32_t i = 0; i < MARKS; i++)
        below[i] = value[i] < 0;
    for (uint32_t i = 0; i < MARKS; i++)
        open[i] = magnitude_of(value[i]) >= ZTI_TF_PLAIN_MAGNITUDES;
    return (struct marks){(uint32_t)bits_of_marks(some, MARKS),
                          (uint32_t)bits_of_marks(below, MARKS),
                          (uint32_t)bits_of_marks(open, MARKS)};
}

static struct marks marks_of(const number *value, uint32_t n)
{
    struct marks all = {0, 0, 0};
    for (uint32_t i = 0; i < n && n < MARKS; i++) {
        all.some |= (uint32_t)(value[i] != 0) << i;
        all.below |= (uint32_t)(value[i] < 0) << i;
        all.open |= (uint32_t)(magnitude_of(value[i]) >= ZTI_TF_PLAIN_MAGNITUDES) << i;
    }
    for (uint32_t i = 0; i < n && n >= MARKS; i += MARKS) {
        const uint32_t at = i + MARKS <= n ? i : n - MARKS; /* some twice: the bits are the same */
        const struct marks m = marks_of_16(value + at);
        all.some |= m.some << at;
        all.below |= m.below << at;
        all.open |= m.open << at;
    }
    return all;
}

/* Append n > 0 bits. Nothing is stored more than 7 bytes behind them: there are codes. */
ZTI_INLINE void write_some(struct zti_bit_writer *w, uint64_t v, uint32_t n)
{
    if (n > 0)
        zti_put_bits(w, v, n);
}

#if IS_NARROW && defined(ZTI_WITH_AVX2)
/* Append the signs of a segment, if signs are all that its multiples leave open. Else nothing is
 * appended, and false returned. */
ZTI_INLINE bool write_signs(const number *value, struct zti_bit_writer *w)
{
    uint32_t some = 0, below = 0;
    u32s is_open = {0};
    for (uint32_t i = 0; i < ZTI_TF_SEGMENT; i += V_LANES_32) {
        const u32s v = v_load_32(value + i), m = v & (UINT32_MAX >> 1);
        is_open |= (u32s)((f32s)m >= (int)ZTI_TF_PLAIN_MAGNITUDES);
        some |= v_signs_32((u32s)(m != 0)) << i;
        below |= v_signs_32(v) << i;
    }
    if (v_is_any(is_open))
        return false;
    write_some(w, gather_bits(below, some), zti_popcount64(some));
    return true;
}

/* write_open by vectors, as far as multiples are below 2^24 and fill these. Returns how many. */
ZTI_INLINE uint32_t write_open_fields(const number *value, uint32_t n, struct zti_bit_writer *w)
{
    enum { OPEN_FROM = BIAS + 4, PLAIN_BITS = 2 }; /* exponents; bits behind the leading one */
    uint32_t i = 0;
    for (; i + FIELDS <= n; i += FIELDS) {
        if (i % ZTI_TF_SEGMENT == 0 && i + ZTI_TF_SEGMENT <= n && write_signs(value + i, w)) {
            i += ZTI_TF_SEGMENT - FIELDS;
            continue;
        }
        const fields v = v_load_32(value + i), m = v & (UINT32_MAX >> 1);
        const fields exponent = m >> MANTISSA_BITS, is_some = (fields)(m != 0);
        const fields is_open = (fields)((i_fields)exponent >= OPEN_FROM);
        if (!is_any_field(is_some))
            continue;
        if (is_any_field((fields)((i_fields)exponent > BIAS + MANTISSA_BITS)))
            break;
        const fields open = (exponent - (BIAS + PLAIN_BITS)) & is_open;
        const fields low = v_right_32(m, BIAS + MANTISSA_BITS - exponent) & ~(~(fields){0} << open);
        write_fields(true, (v >> 31 | low << 1) & is_some, (open + 1) & is_some, w);
    }
    return i;
}
#else
ZTI_INLINE uint32_t write_open_fields(const number *value, uint32_t n, struct zti_bit_writer *w)
{
    (void)value;
    (void)n;
    (void)w;
    return 0;
}
#endif

/* Append the signs of a row of multiples, with the bits that their symbols leave open. */
ZTI_INLINE void write_open(const number *value, uint32_t n, struct zti_bit_writer *w)
{
    for (uint32_t at = write_open_fields(value, n, w), some; at < n; at += some) {
        some = n - at < ZTI_TF_SEGMENT ? n - at : (uint32_t)ZTI_TF_SEGMENT;
        const struct marks marks = marks_of(value + at, some);
        if (marks.open == 0) {
            write_some(w, gather_bits(marks.below, marks.some), zti_popcount64(marks.some));
            continue;
        }
        for (uint32_t i = at; i < at + some; i++) {
            const number m = magnitude_of(value[i]);
            const uint32_t open = tf_open_bits((uint32_t)symbol_of(m));
            const uint64_t low = (uint64_t)m & ((UINT64_C(1) << open) - 1);
            write_some(w, (uint64_t)(value[i] < 0) | low << 1, m > 0 ? open + 1 : 0);
        }
    }
}

/* ---- codes ---- */

/* Scratch for the codes of the symbols from 'at' on, the first of part number 'part'. */
static uint8_t *codes_at(const struct zti_tf_slot *slot, size_t at, size_t part)
{
    return slot->codes + zti_tf_codes_bytes(at, part);
}

/* The slot's table, for kernels. */
static struct zti_tf_table table_of(const struct zti_tf_slot *slot, uint32_t models)
{
    return (struct zti_tf_table){slot->table.entry, zti_ans_mixed_table_bytes(models, models)};
}

/* The models of contexts. */
struct coding_of {
    struct zti_tf_slot *slot;
    struct zti_tf_part *part;
    const uint8_t *model_of; /* NULL: a context is its model */
};

/* The codes of a part, in scratch. */
static void code_part(void *shared, uint32_t worker, uint64_t which)
{
    const struct coding_of *const c = shared;
    struct zti_tf_slot *const slot = c->slot;
    struct zti_tf_part *const part = &c->part[which];
    uint8_t *const context = slot->contexts + part->at;
    uint8_t *const scratch = codes_at(slot, part->at, (size_t)which);
    size_t mapped = c->model_of ? 0 : part->symbols;
    (void)worker;
#if defined(ZTI_WITH_AVX2)
    if (c->model_of)
        mapped = map_vectors(context, part->symbols, c->model_of);
#endif
    for (; mapped < part->symbols; mapped++)
        context[mapped] = c->model_of[context[mapped]];
    part->codes = PUT_CODES(&slot->table, context, slot->symbols + part->at, part->symbols,
                            ZTI_ANS_FEW, scratch);
    part->code_bytes = (size_t)(scratch + zti_ans_mixed_bytes(part->symbols) - part->codes);
    part->open_bytes = bytes_of(part->open_bits);
}

/* The joining of a tile's parts. is_restored: multiples become values again, for corrections. */
struct joining {
    struct zti_tf_slot *slot;
    const struct zti_tf_front *front;
    double step;
    bool is_restored;
    uint8_t *to; /* the first part */
};

/* Append the open bits of blocks, unless w is NULL, and restore their values. */
static void join_blocks(const struct joining *j, const struct zti_tf_run *run, uint32_t first,
                        uint32_t lanes, struct zti_bit_writer *w)
{
    struct zti_bit_writer own = w ? *w : (struct zti_bit_writer){0}; /* in registers */
    const uint32_t n = run->extent[ZTI_TF_AXES - 1];
    const struct scale s = scale_of(j->front, run->band, j->step);
    for (uint32_t k = first; k < first + lanes; k++) {
        struct row row = {.at = {0}};
        number *const block = (number *)j->slot->values + run->at[k];
        struct ahead ahead = ahead_of(&j->slot->layout, run->extent, block);
        do {
            number *const value = block + row_value(&j->slot->layout, &row);
            prefetch_next(&j->slot->layout, run->extent, block, &ahead);
            if (w)
                write_open(value, n, &own);
            if (j->is_restored)
                restore_row(&s, n, value);
        } while (next_row(run->extent, &row));
    }
    if (w)
        *w = own;
}

/* Store the bits that are left, and the codes behind them. */
static void end_joined(const struct zti_tf_part *part, uint8_t *to, struct zti_bit_writer *w)
{
    if (w->held_bits > 0)
        *w->next = (uint8_t)w->held;
    memcpy(to + part->open_bytes, part->codes, part->code_bytes);
}

static void join_item(void *shared, uint32_t worker, uint64_t which)
{
    const struct joining *const j = shared;
    const struct zti_tf_layout *const layout = &j->slot->layout;
    const struct zti_tf_item *const item = &layout->item[which];
    const struct zti_tf_part *part = &j->slot->part[item->part];
    struct zti_tf_walk walk = item->walk;
    struct zti_tf_run run;
    uint8_t *to = j->to + part->at;
    struct zti_bit_writer w = zti_bit_writer_at(to);
    (void)worker;
    for (uint32_t i = 0; i < item->runs && zti_tf_next_run(layout, &walk, &run); i++) {
        if (!item->is_alone)
            join_blocks(j, &run, 0, run.lanes, &w);
        for (uint32_t lane = 0; item->is_alone && lane < run.lanes; lane++, part++) {
            to = j->to + part->at;
            w = zti_bit_writer_at(to);
            join_blocks(j, &run, lane, 1, &w);
            end_joined(part, to, &w);
        }
    }
    if (!item->is_alone)
        end_joined(part, to, &w);
}

/* Restore the values of an item's blocks. */
static void restore_item(void *shared, uint32_t worker, uint64_t which)
{
    const struct joining *const j = shared;
    const struct zti_tf_layout *const layout = &j->slot->layout;
    const struct zti_tf_item *const item = &layout->item[which];
    struct zti_tf_walk walk = item->walk;
    struct zti_tf_run run;
    (void)worker;
    for (uint32_t i = 0; i < item->runs && zti_tf_next_run(layout, &walk, &run); i++)
        join_blocks(j, &run, 0, run.lanes, NULL);
}

/* Set where each of some parts begins, from the first one on; returns where the last one ends. */
static size_t place_parts(struct zti_tf_part *part, size_t parts)
{
    size_t at = 0;
    for (size_t i = 0; i < parts; i++) {
        part[i].at = at;
        at += part[i].open_bytes + part[i].code_bytes;
    }
    return at;
}

/* The table of parts: the bytes of the open bits and of the codes of each. */
static size_t ends_bytes(const struct zti_tf_part *part, size_t parts)
{
    size_t bytes = 0;
    for (size_t i = 0; i < parts; i++)
        bytes += zti_varint_bytes(part[i].open_bytes) + zti_varint_bytes(part[i].code_bytes);
    return bytes;
}

static uint8_t *write_ends(const struct zti_tf_part *part, size_t parts, uint8_t *to)
{
    for (size_t i = 0; i < parts; i++) {
        to = zti_put_varint(to, part[i].open_bytes);
        to = zti_put_varint(to, part[i].code_bytes);
    }
    return to;
}

/* The codes of a part, while they are decoded. */
struct codes {
    const uint8_t *base;
    uint64_t at, end; /* in bits */
    uint32_t next, state[ZTI_ANS_FEW];
};

/* A row of a block while it is decoded. */
struct lane_row {
    const uint32_t *sum; /* of other rows */
    uint16_t *cell;
    uint8_t *symbol;
    struct codes *codes;
};
