/* files.c: read what ztile bench measures with, and its bounds; make the directory it reports
 * to. */
#include "bench/files.h"

#include "util/errors.h"
#include "util/memory.h"
#include "util/numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool read_values(struct bench_array *a, struct ztio_input *input, struct ztio_error *error)
{
    const struct ztio_meta *meta = ztio_meta_of(input);
    const char *name = input_name(a->place);
    uint64_t got;
    a->type = meta->type;
    a->rank = meta->rank;
    a->has_fill = meta->has_fill;
    a->fill = meta->fill;
    memcpy(a->shape, meta->shape, sizeof a->shape);
    if (a->shape[0] == ZT_UNKNOWN)
        return fail(error, ZTIO_BAD_USE, "%s: bench needs to know the whole shape; give it with -s",
                    name);
    if (!count_bytes(a->type, a->rank, a->shape, &a->raw_bytes))
        return fail(error, ZTIO_BAD_USE,
                    "%s: the shape has more bytes than 64 bits count; check -s", name);
    if (a->raw_bytes == 0)
        return fail(error, ZTIO_BAD_USE, "%s: has no values to measure with; leave it out", name);
    return allocate(&a->values, a->raw_bytes, name, error) &&
           ztio_read(input, 0, a->shape[0], a->values, &got, error);
}

typedef bool taker(void *user, struct bench_array *array, struct ztio_error *error);

static bool read_one(const struct options *o, const char *place, taker *take, void *user,
                     struct ztio_error *error)
{
    struct bench_array a = {.place = strdup(place)};
    bool done = a.place || fail(error, ZTIO_LACKING, "%s: no memory for its name; free some",
                                input_name(place));
    struct ztio_input *input =
        done ? ztio_open(place, o->hints.type || o->hints.rank ? &o->hints : NULL, error) : NULL;
    done = input && read_values(&a, input, error) && take(user, &a, error);
    ztio_close(input);
    free(a.values);
    free(a.place);
    return done;
}

bool bench_read_all(const struct options *o, taker *take, void *user, struct ztio_error *error)
{
    bool done = true;
    for (int i = 0; done && i < o->operands; i++) {
        char **places;
        size_t count;
        if (strcmp(o->operands_all[i], "-") == 0) {
            done = read_one(o, "-", take, user, error);
            continue;
        }
        if (!ztio_places(o->operands_all[i], &places, &count, error))
            return false;
        for (size_t k = 0; done && k < count; k++)
            done = read_one(o, places[k], take, user, error);
        ztio_places_free(places, count);
    }
    return done;
}

bool bench_prepare_directory(const struct options *o, const char *const *names,
                             struct ztio_error *error)
{
    struct stat st;
    if (!o->out)
        return true;
    if (mkdir(o->out, 0777) != 0 && (stat(o->out, &st) != 0 || !S_ISDIR(st.st_mode)))
        return fail(error, ZTIO_IO_ERROR, "%s: cannot be a directory: %s; name another", o->out,
                    strerror(errno));
    for (; !o->force && *names; names++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%s", o->out, *names);
        if (stat(path, &st) == 0)
            return fail(error, ZTIO_BAD_USE, "%s exists; -f overwrites it", path);
    }
    return true;
}

bool bench_parse_bounds(const char *text, zt_bound *bound, int *bounds, struct ztio_error *error)
{
    for (const char *p = text; *p; p += strcspn(p, ","), p += *p == ',') {
        char word[64];
        const size_t n = strcspn(p, ",");
        double v = 0;
        if (*bounds == BENCH_BOUNDS || n >= sizeof word)
            return fail(error, ZTIO_BAD_USE, "--bounds: at most %d of them, apart by commas",
                        BENCH_BOUNDS);
        memcpy(word, p, n);
        word[n] = 0;
        const bool has_value = n > 4 && parse_number(word + 4, &v) && v > 0;
        if (strcmp(word, "lossless") == 0)
            bound[(*bounds)++] = zt_lossless();
        else if (strncmp(word, "rel=", 4) == 0 && has_value)
            bound[(*bounds)++] = zt_rel(v);
        else if (strncmp(word, "abs=", 4) == 0 && has_value)
            bound[(*bounds)++] = zt_abs(v);
        else
            return fail(error, ZTIO_BAD_USE,
                        "--bounds: '%s' is not rel=E, abs=E or lossless, with E above 0", word);
    }
    return *bounds > 0 || fail(error, ZTIO_BAD_USE, "--bounds: names none; leave it out");
}
