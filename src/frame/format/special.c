/* special.c: finds the special values of a slab, stores and parses their section, and writes them
 * into decoded arrays. The bytes are described in special.h. */
#include "frame/format/special.h"

#include "array/rows.h"
#include "bits/bits.h"
#include "core/map.h"
#include "core/wire.h"

#include <inttypes.h>

/* ---- the mask ---- */

/* Values that a thread searches at a time; a multiple of 64, so that parts share no word of the
 * mask. */
enum { PART_VALUES = 1 << 18 };

struct search {
    const struct zti_array *slab;
    uint32_t fills;
    const uint64_t *fill;
    uint64_t values;
    uint64_t *mask;
};

/* Whether n contiguous values may contain one whose bits under a mask are these. */
ZTI_INLINE bool may_have(const char *from, size_t value_bytes, uint64_t n, uint64_t mask,
                         uint64_t bits)
{
    uint32_t narrow, found = 0;
    uint64_t wide;
    for (uint64_t i = 0; i < n && value_bytes == 4; i++) {
        memcpy(&narrow, from + 4 * i, sizeof narrow);
        found |= (narrow & (uint32_t)mask) == (uint32_t)bits;
    }
    for (uint64_t i = 0; i < n && value_bytes == 8; i++) {
        memcpy(&wide, from + 8 * i, sizeof wide);
        found |= (wide & mask) == bits;
    }
    return found;
}

/* Whether n contiguous values may contain a special one: quick, for values that have none. */
static bool may_have_special(const struct search *s, const char *from, uint64_t n)
{
    const uint32_t type = s->slab->type;
    const uint64_t f32 = 0x7f800000, f64 = UINT64_C(0x7ff0000000000000), all = ~UINT64_C(0);
    bool found = (type == ZT_F32 && may_have(from, 4, n, f32, f32)) ||
                 (type == ZT_F64 && may_have(from, 8, n, f64, f64));
    for (uint32_t i = 0; i < s->fills && !found; i++)
        found = zt_type_bytes(type) == 4 ? may_have(from, 4, n, all, s->fill[i])
                                         : may_have(from, 8, n, all, s->fill[i]);
    return found;
}

/* Set the bits of n values, word by word. type: the slab's, as a constant. */
ZTI_INLINE void set_bits(const struct search *s, uint32_t type, const char *from, int64_t step,
                         uint64_t first, uint64_t n)
{
    for (uint64_t i = first, end; i < first + n; i = end) {
        uint64_t bits = 0;
        end = (i / 64 + 1) * 64 < first + n ? (i / 64 + 1) * 64 : first + n;
        for (uint64_t k = i; k < end; k++, from += step)
            bits |= (uint64_t)zti_is_special(type, zti_bits_at(from, 0, zt_type_bytes(type)),
                                             s->fills, s->fill)
                    << k % 64;
        s->mask[i / 64] |= bits;
    }
}

static void set_values(const struct search *s, const char *from, uint64_t first, uint64_t n)
{
    const size_t value_bytes = zt_type_bytes(s->slab->type);
    const int64_t step = s->slab->stride[s->slab->rank - 1] * (int64_t)value_bytes;
    if (step == (int64_t)value_bytes && !may_have_special(s, from, n))
        return;
    switch (s->slab->type) {
    case ZT_F32: set_bits(s, ZT_F32, from, step, first, n); break;
    case ZT_F64: set_bits(s, ZT_F64, from, step, first, n); break;
    case ZT_I32: set_bits(s, ZT_I32, from, step, first, n); break;
    default: set_bits(s, ZT_I64, from, step, first, n);
    }
}

static void set_row(const struct search *s, const char *from, uint64_t first, uint64_t n)
{
    enum { SOME = 128 };
    const int64_t value_bytes = (int64_t)zt_type_bytes(s->slab->type);
    const int64_t step = s->slab->stride[s->slab->rank - 1] * value_bytes;
    for (uint64_t done = 0, some; done < n; done += some, from += (int64_t)some * step) {
        some = n - done < SOME ? n - done : SOME;
        set_values(s, from, first + done, some);
    }
}

static bool search_part(void *shared, uint32_t worker, uint64_t number)
{
    const struct search *s = shared;
    (void)worker;
    const uint64_t first = number * PART_VALUES;
    const uint64_t end = s->values - first < PART_VALUES ? s->values : first + PART_VALUES;
    for (uint64_t at = first, n; at < end; at += n) {
        const char *const row = zti_array_row(s->slab, at, &n);
        n = n < end - at ? n : end - at;
        set_row(s, row, at, n);
    }
    return true;
}

/* A run of set bits of a mask. */
struct run {
    uint64_t first, last;
};

/* The place of the first set bit from 'at' on, or with flip = ~0 of the first clear one; 'values'
 * if none. */
static uint64_t next_bit(const uint64_t *mask, uint64_t values, uint64_t at, uint64_t flip)
{
    while (at < values) {
        const uint64_t word = (mask[at / 64] ^ flip) >> at % 64;
        if (word) {
            at += zti_ctz64(word);
            return at < values ? at : values;
        }
        at = (at / 64 + 1) * 64;
    }
    return values;
}

static bool next_run(const uint64_t *mask, uint64_t values, struct run *run)
{
    run->first = next_bit(mask, values, run->last, 0);
    run->last = next_bit(mask, values, run->first, ~UINT64_C(0));
    return run->first < values;
}

/* ---- exp-Golomb codes ---- */

static uint32_t code_bits(uint64_t n, uint32_t k)
{
    return 2 * zti_bit_length64(n + (UINT64_C(1) << k)) - 1 - k;
}

static void write_code(struct zti_bit_writer *w, uint64_t n, uint32_t k)
{
    const uint64_t v = n + (UINT64_C(1) << k);
    const uint32_t length = zti_bit_length64(v) - 1;
    zti_put_bits64(w, UINT64_C(1) << (length - k), length - k + 1);
    zti_put_bits64(w, v & ((UINT64_C(1) << length) - 1), length);
}

/* false at the end, or for a number that no frame can have. */
static bool read_code(struct zti_bit_reader *r, uint32_t k, uint64_t *n)
{
    if (r->at >= r->end)
        return false;
    const uint64_t window = zti_peek_bits(r) | UINT64_C(1) << 56;
    const uint32_t zeros = zti_ctz64(window), length = zeros + k;
    if (zeros >= 56 || length > 62)
        return false;
    r->at += zeros + 1;
    if (r->at > r->end || length > r->end - r->at)
        return false;
    *n = zti_get_bits64(r, length) + (UINT64_C(1) << length) - (UINT64_C(1) << k);
    return true;
}

/* ---- the body ---- */

/* How the body will be stored. */
struct storage {
    uint32_t patterns;
    uint64_t pattern[ZTI_SPECIAL_PATTERNS];
    uint32_t k;
    uint64_t places_bytes;
    const uint64_t *mask; /* the mask, or its changes */
    uint64_t distance;    /* D of repeats; else 0 */
};

static uint32_t number_bits(uint32_t patterns)
{
    return patterns > 1 ? zti_bit_length64(patterns - 1) : 0;
}

/* Values from one number on, one after the other. */
struct reading {
    const struct zti_array *slab;
    const char *next;
    uint64_t left; /* of its row */
};

/* The bits of value 'at', which follows the one that was read last unless left is 0. */
static uint64_t read_bits(struct reading *r, uint64_t at)
{
    const size_t value_bytes = zt_type_bytes(r->slab->type);
    if (r->left == 0)
        r->next = zti_array_row(r->slab, at, &r->left);
    const uint64_t bits = zti_bits_at(r->next, 0, value_bytes);
    r->next += r->slab->stride[r->slab->rank - 1] * (int64_t)value_bytes;
    r->left--;
    return bits;
}

static uint32_t pattern_of(const struct storage *how, uint64_t bits)
{
    uint32_t i = 0;
    while (i < how->patterns && how->pattern[i] != bits)
        i++;
    return i;
}

/* Collect the distinct patterns of n values; false if there are too many. *last: the latest one. */
static bool add_patterns(struct storage *how, const char *from, uint64_t n, int64_t step,
                         size_t value_bytes, uint64_t *last)
{
    for (uint64_t i = 0; i < n; i++, from += step) {
        const uint64_t bits = zti_bits_at(from, 0, value_bytes);
        if (how->patterns > 0 && bits == *last)
            continue;
        *last = bits;
        if (pattern_of(how, bits) < how->patterns)
            continue;
        if (how->patterns == ZTI_SPECIAL_PATTERNS)
            return false;
        how->pattern[how->patterns++] = bits;
    }
    return true;
}

/* Collect the distinct patterns; 0 where there are too many. */
static void find_patterns(const struct zti_array *slab, const struct zti_special *s,
                          struct storage *how)
{
    const size_t value_bytes = zt_type_bytes(slab->type);
    const int64_t step = slab->stride[slab->rank - 1] * (int64_t)value_bytes;
    struct run run = {0, 0};
    uint64_t last = 0;
    bool are_few = true;
    while (are_few && next_run(s->mask, s->values, &run))
        for (uint64_t at = run.first, n; at < run.last && are_few; at += n) {
            const char *const from = zti_array_row(slab, at, &n);
            n = n < run.last - at ? n : run.last - at;
            are_few = add_patterns(how, from, n, step, value_bytes, &last);
        }
    if (!are_few)
        how->patterns = 0;
}

/* Count the runs of a mask. */
static uint64_t count_runs(const uint64_t *mask, uint64_t values)
{
    uint64_t runs = 0, before = 0;
    for (uint64_t i = 0; i <= values / 64; i++) {
        runs += zti_popcount64(mask[i] & ~(mask[i] << 1 | before));
        before = mask[i] >> 63;
    }
    return runs;
}

/* out[i] = mask[i] ^ mask[i - distance], for each bit; distance is 64 or more. */
static void find_changes(const uint64_t *mask, uint64_t values, uint64_t distance, uint64_t *out)
{
    const uint64_t words = distance / 64, shift = distance % 64;
    for (uint64_t i = 0; i <= values / 64; i++) {
        uint64_t before = i < words ? 0 : mask[i - words] << shift;
        if (shift > 0 && i > words)
            before |= mask[i - words - 1] >> (64 - shift);
        out[i] = mask[i] ^ before;
    }
    out[values / 64] &= (UINT64_C(1) << values % 64) - 1;
}

/* Choose repeats (of rows, slices or volumes) if their changes have less than half as many runs as
 * the mask. 'spare' and 'best' are scratch as large as the mask. */
static void find_repeats(const struct zti_array *slab, const struct zti_special *s, uint64_t *spare,
                         uint64_t *best, struct storage *how)
{
    uint64_t distance = 1, runs = count_runs(s->mask, s->values) / 2;
    for (uint32_t i = slab->rank; i-- > 1;) {
        distance *= slab->shape[i];
        if (distance < ZTI_SPECIAL_DISTANCE_LEAST || slab->shape[i - 1] == 1)
            continue;
        find_changes(s->mask, s->values, distance, spare);
        const uint64_t changes = count_runs(spare, s->values);
        if (changes >= runs)
            continue;
        uint64_t *const other = best;
        best = spare;
        spare = other;
        runs = changes;
        how->distance = distance;
        how->mask = best;
    }
}

/* Choose the k with the fewest bits, or a bit map if that is shorter; sets places_bytes. */
static void find_k(const struct zti_special *s, struct storage *how)
{
    uint64_t bits[ZTI_SPECIAL_MAX_K + 1] = {0}, lengths = 0, past = 0;
    struct run run = {0, 0};
    while (next_run(how->mask, s->values, &run)) {
        const uint64_t gap = run.first - past - (past > 0);
        for (uint32_t k = 0; k <= ZTI_SPECIAL_MAX_K; k++)
            bits[k] += code_bits(gap, k);
        lengths += code_bits(run.last - run.first - 1, 0);
        past = run.last;
    }
    how->k = 0;
    for (uint32_t k = 1; k <= ZTI_SPECIAL_MAX_K; k++)
        if (bits[k] < bits[how->k])
            how->k = k;
    how->places_bytes = (bits[how->k] + lengths + 7) / 8;
    if (how->places_bytes > (s->values + 7) / 8) {
        how->k = ZTI_SPECIAL_BIT_MAP;
        how->places_bytes = (s->values + 7) / 8;
        how->distance = 0;
    }
}

static void write_runs(struct zti_bit_writer *w, uint64_t values, const struct storage *how)
{
    struct run run = {0, 0};
    uint64_t past = 0;
    while (next_run(how->mask, values, &run)) {
        write_code(w, run.first - past - (past > 0), how->k);
        write_code(w, run.last - run.first - 1, 0);
        past = run.last;
    }
}

static uint8_t *write_places(const struct zti_special *s, const struct storage *how, uint8_t *at)
{
    if (how->k == ZTI_SPECIAL_BIT_MAP) {
        for (uint64_t i = 0; i < how->places_bytes; i++)
            at[i] = (uint8_t)(s->mask[i / 8] >> i % 8 * 8);
    } else {
        struct zti_bit_writer w = zti_bit_writer_at(at);
        write_runs(&w, s->values, how);
        zti_put_bits(&w, 0, (8 - w.held_bits) % 8);
    }
    return at + how->places_bytes;
}

/* Store the pattern's number of each special value, or the values. */
static uint8_t *write_rest(const struct zti_array *slab, const struct zti_special *s,
                           const struct storage *how, uint8_t *at)
{
    const size_t value_bytes = zt_type_bytes(slab->type);
    const uint32_t width = number_bits(how->patterns);
    struct zti_bit_writer w = zti_bit_writer_at(at);
    struct run run = {0, 0};
    if (how->patterns == 1)
        return at;
    while (next_run(s->mask, s->values, &run)) {
        struct reading reading = {.slab = slab};
        for (uint64_t i = run.first; i < run.last; i++) {
            const uint64_t bits = read_bits(&reading, i);
            if (how->patterns > 0)
                zti_put_bits(&w, pattern_of(how, bits), width);
            else
                at = zti_put_value(at, bits, value_bytes);
        }
    }
    if (how->patterns == 0)
        return at;
    zti_put_bits(&w, 0, (8 - w.held_bits) % 8);
    return w.next;
}

static uint64_t body_bytes(const struct zti_array *slab, const struct zti_special *s,
                           const struct storage *how)
{
    const uint64_t value_bytes = zt_type_bytes(slab->type);
    const uint64_t rest = how->patterns == 0 ? s->count * value_bytes
                                             : (s->count * number_bits(how->patterns) + 7) / 8;
    const uint64_t distance = how->distance > 0 ? zti_varint_bytes(how->distance) : 0;
    return 2 + distance + zti_varint_bytes(how->places_bytes) + how->patterns * value_bytes +
           how->places_bytes + rest;
}

static zt_status write_body(zt_context *context, const struct zti_array *slab,
                            struct zti_special *s, const struct storage *how)
{
    s->body_bytes = body_bytes(slab, s, how);
    zt_status status =
        zti_buffer_reserve(context, &s->body, s->body_bytes + ZTI_BIT_MARGIN_BYTES, 0);
    if (status)
        return status;
    uint8_t *at = s->body.bytes;
    *at++ = (uint8_t)how->patterns;
    *at++ = (uint8_t)(how->distance > 0 ? ZTI_SPECIAL_REPEATS + how->k : how->k);
    if (how->distance > 0)
        at = zti_put_varint(at, how->distance);
    at = zti_put_varint(at, how->places_bytes);
    for (uint32_t i = 0; i < how->patterns; i++)
        at = zti_put_value(at, how->pattern[i], zt_type_bytes(slab->type));
    at = write_places(s, how, at);
    (void)write_rest(slab, s, how, at);
    return ZT_OK;
}

static zt_status make_body(zt_context *context, const struct zti_array *slab, struct zti_special *s)
{
    struct storage how = {.mask = s->mask};
    find_patterns(slab, s, &how);
    s->is_over = how.patterns == 0 && s->count > s->values / ZTI_SPECIAL_PART;
    if (s->is_over)
        return ZT_OK;
    const size_t words = (size_t)(s->values / 64 + 1);
    uint64_t *const changes =
        slab->rank > 1 ? zti_alloc(context, 2 * words * sizeof *changes) : NULL;
    if (slab->rank > 1 && !changes)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a bit for each of %" PRIu64 " values",
                        s->values);
    if (changes)
        find_repeats(slab, s, changes, changes + words, &how);
    find_k(s, &how);
    const zt_status status = write_body(context, slab, s, &how);
    zti_release(context, changes);
    return status;
}

zt_status zti_special_find(zt_context *context, const struct zti_array *slab, uint32_t fills,
                           const uint64_t *fill, struct zti_special *s)
{
    memset(s, 0, sizeof *s);
    s->values = zti_array_values(slab->rank, slab->shape);
    const uint64_t words = s->values / 64 + 1;
    s->mask = zti_alloc_zeroed(context, (size_t)words * sizeof *s->mask);
    if (!s->mask)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a bit for each of %" PRIu64 " values",
                        s->values);
    struct search search = {
        .slab = slab, .fills = fills, .fill = fill, .values = s->values, .mask = s->mask};
    zti_map(context, (s->values - 1) / PART_VALUES + 1, search_part, &search);
    for (uint64_t i = 0; i < words; i++)
        s->count += zti_popcount64(s->mask[i]);
    return s->count > 0 ? make_body(context, slab, s) : ZT_OK;
}

void zti_special_free(zt_context *context, struct zti_special *s)
{
    zti_release(context, s->mask);
    zti_buffer_free(context, &s->body);
    zti_buffer_free(context, &s->filled);
    s->mask = NULL;
}

uint64_t zti_special_bytes_max(uint32_t type, uint64_t values)
{
    const uint64_t value_bytes = zt_type_bytes(type);
    const uint64_t one_by_one = values / ZTI_SPECIAL_PART * value_bytes;
    const uint64_t numbers = values / 2 + 1; /* of patterns, 4 bits each */
    return 2 + 2 * ZTI_VARINT_MAX_BYTES + ZTI_SPECIAL_PATTERNS * value_bytes + values / 8 + 1 +
           (one_by_one > numbers ? one_by_one : numbers);
}

/* ---- reading ---- */

struct zti_special_places zti_special_places_of(const struct zti_special_section *s)
{
    return (struct zti_special_places){.section = s,
                                       .reader = {.base = s->places, .end = s->places_bytes * 8}};
}

static bool is_set(const uint8_t *map, uint64_t i)
{
    return map[i / 8] >> i % 8 & 1;
}

static bool next_in_map(struct zti_special_places *p)
{
    const struct zti_special_section *s = p->section;
    uint64_t at = p->last;
    while (at < s->values && !is_set(s->places, at))
        at = at % 8 == 0 && s->places[at / 8] == 0 ? at + 8 : at + 1;
    p->first = at;
    while (at < s->values && is_set(s->places, at))
        at = at % 8 == 0 && s->places[at / 8] == 0xff && s->values - at >= 8 ? at + 8 : at + 1;
    p->last = at;
    return p->first < s->values;
}

bool zti_special_next(struct zti_special_places *p)
{
    const struct zti_special_section *s = p->section;
    uint64_t gap, length;
    if (s->k == ZTI_SPECIAL_BIT_MAP)
        return next_in_map(p);
    const uint64_t past = p->last;
    if (!read_code(&p->reader, s->k, &gap) || !read_code(&p->reader, 0, &length))
        return false;
    gap += past > 0;
    if (gap >= s->values - past || length >= s->values - past - gap)
        return false;
    p->first = past + gap;
    p->last = p->first + length + 1;
    return true;
}

/* The pattern's number of special value i. */
static uint32_t number_of(const struct zti_special_section *s, uint64_t i)
{
    const uint32_t width = number_bits(s->patterns);
    struct zti_bit_reader r = {.base = s->rest, .at = i * width};
    return width ? (uint32_t)zti_get_bits(&r, width) : 0;
}

static bool are_numbers_good(const struct zti_special_section *s)
{
    if ((s->patterns & (s->patterns - 1)) == 0) /* a power of two: no number is too large */
        return true;
    for (uint64_t i = 0; i < s->count; i++)
        if (number_of(s, i) >= s->patterns)
            return false;
    return true;
}

/* Whether the places are those of exactly 'count' values, with no bits left over. */
static bool are_places_good(const struct zti_special_section *s)
{
    struct zti_special_places p = zti_special_places_of(s);
    uint64_t found = 0;
    if (s->repeats.distance > 0)
        return are_numbers_good(s) && zti_special_repeats_are_good(s);
    while (found < s->count && zti_special_next(&p))
        found += p.last - p.first;
    if (found != s->count || !are_numbers_good(s))
        return false;
    if (s->k == ZTI_SPECIAL_BIT_MAP)
        return s->places_bytes == (s->values + 7) / 8 && !zti_special_next(&p);
    return p.reader.end - p.reader.at < 8;
}

/* 64 bits of a map from bit at - distance on; bits before the map are 0. */
static uint64_t map_word(const uint8_t *map, uint64_t at, uint64_t distance)
{
    if (at + 64 <= distance)
        return 0;
    if (at < distance)
        return zti_get_le64(map) << (distance - at);
    const uint64_t from = at - distance, shift = from % 64;
    const uint8_t *const word = map + from / 64 * 8;
    return shift == 0 ? zti_get_le64(word)
                      : zti_get_le64(word) >> shift | zti_get_le64(word + 8) << (64 - shift);
}

/* Expand repeats to a bit map, and make that the section's places. */
static zt_status expand(zt_context *context, struct zti_buffer *map, struct zti_special_section *s)
{
    const uint64_t distance = s->repeats.distance;
    struct zti_special_places p = zti_special_places_of(s);
    const uint64_t words = s->values / 64 + 1;
    zt_status status = zti_buffer_reserve(context, map, words * 8, 0);
    if (status)
        return status;
    memset(map->bytes, 0, (size_t)words * 8);
    uint64_t read_bits = 0;
    for (; zti_special_next(&p); read_bits = p.reader.at) /* padding is no code */
        for (uint64_t i = p.first; i < p.last; i++)
            map->bytes[i / 8] |= (uint8_t)(1u << i % 8);
    const bool is_read = p.reader.end - read_bits < 8;
    for (uint64_t i = distance / 64; i < words; i++) {
        uint8_t *const word = map->bytes + i * 8;
        zti_put_le64(word, zti_get_le64(word) ^ map_word(map->bytes, i * 64, distance));
    }
    s->k = ZTI_SPECIAL_BIT_MAP;
    s->places = map->bytes;
    s->places_bytes = is_read ? (s->values + 7) / 8 : 0;
    s->repeats.distance = 0;
    return ZT_OK;
}

/* Prepare repeats for reading: expand them to a bit map, or, if that were more than MAP_MOST times
 * the section, build the segment tree. */
static zt_status open_repeats(zt_context *context, struct zti_buffer *memory,
                              struct zti_special_section *s)
{
    enum { MAP_MOST = 64 };
    return s->values / 8 / MAP_MOST > s->body_bytes ? zti_special_repeats_open(context, s, memory)
                                                    : expand(context, memory, s);
}

/* Whether a distance is a product of the last extents. */
static bool is_distance(uint64_t distance, uint32_t rank, const uint64_t *shape)
{
    uint64_t product = 1;
    for (uint32_t i = rank; i-- > 1 && product < distance;)
        product *= shape[i];
    return product == distance;
}

zt_status zti_special_parse(zt_context *context, uint64_t number, const uint8_t *body,
                            uint64_t body_bytes, uint32_t type, uint32_t rank,
                            const uint64_t *shape, uint64_t count, struct zti_buffer *memory,
                            struct zti_special_section *s)
{
    struct zti_cursor c = {.at = body, .end = body + body_bytes};
    const uint64_t value_bytes = zt_type_bytes(type), values = zti_array_values(rank, shape);
    *s = (struct zti_special_section){
        .body = body, .body_bytes = body_bytes, .type = type, .values = values, .count = count};
    s->patterns = zti_get_byte(&c);
    s->k = zti_get_byte(&c);
    const bool is_repeated = s->k >= ZTI_SPECIAL_REPEATS && s->k != ZTI_SPECIAL_BIT_MAP;
    const uint64_t distance = is_repeated ? zti_get_varint(&c) : ZTI_SPECIAL_DISTANCE_LEAST;
    s->k -= is_repeated ? ZTI_SPECIAL_REPEATS : 0;
    s->places_bytes = zti_get_varint(&c);
    s->pattern = zti_get_bytes(&c, s->patterns * value_bytes);
    s->places = zti_get_bytes(&c, s->places_bytes);
    s->rest = c.at;
    uint64_t rest = 0;
    bool is_good = !c.is_bad && s->patterns <= ZTI_SPECIAL_PATTERNS && count > 0 &&
                   (s->k <= ZTI_SPECIAL_MAX_K || s->k == ZTI_SPECIAL_BIT_MAP) &&
                   (s->k != ZTI_SPECIAL_BIT_MAP || s->places_bytes == (values + 7) / 8) &&
                   distance >= ZTI_SPECIAL_DISTANCE_LEAST &&
                   (!is_repeated || (distance < values && is_distance(distance, rank, shape))) &&
                   zti_mul(count, s->patterns ? number_bits(s->patterns) : 8 * value_bytes, &rest);
    rest = zti_ceil_div(rest, 8);
    is_good = is_good && zti_cursor_left(&c) == rest;
    s->repeats.distance = is_repeated ? distance : 0;
    const zt_status status = is_good && is_repeated ? open_repeats(context, memory, s) : ZT_OK;
    if (status)
        return status;
    if (!is_good || !are_places_good(s))
        return zti_fail(context, ZT_CORRUPT,
                        "frame %" PRIu64 ": its section of special values does not place %" PRIu64
                        " of %" PRIu64 " values",
                        number, count, values);
    return ZT_OK;
}

/* The bit pattern of special value i. */
static uint64_t special_bits(const struct zti_special_section *s, uint64_t i)
{
    const size_t value_bytes = zt_type_bytes(s->type);
    const uint8_t *at = s->rest + i * value_bytes;
    if (s->patterns > 0)
        at = s->pattern + number_of(s, i) * value_bytes;
    return zti_get_value(at, value_bytes);
}

static bool has_fill(uint32_t fills, const uint64_t *fill, uint64_t bits)
{
    for (uint32_t i = 0; i < fills; i++)
        if (fill[i] == bits)
            return true;
    return false;
}

void zti_special_fills(const struct zti_special_section *s, uint32_t *fills, uint64_t *fill)
{
    const uint64_t n = s->patterns > 0 ? s->patterns : s->count;
    const uint8_t *at = s->patterns > 0 ? s->pattern : s->rest;
    const size_t value_bytes = zt_type_bytes(s->type);
    for (uint64_t i = 0; i < n && *fills < ZT_MAX_FILLS; i++, at += value_bytes) {
        const uint64_t bits = zti_get_value(at, value_bytes);
        if (!zti_is_special(s->type, bits, 0, NULL) && !has_fill(*fills, fill, bits))
            fill[(*fills)++] = bits;
    }
}

void zti_special_restore(const struct zti_special_row *row, uint64_t first, uint64_t last,
                         uint64_t number)
{
    const struct zti_special_section *const s = row->section;
    const size_t value_bytes = zt_type_bytes(s->type);
    const int64_t step = row->view->out.stride[row->rank - 1] * (int64_t)value_bytes;
    char *to = row->out + (int64_t)(first - row->first) * step;
    for (uint64_t i = 0; i < last - first; i++, to += step)
        zti_set_bits_at(to, special_bits(s, number + i), value_bytes);
}

/* Set first and out of the row that begins at place[]. */
static void find_row(struct zti_special_row *row)
{
    uint64_t at[ZT_MAX_RANK];
    row->first = 0;
    for (uint32_t i = 0; i < row->rank; i++) {
        row->first = row->first * row->shape[i] + row->place[i];
        at[i] = row->place[i] - row->view->lo[i];
    }
    row->out = zti_array_at(&row->view->out, at);
}

bool zti_special_next_row(struct zti_special_row *row)
{
    for (uint32_t i = row->rank - 1; i-- > 0;) {
        if (++row->place[i] < row->view->hi[i]) {
            find_row(row);
            return true;
        }
        row->place[i] = row->view->lo[i];
    }
    return false;
}

/* Store the special values of each row: one pass over rows and runs together. */
static void apply_runs(const struct zti_special_section *s, struct zti_special_row *row)
{
    struct zti_special_places p = zti_special_places_of(s);
    uint64_t done = 0; /* special values before the current run */
    bool has_run = zti_special_next(&p);
    do {
        const uint64_t row_end = row->first + row->n;
        while (has_run && p.first < row_end) {
            const uint64_t from = p.first > row->first ? p.first : row->first;
            const uint64_t to = p.last < row_end ? p.last : row_end;
            if (from < to)
                zti_special_restore(row, from, to, done + (from - p.first));
            if (p.last > row_end)
                break;
            done += p.last - p.first;
            has_run = done < s->count && zti_special_next(&p);
        }
    } while (has_run && zti_special_next_row(row));
}

void zti_special_apply(const struct zti_special_section *s, uint32_t rank, const uint64_t *shape,
                       const struct zti_view *view)
{
    struct zti_special_row row = {.section = s,
                                  .rank = rank,
                                  .shape = shape,
                                  .view = view,
                                  .n = view->hi[rank - 1] - view->lo[rank - 1]};
    memcpy(row.place, view->lo, sizeof row.place);
    find_row(&row);
    if (s->repeats.distance > 0)
        zti_special_repeats_apply(s, &row);
    else
        apply_runs(s, &row);
}
