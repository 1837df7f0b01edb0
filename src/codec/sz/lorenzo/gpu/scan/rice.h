/* rice.h: kernel text of lorenzo/gpu/scan/scan.cu: tiles of effort 'fast'. The lanes of a tile find
 * the places of several groups at a time.
 *
 * Every round sets one more bit of a value's unary code; the last round clears it. So the rounds of
 * a group of n values end with the n-th 0 after their start, unless a value exceeds all rounds and
 * has a number. The next group begins there. The window's zeros are counted up to each word, so
 * that each lane finds the end of its group from the start of the first lane's:
 *
 *     rounds    ...1011..0|0110..0|11.. a lane's end with the 64th zero, the next lane's with 128th
 *
 * A lane then checks that all values of its group end. After a group with numbers the lanes start
 * again; a list is read by itself. */

enum {
    ROUNDS_BITS = 256 * FAST_LANES, /* bits in which the lanes' groups are searched */
    NOWHERE = WINDOW_BITS           /* the end of a group that exceeds them */
};

/* A window as words of 32 bits, and the zeros before each word. */
struct counted {
    const uint32_t *words;
    const uint16_t *zeros;
};

static __device__ __forceinline__ struct counted counted_of(const struct finding *f,
                                                            const struct lane *l)
{
    const struct counted c = {(const uint32_t *)(const void *)window_of(f, l->column),
                              f->zeros + l->column * (uint32_t)ZEROS_STEP};
    return c;
}

/* Count the zeros before each of 'count' words of the tiles' windows, two words in each lane at a
 * time; 'before' zeros precede the first. Returns the number up to their end. The warp calls it. */
static __device__ __forceinline__ uint32_t count_some(const uint64_t *words, uint16_t *zeros,
                                                      uint32_t count, uint32_t before)
{
    SIMT_UNROLL
    for (uint32_t i = 0; i < count; i += 2 * FAST_LANES) {
        const uint64_t a = ~words[i], b = ~words[i + 1];
        const uint32_t one = (uint32_t)__popc((uint32_t)a);
        const uint32_t two = one + (uint32_t)__popc((uint32_t)(a >> 32));
        const uint32_t three = two + (uint32_t)__popc((uint32_t)b);
        const uint32_t all = three + (uint32_t)__popc((uint32_t)(b >> 32));
        const uint32_t up_to = part_sums(all, FAST_LANES);
        const uint32_t both = (before + up_to - all) * 0x10001u;
        *(uint64_t *)(void *)(zeros + 2 * i) =
            (uint64_t)(both + (three << 16 | two)) << 32 | (both + (one << 16));
        before += __shfl_sync(SIMT_ALL_LANES, up_to, FAST_LANES - 1, FAST_LANES);
    }
    return before;
}

/* Count the zeros of the whole windows. */
static __device__ __forceinline__ void count_zeros(const struct finding *f, const struct lane *l)
{
    const uint32_t me = threadIdx.x % FAST_LANES, some = WINDOW_WORDS / 2;
    const uint64_t *const words = window_of(f, l->column) + 2 * me;
    uint16_t *const zeros = f->zeros + l->column * (uint32_t)ZEROS_STEP + 4 * me;
    uint32_t before = 0;
    SIMT_NO_UNROLL
    for (uint32_t i = 0; i < WINDOW_WORDS; i += some) /* all at once takes too many registers */
        before = count_some(words + i, zeros + 2 * i, some, before);
    __syncwarp(); /* for classes too */
}

static __device__ __forceinline__ uint32_t zeros_before(const struct counted *c, uint32_t at)
{
    const uint32_t word = at / 32;
    return c->zeros[word] + (uint32_t)__popc(~c->words[word] & simt_ones(at % 32));
}

/* The end of the zero with this number (the window's first is 1), if it is within ROUNDS_BITS from
 * 'word' on; else NOWHERE. */
static __device__ __forceinline__ uint32_t end_of_zero(const struct counted *c, uint32_t word,
                                                       uint32_t number)
{
    SIMT_UNROLL
    for (uint32_t step = ROUNDS_BITS / 64; step > 0; step /= 2) {
        simt_anew(word); /* else the compiler recomputes sums of steps */
        if (c->zeros[word + step] < number)
            word += step;
    }
    uint32_t left = ~c->words[word], more = number - c->zeros[word], at = 32 * word + 1;
    const bool is_here = more <= (uint32_t)__popc(left);
    SIMT_UNROLL
    for (uint32_t step = 16; step > 0; step /= 2) {
        const uint32_t some = (uint32_t)__popc(left & ((1u << step) - 1));
        if (some < more) {
            more -= some;
            left >>= step;
            at += step;
        }
    }
    return is_here ? at : (uint32_t)NOWHERE;
}

static __device__ __forceinline__ uint32_t bits_from(const struct counted *c, uint32_t at)
{
    const uint32_t *const from = c->words + at / 32;
    return __funnelshift_r(from[0], from[1], at % 32);
}

/* The end of 'count' numbers that begin at bit 'at'; NOWHERE if it is past the window. */
static __device__ __forceinline__ uint32_t skip_numbers(const struct counted *c, uint32_t at,
                                                        uint32_t count)
{
    for (; count > 0; count--) {
        if (at + (uint32_t)ZTI_SZ_NUMBER_BITS > WINDOW_BITS)
            return NOWHERE;
        const uint32_t bits = bits_from(c, at) & ((1u << ZTI_SZ_NUMBER_BITS) - 1);
        at += ZTI_SZ_NUMBER_BITS + bits;
    }
    return at < WINDOW_BITS ? at : (uint32_t)NOWHERE;
}

/* Whether the rounds of n values from bit 'at' on are followed by numbers. *end is where they end
 * without numbers, at zero 'number'; if there are numbers, it becomes their end, or NOWHERE. The
 * values left need at most one round, and one more for each bit that is not a value's last zero. */
static __device__ __forceinline__ bool find_numbers(const struct counted *c, uint32_t at,
                                                    uint32_t n, uint32_t number, uint32_t *end)
{
    uint32_t alive = n, round = 0;
    SIMT_UNROLL
    for (; round < 2; round++) { /* most groups have more rounds */
        at += alive;
        alive = number - zeros_before(c, at);
    }
    uint32_t sure = *end - at - alive + round;
    while (sure >= ZTI_SZ_ROUNDS && alive * (ZTI_SZ_ROUNDS - round) >= 32) {
        at += alive;
        alive = number - zeros_before(c, at);
        sure = *end - at - alive + ++round;
    }
    if (sure < ZTI_SZ_ROUNDS)
        return false;
    uint32_t bits = bits_from(c, at); /* of all rounds that are left */
    for (; alive > 0 && round < ZTI_SZ_ROUNDS; round++) {
        const uint32_t own = bits & simt_ones(alive);
        at += alive;
        bits >>= alive;
        alive = (uint32_t)__popc(own);
    }
    if (alive > 0)
        *end = skip_numbers(c, at, alive);
    return alive > 0;
}

/* A tile's groups: which have another class than the one before, and of the next one its number and
 * where its planes are. */
struct groups {
    uint64_t changes;
    uint32_t next, planes;
};

static __device__ __forceinline__ void note_group(const struct lane *l, uint32_t g, uint32_t c,
                                                  uint32_t planes, uint32_t at)
{
    l->to->groups[g] = group_of(c, planes) | (uint64_t)at << 32;
}

/* Pass over rounds of groups, a lane each, up to one that is a list, comes behind numbers or ends
 * too far away. Whether that must be gone through by itself. The warp calls it. */
static __device__ __forceinline__ bool skip_rounds_by_zeros(const struct finding *f, struct lane *l,
                                                            struct groups *to)
{
    const struct counted w = counted_of(f, l);
    const uint32_t me = threadIdx.x % FAST_LANES, lane = threadIdx.x % 32;
    const uint32_t g = to->next + me, n = in_group(l->n, g);
    const uint32_t at = l->is_good ? (uint32_t)(l->at - 64 * l->first) : 0;
    const uint32_t c = l->is_good && n > 0 ? class_of_group(f, l, to->changes, g) : 1;
    const bool is_one = is_rounds_or_none(c); /* 1 is a list's */
    const uint32_t own = c > 0 ? n : 0;
    const uint32_t sums = part_sums(own | class_planes(c) * n << 16, FAST_LANES);
    const uint32_t zeros = zeros_before(&w, at), number = zeros + (sums & 0xffff);
    uint32_t end = number == zeros ? at : end_of_zero(&w, at / 32, number);
    const uint32_t left = __shfl_up_sync(SIMT_ALL_LANES, end, 1, FAST_LANES);
    const uint32_t begin = me > 0 ? left : at;
    bool is_found = is_one && end < NOWHERE;
    const bool is_last = is_found && find_numbers(&w, begin, own, number, &end);
    is_found = is_found && end < NOWHERE;
    const uint32_t found = __ballot_sync(SIMT_ALL_LANES, is_found) >> (lane - me);
    const uint32_t lasts = __ballot_sync(SIMT_ALL_LANES, is_last) >> (lane - me);
    const uint32_t others = __ballot_sync(SIMT_ALL_LANES, !is_rounds_or_none(c)) >> (lane - me);
    const uint32_t run = zti_ctz32(~found | lasts << 1 | 1u << FAST_LANES);
    if (me < run)
        note_group(l, g, c, to->planes + (sums >> 16) - class_planes(c) * n,
                   in_tile(l) + begin - at);
    end = __shfl_sync(SIMT_ALL_LANES, end, (int)run - 1, FAST_LANES);
    const uint32_t all = __shfl_sync(SIMT_ALL_LANES, sums, (int)run - 1, FAST_LANES);
    if (run > 0) {
        l->at += end - at;
        l->is_good = l->at <= l->end;
        to->planes += all >> 16;
    }
    to->next += run;
    return run == 0 || (run < FAST_LANES && (others >> run & 1));
}

/* Pass over the next group by itself, and over lists behind it as long as the window goes on. */
static __device__ __forceinline__ void skip_group_and_lists(const struct sz_tiles *s,
                                                            const struct finding *f, struct lane *l,
                                                            struct groups *to)
{
    uint32_t c = class_of_group(f, l, to->changes, to->next);
    do {
        const uint32_t n = in_group(l->n, to->next);
        if (is_leader(l))
            note_group(l, to->next, c, to->planes, in_tile(l));
        skip_one_group(s, f, l, PASS_ALL, n, c);
        to->planes += class_planes(c) * n;
        if (++to->next * ZTI_SZ_GROUP >= l->n)
            break;
        c = class_of_group(f, l, to->changes, to->next);
    } while (l->is_good && !is_rounds_or_none(c) &&
             l->at - 64 * l->first <= WINDOW_BITS - (uint32_t)ROUNDS_BITS);
}

/* Of each group in order its list or rounds. The warp calls it. */
static __device__ __forceinline__ void skip_lists_and_rounds(const struct sz_tiles *s,
                                                             const struct finding *f,
                                                             struct lane *l, uint64_t changes)
{
    struct groups to = {changes, 0, 0};
    bool is_counted = false;
    while (__any_sync(SIMT_ALL_LANES, l->is_good && to.next * ZTI_SZ_GROUP < l->n)) {
        if (refill_windows(s, f, l, ROUNDS_BITS) || !is_counted)
            count_zeros(f, l);
        is_counted = true;
        const bool is_other = skip_rounds_by_zeros(f, l, &to);
        if (is_other && l->is_good && to.next * ZTI_SZ_GROUP < l->n)
            skip_group_and_lists(s, f, l, &to);
    }
}
