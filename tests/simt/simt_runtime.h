/* simt_runtime.h: what kernels compiled for the CPU ask of the runtime that runs them (simt.c).
 *
 * Every CUDA thread is a fiber; one host thread runs them all and switches between them only in
 * collectives, atomics and spinning loads. A seed decides who runs next, in which order blocks
 * start, how many are in flight, and what rubbish fresh memory holds. A mistake that can be seen (a
 * barrier that part of a block does not reach, a shuffle from a lane that is not there, a deadlock)
 * ends the program with one line. */
#ifndef SIMT_RUNTIME_H
#define SIMT_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct simt_idx {
    unsigned x, y, z;
} simt_idx;

struct simt_place {
    simt_idx thread, block, block_dim, grid_dim;
};

/* The place of the thread that is running; NULL on the host. */
extern struct simt_place *simt_here;

struct simt_options {
    uint64_t seed;
    unsigned resident;     /* blocks in flight; 0: 1 + seed mod 4 */
    const char *skip_file; /* the barrier on this line of this file does nothing, for tests of */
    int skip_line;         /* tests: does it show? */
    int ends_at_race;      /* the first race ends the program with 1 */
};
extern struct simt_options simt_opt;

/* The most shared memory of a block: that of compute capability 9.0, or of 7.5. */
static inline size_t simt_shared_limit(void)
{
    return (simt_opt.seed % 2 ? 64u : 227u) << 10;
}

/* Barriers that were met since the program began, as many as are counted: file and line of number
 * i, 0 past the last; how often a thread came to it; how many there are. */
enum { SIMT_MOST_BARRIERS = 256 };
int simt_barrier_at(unsigned i, const char **file);
uint64_t simt_barrier_visits(unsigned i);
unsigned simt_barriers(void);

/* Races that were found since the program began, none where nobody looks (race.c). A program with
 * some prints them and ends with 1, but by _exit. */
unsigned simt_races(void);
void simt_print_races(void);

enum simt_op {
    SIMT_SYNC,
    SIMT_SYNC_COUNT,
    SIMT_SYNC_AND,
    SIMT_SYNC_OR,
    SIMT_WARP_SYNC,
    SIMT_WARP_ORDER,
    SIMT_BALLOT,
    SIMT_ANY,
    SIMT_ALL,
    SIMT_MATCH_ANY,
    SIMT_REDUCE_ADD,
    SIMT_REDUCE_MIN,
    SIMT_REDUCE_MAX,
    SIMT_REDUCE_AND,
    SIMT_REDUCE_OR,
    SIMT_REDUCE_XOR,
    SIMT_SHFL,
    SIMT_SHFL_UP,
    SIMT_SHFL_DOWN,
    SIMT_SHFL_XOR
};

/* Run a kernel: call(body) in every thread. is_cooperative: all blocks are in flight. */
void simt_launch(const char *name, simt_idx grid, simt_idx block, size_t shared_bytes,
                 int is_cooperative, void (*call)(void *), void *body);

/* Called with the name of each kernel that is run; NULL: not. */
extern void (*simt_begins)(const char *name);

/* Where launches go: run(a copy of body) is to be called when their turn comes. NULL: at once. */
extern void (*simt_queue)(void *stream, void (*run)(void *), const void *body, size_t bytes);

/* Collectives of the running thread's block and warp. */
unsigned simt_block(enum simt_op op, int value, const char *file, int line);
uint64_t simt_warp(enum simt_op op, unsigned mask, uint64_t value, int lane, int width,
                   const char *file, int line);
void simt_grid(const char *file, int line);

/* Shared memory of the running block: a variable, known by an address of its declaration, and the
 * dynamic part of the launch. */
void *simt_shared(const void *key, size_t bytes);
void *simt_shared_dynamic(void);

/* Copies to shared memory that are done, for the thread, once it has waited. */
void simt_bring(void *to, const void *from, size_t bytes);
void simt_wait_brought(void);

/* Before an atomic; before a load that may be spun on; after something others may wait for. */
void simt_preempt(void);
void simt_spin(void);
void simt_progress(void);

/* Fill fresh global memory with rubbish that the seed decides. */
void simt_rubbish(void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
