/* fields.h: kernel text: with AVX-512, fields of bits that follow each other in memory, as many at
 * a time as a vector has keys. */
#if defined(ZTI_WITH_AVX512)
#include "simd/bits_avx512.h"

enum { FIELDS = WIDTH == 32 ? 16 : 8 };

#if WIDTH == 32
typedef u32s fields;
typedef i32s i_fields;

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

/* Bytes, one a field; fields of the first n. */
ZTI_INLINE fields load_bytes(const uint8_t *from)
{
    return (fields)_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)from));
}

ZTI_INLINE fields first_fields(uint32_t n)
{
    return (fields)_mm512_maskz_set1_epi32((__mmask16)(0xffffu >> (16 - n)), -1);
}

/* Entries of a table of 64 bytes. */
ZTI_INLINE fields look_up_fields(__m512i table, fields at)
{
    return (fields)_mm512_maskz_permutexvar_epi8(0x1111111111111111, (__m512i)at, table);
}

ZTI_INLINE void store_first(void *to, uint32_t n, fields v)
{
    _mm512_mask_storeu_epi32(to, (__mmask16)(0xffffu >> (16 - n)), (__m512i)v);
}

ZTI_INLINE fields zeros_before(fields v)
{
    return (fields)_mm512_lzcnt_epi32((__m512i)v);
}
#else
typedef u64s fields;
typedef i64s i_fields;

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

ZTI_INLINE fields look_up_fields(__m512i table, fields at)
{
    return (fields)_mm512_maskz_permutexvar_epi8(0x0101010101010101, (__m512i)at, table);
}

ZTI_INLINE void store_first(void *to, uint32_t n, fields v)
{
    _mm512_mask_storeu_epi64(to, (__mmask8)(0xffu >> (8 - n)), (__m512i)v);
}

ZTI_INLINE fields zeros_before(fields v)
{
    return (fields)_mm512_lzcnt_epi64((__m512i)v);
}
#endif

/* Write fields in order. */
ZTI_INLINE void write_fields(fields bits, fields count, struct zti_bit_writer *w)
{
    enum { MOST = 56 };
    uint64_t one[8], n[8];
#if WIDTH == 32
    const u64s low = v_all_64(UINT32_MAX), first = (u64s)count & low;
    const u64s two = ((u64s)bits & low) | ((u64s)bits >> 32) << first;
    const u64s n_two = first + ((u64s)count >> 32);
#else
    const u64s two = bits, n_two = count;
#endif
    const u64s next = (u64s)_mm512_bsrli_epi128((__m512i)two, 8);
    const u64s four = two | next << n_two;
    const u64s n_four = n_two + (u64s)_mm512_bsrli_epi128((__m512i)n_two, 8);
    if ((_mm512_cmpgt_epu64_mask((__m512i)n_four, (__m512i)v_all_64(MOST)) & 0x55) == 0) {
        memcpy(one, &four, sizeof one);
        memcpy(n, &n_four, sizeof n);
        for (uint32_t k = 0; k < 8; k += 2)
            zti_put_bits(w, one[k], (uint32_t)n[k]);
        return;
    }
    memcpy(one, &two, sizeof one);
    memcpy(n, &n_two, sizeof n);
    if (_mm512_cmpgt_epu64_mask((__m512i)n_two, (__m512i)v_all_64(MOST)) == 0)
        for (uint32_t k = 0; k < 8; k++)
            zti_put_bits(w, one[k], (uint32_t)n[k]);
    else
        for (uint32_t k = 0; k < 8; k++)
            zti_put_bits64(w, one[k], (uint32_t)n[k]);
}

#endif
