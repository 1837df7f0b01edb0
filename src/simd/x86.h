/* x86.h: verbs whose intrinsics differ between AVX2 and AVX-512 by the width in their names alone.
 * Included by avx2.h and avx512.h, which define V_X86, v_register and v_half. */

ZTI_INLINE u32s v_min_32(u32s a, u32s b)
{
    return (u32s)V_X86(min_epu32)((v_register)a, (v_register)b);
}
ZTI_INLINE u32s v_max_32(u32s a, u32s b)
{
    return (u32s)V_X86(max_epu32)((v_register)a, (v_register)b);
}
ZTI_INLINE u32s v_size_32(u32s v)
{
    return (u32s)V_X86(abs_epi32)((v_register)v);
}
ZTI_INLINE u8s v_min_8(u8s a, u8s b)
{
    return (u8s)V_X86(min_epu8)((v_register)a, (v_register)b);
}
ZTI_INLINE u16s v_rest_16(u16s a, u16s b)
{
    return (u16s)V_X86(subs_epu16)((v_register)a, (v_register)b);
}

/* The largest integers that are not above numbers. */
ZTI_INLINE f32s v_floor_32(f32s v)
{
    return (f32s)V_X86(floor_ps)(v);
}

ZTI_INLINE u32s v_right_32(u32s v, u32s n)
{
    return (u32s)V_X86(srlv_epi32)((v_register)v, (v_register)n);
}
ZTI_INLINE u64s v_right_64(u64s v, u64s n)
{
    return (u64s)V_X86(srlv_epi64)((v_register)v, (v_register)n);
}
ZTI_INLINE u32s v_left_32(u32s v, u32s n)
{
    return (u32s)V_X86(sllv_epi32)((v_register)v, (v_register)n);
}
ZTI_INLINE u64s v_left_64(u64s v, u64s n)
{
    return (u64s)V_X86(sllv_epi64)((v_register)v, (v_register)n);
}

ZTI_INLINE u32s v_widen_16(u16s v, uint32_t half)
{
    return (u32s)V_X86(cvtepu16_epi32)(v_half((v_register)v, half));
}
ZTI_INLINE u64s v_widen_32(u32s v, uint32_t half)
{
    return (u64s)V_X86(cvtepu32_epi64)(v_half((v_register)v, half));
}
ZTI_INLINE u8s v_shuffle_8(u8s v, u8s at)
{
    return (u8s)V_X86(shuffle_epi8)((v_register)v, (v_register)at);
}

ZTI_INLINE void v_stream_end(void)
{
    _mm_sfence();
}

#undef V_X86
