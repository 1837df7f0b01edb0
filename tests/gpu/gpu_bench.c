/* gpu_bench.c: a table of the cuda policy's speeds, by codec, mode, type and rank.
 *
 *     kernels     of the values in the device's memory to bits there, and back: several runs queued
 *                 one behind the other, by the wall clock; clearing of what kernels expect cleared
 *                 is included
 *     fraction    values' bytes a second over the bytes that a copy within the device's memory
 *                 reads and writes in a second
 *     host to host, device to device
 *                 zt_compress and zt_decompress from and to that memory, whole calls
 *     without waiting
 *                 zt_compress_async and zt_decompress_async, several calls queued (sz fast
 *                 and default under abs)
 */
#include "gpu_bench.h"
#include "policy_cases.h"
#include "ztile_cuda.h"
#include "ztile_zfp.h"

#include "codec/gpu.h"
#include "core/device.h"
#include "exec/cuda/cuda.h"
#include "exec/exec.h"
#include "support/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 10 };

struct row {
    const char *name;
    uint32_t codec, type, rank;
    zt_bound bound;
    uint32_t effort; /* sz */
};

struct bench {
    zt_context *context;
    struct zti_device *device;
    double copy_rate;   /* bytes read and written a second */
    zt_array array;     /* the field */
    double least, most; /* of its values */
    struct zti_coding coding;
    size_t raw_bytes;
    uint64_t stream_bits;
    void *values, *words, *starts, *states, *work; /* in the device's memory */
    double put_seconds, take_seconds;
    const struct gpu_bench_options *options;
    int runs, first_run; /* -1: one more to get warm */
};

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A cube, square or row of waves and a little noise; that of the row before where it is the
 * same. */
static bool make_field(struct bench *b, const struct row *row)
{
    if (b->array.data && b->array.type == row->type && b->array.rank == row->rank)
        return true;
    free(b->array.data);
    const uint64_t values = b->options->bytes / zt_type_bytes(row->type);
    uint64_t side = (uint64_t)pow((double)values, 1.0 / row->rank) / 64 * 64, shape[ZT_MAX_RANK];
    side = side < 16 ? 16 : side;
    for (uint32_t i = 0; i < row->rank; i++)
        shape[i] = side;
    b->array = zt_array_nd(NULL, (zt_type)row->type, row->rank, shape);
    b->raw_bytes = (size_t)values_of(row->rank, shape) * zt_type_bytes(row->type);
    b->array.data = malloc(b->raw_bytes);
    if (b->array.data) {
        fill_array(&b->array, DATA_WAVE_NOISE, 1);
        range_of(&b->array, &b->least, &b->most);
    }
    return b->array.data != NULL;
}

static bool configure(struct bench *b, const struct row *row)
{
    zt_params p;
    struct zti_target target = {.params = &p,
                                .kind = (zt_bound_kind)row->bound.kind,
                                .abs_bound = row->bound.value,
                                .part = row->bound.value,
                                .min = b->least,
                                .max = b->most};
    (void)zt_params_init(&p, sizeof p);
    p.bound = row->bound;
    set_coder(&p, row->effort);
    memset(&b->coding, 0, sizeof b->coding);
    b->coding.codec = zti_codec_by_id(row->codec);
    b->coding.type = row->type;
    b->coding.grid = zti_codec_grid(b->coding.codec, row->rank, b->array.shape);
    const struct zti_array own = inside(&b->array);
    return b->coding.codec->configure(b->context, &target, &b->coding) == ZT_OK &&
           zti_exec_survey(b->context, &b->coding, &own, NULL) == ZT_OK;
}

/* Values to bits, RUNS times. */
static bool put(struct bench *b, const struct zti_cuda_codec *codec)
{
    struct zti_device *const d = b->device;
    const uint64_t tiles = b->coding.grid.count;
    const uint64_t words = tiles * b->coding.codec->sizes(&b->coding).tile_max_bits / 64 + 2;
    const uint64_t states = codec->state_words(&b->coding, tiles);
    const void *model = NULL;
    bool ok =
        zti_cuda_send_model(b->context, &b->coding, &model, &b->work) == ZT_OK &&
        d->room(b->context, ZTI_DEVICE_VALUES, b->raw_bytes, &b->values) == ZT_OK &&
        d->room(b->context, ZTI_DEVICE_STREAM, words * 8, &b->words) == ZT_OK &&
        d->room(b->context, ZTI_DEVICE_STARTS, tiles * 16, &b->starts) == ZT_OK &&
        d->room(b->context, ZTI_DEVICE_STATES, states * 8, &b->states) == ZT_OK &&
        d->copy(b->context, ZTI_QUEUE_KERNELS, b->values, b->array.data, b->raw_bytes) == ZT_OK &&
        d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
    struct zti_cuda_encoding e = {.coding = &b->coding,
                                  .array = inside(&b->array),
                                  .words = b->words,
                                  .starts = b->starts,
                                  .chunk_tiles = 1,
                                  .states = b->states,
                                  .whole = &b->coding,
                                  .model = model,
                                  .work = b->work,
                                  .queue = d->queue};
    e.array.data = b->values;
    double start = seconds();
    for (int i = b->first_run; ok && i < b->runs; i++) {
        if (i == 0) {
            ok = d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
            start = seconds();
        }
        ok = ok &&
             (!codec->adds_to_first_word ||
              d->zero(b->context, ZTI_QUEUE_KERNELS, b->words, 8) == ZT_OK) &&
             d->zero(b->context, ZTI_QUEUE_KERNELS, b->states, states * 8) == ZT_OK;
        if (ok)
            ok = codec->encode(b->context, &e) == ZT_OK;
    }
    ok = ok && d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
    b->put_seconds = (seconds() - start) / b->runs;
    b->stream_bits = tiles * zti_fixed_bits(&b->coding);
    if (ok && b->stream_bits == 0)
        ok = d->copy(b->context, ZTI_QUEUE_KERNELS, &b->stream_bits, (uint64_t *)b->states + 1,
                     8) == ZT_OK &&
             d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
    return ok;
}

/* The coding as a reader has it: of sz also with the models that the head has. */
static bool load_coding(const struct bench *b, struct zti_coding *coding)
{
    const struct zti_codec *const codec = b->coding.codec;
    uint8_t params[ZTI_CODEC_PARAMS_BYTES];
    *coding = b->coding;
    if (codec->id != ZT_CODEC_SZ)
        return true;
    const size_t n = codec->store_params(&b->coding, params);
    uint8_t *const head = malloc((size_t)zti_head_bytes(&b->coding) + 1);
    coding->model = NULL;
    memset(&coding->numbers, 0, sizeof coding->numbers);
    if (head)
        zti_encode_head(&b->coding, NULL, head);
    const bool ok = head && codec->load_params(b->context, params, n, coding) == ZT_OK &&
                    zti_decode_head(b->context, coding, head) == ZT_OK;
    free(head);
    return ok;
}

/* And back, each tile from the place that was noted. */
static bool take(struct bench *b, const struct zti_cuda_codec *codec)
{
    struct zti_device *const d = b->device;
    const uint64_t tiles = b->coding.grid.count;
    uint64_t *places = malloc((size_t)tiles * 16), ends[2] = {0, 0};
    struct zti_coding coding;
    const void *model = NULL;
    bool ok = load_coding(b, &coding);
    ok = ok && places && zti_cuda_send_model(b->context, &coding, &model, &b->work) == ZT_OK &&
         d->copy(b->context, ZTI_QUEUE_KERNELS, places, b->starts, tiles * 8) == ZT_OK &&
         d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
    for (uint64_t i = tiles; ok && i-- > 0;) { /* starts to pairs, in place from the end */
        const uint64_t begin = places[i];
        places[2 * i + 1] = i + 1 < tiles ? places[2 * (i + 1)] : b->stream_bits;
        places[2 * i] = begin;
    }
    ok = ok && d->copy(b->context, ZTI_QUEUE_KERNELS, b->starts, places, tiles * 16) == ZT_OK &&
         d->zero(b->context, ZTI_QUEUE_KERNELS, b->states, 16) == ZT_OK &&
         d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
    struct zti_cuda_decoding c = {.coding = &coding,
                                  .view = view_of(&b->array),
                                  .words = b->words,
                                  .words_count = b->stream_bits / 64 + 1,
                                  .places = b->starts,
                                  .count = tiles,
                                  .chunk_tiles = 1,
                                  .model = model,
                                  .work = b->work,
                                  .states = b->states,
                                  .queue = d->queue};
    c.view.out.data = b->values;
    double start = seconds();
    for (int i = b->first_run; ok && i < b->runs; i++) {
        if (i == 0) {
            ok = d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
            start = seconds();
        }
        if (ok)
            codec->decode(&c);
    }
    ok = ok && d->copy(b->context, ZTI_QUEUE_KERNELS, ends, b->states, 16) == ZT_OK &&
         d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
    b->take_seconds = (seconds() - start) / b->runs;
    free(places);
    if (b->coding.codec->id == ZT_CODEC_SZ)
        zti_forget(b->context, &coding);
    return ok && ends[0] == 0 && ends[1] == b->stream_bits;
}

/* Values, file and decoded values of the public calls, in one of the two memories. */
struct call_memory {
    void *values, *file, *back;
};

static void call_memory_give(const struct bench *b, bool is_on_device, struct call_memory *m)
{
    void (*const give)(void *) = is_on_device ? gpu_memory()->give : free;
    if (m->values != b->array.data)
        give(m->values);
    give(m->file);
    give(m->back);
}

static bool call_memory_take(const struct bench *b, bool is_on_device, size_t file_bytes,
                             struct call_memory *m)
{
    void *(*const obtain)(size_t) = is_on_device ? gpu_memory()->take : malloc;
    m->values = is_on_device ? obtain(b->raw_bytes) : b->array.data;
    m->file = obtain(file_bytes);
    m->back = obtain(b->raw_bytes);
    if (!m->values || !m->file || !m->back)
        return false;
    if (is_on_device)
        gpu_memory()->move(m->values, b->array.data, b->raw_bytes);
    return true;
}

static bool came_back(const struct bench *b, bool is_on_device, const void *back)
{
    void *const here = is_on_device ? malloc(b->raw_bytes) : NULL;
    if (here)
        gpu_memory()->move(here, back, b->raw_bytes);
    const bool ok = memcmp(here ? here : back, b->array.data, b->raw_bytes) == 0;
    free(here);
    return ok;
}

/* What a row asks of the public calls. */
static zt_params params_of(const struct row *row)
{
    zt_params p;
    (void)zt_params_init(&p, sizeof p);
    p.codec = row->codec;
    p.bound = row->bound;
    set_coder(&p, row->effort);
    return p;
}

/* The public calls, from and to one of the two memories: once to get warm, which also asks the
 * system for the buffers' pages, then the mean of three. */
static bool whole_calls(struct bench *b, const struct row *row, bool is_on_device,
                        double *compress_s, double *decompress_s)
{
    enum { TIMES = 3 };
    zt_params p = params_of(row);
    size_t cap = 0, n = 0;
    struct call_memory m = {.values = NULL};
    p.index = ZT_INDEX_HYBRID;
    p.index_chunk = 1;
    zt_array in = b->array, out = b->array;
    bool ok = zt_compress_bound(b->context, &b->array, &p, &cap) == ZT_OK &&
              call_memory_take(b, is_on_device, cap, &m);
    in.data = m.values;
    out.data = m.back;
    *compress_s = *decompress_s = 0;
    for (int i = 0; ok && i <= TIMES; i++) {
        const double start = seconds();
        ok = zt_compress(b->context, &in, &p, m.file, cap, &n) == ZT_OK;
        const double between = seconds();
        ok = ok && zt_decompress(b->context, m.file, n, &out) == ZT_OK;
        *compress_s += i > 0 ? (between - start) / TIMES : 0;
        *decompress_s += i > 0 ? (seconds() - between) / TIMES : 0;
    }
    if (ok && row->bound.kind == ZT_LOSSLESS)
        ok = came_back(b, is_on_device, m.back);
    call_memory_give(b, is_on_device, &m);
    return ok;
}

/* Whole files without waiting: several calls queued one behind the other. */
static bool async_calls(const struct bench *b, const struct row *row, double *compress_s,
                        double *decompress_s)
{
    const struct gpu_memory *const memory = gpu_memory();
    struct zti_device *const d = b->device;
    const zt_params p = params_of(row);
    size_t cap = 0, work = 0, work_back = 0;
    uint64_t n = 0, status = 1;
    struct call_memory m = {.values = NULL};
    zt_array in = b->array, out = b->array;
    bool ok = zt_compress_async_bytes(b->context, &in, &p, &work, &cap) == ZT_OK &&
              zt_decompress_async_bytes(b->context, &in, &work_back) == ZT_OK &&
              call_memory_take(b, true, cap, &m);
    void *const scratch = memory->take(work > work_back ? work : work_back);
    uint64_t *const result = memory->take(sizeof n);
    in.data = m.values;
    out.data = m.back;
    double start = 0;
    for (int i = -1; ok && i < b->runs; i++) {
        ok = (i > 0 || d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK);
        start = i > 0 ? start : seconds();
        ok = ok &&
             zt_compress_async(b->context, &in, &p, m.file, cap, scratch, work, result) == ZT_OK;
    }
    ok = ok && d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
    *compress_s = (seconds() - start) / b->runs;
    memory->move(&n, result, sizeof n);
    for (int i = -1; ok && i < b->runs; i++) {
        ok = (i > 0 || d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK);
        start = i > 0 ? start : seconds();
        ok = ok && zt_decompress_async(b->context, m.file, (size_t)n, &out, scratch, work_back,
                                       result) == ZT_OK;
    }
    ok = ok && d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
    *decompress_s = (seconds() - start) / b->runs;
    memory->move(&status, result, sizeof status);
    memory->give(scratch);
    memory->give(result);
    call_memory_give(b, true, &m);
    return ok && status == ZT_OK;
}

static bool has_async_calls(const struct row *row)
{
    return row->codec == ZT_CODEC_SZ && row->bound.kind == ZT_ABS &&
           (row->effort == CODER_FAST || row->effort == CODER_DEFAULT);
}

static bool print_row(struct bench *b, const struct row *row)
{
    static const char *const types[] = {"", "f32", "f64", "i32", "i64"};
    const struct zti_cuda_codec *codec = zti_cuda_codec_of(row->codec);
    static const char *const calls[] = {"host to host", "device to device"};
    double compress_s = 0, decompress_s = 0;
    char name[64];
    snprintf(name, sizeof name, "%-16s %s %ud", row->name, types[row->type], row->rank);
    if (b->options->only && !strstr(name, b->options->only))
        return true;
    bool ok = codec && make_field(b, row) && configure(b, row);
    const int before = b->device->enter(b->context);
    ok = ok && codec->can_code(&b->coding) && put(b, codec) && take(b, codec);
    b->device->leave(before);
    const double raw = (double)b->raw_bytes, stream = (double)b->stream_bits / 8;
    if (ok)
        printf("# %s  ratio %6.2f  kernels %8.3f %8.3f ms %7.1f %7.1f GB/s fraction %.3f %.3f",
               name, raw / stream, 1e3 * b->put_seconds, 1e3 * b->take_seconds,
               raw / b->put_seconds / 1e9, raw / b->take_seconds / 1e9,
               raw / b->put_seconds / b->copy_rate, raw / b->take_seconds / b->copy_rate);
    for (int i = 0; ok && !b->options->is_kernels && i < 2; i++) {
        ok = whole_calls(b, row, i == 1, &compress_s, &decompress_s);
        printf("  %s %6.2f %6.2f GB/s", calls[i], raw / compress_s / 1e9, raw / decompress_s / 1e9);
    }
    if (ok && !b->options->is_kernels && has_async_calls(row)) {
        ok = async_calls(b, row, &compress_s, &decompress_s);
        printf("  without waiting %6.2f %6.2f GB/s", raw / compress_s / 1e9,
               raw / decompress_s / 1e9);
    }
    if (ok)
        printf("\n");
    else
        printf("# %s failed: %s\n", name, zt_context_error(b->context));
    fflush(stdout);
    if (codec)
        zti_forget(b->context, &b->coding);
    return ok;
}

/* The rate of a copy within the device's memory: the floor that kernels are compared with. */
static bool measure_copy(struct bench *b, uint64_t bytes)
{
    struct zti_device *const d = b->device;
    void *from, *to;
    bool ok = d->room(b->context, ZTI_DEVICE_VALUES, bytes, &from) == ZT_OK &&
              d->room(b->context, ZTI_DEVICE_STREAM, bytes, &to) == ZT_OK &&
              d->zero(b->context, ZTI_QUEUE_KERNELS, from, bytes) == ZT_OK &&
              d->copy(b->context, ZTI_QUEUE_KERNELS, to, from, bytes) == ZT_OK &&
              d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
    const double start = seconds();
    for (int i = 0; ok && i < 10; i++)
        ok = d->copy(b->context, ZTI_QUEUE_KERNELS, to, from, bytes) == ZT_OK;
    ok = ok && d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
    b->copy_rate = 20 * (double)bytes / (seconds() - start);
    return ok;
}

bool gpu_bench(zt_context *cuda, const struct gpu_bench_options *options)
{
    const struct row rows[] = {
        {"ndzip", ZT_CODEC_NDZIP, ZT_F32, 1, zt_lossless(), 0},
        {"ndzip", ZT_CODEC_NDZIP, ZT_F32, 2, zt_lossless(), 0},
        {"ndzip", ZT_CODEC_NDZIP, ZT_F32, 3, zt_lossless(), 0},
        {"ndzip", ZT_CODEC_NDZIP, ZT_F64, 1, zt_lossless(), 0},
        {"ndzip", ZT_CODEC_NDZIP, ZT_F64, 2, zt_lossless(), 0},
        {"ndzip", ZT_CODEC_NDZIP, ZT_F64, 3, zt_lossless(), 0},
        {"zfp rate 8", ZT_CODEC_ZFP, ZT_F32, 1, zt_rate(8), 0},
        {"zfp rate 8", ZT_CODEC_ZFP, ZT_F32, 2, zt_rate(8), 0},
        {"zfp rate 8", ZT_CODEC_ZFP, ZT_F32, 3, zt_rate(8), 0},
        {"zfp rate 8", ZT_CODEC_ZFP, ZT_F32, 4, zt_rate(8), 0},
        {"zfp rate 8", ZT_CODEC_ZFP, ZT_F64, 3, zt_rate(8), 0},
        {"zfp precision 16", ZT_CODEC_ZFP, ZT_F32, 3, zt_precision(16), 0},
        {"zfp abs 1e-3", ZT_CODEC_ZFP, ZT_F32, 3, zt_abs(1e-3), 0},
        {"zfp abs 1e-3", ZT_CODEC_ZFP, ZT_F64, 3, zt_abs(1e-3), 0},
        {"zfp reversible", ZT_CODEC_ZFP, ZT_F32, 3, zt_lossless(), 0},
        {"zfp reversible", ZT_CODEC_ZFP, ZT_F64, 3, zt_lossless(), 0},
        {"sz fast 4e-4", ZT_CODEC_SZ, ZT_F32, 1, zt_abs(4e-4), CODER_FAST},
        {"sz fast 4e-4", ZT_CODEC_SZ, ZT_F32, 2, zt_abs(4e-4), CODER_FAST},
        {"sz fast 4e-4", ZT_CODEC_SZ, ZT_F32, 3, zt_abs(4e-4), CODER_FAST},
        {"sz fast 4e-4", ZT_CODEC_SZ, ZT_F64, 3, zt_abs(4e-4), CODER_FAST},
        {"sz fast lossless", ZT_CODEC_SZ, ZT_I32, 3, zt_lossless(), CODER_FAST},
        {"sz default 4e-4", ZT_CODEC_SZ, ZT_F32, 1, zt_abs(4e-4), CODER_DEFAULT},
        {"sz default 4e-4", ZT_CODEC_SZ, ZT_F32, 2, zt_abs(4e-4), CODER_DEFAULT},
        {"sz default 4e-4", ZT_CODEC_SZ, ZT_F32, 3, zt_abs(4e-4), CODER_DEFAULT},
        {"sz default 4e-4", ZT_CODEC_SZ, ZT_F64, 3, zt_abs(4e-4), CODER_DEFAULT},
        {"sz default pwrel", ZT_CODEC_SZ, ZT_F32, 3, zt_pwrel(1e-3), CODER_DEFAULT},
        {"sz paper 4e-4", ZT_CODEC_SZ, ZT_F32, 3, zt_abs(4e-4), CODER_CUSZ},
        {"sz paper 4e-4", ZT_CODEC_SZ, ZT_F64, 3, zt_abs(4e-4), CODER_CUSZ},
        {"sz high 4e-4", ZT_CODEC_SZ, ZT_F32, 2, zt_abs(4e-4), CODER_HIGH},
        {"sz high 4e-4", ZT_CODEC_SZ, ZT_F32, 3, zt_abs(4e-4), CODER_HIGH},
        {"sz high 4e-4", ZT_CODEC_SZ, ZT_F64, 3, zt_abs(4e-4), CODER_HIGH},
        {"sz high lossless", ZT_CODEC_SZ, ZT_F32, 3, zt_lossless(), CODER_HIGH},
        {"sz high lossless", ZT_CODEC_SZ, ZT_F64, 3, zt_lossless(), CODER_HIGH},
        {"sz multiples", ZT_CODEC_SZ, ZT_F32, 3, zt_abs(4e-4), CODER_MULTIPLES},
        {"sz transform", ZT_CODEC_SZ, ZT_F32, 3, zt_abs(4e-4), CODER_TRANSFORM},
        {"sz transform", ZT_CODEC_SZ, ZT_F64, 3, zt_abs(1e-8), CODER_TRANSFORM},
    };
    const uint64_t bytes = options->bytes;
    struct bench b = {.context = cuda,
                      .device = cuda->device,
                      .options = options,
                      .runs = options->is_once ? 1 : RUNS,
                      .first_run = options->is_once ? 0 : -1};
    bool ok = measure_copy(&b, bytes);
    printf("# fields of %.1f MiB; compress, then decompress; a copy within the device's memory "
           "reads and writes %.1f GB/s\n",
           (double)bytes / 1048576, b.copy_rate / 1e9);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ok = print_row(&b, &rows[i]) && ok;
    free(b.array.data);
    if (options->only && !strstr("Huffman", options->only))
        return ok;
    return huffman_bench(cuda, bytes, b.copy_rate) && ok;
}
