/* sz_groups.h: kernel text: the integers of a tile, in groups of 64, to bits and back. The includer
 * defines
 *   uval        uint32_t or uint64_t
 *   VAL_BITS    their width
 *   NAME(x)     x with this instance's suffix
 * and has included sz_words.h or an instance's own, and sz_bits.h.
 *
 * A group's class c:
 *   0..16    so many of its values are not 0; they are listed
 *   17 + k   k low bits of each value in k planes, what is above in unary code, plane by plane
 *
 * All classes of a tile come first, then all planes, then all lists and unary parts. */

/* The largest value of k bits. */
ZTI_INLINE uval NAME(ones)(uint32_t k)
{
    return k >= VAL_BITS ? (uval)~(uval)0 : (uval)(((uval)1 << k) - 1);
}

/* A list where few values are not 0; else the k of the fewest bits near the smallest one with at
 * most 39 of 64 values of more than k bits: 0.618 of them is where one bit more is worth while for
 * a geometric law (Gallager and van Voorhis 1975). 'near' is where the search for that begins and
 * has no influence on the result. */
ZTI_INLINE uint32_t NAME(class_of)(const uval *u, uint32_t n, uint32_t near,
                                   uint32_t list_most)
{
    const uint32_t some = count_ones(NAME(above)(u, 0)), most = n * 39 / 64;
    if (some <= list_most)
        return some;
    uint32_t k = near;
    if (count_ones(NAME(above)(u, NAME(ones)(k))) <= most) {
        while (k > 0 && count_ones(NAME(above)(u, NAME(ones)(k - 1))) <= most)
            k--;
    } else {
        do
            k++;
        while (count_ones(NAME(above)(u, NAME(ones)(k))) > most);
    }
    uint32_t bits = n * k + NAME(unary)(u, k), other;
    const uint32_t first = k;
    while (k > 0 && (other = n * (k - 1) + NAME(unary)(u, k - 1)) < bits) {
        bits = other;
        k--;
    }
    while (k >= first && k < VAL_BITS && (other = n * (k + 1) + NAME(unary)(u, k + 1)) < bits) {
        bits = other;
        k++;
    }
    return k == 0 && some <= ZTI_SZ_FEW_MOST ? ZTI_SZ_FEW : ZTI_SZ_FEW + 1 + k;
}

/* (t + 1) 2^k - 1, or the largest number. */
ZTI_INLINE uval NAME(round_limit)(uint32_t k, uint32_t t)
{
    if (k >= VAL_BITS || (uval)(t + 1) > (uval)~(uval)0 >> k)
        return (uval)~(uval)0;
    return (uval)(((uval)(t + 1) << k) - 1);
}

/* What is above k bits, in unary code: round t has a bit for each value that passed all rounds
 * before, set where it is above t. Of the few that pass 12, the rest is written as a number. */
ZTI_INLINE void NAME(put_rounds)(struct zti_bit_writer *w, const uval *u, uint32_t n, uint32_t k)
{
    uint64_t alive = n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
    for (uint32_t t = 0; t < ZTI_SZ_ROUNDS; t++) {
        const uint64_t higher = NAME(above)(u, NAME(round_limit)(k, t));
        put_word(w, gather_bits(higher, alive), count_ones(alive));
        alive = higher;
        if (!alive)
            return;
    }
    for (; alive; alive &= alive - 1)
        put_number(w, (u[lowest_bit(alive)] >> k) - ZTI_SZ_ROUNDS);
}

ZTI_INLINE void NAME(take_rounds)(struct zti_bit_reader *r, uval *u, uint32_t n, uint32_t k)
{
    uint64_t alive = n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
    const uval one = k < VAL_BITS ? (uval)1 << k : 0;
    struct NAME(group) group = NAME(load)(u);
    for (uint32_t t = 0; t < ZTI_SZ_ROUNDS && alive; t++) {
        alive = scatter_bits(take_word(r, count_ones(alive)), alive);
        NAME(add)(&group, alive, one);
    }
    NAME(store)(&group, u);
    for (; alive; alive &= alive - 1)
        u[lowest_bit(alive)] += (uval)((uval)take_number(r) * one);
}

/* Add planes of n bits each to u. */
ZTI_INLINE void NAME(take_planes)(struct zti_bit_reader *r, uval *u, uint32_t n, uint32_t planes)
{
    struct NAME(group) group = NAME(load)(u);
    for (uint32_t j = 0; j < planes; j++)
        NAME(add)(&group, take_word(r, n), (uval)1 << j);
    NAME(store)(&group, u);
}

/* The values that are not 0: how many are between each and the one before, in a Rice code, and the
 * value less 1 in unary code, as above. */
ZTI_INLINE void NAME(put_list)(struct zti_bit_writer *w, const uval *u, uint32_t count)
{
    const uint32_t k = gap_bits[count];
    uint32_t next = 0;
    for (uint64_t left = NAME(above)(u, 0); left; left &= left - 1) {
        const uint32_t i = lowest_bit(left), gap = i - next, zeros = gap >> k;
        zti_put_bits(w, (UINT64_C(1) | (uint64_t)(gap & ((1u << k) - 1)) << 1) << zeros,
                     zeros + 1 + k);
        put_value(w, u[i] - 1);
        next = i + 1;
    }
}

/* False where a value would be beyond the group. */
ZTI_INLINE bool NAME(take_list)(struct zti_bit_reader *r, uval *u, uint32_t n, uint32_t count)
{
    const uint32_t k = gap_bits[count];
    uint32_t next = 0;
    for (; count > 0; count--) {
        uint64_t bits = zti_peek_bits(r);
        const uint32_t zeros = lowest_bit(bits | UINT64_C(1) << 32);
        bits >>= zeros + 1;
        const uint32_t i = next + (zeros << k) + ((uint32_t)bits & ((1u << k) - 1));
        if (i >= n)
            return false;
        r->at += zeros + 1 + k;
        u[i] = (uval)(take_value(r) + 1);
        next = i + 1;
    }
    return true;
}

/* Append the n values of u, which is zero from there to the end of its last group; false, with
 * what was written to be dropped, where they take more than most_bytes from where w began. Of the
 * buffer ZTI_SZ_GROUP_MOST_BYTES more may be used. */
static bool NAME(put_groups)(struct zti_bit_writer *w, const uval *u, uint32_t n,
                             uint32_t most_bytes)
{
    uint8_t classes[ZTI_SZ_GROUPS];
    const uint32_t groups = (n + ZTI_SZ_GROUP - 1) / ZTI_SZ_GROUP;
    uint32_t k = 0, before = 0;
    uint64_t plane_bits = 0;
    for (uint32_t g = 0; g < groups; g++) {
        const uint32_t in_group = n - g * ZTI_SZ_GROUP < 64 ? n - g * ZTI_SZ_GROUP : 64;
        const uint32_t c = NAME(class_of)(u + g * ZTI_SZ_GROUP, in_group, k,
                                            ZTI_SZ_SPARSE);
        if (!is_list(c)) {
            k = class_planes(c);
            plane_bits += (uint64_t)k * in_group;
        }
        put_class(w, c, before);
        before = c;
        classes[g] = (uint8_t)c;
    }
    if ((zti_bits_written(w) + plane_bits) / 8 > most_bytes)
        return false;
    for (uint32_t g = 0; g < groups; g++) {
        const uint32_t in_group = n - g * ZTI_SZ_GROUP < 64 ? n - g * ZTI_SZ_GROUP : 64;
        for (uint32_t j = 0; j < class_planes(classes[g]); j++)
            put_word(w, NAME(plane)(u + g * ZTI_SZ_GROUP, j), in_group);
    }
    for (uint32_t g = 0; g < groups; g++) {
        const uint32_t in_group = n - g * ZTI_SZ_GROUP < 64 ? n - g * ZTI_SZ_GROUP : 64;
        if (!is_list(classes[g]))
            NAME(put_rounds)(w, u + g * ZTI_SZ_GROUP, in_group, class_planes(classes[g]));
        else
            NAME(put_list)(w, u + g * ZTI_SZ_GROUP, classes[g]);
        if (zti_bits_written(w) / 8 > most_bytes)
            return false;
    }
    return true;
}

/* The classes of n values, and the bits of their planes; false where they and these reach beyond
 * bit end_bits or make no sense. */
static bool NAME(take_classes)(struct zti_bit_reader *r, uint32_t n, uint64_t end_bits,
                               uint8_t *classes, uint64_t *plane_bits)
{
    *plane_bits = 0;
    for (uint32_t g = 0, before = 0; g * ZTI_SZ_GROUP < n; before = classes[g++]) {
        const uint32_t in_group = n - g * ZTI_SZ_GROUP < 64 ? n - g * ZTI_SZ_GROUP : 64;
        const uint32_t c = take_class(r, before);
        if (c > ZTI_SZ_FEW + 1 + VAL_BITS || r->at > end_bits)
            return false;
        classes[g] = (uint8_t)c;
        *plane_bits += (uint64_t)class_planes(c) * in_group;
    }
    return *plane_bits <= end_bits - r->at;
}

/* Take n values; false where they reach beyond bit end_bits or make no sense. Of the buffer
 * ZTI_SZ_GROUP_MOST_BYTES beyond that bit may be read. */
static bool NAME(take_groups)(struct zti_bit_reader *r, uval *u, uint32_t n, uint64_t end_bits)
{
    uint8_t classes[ZTI_SZ_GROUPS];
    const uint32_t groups = (n + ZTI_SZ_GROUP - 1) / ZTI_SZ_GROUP;
    uint64_t plane_bits;
    if (!NAME(take_classes)(r, n, end_bits, classes, &plane_bits))
        return false;
    memset(u, 0, (size_t)groups * ZTI_SZ_GROUP * sizeof *u);
    for (uint32_t g = 0; g < groups; g++) {
        const uint32_t in_group = n - g * ZTI_SZ_GROUP < 64 ? n - g * ZTI_SZ_GROUP : 64;
        if (class_planes(classes[g]) > 0)
            NAME(take_planes)(r, u + g * ZTI_SZ_GROUP, in_group, class_planes(classes[g]));
    }
    for (uint32_t g = 0; g < groups; g++) {
        const uint32_t in_group = n - g * ZTI_SZ_GROUP < 64 ? n - g * ZTI_SZ_GROUP : 64;
        if (!is_list(classes[g]))
            NAME(take_rounds)(r, u + g * ZTI_SZ_GROUP, in_group, class_planes(classes[g]));
        else if (!NAME(take_list)(r, u + g * ZTI_SZ_GROUP, in_group, classes[g]))
            return false;
        if (r->at > end_bits)
            return false;
    }
    return true;
}
