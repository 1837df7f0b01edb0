/* chunks.c: chunks go through one of our filters on threads of their own, outside of HDF5, while
 * HDF5 reads or writes other values. HDF5 itself is called by the calling thread alone, since it
 * may not bear several.
 *
 *     compressing      read block k + 2 | write the chunks of block k
 *     decompressing    read the chunks of block k + 2 | write block k
 *     meanwhile        threads code the chunks of all
 *
 * Values are copied between a block, whose rows are long, and its chunks. The threads that code do
 * it; but if only one thread codes, all others wait for it, and the calling thread copies.
 *
 * Where there are no more processors than threads that may code, the calling thread is one of them
 * instead of one more: else it would write at a part of its speed, and threads wait for it.
 *
 * Bytes and their order in the file are those of HDF5's own pipeline. What goes wrong on a thread
 * is done again by HDF5, which fails with its sentence. */
#include "whole/whole.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 10, 3)

/* Without loss a chunk may grow by checksums, headers and an index. */
enum { WORDS = 64, THREADS_MOST = 64, LEAST_ROOM = 8192 };

/* One chunk, and where its coded bytes are. */
struct task {
    hsize_t from[ZTIO_MAX_AXES]; /* in the dataset */
    char *values;                /* those of the chunk; NULL: in the memory of the thread */
    bool is_in_file;             /* the thread reads them, from 'stored' */
    char *coded;
    size_t n;
    bool is_done, is_failed;
};

/* The chunks of one block. Memory is that of the largest block. */
struct batch {
    struct blocks block;
    char *values, *coded;
    char *chunks; /* where the calling thread copies or reads: the values of each */
    struct task *task;
    size_t count;
    size_t next; /* to be taken by a thread */
};

struct whole_coders {
    ztio_filter_run *run;
    unsigned word[WORDS], flags;
    size_t words;
    bool is_back;    /* decompressing */
    bool has_copier; /* the calling thread copies */
    char *scratch;   /* the calling thread codes while it would wait: the values of a chunk */
    uint32_t rank;
    size_t value_bytes, chunk_bytes;
    size_t room; /* for the coded bytes of a chunk */
    hsize_t chunk[ZTIO_MAX_AXES];
    uint8_t fill[8]; /* what is beyond the array */
    const char *map; /* all values of the array, instead of those of blocks; or NULL */
    const struct whole_stored *stored; /* or chunks of the array in its file */
    hid_t from, native;
    uint32_t inner; /* threads for each chunk */
    struct batch batch[WHOLE_BATCHES];
    uint32_t turn; /* the batch that is next to be filled */
    pthread_t thread[THREADS_MOST];
    uint32_t threads;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_ended;
};

/* ---- between a chunk and a block ---- */

/* Ask for a row of a block, whose lines another core may have. */
static void prefetch_row(const char *row, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 64)
        __builtin_prefetch(row + at);
}

/* Copy rows that follow each other along the second fastest axis. */
static void copy_plane(char *to, size_t to_step, const char *from, size_t from_step, size_t rows,
                       size_t row_bytes, bool is_from_far)
{
    enum { ROWS_AHEAD = 8 };
    for (size_t i = 0; i < rows; i++) {
        if (is_from_far && i + ROWS_AHEAD < rows)
            prefetch_row(from + ROWS_AHEAD * from_step, row_bytes);
        memcpy(to, from, row_bytes);
        to += to_step;
        from += from_step;
    }
}

/* Copy what a chunk and the array share, plane by plane. */
static void copy_rows(const struct whole_coders *c, const struct batch *b, const struct task *t,
                      char *chunk, bool to_chunk)
{
    const uint32_t last = c->rank - 1;
    const bool is_mapped = to_chunk && c->map; /* then rows are those of the array */
    const hsize_t *const extent = is_mapped ? b->block.shape : b->block.count;
    hsize_t n[ZTIO_MAX_AXES], at[ZTIO_MAX_AXES] = {0};
    for (uint32_t i = 0; i < c->rank; i++) {
        const hsize_t left = b->block.from[i] + b->block.count[i] - t->from[i];
        n[i] = left < c->chunk[i] ? left : c->chunk[i];
    }
    const size_t row_bytes = (size_t)n[last] * c->value_bytes;
    const size_t rows = last > 0 ? (size_t)n[last - 1] : 1;
    const size_t chunk_step = (size_t)c->chunk[last] * c->value_bytes;
    const size_t block_step = (size_t)extent[last] * c->value_bytes;
    for (bool is_more = true; is_more;) {
        size_t in_chunk = 0, in_block = 0;
        for (uint32_t i = 0; i < c->rank; i++) {
            in_chunk = in_chunk * (size_t)c->chunk[i] + (size_t)at[i];
            in_block = in_block * (size_t)extent[i] +
                       (size_t)(t->from[i] - (is_mapped ? 0 : b->block.from[i]) + at[i]);
        }
        char *const one = chunk + in_chunk * c->value_bytes;
        if (to_chunk)
            copy_plane(one, chunk_step,
                       (is_mapped ? c->map : b->values) + in_block * c->value_bytes, block_step,
                       rows, row_bytes, true);
        else
            copy_plane(b->values + in_block * c->value_bytes, block_step, one, chunk_step, rows,
                       row_bytes, false);
        is_more = false;
        for (uint32_t i = last > 0 ? last - 1 : 0; i-- > 0 && !is_more;) {
            is_more = ++at[i] < n[i];
            at[i] = is_more ? at[i] : 0;
        }
    }
}

/* Whether the array ends within a chunk. */
static bool is_cut(const struct whole_coders *c, const struct batch *b, const struct task *t)
{
    bool is_cut = false;
    for (uint32_t i = 0; i < c->rank; i++)
        is_cut = is_cut || b->block.shape[i] - t->from[i] < c->chunk[i];
    return is_cut;
}

static void fill_chunk(const struct whole_coders *c, char *chunk)
{
    size_t done = c->value_bytes;
    memcpy(chunk, c->fill, done);
    for (size_t more; done < c->chunk_bytes; done += more) {
        more = c->chunk_bytes - done < done ? c->chunk_bytes - done : done;
        memcpy(chunk + done, chunk, more);
    }
}

/* ---- threads ---- */

static void gather_chunk(const struct whole_coders *c, const struct batch *b, const struct task *t,
                         char *chunk)
{
    if (is_cut(c, b, t))
        fill_chunk(c, chunk);
    copy_rows(c, b, t, chunk, true);
}

/* Code one chunk; scratch has room for its values. False: HDF5 has to. */
static bool code(const struct whole_coders *c, const struct batch *b, struct task *t, char *scratch)
{
    char *const chunk = t->values ? t->values : scratch;
    if (!chunk)
        return false;
    if (c->is_back) {
        if (c->run(c->flags, c->words, c->word, c->inner, t->coded, t->n, chunk, c->chunk_bytes) !=
            c->chunk_bytes)
            return false;
        if (!t->values)
            copy_rows(c, b, t, chunk, false);
        return true;
    }
    if (t->is_in_file && !whole_stored_read(c->stored, t->from, 0, chunk, c->chunk_bytes))
        return false;
    if (!t->values && !t->is_in_file)
        gather_chunk(c, b, t, chunk);
    t->n = c->run(c->flags, c->words, c->word, c->inner, chunk, c->chunk_bytes, t->coded, c->room);
    return t->n > 0;
}

/* With the lock: the next chunk, of the older block first. */
static struct task *take(struct whole_coders *c, struct batch **batch)
{
    for (uint32_t i = 0; i < WHOLE_BATCHES; i++) {
        struct batch *const b = &c->batch[(c->turn + i) % WHOLE_BATCHES];
        *batch = b;
        if (b->next < b->count)
            return &b->task[b->next++];
    }
    return NULL;
}

/* With the lock, which is given back meanwhile: code the next chunk. False: there is none. */
static bool code_next(struct whole_coders *c, char *scratch)
{
    struct batch *b;
    struct task *const t = take(c, &b);
    if (!t)
        return false;
    (void)pthread_mutex_unlock(&c->lock);
    const bool is_good = code(c, b, t, scratch);
    (void)pthread_mutex_lock(&c->lock);
    t->is_failed = !is_good;
    t->is_done = true;
    (void)pthread_cond_broadcast(&c->changed);
    return true;
}

static void *code_chunks(void *user)
{
    struct whole_coders *const c = user;
    char *const scratch = c->has_copier ? NULL : malloc(c->chunk_bytes);
    (void)pthread_mutex_lock(&c->lock);
    while (!c->is_ended)
        if (!code_next(c, scratch))
            (void)pthread_cond_wait(&c->changed, &c->lock);
    (void)pthread_mutex_unlock(&c->lock);
    free(scratch);
    return NULL;
}

/* Wait until a chunk is done, or help; false: it failed. */
static bool wait_for(struct whole_coders *c, const struct task *t)
{
    (void)pthread_mutex_lock(&c->lock);
    while (!t->is_done)
        if (!c->scratch || !code_next(c, c->scratch))
            (void)pthread_cond_wait(&c->changed, &c->lock);
    (void)pthread_mutex_unlock(&c->lock);
    return !t->is_failed;
}

/* Wait for all chunks of a block; false: one failed. */
static bool wait_for_all(struct whole_coders *c, struct batch *b)
{
    bool is_good = true;
    for (size_t i = 0; i < b->count; i++)
        is_good &= wait_for(c, &b->task[i]);
    return is_good;
}

/* Wait for the chunks of a block that were handed out, and forget them. */
static bool drop(struct whole_coders *c, struct batch *b)
{
    const bool is_good = wait_for_all(c, b);
    (void)pthread_mutex_lock(&c->lock);
    b->count = b->next = 0;
    (void)pthread_mutex_unlock(&c->lock);
    return is_good;
}

/* ---- setting up ---- */

/* The only filter of the dataset, if it is one of ours. */
static bool find_filter(struct whole_coders *c, hid_t properties)
{
    unsigned config;
    c->words = WORDS;
    if (H5Pget_layout(properties) != H5D_CHUNKED || H5Pget_nfilters(properties) != 1 ||
        H5Pget_chunk(properties, (int)c->rank, c->chunk) != (int)c->rank)
        return false;
    const H5Z_filter_t id =
        H5Pget_filter2(properties, 0, &c->flags, &c->words, c->word, 0, NULL, &config);
    c->run = ztio_run_of_filter(id);
    c->flags |= c->is_back ? H5Z_FLAG_REVERSE : 0;
    return c->run && c->words <= WORDS;
}

/* What HDF5 has in a chunk beyond the array's end. */
static bool find_fill(struct whole_coders *c, hid_t properties, hid_t native)
{
    H5D_fill_value_t defined;
    H5D_fill_time_t when;
    memset(c->fill, 0, sizeof c->fill);
    return H5Pfill_value_defined(properties, &defined) >= 0 &&
           H5Pget_fill_time(properties, &when) >= 0 &&
           (defined != H5D_FILL_VALUE_USER_DEFINED || when == H5D_FILL_TIME_NEVER ||
            H5Pget_fill_value(properties, native, c->fill) >= 0);
}

static uint64_t chunks_in(const struct whole_coders *c, const hsize_t *count)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < c->rank; i++)
        n *= (count[i] - 1) / c->chunk[i] + 1;
    return n;
}

/* The system clears huge pages faster than small ones. */
static void *allocate_values(size_t bytes)
{
    enum { HUGE_BYTES = 2 << 20 };
    const size_t whole = (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
    void *const memory = bytes < HUGE_BYTES ? malloc(bytes) : aligned_alloc(HUGE_BYTES, whole);
#ifdef MADV_HUGEPAGE
    if (memory && bytes >= HUGE_BYTES)
        (void)madvise(memory, whole, MADV_HUGEPAGE);
#endif
    return memory;
}

static bool make_batches(struct whole_coders *c, size_t chunks)
{
    bool is_good = chunks <= SIZE_MAX / 2 / c->room;
    for (uint32_t i = 0; i < WHOLE_BATCHES && is_good; i++) {
        struct batch *const b = &c->batch[i];
        b->values = allocate_values(chunks * c->chunk_bytes);
        b->chunks = allocate_values(chunks * c->chunk_bytes);
        b->coded = malloc(chunks * c->room);
        b->task = malloc(chunks * sizeof *b->task);
        is_good = b->values && b->chunks && b->coded && b->task;
    }
    return is_good;
}

/* And the coders themselves. */
static void free_batches(struct whole_coders *c)
{
    for (uint32_t i = 0; c && i < WHOLE_BATCHES; i++) {
        free(c->batch[i].task);
        free(c->batch[i].coded);
        free(c->batch[i].chunks);
        free(c->batch[i].values);
    }
    if (c)
        free(c->scratch);
    free(c);
}

static void begin_threads(struct whole_coders *c, uint32_t wanted)
{
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_cond_init(&c->changed, NULL);
    while (c->threads < wanted && pthread_create(&c->thread[c->threads], NULL, code_chunks, c) == 0)
        c->threads++;
}

struct whole_coders *whole_coders_begin(hid_t dataset, hid_t native, const struct blocks *blocks,
                                        bool is_back, uint32_t threads)
{
    struct whole_coders *const c = calloc(1, sizeof *c);
    hid_t properties = H5Dget_create_plist(dataset);
    if (!c || properties < 0)
        goto none;
    c->is_back = is_back;
    c->native = native;
    c->rank = blocks->rank;
    c->value_bytes = H5Tget_size(native);
    if (!whole_is_native(dataset, native) || !find_filter(c, properties) ||
        !find_fill(c, properties, native))
        goto none;
    c->chunk_bytes = c->value_bytes;
    for (uint32_t i = 0; i < c->rank; i++)
        c->chunk_bytes *= (size_t)c->chunk[i];
    const uint64_t chunks = chunks_in(c, blocks->block);
    uint64_t wanted = threads < THREADS_MOST ? threads : THREADS_MOST;
    wanted = wanted < chunks ? wanted : chunks;
    c->inner = (uint32_t)(threads / wanted);
    c->has_copier = wanted == 1;
    c->room = c->chunk_bytes + c->chunk_bytes / 64 + LEAST_ROOM;
    if (wanted > 1 && wanted >= (uint64_t)sysconf(_SC_NPROCESSORS_ONLN))
        c->scratch = malloc(c->chunk_bytes);
    if (!make_batches(c, (size_t)chunks))
        goto none;
    begin_threads(c, (uint32_t)wanted - (c->scratch ? 1 : 0));
    if (c->threads == 0) {
        (void)pthread_cond_destroy(&c->changed);
        (void)pthread_mutex_destroy(&c->lock);
        goto none;
    }
    (void)H5Pclose(properties);
    return c;
none:
    if (properties >= 0)
        (void)H5Pclose(properties);
    free_batches(c);
    return NULL;
}

void whole_coders_end(struct whole_coders *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < WHOLE_BATCHES; i++)
        (void)wait_for_all(c, &c->batch[i]);
    (void)pthread_mutex_lock(&c->lock);
    c->is_ended = true;
    (void)pthread_cond_broadcast(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
    for (uint32_t i = 0; i < c->threads; i++)
        (void)pthread_join(c->thread[i], NULL);
    (void)pthread_cond_destroy(&c->changed);
    (void)pthread_mutex_destroy(&c->lock);
    free_batches(c);
}

/* ---- blocks ---- */

void *whole_coders_values(struct whole_coders *c)
{
    return c->batch[c->turn].values;
}

void whole_coders_map(struct whole_coders *c, const void *values)
{
    c->map = values;
}

void whole_coders_store(struct whole_coders *c, const struct whole_stored *stored, hid_t from)
{
    c->stored = stored;
    c->from = from;
}

/* List the chunks of a block, in the order in which HDF5 goes through them. */
static size_t list_tasks(const struct whole_coders *c, struct batch *b)
{
    const size_t count = (size_t)chunks_in(c, b->block.count);
    for (size_t k = 0; k < count; k++) {
        size_t rest = k;
        b->task[k] = (struct task){.coded = b->coded + k * c->room};
        if (c->has_copier)
            b->task[k].values = b->chunks + k * c->chunk_bytes;
        for (uint32_t i = c->rank; i-- > 0;) {
            const size_t n = (size_t)((b->block.count[i] - 1) / c->chunk[i] + 1);
            b->task[k].from[i] = b->block.from[i] + rest % n * c->chunk[i];
            rest /= n;
        }
    }
    return count;
}

/* Read a chunk as it is in the file; false: HDF5 has to see to it. */
static bool read_chunk(const struct whole_coders *c, struct task *t, hid_t dataset)
{
    hsize_t bytes = 0;
    uint32_t skipped = 0;
    if (H5Dget_chunk_storage_size(dataset, t->from, &bytes) < 0 || bytes == 0 || bytes > c->room)
        return false;
    t->n = (size_t)bytes;
    return H5Dread_chunk(dataset, H5P_DEFAULT, t->from, &skipped, t->coded) >= 0 && skipped == 0;
}

/* Let HDF5 read the values of a chunk, also of one that is not in the file. */
static bool read_values(const struct whole_coders *c, const struct batch *b, const struct task *t)
{
    const hsize_t none[ZTIO_MAX_AXES] = {0};
    hsize_t count[ZTIO_MAX_AXES];
    for (uint32_t i = 0; i < c->rank; i++) {
        const hsize_t left = b->block.shape[i] - t->from[i];
        count[i] = left < c->chunk[i] ? left : c->chunk[i];
    }
    if (is_cut(c, b, t))
        fill_chunk(c, t->values);
    hid_t space = H5Dget_space(c->from);
    hid_t memory = H5Screate_simple((int)c->rank, c->chunk, NULL);
    const bool done = H5Sselect_hyperslab(space, H5S_SELECT_SET, t->from, NULL, count, NULL) >= 0 &&
                      H5Sselect_hyperslab(memory, H5S_SELECT_SET, none, NULL, count, NULL) >= 0 &&
                      H5Dread(c->from, c->native, memory, space, H5P_DEFAULT, t->values) >= 0;
    (void)H5Sclose(memory);
    (void)H5Sclose(space);
    return done;
}

/* Get at the values of a chunk that is to be coded. */
static bool fetch_values(const struct whole_coders *c, struct batch *b, struct task *t)
{
    if (!c->stored) {
        if (t->values)
            gather_chunk(c, b, t, t->values);
        return true;
    }
    t->is_in_file = whole_stored_has(c->stored, t->from);
    if (t->is_in_file && !c->has_copier)
        return true;
    t->values = b->chunks + (size_t)(t - b->task) * c->chunk_bytes;
    const bool done = t->is_in_file
                          ? whole_stored_read(c->stored, t->from, 0, t->values, c->chunk_bytes)
                          : read_values(c, b, t);
    t->is_in_file = false; /* no more to be read */
    return done;
}

/* Let threads take the first n chunks of a block. */
static void hand_out(struct whole_coders *c, struct batch *b, size_t n)
{
    (void)pthread_mutex_lock(&c->lock);
    b->count = n;
    (void)pthread_cond_broadcast(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
}

bool whole_coders_start(struct whole_coders *c, const struct blocks *block, hid_t dataset)
{
    struct batch *const b = &c->batch[c->turn];
    bool is_good = true;
    b->block = *block;
    const size_t count = list_tasks(c, b);
    H5E_BEGIN_TRY
    {
        for (size_t i = 0; i < count && is_good && c->is_back; i++)
            is_good = read_chunk(c, &b->task[i], dataset);
    }
    H5E_END_TRY(void) pthread_mutex_lock(&c->lock);
    c->turn = (c->turn + 1) % WHOLE_BATCHES; /* that one is the oldest, and next */
    b->count = b->next = 0;
    (void)pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; i < count && is_good; i++) {
        is_good = c->is_back || fetch_values(c, b, &b->task[i]);
        if (is_good)
            hand_out(c, b, i + 1);
    }
    if (!is_good)
        drop(c, b);
    return is_good;
}

bool whole_coders_finish(struct whole_coders *c, const void *values, hid_t dataset)
{
    uint32_t at = 0;
    while (c->batch[at].values != values)
        at++;
    struct batch *const b = &c->batch[at];
    bool is_good = true;
    H5E_BEGIN_TRY
    {
        for (size_t i = 0; i < b->count && is_good && !c->is_back; i++) {
            const struct task *const t = &b->task[i];
            is_good = wait_for(c, t) &&
                      H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, t->from, t->n, t->coded) >= 0;
        }
    }
    H5E_END_TRY
    for (size_t i = 0; i < b->count && c->has_copier && c->is_back; i++)
        if (wait_for(c, &b->task[i]))
            copy_rows(c, b, &b->task[i], b->task[i].values, false);
    return drop(c, b) && is_good;
}

#else /* chunks can be had only as HDF5 codes them */

struct whole_coders *whole_coders_begin(hid_t dataset, hid_t native, const struct blocks *blocks,
                                        bool is_back, uint32_t threads)
{
    (void)dataset, (void)native, (void)blocks, (void)is_back, (void)threads;
    return NULL;
}

void whole_coders_end(struct whole_coders *c)
{
    (void)c;
}

void *whole_coders_values(struct whole_coders *c)
{
    (void)c;
    return NULL;
}

void whole_coders_map(struct whole_coders *c, const void *values)
{
    (void)c, (void)values;
}

void whole_coders_store(struct whole_coders *c, const struct whole_stored *stored, hid_t from)
{
    (void)c, (void)stored, (void)from;
}

bool whole_coders_start(struct whole_coders *c, const struct blocks *block, hid_t dataset)
{
    (void)c, (void)block, (void)dataset;
    return false;
}

bool whole_coders_finish(struct whole_coders *c, const void *values, hid_t dataset)
{
    (void)c, (void)values, (void)dataset;
    return false;
}

#endif
