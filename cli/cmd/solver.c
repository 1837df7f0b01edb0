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

enum { N = FIELD_N, SEEDS = 30, SEED_RADIUS = 5 };

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
    return ((size_t)((i + N) % N) * N + (size_t)((j + N) % N)) * N + (size_t)((k + N) % N);
}

/* Balls of the second substance in a box that is full of the first. */
static void add_balls(struct state s)
{
    uint64_t random = 2024;
    for (size_t i = 0; i < (size_t)N * N * N; i++) {
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

/* The cells first..end of a row along the fastest axis, whose neighbours along it are at `left` and
 * `right`; around says where the rows beside it start. restrict: it is what lets a compiler use
 * vectors, four times as fast with gcc 12. */
static void step_cells(struct state from, float *restrict to_u, float *restrict to_v, size_t row,
                       const size_t *around, size_t first, size_t end, ptrdiff_t left,
                       ptrdiff_t right)
{
    const float *u = from.u + row, *v = from.v + row;
    const float *u0 = from.u + around[0], *u1 = from.u + around[1], *u2 = from.u + around[2],
                *u3 = from.u + around[3];
    const float *v0 = from.v + around[0], *v1 = from.v + around[1], *v2 = from.v + around[2],
                *v3 = from.v + around[3];
    for (size_t k = first; k < end; k++) {
        float lap_u = (u0[k] + u1[k]) + (u2[k] + u3[k]) +
                      (u[(ptrdiff_t)k + left] + u[(ptrdiff_t)k + right]) - 6 * u[k];
        float lap_v = (v0[k] + v1[k]) + (v2[k] + v3[k]) +
                      (v[(ptrdiff_t)k + left] + v[(ptrdiff_t)k + right]) - 6 * v[k];
        float reaction = u[k] * v[k] * v[k];
        to_u[row + k] = u[k] + pace * (diffuse_u * lap_u - reaction + feed * (1 - u[k]));
        to_v[row + k] = v[k] + pace * (diffuse_v * lap_v + reaction - (feed + kill) * v[k]);
    }
}

static void advance_step(struct state from, struct state to)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const size_t around[4] = {cell_at(i - 1, j, 0), cell_at(i + 1, j, 0),
                                      cell_at(i, j - 1, 0), cell_at(i, j + 1, 0)};
            const size_t row = cell_at(i, j, 0);
            step_cells(from, to.u, to.v, row, around, 0, 1, N - 1, 1);
            step_cells(from, to.u, to.v, row, around, 1, N - 1, -1, 1);
            step_cells(from, to.u, to.v, row, around, N - 1, N, -1, 1 - N);
        }
}

bool simulate(float *field, int steps, struct progress *progress, struct ztio_error *error)
{
    const size_t n = (size_t)N * N * N;
    void *memory;
    if (!allocate(&memory, 4 * n * sizeof(float), "demo", error))
        return false;
    float *f = memory;
    struct state here = {f, f + n}, there = {f + 2 * n, f + 3 * n};
    add_balls(here);
    for (int i = 0; i < steps; i++) {
        advance_step(here, there);
        struct state last = here;
        here = there;
        there = last;
        progress_slab(progress, 1);
    }
    memcpy(field, here.v, n * sizeof(float));
    free(memory);
    return true;
}
