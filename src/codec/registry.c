/* registry.c: the codecs of this build. A new codec is one line here. */
#include "codec/ndzip/ndzip.h"
#include "codec/sz/sz.h"
#include "codec/zfp/zfp.h"

static const struct zti_codec *const codecs[] = {&zti_codec_zfp, &zti_codec_ndzip, &zti_codec_sz};

const struct zti_codec *zti_codec_number(uint32_t i)
{
    return i < sizeof codecs / sizeof *codecs ? codecs[i] : NULL;
}

const struct zti_codec *zti_codec_by_id(uint32_t id)
{
    uint32_t i = 0;
    while (zti_codec_number(i) && codecs[i]->id != id)
        i++;
    return zti_codec_number(i);
}

const struct zti_codec *zti_codec_auto(uint32_t type, uint32_t kind)
{
    if (kind == ZT_RATE || kind == ZT_PRECISION || kind == ZT_EXPERT)
        return &zti_codec_zfp;
    return kind == ZT_LOSSLESS && zti_is_float(type) ? &zti_codec_ndzip : &zti_codec_sz;
}

const struct zti_codec *zti_codec_raw(void)
{
    return &zti_codec_ndzip;
}

bool zti_is_effort(uint32_t effort)
{
    return effort >= ZT_EFFORT_FAST && effort <= ZT_EFFORT_HIGH;
}
