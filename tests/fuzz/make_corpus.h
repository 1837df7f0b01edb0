/* make_corpus.h: the seeds that make_corpus_more.c writes. */
#ifndef ZTILE_MAKE_CORPUS_H
#define ZTILE_MAKE_CORPUS_H

#include <stddef.h>

void corpus_write(const char *folder, const char *name, const void *data, size_t bytes);

void make_npy(const char *folder);
void make_write(const char *folder);
void make_index(const char *folder);
void make_h5ztile(const char *folder);
void make_h5zfp(const char *folder);

#endif
