/* entropy_block_test.c: bytes of any kind as symbols: they come back, and blocks that are not what
 * they claim are refused. */
#include "ztile_huffman.h"
#include "support/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <xxhash.h>

static zt_entropy kind_of(uint32_t symbols, uint32_t k, const char *letters)
{
    zt_entropy e;
    assert_int_equal(zt_entropy_init(&e, sizeof e), ZT_OK);
    e.symbols = symbols;
    e.k = k;
    e.letter_count = (uint32_t)strlen(letters);
    memcpy(e.letters, letters, e.letter_count);
    return e;
}

/* Returns the bytes of the block, which is left in *block if that is not NULL. */
static size_t check_block(const uint8_t *data, size_t n, const zt_entropy *e, uint8_t **block)
{
    size_t capacity, used = 0;
    uint64_t bytes, claimed;
    zt_entropy found;
    assert_int_equal(zt_entropy_bound(n, &capacity), ZT_OK);
    uint8_t *out = need(capacity), *back = need(n + 1);
    assert_int_equal(zt_entropy_encode(NULL, data, n, e, out, capacity, &used), ZT_OK);
    assert_true(used <= capacity);
    assert_int_equal(zt_entropy_init(&found, sizeof found), ZT_OK);
    assert_int_equal(zt_entropy_inspect(NULL, out, used, &found, &bytes, &claimed), ZT_OK);
    assert_true(bytes == n && claimed == used && found.symbols == e->symbols);
    assert_int_equal(found.is_last != 0, e->is_last != 0);
    back[n] = 0x5a;
    uint8_t *exact = need(used);
    memcpy(exact, out, used);
    assert_int_equal(zt_entropy_decode(NULL, exact, used, back, n), ZT_OK);
    assert_memory_equal(back, data, n);
    assert_int_equal(back[n], 0x5a);
    assert_int_equal(zt_entropy_encode(NULL, data, n, e, exact, used - 1, &used), ZT_NO_SPACE);
    free(back);
    free(out);
    if (block)
        *block = exact;
    else
        free(exact);
    return used;
}

static void bytes_of_every_kind_come_back(void **state)
{
    (void)state;
    struct rng r = {1};
    static const char bases[] = "ACGT";
    uint8_t data[5000];
    for (int round = 0; round < 60; round++) {
        const size_t n = (size_t)rng_below(&r, round % 3 ? sizeof data : 20);
        for (size_t i = 0; i < n; i++)
            data[i] = (uint8_t)bases[rng_below(&r, 4) & rng_below(&r, 4)];
        for (uint32_t k = 1; k <= 8; k++) {
            const zt_entropy given = kind_of(ZT_SYMBOLS_KMERS, k, "TGCA");
            const zt_entropy found = kind_of(ZT_SYMBOLS_KMERS, k, "");
            check_block(data, n, &given, NULL);
            check_block(data, n, &found, NULL);
        }
        for (size_t i = 0; i < n; i++)
            data[i] = (uint8_t)(rng_next(&r) & rng_next(&r));
        zt_entropy any = kind_of(ZT_SYMBOLS_BYTES, 0, "");
        any.is_last = round & 1;
        check_block(data, n, &any, NULL);
        any.symbols = ZT_SYMBOLS_WORDS;
        check_block(data, n, &any, NULL);
    }
}

static void one_letter_takes_no_bits(void **state)
{
    (void)state;
    uint8_t data[4097] = {0};
    const zt_entropy e = kind_of(ZT_SYMBOLS_KMERS, 16, "");
    assert_true(check_block(data, sizeof data, &e, NULL) < 60);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    uint8_t out[1024];
    size_t used;
    static const struct {
        uint32_t symbols, k;
        const char *letters, *data;
    } wrong[] = {
        {0, 0, "", "a"},
        {4, 0, "", "a"},
        {ZT_SYMBOLS_KMERS, 0, "AC", "A"},
        {ZT_SYMBOLS_KMERS, 17, "A", "A"},
        {ZT_SYMBOLS_KMERS, 9, "ACGT", "A"},       /* 4^9 symbols */
        {ZT_SYMBOLS_KMERS, 2, "ACGA", "A"},       /* a letter twice */
        {ZT_SYMBOLS_KMERS, 2, "ACGT", "ACGNACG"}, /* no letter of the alphabet */
        {ZT_SYMBOLS_KMERS, 8, "", "abcde"},       /* 5^8 symbols */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const zt_entropy e = kind_of(wrong[i].symbols, wrong[i].k, wrong[i].letters);
        assert_int_equal(zt_entropy_encode(NULL, wrong[i].data, strlen(wrong[i].data), &e, out,
                                           sizeof out, &used),
                         ZT_BAD_ARG);
    }
    size_t capacity;
    assert_int_equal(zt_entropy_bound((uint64_t)ZT_ENTROPY_BLOCK_BYTES + 1, &capacity), ZT_BAD_ARG);
}

/* Any bit flipped, any cut: refused, and nothing beside the result is touched. */
static void damaged_blocks_are_refused(void **state)
{
    (void)state;
    static const char text[] = "ACGTTGCAACGGTACGATTACAGGACATTACCAGT";
    static const uint32_t kinds[] = {ZT_SYMBOLS_BYTES, ZT_SYMBOLS_WORDS, ZT_SYMBOLS_KMERS};
    uint8_t back[sizeof text];
    for (size_t kind = 0; kind < 3; kind++) {
        const zt_entropy e = kind_of(kinds[kind], 4, "");
        uint8_t *block;
        const size_t n = check_block((const uint8_t *)text, sizeof text - 1, &e, &block);
        back[sizeof text - 1] = 0x5a;
        for (size_t bit = 0; bit < 8 * n; bit++) {
            block[bit / 8] ^= (uint8_t)(1u << bit % 8);
            assert_int_not_equal(zt_entropy_decode(NULL, block, n, back, sizeof text - 1), ZT_OK);
            block[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        for (size_t cut = 0; cut < n; cut++) {
            uint8_t *exact = need(cut + 1);
            memcpy(exact + 1, block, cut);
            assert_int_not_equal(zt_entropy_decode(NULL, exact + 1, cut, back, sizeof text - 1),
                                 ZT_OK);
            free(exact);
        }
        assert_int_equal(back[sizeof text - 1], 0x5a);
        free(block);
    }
}

/* Heads with checks that fit: a stream of something else, sizes that no block has. */
static void hostile_heads_are_refused(void **state)
{
    (void)state;
    struct rng r = {9};
    static const char text[] = "ACGTTGCAACGGTACGATTACAGGACATTACCAGT";
    uint8_t back[64];
    uint32_t refused = 0;
    for (int round = 0; round < 1500; round += TEST_SHARE) {
        const zt_entropy e = kind_of(1 + (uint32_t)rng_below(&r, 3), 3, "");
        uint8_t *block;
        const size_t n = check_block((const uint8_t *)text, sizeof text - 1, &e, &block);
        size_t head = 6;
        while (head + 8 < n) { /* where its check is */
            const uint64_t check = XXH3_64bits(block, head);
            bool is_it = true;
            for (size_t i = 0; i < 8; i++)
                is_it = is_it && block[head + i] == (uint8_t)(check >> 8 * i);
            if (is_it)
                break;
            head++;
        }
        for (uint64_t flips = 1 + rng_below(&r, 3); flips > 0; flips--)
            block[4 + rng_below(&r, head - 4)] ^= (uint8_t)(1u << rng_below(&r, 8));
        const uint64_t check = XXH3_64bits(block, head);
        for (size_t i = 0; i < 8; i++)
            block[head + i] = (uint8_t)(check >> 8 * i);
        back[sizeof text - 1] = 0x5a;
        const zt_status status = zt_entropy_decode(NULL, block, n, back, sizeof text - 1);
        refused += status != ZT_OK;
        assert_int_equal(back[sizeof text - 1], 0x5a);
        free(block);
    }
    assert_true(refused > 300 / TEST_SHARE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_every_kind_come_back),
        cmocka_unit_test(one_letter_takes_no_bits),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(damaged_blocks_are_refused),
        cmocka_unit_test(hostile_heads_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
