/* huffman_bench.c: a table of the speed of the Huffman kernels: symbols of two bytes, drawn from a
 * two-sided geometric law around the middle of 1024, as residuals are. Kernel time by the wall
 * clock over several runs in a queue; rates are of raw symbols; the fraction is theirs of what a
 * copy within the device's memory reads and writes.
 *
 *     codebooks   from counts to codes, by the size of the alphabet
 *     coding      counting, coding as in the paper and as in streams, decoding, by the mean length
 *                 of codes
 *     sweep       coding as in the paper by the magnitude of chunks and the reduction factor, and
 *                 how many units break
 */
#include "gpu_bench.h"

#include "core/device.h"
#include "entropy/huffman/gpu/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 5, ALPHABET = 1024, WIDTH = 15 };

struct bench {
    zt_context *context;
    struct zti_device *device;
    const struct zti_huffman_kernels *kernels;
    double copy_rate; /* bytes a second */
    uint64_t n;
    uint16_t *symbols;
    uint64_t *counts_here;
    /* in the device's memory */
    struct zti_symbols on_device;
    struct zti_cuda_book book;
    uint64_t *counts;
    void *scratch;
    struct zti_cuda_merging merging;
    struct zti_cuda_unmerging unmerging;
    uint64_t state_words;
    uint64_t coded_bytes;
};

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draw(struct bench *b, double ratio)
{
    struct rng r = {1};
    const double zero = (1 - ratio) / (1 + ratio);
    for (uint64_t i = 0; i < b->n; i++) {
        uint32_t d = 0;
        if (rng_unit(&r) > zero)
            d = 1 + (uint32_t)(log(1 - rng_unit(&r)) / log(ratio));
        d = d > 500 ? 500 : d;
        b->symbols[i] = (uint16_t)(ALPHABET / 2 + (rng_once_in(&r, 2) ? d : 0u - d));
    }
}

/* Run 'work' once to get warm, then RUNS times; seconds of one, or a negative number. */
static double measure(struct bench *b, bool (*work)(struct bench *b))
{
    bool ok = work(b) && b->device->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
    const double start = seconds();
    for (int i = 0; ok && i < RUNS; i++)
        ok = work(b);
    ok = ok && b->device->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
    return ok ? (seconds() - start) / RUNS : -1;
}

/* ---- what is measured ---- */

static bool count(struct bench *b)
{
    const bool ok =
        b->device->zero(b->context, ZTI_QUEUE_KERNELS, b->counts, 8 * (ALPHABET + 1)) == ZT_OK;
    if (ok)
        b->kernels->count(&b->on_device, b->counts, b->counts + ALPHABET, b->device->queue);
    return ok;
}

static bool build(struct bench *b)
{
    b->kernels->build(b->counts, &b->book, b->scratch, b->device->queue);
    return true;
}

static bool encode(struct bench *b)
{
    const bool ok = b->device->zero(b->context, ZTI_QUEUE_KERNELS, b->merging.states,
                                    8 * (b->state_words + 1)) == ZT_OK;
    if (ok)
        b->kernels->encode(&b->merging, b->device->queue);
    return ok;
}

static bool merge(struct bench *b)
{
    const bool ok = b->device->zero(b->context, ZTI_QUEUE_KERNELS, b->merging.states,
                                    8 * (b->state_words + 1)) == ZT_OK;
    if (ok)
        b->kernels->merge(&b->merging, b->device->queue);
    return ok;
}

static bool decode(struct bench *b)
{
    const bool ok = b->device->zero(b->context, ZTI_QUEUE_KERNELS, b->unmerging.states,
                                    8 * (b->state_words + 1)) == ZT_OK;
    if (ok)
        b->kernels->decode(&b->unmerging, b->device->queue);
    return ok;
}

/* ---- preparing it ---- */

static bool book_room(struct bench *b, uint32_t alphabet)
{
    void *model = NULL, *counts = NULL, *scratch = NULL;
    const bool ok = b->device->room(b->context, ZTI_DEVICE_MODEL, zti_cuda_book_bytes(alphabet),
                                    &model) == ZT_OK &&
                    b->device->room(b->context, ZTI_DEVICE_CHUNKS, 8 * ((uint64_t)alphabet + 1),
                                    &counts) == ZT_OK &&
                    b->device->room(b->context, ZTI_DEVICE_UNPROVEN,
                                    b->kernels->build_bytes(alphabet), &scratch) == ZT_OK;
    b->counts = counts;
    b->scratch = scratch;
    if (ok)
        b->book = zti_cuda_book_in(model, alphabet);
    return ok;
}

/* Symbols, their counts and their book on the device, and room for their stream. */
static bool prepare(struct bench *b, double ratio)
{
    struct zti_device *const d = b->device;
    const uint64_t chunks = (b->n >> ZTI_PART_MAGNITUDE) + 1;
    void *values = NULL, *out = NULL, *parts = NULL, *states = NULL;
    b->state_words = b->kernels->merge_states(chunks);
    draw(b, ratio);
    const bool ok =
        book_room(b, ALPHABET) &&
        d->room(b->context, ZTI_DEVICE_VALUES, b->n * 2, &values) == ZT_OK &&
        d->room(b->context, ZTI_DEVICE_STREAM, b->n * 2 + 8, &out) == ZT_OK &&
        d->room(b->context, ZTI_DEVICE_STARTS, chunks * 2, &parts) == ZT_OK &&
        d->room(b->context, ZTI_DEVICE_STATES, 8 * (b->state_words + 1), &states) == ZT_OK &&
        d->copy(b->context, ZTI_QUEUE_KERNELS, values, b->symbols, b->n * 2) == ZT_OK;
    b->on_device = (struct zti_symbols){values, 2, b->n, ALPHABET};
    b->merging = (struct zti_cuda_merging){.symbols = b->on_device,
                                           .book = b->book,
                                           .out = out,
                                           .part_bits = parts,
                                           .states = states,
                                           .breaking = (uint64_t *)states + b->state_words};
    return ok;
}

/* The mean length of codes, in bits; a negative number where something failed. */
static double mean_bits(struct bench *b)
{
    uint8_t lengths[ALPHABET];
    uint64_t bits = 0;
    if (b->device->copy(b->context, ZTI_QUEUE_KERNELS, b->counts_here, b->counts, 8 * ALPHABET) !=
            ZT_OK ||
        b->device->copy(b->context, ZTI_QUEUE_KERNELS, lengths, b->book.lengths, ALPHABET) !=
            ZT_OK ||
        b->device->wait(b->context, ZTI_QUEUE_KERNELS) != ZT_OK)
        return -1;
    for (uint32_t s = 0; s < ALPHABET; s++)
        bits += b->counts_here[s] * lengths[s];
    return (double)bits / (double)b->n;
}

/* From what was coded to what the decoder wants, lengths of parts in WIDTH bits each. */
static bool turn_round(struct bench *b)
{
    struct zti_device *const d = b->device;
    const uint64_t parts = b->n >> ZTI_PART_MAGNITUDE, bytes = (parts * WIDTH + 7) / 8 + 8;
    uint16_t *bits = malloc((size_t)parts * 2);
    uint8_t *packed = calloc(1, (size_t)bytes);
    void *lengths = NULL, *out = NULL;
    bool ok =
        bits && packed &&
        d->copy(b->context, ZTI_QUEUE_KERNELS, &b->coded_bytes, b->merging.states + 1, 8) ==
            ZT_OK &&
        d->copy(b->context, ZTI_QUEUE_KERNELS, bits, b->merging.part_bits, parts * 2) == ZT_OK &&
        d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
    for (uint64_t i = 0; ok && i < parts * WIDTH; i++)
        packed[i / 8] |= (uint8_t)(((uint32_t)bits[i / WIDTH] >> i % WIDTH & 1u) << i % 8);
    ok = ok && d->room(b->context, ZTI_DEVICE_CHUNKS, bytes, &lengths) == ZT_OK &&
         d->room(b->context, ZTI_DEVICE_UNPROVEN, b->n * 2, &out) == ZT_OK &&
         d->copy(b->context, ZTI_QUEUE_KERNELS, lengths, packed, bytes) == ZT_OK &&
         d->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
    b->unmerging =
        (struct zti_cuda_unmerging){.symbols = {out, 2, b->n, ALPHABET},
                                    .book = b->book,
                                    .words = (const uint32_t *)(const void *)b->merging.out,
                                    .bytes = b->coded_bytes,
                                    .lengths = lengths,
                                    .width = WIDTH,
                                    .measured_parts = parts,
                                    .states = b->merging.states,
                                    .bad = b->merging.breaking};
    free(bits);
    free(packed);
    return ok;
}

static bool came_back(struct bench *b)
{
    uint16_t *back = malloc((size_t)b->n * 2);
    uint64_t bad = 0;
    const bool ok =
        back &&
        b->device->copy(b->context, ZTI_QUEUE_KERNELS, back, b->unmerging.symbols.data, b->n * 2) ==
            ZT_OK &&
        b->device->copy(b->context, ZTI_QUEUE_KERNELS, &bad, b->unmerging.bad, 8) == ZT_OK &&
        b->device->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK && bad == 0 &&
        memcmp(back, b->symbols, (size_t)b->n * 2) == 0;
    free(back);
    return ok;
}

/* ---- rows ---- */

static bool print_codebook(struct bench *b, uint32_t alphabet)
{
    uint64_t *counts = malloc(alphabet * sizeof *counts);
    struct rng r = {alphabet};
    for (uint32_t s = 0; counts && s < alphabet; s++) /* codes of 1 to some 30 bits */
        counts[s] = 1 + rng_below(&r, UINT64_C(1) << rng_below(&r, 30));
    const bool ok = counts && book_room(b, alphabet) &&
                    b->device->copy(b->context, ZTI_QUEUE_KERNELS, b->counts, counts,
                                    alphabet * sizeof *counts) == ZT_OK &&
                    b->device->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
    const double s = ok ? measure(b, build) : -1;
    printf("# codebook of %5u symbols %37s %8.3f ms\n", alphabet, "", 1e3 * s);
    free(counts);
    return s >= 0;
}

static bool print_coding(struct bench *b, double ratio)
{
    const bool ready = prepare(b, ratio);
    const double count_s = ready ? measure(b, count) : -1;
    bool ok = count_s >= 0 && build(b);
    const double bits = ok ? mean_bits(b) : -1;
    ok = bits >= 0;
    b->merging.magnitude = b->merging.merged = ZTI_CHUNK_MAGNITUDE;
    b->merging.factor = ok ? zti_merge_factor((uint64_t)(bits * (double)b->n), b->n) : 0;
    const double merge_s = ok ? measure(b, merge) : -1;
    const double encode_s = merge_s >= 0 ? measure(b, encode) : -1;
    ok = encode_s >= 0 && turn_round(b);
    const double decode_s = ok ? measure(b, decode) : -1;
    ok = decode_s >= 0 && came_back(b);
    const double raw = 2 * (double)b->n;
    if (ok)
        printf("# Huffman, %5.3f bits  count %8.3f ms %7.1f GB/s  merge %8.3f ms  encode %8.3f ms "
               "%7.1f GB/s fraction %.3f  decode %8.3f ms %7.1f GB/s fraction %.3f\n",
               bits, 1e3 * count_s, raw / count_s / 1e9, 1e3 * merge_s, 1e3 * encode_s,
               raw / encode_s / 1e9, raw / encode_s / b->copy_rate, 1e3 * decode_s,
               raw / decode_s / 1e9, raw / decode_s / b->copy_rate);
    else
        printf("# Huffman failed: %s\n", zt_context_error(b->context));
    return ok;
}

static bool print_sweep(struct bench *b)
{
    bool ok = prepare(b, 0.007) && count(b) && build(b);
    const double bits = ok ? mean_bits(b) : -1;
    for (uint32_t factor = 4; ok && factor >= 2; factor--)
        for (uint32_t magnitude = 12; ok && magnitude >= 10; magnitude--) {
            uint64_t breaking = 0;
            b->merging.magnitude = b->merging.merged = magnitude;
            b->merging.factor = factor;
            const double s = measure(b, merge);
            ok = s >= 0 &&
                 b->device->copy(b->context, ZTI_QUEUE_KERNELS, &breaking, b->merging.breaking,
                                 8) == ZT_OK &&
                 b->device->wait(b->context, ZTI_QUEUE_KERNELS) == ZT_OK;
            printf("# Huffman, %5.3f bits  magnitude %u, reduction factor %u  merge %8.3f ms "
                   "%7.1f GB/s  breaking units %.6f %%\n",
                   bits, magnitude, factor, 1e3 * s, 2 * (double)b->n / s / 1e9,
                   100 * (double)breaking / (double)(b->n >> factor));
        }
    return ok;
}

bool huffman_bench(zt_context *cuda, uint64_t bytes, double copy_rate)
{
    static const double ratios[] = {0.007, 0.2, 0.5, 0.8, 0.95};
    struct bench b = {.context = cuda,
                      .device = cuda->device,
                      .kernels = zti_cuda_huffman(),
                      .copy_rate = copy_rate};
    const uint64_t chunk = UINT64_C(1) << ZTI_CHUNK_MAGNITUDE;
    b.n = bytes / 2 / chunk * chunk + (bytes / 2 < chunk ? chunk : 0);
    b.symbols = malloc((size_t)b.n * 2);
    b.counts_here = malloc(8 * ALPHABET);
    bool ok = b.symbols && b.counts_here && b.kernels;
    const int before = b.device->enter(cuda);
    const uint32_t most = bytes < 1 << 20 ? 1024 : 65536; /* a try on the CPU is to be short */
    for (uint32_t alphabet = 1024; ok && alphabet <= most; alphabet *= 8)
        ok = print_codebook(&b, alphabet);
    for (size_t i = 0; ok && i < sizeof ratios / sizeof *ratios; i++)
        ok = print_coding(&b, ratios[i]);
    ok = ok && print_sweep(&b);
    b.device->leave(before);
    fflush(stdout);
    free(b.symbols);
    free(b.counts_here);
    return ok;
}
