/* plugin_nczarr.c: what netCDF asks a plug-in for; compiled for each filter. */
#include "nczarr.h"

static int codec_to_hdf5(const char *json, size_t *count, unsigned **words)
{
    return zh_words_of_json(&ZH_WORDS, json, count, words);
}

static int hdf5_to_codec(size_t count, const unsigned *words, char **json)
{
    return zh_json_of_words(&ZH_WORDS, ZH_CALLER, count, words, json);
}

static int modify_parameters(int ncid, int varid, size_t *visible_count, unsigned **visible,
                             size_t *working_count, unsigned **working)
{
    return zh_words_of_variable(&ZH_WORDS, ZH_CALLER, ncid, varid, *visible_count, *visible,
                                working_count, working);
}

const void *NCZ_get_codec_info(void)
{
    static struct zh_codec codec = {.version = 1,
                                    .sort = 1,
                                    .codec_to_hdf5 = codec_to_hdf5,
                                    .hdf5_to_codec = hdf5_to_codec,
                                    .modify_parameters = modify_parameters};
    codec.codecid = ZH_WORDS.codec;
    codec.hdf5id = (unsigned)ZH_WORDS.id;
    return &codec;
}
