/* repeats.h: kernel text of the lossless coder: rows of a tile that repeat earlier ones (../rows.h
 * has how they are found). Which values occurred before follows a chain through all rows, because a
 * row that equals the expected one is passed over: a block goes from row to row, a thread a value.
 * Votes for mirrors and rows are counted side by side, a warp a row. Rows then take the sources of
 * those beside them, again from row to row. */

/* A value whose magnitude was in an earlier row: that row, its column, the column there, whether
 * its sign was another; 20 bits a column. */
static __device__ __forceinline__ uint64_t hit_of(uint32_t other, uint32_t x, uint32_t column,
                                                  bool is_negated)
{
    return (uint64_t)other << (2 * COLUMN_BITS + 1) | (uint64_t)x << (COLUMN_BITS + 1) |
           column << 1 | is_negated;
}

static __device__ __forceinline__ uint32_t row_of_hit(uint64_t hit)
{
    return (uint32_t)(hit >> (2 * COLUMN_BITS + 1));
}

static __device__ __forceinline__ uint32_t x_of_hit(uint64_t hit)
{
    return (uint32_t)(hit >> (COLUMN_BITS + 1)) & ((1u << COLUMN_BITS) - 1);
}

static __device__ __forceinline__ uint32_t column_of_hit(uint64_t hit)
{
    return (uint32_t)hit >> 1 & ((1u << COLUMN_BITS) - 1);
}

/* Two tables of places, both 0 at first: of each place the last value, its row + 1 above its column
 * and tag; and in the row that was there last, the first column, inverted so that both are maxima.
 */
struct lookup {
    const value *v;
    unsigned long long *last, *first;
    value sign;
    uint32_t width, skipped, bits;
    bool are_pairs;
};

static __device__ __forceinline__ struct lookup lookup_of(const struct ll_job *j, bool are_pairs)
{
    struct lookup l;
    l.v = (const value *)j->values;
    l.last = j->last;
    l.first = j->first;
    l.sign = zti_is_float(j->type) ? SIGN : 0;
    l.width = j->shape.width;
    l.are_pairs = are_pairs;
    l.skipped = are_pairs ? (uint32_t)ZTI_LL_PAIR_BITS : ll_sampled_bits(l.width);
    l.bits = are_pairs ? (uint32_t)ZTI_LL_HASH_BITS - ZTI_LL_PAIR_BITS
                       : ll_places_bits(j->shape.values, l.skipped);
    return l;
}

/* What is looked up of value x of a row; false: nothing. */
struct looked_up {
    uint32_t place, tag;
    unsigned long long own; /* as 'last' has it */
};

static __device__ __forceinline__ bool look_up(const struct lookup *l, uint32_t row, uint32_t x,
                                               struct looked_up *to)
{
    const value *const own = l->v + (size_t)row * l->width + x;
    uint64_t hash;
    if (x == 0 || x >= l->width ||
        !is_looked_up(own[0], own[-1], l->sign, l->skipped, l->are_pairs, &hash))
        return false;
    to->place = (uint32_t)(hash << l->skipped >> (64 - l->bits));
    to->tag = tag_of(hash, (own[0] & l->sign) > 0);
    to->own = (unsigned long long)(row + 1) << 32 | x << (32 - COLUMN_BITS) | to->tag;
    return true;
}

static __device__ __forceinline__ unsigned long long first_of(uint32_t row, uint32_t x)
{
    return (unsigned long long)(row + 1) << 32 | (0xffffffffu - x);
}

/* Whether a value that is looked up was in an earlier row; the first in its row at that place. */
static __device__ __forceinline__ bool is_hit(const struct lookup *l, uint32_t row, uint32_t x,
                                              const struct looked_up *at, uint64_t *hit)
{
    const unsigned long long last = l->last[at->place];
    const uint32_t low = (uint32_t)last, column = low >> (32 - COLUMN_BITS);
    const uint32_t other = (low & ((1u << (32 - COLUMN_BITS)) - 1)) ^ at->tag;
    *hit = 0;
    if (last == 0 || l->first[at->place] != first_of(row, x))
        return false;
    const uint32_t before = (uint32_t)(last >> 32) - 1;
    *hit = hit_of(before, x, column, other != 0);
    if (!l->are_pairs)
        return other <= 1;
    const value *const a = l->v + (size_t)before * l->width + column;
    const value *const b = l->v + (size_t)row * l->width + x;
    return is_pair(a[0], a[-1], b[0], b[-1], l->sign);
}

/* List the hits of a row behind *hits others, in the order of columns. The block calls it. */
static __device__ void list_row(const struct lookup *l, uint32_t row, uint64_t *list,
                                uint32_t *hits, uint32_t *looked_at)
{
    SIMT_SHARED(uint32_t, found, [2][LL_JOB_WARPS]); /* in turns, so that a round has one barrier */
    const uint32_t warp = threadIdx.x / 32;
    uint32_t turn = 0;
    for (uint32_t from = 0; from < l->width; from += LL_JOB_THREADS, turn ^= 1) {
        const uint32_t x = from + threadIdx.x;
        struct looked_up at;
        uint64_t hit = 0;
        const bool is_one = look_up(l, row, x, &at), has = is_one && is_hit(l, row, x, &at, &hit);
        const uint32_t lanes = __ballot_sync(SIMT_ALL_LANES, has);
        uint32_t to = *hits + (uint32_t)__popc(lanes & ((1u << threadIdx.x % 32) - 1));
        *looked_at += is_one;
        if (threadIdx.x % 32 == 0)
            found[turn][warp] = (uint32_t)__popc(lanes);
        __syncthreads();
        for (uint32_t k = 0; k < LL_JOB_WARPS; k++) {
            to += k < warp ? found[turn][k] : 0;
            *hits += found[turn][k];
        }
        if (has && list)
            list[to] = hit;
    }
    __syncthreads();
}

/* Whether two rows are equal. The block calls it. */
static __device__ bool are_rows_equal(const struct lookup *l, uint32_t row, uint32_t other)
{
    const value *const a = l->v + (size_t)row * l->width, *const b =
                                                              l->v + (size_t)other * l->width;
    bool differ = false;
    for (uint32_t x = threadIdx.x; x < l->width; x += LL_JOB_THREADS)
        differ = differ || a[x] != b[x];
    return __syncthreads_or(differ) == 0;
}

/* The row that the last hit of a row is in, if at the same column; or -1. */
static __device__ __forceinline__ int32_t row_of_last(uint64_t hit)
{
    return x_of_hit(hit) == column_of_hit(hit) && !(hit & 1) ? (int32_t)row_of_hit(hit) : -1;
}

/* Count pairs of magnitudes that were in a row before, or list single ones with the rows that equal
 * the row behind the one that the row before them repeats. */
SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4)
    NAME(ll_find_hits)(SIMT_ARGUMENT struct ll_job j, bool are_pairs)
{
    const struct lookup l = lookup_of(&j, are_pairs);
    uint64_t *const list = are_pairs ? NULL : j.hits;
    int32_t other = -1; /* what the row before repeats, perhaps */
    uint32_t hits = 0, looked_at = 0, equal = 0;
    for (uint32_t row = 0; row < j.shape.rows; row++) {
        const uint32_t before = hits;
        other += other >= 0;
        const bool is_equal = other > 0 && are_rows_equal(&l, row, (uint32_t)other);
        if (threadIdx.x == 0) {
            j.first_hit[row] = hits;
            j.source[row] = is_equal ? other : -1;
            j.how[row] = 0;
        }
        equal += is_equal;
        if (is_equal)
            continue;
        for (uint32_t x = threadIdx.x; x < l.width; x += LL_JOB_THREADS) {
            struct looked_up at;
            if (look_up(&l, row, x, &at))
                (void)atomicMax(&l.first[at.place], first_of(row, x));
        }
        __syncthreads();
        list_row(&l, row, list, &hits, &looked_at);
        for (uint32_t x = threadIdx.x; x < l.width; x += LL_JOB_THREADS) {
            struct looked_up at;
            if (look_up(&l, row, x, &at))
                (void)atomicMax(&l.last[at.place], at.own);
        }
        other = list && hits > before ? row_of_last(list[hits - 1]) : -1;
    }
    (void)atomicAdd(&j.sums->looked_at, looked_at);
    if (threadIdx.x == 0) {
        j.first_hit[j.shape.rows] = hits;
        j.sums->hits = hits;
        j.sums->equal = equal;
    }
}

/* ---- votes ---- */

/* Count sums of a value's column and its place's. */
SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4) NAME(ll_vote)(SIMT_ARGUMENT struct ll_job j)
{
    for (uint32_t i = ll_own_number(); i < j.sums->hits; i += ll_all_threads())
        (void)atomicAdd(&j.votes[x_of_hit(j.hits[i]) + column_of_hit(j.hits[i])], 1u);
}

/* The most frequent sum but 0, the least of equal ones: of what is kept, it is the complement of
 * the low half. */
SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4) NAME(ll_find_mirror)(SIMT_ARGUMENT struct ll_job j)
{
    unsigned long long most = 0;
    for (uint32_t c = 1 + ll_own_number(); c < 2 * j.shape.width; c += ll_all_threads()) {
        const unsigned long long own = (unsigned long long)j.votes[c] << 32 | (0xffffffffu - c);
        most = own > most ? own : most;
    }
    if (most > 0)
        (void)atomicMax(&j.sums->mirror, most);
}

static __device__ __forceinline__ uint32_t mirror_of(const struct ll_job *j)
{
    return 0xffffffffu - (uint32_t)j->sums->mirror;
}

/* How many hits up to number i of a row vote as it does: for the same row, with the same sign, in
 * the same direction; 0 if its own columns are not such. */
static __device__ __forceinline__ uint32_t votes_up_to(const struct ll_job *j, const uint64_t *hit,
                                                       uint32_t i, uint32_t how, uint32_t mirror)
{
    const uint64_t own = hit[i];
    uint32_t votes = 0;
    if (ll_mirrored(how, mirror, j->shape.width, x_of_hit(own)) != column_of_hit(own))
        return 0;
    for (uint32_t k = 0; k <= i; k++)
        votes +=
            row_of_hit(hit[k]) == row_of_hit(own) && ((hit[k] ^ own) & 1) == 0 &&
            ll_mirrored(how, mirror, j->shape.width, x_of_hit(hit[k])) == column_of_hit(hit[k]);
    return votes;
}

/* Find the earlier row, sign and direction that most hits of a row vote for; among equals, the one
 * whose last vote came first. A warp has a row. */
SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4) NAME(ll_find_sources)(SIMT_ARGUMENT struct ll_job j)
{
    const uint32_t mirror = mirror_of(&j), lane = threadIdx.x % 32;
    for (uint32_t row = ll_own_number() / 32; row < j.shape.rows; row += ll_all_threads() / 32) {
        const uint64_t *const hit = j.hits + j.first_hit[row];
        const uint32_t n = j.first_hit[row + 1] - j.first_hit[row];
        uint64_t best = 0; /* votes, and the complement of their last hit's number and direction */
        for (uint32_t i = lane; i < n; i += 32)
            for (uint32_t m = 0; m < 2; m++) {
                const uint32_t votes = votes_up_to(&j, hit, i, m, mirror);
                const uint64_t own = (uint64_t)votes << 32 | (0xffffffffu - (2 * i + m));
                best = votes > 0 && own > best ? own : best;
            }
        for (uint32_t step = 16; step > 0; step /= 2) {
            const uint64_t other = __shfl_xor_sync(SIMT_ALL_LANES, best, (int)step);
            best = other > best ? other : best;
        }
        const uint32_t last = 0xffffffffu - (uint32_t)best;
        const uint32_t votes = (uint32_t)(best >> 32) << ll_sampled_bits(j.shape.width);
        if (lane > 0 || best == 0 || !ll_is_source(j.shape.width, votes))
            continue;
        j.source[row] = (int32_t)row_of_hit(hit[last / 2]);
        j.how[row] = (uint8_t)(2 * (hit[last / 2] & 1) + last % 2);
        (void)atomicAdd(&j.sums->common, votes);
    }
}

/* ---- rows beside them ---- */

/* Values of a row, about, that are near what is repeated (is_near); 0 where count_near would end
 * before the last value that is looked at, because 'least' cannot be reached. The block calls it.
 */
static __device__ uint32_t count_near(const struct ll_job *j, uint32_t row, uint32_t other,
                                      uint32_t how, uint32_t mirror, uint32_t least)
{
    const value *const v = (const value *)j->values;
    const bool is_float = zti_is_float(j->type);
    const uint32_t width = j->shape.width, every = ll_near_every(width);
    const uint32_t n = (width - 1 + every - 1) / every; /* values that are looked at */
    uint32_t count = 0, last = 0;
    for (uint32_t from = 0; from < n; from += LL_JOB_THREADS) {
        const uint32_t i = from + threadIdx.x, x = 1 + i * every;
        bool near = false;
        if (i < n) {
            const value *const own = v + (size_t)row * width + x;
            value repeated = v[(size_t)other * width + ll_mirrored(how, mirror, width, x)];
            repeated ^= how & 2 ? SIGN : 0;
            near = is_near(is_float, own[0], own[-1], repeated);
        }
        count += (uint32_t)__syncthreads_count(near);
        last = (uint32_t)__syncthreads_or(near && i + 1 == n);
    }
    const uint32_t before = count - (last != 0), x = 1 + (n - 1) * every;
    return n > 0 && before * every + width - x >= least ? count * every : 0;
}

/* Let a row repeat a row if one beside it does: the same one, or one beside that. */
static __device__ void spread_source(const struct ll_job *j, uint32_t row, uint32_t beside,
                                     uint32_t mirror)
{
    const int32_t from = j->source[beside];
    const uint32_t how = j->how[beside];
    uint32_t most = ll_least_near(j->shape.width);
    int32_t best = -1;
    if (j->source[row] >= 0 || from < 0)
        return;
    for (int32_t step = -1; step <= 1; step++) {
        const int32_t other = from + step;
        if (other < 0 || other >= (int32_t)row)
            continue;
        const uint32_t near = count_near(j, row, (uint32_t)other, how, mirror, most + 1);
        best = near > most ? other : best;
        most = near > most ? near : most;
    }
    if (threadIdx.x == 0 && best >= 0) {
        j->source[row] = best;
        j->how[row] = (uint8_t)how;
    }
    __syncthreads();
}

SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4)
    NAME(ll_spread_sources)(SIMT_ARGUMENT struct ll_job j)
{
    const uint32_t mirror = mirror_of(&j);
    for (uint32_t row = 1; row < j.shape.rows; row++)
        spread_source(&j, row, row - 1, mirror);
    for (uint32_t row = j.shape.rows - 1; row-- > 0;)
        spread_source(&j, row, row + 1, mirror);
}

/* ---- launches ---- */

static void NAME(find_hits)(const struct ll_job *j, bool are_pairs, void *queue)
{
    SIMT_LAUNCH(NAME(ll_find_hits), 1, LL_JOB_THREADS, 0, queue, *j, are_pairs);
}

static void NAME(find_sources)(const struct ll_job *j, void *queue)
{
    const uint32_t rows = ll_grid(32 * (uint64_t)j->shape.rows);
    SIMT_LAUNCH(NAME(ll_vote), ll_grid(j->shape.values), LL_JOB_THREADS, 0, queue, *j);
    SIMT_LAUNCH(NAME(ll_find_mirror), ll_grid(2 * (uint64_t)j->shape.width), LL_JOB_THREADS, 0,
                queue, *j);
    SIMT_LAUNCH(NAME(ll_find_sources), rows, LL_JOB_THREADS, 0, queue, *j);
    SIMT_LAUNCH(NAME(ll_spread_sources), 1, LL_JOB_THREADS, 0, queue, *j);
}
