/* compress_field.c: compress a 3-D field with a bound on the error, look at the result, get back
 * all of it and a part of it.
 *
 *     cc compress_field.c $(pkg-config --cflags --libs ztile) -lm
 */
#include <ztile.h>
#include <ztile_quality.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NZ = 40, NY = 50, NX = 60 };

/* Say what went wrong, in one sentence, and give up. */
static void check(zt_status status, const zt_context *ctx, const char *what)
{
    if (status == ZT_OK)
        return;
    fprintf(stderr, "%s: %s (%s)\n", what, zt_context_error(ctx), zt_strerror(status));
    exit(1);
}

static void make_field(float *field)
{
    size_t i = 0;
    for (int z = 0; z < NZ; z++)
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++)
                field[i++] = sinf(0.11f * (float)x) * cosf(0.07f * (float)y) + 0.02f * (float)z;
}

int main(void)
{
    const double bound = 1e-3; /* no value may be off by more */
    float *field = (float *)malloc(sizeof(float) * NZ * NY * NX);
    float *back = (float *)malloc(sizeof(float) * NZ * NY * NX);
    if (!field || !back)
        return 1;
    make_field(field);

    /* A context holds the sentence of the last error; one for each thread that calls. */
    zt_context *ctx;
    check(zt_context_new(NULL, &ctx), NULL, "context");

    /* What is asked for. Everything that is not set here keeps its default. */
    zt_params params = zt_params_abs(bound);
    params.name = "height";
    params.units = "m";

    /* Shapes are slowest axis first. */
    zt_array array = zt_array_const_3d(field, ZT_F32, NZ, NY, NX);
    size_t capacity, bytes;
    check(zt_compress_bound(ctx, &array, &params, &capacity), ctx, "size");
    void *file = malloc(capacity);
    if (!file)
        return 1;
    check(zt_compress(ctx, &array, &params, file, capacity, &bytes), ctx, "compress");

    /* The result is a complete .zt file, and says what is in it. */
    zt_info info;
    check(zt_info_init(&info, sizeof info), ctx, "info");
    check(zt_inspect(ctx, file, bytes, &info), ctx, "inspect");
    printf("%s in %s, %u-D, slowest first %u x %u x %u\n", info.name, info.units,
           (unsigned)info.rank, (unsigned)info.shape[0], (unsigned)info.shape[1],
           (unsigned)info.shape[2]);
    printf("%u bytes became %u\n", (unsigned)info.raw_bytes, (unsigned)bytes);

    /* All of it, and how far it is off. */
    zt_array out = zt_array_3d(back, ZT_F32, NZ, NY, NX);
    check(zt_decompress(ctx, file, bytes, &out), ctx, "decompress");
    zt_quality quality;
    check(zt_quality_init(&quality, sizeof quality), ctx, "quality");
    quality.abs_bound = bound;
    check(zt_compare(ctx, &array, &out, &quality), ctx, "compare");
    printf("largest error %s the bound, PSNR above 60 dB: %s\n",
           quality.beyond_bound == 0 ? "within" : "BEYOND",
           zt_quality_psnr(&quality) > 60 ? "yes" : "no");

    /* A part of it: rows 10 to 13 of plane 5, half-open as everywhere. */
    float rows[3 * NX];
    zt_box box = {{5, 10, 0, 0}, {6, 13, NX, 0}};
    zt_array part = zt_array_3d(rows, ZT_F32, 1, 3, NX);
    check(zt_decompress_box(ctx, file, bytes, &box, &part), ctx, "box");
    printf("the box is the same values: %s\n",
           rows[NX + 7] == back[(5 * NY + 11) * NX + 7] ? "yes" : "no");

    int ok = quality.beyond_bound == 0;
    zt_context_free(ctx);
    free(file);
    free(back);
    free(field);
    return ok ? 0 : 1;
}
