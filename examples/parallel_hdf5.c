/* parallel_hdf5.c: a simulation's field, written compressed by all MPI ranks into one HDF5 file,
 * and read by all of them, cut another way.
 *
 *     mpicc parallel_hdf5.c -lhdf5 -lm           HDF5 built for MPI
 *     HDF5_PLUGIN_PATH=FOLDER mpirun -n 4 ./a.out FILE [CONFIG [ERROR [SLICES]]]
 *
 * FOLDER holds libh5ztile.so, CONFIG is as in ztile_h5.h (default codec=zfp,abs=1e-3; none: no
 * filter), and no value may come back off by more than ERROR (default 1e-3). SLICES is the
 * number of slices of the field; the seconds of writing and of reading are printed then. Filters
 * need collective transfers: each rank takes part in every write, even with no values. HDF5 gives
 * each chunk to one rank, which compresses it. Chunks that one rank fills alone need no exchange.
 */
#include <hdf5.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ztile_h5.h"

enum { NY = 48, NX = 80 };

static hsize_t nz = 64;
static double write_seconds, read_seconds; /* of the file, from the last rank's start on */

static float field(hsize_t z, hsize_t y, hsize_t x)
{
    return (float)(sin((double)x / 9) * cos((double)y / 7) + (double)z / 64);
}

/* The part of an axis that a rank has. */
static hsize_t part(hsize_t extent, int rank, int ranks)
{
    return extent * (hsize_t)rank / (hsize_t)ranks;
}

/* HDF5's collective calls wait for every rank: one that fails alone must end all. */
static void give_up(void)
{
    H5Eprint2(H5E_DEFAULT, stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Write slabs of z. Returns 0, or 1 for failure. */
static int write_field(const char *path, const char *config, int rank, int ranks)
{
    const hsize_t shape[3] = {nz, NY, NX}, chunk[3] = {8, NY, NX};
    const hsize_t first = part(nz, rank, ranks), last = part(nz, rank + 1, ranks);
    const hsize_t start[3] = {first, 0, 0}, count[3] = {last - first, NY, NX};
    float *values = malloc((size_t)(count[0] * NY * NX) * sizeof *values + 1);
    if (!values)
        return 1;
    for (hsize_t i = 0; i < count[0] * NY * NX; i++)
        values[i] = field(first + i / (NY * NX), i / NX % NY, i % NX);

    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_DATASET_CREATE);
    hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    H5Pset_chunk(create, 3, chunk);
    hid_t dataset = -1, file = -1, space = -1, memory = -1;
    int failed = strcmp(config, "none") != 0 && ztile_h5_set(create, config) < 0;
    if (!failed) {
        file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
        space = H5Screate_simple(3, shape, NULL);
        memory = H5Screate_simple(3, count, NULL);
        dataset =
            H5Dcreate2(file, "field", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, create, H5P_DEFAULT);
        if (dataset < 0)
            give_up();
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        if (H5Dwrite(dataset, H5T_NATIVE_FLOAT, memory, space, transfer, values) < 0)
            give_up();
        if (rank == 0)
            printf("%d ranks wrote %llu bytes as %llu\n", ranks,
                   (unsigned long long)nz * NY * NX * 4,
                   (unsigned long long)H5Dget_storage_size(dataset));
        H5Dclose(dataset);
        H5Sclose(memory);
        H5Sclose(space);
        failed |= H5Fclose(file) < 0;
    }
    write_seconds = MPI_Wtime() - began;
    if (failed && rank == 0)
        H5Eprint2(H5E_DEFAULT, stderr); /* what ztile_h5_set has to say */
    H5Pclose(transfer);
    H5Pclose(create);
    H5Pclose(access);
    free(values);
    return failed;
}

/* Read slabs of y. Returns the largest error, or infinity for failure. */
static double read_field(const char *path, int rank, int ranks)
{
    const hsize_t first = part(NY, rank, ranks), last = part(NY, rank + 1, ranks);
    const hsize_t start[3] = {0, first, 0}, count[3] = {nz, last - first, NX};
    float *values = malloc((size_t)(count[1] * nz * NX) * sizeof *values + 1);
    double worst = 0;
    if (!values)
        return INFINITY;
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    hid_t dataset = H5Dopen2(file, "field", H5P_DEFAULT);
    hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(3, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (H5Dread(dataset, H5T_NATIVE_FLOAT, memory, space, transfer, values) < 0)
        give_up();
    read_seconds = MPI_Wtime() - began;
    for (hsize_t i = 0; i < nz * count[1] * NX; i++)
        worst =
            fmax(worst, fabs((double)values[i] - (double)field(i / (count[1] * NX),
                                                               first + i / NX % count[1], i % NX)));
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    H5Pclose(transfer);
    H5Pclose(access);
    free(values);
    return worst;
}

int main(int argc, char **argv)
{
    const char *config = argc > 2 ? argv[2] : "codec=zfp,abs=1e-3";
    const double bound = argc > 3 ? strtod(argv[3], NULL) : 1e-3;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 2) {
        if (rank == 0)
            fprintf(stderr, "use: parallel_hdf5 FILE [CONFIG [ERROR [SLICES]]]\n");
        MPI_Finalize();
        return 2;
    }
    if (argc > 4)
        nz = strtoul(argv[4], NULL, 10);
    int failed = write_field(argv[1], config, rank, ranks), any = 0;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    double worst = any ? INFINITY : read_field(argv[1], rank, ranks), all = INFINITY;
    MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("largest error %g, at most %g asked for\n", all, bound);
    if (rank == 0 && argc > 4)
        printf("writing %.4f s, reading %.4f s\n", write_seconds, read_seconds);
    MPI_Finalize();
    return !(all <= bound);
}
