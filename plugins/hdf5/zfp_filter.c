/* zfp_filter.c: HDF5 filter 32013, interchangeable with H5Z-ZFP.
 *
 * What a user gives as cd_values, as H5Z-ZFP's documentation has it ("Generic Interface"):
 *
 *     1 0 LOW HIGH                          rate: bits a value, a double in two words
 *     2 0 PLANES                            precision
 *     3 0 LOW HIGH                          accuracy: a tolerance, a double in two words
 *     4 0 MINBITS MAXBITS MAXPREC MINEXP    expert
 *     5                                     reversible
 *
 * What is stored with a dataset:
 *
 *     word 0      zfp's version (16 bits), the stream's version (4), the filter's (12)
 *     words 1-    zfp's header for a chunk: magic, type and extents, mode: 96 or 148 bits, the
 *                 first one lowest in word 1
 *
 * A chunk is a zfp stream of 8-bit words without header. Of the chunk's axes those of extent 1 are
 * left out; at most 4 may be left. Unsigned integers are coded as signed ones of the same bits.
 * Words of a file from a big-endian machine come with their bytes the other way round; the values
 * then are turned round too, because HDF5 takes them for that machine's. */
#include "filters.h"
#include "workers.h"
#include "ztile_zfp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILTER = ZTILE_H5_FILTER_ZFP, WORDS = 6, MAX_WORDS = 16 };
enum { BY_RATE = 1, BY_PRECISION = 2, BY_ACCURACY = 3, BY_EXPERT = 4, BY_REVERSIBLE = 5 };

/* zfp 1.0.1, stream version 5, filter version 1.1.1 */
static const unsigned version_word = 0x10105111u;
static const uint32_t magic = 'z' | 'f' << 8 | 'p' << 16 | 5u << 24;

static uint32_t turned(uint32_t v)
{
    return __builtin_bswap32(v);
}

/* ---- what is stored ---- */

/* A header as words, and back. Returns how many words. */
static size_t store_header(const zt_zfp *zfp, uint64_t field, unsigned *words)
{
    const uint64_t mode = zt_zfp_mode_code(zfp);
    const bool is_long = (mode & 0xfff) == 0xfff;
    words[0] = version_word;
    words[1] = magic;
    words[2] = (unsigned)field;
    words[3] = (unsigned)(field >> 32 | mode << 20); /* the field has 52 bits */
    words[4] = (unsigned)(mode >> 12);
    words[5] = (unsigned)(mode >> 44);
    return is_long ? 6 : 4;
}

/* Type, shape and mode of a dataset's chunks. *is_turned: the words are a big-endian machine's. */
static zt_status load_header(zt_context *context, size_t count, const unsigned *words, zt_zfp *zfp,
                             zt_array *array, bool *is_turned)
{
    uint8_t bytes[4 * MAX_WORDS] = {0};
    size_t n = 0;
    *is_turned = count > 1 && words[1] == turned(magic);
    for (size_t i = 1; i < count && i <= 5; i++) {
        const uint32_t v = *is_turned ? turned(words[i]) : words[i];
        for (int k = 0; k < 4; k++)
            bytes[n++] = (uint8_t)(v >> 8 * k);
    }
    (void)zt_zfp_init(zfp, sizeof *zfp);
    zfp->word_bits = 8;
    return zt_zfp_read_header(context, bytes, n, zfp, array, NULL);
}

bool zh_zfp_stored(size_t count, const unsigned *words, uint64_t *chunk_bytes, bool *is_lossless)
{
    zt_zfp zfp;
    zt_array array;
    bool is_turned;
    if (load_header(NULL, count, words, &zfp, &array, &is_turned) != ZT_OK)
        return false;
    *chunk_bytes = zh_raw_bytes(array.type, array.rank, array.shape);
    *is_lossless = zt_zfp_mode_of(&zfp) == ZT_ZFP_REVERSIBLE;
    return true;
}

/* ---- what is asked ---- */

/* The mode that the user's words name, or the one of stored words, which come with a property list
 * that was copied from a dataset. */
static bool params_of(void *caller, size_t count, const unsigned *words, uint32_t type,
                      uint32_t rank, zt_zfp *zfp)
{
    static const size_t needed[6] = {0, 4, 3, 4, 6, 1};
    const double number = count > 3 ? ztile_h5_get_double(words + 2) : 0; /* of rate, accuracy */
    zt_status status = ZT_OK;
    zt_array array;
    bool is_turned;
    (void)zt_zfp_init(zfp, sizeof *zfp);
    zfp->word_bits = 8;
    if (count > 3 && (words[1] == magic || words[1] == turned(magic)))
        status = load_header(NULL, count, words, zfp, &array, &is_turned);
    else if (count == 0 || words[0] < BY_RATE || words[0] > BY_REVERSIBLE ||
             count < needed[words[0]])
        status = ZT_BAD_ARG;
    else if (words[0] == BY_RATE)
        status =
            number > 0 ? zt_zfp_set_rate(zfp, number, (zt_type)type, rank, 0, NULL) : ZT_BAD_ARG;
    else if (words[0] == BY_PRECISION)
        status = zt_zfp_set_precision(zfp, words[2], NULL);
    else if (words[0] == BY_ACCURACY)
        status = number >= 0 ? zt_zfp_set_accuracy(zfp, number, NULL) : ZT_BAD_ARG;
    else if (words[0] == BY_EXPERT)
        status = zt_zfp_set_expert(zfp, words[2], words[3], words[4], (int32_t)words[5]);
    else
        status = zt_zfp_set_reversible(zfp);
    if (status != ZT_OK)
        zh_complain(caller,
                    "the %zu cd_values, first %u, ask filter %d for nothing that it knows: "
                    "1 0 and a rate as a double in two words, 2 0 planes, 3 0 and a tolerance, "
                    "4 0 minbits maxbits maxprec minexp, or 5",
                    count, count ? words[0] : 0, FILTER);
    return status == ZT_OK;
}

/* The words to be stored for a dataset; 0 after a complaint. */
static size_t words_of(void *caller, struct zh_chunk *chunk, size_t count, const unsigned *asked,
                       unsigned *stored)
{
    zt_zfp zfp;
    uint64_t field;
    const uint32_t axes = zh_drop_unit_axes(chunk);
    if (axes > ZT_MAX_RANK) {
        zh_complain(caller,
                    "a chunk has %u axes longer than 1 and zfp knows 4; make others 1 in "
                    "the chunk shape, or take the ztile filter, which joins the slowest",
                    axes);
        return 0;
    }
    if (!params_of(caller, count, asked, chunk->type, axes, &zfp))
        return 0;
    const zt_array array = zt_array_nd(NULL, (zt_type)chunk->type, axes, chunk->shape);
    if (zt_zfp_field_code(&array, &field) != ZT_OK) {
        zh_complain(caller,
                    "a chunk is too long for zfp's header, which holds 2^48 values along "
                    "one axis, 2^24 along two, 2^16 along three, 2^12 along four; make it smaller");
        return 0;
    }
    return store_header(&zfp, field, stored);
}

/* HDF5 has no warnings, and shows no error stack of a call that succeeds. Once is enough. */
static void warn_of_integers(void)
{
    static bool is_said;
    if (!is_said)
        (void)fprintf(stderr,
                      "ztile: warning: filter %d: zfp knows no accuracy for integers and "
                      "codes them in full, off by some units all the same; give a precision or a "
                      "rate, or take ztile's own filter\n",
                      FILTER);
    is_said = true;
}

static int set_local(zh_hid dcpl, zh_hid type, zh_hid space)
{
    unsigned flags = 0, asked[MAX_WORDS], stored[WORDS];
    size_t count = MAX_WORDS;
    struct zh_chunk chunk;
    (void)space;
    if (!zh_chunk_of_dataset(ZH_CALLER, dcpl, type, &chunk) ||
        !zh_get_values(ZH_CALLER, dcpl, FILTER, &flags, &count, asked))
        return -1;
    uint64_t bytes;
    bool is_lossless;
    const bool is_integer = chunk.type == ZT_I32 || chunk.type == ZT_I64;
    count = words_of(ZH_CALLER, &chunk, count < MAX_WORDS ? count : MAX_WORDS, asked, stored);
    if (count == 0 || !zh_zfp_stored(count, stored, &bytes, &is_lossless) ||
        !zh_check_pipeline(ZH_CALLER, dcpl, FILTER, is_lossless, flags & ZH_FLAG_OPTIONAL) ||
        !zh_set_values(ZH_CALLER, dcpl, FILTER, flags, count, stored))
        return -1;
    if (is_integer && asked[0] == BY_ACCURACY)
        warn_of_integers();
    return 1;
}

/* ---- chunks ---- */

static void turn_values(void *data, size_t bytes, size_t size)
{
    uint8_t *p = data;
    for (size_t i = 0; i < bytes; i += size)
        for (size_t a = i, b = i + size - 1; a < b; a++, b--) {
            const uint8_t v = p[a];
            p[a] = p[b];
            p[b] = v;
        }
}

/* A tile of at most 256 values of 8 bytes takes a bit at least: what a stream can give is bounded
 * by its length, and memory is only taken in that proportion. */
enum { BYTES_A_BIT = 2048 };

/* What a dataset's cd_values say of a chunk. */
struct asked {
    zt_zfp zfp;
    zt_array array; /* without data */
    bool is_turned;
};

static bool load(void *caller, zt_context *context, size_t count, const unsigned *words,
                 struct asked *asked)
{
    if (load_header(context, count, words, &asked->zfp, &asked->array, &asked->is_turned) == ZT_OK)
        return true;
    zh_complain(caller, "the dataset's cd_values hold no zfp header: %s",
                zt_context_error(context));
    return false;
}

/* Bytes of a chunk's values, before there is memory for them; 0 after a complaint. */
static size_t look_at(void *caller, const struct asked *asked, size_t in_bytes)
{
    const zt_array *const a = &asked->array;
    const size_t raw = zh_raw_bytes(a->type, a->rank, a->shape);
    if (raw > 0 && raw / BYTES_A_BIT / 8 <= in_bytes)
        return raw;
    zh_complain(caller,
                "a chunk of %zu bytes cannot hold the values that its dataset's "
                "cd_values announce; the file is damaged",
                in_bytes);
    return 0;
}

/* False after a complaint. */
static bool decode(void *caller, zt_context *context, const struct asked *asked, const void *in,
                   size_t in_bytes, void *out, size_t raw)
{
    zt_zfp lenient = asked->zfp;
    zt_array array = asked->array;
    lenient.flags |= ZT_ZFP_AS_LIBZFP; /* what others wrote is read as they would */
    array.data = out;
    if (zt_zfp_decompress(context, in, in_bytes, &lenient, &array, NULL) != ZT_OK) {
        zh_complain(caller, "%s", zt_context_error(context));
        return false;
    }
    if (asked->is_turned)
        turn_values(out, raw, zt_type_bytes(array.type));
    return true;
}

static size_t decompress(void *caller, zt_context *context, const struct asked *asked,
                         size_t nbytes, size_t *buf_size, void **buf)
{
    const size_t raw = look_at(caller, asked, nbytes);
    void *const out = raw > 0 ? malloc(raw) : NULL;
    if (raw > 0 && !out)
        zh_complain(caller, "no memory for a chunk of %zu bytes", raw);
    if (!out || !decode(caller, context, asked, *buf, nbytes, out, raw)) {
        free(out);
        return 0;
    }
    free(*buf);
    *buf = out;
    *buf_size = raw;
    return raw;
}

/* Code the values at 'in'; *out NULL: it becomes memory of the worker. The bytes, 0 after a
 * complaint. */
static size_t encode(void *caller, struct zh_worker *worker, const struct asked *asked, void *in,
                     size_t nbytes, void **out, size_t room)
{
    zt_context *const context = worker->context;
    const char *allowed = getenv("ZTILE_ALLOW_NONFINITE");
    zt_array array = asked->array;
    const size_t raw = zh_raw_bytes(array.type, array.rank, array.shape);
    zt_zfp zfp = asked->zfp;
    zt_status status = ZT_OK;
    size_t bytes = 0;
    if (asked->is_turned) {
        zh_complain(caller, "the dataset is a big-endian machine's; it can be read here and not "
                            "written to");
        return 0;
    }
    if (raw != nbytes) {
        zh_complain(caller,
                    "a chunk has %zu bytes and not the %zu of its values; no filter that "
                    "changes the size may come before this one",
                    nbytes, raw);
        return 0;
    }
    if (allowed && strcmp(allowed, "1") == 0)
        zfp.flags |= ZT_ZFP_AS_LIBZFP;
    array.data = in;
    if (!*out) {
        status = zt_zfp_compress_bound(context, &array, &zfp, &room);
        *out = status == ZT_OK ? zh_worker_memory(worker, room) : NULL;
        status = status == ZT_OK && !*out ? ZT_NO_MEMORY : status;
    }
    if (status == ZT_OK)
        status = zt_zfp_compress(context, &array, &zfp, *out, room, &bytes);
    if (status == ZT_OK && bytes > 0)
        return bytes;
    zh_complain(caller, "%s%s",
                status == ZT_OK          ? "the mode leaves no bits at all"
                : status == ZT_NO_MEMORY ? "no memory for a chunk"
                                         : zt_context_error(context),
                status == ZT_NONFINITE ? " (ZTILE_ALLOW_NONFINITE=1 allows it)" : "");
    return 0;
}

/* A chunk that would grow is left to HDF5 where that may store it as it is. */
static size_t compress(void *caller, struct zh_worker *worker, const struct asked *asked,
                       bool is_optional, size_t nbytes, size_t *buf_size, void **buf)
{
    void *out = NULL;
    const size_t bytes = encode(caller, worker, asked, *buf, nbytes, &out, 0);
    if (bytes == 0 || (is_optional && bytes >= nbytes))
        return 0;
    return zh_replace(caller, out, bytes, buf_size, buf);
}

static size_t filter(unsigned flags, size_t count, const unsigned *words, size_t nbytes,
                     size_t *buf_size, void **buf)
{
    void *const caller = ZH_CALLER;
    struct asked asked;
    struct zh_worker worker;
    size_t result = 0;
    if (!zh_worker_take(caller, &worker))
        return 0;
    if (load(caller, worker.context, count, words, &asked))
        result = flags & ZH_FLAG_REVERSE
                     ? decompress(caller, worker.context, &asked, nbytes, buf_size, buf)
                     : compress(caller, &worker, &asked, flags & ZH_FLAG_OPTIONAL, nbytes, buf_size,
                                buf);
    zh_worker_give(&worker);
    return result;
}

size_t zh_zfp_run(unsigned flags, size_t count, const unsigned *words, uint32_t threads, void *in,
                  size_t in_bytes, void *out, size_t room)
{
    struct asked asked;
    size_t bytes = 0;
    struct zh_worker worker;
    if (!zh_worker_take_of(NULL, threads, &worker))
        return 0;
    zt_context *const context = worker.context;
    if (load(NULL, context, count, words, &asked)) {
        if (!(flags & ZH_FLAG_REVERSE))
            bytes = encode(NULL, &worker, &asked, in, in_bytes, &out, room);
        else if ((bytes = look_at(NULL, &asked, in_bytes)) > room ||
                 !decode(NULL, context, &asked, in, in_bytes, out, bytes))
            bytes = 0;
    }
    zh_worker_give(&worker);
    return bytes;
}

const struct zh_class zh_zfp_class = {ZH_CLASS_VERSION, FILTER, 1,         1,
                                      "zfp (ztile)",    NULL,   set_local, filter};

/* A mode in ztile_h5.h's words. */
static bool load_config(void *caller, size_t count, const unsigned *words,
                        struct ztile_h5_config *config)
{
    static const unsigned kinds[6] = {0, ZT_RATE, ZT_PRECISION, ZT_ABS, ZT_EXPERT, ZT_LOSSLESS};
    zt_zfp zfp;
    memset(config, 0, sizeof *config);
    config->filter = FILTER;
    if (!params_of(caller, count, words, ZT_F64, ZT_MAX_RANK, &zfp) || words[0] > BY_REVERSIBLE)
        return false;
    config->kind = kinds[words[0]];
    if (words[0] == BY_EXPERT)
        memcpy(config->expert, words + 2, sizeof config->expert);
    else if (words[0] == BY_PRECISION)
        config->value = words[2];
    else if (words[0] != BY_REVERSIBLE)
        config->value = ztile_h5_get_double(words + 2);
    return true;
}

const struct zh_words zh_zfp_words = {FILTER, "ztile_zfp", false, load_config, words_of};
