/* values.h: kernel text: a tile's values out of an array, as numbers, and into a view. */

static void set_extent(const struct zti_coding *coding, const struct place *place,
                       struct zti_tf_plan *plan)
{
    uint32_t extent[ZTI_TF_AXES] = {1, 1, 1, 1};
    const uint32_t rank = coding->grid.rank;
    for (uint32_t i = 0; i < rank; i++)
        extent[i + ZTI_TF_AXES - rank] = place->extent[i];
    zti_tf_set_extent(plan, extent);
}

/* The next row of a tile in C order; false past the last one. */
static bool next_line(const struct place *place, uint32_t rank, uint64_t *at)
{
    for (uint32_t i = rank - 1; i-- > 0; at[i] = place->origin[i])
        if (++at[i] < place->origin[i] + place->extent[i])
            return true;
    return false;
}

/* The values of a tile, in C order; false where not all of them are finite. */
static bool gather(const struct zti_array *array, const struct place *place, number *to)
{
    const uint32_t last = array->rank - 1, n = place->extent[last];
    const int64_t stride = array->stride[last];
    uint64_t at[ZT_MAX_RANK];
    number none = 0; /* NaN if any of them is not finite */
    memcpy(at, place->origin, sizeof at);
    do {
        const void *const from = zti_array_at(array, at);
        if (array->type == ZT_F32)
            for (uint32_t i = 0; i < n; i++)
                to[i] = (number)((const float *)from)[(int64_t)i * stride];
        else
            for (uint32_t i = 0; i < n; i++)
                to[i] = (number)((const double *)from)[(int64_t)i * stride];
        for (uint32_t i = 0; i < n; i++)
            none += to[i] * 0;
        to += n;
    } while (next_line(place, array->rank, at));
    return none == 0;
}

/* What a view has of the values of a tile, given as numbers or, raw, as the type's bytes. */
static void scatter(const struct zti_view *view, const struct place *place, const number *decoded,
                    const uint8_t *raw)
{
    const uint32_t rank = view->out.rank, last = rank - 1;
    const size_t bytes = zt_type_bytes(view->out.type);
    struct place part;
    uint64_t at[ZT_MAX_RANK], to[ZT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < rank; i++) {
        const uint64_t end = place->origin[i] + place->extent[i];
        const uint64_t hi = view->hi[i] < end ? view->hi[i] : end;
        part.origin[i] = at[i] = view->lo[i] > place->origin[i] ? view->lo[i] : place->origin[i];
        if (part.origin[i] >= hi)
            return;
        part.extent[i] = (uint32_t)(hi - part.origin[i]);
    }
    do {
        size_t first = 0;
        for (uint32_t i = 0; i < rank; i++) {
            first = first * place->extent[i] + (size_t)(at[i] - place->origin[i]);
            to[i] = at[i] - view->lo[i];
        }
        void *const out = zti_array_at(&view->out, to);
        const int64_t stride = view->out.stride[last];
        for (uint32_t i = 0; i < part.extent[last]; i++)
            if (!decoded)
                zti_set_bits_at((uint8_t *)out + (int64_t)i * stride * (int64_t)bytes,
                                zti_get_value(raw + (first + i) * bytes, bytes), bytes);
            else if (view->out.type == ZT_F32)
                ((float *)out)[(int64_t)i * stride] = (float)decoded[first + i];
            else
                ((double *)out)[(int64_t)i * stride] = (double)decoded[first + i];
    } while (next_line(&part, rank, at));
}
