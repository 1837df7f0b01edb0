/** @file ztile_store.h
 * For programs that know more of where values come from and bytes go to. A writer to a file
 * that can be written at any place (zt_writer_open_store()) hands on the coded bytes of a frame
 * while it codes the frame, and its header last; a zt_writer_open() one has to keep them until the
 * header is known. The bytes are the same. */
#ifndef ZTILE_STORE_H
#define ZTILE_STORE_H

#include "ztile.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A new file, empty at first. Functions return 0, or anything else for failure. Frozen. */
typedef struct zt_store {
    /** Write bytes at an offset, which may be beyond the file's end. */
    int (*write)(void *user, uint64_t offset, const void *data, size_t bytes);
    /** Read bytes that were written. */
    int (*read)(void *user, uint64_t offset, void *buffer, size_t bytes);
    /** Shorten the file to this length. */
    int (*cut)(void *user, uint64_t file_bytes);
    int (*sync)(void *user); /**< NULL, or: make durable what was written (fsync). */
    /** NULL, or: this pass of the writer has gone past the first slices of the slab that was put;
     * others may follow. If the slab is a mapped file, their memory can be given back. */
    void (*passed)(void *user, uint64_t slices);
    void *user;           /**< Passed to all. */
    uint64_t reserved[2]; /**< 0 */
} zt_store;

/** Open a writer to a store, as zt_writer_open() does to a sink. Where several candidates for a
 * frame are coded, the file is longer for a while: by the coded bytes of each.
 * @param context outlives the writer; NULL is allowed
 * @param store is copied
 * @param whole as of zt_writer_open()
 * @param params is copied; with rel and psnr, range_lo and range_hi must be set
 * @param writer gets the writer; zt_writer_free() releases it */
ZT_API zt_status zt_writer_open_store(zt_context *context, const zt_store *store,
                                      const zt_array *whole, const zt_params *params,
                                      zt_writer **writer);

/** Say that memory, some MiB or more, is new and will be written to: the system is asked for huge
 * pages, which it clears faster. What the library allocates itself needs no call. */
ZT_API void zt_expect_writes(void *memory, size_t bytes);

struct zt_stats; /* ztile_quality.h */

/** Append a slab that is one frame, zt_writer_slab_extent() slices or the array's last ones, and of
 * which the caller knows what zt_scan() (ztile_quality.h) finds with the fill values of the
 * parameters: then the writer does not look for it again. What is untrue makes a file that breaks
 * its bound or cannot be read. ZT_BAD_ARG if it is no frame. */
ZT_API zt_status zt_writer_put_scanned(zt_writer *writer, const zt_array *slab,
                                       const struct zt_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
