/* reader.h: the reader behind zt_reader_*, zt_decompress and zt_inspect. */
#ifndef ZTI_FRAME_READ_READER_H
#define ZTI_FRAME_READ_READER_H

#include "frame/format/format.h"
#include "frame/read/input.h"

/* A frame's payload on its way into memory. */
struct zti_payload {
    uint64_t at;          /* byte of the file */
    const uint8_t *bytes; /* where byte 0 is, or would be */
    uint64_t done;        /* all that is needed before this byte was read and verified */
};

/* A frame whose head and tail were read, while parts of it are decoded. */
struct zti_opened {
    bool is_open;
    uint64_t number;
    struct zti_frame frame;
    struct zti_coding coding; /* with what the head says */
    struct zti_tail tail;
    struct zti_index sums;
    struct zti_index *index; /* of sums; or NULL */
    bool is_index_checked;
    struct zti_payload payload;
};

/* Where zt_reader_next has got to. */
struct zti_position {
    struct zti_frame frame;
    uint64_t number; /* of frame */
    bool has_frame;
    bool is_read;         /* or begun to be */
    uint64_t slices;      /* of it that were read */
    bool is_ended;        /* past the last frame, seek table verified */
    bool is_failed;       /* of no more use: where the source stands is not known */
    struct zti_table met; /* sequential: the seek table as it should be */
    uint64_t end_bytes;   /* sequential: of the file, once it is read */
};

/* Sums over the frames that were counted, for zt_info. */
struct zti_sums {
    uint64_t frames; /* that are in the sums */
    uint64_t raw_frames;
    struct zti_frame coded; /* the first of them that is not raw, where not all are */
    uint64_t stream_bytes;
    uint64_t exact_values;
    uint64_t special_values;
    uint64_t counted_values; /* those of which the PSNR is */
    uint64_t index_bytes;
    double error; /* psnr only: squared errors over the square of the range, summed */
};

/* What reading a damaged file takes and finds. */
struct zti_repairs {
    uint64_t repaired;           /* as in zt_salvage */
    uint64_t header_trial_bytes; /* that may still be hashed to find changed bits of headers and */
    uint64_t tail_trial_bytes;   /* the seek table, and of tails */
    zt_table_state table;
};

struct zt_reader {
    zt_context *context;
    struct zti_input input;
    struct zti_place *places; /* of frames + 1; NULL on a sequential source */
    uint64_t frames;          /* of the file; on a sequential source, that were met so far */
    struct zti_frame first;   /* header of frame 0 */
    bool is_damaged; /* opened by zt_reader_open_damaged: a place whose 'at' is ZT_UNKNOWN is
                        of slices that are lost; all of known size */
    struct zti_position now;
    struct zti_opened opened;
    struct zti_sums sums;
    struct zti_repairs repairs;
    struct zti_buffer head, payload, tail; /* of the frame that is read */
    struct zti_buffer map; /* of the special values of the tail that was read last */
    uint32_t fills;        /* finite special values of the tails that were read */
    uint64_t fill[ZT_MAX_FILLS];
};

/* Read and verify what opening a file takes. input is set up already; the rest of *reader is set
 * here. On failure the reader is to be cleared all the same. */
zt_status zti_reader_init(zt_context *context, const struct zti_input *input,
                          struct zt_reader *reader);
void zti_reader_clear(struct zt_reader *reader);

/* The shape of the whole array; shape[0] is ZT_UNKNOWN before the end of a sequential source. */
void zti_reader_shape(const struct zt_reader *reader, uint64_t *shape);

/* What zt_reader_open checks of its arguments. */
zt_status zti_source_check(zt_context *context, const zt_source *source, zt_reader **reader);

/* Check a caller's array; ZT_BAD_ARG unless it can take values of this shape of the file's type. */
zt_status zti_output_check(struct zt_reader *reader, const zt_array *given, const uint64_t *shape,
                           const char *what, struct zti_array *out);

/* Whether all bytes of so many slices of a frame's array fit in 63 bits. */
bool zti_extent_fits(const struct zti_frame *frame, uint64_t extent);

/* Add a frame to the sums of zt_info. */
void zti_reader_count(struct zt_reader *reader, const struct zti_frame *frame);

/* salvage.c: zt_reader_next of a damaged file. */
zt_status zti_salvage_next(struct zt_reader *reader);

/* salvage.c: read n bytes at 'at', which are inside the source; what cannot be read is zero.
 * *whole_bytes: before the first that is not. */
void zti_read_leniently(struct zt_reader *reader, uint64_t at, uint64_t n, uint8_t *to,
                        uint64_t *whole_bytes);

/* salvage.c: whether n bytes, of which the last 8 are the hash of the others, are right, or were
 * put right by changing one bit. Trials that hash more than *trial_bytes in all are not made. */
bool zti_repair(struct zt_reader *reader, uint8_t *bytes, size_t n, uint64_t *trial_bytes);

/* salvage/frame.c: the values of the frame at hand, whose header is good. */
zt_status zti_salvage_frame(struct zt_reader *reader, const struct zti_array *out,
                            zt_salvage *salvage);

/* salvage/frame.c: put the fill value in a box of the frame at hand, for whose slices out is, and
 * report it. */
zt_status zti_salvage_lost(struct zt_reader *reader, const struct zti_array *out, const zt_box *box,
                           const char *why, zt_salvage *salvage);

/* load.c: one frame of a file. */

/* The index of a frame, opened and not checked; *index stays NULL where there is none, or none that
 * this version knows: it is not needed. head is the payload's. To be closed. */
zt_status zti_load_index(struct zt_reader *reader, const struct zti_frame *frame,
                         const struct zti_tail *tail, const uint8_t *head, struct zti_index *opened,
                         struct zti_index **index);

/* Whether a frame is as long, and of as many slices, as its place says. */
bool zti_is_of_place(const struct zti_frame *frame, const struct zti_place *place);

/* Read and check the header of frame 'number' of a file of known size, against the seek table and
 * the first frame. */
zt_status zti_load_header(struct zt_reader *reader, uint64_t number, struct zti_frame *frame);

/* ZT_CORRUPT unless a frame is of the same array as the first. */
zt_status zti_same_array(struct zt_reader *reader, uint64_t number, const struct zti_frame *frame);

/* Read what a view of a frame needs, whose header is at byte 'at', verify and decode it. */
zt_status zti_load_view(struct zt_reader *reader, uint64_t number, const struct zti_frame *frame,
                        uint64_t at, const struct zti_view *view);

/* In steps: head and tail of a frame are read, then any number of views decoded, the lower first,
 * and then it is closed. One frame is open at a time; it has the reader's buffers. */
zt_status zti_open_frame(struct zt_reader *reader, uint64_t number, const struct zti_frame *frame,
                         uint64_t at);
zt_status zti_decode_part(struct zt_reader *reader, const struct zti_view *view);
void zti_close_frame(struct zt_reader *reader);

/* The parts of that: the zero bytes after a payload and the tail, which lie together at byte 'at';
 * whether the last tile of a frame ends where the payload does, but for padding. */
zt_status zti_load_tail(struct zt_reader *reader, uint64_t number, const struct zti_frame *frame,
                        uint64_t at, struct zti_tail *tail);
bool zti_is_end(const struct zti_frame *frame, uint64_t end_bits);
zt_status zti_check_end(struct zt_reader *reader, uint64_t number, const struct zti_frame *frame,
                        uint64_t end_bits);

/* ZT_CORRUPT unless what is between a frame and the next one, or the seek table, is zero. */
zt_status zti_check_padding(struct zt_reader *reader, uint64_t number);

/* Verify all of a frame of a file of known size, decode nothing. */
zt_status zti_check_frame(struct zt_reader *reader, uint64_t number);

#endif
