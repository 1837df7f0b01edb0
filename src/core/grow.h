/* grow.h: memory of core.h that grows. */
#ifndef ZTI_CORE_GROW_H
#define ZTI_CORE_GROW_H

#include "ztile.h"

/* Enlarge a block of zti_alloc, which may move; NULL, and the block as it was, on failure. */
void *zti_grow(zt_context *context, void *memory, size_t bytes);

#endif
