/* zfp_main.c: zfp_vectors_test by itself. */
#include "golden/golden.h"

int main(int argc, char **argv)
{
    return zfp_vectors(argc, argv);
}
