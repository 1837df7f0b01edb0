/* bench_case.c: one array through ztile and through libzfp, alternating, timed. */
#include "bench.h"
#include "ztile_zfp.h"
#include "ztile_quality.h"
#include "ztile_expert.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zfp.h>

struct pair {
    const struct bench_case *c;
    zt_context *context;
    zt_array in, out;
    zt_zfp ours;
    zfp_stream *theirs;
    zfp_field *field; /* of the input */
    zfp_field *their_out;
    bitstream *bits;
    unsigned char *our_stream, *their_stream;
    void *our_back, *their_back;
    size_t capacity, our_bytes, their_bytes;
    zt_zfp_index index; /* none at fixed rate, where places are computed */
};

static double now(const struct bench_options *options)
{
    struct timespec t;
    clock_gettime(options->use_wall_clock ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool complain(const char *what)
{
    fprintf(stderr, "%s\n", what);
    return false;
}

static zfp_field *field_of(const struct bench_case *c, void *data)
{
    static const zfp_type types[] = {zfp_type_none, zfp_type_float, zfp_type_double, zfp_type_int32,
                                     zfp_type_int64};
    size_t n[ZT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < c->rank; i++) /* x first */
        n[i] = (size_t)c->shape[c->rank - 1 - i];
    zfp_field *f = zfp_field_alloc();
    zfp_field_set_type(f, types[c->type]);
    zfp_field_set_pointer(f, data);
    zfp_field_set_size_4d(f, n[0], n[1], n[2], n[3]);
    return f;
}

static void set_parameters(struct pair *p)
{
    const struct bench_case *c = p->c;
    zt_zfp_init(&p->ours, sizeof p->ours);
    p->ours.word_bits = (uint32_t)stream_word_bits; /* 8 in Debian's build */
    switch (c->mode) {
    case BENCH_RATE:
        zt_zfp_set_rate(&p->ours, c->value, (zt_type)c->type, c->rank, 0, NULL);
        zfp_stream_set_rate(p->theirs, c->value, zfp_field_type(p->field), c->rank, zfp_false);
        break;
    case BENCH_PRECISION:
        zt_zfp_set_precision(&p->ours, (uint32_t)c->value, NULL);
        zfp_stream_set_precision(p->theirs, (uint)c->value);
        break;
    case BENCH_ACCURACY:
        zt_zfp_set_accuracy(&p->ours, c->value, NULL);
        zfp_stream_set_accuracy(p->theirs, c->value);
        break;
    default:
        zt_zfp_set_reversible(&p->ours);
        zfp_stream_set_reversible(p->theirs);
        break;
    }
}

static bool prepare(const struct bench_options *options, struct pair *p, const struct bench_case *c)
{
    p->c = c;
    p->in = zt_array_const_nd(c->data, (zt_type)c->type, c->rank, c->shape);
    p->our_back = malloc(c->raw_bytes);
    p->their_back = malloc(c->raw_bytes);
    p->theirs = zfp_stream_open(NULL);
    p->field = field_of(c, p->in.data);
    p->their_out = field_of(c, p->their_back);
    if (!p->our_back || !p->their_back || zt_context_new(NULL, &p->context) != ZT_OK)
        return complain("no memory");
    if (zt_context_set_isa(p->context, (zt_isa)options->isa) != ZT_OK)
        return complain(zt_context_error(p->context));
    p->out = zt_array_nd(p->our_back, (zt_type)c->type, c->rank, c->shape);
    set_parameters(p);
    if (zt_zfp_compress_bound(p->context, &p->in, &p->ours, &p->capacity) != ZT_OK)
        return complain(zt_context_error(p->context));
    size_t theirs = zfp_stream_maximum_size(p->theirs, p->field);
    p->capacity = (p->capacity > theirs ? p->capacity : theirs) + 4096;
    p->our_stream = malloc(p->capacity);
    p->their_stream = malloc(p->capacity);
    if (!p->our_stream || !p->their_stream)
        return complain("no memory");
    /* touch every page now, not in the first run that is timed */
    memset(p->our_stream, 1, p->capacity);
    memset(p->their_stream, 1, p->capacity);
    memset(p->our_back, 1, c->raw_bytes);
    memset(p->their_back, 1, c->raw_bytes);
    p->bits = stream_open(p->their_stream, p->capacity);
    zfp_stream_set_bit_stream(p->theirs, p->bits);
    return true;
}

static void finish(struct pair *p)
{
    zfp_field_free(p->field);
    zfp_field_free(p->their_out);
    zfp_stream_close(p->theirs);
    if (p->bits)
        stream_close(p->bits);
    zt_context_free(p->context);
    free(p->index.bytes);
    free(p->our_stream);
    free(p->their_stream);
    free(p->our_back);
    free(p->their_back);
}

static bool compress_ours(struct pair *p)
{
    return zt_zfp_compress(p->context, &p->in, &p->ours, p->our_stream, p->capacity,
                           &p->our_bytes) == ZT_OK ||
           complain(zt_context_error(p->context));
}

static bool compress_theirs(struct pair *p)
{
    zfp_stream_rewind(p->theirs);
    p->their_bytes = zfp_compress(p->theirs, p->field);
    return p->their_bytes > 0 || complain("libzfp does not compress this");
}

static bool decompress_ours(struct pair *p)
{
    return zt_zfp_decompress(p->context, p->our_stream, p->our_bytes, &p->ours, &p->out, NULL) ==
               ZT_OK ||
           complain(zt_context_error(p->context));
}

static bool make_index(struct pair *p)
{
    zt_zfp_index_init(&p->index, sizeof p->index);
    if (zt_zfp_index_bound(p->context, &p->in, &p->ours, &p->index, &p->index.capacity_bytes) !=
        ZT_OK)
        return complain(zt_context_error(p->context));
    p->index.bytes = malloc(p->index.capacity_bytes ? p->index.capacity_bytes : 1);
    if (!p->index.bytes)
        return complain("no memory");
    return zt_zfp_index_build(p->context, p->our_stream, p->our_bytes, &p->ours, &p->in,
                              &p->index) == ZT_OK ||
           complain(zt_context_error(p->context));
}

static bool decompress_indexed(struct pair *p)
{
    return zt_zfp_decompress_indexed(p->context, p->our_stream, p->our_bytes, &p->ours,
                                     p->index.index_bytes ? &p->index : NULL, &p->out,
                                     NULL) == ZT_OK ||
           complain(zt_context_error(p->context));
}

static bool decompress_theirs(struct pair *p)
{
    zfp_stream_rewind(p->theirs);
    return zfp_decompress(p->theirs, p->their_out) > 0 ||
           complain("libzfp does not decompress this");
}

/* Alternate the two; which goes first alternates as well. */
static bool time_pairs(const struct bench_options *options, struct pair *p,
                       bool (*ours)(struct pair *), bool (*theirs)(struct pair *),
                       struct bench_times *times)
{
    if (!ours(p) || !theirs(p)) /* warms up */
        return false;
    times->pairs = options->pairs;
    for (uint32_t i = 0; i < options->pairs; i++) {
        bool is_ours_first = i % 2 == 0;
        double t0 = now(options);
        if (!(is_ours_first ? ours : theirs)(p))
            return false;
        double t1 = now(options);
        if (!(is_ours_first ? theirs : ours)(p))
            return false;
        double t2 = now(options);
        times->ztile[i] = is_ours_first ? t1 - t0 : t2 - t1;
        times->libzfp[i] = is_ours_first ? t2 - t1 : t1 - t0;
    }
    return true;
}

static double max_error_of(struct pair *p)
{
    zt_quality q;
    zt_quality_init(&q, sizeof q);
    if (zt_compare(p->context, &p->in, &p->out, &q) != ZT_OK)
        return -1;
    return q.max_abs_error;
}

bool bench_run(const struct bench_options *options, const struct bench_case *c,
               struct bench_result *result)
{
    struct pair p;
    memset(&p, 0, sizeof p);
    result->c = *c;
    bool ok = prepare(options, &p, c) && time_pairs(options, &p, compress_ours, compress_theirs,
                                                    &result->times[BENCH_COMPRESS]);
    if (ok &&
        (p.our_bytes != p.their_bytes || memcmp(p.our_stream, p.their_stream, p.our_bytes) != 0))
        ok = complain("the two streams differ");
    ok = ok && make_index(&p);
    for (int way = BENCH_DECOMPRESS; way <= BENCH_INDEXED && ok; way++) {
        memset(p.our_back, 1, c->raw_bytes);
        ok = time_pairs(options, &p, way == BENCH_INDEXED ? decompress_indexed : decompress_ours,
                        decompress_theirs, &result->times[way]);
        if (ok && memcmp(p.our_back, p.their_back, c->raw_bytes) != 0)
            ok = complain("the two outputs differ");
    }
    if (ok) {
        result->stream_bytes = p.our_bytes;
        result->max_error = max_error_of(&p);
    }
    finish(&p);
    return ok;
}
