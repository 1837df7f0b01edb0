/* gpu_memory.c: memory of a GPU for the cases, and graphs of calls, over CUDA's runtime library. */
#include "async_cases.h"

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

/* Of memory of the host that is not pinned cudaMemcpy returns before its last bytes are there, and
 * the cases' stream does not wait for it. */
static void move(void *to, const void *from, size_t bytes)
{
    need_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    need_cuda(cudaDeviceSynchronize());
}

const struct gpu_memory *gpu_memory(void)
{
    static const struct gpu_memory memory = {take, give, move};
    return &memory;
}

/* Until play, waiting and allocating end what is recorded. */
static void record(void *stream)
{
    need_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
}

static bool play(void *stream)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready;
    if (cudaStreamEndCapture(stream, &graph) != cudaSuccess || !graph) {
        (void)cudaGetLastError();
        return false;
    }
    need_cuda(cudaGraphInstantiate(&ready, graph, 0));
    for (int i = 0; i < 2; i++) /* a graph is there to be used again */
        need_cuda(cudaGraphLaunch(ready, stream));
    need_cuda(cudaStreamSynchronize(stream));
    need_cuda(cudaGraphExecDestroy(ready));
    need_cuda(cudaGraphDestroy(graph));
    return true;
}

const struct gpu_queue *gpu_queue(void)
{
    static struct gpu_queue queue = {.record = record, .play = play};
    cudaStream_t stream;
    if (!queue.stream) {
        need_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        queue.stream = stream;
    }
    return &queue;
}
