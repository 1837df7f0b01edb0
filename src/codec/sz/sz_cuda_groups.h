/* sz_cuda_groups.h: kernel text: groups of 64 values, in Rice codes and lists, a thread a group:
 * how many bits they take, and the bits. Its parameters are those of sz_kernel.h. */

static __device__ __forceinline__ word above(word u, uint32_t k)
{
    return k < WIDTH ? u >> k : 0;
}

static __device__ __forceinline__ uint32_t longer(const word *u, uint32_t k)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ZTI_SZ_GROUP; i++)
        count += above(u[i], k) != 0;
    return count;
}

static __device__ __forceinline__ uint32_t rice_bits(const word *u, uint32_t n, uint32_t k)
{
    uint32_t sum = n * k;
    for (uint32_t i = 0; i < ZTI_SZ_GROUP; i++) {
        const word high = above(u[i], k);
        sum += high < ZTI_SZ_UNARY_MOST ? (uint32_t)high : (uint32_t)ZTI_SZ_UNARY_MOST;
    }
    return sum;
}

/* class_of of sz_groups.h: a list of list_most values at most, or the k of the fewest bits near the
 * smallest one that leaves at most 39 of 64 values longer. */
static __device__ __forceinline__ uint32_t class_of(const word *u, uint32_t n, uint32_t width,
                                                    uint32_t list_most)
{
    const uint32_t some = longer(u, 0), most = n * 39 / 64;
    uint32_t k = 0;
    if (some <= list_most)
        return some;
    while (longer(u, k) > most)
        k++;
    const uint32_t first = k;
    uint32_t least = rice_bits(u, n, k), other;
    while (k > 0 && (other = rice_bits(u, n, k - 1)) < least) {
        least = other;
        k--;
    }
    while (k >= first && k < width && (other = rice_bits(u, n, k + 1)) < least) {
        least = other;
        k++;
    }
    return k == 0 && some <= ZTI_SZ_FEW_MOST ? (uint32_t)ZTI_SZ_FEW : ZTI_SZ_FEW + 1 + k;
}

/* Bits of a group's list of so many values. */
static __device__ __forceinline__ uint32_t list_bits(const word *u, uint32_t n, uint32_t count)
{
    const uint32_t k = gap_bits_of(count);
    uint32_t bits = 0, next = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (u[i] == 0)
            continue;
        bits += rice_code(i - next, k).count + value_bits(u[i] - 1);
        next = i + 1;
    }
    return bits;
}

/* Bits of what is above k planes, in unary code. */
static __device__ __forceinline__ uint32_t rounds_bits(const word *u, uint32_t n, uint32_t k)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < n; i++)
        bits += value_bits(above(u[i], k));
    return bits;
}

static __device__ __forceinline__ void put_planes(const word *u, uint32_t n, uint32_t k,
                                                  uint32_t *out, uint32_t at)
{
    for (uint32_t j = 0; j < k; j++) {
        uint64_t plane = 0;
        for (uint32_t i = 0; i < n; i++)
            plane |= (uint64_t)(u[i] >> j & 1) << i;
        put_at(out, &at, plane, n);
    }
}

static __device__ __forceinline__ void put_rounds(const word *u, uint32_t n, uint32_t k,
                                                  uint32_t *out, uint32_t at)
{
    uint32_t alive = n;
    for (uint32_t round = 0; round < ZTI_SZ_ROUNDS && alive > 0; round++) {
        uint64_t bits = 0;
        uint32_t count = 0, higher = 0;
        for (uint32_t i = 0; i < n; i++) {
            const word high = above(u[i], k);
            if (high >= round) {
                bits |= (uint64_t)(high > round) << count++;
                higher += high > round;
            }
        }
        put_at(out, &at, bits, count);
        alive = higher;
    }
    for (uint32_t i = 0; i < n && alive > 0; i++)
        if (above(u[i], k) >= ZTI_SZ_ROUNDS)
            put_number_at(out, &at, above(u[i], k) - ZTI_SZ_ROUNDS);
}

static __device__ __forceinline__ void put_list(const word *u, uint32_t n, uint32_t count,
                                                uint32_t *out, uint32_t at)
{
    const uint32_t k = gap_bits_of(count);
    uint32_t next = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (u[i] == 0)
            continue;
        put_code_at(out, &at, rice_code(i - next, k));
        put_value_at(out, &at, u[i] - 1);
        next = i + 1;
    }
}
