/* items.c: lists of small numbers (code lengths, exponents of weights) to bits and back; the bits
 * are described in items.h. */
#include "entropy/items.h"
#include "entropy/bits_within.h"

enum { STEP_BITS = 3, NUMBER_BITS = 7, RUN_BITS = 4 }; /* bits of an item without its n */
enum { KIND_BITS = 2 };

uint32_t zti_symbol_bits(uint32_t n)
{
    return zti_bit_length64(n - 1);
}

void zti_items_write_kind(struct zti_items *to, uint32_t used, uint32_t only, uint32_t alphabet)
{
    zti_items_field(to, used < ZTI_ITEMS_LIST ? used : ZTI_ITEMS_LIST, KIND_BITS);
    if (used == ZTI_ITEMS_ONE)
        zti_items_field(to, only, zti_symbol_bits(alphabet));
}

const char *zti_items_read_kind(struct zti_bit_reader *r, uint32_t alphabet, uint32_t *kind,
                                uint32_t *only)
{
    *kind = zti_get_within(r, KIND_BITS);
    *only = *kind == ZTI_ITEMS_ONE ? zti_get_within(r, zti_symbol_bits(alphabet)) : 0;
    return *kind > ZTI_ITEMS_LIST ? "is of no known kind"
           : *only >= alphabet    ? "names a symbol that is not in the alphabet"
                                  : NULL;
}

static uint32_t gamma_bits(uint32_t n)
{
    return 2 * zti_bit_length64(n) - 1;
}

/* At most 33 bits. */
static void write_gamma(struct zti_items *to, uint32_t n)
{
    const uint32_t low = zti_bit_length64(n) - 1;
    zti_items_field(to,
                    UINT64_C(1) << low | (uint64_t)(n & ((UINT32_C(1) << low) - 1)) << (low + 1),
                    2 * low + 1);
}

static void write_number(struct zti_items *to, uint32_t number, uint32_t before)
{
    if (number == before)
        zti_items_field(to, 0, 1);
    else if (number == before + 1)
        zti_items_field(to, 5, STEP_BITS); /* 1 0 1 */
    else if (number + 1 == before)
        zti_items_field(to, 1, STEP_BITS); /* 1 0 0 */
    else
        zti_items_field(to, 3 | (number - 1) << 3, NUMBER_BITS);
}

void zti_items_write(struct zti_items *to, const uint8_t *numbers, uint32_t n, uint32_t before)
{
    for (uint32_t s = 0; s < n;) {
        const uint32_t number = numbers[s];
        uint32_t run = 1;
        while (s + run < n && numbers[s + run] == number)
            run++;
        s += run;
        if (number == 0) {
            zti_items_field(to, 7, RUN_BITS); /* 1 1 1 0 */
            write_gamma(to, run);
            continue;
        }
        if (number != before) {
            write_number(to, number, before);
            before = number;
            run--;
        }
        if (run > RUN_BITS + gamma_bits(run)) {
            zti_items_field(to, 15, RUN_BITS);
            write_gamma(to, run);
            continue;
        }
        zti_items_field(to, 0, run); /* at most 11: a longer run is shorter as its own item */
    }
}

/* Read a number in gamma code; 0 if it is above 65,536. */
static uint32_t read_gamma(struct zti_bit_reader *r)
{
    uint32_t low = 0;
    while (low <= 16 && zti_get_within(r, 1) == 0)
        low++;
    const uint32_t n = low <= 16 ? UINT32_C(1) << low | zti_get_within(r, low) : 0;
    return n <= 65536 ? n : 0;
}

uint32_t zti_items_read(struct zti_bit_reader *r, uint32_t before, uint32_t *number)
{
    *number = before;
    if (zti_get_within(r, 1) == 0)
        return 1;
    if (zti_get_within(r, 1) == 0) {
        *number = zti_get_within(r, 1) ? before + 1 : before - 1;
        return *number > 0 && *number <= 16;
    }
    if (zti_get_within(r, 1) == 0) {
        *number = zti_get_within(r, 4) + 1;
        return 1;
    }
    if (zti_get_within(r, 1) == 0)
        *number = 0;
    return read_gamma(r);
}
