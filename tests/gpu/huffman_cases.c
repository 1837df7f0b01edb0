/* huffman_cases.c: see huffman_cases.h. */
#include "huffman_cases.h"
#include "ztile_huffman.h"

#include "core/device.h"
#include "entropy/huffman/gpu/kernels.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MOST = 20000, KINDS = 9 };

struct subject {
    const char *kind;
    uint32_t alphabet, bytes;
    uint64_t n;
    uint16_t *symbols;
    void *data; /* the same in so many bytes each */
};

static bool complain(struct policy_run *run, const struct subject *s, const char *what)
{
    run->failures++;
    printf("--seed %llu --codec huffman --case %llu: %llu symbols of %u, %u bytes each, %s: %s "
           "(%s; %s)\n",
           (unsigned long long)run->seed, (unsigned long long)run->number, (unsigned long long)s->n,
           s->alphabet, s->bytes, s->kind, what, zt_context_error(run->cuda),
           zt_context_error(run->serial));
    return false;
}

/* ---- symbols ---- */

/* Counts that grow as Fibonacci's numbers do, as far as there is room: the longest codes. */
static void draw_fibonacci(struct subject *s)
{
    uint64_t a = 1, b = 1, at = 0;
    for (uint32_t symbol = 0; at < s->n; symbol = (symbol + 1) % s->alphabet) {
        for (uint64_t i = 0; i < a && at < s->n; i++)
            s->symbols[at++] = (uint16_t)symbol;
        const uint64_t c = a + b;
        a = b;
        b = c;
    }
}

/* Words of k letters of four, which an imagined genome repeats. */
static void draw_kmers(struct rng *r, struct subject *s, uint32_t k)
{
    uint32_t word = 0;
    const uint32_t all = (1u << 2 * k) - 1;
    for (uint64_t i = 0; i < s->n; i++) {
        const uint32_t letter = rng_once_in(r, 3) ? (uint32_t)rng_below(r, 4) : (word >> 5 & 3);
        word = (word << 2 | letter) & all;
        s->symbols[i] = (uint16_t)word;
    }
}

/* A two-sided geometric law around the middle of the alphabet, as residuals have. */
static void draw_residuals(struct rng *r, struct subject *s)
{
    const uint32_t scale = (uint32_t)rng_below(r, 8);
    for (uint64_t i = 0; i < s->n; i++) {
        uint64_t d = rng_below(r, UINT64_C(1) << scale);
        while (rng_once_in(r, 3))
            d += UINT64_C(1) << scale;
        d = rng_once_in(r, 2) ? d : UINT64_MAX - d;
        s->symbols[i] = (uint16_t)((s->alphabet / 2 + d) % s->alphabet);
    }
}

static void draw(struct rng *r, struct subject *s, uint32_t kind)
{
    static const uint32_t alphabets[] = {1, 2, 5, 256, 700, 1024, 1025, 4097, 20000, 65536};
    static const char *const names[KINDS] = {"residuals",   "uniform",   "one symbol",
                                             "two symbols", "Fibonacci", "4-mers",
                                             "all once",    "6-mers",    "nothing"};
    s->kind = names[kind];
    s->alphabet = alphabets[rng_below(r, sizeof alphabets / sizeof *alphabets)];
    s->n = kind == 8 ? 0 : 1 + rng_below(r, rng_once_in(r, 3) ? 2000 : MOST);
    if (kind == 4)
        s->alphabet = 30;
    if (kind == 5 || kind == 7)
        s->alphabet = kind == 5 ? 256 : 4096;
    if (kind == 6)
        s->n = s->alphabet;
    s->symbols = need((s->n + 1) * sizeof *s->symbols);
    const uint16_t one = (uint16_t)rng_below(r, s->alphabet);
    const uint16_t two = (uint16_t)rng_below(r, s->alphabet);
    switch (kind) {
    case 0: draw_residuals(r, s); break;
    case 4: draw_fibonacci(s); break;
    case 5: draw_kmers(r, s, 4); break;
    case 7: draw_kmers(r, s, 6); break;
    default:
        for (uint64_t i = 0; i < s->n; i++)
            s->symbols[i] = kind == 1   ? (uint16_t)rng_below(r, s->alphabet)
                            : kind == 2 ? one
                            : kind == 3 ? (rng_once_in(r, 9) ? one : two)
                                        : (uint16_t)i;
    }
}

static void widen(struct rng *r, struct subject *s)
{
    s->bytes = s->alphabet <= 256 ? 1u << rng_below(r, 3) : 2u << rng_below(r, 2);
    s->data = need((s->n + 1) * s->bytes);
    for (uint64_t i = 0; i < s->n; i++)
        if (s->bytes == 1)
            ((uint8_t *)s->data)[i] = (uint8_t)s->symbols[i];
        else if (s->bytes == 2)
            ((uint16_t *)s->data)[i] = s->symbols[i];
        else
            ((uint32_t *)s->data)[i] = s->symbols[i];
}

/* ---- the codebook ---- */

/* The book that kernels make of counts, in the host's memory; free(book->numbers). */
static bool build(struct policy_run *run, const uint64_t *counts, uint32_t alphabet,
                  struct zti_cuda_book *book)
{
    const struct zti_huffman_kernels *const k = zti_cuda_huffman();
    struct zti_device *const d = run->cuda->device;
    const size_t bytes = zti_cuda_book_bytes(alphabet);
    void *from, *to, *scratch;
    *book = zti_cuda_book_in(need(bytes), alphabet);
    if (d->room(run->cuda, ZTI_DEVICE_VALUES, alphabet * sizeof *counts, &from) != ZT_OK ||
        d->room(run->cuda, ZTI_DEVICE_MODEL, bytes, &to) != ZT_OK ||
        d->room(run->cuda, ZTI_DEVICE_STREAM, k->build_bytes(alphabet), &scratch) != ZT_OK ||
        d->copy(run->cuda, ZTI_QUEUE_KERNELS, from, counts, alphabet * sizeof *counts) != ZT_OK)
        return false;
    const struct zti_cuda_book on_device = zti_cuda_book_in(to, alphabet);
    const int before = d->enter(run->cuda);
    k->build(from, &on_device, scratch, d->queue);
    d->leave(before);
    return d->copy(run->cuda, ZTI_QUEUE_KERNELS, book->numbers, to, bytes) == ZT_OK &&
           d->wait(run->cuda, ZTI_QUEUE_KERNELS) == ZT_OK;
}

static bool check_book(struct policy_run *run, const struct subject *s, const uint64_t *counts)
{
    struct zti_codebook want;
    struct zti_cuda_book got;
    if (zti_codebook_build(run->serial, counts, s->alphabet, &want) != ZT_OK)
        return complain(run, s, "no codebook");
    bool ok = build(run, counts, s->alphabet, &got);
    ok = ok && got.numbers[ZTI_BOOK_USED] == want.used &&
         got.numbers[ZTI_BOOK_LONGEST] == want.longest &&
         memcmp(got.numbers + ZTI_BOOK_FIRST, want.first, sizeof want.first) == 0 &&
         memcmp(got.numbers + ZTI_BOOK_ENTRY, want.entry, sizeof want.entry) == 0 &&
         memcmp(got.codes, want.codes, s->alphabet * sizeof *want.codes) == 0 &&
         memcmp(got.lengths, want.lengths, s->alphabet) == 0 &&
         memcmp(got.order, want.order, want.used * sizeof *want.order) == 0;
    if (!ok)
        complain(run, s, "the codebook differs");
    free(got.numbers);
    zti_codebook_free(run->serial, &want);
    return ok;
}

/* The symbols' own counts, or others: powers of two, which are all ties; counts that add up to
 * nearly 2^64. */
static bool check_books(struct policy_run *run, const struct subject *s)
{
    uint64_t *counts = need(s->alphabet * sizeof *counts);
    const uint32_t kind = (uint32_t)rng_below(&run->r, 4);
    memset(counts, 0, s->alphabet * sizeof *counts);
    for (uint64_t i = 0; i < s->n; i++)
        counts[s->symbols[i]]++;
    for (uint32_t k = 0; kind > 1 && k < s->alphabet; k++)
        counts[k] = kind == 2 ? UINT64_C(1) << rng_below(&run->r, 40)
                              : UINT64_MAX / s->alphabet >> rng_below(&run->r, 30);
    const bool ok = check_book(run, s, counts);
    free(counts);
    return ok;
}

/* ---- merging ---- */

/* Chunks of one magnitude and factor by kernels, against the merge of the CPU. */
static bool check_merge(struct policy_run *run, const struct subject *s, uint32_t magnitude,
                        uint32_t factor)
{
    const struct zti_huffman_kernels *const k = zti_cuda_huffman();
    struct zti_device *const d = run->cuda->device;
    const uint64_t chunks = s->n >> magnitude, room = chunks << (magnitude + 1);
    const uint64_t states = k->merge_states(chunks), count = chunks << magnitude;
    uint64_t *counts = need(s->alphabet * sizeof *counts), total = 0, broken = 0, all_broken = 0;
    struct zti_codebook book;
    struct zti_cuda_book own = {.numbers = NULL};
    void *memory = NULL, *at[4] = {NULL, NULL, NULL, NULL};
    if (chunks == 0) {
        free(counts);
        return true;
    }
    memset(counts, 0, s->alphabet * sizeof *counts);
    for (uint64_t i = 0; i < s->n; i++)
        counts[s->symbols[i]]++;
    bool ok =
        zti_codebook_build(run->serial, counts, s->alphabet, &book) == ZT_OK &&
        build(run, counts, s->alphabet, &own) &&
        d->room(run->cuda, ZTI_DEVICE_VALUES, count * 2 + 8, &at[0]) == ZT_OK &&
        d->room(run->cuda, ZTI_DEVICE_STREAM, room, &at[1]) == ZT_OK &&
        d->room(run->cuda, ZTI_DEVICE_STARTS, count / 512 + 2, &at[2]) == ZT_OK &&
        d->room(run->cuda, ZTI_DEVICE_STATES, 8 * (states + 1), &at[3]) == ZT_OK &&
        d->room(run->cuda, ZTI_DEVICE_MODEL, zti_cuda_book_bytes(s->alphabet), &memory) == ZT_OK &&
        d->copy(run->cuda, ZTI_QUEUE_KERNELS, memory, own.numbers,
                zti_cuda_book_bytes(s->alphabet)) == ZT_OK &&
        d->copy(run->cuda, ZTI_QUEUE_KERNELS, at[0], s->symbols, count * 2) == ZT_OK &&
        d->zero(run->cuda, ZTI_QUEUE_KERNELS, at[3], 8 * (states + 1)) == ZT_OK;
    const struct zti_cuda_merging m = {.symbols = {at[0], 2, count, s->alphabet},
                                       .book = zti_cuda_book_in(memory, s->alphabet),
                                       .magnitude = magnitude,
                                       .merged = magnitude,
                                       .factor = factor,
                                       .out = at[1],
                                       .part_bits = at[2],
                                       .states = at[3],
                                       .breaking = (uint64_t *)at[3] + states};
    uint8_t *out = need(room);
    uint32_t *cells = need(zti_merge_room_words(magnitude) * sizeof *cells);
    if (ok) {
        const int before = d->enter(run->cuda);
        k->merge(&m, d->queue);
        d->leave(before);
    }
    ok = ok && d->copy(run->cuda, ZTI_QUEUE_KERNELS, &total, m.states + 1, 8) == ZT_OK &&
         d->copy(run->cuda, ZTI_QUEUE_KERNELS, &broken, m.breaking, 8) == ZT_OK &&
         d->copy(run->cuda, ZTI_QUEUE_KERNELS, out, m.out, room) == ZT_OK &&
         d->wait(run->cuda, ZTI_QUEUE_KERNELS) == ZT_OK;
    uint64_t place = 0;
    for (uint64_t c = 0; ok && c < chunks; c++) {
        uint64_t bits;
        uint32_t breaking;
        const uint32_t *words = zti_merge_chunk(&book, s->symbols + (c << magnitude), magnitude,
                                                factor, cells, &bits, &breaking);
        for (uint64_t i = 0; i < (bits + 7) / 8; i++)
            ok = ok && out[place + i] == (uint8_t)(words[i / 4] >> i % 4 * 8);
        place += (bits + 7) / 8;
        all_broken += breaking;
    }
    if (!ok || place != total || broken != all_broken)
        ok = complain(run, s, "merged chunks differ");
    free(cells);
    free(out);
    free(counts);
    free(own.numbers);
    zti_codebook_free(run->serial, &book);
    return ok;
}

/* ---- streams ---- */

/* A stream that is not what an encoder writes, with a fitting checksum: both policies find the
 * same symbols, or both find fault. */
static bool check_damaged(struct policy_run *run, const struct subject *s, uint8_t *stream,
                          size_t n)
{
    void *one = need((s->n + 1) * s->bytes), *two = need((s->n + 1) * s->bytes);
    const size_t from = rng_once_in(&run->r, 2) ? n - n / 8 - 8 : 0; /* often: the tail */
    stream[from + rng_below(&run->r, n - 8 - from)] ^= (uint8_t)(1u << rng_below(&run->r, 8));
    const uint64_t sum = XXH3_64bits(stream, n - 8);
    for (uint32_t i = 0; i < 8; i++)
        stream[n - 8 + i] = (uint8_t)(sum >> 8 * i);
    const zt_status serial = zt_huffman_decode(run->serial, stream, n, one, s->bytes, s->n);
    const zt_status cuda = zt_huffman_decode(run->cuda, stream, n, two, s->bytes, s->n);
    bool ok = serial == cuda && (serial != ZT_OK || memcmp(one, two, s->n * s->bytes) == 0);
    if (!ok)
        ok = complain(run, s, "a damaged stream is taken otherwise");
    free(one);
    free(two);
    return ok;
}

/* The calls of the cuda policy, with what they are given in memory of either kind. */
static zt_status encode_there(struct policy_run *run, const struct subject *s, uint8_t *y,
                              size_t cap, size_t *m)
{
    const size_t bytes = s->n * s->bytes;
    void *symbols = policy_place(run, s->data, bytes), *stream = policy_place(run, y, cap);
    const zt_status status =
        zt_huffman_encode(run->cuda, symbols, s->bytes, s->n, s->alphabet, stream, cap, m);
    policy_fetch(run, stream, y, cap);
    policy_fetch(run, symbols, s->data, bytes);
    return status;
}

static zt_status decode_there(struct policy_run *run, const struct subject *s, uint8_t *x, size_t n,
                              void *back)
{
    const size_t bytes = s->n * s->bytes;
    void *symbols = policy_place(run, back, bytes), *stream = policy_place(run, x, n);
    uint32_t alphabet = 0;
    uint64_t count = 0;
    zt_status status = zt_huffman_inspect(run->cuda, stream, n, &alphabet, &count);
    if (status == ZT_OK && (alphabet != s->alphabet || count != s->n))
        status = ZT_CORRUPT;
    if (status == ZT_OK)
        status = zt_huffman_decode(run->cuda, stream, n, symbols, s->bytes, s->n);
    policy_fetch(run, stream, x, n);
    policy_fetch(run, symbols, back, bytes);
    return status;
}

static bool check_stream(struct policy_run *run, const struct subject *s)
{
    size_t cap = 0, n = 0, m = 0;
    if (zt_huffman_bound(s->n, s->alphabet, &cap) != ZT_OK)
        return complain(run, s, "no bound");
    uint8_t *x = need(cap), *y = need(cap), *back = need((s->n + 1) * s->bytes);
    bool ok =
        zt_huffman_encode(run->serial, s->data, s->bytes, s->n, s->alphabet, x, cap, &n) == ZT_OK &&
        encode_there(run, s, y, cap, &m) == ZT_OK && n == m && memcmp(x, y, n) == 0;
    if (!ok)
        complain(run, s, "the stream differs");
    const uint32_t magnitude = 10 + (uint32_t)rng_below(&run->r, 3);
    const uint32_t r = (uint32_t)rng_below(&run->r, ZTI_MERGE_MOST_FACTOR + 2);
    memset(y, 0, cap);
    if (ok && (zt_huffman_encode_merged(run->cuda, s->data, s->bytes, s->n, s->alphabet, magnitude,
                                        r > ZTI_MERGE_MOST_FACTOR ? ZT_REDUCTION_AUTO : r, y, cap,
                                        &m) != ZT_OK ||
               n != m || memcmp(x, y, n) != 0))
        ok = complain(run, s, "the stream of merges differs");
    if (ok &&
        (decode_there(run, s, x, n, back) != ZT_OK || memcmp(back, s->data, s->n * s->bytes) != 0))
        ok = complain(run, s, "the symbols of a stream differ");
    if (ok && zt_huffman_encode(run->cuda, s->data, s->bytes, s->n, s->alphabet, y, n - 1, &m) !=
                  ZT_NO_SPACE)
        ok = complain(run, s, "a stream that does not fit is not refused");
    if (ok && rng_once_in(&run->r, 3))
        ok = check_damaged(run, s, x, n);
    free(x);
    free(y);
    free(back);
    return ok;
}

/* A symbol that is not below the alphabet. */
static bool check_stray(struct policy_run *run, const struct subject *s)
{
    uint8_t out[8];
    size_t n = 0;
    if (s->n == 0 || s->bytes != 2 || s->alphabet > 65535)
        return true;
    uint16_t *const place = (uint16_t *)s->data + rng_below(&run->r, s->n);
    *place = (uint16_t)s->alphabet;
    const zt_status status =
        zt_huffman_encode(run->cuda, s->data, 2, s->n, s->alphabet, out, sizeof out, &n);
    *place = 0;
    return status == ZT_BAD_ARG || complain(run, s, "a symbol beyond the alphabet is taken");
}

void huffman_case(struct policy_run *run, uint64_t number)
{
    struct subject s;
    run->number = number;
    run->r = (struct rng){mix64(run->seed, number)};
    if (run->before)
        run->before(run);
    draw(&run->r, &s, (uint32_t)(number % KINDS));
    widen(&run->r, &s);
    bool ok = check_books(run, &s) && check_stream(run, &s);
    if (ok)
        ok = check_merge(run, &s, 10 + (uint32_t)rng_below(&run->r, 3),
                         (uint32_t)rng_below(&run->r, ZTI_MERGE_MOST_FACTOR + 1));
    if (ok)
        (void)check_stray(run, &s);
    free(s.symbols);
    free(s.data);
    run->huffman++;
}
