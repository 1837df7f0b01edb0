/* raw.c: after the fourth stage: a frame whose stream would be longer than its values holds these
 * uncompressed (raw), in the copying form that one codec has and that a file of any codec may
 * contain. So an array never grows by more than headers and checksums. */
#include "frame/write/stages.h"

#include <math.h>

bool zti_is_raw(const struct zti_frame *f)
{
    return f->coding.codec == zti_codec_raw() && zti_fixed_bits(&f->coding) > 0;
}

void zti_frame_leave_special(struct zti_frame *f)
{
    if (f->mean.kind != ZT_LOSSLESS)
        f->uncounted_values += f->special_values;
    f->special_values = 0;
}

void zti_frame_set_raw(struct zti_frame *f)
{
    const struct zti_codec *const codec = zti_codec_raw();
    f->plan = zti_plan_none(f->rank);
    f->coding = zti_coding_of(codec, f->type, f->rank, f->shape);
    codec->copy(&f->coding);
    f->index = (struct zti_index_layout){.kind = ZT_INDEX_NONE};
    zti_frame_leave_special(f);
    f->index_bytes = f->exact_values = 0;
    f->error = 0;
    f->limits.is_applied = false;
    f->payload_bytes = zti_array_values(f->rank, f->shape) * zt_type_bytes(f->type);
}

/* Bytes of a whole frame, with its index or without. */
static uint64_t bytes_of(const struct zti_frame *f, bool has_index,
                         const struct zti_tail_parts *parts)
{
    struct zti_frame own = *f;
    if (!has_index) {
        own.index = (struct zti_index_layout){.kind = ZT_INDEX_NONE};
        own.index_bytes = 0;
    }
    zti_frame_measure(&own, parts);
    return zti_frame_bytes(&own);
}

/* Bytes of the frame if it were raw. */
static uint64_t raw_bytes_of(const struct zti_frame *f, const struct zti_tail_parts *parts)
{
    struct zti_frame raw = *f;
    zti_frame_set_raw(&raw);
    return bytes_of(&raw, false, parts);
}

void zti_measure_frame(const zt_params *params, struct zti_frame *f,
                       const struct zti_tail_parts *parts)
{
    if (params->index == ZT_INDEX_DEFAULT && zti_has_limit(&f->bound) &&
        f->index.kind != ZT_INDEX_NONE && bytes_of(f, true, parts) > raw_bytes_of(f, parts)) {
        f->index = (struct zti_index_layout){.kind = ZT_INDEX_NONE};
        f->index_bytes = 0;
    }
    zti_frame_measure(f, parts);
}

zt_status zti_keep_short(struct zti_job *j)
{
    struct zti_frame *const f = &j->frame;
    const struct zti_tail_parts parts = zti_job_parts(j);
    if (!zti_has_limit(&f->bound) ||
        (!j->misses.exceeds_limit && bytes_of(f, false, &parts) <= raw_bytes_of(f, &parts)))
        return ZT_OK;
    zti_forget(j->context, &f->coding);
    zti_frame_set_raw(f);
    return zti_encode_payload(j, j->slab, f->payload_bytes, NULL, NULL);
}
