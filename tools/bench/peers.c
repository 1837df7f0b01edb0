/* peers.c: libraries of others for ztile bench, opened where they are installed. Nothing is linked
 * to them, so a machine without one only has a row less. */
#include "bench/coders.h"
#include "zfp.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

/* Open a library once and find functions in it: names are apart by blanks, pointers in order. */
static bool find_all(const char *library, const char *const *names, void **functions, size_t count)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; handle && i < count; i++) {
        functions[i] = dlsym(handle, names[i]);
        if (!functions[i])
            return false;
    }
    return handle != NULL;
}

/* Call function i as if it were declared like this one. */
#define AS(declared, pointer)                                                                      \
    (*(union {                                                                                     \
          void *in;                                                                                \
          __typeof__(&declared) out;                                                               \
      }){pointer}                                                                                  \
          .out)

static bool is_lossy(const struct target *target)
{
    return target->tolerance > 0;
}

/* ---- libzfp -------------------------------------------------------------------------------- */

enum {
    Z_OPEN,
    Z_SHUT,
    Z_FIELD,
    Z_TYPE,
    Z_SIZES,
    Z_FREE,
    Z_ACCURACY,
    Z_REVERSIBLE,
    Z_EXECUTION,
    Z_THREADS,
    Z_BITS,
    Z_SET_BITS,
    Z_REWIND,
    Z_MAXIMUM,
    Z_ENCODE,
    Z_DECODE,
    Z_CLOSE,
    Z_COUNT
};

static const char *const zfp_names[Z_COUNT] = {"zfp_stream_open",
                                               "zfp_stream_close",
                                               "zfp_field_alloc",
                                               "zfp_field_set_type",
                                               "zfp_field_set_size_4d",
                                               "zfp_field_free",
                                               "zfp_stream_set_accuracy",
                                               "zfp_stream_set_reversible",
                                               "zfp_stream_set_execution",
                                               "zfp_stream_set_omp_threads",
                                               "stream_open",
                                               "zfp_stream_set_bit_stream",
                                               "zfp_stream_rewind",
                                               "zfp_stream_maximum_size",
                                               "zfp_compress",
                                               "zfp_decompress",
                                               "stream_close"};
static void *zfp_functions[Z_COUNT];

#define Z(name, i) AS(name, zfp_functions[i])

static bool zfp_is_there(void)
{
    return find_all("libzfp.so.1", zfp_names, zfp_functions, Z_COUNT);
}

/* Values that are no numbers are undefined input to it. */
static bool zfp_fits(const struct subject *s, const struct target *target)
{
    for (uint32_t i = 0; i < s->rank; i++)
        if (s->shape[i] > UINT_MAX)
            return false;
    return s->special_values == 0 && target->bound.kind != ZT_PRECISION &&
           (!is_lossy(target) || s->type == ZT_F32 || s->type == ZT_F64);
}

/* A field and a stream as it asks; stream->stream is still to be set. */
static zfp_stream *zfp_begin(const struct subject *s, const struct target *target, void *values,
                             zfp_field **field)
{
    static const zfp_type types[] = {[ZT_F32] = zfp_type_float,
                                     [ZT_F64] = zfp_type_double,
                                     [ZT_I32] = zfp_type_int32,
                                     [ZT_I64] = zfp_type_int64};
    size_t n[4] = {0}; /* fastest first */
    zfp_stream *stream = Z(zfp_stream_open, Z_OPEN)(NULL);
    *field = Z(zfp_field_alloc, Z_FIELD)();
    for (uint32_t i = 0; i < s->rank; i++)
        n[i] = (size_t)s->shape[s->rank - 1 - i];
    (void)Z(zfp_field_set_type, Z_TYPE)(*field, types[s->type]);
    Z(zfp_field_set_size_4d, Z_SIZES)(*field, n[0], n[1], n[2], n[3]);
    (*field)->data = values;
    if (is_lossy(target))
        (void)Z(zfp_stream_set_accuracy, Z_ACCURACY)(stream, target->tolerance);
    else
        Z(zfp_stream_set_reversible, Z_REVERSIBLE)(stream);
    return stream;
}

static void zfp_end(zfp_stream *stream, zfp_field *field)
{
    Z(zfp_field_free, Z_FREE)(field);
    Z(zfp_stream_close, Z_SHUT)(stream);
}

static size_t zfp_capacity(const struct subject *s, const struct target *target)
{
    zfp_field *field;
    zfp_stream *stream = zfp_begin(s, target, s->values, &field);
    const size_t capacity = Z(zfp_stream_maximum_size, Z_MAXIMUM)(stream, field);
    zfp_end(stream, field);
    return capacity;
}

static size_t zfp_encode(const struct subject *s, const struct target *target, void *out,
                         size_t capacity)
{
    zfp_field *field;
    zfp_stream *stream = zfp_begin(s, target, s->values, &field);
    bitstream *bits = Z(stream_open, Z_BITS)(out, capacity);
    size_t n = 0;
    Z(zfp_stream_set_bit_stream, Z_SET_BITS)(stream, bits);
    Z(zfp_stream_rewind, Z_REWIND)(stream);
    if (target->threads == 1 || Z(zfp_stream_set_omp_threads, Z_THREADS)(stream, target->threads))
        n = Z(zfp_compress, Z_ENCODE)(stream, field);
    Z(stream_close, Z_CLOSE)(bits);
    zfp_end(stream, field);
    return n;
}

/* Its threads decode nothing at all but with CUDA, so this has one always. */
static bool zfp_decode(const struct subject *s, const struct target *target, const void *in,
                       size_t n, void *values)
{
    zfp_field *field;
    zfp_stream *stream = zfp_begin(s, target, values, &field);
    const union {
        const void *in;
        void *bytes;
    } from = {.in = in};
    bitstream *bits = Z(stream_open, Z_BITS)(from.bytes, n);
    Z(zfp_stream_set_bit_stream, Z_SET_BITS)(stream, bits);
    Z(zfp_stream_rewind, Z_REWIND)(stream);
    const bool done = Z(zfp_decompress, Z_DECODE)(stream, field) != 0;
    Z(stream_close, Z_CLOSE)(bits);
    zfp_end(stream, field);
    return done;
}

const struct coder coder_libzfp = {"libzfp",     true,       true,       zfp_is_there, zfp_fits,
                                   zfp_capacity, zfp_encode, zfp_decode, false,        false};

/* ---- fpzip --------------------------------------------------------------------------------- */

/* fpzip.h of version 1.3 */
typedef struct {
    int type; /* 0 float, 1 double */
    int prec; /* bits that are kept; 0: all */
    int nx, ny, nz, nf;
} FPZ;
FPZ *fpzip_write_to_buffer(void *, size_t);
size_t fpzip_write(FPZ *, const void *);
void fpzip_write_close(FPZ *);
FPZ *fpzip_read_from_buffer(const void *);
size_t fpzip_read(FPZ *, void *);
void fpzip_read_close(FPZ *);

enum { F_WRITE_TO, F_WRITE, F_WRITE_CLOSE, F_READ_FROM, F_READ, F_READ_CLOSE, F_COUNT };

static const char *const fpzip_names[F_COUNT] = {
    "fpzip_write_to_buffer",  "fpzip_write", "fpzip_write_close",
    "fpzip_read_from_buffer", "fpzip_read",  "fpzip_read_close"};
static void *fpzip_functions[F_COUNT];

#define F(name, i) AS(name, fpzip_functions[i])

static bool fpzip_is_there(void)
{
    return find_all("libfpzip.so.1", fpzip_names, fpzip_functions, F_COUNT);
}

/* It has no bounds but bits that are kept. */
static bool fpzip_fits(const struct subject *s, const struct target *target)
{
    for (uint32_t i = 0; i < s->rank; i++)
        if (s->shape[i] > INT_MAX)
            return false;
    return target->threads == 1 && (s->type == ZT_F32 || s->type == ZT_F64) &&
           (target->bound.kind == ZT_PRECISION || !is_lossy(target)) &&
           (target->bound.kind != ZT_PRECISION || s->special_values == 0);
}

static size_t fpzip_capacity(const struct subject *s, const struct target *target)
{
    (void)target;
    return (size_t)s->raw_bytes + (size_t)s->raw_bytes / 2 + 4096;
}

static void fpzip_describe(FPZ *f, const struct subject *s, const struct target *target)
{
    int n[4] = {1, 1, 1, 1};
    for (uint32_t i = 0; i < s->rank; i++)
        n[i] = (int)s->shape[s->rank - 1 - i];
    f->type = s->type == ZT_F64;
    f->prec = target->bound.kind == ZT_PRECISION ? (int)target->bound.value : 0;
    f->nx = n[0];
    f->ny = n[1];
    f->nz = n[2];
    f->nf = n[3];
}

static size_t fpzip_encode(const struct subject *s, const struct target *target, void *out,
                           size_t capacity)
{
    FPZ *f = F(fpzip_write_to_buffer, F_WRITE_TO)(out, capacity);
    if (!f)
        return 0;
    fpzip_describe(f, s, target);
    const size_t n = F(fpzip_write, F_WRITE)(f, s->values);
    F(fpzip_write_close, F_WRITE_CLOSE)(f);
    return n;
}

static bool fpzip_decode(const struct subject *s, const struct target *target, const void *in,
                         size_t n, void *values)
{
    FPZ *f = F(fpzip_read_from_buffer, F_READ_FROM)(in);
    (void)n;
    if (!f)
        return false;
    fpzip_describe(f, s, target);
    const bool done = F(fpzip_read, F_READ)(f, values) != 0;
    F(fpzip_read_close, F_READ_CLOSE)(f);
    return done;
}

const struct coder coder_fpzip = {"fpzip",    true,           false,        fpzip_is_there,
                                  fpzip_fits, fpzip_capacity, fpzip_encode, fpzip_decode,
                                  false,      false};

/* ---- zstd ---------------------------------------------------------------------------------- */

/* zstd.h */
size_t ZSTD_compressBound(size_t);
size_t ZSTD_compress(void *, size_t, const void *, size_t, int);
size_t ZSTD_decompress(void *, size_t, const void *, size_t);
unsigned ZSTD_isError(size_t);

enum { S_BOUND, S_ENCODE, S_DECODE, S_IS_ERROR, S_COUNT, S_LEVEL = 3 };

static const char *const zstd_names[S_COUNT] = {"ZSTD_compressBound", "ZSTD_compress",
                                                "ZSTD_decompress", "ZSTD_isError"};
static void *zstd_functions[S_COUNT];

#define S(name, i) AS(name, zstd_functions[i])

static bool zstd_is_there(void)
{
    return find_all("libzstd.so.1", zstd_names, zstd_functions, S_COUNT);
}

static bool zstd_fits(const struct subject *s, const struct target *target)
{
    (void)s;
    return target->threads == 1 && target->bound.kind != ZT_PRECISION && !is_lossy(target);
}

static size_t zstd_capacity(const struct subject *s, const struct target *target)
{
    (void)target;
    return S(ZSTD_compressBound, S_BOUND)((size_t)s->raw_bytes);
}

static size_t zstd_encode(const struct subject *s, const struct target *target, void *out,
                          size_t capacity)
{
    (void)target;
    const size_t n =
        S(ZSTD_compress, S_ENCODE)(out, capacity, s->values, (size_t)s->raw_bytes, S_LEVEL);
    return S(ZSTD_isError, S_IS_ERROR)(n) ? 0 : n;
}

static bool zstd_decode(const struct subject *s, const struct target *target, const void *in,
                        size_t n, void *values)
{
    (void)target;
    return S(ZSTD_decompress, S_DECODE)(values, (size_t)s->raw_bytes, in, n) == s->raw_bytes;
}

const struct coder coder_zstd = {"zstd",        true,        false,       zstd_is_there, zstd_fits,
                                 zstd_capacity, zstd_encode, zstd_decode, false,         false};
