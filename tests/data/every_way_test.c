/* every_way_test.c: each field of real data through every policy, index layout and by boxes, in
 * each mode of zfp.
 *
 *     every_way_test DATA_DIR [--mib N] [--only NAME]
 *
 * DATA_DIR holds MANIFEST.tsv and raw or zstd-compressed fields. Of a field above N MiB (default 1)
 * a box in the middle is taken, where it lies: halved along its longest axis until it is small
 * enough; the output says which. That all of a field survives is tested by fields_test.py. */
#include "support/every_way.h"
#include "support/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = 5, LINE_BYTES = 4096 };

static const char *const mode_names[MODES] = {"rate", "precision", "accuracy", "reversible",
                                              "expert"};

/* The box in the middle of a contiguous array that has at most so many bytes. */
static zt_array cut(zt_array a, uint64_t most_bytes)
{
    const size_t element = zt_type_bytes(a.type);
    while (values_of(a.rank, a.shape) * element > most_bytes) {
        uint32_t longest = 0;
        for (uint32_t i = 1; i < a.rank; i++)
            if (a.shape[i] > a.shape[longest])
                longest = i;
        const uint64_t half = (a.shape[longest] + 1) / 2;
        a.data = (unsigned char *)a.data +
                 (a.shape[longest] - half) / 2 * (uint64_t)a.stride[longest] * element;
        a.shape[longest] = half;
    }
    return a;
}

static void set_mode(zt_zfp *z, int mode, const zt_array *a)
{
    const bool is_float = a->type == ZT_F32 || a->type == ZT_F64;
    double min, max;
    (void)zt_zfp_init(z, sizeof *z);
    switch (mode) {
    case 0:
        (void)zt_zfp_set_rate(z, is_float ? 7.3 : 16, (zt_type)a->type, a->rank, 0, NULL);
        break;
    case 1: (void)zt_zfp_set_precision(z, is_float ? 16 : 28, NULL); break;
    case 2:
        range_of(a, &min, &max);
        (void)zt_zfp_set_accuracy(z, is_float && max > min ? 1e-4 * (max - min) : 1, NULL);
        break;
    case 3: (void)zt_zfp_set_reversible(z); break;
    default: (void)zt_zfp_set_expert(z, 40, 900, 30, -100); break;
    }
    z->flags = ZT_ZFP_HEADER | ZT_ZFP_AS_LIBZFP; /* fields with NaN are coded as libzfp does */
}

/* How many modes failed. */
static unsigned check_field(const char *dir, const struct field *f, uint64_t most_bytes,
                            struct every_way_tally *tally)
{
    char why[EVERY_WAY_WHY_BYTES], whole[96], part[96];
    unsigned failures = 0;
    unsigned char *values = load_field(dir, f);
    if (!values) {
        printf("%s: cannot be read, or is shorter than its shape\n", f->name);
        return 1;
    }
    const zt_array a = cut(zt_array_nd(values, (zt_type)f->type, f->rank, f->shape), most_bytes);
    if (values_of(a.rank, a.shape) < values_of(f->rank, f->shape))
        printf("%s: of %s the middle %s\n", f->name, shape_text(f->rank, f->shape, whole),
               shape_text(a.rank, a.shape, part));
    for (int mode = 0; mode < MODES; mode++) {
        zt_zfp z;
        set_mode(&z, mode, &a);
        if (!every_way_of_array(&a, &z, fnv1a64(f->name, strlen(f->name)) + (uint64_t)mode, tally,
                                why)) {
            printf("%s, %s: %s\n", f->name, mode_names[mode], why);
            failures++;
        }
    }
    free(values);
    return failures;
}

int main(int argc, char **argv)
{
    uint64_t mib = 1;
    const char *only = NULL;
    char path[LINE_BYTES], line[LINE_BYTES];
    for (int i = 2; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--mib") == 0)
            mib = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0)
            only = argv[i + 1];
    }
    snprintf(path, sizeof path, "%s/MANIFEST.tsv", argc > 1 ? argv[1] : ".");
    FILE *manifest = fopen(path, "r");
    if (!manifest) {
        printf("SKIP: no real fields in %s (ZTILE_SHARED_DIR says where they are)\n",
               argc > 1 ? argv[1] : ".");
        return TEST_SKIPPED;
    }
    if (system("zstd --version >/dev/null 2>&1") != 0) {
        printf("SKIP: zstd is missing, and most fields are stored with it\n");
        fclose(manifest);
        return TEST_SKIPPED;
    }
    struct every_way_tally tally = {.streams = 0};
    struct field f;
    unsigned fields = 0, failures = 0;
    while (fgets(line, sizeof line, manifest)) {
        if (!parse_field(line, &f) || (only && strcmp(f.name, only) != 0))
            continue;
        fields++;
        failures += check_field(argv[1], &f, mib << 20, &tally);
    }
    fclose(manifest);
    every_way_print(&tally);
    printf("%u fields, %u failures\n", fields, failures);
    return failures || fields == 0 ? 1 : 0;
}
