/* quantize.h: kernel text: a row of coefficients to multiples of the step, and these to symbols and
 * to cells, what they count for in contexts. x86/quantize.h does the same by vectors. */

/* Values whose sums have room in 32 bits: each is below 1 << 16. */
enum { TALLIED_VALUES = 1 << 15 };

/* struct zti_tf_tally, for some rows of a band. */
struct tally {
    int32_t off[ZTI_TF_CENTROIDS], number[ZTI_TF_CENTROIDS];
    integer is_over;
    uint32_t values;
    uint64_t open_bits;
};

/* Quantize at most AT_ONCE coefficients in place to multiples of the step, and add to a tally.
 * There are no branches in loops, so that compilers make vectors of them, here and below. */
enum { AT_ONCE = 64 };

static void quantize(number *restrict value, uint32_t n, number scale, struct tally *tally)
{
    number by[AT_ONCE];
    integer is_over = 0;
    int32_t off1 = 0, off2 = 0, off3 = 0, n1 = 0, n2 = 0, n3 = 0;
    for (uint32_t i = 0; i < n; i++) {
        const number v = magnitude_of(value[i]) * scale;
        const number up = multiple_of(v);
        by[i] = off_of(v, up);
        value[i] = choose(value[i] < 0, -up, up);
    }
    for (uint32_t i = 0; i < n; i++) {
        const number m = magnitude_of(value[i]);
        const int32_t off = (int32_t)by[i];
        const int32_t is1 = -(m == 1), is2 = -(m == 2),
                      is3 = -((m >= 3) & (m < (int)ZTI_TF_COUNTED));
        is_over |= -!(m < (number)ZTI_TF_MOST_MAGNITUDE);
        off1 += off & is1;
        off2 += off & is2;
        off3 += off & is3;
        n1 -= is1;
        n2 -= is2;
        n3 -= is3;
    }
    tally->off[0] += off1;
    tally->off[1] += off2;
    tally->off[2] += off3;
    tally->number[0] += n1;
    tally->number[1] += n2;
    tally->number[2] += n3;
    tally->is_over |= is_over;
}

/* The symbols of a row of multiples, and their cells. */
static void find_symbols(const number *restrict value, uint32_t n, number part,
                         uint8_t *restrict symbol, uint16_t *restrict cell)
{
    for (uint32_t i = 0; i < n; i++) {
        const number m = magnitude_of(value[i]);
        symbol[i] = (uint8_t)symbol_of(m);
        cell[i] = weight_of(m, part);
    }
}

/* How many bits symbols leave open, with signs. */
static uint32_t open_bits_of(const uint8_t *symbol, uint32_t n)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < n; i++)
        bits += symbol[i] > 0 ? 1 + tf_open_bits(symbol[i]) : 0;
    return bits;
}

/* A row of coefficients, in place, to multiples of the step, symbols and cells. scale: multiples in
 * 1; part: see weight_of. */
static void quantize_row(number *value, uint32_t n, number scale, number part, uint8_t *symbol,
                         uint16_t *cell, struct tally *tally)
{
    for (uint32_t i = 0; i < n; i += AT_ONCE)
        quantize(value + i, n - i < AT_ONCE ? n - i : (uint32_t)AT_ONCE, scale, tally);
    find_symbols(value, n, part, symbol, cell);
    tally->open_bits += open_bits_of(symbol, n);
    tally->values += n;
}

/* Add what rows of a band came to, and begin again. */
static void add_tally(struct zti_tf_tally *all, uint32_t octave, struct tally *t)
{
    for (uint32_t k = 0; k < ZTI_TF_CENTROIDS; k++) {
        all->off[octave][k] += t->off[k];
        all->times[octave][k] += (uint32_t)t->number[k];
    }
    all->open_bits += t->open_bits;
    all->is_over |= t->is_over != 0;
    *t = (struct tally){.is_over = 0};
}
