/* encode.h: kernel text of the lossless coder, for values of one width: values of a box to the
 * order of coding; samples and counts of these, for the host; keys, residuals, symbols and
 * contexts, and bits that are left open. The includer defines WIDTH and NAME.
 *
 * A thread has a value, but for what follows a chain: keys and codes of marked values come from
 * those of neighbours that may be marked. These go in waves, after all others. */
#include "codec/sz/lossless/gpu/contexts.h"
#include "codec/sz/lossless/gpu/job.h"

#include "codec/sz/lossless/value.h"

#include "codec/sz/lossless/gpu/reach.h"

#if WIDTH == 32
typedef unsigned atom; /* as atomics have it */
#else
typedef unsigned long long atom;
#endif

/* ---- values ---- */

/* The number of a value's multiple; false: it has none. */
static __device__ __forceinline__ bool number_of_bits(const struct ll_job *j, uint64_t bits,
                                                      value *to)
{
    const uint32_t low = (uint32_t)bits, type = j->box.array.type;
    float single;
    memcpy(&single, &low, sizeof single);
    return type == ZT_F32   ? number_of_float(&j->sz, single, to)
           : type == ZT_F64 ? number_of_double(&j->sz, zti_double_from_bits(bits), to)
           : type == ZT_I32 ? number_of_integer(&j->sz, (int32_t)low, to)
                            : number_of_integer(&j->sz, (int64_t)bits, to);
}

SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4) NAME(ll_gather)(SIMT_ARGUMENT struct ll_job j)
{
    bool is_beyond = false;
    for (uint32_t i = ll_own_number(); i < j.shape.values; i += ll_all_threads()) {
        const uint64_t bits = sz_box_bits(&j.box, ll_place_in_order(&j.shape, i));
        value v = (value)bits;
        if (j.is_multiples)
            is_beyond |= !number_of_bits(&j, bits, &v);
        ((value *)j.values)[i] = v;
    }
    if (is_beyond)
        (void)atomicOr(&j.sums->is_beyond, 1u);
}

/* ---- what the host looks at ---- */

SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4)
    NAME(ll_sample)(SIMT_ARGUMENT struct ll_job j, uint32_t first, uint32_t every, uint32_t n)
{
    for (uint32_t i = ll_own_number(); i < n; i += ll_all_threads())
        ((value *)j.found)[i] = ((const value *)j.values)[(size_t)first + (size_t)i * every];
}

SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4)
    NAME(ll_copy_boxes)(SIMT_ARGUMENT struct ll_job j, SIMT_ARGUMENT struct ll_boxes boxes)
{
    const uint32_t *const dim = boxes.box[0].dim; /* all are alike */
    const uint32_t each = dim[0] * dim[1] * dim[2] * dim[3];
    for (uint32_t i = ll_own_number(); i < boxes.n * each; i += ll_all_threads()) {
        const struct zti_ll_box *const box = &boxes.box[i / each];
        const uint32_t row = i % each / dim[3];
        ((value *)j.found)[i] =
            ((const value *)j.values)[ll_box_row(&j.shape, box, row) + i % dim[3]];
    }
}

SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4)
    NAME(ll_count_equal)(SIMT_ARGUMENT struct ll_job j, uint64_t bits)
{
    uint32_t count = 0;
    for (uint32_t i = ll_own_number(); i < j.shape.values; i += ll_all_threads())
        count += ((const value *)j.values)[i] == (value)bits;
    count = simt_reduce_add(count);
    if (threadIdx.x % 32 == 0 && count > 0)
        (void)atomicAdd(&j.sums->count, count);
}

/* Exponents of all values, or of a piece in eight. */
SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4)
    NAME(ll_count_exponents)(SIMT_ARGUMENT struct ll_job j, bool is_all, uint64_t none)
{
    SIMT_SHARED(unsigned, count, [EXPONENTS]);
    SIMT_SHARED(atom, bits, [EXPONENTS]);
    for (uint32_t i = threadIdx.x; i < EXPONENTS; i += LL_JOB_THREADS) {
        count[i] = 0;
        bits[i] = 0;
    }
    __syncthreads();
    for (uint32_t i = ll_own_number(); i < j.shape.values; i += ll_all_threads()) {
        const value v = ((const value *)j.values)[i];
        const uint32_t exponent = (uint32_t)(v >> MANTISSA) & (EXPONENTS - 1);
        if ((!is_all && i % ZTI_LL_PIECES_APART >= ZTI_LL_PIECE_VALUES) || v == (value)none)
            continue;
        (void)atomicAdd(&count[exponent], 1u);
        (void)atomicOr(&bits[exponent], (atom)(v & (ONE - 1)));
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < EXPONENTS; i += LL_JOB_THREADS) {
        if (count[i] == 0)
            continue;
        (void)atomicAdd((unsigned *)&j.exponents->count[i], count[i]);
        (void)atomicOr((unsigned long long *)&j.exponents->bits[i], (unsigned long long)bits[i]);
    }
}

/* Numbers that are not negative have the order of their bits. */
SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4) NAME(ll_find_least)(SIMT_ARGUMENT struct ll_job j)
{
    unsigned long long most = 0;
    for (uint32_t i = ll_own_number(); i < j.shape.values; i += ll_all_threads()) {
        const double x = fabs(number_of(j.type, ((const value *)j.values)[i]));
        const unsigned long long bits = ~zti_bits_of_double(x);
        most = x > ZTI_LL_LEAST_MAGNITUDE && bits > most ? bits : most;
    }
    if (most > 0)
        (void)atomicMax(&j.sums->most, most);
}

/* Empty places of the table of distinct values are 0; a value that is ranked so is noted aside. */
SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4)
    NAME(ll_find_distinct)(SIMT_ARGUMENT struct ll_job j)
{
    enum { PLACES = 1 << ZTI_LL_DISTINCT_BITS };
    const value *const v = (const value *)j.values;
    const bool is_float = zti_is_float(j.type);
    for (uint32_t i = ll_own_number(); i < j.shape.values; i += ll_all_threads()) {
        const unsigned long long one = ranked(order_of(is_float, v[i]));
        uint32_t at = ll_place_of_distinct(one);
        if (i > 0 && v[i] == v[i - 1])
            continue;
        if (one == 0 && atomicOr(&j.sums->has_empty, 1u) == 0)
            (void)atomicAdd(&j.sums->count, 1u);
        while (one > 0 && atomicAdd(&j.sums->count, 0u) <= ZTI_LL_MOST_RANKS) {
            const unsigned long long before = atomicCAS(&j.distinct[at], 0ull, one);
            if (before == 0)
                (void)atomicAdd(&j.sums->count, 1u);
            if (before == 0 || before == one)
                break;
            at = (at + 1) % PLACES;
        }
    }
}

#include "codec/sz/lossless/gpu/repeats.h"

/* ---- keys ---- */

/* The key and the mark of a value; *open: bits that the transform leaves open. */
static __device__ __forceinline__ uint32_t key_of(const struct ll_job *j,
                                                  const struct zti_ll_transform *t, uint32_t row,
                                                  value v, key *k, uint32_t *open)
{
    const bool is_float = zti_is_float(j->type);
    bool is_one = true;
    *k = 0;
    *open = 0;
    if (t->has_fill && v == (value)t->fill)
        return ZTI_LL_MARK_FILL;
    switch (t->kind) {
    case ZTI_LL_ORDER: *k = order_of(is_float, v); break;
    case ZTI_LL_LINEAR:
        *k = linear_key(t->base, t->zeros, v);
        (void)linear_field(t, open_bits(t, (uint32_t)((v & (SIGN - 1)) >> MANTISSA)), v, open);
        break;
    case ZTI_LL_DECIMAL: is_one = decimal_of(ll_ten_to(t->digits), v, k); break;
    case ZTI_LL_LATTICE: {
        const uint32_t slice = ll_part(row, j->shape.inverse[1]);
        is_one = lattice_of(t->offset[slice], t->step[slice], v, k);
        break;
    }
    case ZTI_LL_DIGITS: is_one = digits_of(j->ten, j->type, t, v, k); break;
    default: is_one = rank_of(t, (value)order_of(is_float, v), k);
    }
    return is_one ? 0 : ZTI_LL_MARK_RAW;
}

SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4) NAME(ll_make_keys)(SIMT_ARGUMENT struct ll_job j)
{
    const struct zti_ll_transform *const t = &j.front->t;
    uint64_t open = 0;
    uint32_t raw = 0;
    for (uint32_t i = ll_own_number(); i < j.shape.values; i += ll_all_threads()) {
        const uint32_t row = i / j.shape.width;
        const size_t cell = ll_cell_of(&j.shape, i);
        uint32_t bits;
        key k;
        const uint32_t mark = key_of(&j, t, row, ((const value *)j.values)[i], &k, &bits);
        ((key *)j.keys)[cell] = k;
        j.marks[cell] = (uint8_t)mark;
        raw += mark == ZTI_LL_MARK_RAW;
        open += bits;
    }
    open += (uint64_t)raw * WIDTH;
    if (raw > 0)
        (void)atomicAdd(&j.sums->count, raw);
    if (open > 0)
        (void)atomicAdd(&j.sums->open_bits, (unsigned long long)open);
}

/* The key that the first value of a plane gets, if it is marked: that of the nearest plane before
 * whose first value is not. */
static __device__ __forceinline__ void fill_first(const struct ll_job *j, uint32_t row, key *k)
{
    const struct zti_ll_shape *const s = &j->shape;
    uint32_t from = row;
    while (j->marks[ll_cell(s, from)] && ll_regime(s, from) & 2)
        from -= ll_rows_back(s, 1);
    k[ll_cell(s, row)] = j->marks[ll_cell(s, from)] ? 0 : k[ll_cell(s, from)];
}

/* Keys of marked values. A block has a plane, a thread a row, which is a value behind the row
 * before it, so that the first value is another row's a step later; lanes have a thread each. */
SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4) NAME(ll_fill_keys)(SIMT_ARGUMENT struct ll_job j)
{
    const struct zti_ll_shape *const s = &j.shape;
    key *const k = (key *)j.keys;
    if (!j.front->t.has_fill && j.sums->count == 0)
        return;
    if (s->is_lanes) {
        for (uint32_t x = threadIdx.x; x < s->width; x += LL_JOB_THREADS)
            for (uint32_t row = 0; row < s->rows && x < ll_width(s, row); row++) {
                const size_t cell = ll_cell(s, row) + x;
                if (j.marks[cell])
                    k[cell] = filler(s, k, ll_regime(s, row), cell, x == 0);
            }
        return;
    }
    const uint32_t first = blockIdx.x * s->dim[2];
    if (threadIdx.x == 0 && j.marks[ll_cell(s, first)])
        fill_first(&j, first, k);
    for (uint32_t from = 0; from < s->dim[2]; from += LL_JOB_THREADS) {
        const uint32_t rows = simt_at_most(s->dim[2] - from, LL_JOB_THREADS);
        const uint32_t row = first + from + threadIdx.x, regime = from + threadIdx.x > 0 ? 1 : 0;
        for (uint32_t step = 0; step < s->width + rows - 1; step++) {
            const uint32_t x = step - threadIdx.x;
            if (threadIdx.x < rows && x < s->width && (x > 0 || regime > 0)) {
                const size_t cell = ll_cell(s, row) + x;
                if (j.marks[cell])
                    k[cell] = filler(s, k, regime, cell, x == 0);
            }
            __syncthreads();
        }
    }
}

/* Margins of keys and marks: a thread has a row. */
SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4) NAME(ll_set_margins)(SIMT_ARGUMENT struct ll_job j)
{
    const struct zti_ll_shape *const s = &j.shape;
    for (uint32_t row = ll_own_number(); row < s->rows; row += ll_all_threads()) {
        const size_t first = ll_cell(s, row), end = first + ll_width(s, row);
        begin_margin(s, row, (key *)j.keys);
        end_margin(s, row, (key *)j.keys);
        for (uint32_t i = 1; i <= ZTI_LL_MARGIN; i++)
            j.marks[first - i] = j.marks[first];
        for (size_t i = end; i < first + s->width + ZTI_LL_MARGIN; i++)
            j.marks[i] = j.marks[end - 1];
    }
}

/* ---- points that weights are fitted to ---- */

/* A value's taps and the value itself, and whether any is marked. */
SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 2)
    NAME(ll_list_points)(SIMT_ARGUMENT struct ll_job j, uint32_t regime, uint32_t n)
{
    SIMT_SHARED(struct zti_ll_taps, taps, );
    const struct zti_ll_shape *const s = &j.shape;
    key *const found = (key *)j.found;
    if (threadIdx.x == 0)
        taps = ll_taps(s, regime);
    __syncthreads();
    const uint32_t all = taps.before + taps.own;
    for (uint32_t i = ll_own_number(); i < n; i += ll_all_threads()) {
        const uint32_t row = j.number[i] / s->width, x = j.number[i] - row * s->width;
        const struct zti_ll_place place = ll_place(s, row);
        const size_t cell = ll_cell(s, row) + x;
        uint32_t marks = j.marks[cell];
        for (uint32_t k = 0; k < all; k++) {
            const size_t at = k < taps.before ? ll_tap_cell(s, &place, taps.tap[k]) + x
                                              : cell - 1 - (k - taps.before);
            found[(size_t)k * n + i] = ((const key *)j.keys)[at];
            marks |= j.marks[at];
        }
        found[(size_t)all * n + i] = ((const key *)j.keys)[cell];
        j.marked[i] = marks != 0;
    }
}

/* ---- residuals ---- */

/* Pieces of rows, which warps share. */
struct pieces {
    uint32_t each, next, all; /* of a row; of all */
    uint32_t row, from, to;   /* the piece's values */
};

static __device__ __forceinline__ struct pieces pieces_of(const struct zti_ll_shape *s)
{
    const uint32_t each = (s->width + LL_ROW_PIECE - 1) / LL_ROW_PIECE;
    const struct pieces p = {each, ll_own_number() / 32, each * s->rows, 0, 0, 0};
    return p;
}

static __device__ __forceinline__ bool next_piece(const struct zti_ll_shape *s, struct pieces *p)
{
    if (p->next >= p->all)
        return false;
    p->row = p->next / p->each;
    p->from = p->next % p->each * LL_ROW_PIECE;
    p->to = simt_at_most(ll_width(s, p->row), p->from + LL_ROW_PIECE);
    p->next += ll_all_threads() / 32;
    return true;
}

/* What a row that repeats one has for value x. */
static __device__ __forceinline__ value repeated(const struct zti_ll_shape *s,
                                                 const struct zti_ll_transform *t, uint32_t row,
                                                 uint32_t x, const key *k)
{
    const key *const from = k + ll_cell(s, (uint32_t)t->source[row]);
    const uint32_t how = t->how[row];
    const value same = (value)from[ll_mirrored(how, t->mirror, s->width, x)];
    return !(how & 2) ? same : t->kind <= ZTI_LL_LINEAR ? ~same : 0 - same;
}

SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 3)
    NAME(ll_make_differences)(SIMT_ARGUMENT struct ll_job j)
{
    SIMT_SHARED(struct reach, reach, [ZTI_LL_REGIMES]);
    const struct zti_ll_shape *const s = &j.shape;
    const struct zti_ll_transform *const t = &j.front->t;
    const key *const k = (const key *)j.keys;
    struct pieces p = pieces_of(s);
    value any = 0;
    if (threadIdx.x < ZTI_LL_REGIMES)
        open_reach(s, &j.front->p, threadIdx.x, &reach[threadIdx.x]);
    __syncthreads();
    while (next_piece(s, &p)) {
        const struct reach *const r = &reach[ll_regime(s, p.row)];
        const bool is_repeat = ll_source(t, p.row) >= 0;
        const struct offsets o = offsets_of(s, p.row, r);
        for (uint32_t x = p.from + threadIdx.x % 32; x < p.to; x += 32) {
            const size_t cell = ll_cell(s, p.row) + x;
            const key *const own = k + cell;
            value from;
            if (is_repeat)
                from = repeated(s, t, p.row, x, k);
            else if (r->has_weights)
                from = predict_by_weights(r, &o, own);
            else if (x == 0)
                from = predict_by_terms(&r->first, own);
            else
                from = predict_by_terms(&r->term, own) + (r->has_own ? (value)own[-1] : 0);
            const key residual = j.has_marks && j.marks[cell] ? 0 : difference(*own, (key)from);
            ((key *)j.residuals)[(size_t)p.row * s->width + x] = residual;
            any |= (value)(residual ^ (residual >> (WIDTH - 1)));
        }
    }
    if (any > 0)
        (void)atomicOr(&j.sums->any, (unsigned long long)any);
}

/* ---- symbols ---- */

static __device__ __forceinline__ bool has_signs(const struct ll_job *j)
{
    return ll_have_signs((uint64_t)(value)j->sums->any + 1);
}

/* Symbols, and codes of values that have no mark. */
SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4) NAME(ll_make_codes)(SIMT_ARGUMENT struct ll_job j)
{
    const bool signs = has_signs(&j);
    uint64_t open = 0;
    for (uint32_t i = ll_own_number(); i < j.shape.values; i += ll_all_threads()) {
        const key residual = ((const key *)j.residuals)[i];
        const size_t cell = ll_cell_of(&j.shape, i);
        const uint8_t mark = j.has_marks ? j.marks[cell] : 0;
        uint64_t bits;
        (void)open_bits_of(signs, residual, &bits);
        open += bits;
        j.symbols[i] = mark ? mark : symbol_of(signs, residual);
        j.codes[cell] = (uint8_t)ll_code(size_of(residual));
    }
    if (open > 0)
        (void)atomicAdd(&j.sums->open_bits, (unsigned long long)open);
}

/* The mean of the codes that stand 32 places before; for all of a piece of a row that has no row
 * before it. */
static __device__ __forceinline__ uint32_t mean_before(const struct beginnings *b, uint32_t x)
{
    const uint32_t own = x >= ZTI_LL_PIECE ? b->code[x - ZTI_LL_PIECE + threadIdx.x % 32] : 0;
    return simt_reduce_add(own) * 8 / ZTI_LL_PIECE;
}

/* The codes of marked values of a row, from rows before and, without those, from pieces before.
 * Nobody reads the row in the step in which it is written. */
static __device__ __forceinline__ void mark_row(const struct zti_ll_shape *s,
                                                const struct beginnings *b, uint32_t width)
{
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t x = 0; x < width; x += 32) {
        const uint32_t piece = b->near.rows > 0 ? 0 : mean_before(b, x);
        if (x + lane < width && b->mark[x + lane])
            b->code[x + lane] = ll_code_of_mean(b->near.rows > 0 ? mean_at(b, x + lane) : piece);
        simt_order_warp();
    }
    end_row(b, width, s->width);
}

/* Codes of marked values come from those of rows before. So where there are marks, one block goes
 * through all rows: a step has the rows whose y + z + t is the same, a warp each. Without marks,
 * only the margins of rows are set. */
SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 3) NAME(ll_mark_codes)(SIMT_ARGUMENT struct ll_job j)
{
    const struct zti_ll_shape *const s = &j.shape;
    const struct zti_ll_transform *const t = &j.front->t;
    struct beginnings b = beginnings_of(s, j.has_marks);
    const uint32_t planes = s->dim[0] * s->dim[1];
    for (uint32_t row = ll_own_number() / 32; !j.has_marks && row < s->rows;
         row += ll_all_threads() / 32) {
        b.code = j.codes + ll_cell(s, row);
        end_row(&b, ll_width(s, row), s->width);
    }
    for (uint32_t step = 0; j.has_marks && step < s->dim[0] + s->dim[1] + s->dim[2] - 2; step++) {
        for (uint32_t plane = threadIdx.x / 32; plane < planes; plane += LL_JOB_WARPS) {
            const uint32_t at_t = ll_part(plane, s->inverse[0]);
            const uint32_t before = at_t + (plane - at_t * s->dim[1]);
            const uint32_t row = plane * s->dim[2] + step - before;
            if (step < before || step - before >= s->dim[2])
                continue;
            begin_row(&b, s, t, row, j.codes, j.marks);
            mark_row(s, &b, ll_width(s, row));
        }
        __syncthreads();
    }
}

/* Contexts, and how often they occur among four values in sixteen. */
SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 3)
    NAME(ll_find_contexts)(SIMT_ARGUMENT struct ll_job j)
{
    enum { COUNTED = 4, OF = 16 };
    SIMT_SHARED(unsigned, count, [ZTI_LL_CONTEXTS]);
    const struct zti_ll_shape *const s = &j.shape;
    struct beginnings b = beginnings_of(s, j.has_marks);
    struct pieces p = pieces_of(s);
    for (uint32_t i = threadIdx.x; i < ZTI_LL_CONTEXTS; i += LL_JOB_THREADS)
        count[i] = 0;
    __syncthreads();
    while (next_piece(s, &p)) {
        begin_row(&b, s, &j.front->t, p.row, j.codes, j.marks);
        for (uint32_t x = p.from; x < p.to; x += 32) {
            const uint32_t own = x + threadIdx.x % 32, i = p.row * s->width + own;
            uint32_t mean = b.near.rows > 0 ? 0 : mean_before(&b, x);
            if (own >= p.to)
                continue;
            mean = b.near.rows > 0 ? mean_at(&b, own) : mean;
            const uint32_t context = context_at(&b, own, mean);
            j.contexts[i] = (uint16_t)context;
            if (i % OF < COUNTED && i - i % OF + COUNTED <= s->values)
                (void)atomicAdd(&count[context], 1u);
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < ZTI_LL_CONTEXTS; i += LL_JOB_THREADS)
        if (count[i] > 0)
            (void)atomicAdd(&j.sums->contexts[i], count[i]);
}

/* ---- open bits: a warp has a part of the values in one of two lists ---- */

/* What value i leaves open: of its symbol, or of its transform. */
static __device__ __forceinline__ uint64_t field_at(const struct ll_job *j, uint32_t list,
                                                    uint32_t i, uint32_t *count)
{
    const struct zti_ll_transform *const t = &j->front->t;
    uint64_t bits, n = 0;
    *count = 0;
    if (list == 0) {
        bits = open_bits_of(j->has_signs, ((const key *)j->residuals)[i], &n);
        *count = (uint32_t)n;
        return bits;
    }
    const value v = ((const value *)j->values)[i];
    const uint8_t mark = j->has_marks ? j->marks[ll_cell_of(&j->shape, i)] : 0;
    if (mark) {
        *count = mark == ZTI_LL_MARK_RAW ? WIDTH : 0;
        return mark == ZTI_LL_MARK_RAW ? v : 0;
    }
    if (t->kind != ZTI_LL_LINEAR)
        return 0;
    return linear_field(t, open_bits(t, (uint32_t)((v & (SIGN - 1)) >> MANTISSA)), v, count);
}

SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4)
    NAME(ll_measure_lists)(SIMT_ARGUMENT struct ll_job j)
{
    for (uint32_t w = ll_own_number() / 32; w < LL_LISTS * j.parts; w += ll_all_threads() / 32) {
        const uint32_t list = w / j.parts, from = w % j.parts * LL_PART_VALUES;
        const uint32_t to = simt_at_most(j.shape.values, from + LL_PART_VALUES);
        uint32_t bits = 0, n;
        for (uint32_t i = from + threadIdx.x % 32; i < to; i += 32) {
            (void)field_at(&j, list, i, &n);
            bits += n;
        }
        bits = simt_reduce_add(bits);
        if (threadIdx.x % 32 == 0)
            j.lengths[w] = bits;
    }
}

SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4) NAME(ll_put_lists)(SIMT_ARGUMENT struct ll_job j)
{
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t w = ll_own_number() / 32; w < LL_LISTS * j.parts; w += ll_all_threads() / 32) {
        const uint32_t list = w / j.parts, from = w % j.parts * LL_PART_VALUES;
        const uint32_t to = simt_at_most(j.shape.values, from + LL_PART_VALUES);
        uint64_t before = 0;
        for (uint32_t i = list * j.parts + lane; i < w; i += 32)
            before += j.lengths[i];
        before = lookback_total(before);
        for (uint32_t i = from; i < to; i += 32) {
            uint32_t n = 0;
            const uint64_t v = i + lane < to ? field_at(&j, list, i + lane, &n) : 0;
            const uint32_t up_to = warp_sums_32(n);
            put_field(j.lists[list], before + up_to - n, v, n);
            before += __shfl_sync(SIMT_ALL_LANES, up_to, 31);
        }
    }
}

/* ---- launches ---- */

static void NAME(gather)(const struct ll_job *j, void *queue)
{
    SIMT_LAUNCH(NAME(ll_gather), ll_grid(j->shape.values), LL_JOB_THREADS, 0, queue, *j);
}

static void NAME(sample)(const struct ll_job *j, uint32_t first, uint32_t every, uint32_t n,
                         void *queue)
{
    SIMT_LAUNCH(NAME(ll_sample), ll_grid(n), LL_JOB_THREADS, 0, queue, *j, first, every, n);
}

static void NAME(boxes)(const struct ll_job *j, const struct ll_boxes *boxes, void *queue)
{
    const uint32_t *const dim = boxes->box[0].dim;
    const uint32_t values = boxes->n * dim[0] * dim[1] * dim[2] * dim[3];
    SIMT_LAUNCH(NAME(ll_copy_boxes), ll_grid(values), LL_JOB_THREADS, 0, queue, *j, *boxes);
}

static void NAME(count_equal)(const struct ll_job *j, uint64_t bits, void *queue)
{
    SIMT_LAUNCH(NAME(ll_count_equal), ll_grid(j->shape.values), LL_JOB_THREADS, 0, queue, *j, bits);
}

static void NAME(count_exponents)(const struct ll_job *j, bool is_all, uint64_t none, void *queue)
{
    enum { EACH = 32 }; /* values of a thread: counts are cleared and added for each block */
    SIMT_LAUNCH(NAME(ll_count_exponents), ll_grid(j->shape.values / EACH + 1), LL_JOB_THREADS, 0,
                queue, *j, is_all, none);
}

static void NAME(least)(const struct ll_job *j, void *queue)
{
    SIMT_LAUNCH(NAME(ll_find_least), ll_grid(j->shape.values), LL_JOB_THREADS, 0, queue, *j);
}

static void NAME(distinct)(const struct ll_job *j, void *queue)
{
    SIMT_LAUNCH(NAME(ll_find_distinct), ll_grid(j->shape.values), LL_JOB_THREADS, 0, queue, *j);
}

static void NAME(make_keys)(const struct ll_job *j, void *queue)
{
    const uint32_t planes = j->shape.is_lanes ? 1 : j->shape.slices;
    SIMT_LAUNCH(NAME(ll_make_keys), ll_grid(j->shape.values), LL_JOB_THREADS, 0, queue, *j);
    SIMT_LAUNCH(NAME(ll_fill_keys), planes, LL_JOB_THREADS, 0, queue, *j);
    SIMT_LAUNCH(NAME(ll_set_margins), ll_grid(j->shape.rows), LL_JOB_THREADS, 0, queue, *j);
}

static void NAME(points)(const struct ll_job *j, uint32_t regime, uint32_t n, void *queue)
{
    SIMT_LAUNCH(NAME(ll_list_points), ll_grid(n), LL_JOB_THREADS, 0, queue, *j, regime, n);
}

static void NAME(make_symbols)(const struct ll_job *j, void *queue)
{
    const uint32_t values = j->shape.values, rows = ll_grid(32 * (uint64_t)j->shape.rows);
    SIMT_LAUNCH(NAME(ll_make_differences), ll_grid(values), LL_JOB_THREADS, 0, queue, *j);
    SIMT_LAUNCH(NAME(ll_make_codes), ll_grid(values), LL_JOB_THREADS, 0, queue, *j);
    SIMT_LAUNCH(NAME(ll_mark_codes), j->has_marks ? 1 : rows, LL_JOB_THREADS, 0, queue, *j);
    SIMT_LAUNCH(NAME(ll_find_contexts), ll_grid(values), LL_JOB_THREADS, 0, queue, *j);
}

static void NAME(put_lists)(const struct ll_job *j, void *queue)
{
    const uint32_t warps = LL_LISTS * j->parts;
    SIMT_LAUNCH(NAME(ll_measure_lists), ll_grid(32 * (uint64_t)warps), LL_JOB_THREADS, 0, queue,
                *j);
    SIMT_LAUNCH(NAME(ll_put_lists), ll_grid(32 * (uint64_t)warps), LL_JOB_THREADS, 0, queue, *j);
}

extern "C" const struct ll_kernels NAME(zti_ll_cuda_encode) = {
    NAME(gather),    NAME(sample),    NAME(boxes),       NAME(count_equal), NAME(count_exponents),
    NAME(least),     NAME(distinct),  NAME(make_keys),   NAME(points),      NAME(make_symbols),
    NAME(put_lists), NAME(find_hits), NAME(find_sources)};
