/* stored.c: chunks of a dataset without filters, read where they are in the file, by any thread.
 * HDF5 would read a block, whose rows are long, on one thread, and from there each chunk would have
 * to be copied again.
 *
 * Only chunks that are within the array and in the machine's type, of files that are one file to
 * the system and have no user block: addresses of chunks leave that out (seen with 1.10.8; later
 * versions count it). */
#include "whole/whole.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 10, 5)

/* HDF5 goes through all chunks to find one. Chunks are found this way only if each has this many
 * bytes for every chunk of the dataset: then one takes longer to code than to find. */
enum { BYTES_FOR_A_CHUNK = 512 };

struct whole_stored {
    int file; /* HDF5's own */
    uint32_t rank;
    size_t chunk_bytes;
    hsize_t chunk[ZTIO_MAX_AXES];
    uint64_t chunks[ZTIO_MAX_AXES]; /* along each axis, also cut ones */
    haddr_t *address;               /* HADDR_UNDEF: HDF5 has to see to that chunk */
};

static bool has_user_block(hid_t file)
{
    hsize_t bytes = 1;
    hid_t properties = H5Fget_create_plist(file);
    (void)H5Pget_userblock(properties, &bytes);
    (void)H5Pclose(properties);
    return bytes > 0;
}

/* The chunks of the dataset; false: they are filtered, or many and small. */
static bool describe(struct whole_stored *s, hid_t dataset, const struct ztio_variable *v,
                     uint64_t *count)
{
    hid_t properties = H5Dget_create_plist(dataset);
    const bool is_plain = H5Pget_layout(properties) == H5D_CHUNKED &&
                          H5Pget_nfilters(properties) == 0 &&
                          H5Pget_chunk(properties, (int)v->rank, s->chunk) == (int)v->rank;
    (void)H5Pclose(properties);
    s->rank = v->rank;
    s->chunk_bytes = zt_type_bytes(v->type);
    *count = 1;
    for (uint32_t i = 0; i < v->rank && is_plain; i++)
        s->chunk_bytes *= (size_t)s->chunk[i]; /* HDF5 has no chunks of 4 GiB */
    for (uint32_t i = 0; i < v->rank && is_plain; i++) {
        s->chunks[i] = (v->shape[i] - 1) / s->chunk[i] + 1;
        if (s->chunks[i] > s->chunk_bytes / BYTES_FOR_A_CHUNK / *count)
            return false;
        *count *= s->chunks[i];
    }
    return is_plain;
}

static void place_chunk(const struct whole_stored *s, uint64_t at, hsize_t *from)
{
    for (uint32_t i = s->rank; i-- > 0;) {
        from[i] = at % s->chunks[i] * s->chunk[i];
        at /= s->chunks[i];
    }
}

/* Whether the array ends within a chunk. */
static bool is_cut(const struct whole_stored *s, const struct ztio_variable *v, const hsize_t *from)
{
    bool is_cut = false;
    for (uint32_t i = 0; i < s->rank; i++)
        is_cut = is_cut || v->shape[i] - from[i] < s->chunk[i];
    return is_cut;
}

/* Where a chunk is; HADDR_UNDEF: nowhere, or not as its bytes should be. */
static haddr_t find_chunk(const struct whole_stored *s, hid_t dataset, const hsize_t *from,
                          uint64_t file_bytes)
{
    unsigned skipped = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    const bool is_found =
        H5Dget_chunk_info_by_coord(dataset, from, &skipped, &address, &bytes) >= 0;
    return is_found && address != HADDR_UNDEF && bytes == s->chunk_bytes && bytes <= file_bytes &&
                   address <= file_bytes - bytes
               ? address
               : HADDR_UNDEF;
}

static bool find_chunks(struct whole_stored *s, hid_t dataset, const struct ztio_variable *v,
                        uint64_t count)
{
    hsize_t from[ZTIO_MAX_AXES];
    struct stat is;
    if (fstat(s->file, &is) != 0)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        place_chunk(s, i, from);
        s->address[i] =
            is_cut(s, v, from) ? HADDR_UNDEF : find_chunk(s, dataset, from, (uint64_t)is.st_size);
    }
    return true;
}

struct whole_stored *whole_stored_open(hid_t file, hid_t dataset, hid_t native,
                                       const struct ztio_variable *v)
{
    struct whole_stored *const s = calloc(1, sizeof *s);
    void *handle = NULL;
    uint64_t count = 0;
    bool done = s && whole_is_one_file(file) && !has_user_block(file) &&
                whole_is_native(dataset, native) && describe(s, dataset, v, &count) &&
                H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle;
    if (done) {
        s->file = *(const int *)handle;
        s->address = malloc((size_t)count * sizeof *s->address);
    }
    done = done && s->address;
    H5E_BEGIN_TRY
    {
        done = done && find_chunks(s, dataset, v, count);
    }
    H5E_END_TRY
    if (done)
        return s;
    whole_stored_close(s);
    return NULL;
}

void whole_stored_close(struct whole_stored *s)
{
    if (s)
        free(s->address);
    free(s);
}

uint64_t whole_stored_count(const struct whole_stored *s)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < s->rank; i++)
        count *= s->chunks[i];
    return count;
}

const hsize_t *whole_stored_chunk(const struct whole_stored *s)
{
    return s->chunk;
}

static haddr_t address_of(const struct whole_stored *s, const hsize_t *from)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < s->rank; i++)
        at = at * s->chunks[i] + from[i] / s->chunk[i];
    return s->address[at];
}

bool whole_stored_has(const struct whole_stored *s, const hsize_t *from)
{
    return address_of(s, from) != HADDR_UNDEF;
}

bool whole_stored_at(const struct whole_stored *s, uint64_t at, hsize_t *from)
{
    place_chunk(s, at, from);
    return s->address[at] != HADDR_UNDEF;
}

bool whole_stored_read(const struct whole_stored *s, const hsize_t *from, size_t skips,
                       void *values, size_t bytes)
{
    const haddr_t address = address_of(s, from) + skips;
    for (size_t done = 0; done < bytes;) {
        const ssize_t n =
            pread(s->file, (char *)values + done, bytes - done, (off_t)(address + done));
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

#else /* where chunks are, HDF5 does not say */

struct whole_stored *whole_stored_open(hid_t file, hid_t dataset, hid_t native,
                                       const struct ztio_variable *v)
{
    (void)file, (void)dataset, (void)native, (void)v;
    return NULL;
}

void whole_stored_close(struct whole_stored *s)
{
    (void)s;
}

uint64_t whole_stored_count(const struct whole_stored *s)
{
    (void)s;
    return 0;
}

const hsize_t *whole_stored_chunk(const struct whole_stored *s)
{
    (void)s;
    return NULL;
}

bool whole_stored_has(const struct whole_stored *s, const hsize_t *from)
{
    (void)s, (void)from;
    return false;
}

bool whole_stored_at(const struct whole_stored *s, uint64_t at, hsize_t *from)
{
    (void)s, (void)at, (void)from;
    return false;
}

bool whole_stored_read(const struct whole_stored *s, const hsize_t *from, size_t skips,
                       void *values, size_t bytes)
{
    (void)s, (void)from, (void)skips, (void)values, (void)bytes;
    return false;
}

#endif
