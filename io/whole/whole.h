/* whole.h: what the files share that rewrite a whole HDF5 file: whole/walk.c walks it,
 * whole/values.c copies datasets, whole/attributes.c copies attributes and references. */
#ifndef ZTI_WHOLE_WHOLE_H
#define ZTI_WHOLE_WHOLE_H

#include "format.h"

#include <hdf5.h>

/* ---- hdf5.c ---- */

/* The innermost cause of HDF5's last failure, into text of ZTIO_CAUSE_BYTES. Returns text. */
enum { ZTIO_CAUSE_BYTES = 320 };
const char *ztio_cause_hdf5(char *text);

/* H5Fcreate in the place of a file that is there and is empty. When a file is closed that was
 * opened to be truncated, ext4 starts to write it to the disk, since it may have replaced another.
 * Ours is renamed once it is whole; so it is closed once while there is little in it. */
hid_t ztio_create_hdf5(const char *path, hid_t properties, hid_t access);

/* ztile's type of numbers in a file in either byte order, and what they are in memory (not to be
 * closed); 0 for others. */
uint32_t ztio_type_of_hdf5(hid_t type, hid_t *native);

/* "f32", "u16", "compound"; for a type that has no such name what it is called. */
void ztio_name_type_hdf5(hid_t type, char *name, size_t name_bytes);

/* whole/values.c: 48613 and 32013. */
bool ztio_is_our_filter(H5Z_filter_t filter);

/* hdf5_filters.c: see ztio_add_filter in io.h; and what was given for a filter, NULL for others'.
 */
void ztio_register_filters(void);
ztio_filter_run *ztio_run_of_filter(H5Z_filter_t filter);

/* A filter of ours in the pipeline of a dataset that is to be read must be told of chunks as the
 * dataset has them; a warning where another one stands before it and its bound is void. */
bool ztio_check_filters(hid_t file, const char *path, const char *label, struct ztio_error *error);

/* Dimension scales are HDF5's coordinate variables. */
bool ztio_is_scale_hdf5(hid_t dataset);

/* Values that mean there is none, by attributes or by the creator's fill value; at most
 * ZTIO_MISSING_VALUES. Returns how many. */
size_t ztio_missing_hdf5(hid_t dataset, double *missing);

/* ---- whole.c and its parts ---- */

/* An object of the file that is read. */
struct object {
    unsigned long file_number; /* with the address what tells it from others */
    haddr_t address;
    H5O_type_t type;
    char *path;                /* where it is, and is made: where links first lead to it */
    bool is_named;             /* path is that; before, some path */
    bool is_made;              /* in the file that is written */
    bool is_by_value;          /* a dataset whose values are read and written, and last */
    struct ztio_choice choice; /* of a dataset */
    struct ztio_variable variable;
};

struct whole {
    hid_t in;
    hid_t out;
    const char *place;  /* for sentences: what is read */
    const char *label;  /* likewise: what is written */
    uint64_t rewritten; /* datasets */
    bool is_asked;      /* one of them was */
    const struct ztio_rewrite *how;
    struct object *objects; /* sorted by address once all are known */
    size_t count;
    size_t room;
    unsigned depth;
    bool is_naming; /* the walk only finds paths */
    struct ztio_error *error;
};

/* Sentences with what HDF5 says of the call that failed last; false. */
bool whole_fail_read(const struct whole *whole, const char *path);
bool whole_fail_write(const struct whole *whole, const char *path);

/* whole.c: how a file is created that has nothing newer than the one that is read. To be closed. */
hid_t whole_access(const struct whole *whole);

/* whole.c: the object of an address, NULL where there is none. */
struct object *whole_find(const struct whole *whole, const H5O_info_t *info);

/* Make an object that others need before its turn, with the groups on the way to it. */
bool whole_ensure(struct whole *whole, struct object *object);

/* whole.c: the type in the file that is written for one of the file that is read: the same, or
 * where that one is named there, the one of that name here. To be closed; negative on failure. */
hid_t whole_type(struct whole *whole, hid_t type);

/* whole/cf.c: note of every dataset whether it is a coordinate, or belongs to one. */
bool whole_mark_coordinates(struct whole *whole);

/* whole/values.c: what a dataset is, and whether a filter of ours could take it. */
bool whole_describe(struct whole *whole, struct object *object, bool *is_candidate);
bool whole_make_dataset(struct whole *whole, struct object *object);

/* whole/blocks.c: open with a cache of some bytes, unless the dataset is open already: its cache is
 * then that one's. Of an unfiltered chunk that the cache has no room for HDF5 reads each row by
 * itself. Where a chunk is written whole, no cache is best: the filter then runs, and fails, in the
 * call that writes. */
hid_t whole_open_dataset(hid_t file, const char *path, size_t cache_bytes);
hid_t whole_cache(size_t bytes); /* properties of access, to be closed */

/* The bytes of a chunk, and axes along which it has more than one value. */
uint64_t whole_chunk_bytes(const struct ztio_variable *variable, const hsize_t *chunk);
uint32_t whole_long_axes(const struct ztio_variable *variable, const hsize_t *chunk);

/* Chunks for an array that has none: the whole array, its longest axis halved until a chunk has
 * 1 MiB: near a cube, in which values have most neighbours, of whole zfp tiles. */
void whole_choose_chunks(const struct ztio_variable *variable, hsize_t *chunk);

/* The extents of the chunks of a dataset; chosen ones where it has none. */
void whole_chunks_of(hid_t dataset, const struct ztio_variable *variable, hsize_t *chunk);

/* A walk over an array in blocks of whole chunks. */
struct blocks {
    uint32_t rank;
    hsize_t shape[ZTIO_MAX_AXES];
    hsize_t block[ZTIO_MAX_AXES]; /* the extents of most of them */
    hsize_t from[ZTIO_MAX_AXES];
    hsize_t count[ZTIO_MAX_AXES]; /* of the one at hand */
    uint64_t values;
};

/* Begin with blocks of at most most_bytes, or of one chunk. Then take the block at b->from, and
 * move b->from to the next one; false: there is none. */
void whole_begin_blocks(struct blocks *b, const struct ztio_variable *variable,
                        const hsize_t *chunk, uint64_t most_bytes);
void whole_take_block(struct blocks *b);
bool whole_next_block(struct blocks *b);
uint64_t whole_block_bytes(const struct blocks *b, const struct ztio_variable *variable);

/* Read or write the values of a block. */
bool whole_transfer(hid_t dataset, const struct blocks *block, hid_t native, void *values,
                    bool is_write);

/* whole/plain.c: whether the bytes of an address are those of the file at that offset. */
bool whole_is_one_file(hid_t file);

/* whole/plain.c: whether values are in the file as they are in memory. */
bool whole_is_native(hid_t dataset, hid_t native);

/* Map the values of a dataset of this file; to be closed. NULL where they are not one after another
 * as they are in memory. */
struct ztio_input *whole_map(hid_t file, const char *path, hid_t dataset, hid_t native,
                             const struct ztio_variable *variable, const void **values);

/* whole/stored.c: the chunks of a dataset that has no filters, in this file, which stays open as
 * long. NULL where HDF5 has to read them. */
struct whole_stored;
struct whole_stored *whole_stored_open(hid_t file, hid_t dataset, hid_t native,
                                       const struct ztio_variable *variable);
void whole_stored_close(struct whole_stored *stored); /* NULL: nothing */

/* Their extents and number, cut ones included; and where one of them begins. These two return
 * false where HDF5 has to read that chunk: the array ends within it, or it is not in the file. */
const hsize_t *whole_stored_chunk(const struct whole_stored *stored);
uint64_t whole_stored_count(const struct whole_stored *stored);
bool whole_stored_at(const struct whole_stored *stored, uint64_t number, hsize_t *from);
bool whole_stored_has(const struct whole_stored *stored, const hsize_t *from);

/* Read some bytes of such a chunk. By any thread, since HDF5 is not called. */
bool whole_stored_read(const struct whole_stored *stored, const hsize_t *from, size_t skips,
                       void *values, size_t bytes);

/* whole/ways.c: where the choice leaves them open, choose the ways of sz for all chunks of a
 * dataset that gets these properties. */
void whole_choose_ways(struct whole *whole, struct object *object, hid_t from, hid_t properties);

/* Blocks that are begun and not finished: one is read, one coded and one written. */
enum { WHOLE_BATCHES = 3 };

/* whole/chunks.c: threads for the filter of a dataset that is written, or read (is_back), in blocks
 * whose values are 'native' in memory. NULL where HDF5 has to code. */
struct whole_coders;
struct whole_coders *whole_coders_begin(hid_t dataset, hid_t native, const struct blocks *blocks,
                                        bool is_back, uint32_t threads);
void whole_coders_end(struct whole_coders *coders); /* NULL: nothing */

/* Memory for the values of the next block. There are WHOLE_BATCHES by turns: the block so
 * many before must be finished. */
void *whole_coders_values(struct whole_coders *coders);

/* Before the first block: where all values of the array are, which then need not be in the memory
 * of blocks to be coded. */
void whole_coders_map(struct whole_coders *coders, const void *values);

/* Likewise: where the chunks of the array are. Those that are not there are read from 'from'. */
void whole_coders_store(struct whole_coders *coders, const struct whole_stored *stored, hid_t from);

/* Begin to code the chunks of that block; is_back: from those of the dataset. False: HDF5 has to,
 * and nothing is to be finished. */
bool whole_coders_start(struct whole_coders *coders, const struct blocks *block, hid_t dataset);

/* Wait for the block with these values. Its chunks are written to the dataset; is_back: its values
 * are there. False: HDF5 has to do it again. */
bool whole_coders_finish(struct whole_coders *coders, const void *values, hid_t dataset);

/* whole/attributes.c */
bool whole_copy_attributes(struct whole *whole, const struct object *object);

/* True for a type whose values lie elsewhere in the file, or that is an object there itself: these
 * H5Ocopy does not carry over rightly (seen with 1.10.8: fill values of strings, named types). */
bool whole_is_by_value(hid_t type);
bool whole_copy_values(struct whole *whole, const struct object *object);

#endif
