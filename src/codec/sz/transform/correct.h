/* correct.h: kernel text: corrections. A value that the transform leaves beyond the bound gets a
 * multiple of the stream's step added to it, or is stored as it is (exact). Chunks of a tile's
 * values in C order have their corrections together.
 *
 *     varint   bytes of the tables; 0: there are none
 *     tables   models of gaps and of steps
 *     varint   for each chunk: its bytes
 *     chunks
 *
 * Nothing follows where there are no corrections. A chunk without any has no bytes. Others:
 *
 *     varint   number of exact values
 *     each     varint: values since the one before; the value, little-endian
 *     varint   number of corrections; nothing follows 0
 *     varint   bytes of the codes
 *     open     for each correction: bits that its gap leaves open, a sign, bits that its number of
 *              steps leaves open
 *     codes    for each correction the symbols of its gap and of its number of steps less 1: an ANS
 *              stream with 4 states */

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

/* What a value that is decoded as v needs: *steps, 0 for nothing; false: to be stored exactly.
 * sure: a little less than the bound, so that rounding does not matter. */
static bool find_correction(const struct zti_coding *coding, uint64_t original, double v,
                            double sure, int32_t *steps)
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

/* Mark the values of a row, at most MARKED, that may be beyond the bound. */
enum { MARKED = 64 };

static void mark_row(const struct zti_array *array, const void *from, const number *v, uint32_t n,
                     double sure, uint8_t *restrict mark)
{
    const int64_t stride = array->stride[array->rank - 1];
    const bool is_safe = sure >= 0x1p-100 && sure <= 0x1p100; /* else all are marked */
    const float narrow = is_safe ? (float)(sure * (1 - 0x1p-20)) : -1;
    memset(mark, 0, MARKED);
    if (array->type == ZT_F32)
        for (uint32_t i = 0; i < n; i++)
            mark[i] = !(fabsf(((const float *)from)[i * stride] - (float)v[i]) <= narrow);
    else
        for (uint32_t i = 0; i < n; i++)
            mark[i] = !(fabs(((const double *)from)[i * stride] - (double)v[i]) <= sure);
}

/* A tile's corrections while they are looked for. */
struct correcting {
    const struct zti_coding *coding;
    const struct zti_array *array;
    const struct place *place;
    struct zti_tf_slot *slot;
    uint32_t chunk_values;
    uint8_t *to;         /* the first chunk's bytes */
    atomic_bool is_over; /* there are too many */
};

static size_t chunk_count(const struct zti_tf_slot *slot, uint32_t chunk_values)
{
    return (slot->layout.values + chunk_values - 1) / chunk_values;
}

static size_t chunk_end(const struct zti_tf_slot *slot, uint32_t chunk_values, uint64_t which)
{
    const size_t first = (size_t)which * chunk_values, left = slot->layout.values - first;
    return first + (left < chunk_values ? left : chunk_values);
}

/* The list of a chunk that begins with a value. */
static zti_tf_correction *corrections_at(const struct zti_tf_slot *slot, size_t first)
{
    return slot->corrections + first / ZTI_TF_CHUNK_CORRECTED_PART;
}

/* What has been found of a chunk. */
struct found {
    zti_tf_correction *list;
    size_t count, most, exact;
};

/* Find the corrections of n values of a row, from number 'at' of the tile on; false: too many. */
static bool find_in_row(const struct correcting *c, const void *from, size_t at, uint32_t n,
                        struct found *f)
{
    const double sure = sz_of(c->coding)->bound * (1 - 0x1p-40);
    const struct zti_array *const array = c->array;
    const size_t bytes = zt_type_bytes(array->type);
    const number *const v = (const number *)c->slot->values + at;
    uint8_t mark[MARKED];
    mark_row(array, from, v, n, sure, mark);
    for (uint64_t marks = bits_of_marks(mark, MARKED); marks > 0; marks &= marks - 1) {
        const uint32_t i = zti_ctz64(marks);
        const uint64_t bits = zti_bits_at(from, i * array->stride[array->rank - 1], bytes);
        int32_t steps;
        const bool is_good = find_correction(c->coding, bits, (double)v[i], sure, &steps);
        if (is_good && steps == 0)
            continue;
        if (f->count == f->most || (!is_good && !is_near_enough(c->coding, bits)))
            return false;
        f->list[f->count++] = (uint32_t)(at + i) | (uint32_t)(is_good ? steps : 0)
                                                       << ZTI_TF_PLACE_BITS;
        f->exact += !is_good;
    }
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

/* ---- a chunk's bytes ---- */

/* A correction as symbols, and what these leave open. */
struct symbol_pair {
    uint8_t gap, steps;
    uint32_t open_bits;
    uint64_t open;
};

ZTI_INLINE struct symbol_pair symbols_of(zti_tf_correction c, int64_t before)
{
    const int32_t by = tf_steps_of(c);
    const uint64_t gap = (uint64_t)((int64_t)tf_place_of(c) - before - 1);
    const uint64_t steps = (uint64_t)abs(by) - 1;
    const uint32_t g = tf_symbol((double)(int64_t)gap), s = tf_symbol((double)(int64_t)steps);
    const uint32_t gap_bits = tf_open_bits(g), bits = tf_open_bits(s);
    const uint64_t low_gap = gap & ((UINT64_C(1) << gap_bits) - 1);
    const uint64_t low_steps = steps & ((UINT64_C(1) << bits) - 1);
    return (struct symbol_pair){.gap = (uint8_t)g,
                                .steps = (uint8_t)s,
                                .open_bits = gap_bits + 1 + bits,
                                .open = low_gap | ((uint64_t)(by < 0) | low_steps << 1)
                                                      << gap_bits};
}

/* The exact values of a chunk, to 'to' unless that is NULL; returns their bytes. */
static size_t write_exact(const struct correcting *c, const struct found *f, size_t first,
                          uint8_t *to)
{
    const size_t bytes = zt_type_bytes(c->array->type);
    size_t sum = 0;
    int64_t before = (int64_t)first - 1;
    for (size_t i = 0; i < f->count && f->exact > 0; i++) {
        const uint32_t at = tf_place_of(f->list[i]);
        if (tf_steps_of(f->list[i]) != 0)
            continue;
        const uint64_t gap = (uint64_t)((int64_t)at - before - 1);
        sum += zti_varint_bytes(gap) + bytes;
        if (to) {
            to = zti_put_varint(to, gap);
            to = zti_put_value(to, original_at(c->array, c->place, at), bytes);
        }
        before = at;
    }
    return sum;
}

/* Count what a chunk's corrections are as symbols, and their open bits. */
static void count_chunk(const struct found *f, size_t first, struct zti_tf_part *chunk,
                        zti_ll_counts *counts)
{
    int64_t before = (int64_t)first - 1;
    *chunk = (struct zti_tf_part){.symbols = 2 * (f->count - f->exact), .exact = f->exact};
    for (size_t i = 0; i < f->count; i++) {
        if (tf_steps_of(f->list[i]) == 0)
            continue;
        const struct symbol_pair s = symbols_of(f->list[i], before);
        before = tf_place_of(f->list[i]);
        (*counts)[ZTI_TF_GAP][s.gap]++;
        (*counts)[ZTI_TF_STEPS][s.steps]++;
        chunk->open_bits += s.open_bits;
    }
}

/* Find the corrections of a chunk. */
static void find_item(void *shared, uint32_t worker, uint64_t which)
{
    struct correcting *const c = shared;
    const struct zti_array *const array = c->array;
    const uint32_t last = array->rank - 1;
    const int64_t value_bytes = array->stride[last] * (int64_t)zt_type_bytes(array->type);
    const size_t first = (size_t)which * c->chunk_values;
    const size_t end = chunk_end(c->slot, c->chunk_values, which);
    struct pieces p = pieces_of(c->place, array->rank, first, end);
    struct found f = {.list = corrections_at(c->slot, first),
                      .most = (end - first) / ZTI_TF_CHUNK_CORRECTED_PART};
    size_t at = first;
    if (atomic_load_explicit(&c->is_over, memory_order_relaxed))
        return;
    while (next_piece(&p)) {
        const uint8_t *const from = zti_array_at(array, p.at);
        for (uint32_t i = 0, some; i < p.n; i += some, at += some) {
            some = p.n - i < MARKED ? p.n - i : MARKED;
            if (!find_in_row(c, from + i * value_bytes, at, some, &f)) {
                atomic_store_explicit(&c->is_over, true, memory_order_relaxed);
                return;
            }
        }
    }
    struct zti_tf_part *const chunk = &c->slot->chunk[which];
    count_chunk(&f, first, chunk, c->slot->worker[worker].counts);
    chunk->exact_bytes = write_exact(c, &f, first, NULL);
}

/* What was found of a chunk. */
static struct found found_of(const struct correcting *c, uint64_t which)
{
    const struct zti_tf_part *const chunk = &c->slot->chunk[which];
    return (struct found){.list = corrections_at(c->slot, (size_t)which * c->chunk_values),
                          .count = chunk->symbols / 2 + chunk->exact,
                          .exact = chunk->exact};
}

/* The codes of a chunk, in scratch. */
static void code_chunk(void *shared, uint32_t worker, uint64_t which)
{
    const struct correcting *const c = shared;
    struct zti_tf_slot *const slot = c->slot;
    struct zti_tf_part *const chunk = &slot->chunk[which];
    const struct found f = found_of(c, which);
    uint8_t *symbol = slot->correction_symbols + chunk->at,
            *context = slot->correction_contexts + chunk->at;
    uint8_t *const scratch = slot->correction_codes + zti_tf_codes_bytes(chunk->at, (size_t)which);
    int64_t before = (int64_t)(which * c->chunk_values) - 1;
    (void)worker;
    if (chunk->symbols == 0)
        return;
    for (size_t i = 0; i < f.count; i++) {
        if (tf_steps_of(f.list[i]) == 0)
            continue;
        const struct symbol_pair s = symbols_of(f.list[i], before);
        before = tf_place_of(f.list[i]);
        *symbol++ = s.gap;
        *context++ = ZTI_TF_GAP;
        *symbol++ = s.steps;
        *context++ = ZTI_TF_STEPS;
    }
    chunk->codes =
        PUT_CODES(&slot->table, slot->correction_contexts + chunk->at,
                  slot->correction_symbols + chunk->at, chunk->symbols, ZTI_ANS_FEW, scratch);
    chunk->code_bytes = (size_t)(scratch + zti_ans_mixed_bytes(chunk->symbols) - chunk->codes);
    chunk->open_bytes = bytes_of(chunk->open_bits);
}

/* The bytes of a chunk. */
static size_t chunk_bytes(const struct zti_tf_part *chunk)
{
    const size_t corrections = chunk->symbols / 2;
    if (chunk->exact == 0 && corrections == 0)
        return 0;
    return zti_varint_bytes(chunk->exact) + chunk->exact_bytes + zti_varint_bytes(corrections) +
           (corrections > 0 ? zti_varint_bytes(chunk->code_bytes) : 0) + chunk->open_bytes +
           chunk->code_bytes;
}

static void join_chunk(void *shared, uint32_t worker, uint64_t which)
{
    const struct correcting *const c = shared;
    const struct zti_tf_part *const chunk = &c->slot->chunk[which];
    const struct found f = found_of(c, which);
    const size_t first = (size_t)which * c->chunk_values;
    uint8_t *to = c->to + chunk->at;
    int64_t before = (int64_t)first - 1;
    (void)worker;
    if (f.count == 0)
        return;
    to = zti_put_varint(to, f.exact);
    (void)write_exact(c, &f, first, to);
    to = zti_put_varint(to + chunk->exact_bytes, f.count - f.exact);
    if (f.count == f.exact)
        return;
    to = zti_put_varint(to, chunk->code_bytes);
    struct zti_bit_writer w = zti_bit_writer_at(to);
    for (size_t i = 0; i < f.count; i++) {
        if (tf_steps_of(f.list[i]) == 0)
            continue;
        const struct symbol_pair s = symbols_of(f.list[i], before);
        before = tf_place_of(f.list[i]);
        zti_put_bits(&w, s.open, s.open_bits);
    }
    end_joined(chunk, to, &w);
}

static void make_correction_models(struct zti_tf_slot *slot)
{
    const struct zti_ans_model *const of[ZTI_TF_CORRECTION_MODELS] = {&slot->correction_model[0],
                                                                      &slot->correction_model[1]};
    uint64_t count[ZTI_TF_CORRECTION_MODELS][ZTI_LL_ALPHABET] = {{0}};
    for (uint32_t w = 0; w < slot->workers; w++)
        for (uint32_t k = 0; k < ZTI_TF_CORRECTION_MODELS; k++)
            for (uint32_t i = 0; i < ZTI_LL_ALPHABET; i++)
                count[k][i] += (*slot->worker[w].counts)[k][i];
    for (uint32_t k = 0; k < ZTI_TF_CORRECTION_MODELS; k++) {
        zti_ans_place(slot->correction_model[k].decode, ZTI_LL_ALPHABET,
                      &slot->correction_model[k]);
        zti_ans_make(count[k], ZTI_ANS_PRECISIONS, &slot->correction_model[k]);
    }
    zti_ans_mixed_fill(of, ZTI_TF_CORRECTION_MODELS, &slot->table);
}

/* Find the corrections of all chunks; false: they are too many. */
static bool find_corrections(struct correcting *c, size_t chunks, size_t *exact, size_t *steps)
{
    struct zti_tf_slot *const slot = c->slot;
    for (uint32_t w = 0; w < slot->workers; w++)
        memset(slot->worker[w].counts, 0,
               sizeof(*slot->worker[w].counts)[0] * ZTI_TF_CORRECTION_MODELS);
    zti_crew_map(slot->crew, chunks, find_item, c);
    if (atomic_load_explicit(&c->is_over, memory_order_relaxed))
        return false;
    *exact = *steps = 0;
    for (size_t i = 0; i < chunks; i++) {
        slot->chunk[i].at = 2 * *steps;
        *exact += slot->chunk[i].exact;
        *steps += slot->chunk[i].symbols / 2;
    }
    return *exact + *steps <= slot->layout.values / ZTI_TF_CORRECTED_PART;
}

/* Write the corrections of a tile whose values are decoded; they overlie its symbols and codes.
 * Returns where they end; NULL if there is no room before 'end'. */
static uint8_t *write_corrections(const struct zti_coding *coding, const struct zti_array *array,
                                  const struct place *place, struct zti_tf_slot *slot,
                                  uint32_t parts_way, uint8_t *to, const uint8_t *end)
{
    struct correcting c = {.coding = coding,
                           .array = array,
                           .place = place,
                           .slot = slot,
                           .chunk_values = tf_chunk_values(parts_way)};
    const size_t chunks = chunk_count(slot, c.chunk_values);
    size_t exact, steps, at = 0, table_bytes = 0, before;
    if (!find_corrections(&c, chunks, &exact, &steps))
        return NULL;
    if (exact + steps == 0)
        return to;
    if (steps > 0) {
        make_correction_models(slot);
        zti_crew_map(slot->crew, chunks, code_chunk, &c);
        table_bytes = bytes_of(zti_ans_stored_bits(&slot->correction_model[0]) +
                               zti_ans_stored_bits(&slot->correction_model[1]));
    }
    before = zti_varint_bytes(table_bytes) + table_bytes;
    for (size_t i = 0; i < chunks; i++) {
        const size_t bytes = chunk_bytes(&slot->chunk[i]);
        slot->chunk[i].at = at;
        at += bytes;
        before += zti_varint_bytes(bytes);
    }
    if (before + at + 8 > (size_t)(end - to))
        return NULL;
    to = zti_put_varint(to, table_bytes);
    struct zti_bit_writer w = zti_bit_writer_at(to);
    for (uint32_t k = 0; k < ZTI_TF_CORRECTION_MODELS && steps > 0; k++)
        zti_ans_write(&slot->correction_model[k], &w);
    zti_put_le64(w.next, w.held);
    to += table_bytes;
    for (size_t i = 0; i < chunks; i++)
        to = zti_put_varint(to, chunk_bytes(&slot->chunk[i]));
    c.to = to;
    zti_crew_map(slot->crew, chunks, join_chunk, &c);
    return to + at;
}

/* ---- and back ---- */

/* A chunk while it is decoded. */
struct chunk_source {
    const struct zti_coding *coding;
    struct zti_tf_slot *slot;
    uint32_t chunk_values;
    size_t first_needed, end_needed; /* numbers of values */
    atomic_bool is_bad;
};

static bool read_exact(const struct zti_coding *coding, struct zti_tf_slot *slot, size_t at,
                       size_t end, struct zti_cursor *c)
{
    const size_t bytes = zt_type_bytes(coding->type);
    for (uint64_t n = zti_get_varint(c); n > 0; n--, at++) {
        const uint64_t gap = zti_get_varint(c);
        const uint8_t *const value = zti_get_bytes(c, bytes);
        if (!value || at >= end || gap >= end - at)
            return false;
        at += gap;
        const uint64_t bits = zti_get_value(value, bytes);
        ((number *)slot->values)[at] = (number)number_of(coding->type, bits);
    }
    return !c->is_bad;
}

/* Decode a number: its symbol from the codes, then its open bits: a sign, if sign_bits is 1, and
 * the bits that the symbol does not tell. */
ZTI_INLINE uint64_t read_open_number(struct zti_ans_mixed *m, const struct zti_ans_model *model,
                                     uint32_t state, struct zti_bit_reader *open,
                                     uint32_t sign_bits, uint64_t *sign)
{
    uint64_t bits = zti_peek_either(&m->r);
    const uint8_t symbol = zti_ans_mixed_step(model->decode, &m->state[state], &bits, &m->r.at);
    const uint32_t n = symbol < ZTI_TF_SYMBOLS ? tf_open_bits(symbol) : 0;
    const uint64_t low = zti_peek_either(open);
    *sign = low & sign_bits;
    open->at += n + sign_bits;
    return symbol < ZTI_TF_SYMBOLS
               ? tf_least_magnitude(symbol) + (low >> sign_bits & ((UINT64_C(1) << n) - 1))
               : UINT64_MAX;
}

static bool read_steps(const struct zti_coding *coding, struct zti_tf_slot *slot, size_t at,
                       size_t end, uint64_t n, struct zti_ans_mixed *codes,
                       struct zti_bit_reader *open)
{
    const double step = sz_of(coding)->step;
    for (uint32_t state = 0; n > 0; n--, at++, state ^= 2) {
        uint64_t sign;
        const uint64_t gap =
            read_open_number(codes, &slot->correction_model[ZTI_TF_GAP], state, open, 0, &sign);
        const uint64_t steps = read_open_number(codes, &slot->correction_model[ZTI_TF_STEPS],
                                                state + 1, open, 1, &sign);
        if (at >= end || gap >= end - at || steps >= 1u << 31 || codes->r.at > codes->r.end ||
            open->at > open->end)
            return false;
        at += gap;
        const double k = (double)steps + 1;
        number *const v = (number *)slot->values + at;
        *v = (number)((double)*v + (sign ? -k : k) * step);
    }
    return zti_ans_mixed_ends(codes) && open->end - open->at < 8;
}

/* Decode a chunk, of values [first, end), and correct them. */
static bool decode_chunk(const struct zti_coding *coding, struct zti_tf_slot *slot, size_t first,
                         size_t end, struct zti_cursor *c)
{
    struct zti_ans_mixed codes;
    if (!read_exact(coding, slot, first, end, c))
        return false;
    const uint64_t n = zti_get_varint(c);
    if (n == 0)
        return !c->is_bad && zti_cursor_left(c) == 0;
    const uint64_t bytes = zti_get_varint(c);
    if (c->is_bad || bytes > zti_cursor_left(c) || slot->correction_model[0].used == 0)
        return false;
    const uint64_t open_bytes = zti_cursor_left(c) - bytes;
    struct zti_bit_reader open = {.base = zti_get_bytes(c, open_bytes), .end = open_bytes * 8};
    struct zti_bit_reader in = {.base = zti_get_bytes(c, bytes), .end = bytes * 8};
    return zti_ans_mixed_open(&codes, &in, ZTI_ANS_FEW) &&
           read_steps(coding, slot, first, end, n, &codes, &open);
}

static void chunk_item(void *shared, uint32_t worker, uint64_t which)
{
    struct chunk_source *const s = shared;
    const struct zti_tf_part *const chunk = &s->slot->chunk[which];
    const size_t first = (size_t)which * s->chunk_values;
    const size_t end = chunk_end(s->slot, s->chunk_values, which);
    struct zti_cursor c = {.at = chunk->open, .end = chunk->open + chunk->open_bytes};
    (void)worker;
    if (chunk->open_bytes > 0 && first < s->end_needed && end > s->first_needed &&
        !decode_chunk(s->coding, s->slot, first, end, &c))
        atomic_store_explicit(&s->is_bad, true, memory_order_relaxed);
}

/* Read the tables of corrections, and where their chunks are. */
static bool open_chunks(struct zti_tf_slot *slot, size_t chunks, struct zti_cursor *c)
{
    const uint64_t tables = zti_get_varint(c);
    struct zti_bit_reader r = {.base = zti_get_bytes(c, tables), .end = tables * 8};
    if (c->is_bad)
        return false;
    for (uint32_t k = 0; k < ZTI_TF_CORRECTION_MODELS; k++) {
        zti_ans_place(slot->correction_model[k].decode, ZTI_LL_ALPHABET,
                      &slot->correction_model[k]);
        slot->correction_model[k].used = 0;
        if (tables > 0 &&
            (zti_ans_read(&r, &slot->correction_model[k]) || slot->correction_model[k].used == 0))
            return false;
    }
    if (r.at > r.end || r.end - r.at >= 8)
        return false;
    for (size_t i = 0; i < chunks; i++)
        slot->chunk[i].open_bytes = (size_t)zti_get_varint(c);
    for (size_t i = 0; i < chunks && !c->is_bad; i++)
        slot->chunk[i].open = zti_get_bytes(c, slot->chunk[i].open_bytes);
    return !c->is_bad && zti_cursor_left(c) == 0;
}

/* Correct values [first, end) of a tile. */
static bool read_corrections(const struct zti_coding *coding, struct zti_tf_slot *slot,
                             uint32_t parts_way, size_t first, size_t end, struct zti_cursor *c)
{
    struct chunk_source s = {.coding = coding,
                             .slot = slot,
                             .chunk_values = tf_chunk_values(parts_way),
                             .first_needed = first,
                             .end_needed = end};
    const size_t chunks = chunk_count(slot, s.chunk_values);
    if (zti_cursor_left(c) == 0)
        return true;
    if (!open_chunks(slot, chunks, c))
        return false;
    zti_crew_map(slot->crew, chunks, chunk_item, &s);
    return !atomic_load_explicit(&s.is_bad, memory_order_relaxed);
}
