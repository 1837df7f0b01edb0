/* core_test.c: checked arithmetic, contexts, their memory, sentences, names, threads. */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "core/core.h"
#include "core/crew.h"
#include "core/threads.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static void arithmetic_says_when_it_does_not_fit(void **state)
{
    (void)state;
    uint64_t out;
    assert_true(zti_mul(UINT32_MAX, UINT32_MAX, &out));
    assert_int_equal(out, (uint64_t)UINT32_MAX * UINT32_MAX);
    assert_true(zti_mul(0, UINT64_MAX, &out));
    assert_false(zti_mul(UINT64_C(1) << 32, UINT64_C(1) << 32, &out));
    assert_true(zti_add(UINT64_MAX - 1, 1, &out));
    assert_false(zti_add(UINT64_MAX, 1, &out));
    assert_int_equal(zti_round_up(65, 64), 128);
    assert_int_equal(zti_round_up(64, 64), 64);
}

static void words_are_little_endian(void **state)
{
    (void)state;
    uint8_t bytes[9] = {0};
    zti_put_le64(bytes + 1, UINT64_C(0x0807060504030201));
    for (int i = 1; i < 9; i++)
        assert_int_equal(bytes[i], i);
    assert_int_equal(zti_get_le64(bytes + 1), UINT64_C(0x0807060504030201));
    assert_int_equal(zti_get_le32(bytes + 1), 0x04030201);
    zti_put_le32(bytes, 0xfffefdfc);
    assert_int_equal(bytes[0], 0xfc);
    assert_int_equal(zti_double_from_bits(zti_bits_of_double(-2.5)) == -2.5, 1);
}

static void every_status_has_a_name(void **state)
{
    (void)state;
    for (int i = ZT_OK; i <= ZT_CANCELLED; i++)
        for (int j = ZT_OK; j < i; j++)
            assert_string_not_equal(zt_strerror((zt_status)i), zt_strerror((zt_status)j));
    assert_non_null(zt_strerror((zt_status)1000));
}

static void the_version_is_the_header_s(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", ZT_VERSION_MAJOR, ZT_VERSION_MINOR, ZT_VERSION_PATCH);
    assert_string_equal(text, ZT_VERSION_STRING);
    assert_string_equal(text, zt_version());
}

static void a_context_keeps_the_sentence_of_the_last_failure(void **state)
{
    (void)state;
    zt_context *c;
    assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
    assert_string_equal(zt_context_error(c), "");
    assert_int_equal(zti_fail(c, ZT_CORRUPT, "frame %d: index lists %d chunks", 3, 812),
                     ZT_CORRUPT);
    assert_string_equal(zt_context_error(c), "frame 3: index lists 812 chunks");
    char long_name[2 * ZTI_SENTENCE_BYTES];
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = 0;
    zti_fail(c, ZT_IO, "%s", long_name);
    assert_int_equal(strlen(zt_context_error(c)), ZTI_SENTENCE_BYTES - 1);
    zt_context_free(c);
    assert_int_equal(zti_fail(NULL, ZT_IO, "nobody listens"), ZT_IO);
    assert_string_equal(zt_context_error(NULL), "");
    zt_context_free(NULL);
}

static void policies_that_are_refused_change_nothing(void **state)
{
    (void)state;
    zt_context *c;
    zt_omp omp = {.threads = 2, .reserved = {0, 1}};
    assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
    assert_int_equal(zt_context_policy(c), ZT_SERIAL);
    assert_int_not_equal(zt_context_set_omp(c, &omp), ZT_OK);
    assert_int_equal(zt_context_policy(c), ZT_SERIAL);
    if (zt_context_set_policy(c, ZT_CUDA) == ZT_OK) { /* there is a GPU */
        assert_int_equal(zt_context_policy(c), ZT_CUDA);
        assert_int_equal(zt_context_set_policy(c, ZT_SERIAL), ZT_OK);
    } else {
        assert_int_equal(zt_context_set_policy(c, ZT_CUDA), ZT_UNSUPPORTED);
        assert_non_null(strstr(zt_context_error(c), "use serial or omp"));
    }
    assert_int_equal(zt_context_policy(c), ZT_SERIAL);
    assert_int_equal(zt_context_set_policy(c, (zt_policy)77), ZT_BAD_ARG);
    omp.reserved[1] = 0;
    zt_status s = zt_context_set_omp(c, &omp);
    assert_true(s == ZT_OK || s == ZT_UNSUPPORTED); /* not in every build */
    assert_int_equal(zt_context_policy(c), s == ZT_OK ? ZT_OMP : ZT_SERIAL);
    assert_int_equal(zt_context_set_policy(c, ZT_SERIAL), ZT_OK);
    assert_int_equal(zt_context_policy(c), ZT_SERIAL);
    zt_context_free(c);
}

struct counter {
    int held;
};

static void *counting_alloc(void *user, size_t bytes)
{
    ((struct counter *)user)->held++;
    return malloc(bytes);
}

static void counting_release(void *user, void *memory)
{
    if (memory)
        ((struct counter *)user)->held--;
    free(memory);
}

static void allocators_get_back_what_they_gave(void **state)
{
    (void)state;
    struct counter counter = {0};
    zt_allocator allocator = {counting_alloc, counting_release, &counter, {0, 0}};
    zt_context *c;
    assert_int_equal(zt_context_new(&allocator, &c), ZT_OK);
    assert_int_equal(counter.held, 1);
    void *memory = zti_alloc(c, 100);
    assert_non_null(memory);
    assert_int_equal(counter.held, 2);
    zti_release(c, memory);
    zti_release(c, NULL);
    zt_context_free(c);
    assert_int_equal(counter.held, 0);
    allocator.release = NULL;
    assert_int_equal(zt_context_new(&allocator, &c), ZT_BAD_ARG);
    assert_int_equal(zt_context_new(NULL, NULL), ZT_BAD_ARG);
}

static uint64_t kept_of(const zt_context *c)
{
    return c->held->kept.bytes;
}

static void contexts_keep_large_blocks(void **state)
{
    (void)state;
    const uint64_t one = (1 << 20) + 16, own = ZTI_KEEPS_BLOCKS ? one : 0;
    zt_context *c;
    assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
    void *const memory = zti_alloc(c, 1 << 20);
    zti_release(c, memory);
    assert_int_equal(kept_of(c), own);
    assert_int_equal(c->held->bytes, own);
    void *const again = zti_alloc(c, (1 << 20) - 1000); /* nearly as many */
    assert_true(again == memory || !ZTI_KEEPS_BLOCKS);
    assert_int_equal(kept_of(c), 0);
    zti_release(c, again);
    assert_int_equal(kept_of(c), own);
    void *const large = zti_alloc(c, 3 << 20); /* for which that block is of no use */
    assert_int_equal(kept_of(c), 0);
    zti_release(c, large);
    assert_int_equal(zt_context_set_kept(c, 1 << 20), ZT_OK);
    assert_int_equal(kept_of(c), 0);
    zti_release(c, zti_alloc(c, 1 << 20)); /* with its size, more than may be kept */
    assert_int_equal(c->held->bytes, 0);
    zt_context_free(c);
}

static void many_blocks_are_kept_up_to_a_limit(void **state)
{
    enum { BLOCKS = 2 * ZTI_KEPT_BLOCKS };
    (void)state;
    void *block[BLOCKS];
    zt_context *c;
    assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
    for (uint32_t i = 0; i < BLOCKS; i++)
        block[i] = zti_alloc(c, 1 << 20);
    for (uint32_t i = 0; i < BLOCKS; i++)
        zti_release(c, block[i]);
    assert_int_equal(kept_of(c), ZTI_KEEPS_BLOCKS * (uint64_t)ZTI_KEPT_BLOCKS * ((1 << 20) + 16));
    assert_int_equal(zt_context_set_kept(c, 3 << 20), ZT_OK);
    assert_int_equal(kept_of(c), ZTI_KEEPS_BLOCKS * 2 * ((UINT64_C(1) << 20) + 16));
    zt_limits limits;
    assert_int_equal(zt_limits_init(&limits, sizeof limits), ZT_OK);
    limits.memory_bytes = 2 << 20;
    assert_int_equal(zt_context_set_limits(c, &limits), ZT_OK);
    void *const small = zti_alloc(c, 1000); /* what is kept is given back for it */
    assert_non_null(small);
    assert_int_equal(kept_of(c), 0);
    zti_release(c, small);
    assert_int_equal(c->held->bytes, 0);
    zt_context_free(c);
}

static void contexts_with_an_allocator_keep_none(void **state)
{
    (void)state;
    struct counter counter = {0};
    const zt_allocator allocator = {counting_alloc, counting_release, &counter, {0, 0}};
    zt_context *c;
    assert_int_equal(zt_context_new(&allocator, &c), ZT_OK);
    zti_release(c, zti_alloc(c, 1 << 20));
    assert_int_equal(counter.held, 1);
    assert_int_equal(zt_context_set_kept(c, 0), ZT_OK);
    assert_int_equal(zt_context_set_kept(c, 1), ZT_UNSUPPORTED);
    assert_int_equal(zt_context_set_kept(NULL, 1), ZT_BAD_ARG);
    zt_context_free(c);
}

#if defined(__GLIBC__)
static void note_stack(void *shared, uint32_t thread)
{
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    (void)pthread_attr_getstacksize(&attributes, (size_t *)shared + thread);
    (void)pthread_attr_destroy(&attributes);
}

/* Whatever they have by default, as where stacks are limited or the C library gives few bytes. */
static void threads_have_the_stack_that_codecs_take(void **state)
{
    pthread_attr_t usual, small;
    size_t stack_bytes[2] = {0};
    (void)state;
    assert_int_equal(pthread_getattr_default_np(&usual), 0);
    assert_int_equal(pthread_attr_init(&small), 0);
    assert_int_equal(pthread_attr_setstacksize(&small, 128 << 10), 0);
    assert_int_equal(pthread_setattr_default_np(&small), 0);
    zti_threads_run(2, note_stack, stack_bytes);
    assert_int_equal(pthread_setattr_default_np(&usual), 0);
    assert_true(stack_bytes[1] >= 1 << 20);
    (void)pthread_attr_destroy(&usual);
    (void)pthread_attr_destroy(&small);
}
#endif

/* ---- crews ---- */

enum { CREW = 5, STEPS = 300, MOST_ITEMS = 40 };

struct step {
    uint32_t threads, items;
    uint8_t times[MOST_ITEMS]; /* each is one item's own */
    uint8_t workers[MOST_ITEMS];
};

static void do_item(void *shared, uint32_t worker, uint64_t number)
{
    struct step *const s = shared;
    s->times[number]++;
    s->workers[number] = (uint8_t)worker;
}

/* Many short steps one after the other: each item is done once before the step is over. */
static void lead_steps(void *shared, struct zti_crew *crew)
{
    const uint32_t threads = *(const uint32_t *)shared;
    assert_true((crew == NULL) == (threads < 2));
    for (uint32_t i = 0; i < STEPS; i++) {
        struct step s = {.threads = threads, .items = i % (MOST_ITEMS + 1)};
        zti_crew_map(crew, s.items, do_item, &s);
        for (uint32_t k = 0; k < MOST_ITEMS; k++) {
            assert_int_equal(s.times[k], k < s.items);
            assert_true(s.workers[k] < threads);
        }
    }
}

static void crews_do_each_item_of_a_step_once(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= CREW; threads++)
        zti_crew_run(threads, lead_steps, &threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_says_when_it_does_not_fit),
        cmocka_unit_test(words_are_little_endian),
        cmocka_unit_test(every_status_has_a_name),
        cmocka_unit_test(the_version_is_the_header_s),
        cmocka_unit_test(a_context_keeps_the_sentence_of_the_last_failure),
        cmocka_unit_test(policies_that_are_refused_change_nothing),
        cmocka_unit_test(allocators_get_back_what_they_gave),
        cmocka_unit_test(contexts_keep_large_blocks),
        cmocka_unit_test(many_blocks_are_kept_up_to_a_limit),
        cmocka_unit_test(contexts_with_an_allocator_keep_none),
        cmocka_unit_test(crews_do_each_item_of_a_step_once),
#if defined(__GLIBC__)
        cmocka_unit_test(threads_have_the_stack_that_codecs_take),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
