/* simt_device.h: what tests can set of the device that device_host.c makes of the CPU. */
#ifndef SIMT_DEVICE_H
#define SIMT_DEVICE_H

#include <stdint.h>

/* Values that are worked on at a time, for devices opened from now on. */
extern uint64_t simt_slab_bytes;

#endif
