/* salvage_property_test.c: damaged .zt files through zt_reader_open_damaged and zt_reader_salvage.
 *
 *     salvage_property_test [--seed N] [--cases N] [--only N]
 *
 * Each case compresses an array at random (every codec, type, rank, bound, index layout, special
 * values, several frames) and damages the file in one of several ways: bits flipped in a named
 * section, bytes overwritten, the end cut off, ranges that cannot be read. What must hold:
 *
 *   - values outside the boxes that are told are those of the undamaged file, bit for bit;
 *   - boxes do not overlap, lie in the array, and hold the fill value where they are lost;
 *   - counts are those of the boxes;
 *   - one flipped bit in a header, a tail, the seek table or padding loses nothing, and one in a
 *     payload loses nothing of other frames;
 *   - where the end is cut off, frames before the cut are whole. */
#include "support/support.h"
#include "ztile_expert.h"
#include "ztile_zfp.h"

#include <stdlib.h>
#include <string.h>

enum damage {
    FLIP_HEADER,
    FLIP_PAYLOAD_HEAD,
    FLIP_PAYLOAD,
    FLIP_TAIL,
    FLIP_TABLE,
    FLIP_FOOT,
    FLIP_ANY,
    FLIP_MANY,
    OVERWRITE,
    CUT,
    UNREADABLE,
    DAMAGES
};

static const char *const damage_names[] = {
    "header",     "payload's first bytes", "payload", "tail",      "seek table", "foot", "any byte",
    "many bytes", "overwritten",           "cut",     "unreadable"};

struct span {
    size_t header, payload, tail, end; /* of a frame: where its parts begin */
    uint64_t first, extent;
};

enum { SPANS_MOST = 512 };

struct trial {
    uint32_t type, rank;
    uint64_t shape[ZT_MAX_RANK], values;
    size_t element, bytes, capacity, table;
    unsigned char *raw, *file, *whole, *got, *mask;
    struct span spans[SPANS_MOST];
    size_t frames;
    zt_params params;
    enum damage damage;
    bool is_one_bit;
    size_t at; /* of the damage */
    size_t unreadable[2];
    size_t now_bytes; /* of the damaged file */
    uint64_t shape0;  /* that the damaged file has */
    uint64_t lost, unverified, boxes;
    uint64_t fill;
    bool has_fill;
    const char *why;
};

/* ---- the file's parts, by its description ---- */

static uint64_t varint(const unsigned char **at)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        const unsigned char byte = *(*at)++;
        v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return v;
    }
}

static void find_parts(struct trial *t)
{
    const unsigned char *foot = t->file + t->bytes - 8;
    t->table = t->bytes - (foot[0] | (size_t)foot[1] << 8 | (size_t)foot[2] << 16);
    t->frames = 0;
    for (size_t at = 0; at < t->table;) {
        const unsigned char *c = t->file + at + 9;
        struct span *s = &t->spans[t->frames++];
        const size_t header = t->file[at + 8] * (size_t)64;
        const size_t payload = (size_t)varint(&c), tail = (size_t)varint(&c);
        (void)varint(&c);
        s->first = varint(&c);
        s->extent = varint(&c);
        s->header = at;
        s->payload = at + header;
        s->tail = s->payload + payload + 8;
        s->end = s->tail + tail;
        at = s->end == t->table ? t->table : (s->end + 63) / 64 * 64;
    }
}

/* ---- making a case ---- */

static void random_case(struct trial *t, struct rng *r)
{
    static const uint64_t most[] = {0, 40000, 200, 40, 14};
    static const enum data_kind kinds[] = {DATA_WAVE_NOISE, DATA_NOISE,    DATA_SMOOTH, DATA_BITS,
                                           DATA_NONFINITE,  DATA_CONSTANT, DATA_WIDE};
    memset(&t->params, 0, sizeof t->params);
    zt_params_init(&t->params, sizeof t->params);
    t->type = 1 + (uint32_t)rng_below(r, 4);
    t->rank = 1 + (uint32_t)rng_below(r, 4);
    for (uint32_t i = 0; i < t->rank; i++)
        t->shape[i] = 1 + rng_below(r, rng_once_in(r, 4) ? 3 : most[t->rank]);
    t->values = values_of(t->rank, t->shape);
    t->element = zt_type_bytes(t->type);
    t->params.codec = ZT_CODEC_ZFP + (uint32_t)rng_below(r, 3);
    set_coder(&t->params, (uint32_t)rng_below(r, CODER_HIGH));
    const uint64_t bound = rng_below(r, t->params.codec == ZT_CODEC_ZFP ? 5 : 3);
    t->params.bound = t->params.codec == ZT_CODEC_NDZIP || bound == 0 ? zt_lossless()
                      : bound == 1                                    ? zt_rel(1e-4)
                      : bound == 2 ? zt_abs(rng_once_in(r, 2) ? 0.01 : 1e-6)
                      : bound == 3 ? zt_rate(1 + 20 * rng_unit(r))
                                   : zt_precision(1 + (uint32_t)rng_below(r, 30));
    t->params.index = (uint32_t)rng_below(r, 6);
    if (t->params.index != ZT_INDEX_NONE && rng_once_in(r, 2))
        t->params.index_chunk = 1 + (uint32_t)rng_below(r, 64);
    t->params.plan = (uint32_t)rng_below(r, 2); /* planned frames have other axes than the array */
    t->params.name = rng_once_in(r, 2) ? "wind" : NULL;
    const uint64_t raw = t->values * t->element;
    t->params.slab_bytes = rng_once_in(r, 3) ? raw : 1 + raw / (1 + rng_below(r, 12));
    t->raw = need(raw);
    zt_array a = zt_array_nd(t->raw, (zt_type)t->type, t->rank, t->shape);
    fill_array(&a, kinds[rng_below(r, sizeof kinds / sizeof *kinds)], rng_next(r));
    if (rng_once_in(r, 4)) { /* the first value is a fill value */
        t->params.fills = 1;
        memcpy(&t->params.fill[0], t->raw, t->element);
    }
}

static const char *compress(struct trial *t, zt_context *context)
{
    zt_array a = zt_array_nd(t->raw, (zt_type)t->type, t->rank, t->shape);
    if (zt_compress_bound(context, &a, &t->params, &t->capacity) != ZT_OK)
        return zt_context_error(context);
    t->file = need(t->capacity);
    t->whole = need(t->values * t->element);
    t->got = need(t->values * t->element);
    t->mask = need(t->values);
    memset(t->mask, 0, t->values);
    if (zt_compress(context, &a, &t->params, t->file, t->capacity, &t->bytes) != ZT_OK)
        return zt_context_error(context);
    a.data = t->whole;
    if (zt_decompress(context, t->file, t->bytes, &a) != ZT_OK)
        return zt_context_error(context);
    return NULL;
}

static void flip(struct trial *t, struct rng *r, size_t first, size_t last)
{
    t->at = first + (size_t)rng_below(r, last > first ? last - first : 1);
    t->file[t->at] ^= (unsigned char)(1u << rng_below(r, 8));
}

static void damage(struct trial *t, struct rng *r)
{
    const struct span *s = &t->spans[rng_below(r, t->frames)];
    const size_t payload_end = s->tail - 8;
    t->damage = (enum damage)rng_below(r, DAMAGES);
    t->now_bytes = t->bytes;
    t->is_one_bit = t->damage <= FLIP_ANY;
    t->unreadable[0] = t->unreadable[1] = 0;
    switch (t->damage) {
    case FLIP_HEADER: flip(t, r, s->header, s->payload); break;
    case FLIP_PAYLOAD_HEAD:
        flip(t, r, s->payload, payload_end - s->payload < 64 ? payload_end : s->payload + 64);
        break;
    case FLIP_PAYLOAD: flip(t, r, s->payload, payload_end); break;
    case FLIP_TAIL: flip(t, r, s->tail - 8, s->end); break;
    case FLIP_TABLE: flip(t, r, t->table, t->bytes - 8); break;
    case FLIP_FOOT: flip(t, r, t->bytes - 8, t->bytes); break;
    case FLIP_ANY: flip(t, r, 0, t->bytes); break;
    case FLIP_MANY:
        for (uint64_t i = 2 + rng_below(r, 12); i > 0; i--)
            flip(t, r, 0, t->bytes);
        break;
    case OVERWRITE: {
        const size_t n = 1 + (size_t)rng_below(r, rng_once_in(r, 2) ? 64 : t->bytes / 4 + 1);
        t->at = (size_t)rng_below(r, t->bytes);
        for (size_t i = t->at; i < t->at + n && i < t->bytes; i++)
            t->file[i] = (unsigned char)rng_next(r);
        break;
    }
    case CUT: t->now_bytes = (size_t)rng_below(r, t->bytes); break;
    default:
        t->unreadable[0] = (size_t)rng_below(r, t->bytes);
        t->unreadable[1] = t->unreadable[0] + 1 + (size_t)rng_below(r, 5000);
        break;
    }
}

/* ---- reading ---- */

static int read_at(void *user, uint64_t offset, void *buffer, size_t bytes, size_t *got_bytes)
{
    const struct trial *t = user;
    if (offset < t->unreadable[1] && offset + bytes > t->unreadable[0])
        return 1;
    const size_t left = offset < t->now_bytes ? t->now_bytes - (size_t)offset : 0;
    *got_bytes = bytes < left ? bytes : left;
    if (*got_bytes)
        memcpy(buffer, t->file + offset, *got_bytes);
    return 0;
}

/* Mark a box; its numbers are checked before. */
static void mark(struct trial *t, const zt_box *box, zt_loss loss)
{
    uint64_t at[ZT_MAX_RANK], n = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        n *= box->hi[i] - box->lo[i];
    for (uint64_t k = 0; k < n; k++) {
        uint64_t rest = k, place = 0;
        for (uint32_t i = t->rank; i-- > 0;) {
            at[i] = box->lo[i] + rest % (box->hi[i] - box->lo[i]);
            rest /= box->hi[i] - box->lo[i];
        }
        for (uint32_t i = 0; i < t->rank; i++)
            place = place * t->shape[i] + at[i];
        if (t->mask[place])
            t->why = "boxes overlap";
        t->mask[place] = (unsigned char)loss;
    }
    *(loss == ZT_LOSS_LOST ? &t->lost : &t->unverified) += n;
}

static int note(void *user, zt_loss loss, const zt_box *box, const char *why)
{
    struct trial *t = user;
    t->boxes++;
    for (uint32_t i = 0; i < t->rank; i++)
        if (box->lo[i] >= box->hi[i] || box->hi[i] > (i ? t->shape[i] : t->shape0)) {
            t->why = "a box lies outside the array";
            return 0;
        }
    if (!why || !why[0] || (loss != ZT_LOSS_LOST && loss != ZT_LOSS_UNVERIFIED))
        t->why = "a box has no reason or kind";
    else
        mark(t, box, loss);
    return 0;
}

static zt_status salvage(struct trial *t, zt_context *context, zt_salvage *s)
{
    zt_source source = {read_at, t, t->now_bytes, {0, 0}};
    zt_reader *reader = NULL;
    zt_info info;
    uint64_t first, extent, next = 0;
    zt_info_init(&info, sizeof info);
    zt_status status = zt_reader_open_damaged(context, &source, &reader);
    if (status == ZT_OK)
        status = zt_reader_info(reader, &info);
    if (status == ZT_OK && (info.shape[0] > t->shape[0] || info.rank != t->rank))
        t->why = "the array is larger than it was";
    t->shape0 = status == ZT_OK ? info.shape[0] : 0;
    while (status == ZT_OK && !t->why) {
        status = zt_reader_next(reader, &first, &extent);
        if (status != ZT_OK || extent == 0)
            break;
        if (first != next || extent > t->shape0 - first) {
            t->why = "slices are missing or out of order";
            break;
        }
        next = first + extent;
        const uint64_t slice = t->values / t->shape[0] * t->element;
        zt_array out = zt_array_nd(t->got + first * slice, (zt_type)t->type, t->rank, t->shape);
        out.shape[0] = extent;
        status = zt_reader_salvage(reader, &out, s);
    }
    if (status == ZT_OK && !t->why && next != t->shape0)
        t->why = "the frames do not make up the array";
    zt_reader_close(reader);
    return status;
}

/* ---- what holds ---- */

static bool is_lost_as_said(const struct trial *t, uint64_t i)
{
    uint64_t fill = t->has_fill         ? t->fill
                    : t->type == ZT_F32 ? 0x7fc00000u
                    : t->type == ZT_F64 ? UINT64_C(0x7ff8000000000000)
                                        : 0;
    return memcmp(t->got + i * t->element, &fill, t->element) == 0;
}

static const char *check_values(struct trial *t)
{
    const uint64_t n = t->values / t->shape[0] * t->shape0;
    for (uint64_t i = 0; i < n; i++) {
        const bool is_same =
            memcmp(t->got + i * t->element, t->whole + i * t->element, t->element) == 0;
        if (t->mask[i] == 0 && !is_same)
            return "a value outside all boxes differs";
        if (t->mask[i] == ZT_LOSS_LOST && !is_lost_as_said(t, i))
            return "a lost value is not the fill value";
    }
    return NULL;
}

/* The frame whose payload byte 'at' is in, or NULL. */
static const struct span *payload_at(const struct trial *t, size_t at)
{
    for (size_t i = 0; i < t->frames; i++)
        if (at >= t->spans[i].payload && at < t->spans[i].tail - 8)
            return &t->spans[i];
    return NULL;
}

/* Values that are marked in slices [first, last). */
static uint64_t marked(const struct trial *t, uint64_t first, uint64_t last)
{
    const uint64_t slice = t->values / t->shape[0];
    uint64_t n = 0;
    for (uint64_t i = first * slice; i < last * slice; i++)
        n += t->mask[i] != 0;
    return n;
}

static const char *check_one_bit(const struct trial *t, const zt_salvage *s)
{
    const struct span *f = payload_at(t, t->at);
    if (t->shape0 != t->shape[0])
        return "one bit cost slices at the end";
    if (t->unverified > 0 || s->table == ZT_TABLE_MISSING)
        return "one bit left values unverified, or the end unknown";
    if (!f)
        return t->lost > 0 ? "one bit beside the payloads cost values" : NULL;
    if (marked(t, f->first, f->first + f->extent) != t->lost)
        return "one bit cost values of other frames";
    if (t->lost == 0 || s->damaged_frames != 1)
        return "one bit of a payload was not told";
    return NULL;
}

static const char *check_cut(const struct trial *t)
{
    uint64_t whole = 0; /* slices before the cut */
    for (size_t i = 0; i < t->frames && t->spans[i].end <= t->now_bytes; i++)
        whole = t->spans[i].first + t->spans[i].extent;
    if (t->shape0 < whole)
        return "frames before the cut are missing";
    return marked(t, 0, whole) > 0 ? "values before the cut are lost" : NULL;
}

static const char *run(struct trial *t, struct rng *r, zt_context *context)
{
    const char *why = compress(t, context);
    if (why)
        return why;
    find_parts(t);
    damage(t, r);
    zt_salvage s;
    if (zt_salvage_init(&s, sizeof s) != ZT_OK)
        return "zt_salvage_init";
    s.part = note;
    s.user = t;
    t->has_fill = rng_once_in(r, 2);
    t->fill = rng_next(r) >> (t->element == 4 ? 32 : 0);
    s.has_fill = t->has_fill;
    s.fill = t->has_fill ? t->fill : 0;
    const zt_status status = salvage(t, context, &s);
    if (t->why)
        return t->why;
    if (status != ZT_OK) /* without a whole header there is nothing */
        return t->is_one_bit || status != ZT_CORRUPT ||
                       (t->damage == CUT && t->now_bytes >= t->spans[0].payload)
                   ? zt_context_error(context)
                   : NULL;
    if (t->lost != s.lost_values || t->unverified != s.unverified_values ||
        t->boxes != s.lost_boxes + s.unverified_boxes)
        return "the counts are not those of the boxes";
    why = check_values(t);
    if (!why && t->is_one_bit)
        why = check_one_bit(t, &s);
    if (!why && t->damage == CUT)
        why = check_cut(t);
    return why;
}

int main(int argc, char **argv)
{
    struct case_range range = {seed_of_today(), 0, 2000};
    uint64_t of_damage[DAMAGES] = {0}, lost = 0, unverified = 0;
    unsigned failures = 0;
    for (int i = 1; i + 1 < argc; i += 2)
        (void)take_case_option(argv[i], argv[i + 1], &range);
    const uint64_t seed = range.seed, first = range.first, cases = range.cases;
    zt_context *context;
    if (zt_context_new(NULL, &context) != ZT_OK)
        return 1;
    printf("seed %llu, cases %llu to %llu\n", (unsigned long long)seed, (unsigned long long)first,
           (unsigned long long)cases);
    for (uint64_t n = first; n < cases && failures < 5; n++) {
        struct rng r = {mix64(seed, n)};
        struct trial *t = need(sizeof *t);
        char shape[96];
        memset(t, 0, sizeof *t);
        random_policy(&r, context);
        random_case(t, &r);
        const char *why = run(t, &r, context);
        of_damage[t->damage]++;
        lost += t->lost;
        unverified += t->unverified;
        if (why) {
            failures++;
            printf("case %llu of seed %llu fails: %s\n  %s, shape %s (slowest first), codec %u, "
                   "bound %u %.6g, index %u, %zu frames, damage %s at byte %zu of %zu\n",
                   (unsigned long long)n, (unsigned long long)seed, why, type_name(t->type),
                   shape_text(t->rank, t->shape, shape), t->params.codec, t->params.bound.kind,
                   t->params.bound.value, t->params.index, t->frames, damage_names[t->damage],
                   t->at, t->now_bytes);
        }
        free(t->raw);
        free(t->file);
        free(t->whole);
        free(t->got);
        free(t->mask);
        free(t);
    }
    for (int i = 0; i < DAMAGES; i++)
        printf("%s %llu%s", damage_names[i], (unsigned long long)of_damage[i],
               i + 1 < DAMAGES ? ", " : "\n");
    printf("%llu values lost, %llu unverified; %u failures\n", (unsigned long long)lost,
           (unsigned long long)unverified, failures);
    zt_context_free(context);
    return failures || (cases - first >= 500 && (lost == 0 || unverified == 0)) ? 1 : 0;
}
