/* fz_gpu.cu: FZ-GPU (github.com/szcompressor/FZ-GPU) in the frame of peer.h, f32 only. FZ-GPU is a
 * program without an interface, so its source is included and its kernels are launched as runFzgpu
 * launches them; its own program measures one cold run. The bound is absolute.
 *
 * The stream's bytes are those that FZ-GPU prints and a bit a value for the signs, an array of bool
 * that its decoder reads and its own count leaves out. */
#include "peer.h"

#define main fz_gpu_main
#include "src/fz.cu"
#undef main

namespace lorenzo = cusz::experimental;

static float *values;
static uint16_t *codes, *stream, *decoded_codes;
static uint32_t *flags, *offset, *starts, *sizes;
static bool *signs;
static size_t code_bytes, flag_words, count;
static dim3 extents;

void peer_prepare(const peer_field &field)
{
    if (field.value_bytes != 4) {
        fprintf(stderr, "FZ-GPU is for f32\n");
        exit(1);
    }
    count = field.count;
    code_bytes = (2 * count + 4095) / 4096 * 4096;
    flag_words = (code_bytes + 511) / 512;
    unsigned x[3] = {1, 1, 1}; /* the fastest axis first */
    for (size_t i = 0; i < field.shape.size(); i++)
        x[i] = (unsigned)field.shape[field.shape.size() - 1 - i];
    extents = dim3(x[0], x[1], x[2]);
    values = (float *)peer_device_memory(2 * code_bytes);
    codes = (uint16_t *)peer_device_memory(code_bytes);
    stream = (uint16_t *)peer_device_memory(code_bytes);
    decoded_codes = (uint16_t *)peer_device_memory(code_bytes);
    signs = (bool *)peer_device_memory(code_bytes / 2);
    flags = (uint32_t *)peer_device_memory(4 * flag_words);
    offset = (uint32_t *)peer_device_memory(4);
    starts = (uint32_t *)peer_device_memory(code_bytes / 1024);
    sizes = (uint32_t *)peer_device_memory(code_bytes / 1024);
    peer_check(cudaMemcpy(values, field.host, field.bytes, cudaMemcpyHostToDevice), "copy");
}

double peer_compress(const peer_field &field)
{
    float own = 0;
    peer_check(cudaMemsetAsync(offset, 0, 4), "cudaMemset");
    lorenzo::launch_construct_LorenzoI_var<float, uint16_t, float>(values, codes, signs, extents,
                                                                   field.bound, own, 0);
    compressionFusedKernel<<<(unsigned)(code_bytes / 4096), dim3(32, 32)>>>(
        (uint32_t *)codes, (uint32_t *)stream, offset, flags, starts, sizes);
    return -1;
}

double peer_decompress(const peer_field &field)
{
    float own = 0;
    decompressionFusedKernel<<<(unsigned)(code_bytes / 4096), dim3(32, 32)>>>(
        (uint32_t *)stream, (uint32_t *)decoded_codes, flags, starts);
    lorenzo::launch_reconstruct_LorenzoI_var<float, uint16_t, float>(
        signs, decoded_codes, (float *)field.decoded, extents, field.bound, own, 0);
    return -1;
}

size_t peer_stream_bytes()
{
    uint32_t words = 0;
    peer_check(cudaMemcpy(&words, offset, sizeof words, cudaMemcpyDeviceToHost), "copy");
    return 4 * (flag_words + words + code_bytes / 4096) + (count + 7) / 8;
}
