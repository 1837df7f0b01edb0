/* special_repeats.c: reads repeats, the places of special values that are stored as changes from
 * slice to slice (special.h), in memory proportional to the section instead of the frame.
 *
 * A slice is 'distance' values; a column is a position in it. All columns where runs of changes
 * begin or end cut the slice into pieces; a change inverts whole pieces. A segment tree over the
 * pieces counts the special columns below each node. So inverting a run, counting a slice, and
 * finding the number of a row's first special value each take time logarithmic in the pieces.
 * Memory and time grow with the number of runs (a byte of the section holds four at most) and of
 * rows read. */
#include "frame/format/special.h"

#include <stdlib.h>

/* A pass through the slices: the tree describes 'slice'; 'done' special values are before that. */
struct pass {
    const struct zti_special_section *section;
    struct zti_special_places places;
    bool has_run; /* its rest is [places.first, places.last) */
    uint64_t slice, done;
    uint64_t read_bits; /* bit after the last run */
};

/* A node of the tree, and the pieces [lo, hi) below it. */
struct node {
    uint64_t number, lo, hi;
};

static struct node root_of(const struct zti_special_repeats *t)
{
    return (struct node){.number = 1, .hi = t->leaves};
}

static struct node left_of(struct node n)
{
    return (struct node){.number = 2 * n.number, .lo = n.lo, .hi = n.lo + (n.hi - n.lo) / 2};
}

static struct node right_of(struct node n)
{
    return (struct node){.number = 2 * n.number + 1, .lo = n.lo + (n.hi - n.lo) / 2, .hi = n.hi};
}

/* The column where a piece begins; after the last piece, the slice's end. */
static uint64_t cut_at(const struct zti_special_repeats *t, uint64_t piece)
{
    return t->cut[piece < t->pieces ? piece : t->pieces];
}

static uint64_t columns_of(const struct zti_special_repeats *t, struct node n)
{
    return cut_at(t, n.hi) - cut_at(t, n.lo);
}

/* Invert columns [first, last), which are whole pieces, below a node. */
static void turn(const struct zti_special_repeats *t, struct node n, uint64_t first, uint64_t last)
{
    const uint64_t lo = cut_at(t, n.lo), hi = cut_at(t, n.hi);
    if (first >= hi || last <= lo)
        return;
    if (first <= lo && hi <= last) {
        t->is_turned[n.number] ^= 1;
        t->special[n.number] = hi - lo - t->special[n.number];
        return;
    }
    const struct node left = left_of(n), right = right_of(n);
    turn(t, left, first, last);
    turn(t, right, first, last);
    const uint64_t below = t->special[left.number] + t->special[right.number];
    t->special[n.number] = t->is_turned[n.number] ? hi - lo - below : below;
}

/* The number of the slice's special values before a column. */
static uint64_t count_before(const struct zti_special_repeats *t, uint64_t column)
{
    struct node n = root_of(t);
    uint64_t count = 0;
    bool is_turned = false; /* inverted by the nodes above */
    while (n.hi - n.lo > 1) {
        const struct node left = left_of(n), right = right_of(n);
        is_turned ^= t->is_turned[n.number];
        if (column < cut_at(t, left.hi)) {
            n = left;
            continue;
        }
        count +=
            is_turned ? columns_of(t, left) - t->special[left.number] : t->special[left.number];
        n = right;
    }
    const bool is_special = (t->special[n.number] > 0) != is_turned;
    return is_special && column > cut_at(t, n.lo) ? count + column - cut_at(t, n.lo) : count;
}

/* ---- building ---- */

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void clear(const struct zti_special_repeats *t)
{
    memset(t->special, 0, (size_t)(2 * t->leaves) * sizeof *t->special);
    memset(t->is_turned, 0, (size_t)(2 * t->leaves));
}

zt_status zti_special_repeats_open(zt_context *context, struct zti_special_section *s,
                                   struct zti_buffer *memory)
{
    struct zti_special_repeats *const t = &s->repeats;
    struct zti_special_places p = zti_special_places_of(s);
    uint64_t cuts = 2;
    while (zti_special_next(&p))
        cuts += 2;
    for (t->leaves = 1; t->leaves < cuts;)
        t->leaves *= 2;
    const uint64_t words = cuts + 2 * t->leaves;
    const zt_status status =
        zti_buffer_reserve(context, memory, words * sizeof(uint64_t) + 2 * t->leaves, 0);
    if (status)
        return status;
    t->cut = (uint64_t *)(void *)memory->bytes;
    t->special = t->cut + cuts;
    t->is_turned = (uint8_t *)(t->special + 2 * t->leaves);
    t->cut[0] = 0;
    t->cut[1] = t->distance;
    p = zti_special_places_of(s);
    for (uint64_t i = 2; zti_special_next(&p); i += 2) {
        t->cut[i] = p.first % t->distance;
        t->cut[i + 1] = p.last % t->distance;
    }
    qsort(t->cut, (size_t)cuts, sizeof *t->cut, by_size);
    t->pieces = 0;
    for (uint64_t i = 1; i < cuts; i++)
        if (t->cut[i] != t->cut[t->pieces])
            t->cut[++t->pieces] = t->cut[i];
    return ZT_OK;
}

/* ---- from slice to slice ---- */

static struct pass begin(const struct zti_special_section *s)
{
    struct pass p = {.section = s, .places = zti_special_places_of(s)};
    clear(&s->repeats);
    p.has_run = zti_special_next(&p.places);
    p.read_bits = p.places.reader.at;
    return p;
}

static void go_to(struct pass *p, uint64_t slice)
{
    p->done += (slice - p->slice) * p->section->repeats.special[1];
    p->slice = slice;
}

/* Apply changes [first, last), which lie in one slice. */
static void change(struct pass *p, uint64_t first, uint64_t last)
{
    const struct zti_special_repeats *const t = &p->section->repeats;
    const uint64_t slice = first / t->distance, begins = slice * t->distance;
    go_to(p, slice);
    turn(t, root_of(t), first - begins, last - begins);
}

/* Apply changes of n whole slices. Each inverts the one before, so that two consecutive slices
 * together have 'distance' special values: pairs are only counted. */
static void change_whole(struct pass *p, uint64_t slice, uint64_t n)
{
    const uint64_t distance = p->section->repeats.distance, pairs = (n - 1) / 2;
    go_to(p, slice);
    p->done += pairs * distance;
    p->slice += 2 * pairs;
    for (slice += 2 * pairs, n -= 2 * pairs; n > 0; slice++, n--)
        change(p, slice * distance, (slice + 1) * distance);
}

/* Apply all changes before value 'end', the end of a slice. */
static void apply_changes(struct pass *p, uint64_t end)
{
    const uint64_t distance = p->section->repeats.distance;
    while (p->has_run && p->places.first < end) {
        uint64_t first = p->places.first;
        const uint64_t last = p->places.last < end ? p->places.last : end;
        const uint64_t next = (first / distance + 1) * distance;
        if (first % distance && next < last) {
            change(p, first, next);
            first = next;
        }
        if (first % distance == 0 && last - first >= distance) {
            change_whole(p, first / distance, (last - first) / distance);
            first = last - last % distance;
        }
        if (first < last)
            change(p, first, last);
        p->places.first = last;
        if (last == p->places.last) {
            p->has_run = zti_special_next(&p->places);
            p->read_bits = p->has_run ? p->places.reader.at : p->read_bits;
        }
    }
}

bool zti_special_repeats_are_good(const struct zti_special_section *s)
{
    struct pass p = begin(s);
    apply_changes(&p, s->values);
    go_to(&p, s->values / s->repeats.distance);
    return p.done == s->count && p.places.reader.end - p.read_bits < 8;
}

/* ---- special values of a view ---- */

/* Calls 'take' for the special values in columns [first, last) of the current slice, in order. */
struct wanted {
    const struct zti_special_repeats *repeats;
    uint64_t first, last;
    void (*take)(void *user, uint64_t first, uint64_t last);
    void *user;
};

static void find(const struct wanted *w, struct node n, bool is_turned)
{
    const struct zti_special_repeats *const t = w->repeats;
    const uint64_t lo = cut_at(t, n.lo), hi = cut_at(t, n.hi);
    const uint64_t special = is_turned ? hi - lo - t->special[n.number] : t->special[n.number];
    if (special == 0 || w->first >= hi || w->last <= lo)
        return;
    if (special == hi - lo) {
        w->take(w->user, w->first > lo ? w->first : lo, w->last < hi ? w->last : hi);
        return;
    }
    is_turned ^= t->is_turned[n.number];
    find(w, left_of(n), is_turned);
    find(w, right_of(n), is_turned);
}

struct in_slice {
    struct zti_special_row *row;
    uint64_t begins; /* the frame's value at which the slice begins */
    uint64_t number; /* of the next special value */
};

static void restore_columns(void *user, uint64_t first, uint64_t last)
{
    struct in_slice *const s = user;
    zti_special_restore(s->row, s->begins + first, s->begins + last, s->number);
    s->number += last - first;
}

void zti_special_repeats_apply(const struct zti_special_section *s, struct zti_special_row *row)
{
    const struct zti_special_repeats *const t = &s->repeats;
    struct pass p = begin(s);
    do {
        const uint64_t slice = row->first / t->distance;
        struct in_slice in = {.row = row, .begins = slice * t->distance};
        apply_changes(&p, in.begins + t->distance);
        go_to(&p, slice);
        const uint64_t first = row->first - in.begins;
        if (s->patterns != 1)
            in.number = p.done + count_before(t, first);
        const struct wanted w = {.repeats = t,
                                 .first = first,
                                 .last = first + row->n,
                                 .take = restore_columns,
                                 .user = &in};
        find(&w, root_of(t), false);
    } while (zti_special_next_row(row));
}
