/* record.h: kernel text: a cube to its record and back, for each rank, by the steps of
 * tile/differences.h and tile/planes.h. The masks of a record have a bit for each value. */

#define CUBE(rank, nz, ny, nx)                                                                     \
    static uint8_t *NAME(write_##rank##d)(const struct zti_ndzip_rows *rows, uint32_t rotation,    \
                                          uint8_t *record)                                         \
    {                                                                                              \
        _Alignas(64) word f[64];                                                                   \
        uint8_t *to = record + ZTI_NDZIP_VALUES / 8;                                               \
        struct NAME(edge) edge;                                                                    \
        memset(&edge, 0, sizeof edge);                                                             \
        for (uint32_t part = 0; part < NAME(parts); part++) {                                      \
            NAME(differences)(rows, rotation, part, &edge, f, nz, ny, nx);                         \
            to = NAME(pack)(f, record + part * (64 / 8), to);                                      \
        }                                                                                          \
        return to;                                                                                 \
    }                                                                                              \
    static const uint8_t *NAME(read_##rank##d)(const uint8_t *record, uint32_t rotation,           \
                                               const struct zti_ndzip_rows *rows)                  \
    {                                                                                              \
        _Alignas(64) word f[64];                                                                   \
        const uint8_t *from = record + ZTI_NDZIP_VALUES / 8;                                       \
        struct NAME(edge) edge;                                                                    \
        memset(&edge, 0, sizeof edge);                                                             \
        for (uint32_t part = 0; part < NAME(parts); part++) {                                      \
            from = NAME(unpack)(record + part * (64 / 8), from, f);                                \
            NAME(accumulate)(f, rotation, part, &edge, rows, nz, ny, nx);                          \
        }                                                                                          \
        return from;                                                                               \
    }

CUBE(1, 1, 1, 4096)
CUBE(2, 1, 64, 64)
CUBE(3, 16, 16, 16)
#undef CUBE

/* A buffer for storing the planes of a record past the caches, in whole lines of 64 bytes. */
struct NAME(stage) {
    _Alignas(64) uint8_t bytes[64 + 4 * 64 * sizeof(word) + ZTI_NDZIP_OVERSHOOT];
    uint8_t *line;  /* destination of bytes[0] */
    uint32_t begin; /* bytes of the first line before the planes */
};

ZTI_INLINE uint8_t *NAME(flush)(struct NAME(stage) * s, const uint8_t *end)
{
    const size_t n = (size_t)(end - s->bytes) / 64 * 64;
    size_t i = 0;
    if (n == 0)
        return s->bytes + (end - s->bytes);
    if (s->begin > 0) {
        memcpy(s->line + s->begin, s->bytes + s->begin, 64 - s->begin);
        s->begin = 0;
        i = 64;
    }
    for (; i < n; i += 64)
        v_stream_line(s->line + i, s->bytes + i);
    memcpy(s->bytes, s->bytes + n, 64);
    s->line += n;
    return s->bytes + (end - s->bytes - (ptrdiff_t)n);
}

static uint8_t *NAME(stream_1d)(const struct zti_ndzip_rows *rows, uint32_t rotation,
                                uint8_t *record)
{
    _Alignas(64) word f[64];
    uint8_t *const planes = record + ZTI_NDZIP_VALUES / 8;
    struct NAME(stage) s;
    s.begin = (uintptr_t)planes % 64;
    s.line = planes - s.begin;
    uint8_t *to = s.bytes + s.begin;
    struct NAME(edge) edge;
    memset(&edge, 0, sizeof edge);
    for (uint32_t part = 0; part < NAME(parts); part++) {
        NAME(differences)(rows, rotation, part, &edge, f, 1, 1, 4096);
        to = NAME(pack)(f, record + part * (64 / 8), to);
        if (part % 4 == 3)
            to = NAME(flush)(&s, to);
    }
    memcpy(s.line + s.begin, s.bytes + s.begin, (size_t)(to - s.bytes) - s.begin);
    return s.line + (to - s.bytes);
}
