/* reader.h: the reader behind zt_reader_*, zt_decompress and zt_inspect. */
#ifndef ZTI_FRAME_READ_READER_H
#define ZTI_FRAME_READ_READER_H

#include "frame/format/format.h"
#include "frame/read/input.h"

/* A frame's payload, which is read and verified in ascending order. In memory are all of it, or the
 * head and a window: the bytes that the last view needed. */
struct zti_payload {
    uint64_t at;          /* byte of the file */
    const uint8_t *bytes; /* where byte 0 is, or would be if it was read */
    const uint8_t *head;  /* its head, in the host's memory */
    uint64_t done;        /* all needed bytes before this one were read and verified */
    bool is_windowed;
    bool is_on_device; /* bytes are in the GPU's memory, where kernels decode them */
    uint64_t first;    /* byte of the window; it ends at 'done' */
    uint64_t end;      /* bytes before this one may be decoded */
};

/* A frame whose head and tail were read, and of which parts can be decoded. */
struct zti_opened {
    bool is_open;
    uint64_t number;
    struct zti_frame frame;
    struct zti_coding coding; /* with what was learnt from the head */
    struct zti_tail tail;
    struct zti_index sums;
    struct zti_index *index; /* &sums; NULL: none */
    struct zti_payload payload;
};

/* The current frame of zt_reader_next. */
struct zti_position {
    struct zti_frame frame;
    uint64_t number; /* its number */
    bool has_frame;
    bool is_read;         /* all of it or a part */
    uint64_t slices;      /* slices of it read so far */
    bool is_ended;        /* past the last frame, seek table verified */
    bool is_failed;       /* the source's position is unknown, nothing more can be read */
    struct zti_table met; /* sequential: the seek table of the frames read so far */
    uint64_t end_bytes;   /* sequential: length of the file, set at its end */
};

/* Sums over the frames that were counted, for zt_info. */
struct zti_sums {
    uint64_t frames; /* number of frames counted */
    uint64_t raw_frames;
    struct zti_frame coded; /* the first of them that is not raw; codec NULL: none */
    uint64_t stream_bytes;
    uint64_t exact_values;
    uint64_t special_values;
    uint64_t counted_values; /* that the PSNR counts */
    uint64_t index_bytes;
    double error; /* psnr only: sum of squared errors over the square of the range */
};

/* State of reading a damaged file. */
struct zti_repairs {
    uint64_t repaired;           /* as zt_salvage reports */
    uint64_t header_trial_bytes; /* bytes left to hash in the search for flipped bits in headers */
    uint64_t tail_trial_bytes;   /* and the seek table; the same for tails */
    zt_table_state table;
};

struct zt_reader {
    zt_context *context;
    struct zti_input input;
    struct zti_place *places; /* frames + 1 of them; NULL: a sequential source */
    uint64_t frames;          /* of the file; of a sequential source: read so far */
    struct zti_frame first;   /* header of frame 0 */
    bool is_damaged; /* opened by zt_reader_open_damaged. A place with 'at' ZT_UNKNOWN stands for
                        lost slices */
    struct zti_position now;
    struct zti_opened opened;
    struct zti_sums sums;
    struct zti_repairs repairs;
    struct zti_buffer head, payload, tail; /* of the current frame */
    struct zti_buffer front; /* the payload's head, if it is windowed or on the device */
    struct zti_buffer map;   /* memory of zti_special_parse, for the last tail */
    uint32_t fills;          /* finite special values found in tails so far */
    uint64_t fill[ZT_MAX_FILLS];
};

/* Open a file: read the seek table (if the size is known) and the first header. The caller clears
 * *reader, also on failure. */
zt_status zti_reader_init(zt_context *context, const struct zti_input *input,
                          struct zt_reader *reader);
void zti_reader_clear(struct zt_reader *reader);

/* The shape of the whole array; shape[0] is ZT_UNKNOWN before the end of a sequential source. */
void zti_reader_shape(const struct zt_reader *reader, uint64_t *shape);

/* Check the arguments of zt_reader_open. */
zt_status zti_source_check(zt_context *context, const zt_source *source, zt_reader **reader);

/* Check a caller's output array; ZT_BAD_ARG unless it has this shape and the file's type. */
zt_status zti_output_check(struct zt_reader *reader, const zt_array *given, const uint64_t *shape,
                           const char *what, struct zti_array *out);

/* Whether the bytes of an array of 'extent' slices fit in 63 bits. */
bool zti_extent_fits(const struct zti_frame *frame, uint64_t extent);

/* Add a frame to the sums of zt_info. */
void zti_reader_count(struct zt_reader *reader, const struct zti_frame *frame);

/* salvage.c: zt_reader_next of a damaged file. */
zt_status zti_salvage_next(struct zt_reader *reader);

/* salvage.c: read n bytes at 'at', inside the source; unreadable ones become zero. *whole_bytes:
 * the number of bytes before the first unreadable one. */
void zti_read_leniently(struct zt_reader *reader, uint64_t at, uint64_t n, uint8_t *to,
                        uint64_t *whole_bytes);

/* salvage.c: whether the last 8 of n bytes are the hash of the others, if necessary after flipping
 * one bit. All trials together hash at most *trial_bytes, which is reduced. */
bool zti_repair(struct zt_reader *reader, uint8_t *bytes, size_t n, uint64_t *trial_bytes);

/* salvage/frame.c: decode what is whole of the current frame, whose header is good. */
zt_status zti_salvage_frame(struct zt_reader *reader, const struct zti_array *out,
                            zt_salvage *salvage);

/* salvage/frame.c: put the fill value in a box of the current frame, whose slices 'out' holds, and
 * report the box. */
zt_status zti_salvage_lost(struct zt_reader *reader, const struct zti_array *out, const zt_box *box,
                           const char *why, zt_salvage *salvage);

/* load.c: one frame of a file. */

/* Open a frame's index without checking it. *index is NULL if there is none or its kind is unknown:
 * decoding works without. head: the payload's. The caller closes *opened. */
zt_status zti_load_index(struct zt_reader *reader, const struct zti_frame *frame,
                         const struct zti_tail *tail, const uint8_t *head, struct zti_index *opened,
                         struct zti_index **index);

/* Whether a frame has the bytes and slices that its place says. */
bool zti_fits_place(const struct zti_frame *frame, const struct zti_place *place);

/* Read and check the header of frame 'number' of a file of known size, against the seek table and
 * the first frame. */
zt_status zti_load_header(struct zt_reader *reader, uint64_t number, struct zti_frame *frame);

/* ZT_CORRUPT unless a frame has the first one's type, codec, bound and extents. */
zt_status zti_check_same_array(struct zt_reader *reader, uint64_t number,
                               const struct zti_frame *frame);

/* Decode a view of a frame whose header is at byte 'at': reads and verifies what that needs. */
zt_status zti_load_view(struct zt_reader *reader, uint64_t number, const struct zti_frame *frame,
                        uint64_t at, const struct zti_view *view);

/* async.c: decode the only frame, all of it, by the kernels of zt_decompress_async, where file and
 * array are in the GPU's memory and these take it. *is_done false: zti_load_view is to do it, and
 * to say what is wrong. */
zt_status zti_load_at_once(struct zt_reader *reader, const struct zti_frame *frame,
                           const struct zti_array *out, bool *is_done);

/* The scratch memory that this takes on the GPU, or 0. */
uint64_t zti_decoding_at_once_bytes(zt_context *context, const struct zti_array *array);

/* The same in steps: open a frame (reads head and tail), decode any number of views in ascending
 * order, close it. One frame is open at a time; it uses the reader's buffers. is_windowed: the
 * views are parts, each of which needs little of the payload. */
zt_status zti_open_frame(struct zt_reader *reader, uint64_t number, const struct zti_frame *frame,
                         uint64_t at, bool is_windowed);
zt_status zti_decode_part(struct zt_reader *reader, const struct zti_view *view);
void zti_close_frame(struct zt_reader *reader);

/* Read and parse the gap and the tail of a frame, at byte 'at'. Then: whether a stream that ends at
 * end_bits ends where the payload does, except for padding; and the same with ZT_CORRUPT. */
zt_status zti_load_tail(struct zt_reader *reader, uint64_t number, const struct zti_frame *frame,
                        uint64_t at, struct zti_tail *tail);
bool zti_is_end(const struct zti_frame *frame, uint64_t end_bits);
zt_status zti_check_end(struct zt_reader *reader, uint64_t number, const struct zti_frame *frame,
                        uint64_t end_bits);

/* ZT_CORRUPT unless all bytes between a frame and the next one, or the seek table, are zero. */
zt_status zti_check_padding(struct zt_reader *reader, uint64_t number);

/* Verify all checksums of a frame of a file of known size; decodes nothing. */
zt_status zti_check_frame(struct zt_reader *reader, uint64_t number);

#endif
