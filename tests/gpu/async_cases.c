/* async_cases.c: see async_cases.h. */
#include "async_cases.h"
#include "frame/format/format.h"
#include "ztile_cuda.h"
#include "ztile_expert.h"
#include "ztile_ndzip.h"
#include "ztile_sz.h"
#include "ztile_zfp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A stream and its coding in memory of the GPU. */
struct async {
    struct policy_run *run;
    const struct gpu_queue *queue;
    zt_array here, there, target; /* there: the values; target: where they are decoded to */
    size_t bytes, capacity, scratch_bytes;
    uint8_t *out, *scratch;
    uint64_t *result;
    uint8_t *wanted, *found; /* streams of the host */
};

static void check(bool is_good, const struct async *a, const char *what)
{
    struct policy_run *const run = a->run;
    if (is_good)
        return;
    printf("--seed %llu, case %llu without waiting: %s (%s; %s)\n", (unsigned long long)run->seed,
           (unsigned long long)run->number, what, zt_context_error(run->cuda),
           zt_context_error(run->serial));
    run->failures++;
}

static void take(struct async *a)
{
    const struct gpu_memory *const memory = a->run->memory;
    a->bytes = array_bytes(&a->here);
    a->there = a->target = a->here;
    a->there.data = memory->take(a->bytes);
    a->target.data = memory->take(a->bytes);
    a->out = memory->take(a->capacity);
    a->scratch = memory->take(a->scratch_bytes);
    a->result = memory->take(sizeof *a->result);
    a->wanted = malloc(a->capacity + a->bytes);
    a->found = malloc(a->capacity + a->bytes);
    memory->move(a->there.data, a->here.data, a->bytes);
}

static void give(struct async *a)
{
    const struct gpu_memory *const memory = a->run->memory;
    memory->give(a->there.data);
    memory->give(a->target.data);
    memory->give(a->out);
    memory->give(a->scratch);
    memory->give(a->result);
    free(a->wanted);
    free(a->found);
}

static uint64_t result_of(const struct async *a)
{
    uint64_t result = 0;
    a->run->memory->move(&result, a->result, sizeof result);
    return result;
}

/* Strides as they are or, one time in three, with the last two axes in each other's place. */
static struct test_array draw_array(struct rng *r, uint32_t type, uint32_t rank,
                                    const uint64_t *shape)
{
    int64_t stride[ZT_MAX_RANK] = {0};
    contiguous_strides(rank, shape, stride);
    if (rng_once_in(r, 3) && rank > 1) {
        stride[rank - 2] = 1;
        stride[rank - 1] = (int64_t)shape[rank - 2];
    }
    const struct test_array a = test_array_new(type, rank, shape, stride);
    fill_array(&a.array, (enum data_kind)rng_below(r, DATA_KINDS), rng_next(r));
    return a;
}

/* A type, shape, strides and rate, with values of every kind, NaN included. */
static struct test_array draw_zfp(struct rng *r, zt_zfp *zfp)
{
    static const uint64_t most[4] = {3000, 70, 21, 9};
    uint64_t shape[ZT_MAX_RANK] = {0};
    const uint32_t rank = 1 + (uint32_t)rng_below(r, 4);
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = 1 + rng_below(r, most[rank - 1]);
    const struct test_array a = draw_array(r, 1 + (uint32_t)rng_below(r, 4), rank, shape);
    (void)zt_zfp_init(zfp, sizeof *zfp);
    zfp->flags = ZT_ZFP_AS_LIBZFP;
    zfp->word_bits = 8u << rng_below(r, 4);
    (void)zt_zfp_set_rate(zfp, 0.5 + (double)rng_below(r, 200) / 8, (zt_type)a.array.type, rank, 0,
                          NULL);
    return a;
}

/* There and back on the device, and the same on the host. */
static void zfp_case(struct async *a)
{
    struct policy_run *const run = a->run;
    zt_zfp zfp;
    size_t n = 0, length = 0;
    struct test_array array = draw_zfp(&run->r, &zfp);
    a->here = array.array;
    check(zt_zfp_compress_bound(run->serial, &a->here, &zfp, &a->capacity) == ZT_OK &&
              zt_zfp_async_scratch_bytes(run->cuda, &a->here, &zfp, &a->scratch_bytes) == ZT_OK,
          a, "sizes are not known");
    a->capacity = (a->capacity + 7) / 8 * 8;
    take(a);
    zt_array home = a->here;
    home.data = a->wanted + a->capacity;
    check(zt_zfp_compress(run->serial, &a->here, &zfp, a->wanted, a->capacity, &n) == ZT_OK &&
              zt_zfp_decompress(run->serial, a->wanted, n, &zfp, &home, NULL) == ZT_OK,
          a, "the host does not code zfp");
    a->queue->record(a->queue->stream);
    check(zt_zfp_compress_async(run->cuda, &a->there, &zfp, a->out, a->capacity, a->scratch,
                                a->scratch_bytes, &length) == ZT_OK,
          a, "zfp does not compress");
    check(zt_zfp_decompress_async(run->cuda, a->out, length, &zfp, &a->target, a->scratch,
                                  a->scratch_bytes) == ZT_OK,
          a, "zfp does not decompress");
    check(a->queue->play(a->queue->stream), a, "zfp waits or allocates");
    run->memory->move(a->found, a->out, a->capacity);
    run->memory->move(a->found + a->capacity, a->target.data, a->bytes);
    check(length == n && memcmp(a->found, a->wanted, n) == 0, a, "other bytes of zfp");
    check(memcmp(a->found + a->capacity, home.data, a->bytes) == 0, a, "other values of zfp");
    give(a);
    test_array_free(&array);
}

/* Decode a damaged stream; what *result becomes. */
static uint64_t damage_of(const struct async *a, size_t bytes)
{
    a->run->memory->move(a->out, a->wanted, bytes);
    a->queue->record(a->queue->stream);
    check(zt_ndzip_decompress_async(a->run->cuda, a->out, bytes, &a->target, a->scratch,
                                    a->scratch_bytes, a->result) == ZT_OK,
          a, "damage is looked at on the host");
    check(a->queue->play(a->queue->stream), a, "damage is waited for");
    return result_of(a);
}

/* Tables that say something else, and a stream that is cut short. */
static void damaged_ndzip(const struct async *a, size_t bytes, size_t tiles)
{
    struct rng *const r = &a->run->r;
    for (int i = 0; i < 3; i++) {
        const size_t at = 4 * (size_t)rng_below(r, tiles) + (size_t)rng_below(r, 4);
        const uint8_t bit = (uint8_t)(1u << rng_below(r, 8));
        a->wanted[at] ^= bit;
        check(damage_of(a, bytes) != 0, a, "a bad table passes");
        a->wanted[at] ^= bit;
    }
    check(damage_of(a, bytes - 8) != 0, a, "a short stream passes");
    check(damage_of(a, bytes) == 0, a, "a good stream does not pass");
}

static struct test_array draw_ndzip(struct rng *r, size_t *tiles)
{
    static const uint64_t side[3] = {4096, 64, 16};
    uint64_t shape[ZT_MAX_RANK] = {0};
    const uint32_t rank = 1 + (uint32_t)rng_below(r, 3);
    *tiles = 1;
    for (uint32_t i = 0; i < rank; i++) {
        const uint64_t n = 1 + rng_below(r, rank == 1 ? 5 : 2);
        shape[i] = n * side[rank - 1];
        *tiles *= (size_t)n;
    }
    return draw_array(r, 1 + (uint32_t)rng_below(r, 2), rank, shape);
}

static void ndzip_case(struct async *a)
{
    struct policy_run *const run = a->run;
    size_t tiles = 0, n = 0;
    struct test_array array = draw_ndzip(&run->r, &tiles);
    a->here = array.array;
    check(zt_ndzip_compress_bound(run->serial, &a->here, &a->capacity) == ZT_OK &&
              zt_ndzip_async_scratch_bytes(run->cuda, &a->here, &a->scratch_bytes) == ZT_OK,
          a, "sizes are not known");
    take(a);
    check(zt_ndzip_compress(run->serial, &a->here, a->wanted, a->capacity, &n) == ZT_OK, a,
          "the host does not code ndzip");
    a->queue->record(a->queue->stream);
    check(zt_ndzip_compress_async(run->cuda, &a->there, a->out, a->capacity, a->scratch,
                                  a->scratch_bytes, a->result) == ZT_OK,
          a, "ndzip does not compress");
    check(a->queue->play(a->queue->stream), a, "ndzip waits or allocates");
    run->memory->move(a->found, a->out, a->capacity);
    check(result_of(a) == n && memcmp(a->found, a->wanted, n) == 0, a, "other bytes of ndzip");
    a->queue->record(a->queue->stream);
    check(zt_ndzip_decompress_async(run->cuda, a->out, a->capacity, &a->target, a->scratch,
                                    a->scratch_bytes, a->result) == ZT_OK,
          a, "ndzip does not decompress");
    check(a->queue->play(a->queue->stream), a, "ndzip waits or allocates");
    run->memory->move(a->found, a->target.data, a->bytes);
    check(result_of(a) == 0 && memcmp(a->found, a->here.data, a->bytes) == 0, a,
          "other values of ndzip");
    damaged_ndzip(a, n, tiles);
    give(a);
    test_array_free(&array);
}

/* ---- files of sz ---- */

enum { LONGER_CASE = 7, SHORTER_CASE = 11, SAMPLED_CASE = 15, FITTED_CASE = 19 }; /* of sz */

static const char a_name[] = "salinity of the water at the surface, on the first of the month";

static bool is_float(const zt_array *a)
{
    return a->type == ZT_F32 || a->type == ZT_F64;
}

/* What zt_compress_async takes: bounds from loose to tighter than the values' last bits, and every
 * index. */
static zt_params draw_params(struct rng *r, const zt_array *a)
{
    double lo = 0, hi = 0;
    zt_params p;
    range_of(a, &lo, &hi);
    const double range = hi > lo && hi - lo < 0x1p1000 ? hi - lo : 1;
    p = zt_params_abs(range / (double)(UINT64_C(1) << rng_below(r, 40)));
    p.prefer = ZT_PREFER_SPEED; /* else zt_compress interpolates smooth values */
    p.codec = rng_once_in(r, 4) ? ZT_CODEC_AUTO : ZT_CODEC_SZ;
    p.index = (uint32_t)rng_below(r, ZT_INDEX_COMPACT + 1);
    p.index_chunk = p.index == ZT_INDEX_NONE ? 0 : (uint32_t)rng_below(r, 5);
    p.index_partition = p.index == ZT_INDEX_HYBRID ? (uint32_t)rng_below(r, 5) : 0;
    if (rng_once_in(r, 2)) { /* a header of any length */
        p.name = a_name + rng_below(r, sizeof a_name);
        p.units = "g/kg";
    }
    return p;
}

/* Each type with each rank. */
static struct test_array draw_sz(struct rng *r, uint64_t number)
{
    static const uint64_t most[4] = {20000, 150, 30, 11}, large[4] = {220000, 470, 61, 22};
    uint64_t shape[ZT_MAX_RANK] = {0};
    const uint32_t type = 1 + (uint32_t)(number % 4), rank = 1 + (uint32_t)(number / 4 % 4);
    const uint64_t side = (rng_once_in(r, 12) ? large : most)[rank - 1];
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = side - rng_below(r, rng_once_in(r, 3) ? side : 1 + side / 8);
    return draw_array(r, type, rank, shape);
}

/* Whether a decoded value is right: within the bound, or of NaN and infinities the same bits. */
static bool is_right(const zt_array *a, const uint8_t *was, const uint8_t *is, double bound,
                     bool *is_special)
{
    float f[2];
    double d[2];
    if (a->type == ZT_F32) {
        memcpy(f, was, 4);
        memcpy(f + 1, is, 4);
        d[0] = f[0];
        d[1] = f[1];
    } else {
        memcpy(d, was, 8);
        memcpy(d + 1, is, 8);
    }
    if (isfinite(d[0]))
        return fabs(d[0] - d[1]) <= bound;
    *is_special = true;
    return memcmp(was, is, a->type == ZT_F32 ? 4 : 8) == 0;
}

/* A file may differ from the serial policy's if there are NaN or infinities, or if its stream would
 * be longer than the values, which it then holds as they are. */
static bool is_as_good(struct async *a, size_t n, double bound)
{
    const size_t each = zt_type_bytes(a->here.type), count = a->bytes / each;
    uint8_t *const back = malloc(a->bytes), *const was = a->here.data;
    bool is_good, is_special = false;
    zt_array own = a->here;
    own.data = back;
    is_good = zt_decompress(a->run->serial, a->found, n, &own) == ZT_OK;
    if (is_good && n < a->bytes) {
        for (size_t i = 0; i < count && is_good; i++)
            is_good = is_float(&own) &&
                      is_right(&own, was + i * each, back + i * each, bound, &is_special);
        is_good = is_good && is_special;
    } else if (is_good) {
        is_good = memcmp(back, was, a->bytes) == 0;
    }
    free(back);
    return is_good;
}

/* Decode the first 'bytes' bytes of what is in out; what *result becomes. */
static uint64_t decode_file(const struct async *a, size_t bytes, uint8_t *scratch,
                            size_t scratch_bytes)
{
    a->queue->record(a->queue->stream);
    check(zt_decompress_async(a->run->cuda, a->out, bytes, &a->target, scratch, scratch_bytes,
                              a->result) == ZT_OK,
          a, "sz does not decompress");
    check(a->queue->play(a->queue->stream), a, "sz waits or allocates to decompress");
    return result_of(a);
}

/* Make the checksums of the payload and of the tail of the file in found right. */
static void renew_checksums(const struct async *a, const struct zti_frame *f)
{
    uint8_t *const payload = a->found + f->header_bytes;
    uint8_t *const tail = payload + f->payload_bytes + ZTI_GAP_BYTES;
    const uint64_t hashed = f->tail_bytes - ZTI_HASH_BYTES;
    struct zti_cursor c = {tail + 1, tail + hashed, false}; /* the first section has them */
    (void)zti_get_varint(&c);
    const uint32_t log2 = zti_get_byte(&c);
    zti_checksums_make(a->run->serial, payload, f->payload_bytes, log2, tail + (c.at - tail));
    zti_put_le64(tail + hashed, zti_hash(tail, (size_t)hashed));
}

/* Bits of a stream that have right checksums: of the head, if it has one, and of tiles. Both
 * policies find the same wrong, or nothing. */
static void damaged_streams(struct async *a, size_t n, uint8_t *scratch, size_t scratch_bytes)
{
    struct rng *const r = &a->run->r;
    struct zti_frame f;
    uint8_t *const values = malloc(2 * a->bytes);
    zt_array own = a->here;
    own.data = values;
    check(zti_header_parse(a->run->serial, 0, a->found, a->found[ZTI_AT_UNITS] * 64u, &f) == ZT_OK,
          a, "the header is not read");
    const uint64_t head = zti_head_bytes(&f.coding), all = f.payload_bytes;
    for (int i = 0; i < 4; i++) {
        const uint64_t at = rng_below(r, i > 0 && head > 0 ? head : all);
        const uint8_t bit = (uint8_t)(1u << rng_below(r, 8));
        a->found[f.header_bytes + at] ^= bit;
        renew_checksums(a, &f);
        a->run->memory->move(a->out, a->found, n);
        const uint64_t status = decode_file(a, n, scratch, scratch_bytes);
        const zt_status wanted = zt_decompress(a->run->serial, a->found, n, &own);
        a->run->memory->move(values + a->bytes, a->target.data, a->bytes);
        check(status == (uint64_t)wanted, a, "damage with right checksums is judged otherwise");
        check(status != ZT_OK || memcmp(values, values + a->bytes, a->bytes) == 0, a,
              "other values of a damaged stream");
        a->found[f.header_bytes + at] ^= bit;
    }
    renew_checksums(a, &f);
    free(values);
}

/* Files that were changed on their way, and one that is cut short. */
static void damaged_files(struct async *a, size_t n, uint8_t *scratch, size_t scratch_bytes)
{
    const struct gpu_memory *const memory = a->run->memory;
    struct rng *const r = &a->run->r;
    zt_array own = a->here;
    own.data = malloc(a->bytes);
    for (int i = 0; i < 3; i++) {
        const size_t at = (size_t)rng_below(r, n - 40); /* the seek table is not looked at */
        const uint8_t bit = (uint8_t)(1u << rng_below(r, 8));
        a->found[at] ^= bit;
        memory->move(a->out, a->found, n);
        const uint64_t damage = decode_file(a, n, scratch, scratch_bytes);
        const bool is_gap = zt_decompress(a->run->serial, a->found, n, &own) == ZT_OK;
        check(damage != ZT_OK || is_gap, a, "damage of sz passes");
        a->found[at] ^= bit;
    }
    free(own.data);
    memory->move(a->out, a->found, n);
    check(decode_file(a, n / 2 < 64 ? 64 : n / 2, scratch, scratch_bytes) != ZT_OK, a,
          "a short file passes");
}

/* A file of n bytes, which is in found and out, and, unless it is large, damaged ones. */
static void file_back(struct async *a, size_t n)
{
    const struct gpu_memory *const memory = a->run->memory;
    uint8_t *const back = malloc(2 * a->bytes);
    size_t scratch_bytes = 0;
    zt_array own = a->here;
    own.data = back + a->bytes;
    check(zt_decompress_async_bytes(a->run->cuda, &a->here, &scratch_bytes) == ZT_OK, a,
          "scratch is not known");
    uint8_t *const scratch = memory->take(scratch_bytes);
    const uint64_t result = decode_file(a, n + rng_below(&a->run->r, 9), scratch, scratch_bytes);
    memory->move(back, a->target.data, a->bytes);
    check(zt_decompress(a->run->serial, a->found, n, &own) == ZT_OK && result == ZT_OK &&
              memcmp(back, own.data, a->bytes) == 0,
          a, "other values of sz");
    if (a->run->number != SAMPLED_CASE && a->run->number != FITTED_CASE) {
        damaged_files(a, n, scratch, scratch_bytes);
        damaged_streams(a, n, scratch, scratch_bytes);
    }
    memory->give(scratch);
    free(back);
}

/* Count what came of a file in found, as the serial policy sees it. */
static void count_outcome(struct policy_run *run, const struct async *a, size_t n,
                          const zt_params *p, bool is_same)
{
    zt_info info;
    zt_sz_info sz;
    (void)zt_info_init(&info, sizeof info);
    if (zt_inspect(run->serial, a->found, n, &info) != ZT_OK)
        return;
    run->files += is_same;
    run->raw_files += info.raw_frames > 0;
    run->fitted_files += is_same && run->number == FITTED_CASE && info.index_chunk == 2;
    if (!is_same || p->effort != ZT_EFFORT_DEFAULT || zt_info_sz(&info, &sz) != ZT_OK)
        return;
    const bool has_books = sz.effort == ZT_EFFORT_DEFAULT;
    run->rice_files += !has_books;
    run->huffman_files += has_books && run->number != SAMPLED_CASE;
    run->sampled_files += has_books && run->number == SAMPLED_CASE;
}

/* A large array: the symbols of only a part of its tiles are counted. */
static struct test_array draw_sampled(struct rng *r)
{
    static const uint64_t shape[4] = {1100, 9, 9, 9};
    int64_t stride[ZT_MAX_RANK];
    contiguous_strides(4, shape, stride);
    const struct test_array a = test_array_new(ZT_F32, 4, shape, stride);
    fill_array(&a.array, DATA_NOISE, rng_next(r));
    return a;
}

/* Tiles of some 4,000 bits: chunks of the default index have two. */
static struct test_array draw_fitted(struct rng *r)
{
    static const uint64_t shape[4] = {40 * 4096};
    static const int64_t stride[4] = {1};
    const struct test_array a = test_array_new(ZT_I32, 1, shape, stride);
    for (uint64_t i = 0; i < shape[0]; i++)
        set_number(&a.array, i, rng_once_in(r, 8) ? 8 : 0);
    return a;
}

/* An array whose stream is moved, as its header is longer or shorter than a likely one: the centre
 * has five bytes, or one. */
static struct test_array draw_moved(struct rng *r, bool is_longer)
{
    static const uint64_t shape[4] = {27000};
    static const int64_t stride[4] = {1};
    const struct test_array a = test_array_new(ZT_I32, 1, shape, stride);
    for (uint64_t i = 0; i < shape[0]; i++)
        set_number(&a.array, i, (double)rng_below(r, 1 << 16) + (is_longer ? 0x1p30 : -0x1p15));
    return a;
}

/* A name with which the header begins another 64 bytes or, is_longer false, just does not. */
static const char *name_at_border(const struct async *a, zt_params p, bool is_longer)
{
    const size_t room = 2 * a->bytes + 4096;
    uint8_t *const file = malloc(room);
    uint32_t units = UINT32_MAX;
    for (p.name = a_name + sizeof a_name - 2; p.name > a_name; p.name--) {
        size_t n = 0;
        (void)zt_compress(a->run->serial, &a->here, &p, file, room, &n);
        if (file[ZTI_AT_UNITS] > units)
            break;
        units = file[ZTI_AT_UNITS];
    }
    free(file);
    return is_longer ? p.name : p.name + 1;
}

/* The array and the parameters of a case. */
static struct test_array draw_case(struct async *a, zt_params *p)
{
    struct policy_run *const run = a->run;
    const uint64_t of_sz = run->number / 4 * 2 + run->number % 4 / 3;
    const bool is_sampled = run->number == SAMPLED_CASE, is_longer = run->number == LONGER_CASE;
    const bool is_moved = is_longer || run->number == SHORTER_CASE;
    const bool is_fitted = run->number == FITTED_CASE;
    const struct test_array array = is_sampled  ? draw_sampled(&run->r)
                                    : is_fitted ? draw_fitted(&run->r)
                                    : is_moved  ? draw_moved(&run->r, is_longer)
                                                : draw_sz(&run->r, of_sz);
    a->here = array.array;
    a->bytes = array_bytes(&a->here);
    *p = draw_params(&run->r, &a->here);
    p->effort = is_sampled || of_sz / 16 % 2 == 0 ? ZT_EFFORT_DEFAULT : ZT_EFFORT_FAST;
    if (is_sampled || is_moved || is_fitted)
        p->bound.value = is_sampled ? 1e-2 : 1;
    if (is_longer || is_fitted) {
        p->index = is_longer ? ZT_INDEX_NONE : ZT_INDEX_DEFAULT;
        p->index_chunk = p->index_partition = 0;
    }
    if (is_longer) /* nothing else in the header may be shorter than is likely */
        p->effort = ZT_EFFORT_FAST;
    if (is_moved)
        p->name = name_at_border(a, *p, is_longer);
    return array;
}

static void sz_case(struct async *a)
{
    struct policy_run *const run = a->run;
    size_t n = 0, most = 0;
    zt_params p;
    struct test_array array = draw_case(a, &p);
    const zt_status status =
        zt_compress_async_bytes(run->cuda, &a->here, &p, &a->scratch_bytes, &a->capacity);
    if (status == ZT_UNSUPPORTED && zt_type_bytes(array.array.type) == 8) {
        test_array_free(&array); /* the GPU's blocks have too little shared memory */
        return;
    }
    check(zt_compress_bound(run->serial, &a->here, &p, &most) == ZT_OK && status == ZT_OK, a,
          "sizes are not known");
    if (a->capacity < most)
        a->capacity = most;
    take(a);
    check(zt_compress(run->serial, &a->here, &p, a->wanted, a->capacity, &n) == ZT_OK, a,
          "the host does not code sz");
    a->queue->record(a->queue->stream);
    check(zt_compress_async(run->cuda, &a->there, &p, a->out, a->capacity, a->scratch,
                            a->scratch_bytes, a->result) == ZT_OK,
          a, "sz does not compress");
    check(a->queue->play(a->queue->stream), a, "sz waits or allocates");
    run->memory->move(a->found, a->out, a->capacity);
    const size_t found = (size_t)result_of(a);
    check(found <= a->capacity, a, "a length of sz is too large");
    const bool is_same = found == n && memcmp(a->found, a->wanted, n) == 0;
    check(is_same || (found <= a->capacity && is_as_good(a, found, p.bound.value)), a,
          "other bytes of sz");
    if (found <= a->capacity)
        count_outcome(run, a, found, &p, is_same);
    if (found <= a->capacity)
        file_back(a, found);
    give(a);
    test_array_free(&array);
}

void async_case(struct policy_run *run, const struct gpu_queue *queue, uint64_t number)
{
    struct async a = {.run = run, .queue = queue};
    run->number = number;
    run->r = (struct rng){mix64(run->seed, number)};
    if (number % 4 == 1)
        ndzip_case(&a);
    else if (number % 4 == 2)
        zfp_case(&a);
    else
        sz_case(&a);
}
