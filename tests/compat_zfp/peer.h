/* peer.h: two libraries with libzfp's API in one process: each opened on its own, its functions
 * found by name. */
#ifndef ZTILE_TEST_PEER_H
#define ZTILE_TEST_PEER_H

#include <zfp.h>

#include <stdbool.h>

/* The functions that the test calls, X(result, name, parameters). */
#define PEER_FUNCTIONS(X)                                                                          \
    X(bitstream *, stream_open, (void *, size_t))                                                  \
    X(void, stream_close, (bitstream *))                                                           \
    X(bitstream *, stream_clone, (const bitstream *))                                              \
    X(bitstream_count, stream_alignment, (void))                                                   \
    X(void *, stream_data, (const bitstream *))                                                    \
    X(size_t, stream_size, (const bitstream *))                                                    \
    X(size_t, stream_capacity, (const bitstream *))                                                \
    X(size_t, stream_stride_block, (const bitstream *))                                            \
    X(ptrdiff_t, stream_stride_delta, (const bitstream *))                                         \
    X(uint, stream_read_bit, (bitstream *))                                                        \
    X(uint, stream_write_bit, (bitstream *, uint))                                                 \
    X(uint64, stream_read_bits, (bitstream *, bitstream_count))                                    \
    X(uint64, stream_write_bits, (bitstream *, uint64, bitstream_count))                           \
    X(bitstream_offset, stream_rtell, (const bitstream *))                                         \
    X(bitstream_offset, stream_wtell, (const bitstream *))                                         \
    X(void, stream_rewind, (bitstream *))                                                          \
    X(void, stream_rseek, (bitstream *, bitstream_offset))                                         \
    X(void, stream_wseek, (bitstream *, bitstream_offset))                                         \
    X(void, stream_skip, (bitstream *, bitstream_size))                                            \
    X(void, stream_pad, (bitstream *, bitstream_size))                                             \
    X(bitstream_count, stream_align, (bitstream *))                                                \
    X(bitstream_count, stream_flush, (bitstream *))                                                \
    X(void, stream_copy, (bitstream *, bitstream *, bitstream_size))                               \
    X(size_t, zfp_type_size, (zfp_type))                                                           \
    X(zfp_stream *, zfp_stream_open, (bitstream *))                                                \
    X(void, zfp_stream_close, (zfp_stream *))                                                      \
    X(bitstream *, zfp_stream_bit_stream, (const zfp_stream *))                                    \
    X(zfp_mode, zfp_stream_compression_mode, (const zfp_stream *))                                 \
    X(double, zfp_stream_rate, (const zfp_stream *, uint))                                         \
    X(uint, zfp_stream_precision, (const zfp_stream *))                                            \
    X(double, zfp_stream_accuracy, (const zfp_stream *))                                           \
    X(uint64, zfp_stream_mode, (const zfp_stream *))                                               \
    X(size_t, zfp_stream_maximum_size, (const zfp_stream *, const zfp_field *))                    \
    X(void, zfp_stream_set_reversible, (zfp_stream *))                                             \
    X(double, zfp_stream_set_rate, (zfp_stream *, double, zfp_type, uint, zfp_bool))               \
    X(uint, zfp_stream_set_precision, (zfp_stream *, uint))                                        \
    X(double, zfp_stream_set_accuracy, (zfp_stream *, double))                                     \
    X(zfp_mode, zfp_stream_set_mode, (zfp_stream *, uint64))                                       \
    X(zfp_bool, zfp_stream_set_params, (zfp_stream *, uint, uint, uint, int))                      \
    X(zfp_exec_policy, zfp_stream_execution, (const zfp_stream *))                                 \
    X(uint, zfp_stream_omp_threads, (const zfp_stream *))                                          \
    X(uint, zfp_stream_omp_chunk_size, (const zfp_stream *))                                       \
    X(zfp_bool, zfp_stream_set_execution, (zfp_stream *, zfp_exec_policy))                         \
    X(zfp_bool, zfp_stream_set_omp_threads, (zfp_stream *, uint))                                  \
    X(zfp_bool, zfp_stream_set_omp_chunk_size, (zfp_stream *, uint))                               \
    X(zfp_config, zfp_config_none, (void))                                                         \
    X(zfp_config, zfp_config_rate, (double, zfp_bool))                                             \
    X(zfp_config, zfp_config_precision, (uint))                                                    \
    X(zfp_config, zfp_config_accuracy, (double))                                                   \
    X(zfp_config, zfp_config_reversible, (void))                                                   \
    X(zfp_config, zfp_config_expert, (uint, uint, uint, int))                                      \
    X(void *, zfp_field_begin, (const zfp_field *))                                                \
    X(uint, zfp_field_precision, (const zfp_field *))                                              \
    X(uint, zfp_field_dimensionality, (const zfp_field *))                                         \
    X(size_t, zfp_field_size, (const zfp_field *, size_t *))                                       \
    X(size_t, zfp_field_size_bytes, (const zfp_field *))                                           \
    X(size_t, zfp_field_blocks, (const zfp_field *))                                               \
    X(zfp_bool, zfp_field_stride, (const zfp_field *, ptrdiff_t *))                                \
    X(zfp_bool, zfp_field_is_contiguous, (const zfp_field *))                                      \
    X(uint64, zfp_field_metadata, (const zfp_field *))                                             \
    X(zfp_bool, zfp_field_set_metadata, (zfp_field *, uint64))                                     \
    X(size_t, zfp_write_header, (zfp_stream *, const zfp_field *, uint))                           \
    X(size_t, zfp_read_header, (zfp_stream *, zfp_field *, uint))                                  \
    X(size_t, zfp_stream_flush, (zfp_stream *))                                                    \
    X(size_t, zfp_stream_align, (zfp_stream *))                                                    \
    X(void, zfp_promote_int8_to_int32, (int32 *, const int8 *, uint))                              \
    X(void, zfp_promote_uint8_to_int32, (int32 *, const uint8 *, uint))                            \
    X(void, zfp_promote_int16_to_int32, (int32 *, const int16 *, uint))                            \
    X(void, zfp_promote_uint16_to_int32, (int32 *, const uint16 *, uint))                          \
    X(void, zfp_demote_int32_to_int8, (int8 *, const int32 *, uint))                               \
    X(void, zfp_demote_int32_to_uint8, (uint8 *, const int32 *, uint))                             \
    X(void, zfp_demote_int32_to_int16, (int16 *, const int32 *, uint))                             \
    X(void, zfp_demote_int32_to_uint16, (uint16 *, const int32 *, uint))

enum {
    PEER_ENCODE,
    PEER_ENCODE_STRIDED,
    PEER_ENCODE_PARTIAL,
    PEER_DECODE,
    PEER_DECODE_STRIDED,
    PEER_DECODE_PARTIAL,
    PEER_FAMILIES
};

struct peer {
    void *library;
    size_t word_bits;
#define X(result, name, parameters) result(*name) parameters;
    PEER_FUNCTIONS(X)
#undef X
    void (*block[PEER_FAMILIES][4][4])(void); /* [family][zfp_type - 1][rank - 1] */
};

/* False, and a line on standard output, where the library or a name is missing. */
bool peer_open(struct peer *peer, const char *path);

/* Call a block function; size and stride (x first) are looked at where the family has them. */
size_t peer_block(const struct peer *peer, int family, int type, uint rank, zfp_stream *stream,
                  void *p, const size_t *size, const ptrdiff_t *stride);

#endif
