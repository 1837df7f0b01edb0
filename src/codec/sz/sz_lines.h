/* sz_lines.h: kernel text: integers of 32 or 64 bits that fill a register, which rows of tiles are
 * decoded in (sz_rows_back.h). This text is the specification; sz_lines_avx2.h and
 * sz_lines_avx512.h are the same with longer registers. */

enum { LINE_BYTES = 16 };

typedef uint64_t full_line __attribute__((vector_size(LINE_BYTES)));

/* For integers of so many bits:
 *   sums_of_...     each becomes the sum of all up to it
 *   last_of_...     the last in all places
 *   pieces_...      read in pieces of 'part' integers, 64 integers from one to the next; 0: as they
 *                   are
 *   bytes_...       the same of bytes
 *   unfolded_...    0, 1, 2, 3, 4 ... as 0, -1, 1, -2, 2 ... */
#define LINES(bits, count)                                                                         \
    ZTI_INLINE full_line sums_of_##bits(full_line v)                                                       \
    {                                                                                              \
        uint##bits##_t u[count];                                                                   \
        memcpy(u, &v, sizeof v);                                                                   \
        for (uint32_t i = 1; i < count; i++)                                                       \
            u[i] += u[i - 1];                                                                      \
        memcpy(&v, u, sizeof v);                                                                   \
        return v;                                                                                  \
    }                                                                                              \
                                                                                                   \
    ZTI_INLINE full_line last_of_##bits(full_line v)                                                       \
    {                                                                                              \
        uint##bits##_t u[count];                                                                   \
        memcpy(u, &v, sizeof v);                                                                   \
        for (uint32_t i = 0; i < count; i++)                                                       \
            u[i] = u[count - 1];                                                                   \
        memcpy(&v, u, sizeof v);                                                                   \
        return v;                                                                                  \
    }                                                                                              \
                                                                                                   \
    ZTI_INLINE full_line pieces_##bits(const uint##bits##_t *from, uint32_t part)                      \
    {                                                                                              \
        full_line v;                                                                                   \
        memcpy(&v, from, sizeof v); /* a piece is as long or longer */                             \
        (void)part;                                                                                \
        return v;                                                                                  \
    }                                                                                              \
                                                                                                   \
    ZTI_INLINE full_line unfolded_##bits(full_line v)                                                      \
    {                                                                                              \
        uint##bits##_t u[count];                                                                   \
        memcpy(u, &v, sizeof v);                                                                   \
        for (uint32_t i = 0; i < count; i++)                                                       \
            u[i] = u[i] >> 1 ^ (0 - (u[i] & 1));                                                   \
        memcpy(&v, u, sizeof v);                                                                   \
        return v;                                                                                  \
    }                                                                                              \
                                                                                                   \
    ZTI_INLINE full_line unfolded_bytes_##bits(const uint8_t *from, uint32_t part)                     \
    {                                                                                              \
        uint##bits##_t u[count];                                                                   \
        full_line v;                                                                                   \
        for (uint32_t i = 0; i < count; i++)                                                       \
            u[i] = from[i];                                                                        \
        memcpy(&v, u, sizeof v);                                                                   \
        (void)part;                                                                                \
        return unfolded_##bits(v);                                                                 \
    }
LINES(32, 4)
LINES(64, 2)
#undef LINES

/* The products with a step, in doubles and, of narrow integers, in floats: rounded from doubles, or
 * of floats. */
ZTI_INLINE void doubles_of_32(full_line v, double step, uint8_t *to)
{
    int32_t u[4];
    double x[4];
    memcpy(u, &v, sizeof v);
    for (uint32_t i = 0; i < 4; i++)
        x[i] = (double)u[i] * step;
    memcpy(to, x, sizeof x);
}

ZTI_INLINE void doubles_of_64(full_line v, double step, uint8_t *to)
{
    int64_t u[2];
    double x[2];
    memcpy(u, &v, sizeof v);
    for (uint32_t i = 0; i < 2; i++)
        x[i] = (double)u[i] * step;
    memcpy(to, x, sizeof x);
}

ZTI_INLINE void floats_of_32(full_line v, double step, uint8_t *to)
{
    int32_t u[4];
    float x[4];
    memcpy(u, &v, sizeof v);
    for (uint32_t i = 0; i < 4; i++)
        x[i] = (float)((double)u[i] * step);
    memcpy(to, x, sizeof x);
}

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

/* To an aligned part of a line of memory that is not looked at again soon; the rest of it is to
 * follow. */
ZTI_INLINE void stream_lanes(full_line v, uint8_t *to)
{
    memcpy(to, &v, sizeof v);
}
