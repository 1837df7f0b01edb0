/* cusz.cu: cuSZ (github.com/szcompressor/cuSZ) in the frame of peer.h: its predictor, a histogram
 * and Huffman codes. The setting is lorenzo or spline, the bound is absolute. Resources are made
 * anew before each compression, not measured, because cuSZ does not clear its list of outliers. */
#include "peer.h"

#include "cusz.h"
#include "cusz_rev1.h"

static psz_resource *packer, *unpacker;
static psz_header header;
static uint8_t *stream; /* of packer */
static size_t stream_bytes;

static void make_packer(const peer_field &field)
{
    if (packer)
        psz_release_resource(packer);
    const std::vector<size_t> &n = field.shape;
    const size_t rank = n.size();
    const psz_len3 extents = {n[rank - 1], rank > 1 ? n[rank - 2] : 1, rank > 2 ? n[rank - 3] : 1};
    const psz_predictor predictor = field.setting == "spline" ? Spline : Lorenzo;
    const psz_pipeline pipeline = {predictor, HistogramGeneric, Huffman, NullCodec};
    packer = psz_create_resource_manager(field.value_bytes == 4 ? F4 : F8, extents, pipeline, 0);
}

void peer_prepare(const peer_field &)
{
    peer_reset = make_packer;
}

double peer_compress(const peer_field &field)
{
    const psz_rc2 config = {Abs, field.bound, DEFAULT_RADIUS};
    if (field.value_bytes == 4)
        psz_compress_float(packer, config, (float *)field.values, &header, &stream, &stream_bytes);
    else
        psz_compress_double(packer, config, (double *)field.values, &header, &stream,
                            &stream_bytes);
    return -1;
}

double peer_decompress(const peer_field &field)
{
    if (!unpacker) /* in the run that is not counted */
        unpacker = psz_create_resource_manager_from_header(&header, 0);
    if (field.value_bytes == 4)
        psz_decompress_float(unpacker, stream, stream_bytes, (float *)field.decoded);
    else
        psz_decompress_double(unpacker, stream, stream_bytes, (double *)field.decoded);
    return -1;
}

size_t peer_stream_bytes()
{
    return stream_bytes;
}
