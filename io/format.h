/* format.h: what the files of io/ share: what a file format is, where bytes come from and go to,
 * and what netCDF and HDF5 variables have in common. */
#ifndef ZTIO_FORMAT_H
#define ZTIO_FORMAT_H

#include "io.h"

#include <sys/stat.h>

/* ---- errors (spec.c) ----------------------------------------------------------------------- */

/* Fill error (which may be NULL) and return false. */
bool ztio_fail(struct ztio_error *error, int exit_status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Hand a sentence to what ztio_on_warning was given. */
void ztio_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The sentence for memory that is not there. */
bool ztio_fail_memory(struct ztio_error *error, const char *label);

/* atomic.c: write bytes at a place of a file; false, with errno, where that fails. */
bool ztio_write_at(int fd, const void *data, size_t n, uint64_t offset);

/* ---- places and shapes (spec.c) ------------------------------------------------------------ */

struct ztio_place {
    char *path;     /* "-" is standard input or output */
    char *variable; /* "" where none is named */
    char *label;    /* what sentences call it: the place as it was given */
};

/* Take a place apart. For input the file must be found to know which ':' ends its name; for
 * output ':' counts after a netCDF or HDF5 suffix. False where there is no memory. */
bool ztio_place_of_input(const char *text, struct ztio_place *place, struct ztio_error *error);
bool ztio_place_of_output(const char *text, struct ztio_place *place, struct ztio_error *error);
void ztio_place_free(struct ztio_place *place);

/* The format that a name's suffix promises; ZTIO_AUTO where it promises none. */
enum ztio_format ztio_format_of_suffix(const char *path);

/* What the last component of NAME_512x512x128.f32 says; what it does not say is left alone. */
void ztio_meta_of_name(const char *path, struct ztio_meta *meta);

/* The extents are at least 1 and the bytes of all fit in 63 bits (of a slice, where shape[0] is
 * unknown); *slice_bytes is what one slice along the slowest axis takes. */
bool ztio_check_shape(const struct ztio_meta *meta, const char *label, uint64_t *slice_bytes,
                      struct ztio_error *error);

/* Type and shape, where the hints give them, must be what the file says. */
bool ztio_check_hints(const struct ztio_meta *meta, const struct ztio_meta *hints,
                      const char *label, struct ztio_error *error);

/* Copy text to a field of field_bytes, cut between two characters of UTF-8 where it is too long. */
void ztio_copy_text(char *field, size_t field_bytes, const char *text);

/* ---- bytes in (source.c) ------------------------------------------------------------------- */

enum { ZTIO_HEAD_BYTES = 8 };

/* Where bytes come from. What is not a regular file can only be read on. */
struct ztio_source {
    int fd;
    bool is_regular;
    uint64_t base;  /* regular: the offset in the file at which the source begins */
    uint64_t bytes; /* of all; ZT_UNKNOWN where it is not regular */
    uint64_t at;    /* bytes that ztio_source_next has handed out */
    unsigned char head[ZTIO_HEAD_BYTES]; /* the first bytes, for a look at what it is */
    size_t head_bytes;
};

bool ztio_source_open(const char *path, const char *label, struct ztio_source *source,
                      struct ztio_error *error);
void ztio_source_close(struct ztio_source *source);

/* All n bytes at an offset of a regular source. */
bool ztio_source_at(struct ztio_source *source, uint64_t offset, void *buffer, size_t n,
                    const char *label, struct ztio_error *error);

/* The next n bytes; *got is less only at the end. */
bool ztio_source_next(struct ztio_source *source, void *buffer, size_t n, size_t *got,
                      const char *label, struct ztio_error *error);

/* Turn what is left of a pipe into a regular source, a temporary file without a name. */
bool ztio_source_spool(struct ztio_source *source, const char *label, struct ztio_error *error);

/* ---- bytes out (atomic.c); see also io.h --------------------------------------------------- */

const char *ztio_bytes_label(const struct ztio_bytes *bytes);

/* For a library that writes by name: stop writing here and return the temporary name. Commit and
 * abandon work as before, once the library has closed the file. */
const char *ztio_bytes_hand_over(struct ztio_bytes *bytes);

/* ---- formats (input.c, output.c) ----------------------------------------------------------- */

struct ztio_reader {
    bool (*read)(struct ztio_input *input, uint64_t first, uint64_t extent, void *buffer,
                 uint64_t *got, struct ztio_error *error);
    void (*close)(struct ztio_input *input); /* frees it */
    bool has_body; /* the input is a ztio_body, whose slices lie in the file as they are */
};

/* Each format has this at the start of a struct of its own. */
struct ztio_input {
    const struct ztio_reader *reader;
    struct ztio_meta meta;
    char *label;          /* owned */
    uint64_t slice_bytes; /* of values, as they are handed out */
    bool is_seekable;
    uint64_t next; /* the slice after the last one read */
};

struct ztio_writer {
    bool (*write)(struct ztio_output *output, uint64_t extent, const void *buffer,
                  struct ztio_error *error);
    /* The last words of a format, after all slices: true if the file is whole. Called once. */
    bool (*finish)(struct ztio_output *output, struct ztio_error *error);
    /* Let go of what the format holds; after finish, or instead of it. Frees output. */
    void (*drop)(struct ztio_output *output);
};

struct ztio_output {
    const struct ztio_writer *writer;
    struct ztio_meta meta;
    struct ztio_bytes *bytes;
    uint64_t slice_bytes;
    uint64_t written; /* slices */
};

/* Openers of formats. They may keep what the place or the source holds by taking it over (and
 * leaving NULL, or fd = -1, behind); the caller frees the rest. */
struct ztio_input *ztio_open_raw(struct ztio_place *place, struct ztio_source *source,
                                 const struct ztio_meta *hints, struct ztio_error *error);
struct ztio_input *ztio_open_npy(struct ztio_place *place, struct ztio_source *source,
                                 const struct ztio_meta *hints, struct ztio_error *error);
struct ztio_input *ztio_open_netcdf(struct ztio_place *place, const struct ztio_meta *hints,
                                    struct ztio_error *error);
struct ztio_input *ztio_open_hdf5(struct ztio_place *place, const struct ztio_meta *hints,
                                  struct ztio_error *error);

/* Values of a regular file from a byte on, in the machine's byte order, as an array of one axis. */
struct ztio_input *ztio_open_values(const char *path, uint32_t type, uint64_t start, uint64_t count,
                                    struct ztio_error *error);

/* Start a format's file. On success the output owns bytes; otherwise the caller still does.
 * variable is "" where none was named. */
struct ztio_output *ztio_start_raw(struct ztio_bytes *bytes, const struct ztio_meta *meta,
                                   struct ztio_error *error);
struct ztio_output *ztio_start_npy(struct ztio_bytes *bytes, const struct ztio_meta *meta,
                                   struct ztio_error *error);
struct ztio_output *ztio_start_netcdf(struct ztio_bytes *bytes, const char *variable,
                                      const struct ztio_meta *meta, struct ztio_error *error);
struct ztio_output *ztio_start_hdf5(struct ztio_bytes *bytes, const char *variable,
                                    const struct ztio_meta *meta, struct ztio_error *error);

/* Reverse the bytes of each value. */
void ztio_swap(void *values, uint64_t count, size_t value_bytes);

bool ztio_is_big_endian(void);

/* ---- values one after another (raw.c) ------------------------------------------------------ */

/* An input whose values lie in C order from a byte of a source on: raw files, most .npy ones. */
struct ztio_body {
    struct ztio_input input;
    struct ztio_source source;
    uint64_t start;  /* byte of the first value */
    bool is_swapped; /* the file's byte order is not the machine's */
    char *map;       /* pages of the file, or NULL */
    size_t map_bytes;
    uint64_t map_at;  /* byte of the file where its slices begin */
    size_t map_skips; /* bytes before the first slice */
    struct ztio_ahead *ahead;
    bool was_mapped;
    struct stat mapped; /* the file, when it was mapped first */
    int held_fd;        /* if has_held: the temporary file that slices of a pipe are put into */
    bool has_held, is_not_held; /* neither: not tried yet */
};

/* Slices that 'bytes' of a pipe are, which was asked for 'extent' slices; false, with a sentence,
 * where the pipe ends too early or too late. */
bool ztio_body_count(struct ztio_body *body, uint64_t extent, uint64_t bytes, uint64_t *got,
                     struct ztio_error *error);

bool ztio_body_read(struct ztio_input *input, uint64_t first, uint64_t extent, void *buffer,
                    uint64_t *got, struct ztio_error *error);
void ztio_body_close(struct ztio_input *input);

/* map.c: map the first slices of the temporary file; end the mapping of slices. */
const void *ztio_body_map_held(struct ztio_body *body, uint64_t slices);
void ztio_body_unmap(struct ztio_body *body);

/* ahead.c: for a map that is read from its beginning on, in one pass or more: enter its pages
 * before the reader comes, and give their memory back behind it. bytes: the map's length. NULL,
 * which only ztio_ahead_end takes: no memory. */
struct ztio_ahead *ztio_ahead_begin(char *map, size_t bytes);

/* At the beginning of a pass: others will follow, so keep what helps them, and this much more. */
void ztio_ahead_keep(struct ztio_ahead *ahead, size_t more_bytes);

/* A pass has gone past the bytes before this one; past the last one, it is over. */
void ztio_ahead_at(struct ztio_ahead *ahead, size_t bytes);

/* Samples were taken from anywhere, and will be; no pass is going on. */
void ztio_ahead_sampled(struct ztio_ahead *ahead);

/* Bytes from first to last were read, not in a pass. Any thread may say so. */
void ztio_ahead_read(struct ztio_ahead *ahead, size_t first, size_t last);
void ztio_ahead_end(struct ztio_ahead *ahead); /* before the map is */

/* What .npy and raw files have in common when they are written. */
bool ztio_plain_write(struct ztio_output *output, uint64_t extent, const void *buffer,
                      struct ztio_error *error);
void ztio_plain_drop(struct ztio_output *output);

/* The bytes after start must be what the shape takes; nothing is said of a pipe. */
bool ztio_body_check_size(const struct ztio_body *body, const char *label,
                          struct ztio_error *error);

/* ---- variables of netCDF and HDF5 (variables.c) -------------------------------------------- */

/* The variables of a file that can be read, coordinate variables left out. */
struct ztio_candidate {
    char *name; /* as in a place */
    bool is_float;
};
struct ztio_candidates {
    struct ztio_candidate *list;
    size_t count;
    size_t room;
};

bool ztio_candidates_add(struct ztio_candidates *all, const char *name, bool is_float);
void ztio_candidates_free(struct ztio_candidates *all);

/* The one that is meant where none is named: the only float variable, or, in a file without,
 * the only one. NULL, with a sentence that lists some, where there are more or none. */
const char *ztio_candidates_pick(const struct ztio_candidates *all, const char *path,
                                 struct ztio_error *error);

/* The sentence for a variable that is not there. */
bool ztio_candidates_refuse(const struct ztio_candidates *all, const char *path,
                            const char *variable, struct ztio_error *error);

/* The places of all float variables. */
bool ztio_candidates_places(const struct ztio_candidates *all, const char *path, char ***places,
                            size_t *count, struct ztio_error *error);

bool ztio_places_of_netcdf(const char *path, struct ztio_candidates *all, struct ztio_error *error);
bool ztio_places_of_hdf5(const char *path, struct ztio_candidates *all, struct ztio_error *error);

/* A netCDF file in a classic format must be as long as its header says; others pass. */
bool ztio_check_classic(const char *path, struct ztio_error *error);

/* A file that can be written again as a whole: HDF5's, or netCDF-4's; a classic netCDF file and
 * others are refused with what to do. */
bool ztio_check_whole(const char *path, struct ztio_error *error);

/* ztio_check_filters (whole.h) for a variable of a netCDF-4 file; group is "/" or "/a/b". */
bool ztio_check_filters_at(const char *path, const char *group, const char *variable,
                           const char *label, struct ztio_error *error);

/* Settings of the HDF5 library for the whole process; before each file is opened or made. */
void ztio_prepare_hdf5(void);

/* Fill rank and shape of meta from a variable's; axes[i] is the variable's axis behind axis i.
 * Where a variable has more than 4 axes, those of length 1 are dropped, the slowest first, until
 * 4 are left. Rank 0, and more than 4 that are longer than 1, are refused. */
bool ztio_take_shape(uint32_t file_rank, const uint64_t *file_shape, const char *label,
                     struct ztio_meta *meta, uint32_t *axes, struct ztio_error *error);

/* The cache that lets slabs thinner than a chunk be read without decoding it again for each: one
 * layer of chunks. False where the libraries' own will do (their chunks are small) or none would
 * (a layer exceeds ZTIO_CACHE_MAX_BYTES). */
enum { ZTIO_CACHE_MAX_BYTES = 128 << 20 };
bool ztio_chunk_cache(uint32_t file_rank, const uint64_t *file_shape, const uint64_t *chunk,
                      uint32_t slow_axis, size_t value_bytes, size_t *cache_bytes,
                      size_t *cache_slots);

/* Packed values: integers that stand for stored * scale + offset (CF conventions, section 8.1). */
struct ztio_packing {
    bool is_packed;
    bool is_signed;        /* of the stored integers */
    uint32_t stored_bytes; /* 1, 2, 4 or 8 */
    double scale;
    double offset;
    uint32_t missing_count; /* stored values that mean there is none: they become NaN */
    double missing[ZTIO_MISSING_VALUES];
};

/* The type that packed values unpack to: f32 where the attributes are of type float and the
 * integers have at most 16 bits, which a float holds exactly; otherwise f64, as CF advises. */
uint32_t ztio_unpacked_type(const struct ztio_packing *packing, bool has_float_attributes);

/* Where in a buffer for n unpacked values the stored ones must be put, and the unpacking. */
void *ztio_packed_part(const struct ztio_packing *packing, uint32_t type, void *buffer, uint64_t n);
void ztio_unpack(const struct ztio_packing *packing, uint32_t type, void *buffer, uint64_t n);

/* The fill value in the array's type; false where there is none or the type cannot hold it. */
union ztio_value {
    float f32;
    double f64;
    int32_t i32;
    int64_t i64;
};
bool ztio_fill_of(const struct ztio_meta *meta, union ztio_value *fill);

/* The chunks in which a variable of unknown length is stored: about 1 MiB, whole along the fast
 * axes. */
void ztio_chunk_shape(const struct ztio_meta *meta, uint64_t *chunk);

/* What a variable is called: as the place says, or as it was where it came from, or "data". */
const char *ztio_name_of_variable(const struct ztio_meta *meta, const char *variable);

/* ---- what is loaded when a file needs it (modules.c) ---------------------------------------- */

/* The functions of a format above. */
struct ztio_format_functions {
    struct ztio_input *(*open)(struct ztio_place *place, const struct ztio_meta *hints,
                               struct ztio_error *error);
    bool (*places)(const char *path, struct ztio_candidates *all, struct ztio_error *error);
    struct ztio_output *(*start)(struct ztio_bytes *bytes, const char *variable,
                                 const struct ztio_meta *meta, struct ztio_error *error);
};

/* The table of ztile-hdf5.so: HDF5, functions of io.h, and above what netCDF needs of it.
 * ztile-netcdf.so has only its ztio_format_functions. */
struct ztio_formats {
    struct ztio_format_functions hdf5;
    void (*prepare)(void);
    bool (*check_filters_at)(const char *path, const char *group, const char *variable,
                             const char *label, struct ztio_error *error);
    bool (*rewrite)(const char *path, const char *out, const struct ztio_creation *creation,
                    const struct ztio_rewrite *how, struct ztio_error *error);
    bool (*each_filtered)(const char *place,
                          bool (*one)(void *user, const struct ztio_filtered *dataset), void *user,
                          uint64_t *others, struct ztio_error *error);
    bool (*scan)(const char *path, const struct ztio_variable *variable,
                 bool (*part)(void *user, const void *values, uint64_t count), void *user,
                 struct ztio_error *error);
};

/* What ztio_add_filter was given. */
struct ztio_added_filter {
    const void *class; /* NULL: none */
    ztio_stored *stored;
    ztio_filter_run *run;
};
enum { ZTIO_FILTERS = 4 };
const struct ztio_added_filter *ztio_added_filters(void);

#endif
