/* peer.c: open a library with libzfp's API and find its functions. */
#include "peer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool peer_open(struct peer *peer, const char *path)
{
    static const char *const families[PEER_FAMILIES] = {
        "encode_block", "encode_block_strided", "encode_partial_block_strided",
        "decode_block", "decode_block_strided", "decode_partial_block_strided"};
    static const char *const types[4] = {"int32", "int64", "float", "double"};
    void *found;
    peer->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!peer->library) {
        printf("%s\n", dlerror());
        return false;
    }
#define X(result, name, parameters)                                                                \
    found = dlsym(peer->library, #name);                                                           \
    if (!found) {                                                                                  \
        printf("%s has no %s\n", path, #name);                                                     \
        return false;                                                                              \
    }                                                                                              \
    memcpy(&peer->name, &found, sizeof found);
    PEER_FUNCTIONS(X)
#undef X
    for (int f = 0; f < PEER_FAMILIES; f++)
        for (int t = 0; t < 4; t++)
            for (int d = 0; d < 4; d++) {
                char name[80];
                snprintf(name, sizeof name, "zfp_%s_%s_%d", families[f], types[t], d + 1);
                found = dlsym(peer->library, name);
                if (!found) {
                    printf("%s has no %s\n", path, name);
                    return false;
                }
                memcpy(&peer->block[f][t][d], &found, sizeof found);
            }
    const size_t *word_bits = dlsym(peer->library, "stream_word_bits");
    peer->word_bits = word_bits ? *word_bits : 0;
    return word_bits != NULL;
}

/* The parameter types of each rank's functions; n and s are arrays. */
#define ZD               size_t
#define PD               ptrdiff_t
#define CALL(types, ...) (((size_t(*) types)function)(__VA_ARGS__))

size_t peer_block(const struct peer *peer, int family, int type, uint rank, zfp_stream *z, void *p,
                  const size_t *n, const ptrdiff_t *s)
{
    void (*function)(void) = peer->block[family][type - 1][rank - 1];
    if (family == PEER_ENCODE || family == PEER_DECODE)
        return CALL((zfp_stream *, void *), z, p);
    if (family == PEER_ENCODE_STRIDED || family == PEER_DECODE_STRIDED)
        switch (rank) {
        case 1: return CALL((zfp_stream *, void *, PD), z, p, s[0]);
        case 2: return CALL((zfp_stream *, void *, PD, PD), z, p, s[0], s[1]);
        case 3: return CALL((zfp_stream *, void *, PD, PD, PD), z, p, s[0], s[1], s[2]);
        default: return CALL((zfp_stream *, void *, PD, PD, PD, PD), z, p, s[0], s[1], s[2], s[3]);
        }
    switch (rank) {
    case 1: return CALL((zfp_stream *, void *, ZD, PD), z, p, n[0], s[0]);
    case 2: return CALL((zfp_stream *, void *, ZD, ZD, PD, PD), z, p, n[0], n[1], s[0], s[1]);
    case 3:
        return CALL((zfp_stream *, void *, ZD, ZD, ZD, PD, PD, PD), z, p, n[0], n[1], n[2], s[0],
                    s[1], s[2]);
    default:
        return CALL((zfp_stream *, void *, ZD, ZD, ZD, ZD, PD, PD, PD, PD), z, p, n[0], n[1], n[2],
                    n[3], s[0], s[1], s[2], s[3]);
    }
}
