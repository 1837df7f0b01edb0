/* strips.h: kernel text: join neighbouring tiles along the last axis to a strip, whose rows are
 * written to the array. If a tile's rows begin and end within cache lines, writing them fetches two
 * lines for each row; the rows of a strip are mostly whole lines, which are written past the
 * caches. */

enum { WINDOW_TILES = 16 }; /* most tiles decoded before their strips are written */

/* Tiles that are decoded together, in their order, and where each goes. */
struct window {
    const struct zti_view *view; /* where all values go; NULL: the tiles are skipped */
    uint32_t tiles, strips;
    size_t used; /* bytes of the room */
    struct tile tile[WINDOW_TILES];
    const struct zti_view *to[WINDOW_TILES];
    struct zti_view strip[WINDOW_TILES]; /* strips in the room */
};

/* Copy contiguous bytes, whole cache lines past the caches. */
ZTI_INLINE void stream_bytes(void *to, const void *from, size_t bytes)
{
    size_t done = (0 - (uintptr_t)to) % 64;
    if (bytes < done + 64) {
        memcpy(to, from, bytes);
        return;
    }
    memcpy(to, from, done);
    for (; done + 64 <= bytes; done += 64)
        v_stream_line((uint8_t *)to + done, (const uint8_t *)from + done);
    memcpy((uint8_t *)to + done, (const uint8_t *)from + done, bytes - done);
}

/* The rows of an array that a tile is written to, if the whole tile is in the view. */
static bool is_in_view(const struct tile *tile, const struct zti_view *view, struct rows *rows)
{
    struct tile own = *tile;
    for (uint32_t i = 0; i < tile->rank; i++) {
        if (view->lo[i] > tile->origin[i] || view->hi[i] < tile->origin[i] + tile->extent[i])
            return false;
        own.origin[i] -= view->lo[i];
    }
    *rows = rows_of(&own, &view->out);
    return true;
}

/* Whether a tile's rows are not whole cache lines. */
static bool is_for_strips(const struct tile *tile, const struct zti_view *view)
{
    struct rows rows;
    if (!is_in_view(tile, view, &rows) || rows.bytes == 0)
        return false;
    uint64_t bits = (uintptr_t)rows.at | rows.bytes;
    for (uint32_t i = 0; i < rows.axes; i++)
        bits |= (uint64_t)rows.step[i];
    return bits % 64 != 0;
}

static bool is_beside(const struct tile *tile, const struct tile *next)
{
    const uint32_t last = tile->rank - 1;
    for (uint32_t i = 0; i < last; i++)
        if (next->origin[i] != tile->origin[i])
            return false;
    return next->origin[last] == tile->origin[last] + tile->extent[last];
}

/* Add a strip for tiles [first, end); false if there is no room for it. Its rows are contiguous if
 * those of the view are, so that they can be joined. */
static bool add_strip(const struct zti_coding *coding, struct window *w, uint32_t first,
                      uint32_t end)
{
    const struct tile *const tile = &w->tile[first];
    const uint32_t last = tile->rank - 1;
    const size_t value_bytes = zt_type_bytes(coding->type);
    struct zti_view *const strip = &w->strip[w->strips];
    *strip = (struct zti_view){.out = w->view->out};
    int64_t step = 1;
    for (uint32_t i = last + 1; i-- > 0;) {
        strip->lo[i] = tile->origin[i];
        strip->hi[i] = w->tile[end - 1].origin[i] + w->tile[end - 1].extent[i];
        strip->out.shape[i] = strip->hi[i] - strip->lo[i];
        strip->out.stride[i] = step;
        step *= (int64_t)strip->out.shape[i];
        if (i == last && last > 0 && w->view->out.stride[i - 1] != step)
            step = (int64_t)((zti_round_up((uint64_t)step * value_bytes, 64) | 64) / value_bytes);
    }
    strip->out.data = coding->run.room + w->used;
    if ((uint64_t)step * value_bytes > coding->run.room_bytes - w->used)
        return false;
    w->used += (size_t)zti_round_up((uint64_t)step * value_bytes, 64);
    w->strips++;
    for (uint32_t i = first; i < end; i++)
        w->to[i] = strip;
    return true;
}

/* Choose where each tile goes: to the view, or to a strip. */
static void lay_window(const struct zti_coding *coding, struct window *w)
{
    w->used = w->strips = 0;
    for (uint32_t first = 0, end; first < w->tiles; first = end) {
        end = first + 1;
        w->to[first] = w->view;
        if (!w->view || !coding->run.room || !is_for_strips(&w->tile[first], w->view))
            continue;
        while (end < w->tiles && is_beside(&w->tile[end - 1], &w->tile[end]) &&
               is_for_strips(&w->tile[end], w->view))
            end++;
        if (end - first == 1 || !add_strip(coding, w, first, end))
            for (uint32_t i = first; i < end; i++)
                w->to[i] = w->view;
    }
}

/* Write the strips to the view. */
static void write_strips(const struct window *w)
{
    for (uint32_t i = 0; i < w->strips; i++) {
        const struct zti_view *const strip = &w->strip[i];
        const uint32_t last = strip->out.rank - 1;
        struct tile all = {.rank = last + 1};
        uint64_t left = zt_type_bytes(strip->out.type);
        for (uint32_t axis = 0; axis <= last; axis++) {
            all.origin[axis] = strip->lo[axis] - w->view->lo[axis];
            all.extent[axis] = (uint32_t)strip->out.shape[axis];
            left *= all.extent[axis];
        }
        struct rows to = joined(rows_of(&all, &w->view->out));
        const char *from = strip->out.data;
        const int64_t step =
            to.axes < last || last == 0
                ? to.bytes
                : strip->out.stride[last - 1] * (int64_t)zt_type_bytes(strip->out.type);
        for (; left > 0; left -= to.bytes, from += step, next_row(&to))
            stream_bytes((void *)(uintptr_t)to.at, from, to.bytes);
    }
}
