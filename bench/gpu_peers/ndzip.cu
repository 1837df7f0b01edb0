/* ndzip.cu: ndzip's CUDA coder (github.com/celerity/ndzip) in the frame of peer.h. */
#include <cassert>
#include <stdexcept>

#include "peer.h"

#include "ndzip/cuda.hh"

template <class T> struct coder {
    static std::unique_ptr<ndzip::cuda_compressor<T>> compressor;
    static std::unique_ptr<ndzip::cuda_decompressor<T>> decompressor;
};
template <class T> std::unique_ptr<ndzip::cuda_compressor<T>> coder<T>::compressor;
template <class T> std::unique_ptr<ndzip::cuda_decompressor<T>> coder<T>::decompressor;

static void *stream;
static ndzip::index_type *words; /* of the stream, in device memory */
static size_t value_bytes;
static ndzip::extent extent;

template <class T> static void prepare()
{
    coder<T>::compressor = ndzip::make_cuda_compressor<T>(extent);
    coder<T>::decompressor = ndzip::make_cuda_decompressor<T>(extent.dimensions());
    stream = peer_device_memory(sizeof(T) * ndzip::compressed_length_bound<T>(extent));
}

void peer_prepare(const peer_field &field)
{
    value_bytes = field.value_bytes;
    extent = ndzip::extent((int)field.shape.size());
    for (size_t i = 0; i < field.shape.size(); i++)
        extent[(int)i] = (ndzip::index_type)field.shape[i];
    words = (ndzip::index_type *)peer_device_memory(sizeof *words);
    (value_bytes == 4 ? prepare<float> : prepare<double>)();
}

template <class T> static void compress(const peer_field &field)
{
    coder<T>::compressor->compress((const T *)field.values, extent,
                                   (ndzip::compressed_type<T> *)stream, words);
}

template <class T> static void decompress(const peer_field &field)
{
    coder<T>::decompressor->decompress((const ndzip::compressed_type<T> *)stream,
                                       (T *)field.decoded, extent);
}

double peer_compress(const peer_field &field)
{
    (value_bytes == 4 ? compress<float> : compress<double>)(field);
    return -1;
}

double peer_decompress(const peer_field &field)
{
    (value_bytes == 4 ? decompress<float> : decompress<double>)(field);
    return -1;
}

size_t peer_stream_bytes()
{
    ndzip::index_type n = 0;
    peer_check(cudaMemcpy(&n, words, sizeof n, cudaMemcpyDeviceToHost), "copy");
    return n * value_bytes;
}
