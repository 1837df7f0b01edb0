/* entropy.c: ztile entropy: any file to Huffman codes and back, block by block, so that files of
 * any length and pipes take the memory of a block. */
#include "cmd/commands.h"

#include "store/bytes.h"
#include "util/errors.h"
#include "util/memory.h"
#include "util/numbers.h"
#include "util/progress.h"

#include "ztile_huffman.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char suffix[] = ".zth";

struct job {
    const struct options *options;
    zt_context *context;
    zt_entropy entropy;
    struct byte_source in;
    struct byte_sink out;
    struct progress progress;
    unsigned char *raw, *coded;
    size_t coded_room;
    uint64_t taken; /* bytes read */
};

/* bytes, words, kmers=K or kmers=K:LETTERS */
static bool parse_symbols(const char *text, zt_entropy *e, struct ztio_error *error)
{
    static const char kmers[] = "kmers=";
    if (strcmp(text, "bytes") == 0) {
        e->symbols = ZT_SYMBOLS_BYTES;
    } else if (strcmp(text, "words") == 0) {
        e->symbols = ZT_SYMBOLS_WORDS;
    } else if (strncmp(text, kmers, sizeof kmers - 1) == 0) {
        char *end;
        const long k = strtol(text + sizeof kmers - 1, &end, 10);
        const size_t letters = *end == ':' ? strlen(end + 1) : 0;
        if (k < 1 || k > ZT_ENTROPY_MOST_K || (*end != 0 && letters == 0) ||
            letters > sizeof e->letters)
            return fail(error, ZTIO_BAD_USE,
                        "--symbols: '%s' is not kmers=K or kmers=K:LETTERS with K from 1 to %d",
                        text, ZT_ENTROPY_MOST_K);
        e->symbols = ZT_SYMBOLS_KMERS;
        e->k = (uint32_t)k;
        e->letter_count = (uint32_t)letters;
        memcpy(e->letters, end + 1 - (letters == 0), letters);
    } else {
        return fail(error, ZTIO_BAD_USE, "--symbols: '%s' is not bytes, words or kmers=K[:LETTERS]",
                    text);
    }
    return true;
}

/* Up to n bytes more of the input; fewer only at its end. */
static bool take_bytes(struct job *job, void *to, size_t n, size_t *got, struct ztio_error *error)
{
    if (job->in.source.read(job->in.source.user, job->taken, to, n, got) != 0) {
        *error = job->in.error;
        return false;
    }
    job->taken += *got;
    return true;
}

static bool give_bytes(struct job *job, const void *data, size_t n, struct ztio_error *error)
{
    if (n == 0 || job->out.sink.write(job->out.sink.user, data, n) == 0)
        return true;
    *error = job->out.error;
    return false;
}

static bool fail_block(const struct job *job, zt_status status, struct ztio_error *error)
{
    return fail_zt(error, job->context, status, job->in.place);
}

/* ---- encode ---------------------------------------------------------------------------------- */

static bool encode_all(struct job *job, struct ztio_error *error)
{
    const size_t k = job->entropy.symbols == ZT_SYMBOLS_KMERS ? job->entropy.k : 1;
    const size_t each = ZT_ENTROPY_BLOCK_BYTES - ZT_ENTROPY_BLOCK_BYTES % k;
    for (bool is_last = false; !is_last;) {
        size_t n, bytes;
        if (!take_bytes(job, job->raw, each, &n, error))
            return false;
        is_last = n < each;
        job->entropy.is_last = is_last;
        progress_slab(&job->progress, n);
        const zt_status status = zt_entropy_encode(job->context, job->raw, n, &job->entropy,
                                                   job->coded, job->coded_room, &bytes);
        if (status != ZT_OK)
            return fail_block(job, status, error);
        if (!give_bytes(job, job->coded, bytes, error))
            return false;
    }
    return true;
}

/* ---- decode ---------------------------------------------------------------------------------- */

/* Read until 'coded' holds 'wanted' bytes of the input, or to its end. *held of them are there. */
static bool fill_buffer(struct job *job, size_t wanted, size_t *held, struct ztio_error *error)
{
    size_t got = 0;
    if (*held < wanted && !take_bytes(job, job->coded + *held, wanted - *held, &got, error))
        return false;
    *held += got;
    return true;
}

static bool decode_all(struct job *job, struct ztio_error *error)
{
    size_t held = 0;
    for (bool is_last = false; !is_last;) {
        uint64_t bytes, block;
        if (!fill_buffer(job, ZT_ENTROPY_HEAD_BYTES, &held, error))
            return false;
        zt_status status =
            zt_entropy_inspect(job->context, job->coded, held, &job->entropy, &bytes, &block);
        if (status != ZT_OK && held == 0)
            return fail(error, ZTIO_BAD_DATA, "%s: ends before its last block; it was cut short",
                        job->in.place);
        if (status != ZT_OK)
            return fail_block(job, status, error);
        if (block > job->coded_room)
            return fail(error, ZTIO_BAD_DATA, "%s: has a block of %" PRIu64 " bytes, too many",
                        job->in.place, block);
        if (!fill_buffer(job, (size_t)block, &held, error))
            return false;
        progress_slab(&job->progress, block);
        status = zt_entropy_decode(job->context, job->coded, held < block ? held : (size_t)block,
                                   job->raw, bytes);
        if (status != ZT_OK)
            return fail_block(job, status, error);
        if (!give_bytes(job, job->raw, (size_t)bytes, error))
            return false;
        is_last = job->entropy.is_last != 0;
        held -= (size_t)block;
        memmove(job->coded, job->coded + block, held);
    }
    size_t more = held;
    if (!fill_buffer(job, held + 1, &more, error))
        return false;
    return more == 0 || fail(error, ZTIO_BAD_DATA, "%s: goes on after its last block; cut it there",
                             job->in.place);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* IN.zth, or IN without it; NULL, with the sentence, where IN says nothing. */
static char *place_of_output(const struct options *o, struct ztio_error *error)
{
    const char *in = o->operand[0];
    const size_t n = strlen(in);
    char *place = malloc(n + sizeof suffix);
    if (!place)
        (void)fail(error, ZTIO_LACKING, "%s: no memory for a file name; free some", in);
    if (place && o->out) {
        free(place);
        return strdup(o->out);
    }
    if (place && strcmp(in, "-") == 0)
        return strcpy(place, "-");
    if (place && !o->decode) {
        (void)sprintf(place, "%s%s", in, suffix);
    } else if (place && has_suffix(in, suffix) && n > sizeof suffix) {
        memcpy(place, in, n + 1 - (sizeof suffix - 1));
        place[n + 1 - sizeof suffix] = 0;
    } else if (place) {
        (void)fail(error, ZTIO_BAD_USE, "%s: ends not in %s; name the output with -o", in, suffix);
        free(place);
        return NULL;
    }
    return place;
}

static bool run_job(struct job *job, struct ztio_error *error)
{
    const struct options *o = job->options;
    const struct ztio_creation how = creation_of(o);
    void *raw, *coded;
    char before[CLI_TEXT_BYTES], after[CLI_TEXT_BYTES];
    if ((o->symbols && !parse_symbols(o->symbols, &job->entropy, error)) ||
        !byte_source_open(&job->in, o->operand[0], error) ||
        !allocate(&raw, ZT_ENTROPY_BLOCK_BYTES, job->in.place, error))
        return false;
    job->raw = raw;
    if (zt_entropy_bound(ZT_ENTROPY_BLOCK_BYTES, &job->coded_room) != ZT_OK ||
        !allocate(&coded, job->coded_room, job->in.place, error))
        return false;
    job->coded = coded;
    char *place = place_of_output(o, error);
    bool done = place && byte_sink_open(&job->out, place, &how, error);
    if (done) {
        progress_begin(&job->progress, o->decode ? "decode" : "encode", job->in.source.source_bytes,
                       o->quiet, job->context);
        done = o->decode ? decode_all(job, error) : encode_all(job, error);
        progress_end(&job->progress);
    }
    done = done && byte_sink_commit(&job->out, error);
    if (done && !o->quiet)
        print(stderr, "%s: %s -> %s\n", output_name(place), format_size((double)job->taken, before),
              format_size((double)job->out.written, after));
    free(place);
    return done;
}

bool run_entropy(const struct options *o, struct ztio_error *error)
{
    struct job job;
    memset(&job, 0, sizeof job);
    job.options = o;
    (void)zt_entropy_init(&job.entropy, sizeof job.entropy);
    if (!context_open(&o->exec, &job.context, error))
        return false;
    job.entropy.magnitude = o->magnitude;
    job.entropy.reduction = o->reduction;
    const bool done = run_job(&job, error);
    byte_sink_abandon(&job.out);
    byte_source_close(&job.in);
    free(job.raw);
    free(job.coded);
    zt_context_free(job.context);
    return done;
}
