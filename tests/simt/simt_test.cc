/* simt_test.cc: the runtime that runs kernels on the CPU: that it runs them right, under every
 * schedule, and that it notices the mistakes it is there for. Each mistake is made in a child
 * process of its own, under a few seeds. */
#include "gpu/lookback.h"
#include "simt_child.h"

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#if !defined(HAS_ASAN)
#define HAS_ASAN 0
#endif

static unsigned failures;

/* ---- what is right: sums over blocks ---- */

SIMT_KERNEL void sum_blocks(uint64_t *words, const uint64_t *in, uint64_t *out, uint64_t n)
{
    SIMT_SHARED(uint64_t, sums, [8]);
    SIMT_SHARED(uint64_t, base, );
    const uint64_t block = lookback_ticket(words), i = block * blockDim.x + threadIdx.x;
    const unsigned warp = threadIdx.x / 32;
    const uint64_t v = i < n ? in[i] : 0, own = warp_sums(v);
    uint64_t before = own - v;
    if (threadIdx.x % 32 == 31)
        sums[warp] = own;
    __syncthreads();
    for (unsigned k = 0; k < warp; k++)
        before += sums[k];
    if (warp == 0) {
        uint64_t all = 0;
        for (unsigned k = 0; k < blockDim.x / 32; k++)
            all += sums[k];
        const uint64_t found = lookback(words, block, gridDim.x, all);
        if (threadIdx.x == 0)
            base = found;
    }
    __syncthreads();
    if (i < n)
        out[i] = base + before;
}

static bool check_sums(uint64_t n, unsigned threads)
{
    const unsigned blocks = simt_grid_of(n, threads);
    const size_t words_bytes = (size_t)lookback_words(blocks) * 8;
    uint64_t *words = (uint64_t *)calloc(1, words_bytes);
    uint64_t *in = (uint64_t *)malloc((size_t)n * 8), *out = (uint64_t *)malloc((size_t)n * 8);
    uint64_t sum = 0;
    bool ok = true;
    simt_rubbish(out, (size_t)n * 8);
    for (uint64_t i = 0; i < n; i++)
        in[i] = i * i % 1000;
    SIMT_LAUNCH(sum_blocks, blocks, threads, 0, 0, words, in, out, n);
    for (uint64_t i = 0; i < n; sum += in[i++])
        ok = ok && out[i] == sum;
    ok = ok && words[1] == sum;
    free(words);
    free(in);
    free(out);
    return ok;
}

static void check_all_sums(void)
{
    static const uint64_t sizes[] = {1, 31, 32, 33, 63, 64, 65, 1000, 7000};
    for (simt_opt.seed = 0; simt_opt.seed < 16; simt_opt.seed++)
        for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (unsigned wide = 0; wide < 2; wide++) {
                simt_opt.resident = wide ? 64 : 0;
                if (!check_sums(sizes[i], wide ? 64 : 96)) {
                    printf("sums of %llu are wrong under seed %llu\n", (unsigned long long)sizes[i],
                           (unsigned long long)simt_opt.seed);
                    failures++;
                }
            }
    simt_opt.resident = 0;
    simt_opt.seed = 0;
}

/* ---- what is wrong ---- */

SIMT_KERNEL void half_a_barrier(int *out)
{
    if (threadIdx.x < 64)
        __syncthreads();
    else
        out[threadIdx.x] = __shfl_sync(SIMT_ALL_LANES, 1, 0);
}

SIMT_KERNEL void early_return(int *out)
{
    if (threadIdx.x == 3)
        return;
    __syncthreads();
    out[threadIdx.x] = 1;
}

SIMT_KERNEL void two_barriers(int *out)
{
    if (threadIdx.x < 64)
        __syncthreads();
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}

SIMT_KERNEL void divergent_shuffle(int *out)
{
    if (threadIdx.x % 2)
        out[threadIdx.x] = __shfl_sync(SIMT_ALL_LANES, 1, 0);
}

SIMT_KERNEL void shuffle_in_a_loop(int *out)
{
    for (unsigned i = 0; i <= threadIdx.x % 4; i++)
        out[threadIdx.x] = __shfl_sync(SIMT_ALL_LANES, 1, 0);
}

SIMT_KERNEL void different_masks(int *out)
{
    out[threadIdx.x] = __shfl_sync(threadIdx.x % 32 < 16 ? SIMT_ALL_LANES : 0xffff0000u, 1, 0);
}

SIMT_KERNEL void source_outside(int *out)
{
    if (threadIdx.x % 32 < 16)
        out[threadIdx.x] = __shfl_sync(0xffffu, 1, 20);
}

SIMT_KERNEL void not_in_mask(int *out)
{
    out[threadIdx.x] = __shfl_sync(0xffffu, 1, 0);
}

SIMT_KERNEL void waits_by_block(uint64_t *flags)
{
    if (threadIdx.x == 0 && blockIdx.x > 0)
        while (simt_load_flag(flags + blockIdx.x - 1) == 0) {
        }
    __syncthreads();
    if (threadIdx.x == 0)
        simt_store_flag(flags + blockIdx.x, 1);
}

static volatile int depth_limit = 1 << 30;

static int recurse(int n)
{
    volatile char room[512];
    room[n % 512] = (char)n;
    return n < depth_limit ? recurse(n + 1) + room[n % 512] : 0;
}

SIMT_KERNEL void deep(int *out)
{
    out[threadIdx.x] = recurse(0);
}

SIMT_KERNEL void past_shared(int *out)
{
    SIMT_SHARED(int, a, [128]);
    a[threadIdx.x + 1] = 1;
    out[threadIdx.x] = a[threadIdx.x];
}

SIMT_KERNEL void past_dynamic(int *out)
{
    SIMT_SHARED_DYNAMIC(int, a);
    a[threadIdx.x + 1] = 1;
    out[threadIdx.x] = a[threadIdx.x];
}

SIMT_KERNEL void past_global(int *out)
{
    out[threadIdx.x + 1] = 1;
}

SIMT_KERNEL void too_much_shared(int *out)
{
    SIMT_SHARED(int, a, [20000]);
    out[threadIdx.x] = a[threadIdx.x];
}

SIMT_KERNEL void brings_and_leaves(int *out)
{
    SIMT_SHARED(int, a, [128]);
    simt_bring(a + threadIdx.x, out + threadIdx.x, 4);
}

enum { THREADS = 128 };

static void launch(unsigned what)
{
    static uint64_t flags[64];
    int *out = (int *)malloc(THREADS * sizeof *out);
    switch (what) {
    case 0: SIMT_LAUNCH(half_a_barrier, 1, THREADS, 0, 0, out); break;
    case 1: SIMT_LAUNCH(early_return, 1, THREADS, 0, 0, out); break;
    case 2: SIMT_LAUNCH(two_barriers, 1, THREADS, 0, 0, out); break;
    case 3: SIMT_LAUNCH(divergent_shuffle, 1, THREADS, 0, 0, out); break;
    case 4: SIMT_LAUNCH(shuffle_in_a_loop, 1, THREADS, 0, 0, out); break;
    case 5: SIMT_LAUNCH(different_masks, 1, THREADS, 0, 0, out); break;
    case 6: SIMT_LAUNCH(source_outside, 1, THREADS, 0, 0, out); break;
    case 7: SIMT_LAUNCH(not_in_mask, 1, THREADS, 0, 0, out); break;
    case 8: SIMT_LAUNCH(early_return, 1, 100, 0, 0, out); break;
    case 9: SIMT_LAUNCH(too_much_shared, 1, THREADS, 0, 0, out); break;
    case 10: SIMT_LAUNCH(waits_by_block, 64, 32, 0, 0, flags); break;
    case 11: SIMT_LAUNCH(deep, 1, 32, 0, 0, out); break;
    case 12: SIMT_LAUNCH(past_shared, 1, THREADS, 0, 0, out); break;
    case 13: SIMT_LAUNCH(past_dynamic, 1, THREADS, THREADS * 4, 0, out); break;
    case 14: SIMT_LAUNCH(brings_and_leaves, 1, THREADS, 0, 0, out); break;
    default: SIMT_LAUNCH(past_global, 1, THREADS, 0, 0, out);
    }
    free(out);
}

struct mistake {
    const char *name, *message; /* "": any end but a good one */
    bool is_of_some_seeds, needs_asan;
};

static const struct mistake mistakes[] = {
    {"a barrier that half of a block reaches", "barrier", false, false},
    {"a return before a barrier", "barrier", false, false},
    {"barriers in two branches", "another barrier", false, false},
    {"a shuffle in a branch", "lane", false, false},
    {"a shuffle in a loop", "lane", false, false},
    {"masks that differ", "mask", false, false},
    {"a source lane outside the mask", "does not take part", false, false},
    {"a lane outside its mask", "not in its own mask", false, false},
    {"a block of 100 threads", "multiple of 32", false, false},
    {"too much shared memory", "too much shared", false, false},
    {"waiting for the block before", "never comes", true, false},
    {"a stack that is too small", "", false, false},
    {"shared memory, one past the end", "", false, true},
    {"dynamic shared memory, one past the end", "", false, true},
    {"a copy that nobody waits for", "under way", false, false},
    {"global memory, one past the end", "", false, true},
};

/* Whether a child that makes the mistake ends badly, with the message. */
static bool is_noticed(unsigned what, uint64_t seed)
{
    char text[4096];
    const int status = end_of_child(seed, text, sizeof text, [=] {
        launch(what);
        return 0;
    });
    const bool is_good_end = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return status != -1 && !is_good_end && strstr(text, mistakes[what].message) != NULL;
}

/* ---- a warp's sum, maximum and union: one instruction or shuffles, by the seed ---- */

SIMT_KERNEL void reduce_warps(const uint32_t *in, uint32_t *out)
{
    const uint32_t v = in[threadIdx.x];
    uint32_t *const own = out + threadIdx.x * 3;
    own[0] = simt_reduce_add(v);
    own[1] = simt_reduce_max(v);
    own[2] = simt_reduce_or(v);
}

static void check_reductions(void)
{
    enum { N = 64 };
    uint32_t in[N], out[N * 3], wanted[2][3] = {};
    for (uint32_t i = 0; i < N; i++) {
        uint32_t *const w = wanted[i / 32];
        in[i] = i * 2654435761u ^ i << 29;
        w[0] += in[i];
        w[1] = in[i] > w[1] ? in[i] : w[1];
        w[2] |= in[i];
    }
    for (simt_opt.seed = 0; simt_opt.seed < 12; simt_opt.seed++) {
        SIMT_LAUNCH(reduce_warps, 1, N, 0, 0, in, out);
        for (uint32_t i = 0; i < N; i++)
            failures += memcmp(out + 3 * i, wanted[i / 32], sizeof wanted[0]) != 0;
    }
}

int main(void)
{
    check_all_sums();
    check_reductions();
    for (unsigned i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        unsigned seeds = 0;
        if (mistakes[i].needs_asan && !HAS_ASAN)
            continue;
        for (uint64_t seed = 0; seed < 4; seed++)
            seeds += is_noticed(i, seed);
        if (seeds < (mistakes[i].is_of_some_seeds ? 1 : 4)) {
            printf("%s: noticed under %u of 4 seeds\n", mistakes[i].name, seeds);
            failures++;
        }
    }
    printf("%u failures\n", failures);
    return failures != 0;
}
