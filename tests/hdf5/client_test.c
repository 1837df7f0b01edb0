/* client_test.c: a program that uses HDF5 and ztile_h5.h, linked to HDF5 alone: each bound kept,
 * awkward types and shapes, and our sentences on HDF5's error stack.
 *
 *     client_test FOLDER       HDF5_PLUGIN_PATH names the plug-ins' folder */
#include <hdf5.h>

#include "abi.h"
#include "ztile_h5.h"

#include <H5PLextern.h>
#include <math.h>

/* what abi.h writes out is what HDF5 says */
_Static_assert(sizeof(zh_hid) == sizeof(hid_t) && sizeof(zh_size) == sizeof(hsize_t), "handles");
_Static_assert(ZH_FLAG_REVERSE == H5Z_FLAG_REVERSE && ZH_CLASS_VERSION == H5Z_CLASS_T_VERS &&
                   ZH_FLAG_OPTIONAL == H5Z_FLAG_OPTIONAL &&
                   ZH_FILTER_DEFLATE == H5Z_FILTER_DEFLATE &&
                   ZH_FILTER_SHUFFLE == H5Z_FILTER_SHUFFLE &&
                   ZH_FILTER_FLETCHER32 == H5Z_FILTER_FLETCHER32 &&
                   ZH_FILTER_SZIP == H5Z_FILTER_SZIP && ZH_FILTER_NBIT == H5Z_FILTER_NBIT &&
                   ZH_FILTER_SCALEOFFSET == H5Z_FILTER_SCALEOFFSET &&
                   ZH_PLUGIN_FILTER == (int)H5PL_TYPE_FILTER && ZH_MAX_RANK == H5S_MAX_RANK,
               "numbers of filters");
_Static_assert(ZH_INTEGER == (int)H5T_INTEGER && ZH_FLOAT == (int)H5T_FLOAT &&
                   ZH_ORDER_LE == (int)H5T_ORDER_LE && ZH_ORDER_BE == (int)H5T_ORDER_BE &&
                   ZH_SIGN_NONE == (int)H5T_SGN_NONE &&
                   ZH_FILL_BY_USER == (int)H5D_FILL_VALUE_USER_DEFINED,
               "numbers of types");
_Static_assert(sizeof(struct zh_class) == sizeof(H5Z_class2_t) &&
                   offsetof(struct zh_class, name) == offsetof(H5Z_class2_t, name) &&
                   offsetof(struct zh_class, can_apply) == offsetof(H5Z_class2_t, can_apply) &&
                   offsetof(struct zh_class, filter) == offsetof(H5Z_class2_t, filter),
               "H5Z_class2_t");
_Static_assert(ZTILE_H5_FILTER > 32767 && ZTILE_H5_FILTER <= H5Z_FILTER_MAX, "a private number");

enum { N0 = 20, N1 = 24, N2 = 30, VALUES = N0 * N1 * N2 };

static int failures;
static hid_t file;

static void complain(const char *what, const char *detail)
{
    printf("%s: %s\n", what, detail);
    failures++;
}

static herr_t find_sentence(unsigned n, const H5E_error2_t *error, void *words)
{
    (void)n;
    char **sentence = words;
    if (strstr(error->desc, *sentence))
        *sentence = NULL;
    return 0;
}

/* Words that some sentence on the error stack must have, after a call that failed; whether they
 * were there. */
static const char *wanted = "";
static int was_said;

static void look_at_stack(void)
{
    const char *words = wanted;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, find_sentence, &words);
    was_said |= words == NULL;
}

static void fill(double *v)
{
    for (int i = 0; i < VALUES; i++)
        v[i] = 1000 * sin(i % N2 / 9.0) * cos(i / N2 % N1 / 7.0) + i / (N1 * N2);
}

/* Fill value of the next datasets, if it is not 0. */
static double fill_value;

/* What else the next datasets' pipelines have, before ours. */
static herr_t (*add_before)(hid_t create);

static herr_t scale(hid_t create)
{
    return H5Pset_scaleoffset(create, H5Z_SO_FLOAT_DSCALE, 3);
}

/* Write a dataset of a file type from doubles and read it back; the largest error, or infinity. */
static double round_trip(const char *name, hid_t type, int rank, const hsize_t *shape,
                         const hsize_t *chunk, const char *config, const double *in)
{
    static double out[VALUES];
    double worst = 0;
    hid_t space = H5Screate_simple(rank, shape, NULL), create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(create, rank, chunk);
    if (fill_value != 0)
        H5Pset_fill_value(create, H5T_NATIVE_DOUBLE, &fill_value);
    if (add_before)
        add_before(create);
    hid_t set = -1;
    if (ztile_h5_set(create, config) >= 0 &&
        (set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT)) >= 0) {
        if (H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, in) < 0 ||
            H5Dflush(set) < 0) { /* chunks are compressed here at last */
            worst = INFINITY;
            look_at_stack();
        }
        H5Dclose(set);
        if (worst == 0) {
            set = H5Dopen2(file, name, H5P_DEFAULT);
            if (set < 0 || H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0)
                worst = INFINITY;
            H5Dclose(set);
        }
        for (int i = 0; worst < INFINITY && i < VALUES; i++)
            if (!isfinite(in[i]) ? memcmp(&in[i], &out[i], sizeof *in) != 0
                                 : !(fabs(out[i] - in[i]) <= worst))
                worst = !isfinite(in[i]) ? INFINITY : fabs(out[i] - in[i]);
    } else {
        worst = INFINITY;
        look_at_stack();
    }
    H5Pclose(create);
    H5Sclose(space);
    return worst;
}

static void expect(const char *name, hid_t type, int rank, const hsize_t *shape,
                   const hsize_t *chunk, const char *config, const double *in, double bound)
{
    const double worst = round_trip(name, type, rank, shape, chunk, config, in);
    if (!(worst <= bound)) {
        printf("%s, %s: largest error %g, not %g\n", name, config, worst, bound);
        H5Eprint2(H5E_DEFAULT, stdout);
        failures++;
    }
}

static const hsize_t shape[3] = {N0, N1, N2}, chunk[3] = {7, N1, 16};
static const hsize_t shape6[6] = {2, 5, 2, 4, 12, 15}, chunk6[6] = {2, 3, 2, 4, 12, 15};

static void check_bounds(void)
{
    static double v[VALUES], whole[VALUES];
    fill(v);
    for (int i = 0; i < VALUES; i++)
        whole[i] = floor(v[i]);
    expect("abs", H5T_NATIVE_DOUBLE, 3, shape, chunk, "abs=1e-3", v, 1e-3);
    expect("rel", H5T_NATIVE_DOUBLE, 3, shape, chunk, "rel=1e-6,range=-1000:1020", v, 2.02e-3);
    expect("lossless", H5T_NATIVE_DOUBLE, 3, shape, chunk, "lossless", v, 0);
    expect("nothing", H5T_NATIVE_DOUBLE, 3, shape, chunk, "", v, 0);
    expect("codec", H5T_NATIVE_DOUBLE, 3, shape, chunk, "codec=zfp,abs=0.5", v, 0.5);
    expect("sz", H5T_NATIVE_DOUBLE, 3, shape, chunk, "codec=sz,abs=1e-3", v, 1e-3);
    expect("ndzip", H5T_NATIVE_DOUBLE, 3, shape, chunk, "codec=ndzip,lossless", v, 0);
    expect("rate", H5T_NATIVE_DOUBLE, 3, shape, chunk, "rate=30,rate-align", v, 1e-2);
    expect("precision", H5T_NATIVE_DOUBLE, 3, shape, chunk, "precision=40", v, 1e-2);
    expect("expert", H5T_NATIVE_DOUBLE, 3, shape, chunk, "expert=0:4000:50:-20", v, 1e-2);
    expect("f32", H5T_NATIVE_FLOAT, 3, shape, chunk, "abs=0.01", v, 0.01);
    expect("i32", H5T_NATIVE_INT32, 3, shape, chunk, "abs=3", whole, 3);
    expect("i64", H5T_NATIVE_INT64, 3, shape, chunk, "lossless", whole, 0);
    for (int i = 0; i < VALUES; i++) /* both sides of the signed types' ends */
        whole[i] = 2147483648.0 + floor(100000 * v[i]);
    expect("u32", H5T_NATIVE_UINT32, 3, shape, chunk, "abs=50", whole, 50);
    expect("u32_exact", H5T_NATIVE_UINT32, 3, shape, chunk, "lossless", whole, 0);
    expect("u64", H5T_NATIVE_UINT64, 3, shape, chunk, "abs=50", whole, 50);
    expect("six_axes", H5T_NATIVE_DOUBLE, 6, shape6, chunk6, "abs=1e-3", v, 1e-3);
    expect("zfp_rate", H5T_NATIVE_DOUBLE, 3, shape, chunk, "format=zfp,rate=30", v, 1e-2);
    expect("zfp_abs", H5T_NATIVE_FLOAT, 3, shape, chunk, "format=zfp,abs=0.01", v, 0.01);
    expect("zfp_exact", H5T_NATIVE_DOUBLE, 3, shape, chunk, "format=zfp,lossless", v, 0);
    expect("zfp_expert", H5T_NATIVE_DOUBLE, 3, shape, chunk, "format=zfp,expert=1:4000:50:-20", v,
           1e-2);
    fill_value = 4294960000.0; /* chunks reach beyond the dataset: padded with it */
    for (int i = 0; i < VALUES; i += 7)
        whole[i] = fill_value;
    expect("filled_u32", H5T_NATIVE_UINT32, 3, shape, chunk, "abs=50", whole, 50);
    fill_value = -9999;
    for (int i = 0; i < VALUES; i += 7)
        whole[i] = v[i] = fill_value;
    expect("filled_f32", H5T_NATIVE_FLOAT, 3, shape, chunk, "abs=0.01", v, 0.01);
    expect("filled_i64", H5T_NATIVE_INT64, 3, shape, chunk, "abs=3", whole, 3);
    fill_value = 0;
    v[5] = NAN;
    v[77] = INFINITY;
    v[78] = -INFINITY;
    expect("nonfinite", H5T_NATIVE_DOUBLE, 3, shape, chunk, "abs=1e-3", v, 1e-3);
}

static void refuse(const char *name, hid_t type, int rank, const hsize_t *extents,
                   const hsize_t *chunks, const char *config, const double *in, const char *words)
{
    wanted = words;
    was_said = 0;
    const double worst = round_trip(name, type, rank, extents, chunks, config, in);
    if (worst != INFINITY)
        complain(name, "was not refused");
    if (!was_said)
        complain(name, "our sentence was not on the error stack");
}

static void check_refusals(void)
{
    static double v[VALUES];
    fill(v);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    refuse("i16", H5T_NATIVE_INT16, 3, shape, chunk, "abs=1", v, "not integers of 2");
    refuse("big", H5T_IEEE_F64BE, 3, shape, chunk, "abs=1", v, "byte order");
    refuse("six", H5T_NATIVE_DOUBLE, 6, shape6, chunk6, "format=zfp,abs=1", v, "6 axes");
    refuse("words", H5T_NATIVE_DOUBLE, 3, shape, chunk, "abs=fish", v, "\"abs=fish\"");
    refuse("rel", H5T_NATIVE_DOUBLE, 3, shape, chunk, "rel=1e-3", v, "range=LO:HI");
    refuse("two", H5T_NATIVE_DOUBLE, 3, shape, chunk, "abs=1,lossless", v, "only one bound");
    refuse("less", H5T_NATIVE_DOUBLE, 3, shape, chunk, "abs=-1", v, "-1");
    v[9] = NAN;
    refuse("nan", H5T_NATIVE_DOUBLE, 3, shape, chunk, "format=zfp,abs=1e-3", v, "NaN");
    v[9] = 0;
    setenv("ZTILE_THREADS", "many", 1);
    refuse("threads", H5T_NATIVE_DOUBLE, 3, shape, chunk, "abs=1", v, "ZTILE_THREADS");
    setenv("ZTILE_THREADS", "2", 1);
    expect("threads", H5T_NATIVE_DOUBLE, 3, shape, chunk, "format=zfp,abs=1e-3", v, 1e-3);
    unsetenv("ZTILE_THREADS");

    /* foreign numbers */
    const unsigned nonsense[] = {7, 8, 9, 10};
    hid_t create = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(3, shape, NULL);
    H5Pset_chunk(create, 3, chunk);
    H5Pset_filter(create, ZTILE_H5_FILTER, H5Z_FLAG_MANDATORY, 4, nonsense);
    if (H5Dcreate2(file, "x", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, create, H5P_DEFAULT) >= 0)
        complain("cd_values of nobody", "were not refused");
    wanted = "no table";
    was_said = 0;
    look_at_stack();
    if (!was_said)
        complain("cd_values of nobody", "our sentence was not on the error stack");
    H5Pclose(create);
    H5Sclose(space);
}

/* A bound would hold for shuffled bytes, and for no value. */
static void check_filter_before_ours_loses_the_bound(void)
{
    static double v[VALUES];
    fill(v);
    v[11] = NAN; /* and, shuffled, many more bit patterns */
    add_before = H5Pset_shuffle;
    refuse("before", H5T_NATIVE_FLOAT, 3, shape, chunk, "abs=1e-3", v,
           "shuffle (filter 2) stands before filter 48613");
    refuse("before", H5T_NATIVE_FLOAT, 3, shape, chunk, "format=zfp,abs=1e-3", v,
           "shuffle (filter 2) stands before filter 32013");
    expect("before_exact", H5T_NATIVE_DOUBLE, 3, shape, chunk, "lossless", v, 0);
    expect("before_zfp_exact", H5T_NATIVE_DOUBLE, 3, shape, chunk, "format=zfp,lossless", v, 0);
    add_before = scale;
    refuse("before", H5T_NATIVE_FLOAT, 3, shape, chunk, "abs=1e-3", v, "scaleoffset=None");
    refuse("before", H5T_NATIVE_FLOAT, 3, shape, chunk, "lossless", v, "have not the bytes");
    add_before = NULL;
}

/* Noise, in a shape whose tiles zfp fills in part only. */
static void check_chunk_that_would_grow(const char *name, const char *config, unsigned flags,
                                        size_t most)
{
    static const hsize_t columns[4] = {VALUES / 8, 2, 2, 2};
    static float v[VALUES], out[VALUES];
    uint32_t bits = 1;
    unsigned words[ZTILE_H5_ASKED_WORDS];
    struct ztile_h5_config c;
    for (int i = 0; i < VALUES; i++) {
        bits = bits * 1664525u + 1013904223u;
        const uint32_t finite = bits & 0xbfffffffu;
        memcpy(&v[i], &finite, sizeof finite);
    }
    hid_t create = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(4, columns, NULL);
    H5Pset_chunk(create, 4, columns);
    ztile_h5_parse(config, &c);
    H5Pset_filter(create, c.filter, flags, ztile_h5_words(&c, words), words);
    hid_t set = H5Dcreate2(file, name, H5T_NATIVE_FLOAT, space, H5P_DEFAULT, create, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, v);
    H5Dflush(set);
    if (H5Dget_storage_size(set) > sizeof v + most)
        complain(name, "a chunk grows");
    H5Dclose(set);
    set = H5Dopen2(file, name, H5P_DEFAULT);
    H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
    if (memcmp(v, out, sizeof v) != 0)
        complain(name, "a chunk has other values");
    H5Dclose(set);
    H5Pclose(create);
    H5Sclose(space);
}

/* A chunk of a file that was damaged: an error with our sentence when it is read. */
static void check_damage(void)
{
    static double out[VALUES];
    hid_t set = H5Dopen2(file, "abs", H5P_DEFAULT);
    const hsize_t at[3] = {0, 0, 0};
    hsize_t bytes = 0;
    uint32_t mask = 0;
    H5Dget_chunk_storage_size(set, at, &bytes);
    unsigned char *chunk_bytes = malloc(bytes);
    H5Dread_chunk(set, H5P_DEFAULT, at, &mask, chunk_bytes);
    chunk_bytes[bytes / 2] ^= 0x40;
    H5Dwrite_chunk(set, H5P_DEFAULT, mask, at, bytes, chunk_bytes);
    H5Dclose(set);
    set = H5Dopen2(file, "abs", H5P_DEFAULT);
    if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0)
        complain("a damaged chunk", "is read");
    wanted = "damaged";
    was_said = 0;
    look_at_stack();
    if (!was_said)
        complain("a damaged chunk", "our sentence was not on the error stack");
    H5Dclose(set);
    free(chunk_bytes);
}

int main(int argc, char **argv)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/client_test.h5", argc > 1 ? argv[1] : ".");
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0)
        return 1;
    check_bounds();
    check_refusals();
    check_filter_before_ours_loses_the_bound();
    check_chunk_that_would_grow("grown", "codec=zfp,lossless", H5Z_FLAG_OPTIONAL, 0);
    check_chunk_that_would_grow("grown_zfp", "format=zfp,lossless", H5Z_FLAG_OPTIONAL, 0);
    check_chunk_that_would_grow("grown_raw", "codec=zfp,lossless", H5Z_FLAG_MANDATORY,
                                4 * VALUES / 5000 + 160);
    check_damage();
    H5Fclose(file);
    printf("%d failures\n", failures);
    return failures > 0;
}
