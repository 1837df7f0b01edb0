/* make_store.c: writes the store of tests/compat: small files of this version, and MANIFEST.tsv.
 *
 *     make_store FOLDER VERSION [high]
 *
 * Run once for a version, into a folder of its name; what is there is never written again. 'high':
 * only sz's files of that effort, of arrays that are large enough for its larger tiles. */
#include "support/support.h"
#include "ztile_zfp.h"
#include "ztile_ndzip.h"
#include "ztile_expert.h"

#include <stdlib.h>
#include <string.h>

static const char *folder;
static FILE *manifest;

static void save(const char *name, const void *data, size_t bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wbx");
    if (!f || fwrite(data, 1, bytes, f) != bytes || fclose(f) != 0) {
        fprintf(stderr, "%s cannot be written, or is there already\n", path);
        exit(1);
    }
}

/* file, type, shape, hash of the decoded array, index file or '-' */
static void note(const char *name, const zt_array *a, const char *index)
{
    char shape[96];
    fprintf(
        manifest, "%s\t%s\t%s\t%016llx\t%s\n", name, type_name(a->type),
        shape_text(a->rank, a->shape, shape),
        (unsigned long long)fnv1a64(a->data, values_of(a->rank, a->shape) * zt_type_bytes(a->type)),
        index);
}

static struct test_array make_array(uint32_t type, uint32_t rank, enum data_kind kind, uint64_t n)
{
    static const uint64_t shapes[][ZT_MAX_RANK] = {{300}, {18, 17}, {7, 8, 5}, {3, 4, 5, 6}};
    static const uint64_t large[][ZT_MAX_RANK] = {{4500}, {70, 66}, {17, 18, 17}, {3, 17, 6, 17}};
    const uint64_t *shape = n % 7 == 3 ? large[rank - 1] : shapes[rank - 1];
    int64_t stride[ZT_MAX_RANK];
    contiguous_strides(rank, shape, stride);
    struct test_array a = test_array_new(type, rank, shape, stride);
    fill_array(&a.array, kind, n);
    return a;
}

/* One file; where this version lacks what is asked, none. */
static void store(const char *name, const zt_array *a, const zt_params *p)
{
    size_t capacity, bytes;
    char path[128];
    if (zt_compress_bound(NULL, a, p, &capacity) != ZT_OK)
        return;
    void *out = need(capacity);
    if (zt_compress(NULL, a, p, out, capacity, &bytes) == ZT_OK) {
        zt_array back = *a;
        back.data = need(values_of(a->rank, a->shape) * zt_type_bytes(a->type));
        if (zt_decompress(NULL, out, bytes, &back) != ZT_OK)
            exit(1);
        snprintf(path, sizeof path, "%s.zt", name);
        save(path, out, bytes);
        note(path, &back, "-");
        free(back.data);
    }
    free(out);
}

static void store_zt(void)
{
    static const char *const codecs[] = {"auto", "zfp", "ndzip", "sz"};
    static const char *const kinds[] = {"lossless", "abs",  "rel",       "pwrel",
                                        "psnr",     "rate", "precision", "expert"};
    static const enum data_kind data[] = {DATA_SMOOTH, DATA_WAVE_NOISE, DATA_NONFINITE, DATA_RAMP,
                                          DATA_SPARSE, DATA_DENORMAL,   DATA_OFFSET};
    const zt_bound bounds[] = {
        zt_lossless(), zt_abs(0.01), zt_rel(1e-3),     zt_pwrel(1e-2),
        zt_psnr(60),   zt_rate(6),   zt_precision(12), zt_expert(16, 500, 24, -20)};
    uint64_t n = 0;
    for (uint32_t codec = ZT_CODEC_ZFP; codec <= ZT_CODEC_SZ; codec++)
        for (uint32_t type = ZT_F32; type <= ZT_I64; type++)
            for (uint32_t kind = ZT_LOSSLESS; kind <= ZT_EXPERT; kind++, n++) {
                const bool is_lossless_only = codec == ZT_CODEC_NDZIP;
                if ((is_lossless_only && kind > 3) || (codec == ZT_CODEC_SZ && kind > ZT_PSNR))
                    continue;
                const uint32_t rank = 1 + (uint32_t)(type + kind + codec) % 4;
                struct test_array a = make_array(type, rank, data[n % 7], n);
                zt_params p;
                char name[96];
                zt_params_init(&p, sizeof p);
                p.codec = codec;
                p.bound = is_lossless_only ? zt_lossless() : bounds[kind];
                set_coder(&p, (uint32_t)n % 4);
                p.index = (uint32_t)n % 6;
                p.index_chunk = p.index == ZT_INDEX_NONE ? 0 : 1 + (uint32_t)n % 3;
                p.slab_bytes = n % 3 ? p.slab_bytes : 700;
                p.plan = n % 5 == 2 ? ZT_PLAN_ON : ZT_PLAN_OFF;
                p.name = n % 4 ? NULL : "wind";
                p.units = n % 4 ? NULL : "m/s";
                if (n % 6 == 1 && !is_lossless_only) { /* the first value is a fill value */
                    p.fills = 1;
                    memcpy(&p.fill[0], a.array.data, zt_type_bytes(type));
                }
                snprintf(name, sizeof name, "%03u-%s-%s-%u-%s", (unsigned)n, codecs[codec],
                         type_name(type), rank, kinds[p.bound.kind]);
                store(name, &a.array, &p);
                test_array_free(&a);
            }
}

/* Tiles of few and of many symbols that are not 0; sides that make rows of all lengths. */
static void store_high(void)
{
    static const struct {
        uint32_t type, rank;
        uint64_t shape[ZT_MAX_RANK];
        enum data_kind kind;
        double rel;
    } files[] = {{ZT_F32, 3, {45, 38, 71}, DATA_WAVE_NOISE, 0.003},
                 {ZT_F64, 2, {131, 149}, DATA_WAVE_NOISE, 0.0005},
                 {ZT_I32, 1, {13001}, DATA_WAVE_NOISE, 0.0005},
                 {ZT_I64, 4, {5, 9, 18, 21}, DATA_WAVE_NOISE, 0.0005},
                 {ZT_F32, 3, {20, 30, 40}, DATA_SMOOTH, 0.001}};
    for (uint32_t i = 0; i < sizeof files / sizeof *files; i++) {
        int64_t stride[ZT_MAX_RANK];
        char name[96];
        zt_params p;
        contiguous_strides(files[i].rank, files[i].shape, stride);
        struct test_array a = test_array_new(files[i].type, files[i].rank, files[i].shape, stride);
        fill_array(&a.array, files[i].kind, i);
        zt_params_init(&p, sizeof p);
        p.codec = ZT_CODEC_SZ;
        p.bound = zt_rel(files[i].rel);
        set_coder(&p, CODER_HIGH);
        p.plan = ZT_PLAN_OFF;
        snprintf(name, sizeof name, "high-%s-%u-%u", type_name(files[i].type), files[i].rank,
                 (unsigned)i);
        store(name, &a.array, &p);
        test_array_free(&a);
    }
}

/* Bare zfp streams with zfp's header, and their indexes where there are any. */
static void store_zfp(void)
{
    for (uint32_t type = ZT_F32; type <= ZT_I64; type++)
        for (uint32_t mode = 0; mode < 4; mode++) {
            const uint32_t rank = 1 + (type + mode) % 4;
            struct test_array a = make_array(type, rank, DATA_WAVE_NOISE, 1);
            zt_array back = a.array;
            zt_zfp zfp;
            zt_zfp_index index;
            size_t capacity, bytes;
            char name[96], index_name[96] = "-";
            zt_zfp_init(&zfp, sizeof zfp);
            zt_zfp_index_init(&index, sizeof index);
            zfp.flags = ZT_ZFP_HEADER;
            if (mode == 0)
                zt_zfp_set_rate(&zfp, 9, (zt_type)type, rank, 0, NULL);
            else if (mode == 1)
                zt_zfp_set_precision(&zfp, 14, NULL);
            else if (mode == 2)
                zt_zfp_set_accuracy(&zfp, 0.01, NULL);
            else
                zt_zfp_set_reversible(&zfp);
            index.kind = ZT_INDEX_OFFSETS + mode;
            index.chunk = 2;
            if (zt_zfp_compress_bound(NULL, &a.array, &zfp, &capacity) != ZT_OK ||
                zt_zfp_index_bound(NULL, &a.array, &zfp, &index, &index.capacity_bytes) != ZT_OK)
                exit(1);
            void *out = need(capacity);
            index.bytes = need(index.capacity_bytes + 1);
            back.data = need(values_of(rank, a.array.shape) * 8);
            if (mode == 2 && type > ZT_F64) /* libzfp has no accuracy for integers */
                zt_zfp_set_reversible(&zfp);
            if (zt_zfp_compress_indexed(NULL, &a.array, &zfp, out, capacity, &bytes, &index) !=
                    ZT_OK ||
                zt_zfp_decompress(NULL, out, bytes, &zfp, &back, NULL) != ZT_OK)
                exit(1);
            snprintf(name, sizeof name, "bare-%s-%u-%u.zfp", type_name(type), rank, mode);
            save(name, out, bytes);
            if (index.index_bytes > 0) {
                snprintf(index_name, sizeof index_name, "%.80s.zti", name);
                save(index_name, index.bytes, index.index_bytes);
            }
            note(name, &back, index_name);
            free(out);
            free(index.bytes);
            free(back.data);
            test_array_free(&a);
        }
}

static void store_ndzip(void)
{
    for (uint32_t type = ZT_F32; type <= ZT_F64; type++)
        for (uint32_t rank = 1; rank <= 3; rank++) {
            struct test_array a = make_array(type, rank, DATA_RAMP, 3);
            size_t capacity, bytes;
            char name[96];
            if (zt_ndzip_compress_bound(NULL, &a.array, &capacity) != ZT_OK)
                exit(1);
            void *out = need(capacity);
            if (zt_ndzip_compress(NULL, &a.array, out, capacity, &bytes) != ZT_OK)
                exit(1);
            snprintf(name, sizeof name, "bare-%s-%u.ndz", type_name(type), rank);
            save(name, out, bytes);
            note(name, &a.array, "-");
            free(out);
            test_array_free(&a);
        }
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc != 3 && !(argc == 4 && strcmp(argv[3], "high") == 0)) {
        fprintf(stderr, "use: make_store FOLDER VERSION [high]\n");
        return 2;
    }
    folder = argv[1];
    snprintf(path, sizeof path, "%s/MANIFEST.tsv", folder);
    manifest = fopen(path, "wx");
    if (!manifest)
        return 1;
    fprintf(manifest,
            "# Written by ztile %s (tests/compat/make_store.c), never again: what later "
            "versions read.\n# file, type, shape (slowest first), FNV-1a of the decoded array "
            "in C order, index\n",
            argv[2]);
    store_high();
    if (argc == 3) {
        store_zt();
        store_zfp();
        store_ndzip();
    }
    return fclose(manifest) == 0 ? 0 : 1;
}
