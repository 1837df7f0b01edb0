/* sz_cuda_groups.h: kernel text, decoding: groups of 64 values, in Rice codes and lists, a thread a
 * group. Its parameters are those of sz_kernel.h. */

static __device__ __forceinline__ word above(word u, uint32_t k)
{
    return k < WIDTH ? u >> k : 0;
}

/* A list's values, of which the others are 0; false where one would be beyond its n. */
static __device__ __forceinline__ bool take_list(struct zti_bit_reader *r, word *u, uint32_t n,
                                                 uint32_t count)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        next += take_gap(r, count);
        if (next >= n)
            return false;
        u[next++] = (word)(take_value(r) + 1);
    }
    return true;
}

/* Pass over a group's list or rounds. One thread. */
static __device__ __forceinline__ bool pass_group(struct zti_bit_reader *r, uint32_t n, uint32_t c)
{
    uint32_t alive = n, next = 0;
    if (is_list(c)) {
        for (uint32_t i = 0; i < c; i++) {
            next += take_gap(r, c);
            if (next++ >= n)
                return false;
            (void)take_value(r);
        }
        return true;
    }
    for (uint32_t round = 0; round < ZTI_SZ_ROUNDS && alive > 0; round++)
        alive = (uint32_t)__popcll(zti_take_bits64(r, alive));
    for (; alive > 0; alive--)
        (void)take_number(r);
    return true;
}

/* Classes, and where each group's bits are. One thread: where a group's rest begins is known when
 * the one before was gone through. */
static __device__ __forceinline__ bool find_groups(struct shared *sh, struct zti_bit_reader *r,
                                                   uint32_t n, uint64_t start, uint64_t end_bits)
{
    const uint32_t width = (sh->form & 3) == ZTI_SZ_NARROW ? 32 : WIDTH;
    uint32_t before = 0;
    uint64_t planes = 0;
    for (uint32_t g = 0; g * ZTI_SZ_GROUP < n; g++) {
        const uint32_t c = take_class(r, before);
        if (c > ZTI_SZ_FEW + 1 + width || r->at > end_bits)
            return false;
        sh->classes[g] = before = c;
        sh->plane_at[g] = (uint32_t)planes;
        planes += (uint64_t)class_planes(c) * in_group(n, g);
    }
    if (planes > end_bits - r->at)
        return false;
    sh->plane_bits = (uint32_t)(r->at - start); /* where planes begin */
    r->at += planes;
    for (uint32_t g = 0; g * ZTI_SZ_GROUP < n; g++) {
        sh->rest_at[g] = (uint32_t)(r->at - start);
        if (!pass_group(r, in_group(n, g), sh->classes[g]) || r->at > end_bits)
            return false;
    }
    return true;
}

/* Put the low k bits of n values, which are in planes, below what is in u. */
static __device__ __forceinline__ void join_planes(struct zti_bit_reader r, uint32_t n, uint32_t k,
                                                   word *u)
{
    for (uint32_t i = 0; i < n; i++)
        u[i] = k < WIDTH ? u[i] << k : 0;
    for (uint32_t j = 0; j < k; j++) {
        const uint64_t plane = zti_take_bits64(&r, n);
        for (uint32_t i = 0; i < n; i++)
            u[i] |= (word)(plane >> i & 1) << j;
    }
}

/* A group's values. One thread a group. */
static __device__ __forceinline__ void take_group(struct zti_bit_reader r, uint64_t plane_at,
                                                  uint32_t n, uint32_t c, word *u)
{
    const uint32_t k = class_planes(c);
    uint64_t alive = n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
    for (uint32_t i = 0; i < ZTI_SZ_GROUP; i++)
        u[i] = 0;
    if (is_list(c)) {
        (void)take_list(&r, u, n, c);
        return;
    }
    for (uint32_t round = 0; round < ZTI_SZ_ROUNDS && alive != 0; round++) {
        uint64_t bits = zti_take_bits64(&r, (uint32_t)__popcll(alive)), higher = 0;
        for (uint64_t left = alive; left != 0; left &= left - 1, bits >>= 1) {
            const uint32_t i = (uint32_t)__ffsll((long long)left) - 1;
            u[i] += (word)(bits & 1);
            higher |= (bits & 1) << i;
        }
        alive = higher;
    }
    for (; alive != 0; alive &= alive - 1)
        u[(uint32_t)__ffsll((long long)alive) - 1] += (word)take_number(&r);
    r.at = plane_at;
    join_planes(r, n, k, u);
}
