/* print.h: lines for a person, made of names that may hold anything. */
#ifndef ZTI_UTIL_PRINT_H
#define ZTI_UTIL_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#if defined(__GNUC__)
#define CLI_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define CLI_PRINTF(at, first)
#endif

/* Copy what fits, control characters and bytes that are no UTF-8 as \x1b and so on. */
void escape_text(const char *from, char *to, size_t to_bytes);

/* fprintf of a line or a part of one, with what it prints escaped, all but the newlines that format
 * begins and ends with. */
void print(FILE *file, const char *format, ...) CLI_PRINTF(2, 3);

/* Bytes of the character that text begins with; 0 if it is no UTF-8. */
size_t utf8_bytes(const char *text);

/* Copy what fits; bytes that are no UTF-8 are taken for Latin-1. */
void copy_utf8(const char *from, char *to, size_t to_bytes);

#endif
