/* map.c: slices of raw and .npy files as they lie in the system's cache of files, without a copy.
 * Memory that values are read to has to be cleared first, which takes longer than to read them.
 *
 * What was touched of a map counts as memory of the process until it is given back, which whoever
 * goes through the slices sees to. What is needed again is found in the cache of files. */
#include "format.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

/* What is mapped, for a signal handler. */
static _Atomic(const char *) mapped_label;
static _Atomic(uintptr_t) mapped_first, mapped_last;

static void note(const char *label, const void *first, size_t bytes)
{
    atomic_store(&mapped_label, (const char *)NULL);
    atomic_store(&mapped_first, (uintptr_t)first);
    atomic_store(&mapped_last, (uintptr_t)first + bytes);
    atomic_store(&mapped_label, label);
}

const char *ztio_map_at(const void *address)
{
    const uintptr_t at = (uintptr_t)address;
    const bool is_inside = at >= atomic_load(&mapped_first) && at < atomic_load(&mapped_last);
    return is_inside ? atomic_load(&mapped_label) : NULL;
}

void ztio_body_unmap(struct ztio_body *body)
{
    if (!body->map)
        return;
    note(NULL, NULL, 0);
    ztio_ahead_end(body->ahead);
    body->ahead = NULL;
    (void)munmap(body->map, body->map_bytes);
    body->map = NULL;
}

static bool map_pages(struct ztio_body *body, int fd, uint64_t at, size_t bytes)
{
    void *const map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)at);
    if (map == MAP_FAILED)
        return false;
    body->map = map;
    body->map_bytes = bytes;
    (void)madvise(map, bytes, MADV_SEQUENTIAL);
    note(body->input.label, map, bytes);
    body->ahead = ztio_ahead_begin(map, bytes);
    return true;
}

static const void *map_body(struct ztio_input *input, uint64_t first, uint64_t extent)
{
    struct ztio_body *const body = (struct ztio_body *)input;
    const long page_bytes = sysconf(_SC_PAGESIZE);
    const uint64_t at = body->source.base + body->start + first * input->slice_bytes;
    const uint64_t skips = page_bytes > 0 ? at % (uint64_t)page_bytes : 0;
    const uint64_t bytes = skips + extent * input->slice_bytes;
    if (body->map && body->map_at == at && body->map_bytes == bytes)
        return body->map + skips;
    ztio_body_unmap(body);
    if (!body->source.is_regular || body->is_swapped || at % zt_type_bytes(input->meta.type) != 0 ||
        page_bytes <= 0 || extent == 0 || bytes > SIZE_MAX)
        return NULL;
    if (!body->was_mapped && fstat(body->source.fd, &body->mapped) != 0)
        return NULL;
    if (!map_pages(body, body->source.fd, at - skips, (size_t)bytes))
        return NULL;
    body->was_mapped = true;
    body->map_at = at;
    body->map_skips = (size_t)skips;
    return body->map + skips;
}

const void *ztio_body_map_held(struct ztio_body *body, uint64_t slices)
{
    const uint64_t bytes = slices * body->input.slice_bytes;
    ztio_body_unmap(body);
    if (bytes == 0 || bytes > SIZE_MAX || !map_pages(body, body->held_fd, 0, (size_t)bytes))
        return NULL;
    body->map_skips = 0;
    return body->map;
}

const void *ztio_map(struct ztio_input *input, uint64_t first, uint64_t extent)
{
    return input->reader->has_body && first <= input->meta.shape[0] &&
                   extent <= input->meta.shape[0] - first
               ? map_body(input, first, extent)
               : NULL;
}

bool ztio_map_is_good(struct ztio_input *input, struct ztio_error *error)
{
    const struct ztio_body *const body = (const struct ztio_body *)input;
    struct stat is;
    if (!input->reader->has_body || !body->was_mapped)
        return true;
    if (fstat(body->source.fd, &is) == 0 && is.st_size == body->mapped.st_size &&
        is.st_mtim.tv_sec == body->mapped.st_mtim.tv_sec &&
        is.st_mtim.tv_nsec == body->mapped.st_mtim.tv_nsec)
        return true;
    return ztio_fail(error, ZTIO_IO_ERROR, "%s: the file was changed while it was read; try again",
                     input->label);
}

void ztio_map_again(struct ztio_input *input, uint64_t more_bytes)
{
    struct ztio_body *const body = (struct ztio_body *)input;
    if (input->reader->has_body && body->ahead)
        ztio_ahead_keep(body->ahead,
                        more_bytes < body->map_bytes ? (size_t)more_bytes : body->map_bytes);
}

void ztio_map_sampled(struct ztio_input *input)
{
    struct ztio_body *const body = (struct ztio_body *)input;
    if (input->reader->has_body && body->ahead)
        ztio_ahead_sampled(body->ahead);
}

void ztio_map_passed(struct ztio_input *input, uint64_t slices)
{
    struct ztio_body *const body = (struct ztio_body *)input;
    if (input->reader->has_body && body->ahead)
        ztio_ahead_at(body->ahead, body->map_skips + (size_t)(slices * input->slice_bytes));
}

void ztio_map_read(const struct ztio_input *input, const void *from, size_t n)
{
    const struct ztio_body *const body = (const struct ztio_body *)input;
    const uintptr_t first = (uintptr_t)body->map, at = (uintptr_t)from;
    if (input->reader->has_body && body->map && body->ahead && at >= first &&
        at - first <= body->map_bytes && n <= body->map_bytes - (at - first))
        ztio_ahead_read(body->ahead, at - first, at - first + n);
}
