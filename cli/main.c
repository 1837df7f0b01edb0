/* main.c: the ztile command: find the subcommand, run it, print its one error line, exit. */
#include "cmd/commands.h"
#include "pages/page.h"
#include "util/errors.h"

#ifdef ZTILE_HAVE_FILTERS
#include "filters.h"
#endif

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct {
    const struct page *page;
    bool (*run)(const struct options *options, struct ztio_error *error);
} commands[] = {
    {&compress_page, run_compress}, {&decompress_page, run_decompress},
    {&info_page, run_info},         {&compare_page, run_compare},
    {&plot_page, run_plot},         {&demo_page, run_demo},
    {&bench_page, run_bench},       {&index_page, run_index},
    {&plan_page, run_plan},         {&entropy_page, run_entropy},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

/* Whatever ends the command, a user or a library that falls over a damaged file: nothing
 * half-written is left, and the shell sees what ended the command (128 + signal). */
static void on_signal(int number)
{
    ztio_abandon_all();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void say(const char *text)
{
    (void)(write(STDERR_FILENO, text, strlen(text)) < 0);
}

/* A mapped file that cannot be read on is a failure like any other of reading. */
static void on_bus_error(int number, siginfo_t *about, void *unused)
{
    const char *const label = ztio_map_at(about->si_addr);
    (void)unused;
    if (!label) {
        on_signal(number);
        return;
    }
    ztio_abandon_all();
    say("ztile: ");
    say(label);
    say(": the file was cut while it was read, or cannot be read on\n");
    _exit(ZTIO_IO_ERROR);
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGINT,  SIGTERM, SIGHUP,  SIGPIPE, SIGQUIT,
                                  SIGXCPU, SIGABRT, SIGSEGV, SIGFPE,  SIGILL};
    static char stack[1 << 16]; /* for the handler, where there is none left */
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction old, action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = sigaltstack(&other, NULL) == 0 ? SA_ONSTACK : 0;
    (void)atexit(ztio_abandon_all); /* a library may call exit() */
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            (void)sigaction(numbers[i], &action, NULL);
    action.sa_sigaction = on_bus_error;
    action.sa_flags |= SA_SIGINFO;
    if (sigaction(SIGBUS, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        (void)sigaction(SIGBUS, &action, NULL);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may grow no more is a write that fails */
}

/* A file that is opened must not become one of the standard three, where messages would go into
 * it: what is closed is opened such that reading and writing fail. */
static void keep_standard_files(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            return;
}

/* HDF5's own way to find ztile's filters is an environment variable, which this needs not. */
static void add_filters(void)
{
#ifdef ZTILE_HAVE_FILTERS
    ztio_add_filter(&zh_ztile_class, zh_ztile_stored, zh_ztile_run);
    ztio_add_filter(&zh_zfp_class, zh_zfp_stored, zh_zfp_run);
#endif
}

static int print_page(const struct page *page, enum page_form form)
{
    page_print(page, form, stdout);
    return 0;
}

/* Of a name: a subcommand's number, or how many there are. */
static size_t find_command(const char *name)
{
    size_t i = 0;
    while (i < COMMANDS && strcmp(name, commands[i].page->name) != 0)
        i++;
    return i;
}

static int fail_command(const char *name, struct ztio_error *error)
{
    (void)fail(error, ZTIO_BAD_USE, "'%s' is no subcommand; see 'ztile --help'", name);
    return error->exit_status;
}

/* help, help SUBCOMMAND, help --man [SUBCOMMAND], help --bash, --zsh or --fish. */
static int print_help(int argc, char **argv, struct ztio_error *error)
{
    const bool is_manual = argc > 0 && strcmp(argv[0], "--man") == 0;
    const enum page_form form = is_manual ? PAGE_MANUAL : PAGE_SCREEN;
    argc -= is_manual;
    argv += is_manual;
    if (argc == 0)
        return print_page(&ztile_page, form);
    if (strncmp(argv[0], "--", 2) == 0 && pages_complete(argv[0] + 2, stdout))
        return 0;
    const size_t i = find_command(argv[0]);
    return i < COMMANDS ? print_page(commands[i].page, form) : fail_command(argv[0], error);
}

/* --version, and with -v the instruction set that contexts use. */
static int print_version(int argc, char **argv)
{
    (void)printf("ztile %s\n", zt_version());
    if (argc > 2 && (strcmp(argv[2], "-v") == 0 || strcmp(argv[2], "--verbose") == 0))
        (void)printf("instruction set: %s\n", zt_isa_name(zt_context_isa(NULL)));
    return 0;
}

/* Codecs keep tiles on the stack, some hundred kilobytes. Have it grow now: where memory is short
 * that ends a program, and later on a file would be left half-written. */
static void grow_stack(void)
{
    enum { STACK_BYTES = 1 << 20, PAGE_BYTES = 4096 };
    volatile char stack[STACK_BYTES];
    stack[0] = 0;
#ifdef MADV_POPULATE_WRITE
    const size_t skips = PAGE_BYTES - (uintptr_t)stack % PAGE_BYTES;
    if (madvise((void *)(uintptr_t)(stack + skips), STACK_BYTES - PAGE_BYTES,
                MADV_POPULATE_WRITE) == 0)
        return;
#endif
    for (size_t at = STACK_BYTES; at > 0; at -= PAGE_BYTES)
        stack[at - 1] = 0;
}

static int find_and_run(int argc, char **argv, struct ztio_error *error)
{
    const char *word = argv[1];
    struct options options;
    if (strcmp(word, "help") == 0)
        return print_help(argc - 2, argv + 2, error);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return print_page(&ztile_page, PAGE_SCREEN);
    if (strcmp(word, "--help-all") == 0)
        return print_page(&ztile_page, PAGE_ALL);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        return print_version(argc, argv);
    const size_t i = find_command(word);
    if (i == COMMANDS)
        return fail_command(word, error);
    if (!options_parse(&options, commands[i].page, argc - 1, argv + 1, error))
        return error->exit_status;
    if (options.help)
        return print_page(commands[i].page, options.help_all ? PAGE_ALL : PAGE_SCREEN);
    grow_stack();
    return commands[i].run(&options, error) ? 0 : error->exit_status;
}

int main(int argc, char **argv)
{
    struct ztio_error error = {0, ""};
    int status;
    keep_standard_files();
    add_filters();
    ztio_on_warning(print_error);
    catch_signals();
    if (argc < 2) {
        page_print(&ztile_page, PAGE_SCREEN, stderr);
        return ZTIO_BAD_USE;
    }
    status = find_and_run(argc, argv, &error);
    bool is_written = fflush(stdout) == 0 && !ferror(stdout);
    if (status == 0 && !is_written) {
        status = ZTIO_IO_ERROR;
        (void)fail(&error, status, "standard output: cannot write: %s%s", strerror(errno),
                   ztio_remedy(errno));
    }
    if (status != 0)
        print_error(&error);
    return status;
}
