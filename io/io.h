/* io.h: arrays in files: raw, .npy, netCDF and HDF5, read and written slab by slab. Part of the
 * command, not of the library.
 *
 * A place is a path, "-" for standard input or output, "file.nc:variable" or "file.h5:/group/data".
 * A ':' in the name of a file that exists is part of the name. Values cross this interface in the
 * machine's byte order, C order, contiguous. */
#ifndef ZTIO_H
#define ZTIO_H

#include "ztile.h"

#include <stdbool.h>

/* Exit statuses of the command, see its manual page. */
enum { ZTIO_BAD_USE = 1, ZTIO_BAD_DATA = 2, ZTIO_IO_ERROR = 3, ZTIO_LACKING = 5 };

/* One sentence that names the file and the fix, and the exit status it stands for. Functions that
 * can fail return false (or NULL) and fill it. */
struct ztio_error {
    int exit_status;
    char sentence[768];
};

/* What is told of values that can be read and may not be what they seem; no one, unless this is
 * called. The sentence begins with "warning: ". */
void ztio_on_warning(void (*warn)(struct ztio_error *warning));

enum ztio_format { ZTIO_AUTO, ZTIO_RAW, ZTIO_NPY, ZTIO_NETCDF, ZTIO_HDF5 };

/* What an array in a file is. */
struct ztio_meta {
    enum ztio_format format;
    uint32_t type;               /* zt_type, after unpacking; 0 where not known (hints) */
    uint32_t rank;               /* 0 where not known (hints) */
    uint64_t shape[ZT_MAX_RANK]; /* slowest first; shape[0] ZT_UNKNOWN on a pipe that did not say */
    char name[128];              /* of the variable, "" where there is none */
    char units[64];
    bool has_fill; /* a _FillValue or missing_value attribute */
    double fill;
};

/* How a file is made; NULL stands for all zero. */
struct ztio_creation {
    bool overwrite;   /* an existing file, whose mode and owner stay */
    bool sync;        /* file and folder are on the disk once it is committed */
    const char *like; /* the place whose mode a new file gets; NULL: what the umask leaves */
};

struct ztio_input;
struct ztio_output;

/* Open an array for reading. The format is the hints', or what the suffix says (.npy; .nc .nc4
 * .cdf; .h5 .hdf5 .he5; .f32 .f64 .i32 .i64 for raw), or what the first bytes do, or raw.
 *
 * hints (may be NULL) gives type and shape of raw data; for a raw file they may come from its name
 * (NAME_512x512x128.f32) and one missing extent (shape[0] = ZT_UNKNOWN) from its size. A raw file
 * whose size does not fit its shape is refused with both numbers. Of the other formats, type and
 * shape are in the file, and hints that disagree are refused.
 *
 * Where a netCDF or HDF5 file has several variables and the place names none, the only one that
 * has a float type is taken (in a file without: the only one), coordinate variables left out.
 * Packed integers (scale_factor, add_offset) are unpacked, missing ones become NaN, and has_fill
 * is then unset. Axes of length 1 are dropped where there are more than four axes. */
struct ztio_input *ztio_open(const char *place, const struct ztio_meta *hints,
                             struct ztio_error *error);

const struct ztio_meta *ztio_meta_of(const struct ztio_input *input);

/* True if slabs can be read in any order and more than once (not so on a pipe). */
bool ztio_is_seekable(const struct ztio_input *input);

/* Read the slices [first, first + extent) along the slowest axis into buffer. On a pipe first
 * must be where the last read ended, and *got may be less than extent at the end of the data,
 * which is ZTIO_BAD_DATA if it cuts a slice or if the extent was known; otherwise *got == extent.
 * A pipe of known extent that goes on after its last slice is ZTIO_BAD_DATA as well. */
bool ztio_read(struct ztio_input *input, uint64_t first, uint64_t extent, void *buffer,
               uint64_t *got, struct ztio_error *error);

/* The slices [first, first + extent) as they lie in the file, until the next call or ztio_close.
 * NULL where they have to be read: of pipes, and where the values are in another order or format.
 * Where a slice cannot be read, or the file is cut meanwhile, there is a SIGBUS; one input at a
 * time. */
const void *ztio_map(struct ztio_input *input, uint64_t first, uint64_t extent);

/* The next slices of a pipe, up to 'extent', as pages of a temporary file; *got as ztio_read sets
 * it. *values is NULL where they have to be read: they are few, or there is no place for a file. */
bool ztio_hold(struct ztio_input *input, uint64_t extent, const void **values, uint64_t *got,
               struct ztio_error *error);

/* After the last use of slices: whether the file is still as it was when they were mapped first.
 * Else what several passes have read may be different values. */
bool ztio_map_is_good(struct ztio_input *input, struct ztio_error *error);

/* Before the first pass over these slices: there will be others. Some of the memory then stays for
 * them: 24 MiB and more_bytes. */
void ztio_map_again(struct ztio_input *input, uint64_t more_bytes);

/* Samples were taken anywhere of these slices: their memory is given back if it is much. */
void ztio_map_sampled(struct ztio_input *input);

/* A pass over these slices has gone past the first ones: their memory is given back. They may be
 * read again. */
void ztio_map_passed(struct ztio_input *input, uint64_t slices);

/* n bytes from 'from' on, which may be among these slices, were read out of order, once: their
 * memory is given back. Several threads may call it at once. */
void ztio_map_read(const struct ztio_input *input, const void *from, size_t n);

/* The input whose slices an address is among, as messages call it, or NULL. Safe in a signal
 * handler. */
const char *ztio_map_at(const void *address);

/* NULL is allowed. */
void ztio_close(struct ztio_input *input);

/* The places ("file.nc:variable") of all variables of a netCDF or HDF5 file that have a float
 * type (or are packed and unpack to one) and rank 1..4. Coordinate variables (of one axis and its
 * name; in HDF5, dimension scales) are left out. For other formats, and where a variable is named,
 * the place itself. A file without any is refused. Free with ztio_places_free. */
bool ztio_places(const char *path, char ***places, size_t *count, struct ztio_error *error);
void ztio_places_free(char **places, size_t count);

/* Create a file for an array. The format is meta->format, or where that is ZTIO_AUTO from the
 * suffix of place (.npy .nc .h5, otherwise raw); a variable is called as the place says, or
 * meta->name, or "data".
 *
 * The file is written under a name of its own beside the final one and takes that name when
 * ztio_commit finds it whole; until then only its owner may read it. An existing file is refused
 * unless overwrite is set. Standard output ("-"), /dev/null and other files that are not regular
 * are written directly, which netCDF and HDF5, and .npy of unknown length, cannot be. shape[0] may
 * be ZT_UNKNOWN: it is then what was written. */
struct ztio_output *ztio_create(const char *place, const struct ztio_meta *meta,
                                const struct ztio_creation *how, struct ztio_error *error);

/* Append slices along the slowest axis. */
bool ztio_write(struct ztio_output *output, uint64_t extent, const void *buffer,
                struct ztio_error *error);

/* Finish and give the file its name; frees output whatever happens. */
bool ztio_commit(struct ztio_output *output, struct ztio_error *error);

/* Remove what was written and free output; NULL is allowed. Also called for every open output by
 * ztio_abandon_all, which is safe in a signal handler (it only unlinks). */
void ztio_abandon(struct ztio_output *output);
void ztio_abandon_all(void);

/* The same for plain bytes: a .zt file, a bare stream, a picture. */
struct ztio_bytes;
struct ztio_bytes *ztio_bytes_create(const char *path, const struct ztio_creation *how,
                                     struct ztio_error *error);
bool ztio_bytes_write(struct ztio_bytes *bytes, const void *data, size_t n,
                      struct ztio_error *error);

/* True for a file of its own, whose bytes can be written in any order; false for pipes and
 * devices. */
bool ztio_bytes_is_file(const struct ztio_bytes *bytes);

/* Files only: write or read n bytes at an offset; shorten the file. */
bool ztio_bytes_patch(struct ztio_bytes *bytes, uint64_t offset, const void *data, size_t n,
                      struct ztio_error *error);
bool ztio_bytes_read(struct ztio_bytes *bytes, uint64_t offset, void *buffer, size_t n,
                     struct ztio_error *error);
bool ztio_bytes_cut(struct ztio_bytes *bytes, uint64_t file_bytes, struct ztio_error *error);

bool ztio_bytes_commit(struct ztio_bytes *bytes, struct ztio_error *error);
void ztio_bytes_abandon(struct ztio_bytes *bytes);

/* ---- whole files: HDF5, and netCDF-4, which is HDF5 --------------------------------------------
 *
 * Write a file again with some of its float datasets through a filter, or without one; all else
 * stays as it is: other datasets with their filters, attributes, groups, links, named types,
 * dimensions, unlimited ones too, references. */

enum { ZTIO_MAX_AXES = 32, ZTIO_MISSING_VALUES = 16 }; /* of a dataset */

/* A dataset of f32 or f64 values that has axes. */
struct ztio_variable {
    const char *path; /* "/group/name" */
    uint32_t type;
    uint32_t rank;
    uint64_t shape[ZTIO_MAX_AXES]; /* slowest first */
    uint64_t raw_bytes;
    uint64_t stored_bytes;
    bool is_coordinate;     /* or named by attributes of the CF conventions: bounds and so on */
    bool has_our_filter;    /* 48613 or 32013 */
    size_t missing_count;   /* values that mean there is none */
    bool has_other_missing; /* they, or the fill value, are not all the same */
    double missing[ZTIO_MISSING_VALUES];
};

enum ztio_what { ZTIO_KEEP, ZTIO_FILTER, ZTIO_PLAIN };

/* What becomes of one. */
struct ztio_choice {
    enum ztio_what what;
    int filter;
    size_t words;
    unsigned word[9];
    bool may_have_ways; /* of sz, for all chunks: see ways_of */
    bool is_asked;      /* written so also where that takes more bytes */
    bool is_checked;    /* read again once it is written: see checked below */
};

struct ztio_rewrite {
    void *user;
    uint32_t threads; /* that code chunks; the calling one, which calls HDF5, is one more while
                         there are processors for it */
    /* Called for every such dataset before any work. */
    bool (*choose)(void *user, const struct ztio_variable *variable, struct ztio_choice *choice,
                   struct ztio_error *error);
    /* Then, with the raw bytes of what is to be written anew; false ends it. */
    bool (*begin)(void *user, uint64_t total_bytes, struct ztio_error *error);
    void (*advance)(void *user, uint64_t raw_bytes);
    /* Values as they were and as they are read back. */
    void (*checked)(void *user, const struct ztio_variable *variable,
                    const struct ztio_choice *choice, const void *before, const void *after,
                    uint64_t count);
    /* The ways in which sz coded a chunk, 0 for none; and to have all chunks coded so. */
    unsigned (*ways_of)(const void *chunk, size_t chunk_bytes);
    void (*set_ways)(struct ztio_choice *choice, unsigned ways);
    /* One is done. */
    void (*done)(void *user, const struct ztio_variable *variable, uint64_t stored_bytes);
    /* One stays as it was: it would take as many bytes or more. */
    void (*kept)(void *user, const struct ztio_variable *variable);
    /* The file as a whole would, so that it is a copy of the other, byte for byte. */
    void (*copied)(void *user);
};

/* out is created as ztio_create does it. */
bool ztio_rewrite_hdf5(const char *path, const char *out, const struct ztio_creation *creation,
                       const struct ztio_rewrite *how, struct ztio_error *error);

/* All values of a variable of the file, in parts. */
bool ztio_scan_hdf5(const char *path, const struct ztio_variable *variable,
                    bool (*part)(void *user, const void *values, uint64_t count), void *user,
                    struct ztio_error *error);

/* A dataset behind one of ztile's filters. */
enum { ZTIO_FILTER_WORDS = 64 };
struct ztio_filtered {
    struct ztio_variable variable; /* type of unsigned integers: of signed ones */
    char type_name[16];
    uint64_t chunk[ZTIO_MAX_AXES];
    int filter;
    size_t words;
    unsigned word[ZTIO_FILTER_WORDS]; /* its cd_values */
};

/* Call one for each of an HDF5 or netCDF-4 file, until it is false, or for "file.nc:variable" for
 * that one alone. *others: how many datasets that the place means are behind none. */
bool ztio_each_filtered(const char *place,
                        bool (*one)(void *user, const struct ztio_filtered *dataset), void *user,
                        uint64_t *others, struct ztio_error *error);

/* True for a file that begins like HDF5. */
bool ztio_is_hdf5(const char *path);

/* Let HDF5 find a filter without HDF5_PLUGIN_PATH: filter is its H5Z_class2_t, stored reads the
 * cd_values of a dataset: the bytes that its chunks are said to have, and whether the filter keeps
 * all of them; false where they say nothing. run does what the filter does, from memory to memory
 * and without a call of HDF5. Any thread may call it; 'threads' is how many it may use. It returns
 * how many bytes it wrote, 0 where the filter would fail or the room is too small. */
typedef bool ztio_stored(size_t count, const unsigned *cd_values, uint64_t *chunk_bytes,
                         bool *is_lossless);
typedef size_t ztio_filter_run(unsigned flags, size_t count, const unsigned *cd_values,
                               uint32_t threads, void *in, size_t in_bytes, void *out, size_t room);
void ztio_add_filter(const void *filter, ztio_stored *stored, ztio_filter_run *run);

/* The table of a module, a part of the command that is loaded when it is needed; it is beside the
 * program or in lib/ztile. name: of the table. NULL where it is not: purpose, for the sentence, is
 * what needs it, label what it is needed for. */
const void *ztio_load_module(const char *file, const char *name, const char *purpose,
                             const char *label, struct ztio_error *error);

/* What to do about an errno, to end a sentence with: "; free some space". */
const char *ztio_remedy(int why);

/* "f32" and so on; 0 where the name is none of them. */
uint32_t ztio_type_of_name(const char *name);
const char *ztio_name_of_type(uint32_t type);

/* "512x512x128", also "?x512x512"; false if it is no shape. */
bool ztio_parse_shape(const char *text, uint32_t *rank, uint64_t *shape);

/* "512x512x128" into text (at least 96 bytes); an unknown extent is "?". Returns text. */
char *ztio_format_shape(uint32_t rank, const uint64_t *shape, char *text);

#endif
