/* seek.c: the seek table at the end of a file, stored and parsed: where each frame is, and the mark
 * that the file is complete. The bytes are described in format.h. */
#include "frame/format/format.h"

#include <inttypes.h>

enum { FIRST_CAPACITY = 256 };

uint64_t zti_table_bytes(const struct zti_table *table)
{
    uint8_t head[ZTI_TABLE_HEAD_MAX_BYTES];
    return (uint64_t)(zti_table_put_head(head, table->frames, table->extent) - head) +
           table->bytes + ZTI_TABLE_FOOT_BYTES;
}

zt_status zti_table_add(zt_context *context, struct zti_table *table, uint64_t frame_bytes,
                        uint64_t extent)
{
    if (table->capacity - table->bytes < 2 * ZTI_VARINT_MAX_BYTES) {
        size_t capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY;
        uint8_t *entries = (uint8_t *)zti_alloc(context, capacity);
        if (!entries)
            return zti_fail(context, ZT_NO_MEMORY, "no memory for the seek table (%zu bytes)",
                            capacity);
        if (table->bytes > 0)
            memcpy(entries, table->entries, table->bytes);
        zti_release(context, table->entries);
        table->entries = entries;
        table->capacity = capacity;
    }
    uint8_t *at = table->entries + table->bytes;
    at = zti_table_put_entry(at, frame_bytes, extent);
    table->bytes = (size_t)(at - table->entries);
    table->frames++;
    table->extent += extent;
    if (zti_table_bytes(table) > UINT32_MAX)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "the seek table would be larger than 4 GiB; use a larger slab_bytes");
    return ZT_OK;
}

void zti_table_free(zt_context *context, struct zti_table *table)
{
    zti_release(context, table->entries);
    memset(table, 0, sizeof *table);
}

void zti_table_store(const struct zti_table *table, uint8_t *out)
{
    uint8_t *at = zti_table_put_head(out, table->frames, table->extent);
    if (table->bytes > 0)
        memcpy(at, table->entries, table->bytes);
    at += table->bytes;
    (void)zti_table_put_foot(at, (uint64_t)(at - out), zti_hash(out, (size_t)(at - out)));
}

/* Fill places[0 .. frames] from the entries; the frames must tile the file up to the table. */
static zt_status parse_entries(zt_context *context, struct zti_cursor *c, uint64_t frames,
                               uint64_t extent, uint64_t table_at, struct zti_place *places)
{
    uint64_t at = 0, first = 0;
    for (uint64_t i = 0; i < frames; i++) {
        places[i] = (struct zti_place){.at = at, .first = first, .bytes = zti_get_varint(c)};
        uint64_t thickness = zti_get_varint(c);
        if (c->is_bad || thickness == 0 || thickness > extent - first || at > table_at ||
            places[i].bytes > table_at - at)
            return zti_fail(context, ZT_CORRUPT,
                            "the seek table's entry of frame %" PRIu64 " does not fit the file", i);
        first += thickness;
        at += places[i].bytes;
        if (i + 1 < frames)
            at = zti_frame_at(at);
    }
    if (at != table_at || first != extent || c->at != c->end)
        return zti_fail(context, ZT_CORRUPT,
                        "the seek table's %" PRIu64 " frames do not make up the file", frames);
    return ZT_OK;
}

zt_status zti_table_parse(zt_context *context, const uint8_t *bytes, size_t table_bytes,
                          uint64_t file_bytes, struct zti_place **places, uint64_t *frames)
{
    size_t end = table_bytes - ZTI_TABLE_FOOT_BYTES;
    if (table_bytes < ZTI_TABLE_MIN_BYTES || memcmp(bytes, zti_table_magic, 4) != 0)
        return zti_fail(context, ZT_CORRUPT, "the seek table at the end of the file is damaged");
    if (bytes[4] != ZTI_FORMAT_VERSION)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "the seek table has format version %u, this library reads version %d; use "
                        "a later one",
                        bytes[4], ZTI_FORMAT_VERSION);
    if (zti_get_le64(bytes + end) != zti_hash(bytes, end))
        return zti_fail(context, ZT_CORRUPT, "the seek table at the end of the file is damaged");
    struct zti_cursor c = {.at = bytes + 5, .end = bytes + end, .is_bad = false};
    uint64_t n = zti_get_varint(&c), extent = zti_get_varint(&c);
    if (c.is_bad || n == 0 || n > zti_cursor_left(&c) / 2 || extent > INT64_MAX)
        return zti_fail(context, ZT_CORRUPT, "the seek table has an impossible number of frames");

    struct zti_place *list = NULL;
    if (n + 1 <= SIZE_MAX / sizeof *list)
        list = (struct zti_place *)zti_alloc(context, (size_t)(n + 1) * sizeof *list);
    if (!list)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for the places of %" PRIu64 " frames", n);
    uint64_t table_at = file_bytes - table_bytes;
    zt_status status = parse_entries(context, &c, n, extent, table_at, list);
    if (status) {
        zti_release(context, list);
        return status;
    }
    list[n] = (struct zti_place){.at = table_at, .first = extent, .bytes = table_bytes};
    *places = list;
    *frames = n;
    return ZT_OK;
}
