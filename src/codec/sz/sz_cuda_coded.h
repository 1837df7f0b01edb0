/* sz_cuda_coded.h: kernel text: parts of tiles in Huffman codes, of efforts 'default' (sz_coded.h)
 * and 'paper' (sz_paper.h). Its parameters are those of sz_kernel.h. */

enum {
    PAPER_PART = 1024, /* symbols that begin at a known place */
    PAPER_GROUPS = PAPER_PART / ZTI_SZ_GROUP,
    HIST_MOST = 4096 /* symbols that are counted in shared memory */
};

/* ---- where bits of groups go ---- */

/* Sums over groups: of bits of each kind, where each group's begin. What is in sections, the one
 * kind there is or lists and symbols of each book, comes section after section. The first warp. */
static __device__ __forceinline__ void place_groups(struct shared *sh, uint32_t sections)
{
    const uint32_t l = threadIdx.x % 32, a = sh->rest_at[2 * l], b = sh->rest_at[2 * l + 1];
    const uint32_t ca = sh->classes[2 * l], cb = sh->classes[2 * l + 1];
    const uint32_t of_a = sections == 1 || is_list(ca) ? 0 : book_of(ca);
    const uint32_t of_b = sections == 1 || is_list(cb) ? 0 : book_of(cb);
    const uint32_t classes = sum_groups(sh->class_at), planes = sum_groups(sh->plane_at);
    const uint32_t excess = sum_groups(sh->excess_at);
    uint32_t total = 0;
    for (uint32_t section = 0; section < sections; section++) {
        const uint32_t own_a = of_a == section ? a : 0, own_b = of_b == section ? b : 0;
        const uint32_t up_to = total + (uint32_t)warp_sums(own_a + own_b);
        if (of_a == section)
            sh->rest_at[2 * l] = up_to - own_a - own_b;
        if (of_b == section)
            sh->rest_at[2 * l + 1] = up_to - own_b;
        total = __shfl_sync(SIMT_ALL_LANES, up_to, 31);
        if (l == 0)
            sh->section_end[section] = total;
    }
    if (l == 0) {
        sh->class_bits = classes;
        sh->plane_bits = planes;
        sh->rest_bits = total;
        sh->excess_bits = excess;
    }
}
