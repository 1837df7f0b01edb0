/* solver.c: reaction and diffusion of two substances (the Gray-Scott model, P. Gray and S. K.
 * Scott, Chem. Eng. Sci. 39, 1984) in a periodic box:
 *
 *   du/dt = Du lap(u) - u v^2 + feed (1 - u)
 *   dv/dt = Dv lap(v) + u v^2 - (feed + kill) v
 *
 * Explicit Euler steps of length `pace` on a grid of spacing 1, seven-point Laplacian. Diffusion
 * alone is stable for pace D <= 1/6; the reaction wants some distance from that, or a checkerboard
 * shows. */
#include "cmd/solver.h"

#include "util/memory.h"

#include <stdlib.h>
#include <string.h>

static const float diffuse_u = 0.24f, diffuse_v = 0.12f, feed = 0.030f, kill = 0.057f, pace = 0.5f;

/* The box has a border of one cell: those of the opposite side. */
enum {
    N = FIELD_N,
    ROW = N + 2,
    PLANE = ROW * ROW,
    CELLS = ROW * PLANE,
    SEEDS = 30,
    SEED_RADIUS = 5
};

struct state {
    float *u, *v;
};

/* Numbers that look random: a linear congruential generator, the high bits of it. */
static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static size_t cell_at(int i, int j, int k)
{
    return ((size_t)((i + N) % N) + 1) * PLANE + ((size_t)((j + N) % N) + 1) * ROW +
           (size_t)((k + N) % N) + 1;
}

/* Balls of the second substance in a box that is full of the first. */
static void add_balls(struct state s)
{
    uint64_t random = 2024;
    for (size_t i = 0; i < CELLS; i++) {
        s.u[i] = 1;
        s.v[i] = 0;
    }
    for (int n = 0; n < SEEDS; n++) {
        int center[3];
        for (int d = 0; d < 3; d++)
            center[d] = (int)(next_random(&random) % N);
        for (int i = -SEED_RADIUS; i <= SEED_RADIUS; i++)
            for (int j = -SEED_RADIUS; j <= SEED_RADIUS; j++)
                for (int k = -SEED_RADIUS; k <= SEED_RADIUS; k++) {
                    if (i * i + j * j + k * k > SEED_RADIUS * SEED_RADIUS)
                        continue;
                    size_t x = cell_at(center[0] + i, center[1] + j, center[2] + k);
                    s.u[x] = 0.5f;
                    s.v[x] = 0.25f;
                }
    }
}

/* Make the border, but for edges and corners, which the Laplacian does not reach. */
static void wrap(float *x)
{
    for (size_t i = 1; i <= N; i++) {
        float *const plane = x + i * PLANE;
        memcpy(plane, plane + N * ROW, ROW * sizeof *x);
        memcpy(plane + (N + 1) * ROW, plane + ROW, ROW * sizeof *x);
        for (size_t j = 1; j <= N; j++) {
            float *const row = plane + j * ROW;
            row[0] = row[N];
            row[N + 1] = row[1];
        }
    }
    memcpy(x, x + N * PLANE, PLANE * sizeof *x);
    memcpy(x + (N + 1) * PLANE, x + PLANE, PLANE * sizeof *x);
}

/* A row along the fastest axis. restrict: it is what lets a compiler use vectors. */
static inline __attribute__((always_inline)) void
step_cells(const float *u, const float *v, float *restrict to_u, float *restrict to_v)
{
    for (ptrdiff_t k = 0; k < N; k++) {
        float lap_u = (u[k - PLANE] + u[k + PLANE]) + (u[k - ROW] + u[k + ROW]) +
                      (u[k - 1] + u[k + 1]) - 6 * u[k];
        float lap_v = (v[k - PLANE] + v[k + PLANE]) + (v[k - ROW] + v[k + ROW]) +
                      (v[k - 1] + v[k + 1]) - 6 * v[k];
        float reaction = u[k] * v[k] * v[k];
        to_u[k] = u[k] + pace * (diffuse_u * lap_u - reaction + feed * (1 - u[k]));
        to_v[k] = v[k] + pace * (diffuse_v * lap_v + reaction - (feed + kill) * v[k]);
    }
}

typedef void step_function(const float *u, const float *v, float *restrict to_u,
                           float *restrict to_v);

static void step_row(const float *u, const float *v, float *restrict to_u, float *restrict to_v)
{
    step_cells(u, v, to_u, to_v);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void
step_row_avx2(const float *u, const float *v, float *restrict to_u, float *restrict to_v)
{
    step_cells(u, v, to_u, to_v);
}

static step_function *choose_step(void)
{
    return __builtin_cpu_supports("avx2") ? step_row_avx2 : step_row;
}
#else
static step_function *choose_step(void)
{
    return step_row;
}
#endif

static void advance_step(struct state from, struct state to, step_function *step)
{
    wrap(from.u);
    wrap(from.v);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const size_t row = cell_at(i, j, 0);
            step(from.u + row, from.v + row, to.u + row, to.v + row);
        }
}

bool simulate(float *field, int steps, struct progress *progress, struct ztio_error *error)
{
    step_function *const step = choose_step();
    void *memory;
    if (!allocate(&memory, 4 * (size_t)CELLS * sizeof(float), "demo", error))
        return false;
    float *f = memory;
    struct state here = {f, f + CELLS}, there = {f + 2 * CELLS, f + 3 * CELLS};
    add_balls(here);
    for (int i = 0; i < steps; i++) {
        advance_step(here, there, step);
        struct state last = here;
        here = there;
        there = last;
        progress_slab(progress, 1);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            memcpy(field + ((size_t)i * N + (size_t)j) * N, here.v + cell_at(i, j, 0),
                   N * sizeof(float));
    free(memory);
    return true;
}
