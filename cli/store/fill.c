/* fill.c: which values of an array are fill values: those of --fill, and what its file says. */
#include "store/fill.h"

#include "util/errors.h"

#include <math.h>

void add_fill(uint64_t bits, uint32_t *fills, uint64_t *fill)
{
    for (uint32_t i = 0; i < *fills; i++)
        if (fill[i] == bits)
            return;
    if (*fills < ZT_MAX_FILLS)
        fill[(*fills)++] = bits;
}

bool find_fills(const struct options *o, const char *place, uint32_t type,
                const struct ztio_meta *meta, uint32_t *fills, uint64_t *fill,
                struct ztio_error *error)
{
    uint64_t bits;
    *fills = 0;
    for (uint32_t i = 0; i < o->fills; i++) {
        if (zt_fill_bits((zt_type)type, o->fill[i], &bits) != ZT_OK)
            return fail(error, ZTIO_BAD_USE, "%s: --fill %g is no value of type %s; leave it out",
                        input_name(place), o->fill[i], ztio_name_of_type(type));
        add_fill(bits, fills, fill);
    }
    if (meta && meta->has_fill && !isnan(meta->fill) &&
        zt_fill_bits((zt_type)type, meta->fill, &bits) == ZT_OK)
        add_fill(bits, fills, fill);
    return true;
}
