/* turbulence.h: made fields that look like turbulence, for measurements. */
#ifndef TURBULENCE_H
#define TURBULENCE_H

#include <stddef.h>
#include <stdint.h>

/* A Gaussian random field of side^rank values (side a power of two, rank 1 to 3) whose waves
 * have the power k^-slope; 11/3 is Kolmogorov's in three dimensions. Periodic, of mean 0 and
 * variance 1; the same for the same seed, but for the last bits of the C library's functions.
 * Returns 0, or -1 where there is no memory. */
int make_turbulence(double *out, size_t side, unsigned rank, double slope, uint64_t seed);

#endif
