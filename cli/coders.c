/* coders.c: ztile's codecs as ztile bench calls them, and the list of all. */
#include "coders.h"

static bool always(void)
{
    return true;
}

static zt_params params_of(uint32_t codec, const struct subject *s, const struct ask *ask)
{
    zt_params p;
    (void)zt_params_init(&p, sizeof p);
    p.codec = codec;
    p.bound = ask->bound;
    p.range_lo = s->lo;
    p.range_hi = s->hi;
    p.fills = s->fills;
    for (uint32_t i = 0; i < s->fills; i++)
        p.fill[i] = s->fill[i];
    return p;
}

static bool is_bound(const struct ask *ask)
{
    return ask->bound.kind != ZT_PRECISION;
}

static bool fits_zfp(const struct subject *s, const struct ask *ask)
{
    (void)s;
    return is_bound(ask);
}

static bool fits_sz(const struct subject *s, const struct ask *ask)
{
    (void)s;
    return is_bound(ask) && ask->tolerance > 0;
}

static bool fits_ndzip(const struct subject *s, const struct ask *ask)
{
    (void)s;
    return is_bound(ask) && ask->tolerance == 0;
}

static size_t capacity_of(uint32_t codec, const struct subject *s, const struct ask *ask)
{
    const zt_params p = params_of(codec, s, ask);
    const zt_array a = zt_array_nd(s->values, (zt_type)s->type, s->rank, s->shape);
    size_t capacity = 0;
    return zt_compress_bound(ask->context, &a, &p, &capacity) == ZT_OK ? capacity : 0;
}

static size_t encode(uint32_t codec, const struct subject *s, const struct ask *ask, void *out,
                     size_t capacity)
{
    const zt_params p = params_of(codec, s, ask);
    const zt_array a = zt_array_nd(s->values, (zt_type)s->type, s->rank, s->shape);
    size_t n = 0;
    return zt_compress(ask->context, &a, &p, out, capacity, &n) == ZT_OK ? n : 0;
}

static bool decode(const struct subject *s, const struct ask *ask, const void *in, size_t n,
                   void *values)
{
    zt_array a = zt_array_nd(values, (zt_type)s->type, s->rank, s->shape);
    return zt_decompress(ask->context, in, n, &a) == ZT_OK;
}

/* One function for each codec, for a table holds no arguments. */
#define CODEC(name, number)                                                                        \
    static size_t capacity_##name(const struct subject *s, const struct ask *ask)                  \
    {                                                                                              \
        return capacity_of(number, s, ask);                                                        \
    }                                                                                              \
    static size_t encode_##name(const struct subject *s, const struct ask *ask, void *out,         \
                                size_t capacity)                                                   \
    {                                                                                              \
        return encode(number, s, ask, out, capacity);                                              \
    }                                                                                              \
    static const struct coder coder_##name = {                                                     \
        #name, false, false, always, fits_##name, capacity_##name, encode_##name, decode};

CODEC(zfp, ZT_CODEC_ZFP)
CODEC(sz, ZT_CODEC_SZ)
CODEC(ndzip, ZT_CODEC_NDZIP)

const struct coder *const coders[] = {&coder_zfp,    &coder_sz,    &coder_ndzip,
                                      &coder_libzfp, &coder_fpzip, &coder_zstd};
const int coder_count = sizeof coders / sizeof *coders;
