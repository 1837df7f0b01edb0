/* lanes.h: kernel text: what tile/differences.h and tile/record.h need of an instance, for lanes of
 * one value. The includer defines word, lane, WIDTH and NAME(x) as for these, and
 *   STORE(to, v), LOAD(from)   little-endian access to a word */

FN lane NAME(before)(lane left, lane v)
{
    (void)v;
    return left;
}

FN lane NAME(sums)(lane v)
{
    return v;
}

FN lane NAME(last)(lane v)
{
    return v;
}

FN lane NAME(turn)(lane v, uint32_t n)
{
    return v << n | v >> (-n & (WIDTH - 1));
}

FN void NAME(put)(uint8_t *to, word v)
{
    STORE(to, v);
}

FN word NAME(get)(const uint8_t *from)
{
    return LOAD(from);
}

/* There is no way past the caches in C. */
FN void NAME(stream_line)(uint8_t *to, const uint8_t *from)
{
    memcpy(to, from, 64);
}
