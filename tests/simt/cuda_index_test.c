/* cuda_index_test.c: indexes expanded by kernels: every layout, width and partition against the
 * host's look-ups, in slabs of any number of chunks; and damaged ones, which kernels must refuse
 * where the host's check does. Indexes stored by kernels have the host's bytes. Kernels that know
 * nothing of an index but its bytes find the host's places, and of damaged ones any. */
#include "codec/gpu.h"
#include "core/device.h"
#include "exec/cuda/cuda.h"
#include "index/gpu/find.h"
#include "index/gpu/store.h"
#include "simt_runtime.h"
#include "support/checked_index.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

enum { CASES = 80, CHUNKS_MOST = 1500 };

static unsigned failures;

struct subject {
    struct zti_index_layout layout;
    uint64_t chunks, units; /* units: of the stream, with padding */
    uint64_t starts[CHUNKS_MOST + 1];
    uint8_t *bytes;
    size_t n;
    struct zti_index index; /* opened */
};

/* Lengths of chunks of a kind, so that each width comes, and zeros. */
static uint64_t length_of(struct rng *r, uint64_t kind)
{
    switch (kind) {
    case 0: return rng_below(r, 4);
    case 1: return 100 + rng_below(r, 300);
    case 2: return rng_next(r) >> (44 + rng_below(r, 20));
    case 3: return rng_next(r) >> 28;
    default: return rng_once_in(r, 50) ? 100000 : 0;
    }
}

static zt_status open_subject(zt_context *context, struct subject *s)
{
    return s->layout.kind == ZT_INDEX_STREAM
               ? zti_index_open_ends(context, s->bytes, s->chunks, s->units, &s->index)
               : zti_index_open(context, s->bytes, s->n, s->chunks, s->units, &s->index);
}

static void draw(struct rng *r, struct subject *s)
{
    static const uint32_t kinds[] = {ZT_INDEX_OFFSETS, ZT_INDEX_LENGTHS, ZT_INDEX_HYBRID,
                                     ZT_INDEX_COMPACT, ZT_INDEX_STREAM};
    const uint64_t lengths = rng_below(r, 5);
    s->chunks = 1 + rng_below(r, rng_once_in(r, 2) ? 80 : CHUNKS_MOST);
    s->layout.kind = kinds[rng_below(r, 5)];
    s->layout.chunk_tiles = 1;
    s->layout.partition = s->layout.kind != ZT_INDEX_HYBRID ? 0
                          : rng_once_in(r, 2)               ? ZTI_INDEX_PARTITION
                                                            : 1 + (uint32_t)rng_below(r, 100);
    s->starts[0] = 0;
    for (uint64_t i = 0; i < s->chunks; i++)
        s->starts[i + 1] =
            s->starts[i] +
            (s->layout.kind == ZT_INDEX_STREAM && lengths == 3 ? 7 : length_of(r, lengths));
    s->units = s->starts[s->chunks] + rng_below(r, 64);
    if (s->layout.kind == ZT_INDEX_STREAM) {
        s->n = 4 * s->chunks;
        s->bytes = need(s->n);
        for (uint64_t i = 0; i < s->chunks; i++)
            zti_put_le32(s->bytes + 4 * i, (uint32_t)s->starts[i + 1]);
    } else {
        s->n = (size_t)zti_index_bytes(&s->layout, s->starts, s->chunks);
        s->bytes = need(s->n);
        zti_index_store(&s->layout, s->starts, s->chunks, s->bytes);
    }
}

/* Whether the places of the chunks are what the host's index says, in bits from a byte. */
static bool are_places(zt_context *cuda, const struct subject *s, const struct zti_cuda_places *p,
                       uint64_t unit, uint64_t start_bits)
{
    struct zti_device *const device = cuda->device;
    uint64_t *const places = need(16 * p->count);
    const uint64_t base = (zti_index_start(&s->index, p->first) * unit + start_bits) / 64 * 64;
    bool is_good =
        device->copy(cuda, ZTI_QUEUE_KERNELS, places, p->places, 16 * p->count) == ZT_OK &&
        device->wait(cuda, ZTI_QUEUE_KERNELS) == ZT_OK;
    for (uint64_t i = 0; is_good && i < p->count; i++) {
        const uint64_t chunk = p->first + i;
        const uint64_t begin = zti_index_start(&s->index, chunk) * unit + start_bits - base;
        const uint64_t end = chunk + 1 == s->chunks
                                 ? ZTI_CUDA_ANY_END
                                 : zti_index_start(&s->index, chunk + 1) * unit + start_bits - base;
        is_good = places[2 * i] == begin && places[2 * i + 1] == end;
    }
    free(places);
    return is_good;
}

/* Expand all of an index, some chunks at a time, of which the first may be the last one of those
 * before; is_checked: the host's look-ups are to be trusted. */
static zt_status expand(zt_context *cuda, struct rng *r, const struct subject *s, bool is_checked,
                        bool *is_same)
{
    struct zti_coding coding = {.codec = zti_codec_by_id(ZT_CODEC_ZFP), .type = ZT_F32};
    if (s->layout.kind == ZT_INDEX_STREAM)
        coding.codec = zti_codec_by_id(ZT_CODEC_NDZIP); /* whose units are values */
    const uint64_t start_bits = rng_below(r, 200), unit = zti_unit_bits(&coding);
    struct zti_cuda_places p = {.first = 0};
    zt_status status = ZT_OK;
    *is_same = true;
    for (uint64_t first = 0; status == ZT_OK && first < s->chunks; first = p.first + p.count) {
        const uint64_t expected = p.result.end, last = p.result.last;
        const bool is_shared = first > 0 && rng_once_in(r, 3);
        p = (struct zti_cuda_places){.first = first - is_shared,
                                     .slab = (uint32_t)rng_below(r, 2),
                                     .expected = is_shared ? last : expected};
        const uint64_t left = s->chunks - p.first;
        p.count = rng_once_in(r, 2) ? left : 1 + is_shared + rng_below(r, left - is_shared);
        const int before = cuda->device->enter(cuda);
        status = zti_cuda_expand(cuda, &coding, &s->index, start_bits, &p);
        cuda->device->leave(before);
        if (status == ZT_OK)
            status = zti_cuda_fetch_result(cuda, &s->index, &p);
        if (status == ZT_OK && is_checked)
            *is_same = *is_same && are_places(cuda, s, &p, unit, start_bits);
    }
    (void)zti_device_settle(cuda, ZT_OK);
    return status;
}

/* Store an index by kernels; whether it is what the host has stored. */
static bool is_stored(zt_context *cuda, const struct subject *s, uint32_t unit_bits)
{
    struct zti_device *const device = cuda->device;
    const uint64_t room = zti_cuda_index_room(&s->layout, CHUNKS_MOST), chunks = s->chunks;
    struct zti_index_store_args x = {
        .layout = s->layout, .chunks_most = CHUNKS_MOST, .unit_bits = unit_bits};
    x.layout.chunk_tiles = 1 + s->layout.chunk_tiles % 3; /* is not looked at */
    struct zti_index_found found = {.bytes = 0};
    const uint64_t numbers[3] = {chunks, 1, s->layout.chunk_tiles}; /* each start is a chunk's */
    uint64_t *const bits = need(8 * (chunks + 1));
    uint8_t *const bytes = need(room);
    void *starts = NULL, *words = NULL, *blocks = NULL, *count = NULL, *to = NULL;
    for (uint64_t i = 0; i <= chunks; i++)
        bits[i] = s->starts[i] * unit_bits;
    bool is_good =
        !device->room(cuda, ZTI_DEVICE_STARTS, 8 * (chunks + 1), &starts) &&
        !device->room(cuda, ZTI_DEVICE_INDEX, room, &words) &&
        !device->room(cuda, ZTI_DEVICE_WORK, 8 * zti_cuda_index_blocks(CHUNKS_MOST), &blocks) &&
        !device->room(cuda, ZTI_DEVICE_CHUNKS, sizeof numbers, &count) &&
        !device->room(cuda, ZTI_DEVICE_STATES, sizeof found, &to) &&
        !device->zero(cuda, ZTI_QUEUE_KERNELS, words, room) &&
        !device->copy(cuda, ZTI_QUEUE_KERNELS, starts, bits, 8 * (chunks + 1)) &&
        !device->copy(cuda, ZTI_QUEUE_KERNELS, count, numbers, sizeof numbers);
    if (is_good) {
        x.starts = starts;
        x.end = x.starts + chunks;
        x.words = words;
        x.blocks = blocks;
        x.chunks = count;
        x.step = (const uint32_t *)(const void *)(x.chunks + 1);
        x.chunk_tiles = (const uint32_t *)(const void *)(x.chunks + 2);
        x.found = to;
        const int before = device->enter(cuda);
        zti_cuda_index_store(&x, device->queue);
        device->leave(before);
    }
    is_good = is_good && !device->copy(cuda, ZTI_QUEUE_KERNELS, bytes, words, room) &&
              !device->copy(cuda, ZTI_QUEUE_KERNELS, &found, to, sizeof found) &&
              !device->wait(cuda, ZTI_QUEUE_KERNELS) && found.bytes == s->n &&
              memcmp(bytes, s->bytes, s->n) == 0;
    free(bits);
    free(bytes);
    return is_good;
}

/* What the kernels of find.h are told, and what they say, but for the places. */
struct finding {
    struct zti_index_stored stored;
    uint64_t tiles, first_bit, stream_bits, chunks, status;
    uint32_t chunk_tiles;
};

/* Queue the kernels over copies: *there is the device's, to which h is copied. */
static bool queue_finding(zt_context *cuda, const struct subject *s, uint32_t unit_bits,
                          struct finding *h, struct finding **there, void *places)
{
    struct zti_device *const device = cuda->device;
    void *bytes = NULL, *memory = NULL;
    if (device->room(cuda, ZTI_DEVICE_INDEX, s->n, &bytes) ||
        device->room(cuda, ZTI_DEVICE_STATES, sizeof *h, &memory) ||
        device->copy(cuda, ZTI_QUEUE_KERNELS, bytes, s->bytes, s->n))
        return false;
    h->stored.bytes = bytes;
    *there = memory;
    if (device->copy(cuda, ZTI_QUEUE_KERNELS, memory, h, sizeof *h) ||
        device->wait(cuda, ZTI_QUEUE_KERNELS))
        return false;
    const struct zti_index_find_args x = {.index = &(*there)->stored,
                                          .tiles = &(*there)->tiles,
                                          .tiles_most = CHUNKS_MOST,
                                          .first_bit = &(*there)->first_bit,
                                          .stream_bits = &(*there)->stream_bits,
                                          .unit_bits = unit_bits,
                                          .chunks = &(*there)->chunks,
                                          .chunk_tiles = &(*there)->chunk_tiles,
                                          .places = places,
                                          .status = &(*there)->status};
    const int before = device->enter(cuda);
    zti_cuda_index_find(&x, device->queue);
    device->leave(before);
    return true;
}

/* Find all chunks of an index by kernels; whether the places are those of the host's look-ups, or
 * is_sound is false, and nothing is written behind them. */
static bool is_found(zt_context *cuda, const struct subject *s, uint32_t unit_bits, bool is_sound)
{
    enum { CANARY = 0x5a, HEAD_BITS = 8 * 77 };
    struct zti_device *const device = cuda->device;
    const uint64_t chunks = s->chunks, n = 16 * chunks + 16;
    struct finding h = {.stored = {.layout = s->layout, .bytes_count = s->n},
                        .tiles = chunks,
                        .first_bit = HEAD_BITS,
                        .stream_bits = HEAD_BITS + s->units * unit_bits};
    struct finding *there = NULL;
    void *to = NULL;
    uint8_t *const places = need(n);
    memset(places, CANARY, n);
    bool is_good = !device->room(cuda, ZTI_DEVICE_STARTS, n, &to) &&
                   !device->copy(cuda, ZTI_QUEUE_KERNELS, to, places, n) &&
                   queue_finding(cuda, s, unit_bits, &h, &there, to) &&
                   !device->copy(cuda, ZTI_QUEUE_KERNELS, places, to, n) &&
                   !device->copy(cuda, ZTI_QUEUE_KERNELS, &h, there, sizeof h) &&
                   !device->wait(cuda, ZTI_QUEUE_KERNELS) && h.chunks == chunks &&
                   h.chunk_tiles == 1 && (!is_sound || h.status == ZT_OK);
    for (uint32_t i = 0; is_good && i < 16; i++)
        is_good = places[16 * chunks + i] == CANARY;
    for (uint64_t i = 0; is_good && is_sound && i < chunks; i++) {
        const uint64_t begin = HEAD_BITS + zti_index_start(&s->index, i) * unit_bits;
        const uint64_t end = i + 1 < chunks
                                 ? HEAD_BITS + zti_index_start(&s->index, i + 1) * unit_bits
                                 : h.stream_bits;
        is_good =
            zti_get_le64(places + 16 * i) == begin && zti_get_le64(places + 16 * i + 8) == end;
    }
    free(places);
    return is_good;
}

static bool is_in_order(const struct zti_index *index)
{
    for (uint64_t i = 0; i < index->chunks; i++)
        if (zti_index_start(index, i) > zti_index_start(index, i + 1))
            return false;
    return true;
}

static void complain(uint64_t number, const struct subject *s, const char *what,
                     const zt_context *cuda)
{
    printf("case %llu, layout %u, %llu chunks: %s (%s)\n", (unsigned long long)number,
           s->layout.kind, (unsigned long long)s->chunks, what, zt_context_error(cuda));
    failures++;
}

/* As it is, and with some of its bits changed. */
static void one_case(zt_context *cuda, uint64_t number, struct subject *s)
{
    struct rng r = {mix64(11, number)};
    bool is_same = false;
    simt_opt.seed = number;
    if (zt_context_set_policy(cuda, ZT_CUDA) != ZT_OK)
        exit(1);
    draw(&r, s);
    if (open_subject(cuda, s) != ZT_OK || zti_index_check(cuda, &s->index) != ZT_OK)
        complain(number, s, "the host refuses it", cuda);
    else if (expand(cuda, &r, s, true, &is_same) != ZT_OK || !is_same)
        complain(number, s, "places differ", cuda);
    else if (s->layout.kind != ZT_INDEX_STREAM && !is_stored(cuda, s, 1 + (uint32_t)number % 8))
        complain(number, s, "other bytes are stored", cuda);
    else if (s->layout.kind != ZT_INDEX_STREAM &&
             !is_found(cuda, s, 1 + (uint32_t)number % 8, true))
        complain(number, s, "other places are found", cuda);
    zti_index_close(cuda, &s->index);
    for (uint32_t i = 0; i < 3; i++) {
        s->bytes[rng_below(&r, s->n)] ^= (uint8_t)(1u << rng_below(&r, 8));
        if (open_subject(cuda, s) != ZT_OK)
            break; /* its size says enough */
        const bool is_good = zti_index_check(cuda, &s->index) == ZT_OK;
        const bool is_sound = is_good && is_in_order(&s->index);
        const zt_status status = expand(cuda, &r, s, is_sound, &is_same);
        if (status != (is_sound ? ZT_OK : ZT_CORRUPT) || !is_same)
            complain(number, s, is_sound ? "places differ" : "damage is not noticed", cuda);
        if (s->layout.kind != ZT_INDEX_STREAM &&
            !is_found(cuda, s, 1 + (uint32_t)number % 8, is_sound))
            complain(number, s, "other places are found, or more than places is written", cuda);
        zti_index_close(cuda, &s->index);
    }
    free(s->bytes);
}

int main(void)
{
    static struct subject subject;
    zt_context *cuda = NULL;
    if (zt_context_new(NULL, &cuda) != ZT_OK)
        return 1;
    for (uint64_t i = 0; i < CASES && failures < 10; i++)
        one_case(cuda, i, &subject);
    printf("%d indexes, %u failures\n", CASES, failures);
    zt_context_free(cuda);
    return failures != 0;
}
