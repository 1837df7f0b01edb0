/* cusz.h: kernel text: encode a tile's residuals as cuSZ does (Tian et al., PACT 2020), and decode
 * them. The includer defines uval, VAL_BITS and NAME(x).
 *
 * A residual d, -R < d < R with R half the number of bins, has symbol d + R; others have symbol 0,
 * and follow after the codes.
 *
 *     u16       bits of each part but the last: 1024 symbols a part
 *     bits      the parts' codes, one after another
 *     integers  a residual of VAL_BITS bits for each symbol 0, in scan order */

static void NAME(cusz_symbols)(const uval *d, uint32_t n, uint32_t bins, uint16_t *symbols)
{
    for (uint32_t i = 0; i < n; i++)
        symbols[i] = (uint16_t)ZTI_SZ_CUSZ_SYMBOL(uval, d[i], bins);
}

/* Whether a symbol of a group is 0. Few groups have one, so all others are skipped at once. */
static bool NAME(cusz_has_more)(const uint16_t *symbols, uint32_t n)
{
    uint32_t more = 0;
    for (uint32_t i = 0; i < n; i++)
        more |= symbols[i] == 0;
    return more != 0;
}

/* As encode_groups, in cuSZ's format. ZTI_SZ_SLACK_BYTES after most_bytes may be written. */
static bool NAME(encode_cusz)(const struct zti_coding *coding, struct zti_bit_writer *w,
                              const uval *d, uint32_t n, uint32_t most_bytes)
{
    const struct zti_sz_model *const model = coding->model;
    uint16_t symbols[ZTI_SZ_TILE_VALUES];
    symbols[0] = 0; /* for compilers that do not know that n > 0 */
    NAME(cusz_symbols)(d, n, sz_of(coding)->bins, symbols);
    for (uint32_t first = 0; first + ZTI_SZ_CUSZ_PART < n; first += ZTI_SZ_CUSZ_PART)
        zti_put_bits(w, zti_huffman_bits(&model->book[0], symbols + first, ZTI_SZ_CUSZ_PART), 16);
    zti_huffman_encode(&model->book[0], coding->run.isa, symbols, n, w);
    for (uint32_t g = 0; g * ZTI_SZ_GROUP < n; g++) {
        const uint32_t first = g * ZTI_SZ_GROUP, end = first + in_group(n, g);
        if (!NAME(cusz_has_more)(symbols + first, end - first))
            continue;
        for (uint32_t i = first; i < end; i++) {
            if (symbols[i] != 0)
                continue;
            if (zti_bits_written(w) / 8 > most_bytes)
                return false;
            zti_put_bits64(w, d[i], VAL_BITS);
        }
    }
    return zti_bits_written(w) / 8 <= most_bytes;
}

static bool NAME(decode_cusz)(const struct zti_coding *coding, struct zti_bit_reader *r, uval *d,
                              uint32_t n, uint64_t end_bits)
{
    const struct zti_sz_model *const model = coding->model;
    const uint64_t most = end_bits < r->end ? end_bits : r->end;
    const uint32_t parts = cusz_parts(n);
    struct zti_huffman_part part[ZTI_HUFFMAN_PARTS];
    uint16_t symbols[ZTI_SZ_TILE_VALUES];
    uint64_t at = r->at + 16 * (uint64_t)(parts - 1);
    for (uint32_t i = 0; i < parts; i++) {
        const uint32_t first = i * ZTI_SZ_CUSZ_PART, left = n - first;
        part[i] =
            (struct zti_huffman_part){.at = at,
                                      .end = most,
                                      .out = symbols + first,
                                      .symbols = left < ZTI_SZ_CUSZ_PART ? left : ZTI_SZ_CUSZ_PART};
        at += i + 1 < parts ? zti_get_bits(r, 16) : 0;
    }
    if (at > most || !zti_huffman_decode(&model->decoder[0], coding->run.isa, r->base,
                                         (size_t)(r->end / 8), part, parts))
        return false;
    r->at = part[parts - 1].at;
    for (uint32_t i = 0; i < n; i++)
        d[i] = (uval)cusz_residual(symbols[i], sz_of(coding)->bins);
    for (uint32_t g = 0; g * ZTI_SZ_GROUP < n; g++) {
        const uint32_t first = g * ZTI_SZ_GROUP, end = first + in_group(n, g);
        if (!NAME(cusz_has_more)(symbols + first, end - first))
            continue;
        for (uint32_t i = first; i < end; i++) {
            if (symbols[i] != 0)
                continue;
            if (r->at > end_bits)
                return false;
            d[i] = (uval)zti_get_bits64(r, VAL_BITS);
        }
    }
    return r->at <= end_bits;
}
