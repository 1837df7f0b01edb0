/* decompress.c: ztile decompress: a .zt file or a bare zfp stream, or a box of it, into a plain
 * file. */
#include "cmd/commands.h"

#include "cmd/each.h"
#include "cmd/salvage.h"
#include "cmd/whole.h"
#include "store/stored.h"
#include "util/behind.h"
#include "util/errors.h"
#include "util/memory.h"
#include "util/numbers.h"
#include "util/paths.h"
#include "util/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    const struct options *options;
    struct stored stored;
    zt_context *context;
    struct ztio_output *output;
    struct progress progress;
    uint64_t shape[ZT_MAX_RANK]; /* of the output; shape[0] is counted on a pipe */
    uint64_t slice_bytes;        /* of the output */
};

/* Strip .zt, .zfp or .ndz; what is left without a suffix that says what it is becomes .npy, which
 * says it itself. In a directory, where that is not NULL. To be freed. */
static bool default_out(const char *place, const char *directory, char **out,
                        struct ztio_error *error)
{
    static const char *const plain[] = {".f32", ".f64", ".i32", ".i64", ".raw", ".bin", ".dat",
                                        ".npy", ".nc",  ".nc4", ".cdf", ".h5",  ".hdf5"};
    const char *gap = !directory || has_suffix(directory, "/") ? "" : "/";
    place = directory ? base_name(place) : place;
    size_t n = strlen(place), used;
    if (has_suffix(place, ".zt"))
        n -= 3;
    else if (has_suffix(place, ".zfp") || has_suffix(place, ".ndz"))
        n -= 4;
    else
        return fail(error, ZTIO_BAD_USE,
                    "%s: its name does not end in .zt, .zfp or .ndz; name the output with -o",
                    place);
    const size_t room = (directory ? strlen(directory) + 1 : 0) + n + sizeof ".npy";
    *out = malloc(room);
    if (!*out)
        return fail(error, ZTIO_LACKING, "%s: no memory for a file name; free some", place);
    used = (size_t)snprintf(*out, room, "%s%s%.*s", directory ? directory : "", gap, (int)n, place);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (has_suffix(*out, plain[i]))
            return true;
    memcpy(*out + used, ".npy", sizeof ".npy");
    return true;
}

static bool create_output(struct job *job, const char *out, struct ztio_error *error)
{
    struct ztio_meta meta;
    const struct stored *s = &job->stored;
    if (refuse_terminal(out, job->options->force, error))
        return false;
    memset(&meta, 0, sizeof meta);
    meta.type = s->type;
    meta.rank = s->rank;
    memcpy(meta.shape, job->shape, sizeof meta.shape);
    memcpy(meta.name, s->info.name, sizeof meta.name);
    memcpy(meta.units, s->info.units, sizeof meta.units);
    const struct ztio_creation how = creation_of(job->options);
    job->output = ztio_create(out, &meta, &how, error);
    return job->output != NULL;
}

/* Two slabs by turns: one is decoded while the other is written. */
struct slabs {
    void *memory[2];
    uint64_t extent[2]; /* that there is memory for */
    uint32_t turn;
};

/* Take the slab that is free; its memory grows to hold 'extent' slices. */
static bool take_slab(struct slabs *slabs, const struct job *job, uint64_t extent, void **slab,
                      struct ztio_error *error)
{
    const uint32_t k = slabs->turn++ % 2;
    if (extent > slabs->extent[k]) {
        const uint64_t most = job->slice_bytes ? UINT64_MAX / job->slice_bytes : UINT64_MAX;
        free(slabs->memory[k]);
        slabs->memory[k] = NULL;
        slabs->extent[k] = 0;
        if (!allocate(&slabs->memory[k], extent <= most ? extent * job->slice_bytes : UINT64_MAX,
                      input_name(job->stored.place), error))
            return false;
        slabs->extent[k] = extent;
    }
    *slab = slabs->memory[k];
    return true;
}

static bool write_slab(void *user, uint64_t at, const void *slab, uint64_t extent,
                       struct ztio_error *error)
{
    (void)at;
    return ztio_write(user, extent, slab, error);
}

/* Slab by slab, in order: works on files and pipes. */
static bool copy_all(struct job *job, struct ztio_error *error)
{
    uint64_t first, extent = 1;
    struct slabs slabs = {.turn = 0};
    struct behind behind;
    struct ztio_error late;
    bool done = true;
    behind_begin(&behind, write_slab, job->output);
    for (job->shape[0] = 0; done; job->shape[0] += extent) {
        void *slab = NULL;
        done = stored_next(&job->stored, &first, &extent, error);
        if (!done || extent == 0)
            break;
        progress_slab(&job->progress, extent * job->slice_bytes);
        done = take_slab(&slabs, job, extent, &slab, error) &&
               stored_read(&job->stored, slab, error) &&
               behind_write(&behind, job->shape[0], slab, extent, error);
    }
    if (!behind_end(&behind, &late) && done) {
        *error = late;
        done = false;
    }
    free(slabs.memory[0]);
    free(slabs.memory[1]);
    return done;
}

/* A box, in parts that end where frames do, so that it takes the memory of a frame at most. */
static bool copy_box(struct job *job, const zt_box *box, struct ztio_error *error)
{
    const struct stored *s = &job->stored;
    uint64_t step = s->kind == STORED_ZT && s->info.slab_extent ? s->info.slab_extent : s->shape[0];
    void *buffer;
    bool done = true;
    uint64_t most = box->hi[0] - box->lo[0] < step ? box->hi[0] - box->lo[0] : step;
    if (!allocate(&buffer, most * job->slice_bytes, s->place, error))
        return false;
    for (uint64_t at = box->lo[0], end; done && at < box->hi[0]; at = end) {
        zt_box part = *box;
        end = (at / step + 1) * step;
        end = end < box->hi[0] ? end : box->hi[0];
        part.lo[0] = at;
        part.hi[0] = end;
        progress_slab(&job->progress, (end - at) * job->slice_bytes);
        done = stored_read_box(&job->stored, &part, buffer, error) &&
               ztio_write(job->output, end - at, buffer, error);
    }
    free(buffer);
    return done;
}

static void say_what_a_box_takes(const struct job *job, const zt_box *box)
{
    const struct stored *s = &job->stored;
    if (!job->options->verbose)
        return;
    if (s->kind == STORED_ZFP && s->index.index_bytes == 0 &&
        zt_zfp_mode_of(&s->zfp) != ZT_ZFP_FIXED_RATE)
        print(stderr, "%s: no index: what lies before the box is parsed as well\n", s->place);
    else if (s->kind == STORED_ZT && s->info.index == ZT_INDEX_NONE && s->info.slab_extent &&
             s->info.bound.kind != ZT_RATE)
        print(stderr,
              "%s: no index: in %" PRIu64 " of %" PRIu64 " frames what lies before the box "
              "is parsed as well\n",
              s->place,
              (box->hi[0] - 1) / s->info.slab_extent - box->lo[0] / s->info.slab_extent + 1,
              s->info.frames);
}

static void print_summary(const struct job *job, const char *out, double seconds)
{
    const struct stored *s = &job->stored;
    char shape[CLI_TEXT_BYTES], raw[CLI_TEXT_BYTES], coded[CLI_TEXT_BYTES], speed[CLI_TEXT_BYTES];
    double bytes = (double)job->shape[0] * (double)job->slice_bytes;
    print(stderr, "%s: %s, shape %s (slowest first), %s -> %s%s\n", output_name(out),
          ztio_name_of_type(s->type), ztio_format_shape(s->rank, job->shape, shape),
          format_size((double)stored_file_bytes(s), coded), format_size(bytes, raw),
          format_speed(bytes, seconds, speed));
}

static bool copy(struct job *job, const char *out, struct ztio_error *error)
{
    const struct options *o = job->options;
    struct stored *s = &job->stored;
    zt_box box;
    uint64_t total = ZT_UNKNOWN;
    memcpy(job->shape, s->shape, sizeof job->shape);
    if (o->box && s->shape[0] == ZT_UNKNOWN)
        return fail(error, ZTIO_BAD_USE, "%s: a box cannot be cut out of a pipe; use a file",
                    input_name(s->place));
    if (o->box) {
        if (!parse_box(o->box, s->rank, s->shape, input_name(s->place), &box, error))
            return false;
        for (uint32_t i = 0; i < s->rank; i++)
            job->shape[i] = box.hi[i] - box.lo[i];
        say_what_a_box_takes(job, &box);
    }
    if (!count_slice_bytes(s->type, s->rank, job->shape, &job->slice_bytes) ||
        (job->shape[0] != ZT_UNKNOWN && !count_bytes(s->type, s->rank, job->shape, &total)))
        return fail(error, ZTIO_BAD_DATA,
                    "%s: its shape has more bytes than 64 bits count; the "
                    "file is damaged",
                    input_name(s->place));
    if (o->verbose && s->kind == STORED_ZFP && s->index.index_bytes > 0)
        print(stderr, "%s: with the index %s\n", input_name(s->place), s->index_place);
    if (!create_output(job, out, error))
        return false;
    progress_begin(&job->progress, "decompress", total, o->quiet, job->context);
    bool done = o->box ? copy_box(job, &box, error) : copy_all(job, error);
    progress_end(&job->progress);
    if (!done)
        return false;
    struct ztio_output *output = job->output;
    job->output = NULL;
    return ztio_commit(output, error);
}

static bool run_job(struct job *job, struct ztio_error *error)
{
    const struct options *o = job->options;
    const char *place = o->operand[0];
    double began = now_seconds();
    char *named = NULL;
    bool is_pipe = strcmp(place, "-") == 0;
    const char *directory = o->out && is_directory(o->out) ? o->out : NULL;
    if ((!o->out || directory) && !is_pipe && !default_out(place, directory, &named, error))
        return false;
    const char *out = named ? named : o->out ? o->out : "-";
    if (o->salvage) {
        const bool is_all = run_salvage(o, out, error);
        free(named);
        return is_all;
    }
    bool done = stored_open(&job->stored, place, o, false, NULL, job->context, error) &&
                copy(job, out, error);
    if (done && !o->quiet)
        print_summary(job, out, now_seconds() - began);
    free(named);
    return done;
}

static bool decompress_one(const struct options *o, struct ztio_error *error)
{
    struct job job;
    if (wants_whole_file(o))
        return run_whole(o, error);
    memset(&job, 0, sizeof job);
    job.options = o;
    if (!context_open(&o->exec, &job.context, error))
        return false;
    bool done = run_job(&job, error);
    ztio_abandon(job.output);
    stored_close(&job.stored);
    zt_context_free(job.context);
    return done;
}

bool run_decompress(const struct options *o, struct ztio_error *error)
{
    return run_each(o, decompress_one, error);
}
