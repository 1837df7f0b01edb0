/* coders.c: ztile's codecs as ztile bench calls them, and the list of all. */
#include "bench/coders.h"

#include "ztile_sz.h"

/* One of ztile's codecs, at an effort, sz by a method. */
struct choice {
    uint32_t codec, effort;
    zt_sz_method method;
};

static bool always(void)
{
    return true;
}

static zt_params params_of(struct choice c, const struct subject *s, const struct target *target)
{
    zt_params p;
    (void)zt_params_init(&p, sizeof p);
    p.codec = c.codec;
    p.effort = c.effort;
    zt_params_set_sz(&p, c.method, 0);
    p.bound = target->bound;
    p.range_lo = s->lo;
    p.range_hi = s->hi;
    p.fills = s->fills;
    for (uint32_t i = 0; i < s->fills; i++)
        p.fill[i] = s->fill[i];
    return p;
}

static bool is_bound(const struct target *target)
{
    return target->bound.kind != ZT_PRECISION;
}

static bool fits_zfp(const struct subject *s, const struct target *target)
{
    (void)s;
    return is_bound(target);
}

static bool fits_any(const struct subject *s, const struct target *target)
{
    (void)s;
    (void)target;
    return true;
}

static bool fits_sz(const struct subject *s, const struct target *target)
{
    (void)s;
    return is_bound(target);
}

static bool fits_transform(const struct subject *s, const struct target *target)
{
    const bool is_float = s->type == ZT_F32 || s->type == ZT_F64;
    return is_float && is_bound(target) && target->tolerance > 0;
}

static bool fits_ndzip(const struct subject *s, const struct target *target)
{
    (void)s;
    return is_bound(target) && target->tolerance == 0;
}

static size_t capacity_of(struct choice c, const struct subject *s, const struct target *target)
{
    const zt_params p = params_of(c, s, target);
    const zt_array a = zt_array_nd(s->values, (zt_type)s->type, s->rank, s->shape);
    size_t capacity = 0;
    return zt_compress_bound(target->context, &a, &p, &capacity) == ZT_OK ? capacity : 0;
}

static size_t encode(struct choice c, const struct subject *s, const struct target *target,
                     void *out, size_t capacity)
{
    const zt_params p = params_of(c, s, target);
    const zt_array a = zt_array_nd(s->values, (zt_type)s->type, s->rank, s->shape);
    size_t n = 0;
    return zt_compress(target->context, &a, &p, out, capacity, &n) == ZT_OK ? n : 0;
}

static bool decode(const struct subject *s, const struct target *target, const void *in, size_t n,
                   void *values)
{
    zt_array a = zt_array_nd(values, (zt_type)s->type, s->rank, s->shape);
    return zt_decompress(target->context, in, n, &a) == ZT_OK;
}

/* One function for each choice, for a table holds no arguments. */
#define CODEC(id, name, fits, number, effort, method, study, rates)                                \
    static size_t capacity_##id(const struct subject *s, const struct target *target)              \
    {                                                                                              \
        return capacity_of((struct choice){number, effort, method}, s, target);                    \
    }                                                                                              \
    static size_t encode_##id(const struct subject *s, const struct target *target, void *out,     \
                              size_t capacity)                                                     \
    {                                                                                              \
        return encode((struct choice){number, effort, method}, s, target, out, capacity);          \
    }                                                                                              \
    static const struct coder                                                                      \
        coder_##id = {name,          false,       false,  always, fits_##fits,                     \
                      capacity_##id, encode_##id, decode, study,  rates};

CODEC(zfp, "zfp", zfp, ZT_CODEC_ZFP, ZT_EFFORT_DEFAULT, ZT_SZ_OWN, false, false)
CODEC(sz, "sz", sz, ZT_CODEC_SZ, ZT_EFFORT_DEFAULT, ZT_SZ_OWN, false, false)
CODEC(sz_fast, "sz-fast", sz, ZT_CODEC_SZ, ZT_EFFORT_FAST, ZT_SZ_OWN, false, false)
CODEC(sz_high, "sz-high", sz, ZT_CODEC_SZ, ZT_EFFORT_HIGH, ZT_SZ_OWN, false, false)
CODEC(sz_transform, "sz-transform", transform, ZT_CODEC_SZ, ZT_EFFORT_HIGH, ZT_SZ_TRANSFORM, true,
      false)
CODEC(sz_cusz, "sz-cusz", sz, ZT_CODEC_SZ, ZT_EFFORT_DEFAULT, ZT_SZ_CUSZ, true, false)
CODEC(zfp_rate, "zfp-rate", any, ZT_CODEC_ZFP, ZT_EFFORT_DEFAULT, ZT_SZ_OWN, true, true)
CODEC(ndzip, "ndzip", ndzip, ZT_CODEC_NDZIP, ZT_EFFORT_DEFAULT, ZT_SZ_OWN, false, false)

const struct coder *const coders[] = {&coder_zfp,      &coder_sz,           &coder_sz_fast,
                                      &coder_sz_high,  &coder_sz_transform, &coder_sz_cusz,
                                      &coder_zfp_rate, &coder_ndzip,        &coder_libzfp,
                                      &coder_fpzip,    &coder_zstd};
const int coder_count = sizeof coders / sizeof *coders;
