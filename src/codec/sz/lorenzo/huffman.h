/* huffman.h: kernel text: encode the folded residuals of a tile, in groups of 64, to Huffman codes,
 * and decode them. The includer defines uval, VAL_BITS and NAME(x), and has included
 * lorenzo/rice.h.
 *
 * Classes and lists are those of lorenzo/rice.h; lists have at most 6 values. In a group of class
 * 18 + k, the low max(k - 1, 0) bits of each value are planes. The bits above, h, become symbols of
 * one byte:
 *
 *     class 17    four values of two bits, h up to 2; 3: 3 or more     book 1
 *     18          two values of four bits, h up to 14; 15: 15 or more  book 2
 *     19          the same                                             book 3
 *     20 ...      the same                                             book 4
 *
 * so a code stands for several values, and a value may take less than a bit. If h is clipped to 3
 * or 15, the excess follows.
 *
 *     classes (book 0) | planes | lists | codes of book 1 | ... | of book 4 | excesses */

/* Append the symbols of group g: of its class, and of its n values if it is not a list. */
ZTI_INLINE void NAME(add_symbols)(const struct NAME(group) * group, uint32_t g, uint32_t n,
                                  uint32_t class, struct symbols *symbols)
{
    struct about_symbols *const about = &symbols->about;
    symbols->of[0][about->count[0]++] = (uint16_t)class_symbol(class, about->before);
    about->before = class;
    if (is_list(class))
        return;
    const uint32_t book = book_of(class), shift = class_shift(class);
    const uint32_t most = symbol_most(book);
    const struct small high = small_least(NAME(high)(group, shift), most);
    small_pack(high, symbol_bits(book) == 4, symbols->of[book] + about->count[book]);
    about->excess |= (uint64_t)(small_above(high, most - 1) != 0) << g;
    about->count[book] += symbols_in(n, book);
    about->plane_bits += (uint64_t)shift * n;
}

/* Set the bytes, the classes and the symbols of a tile's groups; returns an estimate of their unary
 * bits in Rice codes. 'ahead' is prefetched meanwhile. */
static uint64_t NAME(symbols_of)(const uval *u, struct smalls *smalls, uint32_t n,
                                 struct rows *ahead, struct symbols *symbols)
{
    uint64_t bits = 0;
    uint32_t k = 0, all;
    memset(&symbols->about, 0, sizeof symbols->about);
    for (uint32_t g = 0; g * ZTI_SZ_GROUP < n; g++) {
        const struct NAME(group) group = NAME(make_group)(u, smalls, g);
        const uint32_t values = in_group(n, g);
        fetch_some(ahead);
        const uint32_t c = NAME(class_of)(&group, values, k, list_most(true), &all);
        smalls->classes[g] = (uint8_t)c;
        NAME(add_symbols)(&group, g, values, c, symbols);
        if (is_list(c))
            continue;
        k = class_planes(c);
        bits += bits_above(all, values, c);
    }
    return bits;
}

/* As encode_groups, with Huffman codes; kept: what counting the tile has found, or NULL.
 * ZTI_SZ_SLACK_BYTES after most_bytes may be written. */
static bool NAME(write_coded)(const struct zti_coding *coding, struct zti_bit_writer *w,
                              const uval *u, uint32_t n, const struct zti_sz_counted *kept,
                              struct rows *ahead, uint32_t most_bytes)
{
    const struct zti_sz_model *const model = coding->model;
    const uint32_t groups = groups_in(n);
    struct smalls own;
    struct symbols symbols;
    const struct about_symbols *const about = kept ? &kept->about : &symbols.about;
    const struct smalls *const smalls = kept ? &kept->smalls : &own;
    const uint8_t *const classes = smalls->classes;
    if (!kept)
        (void)NAME(symbols_of)(u, &own, n, ahead, &symbols);
    const uint16_t *of = kept ? kept->symbols : symbols.of[0];
    zti_huffman_encode(&model->book[0], coding->run.isa, of, about->count[0], w);
    if ((zti_bits_written(w) + about->plane_bits) / 8 > most_bytes)
        return false;
    for (uint32_t g = 0; g < groups; g++) {
        const struct NAME(group) group = NAME(group_of)(u, smalls, g);
        NAME(write_planes)(w, &group, in_group(n, g), class_shift(classes[g]));
    }
    for (uint32_t g = 0; g < groups; g++) {
        const struct NAME(group) group = NAME(group_of)(u, smalls, g);
        if (is_list(classes[g]))
            NAME(write_list)(w, &group, classes[g]);
        if (zti_bits_written(w) / 8 > most_bytes)
            return false;
    }
    for (uint32_t i = 1; i < ZTI_SZ_BOOKS; i++) {
        of = kept ? of + about->count[i - 1] : symbols.of[i];
        zti_huffman_encode(&model->book[i], coding->run.isa, of, about->count[i], w);
    }
    for (uint64_t left = about->excess; left; left &= left - 1) {
        const uint32_t g = zti_ctz64(left), shift = class_shift(classes[g]);
        const struct NAME(group) group = NAME(group_of)(u, smalls, g);
        const uint32_t most = symbol_most(book_of(classes[g]));
        for (uint64_t high = small_above(NAME(high)(&group, shift), most - 1); high;
             high &= high - 1)
            write_value(w, (NAME(value_in)(&group, zti_ctz64(high)) >> shift) - most);
        if (zti_bits_written(w) / 8 > most_bytes)
            return false;
    }
    return zti_bits_written(w) / 8 <= most_bytes;
}

/* After the symbols of book 0, one for each group, are decoded: set the classes and the place of
 * the planes, read the lists, and compute the number of symbols of the other books. */
static bool NAME(begin_coded)(struct coded *c, struct zti_bit_reader *r,
                              struct NAME(residuals) * to, uint32_t n, uint64_t end_bits)
{
    uint64_t plane_bits = 0;
    for (uint32_t g = 0, number = 0; g < c->count[0]; g++) {
        number = class_after(c->symbols[g], number);
        if (class_of_number(number) > class_most(VAL_BITS))
            return false;
        c->classes[g] = (uint8_t)class_of_number(number);
        plane_bits += (uint64_t)class_shift(c->classes[g]) * in_group(n, g);
    }
    if (r->at > end_bits || plane_bits > end_bits - r->at)
        return false;
    c->planes = *r;
    r->at += plane_bits;
    NAME(begin_residuals)(to, c->classes, n);
    for (uint32_t g = 0; g < c->count[0]; g++) {
        if (!is_list(c->classes[g])) {
            const uint32_t book = book_of(c->classes[g]);
            c->count[book] += symbols_in(in_group(n, g), book);
        } else if (!NAME(read_list)(r, to, g, in_group(n, g), c->classes[g])) {
            return false;
        }
        if (r->at > end_bits)
            return false;
    }
    c->first[1] = ZTI_SZ_GROUPS;
    for (uint32_t book = 2; book < ZTI_SZ_BOOKS; book++)
        c->first[book] = c->first[book - 1] + c->count[book - 1];
    return true;
}

/* After the symbols of all books are decoded: read planes and excesses, and join the residuals. */
static bool NAME(end_coded)(struct coded *c, struct zti_bit_reader *r, struct NAME(residuals) * to,
                            uint32_t n, uint64_t end_bits)
{
    const uint16_t *at[ZTI_SZ_BOOKS];
    for (uint32_t book = 0; book < ZTI_SZ_BOOKS; book++)
        at[book] = c->symbols + c->first[book];
    for (uint32_t g = 0; g < c->count[0]; g++) {
        if (is_list(c->classes[g]))
            continue;
        const uint32_t book = book_of(c->classes[g]), shift = class_shift(c->classes[g]);
        struct small high = small_unpack(at[book], symbol_bits(book) == 4);
        at[book] += symbols_in(in_group(n, g), book);
        if (in_group(n, g) < ZTI_SZ_GROUP)
            high = small_first(high, in_group(n, g));
        NAME(join)(&c->planes, high, to, g, in_group(n, g), shift);
        for (uint64_t more = small_above(high, symbol_most(book) - 1); more; more &= more - 1)
            NAME(add_at)
        (to, g * ZTI_SZ_GROUP + zti_ctz64(more), (uval)((uval)read_value(r) << shift));
        if (r->at > end_bits)
            return false;
    }
    return true;
}
