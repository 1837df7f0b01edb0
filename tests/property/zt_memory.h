/* zt_memory.h: sinks, stores and sources over memory, for zt_property_test.c. */
#ifndef ZTILE_TEST_ZT_MEMORY_H
#define ZTILE_TEST_ZT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct memory {
    unsigned char *data;
    size_t bytes, capacity, at;
};

static int append(void *user, const void *data, size_t data_bytes)
{
    struct memory *m = user;
    if (data_bytes > m->capacity - m->bytes)
        return 1;
    memcpy(m->data + m->bytes, data, data_bytes);
    m->bytes += data_bytes;
    return 0;
}

/* A pipe: offsets never go back. */
static int take(void *user, uint64_t offset, void *buffer, size_t bytes, size_t *got_bytes)
{
    struct memory *m = user;
    if (offset < m->at)
        return 1;
    size_t left = offset < m->bytes ? m->bytes - (size_t)offset : 0;
    *got_bytes = bytes < left ? bytes : left;
    if (*got_bytes)
        memcpy(buffer, m->data + offset, *got_bytes);
    m->at = (size_t)offset + *got_bytes;
    return 0;
}

/* A store over memory, with room for all candidates, coded one behind the other. */
enum { STORE_TIMES = 12 };

static int write_at(void *user, uint64_t offset, const void *data, size_t bytes)
{
    struct memory *m = user;
    if (offset > m->capacity || bytes > m->capacity - offset)
        return -1;
    memcpy(m->data + offset, data, bytes);
    m->bytes = offset + bytes > m->bytes ? (size_t)offset + bytes : m->bytes;
    return 0;
}

static int read_at(void *user, uint64_t offset, void *buffer, size_t bytes)
{
    const struct memory *m = user;
    if (offset > m->bytes || bytes > m->bytes - offset)
        return -1;
    memcpy(buffer, m->data + offset, bytes);
    return 0;
}

static int cut(void *user, uint64_t bytes)
{
    struct memory *m = user;
    const bool is_shorter = bytes <= m->bytes;
    m->bytes = (size_t)bytes;
    return is_shorter ? 0 : -1;
}

#endif
