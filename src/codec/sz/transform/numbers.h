/* numbers.h: kernel text: the type that a tile's values and coefficients have: f32 in narrow
 * streams, else f64. The includer defines IS_NARROW. */
#if IS_NARROW
#if !defined(ZTI_DEVICE)
#define WIDTH 32
#include "codec/sz/fields.h"
#endif

typedef float number;
typedef uint32_t word; /* its bits */
typedef int32_t integer;
enum { MANTISSA_BITS = 23, BIAS = 127 };
#define magnitude_of fabsf

ZTI_INLINE word bits_of(number v)
{
    word bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

ZTI_INLINE number of_bits(word bits)
{
    number v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
#else
typedef double number;
typedef uint64_t word;
typedef int64_t integer;
enum { MANTISSA_BITS = 52, BIAS = 1023 };
#define magnitude_of fabs
#define bits_of      zti_bits_of_double
#define of_bits      zti_double_from_bits
#endif

/* a where the condition holds, else b: without a branch, which compilers make of arithmetic that
 * may trap. */
ZTI_INLINE number choose(bool is_first, number a, number b)
{
    const word mask = 0 - (word)is_first;
    return of_bits((bits_of(a) & mask) | (bits_of(b) & ~mask));
}

/* The largest integer that is not above a number of 0 and more. */
ZTI_INLINE number floor_of(number v)
{
    const number whole = (number)((word)1 << MANTISSA_BITS); /* numbers from here on are integers */
    const number near = (v + whole) - whole;
    return choose(v < whole, choose(near > v, near - 1, near), v);
}

ZTI_INLINE word symbol_of(number m)
{
    return ZTI_TF_SYMBOL(m, bits_of(m), MANTISSA_BITS, BIAS);
}

/* The multiple of the step that a magnitude of v steps becomes; and how far v is from it, in parts
 * of a step, if the multiple is counted for centroids, else 0. */
ZTI_INLINE number multiple_of(number v)
{
    return floor_of(v + (number)ZTI_TF_ROUNDING);
}

ZTI_INLINE number off_of(number v, number multiple)
{
    const number off = (v - multiple) * (int)ZTI_TF_OFF_PARTS;
    return choose(multiple < (int)ZTI_TF_COUNTED, off, 0);
}

/* What a magnitude counts for in contexts: the middle of those that have its symbol, less the
 * lowest bits in tiles of large ones (part: 2^-shift), up to a limit. */
ZTI_INLINE uint16_t weight_of(number m, number part)
{
    const number most = (1 << ZTI_TF_MAGNITUDE_BITS) - 1;
    const number middle =
        m < (int)ZTI_TF_PLAIN_MAGNITUDES ? m : of_bits(ZTI_TF_MIDDLE(bits_of(m), MANTISSA_BITS));
    const number weight = middle * part;
    return (uint16_t)(int32_t)(weight < most ? weight : most);
}

ZTI_INLINE number part_of_shift(uint32_t shift)
{
    return (number)1 / (number)(UINT32_C(1) << shift);
}

/* How magnitudes of a band become values: the step, and the centroids of 1, 2 and others. */
struct scale {
    number step, off[ZTI_TF_CENTROIDS];
};

ZTI_STATIC struct scale scale_of(const struct zti_tf_front *front, const struct zti_tf_band *band,
                                 double step)
{
    struct scale s;
    s.step = (number)(step / band->gain);
    for (uint32_t k = 0; k < ZTI_TF_CENTROIDS; k++)
        s.off[k] = (number)ZTI_TF_CENTROID(front->centroid[band->octave][k]);
    return s;
}

/* The value of a magnitude, before its sign. */
ZTI_INLINE number value_of(const struct scale *s, number m)
{
    const number off = m < 1 ? 0 : m < 2 ? s->off[0] : m < 3 ? s->off[1] : s->off[2];
    return (m + off) * s->step;
}
