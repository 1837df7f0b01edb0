/* registry.c: the codecs of this build. A new codec is one line here. */
#include "codec/codec.h"
#include "codec/ndzip/ndzip.h"
#include "codec/sz/sz.h"
#include "codec/zfp/zfp.h"

static const struct zti_codec *const codecs[] = {&zti_codec_zfp, &zti_codec_ndzip, &zti_codec_sz};

const struct zti_codec *zti_codec_by_id(uint32_t id)
{
    if (id == ZT_CODEC_AUTO)
        id = ZT_CODEC_ZFP;
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        if (codecs[i]->id == id)
            return codecs[i];
    return NULL;
}
