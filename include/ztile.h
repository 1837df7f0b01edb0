/** @file
 * ztile compresses scientific arrays within a bound, or without loss, on all cores.
 *
 * An array has 1 to 4 dimensions of float, double, int32 or int64. These lines compress one so
 * that no value is off by more than 0.001:
 *
 *     zt_params p = zt_params_abs(1e-3);
 *     zt_array a = zt_array_const_3d(data, ZT_F32, nz, ny, nx);
 *     zt_status s = zt_compress(NULL, &a, &p, out, capacity_bytes, &out_bytes);
 *
 * Then out holds a complete .zt file. zt_compress_bound() gives a capacity that always suffices,
 * and zt_decompress() is the way back. NULL instead of &p compresses without loss.
 *
 * These rules hold for every declaration in every header:
 *   - **Shapes** are slowest axis first, as in C, NumPy and HDF5. Strides count elements.
 *   - **Bytes** of the output depend on the values, type and shape of the array and on zt_params.
 *     They do not depend on threads, GPU, instruction set, compiler or build.
 *   - **Memory** belongs to the caller. The library keeps no pointer after a call, except what a
 *     writer or reader was opened on.
 *   - **Errors** are numbers (#zt_status). Results are set on ZT_OK only; after a failure the
 *     contents of an output array are undefined. Every call can return ZT_BAD_ARG, and every call
 *     with a context ZT_NO_MEMORY; comments name the others.
 *   - **Threads** must not share a context at the same time, nor a writer or reader opened on it.
 *     NULL is a valid context: one thread, malloc, no error sentence.
 *   - The library prints nothing, never exits, reads no environment and keeps no global state. A
 *     call takes less than 512 KiB of the calling thread's stack.
 *   - **Versions**: a declaration is there since 0.1 unless its comment says otherwise. A struct
 *     that begins with struct_bytes may grow at its end; its _init function sets it up. Other
 *     structs are frozen, and their reserved words must be 0.
 *
 * Other headers: ztile_quality.h (errors between two arrays), ztile_zfp.h, ztile_sz.h and
 * ztile_ndzip.h (what only one codec has), ztile_huffman.h (symbols), ztile_store.h (files written
 * at any offset), ztile_cuda.h (GPU) and ztile_expert.h (plans, limits, frames, damaged files).
 * Every header is C99 and C++. Tutorial: docs/c-api.md. File formats: docs/format/.
 */
#ifndef ZTILE_H
#define ZTILE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZT_VERSION_MAJOR  0       /**< From 1.0 on: grows when the interface changes. */
#define ZT_VERSION_MINOR  1       /**< Grows with additions; before 1.0 also with changes. */
#define ZT_VERSION_PATCH  0       /**< Grows with corrections. */
#define ZT_VERSION_STRING "0.1.0" /**< The three numbers of this header. */

/** Marks what the library exports. */
#if defined(_WIN32) && defined(ZTILE_SHARED)
#ifdef ZTILE_BUILD
#define ZT_API __declspec(dllexport)
#else
#define ZT_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define ZT_API __attribute__((visibility("default")))
#else
#define ZT_API
#endif

/* ---- status -------------------------------------------------------------------------------- */

/** What a call returns. Numbers never change. */
typedef enum zt_status {
    ZT_OK = 0,
    ZT_BAD_ARG = 1,     /**< An argument, or a combination of arguments, makes no sense. */
    ZT_CORRUPT = 2,     /**< The data are damaged, cut short, or not what they claim to be. */
    ZT_UNSUPPORTED = 3, /**< Not in this build, or written by a later version. */
    ZT_NO_MEMORY = 4,   /**< No memory, or more than the context's limit. */
    ZT_NO_SPACE = 5,    /**< The output buffer is too small. */
    ZT_IO = 6,          /**< A sink or source reported a failure. */
    ZT_NONFINITE = 7,   /**< A lossy bare zfp stream has no place for NaN and infinities. */
    ZT_CANCELLED = 8    /**< The progress function asked to stop. */
} zt_status;

/** A status in a few words, in static memory; never NULL. */
ZT_API const char *zt_strerror(zt_status status);

/** The version of the library that runs, such as "0.1.0", in static memory. */
ZT_API const char *zt_version(void);

/* ---- array --------------------------------------------------------------------------------- */

#define ZT_MAX_RANK 4          /**< Dimensions of an array at most. */
#define ZT_UNKNOWN  UINT64_MAX /**< An extent or size that is not known yet. */

/** The type of an array's elements. */
typedef enum zt_type { ZT_F32 = 1, ZT_F64 = 2, ZT_I32 = 3, ZT_I64 = 4 } zt_type;

/** An array in memory. Frozen.
 *
 * Element (i0, i1, ...) is data[i0 * stride[0] + i1 * stride[1] + ...], so data points at element
 * (0, 0, ...). With a negative stride that is not the lowest address. Calls that read an array
 * never write through data. */
typedef struct zt_array {
    void *data;                  /**< Aligned to the size of an element. */
    uint32_t type;               /**< #zt_type */
    uint32_t rank;               /**< Dimensions, 1 to 4. */
    uint64_t shape[ZT_MAX_RANK]; /**< Elements along each axis, slowest first. */
    int64_t stride[ZT_MAX_RANK]; /**< Elements from one index to the next; any sign. */
    uint64_t reserved[2];        /**< 0 */
} zt_array;

/** A box of an array: lo[i] <= index < hi[i] along each axis i. Frozen. */
typedef struct zt_box {
    uint64_t lo[ZT_MAX_RANK]; /**< The first index along each axis. */
    uint64_t hi[ZT_MAX_RANK]; /**< The last index along each axis, plus 1. */
} zt_box;

/** Bytes of an element; 0 for a number that is no #zt_type. */
static inline size_t zt_type_bytes(uint32_t type)
{
    return type == ZT_F32 || type == ZT_I32 ? 4u : type == ZT_F64 || type == ZT_I64 ? 8u : 0u;
}

/** A C-contiguous array of 1 to 4 dimensions; shape has rank entries. */
static inline zt_array zt_array_nd(void *data, zt_type type, uint32_t rank, const uint64_t *shape)
{
    zt_array a = {data, (uint32_t)type, rank, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0}};
    uint64_t step = 1;
    uint32_t i;
    for (i = rank < ZT_MAX_RANK ? rank : ZT_MAX_RANK; i-- > 0; step *= shape[i]) {
        a.shape[i] = shape[i];
        a.stride[i] = (int64_t)step;
    }
    return a;
}

/* clang-format off */
/** zt_array_nd() over memory that is only read. */
static inline zt_array zt_array_const_nd(const void *data, zt_type type, uint32_t rank,
                                         const uint64_t *shape)
{ union { const void *in; void *out; } u = {data}; return zt_array_nd(u.out, type, rank, shape); }

/** @name Arrays of one rank
 * @{ */
/** C-contiguous; n0 is the extent of the slowest axis. const: over memory that is only read. */
static inline zt_array zt_array_1d(void *data, zt_type type, uint64_t n0)
{ return zt_array_nd(data, type, 1, &n0); }
static inline zt_array zt_array_2d(void *data, zt_type type, uint64_t n0, uint64_t n1)
{ const uint64_t n[2] = {n0, n1}; return zt_array_nd(data, type, 2, n); }
static inline zt_array zt_array_3d(void *data, zt_type type, uint64_t n0, uint64_t n1, uint64_t n2)
{ const uint64_t n[3] = {n0, n1, n2}; return zt_array_nd(data, type, 3, n); }
static inline zt_array zt_array_4d(void *data, zt_type type, uint64_t n0, uint64_t n1, uint64_t n2,
                                   uint64_t n3)
{ const uint64_t n[4] = {n0, n1, n2, n3}; return zt_array_nd(data, type, 4, n); }
static inline zt_array zt_array_const_1d(const void *data, zt_type type, uint64_t n0)
{ return zt_array_const_nd(data, type, 1, &n0); }
static inline zt_array zt_array_const_2d(const void *data, zt_type type, uint64_t n0, uint64_t n1)
{ const uint64_t n[2] = {n0, n1}; return zt_array_const_nd(data, type, 2, n); }
static inline zt_array zt_array_const_3d(const void *data, zt_type type, uint64_t n0, uint64_t n1,
                                         uint64_t n2)
{ const uint64_t n[3] = {n0, n1, n2}; return zt_array_const_nd(data, type, 3, n); }
static inline zt_array zt_array_const_4d(const void *data, zt_type type, uint64_t n0, uint64_t n1,
                                         uint64_t n2, uint64_t n3)
{ const uint64_t n[4] = {n0, n1, n2, n3}; return zt_array_const_nd(data, type, 4, n); }
/** @} */
/* clang-format on */

/* ---- parameters: everything that the bytes depend on ---------------------------------------- */

/** How a tile becomes bits. */
typedef enum zt_codec {
    /** With a plan: by trying codecs on samples. Without one: zfp for rate, precision and expert,
     * ndzip for floats without loss, else sz. */
    ZT_CODEC_AUTO = 0,
    ZT_CODEC_ZFP = 1,   /**< Transform of 4^rank values; the streams of zfp 1.0 (docs/zfp.md). */
    ZT_CODEC_NDZIP = 2, /**< Differences and bit planes; lossless only, fast. */
    ZT_CODEC_SZ = 3     /**< Prediction, quantization, entropy coding (docs/format/sz.md). */
} zt_codec;

/** What a bound limits. x is a value and y what it is decoded to; the range of an array is its
 * largest finite value less its smallest. */
typedef enum zt_bound_kind {
    ZT_LOSSLESS = 0,
    ZT_ABS = 1,       /**< |y - x| <= value */
    ZT_REL = 2,       /**< |y - x| <= value * range */
    ZT_PWREL = 3,     /**< |y - x| <= value * |x|; floats only, value below 1 */
    ZT_PSNR = 4,      /**< 20 log10(range / root of the mean squared error) >= value, in dB */
    ZT_RATE = 5,      /**< value bits an element; see zt_rate() */
    ZT_PRECISION = 6, /**< value bit planes a tile; see zt_precision() */
    ZT_EXPERT = 7,    /**< zfp's four numbers; see zt_expert() */
    ZT_RMSE = 8,      /**< root of the mean of (y - x)^2 <= value */
    ZT_RMSE_REL = 9,  /**< the same <= value * range */
    ZT_MAE = 10,      /**< mean of |y - x| <= value */
    ZT_MAE_REL = 11   /**< the same <= value * range */
} zt_bound_kind;

/** A bound. Frozen. Value 0 of abs, rel, pwrel, rmse and mae means lossless.
 *
 * A bound does not apply to NaN, infinities and the fill values of zt_params: they are kept bit for
 * bit, and count in no range and no error. */
typedef struct zt_bound {
    uint32_t kind;     /**< #zt_bound_kind */
    uint32_t flags;    /**< #ZT_RATE_ALIGN (ztile_zfp.h) or 0. */
    double value;      /**< In the unit that the kind says. */
    uint64_t words[2]; /**< Set by zt_expert() (ztile_zfp.h), else 0. */
} zt_bound;

/* clang-format off */
/** @name Bounds
 * @{ */
/** A bound, in the unit that #zt_bound_kind says. */
static inline zt_bound zt_bound_of(zt_bound_kind kind, double value)
{ const zt_bound b = {(uint32_t)kind, 0, value, {0, 0}}; return b; }
static inline zt_bound zt_lossless(void) { return zt_bound_of(ZT_LOSSLESS, 0); }
static inline zt_bound zt_abs(double error) { return zt_bound_of(ZT_ABS, error); }
static inline zt_bound zt_rel(double of_range) { return zt_bound_of(ZT_REL, of_range); }
static inline zt_bound zt_pwrel(double of_value) { return zt_bound_of(ZT_PWREL, of_value); }
static inline zt_bound zt_psnr(double decibel) { return zt_bound_of(ZT_PSNR, decibel); }
static inline zt_bound zt_rmse(double error) { return zt_bound_of(ZT_RMSE, error); }
static inline zt_bound zt_mae(double error) { return zt_bound_of(ZT_MAE, error); }
/** @} */
/* clang-format on */

/** How much time coding may take to save bytes. Every effort keeps the bound.
 *
 * sz: fast: one pass, Rice codes. default: two, Huffman codes or, unless speed is preferred,
 * interpolation of small very smooth arrays, and with a plan where it halves the file, or high's
 * coder for packed floats. high: transforms too; the least (zt_params_set_sz()). Others: one. */
typedef enum zt_effort { ZT_EFFORT_FAST = 1, ZT_EFFORT_DEFAULT = 2, ZT_EFFORT_HIGH = 3 } zt_effort;

/** Whether samples choose the order of axes and, with ZT_CODEC_AUTO, codec and effort. Readers
 * undo the order. Source: docs/internals/planning.md. */
typedef enum zt_plan_kind {
    ZT_PLAN_OFF = 0,
    ZT_PLAN_ON = 1,
    ZT_PLAN_TIGHT = 2 /**< On, and zfp gets the loosest tolerance measured to keep the bound. */
} zt_plan_kind;

#define ZT_MAX_FILLS 4 /**< Fill values of an array at most. */

/** Everything that the bytes depend on, except the array. */
typedef struct zt_params {
    uint32_t struct_bytes;       /**< Set by zt_params_init(). */
    uint32_t codec;              /**< #zt_codec; default auto */
    zt_bound bound;              /**< Default lossless. */
    uint32_t effort;             /**< #zt_effort; default ZT_EFFORT_DEFAULT */
    uint32_t plan;               /**< #zt_plan_kind; default off */
    uint32_t prefer;             /**< #zt_prefer; with codec auto or sz */
    uint32_t index;              /**< #zt_index_kind; default ZT_INDEX_DEFAULT */
    uint32_t index_chunk;        /**< Tiles a chunk, at most 2^30; 0: the default. */
    uint32_t index_partition;    /**< Chunks a partition (hybrid), at most 2^16; 0: 32. */
    double range_lo;             /**< For bounds of the range: the smallest value; NaN: measured. */
    double range_hi;             /**< The largest one. A writer does not measure: set both. */
    uint64_t slab_bytes;         /**< Raw bytes a frame at most, but a layer of tiles; 256 MiB. */
    const char *name;            /**< Kept in the file: NULL or UTF-8 of at most 127 bytes. */
    const char *units;           /**< Likewise, at most 63 bytes. */
    uint32_t fills;              /**< Entries of fill; default 0. */
    uint32_t reserved;           /**< 0 */
    uint64_t fill[ZT_MAX_FILLS]; /**< Bit patterns that stand for no value; see zt_fill_bits(). */
    uint64_t codec_words[2];     /**< Set by functions of ztile_zfp.h and ztile_sz.h. */
    zt_bound mean;               /**< Beside abs or rel: psnr, rmse or mae, to be met too. */
    double within_lo; /**< No value is decoded below it; ZT_BAD_ARG if one lies there. NaN: any. */
    double within_hi; /**< Likewise, above it. */
} zt_params;

/** Set every field to its default; params_bytes is sizeof(zt_params). */
ZT_API zt_status zt_params_init(zt_params *params, size_t params_bytes);

/* clang-format off */
/** @name Parameters with a bound
 * @{ */
/** zt_params_init(), and the bound. */
static inline zt_params zt_params_of(zt_bound bound)
{ zt_params p; (void)zt_params_init(&p, sizeof p); p.bound = bound; return p; }
static inline zt_params zt_params_lossless(void) { return zt_params_of(zt_lossless()); }
static inline zt_params zt_params_abs(double error) { return zt_params_of(zt_abs(error)); }
static inline zt_params zt_params_rel(double of_range) { return zt_params_of(zt_rel(of_range)); }
static inline zt_params zt_params_pwrel(double part) { return zt_params_of(zt_pwrel(part)); }
static inline zt_params zt_params_psnr(double decibel) { return zt_params_of(zt_psnr(decibel)); }
/** @} */
/* clang-format on */

/** Convert a number to a bit pattern for zt_params.fill, in the low bits of *bits. For ZT_F32 it is
 * rounded to the nearest float. ZT_BAD_ARG if the type has no such value. */
ZT_API zt_status zt_fill_bits(zt_type type, double value, uint64_t *bits);

/* ---- context: what the bytes do not depend on ------------------------------------------------ */

/** Scratch memory, threads and the last error of a caller. Opaque. */
typedef struct zt_context zt_context;

typedef struct zt_allocator zt_allocator; /**< Memory functions; see ztile_expert.h. */

/** Make a context that works on the calling thread. allocator: see ztile_expert.h; NULL: malloc. */
ZT_API zt_status zt_context_new(const zt_allocator *allocator, zt_context **context);

/** Free a context; first free the writers and readers that were opened on it. NULL is allowed. */
ZT_API void zt_context_free(zt_context *context);

/** A sentence about the last call on this context that failed, valid until the next one; or "". */
ZT_API const char *zt_context_error(const zt_context *context);

/** Where tiles are coded. */
typedef enum zt_policy {
    ZT_SERIAL = 0, /**< On the calling thread. */
    ZT_OMP = 1,    /**< On as many threads as OpenMP would use; see zt_context_set_omp(). */
    ZT_CUDA = 2    /**< On a GPU; see zt_context_set_cuda() in ztile_cuda.h. */
} zt_policy;

/** Choose where tiles are coded, with the defaults of the policy.
 * @return ZT_UNSUPPORTED, with the policy unchanged, where this build or machine lacks it */
ZT_API zt_status zt_context_set_policy(zt_context *context, zt_policy policy);

/** Parameters of ZT_OMP. Frozen. */
typedef struct zt_omp {
    uint32_t threads;     /**< At most 1024; 0: omp_get_max_threads(). */
    uint32_t grain;       /**< Tiles that a thread takes at a time; 0: automatic. */
    uint64_t reserved[2]; /**< 0 */
} zt_omp;

/** Choose ZT_OMP; omp may be NULL for the defaults. A call makes its own threads and ends them
 * before it returns; the state of OpenMP stays as it is. The context's allocator is called from
 * several threads at once. ZT_UNSUPPORTED where this build has no threads. */
ZT_API zt_status zt_context_set_omp(zt_context *context, const zt_omp *omp);

/* ---- compress and decompress, memory to memory ----------------------------------------------- */

/** The most bytes that zt_compress() can write; for ZT_CUDA some more. array->data may be NULL. */
ZT_API zt_status zt_compress_bound(zt_context *context, const zt_array *array,
                                   const zt_params *params, size_t *capacity_bytes);

/** Compress an array into a complete .zt file in memory.
 * @param context NULL is allowed
 * @param array to be compressed, in host or GPU memory
 * @param params NULL: lossless, and defaults otherwise
 * @param out gets the file
 * @param out_capacity_bytes room at out; zt_compress_bound() says how much always suffices
 * @param out_bytes how much was used
 * @return ZT_NO_SPACE; ZT_UNSUPPORTED if the codec has no such bound or type; ZT_CANCELLED */
ZT_API zt_status zt_compress(zt_context *context, const zt_array *array, const zt_params *params,
                             void *out, size_t out_capacity_bytes, size_t *out_bytes);

/** Decompress a complete .zt file of data_bytes bytes at data. Every checksum is verified first.
 * out has type, rank and shape of the file (zt_inspect()), and any strides.
 * @return ZT_CORRUPT, ZT_UNSUPPORTED, ZT_CANCELLED */
ZT_API zt_status zt_decompress(zt_context *context, const void *data, size_t data_bytes,
                               const zt_array *out);

/** Decompress a box of a .zt file in memory; out has the shape of the box. Only what it needs is
 * verified and decoded; without an index, what lies before it is parsed. See zt_decompress(). */
ZT_API zt_status zt_decompress_box(zt_context *context, const void *data, size_t data_bytes,
                                   const zt_box *box, const zt_array *out);

/** What is in a .zt file. From a pipe, shape[0] and the numbers of bytes, frames, exact and special
 * values are ZT_UNKNOWN until zt_reader_next() has passed the last frame. */
typedef struct zt_info {
    uint32_t struct_bytes;       /**< Set by zt_info_init(). */
    uint32_t format_version;     /**< Of the file; docs/format/zt.md */
    uint32_t codec;              /**< #zt_codec of the first frame that is not raw, or ndzip. */
    uint32_t type;               /**< #zt_type */
    uint32_t rank;               /**< Dimensions. */
    uint32_t index;              /**< #zt_index_kind; ZT_INDEX_NONE where there is none */
    uint32_t index_chunk;        /**< Tiles a chunk. */
    uint32_t index_partition;    /**< Chunks a partition. */
    uint64_t shape[ZT_MAX_RANK]; /**< Slowest axis first. */
    zt_bound bound;              /**< As it was asked for. */
    double abs_bound;            /**< Promised absolute bound; 0: lossless, NaN: none. */
    double psnr;                 /**< Bound psnr: dB reached over the whole array; else NaN. */
    double range;                /**< Bound psnr: the range it is of, 0 if lossless; else NaN. */
    uint64_t raw_bytes;          /**< Of the array. */
    uint64_t stream_bytes;       /**< Of all streams. */
    uint64_t index_bytes;        /**< Of all indexes. */
    uint64_t file_bytes;         /**< Of the file. */
    uint64_t frames;             /**< Slabs that can be read by themselves. */
    uint64_t raw_frames;         /**< Frames that hold values as they are. */
    uint64_t slab_extent;        /**< Slices in each frame but the last. */
    uint64_t exact_values;       /**< Kept exactly because the codec would break the bound. */
    uint64_t special_values;     /**< NaN, infinities and fill values. */
    char name[128];              /**< "" if there is none. */
    char units[64];              /**< "" if there are none. */
    uint64_t codec_words[4];     /**< Read by zt_info_zfp() and zt_info_sz(). */
    uint64_t plan_words[6];      /**< Read by zt_info_plan() in ztile_expert.h. */
    zt_bound mean;               /**< As it was asked for, alone or beside a bound. */
    double mean_error;           /**< Reached over the whole array, in mean's unit; else NaN. */
    double within_lo;            /**< As in zt_params. */
    double within_hi;            /**< As in zt_params. */
} zt_info;

/** Zero a zt_info; info_bytes is sizeof(zt_info). */
ZT_API zt_status zt_info_init(zt_info *info, size_t info_bytes);

/** What is in a .zt file in memory; payloads are not read. ZT_CORRUPT, ZT_UNSUPPORTED */
ZT_API zt_status zt_inspect(zt_context *context, const void *data, size_t data_bytes,
                            zt_info *info);

/* ---- writer and reader: files, pipes, object stores ------------------------------------------ */

/** Takes the bytes of a file in order. Functions return 0, or anything else for failure. Frozen. */
typedef struct zt_sink {
    int (*write)(void *user, const void *data, size_t data_bytes); /**< Append. */
    void *user;                                                    /**< Passed to both. */
    int (*sync)(void *user); /**< NULL, or: make durable what was written (fsync). */
    uint64_t reserved[1];    /**< 0 */
} zt_sink;

/** Gives the bytes of a file. Frozen. */
typedef struct zt_source {
    /** Read bytes at an offset; *got_bytes is less only at the end. Not 0 is failure. */
    int (*read)(void *user, uint64_t offset, void *buffer, size_t bytes, size_t *got_bytes);
    void *user;            /**< Passed to read. */
    uint64_t source_bytes; /**< ZT_UNKNOWN: a pipe, read in order; only zt_reader_next() works. */
    uint64_t reserved[2];  /**< 0 */
} zt_source;

typedef struct zt_writer zt_writer; /**< Writes one array, slab by slab. Opaque. */
typedef struct zt_reader zt_reader; /**< Reads one file. Opaque. */

/** Open a writer. The bytes it writes are those of zt_compress().
 * @param context outlives the writer; NULL is allowed
 * @param sink is copied
 * @param whole type, rank and shape of the array; shape[0] may be ZT_UNKNOWN, data is not read
 * @param params is copied; range_lo and range_hi must be set if a bound is of the range
 * @param writer gets the writer; zt_writer_free() releases it */
ZT_API zt_status zt_writer_open(zt_context *context, const zt_sink *sink, const zt_array *whole,
                                const zt_params *params, zt_writer **writer);

/** Append a slab of any thickness, with any strides. After a failure, only zt_writer_free() may be
 * called. Returns ZT_IO and what zt_compress() does. */
ZT_API zt_status zt_writer_put(zt_writer *writer, const zt_array *slab);

/** Write what is left and the seek table, and call the sink's sync. Without this call the file is
 * not complete. ZT_BAD_ARG if slices are missing. */
ZT_API zt_status zt_writer_close(zt_writer *writer);

/** Free a writer, closed or not; NULL is allowed. */
ZT_API void zt_writer_free(zt_writer *writer);

/** Open a reader: seek table and first header are read. ZT_IO, ZT_CORRUPT, ZT_UNSUPPORTED */
ZT_API zt_status zt_reader_open(zt_context *context, const zt_source *source, zt_reader **reader);

/** What is in the file. The first call reads the headers of all frames. */
ZT_API zt_status zt_reader_info(zt_reader *reader, zt_info *info);

/** Decompress a box; out has its shape. Only what it needs is read. ZT_BAD_ARG on a sequential
 * source: see zt_reader_next() in ztile_expert.h. */
ZT_API zt_status zt_reader_read_box(zt_reader *reader, const zt_box *box, const zt_array *out);

/** Free a reader; NULL is allowed. */
ZT_API void zt_reader_close(zt_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
