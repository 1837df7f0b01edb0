/* word_size.c: whether calls that arrive here are meant for a libzfp with words of another size.
 *
 * A library that is preloaded takes the calls of every libzfp that the process loads, also of one
 * that has a name of its own, as wheels bring it (zfpy). Streams of other words are other bytes. */
#define _GNU_SOURCE
#include "compat.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>

enum { MOST_LIBRARIES = 16 };

struct loaded {
    unsigned long long loads; /* of objects, since the program began */
    const char *libraries[MOST_LIBRARIES];
    unsigned count;
};

static int note_library(struct dl_phdr_info *object, size_t bytes, void *user)
{
    struct loaded *const l = user;
    const char *const slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
    (void)bytes;
    l->loads = object->dlpi_adds;
    if (slash && strncmp(slash + 1, "libzfp", strlen("libzfp")) == 0 && l->count < MOST_LIBRARIES)
        l->libraries[l->count++] = object->dlpi_name;
    return 0;
}

static bool has_other_words(const char *library)
{
    void *const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return false;
    const size_t *const bits = dlsym(handle, "stream_word_bits");
    const bool is_other = bits && *bits != ZFP_WORD_BITS;
    (void)dlclose(handle);
    return is_other;
}

bool compat_words_fit(void)
{
    static _Atomic unsigned long long known; /* loads of objects, and lowest whether words fit */
    struct loaded l = {.loads = 0};
    (void)dl_iterate_phdr(note_library, &l);
    const unsigned long long before = atomic_load(&known);
    if (before >> 1 == l.loads && l.loads > 0)
        return before & 1;
    bool fit = true;
    if (dlsym(RTLD_DEFAULT, "stream_word_bits") == &stream_word_bits)
        for (unsigned i = 0; i < l.count; i++)
            fit = fit && !has_other_words(l.libraries[i]);
    atomic_store(&known, l.loads << 1 | (unsigned long long)fit);
    return fit;
}
