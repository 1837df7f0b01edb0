/* tile.h: kernel text: a tile to bytes and back.
 *
 *     u8       0; 3: the values follow as they are, in C order
 *     varint   bytes of all that follows, then of the first three parts
 *     front    front.c
 *     codes    symbols, an ANS stream with 4 states (entropy/ans/mixed.h)
 *     open     signs, and bits that symbols leave open
 *     rest     corrections (correct.h), or nothing */

enum { TRIED_PRECISIONS = 4 /* of weights in models' tables */ };

/* ---- to bytes ---- */

static uint8_t *put_raw(const struct zti_array *array, const struct place *place, uint8_t *to)
{
    const uint32_t last = array->rank - 1;
    const size_t bytes = zt_type_bytes(array->type);
    uint64_t at[ZT_MAX_RANK];
    memcpy(at, place->origin, sizeof at);
    *to++ = ZTI_LL_RAW;
    do {
        const void *const from = zti_array_at(array, at);
        for (uint32_t i = 0; i < place->extent[last]; i++)
            to = zti_put_value(to, zti_bits_at(from, (int64_t)i * array->stride[last], bytes),
                               bytes);
    } while (next_line(place, array->rank, at));
    return to;
}

/* Counts of symbols to models, by merging contexts; returns the bits of both, times 2^16. */
static uint64_t find_models(const struct coder *c, struct zti_tf_front *front)
{
    struct zti_tf_slot *const slot = c->slot;
    uint64_t cost;
    memset(slot->counts, 0, sizeof *slot->counts);
    for (size_t i = 0; i < c->symbols; i++)
        (*slot->counts)[slot->contexts[i]][slot->symbols[i]]++;
    front->models =
        zti_ll_merge(&c->model->tables, *slot->counts, ZTI_TF_CONTEXTS, front->model_of, &cost);
    return cost;
}

/* Symbols in the models that contexts come to; returns the stream. */
static const uint8_t *code_symbols(const struct coder *c, struct zti_tf_front *front,
                                   size_t *code_bytes)
{
    struct zti_tf_slot *const slot = c->slot;
    const struct zti_ans_model *of[ZTI_LL_MODELS];
    const size_t n = c->symbols;
    (void)find_models(c, front);
    for (uint32_t k = 0; k < front->models; k++) {
        uint64_t count[ZTI_LL_ALPHABET];
        for (uint32_t i = 0; i < ZTI_LL_ALPHABET; i++)
            count[i] = (*slot->counts)[k][i];
        zti_ans_place(slot->model[k].decode, ZTI_LL_ALPHABET, &slot->model[k]);
        zti_ans_make(count, TRIED_PRECISIONS, &slot->model[k]);
        of[k] = &slot->model[k];
    }
    zti_ans_mixed_fill(of, front->models, &slot->table);
    for (size_t i = 0; i < n; i++)
        slot->contexts[i] = front->model_of[slot->contexts[i]];
    const uint8_t *const codes =
        zti_ans_mixed_put(&slot->table, slot->contexts, slot->symbols, n, ZTI_ANS_FEW, slot->codes);
    *code_bytes = (size_t)(slot->codes + zti_ans_mixed_bytes(n) - codes);
    return codes;
}

/* The centroids of each group of bands, from the sums of what magnitudes are off. */
static void find_centroids(const struct coder *c, struct zti_tf_front *front)
{
    enum { FEW = 32, MOST = 63 };
    for (uint32_t g = 0; g < ZTI_TF_GROUPS; g++)
        for (uint32_t k = 0; k < ZTI_TF_CENTROIDS; k++) {
            const int64_t n = c->number[g][k], middle = 32;
            const int64_t at = n < FEW ? middle : middle + (c->off[g][k] + n * 512) / (n * 1024);
            front->centroid[g][k] = (uint8_t)(at < 0 ? 0 : at > MOST ? MOST : at);
        }
}

/* The quantizer's step is so many parts of the stream's. */
static double step_of(const struct zti_coding *coding, uint32_t parts)
{
    return sz_of(coding)->step * parts / ZTI_TF_STEP_PARTS;
}

/* Transform a tile's values by a way, and make symbols of them, and open bits where there is a
 * writer; false where they have none, or are too many. */
static bool make_symbols(struct coder *c, const struct zti_array *array, const struct place *place,
                         const struct zti_tf_way *way)
{
    struct zti_tf_slot *const slot = c->slot;
    const struct coder fresh = {.model = c->model,
                                .slot = slot,
                                .step = c->step,
                                .shift = c->shift,
                                .open = c->open,
                                .most_open_bits =
                                    slot->plan.values * zt_type_bytes(array->type) * 8};
    *c = fresh;
    if (!gather(array, place, slot->values))
        return false;
    zti_tf_set_way(&slot->plan, way);
    transform(slot);
    code_bands(c);
    return !c->is_over;
}

/* A tile being assembled: what follows its first byte and length is at 'from', of which 'open' is
 * at first elsewhere in the same room. */
struct coded {
    struct zti_tf_front front;
    uint8_t *from, *end;
    size_t most; /* bytes that it must stay below */
};

/* The room at a tile's place: first its open bits lie there, then all is behind the longest head.
 */
enum { HEAD_BYTES = 1 + 5 };

/* Join a tile's front, codes and open bits, which lie at the room's beginning; false: too many. */
static bool join_parts(const struct zti_tf_slot *slot, const uint8_t *codes, size_t code_bytes,
                       size_t open_bytes, uint8_t *room, struct coded *tile)
{
    const size_t front_bytes = bytes_of(zti_tf_put_front(slot, &tile->front, NULL));
    const size_t before = zti_varint_bytes(front_bytes) + zti_varint_bytes(code_bytes) +
                          zti_varint_bytes(open_bytes) + front_bytes + code_bytes;
    if (HEAD_BYTES + before + open_bytes >= tile->most)
        return false;
    uint8_t *to = tile->from = room + HEAD_BYTES;
    memmove(to + before + 8, room, open_bytes); /* the front's last store may be beyond it */
    to = zti_put_varint(to, front_bytes);
    to = zti_put_varint(to, code_bytes);
    to = zti_put_varint(to, open_bytes);
    struct zti_bit_writer w = zti_bit_writer_at(to);
    (void)zti_tf_put_front(slot, &tile->front, &w);
    zti_put_le64(w.next, w.held);
    memcpy(to + front_bytes, codes, code_bytes);
    to += front_bytes + code_bytes;
    memmove(to, to + 8, open_bytes);
    tile->end = to + open_bytes;
    return true;
}

/* Code a tile by a way and a step. Returns the bytes of all its parts, with their lengths; SIZE_MAX
 * where they are no fewer than the values'. */
static size_t code_tile(struct coder *c, const struct zti_coding *coding,
                        const struct zti_array *array, const struct place *place, uint8_t *room,
                        struct coded *tile)
{
    struct zti_tf_slot *const slot = c->slot;
    struct zti_tf_front *const front = &tile->front;
    struct zti_bit_writer open = zti_bit_writer_at(room);
    size_t code_bytes;
    tile->most = slot->plan.values * zt_type_bytes(coding->type);
    c->step = step_of(coding, front->step_parts);
    c->shift = front->shift;
    c->open = &open;
    const bool is_good = make_symbols(c, array, place, &front->way);
    c->open = NULL;
    if (!is_good || bytes_of(c->open_bits) >= tile->most)
        return SIZE_MAX;
    zti_put_le64(open.next, open.held);
    const uint8_t *const codes = code_symbols(c, front, &code_bytes);
    find_centroids(c, front);
    if (!join_parts(slot, codes, code_bytes, bytes_of(c->open_bits), room, tile))
        return SIZE_MAX;
    if (sz_of(coding)->is_pointwise) {
        restore_bands(slot, front, c->step);
        transform_back(slot);
        tile->end = put_corrections(coding, array, place, slot, tile->end, room + tile->most);
        if (!tile->end)
            return SIZE_MAX;
    }
    const size_t bytes = (size_t)(tile->end - tile->from);
    return bytes + zti_varint_bytes(bytes) < tile->most ? bytes : SIZE_MAX;
}

/* Put the first byte and the length before a tile that is at its place but for them. */
static uint8_t *put_coded(const struct coded *tile, size_t bytes, uint8_t *to)
{
    *to++ = ZTI_LL_CODED;
    to = zti_put_varint(to, bytes);
    memmove(to, tile->from, bytes);
    return to + bytes;
}

/* Bytes of a tile that is coded, but for its front. */
static uint64_t bytes_behind_front(const struct zti_tf_slot *slot, const struct coded *tile)
{
    return (uint64_t)(tile->end - tile->from) -
           bytes_of(zti_tf_put_front(slot, &tile->front, NULL));
}

/* Bytes of a tile with a step, or of boxes, but for their fronts; UINT64_MAX: too many. */
static uint64_t boxes_bytes(struct coder *c, const struct zti_coding *coding,
                            const struct zti_array *array, const struct boxes *boxes, uint8_t *room,
                            struct coded *tile)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < boxes->n; k++) {
        const size_t bytes = code_tile(c, coding, array, &boxes->box[k], room, tile);
        if (bytes == SIZE_MAX)
            return UINT64_MAX;
        sum += boxes->n > 1 ? bytes_behind_front(c->slot, tile) : bytes;
    }
    return sum;
}

/* Choose the step that takes the fewest bytes under a bound on each value, on boxes of a tile: the
 * usual one first, then others on the side where there are fewer. Returns the bytes. */
static uint64_t choose_step(struct coder *c, const struct zti_coding *coding,
                            const struct zti_array *array, const struct boxes *boxes, uint8_t *room,
                            struct coded *tile)
{
    enum { BY = 4, LEAST = 12, MOST = 36 };
    uint32_t best = BOUND_PARTS;
    tile->front.step_parts = best;
    set_extent(coding, &boxes->box[0], &c->slot->plan);
    uint64_t least = boxes_bytes(c, coding, array, boxes, room, tile);
    for (int32_t by = -BY; by <= BY && best == BOUND_PARTS; by += 2 * BY)
        for (uint32_t parts = best + (uint32_t)by; parts >= LEAST && parts <= MOST;
             parts += (uint32_t)by) {
            tile->front.step_parts = parts;
            const uint64_t bytes = boxes_bytes(c, coding, array, boxes, room, tile);
            if (bytes >= least && least < UINT64_MAX)
                break;
            best = bytes < least ? parts : best;
            least = bytes < least ? bytes : least;
        }
    tile->front.step_parts = best;
    return least;
}

/* Code a tile with the step that takes the fewest bytes. It is chosen on boxes; where these are not
 * like the tile, on all of it. */
static size_t code_best(struct coder *c, const struct zti_coding *coding,
                        const struct zti_array *array, const struct place *place, uint8_t *room,
                        struct coded *tile)
{
    enum { ALIKE_PART = 8 }; /* bytes a value may differ by that part */
    struct boxes boxes = boxes_of(coding, place);
    const double of_boxes = (double)choose_step(c, coding, array, &boxes, room, tile);
    const double part = (double)c->slot->plan.values * boxes.n;
    set_extent(coding, place, &c->slot->plan);
    const double values = (double)c->slot->plan.values;
    size_t bytes = code_tile(c, coding, array, place, room, tile);
    if (boxes.n == 1)
        return bytes;
    const double all = bytes < SIZE_MAX ? (double)bytes_behind_front(c->slot, tile) : values;
    const double expected = of_boxes / part * values;
    if (fabs(all - expected) * ALIKE_PART <= all)
        return bytes;
    boxes = (struct boxes){.n = 1, .box = {*place}};
    (void)choose_step(c, coding, array, &boxes, room, tile);
    return code_tile(c, coding, array, place, room, tile);
}

static uint8_t *put_tile(const struct zti_coding *coding, const struct zti_array *array,
                         const struct place *place, struct zti_tf_slot *slot, uint8_t *to)
{
    const bool is_pointwise = sz_of(coding)->is_pointwise && !sz_of(coding)->has_mean;
    struct coder c = {.model = coding->model, .slot = slot};
    struct coded tile;
    tile.front.step_parts = is_pointwise ? BOUND_PARTS : ZTI_TF_STEP_PARTS;
    c.step = step_of(coding, tile.front.step_parts);
    if (!choose_way(&c, coding, array, place, &tile.front))
        return put_raw(array, place, to);
    const size_t bytes =
        (is_pointwise ? code_best : code_tile)(&c, coding, array, place, to, &tile);
    return bytes < SIZE_MAX ? put_coded(&tile, bytes, to) : put_raw(array, place, to);
}

static void encode(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *w)
{
    struct zti_tf_slot *const slot = zti_tf_take_slot(coding->model);
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    for (; walk.tile < last; zti_walk_next(&coding->grid, &walk)) {
        const struct place place = place_of(coding, &walk);
        set_extent(coding, &place, &slot->plan);
        w->next = put_tile(coding, array, &place, slot, w->next); /* whole bytes: none is held */
    }
    zti_tf_give_slot(slot);
}

/* ---- and back ---- */

/* Find a tile's parts in bytes that are all of it but the first number. */
static bool open_parts(const struct zti_coding *coding, struct zti_tf_slot *slot,
                       struct zti_cursor *c, struct source *from)
{
    const uint64_t front = zti_take_varint(c), codes = zti_take_varint(c);
    const uint64_t open = zti_take_varint(c);
    struct zti_bit_reader r = {.base = zti_take_bytes(c, front), .end = front * 8};
    struct zti_bit_reader in = {.base = zti_take_bytes(c, codes), .end = codes * 8};
    *from = (struct source){
        .open = {.base = zti_take_bytes(c, open), .end = open * 8},
    };
    if (c->is_bad)
        return false;
    for (uint32_t k = 0; k < ZTI_LL_MODELS; k++)
        zti_ans_place(slot->model[k].decode, ZTI_LL_ALPHABET, &slot->model[k]);
    if (!zti_tf_take_front(&r, slot, &from->front) || r.end - r.at >= 8)
        return false;
    for (uint32_t k = 0; k < ZTI_TF_CONTEXTS; k++)
        from->table[k] = slot->model[from->front.model_of[k]].decode;
    from->step = step_of(coding, from->front.step_parts);
    set_middles(slot, from->front.shift);
    return zti_ans_mixed_open(&from->codes, &in, ZTI_ANS_FEW);
}

/* A tile's bytes, of which the first is taken, to its values in C order; false: they are none. */
static bool take_tile(const struct zti_coding *coding, struct zti_tf_slot *slot,
                      struct zti_cursor *c)
{
    struct source from;
    if (!open_parts(coding, slot, c, &from) || !take_bands(&from, slot))
        return false;
    transform_back(slot);
    return take_corrections(coding, slot, c);
}

static void decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, const struct zti_view *view)
{
    struct zti_tf_slot *const slot = view ? zti_tf_take_slot(coding->model) : NULL;
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    for (; walk.tile < last && r->at <= r->end; zti_walk_next(&coding->grid, &walk)) {
        const struct place place = place_of(coding, &walk);
        struct zti_tf_plan plan;
        bool is_raw;
        set_extent(coding, &place, slot ? &slot->plan : &plan);
        struct zti_cursor c = tile_bytes(
            r, (slot ? slot->plan.values : plan.values) * zt_type_bytes(coding->type), &is_raw);
        const uint8_t *const end = c.end, *const raw = c.at;
        const bool is_good = !c.is_bad && (!view || is_raw || take_tile(coding, slot, &c));
        if (is_good && view)
            scatter(view, &place, is_raw ? NULL : (const number *)slot->values, raw);
        if (is_good)
            r->at = (uint64_t)(end - r->base) * 8;
        else
            r->at = r->end + 1; /* as if it were cut short: exec refuses it */
    }
    if (slot)
        zti_tf_give_slot(slot);
}
