/* check_bound.c: compare two raw files in exact arithmetic, with no code of the library's.
 *
 *     check_bound range TYPE FILE                 min and max of the finite values, as hex floats
 *     check_bound within TYPE BOUND FILE DECODED  exit 0 if |decoded - original| <= BOUND for all
 */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static int print_range(const char *type, const char *path)
{
    size_t bytes;
    unsigned char *data = read_file(path, &bytes);
    uint32_t t = type_of_name(type);
    if (!data || !t || bytes < zt_type_bytes(t))
        return 2;
    double min, max;
    zt_array a = zt_array_const_1d(data, (zt_type)t, bytes / zt_type_bytes(t));
    range_of(&a, &min, &max);
    printf("%a %a\n", min, max);
    free(data);
    return 0;
}

static int check_within(const char *type, double bound, const char *path, const char *decoded_path)
{
    size_t bytes, decoded_bytes, beyond = 0;
    unsigned char *data = read_file(path, &bytes);
    unsigned char *decoded = read_file(decoded_path, &decoded_bytes);
    uint32_t t = type_of_name(type);
    if (!data || !decoded || !t)
        return 2;
    size_t element = zt_type_bytes(t);
    if (bytes == decoded_bytes) {
        for (size_t at = 0; at + element <= bytes; at += element)
            beyond += is_within_exactly(t, data + at, decoded + at, bound) ? 0 : 1;
        if (beyond)
            printf("%zu of %zu values are beyond %.17g\n", beyond, bytes / element, bound);
    } else {
        printf("%zu bytes became %zu\n", bytes, decoded_bytes);
    }
    bool ok = bytes == decoded_bytes && beyond == 0;
    free(data);
    free(decoded);
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "range") == 0)
        return print_range(argv[2], argv[3]);
    if (argc == 6 && strcmp(argv[1], "within") == 0)
        return check_within(argv[2], strtod(argv[3], NULL), argv[4], argv[5]);
    fprintf(stderr, "use: check_bound range TYPE FILE | within TYPE BOUND FILE DECODED\n");
    return 2;
}
