/* frame_support.h: what the tests of src/frame share: sinks and sources in memory, an allocator
 * that counts and fails, and short ways to compress and compare. */
#ifndef ZTILE_TEST_FRAME_SUPPORT_H
#define ZTILE_TEST_FRAME_SUPPORT_H

#include "support/support.h"
#include "ztile_expert.h"
#include "ztile_store.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- bytes in memory ---- */

struct bytes {
    unsigned char *data;
    size_t n;
    size_t capacity;
};

/* A sink that grows, and fails when it would hold more than 'limit' bytes. */
struct mem_sink {
    struct bytes bytes;
    size_t limit;
};

static inline int mem_write(void *user, const void *data, size_t n)
{
    struct mem_sink *s = (struct mem_sink *)user;
    if (n > s->limit - s->bytes.n)
        return -1;
    if (n > s->bytes.capacity - s->bytes.n) {
        size_t capacity = 2 * (s->bytes.n + n);
        s->bytes.data = (unsigned char *)realloc(s->bytes.data, capacity);
        assert_non_null(s->bytes.data);
        s->bytes.capacity = capacity;
    }
    memcpy(s->bytes.data + s->bytes.n, data, n);
    s->bytes.n += n;
    return 0;
}

static inline zt_sink sink_of(struct mem_sink *s)
{
    zt_sink sink = {.write = mem_write, .user = s};
    return sink;
}

/* A store over memory, which fails when it would hold more than 'limit' bytes, or after some calls.
 * What is not written is not zero. */
struct mem_store {
    struct bytes bytes;
    size_t limit;
    int64_t reads_left; /* then reading and cutting fail; -1: never */
};

static inline int mem_store_write(void *user, uint64_t at, const void *data, size_t n)
{
    struct mem_store *s = (struct mem_store *)user;
    if (at > s->limit || n > s->limit - at)
        return -1;
    const size_t end = (size_t)at + n;
    if (end > s->bytes.capacity) {
        s->bytes.data = (unsigned char *)realloc(s->bytes.data, 2 * end);
        assert_non_null(s->bytes.data);
        memset(s->bytes.data + s->bytes.capacity, 0xcd, 2 * end - s->bytes.capacity);
        s->bytes.capacity = 2 * end;
    }
    memcpy(s->bytes.data + at, data, n);
    s->bytes.n = end > s->bytes.n ? end : s->bytes.n;
    return 0;
}

static inline bool mem_store_fails(struct mem_store *s)
{
    return s->reads_left == 0 || (s->reads_left > 0 && s->reads_left-- == 0);
}

static inline int mem_store_read(void *user, uint64_t at, void *buffer, size_t n)
{
    struct mem_store *s = (struct mem_store *)user;
    assert_true(at <= s->bytes.n && n <= s->bytes.n - at);
    if (mem_store_fails(s))
        return -1;
    memcpy(buffer, s->bytes.data + at, n);
    return 0;
}

static inline int mem_store_cut(void *user, uint64_t n)
{
    struct mem_store *s = (struct mem_store *)user;
    assert_true(n <= s->bytes.n);
    if (mem_store_fails(s))
        return -1;
    s->bytes.n = (size_t)n;
    return 0;
}

static inline zt_store store_of(struct mem_store *s)
{
    return (zt_store){
        .write = mem_store_write, .read = mem_store_read, .cut = mem_store_cut, .user = s};
}

/* A source over memory that checks what it is asked: sequential ones never go back. */
struct mem_source {
    const unsigned char *data;
    size_t n;
    bool is_sequential;
    uint64_t at;         /* sequential: the next byte */
    uint64_t read_bytes; /* handed out so far */
    int64_t calls_left;  /* then it fails; -1: never */
};

static inline int mem_read(void *user, uint64_t offset, void *buffer, size_t n, size_t *got)
{
    struct mem_source *s = (struct mem_source *)user;
    if (s->calls_left == 0)
        return -1;
    if (s->calls_left > 0)
        s->calls_left--;
    if (s->is_sequential)
        assert_true(offset == s->at);
    else
        assert_true(offset <= s->n && n <= s->n - offset);
    size_t left = offset < s->n ? s->n - (size_t)offset : 0;
    *got = n < left ? n : left;
    memcpy(buffer, s->data + offset, *got);
    s->at = offset + *got;
    s->read_bytes += *got;
    return 0;
}

static inline zt_source source_of(struct mem_source *s, const void *data, size_t n,
                                  bool is_sequential)
{
    *s = (struct mem_source){.data = (const unsigned char *)data,
                             .n = n,
                             .is_sequential = is_sequential,
                             .calls_left = -1};
    zt_source source = {
        .read = mem_read, .user = s, .source_bytes = is_sequential ? ZT_UNKNOWN : n};
    return source;
}

/* ---- memory that is counted ---- */

struct counted {
    int64_t calls_left; /* then there is no memory; -1: there always is */
    uint64_t calls;
    uint64_t held;  /* blocks */
    size_t largest; /* bytes ever asked for at once */
};

/* One call fewer is left; false if none was. Threads may call at once. */
static inline bool counted_call(struct counted *c)
{
    int64_t left = __atomic_load_n(&c->calls_left, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add(&c->calls, 1, __ATOMIC_RELAXED);
    while (left > 0 && !__atomic_compare_exchange_n(&c->calls_left, &left, left - 1, false,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return left != 0;
}

static inline void *counted_alloc(void *user, size_t n)
{
    struct counted *c = (struct counted *)user;
    size_t largest = __atomic_load_n(&c->largest, __ATOMIC_RELAXED);
    while (n > largest && !__atomic_compare_exchange_n(&c->largest, &largest, n, false,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    if (!counted_call(c))
        return NULL;
    void *memory = malloc(n);
    (void)__atomic_fetch_add(&c->held, (uint64_t)(memory != NULL), __ATOMIC_RELAXED);
    return memory;
}

static inline void counted_release(void *user, void *memory)
{
    struct counted *c = (struct counted *)user;
    (void)__atomic_fetch_sub(&c->held, (uint64_t)(memory != NULL), __ATOMIC_RELAXED);
    free(memory);
}

static inline zt_context *counted_context(struct counted *c)
{
    zt_allocator a = {.alloc = counted_alloc, .release = counted_release, .user = c};
    zt_context *context = NULL;
    *c = (struct counted){.calls_left = -1};
    assert_int_equal(zt_context_new(&a, &context), ZT_OK);
    return context;
}

/* ---- short ways ---- */

static inline zt_params params_of(zt_bound bound)
{
    zt_params p;
    assert_int_equal(zt_params_init(&p, sizeof p), ZT_OK);
    p.codec = ZT_CODEC_ZFP;
    p.bound = bound;
    return p;
}

/* Compress into memory of exactly the size that zt_compress_bound says. */
static inline struct bytes compress(const zt_array *array, const zt_params *params)
{
    struct bytes b = {.data = NULL};
    zt_context *context = NULL;
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    zt_status status = zt_compress_bound(context, array, params, &b.capacity);
    if (status == ZT_OK) {
        b.data = (unsigned char *)malloc(b.capacity);
        assert_non_null(b.data);
        status = zt_compress(context, array, params, b.data, b.capacity, &b.n);
    }
    if (status != ZT_OK)
        fail_msg("compress: %s: %s", zt_strerror(status), zt_context_error(context));
    zt_context_free(context);
    return b;
}

static inline void need_ok(zt_context *context, zt_status status)
{
    if (status != ZT_OK)
        fail_msg("%s: %s", zt_strerror(status), zt_context_error(context));
}

/* Fail unless the status is this one, with a sentence that contains a word. */
static inline void need_failure(zt_context *context, zt_status status, zt_status wanted,
                                const char *word)
{
    if (status != wanted || !strstr(zt_context_error(context), word))
        fail_msg("wanted '%s' with '%s', got '%s': %s", zt_strerror(wanted), word,
                 zt_strerror(status), zt_context_error(context));
}

static inline zt_info info_of(const struct bytes *b)
{
    zt_info info;
    assert_int_equal(zt_info_init(&info, sizeof info), ZT_OK);
    assert_int_equal(zt_inspect(NULL, b->data, b->n, &info), ZT_OK);
    return info;
}

static inline zt_array new_array(zt_type type, uint32_t rank, const uint64_t *shape)
{
    void *data = need((size_t)values_of(rank, shape) * zt_type_bytes(type));
    return zt_array_nd(data, type, rank, shape);
}

/* Noise on a wave, from about -1e5 to 1e5, times a unit. */
static inline double unit_of(zt_type type)
{
    return type == ZT_I32 ? 1e3 : type == ZT_I64 ? 1e9 : 1;
}

static inline zt_array rough_array(zt_type type, const uint64_t *shape, uint64_t seed)
{
    struct rng r = {seed};
    const zt_array a = new_array(type, 3, shape);
    for (uint64_t i = 0; i < values_of(3, shape); i++)
        set_number(&a, i, unit_of(type) * (1e5 * sin(1e-3 * (double)i) + 3e3 * rng_unit(&r)));
    return a;
}

#endif
