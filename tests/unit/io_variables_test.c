/* io_variables_test.c: netCDF and HDF5 in io/: every type and rank both ways, packed values, types
 * that are refused, and the finding of variables. The files are made here with the libraries. */
#include "io_support.h"

#include <math.h>
#if ZTIO_HAVE_NETCDF
#include <netcdf.h>
#endif
#if ZTIO_HAVE_HDF5
#include <hdf5.h>
#endif

#if ZTIO_HAVE_NETCDF || ZTIO_HAVE_HDF5
static const uint32_t all_types[] = {ZT_F32, ZT_F64, ZT_I32, ZT_I64};
static const uint64_t all_shapes[4][4] = {{7}, {5, 3}, {5, 3, 2}, {5, 1, 3, 2}};

/* Every type and rank, with the first extent known and unknown. */
static void round_trip(const char *file, enum ztio_format format)
{
    char place[64];
    for (int k = 0; k < 32; k++) {
        uint32_t rank = 1 + (uint32_t)k / 4 % 4;
        struct ztio_meta meta = meta_of(all_types[k % 4], rank, all_shapes[rank - 1]);
        uint64_t slices = meta.shape[0];
        void *values = values_of(meta.type, count_of(&meta));
        strcpy(meta.units, "m s\xe2\x81\xbb\xc2\xb9");
        strcpy(meta.name, "wind");
        meta.has_fill = k % 3 == 0;
        meta.fill = -999;
        if (k >= 16)
            meta.shape[0] = ZT_UNKNOWN;
        write_place(file, &meta, slices, values);
        snprintf(place, sizeof place, "%s%s", file, k % 2 ? ":wind" : "");
        struct ztio_input *input = open_place(place, NULL);
        const struct ztio_meta *found = ztio_meta_of(input);
        assert_int_equal(found->format, format);
        assert_int_equal(found->type, meta.type);
        assert_int_equal(found->rank, rank);
        assert_int_equal(found->shape[0], slices);
        assert_string_equal(found->name, "wind");
        assert_string_equal(found->units, meta.units);
        assert_true(found->has_fill == meta.has_fill);
        assert_true(!found->has_fill || found->fill == -999);
        assert_true(ztio_is_seekable(input));
        expect_values(input, values, 3);
        ztio_close(input);
        free(values);
        empty_folder(NULL);
    }
}

/* A name in the place, names that are none, nothing left behind. */
static void name_outputs(const char *file)
{
    char place[64];
    struct ztio_meta meta = meta_of(ZT_F32, 1, (uint64_t[]){7});
    void *values = values_of(ZT_F32, 7);
    snprintf(place, sizeof place, "%s:/deep/down/x", file);
    write_place(place, &meta, 7, values);
    struct ztio_input *input = open_place(place, NULL);
    assert_string_equal(ztio_meta_of(input)->name, "x");
    expect_values(input, values, 7);
    ztio_close(input);
    assert_int_equal(entries(), 1);
    assert_null(ztio_create(place, &meta, NULL, &error));
    assert_non_null(strstr(error.sentence, "exists; -f overwrites it"));
    assert_int_equal(unlink(file), 0);

    strcpy(meta.name, "a/b");
    write_place(file, &meta, 7, values);
    snprintf(place, sizeof place, "%s:data", file);
    ztio_close(open_place(place, NULL));
    assert_int_equal(unlink(file), 0);

    struct ztio_output *output = ztio_create(file, &meta, NULL, &error);
    assert_true(ztio_write(output, 3, values, &error));
    ztio_abandon(output);
    assert_int_equal(entries(), 0);
    free(values);
}

/* Prefixes of a good file, and noise. */
static void survive_damage(const char *file)
{
    size_t n;
    struct ztio_meta meta = meta_of(ZT_F32, 2, (uint64_t[]){20, 30});
    float *values = values_of(ZT_F32, 600);
    float *slab = malloc(600 * sizeof *slab);
    uint64_t got;
    write_place(file, &meta, 20, values);
    char *data = get_file(file, &n);
    for (size_t cut = 0; cut < n; cut += cut < 64 ? 1 : 97) {
        put_file(file, data, cut);
        struct ztio_input *input = ztio_open(file, NULL, &error);
        if (!input)
            continue;
        (void)ztio_read(input, 0, 20, slab, &got, &error);
        ztio_close(input);
    }
    put_file(file, "no such thing", 13);
    expect_refusal(file, NULL, ZTIO_BAD_DATA, "cannot be read as");
    free(slab);
    free(values);
    free(data);
}

/* Slabs thinner than a chunk, from a file with chunks of which a layer exceeds 1 MiB. */
static void expect_chunks(const char *file, const float *values)
{
    struct ztio_input *input = open_place(file, NULL);
    assert_int_equal(ztio_meta_of(input)->shape[0], 20);
    expect_values(input, values, 3);
    ztio_close(input);
}

static void expect_places(const char *file, size_t count, const char *const *expected)
{
    char **places = NULL;
    size_t found = 0;
    if (!ztio_places(file, &places, &found, &error))
        fail_msg("%s", error.sentence);
    assert_int_equal(found, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(places[i], expected[i]);
    ztio_places_free(places, found);
}

/* The values a place unpacks to; NaN equals NaN. */
static void expect_unpacked(const char *place, uint32_t type, size_t n, const double *expected)
{
    double slab[16];
    uint64_t got;
    struct ztio_input *input = open_place(place, NULL);
    assert_int_equal(ztio_meta_of(input)->type, type);
    assert_false(ztio_meta_of(input)->has_fill);
    assert_true(ztio_read(input, 0, n, slab, &got, &error));
    for (size_t i = 0; i < n; i++) {
        double v = type == ZT_F32 ? (double)((const float *)slab)[i] : slab[i];
        double e = type == ZT_F32 ? (double)(float)expected[i] : expected[i];
        if (!(v == e || (isnan(v) && isnan(e))))
            fail_msg("%s: value %zu is %g, not %g", place, i, v, e);
    }
    ztio_close(input);
}
#endif

/* ---- netCDF -------------------------------------------------------------------------------- */

#if ZTIO_HAVE_NETCDF
#define NC(call) assert_int_equal(call, NC_NOERR)

static void netcdf_round_trips_every_type_and_rank(void **state)
{
    (void)state;
    round_trip("a.nc", ZTIO_NETCDF);
}

static void netcdf_outputs_are_named(void **state)
{
    (void)state;
    name_outputs("a.nc");
}

static void damaged_netcdf_files_are_survived(void **state)
{
    (void)state;
    survive_damage("a.nc");
}

static void a_full_disk_leaves_no_netcdf_file(void **state)
{
    (void)state;
    expect_no_space("a.nc", 4 << 20);
}

static void classic_files_are_read_by_suffix_and_magic(void **state)
{
    static const int modes[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4,
                                NC_NETCDF4 | NC_CLASSIC_MODEL};
    static const char *const names[] = {"a.nc", "b.nc", "no-suffix", "c.cdf", "d.nc4"};
    float *values = values_of(ZT_F32, 6);
    (void)state;
    for (int i = 0; i < 5; i++) {
        int file, dims[2], id;
        NC(nc_create(names[i], NC_CLOBBER | modes[i], &file));
        NC(nc_def_dim(file, "t", NC_UNLIMITED, &dims[0]));
        NC(nc_def_dim(file, "x", 2, &dims[1]));
        NC(nc_def_var(file, "v", NC_FLOAT, 2, dims, &id));
        NC(nc_enddef(file));
        NC(nc_put_vara_float(file, id, (size_t[]){0, 0}, (size_t[]){3, 2}, values));
        NC(nc_close(file));
        struct ztio_input *input = open_place(names[i], NULL);
        assert_int_equal(ztio_meta_of(input)->shape[0], 3);
        expect_values(input, values, 2);
        ztio_close(input);
    }
    free(values);
}

static void large_netcdf_chunks_are_read_in_slabs(void **state)
{
    int file, dims[3], id;
    float *values = values_of(ZT_F32, 20 * 200 * 200);
    (void)state;
    NC(nc_create("a.nc", NC_CLOBBER | NC_NETCDF4, &file));
    NC(nc_def_dim(file, "z", 20, &dims[0]));
    NC(nc_def_dim(file, "y", 200, &dims[1]));
    NC(nc_def_dim(file, "x", 200, &dims[2]));
    NC(nc_def_var(file, "v", NC_FLOAT, 3, dims, &id));
    NC(nc_def_var_chunking(file, id, NC_CHUNKED, (size_t[]){10, 110, 110}));
    NC(nc_def_var_deflate(file, id, 1, 1, 1));
    NC(nc_put_var_float(file, id, values));
    NC(nc_close(file));
    expect_chunks("a.nc", values);
    free(values);
}

/* libnetcdf would read zeros for what is cut off. */
static void classic_files_that_are_cut_short_are_refused(void **state)
{
    static const int modes[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA};
    (void)state;
    for (int i = 0; i < 9; i++) {
        int file, dims[2], id, other;
        size_t n;
        NC(nc_create("a.nc", NC_CLOBBER | modes[i % 3], &file));
        NC(nc_def_dim(file, "t", i < 6 ? NC_UNLIMITED : 3, &dims[0]));
        NC(nc_def_dim(file, "x", 3, &dims[1]));
        NC(nc_put_att_text(file, NC_GLOBAL, "title", 5, "title"));
        NC(nc_def_var(file, "p", NC_SHORT, 2, dims, &id));
        NC(nc_put_att_float(file, id, "scale_factor", NC_FLOAT, 1, &(float){1}));
        if (i >= 3)
            NC(nc_def_var(file, "v", NC_DOUBLE, 2, dims, &other));
        NC(nc_enddef(file));
        NC(nc_put_vara_int(file, id, (size_t[]){0, 0}, (size_t[]){3, 3},
                           (int[]){1, 2, 3, 4, 5, 6, 7, 8, 9}));
        NC(nc_close(file));
        expect_unpacked("a.nc:p", ZT_F32, 3, (double[]){1, 2, 3});
        free(get_file("a.nc", &n));
        assert_int_equal(truncate("a.nc", (off_t)n - 5), 0);
        expect_refusal("a.nc:p", NULL, ZTIO_BAD_DATA,
                       "a.nc was cut short: its variables reach to byte");
        for (size_t cut = n - 6; cut >= 4; cut--) {
            assert_int_equal(truncate("a.nc", (off_t)cut), 0);
            assert_null(ztio_open("a.nc:p", NULL, &error));
            assert_int_equal(error.exit_status, ZTIO_BAD_DATA);
        }
    }
}

/* A file with packed variables of six values, stored as these. */
static void make_packed_netcdf(void)
{
    static const short shorts[6] = {0, 1, -1, 32767, -32767, -9};
    int file, dim, id;
    NC(nc_create("p.nc", NC_CLOBBER | NC_NETCDF4, &file));
    NC(nc_def_dim(file, "x", 6, &dim));

    NC(nc_def_var(file, "short_float", NC_SHORT, 1, &dim, &id));
    NC(nc_put_att_float(file, id, "scale_factor", NC_FLOAT, 1, &(float){0.5f}));
    NC(nc_put_att_float(file, id, "add_offset", NC_FLOAT, 1, &(float){100}));
    NC(nc_def_var_fill(file, id, NC_FILL, &(short){-32767}));
    NC(nc_put_att_short(file, id, "missing_value", NC_SHORT, 2, (short[]){-9, -8}));
    NC(nc_put_var_short(file, id, shorts));

    NC(nc_def_var(file, "short_double", NC_SHORT, 1, &dim, &id));
    NC(nc_put_att_double(file, id, "scale_factor", NC_DOUBLE, 1, &(double){0.1}));
    NC(nc_put_var_short(file, id, shorts));

    NC(nc_def_var(file, "unsigned_byte", NC_BYTE, 1, &dim, &id));
    NC(nc_put_att_float(file, id, "add_offset", NC_FLOAT, 1, &(float){1}));
    NC(nc_put_att_text(file, id, "_Unsigned", 4, "true"));
    NC(nc_put_att_schar(file, id, "_FillValue", NC_BYTE, 1, &(signed char){-1}));
    NC(nc_put_var_schar(file, id, (signed char[]){0, 1, -128, -2, 127, -1}));

    NC(nc_def_var(file, "int_float", NC_INT, 1, &dim, &id));
    NC(nc_put_att_float(file, id, "scale_factor", NC_FLOAT, 1, &(float){2}));
    NC(nc_put_var_int(file, id, (int[]){0, 16777217, -1, 2147483647, -2147483647, 5}));

    NC(nc_def_var(file, "ushort", NC_USHORT, 1, &dim, &id));
    NC(nc_put_att_float(file, id, "scale_factor", NC_FLOAT, 1, &(float){2}));
    NC(nc_put_var_ushort(file, id, (unsigned short[]){0, 1, 2, 65535, 32768, 5}));

    NC(nc_def_var(file, "worded", NC_SHORT, 1, &dim, &id));
    NC(nc_put_att_text(file, id, "scale_factor", 1, "2"));
    NC(nc_close(file));
}

static void packed_netcdf_is_unpacked(void **state)
{
    (void)state;
    make_packed_netcdf();
    expect_unpacked("p.nc:short_float", ZT_F32, 6,
                    (double[]){100, 100.5, 99.5, 16483.5, (double)NAN, (double)NAN});
    expect_unpacked("p.nc:short_double", ZT_F64, 6,
                    (double[]){0, 0.1, -0.1, 32767 * 0.1, -32767 * 0.1, -9 * 0.1});
    expect_unpacked("p.nc:unsigned_byte", ZT_F32, 6, (double[]){1, 2, 129, 255, 128, (double)NAN});
    expect_unpacked("p.nc:int_float", ZT_F64, 6,
                    (double[]){0, 33554434, -2, 4294967294.0, -4294967294.0, 10});
    expect_unpacked("p.nc:ushort", ZT_F32, 6, (double[]){0, 2, 4, 131070, 65536, 10});
    expect_refusal("p.nc:worded", NULL, ZTIO_BAD_DATA, "scale_factor or add_offset is no finite");
    expect_places("p.nc", 5,
                  (const char *const[]){"p.nc:short_float", "p.nc:short_double",
                                        "p.nc:unsigned_byte", "p.nc:int_float", "p.nc:ushort"});
}

/* Variables of all kinds, in groups too. */
static void make_mixed_netcdf(void)
{
    int file, group, inner, dims[6], id;
    nc_type pair;
    NC(nc_create("m.nc", NC_CLOBBER | NC_NETCDF4, &file));
    NC(nc_def_dim(file, "t", NC_UNLIMITED, &dims[0]));
    NC(nc_def_dim(file, "x", 2, &dims[1]));
    NC(nc_def_dim(file, "one", 1, &dims[2]));
    for (int i = 3; i < 6; i++) {
        char name[16];
        snprintf(name, sizeof name, "d%d", i);
        NC(nc_def_dim(file, name, 2, &dims[i]));
    }
    NC(nc_def_var(file, "x", NC_DOUBLE, 1, &dims[1], &id)); /* a coordinate */
    NC(nc_def_var(file, "short", NC_SHORT, 1, &dims[1], &id));
    NC(nc_def_var(file, "letters", NC_CHAR, 1, &dims[1], &id));
    NC(nc_def_var(file, "words", NC_STRING, 1, &dims[1], &id));
    NC(nc_def_var(file, "uint", NC_UINT, 1, &dims[1], &id));
    NC(nc_def_var(file, "unsigned", NC_INT, 1, &dims[1], &id));
    NC(nc_put_att_text(file, id, "_Unsigned", 4, "true"));
    NC(nc_def_compound(file, 8, "pair_t", &pair));
    NC(nc_insert_compound(file, pair, "a", 0, NC_FLOAT));
    NC(nc_insert_compound(file, pair, "b", 4, NC_FLOAT));
    NC(nc_def_var(file, "pair", pair, 1, &dims[1], &id));
    NC(nc_def_var(file, "scalar", NC_FLOAT, 0, NULL, &id));
    NC(nc_def_var(file, "none", NC_FLOAT, 1, &dims[0], &id)); /* no records yet */
    NC(nc_def_var(file, "count", NC_INT, 1, &dims[1], &id));
    NC(nc_def_var(file, "wide", NC_FLOAT, 6,
                  (int[]){dims[2], dims[1], dims[2], dims[3], dims[4], dims[5]}, &id));
    NC(nc_def_var(file, "deep", NC_FLOAT, 5, (int[]){dims[1], dims[1], dims[3], dims[4], dims[5]},
                  &id));
    NC(nc_def_grp(file, "g", &group));
    NC(nc_def_grp(group, "h", &inner));
    NC(nc_def_var(inner, "v", NC_DOUBLE, 1, &dims[1], &id));
    NC(nc_put_att_string(inner, id, "units", 1, (const char *[]){"kelvin"}));
    NC(nc_put_att_double(inner, id, "missing_value", NC_DOUBLE, 2, (double[]){-7, -8}));
    NC(nc_put_var_double(inner, id, (double[]){1, 2}));
    NC(nc_close(file));
}

static void netcdf_variables_are_found_or_refused(void **state)
{
    (void)state;
    make_mixed_netcdf();
    expect_refusal("m.nc:short", NULL, ZTIO_BAD_DATA, "m.nc:short: type short is not one");
    expect_refusal("m.nc:letters", NULL, ZTIO_BAD_DATA, "type char is not");
    expect_refusal("m.nc:words", NULL, ZTIO_BAD_DATA, "type string is not");
    expect_refusal("m.nc:uint", NULL, ZTIO_BAD_DATA, "type uint is not");
    expect_refusal("m.nc:unsigned", NULL, ZTIO_BAD_DATA, "type uint is not");
    expect_refusal("m.nc:pair", NULL, ZTIO_BAD_DATA, "type pair_t is not");
    expect_refusal("m.nc:scalar", NULL, ZTIO_BAD_DATA, "is a single value");
    expect_refusal("m.nc:none", NULL, ZTIO_BAD_DATA, "no values in it: its shape is 0");
    expect_refusal("m.nc:deep", NULL, ZTIO_BAD_DATA, "has 5 axes");
    expect_refusal("m.nc:nothing", NULL, ZTIO_BAD_USE,
                   "m.nc has no variable nothing; it has count, wide, /g/h/v");
    expect_refusal("m.nc:/g/x/v", NULL, ZTIO_BAD_USE, "m.nc has no variable /g/x/v");
    expect_refusal("m.nc", NULL, ZTIO_BAD_USE,
                   "m.nc holds 3 variables (count, wide, /g/h/v); name one, as in m.nc:count");
    expect_places("m.nc", 2, (const char *const[]){"m.nc:wide", "m.nc:/g/h/v"});

    struct ztio_input *input = open_place("m.nc:g/h/v", NULL);
    assert_string_equal(ztio_meta_of(input)->name, "v");
    assert_string_equal(ztio_meta_of(input)->units, "kelvin");
    assert_true(ztio_meta_of(input)->has_fill && ztio_meta_of(input)->fill == -7);
    expect_values(input, (double[]){1, 2}, 1);
    ztio_close(input);
    ztio_close(open_place("m.nc:x", NULL)); /* a coordinate that is named is what is meant */

    input = open_place("m.nc:wide", NULL); /* 1x2x1x2x2x2 */
    assert_int_equal(ztio_meta_of(input)->rank, 4);
    assert_int_equal(ztio_meta_of(input)->shape[0], 2);
    float fill[16];
    for (int i = 0; i < 16; i++)
        fill[i] = NC_FILL_FLOAT;
    expect_values(input, fill, 1);
    ztio_close(input);
}

static void the_only_float_variable_need_not_be_named(void **state)
{
    int file, dim, id;
    (void)state;
    NC(nc_create("a.nc", NC_CLOBBER, &file));
    NC(nc_def_dim(file, "x", 2, &dim));
    NC(nc_def_var(file, "x", NC_FLOAT, 1, &dim, &id));
    NC(nc_def_var(file, "n", NC_INT, 1, &dim, &id));
    NC(nc_close(file));
    struct ztio_input *input = open_place("a.nc", NULL);
    assert_string_equal(ztio_meta_of(input)->name, "n");
    ztio_close(input);
    char **places;
    size_t count;
    assert_false(ztio_places("a.nc", &places, &count, &error));
    assert_non_null(strstr(error.sentence, "no float variable; name one of the others (n)"));

    NC(nc_create("b.nc", NC_CLOBBER, &file));
    NC(nc_def_dim(file, "x", 2, &dim));
    NC(nc_def_var(file, "n", NC_INT, 1, &dim, &id));
    NC(nc_def_var(file, "v", NC_FLOAT, 1, &dim, &id));
    NC(nc_close(file));
    input = open_place("b.nc", NULL);
    assert_string_equal(ztio_meta_of(input)->name, "v");
    ztio_close(input);

    NC(nc_create("c.nc", NC_CLOBBER, &file));
    NC(nc_close(file));
    expect_refusal("c.nc", NULL, ZTIO_BAD_DATA, "c.nc has no variable of 1 to 4 axes");
    assert_int_equal(rename("b.nc", "run:b.nc"), 0);
    ztio_close(open_place("run:b.nc", NULL));
    ztio_close(open_place("run:b.nc:v", NULL));
}
#endif

/* ---- HDF5 ---------------------------------------------------------------------------------- */

#if ZTIO_HAVE_HDF5
static void hdf5_round_trips_every_type_and_rank(void **state)
{
    (void)state;
    round_trip("a.h5", ZTIO_HDF5);
}

static void hdf5_outputs_are_named(void **state)
{
    (void)state;
    name_outputs("a.h5");
}

static void damaged_hdf5_files_are_survived(void **state)
{
    (void)state;
    survive_damage("a.h5");
}

static void a_full_disk_leaves_no_hdf5_file(void **state)
{
    (void)state;
    expect_no_space("a.h5", 4 << 20);
}

/* A dataset of rank 'rank', each extent 2, of a type in the file; values may be NULL. */
static hid_t put_dataset(hid_t file, const char *name, hid_t type, int rank, hid_t memory,
                         const void *values)
{
    static const hsize_t dims[6] = {2, 2, 2, 2, 2, 2};
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t space = H5Screate_simple(rank, dims, NULL);
    hid_t dataset = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(dataset >= 0);
    if (values)
        assert_true(H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Pclose(links);
    return dataset;
}

static void put_attribute(hid_t dataset, const char *name, hid_t type, hid_t memory,
                          const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, memory, value) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

static hid_t string_type(size_t bytes)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, bytes);
    return type;
}

static void hdf5_of_any_byte_order_is_read(void **state)
{
    const double values[2] = {1, -2};
    const struct {
        hid_t type;
        uint32_t is;
    } types[] = {{H5T_IEEE_F32LE, ZT_F32}, {H5T_IEEE_F32BE, ZT_F32}, {H5T_IEEE_F64LE, ZT_F64},
                 {H5T_IEEE_F64BE, ZT_F64}, {H5T_STD_I32LE, ZT_I32},  {H5T_STD_I32BE, ZT_I32},
                 {H5T_STD_I64LE, ZT_I64},  {H5T_STD_I64BE, ZT_I64}};
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        H5Dclose(put_dataset(file, "v", types[i].type, 1, H5T_NATIVE_DOUBLE, values));
        H5Fclose(file);
        struct ztio_input *input = open_place("a.h5", NULL);
        assert_int_equal(ztio_meta_of(input)->type, types[i].is);
        switch (types[i].is) {
        case ZT_F32: expect_values(input, (float[]){1, -2}, 1); break;
        case ZT_F64: expect_values(input, values, 1); break;
        case ZT_I32: expect_values(input, (int32_t[]){1, -2}, 1); break;
        default: expect_values(input, (int64_t[]){1, -2}, 1); break;
        }
        ztio_close(input);
    }
}

/* Datasets of all kinds. */
static void make_mixed_hdf5(void)
{
    hid_t file = H5Fcreate("m.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t text = string_type(16), pair = H5Tcreate(H5T_COMPOUND, 8);
    hid_t half = H5Tcopy(H5T_IEEE_F32LE), odd = H5Tcopy(H5T_STD_I32LE);
    hid_t level = H5Tenum_create(H5T_NATIVE_INT);
    H5Tinsert(pair, "a", 0, H5T_NATIVE_FLOAT);
    H5Tset_fields(half, 15, 10, 5, 0, 10);
    H5Tset_ebias(half, 15);
    H5Tset_size(half, 2);
    H5Tset_precision(odd, 24);
    H5Tenum_insert(level, "low", &(int){0});
    H5Dclose(put_dataset(file, "half", half, 1, 0, NULL));
    H5Dclose(put_dataset(file, "odd", odd, 1, 0, NULL));
    H5Dclose(put_dataset(file, "text", text, 1, 0, NULL));
    H5Dclose(put_dataset(file, "pair", pair, 1, 0, NULL));
    H5Dclose(put_dataset(file, "level", level, 1, 0, NULL));
    H5Dclose(put_dataset(file, "short", H5T_STD_I16LE, 1, 0, NULL));
    H5Dclose(put_dataset(file, "unsigned", H5T_STD_U32BE, 1, 0, NULL));
    H5Dclose(put_dataset(file, "wide", H5T_IEEE_F32LE, 5, 0, NULL));
    hid_t v = put_dataset(file, "g/v", H5T_IEEE_F32BE, 2, H5T_NATIVE_FLOAT, (float[]){1, 2, 3, 4});
    put_attribute(v, "units", text, text, "kelvin\0         ");
    put_attribute(v, "_FillValue", H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, &(float){-5});
    H5Dclose(v);
    hid_t x = put_dataset(file, "x", H5T_IEEE_F32BE, 1, 0, NULL);
    put_attribute(x, "CLASS", text, text, "DIMENSION_SCALE");
    H5Dclose(x);
    hid_t packed = put_dataset(file, "packed", H5T_STD_U16BE, 1, H5T_NATIVE_INT, (int[]){65535, 7});
    put_attribute(packed, "scale_factor", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, &(double){0.25});
    put_attribute(packed, "add_offset", H5T_IEEE_F32BE, H5T_NATIVE_DOUBLE, &(double){-1});
    put_attribute(packed, "missing_value", H5T_STD_U16BE, H5T_NATIVE_INT, &(int){7});
    H5Dclose(packed);
    H5Tclose(text);
    H5Tclose(pair);
    H5Tclose(half);
    H5Tclose(odd);
    H5Tclose(level);
    H5Fclose(file);
}

static void hdf5_datasets_are_found_or_refused(void **state)
{
    (void)state;
    make_mixed_hdf5();
    expect_refusal("m.h5:half", NULL, ZTIO_BAD_DATA, "type float of 16 bits is not one");
    expect_refusal("m.h5:odd", NULL, ZTIO_BAD_DATA, "type integer of 24 bits is not one");
    expect_refusal("m.h5:/text", NULL, ZTIO_BAD_DATA, "type string is not one");
    expect_refusal("m.h5:pair", NULL, ZTIO_BAD_DATA, "type compound is not one");
    expect_refusal("m.h5:level", NULL, ZTIO_BAD_DATA, "type enumeration is not one");
    expect_refusal("m.h5:short", NULL, ZTIO_BAD_DATA, "type i16 is not one");
    expect_refusal("m.h5:unsigned", NULL, ZTIO_BAD_DATA, "type u32 is not one");
    expect_refusal("m.h5:wide", NULL, ZTIO_BAD_DATA, "has 5 axes");
    expect_refusal("m.h5:g", NULL, ZTIO_BAD_USE, "m.h5 has no variable g; it has g/v, packed");
    expect_refusal("m.h5", NULL, ZTIO_BAD_USE, "m.h5 holds 2 variables (g/v, packed)");
    expect_places("m.h5", 2, (const char *const[]){"m.h5:g/v", "m.h5:packed"});
    expect_unpacked("m.h5:packed", ZT_F64, 2, (double[]){65535 * 0.25 - 1, (double)NAN});
    struct ztio_input *input = open_place("m.h5:/g/v", NULL);
    assert_string_equal(ztio_meta_of(input)->units, "kelvin");
    assert_true(ztio_meta_of(input)->has_fill && ztio_meta_of(input)->fill == -5);
    expect_values(input, (float[]){1, 2, 3, 4}, 1);
    ztio_close(input);
}

static void hdf5_is_found_by_magic(void **state)
{
    (void)state;
    hid_t file = H5Fcreate("plain", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    hid_t v = put_dataset(file, "v", H5T_IEEE_F32LE, 1, H5T_NATIVE_FLOAT, (float[]){1, 2});
    put_attribute(v, "units", text, text,
                  &(const char *){"a unit that has more than sixty-three "
                                  "bytes of text in its name"});
    H5Dclose(v);
    H5Tclose(text);
    H5Fclose(file);
    struct ztio_input *input = open_place("plain", NULL);
    assert_string_equal(ztio_meta_of(input)->units,
                        "a unit that has more than sixty-three bytes of text in its name");
    expect_values(input, (float[]){1, 2}, 2);
    ztio_close(input);
    expect_places("plain", 1, (const char *const[]){"plain:v"});
}

static void large_hdf5_chunks_are_read_in_slabs(void **state)
{
    float *values = values_of(ZT_F32, 20 * 200 * 200);
    (void)state;
    hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(3, (hsize_t[]){20, 200, 200}, NULL);
    H5Pset_chunk(layout, 3, (hsize_t[]){10, 110, 110});
    H5Pset_shuffle(layout);
    hid_t v = H5Dcreate2(file, "v", H5T_IEEE_F32BE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    assert_true(H5Dwrite(v, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(v);
    H5Sclose(space);
    H5Pclose(layout);
    H5Fclose(file);
    expect_chunks("a.h5", values);
    free(values);
}

static void a_fill_value_of_the_dataset_counts(void **state)
{
    (void)state;
    hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(1, (hsize_t[]){3}, NULL);
    H5Pset_fill_value(layout, H5T_NATIVE_FLOAT, &(float){1e20f});
    H5Dclose(H5Dcreate2(file, "v", H5T_IEEE_F32LE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(layout);
    H5Fclose(file);
    struct ztio_input *input = open_place("a.h5", NULL);
    assert_true(ztio_meta_of(input)->has_fill);
    assert_true(ztio_meta_of(input)->fill == (double)1e20f);
    expect_values(input, (float[]){1e20f, 1e20f, 1e20f}, 2);
    ztio_close(input);
}
#endif

/* ---- either -------------------------------------------------------------------------------- */

static void variables_do_not_come_through_pipes(void **state)
{
    struct ztio_meta hints = {.format = ZTIO_NETCDF};
    (void)state;
    feed_input("CDF\x01....", 8);
    expect_refusal("-", &hints, ZTIO_BAD_USE, "netCDF cannot be read from a pipe; name a file");
    give_back_input();
    hints.format = ZTIO_HDF5;
    feed_input("\x89HDF\r\n\x1a\n", 8);
    expect_refusal("-", &hints, ZTIO_BAD_USE, "HDF5 cannot be read from a pipe; name a file");
    give_back_input();
}

#if !ZTIO_HAVE_NETCDF || !ZTIO_HAVE_HDF5
static void what_this_build_lacks_is_said(void **state)
{
    const char *file = ZTIO_HAVE_NETCDF ? "a.h5" : "a.nc";
    const char *words =
        ZTIO_HAVE_NETCDF ? "this build of ztile has no HDF5" : "this build of ztile has no netCDF";
    struct ztio_meta meta = meta_of(ZT_F32, 1, (uint64_t[]){7});
    char **places;
    size_t count;
    (void)state;
    put_file(file, "....", 4);
    expect_refusal(file, NULL, ZTIO_LACKING, words);
    assert_false(ztio_places(file, &places, &count, &error));
    assert_int_equal(error.exit_status, ZTIO_LACKING);
    assert_null(ztio_create(file, &meta, &replace, &error));
    assert_non_null(strstr(error.sentence, words));
    assert_int_equal(entries(), 1);
}
#endif

/* HDF5 loses a chunk's memory when it cannot write it; the leak sanitizer asks here. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5\n";
}

#define TEST(name) cmocka_unit_test_teardown(name, empty_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
#if ZTIO_HAVE_NETCDF
        TEST(netcdf_round_trips_every_type_and_rank),
        TEST(netcdf_outputs_are_named),
        TEST(damaged_netcdf_files_are_survived),
        TEST(a_full_disk_leaves_no_netcdf_file),
        TEST(classic_files_are_read_by_suffix_and_magic),
        TEST(classic_files_that_are_cut_short_are_refused),
        TEST(large_netcdf_chunks_are_read_in_slabs),
        TEST(packed_netcdf_is_unpacked),
        TEST(netcdf_variables_are_found_or_refused),
        TEST(the_only_float_variable_need_not_be_named),
#endif
#if ZTIO_HAVE_HDF5
        TEST(hdf5_round_trips_every_type_and_rank),
        TEST(hdf5_outputs_are_named),
        TEST(damaged_hdf5_files_are_survived),
        TEST(a_full_disk_leaves_no_hdf5_file),
        TEST(hdf5_of_any_byte_order_is_read),
        TEST(hdf5_datasets_are_found_or_refused),
        TEST(hdf5_is_found_by_magic),
        TEST(large_hdf5_chunks_are_read_in_slabs),
        TEST(a_fill_value_of_the_dataset_counts),
#endif
        TEST(variables_do_not_come_through_pipes),
#if !ZTIO_HAVE_NETCDF || !ZTIO_HAVE_HDF5
        TEST(what_this_build_lacks_is_said),
#endif
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
