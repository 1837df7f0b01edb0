/* wave.h: kernel text: keys of several rows from residuals, by weights, side by side: lane l has
 * row l of a block and is SKEW values behind lane l - 1, so that what its taps need is there. Cells
 * of a block are columns of one cell a row, skewed alike: in them every tap is a vector at a
 * constant distance. */

enum {
    WAVE_ROWS = LANES,
    WAVE_BEFORE = 3, /* rows before a block that taps are of, and one behind it */
    WAVE_STRIDE = WAVE_BEFORE + WAVE_ROWS + 1,
    WAVE_LEAST = WAVE_ROWS / 4, /* rows that are worth it */
    WAVE_PLANES = 6,
    WAVE_SKEW = 4,     /* at most */
    WAVE_LENGTH = 128, /* columns at a time, and what their taps may be before and behind them */
    WAVE_BACK = 4 * WAVE_SKEW,
    WAVE_AHEAD = 2 * WAVE_SKEW,
    WAVE_COLUMNS = WAVE_BACK + WAVE_LENGTH + WAVE_AHEAD
};

_Static_assert(sizeof(key) * (WAVE_PLANES * WAVE_COLUMNS + 2 * WAVE_LENGTH) * WAVE_STRIDE <=
                   ZTI_LL_WAVE_BYTES,
               "memory of a block");

/* A block of rows of a plane, whose taps are alike. */
struct wave {
    const struct zti_ll_shape *s;
    uint32_t rows, width, taps, before, planes;
    int32_t skew;              /* values that a row is behind the one before */
    struct zti_ll_place place; /* of the first row */
    struct plane {
        int32_t z, t;        /* relative to the block's */
        int32_t first, last; /* rows that taps are of */
        key *cell;           /* column 0, lane 0 */
    } plane[WAVE_PLANES];    /* the first is the block's own */
    key *residual, *marked;  /* columns of WAVE_ROWS */
    bool has_marks;
    const key *tap[ZTI_LL_TAPS]; /* of column 0 */
    real weight[ZTI_LL_TAPS];
};

/* Values of a row that columns from 'first' to before 'end' have of a lane: from *x on, so many. */
static int32_t columns_of(const struct wave *w, int32_t lane, int32_t margin, int32_t first,
                          int32_t end, int32_t *x)
{
    const int32_t from = first - w->skew * lane, to = end - w->skew * lane;
    const int32_t most = (int32_t)w->width + margin;
    *x = from > -margin ? from : -margin;
    return (to < most ? to : most) - *x;
}

/* A row's cells, margins too, to columns from 'first' on of those from 'base' on. */
static void skew_row(const struct wave *w, const key *row, int32_t lane, int32_t base,
                     int32_t first, int32_t end, key *cell)
{
    int32_t x;
    const int32_t n = columns_of(w, lane, ZTI_LL_MARGIN, first, end, &x);
    key *to = cell + (ptrdiff_t)(x + w->skew * lane - base) * WAVE_STRIDE + lane;
    for (int32_t i = 0; i < n; i++, to += WAVE_STRIDE)
        *to = row[x + i];
}

/* The same of all rows that taps need. */
static void skew_planes(const struct wave *w, const key *k, int32_t base, int32_t first,
                        int32_t end)
{
    for (uint32_t i = 0; i < w->planes; i++) {
        const struct plane *const p = &w->plane[i];
        const struct zti_ll_tap tap = {(int8_t)p->t, (int8_t)p->z, 0, 0};
        for (int32_t lane = p->first; lane <= p->last; lane++) {
            const struct zti_ll_place at = {w->place.y + lane, w->place.z, w->place.t};
            skew_row(w, k + ll_tap_cell(w->s, &at, tap), lane, base, first, end, p->cell);
        }
    }
}

/* Residuals of columns from 'base' on, and which are marked: all bits set. */
static void skew_residuals(const struct wave *w, const key *residual, const uint8_t *mark,
                           int32_t base)
{
    for (int32_t lane = 0; lane < (int32_t)w->rows; lane++) {
        int32_t x;
        const int32_t n = columns_of(w, lane, 0, base, base + WAVE_LENGTH, &x);
        const ptrdiff_t at = (ptrdiff_t)(x + w->skew * lane - base) * WAVE_ROWS + lane;
        const key *const from = residual + (size_t)lane * w->width + x;
        const uint8_t *const marks = mark + (size_t)lane * w->s->stride + x;
        for (int32_t i = 0; i < n; i++)
            w->residual[at + (ptrdiff_t)i * WAVE_ROWS] = from[i];
        for (int32_t i = 0; w->has_marks && i < n; i++)
            w->marked[at + (ptrdiff_t)i * WAVE_ROWS] = marks[i] ? -1 : 0;
    }
}

static void unskew_rows(const struct wave *w, key *k, int32_t base)
{
    for (int32_t lane = 0; lane < (int32_t)w->rows; lane++) {
        int32_t x;
        const int32_t n = columns_of(w, lane, 0, base, base + WAVE_LENGTH, &x);
        const key *from =
            w->plane[0].cell + (ptrdiff_t)(x + w->skew * lane - base) * WAVE_STRIDE + lane;
        key *const to = k + (size_t)lane * w->s->stride + x;
        for (int32_t i = 0; i < n; i++, from += WAVE_STRIDE)
            to[i] = *from;
    }
}

/* The plane of a tap, which may be new; NULL where there are too many. */
static struct plane *plane_of(struct wave *w, struct zti_ll_tap tap, key *memory)
{
    const int64_t z = w->place.z + tap.z < 0 ? -w->place.z : tap.z;
    const int64_t t = w->place.t + tap.t < 0 ? -w->place.t : tap.t;
    for (uint32_t i = 0; i < w->planes; i++)
        if (w->plane[i].z == z && w->plane[i].t == t)
            return &w->plane[i];
    if (w->planes == WAVE_PLANES)
        return NULL;
    struct plane *const p = &w->plane[w->planes];
    *p = (struct plane){.z = (int32_t)z, .t = (int32_t)t, .first = WAVE_ROWS, .last = -WAVE_BEFORE};
    p->cell = memory + ((size_t)w->planes * WAVE_COLUMNS + WAVE_BACK) * WAVE_STRIDE + WAVE_BEFORE;
    w->planes++;
    return p;
}

/* Prepare for a block; false where its taps are too far away. */
static bool open_wave(struct wave *w, const struct zti_ll_predictor *p, const struct row *row,
                      key *memory)
{
    const struct zti_ll_taps *const taps = &p->taps[row->regime];
    w->place = ll_place(w->s, row->number);
    w->width = row->width;
    w->before = taps->before;
    w->taps = taps->before + taps->own;
    w->planes = 0;
    w->skew = WAVE_SKEW - 1;
    (void)plane_of(w, (struct zti_ll_tap){0, 0, 0, 0}, memory);
    w->plane[0].first = -WAVE_BEFORE;
    w->plane[0].last = -1;
    for (uint32_t i = 0; i < taps->before; i++)
        if (taps->tap[i].x > 1)
            w->skew = WAVE_SKEW;
    for (uint32_t i = 0; i < w->taps; i++) {
        const bool is_own = i >= taps->before;
        const struct zti_ll_tap own = {0, 0, 0, (int8_t)(-1 - (int)(i - taps->before))};
        const struct zti_ll_tap tap = is_own ? own : taps->tap[i];
        struct plane *const plane = plane_of(w, tap, memory);
        if (!plane || tap.y < -WAVE_BEFORE || tap.y > 1)
            return false;
        if (plane > w->plane) {
            plane->first = tap.y < plane->first ? tap.y : plane->first;
            plane->last = WAVE_ROWS - 1 + tap.y > plane->last ? WAVE_ROWS - 1 + tap.y : plane->last;
        }
        w->tap[i] = plane->cell + (ptrdiff_t)(tap.x + w->skew * tap.y) * WAVE_STRIDE + tap.y;
        w->weight[i] = (real)row->weight[i];
    }
    w->residual = memory + (size_t)WAVE_PLANES * WAVE_COLUMNS * WAVE_STRIDE;
    w->marked = w->residual + WAVE_LENGTH * WAVE_ROWS;
    return true;
}

/* Cells of margins: before row l + 1 the first key of row l, behind a row its last key. */
static void end_column(const struct wave *w, int32_t column, int32_t base)
{
    const int32_t begun = column / w->skew, last = column - ((int32_t)w->width - 1);
    key *const cell = w->plane[0].cell + (ptrdiff_t)(column - base) * WAVE_STRIDE;
    if (column == begun * w->skew && begun + 1 < WAVE_ROWS)
        for (int32_t i = w->skew - ZTI_LL_MARGIN; i < w->skew; i++)
            cell[(ptrdiff_t)i * WAVE_STRIDE + begun + 1] = cell[begun];
    if (last >= 0 && last == last / w->skew * w->skew && last / w->skew < WAVE_ROWS)
        for (int32_t i = 1; i <= ZTI_LL_MARGIN; i++)
            cell[(ptrdiff_t)i * WAVE_STRIDE + last / w->skew] = cell[last / w->skew];
}

/* How many values lanes are behind the first. */
static keys lags_of(const struct wave *w)
{
    keys lag = {0};
    for (int32_t i = 0; i < WAVE_ROWS; i++)
        lag[i] = w->skew * i;
    return lag;
}

/* As 'filler' of rows that have a row before: of the key before and that of the row before; lanes
 * that begin a row have the latter. */
ZTI_INLINE keys filler_all(keys before, keys north, keys is_first)
{
    const keys mean = (keys)((vector)(before >> 1) + (vector)(north >> 1));
    return (north & is_first) | (mean & ~is_first);
}

/* Keys of columns. is_full: in each of them all lanes have a value. */
ZTI_INLINE void run_columns(const struct wave *w, int32_t base, int32_t first, int32_t end,
                            bool is_full)
{
    const keys lag = lags_of(w);
    const ptrdiff_t north = -(ptrdiff_t)w->skew * WAVE_STRIDE - 1;
    key *cell = w->plane[0].cell + (ptrdiff_t)(first - base) * WAVE_STRIDE;
    keys nearest = load_keys(cell - WAVE_STRIDE);
    for (int32_t column = first; column < end; column++, cell += WAVE_STRIDE) {
        const ptrdiff_t at = (ptrdiff_t)(column - base) * WAVE_STRIDE;
        const keys origin = load_keys(w->tap[0] + at), before = nearest;
        reals sum = {0};
        for (uint32_t i = 1; i < w->before; i++)
            sum += w->weight[i] * distance(load_keys(w->tap[i] + at), origin);
        for (uint32_t i = w->taps; i-- > w->before + 1;)
            sum += w->weight[i] * distance(load_keys(w->tap[i] + at), origin);
        sum += w->weight[w->before] * distance(nearest, origin);
        const keys residual = load_keys(w->residual + (ptrdiff_t)(column - base) * WAVE_ROWS);
        nearest = (keys)((vector)origin + (vector)rounded_all(sum) + (vector)residual);
        if (w->has_marks) {
            const keys marked = load_keys(w->marked + (ptrdiff_t)(column - base) * WAVE_ROWS);
            const keys fill = filler_all(before, load_keys(cell + north), lag == column);
            nearest = (fill & marked) | (nearest & ~marked);
        }
        if (!is_full) {
            const keys within = (keys)(lag <= column) & (keys)(lag > column - (int32_t)w->width);
            nearest = (nearest & within) | (load_keys(cell) & ~within);
        }
        memcpy(cell, &nearest, sizeof nearest);
        if (!is_full) {
            end_column(w, column, base);
            nearest = load_keys(cell);
        }
    }
}

/* Keys of a block of rows from their residuals, which follow each other; k: cells. */
static void residuals_to_rows(struct wave *w, key *k, const uint8_t *mark, const struct row *row,
                              const key *residual)
{
    const int32_t whole = (int32_t)w->width - 1, lag = w->skew * (WAVE_ROWS - 1);
    const int32_t columns = whole + 1 + lag;
    key *const own = k + row->cell;
    skew_planes(w, k, 0, -WAVE_BACK, WAVE_AHEAD);
    for (int32_t i = -ZTI_LL_MARGIN; i < 0; i++)
        w->plane[0].cell[(ptrdiff_t)i * WAVE_STRIDE] = own[-(ptrdiff_t)w->s->stride];
    for (int32_t base = 0; base < columns; base += WAVE_LENGTH) {
        const int32_t end = base + WAVE_LENGTH < columns ? base + WAVE_LENGTH : columns;
        const int32_t full = lag < base ? base : lag < end ? lag : end;
        const int32_t cut = whole < full ? full : whole < end ? whole : end;
        skew_planes(w, k, base, base + WAVE_AHEAD, base + WAVE_LENGTH + WAVE_AHEAD);
        skew_residuals(w, residual, mark + row->cell, base);
        run_columns(w, base, base, full, false);
        run_columns(w, base, full, cut, true);
        run_columns(w, base, cut, end, false);
        unskew_rows(w, own, base);
        for (uint32_t i = 0; i < w->planes; i++) {
            key *const to = w->plane[i].cell - WAVE_BACK * WAVE_STRIDE - WAVE_BEFORE;
            memmove(to, to + WAVE_LENGTH * WAVE_STRIDE,
                    (WAVE_BACK + WAVE_AHEAD) * WAVE_STRIDE * sizeof *to);
        }
    }
}
