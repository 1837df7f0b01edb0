/* tile.h: kernel text: a tile to bytes and back.
 *
 *     u8, varint   large_tile.h
 *     varint   bytes of the front
 *     front    front.c
 *     varint   for each part: bytes of its open bits, bytes of its codes
 *     parts    parts.h
 *     rest     corrections (correct.h), or nothing */

/* ---- to bytes ---- */

/* Counts of symbols to models, by merging contexts; returns the bits of both, times 2^16. */
static uint64_t find_models(const struct coder *c, struct zti_tf_front *front)
{
    uint64_t cost;
    front->models = zti_ll_merge(&c->model->tables, *c->slot->counts, ZTI_TF_CONTEXTS, 0,
                                 front->model_of, &cost);
    return cost;
}

/* The codes of all parts, in the models that contexts come to. */
static void code_symbols(const struct coder *c, struct zti_tf_front *front)
{
    struct zti_tf_slot *const slot = c->slot;
    const struct zti_ans_model *of[ZTI_LL_MODELS];
    (void)find_models(c, front);
    for (uint32_t k = 0; k < front->models; k++) {
        uint64_t count[ZTI_LL_ALPHABET];
        for (uint32_t i = 0; i < ZTI_LL_ALPHABET; i++)
            count[i] = (*slot->counts)[k][i];
        zti_ans_place(slot->model[k].decode, ZTI_LL_ALPHABET, &slot->model[k]);
        zti_ans_make(count, ZTI_TILE_PRECISIONS, &slot->model[k]);
        of[k] = &slot->model[k];
    }
    zti_ans_mixed_fill(of, front->models, &slot->table);
    if (c->kernels) {
        const struct zti_tf_table table = table_of(slot, front->models);
        c->kernels->code_parts(c->kernels, &table, front->model_of, slot->layout.parts, slot->part);
        return;
    }
    struct coding_of coding = {.slot = slot, .part = slot->part, .model_of = front->model_of};
    zti_crew_map(slot->crew, slot->layout.parts, code_part, &coding);
}

/* The centroids of each octave: the mean distance of coefficients from their multiple of the step.
 */
static void find_centroids(const struct coder *c, struct zti_tf_front *front)
{
    enum { FEW = 32, MOST = (1 << ZTI_TF_CENTROID_BITS) - 1 };
    enum { UNIT = ZTI_TF_OFF_PARTS / ZTI_TF_CENTROID_PARTS };
    for (uint32_t g = 0; g < ZTI_TF_OCTAVES; g++)
        for (uint32_t k = 0; k < ZTI_TF_CENTROIDS; k++) {
            const int64_t n = c->tally.times[g][k];
            const int64_t by = n < FEW ? 0 : (c->tally.off[g][k] + n * (UNIT / 2)) / (n * UNIT);
            const int64_t at = ZTI_TF_CENTROID_NONE + by;
            front->centroid[g][k] = (uint8_t)(at < 0 ? 0 : at > MOST ? MOST : at);
        }
}

/* The quantizer's step is so many parts of the stream's. */
static double step_of(const struct zti_coding *coding, uint32_t parts)
{
    return sz_of(coding)->step * parts / ZTI_TF_STEP_PARTS;
}

/* Transform a tile's values by a way, and make symbols of them; false where not all values are
 * finite. */
static bool make_bands(struct coder *c, const struct zti_array *array, const struct place *place,
                       const struct zti_tf_way *way)
{
    struct zti_tf_slot *const slot = c->slot;
    if (c->kernels) {
        zti_tf_set_way(&slot->layout, way);
        zti_tf_set_items(&slot->layout, c->parts_way);
        return c->kernels->make_symbols(c->kernels, place->origin, &slot->layout, c->step, c->shift,
                                        *slot->counts, &c->tally);
    }
    zti_tf_set_way(&slot->layout, way);
    if (c->kept && *c->is_kept)
        copy(slot->values, c->kept, slot->layout.values);
    else if (!gather_coefficients(slot, array, place))
        return false;
    if (c->kept && !*c->is_kept) {
        copy(c->kept, slot->values, slot->layout.values);
        *c->is_kept = true;
    }
    code_bands(c);
    return true;
}

/* The same; false also where a magnitude has no symbol, or symbols leave too many bits open. */
static bool make_symbols(struct coder *c, const struct zti_coding *coding,
                         const struct zti_array *array, const struct place *place,
                         const struct zti_tf_way *way)
{
    if (!make_bands(c, array, place, way))
        return false;
    count_times(c);
    return !c->tally.is_over &&
           c->tally.open_bits <= c->slot->layout.values * zt_type_bytes(coding->type) * 8;
}

/* A tile being assembled: what follows its first byte and length. */
struct coded {
    struct zti_tf_front front;
    size_t front_bytes, parts_bytes;
    struct corrected corrected;
    uint8_t *from; /* NULL: it is not written, or kernels have it */
    size_t bytes;  /* so far */
    size_t most;   /* bytes that it must stay below */
    bool is_final; /* it is coded with the step that is chosen */
};

/* How long a tile's front and parts are; false: too long. */
static bool measure_parts(struct zti_tf_slot *slot, struct coded *tile)
{
    tile->front_bytes = bytes_of(zti_tf_encode_front(slot, &tile->front, NULL));
    tile->parts_bytes = place_parts(slot->part, slot->layout.parts);
    tile->bytes = zti_varint_bytes(tile->front_bytes) + tile->front_bytes +
                  ends_bytes(slot->part, slot->layout.parts) + tile->parts_bytes;
    return ZTI_TILE_HEAD_BYTES + tile->bytes < tile->most;
}

/* What stands before a tile's parts; returns where these begin. */
static uint8_t *write_front(const struct zti_tf_slot *slot, const struct coded *tile, uint8_t *to)
{
    to = zti_put_varint(to, tile->front_bytes);
    struct zti_bit_writer w = zti_bit_writer_at(to);
    (void)zti_tf_encode_front(slot, &tile->front, &w);
    zti_put_le64(w.next, w.held);
    return write_ends(slot->part, slot->layout.parts, to + tile->front_bytes);
}

/* Join a tile's front and parts, if it is written. */
static void join_parts(const struct coder *c, bool is_restored, const struct coded *tile)
{
    struct zti_tf_slot *const slot = c->slot;
    struct joining j = {
        .slot = slot, .front = &tile->front, .step = c->step, .is_restored = is_restored};
    if (tile->from)
        j.to = write_front(slot, tile, tile->from);
    zti_crew_map(slot->crew, slot->layout.items, tile->from ? join_item : restore_item, &j);
}

/* Code a tile by a way and a step; room NULL: nothing is written. Returns the bytes of all its
 * parts, with their lengths; SIZE_MAX where they are no fewer than the values'. Kernels do not join
 * the parts yet. */
static size_t code_tile(struct coder *c, const struct zti_coding *coding,
                        const struct zti_array *array, const struct place *place, uint8_t *room,
                        struct coded *tile)
{
    struct zti_tf_slot *const slot = c->slot;
    struct zti_tf_front *const front = &tile->front;
    const bool is_pointwise = sz_of(coding)->is_pointwise;
    tile->most = slot->layout.values * zt_type_bytes(coding->type);
    tile->corrected.bytes = 0;
    c->step = step_of(coding, front->step_parts);
    c->shift = front->shift;
    c->parts_way = front->parts_way;
    if (!make_symbols(c, coding, array, place, &front->way))
        return SIZE_MAX;
    code_symbols(c, front);
    find_centroids(c, front);
    if (!measure_parts(slot, tile))
        return SIZE_MAX;
    if (!c->kernels) {
        tile->from = room ? room + ZTI_TILE_HEAD_BYTES : NULL;
        join_parts(c, is_pointwise, tile);
    }
    if (is_pointwise) {
        struct correcting k = {.coding = coding,
                               .array = array,
                               .place = place,
                               .slot = slot,
                               .kernels = c->kernels,
                               .chunk_values = tf_chunk_values(front->parts_way)};
        if (!c->kernels)
            transform_back(slot);
        if (!measure_corrections(&k, front, tile->most - ZTI_TILE_HEAD_BYTES - tile->bytes,
                                 &tile->corrected))
            return SIZE_MAX;
        if (!c->kernels && tile->from)
            write_corrections(&k, &tile->corrected, tile->from + tile->bytes);
        tile->bytes += tile->corrected.bytes;
    }
    return is_shorter_than_raw(tile->bytes, tile->most) ? tile->bytes : SIZE_MAX;
}

/* Let kernels join the tile that was coded last. */
static void join_by_kernels(const struct coder *c, const struct coded *tile)
{
    struct zti_tf_joined *const j = &c->kernels->joined;
    uint8_t *const to = begin_coded_tile(j->head, tile->bytes);
    j->head_bytes = (size_t)(write_front(c->slot, tile, to) - j->head);
    j->parts = c->slot->layout.parts;
    j->part = c->slot->part;
    j->parts_bytes = tile->parts_bytes;
    j->chunks = tile->corrected.bytes > 0 ? (uint32_t)tile->corrected.chunks : 0;
    j->chunk = c->slot->chunk;
    j->tail_bytes = 0;
    if (j->chunks > 0)
        j->tail_bytes = (size_t)(write_tables(c->slot, &tile->corrected, j->tail) - j->tail);
    j->chunks_bytes = tile->corrected.bytes - j->tail_bytes;
    c->kernels->join(c->kernels);
}

/* Write a tile that was coded, behind its first byte and length; kernels know its place. */
static uint8_t *write_coded(const struct coder *c, const struct coded *tile, uint8_t *to)
{
    if (c->kernels) {
        join_by_kernels(c, tile);
        return to;
    }
    to = begin_coded_tile(to, tile->bytes);
    memmove(to, tile->from, tile->bytes);
    return to + tile->bytes;
}

static uint8_t *write_raw(const struct coder *c, const struct zti_coding *coding,
                          const struct zti_array *array, const struct place *place, uint8_t *to)
{
    if (!c->kernels)
        return write_raw_tile(array, place, to);
    set_extent(coding, place, &c->slot->layout);
    c->kernels->write_raw(c->kernels, place->origin, &c->slot->layout);
    return to;
}

/* Bytes of a tile that is coded, but for its front. */
static uint64_t bytes_behind_front(const struct coded *tile)
{
    return tile->bytes - tile->front_bytes;
}

/* Boxes of a tile while they are coded with a step. */
struct boxes_work {
    const struct coder *coder;
    const struct zti_coding *coding;
    const struct zti_array *array;
    const struct boxes *boxes;
    const struct coded *tile;
    bool *is_kept;
    uint64_t bytes[ZTI_TF_BOXES]; /* but for their fronts; UINT64_MAX: too many */
};

/* Code a box: with a crew, each thread in a slot of its own. Else its coefficients are kept from
 * one step to the next, behind those of a box in the slot. */
static void code_box(void *shared, uint32_t worker, uint64_t which)
{
    struct boxes_work *const b = shared;
    struct zti_tf_slot *const slot = b->coder->slot;
    const struct place *const box = &b->boxes->box[which];
    struct coder own = *b->coder;
    struct coded tile = *b->tile;
    if (slot->crew) {
        own.slot = &slot->box[worker];
        own.slot->worker = &slot->worker[worker];
        set_extent(b->coding, box, &own.slot->layout);
    } else if (!b->coder->kernels) {
        own.kept = (number *)slot->values + (1 + which) * ZTI_TF_BOX_VALUES;
        own.is_kept = &b->is_kept[which];
    }
    const size_t bytes = code_tile(&own, b->coding, b->array, box, NULL, &tile);
    b->bytes[which] = bytes < SIZE_MAX ? bytes_behind_front(&tile) : UINT64_MAX;
}

/* Bytes of a tile with a step, or of boxes, but for their fronts; UINT64_MAX: too many. */
static uint64_t boxes_bytes(struct coder *c, const struct zti_coding *coding,
                            const struct zti_array *array, struct boxes *boxes, uint8_t *room,
                            struct coded *tile)
{
    struct boxes_work b = {c, coding, array, boxes, tile, boxes->is_kept, {0}};
    uint64_t sum = 0;
    if (boxes->n == 1) {
        c->kept = c->kernels ? NULL : c->slot->kept;
        c->is_kept = &boxes->is_kept[0];
        const size_t bytes = code_tile(c, coding, array, &boxes->box[0], room, tile);
        return bytes < SIZE_MAX ? bytes : UINT64_MAX;
    }
    zti_crew_map(c->slot->crew, boxes->n, code_box, &b);
    for (uint32_t k = 0; k < boxes->n; k++) {
        if (b.bytes[k] == UINT64_MAX)
            return UINT64_MAX;
        sum += b.bytes[k];
    }
    return sum;
}

/* Whether a tile that is the whole stream cannot be the smallest coding of its array with another
 * step than the usual one, which took 'bytes': of 188 tiles another step saved 14.1 % at most, and
 * where values took half a bit or more 4.2 %. */
static bool is_hopeless(const struct zti_coding *coding, const struct boxes *boxes, uint64_t bytes)
{
    const uint64_t won = coding->run.won_bytes;
    const uint64_t values = box_values(&boxes->box[0], coding->grid.rank);
    const uint64_t slack = bytes < values / 16 ? won / 5 : won / 16;
    return boxes->n == 1 && coding->grid.count == 1 && won > 0 && bytes < UINT64_MAX &&
           bytes > won + slack;
}

/* Choose the step that takes the fewest bytes under a bound on each value, on boxes of a tile: the
 * one that the tile has first, then others on the side where there are fewer. least: the bytes with
 * the first one, where the tile is coded with it already, or 0. Returns the bytes. */
static uint64_t choose_step(struct coder *c, const struct zti_coding *coding,
                            const struct zti_array *array, struct boxes *boxes, uint8_t *room,
                            struct coded *tile, uint64_t least)
{
    enum { BY = 4, LEAST = 12, MOST = 36 };
    const uint32_t first = tile->front.step_parts;
    uint32_t best = first;
    set_extent(coding, &boxes->box[0], &c->slot->layout);
    if (least == 0)
        least = boxes_bytes(c, coding, array, boxes, room, tile);
    tile->is_final = is_hopeless(coding, boxes, least);
    if (tile->is_final)
        return least;
    const struct coded coded = *tile;
    for (int32_t by = -BY; by <= BY && best == first; by += 2 * BY)
        for (uint32_t parts = best + (uint32_t)by; parts >= LEAST && parts <= MOST;
             parts += (uint32_t)by) {
            tile->front.step_parts = parts;
            const uint64_t bytes = boxes_bytes(c, coding, array, boxes, NULL, tile);
            if (bytes >= least && least < UINT64_MAX)
                break;
            best = bytes < least ? parts : best;
            least = bytes < least ? bytes : least;
        }
    *tile = coded;
    tile->front.step_parts = best;
    tile->is_final = boxes->n == 1 && best == first && !c->kernels;
    return least;
}

/* Code a tile with the step that takes the fewest bytes. It is chosen on boxes; where these are not
 * like the tile, steps near it are tried on all of the tile. */
static size_t code_best(struct coder *c, const struct zti_coding *coding,
                        const struct zti_array *array, const struct place *place, uint8_t *room,
                        struct coded *tile)
{
    enum { ALIKE_PART = 8 }; /* bytes a value may differ by that part */
    struct boxes boxes = boxes_of(coding, place);
    tile->front.step_parts = BOUND_PARTS;
    const uint64_t least = choose_step(c, coding, array, &boxes, room, tile, 0);
    if (tile->is_final)
        return (size_t)least;
    const double of_boxes = (double)least;
    const double part = (double)c->slot->layout.values * boxes.n;
    set_extent(coding, place, &c->slot->layout);
    const size_t bytes = code_tile(c, coding, array, place, room, tile);
    if (boxes.n == 1)
        return bytes;
    if (bytes < SIZE_MAX) {
        const double all = (double)bytes_behind_front(tile);
        const double expected = of_boxes / part * (double)c->slot->layout.values;
        if (fabs(all - expected) * ALIKE_PART <= all)
            return bytes;
    } else {
        tile->front.step_parts = BOUND_PARTS;
    }
    boxes = (struct boxes){.n = 1, .box = {*place}};
    const uint64_t of_tile =
        choose_step(c, coding, array, &boxes, room, tile, bytes < SIZE_MAX ? bytes : 0);
    return tile->is_final ? (size_t)of_tile : code_tile(c, coding, array, place, room, tile);
}

static uint8_t *encode_tile(struct zti_tf_kernels *kernels, const struct zti_coding *coding,
                            const struct zti_array *array, const struct place *place,
                            struct zti_tf_slot *slot, uint8_t *to)
{
    const bool is_pointwise = sz_of(coding)->is_pointwise && !sz_of(coding)->has_mean;
    const bool is_tried = is_pointwise && !sz_of(coding)->has_few_samples; /* other steps are */
    size_t bytes = SIZE_MAX;
    struct coder c = {.model = coding->model, .kernels = kernels, .slot = slot};
    struct coded tile;
    tile.front.step_parts = is_pointwise ? BOUND_PARTS : ZTI_TF_STEP_PARTS;
    c.step = step_of(coding, tile.front.step_parts);
    set_extent(coding, place, &slot->layout);
    if (!choose_way(&c, coding, array, place, &tile.front))
        return write_raw(&c, coding, array, place, to);
    if (!is_tried)
        bytes = code_tile(&c, coding, array, place, to, &tile);
    if (is_pointwise && bytes == SIZE_MAX)
        bytes = code_best(&c, coding, array, place, to, &tile);
    return bytes < SIZE_MAX ? write_coded(&c, &tile, to) : write_raw(&c, coding, array, place, to);
}

/* Code a tile by kernels, on the calling thread. */
static void encode_by(struct zti_tf_kernels *kernels, const struct zti_coding *coding,
                      const uint64_t *origin, const uint32_t *extent)
{
    struct zti_tf *const model = coding->model;
    struct place place = {.extent = {1, 1, 1, 1}};
    for (uint32_t i = 0; i < coding->grid.rank; i++) {
        place.origin[i] = origin[i];
        place.extent[i] = extent[i];
    }
    model->slot.crew = NULL;
    (void)encode_tile(kernels, coding, NULL, &place, &model->slot, NULL);
}

/* Tiles to encode. */
struct encoding {
    const struct zti_coding *coding;
    const struct zti_array *array;
    uint64_t first, last;
    struct zti_bit_writer *w;
    struct zti_tf_slot *slot;
};

static void encode_tiles(void *shared, struct zti_crew *crew)
{
    const struct encoding *const e = shared;
    struct zti_walk walk = zti_walk_from(&e->coding->grid, e->first);
    e->slot->crew = crew;
    for (; walk.tile < e->last; zti_walk_next(&e->coding->grid, &walk)) {
        const struct place place = place_of(e->coding, &walk);
        /* whole bytes: the writer holds none */
        e->w->next = encode_tile(NULL, e->coding, e->array, &place, e->slot, e->w->next);
    }
}

static void encode(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *w)
{
    struct zti_tf *const model = coding->model;
    struct encoding e = {coding, array, first, last, w, &model->slot};
    zti_crew_run(e.slot->workers, encode_tiles, &e);
}

/* ---- and back ---- */

/* Read where a tile's parts are. */
static bool open_parts(struct zti_tf_slot *slot, struct zti_cursor *c)
{
    struct zti_tf_part *const part = slot->part;
    const uint32_t parts = slot->layout.parts;
    for (uint32_t i = 0; i < parts; i++) {
        part[i].open_bytes = (size_t)zti_get_varint(c);
        part[i].code_bytes = (size_t)zti_get_varint(c);
    }
    for (uint32_t i = 0; i < parts && !c->is_bad; i++) {
        part[i].open = zti_get_bytes(c, part[i].open_bytes);
        part[i].codes = zti_get_bytes(c, part[i].code_bytes);
    }
    return !c->is_bad;
}

/* Read a tile's front, and find its parts. */
static bool open_tile(const struct zti_coding *coding, struct zti_cursor *c, struct source *from)
{
    struct zti_tf_slot *const slot = from->slot;
    const uint64_t front = zti_get_varint(c);
    struct zti_bit_reader r = {.base = zti_get_bytes(c, front), .end = front * 8};
    if (c->is_bad)
        return false;
    for (uint32_t k = 0; k < ZTI_LL_MODELS; k++)
        zti_ans_place(slot->model[k].decode, ZTI_LL_ALPHABET, &slot->model[k]);
    if (!zti_tf_decode_front(&r, slot, &from->front) || r.end - r.at >= 8)
        return false;
    for (uint32_t k = 0; k < ZTI_TF_CONTEXTS; k++)
        from->table[k] = slot->model[from->front.model_of[k]].decode;
    from->step = step_of(coding, from->front.step_parts);
    set_weights(slot, from->front.shift);
#if defined(ZTI_WITH_AVX2)
    from->lanes = lane_tables_of(slot->model, &from->front);
#endif
    zti_tf_set_items(&slot->layout, from->front.parts_way);
    return open_parts(slot, c);
}

/* Decode a part of a tile from the tile's bytes behind its first ones, and copy it; false: they are
 * no tile's. */
static bool read_tile(const struct zti_coding *coding, struct zti_tf_slot *slot,
                      struct copying *copying, struct zti_cursor *c)
{
    const struct place *const place = copying->place, *const part = &copying->box;
    const uint32_t rank = coding->grid.rank;
    struct source from = {.slot = slot};
    struct zti_tf_span box[ZTI_TF_AXES];
    size_t first = 0, end = 0;
    if (!open_tile(coding, c, &from))
        return false;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        box[a] = (struct zti_tf_span){0, slot->layout.extent[a]};
    for (uint32_t i = 0; i < rank; i++) {
        struct zti_tf_span *const s = &box[i + ZTI_TF_AXES - rank];
        s->from = (uint32_t)(part->origin[i] - place->origin[i]);
        s->to = s->from + part->extent[i];
        first = first * place->extent[i] + s->from;
        end = end * place->extent[i] + s->to - 1;
    }
    from.has_all = end + 1 - first == slot->layout.values;
    zti_tf_set_need(&slot->layout, box);
    if (!decode_bands(&from))
        return false;
    transform_back(slot);
    return read_corrections(coding, slot, from.front.parts_way, first, end + 1, c, copying);
}

/* Tiles to decode. */
struct decoding {
    const struct zti_coding *coding;
    struct zti_bit_reader *r;
    uint64_t first, last;
    const struct zti_view *view; /* NULL: tiles are passed over */
    struct zti_tf_slot *slot;    /* NULL with no view */
};

static bool decode_tile(const struct decoding *d, const struct place *place, struct zti_cursor *c,
                        bool is_raw)
{
    struct place part = {.extent = {0}};
    const uint8_t *const raw = is_raw ? c->at : NULL;
    if (c->is_bad || !d->view || !part_in_view(d->view, place, &part))
        return !c->is_bad;
    struct copying copying = scattering(d->slot, d->view, place, &part, raw);
    if (is_raw) {
        scatter(d->slot, &copying);
        return true;
    }
    set_extent(d->coding, place, &d->slot->layout);
    return read_tile(d->coding, d->slot, &copying, c);
}

static void decode_tiles(void *shared, struct zti_crew *crew)
{
    const struct decoding *const d = shared;
    struct zti_bit_reader *const r = d->r;
    struct zti_walk walk = zti_walk_from(&d->coding->grid, d->first);
    if (d->slot)
        d->slot->crew = crew;
    for (; walk.tile < d->last && r->at <= r->end; zti_walk_next(&d->coding->grid, &walk)) {
        const struct place place = place_of(d->coding, &walk);
        const size_t values = box_values(&place, d->coding->grid.rank);
        bool is_raw;
        struct zti_cursor c = tile_bytes(r, values * zt_type_bytes(d->coding->type), &is_raw);
        const uint8_t *const end = c.end;
        if (decode_tile(d, &place, &c, is_raw))
            r->at = (uint64_t)(end - r->base) * 8;
        else
            r->at = r->end + 1; /* as if it were cut short: exec refuses it */
    }
}

static void decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, const struct zti_view *view)
{
    struct zti_tf *const model = coding->model;
    struct decoding d = {coding, r, first, last, view, view ? &model->slot : NULL};
    zti_crew_run(view ? model->slot.workers : 1, decode_tiles, &d);
}
