/* rates_mean.c: what ztile bench says of a codec over several files. */
#include "bench/rates.h"

#include <math.h>
#include <string.h>

static bool is_row(const struct rate *row, const char *codec, uint32_t threads,
                   const zt_bound *bound)
{
    return strcmp(row->codec, codec) == 0 && row->threads == threads &&
           row->bound.kind == bound->kind &&
           (row->bound.kind == ZT_LOSSLESS || row->bound.value == bound->value);
}

struct rate_mean rates_mean(const struct rates *r, const char *codec, uint32_t threads,
                            const zt_bound *bound)
{
    struct rate_mean m = {0, (double)NAN, (double)NAN, (double)NAN};
    double inverse = 0, raw = 0, encode = 0, decode = 0;
    for (size_t i = 0; i < r->rows; i++) {
        const struct rate *row = &r->row[i];
        if (!is_row(row, codec, threads, bound))
            continue;
        m.files++;
        inverse += 1 / rate_ratio(r, row);
        raw += (double)r->file[row->file].raw_bytes;
        encode += row->encode_seconds;
        decode += row->decode_seconds;
    }
    if (m.files > 0) {
        m.ratio = m.files / inverse;
        m.encode_speed = raw / encode;
        m.decode_speed = raw / decode;
    }
    return m;
}

int rates_codecs(const struct rates *r, const struct rate **first)
{
    int count = 0;
    for (int peers = 0; peers < 2; peers++)
        for (size_t i = 0; i < r->rows; i++) {
            const struct rate *row = &r->row[i];
            bool is_new = row->is_peer == (peers == 1) && count < RATES_CODECS;
            for (int k = 0; is_new && k < count; k++)
                is_new = strcmp(first[k]->codec, row->codec) != 0;
            if (is_new)
                first[count++] = row;
        }
    return count;
}
