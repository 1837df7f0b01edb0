/* papers.h: what ztile bench repeats of papers whose methods the library has. docs/papers.md says
 * of each table and figure which command that is. */
#ifndef ZTI_BENCH_PAPERS_H
#define ZTI_BENCH_PAPERS_H

#include "bench/rates.h"

/* link.c: --link, of what was measured. Speeds are said in Gbit/s, apart by commas. */
enum { LINKS_MOST = 6 };

struct links {
    double gbit[LINKS_MOST]; /* 10^9 bits a second */
    int count;
};

bool link_parse(const char *speeds, struct links *links, struct ztio_error *error);
bool link_report(const struct rates *rates, const struct links *links, struct ztio_error *error);

/* distortion.c: --distortion: bits a value against PSNR, figures 6 to 8 and table V of the cuSZ
 * paper. */
void distortion_print(const struct rates *rates);

/* huffman.c: --huffman: tables II to VI of Tian et al., "Revisiting Huffman Coding". */
bool run_bench_huffman(const struct options *options, struct ztio_error *error);

#endif
