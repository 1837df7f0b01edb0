/* index_file.c: the .zti file, an index apart from its stream: stored, parsed, and compared with a
 * stream. The bytes are described in index_file.h. */
#include "frame/bare/index_file.h"

#include <inttypes.h>

static const uint8_t magic[4] = {0x93, 'Z', 'T', 'I'};

enum { AT_VERSION = 4, AT_CODEC = 5, AT_NUMBERS = 6 };

size_t zti_index_file_store(const struct zti_index_file *f, const struct zti_index_layout *layout,
                            const uint64_t *starts, uint8_t *out)
{
    const uint64_t chunks = zti_index_chunks(f->tiles, layout->chunk_tiles);
    memcpy(out, magic, sizeof magic);
    out[AT_VERSION] = ZTI_INDEX_FILE_VERSION;
    out[AT_CODEC] = (uint8_t)f->codec;
    uint8_t *at = out + AT_NUMBERS;
    at = zti_put_varint(at, f->stream_bytes);
    at = zti_put_varint(at, f->start_bits);
    at = zti_put_varint(at, f->tiles);
    at = zti_put_varint(at, f->tile_bits);
    zti_put_le64(at, f->first_hash);
    zti_put_le64(at + ZTI_HASH_BYTES, f->last_hash);
    at += 2 * ZTI_HASH_BYTES;
    zti_index_store(layout, starts, chunks, at);
    at += zti_index_bytes(layout, starts, chunks);
    zti_put_le64(at, zti_hash(out, (size_t)(at - out)));
    return (size_t)(at - out) + ZTI_HASH_BYTES;
}

/* Whether the tiles lie within the stream, so that no sum of these numbers overflows. */
static bool are_possible(const struct zti_index_file *f)
{
    return f->stream_bytes <= UINT64_C(1) << 60 && f->start_bits <= f->stream_bytes * 8 &&
           f->tile_bits <= f->stream_bytes * 8 - f->start_bits && f->tiles > 0;
}

zt_status zti_index_file_parse(zt_context *context, const uint8_t *bytes, size_t n,
                               struct zti_index_file *f)
{
    memset(f, 0, sizeof *f);
    if (n < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
        return zti_fail(context, ZT_CORRUPT,
                        "not an index: it does not begin with the magic bytes of a .zti file");
    if (n > AT_VERSION && bytes[AT_VERSION] != ZTI_INDEX_FILE_VERSION)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "the index has version %u, this library reads version %d; use a later one",
                        bytes[AT_VERSION], ZTI_INDEX_FILE_VERSION);
    if (n < AT_NUMBERS + ZTI_HASH_BYTES ||
        zti_get_le64(bytes + n - ZTI_HASH_BYTES) != zti_hash(bytes, n - ZTI_HASH_BYTES))
        return zti_fail(context, ZT_CORRUPT, "the index is damaged or cut short");
    struct zti_cursor c = {.at = bytes + AT_NUMBERS, .end = bytes + n - ZTI_HASH_BYTES};
    f->codec = bytes[AT_CODEC];
    f->stream_bytes = zti_get_varint(&c);
    f->start_bits = zti_get_varint(&c);
    f->tiles = zti_get_varint(&c);
    f->tile_bits = zti_get_varint(&c);
    const uint8_t *const hashes = zti_get_bytes(&c, 2 * ZTI_HASH_BYTES);
    if (!hashes || !are_possible(f))
        return zti_fail(context, ZT_CORRUPT, "the index has impossible numbers");
    f->first_hash = zti_get_le64(hashes);
    f->last_hash = zti_get_le64(hashes + ZTI_HASH_BYTES);
    f->index = c.at;
    f->index_bytes = zti_cursor_left(&c);
    return ZT_OK;
}

zt_status zti_index_file_hash(struct zti_input *stream, struct zti_buffer *buffer,
                              struct zti_index_file *f)
{
    const uint64_t n =
        stream->bytes < ZTI_INDEX_FILE_END_BYTES ? stream->bytes : ZTI_INDEX_FILE_END_BYTES;
    const uint8_t *bytes;
    zt_status status = zti_input_view(stream, 0, n, buffer, &bytes);
    if (status == ZT_OK) {
        f->first_hash = zti_hash(bytes, (size_t)n);
        status = zti_input_view(stream, stream->bytes - n, n, buffer, &bytes);
    }
    if (status == ZT_OK)
        f->last_hash = zti_hash(bytes, (size_t)n);
    return status;
}

zt_status zti_index_file_compare(zt_context *context, const struct zti_index_file *f,
                                 const struct zti_index_file *stream)
{
    if (f->codec != stream->codec)
        return zti_fail(context, ZT_CORRUPT, "the index is of a stream of codec %u, not %u",
                        f->codec, stream->codec);
    if (f->stream_bytes != stream->stream_bytes)
        return zti_fail(context, ZT_CORRUPT,
                        "the index is another stream's: of one with %" PRIu64 " bytes, this one "
                        "has %" PRIu64,
                        f->stream_bytes, stream->stream_bytes);
    if (f->first_hash != stream->first_hash || f->last_hash != stream->last_hash)
        return zti_fail(context, ZT_CORRUPT,
                        "the index is another stream's: of one that %s other bytes",
                        f->first_hash != stream->first_hash ? "begins with" : "ends with");
    if (f->start_bits != stream->start_bits || f->tiles != stream->tiles)
        return zti_fail(context, ZT_CORRUPT,
                        "the index is of a stream with %" PRIu64 " tiles behind %" PRIu64
                        " bits, this one has %" PRIu64 " behind %" PRIu64
                        "; check the shape and whether there is a header",
                        f->tiles, f->start_bits, stream->tiles, stream->start_bits);
    return ZT_OK;
}
