/* compress.c: libzfp's calls on whole arrays and headers. */
#include "compat.h"
#include "exec/exec.h"

#include <math.h>

/* A context with the stream's policy; NULL without memory, or for a policy that is not here. */
static zt_context *context_of(const zfp_stream *stream)
{
    zt_context *context;
    zt_status status = ZT_OK;
    if (zt_context_new(NULL, &context) != ZT_OK)
        return NULL;
    if (stream->exec.policy == zfp_exec_omp) {
        const uint threads = zfp_stream_omp_threads(stream);
        const zt_omp omp = {.threads = threads < ZTI_MAX_THREADS ? threads : ZTI_MAX_THREADS,
                            .grain = zfp_stream_omp_chunk_size(stream)};
        (void)zt_context_set_omp(context, &omp);
    } else if (stream->exec.policy != zfp_exec_serial) {
        status = stream->exec.policy == zfp_exec_cuda ? zt_context_set_policy(context, ZT_CUDA)
                                                      : ZT_UNSUPPORTED;
    }
    if (status == ZT_OK)
        return context;
    zt_context_free(context);
    return NULL;
}

/* Type, tiles and parameters; the array has been checked. */
static bool coding_of(const zfp_stream *stream, const struct zti_array *array,
                      struct zti_coding *coding)
{
    const zt_zfp params = compat_params(stream);
    *coding = (struct zti_coding){.codec = &zti_codec_zfp,
                                  .type = array->type,
                                  .grid = zti_codec_grid(&zti_codec_zfp, array->rank, array->shape),
                                  .verify_bound = NAN};
    return zti_zfp_check(NULL, &params, zfp_in(coding)) == ZT_OK;
}

/* What a call on a whole array works with. */
struct call {
    zt_context *context;
    struct zti_array array;
    struct zti_coding coding;
};

/* False, with nothing open, where field, parameters or policy are none. Arrays may be in the memory
 * of a GPU under its policy. */
static bool open_call(const zfp_stream *stream, const zfp_field *field, struct call *call)
{
    zt_array given;
    if (!stream->stream || !compat_array(field, &given) || !compat_words_fit())
        return false;
    call->context = context_of(stream);
    if (!call->context)
        return false;
    if (zti_array_check(call->context, &given, ZTI_TO_READ, &call->array) == ZT_OK &&
        coding_of(stream, &call->array, &call->coding))
        return true;
    zt_context_free(call->context);
    return false;
}

size_t zfp_compress(zfp_stream *stream, const zfp_field *field)
{
    bitstream *s = stream->stream;
    struct call call;
    uint64_t end_bits;
    if (!s || stream_wtell(s) > (uint64_t)s->bytes * 8 || !open_call(stream, field, &call))
        return 0;
    compat_store_held(s);
    const zt_status status = zti_exec_encode(call.context, &call.coding, &call.array, s->data,
                                             s->bytes, stream_wtell(s), &end_bits, NULL, NULL);
    zt_context_free(call.context);
    if (status != ZT_OK)
        return 0;
    compat_go_to_word(s, end_bits / ZFP_WORD_BITS);
    return stream_size(s);
}

size_t zfp_decompress(zfp_stream *stream, zfp_field *field)
{
    bitstream *s = stream->stream;
    struct call call;
    uint64_t end_bits;
    if (!open_call(stream, field, &call))
        return 0;
    const struct zti_view view = zti_view_whole(&call.array);
    const zt_status status = zti_exec_decode(call.context, &call.coding, s->data, s->bytes,
                                             stream_rtell(s), NULL, &view, &end_bits);
    zt_context_free(call.context);
    if (status != ZT_OK)
        return 0;
    compat_go_to_word(s, zti_round_up(end_bits, ZFP_WORD_BITS) / ZFP_WORD_BITS);
    return stream_size(s);
}

/* ---- headers: magic, field, mode, each where its mask bit is set ---- */

size_t zfp_write_header(zfp_stream *stream, const zfp_field *field, uint mask)
{
    bitstream *s = stream->stream;
    const uint64_t start = stream_wtell(s);
    uint64_t meta = 0;
    if (!compat_words_fit())
        return 0;
    if (mask & ZFP_HEADER_META) {
        meta = zfp_field_metadata(field);
        if (meta == ZFP_META_NULL)
            return 0;
    }
    if (mask & ZFP_HEADER_MAGIC)
        (void)stream_write_bits(s, 'z' | 'f' << 8 | 'p' << 16 | ZFP_CODEC << 24, ZFP_MAGIC_BITS);
    if (mask & ZFP_HEADER_META)
        (void)stream_write_bits(s, meta, ZFP_META_BITS);
    if (mask & ZFP_HEADER_MODE) {
        const uint64_t mode = zfp_stream_mode(stream);
        (void)stream_write_bits(
            s, mode, mode > ZFP_MODE_SHORT_MAX ? ZFP_MODE_LONG_BITS : ZFP_MODE_SHORT_BITS);
    }
    return (size_t)(stream_wtell(s) - start);
}

size_t zfp_read_header(zfp_stream *stream, zfp_field *field, uint mask)
{
    static const uint8_t magic[4] = {'z', 'f', 'p', ZFP_CODEC};
    bitstream *s = stream->stream;
    const uint64_t start = stream_rtell(s);
    if (!compat_words_fit())
        return 0;
    if (mask & ZFP_HEADER_MAGIC)
        for (uint32_t i = 0; i < 4; i++)
            if (stream_read_bits(s, 8) != magic[i])
                return 0;
    if (mask & ZFP_HEADER_META &&
        !zfp_field_set_metadata(field, stream_read_bits(s, ZFP_META_BITS)))
        return 0;
    if (mask & ZFP_HEADER_MODE) {
        uint64_t mode = stream_read_bits(s, ZFP_MODE_SHORT_BITS);
        if (mode > ZFP_MODE_SHORT_MAX)
            mode |= stream_read_bits(s, ZFP_MODE_LONG_BITS - ZFP_MODE_SHORT_BITS)
                    << ZFP_MODE_SHORT_BITS;
        if (zfp_stream_set_mode(stream, mode) == zfp_mode_null)
            return 0;
    }
    return (size_t)(stream_rtell(s) - start);
}

size_t zfp_stream_flush(zfp_stream *stream)
{
    return stream_flush(stream->stream);
}

size_t zfp_stream_align(zfp_stream *stream)
{
    return stream_align(stream->stream);
}
