/* word_size_test.c: a program over compat/zfp's library that loads another libzfp, as wheels bring
 * one under a name of its own. Calls fail while that one has words of another size.
 *
 *     word_size_test SAME OTHER
 *
 * Modules that export stream_word_bits: the library's size, and another. */
#include <zfp.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

static size_t compressed_bytes(void)
{
    static float values[64];
    static uint64_t memory[256];
    zfp_field *field = zfp_field_2d(values, zfp_type_float, 8, 8);
    zfp_stream *zfp = zfp_stream_open(NULL);
    bitstream *bits = stream_open(memory, sizeof memory);
    zfp_stream_set_bit_stream(zfp, bits);
    zfp_stream_set_reversible(zfp);
    const size_t header = zfp_write_header(zfp, field, ZFP_HEADER_FULL);
    const size_t bytes = zfp_compress(zfp, field);
    zfp_stream_close(zfp);
    zfp_field_free(field);
    stream_close(bits);
    return (header > 0) == (bytes > 0) ? bytes : 12345;
}

static int failures;

static void check(const char *module, size_t wanted)
{
    const size_t bytes = compressed_bytes();
    if (bytes != wanted) {
        printf("with %s: %zu bytes and not %zu\n", module, bytes, wanted);
        failures++;
    }
}

int main(int argc, char **argv)
{
    const size_t wanted = compressed_bytes();
    if (argc != 3 || wanted == 0)
        return 1;
    void *const same = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    check("another library of the same words", wanted);
    void *const other = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    if (!same || !other)
        return 1;
    check("one of other words", 0);
    printf("%d failures\n", failures);
    return failures != 0;
}
