/* zt_mutate.c: libFuzzer's mutations of one part of a .zt file: what a header says after its
 * lengths, a payload, or what a tail holds. The file is put together again around it: lengths,
 * padding, seek table and hashes are right, so that each mutation reaches what parses the part.
 * Written from the format's description. */
#include "zt_repair.h"

#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { FRAMES_MOST = 16, PARTS = 3, HEADER_BYTES = 9 };

struct part {
    const uint8_t *at;
    size_t bytes;
};

struct frame {
    const uint8_t *head;     /* magic to bound kind */
    struct part part[PARTS]; /* of the header after the lengths; payload; tail without its hash */
};

static bool take(const uint8_t **at, const uint8_t *end, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0; shift < 63 && *at < end; shift += 7) {
        const uint8_t byte = *(*at)++;
        *v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

static uint8_t *put(uint8_t *to, uint64_t v)
{
    for (; v > 127; v >>= 7)
        *to++ = (uint8_t)(v | 128);
    *to++ = (uint8_t)v;
    return to;
}

/* The frames of a file; 0 where it is not one. */
static size_t find_frames(const uint8_t *data, size_t size, struct frame *frames)
{
    size_t count = 0;
    for (size_t at = 0; count < FRAMES_MOST && at + 64 <= size; count++) {
        const uint8_t *c = data + at + HEADER_BYTES;
        const size_t header = data[at + 8] * (size_t)64;
        uint64_t payload, tail;
        if (memcmp(data + at, "\x93ZTF", 4) != 0 || header < 64 || header > size - at)
            break;
        const uint8_t *const end = data + at + header - 8;
        const size_t left = size - at - header;
        if (!take(&c, end, &payload) || !take(&c, end, &tail) || payload > left ||
            left - payload < 16 || tail < 8 || tail > left - payload - 8)
            break;
        frames[count].head = data + at;
        size_t rest = (size_t)(end - c); /* without the zeros */
        while (rest > 0 && c[rest - 1] == 0)
            rest--;
        frames[count].part[0] = (struct part){c, rest};
        frames[count].part[1] = (struct part){data + at + header, (size_t)payload};
        frames[count].part[2] = (struct part){data + at + header + payload + 8, (size_t)tail - 8};
        at = (at + header + (size_t)payload + 8 + (size_t)tail + 63) / 64 * 64;
    }
    return count;
}

/* Append one frame at byte 'at'; 0 where there is no room, else its length. */
static size_t put_frame(uint8_t *out, size_t at, size_t most, const struct frame *f)
{
    const size_t fixed = HEADER_BYTES + 10 + 10 + f->part[0].bytes + 1 + 8;
    const size_t header = (fixed + 63) / 64 * 64;
    const size_t bytes = header + f->part[1].bytes + 8 + f->part[2].bytes + 8;
    if (header > 255 * 64 || at > most || bytes > most - at)
        return 0;
    memset(out + at, 0, bytes);
    memcpy(out + at, f->head, HEADER_BYTES - 1);
    out[at + 8] = (uint8_t)(header / 64);
    uint8_t *c = put(out + at + HEADER_BYTES, f->part[1].bytes);
    c = put(c, f->part[2].bytes + 8);
    memcpy(c, f->part[0].at, f->part[0].bytes);
    memcpy(out + at + header, f->part[1].at, f->part[1].bytes);
    memcpy(out + at + header + f->part[1].bytes + 8, f->part[2].at, f->part[2].bytes);
    return bytes;
}

/* The file of these frames; 0 where there is no room. */
static size_t put_file(uint8_t *out, size_t most, const struct frame *frames, size_t count)
{
    uint8_t entries[FRAMES_MOST * 20], *e = entries;
    uint64_t extent = 0;
    size_t at = 0, end = 0;
    for (size_t i = 0; i < count; i++) {
        const struct part *rest = &frames[i].part[0];
        const uint8_t *c = rest->at;
        uint64_t skipped, thickness = 1; /* exact values and first slice come before it */
        at = (end + 63) / 64 * 64;
        if (at > most)
            return 0;
        memset(out + end, 0, at - end);
        const size_t bytes = put_frame(out, at, most, &frames[i]);
        if (bytes == 0)
            return 0;
        if (!take(&c, rest->at + rest->bytes, &skipped) ||
            !take(&c, rest->at + rest->bytes, &skipped) ||
            !take(&c, rest->at + rest->bytes, &thickness))
            thickness = 1;
        e = put(e, bytes);
        e = put(e, thickness);
        extent += thickness;
        end = at + bytes;
    }
    if (most - end < 5 + 20 + sizeof entries + 16)
        return 0;
    uint8_t *c = out + end;
    memcpy(c, "\x93ZTS\x01", 5);
    c = put(put(c + 5, count), extent);
    memcpy(c, entries, (size_t)(e - entries));
    c += e - entries;
    memset(c, 0, 8);
    const size_t bytes = (size_t)(c - (out + end)) + 16;
    for (int i = 0; i < 4; i++)
        c[8 + i] = (uint8_t)(bytes >> 8 * i);
    memcpy(c + 12, "ZTE\x93", 4);
    return end + bytes;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct frame frames[FRAMES_MOST];
    const size_t count = find_frames(data, size, frames);
    if (count == 0 || seed % 4 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    struct frame *const f = &frames[seed / 4 % count];
    struct part *const part = &f->part[seed / 64 % PARTS];
    const size_t most = part->bytes + 64;
    uint8_t *changed = malloc(most), *out = malloc(max_size);
    size_t made = 0;
    if (changed && out) {
        memcpy(changed, part->at, part->bytes);
        part->bytes = LLVMFuzzerMutate(changed, part->bytes, most);
        part->at = changed;
        made = put_file(out, max_size, frames, count);
    }
    if (made > 0) {
        zt_repair(out, made);
        memcpy(data, out, made);
    }
    free(changed);
    free(out);
    return made > 0 ? made : LLVMFuzzerMutate(data, size, max_size);
}
