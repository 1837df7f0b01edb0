/* numbers.h: text to numbers and back, sizes of arrays. */
#ifndef ZTI_UTIL_NUMBERS_H
#define ZTI_UTIL_NUMBERS_H

#include "io.h"
#include "ztile.h"

enum { CLI_TEXT_BYTES = 96 }; /* of a shape, a bound, a size in words */

/* The whole text must be the number; no NaN, no infinity, nor one that a double rounds to these or
 * to 0. */
bool parse_number(const char *text, double *value);
bool is_beyond_double(const char *text); /* it is a number, and is rounded to infinity or to 0 */
bool parse_count(const char *text, uint64_t *value);
bool parse_bytes(const char *text, uint64_t *bytes); /* 4096, 64K, 256M, 1G; also 256MiB */

/* "0:10,5:20,:" against a shape; 7 stands for 7:8. error names place. */
bool parse_box(const char *text, uint32_t rank, const uint64_t *shape, const char *place,
               zt_box *box, struct ztio_error *error);

/* A size in words, "4.00 MB", into text of CLI_TEXT_BYTES. Returns text. */
char *format_size(double bytes, char *text);

/* A ratio in at most four digits, "16.00", "161.2", "1612", into text of CLI_TEXT_BYTES. Returns
 * text. */
char *format_ratio(double ratio, char *text);

/* ", 1.61 GB/s" into text of CLI_TEXT_BYTES; nothing where bytes are too few to time. Returns
 * text. */
char *format_speed(double bytes, double seconds, char *text);

/* As few digits as give the same number back, into text of CLI_TEXT_BYTES. Returns text. */
char *format_exact(double value, char *text);

/* "abs 0.001", "rate 8", "lossless" into text of CLI_TEXT_BYTES. Returns text. */
char *format_bound(const zt_bound *bound, char *text);
char *format_bounds(const zt_bound *bound, const zt_bound *mean,
                    char *text); /* "abs 1 and mae 2" */
char *format_mean_error(const zt_bound *mean, double reached, char *text);
bool is_mean_bound(uint32_t kind);         /* psnr, rmse, mae */
bool is_of_range(const zt_params *params); /* one of the bounds is relative to the array's range */
const char *name_of_bound(uint32_t kind);
const char *name_of_codec(uint32_t codec);
const char *name_of_effort(uint32_t effort);
const char *name_of_method(uint32_t method); /* of sz */
const char *name_of_index(uint32_t index);

/* Values of an array, of one slice along the slowest axis, and of a box; false where the number
 * does not fit. */
bool count_values(uint32_t rank, const uint64_t *shape, uint64_t *values);
bool count_bytes(uint32_t type, uint32_t rank, const uint64_t *shape, uint64_t *bytes);
bool count_slice_bytes(uint32_t type, uint32_t rank, const uint64_t *shape, uint64_t *bytes);

bool has_suffix(const char *text, const char *suffix);
double now_seconds(void); /* of a clock that only goes forward */

#endif
