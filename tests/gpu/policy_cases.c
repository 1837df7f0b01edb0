/* policy_cases.c: see policy_cases.h. */
#include "policy_cases.h"
#include "ztile_zfp.h"
#include "ztile_ndzip.h"
#include "ztile_expert.h"

#include <stdlib.h>
#include <string.h>

struct subject {
    struct test_array array;
    char shape[96], stride[96];
    const char *kind;
};

static bool complain(struct policy_run *run, const struct subject *s, const char *what)
{
    run->failures++;
    printf("--seed %llu --case %llu: %s of %s, strides %s, %s: %s (%s; %s)\n",
           (unsigned long long)run->seed, (unsigned long long)run->number,
           type_name(s->array.array.type), s->shape, s->stride, s->kind, what,
           zt_context_error(run->cuda), zt_context_error(run->serial));
    return false;
}

/* Extents around what cubes and tiles have, of few values. */
static void random_shape(struct rng *r, uint32_t rank, bool is_for_cubes, uint64_t *shape)
{
    static const uint64_t cubes[4][3] = {
        {4096, 8192, 12000}, {64, 128, 150}, {16, 32, 40}, {3, 16, 20}};
    for (uint32_t i = 0; i < rank; i++) {
        shape[i] = is_for_cubes ? cubes[rank - 1][rng_below(r, 3)] + rng_below(r, 3)
                                : 1 + rng_below(r, rank == 1   ? 3000
                                                   : rank == 2 ? 60
                                                   : rank == 3 ? 18
                                                               : 10);
        if (rng_once_in(r, 4))
            shape[i] = 1 + rng_below(r, shape[i]);
    }
}

/* Parts of an array without gaps, of so many values, at levels of their own: codecs that learn how
 * values lie then learn more than one way. */
static void make_uneven(zt_array *a, uint64_t run_values, uint64_t seed)
{
    const uint64_t n = values_of(a->rank, a->shape);
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t bits = (uint32_t)(mix64(i / run_values, seed) % 10);
        switch (a->type) {
        case ZT_F32: ((float *)a->data)[i] /= (float)(1u << bits); break;
        case ZT_F64: ((double *)a->data)[i] /= (double)(1u << bits); break;
        case ZT_I32: ((int32_t *)a->data)[i] /= (int32_t)(1u << bits); break;
        default: ((int64_t *)a->data)[i] /= (int64_t)(1u << bits); break;
        }
    }
}

static struct subject random_subject(struct policy_run *run, bool is_for_cubes)
{
    struct subject s;
    struct rng *const r = &run->r;
    const uint32_t type = 1 + (uint32_t)rng_below(r, is_for_cubes ? 2 : 4);
    const uint32_t rank = 1 + (uint32_t)rng_below(r, is_for_cubes ? 3 : 4);
    uint64_t shape[ZT_MAX_RANK] = {0};
    int64_t stride[ZT_MAX_RANK] = {0};
    random_shape(r, rank, is_for_cubes, shape);
    contiguous_strides(rank, shape, stride);
    const bool has_gaps = rng_once_in(r, 4);
    if (has_gaps)
        random_strides(r, rank, shape, stride);
    s.array = test_array_new(type, rank, shape, stride);
    const enum data_kind kind =
        rng_once_in(r, 4) ? DATA_WAVE_NOISE : (enum data_kind)rng_below(r, DATA_KINDS);
    fill_array(&s.array.array, kind, rng_next(r));
    if (!has_gaps && !is_for_cubes && rng_once_in(r, 4))
        make_uneven(&s.array.array, UINT64_C(64) << rng_below(r, 4), rng_next(r));
    s.kind = data_kind_name(kind);
    shape_text(rank, shape, s.shape);
    stride_text(rank, stride, s.stride);
    return s;
}

/* An array of the same shape, other strides, and nothing in it. */
static struct test_array blank_like(struct rng *r, const zt_array *a)
{
    int64_t stride[ZT_MAX_RANK] = {0};
    contiguous_strides(a->rank, a->shape, stride);
    if (rng_once_in(r, 4))
        random_strides(r, a->rank, a->shape, stride);
    return test_array_new(a->type, a->rank, a->shape, stride);
}

static bool same_values(const zt_array *a, const zt_array *b)
{
    const size_t bytes = (size_t)values_of(a->rank, a->shape) * zt_type_bytes(a->type);
    unsigned char *x = need(bytes), *y = need(bytes);
    gather(a, x);
    gather(b, y);
    const bool is_same = memcmp(x, y, bytes) == 0;
    free(x);
    free(y);
    return is_same;
}

static zt_box random_box(struct rng *r, const zt_array *a, zt_array *part)
{
    zt_box box;
    memset(&box, 0, sizeof box);
    uint64_t shape[ZT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < a->rank; i++) {
        box.lo[i] = rng_below(r, a->shape[i]);
        box.hi[i] = box.lo[i] + 1 + rng_below(r, a->shape[i] - box.lo[i]);
        shape[i] = box.hi[i] - box.lo[i];
    }
    *part = zt_array_nd(NULL, (zt_type)a->type, a->rank, shape);
    return box;
}

/* ---- memory of either kind ---- */

void *policy_place(struct policy_run *run, void *here, size_t n)
{
    if (!run->memory || !rng_once_in(&run->r, 2))
        return here;
    void *const there = run->memory->take(n);
    run->memory->move(there, here, n);
    run->placed++;
    return there;
}

void policy_fetch(struct policy_run *run, void *there, void *here, size_t n)
{
    if (there == here)
        return;
    run->memory->move(here, there, n);
    run->memory->give(there);
}

static zt_array place_array(struct policy_run *run, struct test_array *a, unsigned char **there)
{
    zt_array placed = a->array;
    *there = policy_place(run, a->memory, a->memory_bytes);
    placed.data = *there + ((unsigned char *)a->array.data - a->memory);
    return placed;
}

static void fetch_array(struct policy_run *run, struct test_array *a, unsigned char *there)
{
    policy_fetch(run, there, a->memory, a->memory_bytes);
}

/* A call of the cuda policy that codes an array; 'how' is its own. */
typedef zt_status (*coder)(zt_context *cuda, const zt_array *from, const void *how, void *out,
                           size_t cap, size_t *n);

static zt_status put_ndzip(zt_context *cuda, const zt_array *from, const void *how, void *out,
                           size_t cap, size_t *n)
{
    (void)how;
    return zt_ndzip_compress(cuda, from, out, cap, n);
}

static zt_status put_file(zt_context *cuda, const zt_array *from, const void *how, void *out,
                          size_t cap, size_t *n)
{
    return zt_compress(cuda, from, how, out, cap, n);
}

static zt_status put_zfp(zt_context *cuda, const zt_array *from, const void *how, void *out,
                         size_t cap, size_t *n)
{
    return zt_zfp_compress(cuda, from, how, out, cap, n);
}

/* One of these, with what it is given in memory of either kind. */
static zt_status put_there(struct policy_run *run, coder put, struct test_array *a, const void *how,
                           unsigned char *y, size_t cap, size_t *m)
{
    unsigned char *values, *out = policy_place(run, y, cap + 1);
    const zt_array from = place_array(run, a, &values);
    const zt_status status = put(run->cuda, &from, how, out, cap, m);
    fetch_array(run, a, values);
    policy_fetch(run, out, y, cap + 1);
    return status;
}

/* ---- bare ndzip streams ---- */

static zt_status ndzip_back(struct policy_run *run, unsigned char *x, size_t n,
                            const zt_array *whole, const zt_box *box, struct test_array *out)
{
    unsigned char *values, *stream = policy_place(run, x, n);
    const zt_array to = place_array(run, out, &values);
    const zt_status status = box ? zt_ndzip_decompress_box(run->cuda, stream, n, whole, box, &to)
                                 : zt_ndzip_decompress(run->cuda, stream, n, &to, NULL);
    fetch_array(run, out, values);
    policy_fetch(run, stream, x, n);
    return status;
}

static bool check_ndzip(struct policy_run *run, struct subject *s)
{
    const zt_array *a = &s->array.array;
    size_t cap = 0, n = 0, m = 0;
    if (zt_ndzip_compress_bound(run->serial, a, &cap) != ZT_OK)
        return complain(run, s, "no bound");
    unsigned char *x = need(cap + 1), *y = need(cap + 1);
    memset(y, 0x5a, cap + 1);
    struct test_array back = blank_like(&run->r, a);
    bool ok = zt_ndzip_compress(run->serial, a, x, cap, &n) == ZT_OK;
    ok = ok && put_there(run, put_ndzip, &s->array, NULL, y, cap, &m) == ZT_OK;
    if (!ok || n != m || memcmp(x, y, n) != 0)
        ok = complain(run, s, "the ndzip stream differs");
    if (ok && (ndzip_back(run, x, n, a, NULL, &back) != ZT_OK || !same_values(a, &back.array) ||
               !gaps_are_untouched(&back)))
        ok = complain(run, s, "the values of an ndzip stream differ");
    zt_array part;
    const zt_box box = random_box(&run->r, a, &part);
    struct test_array p = blank_like(&run->r, &part), q = blank_like(&run->r, &part);
    if (ok && (zt_ndzip_decompress_box(run->serial, x, n, a, &box, &p.array) != ZT_OK ||
               ndzip_back(run, x, n, a, &box, &q) != ZT_OK || !same_values(&p.array, &q.array) ||
               !gaps_are_untouched(&q)))
        ok = complain(run, s, "a box of an ndzip stream differs");
    test_array_free(&p);
    test_array_free(&q);
    test_array_free(&back);
    free(x);
    free(y);
    run->bare_ndzip++;
    return ok;
}

/* ---- files ---- */

static zt_params random_params(struct policy_run *run, const zt_array *a, uint32_t codec)
{
    struct rng *const r = &run->r;
    zt_params p;
    double lo = 0, hi = 0;
    uint32_t kind = CODER_DEFAULT;
    zt_params_init(&p, sizeof p);
    p.codec = codec;
    p.slab_bytes = rng_once_in(r, 2) ? 1 + rng_below(r, 1 << 14) : p.slab_bytes;
    p.index = (uint32_t)rng_below(r, ZT_INDEX_COMPACT + 1);
    p.index_chunk = rng_once_in(r, 3) ? 0 : 1 + (uint32_t)rng_below(r, 40);
    if (codec == ZT_CODEC_NDZIP)
        return p;
    if (codec == ZT_CODEC_SZ) {
        static const uint32_t coders[] = {CODER_FAST, CODER_DEFAULT, CODER_DEFAULT, CODER_CUSZ,
                                          CODER_CUSZ};
        kind = rng_once_in(r, 4) ? CODER_HIGH : coders[rng_below(r, 5)];
        const bool is_float = a->type == ZT_F32 || a->type == ZT_F64;
        if (kind == CODER_HIGH && rng_once_in(r, 3))
            kind = is_float && rng_once_in(r, 2) ? CODER_TRANSFORM : CODER_MULTIPLES;
        const uint32_t bins =
            rng_once_in(r, 2) ? 0 : 4 + 2 * (uint32_t)rng_below(r, 1 << rng_below(r, 15));
        set_coder(&p, kind);
        if (kind == CODER_CUSZ)
            zt_params_set_sz(&p, ZT_SZ_CUSZ, bins);
        struct rng own = *r;      /* all else stays as it is without ways */
        if (rng_once_in(&own, 3)) /* axes, groups, rank */
            zt_params_set_sz_ways(&p, (uint32_t)rng_below(&own, 1u << a->rank) |
                                          (uint32_t)rng_below(&own, 2) << 4 | a->rank << 5);
    }
    zt_params_set_zfp_words(&p, 8u << rng_below(r, 4));
    range_of(a, &lo, &hi);
    const double range = hi > lo ? hi - lo : 1;
    switch (codec == ZT_CODEC_SZ ? 2 + rng_below(r, 5) : rng_below(r, 7)) {
    case 0: p.bound = zt_rate(0.5 + (double)rng_below(r, 80) / 2); break;
    case 1: p.bound = zt_precision(1 + (uint32_t)rng_below(r, 64)); break;
    case 2: p.bound = zt_abs(range / (double)(UINT64_C(1) << rng_below(r, 40))); break;
    case 3: p.bound = zt_rel(1 / (double)(UINT64_C(2) << rng_below(r, 30))); break;
    case 4:
        p.bound = zt_expert((uint32_t)rng_below(r, 300), 300 + (uint32_t)rng_below(r, 3000),
                            1 + (uint32_t)rng_below(r, 64), (int32_t)rng_below(r, 60) - 40);
        break;
    case 5: p.bound = zt_pwrel(1 / (double)(UINT64_C(2) << rng_below(r, 30))); break;
    default: break;
    }
    const bool is_method = kind == CODER_TRANSFORM || kind == CODER_MULTIPLES;
    if (is_method || (kind == CODER_HIGH && rng_once_in(r, 2)))
        p.bound = zt_abs(range / (double)(16u << rng_below(r, 7))); /* of several models */
    return p;
}

static zt_status file_back(struct policy_run *run, unsigned char *x, size_t n, const zt_box *box,
                           struct test_array *out)
{
    unsigned char *values, *file = policy_place(run, x, n);
    const zt_array to = place_array(run, out, &values);
    const zt_status status = box ? zt_decompress_box(run->cuda, file, n, box, &to)
                                 : zt_decompress(run->cuda, file, n, &to);
    fetch_array(run, out, values);
    policy_fetch(run, file, x, n);
    return status;
}

static bool check_file(struct policy_run *run, struct subject *s, uint32_t codec)
{
    const zt_array *a = &s->array.array;
    const zt_params p = random_params(run, a, codec);
    size_t cap = 0, n = 0, m = 0;
    zt_status one = zt_compress_bound(run->cuda, a, &p, &cap); /* what kernels need, or more */
    if (one != ZT_OK) /* not for this codec, or a bound that makes no sense here */
        return true;
    unsigned char *x = need(cap + 1), *y = need(cap + 1);
    one = zt_compress(run->serial, a, &p, x, cap, &n);
    const zt_status two = put_there(run, put_file, &s->array, &p, y, cap, &m);
    bool ok = true;
    if (one != two || (one == ZT_OK && (n != m || memcmp(x, y, n) != 0)))
        ok = complain(run, s, "the file differs");
    struct test_array back = blank_like(&run->r, a), like = blank_like(&run->r, a);
    if (ok && one == ZT_OK &&
        (zt_decompress(run->serial, x, n, &like.array) != ZT_OK ||
         file_back(run, x, n, NULL, &back) != ZT_OK || !same_values(&like.array, &back.array) ||
         !gaps_are_untouched(&back)))
        ok = complain(run, s, "the values of a file differ");
    zt_array part;
    const zt_box box = random_box(&run->r, a, &part);
    struct test_array u = blank_like(&run->r, &part), v = blank_like(&run->r, &part);
    if (ok && one == ZT_OK &&
        (zt_decompress_box(run->serial, x, n, &box, &u.array) != ZT_OK ||
         file_back(run, x, n, &box, &v) != ZT_OK || !same_values(&u.array, &v.array) ||
         !gaps_are_untouched(&v)))
        ok = complain(run, s, "a box of a file differs");
    test_array_free(&u);
    test_array_free(&v);
    test_array_free(&back);
    test_array_free(&like);
    free(x);
    free(y);
    run->files++;
    return ok;
}

/* ---- bare zfp streams ---- */

static void random_mode(struct rng *r, const zt_array *a, zt_zfp *zfp)
{
    zt_zfp_init(zfp, sizeof *zfp);
    switch (rng_below(r, 5)) {
    case 0:
        zt_zfp_set_rate(zfp, 0.25 + (double)rng_below(r, 140) / 2, (zt_type)a->type, a->rank,
                        rng_once_in(r, 2), NULL);
        break;
    case 1: zt_zfp_set_precision(zfp, 1 + (uint32_t)rng_below(r, 64), NULL); break;
    case 2: zt_zfp_set_accuracy(zfp, 1 / (double)(UINT64_C(1) << rng_below(r, 60)), NULL); break;
    case 3:
        zt_zfp_set_expert(zfp, (uint32_t)rng_below(r, 900), 900 + (uint32_t)rng_below(r, 9000),
                          1 + (uint32_t)rng_below(r, 64), (int32_t)rng_below(r, 90) - 50);
        break;
    default: zt_zfp_set_reversible(zfp); break;
    }
    zfp->word_bits = 8u << rng_below(r, 4);
    zfp->flags = ZT_ZFP_AS_LIBZFP | (rng_once_in(r, 2) ? ZT_ZFP_HEADER : 0);
}

/* With an index of the stream, made on the way or there already, or without. */
static zt_status zfp_back(struct policy_run *run, unsigned char *x, size_t n, const zt_zfp *zfp,
                          zt_zfp_index *index, struct test_array *out)
{
    unsigned char *values, *stream = policy_place(run, x, n);
    const zt_array to = place_array(run, out, &values);
    const zt_status status = decode_or_index(run->cuda, stream, n, zfp, index, &to, NULL);
    fetch_array(run, out, values);
    policy_fetch(run, stream, x, n);
    return status;
}

static bool check_zfp(struct policy_run *run, struct subject *s)
{
    const zt_array *a = &s->array.array;
    zt_zfp zfp;
    size_t cap = 0, n = 0, m = 0;
    random_mode(&run->r, a, &zfp);
    if (zt_zfp_compress_bound(run->serial, a, &zfp, &cap) != ZT_OK)
        return true;
    unsigned char *x = need(cap + 1), *y = need(cap + 1);
    memset(y, 0xa5, cap + 1);
    const zt_status one = zt_zfp_compress(run->serial, a, &zfp, x, cap, &n);
    const zt_status two = put_there(run, put_zfp, &s->array, &zfp, y, cap, &m);
    bool ok = true;
    if (one != two || (one == ZT_OK && (n != m || memcmp(x, y, n) != 0)))
        ok = complain(run, s, "the zfp stream differs");
    struct test_array back = blank_like(&run->r, a), like = blank_like(&run->r, a);
    if (ok && one == ZT_OK) {
        const zt_status three = zt_zfp_decompress(run->serial, x, n, &zfp, &like.array, NULL);
        zt_zfp_index index;
        zt_zfp_index_init(&index, sizeof index);
        if (zt_zfp_index_bound(run->serial, a, &zfp, &index, &index.capacity_bytes) != ZT_OK)
            index.capacity_bytes = 0;
        index.bytes = need(index.capacity_bytes + 1);
        zt_status four = zfp_back(run, x, n, &zfp, rng_once_in(&run->r, 2) ? &index : NULL, &back);
        if (four == ZT_OK && index.index_bytes > 0)
            four = zfp_back(run, x, n, &zfp, &index, &back);
        free(index.bytes);
        if (three != four || (three == ZT_OK && !same_values(&like.array, &back.array)) ||
            !gaps_are_untouched(&back))
            ok = complain(run, s, "the values of a zfp stream differ");
    }
    test_array_free(&back);
    test_array_free(&like);
    free(x);
    free(y);
    run->bare_zfp++;
    return ok;
}

/* ---- one of these ---- */

void policy_case(struct policy_run *run, uint64_t number)
{
    run->number = number;
    run->r = (struct rng){mix64(run->seed, number)};
    if (run->before)
        run->before(run);
    const bool is_sz = run->codec && strcmp(run->codec, "sz") == 0;
    const bool is_for_cubes =
        run->codec && !is_sz ? strcmp(run->codec, "ndzip") == 0 : rng_once_in(&run->r, 4);
    struct subject s = random_subject(run, is_for_cubes);
    if (is_sz || (!run->codec && rng_once_in(&run->r, 4)))
        (void)check_file(run, &s, ZT_CODEC_SZ);
    else if (is_for_cubes && rng_once_in(&run->r, 2))
        (void)check_ndzip(run, &s);
    else if (is_for_cubes)
        (void)check_file(run, &s, ZT_CODEC_NDZIP);
    else if (rng_once_in(&run->r, 2))
        (void)check_zfp(run, &s);
    else
        (void)check_file(run, &s, ZT_CODEC_ZFP);
    test_array_free(&s.array);
}
