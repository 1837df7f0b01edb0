/* zfp/bitstream.h: libzfp's bit streams.
 *
 * A stream is a sequence of bits in memory that the caller owns. Bit i is bit i mod 8 of byte
 * i / 8; fields are written least significant bit first. It is written or read, and in between
 * flushed, and rewound or sought. Memory is accessed in words of stream_word_bits bits, which is a
 * choice of the library, 8 or 64, and seen only in what sizes are rounded to.
 *
 * Beyond libzfp's promise: nothing is read or written beyond the bytes that the stream was opened
 * with. There zeros are read, and what is written is lost. */
#ifndef ZFP_BITSTREAM_H
#define ZFP_BITSTREAM_H

#include "zfp/internal/zfp/system.h"
#include "zfp/internal/zfp/types.h"

typedef struct bitstream bitstream;
typedef uint64 bitstream_offset; /* bits from the beginning */
typedef uint64 bitstream_size;   /* bits */
typedef size_t bitstream_count;  /* of a few bits */

#ifdef __cplusplus
extern "C" {
#endif

extern_ const size_t stream_word_bits;

/* A stream over memory, at its first bit. NULL if there is no memory for it. */
bitstream *stream_open(void *buffer, size_t bytes);
/* Frees the stream and not its memory. */
void stream_close(bitstream *stream);
/* The same memory, place and pending bits. */
bitstream *stream_clone(const bitstream *stream);

/* Bits of a word. */
bitstream_count stream_alignment(void);
void *stream_data(const bitstream *stream);
/* Bytes of the words that were written, or fetched for reading. */
size_t stream_size(const bitstream *stream);
/* Bytes of the memory, in whole words. */
size_t stream_capacity(const bitstream *stream);
/* Always 1 and 0: memory is contiguous. */
size_t stream_stride_block(const bitstream *stream);
ptrdiff_t stream_stride_delta(const bitstream *stream);

/* One bit; write returns it. */
uint stream_read_bit(bitstream *stream);
uint stream_write_bit(bitstream *stream, uint bit);
/* n bits, 0 to 64; write returns value >> n. */
uint64 stream_read_bits(bitstream *stream, bitstream_count n);
uint64 stream_write_bits(bitstream *stream, uint64 value, bitstream_count n);

/* The place, in bits, of a stream that is read or written. */
bitstream_offset stream_rtell(const bitstream *stream);
bitstream_offset stream_wtell(const bitstream *stream);
void stream_rewind(bitstream *stream);
void stream_rseek(bitstream *stream, bitstream_offset offset);
/* Bits that were stored before the offset stay. */
void stream_wseek(bitstream *stream, bitstream_offset offset);
/* Pass over n bits; write n zeros. */
void stream_skip(bitstream *stream, bitstream_size n);
void stream_pad(bitstream *stream, bitstream_size n);
/* To the next whole word: bits passed over, bits written. */
bitstream_count stream_align(bitstream *stream);
bitstream_count stream_flush(bitstream *stream);
void stream_copy(bitstream *dst, bitstream *src, bitstream_size n);

#ifdef __cplusplus
}
#endif

#endif
