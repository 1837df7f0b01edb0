/* mpc_gfc.cu: MPC and GFC (Burtscher) in the frame of peer.h, through the interfaces that ndzip's
 * contrib/mpc and contrib/gfc have. Those work from host memory and measure their kernels
 * themselves. The setting is mpc-D or gfc-BLOCKS-WARPS-D: D is the distance of the value that
 * predicts, and GFC is for f64 only. */
#include "peer.h"

#include "GFC_22.h"
#include "MPC_12.h"

static std::vector<char> stream, decoded;
static size_t stream_bytes;
static bool is_mpc;
static int blocks, warps, distance;

void peer_prepare(const peer_field &field)
{
    is_mpc = field.setting.find("mpc") == 0;
    if (is_mpc) {
        sscanf(field.setting.c_str(), "mpc-%d", &distance);
    } else {
        sscanf(field.setting.c_str(), "gfc-%d-%d-%d", &blocks, &warps, &distance);
        GFC_Init();
    }
    stream.resize(2 * field.bytes + (1 << 20));
    decoded.resize(field.bytes + (1 << 20));
}

double peer_compress(const peer_field &field)
{
    uint64_t us = 0;
    const int n = (int)field.count;
    if (!is_mpc)
        stream_bytes = GFC_Compress_Memory(field.host, field.bytes, stream.data(), blocks, warps,
                                           distance, &us);
    else if (field.value_bytes == 4)
        stream_bytes = 4 * (size_t)MPC_float_compressMemory(
                               (int *)stream.data(), (const int *)field.host, n, distance, &us);
    else
        stream_bytes = 8 * (size_t)MPC_double_compressMemory(
                               (long *)stream.data(), (const long *)field.host, n, distance, &us);
    return 1e-6 * (double)us;
}

double peer_decompress(const peer_field &field)
{
    uint64_t us = 0;
    if (!is_mpc)
        GFC_Decompress_Memory(stream.data(), stream_bytes, decoded.data(), &us);
    else if (field.value_bytes == 4)
        MPC_float_decompressMemory((int *)decoded.data(), (const int *)stream.data(),
                                   (int)(stream_bytes / 4), &us);
    else
        MPC_double_decompressMemory((long *)decoded.data(), (const long *)stream.data(),
                                    (int)(stream_bytes / 8), &us);
    peer_check(cudaMemcpy(field.decoded, decoded.data(), field.bytes, cudaMemcpyHostToDevice),
               "copy");
    return 1e-6 * (double)us;
}

size_t peer_stream_bytes()
{
    return stream_bytes;
}
