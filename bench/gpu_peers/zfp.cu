/* zfp.cu: zfp's CUDA policy (github.com/LLNL/zfp, 1.0.1) in the frame of peer.h. The bound is the
 * rate in bits a value. Values and stream are in device memory, which zfp recognizes. */
#include "peer.h"

#include "zfp.h"

static zfp_stream *coder;
static bitstream *bits;
static size_t stream_bytes;

static zfp_field *zfp_field_of(const peer_field &field, void *data)
{
    const zfp_type type = field.value_bytes == 4 ? zfp_type_float : zfp_type_double;
    const std::vector<size_t> &n = field.shape;
    if (n.size() == 1)
        return zfp_field_1d(data, type, n[0]);
    if (n.size() == 2)
        return zfp_field_2d(data, type, n[1], n[0]);
    return zfp_field_3d(data, type, n[2], n[1], n[0]);
}

void peer_prepare(const peer_field &field)
{
    const zfp_type type = field.value_bytes == 4 ? zfp_type_float : zfp_type_double;
    coder = zfp_stream_open(nullptr);
    zfp_stream_set_rate(coder, field.bound, type, (unsigned)field.shape.size(), zfp_false);
    zfp_field *const f = zfp_field_of(field, field.values);
    const size_t most = zfp_stream_maximum_size(coder, f);
    zfp_field_free(f);
    bits = stream_open(peer_device_memory(most), most);
    zfp_stream_set_bit_stream(coder, bits);
    if (!zfp_stream_set_execution(coder, zfp_exec_cuda)) {
        fprintf(stderr, "zfp was built without CUDA\n");
        exit(1);
    }
}

double peer_compress(const peer_field &field)
{
    zfp_field *const f = zfp_field_of(field, field.values);
    zfp_stream_rewind(coder);
    stream_bytes = zfp_compress(coder, f);
    zfp_field_free(f);
    return -1;
}

double peer_decompress(const peer_field &field)
{
    zfp_field *const f = zfp_field_of(field, field.decoded);
    zfp_stream_rewind(coder);
    if (zfp_decompress(coder, f) == 0)
        fprintf(stderr, "zfp_decompress failed\n");
    zfp_field_free(f);
    return -1;
}

size_t peer_stream_bytes()
{
    return stream_bytes;
}
