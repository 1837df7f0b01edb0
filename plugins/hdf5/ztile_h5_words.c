/* ztile_h5_words.c: the numbers that h5repack, nccopy and h5py want for a configuration.
 *
 *     ztile_h5_words CONFIG        as in ztile_h5.h, e.g. codec=zfp,abs=1e-3 */
#include "ztile_h5.h"

int main(int argc, char **argv)
{
    struct ztile_h5_config config;
    unsigned words[ZTILE_H5_ASKED_WORDS];
    if (argc != 2) {
        fprintf(stderr, "use: ztile_h5_words CONFIG, e.g. codec=zfp,abs=1e-3 (see ztile_h5.h)\n");
        return 1;
    }
    if (ztile_h5_parse(argv[1], &config) != 0) {
        fprintf(stderr, "ztile_h5_words: %s\n", config.error);
        return 1;
    }
    const size_t count = ztile_h5_words(&config, words);
    printf("h5repack -f UD=%d,0,%zu", config.filter, count);
    for (size_t i = 0; i < count; i++)
        printf(",%u", words[i]);
    printf("\nnccopy -F '*,%d", config.filter);
    for (size_t i = 0; i < count; i++)
        printf(",%u", words[i]);
    printf("'\nh5py: compression=%d, compression_opts=(", config.filter);
    for (size_t i = 0; i < count; i++)
        printf("%s%u", i ? ", " : "", words[i]);
    printf("%s)\n", count == 1 ? "," : "");
    return 0;
}
