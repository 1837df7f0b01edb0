/* index.c: the page of ztile index. */
#include "pages/shared.h"

static const struct option_rule options[] = {
    {"index", OPT_INDEX, "offsets|lengths|hybrid|compact|none", "kind of index; default: compact",
     "`compact` is the smallest. `none` takes the index out of a .zt file."},
    INDEX_SIZE_OPTIONS,
    {"output", 'o', "OUT", "another name for what is written", "`-` is standard output."},
    {"force", 'f', NULL, "overwrite OUT",
     "FILE itself is replaced without it. Mode and owner are those of the file that is replaced, "
     "or of FILE."},
    SYNC_OPTION,
    COMMON_OPTIONS,
    STREAM_OPTIONS,
    LAST};

const struct page index_page = {
    "index",
    CMD_INDEX,
    "give a file an index, also one that libzfp wrote",
    "FILE [--index KIND] [-o OUT] [options]",
    "ztile index field.zfp",
    "Give a .zt file another index, or a bare zfp stream one (in FILE.zti). With an index, all "
    "threads decode, and a box is decoded without what lies before it.\n\n"
    "At a fixed rate places are computed, and there is no index.\n\n"
    "A .zt file is written again, beside itself and renamed when it is whole, with the index in "
    "place of the one that it has. It is then the file that `ztile compress` with the same "
    "`--index` writes; its streams stay as they are, byte for byte. Every checksum is verified "
    "before.\n\n"
    "Of a bare zfp stream, whether ztile or libzfp wrote it, the index goes to FILE.zti, where "
    "`ztile decompress`, `info`, `compare` and `plot` look for it. It holds the length of the "
    "stream and a hash of its ends: another stream, or this one after a change, is refused.\n\n"
    "Nothing is decoded: tiles are parsed to see where they end, on one thread.",
    {OPT_INDEX, OPT_INDEX_CHUNK, 'o', 'f', 'q'},
    options,
    NULL,
    "ztile index field.zfp\n"
    "ztile decompress --box 0:10,:,: field.zfp -o box.f32\n"
    "ztile index --index offsets --index-chunk 4096 field.zt\n",
    1,
    1,
    "one file"};
