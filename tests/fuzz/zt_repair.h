/* zt_repair.h: see zt_repair.c. */
#ifndef ZTILE_ZT_REPAIR_H
#define ZTILE_ZT_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Recompute, in place, every checksum of a .zt file that can be found. */
void zt_repair(uint8_t *data, size_t bytes);

#endif
