/* sha256.h: SHA-256 (FIPS 180-4), for files that are known by their sum. */
#ifndef ZTILE_TEST_SHA256_H
#define ZTILE_TEST_SHA256_H

#include <stddef.h>

/* The sum in hexadecimal, with a zero at the end. */
void sha256_text(const void *data, size_t bytes, char text[65]);

#endif
