/* cli.h: what the files of the ztile command share. The command stands on ztile.h and io.h alone.
 *
 * A function that can fail returns false and fills a ztio_error: one sentence that names the file
 * and the fix, and the exit status. main prints it; nothing else exits or prints errors. */
#ifndef CLI_H
#define CLI_H

#include "io.h"
#include "ztile.h"

#include <stdio.h>

#if defined(__GNUC__)
#define CLI_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define CLI_PRINTF(at, first)
#endif

/* Exit status of compare, beside those of io.h. */
enum { CLI_BOUND_BROKEN = 4 };

enum { CLI_TEXT_BYTES = 96 }; /* of a shape, a bound, a size in words */

/* ---- errors.c ----------------------------------------------------------------------------- */

/* Fill error and return false. */
bool fail(struct ztio_error *error, int exit_status, const char *format, ...) CLI_PRINTF(3, 4);

/* The same from what a library call returned: "place: sentence of the context". */
bool fail_zt(struct ztio_error *error, const zt_context *context, zt_status status,
             const char *place);

/* Memory, or false with the sentence for place; *memory is to be freed. bytes 0 is allowed. */
bool allocate(void **memory, uint64_t bytes, const char *place, struct ztio_error *error);

/* What a place is called in messages: standard input or output for "-". */
const char *input_name(const char *place);
const char *output_name(const char *place);

/* ---- print.c: names that may hold anything --------------------------------------------------- */

/* Copy what fits, control characters and bytes that are no UTF-8 as \x1b and so on. */
void escape_text(const char *from, char *to, size_t to_bytes);

/* fprintf of a line or a part of one, with what it prints escaped, all but the newlines that format
 * begins and ends with. */
void print(FILE *file, const char *format, ...) CLI_PRINTF(2, 3);

/* ---- numbers.c: text to numbers and back ---------------------------------------------------- */

/* The whole text must be the number; no NaN, no infinity, nor one that a double rounds to these or
 * to 0. */
bool parse_number(const char *text, double *value);
bool is_beyond_double(const char *text); /* it is a number, and is rounded to infinity or to 0 */
bool parse_count(const char *text, uint64_t *value);
bool parse_bytes(const char *text, uint64_t *bytes); /* 4096, 64K, 256M, 1G; also 256MiB */

/* "0:10,5:20,:" against a shape; 7 stands for 7:8. error names place. */
bool parse_box(const char *text, uint32_t rank, const uint64_t *shape, const char *place,
               zt_box *box, struct ztio_error *error);

/* A size in words, "4.00 MB", into text of CLI_TEXT_BYTES. Returns text. */
char *format_size(double bytes, char *text);

/* As few digits as give the same number back, into text of CLI_TEXT_BYTES. Returns text. */
char *format_exact(double value, char *text);

/* "abs 0.001", "rate 8", "lossless" into text of CLI_TEXT_BYTES. Returns text. */
char *format_bound(const zt_bound *bound, char *text);
const char *name_of_bound(uint32_t kind);
const char *name_of_codec(uint32_t codec);
const char *name_of_effort(uint32_t effort);
const char *name_of_index(uint32_t index);

/* Values of an array, of one slice along the slowest axis, and of a box; false where the number
 * does not fit. */
bool count_values(uint32_t rank, const uint64_t *shape, uint64_t *values);
bool count_bytes(uint32_t type, uint32_t rank, const uint64_t *shape, uint64_t *bytes);
bool count_slice_bytes(uint32_t type, uint32_t rank, const uint64_t *shape, uint64_t *bytes);

/* Bytes of the character that text begins with; 0 if it is no UTF-8. */
size_t utf8_bytes(const char *text);

/* Copy what fits; bytes that are no UTF-8 are taken for Latin-1. */
void copy_utf8(const char *from, char *to, size_t to_bytes);

bool has_suffix(const char *text, const char *suffix);
double now_seconds(void); /* of a clock that only goes forward */

/* ---- options.c ------------------------------------------------------------------------------ */

enum command {
    CMD_COMPRESS = 1u << 0,
    CMD_DECOMPRESS = 1u << 1,
    CMD_INFO = 1u << 2,
    CMD_COMPARE = 1u << 3,
    CMD_PLOT = 1u << 4,
    CMD_DEMO = 1u << 5,
    CMD_BENCH = 1u << 6,
    CMD_INDEX = 1u << 7,
    CMD_PLAN = 1u << 8
};

enum { MAX_VARS = 64, MAX_PEERS = 16 }; /* of --var, of --peers */

enum coded_format { FORMAT_AUTO, FORMAT_ZT, FORMAT_ZFP, FORMAT_NDZIP };

struct options {
    enum command command;
    const char *operand[2];
    int operands;
    char **operands_all; /* of bench, which takes any number */
    const char *out;     /* -o; NULL where not given */
    bool force;          /* -f */
    bool sync;
    bool quiet;   /* -q */
    bool verbose; /* -v */
    bool json;
    bool check;
    bool index_study;
    bool stages;
    bool help;
    bool explain;
    bool has_plan; /* --plan was given */
    bool dry_run;
    struct ztio_meta hints; /* type of -t, rank and shape of -s */
    zt_params params;       /* bound, range, slab bytes, zfp word bits */
    bool has_bound;
    enum coded_format format; /* of the .zt or .zfp side */
    bool zfp_header;          /* a bare zfp stream carries zfp's header */
    bool allow_nonfinite;
    uint32_t fills; /* values of --fill */
    double fill[ZT_MAX_FILLS];
    bool no_fill;       /* what looks like a fill value is none */
    const char *bounds; /* of bench: --bounds and --codecs; NULL: all */
    const char *codecs;
    int peer_files; /* of bench: --peers */
    const char *peer_file[MAX_PEERS];
    int vars; /* of a whole file: --var, in their order */
    const char *var[MAX_VARS];
    bool no_verify;
    bool has_slab_bytes;
    const char *box;
    bool salvage; /* write what is left of a damaged file */
    bool has_salvage_fill;
    double salvage_fill;    /* in place of what is lost */
    const char *index_file; /* of a bare zfp stream; NULL: IN.zti, if it is there */
    const char *slice;
    const char *save;     /* demo: where its field goes; NULL: nowhere */
    zt_policy policy;     /* -x; ZT_OMP by default */
    bool is_policy_given; /* and not only the default */
    zt_omp omp;
    zt_cuda cuda;
    zt_isa isa; /* --isa: the most that may be used */
};

/* Read the words after the subcommand's name: argv[0] is the subcommand. */
bool options_parse(struct options *options, enum command command, int argc, char **argv,
                   struct ztio_error *error);

/* ---- exec.c --------------------------------------------------------------------------------- */

/* The value of -x. */
bool parse_exec(struct options *options, const char *argument, struct ztio_error *error);

/* The same of --isa. */
bool parse_isa(struct options *options, const char *argument, struct ztio_error *error);

/* ---- fill.c --------------------------------------------------------------------------------- */

/* The value of --fill. */
bool take_fill(struct options *options, const char *argument, struct ztio_error *error);

/* Add a bit pattern to a list of ZT_MAX_FILLS at most, unless it is there. */
void add_fill(uint64_t bits, uint32_t *fills, uint64_t *fill);

/* The fill values of an array, as bit patterns: those of --fill and the file's own. meta may be
 * NULL. */
bool find_fills(const struct options *options, const char *place, uint32_t type,
                const struct ztio_meta *meta, uint32_t *fills, uint64_t *fill,
                struct ztio_error *error);

/* The most bytes that the command's arrays and the library's memory may each take: what
 * --memory-limit says, or four fifths of the machine's. */
void limit_memory(uint64_t bytes);
uint64_t memory_limit(void);

/* A context with that limit; and one that runs tiles where the options say. */
bool context_new(zt_context **context, struct ztio_error *error);
bool context_open(const struct options *options, zt_context **context, struct ztio_error *error);

/* The help of a subcommand, or of all (0), a screenful. */
const char *help_text(unsigned command);

/* ---- bytes.c: zt_source and zt_sink over files and pipes ------------------------------------ */

struct byte_source {
    zt_source source; /* source.user is this struct: it must not move once opened */
    const char *place;
    int fd;
    bool close_fd;
    uint64_t position;      /* of a pipe: offset of its next byte */
    unsigned char head[16]; /* the first bytes of the file */
    size_t head_bytes;
    struct ztio_error error; /* of a callback that failed */
};

/* Open "-" or a file. What can seek has its size; the rest is a pipe. */
bool byte_source_open(struct byte_source *bytes, const char *place, struct ztio_error *error);
void byte_source_close(struct byte_source *bytes);

/* Read all of it into *data, which is to be freed. */
bool byte_source_slurp(struct byte_source *bytes, unsigned char **data, size_t *data_bytes,
                       struct ztio_error *error);

/* What a library call on the source failed with: the callback's own sentence, if it has one. */
bool fail_source(struct ztio_error *error, const struct byte_source *bytes,
                 const zt_context *context, zt_status status);

/* An output as -f and --sync say, with the mode of the first input. */
struct ztio_creation creation_of(const struct options *options);

struct byte_sink {
    zt_sink sink;
    struct ztio_bytes *bytes;
    uint64_t written;
    struct ztio_error error;
};

/* Create a file or write to "-"; a terminal gets bytes only with force. */
bool byte_sink_open(struct byte_sink *sink, const char *path, const struct ztio_creation *how,
                    struct ztio_error *error);
bool byte_sink_commit(struct byte_sink *sink, struct ztio_error *error);
void byte_sink_abandon(struct byte_sink *sink); /* nothing after commit */

/* True, with the sentence, if path is standard output, that is a terminal, and force is not set. */
bool refuse_terminal(const char *path, bool force, struct ztio_error *error);

/* ---- stored.c: an array however it is kept -------------------------------------------------- */

enum stored_kind { STORED_PLAIN, STORED_ZT, STORED_ZFP, STORED_NDZIP };

struct stored {
    enum stored_kind kind;
    const char *place;
    zt_context *context;
    uint32_t type;
    uint32_t rank;
    uint64_t shape[ZT_MAX_RANK]; /* shape[0] may be ZT_UNKNOWN on a pipe */
    zt_info info;                /* STORED_ZT, and as much of it as a zfp header tells */
    zt_zfp zfp;                  /* STORED_ZFP */
    bool is_sequential;
    struct ztio_input *input; /* STORED_PLAIN */
    int filter;               /* STORED_PLAIN: of HDF5, which info is of; 0: none of ztile's */
    struct byte_source bytes;
    zt_reader *reader;
    unsigned char *stream; /* STORED_ZFP: the whole file, or NULL: not read yet; STORED_NDZIP */
    size_t stream_bytes;
    zt_zfp_index index; /* STORED_ZFP: of the stream; index_bytes is 0 where there is none */
    char *index_place;  /* the file that holds it */
    uint64_t next;      /* first slice of the slab after this one */
    uint64_t extent;
};

/* Open a .zt file, a bare stream or, where plain_too, an array in a plain file. hints (may be
 * NULL) are used for a plain raw file that does not say its own type and shape. */
bool stored_open(struct stored *stored, const char *place, const struct options *options,
                 bool plain_too, const struct ztio_meta *hints, zt_context *context,
                 struct ztio_error *error);

/* Go to the next slab, in order; *extent is 0 after the last. */
bool stored_next(struct stored *stored, uint64_t *first, uint64_t *extent,
                 struct ztio_error *error);

/* Its values, contiguous. Once a slab. */
bool stored_read(struct stored *stored, void *buffer, struct ztio_error *error);

/* The values of a box, contiguous. On a pipe only whole slices in order, of a plain array. */
bool stored_read_box(struct stored *stored, const zt_box *box, void *buffer,
                     struct ztio_error *error);

/* Bytes of the file: all that was read, where it is a pipe. */
uint64_t stored_file_bytes(const struct stored *stored);

/* The part of a contiguous array in a box, contiguous. */
void cut_box(uint32_t type, uint32_t rank, const uint64_t *shape, const void *from,
             const zt_box *box, void *to);

/* May follow a failed open of a zeroed struct. */
void stored_close(struct stored *stored);

/* ---- stored_zfp.c: a bare zfp stream, and its index ----------------------------------------- */

/* Behind stored_open, stored_read and stored_read_box. */
bool stored_zfp_open(struct stored *stored, const struct options *options, bool has_header,
                     struct ztio_error *error);
bool stored_zfp_read(struct stored *stored, void *buffer, struct ztio_error *error);
bool stored_zfp_read_box(struct stored *stored, const zt_box *box, void *buffer,
                         struct ztio_error *error);

/* Read all of the stream, if that was not done yet. */
bool stored_zfp_load(struct stored *stored, struct ztio_error *error);

/* Read all of the stream, verify that the index is its own, and put into stored->info what the
 * index is. Nothing where there is none. */
bool stored_zfp_check_index(struct stored *stored, struct ztio_error *error);

/* PLACE.zti, to be freed; NULL where there is no memory. */
char *index_place_of(const char *place);

/* ---- ndzip.c: bare ndzip streams ----------------------------------------------------- */

/* Behind stored_open, stored_read and stored_read_box. */
bool stored_ndzip_open(struct stored *stored, const struct options *options,
                       struct ztio_error *error);
bool stored_ndzip_read(struct stored *stored, void *buffer, struct ztio_error *error);
bool stored_ndzip_read_box(struct stored *stored, const zt_box *box, void *buffer,
                           struct ztio_error *error);

/* ---- zfp_mode.c: between a bound and zfp's four numbers -------------------------------------- */

/* zfp's parameters for a bound; rel needs the range in params. */
bool zfp_of_bound(zt_zfp *zfp, const zt_params *params, uint32_t type, uint32_t rank,
                  const char *place, struct ztio_error *error);

/* The bound that a stream's parameters stand for, and the absolute bound that libzfp promises
 * with them: NaN if none, 0 if lossless. */
void bound_of_zfp(const zt_zfp *zfp, uint32_t type, uint32_t rank, zt_bound *bound,
                  double *abs_bound);

/* The absolute tolerance a bound asks for; NaN if it does not. */
double tolerance_of(const zt_params *params);

/* ---- progress.c ----------------------------------------------------------------------------- */

struct progress {
    bool is_on;
    bool is_drawn;
    bool counts_steps; /* and not bytes: no speed is shown; set after progress_begin */
    const char *verb;
    uint64_t total_bytes; /* raw bytes of all the work; ZT_UNKNOWN where not known */
    uint64_t done_bytes;  /* of the slabs before this one */
    uint64_t slab_bytes;
    double part; /* of the slab that is done */
    double began;
    double drawn;
};

/* A bar on standard error, if that is a terminal and quiet is not set. */
void progress_begin(struct progress *progress, const char *verb, uint64_t total_bytes, bool quiet,
                    zt_context *context);
/* The next slab begins. A call that goes through several of these bytes starts them itself. */
void progress_slab(struct progress *progress, uint64_t bytes);
void progress_end(struct progress *progress);

/* ---- table.c, json.c ------------------------------------------------------------------------ */

enum { TABLE_COLUMNS = 10, TABLE_ROWS = 40, TABLE_CELL_BYTES = 160 };

struct table {
    int rows;
    int columns;
    char cell[TABLE_ROWS][TABLE_COLUMNS][TABLE_CELL_BYTES];
};

/* Begin a row, then fill its cells from left to right. */
void table_row(struct table *table);
void table_cell(struct table *table, const char *format, ...) CLI_PRINTF(2, 3);

/* Columns apart by two spaces; those whose bit is set in right are aligned to the right. */
void table_print(const struct table *table, FILE *file, unsigned right);

struct json {
    FILE *file;
    int depth;
    bool has_member; /* of the object or list that is open */
};

void json_begin(struct json *json, FILE *file);
void json_end(struct json *json);
void json_object(struct json *json, const char *key);
void json_close(struct json *json);
void json_list(struct json *json, const char *key); /* of members whose key is NULL */
void json_close_list(struct json *json);
void json_number(struct json *json, const char *key, double value); /* null if not finite */
void json_count(struct json *json, const char *key, uint64_t value);
void json_count_or_null(struct json *json, const char *key, bool is_known, uint64_t value);
void json_text(struct json *json, const char *key, const char *value); /* NULL: null */
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
void json_shape(struct json *json, const char *key, uint32_t rank, const uint64_t *shape);

/* ---- compress.c, compress_zfp.c ------------------------------------------------------------- */

struct compress_job {
    const struct options *options;
    const char *place;
    char *out;
    zt_params params; /* with the range, once it is known */
    zt_context *context;
    struct ztio_input *input;
    const struct ztio_meta *meta;
    char name[128]; /* of the variable, and its units: what a .zt file may keep of them */
    char units[64];
    struct byte_sink sink;
    struct byte_sink index_sink; /* of a bare stream's index, where one is asked for */
    struct progress progress;
    uint64_t slice_bytes;
    uint64_t slices;          /* read */
    enum coded_format format; /* of the output */
    struct far_values *far;   /* what looks like fill values, while it is looked for; or NULL */
    bool has_far;             /* that was told, or there is none */
    uint64_t special_values;
    double psnr; /* that was reached, with --psnr */
    double seconds;
};

/* Write the whole array as a bare zfp stream, and its index where the options ask for one. */
bool compress_zfp(struct compress_job *job, struct ztio_error *error);

/* Write the whole array as a bare ndzip stream (ndzip.c). */
bool compress_ndzip(struct compress_job *job, struct ztio_error *error);

/* Read everything, for a bare stream; on a pipe of unknown extent the buffer grows. *values is to
 * be freed, also after a failure. */
bool read_whole(struct compress_job *job, unsigned char **values, uint64_t *slices,
                struct ztio_error *error);

/* What takes bytes and keeps no file: /dev/null, a named pipe. */
bool is_device(const char *path);

/* The sentence for a pipe out of which nothing comes. */
bool fail_empty(const struct compress_job *job, struct ztio_error *error);

/* Measure the range where the bound is relative and the options do not say it. */
bool measure_range(struct compress_job *job, struct ztio_error *error);

/* The sentence for NaN and infinities, with their count over the whole array where it can be
 * taken. */
bool fail_nonfinite(struct compress_job *job, zt_status status, struct ztio_error *error);

/* ---- filtered.c -----------------------------------------------------------------------------

 * True for an HDF5 or netCDF-4 file, and for "file:variable" of one. */
bool is_hdf5_place(const char *place);

/* Codec, bound, absolute bound, bytes, of psnr and rel the range, as a filter's words say; false
 * where they say nothing. */
bool info_of_filtered(const struct ztio_filtered *dataset, zt_info *info);

/* info of such a file. */
bool run_info_hdf5(const struct options *options, struct ztio_error *error);

/* ---- whole.c -------------------------------------------------------------------------------- */

/* True if compress or decompress is to write a whole netCDF or HDF5 file again; and that. */
bool wants_whole_file(const struct options *options);
bool run_whole(const struct options *options, struct ztio_error *error);

/* ---- plan.c, shape_check.c ------------------------------------------------------------------ */

/* How an array is coded under a plan: "1446x480, axes 0+1+2 3". */
const char *format_plan(const zt_plan *plan, char *text);

/* Say on standard error what the first frame was chosen from. */
void explain_options(const struct compress_job *job, const zt_writer *writer);

/* Predict size and time, write nothing. */
bool run_dry(struct compress_job *job, struct ztio_error *error);

/* Warn where a raw array looks as if it had another shape. */
void warn_of_shape(const struct compress_job *job, const zt_array *slab);

/* ---- fill_check.c --------------------------------------------------------------------------- */

/* Look for fill values that nobody declared, where the bound is lossy and the options leave that
 * open: begin (nothing where it was done before), take each slab, and end with a warning, or with a
 * failure where the bound is of the range. far_free in any case. */
bool far_open(struct compress_job *job, struct ztio_error *error);
bool far_note(struct compress_job *job, const zt_array *slab, struct ztio_error *error);
void far_warn(struct compress_job *job);
bool far_refuse(struct compress_job *job, struct ztio_error *error);
void far_free(struct compress_job *job);

/* All of that for an array in memory, with a warning. */
bool far_check(struct compress_job *job, const zt_array *array, struct ztio_error *error);

/* ---- the subcommands ------------------------------------------------------------------------ */

bool run_compress(const struct options *options, struct ztio_error *error);
bool run_decompress(const struct options *options, struct ztio_error *error);
bool run_salvage(const struct options *options, const char *out, struct ztio_error *error);

/* For info --check, of a .zt file that was found to be damaged: list what is, and put the outcome
 * in place of the error; which stays what it is where there is nothing to list. Returns false. */
bool list_damage(const struct options *options, struct ztio_error *error);
bool run_info(const struct options *options, struct ztio_error *error);
bool run_compare(const struct options *options, struct ztio_error *error);
bool run_plot(const struct options *options, struct ztio_error *error);
bool run_demo(const struct options *options, struct ztio_error *error);
bool run_bench(const struct options *options, struct ztio_error *error);
/* rates_run.c */
bool run_bench_rates(const struct options *options, struct ztio_error *error);
bool run_bench_stages(const struct options *options, struct ztio_error *error);
bool run_index(const struct options *options, struct ztio_error *error);
bool run_plan(const struct options *options, struct ztio_error *error);

#endif
