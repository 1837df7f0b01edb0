#!/usr/bin/env python3
"""Write the tables of the zfp codec's vector instances.

    scripts/zfp_tables.py strings > src/codec/zfp/tables/strings.h
    scripts/zfp_tables.py short > src/codec/zfp/tables/short_strings.h
    scripts/zfp_tables.py avx512 src/codec/zfp/tile/order.h > src/codec/zfp/tables/avx512_permutations.h
    scripts/zfp_tables.py avx2 src/codec/zfp/tile/order.h > src/codec/zfp/tables/avx2_permutations.h

They follow from the orders of coefficients in tile/order.h and from where x86/avx512/cube.h leaves a
transformed value: 'spot' 16 z + 4 x + y of its cube (x, y, z its place in the tile).
"""
import re
import sys

def order(name):
    found = re.search(r'%s\[\d+\] = \{([^}]*)\}' % name, source)
    return [int(v) for v in found.group(1).split(',')]


def spot(p):
    """Of block index p = i + 4 j + 16 k, within its cube."""
    return (p >> 4 & 3) * 16 + (p & 3) * 4 + (p >> 2 & 3)


def inverse(values):
    out = [0] * len(values)
    for i, v in enumerate(values):
        out[v] = i
    return out


def table(name, values, comment, kind='uint8_t', width=64):
    print('\n/* %s */' % comment)
    rows = [values[i:i + width] for i in range(0, len(values), width)]
    dimensions = '[%d]' % width if len(rows) == 1 else '[%d][%d]' % (len(rows), width)
    print('static const %s %s%s = {' % (kind, name, dimensions))
    for row in rows:
        text = ', '.join(str(v) for v in row)
        if len(rows) > 1:
            text = '{' + text + '},'
        line = '   '
        for word in text.split(' '):
            if len(line) + 1 + len(word) > 98:
                print(line)
                line = '   '
            line += ' ' + word
        print(line)
    print('};')


def string3(bits):
    """What the group tests and runs at the low end of 11 bits say: coefficients that they make
    known, bits that they take, the coefficients' own; zeros where they do not end there."""
    at = known = own = 0
    while at < 11 and bits >> at & 1:
        at += 1
        while at < 11 and not bits >> at & 1:
            at += 1
            known += 1
        at += 1
        own |= 1 << known
        known += 1
    return (known, at + 1, own) if at < 11 else (0, 0, 0)


def plane1(index):
    """Code and length of a plane of 4 bits after c significant ones; c is 4 from index 64 up."""
    w, c = index & 15, 4 if index >= 64 else index >> 4
    bits = [w >> i & 1 for i in range(c)]
    x = w >> c
    while c < 4:
        bits.append(1 if x else 0)
        if not x:
            break
        while c < 3:
            bits.append(x & 1)
            if x & 1:
                break
            x >>= 1
            c += 1
        x >>= 1
        c += 1
    return sum(b << i for i, b in enumerate(bits)), len(bits)


def one_plane(c, known, length, at):
    """The plane of 4 bits that begins at bit 'at' of 'length' known ones after c significant
    coefficients: its bits, the new c, where it ends, and whether the stream ends before."""
    w, n = 0, c
    refine = min(n, length - at)
    w = known >> at & ((1 << refine) - 1)
    at += refine
    if refine < n:
        return w, n, at, True
    while n < 4:
        if at == length:
            return w, n, at, True
        at += 1
        if not known >> (at - 1) & 1:
            break
        is_cut = False
        while n < 3:
            if at == length:
                is_cut = True
                break
            at += 1
            if known >> (at - 1) & 1:
                break
            n += 1
        w |= 1 << n # where the stream ends in a run of zeros: libzfp's guess
        n += 1
        if is_cut:
            return w, n, at, True
    return w, n, at, False


def planes1(c, known):
    """As many planes of 4 bits as end inside the known bits, or are cut by the end of the stream,
    after c significant coefficients: the planes (4 bits each, the first lowest), their number, the
    new c, and the bits they take. 'known' has a 1 above its bits; where these are 8, others may
    follow."""
    length = known.bit_length() - 1
    planes = count = used = ends = 0
    if known == 0:
        return 512 * c + 256 << 52
    while c < 4 and count < 8 and used < length:
        w, n, at, is_cut = one_plane(c, known, length, used)
        if is_cut and length == 8:
            break
        planes |= w << 4 * count
        count, c, used = count + 1, n, at
        ends |= 1 << at - 1
    return used | planes << 8 | count << 40 | ends << 44 | 512 * c + 256 << 52


def step1(c, known):
    """One plane, which may be cut where fewer than 7 bits are known."""
    if known == 0:
        return 256 * c
    w, n, at, is_cut = one_plane(c, known, known.bit_length() - 1, 0)
    return at | 256 * n | w << 28


def print_short():
    table('code1', [plane1(i)[0] for i in range(128)],
          'A plane of 4 bits coded, by plane + 16 c, + 64 where c is 4.')
    table('length1', [plane1(i)[1] for i in range(128)], 'And its length in bits.')
    print('''
/* Planes of 4 bits that end inside the next 8 bits: bits 0 to 5 the bits they take, 8 to 39 the
 * planes, 4 bits each, 40 to 43 their number, 44 to 51 a 1 at the last bit of each, 52 to 63 where
 * 512 c + 256 is by the new c. By 512 c plus the bits with a 1 above them: at bit 8, or where the
 * stream ends before; then the plane that it cuts is included. */
static const uint64_t planes1[2048] = {''')
    for start in range(0, 2048, 4):
        print('    ' + ' '.join('0x%x,' % planes1(i >> 9, i & 511)
                                for i in range(start, min(start + 4, 2048))))
    print('};')
    print('''
/* The first of them: bits 0 to 2 the bits that it takes, 8 to 10 where 256 times the new c is, 28
 * to 31 the plane. By 256 c plus the next 7 bits with a 1 above them, as above. */
static const uint32_t step1[5 * 256] = {''')
    for start in range(0, 5 * 256, 8):
        print('    ' + ' '.join('0x%x,' % step1(i >> 8, i & 255) for i in range(start, start + 8)))
    print('};')


if sys.argv[1] == 'strings':
    print('''/* strings.h: where strings of group tests and runs end, made by
 * scripts/zfp_tables.py. */
#ifndef ZTI_ZFP_TABLES_STRINGS_H
#define ZTI_ZFP_TABLES_STRINGS_H

#include <stdint.h>''')
    strings3 = [string3(bits) for bits in range(2048)]
    table('string3_known', [known for known, used, own in strings3],
          'By 11 bits behind the known ones of a plane: coefficients that its string makes known.')
    table('string3_step', [known + used for known, used, own in strings3],
          'The same and the bits it takes, together; 0 where the string goes on.')
    table('string3_own', [own for known, used, own in strings3],
          'Their bits in that plane, the first one lowest.', 'uint16_t')
    print('\n#endif')
    sys.exit()

if sys.argv[1] == 'short':
    print('''/* short_strings.h: planes of 4 bits and their strings, made by scripts/zfp_tables.py. */
#ifndef ZTI_ZFP_TABLES_SHORT_STRINGS_H
#define ZTI_ZFP_TABLES_SHORT_STRINGS_H

#include <stdint.h>''')
    print_short()
    print('\n#endif')
    sys.exit()

source = open(sys.argv[2]).read()
order2, order3, order4 = order('order_2d'), order('order_3d'), order('order_4d')
spot2 = [spot(p) for p in order2]
spot3 = [spot(p) for p in order3]
spot4 = [64 * (p >> 6) + spot(p) for p in order4]


def place(m, width):
    """Where x86/avx2/to_planes.h has the byte of value m of 64 in memory order."""
    g, k, low = m // 32, m // 8 % 4, m % 8
    if width == 32:
        return 32 * g + 16 * (low // 4) + 4 * k + low % 4
    return 32 * g + 16 * (low // 2 % 2) + 4 * k + low // 4 * 2 + low % 2


def place2(spot, width):
    """The same of 16 values."""
    k, low = spot // 8, spot % 8
    if width == 32:
        return 8 * (low // 4) + 4 * k + low % 4
    return 8 * (low // 2 % 2) + 4 * k + low // 4 * 2 + low % 2


def by_lane(sources):
    """The index of reorder_bytes."""
    return [s % 16 if s // 16 == lane else 128 for lane in range(4) for s in sources]


if sys.argv[1] == 'avx2':
    print('''/* avx2_permutations.h: permutations, made by scripts/zfp_tables.py. 'Rank' is a coefficient's place
 * in the coding order, 'spot' its place in a cube, 'place' that of its byte among 16 or 64 that
 * are about to become planes or values. Where eight bytes are about to be transposed as an 8x8
 * matrix of bits, and after that, they are in falling order of rank. */
#ifndef ZTI_ZFP_TABLES_AVX2_PERMUTATIONS_H
#define ZTI_ZFP_TABLES_AVX2_PERMUTATIONS_H

#include <stdint.h>''')
    for width in 32, 64:
        of = ' of %d-bit values' % width
        table('rank2_of_place_%d' % width, [place2(spot2[o ^ 7], width) for o in range(16)],
              'Places of 16 bytes' + of + ', by rank.', width=16)
        # what the unpacking in x86/avx2/from_planes.h makes of a place
        spots = [8 * (p // 4 % 2) + (4 * (p // 8) + p % 4 if width == 32
                                     else 4 * (p // 2 % 2) + 2 * (p // 8) + p % 2)
                 for p in range(16)]
        table('place2_of_rank_%d' % width, [inverse(spot2)[s] ^ 7 for s in spots],
              'And back, by place for unpacking.', width=16)
        table('rank3_of_place_%d' % width,
              by_lane([place(spot3[o ^ 7], width) for o in range(64)]),
              'Places of 64 bytes' + of + ', by rank: in each of four lanes.')
        order = inverse([place(m, width) for m in range(64)])
        table('place3_of_rank_%d' % width, by_lane([inverse(spot3)[m] ^ 7 for m in order]),
              'And back.')
        table('spot4_%d' % width,
              [spot4[64 * q + (place(m, width) ^ 7)] for q in range(4) for m in range(64)],
              'The spots of 256 values' + of + ', so that bytes come by rank.', width=256)
    print('\n#endif')
    sys.exit()

print('''/* avx512_permutations.h: byte permutations, made by scripts/zfp_tables.py. 'Rank' is a
 * coefficient's place in the coding order, 'spot' its place in a cube. Where eight bytes are about
 * to be transposed as an 8x8 matrix of bits, they are in falling order of rank. */
#ifndef ZTI_ZFP_TABLES_AVX512_PERMUTATIONS_H
#define ZTI_ZFP_TABLES_AVX512_PERMUTATIONS_H

#include <stdint.h>''')

table('byte_of_rank3_32', [4 * spot3[r ^ 7] for r in range(64)],
      'Byte 0 of the 64 values of a cube of 32-bit values, by rank.')
table('byte_of_rank3_64', [8 * spot3[r ^ 7] & 255 for r in range(64)],
      'The same for 64-bit values, modulo 256: those of the upper half are in upper_of_rank3_64.')
print('\nstatic const uint64_t upper_of_rank3_64 = UINT64_C(0x%x);' %
      sum(1 << r for r in range(64) if 8 * spot3[r ^ 7] > 255))
table('byte_of_spot_32', [4 * s & 255 for s in range(64)], 'Byte 0, by spot.')
table('byte_of_spot_64', [8 * s & 255 for s in range(64)],
      'The same for 64-bit values, modulo 256; the upper half follows.')
print('\nstatic const uint64_t upper_of_spot_64 = UINT64_C(0x%x);' %
      sum(1 << s for s in range(64) if 8 * s > 255))
table('spot_of_rank4', [spot4[64 * (r // 64) + (r % 64 ^ 7)] for r in range(256)],
      'A byte of each of 256 values by rank, from the four cubes by spot.')
table('byte_of_rank2_32', [4 * spot2[8 * (g % 2) + 7 - i] + 3 - g // 2
                           for g in range(8) for i in range(8)],
      'All bytes of 16 32-bit values: top bytes first, each by rank.')
table('byte_of_rank2_64', [8 * spot2[8 * (g % 2) + 7 - i] + 7 - g // 2
                           for g in range(8) for i in range(8)],
      'The four upper bytes of 16 64-bit values; 4 less for the four lower ones.')
table('plane2', [(2 * (n // 8) + h) * 8 + n % 8 for n in range(32) for h in range(2)],
      'Planes of 16 bits, top plane first, from transposed bytes.')
table('turn8', [8 * (i % 8) + i // 8 for i in range(64)], 'Transpose 8x8 bytes.')
table('rows1_32', [(row // 4) * 64 + u * 16 + row % 4 * 4 + b
                   for u in range(2) for b in (3, 2, 1, 0) for row in range(7, -1, -1)],
      'Two tiles of eight 32-bit rows, four rows in each source, as bytes of all rows, top first.')
table('rows1_64', [row * 8 + b for b in range(7, -1, -1) for row in range(7, -1, -1)],
      'A tile of eight 64-bit rows, the same.')

rank3 = inverse(spot3)
table('rank3_of_byte_32', [rank3[k * 16 + s] + 64 * (b & 1)
                           for k in range(4) for s in range(16) for b in range(4)],
      'Values of a cube from bytes by rank: of bytes b and b ^ 1; one row a register.')
table('rank3_of_byte_64', [rank3[m * 8 + s] + 64 * (b & 1)
                           for m in range(8) for s in range(8) for b in range(8)],
      'The same for 64-bit values.')
table('spot_of_byte_32', [k * 16 + s + 64 * (b & 1)
                          for k in range(4) for s in range(16) for b in range(4)],
      'The same from bytes by spot.')
table('spot_of_byte_64', [m * 8 + s + 64 * (b & 1)
                          for m in range(8) for s in range(8) for b in range(8)],
      'And for 64-bit values.')
table('rank4_of_spot', inverse(spot4), 'A byte of each of 256 values by spot, from bytes by rank.')
table('matrix2', [16 * (8 * (g // 2) + j) // 8 + g % 2 for g in range(8) for j in range(8)],
      'Bytes to transpose from 32 planes of 16 bits, top plane first.')
rank2 = inverse(spot2)
table('rank2_of_byte_32', [((3 - b) * 2 + rank2[s] // 8) * 8 + rank2[s] % 8
                           for s in range(16) for b in range(4)],
      '16 32-bit values from transposed bytes.')
table('rank2_of_byte_64', [(64 if b < 4 else 0) + ((3 - b % 4) * 2 + rank2[s] // 8) * 8 +
                           rank2[s] % 8 for s in range(16) for b in range(8)],
      '16 64-bit values, from the transposed four upper and four lower bytes.')
table('tiles1_of_byte_32', [64 * (t // 2) + t % 2 * 32 + (3 - b) * 8 + x
                            for t in range(4) for x in range(4) for b in range(4)],
      'Four tiles of four 32-bit values from transposed bytes.')
table('tiles1_of_byte_64', [64 * t + (7 - b) * 8 + x
                            for t in range(2) for x in range(4) for b in range(8)],
      'Two tiles of four 64-bit values.')

print('\n#endif')
