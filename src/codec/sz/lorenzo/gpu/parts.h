/* parts.h: kernel text: parts of tiles in Huffman codes, of efforts 'default' (lorenzo/huffman.h)
 * and 'paper' (lorenzo/cusz.h). Its parameters are those of lorenzo/gpu/kernel.h. */

enum {
    PAPER_GROUPS = (int)ZTI_SZ_PAPER_PART / (int)ZTI_SZ_GROUP,
    HIST_MOST = 4096 /* symbols that are counted in shared memory */
};

/* Parts of a tile that hold bits of each group: lists and all else with Rice codes, or lists, then
 * symbols of each book. */
enum { SECTIONS = ZTI_SZ_BOOKS };
