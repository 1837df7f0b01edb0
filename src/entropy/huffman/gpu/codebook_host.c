/* codebook_host.c: the host's part of building codebooks by kernels: allocates device memory for
 * counts, scratch and book, launches, and copies the book back. The lengths are those of
 * zti_codebook_build. */
#include "core/device.h"
#include "entropy/huffman/build.h"
#include "entropy/huffman/gpu/kernels.h"

/* Memory in order: the book, padded; counts; the number of strays; scratch. */
static uint64_t book_bytes(uint32_t alphabet)
{
    return zti_round_up(zti_cuda_book_bytes(alphabet), 8);
}

uint64_t zti_cuda_making_bytes(uint32_t alphabet)
{
    return book_bytes(alphabet) + 8 * ((uint64_t)alphabet + 1) +
           zti_cuda_huffman()->build_bytes(alphabet);
}

zt_status zti_cuda_make_room(zt_context *context, uint32_t alphabet, struct zti_cuda_making *m)
{
    void *memory;
    const zt_status status =
        context->device->room(context, ZTI_DEVICE_MODEL, zti_cuda_making_bytes(alphabet), &memory);
    if (status != ZT_OK)
        return status;
    m->book = zti_cuda_book_in(memory, alphabet);
    m->counts = (uint64_t *)(void *)((uint8_t *)memory + book_bytes(alphabet));
    m->strays = m->counts + alphabet;
    m->scratch = m->strays + 1;
    return ZT_OK;
}

zt_status zti_cuda_make_book(zt_context *context, const struct zti_cuda_making *m,
                             struct zti_codebook *book)
{
    struct zti_device *const device = context->device;
    const uint32_t alphabet = m->book.alphabet;
    uint32_t numbers[ZTI_BOOK_NUMBERS];
    uint16_t only = 0;
    zt_status status = zti_codebook_alloc(context, alphabet, book);
    if (status == ZT_OK) {
        const int before = device->enter(context);
        zti_cuda_huffman()->build(m->counts, &m->book, m->scratch, device->queue);
        device->leave(before);
        status = device->copy(context, ZTI_QUEUE_KERNELS, book->lengths, m->book.lengths, alphabet);
    }
    if (status == ZT_OK)
        status = device->copy(context, ZTI_QUEUE_KERNELS, numbers, m->book.numbers, sizeof numbers);
    if (status == ZT_OK)
        status = device->copy(context, ZTI_QUEUE_KERNELS, &only, m->book.order, sizeof only);
    status = zti_device_settle(context, status);
    if (status != ZT_OK) {
        zti_codebook_free(context, book);
        return status;
    }
    book->used = numbers[ZTI_BOOK_USED];
    if (book->used == 1)
        book->order[0] = only;
    zti_codebook_generate(book);
    return ZT_OK;
}

bool zti_cuda_makes_book(const zt_context *context, uint32_t alphabet)
{
    return context && context->device && zti_cuda_huffman() && alphabet > ZTI_HOST_BOOK_SYMBOLS;
}

zt_status zti_cuda_codebook_build(zt_context *context, const uint64_t *counts, uint32_t alphabet,
                                  struct zti_codebook *book)
{
    struct zti_cuda_making m;
    memset(book, 0, sizeof *book);
    zt_status status = zti_cuda_make_room(context, alphabet, &m);
    if (status == ZT_OK)
        status = context->device->copy(context, ZTI_QUEUE_KERNELS, m.counts, counts,
                                       alphabet * sizeof *counts);
    return status == ZT_OK ? zti_cuda_make_book(context, &m, book)
                           : zti_device_settle(context, status);
}
