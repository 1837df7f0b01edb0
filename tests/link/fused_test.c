/* fused_test.c: the library with a self-test (src/simd/rounding.c) that was compiled with fused
 * multiply-add, as the rest would be by the same flags: it refuses arrays, and says why. */
#include "core/cpu.h"
#include "support/support.h"

#include <string.h>

enum { VALUES = 100 };

static bool is_refused(const zt_context *context, zt_status status)
{
    const char *const sentence = zt_context_error(context);
    if (status == ZT_UNSUPPORTED && strstr(sentence, "compile it with -ffp-contract=off"))
        return true;
    printf("not refused: %s (%s)\n", zt_strerror(status), sentence);
    return false;
}

int main(void)
{
    static float values[VALUES];
    static unsigned char file[VALUES * sizeof *values + 1024];
    const zt_array array = zt_array_const_1d(values, ZT_F32, VALUES);
    zt_context *context;
    size_t bytes = 0;
#if defined(ZTI_HAS_X86_INSTANCES)
    if (zti_isa_of(NULL) < ZT_ISA_AVX2) {
        printf("SKIP: this processor may have no fused multiply-add\n");
        return TEST_SKIPPED;
    }
#endif
    if (zt_context_new(NULL, &context) != ZT_OK)
        return 1;
    bool refused =
        is_refused(context, zt_compress(context, &array, NULL, file, sizeof file, &bytes));
    refused &= is_refused(context, zt_compress_bound(context, &array, NULL, &bytes));
    zt_context_free(context);
    return refused ? 0 : 1;
}
