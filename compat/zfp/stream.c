/* stream.c: libzfp's compressed streams: their parameters and how they are executed. */
#include "compat.h"

#include <math.h>
#include <stdlib.h>

extern const uint zfp_codec_version, zfp_library_version;
extern const char *const zfp_version_string;
const uint zfp_codec_version = ZFP_CODEC;
const uint zfp_library_version = ZFP_VERSION;
const char *const zfp_version_string =
    "zfp version " ZFP_VERSION_STRING " (ztile " ZT_VERSION_STRING ")";

zt_zfp compat_params(const zfp_stream *stream)
{
    return (zt_zfp){.struct_bytes = sizeof(zt_zfp),
                    .minbits = stream->minbits,
                    .maxbits = stream->maxbits,
                    .maxprec = stream->maxprec,
                    .minexp = stream->minexp,
                    .word_bits = ZFP_WORD_BITS,
                    .flags = ZT_ZFP_AS_LIBZFP};
}

static void take_params(zfp_stream *stream, const zt_zfp *params)
{
    stream->minbits = params->minbits;
    stream->maxbits = params->maxbits;
    stream->maxprec = params->maxprec;
    stream->minexp = params->minexp;
}

/* ---- objects ---- */

zfp_stream *zfp_stream_open(bitstream *bits)
{
    zfp_stream *stream = malloc(sizeof *stream);
    if (stream)
        *stream = (zfp_stream){.minbits = ZFP_MIN_BITS,
                               .maxbits = ZFP_MAX_BITS,
                               .maxprec = ZFP_MAX_PREC,
                               .minexp = ZFP_MIN_EXP,
                               .stream = bits};
    return stream;
}

void zfp_stream_close(zfp_stream *stream)
{
    if (!stream)
        return;
    free(stream->exec.params);
    free(stream);
}

bitstream *zfp_stream_bit_stream(const zfp_stream *stream)
{
    return stream->stream;
}

void zfp_stream_set_bit_stream(zfp_stream *stream, bitstream *bits)
{
    stream->stream = bits;
}

/* ---- parameters ---- */

/* The numbers of zfp_mode and zt_zfp_mode are the same. */
zfp_mode zfp_stream_compression_mode(const zfp_stream *stream)
{
    const zt_zfp params = compat_params(stream);
    return (zfp_mode)zt_zfp_mode_of(&params);
}

double zfp_stream_rate(const zfp_stream *stream, uint dims)
{
    if (zfp_stream_compression_mode(stream) != zfp_mode_fixed_rate)
        return 0;
    return (double)stream->maxbits / (double)(1u << 2 * dims);
}

uint zfp_stream_precision(const zfp_stream *stream)
{
    return zfp_stream_compression_mode(stream) == zfp_mode_fixed_precision ? stream->maxprec : 0;
}

double zfp_stream_accuracy(const zfp_stream *stream)
{
    return zfp_stream_compression_mode(stream) == zfp_mode_fixed_accuracy
               ? ldexp(1.0, stream->minexp)
               : 0;
}

uint64 zfp_stream_mode(const zfp_stream *stream)
{
    const zt_zfp params = compat_params(stream);
    return zt_zfp_mode_code(&params);
}

void zfp_stream_params(const zfp_stream *stream, uint *minbits, uint *maxbits, uint *maxprec,
                       int *minexp)
{
    if (minbits)
        *minbits = stream->minbits;
    if (maxbits)
        *maxbits = stream->maxbits;
    if (maxprec)
        *maxprec = stream->maxprec;
    if (minexp)
        *minexp = stream->minexp;
}

size_t zfp_stream_compressed_size(const zfp_stream *stream)
{
    return stream_size(stream->stream);
}

size_t zfp_stream_maximum_size(const zfp_stream *stream, const zfp_field *field)
{
    const zt_zfp params = compat_params(stream);
    zt_array array;
    size_t bytes;
    return compat_array(field, &array) &&
                   zt_zfp_compress_bound(NULL, &array, &params, &bytes) == ZT_OK
               ? bytes
               : 0;
}

void zfp_stream_rewind(zfp_stream *stream)
{
    stream_rewind(stream->stream);
}

void zfp_stream_set_reversible(zfp_stream *stream)
{
    zt_zfp params = compat_params(stream);
    (void)zt_zfp_set_reversible(&params);
    take_params(stream, &params);
}

double zfp_stream_set_rate(zfp_stream *stream, double rate, zfp_type type, uint dims,
                           zfp_bool align)
{
    zt_zfp params = compat_params(stream);
    /* without a type, blocks have no header to make room for: as integers */
    const uint32_t t = compat_type(type) ? compat_type(type) : ZT_I32;
    double actual = 0;
    if (zt_zfp_set_rate(&params, rate, (zt_type)t, dims, align, &actual) == ZT_OK)
        take_params(stream, &params);
    return actual;
}

uint zfp_stream_set_precision(zfp_stream *stream, uint precision)
{
    zt_zfp params = compat_params(stream);
    uint32_t actual = 0;
    (void)zt_zfp_set_precision(&params, precision, &actual);
    take_params(stream, &params);
    return actual;
}

double zfp_stream_set_accuracy(zfp_stream *stream, double tolerance)
{
    zt_zfp params = compat_params(stream);
    double actual = 0;
    (void)zt_zfp_set_accuracy(&params, tolerance, &actual);
    take_params(stream, &params);
    return actual;
}

zfp_mode zfp_stream_set_mode(zfp_stream *stream, uint64 mode)
{
    zt_zfp params = compat_params(stream);
    struct zti_array array;
    if (mode > ZFP_MODE_SHORT_MAX) /* the long form, whose low bits are all ones */
        mode |= ZFP_MODE_SHORT_MAX + 1;
    if (!compat_read_codes(COMPAT_ANY_FIELD, mode, &params, &array))
        return zfp_mode_null;
    take_params(stream, &params);
    return zfp_stream_compression_mode(stream);
}

zfp_bool zfp_stream_set_params(zfp_stream *stream, uint minbits, uint maxbits, uint maxprec,
                               int minexp)
{
    zt_zfp params = compat_params(stream);
    if (zt_zfp_set_expert(&params, minbits, maxbits, maxprec, minexp) != ZT_OK)
        return zfp_false;
    take_params(stream, &params);
    return zfp_true;
}

/* ---- execution ---- */

zfp_exec_policy zfp_stream_execution(const zfp_stream *stream)
{
    return stream->exec.policy;
}

static zfp_exec_params_omp *omp_of(const zfp_stream *stream)
{
    return stream->exec.policy == zfp_exec_omp ? stream->exec.params : NULL;
}

uint zfp_stream_omp_threads(const zfp_stream *stream)
{
    const zfp_exec_params_omp *omp = omp_of(stream);
    return omp ? omp->threads : 0;
}

uint zfp_stream_omp_chunk_size(const zfp_stream *stream)
{
    const zfp_exec_params_omp *omp = omp_of(stream);
    return omp ? omp->chunk_size : 0;
}

/* Whether this build and machine can code on a GPU. */
static bool has_cuda(void)
{
    zt_context *context;
    if (zt_context_new(NULL, &context) != ZT_OK)
        return false;
    const bool has = zt_context_set_policy(context, ZT_CUDA) == ZT_OK;
    zt_context_free(context);
    return has;
}

zfp_bool zfp_stream_set_execution(zfp_stream *stream, zfp_exec_policy policy)
{
    if (policy == zfp_exec_serial) {
        free(stream->exec.params);
        stream->exec = (zfp_execution){.policy = zfp_exec_serial};
        return zfp_true;
    }
#if defined(ZTI_HAS_THREADS)
    if (policy == zfp_exec_omp) {
        if (omp_of(stream))
            return zfp_true;
        zfp_exec_params_omp *omp = calloc(1, sizeof *omp);
        if (!omp)
            return zfp_false;
        free(stream->exec.params);
        stream->exec = (zfp_execution){.policy = zfp_exec_omp, .params = omp};
        return zfp_true;
    }
#endif
    if (policy == zfp_exec_cuda && has_cuda()) {
        free(stream->exec.params);
        stream->exec = (zfp_execution){.policy = zfp_exec_cuda};
        return zfp_true;
    }
    return zfp_false;
}

zfp_bool zfp_stream_set_omp_threads(zfp_stream *stream, uint threads)
{
    if (!zfp_stream_set_execution(stream, zfp_exec_omp))
        return zfp_false;
    omp_of(stream)->threads = threads;
    return zfp_true;
}

zfp_bool zfp_stream_set_omp_chunk_size(zfp_stream *stream, uint chunk_size)
{
    if (!zfp_stream_set_execution(stream, zfp_exec_omp))
        return zfp_false;
    omp_of(stream)->chunk_size = chunk_size;
    return zfp_true;
}
