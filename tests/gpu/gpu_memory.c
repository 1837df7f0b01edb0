/* gpu_memory.c: memory of a GPU for the cases, over CUDA's runtime library. */
#include "policy_cases.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

static void need_cuda(cudaError_t error)
{
    if (error != cudaSuccess) {
        printf("Bail out! CUDA: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

static void *take(size_t bytes)
{
    void *memory = NULL;
    need_cuda(cudaMalloc(&memory, bytes > 0 ? bytes : 1));
    return memory;
}

static void give(void *memory)
{
    need_cuda(cudaFree(memory));
}

static void move(void *to, const void *from, size_t bytes)
{
    need_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

const struct gpu_memory *gpu_memory(void)
{
    static const struct gpu_memory memory = {take, give, move};
    return &memory;
}
