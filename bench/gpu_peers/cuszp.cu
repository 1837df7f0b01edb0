/* cuszp.cu: cuSZp (github.com/szcompressor/cuSZp) in the frame of peer.h. The setting is MODE-RANK:
 * fixed, plain or outlier, and 1, 2 or 3. A call waits and allocates, as cuSZp has it. */
#include "peer.h"

#include "cuSZp.h"

static unsigned char *stream;
static size_t stream_bytes;
static cuszp_mode_t mode;
static cuszp_dim_t rank;
static uint3 dims;

void peer_prepare(const peer_field &field)
{
    stream = (unsigned char *)peer_device_memory(2 * field.bytes);
    mode = field.setting.find("fixed") == 0   ? CUSZP_MODE_FIXED
           : field.setting.find("plain") == 0 ? CUSZP_MODE_PLAIN
                                              : CUSZP_MODE_OUTLIER;
    rank = (cuszp_dim_t)(field.setting.back() - '0');
    size_t x[3] = {1, 1, 1}; /* the fastest axis first */
    for (size_t i = 0; i < field.shape.size(); i++)
        x[std::min<size_t>(i, 2)] *= field.shape[field.shape.size() - 1 - i];
    dims = make_uint3((unsigned)x[0], (unsigned)x[1], (unsigned)x[2]);
}

static cuszp_type_t type_of(const peer_field &field)
{
    return field.value_bytes == 4 ? CUSZP_TYPE_FLOAT : CUSZP_TYPE_DOUBLE;
}

double peer_compress(const peer_field &field)
{
    cuSZp_compress(field.values, stream, field.count, &stream_bytes, (float)field.bound, rank, dims,
                   type_of(field), mode, 0);
    return -1;
}

double peer_decompress(const peer_field &field)
{
    cuSZp_decompress(field.decoded, stream, field.count, stream_bytes, (float)field.bound, rank,
                     dims, type_of(field), mode, 0);
    return -1;
}

size_t peer_stream_bytes()
{
    return stream_bytes;
}
