/* fields.h: kernel text: fields of bits that follow each other in memory, as many at a time as a
 * vector has numbers of WIDTH bits, which the includer defines. In plain C there are none. */
#if defined(ZTI_WITH_AVX2)
#if WIDTH == 32
typedef uint32_t field;
typedef u32s fields;
typedef i32s i_fields;
enum { FIELDS = V_LANES_32 };
#define FIELD_LENGTH v_bit_length_32

/* Bytes, one a field. */
ZTI_INLINE fields load_bytes(const uint8_t *from)
{
    return v_load_bytes_32(from);
}
#else
typedef uint64_t field;
typedef u64s fields;
typedef i64s i_fields;
enum { FIELDS = V_LANES_64 };
#define FIELD_LENGTH v_bit_length_64
#endif

#if defined(ZTI_WITH_AVX512)
#include "simd/bits_avx512.h"

#if WIDTH == 32
/* The next fields from bit *at on, of these numbers of bits; beyond the end they are zeros. False,
 * and nothing is taken, where fields are too long. */
ZTI_INLINE bool read_fields(const struct zti_bit_reader *r, uint64_t *at, fields count,
                            fields *bits)
{
    enum { MOST = 25 }; /* with those before it in its first byte, a field has 32 bits */
    if (_mm512_cmpgt_epu32_mask((__m512i)count, _mm512_set1_epi32(MOST)))
        return false;
    const fields end = v_sums_32(count), begin = end - count + (uint32_t)(*at & 7);
    const __m512i window = zti_window_64(r->base, *at, r->end);
    const __m512i copies =
        _mm512_broadcast_i32x4(_mm_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c));
    const __m512i byte = _mm512_add_epi8(_mm512_shuffle_epi8((__m512i)(begin >> 3), copies),
                                         _mm512_set1_epi32(0x03020100));
    *bits = (fields)_mm512_permutexvar_epi8(byte, window) >> (begin & 7) &
            ~(v_all_32(UINT32_MAX) << count);
    *at += end[15];
    return true;
}

/* All bits set of the first n fields. */
ZTI_INLINE fields first_fields(uint32_t n)
{
    return (fields)_mm512_maskz_set1_epi32((__mmask16)(0xffffu >> (16 - n)), -1);
}

ZTI_INLINE void store_first(void *to, uint32_t n, fields v)
{
    _mm512_mask_storeu_epi32(to, (__mmask16)(0xffffu >> (16 - n)), (__m512i)v);
}
#else
ZTI_INLINE bool read_fields(const struct zti_bit_reader *r, uint64_t *at, fields count,
                            fields *bits)
{
    enum { MOST = 57, LAST_BEGIN = 455 }; /* the bytes of a field are 8 at most, in the window */
    const fields end = v_sums_64(count), begin = end - count + v_all_64(*at & 7);
    if (begin[7] > LAST_BEGIN || _mm512_cmpgt_epu64_mask((__m512i)count, (__m512i)v_all_64(MOST)))
        return false;
    const __m512i window = zti_window_64(r->base, *at, r->end);
    const __m512i lowest = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0808080808080808, 0));
    const __m512i byte = _mm512_add_epi8(_mm512_shuffle_epi8((__m512i)(begin >> 3), lowest),
                                         _mm512_set1_epi64(0x0706050403020100));
    *bits = (fields)_mm512_permutexvar_epi8(byte, window) >> (begin & 7) &
            ~(v_all_64(UINT64_MAX) << count);
    *at += end[7];
    return true;
}

ZTI_INLINE fields load_bytes(const uint8_t *from)
{
    return (fields)_mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)from));
}

ZTI_INLINE fields first_fields(uint32_t n)
{
    return (fields)_mm512_maskz_set1_epi64((__mmask8)(0xffu >> (8 - n)), -1);
}

ZTI_INLINE void store_first(void *to, uint32_t n, fields v)
{
    _mm512_mask_storeu_epi64(to, (__mmask8)(0xffu >> (8 - n)), (__m512i)v);
}
#endif

/* A table of 64 bytes, and entries of it. */
typedef __m512i field_table;

ZTI_INLINE field_table load_field_table(const uint8_t *from)
{
    return _mm512_loadu_si512((const void *)from);
}

ZTI_INLINE fields look_up_fields(field_table table, fields at)
{
    const __mmask64 lowest = WIDTH == 32 ? 0x1111111111111111 : 0x0101010101010101;
    return (fields)_mm512_maskz_permutexvar_epi8(lowest, (__m512i)at, table);
}

/* For each number the one behind it in its 128 bits, or 0. */
ZTI_INLINE u64s behind(u64s v)
{
    return (u64s)_mm512_bsrli_epi128((__m512i)v, 8);
}

/* Whether any of the chosen numbers is above another. */
ZTI_INLINE bool is_any_above(u64s v, uint64_t most, uint32_t chosen)
{
    return (_mm512_cmpgt_epu64_mask((__m512i)v, (__m512i)v_all_64(most)) & chosen) != 0;
}

#else

/* The 16 bytes from that of one bit on, and those from that of another. */
ZTI_INLINE __m256i windows_at(const uint8_t *base, uint64_t low, uint64_t high)
{
    return _mm256_set_m128i(_mm_loadu_si128((const void *)(base + (high >> 3))),
                            _mm_loadu_si128((const void *)(base + (low >> 3))));
}

/* The next fields from bit *at on, of these numbers of bits. False, and nothing is taken, where
 * fields are too long or the end is near. Each half of 128 bits has a window of its own. */
#if WIDTH == 32
ZTI_INLINE bool read_fields(const struct zti_bit_reader *r, uint64_t *at, fields count,
                            fields *bits)
{
    enum { MOST = 25, LOOKED_AT = 256 }; /* with those before it in its byte, a field has 32 bits */
    if (v_is_any((u32s)((i_fields)count > MOST)) || *at + LOOKED_AT > r->end)
        return false;
    const fields two = count + (fields)_mm256_bslli_epi128((__m256i)count, 4);
    const fields end = two + (fields)_mm256_bslli_epi128((__m256i)two, 8);
    const uint64_t next = *at + (uint32_t)_mm256_extract_epi32((__m256i)end, 3);
    const __m256i copies =
        _mm256_broadcastsi128_si256(_mm_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c));
    const fields begin =
        end - count +
        (fields)_mm256_set_m128i(_mm_set1_epi32((int)(next & 7)), _mm_set1_epi32((int)(*at & 7)));
    const __m256i byte = _mm256_add_epi8(_mm256_shuffle_epi8((__m256i)(begin >> 3), copies),
                                         _mm256_set1_epi32(0x03020100));
    *bits = (fields)_mm256_shuffle_epi8(windows_at(r->base, *at, next), byte) >> (begin & 7) &
            ~(v_all_32(UINT32_MAX) << count);
    *at = next + (uint32_t)_mm256_extract_epi32((__m256i)end, 7);
    return true;
}

ZTI_INLINE fields first_fields(uint32_t n)
{
    return (fields)((i_fields)v_iota_32() < (int32_t)n);
}
#else
ZTI_INLINE bool read_fields(const struct zti_bit_reader *r, uint64_t *at, fields count,
                            fields *bits)
{
    enum { MOST = 57, LOOKED_AT = 256 };
    if (v_is_any((u32s)((i_fields)count > MOST)) || *at + LOOKED_AT > r->end)
        return false;
    const fields end = count + (fields)_mm256_bslli_epi128((__m256i)count, 8);
    const uint64_t next = *at + (uint64_t)_mm256_extract_epi64((__m256i)end, 1);
    const __m256i lowest = _mm256_setr_epi64x(0, 0x0808080808080808, 0, 0x0808080808080808);
    const fields begin = end - count + (fields){*at & 7, *at & 7, next & 7, next & 7};
    const __m256i byte = _mm256_add_epi8(_mm256_shuffle_epi8((__m256i)(begin >> 3), lowest),
                                         _mm256_set1_epi64x(0x0706050403020100));
    *bits = (fields)_mm256_shuffle_epi8(windows_at(r->base, *at, next), byte) >> (begin & 7) &
            ~(v_all_64(UINT64_MAX) << count);
    *at = next + (uint64_t)_mm256_extract_epi64((__m256i)end, 3);
    return true;
}

ZTI_INLINE fields load_bytes(const uint8_t *from)
{
    return (fields)_mm256_cvtepu8_epi64(_mm_cvtsi32_si128((int32_t)(uint32_t)zti_get_le32(from)));
}

ZTI_INLINE fields first_fields(uint32_t n)
{
    return (fields)((i_fields){0, 1, 2, 3} < (int64_t)n);
}
#endif

ZTI_INLINE void store_first(void *to, uint32_t n, fields v)
{
    field one[FIELDS];
    if (n == FIELDS) {
        memcpy(to, &v, sizeof v);
        return;
    }
    memcpy(one, &v, sizeof one);
    for (uint32_t i = 0; i < n; i++)
        ((field *)to)[i] = one[i];
}

typedef struct {
    __m256i quarter[4];
} field_table;

ZTI_INLINE field_table load_field_table(const uint8_t *from)
{
    field_table table;
    for (uint32_t i = 0; i < 4; i++)
        table.quarter[i] = _mm256_broadcastsi128_si256(
            _mm_loadu_si128((const __m128i *)(const void *)(from + 16 * (size_t)i)));
    return table;
}

/* A shuffle takes the low four bits of a place, and nothing where its highest bit is set. */
ZTI_INLINE fields look_up_fields(field_table table, fields at)
{
    const __m256i own = (__m256i)(at | ~(fields){0} << 8), beyond = _mm256_set1_epi8(0x70);
    __m256i all = _mm256_setzero_si256();
    for (uint32_t i = 0; i < 4; i++) {
        const __m256i from = _mm256_sub_epi8(own, _mm256_set1_epi8((char)(16 * i)));
        all = _mm256_or_si256(
            all, _mm256_shuffle_epi8(table.quarter[i], _mm256_adds_epu8(from, beyond)));
    }
    return (fields)all;
}

ZTI_INLINE u64s behind(u64s v)
{
    return (u64s)_mm256_bsrli_epi128((__m256i)v, 8);
}

ZTI_INLINE bool is_any_above(u64s v, uint64_t most, uint32_t chosen)
{
    const uint32_t above = (uint32_t)_mm256_movemask_pd((__m256d)((i64s)v > (int64_t)most));
    return (above & chosen) != 0;
}
#endif

ZTI_INLINE bool is_any_field(fields v)
{
    return v_is_any((u32s)v);
}

/* Append n <= 56 bits. is_tight: nothing is stored more than 7 bytes behind them. */
ZTI_INLINE void put_field(bool is_tight, struct zti_bit_writer *w, uint64_t bits, uint64_t n)
{
    if (!is_tight || n > 0)
        zti_put_bits(w, bits, (uint32_t)n);
}

/* Write fields in order: two, four or eight at a time where these are few bits. is_tight: these
 * have at most 28 bits each, and nothing is stored more than 7 bytes behind the last one. */
ZTI_INLINE void write_fields(bool is_tight, fields bits, fields count, struct zti_bit_writer *w)
{
    enum { MOST = 56, EVEN = 0x55, ALL = 0xff };
    uint64_t one[V_LANES_64], n[V_LANES_64];
#if WIDTH == 32
    const u64s low = v_all_64(UINT32_MAX), first = (u64s)count & low;
    const u64s two = ((u64s)bits & low) | ((u64s)bits >> 32) << first;
    const u64s n_two = first + ((u64s)count >> 32);
#else
    const u64s two = bits, n_two = count;
#endif
    const u64s four = two | behind(two) << n_two, n_four = n_two + behind(n_two);
    if (!is_any_above(n_four, MOST, EVEN)) {
        memcpy(one, &four, sizeof one);
        memcpy(n, &n_four, sizeof n);
        for (uint32_t k = 0; k < V_LANES_64; k += 4) {
            const bool is_few = n[k] + n[k + 2] <= MOST;
            if (is_few)
                one[k] |= one[k + 2] << n[k];
            put_field(is_tight, w, one[k], is_few ? n[k] + n[k + 2] : n[k]);
            if (!is_few)
                put_field(is_tight, w, one[k + 2], n[k + 2]);
        }
        return;
    }
    memcpy(one, &two, sizeof one);
    memcpy(n, &n_two, sizeof n);
    if (!is_any_above(n_two, MOST, ALL))
        for (uint32_t k = 0; k < V_LANES_64; k++)
            put_field(is_tight, w, one[k], n[k]);
    else
        for (uint32_t k = 0; k < V_LANES_64; k++)
            zti_put_bits64(w, one[k], (uint32_t)n[k]);
}
#endif
