/* rice.h: kernel text: encode the folded residuals of a tile, in groups of 64, to Rice codes, and
 * decode them. The includer defines
 *   uval        uint32_t or uint64_t
 *   VAL_BITS    their width
 *   NAME(x)     x with this instance's suffix
 * and has included bits.h, lorenzo/bytes.h and lorenzo/words.h.
 *
 * A group's class c:
 *   0..16    a list: c of its values are not 0
 *   17 + k   the low k bits of each value in k planes, the bits above in unary code, round by
 *            round
 *
 * All classes of a tile come first, then all planes, then all lists and unary parts. */

/* 64 values, and the same in bytes, shifted right by 'down' bits. If that is 0, u is not read. */
struct NAME(group) {
    const uval *u;
    const uint8_t *bytes; /* v in memory */
    struct small v;
    uint32_t down;
};

ZTI_INLINE uval NAME(value_in)(const struct NAME(group) * group, uint32_t i)
{
    return group->down == 0 ? group->bytes[i] : group->u[i];
}

/* Make group g, and keep its bytes for group_of. 'down' is the least shift with which its largest
 * value fits in a byte. */
ZTI_INLINE struct NAME(group) NAME(make_group)(const uval *u, struct smalls *s, uint32_t g)
{
    const uval any = NAME(any)(u + g * ZTI_SZ_GROUP);
    const uint32_t down = any < 256 ? 0 : zti_bit_length64(any) - 8;
    const struct small v = any < 256 ? NAME(bytes_of)(u + g * ZTI_SZ_GROUP)
                                     : NAME(bytes_above)(u + g * ZTI_SZ_GROUP, down, false);
    small_store(v, s->v + g * ZTI_SZ_GROUP);
    s->down[g] = (uint8_t)down;
    return (struct NAME(group)){u + g * ZTI_SZ_GROUP, s->v + g * ZTI_SZ_GROUP, v, down};
}

ZTI_INLINE struct NAME(group) NAME(group_of)(const uval *u, const struct smalls *s, uint32_t g)
{
    const uint8_t *const bytes = s->v + g * ZTI_SZ_GROUP;
    return (struct NAME(group)){u + g * ZTI_SZ_GROUP, bytes, small_load(bytes), s->down[g]};
}

/* The values shifted right by k bits, at most 255. */
ZTI_INLINE struct small NAME(high)(const struct NAME(group) * group, uint32_t k)
{
    if (zti_unlikely(k < group->down))
        return NAME(bytes_above)(group->u, k, false);
    return k - group->down < 8 ? small_down(group->v, k - group->down) : small_zero();
}

/* The number of values of more than k bits. */
ZTI_INLINE uint32_t NAME(longer)(const struct NAME(group) * group, uint32_t k)
{
    if (zti_unlikely(k < group->down))
        return zti_popcount64(small_above(NAME(bytes_above)(group->u, k, false), 0));
    const uint32_t bits = k - group->down;
    return bits < 8 ? zti_popcount64(small_above(group->v, (1u << bits) - 1)) : 0;
}

/* An estimate of the bits of n values with k planes; it counts at most ZTI_SZ_UNARY_MOST unary bits
 * for a value. */
ZTI_INLINE uint32_t NAME(rice_bits)(const struct NAME(group) * group, uint32_t n, uint32_t k)
{
    return n * k + small_sum(small_least(NAME(high)(group, k), ZTI_SZ_UNARY_MOST));
}

/* Lower (or raise) k as long as each step takes fewer bits; returns the last k. *bits is that of k,
 * before and after. */
ZTI_INLINE uint32_t NAME(go_down)(const struct NAME(group) * group, uint32_t n, uint32_t k,
                                  uint32_t *bits)
{
    uint32_t other;
    for (; k > 0 && (other = NAME(rice_bits)(group, n, k - 1)) < *bits; k--)
        *bits = other;
    return k;
}

ZTI_INLINE uint32_t NAME(go_up)(const struct NAME(group) * group, uint32_t n, uint32_t k,
                                uint32_t *bits)
{
    uint32_t other;
    for (; k < VAL_BITS && (other = NAME(rice_bits)(group, n, k + 1)) < *bits; k++)
        *bits = other;
    return k;
}

#if defined(ZTI_WITH_AVX512)
/* As class_of, for a whole group, mostly without branches, since which of three classes is best
 * cannot be predicted. False if it does not apply. */
ZTI_INLINE bool NAME(class_at_once)(const struct NAME(group) * group, uint32_t list_most,
                                    uint32_t *class, uint32_t *bits)
{
    const struct small_rates r = small_rates_of(group->v, longer_most(ZTI_SZ_GROUP));
    if (group->down > 0 && r.first < 2)
        return false; /* candidates of k may be below 'down' */
    *bits = 0;
    *class = r.some;
    if (group->down == 0 && r.some <= list_most)
        return true;
    const uint32_t is_less = small_is_less(r);
    const uint32_t down = is_less >> 1 & (r.first > 0), down_2 = down & is_less & (r.first > 1);
    const uint32_t up = (small_is_more(r) >> 2 & 1) & ~down;
    uint32_t k = group->down + r.first;
    *bits = small_rate(r, down) + ZTI_SZ_GROUP * k;
    k -= down;
    if (zti_unlikely(down_2 | up))
        k = up ? NAME(go_up)(group, ZTI_SZ_GROUP, k, bits)
               : NAME(go_down)(group, ZTI_SZ_GROUP, k, bits);
    *class = class_of_planes(k, r.some);
    return true;
}
#endif

/* The class of a group: a list if few values are not 0. Else let k0 be the smallest k with at most
 * longer_most(n) values of more than k bits; k is the local minimum of rice_bits near k0. The
 * search for k0 begins at 'near', which does not affect the result. *bits: rice_bits of k; 0 for a
 * list. */
ZTI_INLINE uint32_t NAME(class_of)(const struct NAME(group) * group, uint32_t n, uint32_t near,
                                   uint32_t list_most, uint32_t *bits)
{
#if defined(ZTI_WITH_AVX512)
    uint32_t class;
    if (n == ZTI_SZ_GROUP && NAME(class_at_once)(group, list_most, &class, bits))
        return class;
#endif
    const uint32_t most = longer_most(n);
    uint32_t k = near, some = NAME(longer)(group, k);
    const bool is_few = some <= most;
    *bits = 0;
    if (some <= list_most) {
        some = NAME(longer)(group, 0);
        if (some <= list_most)
            return some;
    }
    if (is_few) {
        while (k > 0 && NAME(longer)(group, k - 1) <= most)
            k--;
    } else {
        do
            k++;
        while (NAME(longer)(group, k) > most);
    }
    const uint32_t first = k;
    *bits = NAME(rice_bits)(group, n, k);
    k = NAME(go_down)(group, n, k, bits);
    if (k == first)
        k = NAME(go_up)(group, n, k, bits);
    return class_of_planes(k, k == 0 ? NAME(longer)(group, 0) : 0);
}

/* Append the low k bits of n values, plane by plane. */
ZTI_INLINE void NAME(write_planes)(struct zti_bit_writer *writer, const struct NAME(group) * group,
                                   uint32_t n, uint32_t k)
{
    struct zti_bit_writer w = *writer; /* a copy that no pointer refers to stays in registers */
    uint64_t planes[8];
    for (uint32_t j = 0; j < k; j += 8) {
        const struct small s =
            j + group->down == 0 ? group->v : NAME(bytes_above)(group->u, j, true);
        const uint32_t some = k - j < 8 ? k - j : 8;
        if (zti_likely(n == ZTI_SZ_GROUP)) {
            small_encode_planes(&w, s, some);
            continue;
        }
        small_planes(s, some, planes);
        for (uint32_t i = 0; i < some; i++)
            write_word(&w, planes[i], n);
    }
    *writer = w;
}

/* Append the bits above the low k, h, in unary code. Round t has a bit for each value whose bits in
 * all earlier rounds are set; it is set if h > t. After 12 rounds, the rest of h is written as a
 * number. */
ZTI_INLINE void NAME(encode_rounds)(struct zti_bit_writer *writer, const struct NAME(group) * group,
                                    uint32_t n, uint32_t k)
{
    const struct small high = NAME(high)(group, k);
    struct zti_bit_writer w = *writer;
    uint64_t alive = n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
    for (uint32_t t = 0; t < ZTI_SZ_ROUNDS && (t < 4 || alive); t++) {
        const uint64_t higher = small_above(high, t);
        write_word(&w, gather_bits(higher, alive), zti_popcount64(alive));
        alive = higher;
    }
    *writer = w;
    for (; alive; alive &= alive - 1)
        write_number(writer, (NAME(value_in)(group, zti_ctz64(alive)) >> k) - ZTI_SZ_ROUNDS);
}

/* The folded residuals of a tile that is decoded. They are bytes as long as all fit, as in most
 * tiles; lorenzo/integers.h then widens them when it sums them. */
struct NAME(residuals) {
    uint8_t *small;
    uval *u;
    bool is_small;
    uint32_t groups;
};

/* Convert all bytes to integers. */
static void NAME(make_wide)(struct NAME(residuals) * to)
{
    for (uint32_t g = 0; g < to->groups && to->is_small; g++)
        NAME(widen_to)
    (small_load(to->small + g * ZTI_SZ_GROUP), 0, false, to->u + g * ZTI_SZ_GROUP);
    to->is_small = false;
}

/* Add 'more' to residual i. */
ZTI_INLINE void NAME(add_at)(struct NAME(residuals) * to, uint32_t i, uval more)
{
    if (to->is_small && zti_unlikely(more > 255 || to->small[i] + more > 255))
        NAME(make_wide)(to);
    if (to->is_small)
        to->small[i] = (uint8_t)(to->small[i] + more);
    else
        to->u[i] += more;
}

/* Join n values of group g from the bits above the low k (each value at most 15) and k planes. */
ZTI_INLINE void NAME(join)(struct zti_bit_reader *r, struct small high, struct NAME(residuals) * to,
                           uint32_t g, uint32_t n, uint32_t k)
{
    const struct small low = read_planes(r, n, k < 8 ? k : 8);
    uval *const u = to->u + g * ZTI_SZ_GROUP;
    const bool fits = k <= 4 || (k < 8 && small_above(high, 255u >> k) == 0);
    if (to->is_small && zti_unlikely(!fits))
        NAME(make_wide)(to);
    if (fits) {
        const struct small all = small_or(low, small_up(high, k));
        if (to->is_small)
            small_store(all, to->small + g * ZTI_SZ_GROUP);
        else
            NAME(widen_to)(all, 0, false, u);
        return;
    }
    NAME(widen_to)(k < VAL_BITS ? high : small_zero(), k < VAL_BITS ? k : 0, false, u);
    NAME(widen_to)(low, 0, true, u);
    for (uint32_t done = 8; done < k; done += 8)
        NAME(widen_to)(read_planes(r, n, k - done < 8 ? k - done : 8), done, true, u);
}

/* The inverse of write_planes and encode_rounds: read n values of group g; zeros follow to its end.
 */
ZTI_INLINE void NAME(decode_rounds)(struct zti_bit_reader *reader, struct zti_bit_reader *planes,
                                    struct NAME(residuals) * to, uint32_t g, uint32_t n, uint32_t k)
{
    uint64_t alive = n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
    struct small high = small_zero();
    struct zti_bit_reader r = *reader;
    for (uint32_t t = 0; t < ZTI_SZ_ROUNDS && (t < 4 || alive); t++) {
        const uint64_t bits = read_word(&r, zti_popcount64(alive));
        alive = scatter_bits(bits, alive);
        high = small_raise(high, alive);
    }
    *reader = r;
    NAME(join)(planes, high, to, g, n, k);
    for (; alive; alive &= alive - 1)
        NAME(add_at)
    (to, g * ZTI_SZ_GROUP + zti_ctz64(alive),
     (uval)((uval)read_number(reader) << (k < VAL_BITS ? k : 0)) * (k < VAL_BITS));
}

/* Append the values that are not 0: for each, the number of zeros before it in a Rice code, and the
 * value less 1 in unary code, as above. */
ZTI_INLINE void NAME(write_list)(struct zti_bit_writer *w, const struct NAME(group) * group,
                                 uint32_t count)
{
    const uint32_t k = gap_bits_of(count);
    uint32_t next = 0;
    for (uint64_t left = small_above(NAME(high)(group, 0), 0); left; left &= left - 1) {
        const uint32_t i = zti_ctz64(left);
        write_code(w, rice_code(i - next, k));
        write_value(w, NAME(value_in)(group, i) - 1);
        next = i + 1;
    }
}

/* Read all of group g, a list; false if a value is not among its n. */
ZTI_INLINE bool NAME(read_list)(struct zti_bit_reader *r, struct NAME(residuals) * to, uint32_t g,
                                uint32_t n, uint32_t count)
{
    uint32_t next = 0;
    if (to->is_small)
        small_store(small_zero(), to->small + g * ZTI_SZ_GROUP);
    else
        memset(to->u + g * ZTI_SZ_GROUP, 0, ZTI_SZ_GROUP * sizeof *to->u);
    for (uint32_t left = count; left > 0; left--) {
        const uint32_t i = next + read_gap(r, count);
        if (i >= n)
            return false;
        NAME(add_at)(to, g * ZTI_SZ_GROUP + i, (uval)(read_value(r) + 1));
        next = i + 1;
    }
    return true;
}

/* Append the n values of u; zeros follow in u to the end of the last group. False if they take more
 * than most_bytes from w's start; what was written is then not valid. 'ahead' is prefetched
 * meanwhile. ZTI_SZ_GROUP_MOST_BYTES after most_bytes may be written. */
static bool NAME(encode_groups)(struct zti_bit_writer *w, const uval *u, uint32_t n,
                                struct rows *ahead, uint32_t most_bytes)
{
    struct smalls smalls;
    uint8_t *const classes = smalls.classes;
    const uint32_t groups = groups_in(n);
    uint32_t k = 0, before = 0, bits;
    uint64_t plane_bits = 0;
    for (uint32_t g = 0; g < groups; g++) {
        const struct NAME(group) group = NAME(make_group)(u, &smalls, g);
        fetch_some(ahead);
        const uint32_t c = NAME(class_of)(&group, in_group(n, g), k, list_most(false), &bits);
        if (!is_list(c)) {
            k = class_planes(c);
            plane_bits += (uint64_t)k * in_group(n, g);
        }
        write_code(w, class_code(c, before));
        before = c;
        classes[g] = (uint8_t)c;
    }
    if ((zti_bits_written(w) + plane_bits) / 8 > most_bytes)
        return false;
    for (uint32_t g = 0; g < groups; g++) {
        const struct NAME(group) group = NAME(group_of)(u, &smalls, g);
        NAME(write_planes)(w, &group, in_group(n, g), class_planes(classes[g]));
    }
    for (uint32_t g = 0; g < groups; g++) {
        const struct NAME(group) group = NAME(group_of)(u, &smalls, g);
        if (!is_list(classes[g]))
            NAME(encode_rounds)(w, &group, in_group(n, g), class_planes(classes[g]));
        else
            NAME(write_list)(w, &group, classes[g]);
        if (zti_bits_written(w) / 8 > most_bytes)
            return false;
    }
    return true;
}

/* The bits of a group's planes, and of what encode_rounds appends. rice: rice_bits of k, which are
 * exact but for the end of each code where no value has more than ZTI_SZ_ROUNDS - 1 unary bits. */
ZTI_INLINE uint64_t NAME(rounds_bits)(const struct NAME(group) * group, uint32_t n, uint32_t k,
                                      uint32_t rice)
{
    const struct small high = NAME(high)(group, k);
    uint64_t left = small_above(high, ZTI_SZ_ROUNDS - 1), bits = rice + n;
    if (zti_unlikely(left))
        bits = (uint64_t)n * (k + 1) + small_sum(small_least(high, ZTI_SZ_ROUNDS - 1));
    for (; left; left &= left - 1)
        bits += number_bits((NAME(value_in)(group, zti_ctz64(left)) >> k) - ZTI_SZ_ROUNDS);
    return bits;
}

/* The bits that write_list appends. */
ZTI_INLINE uint64_t NAME(list_bits)(const struct NAME(group) * group, uint32_t count)
{
    const uint32_t k = gap_bits_of(count);
    uint64_t bits = 0;
    uint32_t next = 0;
    for (uint64_t left = small_above(NAME(high)(group, 0), 0); left; left &= left - 1) {
        const uint32_t i = zti_ctz64(left);
        bits += rice_code(i - next, k).count + value_bits(NAME(value_in)(group, i) - 1);
        next = i + 1;
    }
    return bits;
}

/* The bits that encode_groups appends, at most those of ZTI_SZ_RAW_BYTES. */
static uint64_t NAME(groups_bits)(const uval *u, uint32_t n)
{
    struct smalls smalls;
    uint32_t k = 0, before = 0, rice;
    uint64_t bits = 0;
    for (uint32_t g = 0; g * ZTI_SZ_GROUP < n; g++) {
        const struct NAME(group) group = NAME(make_group)(u, &smalls, g);
        const uint32_t c = NAME(class_of)(&group, in_group(n, g), k, list_most(false), &rice);
        bits += class_code(c, before).count;
        before = c;
        if (is_list(c)) {
            bits += NAME(list_bits)(&group, c);
            continue;
        }
        k = class_planes(c);
        bits += NAME(rounds_bits)(&group, in_group(n, g), k, rice);
    }
    return sampled_bits(bits);
}

/* Read the classes of n values, and compute the bits of their planes; false if a class is not
 * valid, or classes and planes end after bit end_bits. */
static bool NAME(read_classes)(struct zti_bit_reader *r, uint32_t n, uint64_t end_bits,
                               uint8_t *classes, uint64_t *plane_bits)
{
    *plane_bits = 0;
    for (uint32_t g = 0, before = 0; g * ZTI_SZ_GROUP < n; before = classes[g++]) {
        const uint32_t c = read_class(r, before);
        if (c > class_most(VAL_BITS) || r->at > end_bits)
            return false;
        classes[g] = (uint8_t)c;
        *plane_bits += (uint64_t)class_planes(c) * in_group(n, g);
    }
    return *plane_bits <= end_bits - r->at;
}

/* Set where a tile's residuals go: to bytes, unless the class of a group shows that they do not
 * fit. */
static void NAME(begin_residuals)(struct NAME(residuals) * to, const uint8_t *classes, uint32_t n)
{
    to->groups = groups_in(n);
    to->is_small = true;
    for (uint32_t g = 0; g < to->groups; g++)
        to->is_small &= class_planes(classes[g]) <= 8;
}

/* Read n values; false if they are not valid or end after bit end_bits. ZTI_SZ_GROUP_MOST_BYTES
 * after that bit may be read. */
static bool NAME(decode_groups)(struct zti_bit_reader *r, struct NAME(residuals) * to, uint32_t n,
                                uint64_t end_bits)
{
    uint8_t classes[ZTI_SZ_GROUPS];
    uint64_t plane_bits;
    if (!NAME(read_classes)(r, n, end_bits, classes, &plane_bits))
        return false;
    struct zti_bit_reader planes = *r;
    r->at += plane_bits;
    NAME(begin_residuals)(to, classes, n);
    for (uint32_t g = 0; g < to->groups; g++) {
        if (!is_list(classes[g]))
            NAME(decode_rounds)(r, &planes, to, g, in_group(n, g), class_planes(classes[g]));
        else if (!NAME(read_list)(r, to, g, in_group(n, g), classes[g]))
            return false;
        if (r->at > end_bits)
            return false;
    }
    return true;
}
