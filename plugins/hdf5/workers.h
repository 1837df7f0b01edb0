/* workers.h: what a call of a filter needs beside the chunk: a context, and memory for coded bytes.
 * They stay for later calls. */
#ifndef ZTILE_H5_WORKERS_H
#define ZTILE_H5_WORKERS_H

#include "host.h"

struct zh_worker {
    zt_context *context;
    uint32_t threads;
    void *memory;
    size_t memory_bytes;
};

/* A worker for one call, with as many threads as zh_context's or these. False after a complaint. */
bool zh_worker_take(void *caller, struct zh_worker *worker);
bool zh_worker_take_of(void *caller, uint32_t threads, struct zh_worker *worker);

/* Give it back after the call. */
void zh_worker_give(struct zh_worker *worker);

/* Uninitialized memory of the worker, at least 'bytes'; it stays the worker's. NULL: out of memory.
 */
void *zh_worker_memory(struct zh_worker *worker, size_t bytes);

/* Put coded bytes that lie in a worker's memory in the place of a chunk. HDF5 owns *buf: the bytes
 * are copied into it where they fit, so that the heap keeps the pages that the next chunk needs.
 * Returns the bytes, 0 after a complaint. */
size_t zh_replace(void *caller, const void *coded, size_t bytes, size_t *buf_size, void **buf);

#endif
