/* async_cases.c: see async_cases.h. */
#include "async_cases.h"
#include "ztile_cuda.h"
#include "ztile_ndzip.h"
#include "ztile_zfp.h"

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
static struct test_array draw_array(struct rng *r, uint32_t types, uint32_t rank,
                                    const uint64_t *shape)
{
    int64_t stride[ZT_MAX_RANK] = {0};
    contiguous_strides(rank, shape, stride);
    if (rng_once_in(r, 3) && rank > 1) {
        stride[rank - 2] = 1;
        stride[rank - 1] = (int64_t)shape[rank - 2];
    }
    const struct test_array a =
        test_array_new(1 + (uint32_t)rng_below(r, types), rank, shape, stride);
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
    const struct test_array a = draw_array(r, 4, rank, shape);
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
    return draw_array(r, 2, rank, shape);
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

void async_case(struct policy_run *run, const struct gpu_queue *queue, uint64_t number)
{
    struct async a = {.run = run, .queue = queue};
    run->number = number;
    run->r = (struct rng){mix64(run->seed, number)};
    if (number % 3 == 1)
        ndzip_case(&a);
    else
        zfp_case(&a);
}
