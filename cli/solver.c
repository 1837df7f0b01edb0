/* solver.c: reaction and diffusion of two substances (the Gray-Scott model, P. Gray and S. K.
 * Scott, Chem. Eng. Sci. 39, 1984) in a periodic box:
 *
 *   du/dt = Du lap(u) - u v^2 + feed (1 - u)
 *   dv/dt = Dv lap(v) + u v^2 - (feed + kill) v
 *
 * Explicit Euler steps of length 1 on a grid of spacing 1, seven-point Laplacian; stable for
 * D <= 1/6. */
#include "solver.h"

#include <stdlib.h>
#include <string.h>

static const float diffuse_u = 0.16f, diffuse_v = 0.08f, feed = 0.030f, kill = 0.057f;

enum { N = FIELD_N, SEEDS = 40, SEED_RADIUS = 4 };

struct state {
    float *u, *v;
};

/* Numbers that look random: a linear congruential generator, the high bits of it. */
static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static size_t at(int i, int j, int k)
{
    return ((size_t)((i + N) % N) * N + (size_t)((j + N) % N)) * N + (size_t)((k + N) % N);
}

/* Balls of the second substance in a box that is full of the first. */
static void plant(struct state s)
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
                    size_t x = at(center[0] + i, center[1] + j, center[2] + k);
                    s.u[x] = 0.5f;
                    s.v[x] = 0.25f;
                }
    }
}

/* One row along the fastest axis; the rows around it are given by where they start. */
static void step_row(struct state from, struct state to, size_t row, const size_t *around)
{
    const float *u = from.u + row, *v = from.v + row;
    for (int k = 0; k < N; k++) {
        int left = k ? k - 1 : N - 1, right = k + 1 < N ? k + 1 : 0;
        float lap_u = u[left] + u[right] - 6 * u[k], lap_v = v[left] + v[right] - 6 * v[k];
        for (int n = 0; n < 4; n++) {
            lap_u += from.u[around[n] + (size_t)k];
            lap_v += from.v[around[n] + (size_t)k];
        }
        float reaction = u[k] * v[k] * v[k];
        to.u[row + (size_t)k] = u[k] + diffuse_u * lap_u - reaction + feed * (1 - u[k]);
        to.v[row + (size_t)k] = v[k] + diffuse_v * lap_v + reaction - (feed + kill) * v[k];
    }
}

static void step(struct state from, struct state to)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const size_t around[4] = {at(i - 1, j, 0), at(i + 1, j, 0), at(i, j - 1, 0),
                                      at(i, j + 1, 0)};
            step_row(from, to, at(i, j, 0), around);
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
    plant(here);
    for (int i = 0; i < steps; i++) {
        step(here, there);
        struct state last = here;
        here = there;
        there = last;
        progress_slab(progress, 1);
    }
    memcpy(field, here.v, n * sizeof(float));
    free(memory);
    return true;
}
