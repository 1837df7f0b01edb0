/* golden.h: the tests of golden streams as functions: each takes its program's arguments and
 * returns its exit status, so that ztile-gpu-check has them too. */
#ifndef ZTILE_TEST_GOLDEN_H
#define ZTILE_TEST_GOLDEN_H

/* VECTORS_DIR LIST [--write-list | --every-way | --plain | --avx2 | --cuda]; LIST may be "": the
 * rows that need ZT_ZFP_AS_LIBZFP are then not compared with a list. */
int zfp_vectors(int argc, char **argv);

/* VECTORS_DIR [--cuda [MOST_BYTES]] */
int ndzip_vectors(int argc, char **argv);

#endif
