/* ways.c: the ways of sz for all chunks of a dataset (zt_params_set_sz_ways), so that samples of
 * each chunk need not be looked at. Some chunks spread over the dataset are coded in ways of their
 * own, then in those of each other; those that take the fewest bytes win. Where they take clearly
 * more than each chunk's own, the dataset has none.
 *
 * The result depends on values and parameters alone, not on threads. */
#include "whole/whole.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNKS_LEAST = 48, /* of a dataset; of fewer, samples cost more than they save */
    MANY_CHUNKS = 256,
    SAMPLES = 4,
    MANY_SAMPLES = 8,
    WORSE_PART = 200, /* given ways may take 1/200 more bytes than each sample's own */
    UNEVEN_TIMES = 3, /* a coded sample has at most 3 times the bytes of another */
    EMPTY_PART = 64,  /* and at least 1/64 of the bytes of its values */
    WORDS = 64,       /* of a filter, at most */
    LEAST_ROOM = 8192 /* bytes of a coded chunk beside its values */
};

/* One chunk. */
struct sample {
    char *values;
    size_t own_bytes; /* coded in its own ways: */
    unsigned ways;
};

struct samples {
    ztio_filter_run *run;
    uint32_t threads;
    size_t chunk_bytes, room;
    char *memory, *coded;
    size_t count;
    struct sample one[MANY_SAMPLES];
};

/* The words that the filter stores for a dataset with these properties, from one in memory. */
static bool find_stored(hid_t properties, hid_t type, const struct ztio_variable *v,
                        H5Z_filter_t filter, unsigned *word, size_t *words)
{
    enum { STEP_BYTES = 4096 };
    unsigned flags, config;
    hsize_t shape[ZTIO_MAX_AXES];
    for (uint32_t i = 0; i < v->rank; i++)
        shape[i] = v->shape[i];
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), space = H5Screate_simple((int)v->rank, shape, NULL);
    (void)H5Pset_fapl_core(access, STEP_BYTES, 0);
    hid_t file = H5Fcreate("ways", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    hid_t set = H5Dcreate2(file, "ways", type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    hid_t stored = set >= 0 ? H5Dget_create_plist(set) : -1;
    *words = WORDS;
    const bool done = stored >= 0 && H5Pget_filter_by_id2(stored, filter, &flags, words, word, 0,
                                                          NULL, &config) >= 0;
    if (stored >= 0)
        (void)H5Pclose(stored);
    if (set >= 0)
        (void)H5Dclose(set);
    if (file >= 0)
        (void)H5Fclose(file);
    (void)H5Sclose(space);
    (void)H5Pclose(access);
    return done && *words <= WORDS;
}

/* Whole chunks of a dataset. */
static uint64_t count_chunks(const struct ztio_variable *v, const hsize_t *chunk)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < v->rank; i++)
        n *= v->shape[i] / chunk[i];
    return n;
}

/* Read chunks at irregular distances. */
static bool read_samples(struct samples *s, hid_t from, hid_t native, const struct ztio_variable *v,
                         const hsize_t *chunk)
{
    const uint64_t all = count_chunks(v, chunk);
    s->count = all < MANY_CHUNKS ? SAMPLES : MANY_SAMPLES;
    s->memory = malloc(s->count * s->chunk_bytes);
    s->coded = malloc(s->room);
    bool done = s->memory && s->coded;
    for (size_t k = 0; k < s->count && done; k++) {
        uint64_t rest = (2 * k + 1) * all / (2 * s->count);
        struct blocks b = {.rank = v->rank};
        for (uint32_t i = v->rank; i-- > 0;) {
            b.count[i] = chunk[i];
            b.from[i] = rest % (v->shape[i] / chunk[i]) * chunk[i];
            rest /= v->shape[i] / chunk[i];
        }
        s->one[k].values = s->memory + k * s->chunk_bytes;
        done = whole_transfer(from, &b, native, s->one[k].values, false);
    }
    return done;
}

static size_t code(const struct samples *s, const struct sample *one, const unsigned *word,
                   size_t words)
{
    return s->run(0, words, word, s->threads, one->values, s->chunk_bytes, s->coded, s->room);
}

/* Code the samples in ways of their own. False: it fails, one has none, or they say little about
 * the dataset, since bytes differ much between chunks or one is nearly empty. */
static bool find_own(struct samples *s, const struct ztio_rewrite *how, const unsigned *word,
                     size_t words)
{
    size_t least = SIZE_MAX, most = 0;
    for (size_t k = 0; k < s->count; k++) {
        const size_t bytes = code(s, &s->one[k], word, words);
        s->one[k].own_bytes = bytes;
        s->one[k].ways = bytes > 0 ? how->ways_of(s->coded, bytes) : 0;
        least = bytes < least ? bytes : least;
        most = bytes > most ? bytes : most;
        if (s->one[k].ways == 0 || most / UNEVEN_TIMES > least ||
            bytes < s->chunk_bytes / EMPTY_PART)
            return false;
    }
    return true;
}

/* The bytes of all samples in these ways; once they are more than 'most', any such number. */
static size_t bytes_in(const struct samples *s, unsigned ways, size_t most, const unsigned *word,
                       size_t words)
{
    size_t sum = 0;
    for (size_t k = 0; k < s->count && sum <= most; k++) {
        const size_t bytes =
            s->one[k].ways == ways ? s->one[k].own_bytes : code(s, &s->one[k], word, words);
        if (bytes == 0)
            return SIZE_MAX;
        sum += bytes;
    }
    return sum;
}

/* The ways of those of the samples that take the fewest bytes; 0 if they take too many. */
static unsigned find_best(const struct samples *s, unsigned *word, size_t words)
{
    size_t own = 0;
    unsigned best = 0;
    for (size_t k = 0; k < s->count; k++)
        own += s->one[k].own_bytes;
    size_t most = own + own / WORSE_PART;
    for (size_t k = 0; k < s->count; k++) {
        size_t at = 0;
        while (s->one[at].ways != s->one[k].ways)
            at++;
        word[words] = s->one[k].ways; /* behind all others */
        const size_t bytes =
            at == k ? bytes_in(s, s->one[k].ways, most, word, words + 1) : SIZE_MAX;
        if (bytes > most || (best && bytes == most))
            continue;
        most = bytes;
        best = s->one[k].ways;
    }
    return best;
}

void whole_choose_ways(struct whole *w, struct object *o, hid_t from, hid_t properties)
{
    const struct ztio_variable *const v = &o->variable;
    struct samples s = {.run = ztio_run_of_filter(o->choice.filter), .threads = w->how->threads};
    unsigned word[WORDS + 1];
    hsize_t chunk[ZTIO_MAX_AXES];
    size_t words;
    hid_t native;
    (void)ztio_type_of_hdf5(v->type == ZT_F32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE, &native);
    if (!o->choice.may_have_ways || !s.run ||
        H5Pget_chunk(properties, (int)v->rank, chunk) != (int)v->rank ||
        count_chunks(v, chunk) < CHUNKS_LEAST)
        return;
    s.chunk_bytes = zt_type_bytes(v->type);
    for (uint32_t i = 0; i < v->rank; i++)
        s.chunk_bytes *= (size_t)chunk[i];
    s.room = s.chunk_bytes + s.chunk_bytes / 64 + LEAST_ROOM;
    H5E_BEGIN_TRY
    {
        if (find_stored(properties, native, v, o->choice.filter, word, &words) &&
            read_samples(&s, from, native, v, chunk) && find_own(&s, w->how, word, words))
            w->how->set_ways(&o->choice, find_best(&s, word, words));
    }
    H5E_END_TRY
    free(s.coded);
    free(s.memory);
}
