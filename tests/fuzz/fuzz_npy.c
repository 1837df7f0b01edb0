/* fuzz_npy.c: any bytes as a .npy file, read as the command reads it, as a whole and slab by slab.
 * The header must be refused with a sentence and an exit status, or the array
 * be read whole, twice alike. */
#define _GNU_SOURCE
#include "fuzz.h"
#include "io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void require_sentence(const struct ztio_error *error)
{
    fuzz_require(error->exit_status >= ZTIO_BAD_USE && error->exit_status <= ZTIO_LACKING &&
                     error->sentence[0],
                 "an error came without a status or a sentence");
}

static bool read_all(struct ztio_input *in, uint64_t step, uint64_t extent, size_t slice_bytes,
                     uint8_t *to)
{
    struct ztio_error error = {0, ""};
    uint64_t got;
    for (uint64_t first = 0; first < extent; first += step) {
        const uint64_t n = extent - first < step ? extent - first : step;
        if (!ztio_read(in, first, n, to + first * slice_bytes, &got, &error)) {
            require_sentence(&error);
            return false;
        }
        fuzz_require(got == n, "fewer slices than asked for");
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_bytes)
{
    static int fd = -1;
    static char place[64];
    const struct ztio_meta hints = {.format = ZTIO_NPY};
    struct ztio_error error = {0, ""};
    size_t raw_bytes;
    if (fd < 0) {
        fd = memfd_create("npy", 0);
        fuzz_require(fd >= 0, "no memory file");
        snprintf(place, sizeof place, "/proc/self/fd/%d", fd);
    }
    fuzz_require(ftruncate(fd, 0) == 0 && pwrite(fd, data, data_bytes, 0) == (ssize_t)data_bytes,
                 "the memory file cannot be written");
    struct ztio_input *in = ztio_open(place, &hints, &error);
    if (!in) {
        require_sentence(&error);
        return 0;
    }
    const struct ztio_meta *meta = ztio_meta_of(in);
    if (meta->shape[0] != ZT_UNKNOWN &&
        fuzz_raw_bytes(meta->type, meta->rank, meta->shape, &raw_bytes)) {
        const size_t slice = raw_bytes / (size_t)meta->shape[0];
        uint8_t *once = malloc(raw_bytes), *again = malloc(raw_bytes);
        fuzz_require(once && again, "no memory");
        if (read_all(in, meta->shape[0], meta->shape[0], slice, once) &&
            read_all(in, 3, meta->shape[0], slice, again))
            fuzz_require(memcmp(once, again, raw_bytes) == 0, "slabs differ from the whole");
        free(once);
        free(again);
    }
    ztio_close(in);
    return 0;
}
