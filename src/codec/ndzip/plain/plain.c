/* plain.c: the plain C instance of the ndzip kernels (the transposition of bits; the rest is in
 * tile/), and the choice of an instance. */
#include "codec/ndzip/ndzip.h"

/* One step of transposing a square of bits, whose rows are words with the highest bit leftmost: in
 * each square of side 2 s, the two squares of side s off the diagonal are swapped. Rows s apart are
 * stored n / 2 apart, and become neighbours. So all steps have the same shape, which compilers
 * vectorize, and after the last step the rows are in order. */
#define TRANSPOSE(from, to, s, low)                                                                \
    for (uint32_t k = 0; k < n / 2; k++) {                                                         \
        const uint64_t x = from[k], y = from[k + n / 2], t = (x ^ y >> s) & UINT64_C(low);         \
        to[2 * k] = x ^ t;                                                                         \
        to[2 * k + 1] = y ^ t << s;                                                                \
    }

/* The last five steps, from a to b: of one square of 64 rows, or of two squares of 32 in the halves
 * of words. */
ZTI_INLINE void transpose_steps(uint64_t *restrict a, uint64_t *restrict b, const uint32_t n)
{
    TRANSPOSE(a, b, 16, 0x0000ffff0000ffff)
    TRANSPOSE(b, a, 8, 0x00ff00ff00ff00ff)
    TRANSPOSE(a, b, 4, 0x0f0f0f0f0f0f0f0f)
    TRANSPOSE(b, a, 2, 0x3333333333333333)
    TRANSPOSE(a, b, 1, 0x5555555555555555)
}

static void transpose_32(uint32_t *f)
{
    uint64_t a[32], b[32];
    for (uint32_t i = 0; i < 32; i++)
        a[i] = f[i] | (uint64_t)f[i + 32] << 32;
    transpose_steps(a, b, 32);
    for (uint32_t i = 0; i < 32; i++) {
        f[i] = (uint32_t)b[i];
        f[i + 32] = (uint32_t)(b[i] >> 32);
    }
}

static void transpose_64(uint64_t *a)
{
    const uint32_t n = 64;
    uint64_t b[64];
    TRANSPOSE(a, b, 32, 0x00000000ffffffff)
    transpose_steps(b, a, n);
}

#define KERNELS zti_ndzip_plain
#include "codec/ndzip/tile/instance.h"

const struct zti_ndzip_kernels *zti_ndzip_kernels_of(uint32_t isa, uint32_t width, uint32_t rank)
{
#if defined(ZTI_HAS_X86_INSTANCES)
    zti_ndzip_kernel_table *const tables[] = {&zti_ndzip_plain, &zti_ndzip_avx2, &zti_ndzip_avx512};
    return &(*tables[isa])[width == 64][rank - 1];
#else
    (void)isa;
    return &zti_ndzip_plain[width == 64][rank - 1];
#endif
}
