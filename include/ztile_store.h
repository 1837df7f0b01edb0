/** @file
 * Writers for files that can be written at any offset. The rules of ztile.h hold here.
 *
 * zt_writer_open_store() makes a writer that writes the bytes of a frame while it codes the frame,
 * and the frame's header last. One of zt_writer_open() keeps them in memory until the header is
 * known. Both write the same file.
 */
#ifndef ZTILE_STORE_H
#define ZTILE_STORE_H

#include "ztile.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A new file, empty at first. Functions return 0, or anything else for failure. Frozen. */
typedef struct zt_store {
    /** Write bytes at an offset, which may be beyond the file's end. Where read and cut are NULL it
     * is the end: frames are written in order, each when it is whole, as to a sink. */
    int (*write)(void *user, uint64_t offset, const void *data, size_t bytes);
    /** Read bytes that were written; NULL for a pipe, and so is cut. */
    int (*read)(void *user, uint64_t offset, void *buffer, size_t bytes);
    /** Shorten the file to this length. */
    int (*cut)(void *user, uint64_t file_bytes);
    int (*sync)(void *user); /**< NULL, or: make durable what was written (fsync). */
    /** NULL, or called when the writer has read the first slices of a slab, as many as are given.
     * If the slab is a mapped file, their memory can be given back to the system; the writer may
     * read them again. */
    void (*passed)(void *user, uint64_t slices);
    void *user;           /**< Passed to all. */
    uint64_t reserved[2]; /**< 0 */
} zt_store;

/** Open a writer to a store, as zt_writer_open() does to a sink. While several candidates for a
 * frame are coded, the file is longer by the bytes of each.
 * @param context outlives the writer; NULL is allowed
 * @param store is copied
 * @param whole as of zt_writer_open()
 * @param params is copied; with rel and psnr, range_lo and range_hi must be set
 * @param writer gets the writer; zt_writer_free() releases it */
ZT_API zt_status zt_writer_open_store(zt_context *context, const zt_store *store,
                                      const zt_array *whole, const zt_params *params,
                                      zt_writer **writer);

/** Ask the system for huge pages for new memory of some MiB that will be written to: it clears them
 * faster. The library does so for what it allocates itself. */
ZT_API void zt_expect_writes(void *memory, size_t bytes);

struct zt_stats; /* ztile_quality.h */

/** Append a slab that is one frame, without scanning it again. ZT_BAD_ARG if it is no frame.
 * @param writer to append to
 * @param slab zt_writer_slab_extent() slices, or the array's last ones
 * @param stats what zt_scan() (ztile_quality.h) finds in the slab, with the fill values of the
 *        parameters. If it is wrong, the file breaks its bound or cannot be read. */
ZT_API zt_status zt_writer_put_scanned(zt_writer *writer, const zt_array *slab,
                                       const struct zt_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
