/* cuda_policy_test.c: the cases of policy_cases.h over kernels that run on the CPU.
 *
 *     cuda_policy_test [--seed N] [--cases N] [--codec zfp|ndzip|sz|huffman] [--case N]
 *                      [--barriers UNSEEN]
 *
 * Each case has its own schedule of the CUDA threads (0: ascending, 1: descending, then random).
 * With --barriers the cases that come to a barrier of the kernels are run again without it, for
 * each one in a child process: some case must fail or have a race, but for UNSEEN barriers. Those
 * that order memory alone, near shuffles and votes, have a name of their own in kernels
 * (simt_order_warp) and are left out where races are looked for (race.c): nothing else shows
 * them. */
#include "gpu/huffman_cases.h"
#include "simt_device.h"
#include "simt_runtime.h"
#include "ztile_expert.h"

#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A schedule of its own for the case, and slabs of its own size. */
static void before(struct policy_run *run)
{
    simt_opt.seed = run->number;
    simt_opt.resident = rng_once_in(&run->r, 8) ? 64 : 0;
    simt_slab_bytes = rng_once_in(&run->r, 2) ? 1 << 20 : 1 + rng_below(&run->r, 1 << 14);
    if (zt_context_set_policy(run->cuda, ZT_CUDA) != ZT_OK)
        exit(1);
}

static void one_case(struct policy_run *run, uint64_t number)
{
    if (run->codec && strcmp(run->codec, "huffman") == 0)
        huffman_case(run, number);
    else
        policy_case(run, number);
}

/* What a run of all cases showed: which of them come to which barrier, and how long they take. */
struct surveyed {
    uint64_t number; /* of the case */
    clock_t took;
    bool comes[SIMT_MOST_BARRIERS];
};

static void survey_case(struct policy_run *run, struct surveyed *to, uint64_t number)
{
    uint64_t before[SIMT_MOST_BARRIERS];
    for (unsigned i = 0; i < SIMT_MOST_BARRIERS; i++)
        before[i] = simt_barrier_visits(i);
    const clock_t start = clock();
    one_case(run, number);
    to->number = number;
    to->took = clock() - start;
    for (unsigned i = 0; i < SIMT_MOST_BARRIERS; i++)
        to->comes[i] = simt_barrier_visits(i) > before[i];
}

static int by_time(const void *a, const void *b)
{
    const struct surveyed *const left = a, *const right = b;
    return (left->took > right->took) - (left->took < right->took);
}

/* The cases that come to barrier i, without it: a failure ends the process with 1. As loops may not
 * end without it, a case that takes much more time than it took is one, too: a signal. How much is
 * such that no other work on the machine makes it so. */
static _Noreturn void run_without(struct policy_run *run, const struct surveyed *survey, unsigned i,
                                  uint64_t cases)
{
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        _exit(0);
    simt_opt.skip_line = simt_barrier_at(i, &simt_opt.skip_file);
    simt_opt.ends_at_race = 1;
    for (uint64_t k = 0; k < cases && run->failures == 0; k++)
        if (survey[k].comes[i]) {
            const clock_t most = 10 * survey[k].took + 2 * CLOCKS_PER_SEC;
            const struct itimerval limit = {
                .it_value = {.tv_sec = most / CLOCKS_PER_SEC, .tv_usec = most % CLOCKS_PER_SEC}};
            (void)setitimer(ITIMER_VIRTUAL, &limit, NULL);
            one_case(run, survey[k].number);
        }
    _exit(run->failures > 0);
}

/* Leave out one barrier after the other; a failure where more than 'unseen' of them are missed by
 * no case. */
static void check_barriers(struct policy_run *run, struct surveyed *survey, uint64_t cases,
                           uint64_t unseen)
{
    const char *file;
    int line;
    uint64_t found = 0;
    qsort(survey, cases, sizeof *survey, by_time); /* most is shown by short ones */
    for (unsigned i = 0; (line = simt_barrier_at(i, &file)) != 0; i++) {
        int status = 0;
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0)
            run_without(run, survey, i, cases);
        waitpid(child, &status, 0);
        if (child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
            printf("%s:%d: no case shows that this barrier is missing\n", file, line);
            found++;
        }
    }
    run->failures += found > unseen;
    printf("%llu barriers are not noticed, of %u; at most %llu may be\n", (unsigned long long)found,
           simt_barriers(), (unsigned long long)unseen);
}

/* With a progress function no call takes the kernels that write or read a whole file. Too few cases
 * do, to show each of their barriers. */
static int go_on(void *user, uint64_t done_tiles, uint64_t total_tiles)
{
    (void)user;
    (void)done_tiles;
    (void)total_tiles;
    return 0;
}

int main(int argc, char **argv)
{
    struct policy_run run = {.seed = 1, .before = before, .memory = gpu_memory()};
    uint64_t cases = 100, first = 0, unseen = 0;
    bool has_barriers = false;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            return 2;
        const uint64_t n = strtoull(argv[i + 1], NULL, 0);
        if (strcmp(argv[i], "--seed") == 0)
            run.seed = n;
        else if (strcmp(argv[i], "--cases") == 0)
            cases = n;
        else if (strcmp(argv[i], "--barriers") == 0) {
            has_barriers = true;
            unseen = n;
        } else if (strcmp(argv[i], "--codec") == 0)
            run.codec = argv[i + 1];
        else if (strcmp(argv[i], "--case") == 0) {
            first = n;
            cases = n + 1;
        }
    }
    if (zt_context_new(NULL, &run.serial) != ZT_OK || zt_context_new(NULL, &run.cuda) != ZT_OK)
        return 1;
    struct surveyed *const survey = has_barriers ? calloc(cases, sizeof *survey) : NULL;
    if (has_barriers && (!survey || zt_context_set_progress(run.cuda, go_on, NULL) != ZT_OK))
        return 1;
    for (uint64_t i = first; i < cases && run.failures < 10; i++) {
        if (has_barriers)
            survey_case(&run, &survey[i], i);
        else
            one_case(&run, i);
    }
    if (has_barriers && run.failures == 0)
        check_barriers(&run, survey, cases, unseen);
    free(survey);
    printf("%llu cases (%u bare zfp, %u bare ndzip, %u files, %u of Huffman; %u arrays and streams "
           "in the device's memory), %u failures\n",
           (unsigned long long)(cases - first), run.bare_zfp, run.bare_ndzip, run.files,
           run.huffman, run.placed, run.failures);
    zt_context_free(run.serial);
    zt_context_free(run.cuda);
    return run.failures != 0;
}
