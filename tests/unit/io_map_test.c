/* io_map_test.c: pages of a mapped file: entered before they are needed, given back behind a pass
 * and when samples have touched many. Each state is waited for. */
#include "io_support.h"

#include <sys/mman.h>
#include <time.h>

#define MIB ((uint64_t)1 << 20)
enum { SLICES = 160, SECONDS_MOST = 20 }; /* of 1 MiB */

/* Bytes of the mapping at an address that are resident, as the system says; UINT64_MAX: it does
 * not. */
static uint64_t resident(const char *map)
{
    char line[512];
    FILE *const f = fopen("/proc/self/smaps", "r");
    uint64_t kib = UINT64_MAX;
    bool is_ours = false;
    while (f && fgets(line, sizeof line, f)) {
        unsigned long first, last;
        unsigned long long n;
        if (sscanf(line, "%lx-%lx ", &first, &last) == 2)
            is_ours = (uintptr_t)map >= first && (uintptr_t)map < last;
        else if (is_ours && sscanf(line, "Rss: %llu kB", &n) == 1)
            kib = n;
    }
    if (f)
        (void)fclose(f);
    return kib == UINT64_MAX ? kib : kib * 1024;
}

/* Wait until least <= resident bytes <= most. */
static bool comes_to(const char *map, uint64_t least, uint64_t most)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    const time_t began = time(NULL);
    uint64_t now;
    do {
        now = resident(map);
        if (now >= least && now <= most)
            return true;
        (void)nanosleep(&moment, NULL);
    } while (time(NULL) - began < SECONDS_MOST);
    print_message("%llu bytes are resident\n", (unsigned long long)now);
    return false;
}

/* Whether this system enters pages around one that is touched: most of them, as those that are
 * marked for reading ahead are left out. */
static bool can_enter(void)
{
#if defined(__linux__)
    return true;
#else
    return false;
#endif
}

static void touch(const char *map, uint64_t first, uint64_t last)
{
    volatile char sum = 0;
    for (uint64_t at = first; at < last; at += 4096)
        sum = (char)(sum + map[at]);
    (void)sum;
}

static const char *map_file(struct ztio_input **input)
{
    FILE *const f = fopen("f_160x512x512.f32", "wb");
    assert_non_null(f);
    assert_int_equal(ftruncate(fileno(f), (off_t)(SLICES * MIB)), 0);
    assert_int_equal(fclose(f), 0);
    *input = ztio_open("f_160x512x512.f32", NULL, &error);
    assert_non_null(*input);
    const char *const map = ztio_map(*input, 0, SLICES);
    assert_non_null(map);
    return map;
}

static bool is_told(const char *map)
{
    if (resident(map) != UINT64_MAX)
        return true;
    print_message("SKIP: no /proc/self/smaps\n");
    return false;
}

static void pages_are_there_before_a_pass_and_not_behind_it(void **state)
{
    struct ztio_input *input;
    (void)state;
    const char *const map = map_file(&input);
    if (is_told(map)) {
        if (can_enter())
            assert_true(comes_to(map, 7 * MIB, 16 * MIB));
        for (uint64_t slice = 0; slice < 100; slice += 4) {
            touch(map, slice * MIB, (slice + 4) * MIB);
            ztio_map_passed(input, slice + 4);
        }
        assert_true(comes_to(map, 0, 24 * MIB));
        touch(map, 100 * MIB, SLICES * MIB);
        ztio_map_passed(input, SLICES);
        assert_true(comes_to(map, 0, 24 * MIB)); /* the next pass begins, 16 MiB ahead */
    }
    ztio_close(input);
}

static void some_pages_stay_for_the_next_pass(void **state)
{
    struct ztio_input *input;
    (void)state;
    const char *const map = map_file(&input);
    if (is_told(map)) {
        ztio_map_again(input, 16 * MIB);
        touch(map, 0, SLICES * MIB);
        ztio_map_passed(input, SLICES);
        assert_true(comes_to(map, 40 * MIB, 40 * MIB));
    }
    ztio_close(input);
}

static void pages_that_samples_touch_are_given_back(void **state)
{
    struct ztio_input *input;
    (void)state;
    const char *const map = map_file(&input);
    if (is_told(map)) {
        touch(map, 0, SLICES * MIB); /* and nothing is said of it */
        assert_true(comes_to(map, 0, 90 * MIB));
    }
    ztio_close(input);
}

#define TEST(name) cmocka_unit_test_teardown(name, empty_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pages_are_there_before_a_pass_and_not_behind_it),
        TEST(some_pages_stay_for_the_next_pass),
        TEST(pages_that_samples_touch_are_given_back),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
