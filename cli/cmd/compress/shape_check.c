/* shape_check.c: the warning where a raw array looks as if it had another shape than was said. */
#include "cmd/compress/shape_check.h"

#include "cmd/compress/shape_rows.h"
#include "util/errors.h"
#include "util/numbers.h"

#include <inttypes.h>

/* A shape that has rows of this length: the extents that were said, another of them last, or two
 * axes. */
static const char *shape_with(const zt_array *a, uint64_t values, uint64_t row, char *text)
{
    uint64_t shape[ZT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->shape[i] != row || a->rank < 2)
            continue;
        for (uint32_t k = 0; k < a->rank; k++)
            shape[k] = a->shape[a->rank - 1 - k];
        if (shape[a->rank - 1] == row)
            return ztio_format_shape(a->rank, shape, text);
    }
    shape[0] = values / row;
    shape[1] = row;
    return ztio_format_shape(2, shape, text);
}

void warn_of_shape(const struct compress_job *job, const zt_array *slab)
{
    const bool is_raw = job->options->hints.rank > 0;
    char text[CLI_TEXT_BYTES];
    uint64_t values;
    if (!is_raw || job->meta->shape[0] == ZT_UNKNOWN ||
        !count_values(job->meta->rank, job->meta->shape, &values))
        return;
    const uint64_t row = find_other_rows(slab, values);
    if (row > 0)
        print(stderr,
              "ztile: warning: %s: the shape looks wrong: rows seem to have %" PRIu64
              " values; if they do, say -s %s\n",
              input_name(job->place), row, shape_with(slab, values, row, text));
}
