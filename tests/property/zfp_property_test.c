/* zfp_property_test.c: random arrays and parameters, ztile against Debian's libzfp (8-bit words):
 * the streams are the same bytes, each decodes the other's to the same bits, and both say that
 * they consumed the same number of bytes, whatever the policy.
 *
 *     zfp_property_test [--seed N] [--cases N] [--only N] [--every-way 0|1] [--case TEXT]
 *
 * --every-way 1 (before --case) takes each case also through all policies, index layouts and boxes.
 * A case depends on the seed and its number alone. One that fails is made smaller (extents,
 * strides, header) as long as it still fails, and printed as the text that --case takes. */
#include "support/every_way.h"

#include <stdlib.h>
#include <string.h>
#include <zfp.h>

enum { WORD_BITS = 8 };

enum set { SET_RATE, SET_PRECISION, SET_ACCURACY, SET_REVERSIBLE, SET_EXPERT, SETS };
static const char *const set_names[SETS] = {"rate", "precision", "accuracy", "reversible",
                                            "expert"};

struct test_case {
    uint32_t type, rank;
    uint64_t shape[ZT_MAX_RANK];
    int64_t stride[ZT_MAX_RANK];
    enum data_kind kind;
    uint64_t data_seed;
    enum set set;
    double value; /* of rate, precision or accuracy */
    bool align;
    uint32_t minbits, maxbits, maxprec; /* SET_EXPERT */
    int32_t minexp;
    bool has_header;
    bool is_every_way; /* not part of its text */
};

/* What was seen, to show that a run had some of everything. */
struct tally {
    uint64_t cases, by_set[SETS], by_type[5], by_rank[5], strided, header;
    uint64_t nonfinite, undecodable; /* refused without ZT_ZFP_AS_LIBZFP */
    uint64_t values;
    struct every_way_tally ways;
};

/* ---- making a case ---- */

static uint64_t random_extent(struct rng *r, uint64_t most)
{
    static const uint64_t awkward[] = {1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 31, 37, 61, 127};
    uint64_t n = rng_once_in(r, 2) ? 1 + rng_below(r, most)
                                   : awkward[rng_below(r, sizeof awkward / sizeof *awkward)];
    return n < most ? n : most;
}

static void random_shape(struct rng *r, struct test_case *c)
{
    static const uint64_t most[] = {0, 700, 40, 15, 9}; /* extent along each axis, by rank */
    c->rank = 1 + (uint32_t)rng_below(r, ZT_MAX_RANK);
    uint64_t limit = rng_once_in(r, 60) ? 2 * most[c->rank] : most[c->rank];
    for (uint32_t i = 0; i < c->rank; i++)
        c->shape[i] = random_extent(r, limit);
}

static void random_expert(struct rng *r, struct test_case *c)
{
    static const uint32_t edges[] = {0,  1,  2,  5,   8,   9,   10,  11,   12,    13,
                                     14, 17, 64, 200, 256, 500, 900, 4096, 16658, 20000};
    const uint64_t n = sizeof edges / sizeof *edges;
    c->minbits = rng_once_in(r, 2) ? edges[rng_below(r, n)] : (uint32_t)rng_below(r, 2000);
    c->maxbits = rng_once_in(r, 2) ? edges[rng_below(r, n)] : (uint32_t)rng_below(r, 6000);
    if (rng_once_in(r, 4))
        c->minbits = c->maxbits;
    if (rng_once_in(r, 4))
        c->minbits = (uint32_t)rng_below(r, 2);
    if (c->minbits > c->maxbits) {
        uint32_t t = c->minbits;
        c->minbits = c->maxbits;
        c->maxbits = t;
    }
    c->maxprec = 1 + (uint32_t)rng_below(r, 64);
    c->minexp = rng_once_in(r, 4)   ? -1075
                : rng_once_in(r, 3) ? -1074
                                    : (int32_t)rng_below(r, 300) - 150;
}

static struct test_case random_case(uint64_t seed, uint64_t n)
{
    struct rng r = {mix64(seed, n)};
    struct test_case c;
    memset(&c, 0, sizeof c);
    c.type = 1 + (uint32_t)rng_below(&r, 4);
    random_shape(&r, &c);
    if (rng_once_in(&r, 2))
        random_strides(&r, c.rank, c.shape, c.stride);
    else
        contiguous_strides(c.rank, c.shape, c.stride);
    c.kind = (enum data_kind)rng_below(&r, DATA_KINDS);
    c.data_seed = rng_next(&r);
    c.has_header = rng_once_in(&r, 2);
    c.set = (enum set)rng_below(&r, SETS);
    switch (c.set) {
    case SET_RATE:
        c.value = rng_once_in(&r, 8) ? (double)(1 + rng_below(&r, 80)) : 34 * rng_unit(&r);
        c.align = rng_once_in(&r, 3);
        break;
    case SET_PRECISION: c.value = (double)rng_below(&r, 70); break;
    case SET_ACCURACY:
        c.value = (1 + rng_unit(&r)) * 1e-3;
        for (uint64_t i = rng_below(&r, 40), down = rng_below(&r, 2); i > 0; i--)
            c.value *= down ? 0.1 : 10;
        if (rng_once_in(&r, 16))
            c.value = 0;
        break;
    case SET_EXPERT: random_expert(&r, &c); break;
    default: break;
    }
    return c;
}

/* ---- text of a case ---- */

static void print_case(const struct test_case *c)
{
    char shape[96], stride[96];
    printf("%s:%s:%s:%s:%016llx:%s:%.17g:%d:%u:%u:%u:%d:%d", type_name(c->type),
           shape_text(c->rank, c->shape, shape), stride_text(c->rank, c->stride, stride),
           data_kind_name(c->kind), (unsigned long long)c->data_seed, set_names[c->set], c->value,
           c->align, c->minbits, c->maxbits, c->maxprec, c->minexp, c->has_header);
}

static bool parse_case(const char *text, struct test_case *c)
{
    char type[8], shape[96], stride[96], kind[24], set[24];
    unsigned long long data_seed;
    int align, header;
    memset(c, 0, sizeof *c);
    if (sscanf(text, "%7[^:]:%95[^:]:%95[^:]:%23[^:]:%llx:%23[^:]:%lf:%d:%u:%u:%u:%d:%d", type,
               shape, stride, kind, &data_seed, set, &c->value, &align, &c->minbits, &c->maxbits,
               &c->maxprec, &c->minexp, &header) != 13)
        return false;
    c->type = type_of_name(type);
    for (char *at = shape; *at && c->rank < ZT_MAX_RANK; at += *at == 'x')
        c->shape[c->rank++] = strtoull(at, &at, 10);
    char *at = stride;
    for (uint32_t i = 0; i < c->rank; i++, at += *at == ',')
        c->stride[i] = strtoll(at, &at, 10);
    while (c->kind < DATA_KINDS && strcmp(kind, data_kind_name(c->kind)) != 0)
        c->kind++;
    while (c->set < SETS && strcmp(set, set_names[c->set]) != 0)
        c->set++;
    c->data_seed = data_seed;
    c->align = align != 0;
    c->has_header = header != 0;
    return c->type && c->rank && c->kind < DATA_KINDS && c->set < SETS;
}

/* ---- the two libraries ---- */

static zfp_type zfp_type_of(uint32_t type)
{
    static const zfp_type types[] = {zfp_type_none, zfp_type_float, zfp_type_double, zfp_type_int32,
                                     zfp_type_int64};
    return types[type];
}

/* libzfp's field of an array: x first, so the axes turn around. */
static zfp_field *field_of(const zt_array *a)
{
    size_t n[ZT_MAX_RANK] = {0};
    ptrdiff_t s[ZT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < a->rank; i++) {
        n[i] = (size_t)a->shape[a->rank - 1 - i];
        s[i] = (ptrdiff_t)a->stride[a->rank - 1 - i];
    }
    zfp_field *f = zfp_field_alloc();
    zfp_field_set_type(f, zfp_type_of(a->type));
    zfp_field_set_pointer(f, a->data);
    zfp_field_set_size_4d(f, n[0], n[1], n[2], n[3]);
    zfp_field_set_stride_4d(f, s[0], s[1], s[2], s[3]);
    return f;
}

static double set_zfp(zfp_stream *z, const struct test_case *c)
{
    switch (c->set) {
    case SET_RATE: return zfp_stream_set_rate(z, c->value, zfp_type_of(c->type), c->rank, c->align);
    case SET_PRECISION: return zfp_stream_set_precision(z, (uint)c->value);
    case SET_ACCURACY: return zfp_stream_set_accuracy(z, c->value);
    case SET_REVERSIBLE: zfp_stream_set_reversible(z); return 0;
    default: return zfp_stream_set_params(z, c->minbits, c->maxbits, c->maxprec, c->minexp) ? 1 : 0;
    }
}

static double set_ztile(zt_zfp *z, const struct test_case *c)
{
    double actual = 0;
    uint32_t planes;
    switch (c->set) {
    case SET_RATE:
        zt_zfp_set_rate(z, c->value, (zt_type)c->type, c->rank, c->align, &actual);
        return actual;
    case SET_PRECISION: zt_zfp_set_precision(z, (uint32_t)c->value, &planes); return planes;
    case SET_ACCURACY: zt_zfp_set_accuracy(z, c->value, &actual); return actual;
    case SET_REVERSIBLE: zt_zfp_set_reversible(z); return 0;
    default: return zt_zfp_set_expert(z, c->minbits, c->maxbits, c->maxprec, c->minexp) == ZT_OK;
    }
}

/* One case while it runs. */
struct trial {
    const struct test_case *c;
    zt_context *context;
    struct tally *tally;
    struct test_array in;
    zt_zfp ours;
    zfp_stream *theirs;
    zfp_field *field;
    unsigned char *our_stream, *their_stream;
    size_t room, our_bytes, their_bytes, bound;
    char why[512];
};

#define FAIL(b, ...) (snprintf((b)->why, sizeof(b)->why, __VA_ARGS__), false)

static bool agree_on_parameters(struct trial *b)
{
    zt_zfp_init(&b->ours, sizeof b->ours);
    b->ours.word_bits = WORD_BITS;
    double ours = set_ztile(&b->ours, b->c), theirs = set_zfp(b->theirs, b->c);
    if (ours != theirs)
        return FAIL(b, "the setter returns %.17g, libzfp's %.17g", ours, theirs);
    if (b->ours.minbits != b->theirs->minbits || b->ours.maxbits != b->theirs->maxbits ||
        b->ours.maxprec != b->theirs->maxprec || b->ours.minexp != b->theirs->minexp)
        return FAIL(b, "parameters %u %u %u %d, libzfp's %u %u %u %d", b->ours.minbits,
                    b->ours.maxbits, b->ours.maxprec, b->ours.minexp, b->theirs->minbits,
                    b->theirs->maxbits, b->theirs->maxprec, b->theirs->minexp);
    if ((unsigned)zt_zfp_mode_of(&b->ours) != (unsigned)zfp_stream_compression_mode(b->theirs))
        return FAIL(b, "mode %d, libzfp's %d", zt_zfp_mode_of(&b->ours),
                    zfp_stream_compression_mode(b->theirs));
    if (zt_zfp_mode_code(&b->ours) != zfp_stream_mode(b->theirs))
        return FAIL(b, "mode code %llx, libzfp's %llx",
                    (unsigned long long)zt_zfp_mode_code(&b->ours),
                    (unsigned long long)zfp_stream_mode(b->theirs));
    uint64_t code = 0;
    if (zt_zfp_field_code(&b->in.array, &code) != ZT_OK || code != zfp_field_metadata(b->field))
        return FAIL(b, "field code %llx, libzfp's %llx", (unsigned long long)code,
                    (unsigned long long)zfp_field_metadata(b->field));
    return true;
}

/* Bytes that no coder of either library goes beyond: libzfp checks nothing, and its own maximum
 * is too small where maxbits is less than a block's header. A decoder skips up to minbits. */
static size_t safe_room(const struct trial *b)
{
    uint64_t blocks = 1, most = ZFP_MAX_BITS + 64;
    for (uint32_t i = 0; i < b->c->rank; i++)
        blocks *= (b->c->shape[i] + 3) / 4;
    if (b->ours.minbits > most)
        most = b->ours.minbits;
    return (size_t)(blocks * (most / 8 + 1) + 1024);
}

static bool encode_theirs(struct trial *b)
{
    bitstream *bits = stream_open(b->their_stream, b->room);
    zfp_stream_set_bit_stream(b->theirs, bits);
    zfp_stream_rewind(b->theirs);
    if (b->c->has_header)
        zfp_write_header(b->theirs, b->field, ZFP_HEADER_FULL);
    b->their_bytes = zfp_compress(b->theirs, b->field);
    stream_close(bits);
    return b->their_bytes <= b->room || FAIL(b, "libzfp wrote beyond the buffer");
}

/* Encode without ZT_ZFP_AS_LIBZFP first; a refusal must have its reason, and then the flag is
 * set for the rest of the case. */
static bool encode_ours(struct trial *b)
{
    bool is_plain = b->c->set != SET_EXPERT;
    uint64_t nonfinite = count_nonfinite(&b->in.array, NULL, NULL);
    b->ours.flags = b->c->has_header ? ZT_ZFP_HEADER : 0;
    zt_status s =
        zt_zfp_compress(b->context, &b->in.array, &b->ours, b->our_stream, b->room, &b->our_bytes);
    if (s == ZT_NONFINITE) {
        b->tally->nonfinite++;
        if (!nonfinite || b->c->set == SET_REVERSIBLE)
            return FAIL(b, "refused for %llu values that are not finite: %s",
                        (unsigned long long)nonfinite, zt_context_error(b->context));
    } else if (s == ZT_UNSUPPORTED) {
        b->tally->undecodable++;
        if (is_plain && b->ours.maxbits)
            return FAIL(b, "refused as undecodable: %s", zt_context_error(b->context));
    } else if (s != ZT_OK) {
        return FAIL(b, "encoding failed: %s", zt_context_error(b->context));
    } else {
        if (nonfinite && is_plain && b->c->set != SET_REVERSIBLE)
            return FAIL(b, "%llu values that are not finite were not refused",
                        (unsigned long long)nonfinite);
        return true;
    }
    b->ours.flags |= ZT_ZFP_AS_LIBZFP;
    s = zt_zfp_compress(b->context, &b->in.array, &b->ours, b->our_stream, b->room, &b->our_bytes);
    return s == ZT_OK || FAIL(b, "encoding as libzfp failed: %s", zt_context_error(b->context));
}

static bool agree_on_stream(struct trial *b)
{
    size_t theirs = zfp_stream_maximum_size(b->theirs, b->field);
    zt_status s = zt_zfp_compress_bound(b->context, &b->in.array, &b->ours, &b->bound);
    if (s != ZT_OK)
        return FAIL(b, "no bound: %s", zt_context_error(b->context));
    if (b->our_bytes > b->bound)
        return FAIL(b, "%zu bytes, more than the bound of %zu", b->our_bytes, b->bound);
    if (b->bound != theirs && b->ours.maxbits > 19) /* 19: the longest header of a block */
        return FAIL(b, "the bound is %zu, libzfp's %zu", b->bound, theirs);
    if (b->our_bytes != b->their_bytes)
        return FAIL(b, "the stream has %zu bytes, libzfp's %zu", b->our_bytes, b->their_bytes);
    for (size_t i = 0; i < b->our_bytes; i++)
        if (b->our_stream[i] != b->their_stream[i])
            return FAIL(b, "the streams differ at byte %zu of %zu", i, b->our_bytes);
    /* Either encoder may have left bits that it cut off behind its stream, and a stream that
     * cannot be decoded makes a decoder read on. */
    memset(b->our_stream + b->our_bytes, 0, b->room - b->our_bytes);
    memset(b->their_stream + b->their_bytes, 0, b->room - b->their_bytes);
    return true;
}

static size_t decode_theirs(struct trial *b, unsigned char *stream, const zt_array *out)
{
    zfp_field *field = field_of(out);
    bitstream *bits = stream_open(stream, b->room);
    zfp_stream *z = zfp_stream_open(bits);
    *z = *b->theirs;
    zfp_stream_set_bit_stream(z, bits);
    zfp_stream_rewind(z);
    size_t consumed = 0;
    bool is_read = true;
    if (b->c->has_header) {
        zfp_field *described = zfp_field_alloc();
        is_read = zfp_read_header(z, described, ZFP_HEADER_FULL) > 0;
        zfp_field_free(described);
    }
    if (is_read)
        consumed = zfp_decompress(z, field);
    zfp_field_free(field);
    zfp_stream_close(z);
    stream_close(bits);
    return consumed;
}

/* Each library decodes the other's stream; the outputs have the input's strides. */
static bool agree_on_values(struct trial *b)
{
    const struct test_case *c = b->c;
    size_t bytes = values_of(c->rank, c->shape) * zt_type_bytes(c->type);
    unsigned char *ours = need(bytes), *theirs = need(bytes);
    struct test_array out = test_array_new(c->type, c->rank, c->shape, c->stride);
    size_t our_consumed = 0, their_consumed = decode_theirs(b, b->our_stream, &out.array);
    gather(&out.array, theirs);
    test_array_free(&out);

    out = test_array_new(c->type, c->rank, c->shape, c->stride);
    zt_status s = zt_zfp_decompress(b->context, b->their_stream, b->room, &b->ours, &out.array,
                                    &our_consumed);
    gather(&out.array, ours);
    bool ok = true;
    if (s != ZT_OK)
        ok = FAIL(b, "decoding failed: %s", zt_context_error(b->context));
    else if (our_consumed != their_consumed)
        ok = FAIL(b, "decoding consumed %zu bytes, libzfp %zu", our_consumed, their_consumed);
    else if (!gaps_are_untouched(&out))
        ok = FAIL(b, "decoding wrote between the elements");
    for (size_t i = 0; ok && i < bytes; i++)
        if (ours[i] != theirs[i])
            ok = FAIL(b, "decoded values differ at element %zu", i / zt_type_bytes(c->type));
    if (ok && our_consumed <= b->our_bytes) { /* the stream alone, with nothing behind it */
        memset(out.memory, 0, out.memory_bytes);
        s = zt_zfp_decompress(b->context, b->our_stream, b->our_bytes, &b->ours, &out.array, NULL);
        gather(&out.array, ours);
        if (s != ZT_OK || memcmp(ours, theirs, bytes) != 0)
            ok = FAIL(b, "decoding the stream alone differs: %s", zt_strerror(s));
    }
    test_array_free(&out);
    free(ours);
    free(theirs);
    return ok;
}

/* Run one case; where it fails, 'why' (at least 512 bytes) says how. The policy never shows: it is
 * chosen by data_seed, so that a case keeps it. */
static bool run_case(const struct test_case *c, zt_context *context, struct tally *tally, char *why)
{
    struct trial b = {.c = c, .context = context, .tally = tally};
    struct rng policy = {c->data_seed ^ 2};
    random_policy(&policy, context);
    b.in = test_array_new(c->type, c->rank, c->shape, c->stride);
    fill_array(&b.in.array, c->kind, c->data_seed);
    b.field = field_of(&b.in.array);
    b.theirs = zfp_stream_open(NULL);
    bool ok = agree_on_parameters(&b);
    if (ok) {
        b.room = safe_room(&b);
        b.our_stream = need(b.room);
        b.their_stream = need(b.room);
        memset(b.our_stream, 0, b.room);
        memset(b.their_stream, 0, b.room);
        ok = encode_ours(&b) && encode_theirs(&b) && agree_on_stream(&b) && agree_on_values(&b);
        ok = ok && (!c->is_every_way ||
                    every_way_of_array(&b.in.array, &b.ours, c->data_seed, &tally->ways, b.why));
    }
    if (!ok)
        memcpy(why, b.why, sizeof b.why);
    free(b.our_stream);
    free(b.their_stream);
    zfp_stream_close(b.theirs);
    zfp_field_free(b.field);
    test_array_free(&b.in);
    tally->cases++;
    tally->by_set[c->set]++;
    tally->by_type[c->type]++;
    tally->by_rank[c->rank]++;
    tally->header += c->has_header;
    tally->values += values_of(c->rank, c->shape);
    return ok;
}

/* ---- making a failing case smaller ---- */

static bool still_fails(const struct test_case *c, zt_context *context)
{
    struct tally unused;
    char why[512];
    memset(&unused, 0, sizeof unused);
    return !run_case(c, context, &unused, why);
}

/* Try one smaller extent; the strides are made contiguous, which must fail as well. */
static bool try_extent(struct test_case *c, zt_context *context, uint32_t axis, uint64_t extent)
{
    struct test_case smaller = *c;
    if (extent >= c->shape[axis] || extent == 0)
        return false;
    smaller.shape[axis] = extent;
    contiguous_strides(smaller.rank, smaller.shape, smaller.stride);
    if (!still_fails(&smaller, context))
        return false;
    *c = smaller;
    return true;
}

static void shrink(struct test_case *c, zt_context *context)
{
    struct test_case smaller = *c;
    contiguous_strides(c->rank, c->shape, smaller.stride);
    if (still_fails(&smaller, context))
        *c = smaller;
    smaller = *c;
    smaller.has_header = false;
    if (still_fails(&smaller, context))
        *c = smaller;
    bool is_smaller = true;
    for (int rounds = 0; is_smaller && rounds < 100; rounds++) {
        is_smaller = false;
        for (uint32_t axis = 0; axis < c->rank; axis++)
            is_smaller = is_smaller || try_extent(c, context, axis, 1) ||
                         try_extent(c, context, axis, c->shape[axis] / 2) ||
                         try_extent(c, context, axis, c->shape[axis] - 1);
    }
}

static void report_failure(const struct test_case *failed, zt_context *context, uint64_t seed,
                           uint64_t n, const char *why)
{
    struct test_case small = *failed;
    struct tally unused;
    char small_why[512] = "it passes when repeated";
    printf("case %llu of seed %llu fails: %s\n  --case ", (unsigned long long)n,
           (unsigned long long)seed, why);
    print_case(failed);
    shrink(&small, context);
    memset(&unused, 0, sizeof unused);
    run_case(&small, context, &unused, small_why);
    printf("\n  smaller: %s\n  --case ", small_why);
    print_case(&small);
    printf("\n");
    fflush(stdout);
}

static void print_tally(const struct tally *t)
{
    printf("%llu cases, %llu values:", (unsigned long long)t->cases, (unsigned long long)t->values);
    for (int i = 0; i < SETS; i++)
        printf(" %s %llu", set_names[i], (unsigned long long)t->by_set[i]);
    for (uint32_t i = ZT_F32; i <= ZT_I64; i++)
        printf(", %s %llu", type_name(i), (unsigned long long)t->by_type[i]);
    for (uint32_t i = 1; i <= ZT_MAX_RANK; i++)
        printf(", %u-D %llu", i, (unsigned long long)t->by_rank[i]);
    printf(", strided %llu, with header %llu; refused without ZT_ZFP_AS_LIBZFP: "
           "non-finite %llu, undecodable %llu\n",
           (unsigned long long)t->strided, (unsigned long long)t->header,
           (unsigned long long)t->nonfinite, (unsigned long long)t->undecodable);
}

int main(int argc, char **argv)
{
    struct case_range range = {seed_of_today(), 0, 20000};
    const char *text = NULL;
    bool is_every_way = false;
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--every-way") == 0)
            is_every_way = strcmp(argv[i + 1], "1") == 0;
        else if (strcmp(argv[i], "--case") == 0)
            text = argv[i + 1];
        else
            (void)take_case_option(argv[i], argv[i + 1], &range);
    const uint64_t seed = range.seed, first = range.first, cases = range.cases;
    zt_context *context;
    if (zt_context_new(NULL, &context) != ZT_OK)
        return 1;
    if (stream_word_bits != WORD_BITS) {
        printf("SKIP: this libzfp has %zu-bit stream words, not 8 as Debian's\n",
               (size_t)stream_word_bits);
        zt_context_free(context);
        return TEST_SKIPPED;
    }
    struct tally tally;
    struct test_case c;
    char why[512];
    unsigned failures = 0;
    memset(&tally, 0, sizeof tally);
    if (text) {
        bool is_case = parse_case(text, &c);
        c.is_every_way = is_every_way;
        bool ok = is_case && run_case(&c, context, &tally, why);
        printf("%s\n", !is_case ? "this is no case" : ok ? "the case passes" : why);
        zt_context_free(context);
        return ok ? 0 : 1;
    }
    printf("seed %llu, %llu cases against libzfp %s\n", (unsigned long long)seed,
           (unsigned long long)cases, zfp_version_string);
    fflush(stdout);
    for (uint64_t n = first; n < cases && failures < 5; n++) {
        int64_t contiguous[ZT_MAX_RANK];
        c = random_case(seed, n);
        c.is_every_way = is_every_way;
        contiguous_strides(c.rank, c.shape, contiguous);
        if (memcmp(contiguous, c.stride, c.rank * sizeof *contiguous) != 0)
            tally.strided++;
        if (!run_case(&c, context, &tally, why)) {
            report_failure(&c, context, seed, n, why);
            failures++;
        }
    }
    print_tally(&tally);
    if (is_every_way)
        every_way_print(&tally.ways);
    zt_context_free(context);
    return failures ? 1 : 0;
}
