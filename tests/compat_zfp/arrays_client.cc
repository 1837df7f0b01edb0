/* arrays_client.cc: zfp's own C++ arrays (header-only code over libzfp's C functions), compiled
 * with libzfp's headers and run with one library or the other: it prints what must be the same. */
#include <zfp/array2.hpp>
#include <zfp/array3.hpp>
#include <zfp/constarray3.hpp>

#include <cmath>
#include <cstdio>

namespace
{

unsigned long long hash(const void *data, size_t bytes)
{
    const unsigned char *p = static_cast<const unsigned char *>(data);
    unsigned long long h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 0x100000001b3ull;
    return h;
}

} // namespace

int main()
{
    const size_t nx = 37, ny = 22, nz = 11;
    zfp::array3f a(nx, ny, nz, 11.5);
    zfp::array2d b(nx, ny, 24.0);
    double sum = 0;
    for (size_t z = 0; z < nz; z++)
        for (size_t y = 0; y < ny; y++)
            for (size_t x = 0; x < nx; x++)
                a(x, y, z) = static_cast<float>(std::sin(x / 5.0) + std::cos(y / 3.0) + z);
    for (size_t y = 0; y < ny; y++)
        for (size_t x = 0; x < nx; x++)
            b(x, y) = a(x, y, 3) * 1e9 + 1; /* blocks are decoded, changed and coded again */
    a.flush_cache();
    b.flush_cache();
    for (size_t i = 0; i < b.size(); i++)
        sum += b[i];
    std::printf("rates %g %g, sum %.17g\n", a.rate(), b.rate(), sum);
    std::printf("%llx %llx\n", hash(a.compressed_data(), a.compressed_size()),
                hash(b.compressed_data(), b.compressed_size()));

    float values[nx * ny * nz];
    a.get(values);
    zfp::const_array3f c(nx, ny, nz, zfp_config_accuracy(1e-3), values);
    std::printf("%zu bytes, %llx, %.9g\n", c.compressed_size(),
                hash(c.compressed_data(), c.compressed_size()), double(c(30, 20, 10)));
    return 0;
}
