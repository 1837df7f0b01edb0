/* main.c: the ztile command: find the subcommand, run it, print its one error line, exit. */
#include "cmd/commands.h"
#include "util/errors.h"
#include "util/help.h"

#ifdef ZTILE_HAVE_FILTERS
#include "filters.h"
#endif

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    enum command command;
    bool (*run)(const struct options *options, struct ztio_error *error);
} commands[] = {
    {"compress", CMD_COMPRESS, run_compress},
    {"decompress", CMD_DECOMPRESS, run_decompress},
    {"info", CMD_INFO, run_info},
    {"compare", CMD_COMPARE, run_compare},
    {"plot", CMD_PLOT, run_plot},
    {"demo", CMD_DEMO, run_demo},
    {"bench", CMD_BENCH, run_bench},
    {"index", CMD_INDEX, run_index},
    {"plan", CMD_PLAN, run_plan},
};

/* Whatever ends the command, a user or a library that falls over a damaged file: nothing
 * half-written is left, and the shell sees what ended the command (128 + signal). */
static void on_signal(int number)
{
    ztio_abandon_all();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGINT,  SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU,
                                  SIGABRT, SIGSEGV, SIGBUS, SIGFPE,  SIGILL};
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

/* One line, whatever a file is called. It takes no memory, of which there may be none. */
static void print_error(struct ztio_error *error)
{
    char text[4 * sizeof error->sentence + 1];
    escape_text(error->sentence, text, sizeof text);
    (void)fprintf(stderr, "ztile: %s\n", text);
}

/* HDF5's own way to find ztile's filters is an environment variable, which this needs not. */
static void add_filters(void)
{
#ifdef ZTILE_HAVE_FILTERS
    ztio_add_filter(&zh_ztile_class, zh_ztile_stored);
    ztio_add_filter(&zh_zfp_class, zh_zfp_stored);
#endif
}

static int print_text(const char *text)
{
    (void)fputs(text, stdout);
    return 0;
}

/* --version, and with -v the instruction set that contexts use. */
static int print_version(int argc, char **argv)
{
    (void)printf("ztile %s\n", zt_version());
    if (argc > 2 && (strcmp(argv[2], "-v") == 0 || strcmp(argv[2], "--verbose") == 0))
        (void)printf("instruction set: %s\n", zt_isa_name(zt_context_isa(NULL)));
    return 0;
}

static int find_and_run(int argc, char **argv, struct ztio_error *error)
{
    const char *word = argv[1];
    struct options options;
    bool wants_help = strcmp(word, "help") == 0;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (wants_help && argc < 3))
        return print_text(help_text(0));
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        return print_version(argc, argv);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(wants_help ? argv[2] : word, commands[i].name) != 0)
            continue;
        if (wants_help)
            return print_text(help_text(commands[i].command));
        if (!options_parse(&options, commands[i].command, argc - 1, argv + 1, error))
            return error->exit_status;
        if (options.help)
            return print_text(help_text(options.command));
        return commands[i].run(&options, error) ? 0 : error->exit_status;
    }
    (void)fail(error, ZTIO_BAD_USE, "'%s' is no subcommand; see 'ztile --help'",
               wants_help ? argv[2] : word);
    return error->exit_status;
}

/* Codecs keep tiles on the stack, some hundred kilobytes. Have it grow now: where memory is short
 * that ends a program, and later on a file would be left half-written. */
static void grow_stack(void)
{
    enum { STACK_BYTES = 1 << 20, PAGE_BYTES = 4096 };
    volatile char stack[STACK_BYTES];
    for (size_t at = STACK_BYTES; at > 0; at -= PAGE_BYTES)
        stack[at - 1] = 0;
    (void)stack[0];
}

int main(int argc, char **argv)
{
    struct ztio_error error = {0, ""};
    int status;
    grow_stack();
    keep_standard_files();
    add_filters();
    ztio_on_warning(print_error);
    catch_signals();
    if (argc < 2) {
        (void)fputs(help_text(0), stderr);
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
