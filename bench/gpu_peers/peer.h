/* peer.h: the frame of a program that measures one GPU compressor, from device memory to device
 * memory.
 *
 *     PROGRAM FILE f32|f64 SHAPE BOUND SETTING OUT
 *
 * FILE holds raw values, SHAPE is 384,384,384 with the slowest axis first, BOUND is an absolute
 * error bound (0: lossless) or a fixed rate in bits a value. SETTING is the peer's own. The decoded
 * values go to OUT. Prints "result BYTES COMPRESS_SECONDS DECOMPRESS_SECONDS": medians of RUNS runs
 * between two CUDA events, after one run that is not counted.
 *
 * A peer's source file includes this one and defines the four functions below. */
#ifndef ZTILE_GPU_PEER_H
#define ZTILE_GPU_PEER_H

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime.h>

struct peer_field {
    size_t value_bytes; /* 4: f32, 8: f64 */
    size_t count, bytes;
    std::vector<size_t> shape; /* the slowest axis first */
    double bound;
    std::string setting;
    const void *host; /* the values */
    void *values;     /* the same in device memory */
    void *decoded;    /* device memory of as many bytes */
};

/* Buffers and settings. Not measured. */
void peer_prepare(const peer_field &field);

/* What a peer wants before each compression, if peer_prepare sets it. Not measured. */
static void (*peer_reset)(const peer_field &field);

/* Queue a run on the default stream, or do it at once. A peer that has no interface for device
 * memory returns the seconds of its kernels, the others a negative number. */
double peer_compress(const peer_field &field);
double peer_decompress(const peer_field &field);

/* Bytes of the compressed stream, after peer_compress. */
size_t peer_stream_bytes();

static void peer_check(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    exit(1);
}

static void *peer_device_memory(size_t bytes)
{
    void *p = nullptr;
    peer_check(cudaMalloc(&p, bytes), "cudaMalloc");
    peer_check(cudaMemset(p, 0, bytes), "cudaMemset");
    return p;
}

static double peer_median(double (*run)(const peer_field &), const peer_field &field)
{
    const int runs = 11;
    std::vector<double> seconds;
    cudaEvent_t begin, end;
    peer_check(cudaEventCreate(&begin), "cudaEventCreate");
    peer_check(cudaEventCreate(&end), "cudaEventCreate");
    for (int i = -1; i < runs; i++) {
        if (run == peer_compress && peer_reset)
            peer_reset(field);
        peer_check(cudaDeviceSynchronize(), "before a run");
        peer_check(cudaEventRecord(begin), "cudaEventRecord");
        const double own = run(field);
        peer_check(cudaEventRecord(end), "cudaEventRecord");
        peer_check(cudaDeviceSynchronize(), "a run");
        float ms = 0;
        peer_check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
        if (i >= 0)
            seconds.push_back(own >= 0 ? own : 1e-3 * ms);
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[runs / 2];
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: %s FILE f32|f64 SHAPE BOUND SETTING OUT\n", argv[0]);
        return 2;
    }
    peer_field field = {};
    field.value_bytes = strcmp(argv[2], "f64") == 0 ? 8 : 4;
    field.count = 1;
    for (const char *s = argv[3]; *s;) {
        char *end;
        field.shape.push_back(strtoull(s, &end, 10));
        field.count *= field.shape.back();
        s = *end ? end + 1 : end;
    }
    field.bytes = field.count * field.value_bytes;
    field.bound = atof(argv[4]);
    field.setting = argv[5];
    std::vector<char> host(field.bytes);
    FILE *const in = fopen(argv[1], "rb");
    if (!in || fread(host.data(), 1, field.bytes, in) != field.bytes) {
        fprintf(stderr, "cannot read %zu bytes of %s\n", field.bytes, argv[1]);
        return 1;
    }
    fclose(in);
    field.host = host.data();
    field.values = peer_device_memory(field.bytes);
    field.decoded = peer_device_memory(field.bytes);
    peer_check(cudaMemcpy(field.values, host.data(), field.bytes, cudaMemcpyHostToDevice), "copy");

    peer_prepare(field);
    const double compress = peer_median(peer_compress, field);
    const size_t bytes = peer_stream_bytes();
    const double decompress = peer_median(peer_decompress, field);

    std::vector<char> back(field.bytes);
    peer_check(cudaMemcpy(back.data(), field.decoded, field.bytes, cudaMemcpyDeviceToHost), "copy");
    FILE *const out = fopen(argv[6], "wb");
    if (!out || fwrite(back.data(), 1, field.bytes, out) != field.bytes || fclose(out) != 0) {
        fprintf(stderr, "cannot write %s\n", argv[6]);
        return 1;
    }
    printf("result %zu %.9f %.9f\n", bytes, compress, decompress);
    return 0;
}

#endif
