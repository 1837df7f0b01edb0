/* each.c: inputs one after another. A directory stands for the files below it whose names end as
 * those do that the subcommand reads. */
#include "cmd/each.h"

#include "cmd/whole.h"
#include "util/errors.h"
#include "util/numbers.h"
#include "util/paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef bool run_one(const struct options *options, struct ztio_error *error);

struct inputs {
    char **place;
    size_t count, room;
};

static const char *const arrays[] = {".f32", ".f64", ".i32", ".i64", ".npy", NULL};
static const char *const coded[] = {".zt", NULL};

static bool add_input(struct inputs *inputs, const char *place, struct ztio_error *error)
{
    if (inputs->count == inputs->room) {
        const size_t room = 2 * inputs->room + 16;
        char **more = realloc(inputs->place, room * sizeof *more);
        if (!more)
            return fail(error, ZTIO_LACKING, "%s: no memory for file names; free some", place);
        inputs->place = more;
        inputs->room = room;
    }
    inputs->place[inputs->count] = strdup(place);
    return inputs->place[inputs->count++] ||
           fail(error, ZTIO_LACKING, "%s: no memory for file names; free some", place);
}

static bool add_directory(struct inputs *inputs, const char *directory, const char *const *suffixes,
                          struct ztio_error *error);

/* An entry of a directory: links are not followed, so that there are no circles. */
static bool add_entry(struct inputs *inputs, const char *path, const char *const *suffixes,
                      struct ztio_error *error)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return true; /* it has just gone */
    if (S_ISDIR(st.st_mode))
        return add_directory(inputs, path, suffixes, error);
    for (; S_ISREG(st.st_mode) && *suffixes; suffixes++)
        if (has_suffix(path, *suffixes))
            return add_input(inputs, path, error);
    return true;
}

static bool add_directory(struct inputs *inputs, const char *directory, const char *const *suffixes,
                          struct ztio_error *error)
{
    struct dirent **entries;
    const int count = scandir(directory, &entries, NULL, alphasort);
    if (count < 0)
        return fail(error, ZTIO_IO_ERROR, "%s: cannot be listed: %s", directory, strerror(errno));
    bool done = true;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (done && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            const size_t bytes = strlen(directory) + strlen(name) + 2;
            char *path = malloc(bytes);
            const char *gap = has_suffix(directory, "/") ? "" : "/";
            if (path)
                (void)snprintf(path, bytes, "%s%s%s", directory, gap, name);
            done = path ? add_entry(inputs, path, suffixes, error)
                        : fail(error, ZTIO_LACKING, "%s: no memory for file names; free some",
                               directory);
            free(path);
        }
        free(entries[i]);
    }
    free(entries);
    return done;
}

static bool add_operands(struct inputs *inputs, const struct options *o, struct ztio_error *error)
{
    const char *const *suffixes = o->command == CMD_COMPRESS ? arrays : coded;
    for (int i = 0; i < o->operands; i++) {
        const char *place = o->operands_all[i];
        if (strcmp(place, "-") == 0)
            return fail(error, ZTIO_BAD_USE,
                        "standard input: cannot be one of several inputs; leave the others out");
        if (!(is_directory(place) && !is_zarr_name(place)
                  ? add_directory(inputs, place, suffixes, error)
                  : add_input(inputs, place, error)))
            return false;
    }
    return inputs->count > 0 ||
           fail(error, ZTIO_BAD_DATA, "%s: has no file whose name ends in %s", o->operands_all[0],
                o->command == CMD_COMPRESS ? ".f32, .f64, .i32, .i64 or .npy" : ".zt");
}

/* The name of an input without what its output has not: equal names, equal outputs. */
static char *stem_of(const struct options *o, const char *place)
{
    static const char *const gone[] = {".zt", ".zfp", ".ndz", ".npy"};
    static const char *const files[] = {".nc", ".nc4", ".cdf", ".h5", ".hdf5", ".he5"};
    char *stem = strdup(o->out ? base_name(place) : place);
    const bool is_raw = o->command == CMD_COMPRESS;
    const size_t count = is_raw ? sizeof files / sizeof *files : sizeof gone / sizeof *gone;
    for (size_t i = 0; stem && i < count; i++) {
        const char *suffix = is_raw ? files[i] : gone[i];
        if (has_suffix(stem, suffix))
            stem[strlen(stem) - strlen(suffix)] = '\0';
    }
    return stem;
}

static int order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* No output is written over another of the same run. */
static bool check_outputs(const struct options *o, const struct inputs *inputs,
                          struct ztio_error *error)
{
    char **stems = calloc(inputs->count, sizeof *stems);
    bool done = stems != NULL;
    for (size_t i = 0; done && i < inputs->count; i++)
        done = (stems[i] = stem_of(o, inputs->place[i])) != NULL;
    if (!done)
        (void)fail(error, ZTIO_LACKING, "%s: no memory for file names; free some",
                   inputs->place[0]);
    else
        qsort(stems, inputs->count, sizeof *stems, order);
    for (size_t i = 1; done && i < inputs->count; i++)
        if (strcmp(stems[i - 1], stems[i]) == 0)
            done = fail(error, ZTIO_BAD_USE,
                        "%s: two of the inputs would be written to one file; name them one at a "
                        "time, with -o",
                        stems[i]);
    for (size_t i = 0; stems && i < inputs->count; i++)
        free(stems[i]);
    free(stems);
    return done;
}

/* Several outputs go to a directory, which is made, or to a device. */
static bool make_directory(const struct options *o, size_t count, struct ztio_error *error)
{
    static const char *const files[] = {".zt",  ".zfp", ".ndz",  ".npy", ".nc",  ".nc4",
                                        ".cdf", ".h5",  ".hdf5", ".he5", ".f32", ".f64",
                                        ".i32", ".i64", ".raw",  ".bin", ".dat"};
    if (!o->out || is_directory(o->out) || is_device(o->out))
        return true;
    bool is_file_name = strcmp(o->out, "-") == 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        is_file_name = is_file_name || has_suffix(o->out, files[i]);
    if (is_file_name)
        return fail(error, ZTIO_BAD_USE,
                    "%s: names one file, but there are %zu inputs; name a directory with -o",
                    output_name(o->out), count);
    return mkdir(o->out, 0777) == 0 ||
           fail(error, ZTIO_IO_ERROR, "%s: cannot be a directory for %zu outputs: %s; name another",
                o->out, count, strerror(errno));
}

/* Nothing is removed that is not all in its output. */
static bool check_remove(const struct options *o, const char *place, struct stat *was,
                         struct ztio_error *error)
{
    const char *odd = o->dry_run ? "--dry-run" : o->box ? "--box" : o->salvage ? "--salvage" : NULL;
    if (odd)
        return fail(error, ZTIO_BAD_USE, "--rm: %s does not keep all of the input; leave it out",
                    odd);
    if (o->out && (strcmp(o->out, "-") == 0 || is_device(o->out)))
        return fail(error, ZTIO_BAD_USE, "--rm: %s keeps nothing; leave --rm out",
                    output_name(o->out));
    if (stat(place, was) != 0 || !S_ISREG(was->st_mode) || is_hdf5_name(place))
        return fail(error, ZTIO_BAD_USE,
                    "--rm: %s is no file with one array, and only such are removed",
                    input_name(place));
    return true;
}

static bool run_input(const struct options *o, const char *place, run_one *run,
                      struct ztio_error *error)
{
    struct options one = *o;
    struct stat was, is;
    one.operand[0] = place;
    if (o->remove && !check_remove(o, place, &was, error))
        return false;
    if (!run(&one, error))
        return false;
    /* where the output has taken the input's name, there is nothing to remove */
    const bool is_there =
        o->remove && stat(place, &is) == 0 && is.st_dev == was.st_dev && is.st_ino == was.st_ino;
    return !is_there || unlink(place) == 0 ||
           fail(error, ZTIO_IO_ERROR, "%s: cannot be removed: %s", place, strerror(errno));
}

static bool run_all(const struct options *o, const struct inputs *inputs, run_one *run,
                    struct ztio_error *error)
{
    size_t failed = 0;
    int status = 0;
    for (size_t i = 0; i < inputs->count; i++) {
        if (run_input(o, inputs->place[i], run, error))
            continue;
        print_error(error);
        status = status ? status : error->exit_status;
        failed++;
    }
    return failed == 0 || fail(error, status, "%zu of %zu inputs failed", failed, inputs->count);
}

bool run_each(const struct options *o, run_one *run, struct ztio_error *error)
{
    struct inputs inputs = {NULL, 0, 0};
    const bool is_one =
        o->operands == 1 && (!is_directory(o->operand[0]) || is_zarr_name(o->operand[0]));
    if (is_one)
        return run_input(o, o->operand[0], run, error);
    const bool done = add_operands(&inputs, o, error) && check_outputs(o, &inputs, error) &&
                      make_directory(o, inputs.count, error) && run_all(o, &inputs, run, error);
    for (size_t i = 0; i < inputs.count; i++)
        free(inputs.place[i]);
    free(inputs.place);
    return done;
}
