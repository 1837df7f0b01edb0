/* bytes.h: zt_source and zt_sink over files and pipes. */
#ifndef ZTI_STORE_BYTES_H
#define ZTI_STORE_BYTES_H

#include "util/behind.h"
#include "util/options.h"
#include "ztile_store.h"

struct byte_source {
    zt_source source; /* source.user is this struct: it must not move once opened */
    const char *place;
    int fd;
    bool close_fd;
    uint64_t position;      /* of a pipe: offset of its next byte */
    unsigned char head[16]; /* the first bytes of the file */
    size_t head_bytes;
    struct ztio_error error; /* of a callback that failed */
};

/* Open "-" or a file. What can seek has its size; the rest is a pipe. */
bool byte_source_open(struct byte_source *bytes, const char *place, struct ztio_error *error);
void byte_source_close(struct byte_source *bytes);

/* Read all of it into *data, which is to be freed. */
bool byte_source_slurp(struct byte_source *bytes, unsigned char **data, size_t *data_bytes,
                       struct ztio_error *error);

/* What a library call on the source failed with: the callback's own sentence, if it has one. */
bool fail_source(struct ztio_error *error, const struct byte_source *bytes,
                 const zt_context *context, zt_status status);

/* An output as -f and --sync say, with the mode of the first input. */
struct ztio_creation creation_of(const struct options *options);

struct byte_sink {
    zt_sink sink;
    zt_store store; /* the same for writers that say how far they are; a file's, at any place */
    struct ztio_bytes *bytes;
    struct ztio_input *input; /* NULL, or whose slices the store's writer is given */
    uint64_t written;
    struct behind behind; /* of the store */
    void *copy[2];        /* of what is written behind, and of what comes next */
    uint32_t turn;
    struct ztio_error error;
};

/* Create a file or write to "-"; a terminal gets bytes only with force. */
bool byte_sink_open(struct byte_sink *sink, const char *path, const struct ztio_creation *how,
                    struct ztio_error *error);
bool byte_sink_commit(struct byte_sink *sink, struct ztio_error *error);
void byte_sink_abandon(struct byte_sink *sink); /* nothing after commit */

/* True, with the sentence, if path is standard output, that is a terminal, and force is not set. */
bool refuse_terminal(const char *path, bool force, struct ztio_error *error);

#endif
