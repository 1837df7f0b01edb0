/* opened.h: an array that is open, however it is kept: what stored.c and the kinds of bare streams
 * share. */
#ifndef ZTI_STORE_OPENED_H
#define ZTI_STORE_OPENED_H

#include "store/bytes.h"
#include "ztile_zfp.h"

enum stored_kind { STORED_PLAIN, STORED_ZT, STORED_ZFP, STORED_NDZIP };

struct stored {
    enum stored_kind kind;
    const char *place;
    zt_context *context;
    uint32_t type;
    uint32_t rank;
    uint64_t shape[ZT_MAX_RANK]; /* shape[0] may be ZT_UNKNOWN on a pipe */
    zt_info info;                /* STORED_ZT, and as much of it as a zfp header tells */
    zt_zfp zfp;                  /* STORED_ZFP */
    bool is_sequential;
    struct ztio_input *input; /* STORED_PLAIN */
    int filter;               /* STORED_PLAIN: of HDF5, which info is of; 0: none of ztile's */
    struct byte_source bytes;
    zt_reader *reader;
    uint64_t part_bytes;   /* STORED_ZT: of values that are decoded at a time, about */
    unsigned char *stream; /* STORED_ZFP: the whole file, or NULL: not read yet; STORED_NDZIP */
    size_t stream_bytes;
    zt_zfp_index index; /* STORED_ZFP: of the stream; index_bytes is 0 where there is none */
    char *index_place;  /* the file that holds it */
    uint64_t next;      /* first slice of the slab after this one */
    uint64_t extent;
};

/* Memory for a box of an array, contiguous. */
static inline zt_array stored_box_array(const struct stored *s, const zt_box *box, void *buffer)
{
    uint64_t shape[ZT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < s->rank; i++)
        shape[i] = box->hi[i] - box->lo[i];
    return zt_array_nd(buffer, (zt_type)s->type, s->rank, shape);
}

#endif
