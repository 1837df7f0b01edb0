/* filters.h: the two filters, for the plug-ins and for programs that register them themselves
 * (H5Zregister), as the ztile command does: it needs no HDF5_PLUGIN_PATH. */
#ifndef ZTILE_H5_FILTERS_H
#define ZTILE_H5_FILTERS_H

#include "host.h"
#include "ztile_h5.h"

/* ztile_filter.c and zfp_filter.c: what H5Zregister takes, an H5Z_class2_t. */
extern const struct zh_class zh_ztile_class, zh_zfp_class;

/* What cd_values that are stored with a dataset say of its chunks: the bytes that the filter takes
 * and gives back, and whether it keeps all of them. False for cd_values that the filter refuses. */
bool zh_ztile_stored(size_t count, const unsigned *words, uint64_t *chunk_bytes, bool *is_lossless);
bool zh_zfp_stored(size_t count, const unsigned *words, uint64_t *chunk_bytes, bool *is_lossless);

/* What the filters do to a chunk, from memory to memory and without HDF5. Any thread may call them;
 * 'threads' is how many they may use. They return how many bytes they wrote, or 0 for an error,
 * without a message. */
size_t zh_ztile_run(unsigned flags, size_t count, const unsigned *words, uint32_t threads, void *in,
                    size_t in_bytes, void *out, size_t room);
size_t zh_zfp_run(unsigned flags, size_t count, const unsigned *words, uint32_t threads, void *in,
                  size_t in_bytes, void *out, size_t room);

/* A filter's cd_values. */
struct zh_words {
    int id;
    const char *codec;   /* its name in Zarr stores */
    bool moves_unsigned; /* before it codes them */
    /* What words ask for, in either form; false after a complaint. */
    bool (*load)(void *caller, size_t count, const unsigned *words, struct ztile_h5_config *config);
    /* The words to be stored for a dataset; 0 after a complaint. */
    size_t (*store)(void *caller, struct zh_chunk *chunk, size_t count, const unsigned *asked,
                    unsigned *stored);
};

extern const struct zh_words zh_ztile_words, zh_zfp_words;

#endif
