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

/* A tile's corrections while they are looked for. */
struct correcting {
    const struct zti_coding *coding;
    const struct zti_array *array;
    const struct place *place;
    struct zti_tf_slot *slot;
    struct zti_tf_kernels *kernels; /* NULL, or what finds and codes them */
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

/* The bits of value number 'at' of a tile. */
static uint64_t original_at(const struct zti_array *array, const struct place *place, uint32_t at)
{
    uint64_t where[ZT_MAX_RANK];
    for (uint32_t i = array->rank; i-- > 0; at /= place->extent[i])
        where[i] = place->origin[i] + at % place->extent[i];
    return zti_bits_at(zti_array_at(array, where), 0, zt_type_bytes(array->type));
}

/* ---- a chunk's bytes ---- */

/* Corrections as symbols of gaps and of steps in turns, and what these leave open. */
enum { PAIRS = 64 };

struct pairs {
    uint32_t n;
    uint8_t symbol[2 * PAIRS];
    uint32_t open[PAIRS], open_bits[PAIRS]; /* and none behind the last one */
};

/* The symbols of numbers below 2^24; the bits that they leave open, and how many they are. */
ZTI_INLINE void small_symbols(const int32_t *restrict m, uint32_t *restrict symbol,
                              uint32_t *restrict open, uint32_t *restrict open_bits)
{
    for (uint32_t i = 0; i < PAIRS; i++) {
        const uint32_t is_open = 0 - (uint32_t)(m[i] >= (int)ZTI_TF_PLAIN_MAGNITUDES);
        const float v = (float)m[i];
        uint32_t bits;
        memcpy(&bits, &v, sizeof bits);
        symbol[i] = ((uint32_t)m[i] & ~is_open) | (ZTI_TF_OPEN_SYMBOL(bits, 23, 127) & is_open);
        open_bits[i] = ZTI_TF_OPEN_BITS(symbol[i]) & is_open;
        open[i] = (uint32_t)m[i] & ~(UINT32_MAX << open_bits[i]);
    }
}

/* A list of corrections, without those that are exact values, while it is walked through. */
struct pair_walk {
    const zti_tf_correction *next, *end;
    int32_t before; /* the last place, or the one before the chunk */
    bool has_exact;
};

static struct pair_walk pair_walk_of(const struct found *f, size_t first)
{
    return (struct pair_walk){f->list, f->list + f->count, (int32_t)first - 1, f->exact > 0};
}

/* The gaps and steps of the next corrections of a walk; returns how many. */
ZTI_INLINE uint32_t next_gaps(struct pair_walk *w, int32_t *restrict gap, int32_t *restrict by)
{
    const zti_tf_correction *const next = w->next;
    uint32_t n = 0;
    if (w->has_exact || w->end - next < PAIRS) {
        memset(gap, 0, PAIRS * sizeof *gap);
        memset(by, 0, PAIRS * sizeof *by);
        for (; n < PAIRS && w->next < w->end; w->next++) {
            const int32_t place = (int32_t)tf_place_of(*w->next), own = tf_steps_of(*w->next);
            gap[n] = place - w->before - 1;
            by[n] = own;
            w->before = own != 0 ? place : w->before;
            n += own != 0;
        }
        return n;
    }
    for (uint32_t i = 1; i < PAIRS; i++)
        gap[i] = (int32_t)(tf_place_of(next[i]) - tf_place_of(next[i - 1])) - 1;
    for (uint32_t i = 0; i < PAIRS; i++)
        by[i] = tf_steps_of(next[i]);
    gap[0] = (int32_t)tf_place_of(next[0]) - w->before - 1;
    w->before = (int32_t)tf_place_of(next[PAIRS - 1]);
    w->next += PAIRS;
    return PAIRS;
}

/* The next corrections of a walk, PAIRS or fewer; false: there are none. Loops have a fixed length
 * and no branches, so that they become vectors. */
static bool next_pairs(struct pair_walk *w, struct pairs *p)
{
    int32_t gap[PAIRS], by[PAIRS], steps[PAIRS];
    uint32_t gaps[PAIRS], symbol[PAIRS], open[PAIRS], open_bits[PAIRS];
    const uint32_t n = next_gaps(w, gap, by);
    for (uint32_t i = 0; i < PAIRS; i++)
        steps[i] = abs(by[i]) - (by[i] != 0);
    small_symbols(gap, gaps, p->open, p->open_bits);
    small_symbols(steps, symbol, open, open_bits);
    for (uint32_t i = 0; i < PAIRS; i++) {
        p->open[i] |= ((uint32_t)(by[i] < 0) | open[i] << 1) << p->open_bits[i];
        p->open_bits[i] += 1 + open_bits[i];
    }
    for (uint32_t i = 0; i < PAIRS; i++) {
        p->symbol[2 * i] = (uint8_t)gaps[i];
        p->symbol[2 * i + 1] = (uint8_t)symbol[i];
    }
    if (n < PAIRS)
        p->open[n] = p->open_bits[n] = 0;
    p->n = n;
    return n > 0;
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
    struct pair_walk walk = pair_walk_of(f, first);
    struct pairs p;
    *chunk = (struct zti_tf_part){.symbols = 2 * (f->count - f->exact), .exact = f->exact};
    while (next_pairs(&walk, &p))
        for (uint32_t i = 0; i < p.n; i++) {
            (*counts)[ZTI_TF_GAP][p.symbol[2 * i]]++;
            (*counts)[ZTI_TF_STEPS][p.symbol[2 * i + 1]]++;
            chunk->open_bits += p.open_bits[i];
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
    struct candidates candidates;
    bool is_over = atomic_load_explicit(&c->is_over, memory_order_relaxed);
    size_t at = first;
    for (candidates.n = 0; !is_over && next_piece(&p);) {
        const uint8_t *const from = zti_array_at(array, p.at);
        for (uint32_t i = 0, some; i < p.n && !is_over; i += some, at += some) {
            some = p.n - i < MARKED ? p.n - i : MARKED;
            add_candidates(array, from + i * value_bytes, (const number *)c->slot->values + at, at,
                           some, sz_of(c->coding)->bound, &candidates);
            if (candidates.n > CANDIDATES - MARKED)
                is_over = !append_found(c->coding, &candidates, &f);
        }
    }
    if (is_over || !append_found(c->coding, &candidates, &f)) {
        atomic_store_explicit(&c->is_over, true, memory_order_relaxed);
        return;
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
    uint8_t *symbol = slot->correction_symbols + chunk->at;
    uint8_t *restrict const context = slot->correction_contexts + chunk->at;
    uint8_t *const scratch = slot->correction_codes + zti_tf_codes_bytes(chunk->at, (size_t)which);
    struct pair_walk walk = pair_walk_of(&f, which * c->chunk_values);
    struct pairs p;
    (void)worker;
    if (chunk->symbols == 0)
        return;
    for (; next_pairs(&walk, &p); symbol += 2 * (size_t)p.n)
        memcpy(symbol, p.symbol, 2 * (size_t)p.n);
    for (size_t i = 0, n = chunk->symbols; i < n; i++)
        context[i] = i % 2 ? ZTI_TF_STEPS : ZTI_TF_GAP;
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
    struct pair_walk walk = pair_walk_of(&f, first);
    struct pairs p;
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
    while (next_pairs(&walk, &p))
        for (uint32_t i = 0; i < p.n; i += 2) /* at most 27 bits each */
            zti_put_bits(&w, p.open[i] | (uint64_t)p.open[i + 1] << p.open_bits[i],
                         p.open_bits[i] + p.open_bits[i + 1]);
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

/* What the corrections of a tile came to. */
struct corrected {
    size_t chunks, exact, steps;
    size_t table_bytes, bytes; /* of all; 0: there are none */
};

/* Find the corrections of all chunks; false: there are too many in one. */
static bool find_chunks(struct correcting *c, const struct zti_tf_front *front, size_t chunks)
{
    struct zti_tf_slot *const slot = c->slot;
    for (uint32_t w = 0; w < slot->workers; w++)
        memset(slot->worker[w].counts, 0,
               sizeof(*slot->worker[w].counts)[0] * ZTI_TF_CORRECTION_MODELS);
    if (c->kernels)
        return c->kernels->find_corrections(c->kernels, front, (uint32_t)chunks, slot->chunk,
                                            *slot->worker[0].counts);
    zti_crew_map(slot->crew, chunks, find_item, c);
    return !atomic_load_explicit(&c->is_over, memory_order_relaxed);
}

/* The codes of all chunks. */
static void code_chunks(struct correcting *c, size_t chunks)
{
    struct zti_tf_slot *const slot = c->slot;
    make_correction_models(slot);
    if (c->kernels) {
        const struct zti_tf_table table = table_of(slot, ZTI_TF_CORRECTION_MODELS);
        c->kernels->code_chunks(c->kernels, &table, (uint32_t)chunks, slot->chunk);
    } else {
        zti_crew_map(slot->crew, chunks, code_chunk, c);
    }
}

/* Find and code the corrections of a tile whose values are decoded; they overlie its symbols and
 * codes. False: they are too many, or take more than 'room' bytes. */
static bool measure_corrections(struct correcting *c, const struct zti_tf_front *front, size_t room,
                                struct corrected *k)
{
    struct zti_tf_slot *const slot = c->slot;
    *k = (struct corrected){.chunks = chunk_count(slot, c->chunk_values)};
    if (!find_chunks(c, front, k->chunks))
        return false;
    for (size_t i = 0; i < k->chunks; i++) {
        slot->chunk[i].at = 2 * k->steps;
        k->exact += slot->chunk[i].exact;
        k->steps += slot->chunk[i].symbols / 2;
    }
    if (k->exact + k->steps > slot->layout.values / ZTI_TF_CORRECTED_PART)
        return false;
    if (k->exact + k->steps == 0)
        return true;
    if (k->steps > 0) {
        code_chunks(c, k->chunks);
        k->table_bytes = bytes_of(zti_ans_stored_bits(&slot->correction_model[0]) +
                                  zti_ans_stored_bits(&slot->correction_model[1]));
    }
    k->bytes = zti_varint_bytes(k->table_bytes) + k->table_bytes;
    for (size_t i = 0, at = 0; i < k->chunks; i++) {
        const size_t bytes = chunk_bytes(&slot->chunk[i]);
        slot->chunk[i].at = at;
        at += bytes;
        k->bytes += zti_varint_bytes(bytes) + bytes;
    }
    return k->bytes + 8 <= room;
}

/* What stands before the chunks; returns where these begin. */
static uint8_t *write_tables(const struct zti_tf_slot *slot, const struct corrected *k, uint8_t *to)
{
    to = zti_put_varint(to, k->table_bytes);
    struct zti_bit_writer w = zti_bit_writer_at(to);
    for (uint32_t i = 0; i < ZTI_TF_CORRECTION_MODELS && k->steps > 0; i++)
        zti_ans_write(&slot->correction_model[i], &w);
    zti_put_le64(w.next, w.held);
    to += k->table_bytes;
    for (size_t i = 0; i < k->chunks; i++)
        to = zti_put_varint(to, chunk_bytes(&slot->chunk[i]));
    return to;
}

static void write_corrections(struct correcting *c, const struct corrected *k, uint8_t *to)
{
    if (k->bytes == 0)
        return;
    c->to = write_tables(c->slot, k, to);
    zti_crew_map(c->slot->crew, k->chunks, join_chunk, c);
}

/* ---- and back ---- */

/* A chunk while it is decoded. */
struct chunk_source {
    const struct zti_coding *coding;
    struct zti_tf_slot *slot;
    uint32_t chunk_values;
    size_t first_needed, end_needed; /* numbers of values */
    const struct copying *copying;   /* of all of the tile: chunks are copied as they are corrected;
                                        NULL: they are not */
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
        ((number *)slot->values)[at] = (number)tf_number_of(coding->type, bits);
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
    else if (s->copying)
        scatter_values(s->copying, first, end);
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

/* Correct values [first, end) of a tile, and copy them. */
static bool read_corrections(const struct zti_coding *coding, struct zti_tf_slot *slot,
                             uint32_t parts_way, size_t first, size_t end, struct zti_cursor *c,
                             struct copying *copying)
{
    const bool is_whole = copying->values == slot->layout.values;
    struct chunk_source s = {.coding = coding,
                             .slot = slot,
                             .chunk_values = tf_chunk_values(parts_way),
                             .first_needed = first,
                             .end_needed = end,
                             .copying = is_whole ? copying : NULL};
    const size_t chunks = chunk_count(slot, s.chunk_values);
    const bool is_exact = zti_cursor_left(c) == 0;
    if (!is_exact) {
        if (!open_chunks(slot, chunks, c))
            return false;
        zti_crew_map(slot->crew, chunks, chunk_item, &s);
    }
    if (is_exact || !is_whole)
        scatter(slot, copying);
    return !atomic_load_explicit(&s.is_bad, memory_order_relaxed);
}
