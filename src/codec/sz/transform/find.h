/* find.h: kernel text: which values of a tile need corrections. Values that may be beyond the bound
 * are marked by a quick test; of those that are marked some are looked at together. */

/* Marks of at most MARKED values of a row: of those that may be beyond the bound. */
enum { MARKED = 64 };

#if IS_NARROW
/* The same of as many floats, one behind the other, as fill vectors of bytes; *n: how many. */
ZTI_INLINE uint64_t mark_vectors(const float *from, const number *v, float sure, uint32_t *n)
{
    enum { VECTORS = 4, AT_A_TIME = VECTORS * V_LANES_32 };
    const u8s none = {0};
    uint64_t marks = 0;
    uint32_t i = 0;
    for (; i + AT_A_TIME <= *n; i += AT_A_TIME) {
        u32s is_far[VECTORS];
        for (uint32_t k = 0; k < VECTORS; k++) {
            const uint32_t at = i + k * V_LANES_32;
            const f32s off = (f32s)v_load_32(from + at) - (f32s)v_load_32(v + at);
            is_far[k] = (u32s) ~((f32s)((u32s)off & (UINT32_MAX >> 1)) <= sure) & 1;
        }
        marks |= v_bits_above_8(v_bytes_32(is_far), none) << i;
    }
    *n = i;
    return marks;
}
#endif

static uint64_t marks_of_row(const struct zti_array *array, const void *from, const number *v,
                             uint32_t n, double sure)
{
    const int64_t stride = array->stride[array->rank - 1];
    const float limit = tf_sure_single(sure);
    uint8_t mark[MARKED] = {0};
    uint64_t marks = 0;
    uint32_t done = 0;
#if IS_NARROW
    if (array->type == ZT_F32 && stride == 1) {
        done = n;
        marks = mark_vectors(from, v, limit, &done);
    }
#endif
    if (done == n)
        return marks;
    if (array->type == ZT_F32)
        for (uint32_t i = done; i < n; i++)
            mark[i] = !tf_is_sure_single(((const float *)from)[i * stride], (float)v[i], limit);
    else
        for (uint32_t i = done; i < n; i++)
            mark[i] = !tf_is_sure_double(((const double *)from)[i * stride], (double)v[i], sure);
    return marks | bits_of_marks(mark, MARKED);
}

/* Marked values that wait: their numbers in the tile, what they are and how they are decoded. */
enum { CANDIDATES = 256 };

struct candidates {
    uint32_t n;
    uint32_t at[CANDIDATES];
    double original[CANDIDATES], decoded[CANDIDATES];
};

/* What has been found of a chunk. */
struct found {
    zti_tf_correction *list;
    size_t count, most, exact;
};

/* The steps of each candidate, or 0 where tf_find_correction has to be asked. There are no
 * branches, so that compilers make vectors of the loop. */
ZTI_INLINE void find_steps(const struct zti_coding *coding, const struct candidates *c,
                           bool is_float, int32_t *restrict steps)
{
    const double bound = sz_of(coding)->bound, step = sz_of(coding)->step;
    const double sure = tf_sure_bound(bound), unsure = bound * ZTI_TF_UNSURE;
    for (uint32_t i = 0; i < c->n; i++) {
        const double x = c->original[i], v = c->decoded[i], off = x - v, k = rint(off / step);
        const double corrected = (double)(number)(v + k * step);
        const double left = x - (is_float ? (double)(float)corrected : corrected);
        const bool is_plain =
            (fabs(off) > unsure) & (fabs(k) <= ZTI_TF_MOST_STEPS) & (k != 0) & (fabs(left) <= sure);
        steps[i] = (int32_t)(is_plain ? k : 0);
    }
}

/* Append the correction of a candidate that find_steps does not know; false: there are too many. */
static bool append_doubtful(const struct zti_coding *coding, const struct candidates *c, uint32_t i,
                            struct found *f)
{
    const struct zti_sz *const sz = sz_of(coding);
    const uint64_t bits = tf_bits_of_number(coding->type, c->original[i]);
    int32_t steps;
    const bool is_good =
        tf_find_correction(sz, coding->type, IS_NARROW, bits, c->decoded[i], &steps);
    if (is_good && steps == 0)
        return true;
    if (f->count == f->most ||
        (!is_good && !tf_is_near_enough(coding->type, IS_NARROW, bits, sz->bound)))
        return false;
    f->list[f->count++] = tf_correction_of(c->at[i], is_good ? steps : 0);
    f->exact += !is_good;
    return true;
}

/* Append the corrections of candidates, which are none then; false: there are too many. */
static bool append_found(const struct zti_coding *coding, struct candidates *c, struct found *f)
{
    int32_t steps[CANDIDATES];
    if (coding->type == ZT_F32)
        find_steps(coding, c, true, steps);
    else
        find_steps(coding, c, false, steps);
    for (uint32_t i = 0; i < c->n; i++) {
        if (steps[i] != 0 && f->count < f->most)
            f->list[f->count++] = tf_correction_of(c->at[i], steps[i]);
        else if (!append_doubtful(coding, c, i, f))
            return false;
    }
    c->n = 0;
    return true;
}

/* Add the candidates among n values of a row, from number 'at' of the tile on. */
static void add_candidates(const struct zti_array *array, const void *from, const number *v,
                           size_t at, uint32_t n, double bound, struct candidates *c)
{
    const int64_t stride = array->stride[array->rank - 1];
    uint64_t marks = marks_of_row(array, from, v, n, tf_sure_bound(bound));
    uint32_t k = c->n;
    for (; marks > 0; marks &= marks - 1, k++) {
        const uint32_t i = zti_ctz64(marks);
        c->at[k] = (uint32_t)(at + i);
        c->original[k] = array->type == ZT_F32 ? (double)((const float *)from)[i * stride]
                                               : ((const double *)from)[i * stride];
        c->decoded[k] = (double)v[i];
    }
    c->n = k;
}
