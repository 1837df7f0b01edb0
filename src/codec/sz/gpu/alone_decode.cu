/* alone_decode.cu: efforts fast and default decoded without the host, which knows no parameter of
 * the stream. A kernel reads them and divides the chunks among launches; there are as many launches
 * as any stream of the array needs, and those with nothing to do end at once.
 *
 *     params --> struct sz_tiles --> rounds --> find, take; find, take; ... --> status
 *     effort default, before the rounds: head --> books --> tables (alone_books.cu)
 *
 *     work      struct sz_tiles: of the stream, then of each round | states | books | positions */
#include "codec/gpu_alone.h"
#include "codec/sz/gpu/kernels.h"
#include "codec/sz/stored.h"

/* ---- sizes ---- */

/* The most launches: half of the slots or more have a tile in each but the last. */
static uint64_t rounds_of(const struct zti_coding *coding)
{
    const uint64_t tiles = zti_sz_alone_tiles(coding);
    return 2 * (tiles / sz_slots_of(tiles)) + 2;
}

static uint64_t states_at(const struct zti_coding *coding)
{
    return (1 + rounds_of(coding)) * sizeof(struct sz_tiles);
}

static uint64_t books_at(const struct zti_coding *coding)
{
    return states_at(coding) + 2 * sizeof(uint64_t);
}

/* Parameters of effort default, whose positions take more memory. */
static struct zti_sz default_sz(void)
{
    struct zti_sz sz;
    memset(&sz, 0, sizeof sz);
    sz.coder = ZTI_SZ_DEFAULT;
    return sz;
}

/* The launches for a stream whose header the host has not read. Kernels of both efforts are
 * launched; those of the effort that the stream does not have return at once. A chunk of the
 * default index has one, two or four tiles, mostly one. */
static struct sz_launches any_launches(const struct zti_coding *coding)
{
    const uint64_t slots = sz_slots_of(zti_sz_alone_tiles(coding));
    const struct sz_launches l = {rounds_of(coding), slots, slots, slots / 2, true, true};
    return l;
}

/* The launches for a stream whose header the host has read: as divide_alone divides its chunks. */
static struct sz_launches known_launches(const struct zti_cuda_alone_decoding *d)
{
    const uint64_t slots = sz_slots_of(zti_sz_alone_tiles(d->coding));
    const uint64_t each = d->known_chunk_tiles, chunks = (d->known->grid.count - 1) / each + 1;
    const uint64_t most = chunks < slots ? chunks : slots;
    const uint64_t tiles = slots / most < each ? slots / most : each;
    const uint64_t rounds = ((chunks - 1) / most + 1) * ((each - 1) / tiles + 1);
    const bool is_fast = sz_of(d->known)->coder == ZTI_SZ_FAST;
    const uint64_t limit = rounds_of(d->coding);
    const struct sz_launches l = {
        rounds < limit ? rounds : limit, most * tiles, most, most, is_fast, !is_fast};
    return l;
}

static struct sz_launches launches_of(const struct zti_cuda_alone_decoding *d)
{
    return d->known ? known_launches(d) : any_launches(d->coding);
}

/* Positions are loaded 16 bytes at a time; 'work' is a multiple of 8. */
extern "C" uint64_t zti_sz_alone_decoding_bytes(const struct zti_coding *coding)
{
    const struct zti_sz sz = default_sz();
    return books_at(coding) + books_of(sz.coder) * zti_cuda_book_step(alphabet_of(&sz)) +
           FOUND_ALIGNED + sz_found_bytes(&sz, zti_sz_alone_tiles(coding));
}

/* Whether kernels here read streams with these parameters; host and device. */
ZTI_STATIC bool is_read_alone(const struct zti_sz *sz)
{
    return (sz->coder == ZTI_SZ_FAST || sz->coder == ZTI_SZ_DEFAULT) && sz->source <= ZTI_SZ_BITS;
}

extern "C" bool zti_sz_alone_reads(const struct zti_coding *coding)
{
    return is_read_alone(sz_of(coding));
}

/* ---- kernels ---- */

/* load_params of stream.c, for what has kernels here. */
static __device__ __forceinline__ zt_status read_params(const struct zti_cuda_stored *stored,
                                                        struct sz_tiles *to)
{
    struct zti_cursor c = {stored->params, stored->params + stored->params_bytes, false};
    struct zti_sz *const sz = &to->sz;
    uint64_t centre;
    const bool is_good = zti_sz_read(&c, to->type, to->grid.rank, sz, &centre);
    if (!is_read_alone(sz))
        return ZT_UNSUPPORTED;
    const uint64_t head = sz->coder == ZTI_SZ_DEFAULT ? zti_get_varint(&c) : 0;
    if (!is_good || c.is_bad || zti_cursor_left(&c) > 0 || !zti_sz_is_centre(centre) ||
        head > tables_most_bytes(sz) || 8 * head > stored->bits)
        return ZT_CORRUPT;
    sz->head_bits = 8 * head;
    return ZT_OK;
}

/* Read the parameters of a stream that is not raw. */
SIMT_KERNEL void __launch_bounds__(32)
    load_alone(const struct sz_tiles s, const struct zti_cuda_stored *stored, struct sz_tiles *to,
               uint64_t *tiles, uint64_t *first_bit, uint64_t *status)
{
    if (threadIdx.x > 0)
        return;
    s.states[0] = s.states[1] = 0;
    *tiles = *first_bit = 0;
    *to = s;
    to->grid.count = 0;
    if (*status != ZT_OK || stored->is_raw)
        return;
    *status = read_params(stored, to);
    if (*status != ZT_OK)
        return;
    to->grid = zti_sz_grid(s.grid.rank, s.grid.shape, to->sz.axes);
    to->words = (uint64_t *)(void *)stored->payload;
    to->words_count = (stored->bits + 63) / 64;
    set_limits(to);
    *tiles = to->grid.count;
    *first_bit = to->sz.head_bits;
}

/* Divide the chunks among rounds, as decode_chunks of host.cu does. Where a round would have more
 * chunks than the launches are for, no round has any, and the status says so. */
SIMT_KERNEL void __launch_bounds__(32)
    divide_alone(const struct sz_tiles *s, const uint64_t *chunks, const uint32_t *chunk_tiles,
                 struct sz_tiles *rounds, const struct sz_launches l, uint64_t *status)
{
    const uint64_t count = *status == ZT_OK ? *chunks : 0, slots = s->slots;
    const uint64_t most = count < slots ? count : slots;
    uint64_t from = 0, skip = 0;
    if (threadIdx.x > 0)
        return;
    for (uint64_t r = 0; r < l.rounds; r++) {
        struct sz_tiles *const to = rounds + r;
        to->chunks_each = to->tiles_each = 0;
        if (from >= count || most > l.chunks)
            continue;
        *to = *s;
        to->count = count;
        to->chunk_tiles = *chunk_tiles;
        to->from = from;
        to->skip = skip;
        to->chunks_each = count - from < most ? count - from : most;
        to->tiles_each = slots / most < to->chunk_tiles ? slots / most : to->chunk_tiles;
        skip += to->tiles_each;
        from += skip >= to->chunk_tiles ? most : 0;
        skip = skip >= to->chunk_tiles ? 0 : skip;
    }
    if (from < count)
        *status = ZT_UNSUPPORTED;
}

SIMT_KERNEL void __launch_bounds__(32)
    end_taking(const uint64_t *states, const struct zti_cuda_stored *stored, uint64_t *status)
{
    if (threadIdx.x == 0 && *status == ZT_OK && !stored->is_raw &&
        (states[0] > 0 || states[1] != stored->bits))
        *status = ZT_CORRUPT;
}

/* ---- launches ---- */

static struct sz_tiles tiles_of(const struct zti_cuda_alone_decoding *d)
{
    const struct zti_sz sz = default_sz();
    struct sz_tiles s;
    memset(&s, 0, sizeof s);
    s.grid = d->coding->grid;
    s.type = d->coding->type;
    s.view.out = d->array;
    memcpy(s.view.hi, d->array.shape, sizeof s.view.hi);
    s.states = (uint64_t *)(void *)((char *)d->work + states_at(d->coding));
    s.model = (char *)d->work + books_at(d->coding);
    s.found = (char *)s.model + books_of(sz.coder) * zti_cuda_book_step(alphabet_of(&sz));
    s.found = (void *)(((uintptr_t)s.found + FOUND_ALIGNED - 1) / FOUND_ALIGNED * FOUND_ALIGNED);
    s.alphabet = alphabet_of(&sz);
    s.slots = sz_slots_of(zti_sz_alone_tiles(d->coding));
    s.places = d->places;
    return s;
}

extern "C" void zti_sz_alone_load(const struct zti_cuda_alone_decoding *d)
{
    const struct sz_tiles s = tiles_of(d);
    struct sz_tiles *const there = (struct sz_tiles *)d->work;
    SIMT_LAUNCH(load_alone, 1, 32, 0, d->queue, s, d->stored, there, d->tiles, d->first_bit,
                d->status);
    if (launches_of(d).has_default)
        zti_sz_alone_read_books(&s, there, d->status, d->queue);
}

extern "C" void zti_sz_alone_decode(const struct zti_cuda_alone_decoding *d)
{
    const struct sz_tiles s = tiles_of(d);
    struct sz_tiles *const there = (struct sz_tiles *)d->work;
    const bool is_wide = d->coding->type == ZT_F64 || d->coding->type == ZT_I64;
    const struct sz_launches l = launches_of(d);
    SIMT_LAUNCH(divide_alone, 1, 32, 0, d->queue, there, d->chunks, d->chunk_tiles, there + 1, l,
                d->status);
    for (uint64_t r = 1; r <= l.rounds; r++) {
        zti_sz_cuda_find_alone(there + r, &l, d->queue);
        (is_wide ? zti_sz_cuda_decode_alone_64 : zti_sz_cuda_decode_alone_32)(there + r, &l,
                                                                              d->queue);
    }
    SIMT_LAUNCH(end_taking, 1, 32, 0, d->queue, s.states, d->stored, d->status);
}
