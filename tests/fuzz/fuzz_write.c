/* fuzz_write.c: any bytes as an array and what is asked for: compressed, the array comes back
 * within the bound, compared in exact arithmetic that is not the library's; and with memory that
 * fails at some allocation both ways end with ZT_NO_MEMORY, or as they would have.
 *
 * Input: FUZZ_WRITE_CHOICES bytes (see choose), then the values, from the first again where there
 * are too few. */
#include "fuzz.h"
#include "support/support.h"
#include "ztile_expert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES = 24, MOST_VALUES = 20000 };

/*   0      bits 0-1 type, 2-3 rank - 1, 4 a fill value, 5 two threads
 *   1      codec, mod 4;  2  bound kind, mod 8;  3  effort, mod 4
 *   4-7    extents;  8-15  the bound, a double
 *   16     index, mod 6;  17  slab_bytes / 64;  18  allocation that fails;  19  tiles a chunk
 *   20-23  shape of values: low bits that are cleared */
static zt_array choose(const uint8_t *c, zt_params *p)
{
    uint64_t shape[ZT_MAX_RANK], values = 1;
    const uint32_t rank = 1 + (c[0] >> 2 & 3);
    for (uint32_t i = 0; i < ZT_MAX_RANK; i++) {
        shape[i] = 1 + c[4 + i] * (uint64_t)(rank == 1 ? 40 : 1);
        if (i < rank && shape[i] > MOST_VALUES / values)
            shape[i] = MOST_VALUES / values;
        values *= i < rank ? shape[i] : 1;
    }
    zt_params_init(p, sizeof *p);
    p->codec = c[1] % 4;
    p->bound = zt_bound_of((zt_bound_kind)(c[2] % 8), 0);
    memcpy(&p->bound.value, c + 8, sizeof p->bound.value);
    if (p->bound.kind == ZT_PRECISION)
        p->bound.value = 1 + c[8] % 64;
    if (p->bound.kind == ZT_RATE)
        p->bound.value = 1 + c[8] / 4.0;
    if (p->bound.kind == ZT_EXPERT)
        p->bound = zt_expert(c[8], c[9] * 16u + c[8], 1 + c[10] % 64, (int8_t)c[11] * 9);
    set_coder(p, c[3] % 4);
    p->index = c[16] % 6;
    if (p->index != ZT_INDEX_NONE)
        p->index_chunk = c[19];
    p->slab_bytes = 1 + c[17] * (uint64_t)64;
    return zt_array_nd(NULL, (zt_type)(ZT_F32 + (c[0] & 3)), rank, shape);
}

static void set_values(const uint8_t *data, size_t bytes, uint8_t clear, uint8_t *to, size_t n,
                       size_t element)
{
    for (size_t i = 0; i < n; i++)
        to[i] = bytes ? data[i % bytes] : 0;
    for (size_t i = 0; i < n && clear & 1; i += element) /* constants and steps */
        memcpy(to + i, to + i / (1 + clear) / element * element, element);
}

static bool is_special(const zt_array *a, const zt_params *p, const uint8_t *at)
{
    uint64_t bits = 0;
    double d = 0;
    float f;
    memcpy(&bits, at, zt_type_bytes(a->type));
    if (a->type == ZT_F32) {
        memcpy(&f, at, sizeof f);
        d = (double)f;
    } else if (a->type == ZT_F64) {
        memcpy(&d, at, sizeof d);
    }
    return !isfinite(d) || (p->fills > 0 && bits == p->fill[0]);
}

/* What came back is what was promised. */
static void check(const zt_array *a, const zt_params *p, const zt_info *info, const uint8_t *back,
                  uint64_t values)
{
    const size_t element = zt_type_bytes(a->type);
    const bool is_bounded =
        p->bound.kind == ZT_LOSSLESS || p->bound.kind == ZT_ABS || p->bound.kind == ZT_REL;
    for (uint64_t i = 0; i < values; i++) {
        const uint8_t *x = (const uint8_t *)a->data + i * element, *y = back + i * element;
        if (is_special(a, p, x))
            fuzz_require(memcmp(x, y, element) == 0, "a special value was changed");
        else if (is_bounded)
            fuzz_require(info->abs_bound == 0 ? memcmp(x, y, element) == 0
                                              : is_within_exactly(a->type, x, y, info->abs_bound),
                         "a value is beyond the bound");
    }
}

/* Compress, decompress and compare, with a failing allocation where fail_at is not 0. */
static void try_array(const zt_array *a, const zt_params *p, uint64_t values, bool has_threads,
                      uint64_t fail_at)
{
    const size_t raw = (size_t)values * zt_type_bytes(a->type);
    const zt_omp two = {.threads = 2};
    struct fuzz_memory memory;
    size_t capacity = 0, bytes = 0;
    zt_info info;
    zt_context *context = fuzz_context(&memory, fail_at);
    if (!context)
        return;
    if (has_threads)
        (void)zt_context_set_omp(context, &two);
    zt_status s = zt_compress_bound(context, a, p, &capacity);
    uint8_t *file = malloc(capacity + 1), *back = malloc(raw);
    fuzz_require(file && back, "no memory");
    file[capacity] = 0xb7;
    if (s == ZT_OK)
        s = zt_compress(context, a, p, file, capacity, &bytes);
    fuzz_require(file[capacity] == 0xb7, "compressing wrote behind its capacity");
    fuzz_require(s != ZT_NO_SPACE, "zt_compress_bound says too little");
    fuzz_require(s != ZT_NO_MEMORY || fail_at > 0, "no memory for a small array");
    if (s == ZT_OK) {
        zt_array out = *a;
        out.data = back;
        zt_info_init(&info, sizeof info);
        s = zt_inspect(context, file, bytes, &info);
        if (s == ZT_OK)
            s = zt_decompress(context, file, bytes, &out);
        fuzz_require(s == ZT_OK || (s == ZT_NO_MEMORY && fail_at > 0),
                     "what was compressed cannot be decompressed");
        if (s == ZT_OK)
            check(a, p, &info, back, values);
    }
    fuzz_require(s == ZT_OK || zt_context_error(context)[0] != 0,
                 "an error came without a sentence");
    free(file);
    free(back);
    fuzz_context_free(context, &memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_bytes)
{
    zt_params p;
    if (data_bytes < CHOICES)
        return 0;
    zt_array a = choose(data, &p);
    const size_t element = zt_type_bytes(a.type);
    const uint64_t values = values_of(a.rank, a.shape);
    uint8_t *raw = malloc((size_t)values * element);
    fuzz_require(raw, "no memory");
    set_values(data + CHOICES, data_bytes - CHOICES, data[20], raw, (size_t)values * element,
               element);
    a.data = raw;
    if (data[0] & 16) {
        p.fills = 1;
        memcpy(&p.fill[0], raw, element);
    }
    try_array(&a, &p, values, data[0] & 32, 0);
    try_array(&a, &p, values, data[0] & 32, 2 + data[18] % 40);
    free(raw);
    return 0;
}
