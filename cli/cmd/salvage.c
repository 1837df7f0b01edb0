/* salvage.c: ztile decompress --salvage: what is left of a damaged .zt file into a plain file, and
 * which parts of the array are not. ztile info --check lists the same and writes nothing. */
#include "cmd/salvage.h"

#include "store/bytes.h"
#include "util/errors.h"
#include "util/json.h"
#include "util/memory.h"
#include "util/numbers.h"
#include "util/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED_MOST = 20 }; /* boxes, without -v */

struct loss {
    zt_loss kind;
    zt_box box;
    const char *why; /* the library's, static */
};

/* A frame that is not as it was written, whether or not values are lost. */
struct hit {
    uint64_t number, first, extent;
};

struct job {
    const struct options *options;
    const char *place;
    struct byte_source bytes;
    zt_context *context;
    zt_reader *reader;
    zt_info info;
    zt_salvage found;
    struct loss *losses;
    size_t count, capacity;
    struct hit *hits;
    size_t hit_count;
    struct ztio_output *output;
    struct progress progress;
};

static int note_loss(void *user, zt_loss kind, const zt_box *box, const char *why)
{
    struct job *job = user;
    if (job->count == job->capacity) {
        const size_t capacity = job->capacity ? 2 * job->capacity : 64;
        struct loss *more = capacity <= SIZE_MAX / sizeof *more
                                ? realloc(job->losses, capacity * sizeof *more)
                                : NULL;
        if (!more)
            return 1;
        job->losses = more;
        job->capacity = capacity;
    }
    job->losses[job->count++] = (struct loss){.kind = kind, .box = *box, .why = why};
    return 0;
}

static bool fail_library(struct job *job, zt_status status, struct ztio_error *error)
{
    if (status == ZT_CANCELLED) /* note_loss() found no memory */
        return fail(error, ZTIO_LACKING, "%s: no memory for a list of %zu boxes; free some",
                    job->place, job->count);
    return fail_source(error, &job->bytes, job->context, status);
}

static bool open_damaged(struct job *job, struct ztio_error *error)
{
    const struct options *o = job->options;
    if (!byte_source_open(&job->bytes, job->place, error))
        return false;
    job->bytes.error = (struct ztio_error){0, ""};
    zt_status status = zt_reader_open_damaged(job->context, &job->bytes.source, &job->reader);
    if (status == ZT_OK)
        status = zt_info_init(&job->info, sizeof job->info);
    if (status == ZT_OK)
        status = zt_reader_info(job->reader, &job->info);
    if (status == ZT_OK)
        status = zt_salvage_init(&job->found, sizeof job->found);
    if (status != ZT_OK)
        return fail_library(job, status, error);
    job->found.part = note_loss;
    job->found.user = job;
    job->found.has_fill = o->has_salvage_fill;
    if (o->has_salvage_fill &&
        zt_fill_bits((zt_type)job->info.type, o->salvage_fill, &job->found.fill) != ZT_OK)
        return fail(error, ZTIO_BAD_USE,
                    "%s: --salvage-fill %g is no value of type %s; leave it out", job->place,
                    o->salvage_fill, ztio_name_of_type(job->info.type));
    return true;
}

static bool note_frame(struct job *job, uint64_t first, uint64_t extent, struct ztio_error *error)
{
    struct hit *more = realloc(job->hits, (job->hit_count + 1) * sizeof *more);
    if (!more)
        return fail(error, ZTIO_LACKING, "%s: no memory for a list of %zu frames; free some",
                    job->place, job->hit_count);
    job->hits = more;
    job->hits[job->hit_count++] =
        (struct hit){.number = job->found.frames - 1, .first = first, .extent = extent};
    return true;
}

/* Frame after frame: what is left into the output, if there is one. */
static bool copy_frames(struct job *job, uint64_t slice_bytes, struct ztio_error *error)
{
    uint64_t first, extent, held = 0;
    void *buffer = NULL;
    bool done = false;
    for (;;) {
        zt_status status = zt_reader_next(job->reader, &first, &extent);
        if (status != ZT_OK) {
            (void)fail_library(job, status, error);
            break;
        }
        done = extent == 0;
        if (done)
            break;
        if (extent > held) {
            free(buffer);
            buffer = NULL;
            held = extent;
            const uint64_t most = UINT64_MAX / slice_bytes;
            if (!allocate(&buffer, extent <= most ? extent * slice_bytes : UINT64_MAX, job->place,
                          error))
                break;
        }
        zt_array out =
            zt_array_nd(buffer, (zt_type)job->info.type, job->info.rank, job->info.shape);
        out.shape[0] = extent;
        progress_slab(&job->progress, extent * slice_bytes);
        const uint64_t damaged = job->found.damaged_frames;
        status = zt_reader_salvage(job->reader, &out, &job->found);
        if (status != ZT_OK) {
            (void)fail_library(job, status, error);
            break;
        }
        if (job->found.damaged_frames > damaged && !note_frame(job, first, extent, error))
            break;
        if (job->output && !ztio_write(job->output, extent, buffer, error))
            break;
    }
    free(buffer);
    return done;
}

static bool go_through(struct job *job, const char *verb, struct ztio_error *error)
{
    const zt_info *info = &job->info;
    uint64_t slice_bytes, total;
    if (!count_slice_bytes(info->type, info->rank, info->shape, &slice_bytes) ||
        !count_bytes(info->type, info->rank, info->shape, &total))
        return fail(error, ZTIO_BAD_DATA, "%s: its shape has more bytes than 64 bits count",
                    job->place);
    progress_begin(&job->progress, verb, total, job->options->quiet, job->context);
    const bool done = copy_frames(job, slice_bytes, error);
    progress_end(&job->progress);
    return done;
}

static bool copy(struct job *job, const char *out, struct ztio_error *error)
{
    const zt_info *info = &job->info;
    struct ztio_meta meta;
    if (refuse_terminal(out, job->options->force, error))
        return false;
    memset(&meta, 0, sizeof meta);
    meta.type = info->type;
    meta.rank = info->rank;
    memcpy(meta.shape, info->shape, sizeof meta.shape);
    memcpy(meta.name, info->name, sizeof meta.name);
    memcpy(meta.units, info->units, sizeof meta.units);
    const struct ztio_creation how = creation_of(job->options);
    job->output = ztio_create(out, &meta, &how, error);
    if (!job->output)
        return false;
    if (!go_through(job, "salvage", error))
        return false;
    struct ztio_output *output = job->output;
    job->output = NULL;
    return ztio_commit(output, error);
}

/* ---- what was found ---- */

static const char *name_of_loss(zt_loss kind)
{
    return kind == ZT_LOSS_LOST ? "lost" : "unverified";
}

static uint64_t values_of(uint32_t rank, const zt_box *box)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < rank; i++)
        n *= box->hi[i] - box->lo[i];
    return n;
}

static void print_list(const struct job *job, FILE *file)
{
    const zt_salvage *s = &job->found;
    const size_t most = job->options->verbose ? job->count : LISTED_MOST;
    if (job->options->quiet)
        return;
    for (size_t i = 0; i < job->hit_count && (i < LISTED_MOST || job->options->verbose); i++) {
        const struct hit *h = &job->hits[i];
        print(file, "%s: frame %" PRIu64 ", slices %" PRIu64 ":%" PRIu64 ": damaged\n", job->place,
              h->number, h->first, h->first + h->extent);
    }
    for (size_t i = 0; i < job->count && i < most; i++) {
        const struct loss *l = &job->losses[i];
        print(file, "%s: %s ", job->place, name_of_loss(l->kind));
        for (uint32_t axis = 0; axis < job->info.rank; axis++)
            (void)fprintf(file, "%s%" PRIu64 ":%" PRIu64, axis ? "," : "", l->box.lo[axis],
                          l->box.hi[axis]);
        print(file, " (slowest first), %" PRIu64 " values: %s\n",
              values_of(job->info.rank, &l->box), l->why);
    }
    if (job->count > most)
        print(file, "%s: and %zu more boxes; -v or --json lists all\n", job->place,
              job->count - most);
    if (s->repaired > 0)
        print(file, "%s: %" PRIu64 " %s put right, by a bit or from a copy\n", job->place,
              s->repaired,
              s->repaired == 1 ? "header, tail or seek table was"
                               : "headers, tails or seek tables were");
    if (s->table == ZT_TABLE_REBUILT)
        print(file, "%s: the seek table is damaged; the frames are all there\n", job->place);
}

static void print_json(const struct job *job)
{
    static const char *const tables[] = {"whole", "rebuilt", "missing"};
    const zt_info *info = &job->info;
    const zt_salvage *s = &job->found;
    struct json j;
    json_begin(&j, stdout);
    json_text(&j, "file", job->place);
    json_text(&j, "type", ztio_name_of_type(info->type));
    json_shape(&j, "shape", info->rank, info->shape);
    json_count(&j, "values", info->raw_bytes / zt_type_bytes(info->type));
    json_count(&j, "lost_values", s->lost_values);
    json_count(&j, "unverified_values", s->unverified_values);
    json_count(&j, "frames", s->frames);
    json_count(&j, "damaged_frames", s->damaged_frames);
    json_count(&j, "repaired", s->repaired);
    json_text(&j, "seek_table", tables[s->table <= ZT_TABLE_MISSING ? s->table : 2]);
    json_bool(&j, "checksums_hold",
              s->damaged_frames == 0 && s->repaired == 0 && s->table == ZT_TABLE_WHOLE);
    json_list(&j, "damage");
    for (size_t i = 0; i < job->hit_count; i++) {
        const struct hit *h = &job->hits[i];
        json_object(&j, NULL);
        json_count(&j, "frame", h->number);
        json_count(&j, "first", h->first);
        json_count(&j, "slices", h->extent);
        json_close(&j);
    }
    json_close_list(&j);
    json_list(&j, "boxes");
    for (size_t i = 0; i < job->count; i++) {
        const struct loss *l = &job->losses[i];
        json_object(&j, NULL);
        json_text(&j, "kind", name_of_loss(l->kind));
        json_shape(&j, "lo", info->rank, l->box.lo);
        json_shape(&j, "hi", info->rank, l->box.hi);
        json_count(&j, "values", values_of(info->rank, &l->box));
        json_text(&j, "why", l->why);
        json_close(&j);
    }
    json_close_list(&j);
    json_end(&j);
}

/* The output is written either way; that something is not as it was is told by the exit status. */
static bool fail_if_lost(const struct job *job, const char *out, struct ztio_error *error)
{
    const zt_salvage *s = &job->found;
    const uint64_t values = job->info.raw_bytes / zt_type_bytes(job->info.type);
    if (s->lost_values > 0 || s->unverified_values > 0)
        return fail(error, ZTIO_BAD_DATA,
                    "%s: %" PRIu64 " of %" PRIu64 " values are lost and %" PRIu64
                    " unverified%s; %s has the others as they were",
                    job->place, s->lost_values, values, s->unverified_values,
                    s->table == ZT_TABLE_MISSING ? ", and slices at the end may be missing" : "",
                    output_name(out));
    if (s->table == ZT_TABLE_MISSING)
        return fail(error, ZTIO_BAD_DATA,
                    "%s: the file is cut short: slices after the first %" PRIu64 " may be missing; "
                    "%s has these as they were",
                    job->place, job->info.shape[0], output_name(out));
    if (!job->options->quiet)
        print(stderr, "%s: nothing is lost\n", job->place);
    return true;
}

static void close_job(struct job *job)
{
    ztio_abandon(job->output);
    free(job->losses);
    free(job->hits);
    zt_reader_close(job->reader);
    byte_source_close(&job->bytes);
    zt_context_free(job->context);
}

/* What --check ends with; never true, as something was found to be wrong. */
static bool judge_check(const struct job *job, struct ztio_error *error)
{
    const zt_salvage *s = &job->found;
    const uint64_t values = job->info.raw_bytes / zt_type_bytes(job->info.type);
    if (s->table == ZT_TABLE_MISSING)
        return fail(error, ZTIO_BAD_DATA,
                    "%s: the file is cut short, or its seek table is damaged; of %" PRIu64
                    " values in what is left %" PRIu64 " are lost and %" PRIu64
                    " unverified; decompress --salvage writes the others",
                    job->place, values, s->lost_values, s->unverified_values);
    if (s->lost_values == 0 && s->unverified_values == 0)
        return fail(error, ZTIO_BAD_DATA,
                    "%s: the file is damaged, but no values are lost; decompress --salvage writes "
                    "all of them",
                    job->place);
    return fail(error, ZTIO_BAD_DATA,
                "%s: %" PRIu64 " of %" PRIu64 " frames are damaged: %" PRIu64 " of %" PRIu64
                " values are lost and %" PRIu64 " unverified; decompress --salvage writes the "
                "others",
                job->place, s->damaged_frames, s->frames, s->lost_values, values,
                s->unverified_values);
}

bool list_damage(const struct options *o, struct ztio_error *error)
{
    struct job job;
    struct ztio_error other = {0, ""};
    memset(&job, 0, sizeof job);
    job.options = o;
    job.place = o->operand[0];
    if (context_open(&o->exec, &job.context, &other) && open_damaged(&job, &other) &&
        go_through(&job, "check", &other)) {
        if (o->json)
            print_json(&job);
        else
            print_list(&job, stderr);
        (void)judge_check(&job, error);
    }
    close_job(&job);
    return false;
}

bool run_salvage(const struct options *o, const char *out, struct ztio_error *error)
{
    struct job job;
    memset(&job, 0, sizeof job);
    job.options = o;
    job.place = o->operand[0];
    if (o->json && strcmp(out, "-") == 0)
        return fail(error, ZTIO_BAD_USE,
                    "--json and the array cannot both go to standard output; name a file with -o");
    bool done = context_open(&o->exec, &job.context, error) && open_damaged(&job, error) &&
                copy(&job, out, error);
    if (done && o->json)
        print_json(&job);
    else if (done)
        print_list(&job, stderr);
    done = done && fail_if_lost(&job, out, error);
    close_job(&job);
    return done;
}
