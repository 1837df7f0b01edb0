/* zt_command.h: a case of zt_property_test.c through the ztile command. */
#ifndef ZTILE_ZT_COMMAND_H
#define ZTILE_ZT_COMMAND_H

#include "ztile.h"

#include <stdbool.h>

struct command_case {
    const char *ztile;  /* the command's path */
    const char *folder; /* for files of its own */
    const zt_params *params;
    uint32_t type, rank;
    const uint64_t *shape;
    const unsigned char *raw, *file, *back; /* C order; what zt_compress made of it; and back */
    size_t raw_bytes, bytes;
};

/* Whether the command can be told all of these params: it names no array, and takes fill values as
 * numbers. */
bool command_can(const zt_params *params, uint32_t type);

/* Compress and decompress by the command: the file has the bytes of zt_compress, and the array
 * those of zt_decompress. Where not, 'why' (256 bytes) says what differs. */
bool command_agrees(const struct command_case *c, char *why);

#endif
