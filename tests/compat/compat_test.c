/* compat_test.c: files that earlier versions wrote decode to what they did then.
 *
 *     compat_test FOLDER [ZTILE]
 *
 * FOLDER has MANIFEST.tsv (make_store.c). Each file is decoded by the library: .zt as a whole, by
 * frames and by a box; bare streams with their index and without; and with ZTILE, the command. */
#include "support/support.h"
#include "ztile_zfp.h"
#include "ztile_ndzip.h"

#include <stdlib.h>
#include <string.h>

struct file {
    char name[128], index[128];
    uint32_t type, rank;
    uint64_t shape[ZT_MAX_RANK], hash;
    unsigned char *data;
    size_t bytes, raw_bytes;
};

static const char *folder;

static unsigned char *load(const char *name, size_t *bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_file(path, bytes);
}

static bool ends_with(const char *name, const char *suffix)
{
    return strlen(name) > strlen(suffix) &&
           strcmp(name + strlen(name) - strlen(suffix), suffix) == 0;
}

static zt_array array_of(const struct file *f, void *out)
{
    return zt_array_nd(out, (zt_type)f->type, f->rank, f->shape);
}

static bool is_right(const struct file *f, zt_status status, const unsigned char *out,
                     const char *how)
{
    if (status == ZT_OK && fnv1a64(out, f->raw_bytes) == f->hash)
        return true;
    printf("%s %s: %s\n", f->name, how, status ? zt_strerror(status) : "other values");
    return false;
}

static bool check_zt(const struct file *f, unsigned char *out)
{
    zt_array a = array_of(f, out);
    zt_info info;
    zt_box box = {{0}, {0}};
    zt_info_init(&info, sizeof info);
    bool ok = is_right(f, zt_decompress(NULL, f->data, f->bytes, &a), out, "as a whole");
    zt_status s = zt_inspect(NULL, f->data, f->bytes, &info);
    if (s != ZT_OK || info.type != f->type || info.raw_bytes != f->raw_bytes) {
        printf("%s: inspected as something else\n", f->name);
        return false;
    }
    unsigned char *part = need(f->raw_bytes);
    uint64_t shape[ZT_MAX_RANK];
    for (uint32_t i = 0; i < f->rank; i++) {
        box.lo[i] = f->shape[i] / 3;
        box.hi[i] = f->shape[i] - f->shape[i] / 4;
        shape[i] = box.hi[i] - box.lo[i];
    }
    zt_array cut = zt_array_nd(part, (zt_type)f->type, f->rank, shape), same = a;
    uint64_t first = 0;
    for (uint32_t i = 0; i < f->rank; i++) {
        first += box.lo[i] * (uint64_t)a.stride[i];
        same.shape[i] = shape[i];
    }
    same.data = out + first * zt_type_bytes(f->type);
    s = zt_decompress_box(NULL, f->data, f->bytes, &box, &cut);
    unsigned char *wanted = need(f->raw_bytes);
    gather(&same, wanted);
    const size_t bytes = values_of(f->rank, shape) * zt_type_bytes(f->type);
    if (s != ZT_OK || memcmp(part, wanted, bytes) != 0) {
        printf("%s: a box is not the slice (%s)\n", f->name, zt_strerror(s));
        ok = false;
    }
    free(part);
    free(wanted);
    return ok;
}

static bool check_zfp(const struct file *f, unsigned char *out)
{
    zt_array a = array_of(f, out);
    zt_zfp zfp;
    zt_zfp_index index;
    zt_zfp_init(&zfp, sizeof zfp);
    zt_zfp_index_init(&index, sizeof index);
    zfp.flags = ZT_ZFP_HEADER;
    bool ok =
        is_right(f, zt_zfp_decompress(NULL, f->data, f->bytes, &zfp, &a, NULL), out, "as a stream");
    if (strcmp(f->index, "-") == 0)
        return ok;
    index.bytes = load(f->index, &index.index_bytes);
    memset(out, 0, f->raw_bytes);
    ok = index.bytes &&
         is_right(f, zt_zfp_decompress_indexed(NULL, f->data, f->bytes, &zfp, &index, &a, NULL),
                  out, "with its index") &&
         ok;
    free(index.bytes);
    return ok;
}

static bool check_command(const struct file *f, const char *ztile)
{
    char command[12288], shape[96];
    size_t bytes = 0;
    snprintf(command, sizeof command, "'%s' decompress -q -f%s%s%s%s '%s/%s' -o compat_out.raw",
             ztile, ends_with(f->name, ".ndz") ? " -t " : "",
             ends_with(f->name, ".ndz") ? type_name(f->type) : "",
             ends_with(f->name, ".ndz") ? " -s " : "",
             ends_with(f->name, ".ndz") ? shape_text(f->rank, f->shape, shape) : "", folder,
             f->name);
    const int status = system(command);
    unsigned char *out = status == 0 ? read_file("compat_out.raw", &bytes) : NULL;
    const bool ok = out && bytes == f->raw_bytes && fnv1a64(out, bytes) == f->hash;
    if (!ok)
        printf("%s: the command gives something else (status %d)\n", f->name, status);
    free(out);
    remove("compat_out.raw");
    return ok;
}

static bool parse(const char *line, struct file *f)
{
    char type[8], shape[96];
    unsigned long long hash;
    if (sscanf(line, "%127s %7s %95s %llx %127s", f->name, type, shape, &hash, f->index) != 5)
        return false;
    f->type = type_of_name(type);
    f->hash = hash;
    f->rank = 0;
    for (char *at = shape; *at && f->rank < ZT_MAX_RANK; at += *at == 'x')
        f->shape[f->rank++] = strtoull(at, &at, 10);
    f->raw_bytes = values_of(f->rank, f->shape) * zt_type_bytes(f->type);
    f->data = load(f->name, &f->bytes);
    return f->type && f->data;
}

static bool check_file(const struct file *f, const char *ztile)
{
    unsigned char *out = need(f->raw_bytes);
    bool ok;
    memset(out, 0, f->raw_bytes);
    if (ends_with(f->name, ".zfp")) {
        ok = check_zfp(f, out);
    } else if (ends_with(f->name, ".ndz")) {
        zt_array a = array_of(f, out);
        ok =
            is_right(f, zt_ndzip_decompress(NULL, f->data, f->bytes, &a, NULL), out, "as a stream");
    } else {
        ok = check_zt(f, out);
    }
    free(out);
    return (!ztile || check_command(f, ztile)) && ok;
}

int main(int argc, char **argv)
{
    char line[1024];
    unsigned files = 0, failures = 0;
    if (argc < 2)
        return 2;
    folder = argv[1];
    snprintf(line, sizeof line, "%s/MANIFEST.tsv", folder);
    FILE *manifest = fopen(line, "r");
    while (manifest && fgets(line, sizeof line, manifest)) {
        struct file f;
        memset(&f, 0, sizeof f);
        if (line[0] == '#')
            continue;
        files++;
        if (!parse(line, &f)) {
            printf("cannot be read: %s", line);
            failures++;
        } else if (!check_file(&f, argc > 2 ? argv[2] : NULL)) {
            failures++;
        }
        free(f.data);
    }
    if (manifest)
        fclose(manifest);
    printf("%u files, %u failures\n", files, failures);
    return files == 0 || failures ? 1 : 0;
}
