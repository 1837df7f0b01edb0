/* vectors.h: vectors of numbers: the types and verbs of the instruction set that a file is compiled
 * for: that whose header it began with (avx2.h, avx512.h), or plain C (plain.h). Another
 * instruction set is one more such header.
 *
 * u32s is a vector of V_BYTES bytes of uint32_t, i64s one of int64_t, and so on; lane 0 is the one
 * at the lowest address. C's operators work lane by lane, with a number for all lanes as well; a
 * cast from one type to another keeps the bits. The verbs are functions v_verb_W of vectors with
 * lanes of W bits, for what operators do not say. A mask (b32s, b64s) has a truth for each lane. */
#ifndef ZTI_SIMD_VECTORS_H
#define ZTI_SIMD_VECTORS_H

#include "core/core.h"

#if !defined(V_VERBS)
#define V_VERBS          "simd/plain.h"
#define V_REGISTER_BYTES 16
#endif

/* Lanes of 32 and 64 bits. */
enum { V_BYTES = V_REGISTER_BYTES, V_LANES_32 = V_BYTES / 4, V_LANES_64 = V_BYTES / 8 };

typedef float f32s __attribute__((vector_size(V_BYTES)));
typedef double f64s __attribute__((vector_size(V_BYTES)));

/* The types and what is the same for all: load and store at any address, a number in all lanes, all
 * bits of a lane its sign. */
#define V_COMMON(W)                                                                                \
    typedef uint##W##_t u##W##s __attribute__((vector_size(V_BYTES)));                             \
    typedef int##W##_t i##W##s __attribute__((vector_size(V_BYTES)));                              \
    ZTI_INLINE u##W##s v_load_##W(const void *from)                                                \
    {                                                                                              \
        u##W##s v;                                                                                 \
        memcpy(&v, from, sizeof v);                                                                \
        return v;                                                                                  \
    }                                                                                              \
    ZTI_INLINE void v_store_##W(void *to, u##W##s v)                                               \
    {                                                                                              \
        memcpy(to, &v, sizeof v);                                                                  \
    }                                                                                              \
    ZTI_INLINE u##W##s v_all_##W(uint##W##_t x)                                                    \
    {                                                                                              \
        return (u##W##s){0} + x;                                                                   \
    }                                                                                              \
    ZTI_INLINE u##W##s v_sign_##W(u##W##s v)                                                       \
    {                                                                                              \
        return (u##W##s)((i##W##s)v >> (W - 1));                                                   \
    }

V_COMMON(8)
V_COMMON(16)
V_COMMON(32)
V_COMMON(64)
#undef V_COMMON

#include V_VERBS

/* Masks that are vectors, where an instruction set has none of its own. is_less compares signed
 * numbers; if takes a where the mask is true, else b; where takes v, else 0. */
#if !defined(V_HAS_MASKS)
#define V_MASKS(W)                                                                                 \
    typedef u##W##s b##W##s;                                                                       \
    ZTI_INLINE b##W##s v_is_less_##W(u##W##s a, u##W##s b)                                         \
    {                                                                                              \
        return (b##W##s)((i##W##s)a < (i##W##s)b);                                                 \
    }                                                                                              \
    ZTI_INLINE b##W##s v_is_set_##W(u##W##s v)                                                     \
    {                                                                                              \
        return (b##W##s)(v != 0);                                                                  \
    }                                                                                              \
    ZTI_INLINE u##W##s v_where_##W(b##W##s m, u##W##s v)                                           \
    {                                                                                              \
        return m & v;                                                                              \
    }                                                                                              \
    ZTI_INLINE bool m_any_##W(b##W##s m)                                                           \
    {                                                                                              \
        return v_is_any((u32s)m);                                                                  \
    }

V_MASKS(32)
V_MASKS(64)
#undef V_MASKS
#endif

#endif
