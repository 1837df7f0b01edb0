/* ndzip_main.c: ndzip_vectors_test by itself. */
#include "golden/golden.h"

int main(int argc, char **argv)
{
    return ndzip_vectors(argc, argv);
}
