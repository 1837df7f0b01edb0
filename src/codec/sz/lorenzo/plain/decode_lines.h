/* decode_lines.h: kernel text: integers of 32 or 64 bits that fill a register, which rows of tiles
 * are decoded in (lorenzo/integers.h). This text is the specification;
 * lorenzo/x86/decode_lines_avx2.h and lorenzo/x86/decode_lines_avx512.h are the same with longer
 * registers. */

enum { LINE_BYTES = 16 };

typedef uint32_t full_line __attribute__((vector_size(LINE_BYTES)));
typedef uint64_t full_line_64 __attribute__((vector_size(LINE_BYTES)));

/* Each integer becomes the sum of all up to it. */
ZTI_INLINE full_line sums_of_32(full_line v)
{
    const full_line one = {0, v[0], v[1], v[2]}, pairs = v + one;
    const full_line two = {0, 0, pairs[0], pairs[1]};
    return pairs + two;
}

ZTI_INLINE full_line sums_of_64(full_line u)
{
    const full_line_64 v = (full_line_64)u, one = {0, v[0]};
    return (full_line)(v + one);
}

/* The same of those that are so far apart, 2 or 3 (of longer lines up to an integer less than
 * these have); and the last sum before each place of the next line, which a table has too. */
ZTI_INLINE full_line sums_apart_32(full_line v, uint32_t apart)
{
    const full_line two = {0, 0, v[0], v[1]}, three = {0, 0, 0, v[0]};
    return v + (apart == 2 ? two : three);
}

ZTI_INLINE full_line last_apart_32(full_line v, uint32_t apart, const uint32_t *lasts)
{
    const full_line two = {v[2], v[3], v[2], v[3]}, three = {v[1], v[2], v[3], v[1]};
    (void)lasts;
    return apart == 2 ? two : three;
}

/* The last in all places. */
ZTI_INLINE full_line last_of_32(full_line v)
{
    return (full_line){v[3], v[3], v[3], v[3]};
}

ZTI_INLINE full_line last_of_64(full_line u)
{
    const full_line_64 v = (full_line_64)u;
    return (full_line)(full_line_64){v[1], v[1]};
}

/* Integers in pieces of so many, 64 integers from one to the next; 0: as they are. A piece is as
 * long or longer. */
ZTI_INLINE full_line pieces_32(const uint32_t *from, uint32_t part)
{
    full_line v;
    memcpy(&v, from, sizeof v);
    (void)part;
    return v;
}

ZTI_INLINE full_line pieces_64(const uint64_t *from, uint32_t part)
{
    full_line v;
    memcpy(&v, from, sizeof v);
    (void)part;
    return v;
}

/* The same of bytes. */
ZTI_INLINE full_line pieces_of_bytes_32(const uint8_t *from, uint32_t part)
{
    (void)part;
    return (full_line){from[0], from[1], from[2], from[3]};
}

ZTI_INLINE full_line pieces_of_bytes_64(const uint8_t *from, uint32_t part)
{
    (void)part;
    return (full_line)(full_line_64){from[0], from[1]};
}

/* Products with a step: doubles, of narrow integers those of half i; */
ZTI_INLINE full_line doubles_of_32(full_line v, uint32_t i, double step)
{
    const double x[2] = {(double)(int32_t)v[2 * i] * step, (double)(int32_t)v[2 * i + 1] * step};
    memcpy(&v, x, sizeof v);
    return v;
}

ZTI_INLINE full_line doubles_of_64(full_line v, uint32_t i, double step)
{
    int64_t u[2];
    memcpy(u, &v, sizeof v);
    const double x[2] = {(double)u[0] * step, (double)u[1] * step};
    memcpy(&v, x, sizeof v);
    (void)i;
    return v;
}

/* doubles, rounded; */
ZTI_INLINE full_line floats_of_32(full_line v, double step)
{
    int32_t u[4];
    float x[4];
    memcpy(u, &v, sizeof v);
    for (uint32_t i = 0; i < 4; i++)
        x[i] = (float)((double)u[i] * step);
    memcpy(&v, x, sizeof v);
    return v;
}

/* floats. */
ZTI_INLINE full_line short_floats_of_32(full_line v, float step)
{
    int32_t u[4];
    float x[4];
    memcpy(u, &v, sizeof v);
    for (uint32_t i = 0; i < 4; i++)
        x[i] = (float)u[i] * step;
    memcpy(&v, x, sizeof v);
    return v;
}

/* The first so many bytes of it, whole words and not all. */
ZTI_INLINE void store_part(full_line v, uint32_t bytes, uint8_t *to)
{
    memcpy(to, &v, bytes);
}

/* To an aligned part of a line of memory that is not looked at again soon; the rest of it is to
 * follow. */
ZTI_INLINE void stream_line(full_line v, uint8_t *to)
{
    memcpy(to, &v, sizeof v);
}
