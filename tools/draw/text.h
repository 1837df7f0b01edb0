/* text.h: text that grows: reports, rows, pictures before they are saved. */
#ifndef ZTI_DRAW_TEXT_H
#define ZTI_DRAW_TEXT_H

#include "util/options.h"
#include "util/print.h"

struct text {
    char *bytes; /* ends with 0; NULL: empty */
    size_t n;
    size_t room;
    bool is_failed; /* there was no memory; what was added since is not there */
};

void text_add(struct text *text, const char *format, ...) CLI_PRINTF(2, 3);
void text_add_bytes(struct text *text, const void *data, size_t n);
/* With <, >, & and quotes as HTML and SVG write them. */
void text_add_escaped(struct text *text, const char *words);
void text_add_base64(struct text *text, const void *data, size_t n);
bool text_save(const struct text *text, const char *path, const struct options *options,
               struct ztio_error *error);
void text_free(struct text *text);

#endif
