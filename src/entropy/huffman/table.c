/* table.c: writes the table of a codebook (table.h), and makes a codebook of one that is read. */
#include "entropy/huffman/table.h"
#include "entropy/huffman/build.h"

static struct zti_lengths_table table_of(const struct zti_codebook *book)
{
    return (struct zti_lengths_table){book->alphabet, book->used, book->order[0], book->lengths};
}

uint64_t zti_codebook_stored_bits(const struct zti_codebook *book)
{
    const struct zti_lengths_table table = table_of(book);
    struct zti_items to = {NULL, 0};
    zti_table_write(&table, &to);
    return to.bits;
}

void zti_codebook_write(const struct zti_codebook *book, struct zti_bit_writer *writer)
{
    const struct zti_lengths_table table = table_of(book);
    struct zti_items to = {writer, 0};
    zti_table_write(&table, &to);
}

zt_status zti_codebook_load(zt_context *context, struct zti_bit_reader *reader, uint32_t alphabet,
                            struct zti_codebook *book)
{
    zt_status status = zti_codebook_alloc(context, alphabet, book);
    if (status != ZT_OK)
        return status;
    struct zti_lengths_table table = table_of(book);
    const char *const wrong = zti_table_read(reader, &table);
    if (wrong) {
        zti_codebook_free(context, book);
        return zti_fail(context, ZT_CORRUPT, "the Huffman table %s", wrong);
    }
    book->used = table.used;
    book->order[0] = (uint16_t)table.only;
    zti_codebook_generate(book);
    return ZT_OK;
}
