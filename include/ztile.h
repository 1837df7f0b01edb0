/* ztile: compress scientific arrays in parallel, decompress them in parallel too.
 *
 * An array (1 to 4 dimensions of float, double, int32 or int64) is cut into tiles; a codec turns
 * each tile, on its own, into bits; an execution policy says where the tiles are run. The bytes
 * depend on zt_params alone, never on the context: not on threads, instruction set or build.
 *
 *     zt_params p;
 *     zt_params_init(&p, sizeof p);
 *     p.bound = zt_abs(1e-3);                          // no value off by more than 0.001
 *     zt_array a = zt_array_const_3d(data, ZT_F32, nz, ny, nx);
 *     size_t cap, n;
 *     zt_compress_bound(NULL, &a, &p, &cap);
 *     void *buf = malloc(cap);
 *     if (zt_compress(NULL, &a, &p, buf, cap, &n) == ZT_OK) ...  // n bytes, a complete .zt file
 *
 * Rules that hold for every declaration:
 *   - Shapes are slowest axis first, as in C, NumPy and HDF5. Strides count elements.
 *   - The caller owns all memory it passes; the library keeps no pointer after a call returns,
 *     except where a writer or reader is opened on it.
 *   - Results go through pointers and are set only on ZT_OK; an output array is undefined after
 *     any failure.
 *   - A context (or a writer or reader opened on it) must not be used by two threads at once;
 *     different contexts may. NULL is a valid context: serial, malloc, no error sentence.
 *   - Nothing prints, exits, reads the environment or keeps global state.
 *   - A call takes less than half a mebibyte of the calling thread's stack.
 *   - Structs that the caller fills begin with struct_bytes, set by their _init function, and may
 *     grow at their end; the others are frozen and carry reserved words, which must be zero.
 *
 * Contents: status - array - params - context - compress and decompress - writer and reader. Other
 * headers: ztile_quality.h (errors between arrays), ztile_zfp.h and ztile_ndzip.h (bare streams),
 * ztile_huffman.h (symbols), ztile_cuda.h (the GPU), ztile_expert.h (limits, instruction sets,
 * stages, plans, files frame by frame, damaged files).
 *
 * The file formats are described in docs/format/zt.md and docs/format/zti.md. C11, also valid C++.
 */
#ifndef ZTILE_H
#define ZTILE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZT_VERSION_MAJOR  0
#define ZT_VERSION_MINOR  1
#define ZT_VERSION_PATCH  0
#define ZT_VERSION_STRING "0.1.0"

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

/* ---- status ------------------------------------------------------------------------------- */

/* Numbers never change. */
typedef enum zt_status {
    ZT_OK = 0,
    ZT_BAD_ARG = 1,     /* an argument, or a combination of them, makes no sense */
    ZT_CORRUPT = 2,     /* the data are damaged, cut short, or not what they claim to be */
    ZT_UNSUPPORTED = 3, /* not in this build, or written by a later version */
    ZT_NO_MEMORY = 4,
    ZT_NO_SPACE = 5,  /* the output buffer is too small */
    ZT_IO = 6,        /* a sink or source callback failed */
    ZT_NONFINITE = 7, /* a lossy bare zfp stream has no place for NaN and infinities */
    ZT_CANCELLED = 8  /* the progress callback asked to stop */
} zt_status;

/* The name of a status in a few words; never NULL, static memory. */
ZT_API const char *zt_strerror(zt_status status);

/* The version of the library that is running, e.g. "0.1.0"; static memory. */
ZT_API const char *zt_version(void);

/* ---- array -------------------------------------------------------------------------------- */

#define ZT_MAX_RANK 4

typedef enum zt_type { ZT_F32 = 1, ZT_F64 = 2, ZT_I32 = 3, ZT_I64 = 4 } zt_type;

/* The slowest extent of an array that is still being written. */
#define ZT_UNKNOWN UINT64_MAX

/* Where an array is in memory. Frozen.
 *
 * Element (i0, i1, ...) is at data + i0 * stride[0] + i1 * stride[1] + ..., so data points at
 * element (0, ..., 0), which with negative strides is not the lowest address. Elements are
 * aligned to their size. Calls that read an array never write through data. */
typedef struct zt_array {
    void *data;
    uint32_t type;               /* zt_type */
    uint32_t rank;               /* 1..4 */
    uint64_t shape[ZT_MAX_RANK]; /* elements along each axis, slowest first */
    int64_t stride[ZT_MAX_RANK]; /* elements; any sign */
    uint64_t reserved[2];
} zt_array;

/* A box of an array: lo[i] <= index < hi[i] along each of its axes. Frozen. */
typedef struct zt_box {
    uint64_t lo[ZT_MAX_RANK];
    uint64_t hi[ZT_MAX_RANK];
} zt_box;

/* Bytes of one element; 0 if type is none of ours. */
static inline size_t zt_type_bytes(uint32_t type)
{
    return type == ZT_F32 || type == ZT_I32 ? 4u : type == ZT_F64 || type == ZT_I64 ? 8u : 0u;
}

/* A C-contiguous array of 1 to 4 dimensions; shape has rank entries. */
static inline zt_array zt_array_nd(void *data, zt_type type, uint32_t rank, const uint64_t *shape)
{
    zt_array a;
    uint64_t step = 1;
    uint32_t i;
    a.data = data;
    a.type = (uint32_t)type;
    a.rank = rank;
    for (i = 0; i < ZT_MAX_RANK; i++) {
        a.shape[i] = i < rank ? shape[i] : 0;
        a.stride[i] = 0;
    }
    for (i = rank < ZT_MAX_RANK ? rank : ZT_MAX_RANK; i-- > 0;) {
        a.stride[i] = (int64_t)step;
        step *= a.shape[i];
    }
    a.reserved[0] = a.reserved[1] = 0;
    return a;
}

static inline zt_array zt_array_1d(void *data, zt_type type, uint64_t n0)
{
    return zt_array_nd(data, type, 1, &n0);
}

static inline zt_array zt_array_2d(void *data, zt_type type, uint64_t n0, uint64_t n1)
{
    uint64_t shape[2];
    shape[0] = n0;
    shape[1] = n1;
    return zt_array_nd(data, type, 2, shape);
}

static inline zt_array zt_array_3d(void *data, zt_type type, uint64_t n0, uint64_t n1, uint64_t n2)
{
    uint64_t shape[3];
    shape[0] = n0;
    shape[1] = n1;
    shape[2] = n2;
    return zt_array_nd(data, type, 3, shape);
}

static inline zt_array zt_array_4d(void *data, zt_type type, uint64_t n0, uint64_t n1, uint64_t n2,
                                   uint64_t n3)
{
    uint64_t shape[4];
    shape[0] = n0;
    shape[1] = n1;
    shape[2] = n2;
    shape[3] = n3;
    return zt_array_nd(data, type, 4, shape);
}

/* The same over memory that is only read. */
static inline zt_array zt_array_const_nd(const void *data, zt_type type, uint32_t rank,
                                         const uint64_t *shape)
{
    union {
        const void *in;
        void *out;
    } u;
    u.in = data;
    return zt_array_nd(u.out, type, rank, shape);
}

static inline zt_array zt_array_const_1d(const void *data, zt_type type, uint64_t n0)
{
    return zt_array_const_nd(data, type, 1, &n0);
}

static inline zt_array zt_array_const_2d(const void *data, zt_type type, uint64_t n0, uint64_t n1)
{
    zt_array a = zt_array_2d(NULL, type, n0, n1);
    return zt_array_const_nd(data, type, 2, a.shape);
}

static inline zt_array zt_array_const_3d(const void *data, zt_type type, uint64_t n0, uint64_t n1,
                                         uint64_t n2)
{
    zt_array a = zt_array_3d(NULL, type, n0, n1, n2);
    return zt_array_const_nd(data, type, 3, a.shape);
}

static inline zt_array zt_array_const_4d(const void *data, zt_type type, uint64_t n0, uint64_t n1,
                                         uint64_t n2, uint64_t n3)
{
    zt_array a = zt_array_4d(NULL, type, n0, n1, n2, n3);
    return zt_array_const_nd(data, type, 4, a.shape);
}

/* ---- params: everything the bytes depend on ------------------------------------------------ */

typedef enum zt_codec {
    ZT_CODEC_AUTO = 0, /* sz for pwrel; else with a plan: chosen by trying, without one: sz for
                          psnr, ndzip for floats without loss, and zfp otherwise */
    ZT_CODEC_ZFP = 1,
    ZT_CODEC_NDZIP = 2, /* lossless only, fast */
    ZT_CODEC_SZ = 3     /* prediction and quantization within a bound */
} zt_codec;

/* What the user asks for. */
typedef enum zt_bound_kind {
    ZT_LOSSLESS = 0,
    ZT_ABS = 1,       /* |x' - x| <= value */
    ZT_REL = 2,       /* |x' - x| <= value * (max - min), over the whole array's finite values */
    ZT_PWREL = 3,     /* |x' - x| <= value * |x|, value below 1; zero stays zero. Floats only */
    ZT_PSNR = 4,      /* 20 log10(range / RMSE) >= value dB, over the whole array's finite values */
    ZT_RATE = 5,      /* value bits per element, zfp's fixed rate */
    ZT_PRECISION = 6, /* value bit planes per tile, zfp's fixed precision */
    ZT_EXPERT = 7     /* zfp's four numbers */
} zt_bound_kind;

#define ZT_RATE_ALIGN 1u /* zt_bound.flags: a tile's bits are rounded up to whole stream words */

/* A bound. Frozen. Bound value 0 of abs, rel and pwrel means lossless. */
typedef struct zt_bound {
    uint32_t kind;  /* zt_bound_kind */
    uint32_t flags; /* ZT_RATE_ALIGN or 0 */
    double value;
    uint32_t minbits; /* minbits .. minexp: ZT_EXPERT only, see zt_zfp */
    uint32_t maxbits;
    uint32_t maxprec;
    int32_t minexp;
    uint64_t reserved[2];
} zt_bound;

static inline zt_bound zt_bound_of(zt_bound_kind kind, double value)
{
    zt_bound b;
    b.kind = (uint32_t)kind;
    b.flags = 0;
    b.value = value;
    b.minbits = b.maxbits = b.maxprec = 0;
    b.minexp = 0;
    b.reserved[0] = b.reserved[1] = 0;
    return b;
}

static inline zt_bound zt_lossless(void)
{
    return zt_bound_of(ZT_LOSSLESS, 0);
}
static inline zt_bound zt_abs(double error)
{
    return zt_bound_of(ZT_ABS, error);
}
static inline zt_bound zt_rel(double of_range)
{
    return zt_bound_of(ZT_REL, of_range);
}
static inline zt_bound zt_pwrel(double of_value)
{
    return zt_bound_of(ZT_PWREL, of_value);
}
static inline zt_bound zt_psnr(double decibel)
{
    return zt_bound_of(ZT_PSNR, decibel);
}
static inline zt_bound zt_rate(double bits_a_value)
{
    return zt_bound_of(ZT_RATE, bits_a_value);
}
static inline zt_bound zt_precision(uint32_t planes)
{
    return zt_bound_of(ZT_PRECISION, planes);
}

static inline zt_bound zt_expert(uint32_t minbits, uint32_t maxbits, uint32_t maxprec,
                                 int32_t minexp)
{
    zt_bound b = zt_bound_of(ZT_EXPERT, 0);
    b.minbits = minbits;
    b.maxbits = maxbits;
    b.maxprec = maxprec;
    b.minexp = minexp;
    return b;
}

/* How a decoder finds a tile: an index of where chunks of tiles begin, which never changes the
 * stream. The default is compact, with zfp 16 tiles a chunk (1-D: 64), and none for small arrays.
 * At fixed rate places are computed: none. docs/format/zt.md describes the layouts; offsets,
 * lengths and hybrid are those of Noordsij et al., "Parallelization of Variable Rate Decompression
 * through Metadata", PDP 2020. */
typedef enum zt_index_kind {
    ZT_INDEX_DEFAULT = 0,
    ZT_INDEX_NONE = 1,
    ZT_INDEX_OFFSETS = 2, /* 64 bits a chunk */
    ZT_INDEX_LENGTHS = 3, /* 16 bits a chunk, or 32; summed when opened */
    ZT_INDEX_HYBRID = 4,  /* 64 bits a partition of chunks, and lengths within */
    ZT_INDEX_COMPACT = 5, /* Elias-Fano: about 2 + log2(mean chunk bits) bits a chunk */
    ZT_INDEX_STREAM = 6   /* in zt_info only: the stream itself says where its tiles are (ndzip) */
} zt_index_kind;

/* Planning: the order in which an array's axes are coded, which of them are joined to one, and with
 * ZT_CODEC_AUTO codec and effort, are chosen by trying some on samples, and undone by whoever reads
 * the file. What is chosen depends on values and params alone (docs/internals/planning.md). It is
 * done under all bounds on errors, of zfp but pwrel, and without loss. Tight: zfp also gets the
 * loosest tolerance whose measured error keeps the bound. */
typedef enum zt_plan_kind { ZT_PLAN_OFF = 0, ZT_PLAN_ON = 1, ZT_PLAN_TIGHT = 2 } zt_plan_kind;

/* What ZT_CODEC_AUTO looks for where a plan is asked for: the least bytes; the least bytes among
 * what is nearly as fast as can be; what is fast among what needs nearly the least bytes. */
typedef enum zt_prefer {
    ZT_PREFER_RATIO = 0,
    ZT_PREFER_SPEED = 1,
    ZT_PREFER_BALANCED = 2
} zt_prefer;

/* In zt_params.flags: what is written is also to be durable. zt_writer_close and zt_replace_index
 * call the sink's sync, which must be there, once all was written. No other call looks at it. */
enum { ZT_SYNC = 1u << 0 };

/* How the axes of an array become those of the array that is coded. Frozen.
 *
 * The coded array has the array's axes in the order axis[0], axis[1], ..., slowest first. Where
 * joined[k] is 1, axis[k] and axis[k - 1] lie in one coded axis, in which axis[k] is faster. */
typedef struct zt_plan {
    uint32_t rank; /* of the array; 0: no plan, the array is coded as it is */
    uint32_t coded_rank;
    uint64_t coded_shape[ZT_MAX_RANK]; /* slowest first */
    uint8_t axis[ZT_MAX_RANK];
    uint8_t joined[ZT_MAX_RANK];
    uint64_t reserved[2];
} zt_plan;

/* sz: two passes; as published for cuSZ (PACT 2020); one pass; interpolation where it is shorter */
typedef enum zt_effort {
    ZT_EFFORT_DEFAULT = 0,
    ZT_EFFORT_PAPER = 1,
    ZT_EFFORT_FAST = 2,
    ZT_EFFORT_HIGH = 3
} zt_effort;

/* Fill values that can be named. */
#define ZT_MAX_FILLS 4

/* What a lossy bound does with values that are none: NaN, infinities and the fill values of
 * zt_params are kept bit for bit in a section of the file, whatever the codec, and something
 * smooth is coded in their places. Ranges, bounds and errors are of the other values. */

typedef struct zt_params {
    uint32_t struct_bytes;    /* sizeof(zt_params), set by zt_params_init */
    uint32_t codec;           /* zt_codec; default ZT_CODEC_AUTO */
    zt_bound bound;           /* default lossless */
    uint64_t slab_bytes;      /* raw bytes a frame at most; default 256 MiB. A frame holds at least
                                 one layer of tiles, however many bytes that is */
    double range_lo;          /* the array's range, where rel and psnr must not or cannot measure */
    double range_hi;          /* it; default NaN, NaN: measured (zt_compress), refused (writer) */
    uint32_t zfp_word_bits;   /* 8, 16, 32 or 64 (default): what a zfp stream is padded to */
    uint32_t plan;            /* zt_plan_kind; default off */
    uint32_t index;           /* zt_index_kind; default ZT_INDEX_DEFAULT */
    uint32_t index_chunk;     /* tiles a chunk, at most 2^30; 0: the default */
    uint32_t index_partition; /* chunks a partition, at most 2^16; hybrid only; 0: 32 */
    uint32_t flags;           /* ZT_SYNC, or 0 */
    const char *name;         /* kept in the file; NULL or UTF-8 of at most 127 bytes */
    const char *units;        /* likewise, at most 63 bytes */
    uint32_t fills;           /* of fill[]; 0 by default */
    uint32_t effort;          /* zt_effort; sz only */
    uint64_t fill[ZT_MAX_FILLS]; /* bit patterns of the array's type that are no values, like NaN:
                                    kept exactly, no part of a range or a bound. See zt_fill_bits */
    uint32_t sz_bins;            /* bins of sz's effort 'paper', even, 4..65536; 0: 1024 */
    uint32_t prefer;             /* zt_prefer; codec auto with a plan only */
} zt_params;

/* Set every field to its default. params_bytes is sizeof(zt_params) as the caller compiled it.
 * Returns ZT_BAD_ARG if it is smaller than any released version's. */
ZT_API zt_status zt_params_init(zt_params *params, size_t params_bytes);

/* A number as a value of a type, in the low bits of *bits. ZT_BAD_ARG if the type has no such value
 * (a float takes the nearest, but for a number that would become 0 or infinite). */
ZT_API zt_status zt_fill_bits(zt_type type, double value, uint64_t *bits);

/* ---- context: what the bytes do not depend on ---------------------------------------------- */

typedef struct zt_context zt_context;

/* Memory functions for all that the library allocates. alloc returns NULL when there is none and
 * memory aligned for any type otherwise; release accepts NULL. Frozen. */
typedef struct zt_allocator {
    void *(*alloc)(void *user, size_t bytes);
    void (*release)(void *user, void *memory);
    void *user;
    uint64_t reserved[2];
} zt_allocator;

/* Make a context; allocator may be NULL for malloc and free. Policy: serial. */
ZT_API zt_status zt_context_new(const zt_allocator *allocator, zt_context **context);

/* Free a context and its scratch; NULL is allowed. Writers and readers opened on it go first. */
ZT_API void zt_context_free(zt_context *context);

/* One full sentence about the last call on this context that did not return ZT_OK; "" before
 * there is one. Valid until the next call on the context. */
ZT_API const char *zt_context_error(const zt_context *context);

typedef enum zt_policy { ZT_SERIAL = 0, ZT_OMP = 1, ZT_CUDA = 2 } zt_policy;

/* Parameters of ZT_OMP. Frozen. */
typedef struct zt_omp {
    uint32_t threads; /* 0: OpenMP's own setting (omp_get_max_threads); at most 1024 */
    uint32_t grain;   /* tiles a thread takes at a time; 0: automatic */
    uint64_t reserved[2];
} zt_omp;

/* Choose where tiles are run. parameters is a zt_omp for ZT_OMP, a zt_cuda for ZT_CUDA, or NULL
 * for the defaults; setting a policy resets the parameters of the one before. ZT_UNSUPPORTED, with
 * the policy unchanged, where this build or machine lacks it: ZT_CUDA needs a build with CUDA and a
 * GPU.
 *
 * ZT_CUDA runs the tiles of all codecs, zt_huffman_encode and zt_huffman_decode on a GPU, slab by
 * slab: kernels on zt_cuda.stream, copies beside them, and the call returns when all is done.
 * Arrays, streams and files may be in the memory of either; what passes through the host is in
 * docs/gpu.md. Memory on the GPU is kept for the next call (ztile_cuda.h).
 * Bytes are those of the other policies.
 *
 * ZT_OMP never shows in the bytes. It makes threads of its own for the length of a call, as many
 * as OpenMP would use, changes nothing of OpenMP's state, and works in a forked child. With it, a
 * context's allocator is called from several threads at once. */
ZT_API zt_status zt_context_set_policy(zt_context *context, zt_policy policy,
                                       const void *parameters);

ZT_API zt_policy zt_context_policy(const zt_context *context);

/* The parameters of ZT_OMP as they were set; ZT_BAD_ARG under another policy. */
ZT_API zt_status zt_context_omp(const zt_context *context, zt_omp *omp);

/* Called while tiles are coded, from the calling thread, about once a mebibyte of raw values: done
 * of total tiles of the frame at hand. Anything but 0 cancels the call. Other threads of the policy
 * go on meanwhile, and no lock is held: the function may take its time, and call anything but
 * functions on this context and the writers and readers opened on it. */
typedef int (*zt_progress)(void *user, uint64_t done_tiles, uint64_t total_tiles);

/* NULL: no progress. */
ZT_API zt_status zt_context_set_progress(zt_context *context, zt_progress progress, void *user);

/* ---- compress and decompress, memory to memory --------------------------------------------- */

/* What is in a .zt file. Returned by zt_inspect and zt_reader_info. Of a sequential source, what is
 * of the whole file (shape[0], raw_bytes to frames but index_bytes, exact_values) is ZT_UNKNOWN,
 * and psnr NaN, until zt_reader_next has passed the last frame. */
typedef struct zt_info {
    uint32_t struct_bytes; /* set by zt_info_init */
    uint32_t format_version;
    uint32_t codec; /* zt_codec, of the first frame that is not raw; ZT_CODEC_NDZIP, which can
                       copy, where all are */
    uint32_t type;  /* zt_type */
    uint32_t rank;
    uint32_t index;              /* zt_index_kind; ZT_INDEX_NONE where there is none */
    uint64_t shape[ZT_MAX_RANK]; /* slowest first */
    zt_bound bound;              /* as asked for */
    double abs_bound;            /* the absolute bound that was promised; NaN if none was,
                                    0 if lossless */
    uint64_t raw_bytes;          /* of the array */
    uint64_t stream_bytes;       /* of all streams */
    uint64_t index_bytes;        /* of all indexes */
    uint64_t file_bytes;         /* of all */
    uint64_t frames;
    uint64_t slab_extent;    /* elements along the slowest axis in each frame but the last */
    uint64_t exact_values;   /* values that are kept beside the stream because the codec would
                                have broken the bound */
    uint64_t special_values; /* NaN, infinities and fill values that are kept beside it */
    uint32_t zfp_word_bits;  /* zfp only, of the first frame, as the six that follow */
    uint32_t zfp_minbits;
    uint32_t zfp_maxbits;
    uint32_t zfp_maxprec;
    int32_t zfp_minexp;
    int32_t zfp_shift; /* integers were multiplied by 2^shift before coding */
    uint32_t index_chunk;
    uint32_t index_partition;
    char name[128];
    char units[64];
    uint32_t sz_effort, sz_axes; /* sz only, of the first frame: zt_effort; bit i: differences */
    double sz_step;              /* are taken along axis i; what values are multiples of; pwrel:
                                    numbers kept in each doubling of a value */
    double psnr;                 /* bound psnr: dB that were reached over the whole array, infinite
                                    without any error; NaN for other bounds */
    double range;                /* bound psnr: the range that it is of; 0: coded without loss */
    zt_plan plan;                /* of the first frame; plan.rank 0: coded as it is */
    uint64_t raw_frames;         /* that hold their values as they are, as the codec would have
                                    needed more; 'the first frame' above is the first other one */
} zt_info;

ZT_API zt_status zt_info_init(zt_info *info, size_t info_bytes);

/* The most bytes that zt_compress can write for this array and these parameters; array->data is
 * not looked at. Under bounds of errors and without loss that is little more than the array has. */
ZT_API zt_status zt_compress_bound(zt_context *context, const zt_array *array,
                                   const zt_params *params, size_t *capacity_bytes);

/* Compress an array into a complete .zt file in memory.
 *
 * out, out_capacity_bytes  memory for the result; zt_compress_bound says how much always suffices.
 * out_bytes                how much was used.
 *
 * ZT_NO_SPACE: out is too small. Also ZT_BAD_ARG, ZT_UNSUPPORTED, ZT_NO_MEMORY, ZT_CANCELLED. */
ZT_API zt_status zt_compress(zt_context *context, const zt_array *array, const zt_params *params,
                             void *out, size_t out_capacity_bytes, size_t *out_bytes);

/* Decompress a complete .zt file in memory into out, whose type, rank and shape must be the
 * file's (zt_inspect) and whose strides are free. Every checksum is verified first.
 * ZT_BAD_ARG, ZT_CORRUPT, ZT_UNSUPPORTED, ZT_NO_MEMORY, ZT_CANCELLED. */
ZT_API zt_status zt_decompress(zt_context *context, const void *data, size_t data_bytes,
                               const zt_array *out);

/* Decompress a box only; out has the box's shape. With an index, and at fixed rate, only what the
 * box needs is verified and decoded; without one, the tiles before the box in each frame it meets
 * are parsed as well. */
ZT_API zt_status zt_decompress_box(zt_context *context, const void *data, size_t data_bytes,
                                   const zt_box *box, const zt_array *out);

/* What is in a .zt file: its headers and seek table are verified, its payload is not looked at. */
ZT_API zt_status zt_inspect(zt_context *context, const void *data, size_t data_bytes,
                            zt_info *info);

/* ---- writer and reader: files, pipes, object stores ---------------------------------------- */

/* Takes bytes in order; a pipe will do. write returns 0, or anything else for failure. sync (may be
 * NULL) returns 0 once all that was written survives a power cut: for a file, fsync. It is called
 * where params ask for ZT_SYNC. Who gives a file its name afterwards also has to sync the folder.
 * Frozen. */
typedef struct zt_sink {
    int (*write)(void *user, const void *data, size_t data_bytes);
    void *user;
    int (*sync)(void *user);
    uint64_t reserved[1];
} zt_sink;

/* Gives bytes at an offset. read fills *got_bytes, less than bytes only at the end of the source,
 * and returns 0, or anything else for failure. With source_bytes = ZT_UNKNOWN the source is
 * sequential (a pipe): offsets never go back, and only zt_reader_next works. Frozen. */
typedef struct zt_source {
    int (*read)(void *user, uint64_t offset, void *buffer, size_t bytes, size_t *got_bytes);
    void *user;
    uint64_t source_bytes;
    uint64_t reserved[2];
} zt_source;

typedef struct zt_writer zt_writer;
typedef struct zt_reader zt_reader;

/* Open a writer of one array. whole gives its type, rank and shape (data and strides are not
 * looked at); shape[0] may be ZT_UNKNOWN. params is copied; with rel and psnr its range must be
 * set. The bytes are those of zt_compress with the same params. */
ZT_API zt_status zt_writer_open(zt_context *context, const zt_sink *sink, const zt_array *whole,
                                const zt_params *params, zt_writer **writer);

/* The extent along the slowest axis of the frames this writer cuts: slabs of this thickness, put
 * in order, are coded where they lie and not copied first. */
ZT_API uint64_t zt_writer_slab_extent(const zt_writer *writer);

/* Append a slab: any thickness along the slowest axis, the array's extents along the others, any
 * strides. After a failure only zt_writer_free is left to call. */
ZT_API zt_status zt_writer_put(zt_writer *writer, const zt_array *slab);

/* Write what is still held and the seek table, without which a file is not complete.
 * ZT_BAD_ARG if fewer slices were put than were announced. The writer is still to be freed. */
ZT_API zt_status zt_writer_close(zt_writer *writer);

/* Free a writer, closed or not; NULL is allowed. */
ZT_API void zt_writer_free(zt_writer *writer);

/* Open a reader. On a source of known size, the seek table and the first header are read and
 * verified; on a sequential one, the first header. */
ZT_API zt_status zt_reader_open(zt_context *context, const zt_source *source, zt_reader **reader);

/* What is in the file. On a source of known size this reads every frame's header, once. */
ZT_API zt_status zt_reader_info(zt_reader *reader, zt_info *info);

/* Decompress a box into out, which has the box's shape and the file's type. */
ZT_API zt_status zt_reader_read_box(zt_reader *reader, const zt_box *box, const zt_array *out);

/* Verify every checksum of a source of known size; nothing is decoded. */
ZT_API zt_status zt_reader_check(zt_reader *reader);

/* NULL is allowed. */
ZT_API void zt_reader_close(zt_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
