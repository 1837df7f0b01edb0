/* json.h: a small emitter. Numbers that JSON does not have (NaN, infinities) become null. */
#ifndef ZTI_UTIL_JSON_H
#define ZTI_UTIL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *file;
    int depth;
    bool has_member; /* of the object or list that is open */
};

void json_begin(struct json *json, FILE *file);
void json_end(struct json *json);
void json_object(struct json *json, const char *key);
void json_close(struct json *json);
void json_list(struct json *json, const char *key); /* of members whose key is NULL */
void json_close_list(struct json *json);
void json_number(struct json *json, const char *key, double value); /* null if not finite */
void json_count(struct json *json, const char *key, uint64_t value);
void json_count_or_null(struct json *json, const char *key, bool is_known, uint64_t value);
void json_text(struct json *json, const char *key, const char *value); /* NULL: null */
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
void json_shape(struct json *json, const char *key, uint32_t rank, const uint64_t *shape);

#endif
