/* exec_test.c: execution policies: setting them, and that nothing but time depends on them. That
 * their streams are libzfp's is tested in property/zfp_property_test.c. */
#include "ztile_zfp.h"
#include "ztile_cuda.h"
#include "ztile_expert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Where ThreadSanitizer is on, two tests are left out: it sees races in OpenMP's own library, which
 * is not built with it, and it cannot make threads in a forked child. */
#if !defined(__SANITIZE_THREAD__)
#define HAS_FORK
#if defined(_OPENMP)
#define HAS_OPENMP
#include <omp.h>
#endif
#endif

enum { NZ = 37, NY = 22, NX = 51, N = NZ * NY * NX };

static float field[N];

static zt_context *context_with(uint32_t threads, uint32_t grain)
{
    zt_context *c;
    const zt_omp omp = {.threads = threads, .grain = grain};
    assert_int_equal(zt_context_new(NULL, &c), ZT_OK);
    if (threads)
        assert_int_equal(zt_context_set_omp(c, &omp), ZT_OK);
    return c;
}

static zt_array array_of(float *values)
{
    return zt_array_3d(values, ZT_F32, NZ, NY, NX);
}

static int fill_field(void **state)
{
    (void)state;
    uint64_t s = 1;
    for (int i = 0; i < N; i++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        field[i] = (float)(i % NX) * 0.25f + (float)(i / NX % NY) + (float)(s >> 40) * 1e-8f;
    }
    return 0;
}

static zt_bound bounds_of_case(int i)
{
    const zt_bound bounds[] = {zt_abs(1e-3), zt_abs(1e-7),     zt_rate(7),
                               zt_rate(3.3), zt_precision(15), zt_lossless()};
    return bounds[i];
}
enum { BOUNDS = 6 };

/* ---- setting ---- */

static void a_policy_is_set_read_back_and_reset(void **state)
{
    (void)state;
    zt_context *c = context_with(0, 0);
    zt_omp omp = {.threads = 9};
    assert_int_equal(zt_context_policy(c), ZT_SERIAL);
    assert_int_equal(zt_context_omp(c, &omp), ZT_BAD_ARG);
    assert_int_equal(zt_context_set_omp(c, &(zt_omp){.threads = 3, .grain = 5}), ZT_OK);
    assert_int_equal(zt_context_policy(c), ZT_OMP);
    assert_int_equal(zt_context_omp(c, &omp), ZT_OK);
    assert_int_equal(omp.threads, 3);
    assert_int_equal(omp.grain, 5);
    assert_int_equal(zt_context_set_policy(c, ZT_SERIAL), ZT_OK);
    assert_int_equal(zt_context_set_policy(c, ZT_OMP), ZT_OK);
    assert_int_equal(zt_context_omp(c, &omp), ZT_OK);
    assert_int_equal(omp.threads, 0);
    assert_int_equal(omp.grain, 0);
    zt_context_free(c);
}

static void a_refused_policy_changes_nothing(void **state)
{
    (void)state;
    zt_context *c = context_with(2, 7);
    zt_omp omp;
    assert_int_equal(zt_context_set_cuda(c, &(zt_cuda){.device = -1}), ZT_BAD_ARG);
    assert_int_equal(zt_context_set_cuda(c, &(zt_cuda){.flags = 1}), ZT_BAD_ARG);
    assert_int_equal(zt_context_set_policy(c, (zt_policy)7), ZT_BAD_ARG);
    omp = (zt_omp){.threads = 1u << 20};
    assert_int_equal(zt_context_set_omp(c, &omp), ZT_BAD_ARG);
    omp = (zt_omp){.reserved = {1}};
    assert_int_equal(zt_context_set_omp(c, &omp), ZT_BAD_ARG);
    assert_int_equal(zt_context_policy(c), ZT_OMP);
    assert_int_equal(zt_context_omp(c, &omp), ZT_OK);
    assert_int_equal(omp.grain, 7);
    zt_context_free(c);
}

/* ---- what a policy may not change ---- */

static size_t compressed(zt_context *c, zt_bound bound, unsigned char **out)
{
    zt_params p;
    zt_array a = array_of(field);
    size_t capacity, bytes = 0;
    zt_params_init(&p, sizeof p);
    p.bound = bound;
    p.slab_bytes = 60000; /* several frames */
    assert_int_equal(zt_compress_bound(c, &a, &p, &capacity), ZT_OK);
    *out = malloc(capacity);
    assert_int_equal(zt_compress(c, &a, &p, *out, capacity, &bytes), ZT_OK);
    return bytes;
}

static void files_and_arrays_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 7, 16}, grains[] = {0, 1, 3, 64, 100000};
    static float once[N], again[N];
    for (int b = 0; b < BOUNDS; b++) {
        unsigned char *serial, *parallel;
        zt_context *c = context_with(0, 0);
        const size_t bytes = compressed(c, bounds_of_case(b), &serial);
        zt_array out = array_of(once);
        assert_int_equal(zt_decompress(c, serial, bytes, &out), ZT_OK);
        zt_context_free(c);
        for (int i = 0; i < 25; i++) {
            c = context_with(threads[i % 5], grains[i / 5]);
            assert_int_equal(compressed(c, bounds_of_case(b), &parallel), bytes);
            assert_memory_equal(parallel, serial, bytes);
            out = array_of(again);
            memset(again, 0xee, sizeof again);
            assert_int_equal(zt_decompress(c, parallel, bytes, &out), ZT_OK);
            assert_memory_equal(again, once, sizeof once);
            free(parallel);
            zt_context_free(c);
        }
        free(serial);
    }
}

static void boxes_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const zt_box boxes[] = {{{3, 5, 7}, {30, 6, 50}},
                                   {{0, 0, 0}, {1, 1, 1}},
                                   {{36, 21, 50}, {37, 22, 51}},
                                   {{8, 0, 0}, {29, NY, NX}},
                                   {{1, 4, 0}, {36, 13, NX}}};
    static float once[N], again[N];
    for (int b = 0; b < BOUNDS; b++) {
        unsigned char *file;
        zt_context *serial = context_with(0, 0), *parallel = context_with(3, 2);
        const size_t bytes = compressed(serial, bounds_of_case(b), &file);
        for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
            uint64_t n[3];
            for (int k = 0; k < 3; k++)
                n[k] = boxes[i].hi[k] - boxes[i].lo[k];
            zt_array out = zt_array_3d(once, ZT_F32, n[0], n[1], n[2]);
            assert_int_equal(zt_decompress_box(serial, file, bytes, &boxes[i], &out), ZT_OK);
            out.data = again;
            assert_int_equal(zt_decompress_box(parallel, file, bytes, &boxes[i], &out), ZT_OK);
            assert_memory_equal(again, once, n[0] * n[1] * n[2] * sizeof *once);
        }
        free(file);
        zt_context_free(serial);
        zt_context_free(parallel);
    }
}

/* ---- failures on threads ---- */

static zt_zfp zfp_of(int variable)
{
    zt_zfp z;
    zt_zfp_init(&z, sizeof z);
    if (variable)
        zt_zfp_set_accuracy(&z, 1e-3, NULL);
    else
        zt_zfp_set_rate(&z, 8, ZT_F32, 3, 0, NULL);
    return z;
}

static void a_buffer_too_small_by_a_word_is_never_exceeded(void **state)
{
    (void)state;
    static unsigned char stream[8 * N], small[8 * N];
    for (int variable = 0; variable < 2; variable++) {
        const zt_zfp z = zfp_of(variable);
        zt_array a = array_of(field);
        size_t bytes, n;
        assert_int_equal(zt_zfp_compress(NULL, &a, &z, stream, sizeof stream, &bytes), ZT_OK);
        for (uint32_t threads = 1; threads < 4; threads++) {
            zt_context *c = context_with(threads, 16);
            memset(small, 0x5a, sizeof small);
            assert_int_equal(zt_zfp_compress(c, &a, &z, small, bytes - 8, &n), ZT_NO_SPACE);
            assert_int_equal(small[bytes - 8], 0x5a);
            assert_true(zt_context_error(c)[0] != '\0');
            memset(small, 0x5a, sizeof small);
            assert_int_equal(zt_zfp_compress(c, &a, &z, small, bytes, &n), ZT_OK);
            assert_int_equal(n, bytes);
            assert_int_equal(small[bytes], 0x5a);
            assert_memory_equal(small, stream, bytes);
            zt_context_free(c);
        }
    }
}

static void a_stream_cut_short_is_found_on_any_thread(void **state)
{
    (void)state;
    static unsigned char stream[8 * N];
    static float out[N];
    for (int variable = 0; variable < 2; variable++) {
        const zt_zfp z = zfp_of(variable);
        zt_array a = array_of(field), o = array_of(out);
        size_t bytes;
        assert_int_equal(zt_zfp_compress(NULL, &a, &z, stream, sizeof stream, &bytes), ZT_OK);
        for (size_t cut = 1; cut < bytes; cut += 1 + bytes / 40) {
            zt_context *c = context_with(3, 8);
            unsigned char *part = malloc(bytes - cut);
            memcpy(part, stream, bytes - cut);
            const zt_status status = zt_zfp_decompress(c, part, bytes - cut, &z, &o, NULL);
            /* Up to 7 bytes at the end are padding. */
            assert_true(status == ZT_CORRUPT || (status == ZT_OK && cut < 8));
            free(part);
            zt_context_free(c);
        }
    }
}

static int cancel_at_once(void *user, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    ++*(int *)user;
    return 1;
}

static void progress_is_told_on_the_calling_thread_and_cancels(void **state)
{
    (void)state;
    /* Long enough to be told of in the middle as well as at the end. */
    enum { LONG = 64 * 256 * 256 };
    for (int is_long = 0; is_long < 2; is_long++)
        for (int variable = 0; variable < 2; variable++) {
            const zt_zfp z = zfp_of(variable);
            const size_t room = 8 * (is_long ? LONG : N);
            unsigned char *stream = malloc(room);
            size_t bytes;
            int calls = 0;
            zt_context *c = context_with(2, 16);
            float *values = calloc(room / 8, sizeof *values);
            zt_array a = is_long ? zt_array_3d(values, ZT_F32, 64, 256, 256) : array_of(values);
            zt_context_set_progress(c, cancel_at_once, &calls);
            assert_int_equal(zt_zfp_compress(c, &a, &z, stream, room, &bytes), ZT_CANCELLED);
            assert_true(calls >= 1);
            zt_context_free(c);
            free(values);
            free(stream);
        }
}

/* The stage that a context is in; calls of the progress function while symbols are counted, and
 * after how many of them to cancel. */
struct counting {
    zt_stage stage;
    int calls, most;
};

static void note_stage(void *user, zt_stage stage)
{
    ((struct counting *)user)->stage = stage;
}

static int cancel_while_counting(void *user, uint64_t done, uint64_t total)
{
    struct counting *const c = user;
    if (c->stage != ZT_STAGE_COUNT)
        return 0;
    assert_int_equal(done, 0);
    assert_true(total > 0);
    return ++c->calls >= c->most;
}

static void passes_before_the_first_tile_can_be_cancelled(void **state)
{
    (void)state;
    enum { NZ_LONG = 64, SIDE = 512 }; /* several intervals of some MiB */
    float *const values = calloc((size_t)NZ_LONG * SIDE * SIDE, sizeof *values);
    const size_t room = (size_t)NZ_LONG * SIDE * SIDE * 5;
    unsigned char *const file = malloc(room);
    const zt_array a = zt_array_3d(values, ZT_F32, NZ_LONG, SIDE, SIDE);
    zt_params p;
    zt_params_init(&p, sizeof p);
    p.codec = ZT_CODEC_SZ;
    p.bound = zt_abs(1e-3);
    p.slab_bytes = room;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        struct counting counting = {.most = 1000};
        size_t bytes;
        zt_context *c = context_with(threads, 0);
        zt_context_set_stages(c, note_stage, &counting);
        zt_context_set_progress(c, cancel_while_counting, &counting);
        assert_int_equal(zt_compress(c, &a, &p, file, room, &bytes), ZT_OK);
        assert_true(counting.calls >= 3);
        counting = (struct counting){.most = 2};
        assert_int_equal(zt_compress(c, &a, &p, file, room, &bytes), ZT_CANCELLED);
        assert_int_equal(counting.calls, 2);
        zt_context_free(c);
    }
    free(file);
    free(values);
}

/* An allocator that fails from its n-th call on, and counts what is out. */
struct rationed {
    int left;
    int out;
};

static void *ration(void *user, size_t bytes)
{
    struct rationed *r = user;
    if (__atomic_fetch_sub(&r->left, 1, __ATOMIC_RELAXED) <= 0)
        return NULL;
    void *memory = malloc(bytes);
    if (memory)
        __atomic_fetch_add(&r->out, 1, __ATOMIC_RELAXED);
    return memory;
}

static void give_back(void *user, void *memory)
{
    struct rationed *r = user;
    if (memory)
        __atomic_fetch_sub(&r->out, 1, __ATOMIC_RELAXED);
    free(memory);
}

static void no_memory_is_said_and_nothing_leaks(void **state)
{
    (void)state;
    static unsigned char stream[8 * N];
    static float out[N];
    for (int variable = 0; variable < 2; variable++) {
        const zt_zfp z = zfp_of(variable);
        zt_array a = array_of(field), o = array_of(out);
        size_t bytes = 0;
        assert_int_equal(zt_zfp_compress(NULL, &a, &z, stream, sizeof stream, &bytes), ZT_OK);
        for (int n = 1; n < 40; n++) {
            struct rationed r = {.left = n};
            const zt_allocator allocator = {.alloc = ration, .release = give_back, .user = &r};
            zt_context *c;
            const zt_omp omp = {.threads = 2, .grain = 32};
            size_t again;
            assert_int_equal(zt_context_new(&allocator, &c), ZT_OK);
            zt_context_set_omp(c, &omp);
            zt_status status = zt_zfp_compress(c, &a, &z, stream, bytes, &again);
            assert_true(status == ZT_OK || status == ZT_NO_MEMORY);
            status = zt_zfp_decompress(c, stream, bytes, &z, &o, NULL);
            assert_true(status == ZT_OK || status == ZT_NO_MEMORY);
            zt_context_free(c);
            assert_int_equal(r.out, 0);
            zt_zfp_compress(NULL, &a, &z, stream, sizeof stream, &bytes);
        }
    }
}

/* Models of effort high that were not made are not used: seen by the sanitizers. */
static void effort_high_without_memory_leaves_nothing_unset(void **state)
{
    (void)state;
    const uint64_t shape[] = {5, 7, 3};
    zt_array a = zt_array_nd(field, ZT_F32, 3, shape);
    zt_params p;
    size_t capacity, bytes;
    (void)zt_params_init(&p, sizeof p);
    p.codec = ZT_CODEC_SZ;
    p.effort = ZT_EFFORT_HIGH;
    p.bound = zt_abs(1e-2);
    assert_int_equal(zt_compress_bound(NULL, &a, &p, &capacity), ZT_OK);
    unsigned char *const file = malloc(capacity);
    assert_non_null(file);
    zt_status status = ZT_NO_MEMORY;
    for (int n = 1; status == ZT_NO_MEMORY; n++) {
        struct rationed r = {.left = n};
        const zt_allocator allocator = {.alloc = ration, .release = give_back, .user = &r};
        zt_context *c;
        assert_int_equal(zt_context_new(&allocator, &c), ZT_OK);
        status = zt_compress(c, &a, &p, file, capacity, &bytes);
        zt_context_free(c);
        assert_int_equal(r.out, 0);
    }
    assert_int_equal(status, ZT_OK);
    free(file);
}

/* ---- neighbours ---- */

#if defined(HAS_FORK)
static void a_forked_child_can_use_the_policy(void **state)
{
    (void)state;
    unsigned char *before, *after;
    zt_context *c = context_with(3, 8);
    const size_t bytes = compressed(c, zt_abs(1e-3), &before);
#if defined(HAS_OPENMP)
#pragma omp parallel num_threads(3)
    {
        (void)omp_get_thread_num();
    }
#endif
    const pid_t child = fork();
    if (child == 0) {
        alarm(20); /* rather than hang */
        const size_t again = compressed(c, zt_abs(1e-3), &after);
        _exit(again == bytes && memcmp(before, after, bytes) == 0 ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    free(before);
    zt_context_free(c);
}
#endif

#if defined(HAS_OPENMP)
static void openmp_settings_are_followed_and_kept(void **state)
{
    (void)state;
    unsigned char *file;
    omp_set_num_threads(3);
    zt_context *c = context_with(1, 0);
    assert_int_equal(zt_context_set_policy(c, ZT_OMP), ZT_OK);
    (void)compressed(c, zt_rate(5), &file);
    free(file);
    assert_int_equal(omp_get_max_threads(), 3);
    assert_int_equal(omp_get_max_active_levels(), 1);
    int failures = 0;
#pragma omp parallel num_threads(2) reduction(+ : failures)
    {
        unsigned char *own;
        zt_context *mine = context_with(2, 4);
        const size_t bytes = compressed(mine, zt_abs(1e-3), &own);
        failures += bytes == 0;
        free(own);
        zt_context_free(mine);
    }
    assert_int_equal(failures, 0);
    zt_context_free(c);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_is_set_read_back_and_reset),
        cmocka_unit_test(a_refused_policy_changes_nothing),
        cmocka_unit_test(files_and_arrays_do_not_depend_on_threads),
        cmocka_unit_test(boxes_do_not_depend_on_threads),
        cmocka_unit_test(a_buffer_too_small_by_a_word_is_never_exceeded),
        cmocka_unit_test(a_stream_cut_short_is_found_on_any_thread),
        cmocka_unit_test(progress_is_told_on_the_calling_thread_and_cancels),
        cmocka_unit_test(passes_before_the_first_tile_can_be_cancelled),
        cmocka_unit_test(no_memory_is_said_and_nothing_leaks),
        cmocka_unit_test(effort_high_without_memory_leaves_nothing_unset),
#if defined(HAS_FORK)
        cmocka_unit_test(a_forked_child_can_use_the_policy),
#endif
#if defined(HAS_OPENMP)
        cmocka_unit_test(openmp_settings_are_followed_and_kept),
#endif
    };
    return cmocka_run_group_tests(tests, fill_field, NULL);
}
