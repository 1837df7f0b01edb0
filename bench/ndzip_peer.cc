// ndzip_peer.cc: ndzip itself (github.com/celerity/ndzip) behind two functions, for ndzip_bench
// --peer. Built where NDZIP_SOURCE names a source tree, once without and once with AVX2.
#include <cassert>
#include <cstring>
#include <memory>

#include "src/ndzip/cpu_factory.cc"

namespace
{

ndzip::extent extent_of(std::uint32_t rank, const std::uint32_t *shape)
{
    ndzip::extent e(static_cast<int>(rank));
    for (std::uint32_t i = 0; i < rank; i++)
        e[static_cast<int>(i)] = shape[i];
    return e;
}

template <class T>
std::size_t compress(std::uint32_t rank, const std::uint32_t *shape, const void *values,
                     void *stream)
{
    const auto coder = ndzip::make_compressor<T>(static_cast<int>(rank), 1);
    return sizeof(T) * coder->compress(static_cast<const T *>(values), extent_of(rank, shape),
                                       static_cast<ndzip::compressed_type<T> *>(stream));
}

template <class T>
void decompress(std::uint32_t rank, const std::uint32_t *shape, const void *stream, void *values)
{
    const auto coder = ndzip::make_decompressor<T>(static_cast<int>(rank), 1);
    coder->decompress(static_cast<const ndzip::compressed_type<T> *>(stream),
                      static_cast<T *>(values), extent_of(rank, shape));
}

} // namespace

// Bytes of the stream. A shape has 1 to 3 extents, the slowest first; value_bytes is 4 or 8.
extern "C" std::size_t ndzip_peer_compress(std::size_t value_bytes, std::uint32_t rank,
                                           const std::uint32_t *shape, const void *values,
                                           void *stream)
{
    return (value_bytes == 4 ? compress<float> : compress<double>)(rank, shape, values, stream);
}

extern "C" void ndzip_peer_decompress(std::size_t value_bytes, std::uint32_t rank,
                                      const std::uint32_t *shape, const void *stream, void *values)
{
    (value_bytes == 4 ? decompress<float> : decompress<double>)(rank, shape, stream, values);
}
