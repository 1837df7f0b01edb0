/* trial.c: see trial.h. */
#include "plan/trial.h"

#include "codec/planning.h"

#include <math.h>

void zti_trial_free(zt_context *context, struct zti_trial *trial)
{
    zti_sample_free(context, &trial->sample);
    zti_buffer_free(context, &trial->stream);
    zti_buffer_free(context, &trial->decoded);
}

zt_status zti_configure(zt_context *context, const struct zti_target *target,
                        struct zti_coding *coding)
{
    const zt_status status = coding->codec->configure(context, target, coding);
    coding->loose_planes = 0;
    if (!status && target->loose_planes > 0)
        (void)zti_planning_of(coding->codec)->loosen(coding, target->loose_planes);
    return status;
}

zt_status zti_trial_encode(zt_context *context, const struct zti_codec *codec,
                           const struct zti_target *target, const struct zti_array *array,
                           struct zti_misses *misses, struct zti_buffer *stream,
                           struct zti_coding *coding, uint64_t *stream_bytes)
{
    size_t capacity = 0;
    uint64_t end_bits = 0;
    *coding = zti_coding_of(codec, array->type, array->rank, array->shape);
    zt_status status = zti_configure(context, target, coding);
    if (!misses)
        coding->verify_bound = (double)NAN;
    if (!status)
        status = zti_exec_survey(context, coding, array, NULL);
    if (!status)
        status = zti_exec_capacity(context, coding, &capacity);
    const uint64_t head_bytes = status ? 0 : zti_head_bytes(coding);
    if (!status)
        status = zti_buffer_reserve(context, stream, head_bytes + capacity, 0);
    if (!status)
        status = zti_exec_encode(context, coding, array, stream->bytes + head_bytes,
                                 stream->capacity - head_bytes, 0, &end_bits, misses, NULL);
    if (!status && !zti_has_ends(coding))
        zti_encode_head(coding, NULL, stream->bytes);
    *stream_bytes = head_bytes + end_bits / 8;
    return status;
}

zt_status zti_trial_open(zt_context *context, const struct zti_coding *coding,
                         const uint8_t *stream, struct zti_coding *read)
{
    uint8_t params[ZTI_CODEC_PARAMS_BYTES];
    const size_t params_bytes = coding->codec->store_params(coding, params);
    *read = zti_coding_of(coding->codec, coding->type, coding->grid.rank, coding->grid.shape);
    const zt_status status = coding->codec->load_params(context, params, params_bytes, read);
    return status ? status : zti_decode_head(context, read, stream);
}

zt_status zti_trial_decode(zt_context *context, const struct zti_coding *coding,
                           const uint8_t *stream, uint64_t stream_bytes, struct zti_buffer *decoded)
{
    const uint32_t rank = coding->grid.rank;
    const uint64_t values = zti_array_values(rank, coding->grid.shape);
    uint64_t end_bits;
    struct zti_coding read;
    zt_status status = zti_trial_open(context, coding, stream, &read);
    if (!status)
        status = zti_buffer_reserve(context, decoded, values * zt_type_bytes(coding->type), 0);
    const struct zti_array out =
        zti_array_packed(decoded->bytes, coding->type, rank, coding->grid.shape);
    const struct zti_view view = zti_view_whole(&out);
    if (!status)
        status = zti_exec_decode(context, &read, stream, (size_t)stream_bytes,
                                 zti_head_bytes(&read) * 8, NULL, &view, &end_bits);
    zti_forget(context, &read);
    return status;
}
