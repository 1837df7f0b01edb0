/* values.h: kernel text: a tile's values out of an array, as numbers, and into a view. */

static void set_extent(const struct zti_coding *coding, const struct place *place,
                       struct zti_tf_layout *layout)
{
    uint32_t extent[ZTI_TF_AXES] = {1, 1, 1, 1};
    const uint32_t rank = coding->grid.rank;
    for (uint32_t i = 0; i < rank; i++)
        extent[i + ZTI_TF_AXES - rank] = place->extent[i];
    zti_tf_set_extent(layout, extent);
}

enum { COPIED_VALUES = 1 << 16 }; /* of an item of work */

/* The copying of a tile's values, COPIED_VALUES of them an item of work. */
struct copying {
    const struct zti_array *array; /* values are copied from it, */
    const struct zti_view *view;   /* or to it */
    const struct place *place;     /* the tile */
    struct place box;              /* the part of the tile that is copied */
    size_t values;
    number *numbers;
    const uint8_t
        *raw; /* the values as the type's bytes, instead of numbers; NULL: there are none */
    atomic_bool is_bad; /* some are not finite */
};

static size_t copied_end(const struct copying *c, uint64_t which)
{
    const size_t left = c->values - (size_t)which * COPIED_VALUES;
    return (size_t)which * COPIED_VALUES + (left < COPIED_VALUES ? left : COPIED_VALUES);
}

static void gather_item(void *shared, uint32_t worker, uint64_t which)
{
    struct copying *const c = shared;
    struct pieces p =
        pieces_of(&c->box, c->array->rank, (size_t)which * COPIED_VALUES, copied_end(c, which));
    number *to = c->numbers + p.next;
    bool is_good = true;
    (void)worker;
    for (; next_piece(&p); to += p.n)
        is_good &= take_values(c->array, zti_array_at(c->array, p.at), p.n, to);
    if (!is_good)
        atomic_store_explicit(&c->is_bad, true, memory_order_relaxed);
}

/* The values of a tile, in C order; false where not all of them are finite. */
static bool gather(struct zti_tf_slot *slot, const struct zti_array *array,
                   const struct place *place)
{
    struct copying c = {.array = array,
                        .box = *place,
                        .values = box_values(place, array->rank),
                        .numbers = slot->values};
    zti_crew_map(slot->crew, (c.values + COPIED_VALUES - 1) / COPIED_VALUES, gather_item, &c);
    return !atomic_load_explicit(&c.is_bad, memory_order_relaxed);
}

/* The coefficients of a tile; false where not all of its values are finite. */
static bool gather_coefficients(struct zti_tf_slot *slot, const struct zti_array *array,
                                const struct place *place)
{
    struct origin origin = {.array = array, .place = place};
    const bool is_straight = has_origin(&slot->layout);
    if (!is_straight && !gather(slot, array, place))
        return false;
    transform(slot, is_straight ? &origin : NULL);
    return !atomic_load_explicit(&origin.is_bad, memory_order_relaxed);
}

/* Copy values [first, end) of the box, in C order, to the view. */
static void scatter_values(const struct copying *c, size_t first, size_t end)
{
    const struct zti_array *const out = &c->view->out;
    const uint32_t rank = out->rank;
    const size_t bytes = zt_type_bytes(out->type);
    const int64_t stride = out->stride[rank - 1];
    struct pieces p = pieces_of(&c->box, rank, first, end);
    while (next_piece(&p)) {
        size_t from = 0;
        uint64_t to[ZT_MAX_RANK] = {0};
        for (uint32_t i = 0; i < rank; i++) {
            from = from * c->place->extent[i] + (size_t)(p.at[i] - c->place->origin[i]);
            to[i] = p.at[i] - c->view->lo[i];
        }
        void *const at = zti_array_at(out, to);
        for (uint32_t i = 0; i < p.n; i++)
            if (c->raw)
                zti_set_bits_at((uint8_t *)at + (int64_t)i * stride * (int64_t)bytes,
                                zti_get_value(c->raw + (from + i) * bytes, bytes), bytes);
            else if (out->type == ZT_F32)
                ((float *)at)[(int64_t)i * stride] = (float)c->numbers[from + i];
            else
                ((double *)at)[(int64_t)i * stride] = (double)c->numbers[from + i];
    }
}

static void scatter_item(void *shared, uint32_t worker, uint64_t which)
{
    const struct copying *const c = shared;
    (void)worker;
    scatter_values(c, (size_t)which * COPIED_VALUES, copied_end(c, which));
}

/* The copying of a part of a tile to a view: of the slot's numbers or, raw, of the type's bytes. */
static struct copying scattering(const struct zti_tf_slot *slot, const struct zti_view *view,
                                 const struct place *place, const struct place *part,
                                 const uint8_t *raw)
{
    return (struct copying){.view = view,
                            .place = place,
                            .box = *part,
                            .values = box_values(part, view->out.rank),
                            .numbers = slot->values,
                            .raw = raw};
}

static void scatter(const struct zti_tf_slot *slot, struct copying *c)
{
    zti_crew_map(slot->crew, (c->values + COPIED_VALUES - 1) / COPIED_VALUES, scatter_item, c);
}
