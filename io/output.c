/* output.c: creating a file of whatever format, and the checks that all formats share. */
#include "format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct ztio_output *start(struct ztio_bytes *bytes, const struct ztio_place *place,
                                 const struct ztio_meta *meta, struct ztio_error *error)
{
    bool has_variables = meta->format == ZTIO_NETCDF || meta->format == ZTIO_HDF5;
    if (has_variables && !ztio_bytes_is_file(bytes)) {
        ztio_fail(error, ZTIO_BAD_USE, "%s: netCDF and HDF5 go to files only; name one",
                  place->label);
        return NULL;
    }
    switch (meta->format) {
    case ZTIO_NPY: return ztio_start_npy(bytes, meta, error);
    case ZTIO_NETCDF: return ztio_start_netcdf(bytes, place->variable, meta, error);
    case ZTIO_HDF5: return ztio_start_hdf5(bytes, place->variable, meta, error);
    case ZTIO_AUTO:
    case ZTIO_RAW: break;
    }
    return ztio_start_raw(bytes, meta, error);
}

struct ztio_output *ztio_create(const char *place_text, const struct ztio_meta *wanted,
                                const struct ztio_creation *how, struct ztio_error *error)
{
    struct ztio_place place = {0};
    struct ztio_meta meta = *wanted;
    struct ztio_output *output = NULL;
    uint64_t slice_bytes;
    if (!ztio_place_of_output(place_text, &place, error))
        return NULL;
    if (meta.format == ZTIO_AUTO)
        meta.format = ztio_format_of_suffix(place.path);
    if (meta.format == ZTIO_AUTO)
        meta.format = ZTIO_RAW;
    if (ztio_check_shape(&meta, place.label, &slice_bytes, error)) {
        struct ztio_bytes *bytes = ztio_bytes_create(place.path, how, error);
        output = bytes ? start(bytes, &place, &meta, error) : NULL;
        if (output)
            output->slice_bytes = slice_bytes;
        else
            ztio_bytes_abandon(bytes);
    }
    ztio_place_free(&place);
    return output;
}

bool ztio_write(struct ztio_output *output, uint64_t extent, const void *buffer,
                struct ztio_error *error)
{
    const char *label = ztio_bytes_label(output->bytes);
    uint64_t slices = output->meta.shape[0];
    if (slices != ZT_UNKNOWN && extent > slices - output->written)
        return ztio_fail(error, ZTIO_BAD_USE, "%s takes %" PRIu64 " slices, not %" PRIu64, label,
                         slices, output->written + extent);
    if (extent > SIZE_MAX / output->slice_bytes)
        return ztio_fail(error, ZTIO_LACKING, "%s: a slab of %" PRIu64 " slices exceeds memory",
                         label, extent);
    if (extent == 0)
        return true;
    if (!output->writer->write(output, extent, buffer, error))
        return false;
    output->written += extent;
    return true;
}

bool ztio_commit(struct ztio_output *output, struct ztio_error *error)
{
    struct ztio_bytes *bytes = output->bytes;
    const struct ztio_meta *meta = &output->meta;
    bool is_whole = meta->shape[0] == ZT_UNKNOWN || meta->shape[0] == output->written;
    if (!is_whole)
        ztio_fail(error, ZTIO_BAD_DATA, "%s: only %" PRIu64 " of %" PRIu64 " slices came",
                  ztio_bytes_label(bytes), output->written, meta->shape[0]);
    else
        is_whole = output->writer->finish(output, error);
    output->writer->drop(output);
    if (is_whole)
        return ztio_bytes_commit(bytes, error);
    ztio_bytes_abandon(bytes);
    return false;
}

void ztio_abandon(struct ztio_output *output)
{
    if (!output)
        return;
    struct ztio_bytes *bytes = output->bytes;
    output->writer->drop(output);
    ztio_bytes_abandon(bytes);
}
