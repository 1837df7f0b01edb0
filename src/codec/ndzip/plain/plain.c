/* plain.c: the plain C instance of the ndzip kernels, and the choice between instances. */
#include "codec/ndzip/ndzip.h"

#define FN    ZTI_INLINE
#define LANES 1

/* One step of turning squares of bits, words a row, the highest bit leftmost: the two squares of
 * side s beside the diagonal of each square of side 2 s change places. Rows s apart are kept n / 2
 * apart and leave side by side, so that every step has the same shape, which compilers vectorize,
 * and after the last one rows are in order again. */
#define TRANSPOSE(from, to, s, low)                                                                \
    for (uint32_t k = 0; k < n / 2; k++) {                                                         \
        const uint64_t x = from[k], y = from[k + n / 2], t = (x ^ y >> s) & UINT64_C(low);         \
        to[2 * k] = x ^ t;                                                                         \
        to[2 * k + 1] = y ^ t << s;                                                                \
    }

/* The steps that two squares of 32 rows, side by side, and one of 64 have in common; a to b. */
FN void transpose_steps(uint64_t *restrict a, uint64_t *restrict b, const uint32_t n)
{
    TRANSPOSE(a, b, 16, 0x0000ffff0000ffff)
    TRANSPOSE(b, a, 8, 0x00ff00ff00ff00ff)
    TRANSPOSE(a, b, 4, 0x0f0f0f0f0f0f0f0f)
    TRANSPOSE(b, a, 2, 0x3333333333333333)
    TRANSPOSE(a, b, 1, 0x5555555555555555)
}

#define word    uint32_t
#define lane    uint32_t
#define slane   int32_t
#define WIDTH   32
#define NAME(x) x##_32

#define STORE zti_put_le32
#define LOAD  zti_get_le32
#include "codec/ndzip/plain/lanes.h" /* before_32, put_32, ... */
#undef STORE
#undef LOAD

static void transpose_32(word *f)
{
    uint64_t a[32], b[32];
    for (uint32_t i = 0; i < 32; i++)
        a[i] = f[i] | (uint64_t)f[i + 32] << 32;
    transpose_steps(a, b, 32);
    for (uint32_t i = 0; i < 32; i++) {
        f[i] = (word)b[i];
        f[i + 32] = (word)(b[i] >> 32);
    }
}

#include "codec/ndzip/tile/differences.h"
#include "codec/ndzip/tile/planes.h"
#include "codec/ndzip/tile/record.h" /* put_1d_32, stream_1d_32, take_1d_32, ... */
#undef word
#undef lane
#undef slane
#undef WIDTH
#undef NAME

#define word    uint64_t
#define lane    uint64_t
#define slane   int64_t
#define WIDTH   64
#define NAME(x) x##_64

#define STORE zti_put_le64
#define LOAD  zti_get_le64
#include "codec/ndzip/plain/lanes.h" /* before_64, put_64, ... */
#undef STORE
#undef LOAD

static void transpose_64(word *a)
{
    const uint32_t n = 64;
    uint64_t b[64];
    TRANSPOSE(a, b, 32, 0x00000000ffffffff)
    transpose_steps(b, a, n);
}

#include "codec/ndzip/tile/differences.h"
#include "codec/ndzip/tile/planes.h"
#include "codec/ndzip/tile/record.h" /* put_1d_64, stream_1d_64, take_1d_64, ... */

zti_ndzip_kernel_table zti_ndzip_plain = {
    {{put_1d_32, stream_1d_32, take_1d_32},
     {put_2d_32, NULL, take_2d_32},
     {put_3d_32, NULL, take_3d_32}},
    {{put_1d_64, stream_1d_64, take_1d_64},
     {put_2d_64, NULL, take_2d_64},
     {put_3d_64, NULL, take_3d_64}},
};

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
