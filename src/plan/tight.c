/* tight.c: the loosest tolerance that keeps a bound.
 *
 * zfp's tolerance is a power of two and its guarantee holds for the worst of all tiles; what it
 * does to real ones is 0.05 to 0.6 of that. Each plane more that is dropped doubles the error. When
 * the first few values come out beyond the bound, keeping those exactly is still cheaper than a
 * plane of all others, for a while. */
#include "plan/tight.h"

#include "exec/exec.h"
#include "quality/quality.h"

#include <math.h>

enum { PLANES_MOST = 6 };

/* Bits of the sample's stream and of what is beyond the bound in it. */
static zt_status measure(struct zti_sample *s, struct zti_coding *coding, const zt_array *bricks,
                         uint8_t *back, double *bits)
{
    const double bound = coding->verify_bound;
    const uint64_t values = zti_array_values(bricks->rank, bricks->shape);
    const size_t value_bytes = zt_type_bytes(s->type);
    const zt_array out = zt_array_nd(back, (zt_type)s->type, bricks->rank, bricks->shape);
    const struct zti_view view = zti_view_whole(&out);
    uint64_t end_bits = 0, end = 0, beyond = 0;
    coding->verify_bound = (double)NAN;
    zt_status status = zti_sample_stream(s, coding, bricks, &end_bits);
    if (!status)
        status = zti_exec_decode(s->context, coding, s->stream, s->stream_bytes, 0, NULL, &view,
                                 &end);
    for (uint64_t i = 0; i < values && !status; i++)
        beyond += !zti_within(s->type, zti_bits_at(s->values, (int64_t)i, value_bytes),
                              zti_bits_at(back, (int64_t)i, value_bytes), bound);
    *bits = (double)end_bits + (double)beyond * zti_exact_bits(s->type);
    return status;
}

/* Planes to drop, by the first of them after which it gets no better. */
static zt_status find_planes(struct zti_sample *s, const struct zti_coding *coding, uint8_t *back,
                             uint32_t *planes)
{
    double least = 0, bits;
    uint64_t shape[ZT_MAX_RANK];
    memcpy(shape, s->brick, sizeof shape);
    shape[0] *= s->bricks;
    const zt_array bricks = zt_array_nd(s->values, (zt_type)s->type, s->rank, shape);
    for (uint32_t n = 0; n <= PLANES_MOST; n++) {
        struct zti_coding loose = *coding;
        loose.grid = zti_codec_grid(coding->codec, s->rank, shape);
        if (!coding->codec->loosen(&loose, n))
            break;
        const zt_status status = measure(s, &loose, &bricks, back, &bits);
        if (status)
            return status;
        if (n > 0 && bits >= least)
            break;
        *planes = n;
        least = bits;
    }
    return ZT_OK;
}

zt_status zti_plan_tighten(zt_context *context, const zt_array *array, const struct zti_ask *ask,
                           struct zti_coding *coding)
{
    enum { PART = 48, LEAST = 1 << 16, BRICK_VALUES = 1024 };
    const uint64_t some = zti_array_values(array->rank, array->shape) / PART;
    struct zti_sample s;
    uint32_t planes = 0;
    if (!coding->codec->loosen || isnan(coding->verify_bound) || ask->kind != ZT_ABS)
        return ZT_OK;
    zt_status status = zti_sample_take(context, array, ask, some > LEAST ? some : LEAST,
                                       BRICK_VALUES, false, &s);
    uint8_t *back = NULL;
    if (!status)
        back = zti_alloc(context, (size_t)(s.brick_values * s.bricks) * zt_type_bytes(s.type));
    if (!status && !back)
        status = zti_fail(context, ZT_NO_MEMORY, "no memory for a sample of an array");
    if (!status)
        status = find_planes(&s, coding, back, &planes);
    if (!status)
        (void)coding->codec->loosen(coding, planes);
    zti_release(context, back);
    zti_sample_free(&s);
    return status;
}
