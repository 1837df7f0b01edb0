/* race_test.cc: the checker of races (race.c): that it finds accesses which nothing orders, under
 * every schedule, and that it says nothing of those which something does. Each kernel is run both
 * ways, in child processes. */
#include "gpu/simt.h"
#include "simt_child.h"

#include <stdlib.h>

enum { THREADS = 128, SEEDS = 6 };

/* ---- kernels, with what orders their accesses or without ---- */

SIMT_KERNEL void other_warps(unsigned *out, bool is_right)
{
    SIMT_SHARED(unsigned, a, [THREADS]);
    a[threadIdx.x] = threadIdx.x;
    if (is_right)
        __syncthreads();
    else
        __syncwarp();
    out[threadIdx.x] = a[(threadIdx.x + 32) % THREADS];
}

SIMT_KERNEL void other_lanes(unsigned *out, bool is_right)
{
    SIMT_SHARED(unsigned, a, [THREADS]);
    a[threadIdx.x] = threadIdx.x;
    const unsigned bits = __ballot_sync(SIMT_ALL_LANES, (int)(threadIdx.x & 1));
    if (is_right)
        simt_order_warp();
    out[threadIdx.x] = bits + a[threadIdx.x ^ 1];
}

SIMT_KERNEL void half_a_warp(unsigned *out, bool is_right)
{
    SIMT_SHARED(unsigned, a, [THREADS]);
    a[threadIdx.x] = threadIdx.x;
    if (is_right)
        __syncwarp();
    else
        __syncwarp(threadIdx.x % 32 < 16 ? 0xffffu : 0xffff0000u);
    out[threadIdx.x] = a[threadIdx.x ^ 16];
}

/* Reads of all lanes before one writes: ballots make them wait for each other and order nothing. */
SIMT_KERNEL void writes_again(unsigned *out, bool is_right)
{
    SIMT_SHARED(unsigned, a, [THREADS]);
    if (threadIdx.x % 32 == 0)
        a[threadIdx.x / 32] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = a[threadIdx.x / 32];
    (void)__any_sync(SIMT_ALL_LANES, 0);
    if (is_right)
        __syncwarp();
    if (threadIdx.x % 32 == 31)
        a[threadIdx.x / 32] = 1;
}

/* Wrong: the one that writes has waited for its own warp alone. */
SIMT_KERNEL void writes_behind_a_warp(unsigned *out, bool is_right)
{
    SIMT_SHARED(unsigned, a, );
    if (threadIdx.x == 0)
        a = 1;
    __syncthreads();
    out[threadIdx.x] = a;
    if (is_right)
        __syncthreads();
    else
        __syncwarp();
    if (threadIdx.x == THREADS - 1)
        a = 2;
}

/* Right: all write the same. */
SIMT_KERNEL void writes_in_one_place(unsigned *out, bool is_right)
{
    SIMT_SHARED(unsigned, a, );
    a = is_right ? 7 : threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = a;
}

SIMT_KERNEL void counts(unsigned *out, bool is_right)
{
    SIMT_SHARED(unsigned, a, );
    if (threadIdx.x == 0)
        a = 0;
    __syncthreads();
    if (is_right)
        (void)atomicAdd(&a, 1u);
    else
        a++;
    __syncthreads();
    out[threadIdx.x] = a;
}

SIMT_KERNEL void reads_what_is_counted(unsigned *out, bool is_right)
{
    SIMT_SHARED(unsigned, a, [4]);
    if (threadIdx.x < 4)
        a[threadIdx.x] = 0;
    __syncthreads();
    (void)atomicAdd(&a[threadIdx.x % 4], 1u);
    if (is_right)
        __syncthreads();
    out[threadIdx.x] = a[threadIdx.x % 4];
}

/* Right: bytes of one word are several threads'. */
SIMT_KERNEL void bytes_of_words(uint8_t *out, bool is_right)
{
    SIMT_SHARED_DYNAMIC(uint8_t, a);
    a[threadIdx.x] = (uint8_t)threadIdx.x;
    out[threadIdx.x] = a[is_right ? threadIdx.x : threadIdx.x ^ 1];
}

/* Wrong: a load of 16 bytes brings what others are writing. */
SIMT_KERNEL void wide_loads(unsigned *out, bool is_right)
{
    SIMT_SHARED(uint64_t, a, [THREADS]);
    unsigned words[4];
    a[threadIdx.x] = threadIdx.x;
    if (is_right)
        __syncwarp();
    simt_load_16(words, a + threadIdx.x / 2 * 2);
    out[threadIdx.x] = words[threadIdx.x % 2 * 2];
}

struct several {
    unsigned v[6];
};

SIMT_KERNEL void whole_structs(struct several *out, bool is_right)
{
    SIMT_SHARED(struct several, a, [THREADS]);
    for (unsigned i = 0; i < 6; i++)
        a[threadIdx.x].v[i] = threadIdx.x;
    if (is_right)
        __syncthreads();
    memcpy(&out[threadIdx.x], &a[(threadIdx.x + 40) % THREADS], sizeof *a);
}

SIMT_KERNEL void global_memory(unsigned *out, bool is_right)
{
    unsigned *const own = out + blockIdx.x * THREADS;
    own[threadIdx.x] = threadIdx.x;
    if (is_right)
        __syncthreads();
    const unsigned other = own[THREADS - 1 - threadIdx.x];
    __syncthreads();
    own[threadIdx.x] = other;
    if (threadIdx.x == 32 * blockIdx.x)
        out[3 * THREADS] = other; /* another block's: nobody looks */
}

/* Wrong: a barrier, but behind it what is still under way. */
SIMT_KERNEL void brings(unsigned *out, bool is_right)
{
    SIMT_SHARED(unsigned, a, [THREADS]);
    simt_bring(a + threadIdx.x, out + THREADS + threadIdx.x, 4);
    if (is_right)
        simt_wait_brought();
    __syncthreads();
    out[threadIdx.x] = a[(threadIdx.x + 1) % THREADS];
    simt_wait_brought();
}

/* Wrong: all wait for their own and for no others'. */
SIMT_KERNEL void brings_for_others(unsigned *out, bool is_right)
{
    SIMT_SHARED(unsigned, a, [THREADS]);
    simt_bring(a + threadIdx.x, out + THREADS + threadIdx.x, 4);
    simt_wait_brought();
    if (is_right)
        __syncthreads();
    out[threadIdx.x] = a[(threadIdx.x + 1) % THREADS];
}

SIMT_KERNEL void grid(unsigned *out, bool is_right)
{
    out[blockIdx.x * THREADS + threadIdx.x] = threadIdx.x;
    if (is_right)
        simt_grid_sync();
    const unsigned other = out[blockIdx.x * THREADS + (threadIdx.x ^ 64)];
    simt_grid_sync();
    out[blockIdx.x * THREADS + threadIdx.x] = other;
}

static const char *const names[] = {"other_warps",  "other_lanes",           "half_a_warp",
                                    "writes_again", "writes_behind_a_warp",  "writes_in_one_place",
                                    "counts",       "reads_what_is_counted", "bytes_of_words",
                                    "wide_loads",   "whole_structs",         "global_memory",
                                    "brings",       "brings_for_others",     "grid"};

static void launch(unsigned what, bool is_right)
{
    static uint64_t memory[1 << 12];
    unsigned *const out = (unsigned *)(void *)memory;
    switch (what) {
    case 0: SIMT_LAUNCH(other_warps, 3, THREADS, 0, 0, out, is_right); break;
    case 1: SIMT_LAUNCH(other_lanes, 3, THREADS, 0, 0, out, is_right); break;
    case 2: SIMT_LAUNCH(half_a_warp, 3, THREADS, 0, 0, out, is_right); break;
    case 3: SIMT_LAUNCH(writes_again, 1, THREADS, 0, 0, out, is_right); break;
    case 4: SIMT_LAUNCH(writes_behind_a_warp, 3, THREADS, 0, 0, out, is_right); break;
    case 5: SIMT_LAUNCH(writes_in_one_place, 3, THREADS, 0, 0, out, is_right); break;
    case 6: SIMT_LAUNCH(counts, 3, THREADS, 0, 0, out, is_right); break;
    case 7: SIMT_LAUNCH(reads_what_is_counted, 3, THREADS, 0, 0, out, is_right); break;
    case 8: SIMT_LAUNCH(bytes_of_words, 3, THREADS, THREADS, 0, (uint8_t *)out, is_right); break;
    case 9: SIMT_LAUNCH(wide_loads, 3, THREADS, 0, 0, out, is_right); break;
    case 10:
        SIMT_LAUNCH(whole_structs, 3, THREADS, 0, 0, (struct several *)(void *)out, is_right);
        break;
    case 11: SIMT_LAUNCH(global_memory, 3, THREADS, 0, 0, out, is_right); break;
    case 12: SIMT_LAUNCH(brings, 3, THREADS, 0, 0, out, is_right); break;
    case 13: SIMT_LAUNCH(brings_for_others, 3, THREADS, 0, 0, out, is_right); break;
    default: SIMT_LAUNCH_COOPERATIVE(grid, 3, THREADS, 0, out, is_right);
    }
}

/* Whether a child finds races, and says of which kernel. */
static bool is_found(unsigned what, bool is_right, uint64_t seed, bool is_said)
{
    char text[4096];
    const int status = end_of_child(seed, text, sizeof text, [=] {
        launch(what, is_right);
        if (is_said)
            exit(0);
        return simt_races() > 0;
    });
    const bool is_one = status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 1;
    return is_one && (!is_said || (strstr(text, names[what]) && strstr(text, "memory 0x") &&
                                   strstr(text, " wrote, at 0x")));
}

int main(void)
{
    unsigned failures = 0;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned wrong = 0, right = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            wrong += is_found(i, false, seed, false);
            right += is_found(i, true, seed, false);
        }
        if (wrong < SEEDS || right > 0) {
            printf("%s: of %u seeds %u found the mistake, %u one where there is none\n", names[i],
                   (unsigned)SEEDS, wrong, right);
            failures++;
        }
    }
    if (!is_found(0, false, 0, true)) {
        printf("the program does not say which kernel has a race\n");
        failures++;
    }
    printf("%u failures\n", failures);
    return failures != 0;
}
