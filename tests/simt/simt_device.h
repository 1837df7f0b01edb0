/* simt_device.h: what tests can set of the device that device_host.c makes of the CPU, and memory
 * that the host cannot reach. */
#ifndef SIMT_DEVICE_H
#define SIMT_DEVICE_H

#include <stddef.h>
#include <stdint.h>

/* Values that are worked on at a time, for devices opened from now on. */
extern uint64_t simt_slab_bytes;

/* How often parts of a device's memory had to grow, since the program began. */
extern uint64_t simt_allocations;

/* How often the host has waited for a queue, and waiting for all of the device that was last used,
 * which does not count. */
extern uint64_t simt_waits;
void simt_device_finish(void);

/* Bytes that were copied to what a device has for values of slabs. */
extern uint64_t simt_values_bytes;

/* Bytes that were copied between the host's memory and a device's, and the most at once. */
extern uint64_t simt_crossing_bytes, simt_crossing_most;

/* The current device, as CUDA has one for each thread; at first none that a context has. It has to
 * be the context's where kernels are launched, and the caller's again after each call. */
enum { SIMT_CALLERS_DEVICE = 7 };
extern int simt_current_device;

/* Memory of the device with rubbish in it, aligned to 16; what is behind its end, rounded up to 16,
 * ends the program. To be given back. */
void *simt_device_take(size_t bytes);
void simt_device_give(void *memory);

/* Copy to, from or within it. */
void simt_device_move(void *to, const void *from, size_t bytes);

#endif
