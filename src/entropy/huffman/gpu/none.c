/* none.c: a build without CUDA has no kernels for Huffman coding. */
#include "entropy/huffman/gpu/kernels.h"

const struct zti_huffman_kernels *zti_cuda_huffman(void)
{
    return NULL;
}
