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
 * Contents: status - array - params - context - compress and decompress - writer and reader -
 * damaged files - bare zfp streams - their indexes - bare ndzip streams - Huffman coding - quality.
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

/* Parameters of ZT_CUDA. Frozen. */
typedef struct zt_cuda {
    int32_t device; /* CUDA's number */
    uint32_t flags; /* 0 */
    void *stream;   /* a cudaStream_t of that device; NULL: the default stream */
    uint64_t reserved[2];
} zt_cuda;

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

/* Instruction sets that kernels have instances for. ZT_ISA_AVX2 is AVX2 with BMI1, BMI2 and POPCNT;
 * ZT_ISA_AVX512 is AVX-512 F, BW, VL, DQ, CD, VBMI, VBMI2, BITALG and VPOPCNTDQ with GFNI. */
typedef enum zt_isa { ZT_ISA_PLAIN = 0, ZT_ISA_AVX2 = 1, ZT_ISA_AVX512 = 2 } zt_isa;

/* Use at most this instruction set; a new context uses the best that the machine has. The choice
 * never shows in the bytes: it is there for tests and measurements. ZT_BAD_ARG for no zt_isa. */
ZT_API zt_status zt_context_set_isa(zt_context *context, zt_isa most);

/* What a context uses; of NULL, what calls without a context use. */
ZT_API zt_isa zt_context_isa(const zt_context *context);

/* "plain", "avx2", "avx512"; never NULL. */
ZT_API const char *zt_isa_name(zt_isa isa);

/* Called while tiles are coded, from the calling thread, about once a mebibyte of raw values: done
 * of total tiles of the frame at hand. Anything but 0 cancels the call. Other threads of the policy
 * go on meanwhile, and no lock is held: the function may take its time, and call anything but
 * functions on this context and the writers and readers opened on it. */
typedef int (*zt_progress)(void *user, uint64_t done_tiles, uint64_t total_tiles);

/* NULL: no progress. */
ZT_API zt_status zt_context_set_progress(zt_context *context, zt_progress progress, void *user);

/* What calls on a context may use. */
typedef struct zt_limits {
    uint32_t struct_bytes; /* set by zt_limits_init */
    uint32_t reserved;     /* 0 */
    uint64_t memory_bytes; /* that the context's calls, writers and readers hold at once, of what
                              they allocate themselves on the host; 0: no limit */
    uint64_t output_bytes; /* of values that one call decodes; 0: no limit */
} zt_limits;

ZT_API zt_status zt_limits_init(zt_limits *limits, size_t limits_bytes);

/* Calls that would need more fail with ZT_NO_MEMORY and a sentence that names the limit. limits may
 * be NULL for none. Memory that is held already counts. */
ZT_API zt_status zt_context_set_limits(zt_context *context, const zt_limits *limits);

/* What a call is at: for benchmarks that say where its time goes. */
typedef enum zt_stage {
    ZT_STAGE_OTHER = 0,   /* headers, checksums, index, copies */
    ZT_STAGE_RANGE = 1,   /* range of all values, and which are special */
    ZT_STAGE_SAMPLES = 2, /* sz: ways to predict, tried on samples */
    ZT_STAGE_COUNT = 3,   /* sz: symbols of the tiles, or of a part of them, counted */
    ZT_STAGE_MODELS = 4,  /* sz: codebooks or models made of what was counted */
    ZT_STAGE_ENCODE = 5,  /* tiles: values to bits */
    ZT_STAGE_TABLES = 6,  /* the head of a stream to tables for decoding */
    ZT_STAGE_DECODE = 7   /* tiles: bits to values */
} zt_stage;

enum { ZT_STAGES = 8 };

/* Called from the calling thread when a stage begins, which lasts until the next call; a stage may
 * come more than once. What it may call is what zt_progress may. */
typedef void (*zt_stage_begins)(void *user, zt_stage stage);

/* NULL: no calls. */
ZT_API zt_status zt_context_set_stages(zt_context *context, zt_stage_begins begins, void *user);

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

/* One way to code an array, and what it takes. Frozen. */
typedef struct zt_option {
    uint32_t codec;      /* zt_codec */
    uint32_t effort;     /* zt_effort */
    zt_plan plan;        /* rank 0: as it is */
    double stream_bytes; /* as samples have it; 0: nobody asked them */
    double coded_bytes;  /* what it took when all was coded, special values too; 0: it was not */
    uint64_t reserved;
} zt_option;

/* What samples say of the codecs, efforts and plans that params leave a choice of, for an array as
 * one frame with a bound on errors (abs, rel, pwrel, psnr) or none: options[0] is what zt_compress
 * codes first; then follow the others, and plans that went far. params->plan is not looked at.
 *
 * room: of options; 64 is enough. count: how many there are. */
ZT_API zt_status zt_plan_options(zt_context *context, const zt_array *array,
                                 const zt_params *params, zt_option *options, uint32_t room,
                                 uint32_t *count);

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

/* Special values (NaN, infinities, fill values) in the frames that were written so far. */
ZT_API uint64_t zt_writer_special_values(const zt_writer *writer);

/* Bound psnr: the dB that were reached over the frames that were written so far, infinite where
 * there is no error; NaN for other bounds. */
ZT_API double zt_writer_psnr(const zt_writer *writer);

/* What the first frame was chosen from: options[0] is what it was coded with; others that were
 * coded too have coded_bytes, which are more (but see zt_prefer); all others only what samples
 * said, if these were asked. Returns how many there are, at most 'room', which need not be more
 * than 64; 0 before the first frame is written. */
ZT_API uint32_t zt_writer_options(const zt_writer *writer, zt_option *options, uint32_t room);

/* Free a writer, closed or not; NULL is allowed. */
ZT_API void zt_writer_free(zt_writer *writer);

/* Open a reader. On a source of known size, the seek table and the first header are read and
 * verified; on a sequential one, the first header. */
ZT_API zt_status zt_reader_open(zt_context *context, const zt_source *source, zt_reader **reader);

/* What is in the file. On a source of known size this reads every frame's header, once. */
ZT_API zt_status zt_reader_info(zt_reader *reader, zt_info *info);

/* Decompress a box into out, which has the box's shape and the file's type. */
ZT_API zt_status zt_reader_read_box(zt_reader *reader, const zt_box *box, const zt_array *out);

/* Go to the next frame, the first one after opening: it holds the slices [*first, *first +
 * *extent) of the array. *extent is 0 once the last frame has passed and the seek table has been
 * verified. Works on every source. */
ZT_API zt_status zt_reader_next(zt_reader *reader, uint64_t *first, uint64_t *extent);

/* Decompress the frame that zt_reader_next went to; out has its shape. Once a frame. */
ZT_API zt_status zt_reader_read(zt_reader *reader, const zt_array *out);

/* The same by parts: decompress the next slices of the frame, as many as out has, so that values
 * can be used while they are in the processor's caches and no frame takes memory. What lies in a
 * frame before the first part is not passed over again. */
ZT_API zt_status zt_reader_read_part(zt_reader *reader, const zt_array *out);

/* How many slices the next part best has, for parts of about part_bytes: whole tiles, or all that
 * is left of the frame where smaller parts would have to decode tiles more than once. 0 where there
 * is no frame. */
ZT_API uint64_t zt_reader_part_extent(const zt_reader *reader, uint64_t part_bytes);

/* The fill values that the frames which were read so far keep beside their streams: the finite ones
 * of their special values, ZT_MAX_FILLS at most. fill has room for as many. */
ZT_API zt_status zt_reader_fills(const zt_reader *reader, uint32_t *fills, uint64_t *fill);

/* Verify every checksum of a source of known size; nothing is decoded. */
ZT_API zt_status zt_reader_check(zt_reader *reader);

/* NULL is allowed. */
ZT_API void zt_reader_close(zt_reader *reader);

/* Copy a .zt file and give it another index: the one that index, index_chunk and index_partition
 * of params ask for, ZT_INDEX_NONE included; the rest of params is not looked at. Streams stay as
 * they are, byte for byte. Their tiles are parsed to find where chunks begin, but not
 * reconstructed; the calling thread does that, under any policy.
 *
 * source  of known size. Every checksum is verified.
 * sink    gets the whole file: what zt_compress with this index would have written. What later
 *         versions may have added to a file and this one skips is left out.
 *
 * ZT_BAD_ARG, ZT_CORRUPT, ZT_UNSUPPORTED, ZT_NO_MEMORY, ZT_IO, ZT_CANCELLED. */
ZT_API zt_status zt_replace_index(zt_context *context, const zt_source *source, const zt_sink *sink,
                                  const zt_params *params);

/* ---- damaged files: what is left of them ---------------------------------------------------- */

/* What a damaged file does not give back of an array, or gives back without proof. */
typedef enum zt_loss {
    ZT_LOSS_LOST = 1,      /* the values are gone; the fill value is in their places */
    ZT_LOSS_UNVERIFIED = 2 /* decoded from what is there, with nothing to verify it by; values that
                              were kept beside the stream may be missing, so that the bound may not
                              hold and a NaN or fill value may be a number */
} zt_loss;

typedef enum zt_table_state {
    ZT_TABLE_WHOLE = 0,
    ZT_TABLE_REBUILT = 1, /* the seek table is damaged; the frames are all there and make it up */
    ZT_TABLE_MISSING = 2  /* none: slices after the last frame that is left are not known */
} zt_table_state;

/* How to read a damaged file, and what was found: zt_reader_salvage adds up over the frames. */
typedef struct zt_salvage {
    uint32_t struct_bytes; /* set by zt_salvage_init */
    uint32_t has_fill;     /* 1: fill takes the place of lost values; 0: NaN, for integers 0 */
    uint64_t fill;         /* a bit pattern of the array's type, see zt_fill_bits */
    /* Called for each part of the array that is not given back as it was, in ascending order of
     * frames: a box in the array's coordinates and why, in a few words. Boxes do not overlap.
     * Anything but 0 cancels the call. NULL: not called. */
    int (*part)(void *user, zt_loss loss, const zt_box *box, const char *why);
    void *user;
    uint64_t lost_boxes, lost_values;
    uint64_t unverified_boxes, unverified_values;
    uint64_t frames, damaged_frames; /* that were gone to, and of these, that had any damage */
    uint64_t repaired; /* headers, tails and seek tables in which one bit was put right, and headers
                          of which a copy was whole: a hash of 64 bits proves what they say */
    uint32_t table;    /* zt_table_state */
    uint32_t reserved;
} zt_salvage;

ZT_API zt_status zt_salvage_init(zt_salvage *salvage, size_t salvage_bytes);

/* Open what is left of a damaged .zt file. The source is of known size; the file may be cut short,
 * its seek table missing. Frames are found by the seek table, or from one to the next, past what is
 * damaged. zt_reader_info and zt_reader_next work as ever, frames that are lost included; what
 * zt_reader_next went to is read with zt_reader_salvage, and boxes cannot be. The array ends with
 * the last frame that is known.
 *
 * ZT_CORRUPT: no frame's header is whole. Also ZT_BAD_ARG, ZT_UNSUPPORTED, ZT_NO_MEMORY. */
ZT_API zt_status zt_reader_open_damaged(zt_context *context, const zt_source *source,
                                        zt_reader **reader);

/* zt_reader_read for a reader that zt_reader_open_damaged opened: all values that are whole, and
 * fill values in place of the others, each in a box that salvage->part is given. Values in no such
 * box are those of the undamaged file. A range of the source that cannot be read is damage, too.
 *
 * Lost are the tiles that damaged ranges of the payload hold; where the frame has no index, also
 * what follows them in the frame. ZT_OK however much is lost. */
ZT_API zt_status zt_reader_salvage(zt_reader *reader, const zt_array *out, zt_salvage *salvage);

/* ---- bare zfp streams: exchange with libzfp ------------------------------------------------- */

#define ZT_ZFP_HEADER 1u /* zfp's own header (magic, field, mode) stands before the blocks */
#define ZT_ZFP_AS_LIBZFP                                                                           \
    2u /* do whatever libzfp 1.0 does on x86-64, sensible or not: NaN and                          \
          infinities are coded as it codes them, parameters whose streams                          \
          cannot be decoded are accepted (docs/zfp.md) */

/* The parameters of a zfp stream, as in zfp's documentation ("Modes", "Expert mode"). */
typedef struct zt_zfp {
    uint32_t struct_bytes; /* set by zt_zfp_init */
    uint32_t minbits;      /* a block takes at least this many bits */
    uint32_t maxbits;      /* and at most this many */
    uint32_t maxprec;      /* bit planes coded at most, 1..64 */
    int32_t minexp;        /* exponent of the least bit plane coded; below -1074: reversible */
    uint32_t word_bits;    /* 8, 16, 32 or 64 (default) */
    uint32_t flags;        /* ZT_ZFP_*; default 0 */
    uint32_t reserved;
} zt_zfp;

typedef enum zt_zfp_mode {
    ZT_ZFP_INVALID = 0,
    ZT_ZFP_EXPERT = 1,
    ZT_ZFP_FIXED_RATE = 2,
    ZT_ZFP_FIXED_PRECISION = 3,
    ZT_ZFP_FIXED_ACCURACY = 4,
    ZT_ZFP_REVERSIBLE = 5
} zt_zfp_mode;

/* zfp's initial parameters: 1, 16658, 64, -1074; 64-bit words; no flags. */
ZT_API zt_status zt_zfp_init(zt_zfp *zfp, size_t zfp_bytes);

/* The setters change minbits, maxbits, maxprec and minexp only. actual may be NULL; it receives
 * what libzfp's setter returns: the rate, precision or tolerance that will be used. */
ZT_API zt_status zt_zfp_set_rate(zt_zfp *zfp, double rate, zt_type type, uint32_t rank, int align,
                                 double *actual);
ZT_API zt_status zt_zfp_set_precision(zt_zfp *zfp, uint32_t planes, uint32_t *actual);
ZT_API zt_status zt_zfp_set_accuracy(zt_zfp *zfp, double tolerance, double *actual);
ZT_API zt_status zt_zfp_set_reversible(zt_zfp *zfp);

/* ZT_BAD_ARG, and nothing changes, if minbits > maxbits or maxprec is not in 1..64. */
ZT_API zt_status zt_zfp_set_expert(zt_zfp *zfp, uint32_t minbits, uint32_t maxbits,
                                   uint32_t maxprec, int32_t minexp);

/* What a stream with these parameters calls itself. */
ZT_API zt_zfp_mode zt_zfp_mode_of(const zt_zfp *zfp);

/* The mode as it stands in a header: 12 bits, or 64 where the low 12 are all ones. Parameters that
 * zt_zfp_set_expert refuses have a code of 64 bits that readers refuse. */
ZT_API uint64_t zt_zfp_mode_code(const zt_zfp *zfp);

/* The array's type and shape as they stand in a header: 52 bits. ZT_BAD_ARG if an extent is too
 * large for it. */
ZT_API zt_status zt_zfp_field_code(const zt_array *array, uint64_t *code);

/* The most bytes that zt_zfp_compress can write. libzfp's own number, except where a stream of
 * libzfp's can be longer than that (maxbits smaller than a block's header). */
ZT_API zt_status zt_zfp_compress_bound(zt_context *context, const zt_array *array,
                                       const zt_zfp *zfp, size_t *capacity_bytes);

/* Write the stream that libzfp writes for this array and these parameters.
 * Refused unless ZT_ZFP_AS_LIBZFP is set: NaN and infinities where the parameters are lossy
 * (ZT_NONFINITE), parameters whose streams cannot be decoded (ZT_UNSUPPORTED). */
ZT_API zt_status zt_zfp_compress(zt_context *context, const zt_array *array, const zt_zfp *zfp,
                                 void *out, size_t out_capacity_bytes, size_t *out_bytes);

/* Read type, shape and parameters from a stream that begins with zfp's header (32 bits magic and
 * version, 52 bits field, 12 or 64 bits mode). zfp's word_bits and flags stay as they are;
 * *array gets a NULL pointer and contiguous strides. */
ZT_API zt_status zt_zfp_read_header(zt_context *context, const void *data, size_t data_bytes,
                                    zt_zfp *zfp, zt_array *array, uint32_t *header_bits);

/* Decode a stream into out. With ZT_ZFP_HEADER the header must agree with out's type and shape,
 * and replaces zfp's parameters. consumed_bytes (may be NULL): whole words, header included,
 * but never more than data_bytes.
 * ZT_CORRUPT if the stream ends before the last block does; any other bits decode to something:
 * zfp streams carry no checksum. */
ZT_API zt_status zt_zfp_decompress(zt_context *context, const void *data, size_t data_bytes,
                                   const zt_zfp *zfp, const zt_array *out, size_t *consumed_bytes);

/* Change a box of a fixed-rate stream where it lies. Only the blocks that meet the box are coded
 * again; every bit of the others stays as it is.
 *
 * stream, stream_bytes  the whole stream, its header included where ZT_ZFP_HEADER is set; the
 *                       header then replaces zfp's parameters.
 * whole                 type, rank and shape of the array that was compressed; data and strides
 *                       are not looked at.
 * values                the box's new values: its shape, the array's type, any strides.
 *
 * After a box of whole blocks (4 values along each axis, from multiples of 4, or up to the array's
 * end) the stream is what compressing the changed array gives. Of a block that lies partly in the
 * box, the other values are decoded and coded again with the new ones, and move as the rate makes
 * them. Takes the calling thread under any policy.
 *
 * ZT_UNSUPPORTED: the parameters do not give all blocks one size. ZT_NONFINITE: values holds NaN or
 * infinities, or a block that lies partly in the box decodes to some beside it, and
 * ZT_ZFP_AS_LIBZFP is not set. Also ZT_BAD_ARG, ZT_CORRUPT (the stream is too short), ZT_NO_MEMORY.
 * The stream is unchanged after any failure. */
ZT_API zt_status zt_zfp_write_box(zt_context *context, void *stream, size_t stream_bytes,
                                  const zt_zfp *zfp, const zt_array *whole, const zt_box *box,
                                  const zt_array *values);

/* ---- indexes of bare zfp streams ------------------------------------------------------------ */

/* An index of a bare stream, kept apart from it: where chunks of its blocks begin. With one, all
 * threads decode a stream that is not at fixed rate, and a box is decoded without what lies before
 * it. At fixed rate places are computed and no index is ever made: index_bytes is then 0.
 *
 * bytes[0 .. index_bytes - 1] are all there is to an index: the contents of a .zti file
 * (docs/format/zti.md). To keep one, write them to a file; to use it, let bytes point to what was
 * read.
 *
 *     zt_zfp_index index;
 *     zt_zfp_index_init(&index, sizeof index);
 *     zt_zfp_index_bound(ctx, &out, &zfp, &index, &index.capacity_bytes);
 *     index.bytes = malloc(index.capacity_bytes);
 *     zt_zfp_decompress_indexed(ctx, data, n, &zfp, &index, &out, NULL);   // finds the index
 *     zt_zfp_decompress_indexed(ctx, data, n, &zfp, &index, &out, NULL);   // uses it
 *
 * An index knows the length of its stream and a hash of the first and last 4 KiB: one that is
 * damaged or another stream's is ZT_CORRUPT, and so is a stream whose chunks do not end where the
 * index has the next one begin. Nothing is read out of bounds, whatever is in the bytes. */
typedef struct zt_zfp_index {
    uint32_t struct_bytes; /* set by zt_zfp_index_init */
    uint32_t kind;         /* zt_index_kind; default ZT_INDEX_COMPACT */
    uint32_t chunk;        /* blocks a chunk, at most 2^30; 0: the default */
    uint32_t partition;    /* chunks a partition, at most 2^16; hybrid only; 0: 32 */
    void *bytes;           /* the caller's memory, or NULL */
    size_t capacity_bytes; /* of it: what zt_zfp_index_bound says, for calls that make an index */
    size_t index_bytes;    /* of the index that is there; 0: none */
    uint64_t reserved[2];
} zt_zfp_index;

/* Default kind, no memory, no index. */
ZT_API zt_status zt_zfp_index_init(zt_zfp_index *index, size_t index_struct_bytes);

/* The most bytes that an index of this kind, chunk and partition takes; array->data is not looked
 * at. Calls that make an index ask for so many: with fewer they are ZT_NO_SPACE at once. */
ZT_API zt_status zt_zfp_index_bound(zt_context *context, const zt_array *array, const zt_zfp *zfp,
                                    const zt_zfp_index *index, size_t *capacity_bytes);

/* zt_zfp_compress, and the stream's index, noted while it is coded. A failure that has to do with
 * the index is told before anything is written. */
ZT_API zt_status zt_zfp_compress_indexed(zt_context *context, const zt_array *array,
                                         const zt_zfp *zfp, void *out, size_t out_capacity_bytes,
                                         size_t *out_bytes, zt_zfp_index *index);

/* Make the index of a stream that came without: its blocks are parsed, not reconstructed, by the
 * calling thread under any policy. array gives type, rank and shape. stream_bytes is the length
 * that the index will insist on. */
ZT_API zt_status zt_zfp_index_build(zt_context *context, const void *stream, size_t stream_bytes,
                                    const zt_zfp *zfp, const zt_array *array, zt_zfp_index *index);

/* Whether an index is this stream's, as far as can be told without decoding: ZT_OK, with kind,
 * chunk and partition set to those of the index, or ZT_CORRUPT or ZT_UNSUPPORTED. */
ZT_API zt_status zt_zfp_index_check(zt_context *context, const void *stream, size_t stream_bytes,
                                    const zt_zfp *zfp, const zt_array *array, zt_zfp_index *index);

/* zt_zfp_decompress with the index that is there: index->index_bytes is not 0. Where it is 0 and
 * index->bytes is not NULL, the index is noted on the way, for the next time, and is the one that
 * zt_zfp_index_build makes. index may be NULL. */
ZT_API zt_status zt_zfp_decompress_indexed(zt_context *context, const void *data, size_t data_bytes,
                                           const zt_zfp *zfp, zt_zfp_index *index,
                                           const zt_array *out, size_t *consumed_bytes);

/* Decode the box 'box' of a stream of the array 'whole' (type, rank and shape are looked at) into
 * out, which has the box's shape. With an index, and at fixed rate, only blocks of chunks that meet
 * the box are looked at; without (index NULL, or index_bytes 0), all before are parsed as well. */
ZT_API zt_status zt_zfp_decompress_box(zt_context *context, const void *data, size_t data_bytes,
                                       const zt_zfp *zfp, const zt_zfp_index *index,
                                       const zt_array *whole, const zt_box *box,
                                       const zt_array *out);

/* The same, reading from a source of known size what the box needs, and 4 KiB at either end. */
ZT_API zt_status zt_zfp_read_box(zt_context *context, const zt_source *source, const zt_zfp *zfp,
                                 const zt_zfp_index *index, const zt_array *whole,
                                 const zt_box *box, const zt_array *out);
/* ---- bare ndzip streams: exchange with ndzip ----------------------------------------------- */

/* The stream that ndzip writes since 2021: lossless, of float or double, 1 to 3 dimensions and less
 * than 2^32 elements (else ZT_UNSUPPORTED). It names neither type nor shape: whoever decodes it
 * must know both. ZT_CORRUPT where its lengths are not those of this type and shape; it has no
 * checksum. Other than elsewhere an extent may be 0: the stream is then empty.
 *
 * capacity_bytes: the most that zt_ndzip_compress can write. consumed_bytes (may be NULL): how long
 * the stream is; there may be more behind it. whole: type and shape of the array that was
 * compressed, its data and strides are not looked at; a box is found by the stream's own table. */
ZT_API zt_status zt_ndzip_compress_bound(zt_context *context, const zt_array *array,
                                         size_t *capacity_bytes);
ZT_API zt_status zt_ndzip_compress(zt_context *context, const zt_array *array, void *out,
                                   size_t out_capacity_bytes, size_t *out_bytes);
ZT_API zt_status zt_ndzip_decompress(zt_context *context, const void *data, size_t data_bytes,
                                     const zt_array *out, size_t *consumed_bytes);
ZT_API zt_status zt_ndzip_decompress_box(zt_context *context, const void *data, size_t data_bytes,
                                         const zt_array *whole, const zt_box *box,
                                         const zt_array *out);

/* ---- Huffman coding: symbols to bits and back, without arrays ------------------------------- */

/* Symbols below an alphabet of at most 65,536, each in 1, 2 or 4 bytes of the machine's order:
 * residuals, text, bases of a genome. The stream is described in docs/format/huffman.md; it depends
 * on the symbols and the alphabet alone, not on how wide symbols are, nor on the context. Under
 * ZT_OMP, runs of 262,144 symbols are coded at the same time. */

/* The most bytes that zt_huffman_encode can write. ZT_BAD_ARG for an alphabet of 0 or above 65,536,
 * or more symbols than memory holds. */
ZT_API zt_status zt_huffman_bound(uint64_t symbols, uint32_t alphabet, size_t *capacity_bytes);

/* Encode count symbols into a stream.
 *
 * symbols       count symbols of symbol_bytes (1, 2 or 4) each, aligned to that; all below
 * alphabet. out           out_capacity_bytes of memory; zt_huffman_bound says how many always
 * suffice. out_bytes     how many were used.
 *
 * ZT_BAD_ARG (also for a symbol that is not below the alphabet), ZT_NO_SPACE, ZT_NO_MEMORY. */
ZT_API zt_status zt_huffman_encode(zt_context *context, const void *symbols, uint32_t symbol_bytes,
                                   uint64_t count, uint32_t alphabet, void *out,
                                   size_t out_capacity_bytes, size_t *out_bytes);

/* What a stream claims to hold; no checksum is looked at. ZT_CORRUPT, ZT_UNSUPPORTED. */
ZT_API zt_status zt_huffman_inspect(zt_context *context, const void *data, size_t data_bytes,
                                    uint32_t *alphabet, uint64_t *symbols);

/* Decode a whole stream; count is what zt_huffman_inspect says, symbol_bytes any width that holds
 * the alphabet. The checksum is verified first. ZT_BAD_ARG, ZT_CORRUPT, ZT_UNSUPPORTED,
 * ZT_NO_MEMORY. */
ZT_API zt_status zt_huffman_decode(zt_context *context, const void *data, size_t data_bytes,
                                   void *symbols, uint32_t symbol_bytes, uint64_t count);

/* ---- quality: what is in an array, and how far two arrays are apart -------------------------- */

/* Counted by zt_scan, over as many slabs as it is given. */
typedef struct zt_stats {
    uint32_t struct_bytes; /* set by zt_stats_init */
    uint32_t reserved;
    uint64_t values;
    uint64_t nan_values;
    uint64_t inf_values;
    double min; /* over finite values; NaN if there is none. int64 is rounded to double */
    double max;
    uint64_t fill_values; /* that have one of the bit patterns in fill: not in min and max,
                             nor in the counts of NaN and infinities */
    uint32_t fills;
    uint32_t reserved2;
    uint64_t fill[ZT_MAX_FILLS]; /* set by the caller, as in zt_params; default none */
} zt_stats;

ZT_API zt_status zt_stats_init(zt_stats *stats, size_t stats_bytes);

/* Add an array's values to stats. */
ZT_API zt_status zt_scan(zt_context *context, const zt_array *array, zt_stats *stats);

/* Accumulated by zt_compare, over as many slabs as it is given. Errors are of finite originals that
 * are no fill values; for integers they are exact differences, rounded to double. */
typedef struct zt_quality {
    uint32_t struct_bytes; /* set by zt_quality_init */
    uint32_t fills;        /* set by the caller, with fill[]; default 0 */
    uint64_t values;
    uint64_t finite_values;    /* and no fill values */
    uint64_t special_changed;  /* originals that are NaN, infinite or fill values, of which any bit
                                  changed */
    uint64_t different_values; /* values of which any bit differs */
    uint64_t beyond_bound;     /* values off by more than abs_bound, if that is not NaN */
    double abs_bound;          /* set by the caller; default NaN */
    double min;                /* of the finite originals */
    double max;
    double max_abs_error;
    double max_pwrel_error;      /* largest |error| / |original| where the original is not 0 */
    double sum_squares;          /* of the errors */
    uint64_t fill[ZT_MAX_FILLS]; /* bit patterns, as in zt_params */
    double pwrel_bound;          /* set by the caller; default NaN: beyond_bound then also counts
                                    values off by more than this part of themselves */
} zt_quality;

ZT_API zt_status zt_quality_init(zt_quality *quality, size_t quality_bytes);

/* Add the differences between two arrays of one type and shape. */
ZT_API zt_status zt_compare(zt_context *context, const zt_array *original,
                            const zt_array *reconstructed, zt_quality *quality);

/* Root of the mean squared error; NaN if there is no finite value. */
ZT_API double zt_quality_rmse(const zt_quality *quality);

/* 20 log10(range / RMSE) in dB; infinite if the error is zero, NaN if there is no range. */
ZT_API double zt_quality_psnr(const zt_quality *quality);

#ifdef __cplusplus
}
#endif

#endif
