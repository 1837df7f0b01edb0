/* cuda_policy_test.c: the cases of policy_cases.h over kernels that run on the CPU.
 *
 *     cuda_policy_test [--seed N] [--cases N] [--codec zfp|ndzip|sz|huffman] [--case N]
 *                      [--barriers]
 *
 * Each case has its own schedule of the CUDA threads (0: ascending, 1: descending, then random).
 * With --barriers the cases are run again for each barrier of the kernels, without it, in a child
 * process: some case must fail. */
#include "gpu/huffman_cases.h"
#include "simt_device.h"
#include "simt_runtime.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CASES_SECONDS = 3 }; /* of a processor, several times what any cases here take */

/* A schedule of its own for the case, and slabs of its own size. */
static void before(struct policy_run *run)
{
    simt_opt.seed = run->number;
    simt_opt.resident = rng_once_in(&run->r, 8) ? 64 : 0;
    simt_slab_bytes = rng_once_in(&run->r, 2) ? 1 << 20 : 1 + rng_below(&run->r, 1 << 14);
    if (zt_context_set_policy(run->cuda, ZT_CUDA, NULL) != ZT_OK)
        exit(1);
}

static void one_case(struct policy_run *run, uint64_t number)
{
    if (run->codec && strcmp(run->codec, "huffman") == 0)
        huffman_case(run, number);
    else
        policy_case(run, number);
}

/* Run the cases without one barrier after the other; a failure where no case shows that it is
 * missing. */
static void check_barriers(struct policy_run *run, uint64_t cases)
{
    const char *file;
    int line;
    for (unsigned i = 0; (line = simt_barrier_at(i, &file)) != 0; i++) {
        int status = 0;
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
                _exit(0);
            const struct rlimit seconds = {CASES_SECONDS, CASES_SECONDS};
            (void)setrlimit(RLIMIT_CPU, &seconds); /* without a barrier a loop may not end */
            simt_opt.skip_file = file;
            simt_opt.skip_line = line;
            for (uint64_t k = 0; k < cases && run->failures == 0; k++)
                one_case(run, k);
            _exit(run->failures > 0);
        }
        waitpid(child, &status, 0);
        if (child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
            printf("%s:%d: no case shows that this barrier is missing\n", file, line);
            run->failures++;
        }
    }
}

int main(int argc, char **argv)
{
    struct policy_run run = {.seed = 1, .before = before, .memory = gpu_memory()};
    uint64_t cases = 100, first = 0;
    bool has_barriers = false;
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--barriers") == 0) {
            has_barriers = true;
            break;
        }
        if (i + 1 == argc)
            return 2;
        const uint64_t n = strtoull(argv[i + 1], NULL, 0);
        if (strcmp(argv[i], "--seed") == 0)
            run.seed = n;
        else if (strcmp(argv[i], "--cases") == 0)
            cases = n;
        else if (strcmp(argv[i], "--codec") == 0)
            run.codec = argv[i + 1];
        else if (strcmp(argv[i], "--case") == 0) {
            first = n;
            cases = n + 1;
        }
    }
    if (zt_context_new(NULL, &run.serial) != ZT_OK || zt_context_new(NULL, &run.cuda) != ZT_OK)
        return 1;
    for (uint64_t i = first; i < cases && run.failures < 10; i++)
        one_case(&run, i);
    if (has_barriers && run.failures == 0)
        check_barriers(&run, cases);
    printf("%llu cases (%u bare zfp, %u bare ndzip, %u files, %u of Huffman; %u arrays and streams "
           "in the device's memory), %u failures\n",
           (unsigned long long)(cases - first), run.bare_zfp, run.bare_ndzip, run.files,
           run.huffman, run.placed, run.failures);
    zt_context_free(run.serial);
    zt_context_free(run.cuda);
    return run.failures != 0;
}
