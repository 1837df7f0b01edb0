/* fpcompress.cu: SPspeed, SPratio or DPspeed (github.com/burtscher/FPcompress) in the frame of
 * peer.h. They are programs without an interface, so their sources are included and their kernels
 * are launched as they launch them; their own programs measure one cold run with its allocations.
 *
 * Compiled three times into one program: with FPCOMPRESS_ENCODER and with FPCOMPRESS_DECODER, which
 * name the source files, and without. */
#if defined FPCOMPRESS_ENCODER

#define main fpcompress_encoder_main
#include FPCOMPRESS_ENCODER
#undef main

size_t fpcompress_carries(size_t bytes)
{
    return (bytes + CS - 1) / CS;
}

void fpcompress_encode(int threads, const void *in, int bytes, void *out, int *out_bytes,
                       int *carries)
{
    d_reset<<<1, 1>>>();
    cudaMemsetAsync(carries, 0, fpcompress_carries(bytes) * sizeof *carries);
    d_encode<<<threads / TPB, TPB>>>((const byte *)in, bytes, (byte *)out, out_bytes, carries);
}

#elif defined FPCOMPRESS_DECODER

#define main fpcompress_decoder_main
#include FPCOMPRESS_DECODER
#undef main

void fpcompress_decode(int threads, const void *in, void *out, int *out_bytes)
{
    d_reset<<<1, 1>>>();
    d_decode<<<threads / TPB, TPB>>>((const byte *)in, (byte *)out, out_bytes);
}

#else

#include "peer.h"

size_t fpcompress_carries(size_t bytes);
void fpcompress_encode(int threads, const void *in, int bytes, void *out, int *out_bytes,
                       int *carries);
void fpcompress_decode(int threads, const void *in, void *out, int *out_bytes);

static void *stream;
static int *bytes_of, *carries; /* in device memory */
static int threads;

void peer_prepare(const peer_field &field)
{
    cudaDeviceProp device;
    peer_check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
    threads = device.multiProcessorCount * device.maxThreadsPerMultiProcessor;
    const size_t chunks = fpcompress_carries(field.bytes);
    stream = peer_device_memory(field.bytes + (field.bytes >> 4) + (1 << 20));
    bytes_of = (int *)peer_device_memory(2 * sizeof(int));
    carries = (int *)peer_device_memory(chunks * sizeof(int));
}

double peer_compress(const peer_field &field)
{
    fpcompress_encode(threads, field.values, (int)field.bytes, stream, bytes_of, carries);
    return -1;
}

double peer_decompress(const peer_field &field)
{
    fpcompress_decode(threads, stream, field.decoded, bytes_of + 1);
    return -1;
}

size_t peer_stream_bytes()
{
    int n = 0;
    peer_check(cudaMemcpy(&n, bytes_of, sizeof n, cudaMemcpyDeviceToHost), "copy");
    return (size_t)n;
}

#endif
