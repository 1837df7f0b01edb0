/* format.h: the .zt file, version 1: byte tables, constants, and the functions that store and parse
 * its parts. docs/format/zt.md describes the same bytes for readers without this source.
 *
 *   file        = frame, { zero bytes to a multiple of 64, frame }, seek table
 *   frame       = header, payload, 8 zero bytes, tail
 *
 * All numbers are little-endian; varint is described in wire.h; XXH3 is XXH3-64 with seed 0.
 *
 *   HEADER      a multiple of 64 bytes, at a multiple of 64 from the start of the file
 *   0           4        93 5A 54 46  (93 "ZTF")
 *   4           1        format version, 1
 *   5           1        type | rank << 4
 *   6           1        codec
 *   7           1        bound kind | bound flags << 4
 *   8           1        U, bytes of the header / 64, 1..255
 *   9           varint   payload bytes
 *               varint   tail bytes
 *               varint   number of exact values (in the tail's side section)
 *               varint   number of the frame's first slice along the array's slowest axis
 *               varints  the frame's extents, rank of them, slowest first
 *               f64      the bound's value; kinds lossless and expert have none
 *               f64      the absolute bound that it became; rel only
 *               f64      the range of the whole array (psnr), or the error that was asked for
 *                        (rmse, mae), absolute: E
 *               f64      the frame's mean squared error over the square of E; mae: over E its
 *                        mean error
 *               1        bytes of codec parameters
 *               bytes    codec parameters, the codec's own
 *               sections type (1), length (varint), body; until a byte 0 or the end
 *               zeros    to the hash
 *   64 U - 8    8        XXH3 of the header before it
 *
 *   PAYLOAD     the codec's stream, byte for byte
 *
 *   TAIL
 *               sections until the end
 *   end - 8     8        XXH3 of the tail before it
 *
 *   SECTIONS    bit 7 of the type: a reader that does not know it must not decode the frame
 *   01 tail     checksums: byte r, 10 to 30 (written: 12, or up to 15 where the frame would else be
 *               longer than its values), then for each 2^r bytes of payload (the last range may be
 *               shorter) the low 32 bits of their XXH3. Always there
 *   82 tail     side values: byte 0 (method), a varint for each value: its position in C order
 *               less that of the one before less 1 (the first: its position); then the values.
 *               There if and only if the number of exact values is not 0
 *   03 header   name, UTF-8, 1..127 bytes; first frame only
 *   04 header   units, UTF-8, 1..63 bytes; first frame only
 *   05 header   index: kind (1), varints: tiles a chunk, chunks a partition (0 but in kind hybrid),
 *               bytes of the index in the tail
 *   05 tail     the index itself, described in index/index.h; there if and only if the header
 *               has section 05
 *   86 header   special values: varint, how many. NaN, infinities and fill values of a frame with a
 *               lossy bound, which the codec was not given
 *   86 tail     their places and bits, described in special.h; there if and only if the header has
 *               section 86
 *   09 header   uncounted values: varint, how many NaN, infinities and fill values the payload has,
 *               which the mean error does not count; with a bound on it only, in frames that hold
 *               their values as they are or have too many different special values
 *   0A header   bound on the mean error beside abs or rel: kind (1), f64 value, and two f64 as of
 *               such a bound alone
 *   0B header   limits: f64 lowest, f64 highest value (or infinities) that the array is to have; as
 *   8B header   decoded values are moved between them, but for exact and special ones
 *   08 tail     copy, of what is needed for every tile: the payload's head, where that is at most a
 *               1024th of it, and the header, which ends where the tail's hash begins: the last
 *               section. Of frames whose payload has 2^19 bytes or more
 *   87 header   plan: the payload is not of the slab but of an array with its axes in another
 *               order, some of them joined; described in plan/plan.h. Exact and special values
 *               have their places in that array
 *
 *   SEEK TABLE  right after the last frame's tail
 *   0           4        93 5A 54 53  (93 "ZTS")
 *   4           1        format version, 1
 *               varint   number of frames, at least 1
 *               varint   extent of the whole array along the slowest axis
 *               varints  for each frame: bytes from its header to the end of its tail, extent
 *   end - 16    8        XXH3 of the table before it
 *   end - 8     4        bytes of the table, from its first to its last
 *   end - 4     4        5A 54 45 93  ("ZTE" 93)
 */
#ifndef ZTI_FRAME_FORMAT_FORMAT_H
#define ZTI_FRAME_FORMAT_FORMAT_H

#include "codec/learning.h"
#include "core/wire.h"
#include "exec/exec.h"
#include "frame/format/lengths.h"
#include "frame/format/special.h"
#include "plan/plan.h"

extern const uint8_t zti_frame_magic[4];
extern const uint8_t zti_table_magic[4];
extern const uint8_t zti_end_magic[4];

uint64_t zti_hash(const uint8_t *bytes, size_t n);

/* What a frame's header says. */
struct zti_frame {
    uint32_t header_bytes;
    uint64_t payload_bytes;
    uint64_t tail_bytes;
    uint64_t exact_values;
    uint64_t special_values;
    uint64_t uncounted_values; /* NaN, infinities, fill values in the payload; with a mean only */
    uint64_t special_bytes;    /* of their section's body; while writing only */
    uint32_t range_log2;       /* of the payload's checksums; while writing only */
    uint64_t first;            /* slice of the array */
    uint32_t type;
    uint32_t rank;
    uint64_t shape[ZT_MAX_RANK];
    zt_bound bound;       /* as asked for */
    double abs_bound;     /* NaN: none; 0: lossless */
    struct zti_plan plan; /* how the slab becomes the coded array */
    zt_bound mean;        /* of a mean error: the bound, or the one beside it; kind 0: none */
    double range;         /* mean only: what errors are measured in, see write/resolve.c */
    double error; /* mean only: the frame's mean squared error over the square of range; mae:
                     its mean error over range */
    struct zti_limits {
        double lo, hi;   /* infinite: none */
        bool is_applied; /* decoded values are moved between them */
    } limits;
    struct zti_coding coding;
    struct zti_index_layout index; /* kind ZT_INDEX_NONE: there is none */
    uint64_t index_bytes;
    char name[ZTI_NAME_BYTES + 1];
    char units[ZTI_UNITS_BYTES + 1];
};

/* raw.c: whether a frame is raw: its payload is its values, uncompressed. A file of any codec may
 * contain raw frames. */
bool zti_is_raw(const struct zti_frame *frame);

/* Where a frame begins, and its payload. before: the bytes in front of the padding to the frame. */
static inline uint64_t zti_frame_at(uint64_t before)
{
    return zti_round_up(before, ZTI_FRAME_ALIGN_BYTES);
}

static inline uint64_t zti_payload_at(uint64_t before, const struct zti_frame *f)
{
    return zti_frame_at(before) + f->header_bytes;
}

static inline uint64_t zti_frame_bytes(const struct zti_frame *f)
{
    return f->header_bytes + f->payload_bytes + ZTI_GAP_BYTES + f->tail_bytes;
}

/* The number of values that the PSNR counts: all but NaN, infinities and fill values. */
static inline uint64_t zti_counted_values(const struct zti_frame *f)
{
    return zti_array_values(f->rank, f->shape) - f->special_values - f->uncounted_values;
}

/* ---- header.c ---- */

/* Write the smallest header for frame (its header_bytes is ignored) to out, which has room for
 * ZTI_HEADER_STORED_BYTES; returns its bytes. */
size_t zti_header_store(const struct zti_frame *frame, uint8_t *out);

/* The parts from which zti_header_join makes it. */
void zti_header_split(const struct zti_frame *frame, struct zti_header_text *text,
                      struct zti_header_numbers *numbers);

/* Read a header's length from its first ZTI_FRAME_ALIGN_BYTES bytes; checks magic and version.
 * number: the frame's, for messages. */
zt_status zti_header_bytes(zt_context *context, uint64_t number, const uint8_t *bytes,
                           uint32_t *header_bytes);

/* Parse and check a whole header. On success the sum of all lengths of *frame fits in 62 bits, the
 * bytes of its values fit in 63 bits, and the payload's length is possible for the codec. */
zt_status zti_header_parse(zt_context *context, uint64_t number, const uint8_t *bytes,
                           uint32_t header_bytes, struct zti_frame *frame);

/* Whether text is UTF-8 (no overlong forms, no surrogates) without a zero byte. */
bool zti_is_utf8(const uint8_t *text, size_t n);

/* ---- limits.c ---- */

static inline bool zti_has_limits(const struct zti_limits *limits)
{
    return isfinite(limits->lo) || isfinite(limits->hi);
}

/* Move the values of an array in the host's memory between the limits. */
void zti_limits_apply(const zt_context *context, const struct zti_limits *limits,
                      const struct zti_array *array);

/* ---- tail.c ---- */

/* What a tail holds beside the checksums. */
struct zti_tail_parts {
    const struct zti_miss *exact; /* exact values, frame->exact_values of them; may be NULL */
    const uint64_t *starts;       /* of chunks and the end, in the codec's units; may be NULL */
    const uint8_t *special;       /* the body of special values; may be NULL */
    const uint8_t *sums;          /* NULL, or the checksums; then only the payload's head is in the
                                     host's memory */
};

struct zti_tail {
    uint32_t range_log2;                /* a checksum covers 2^range_log2 bytes of payload */
    const uint8_t *checksums;           /* one for each range */
    const uint8_t *positions;           /* of exact values, as varints */
    const uint8_t *values;              /* the exact values; positions end here */
    const uint8_t *index;               /* frame->index_bytes */
    const uint8_t *head;                /* copy of the payload's head; NULL: none */
    struct zti_special_section special; /* count 0: none */
};

/* Set range_log2, tail_bytes and header_bytes; all other numbers are set. */
void zti_frame_measure(struct zti_frame *frame, const struct zti_tail_parts *parts);

/* The most bytes of a tail if payload, exact values, special values and index are no larger than
 * the frame says. */
uint64_t zti_tail_bytes_max(const struct zti_frame *frame);

/* Write frame->tail_bytes. */
void zti_tail_store(zt_context *context, const struct zti_frame *frame, const uint8_t *payload,
                    const struct zti_tail_parts *parts, uint8_t *out);

/* Parse and check a tail of frame->tail_bytes; *tail points into 'bytes' and 'map'. */
zt_status zti_tail_parse(zt_context *context, uint64_t number, const struct zti_frame *frame,
                         const uint8_t *bytes, struct zti_buffer *map, struct zti_tail *tail);

/* Find the checksums of a tail whose hash is wrong; false if its first section is not one of
 * checksums. */
bool zti_tail_find_checksums(const struct zti_frame *frame, const uint8_t *bytes,
                             struct zti_tail *tail);

/* Store those exact and special values of a frame that lie in a view. */
void zti_tail_apply(const struct zti_frame *frame, const struct zti_tail *tail,
                    const struct zti_view *view);

/* ---- checksums.c ---- */

/* Write the checksums of a payload's ranges of 2^log2 bytes. */
void zti_checksums_make(zt_context *context, const uint8_t *payload, uint64_t payload_bytes,
                        uint32_t log2, uint8_t *out);

/* Verify bytes [first, last) of the payload; 'bytes' points at the first. Both ends are multiples
 * of the tail's range or the payload's end. */
zt_status zti_checksums_verify(zt_context *context, uint64_t number, const struct zti_frame *frame,
                               const struct zti_tail *tail, const uint8_t *bytes, uint64_t first,
                               uint64_t last);

/* The same for a payload, which is not empty, in the memory of the context's GPU. */
zt_status zti_checksums_make_on_device(zt_context *context, const uint8_t *payload,
                                       uint64_t payload_bytes, uint32_t log2, uint8_t *out);
zt_status zti_checksums_verify_on_device(zt_context *context, uint64_t number,
                                         const struct zti_frame *frame, const struct zti_tail *tail,
                                         const uint8_t *bytes, uint64_t first, uint64_t last);

/* ---- seek.c ---- */

/* The frames of a file, in the order in which they are written or read: the entries of its seek
 * table. */
struct zti_table {
    uint8_t *entries;
    size_t bytes;
    size_t capacity;
    uint64_t frames;
    uint64_t extent; /* sum of the frames' extents */
};

zt_status zti_table_add(zt_context *context, struct zti_table *table, uint64_t frame_bytes,
                        uint64_t extent);
void zti_table_free(zt_context *context, struct zti_table *table);

/* Bytes of the whole table. */
uint64_t zti_table_bytes(const struct zti_table *table);

/* Write it; out has room for zti_table_bytes. */
void zti_table_store(const struct zti_table *table, uint8_t *out);

/* Where a frame is. A list of places ends with an extra one for the seek table. */
struct zti_place {
    uint64_t at;    /* byte of the file; the extra one's: where the seek table begins */
    uint64_t first; /* the frame's first slice; the extra one's: the array's extent */
    uint64_t bytes; /* header to tail; the extra one's: of the seek table */
};

/* Parse and check the seek table of a file of file_bytes. The caller frees *places. */
zt_status zti_table_parse(zt_context *context, const uint8_t *bytes, size_t table_bytes,
                          uint64_t file_bytes, struct zti_place **places, uint64_t *frames);

/* ---- params.c ---- */

/* Check the caller's params, and copy them to a struct of this version's size. */
zt_status zti_params_load(zt_context *context, const zt_params *params, zt_params *known);

/* Resolve what params ask for, for an array of a type, to the kind of bound and the absolute bound
 * for the codec. Where a bound on the mean error is searched for, *kind is ZT_PSNR whichever it is,
 * *abs_bound what each value keeps beside (NaN: nothing), and *range what errors are measured in
 * (psnr: the array's range; else the error that was asked for). */
zt_status zti_params_resolve(zt_context *context, const zt_params *params, uint32_t type,
                             zt_bound_kind *kind, double *abs_bound, double *range);

/* Whether a bound of params is relative to the whole array's range. */
bool zti_needs_range(const zt_params *params);

/* What was reached under a bound on the mean error, in its unit: sum is that of frames' errors
 * times their counted values. NaN: of the range, and 2^1020 or more. */
double zti_mean_reached(const zt_bound *mean, double range, double sum, uint64_t values);

static inline bool zti_is_absolute_mean(uint32_t kind)
{
    return kind == ZT_MAE || kind == ZT_MAE_REL;
}

/* ZT_BAD_ARG for a bound that no caller and no file can have. */
zt_status zti_bound_check(zt_context *context, const zt_bound *bound);

/* Check info->struct_bytes, and copy what fits of *known into it. */
zt_status zti_info_check(zt_context *context, const zt_info *info);
void zti_info_store(const zt_info *known, zt_info *info);

#endif
