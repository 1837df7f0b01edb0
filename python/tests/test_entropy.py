"""Bytes by Huffman: they come back, whatever symbols are; what is damaged is refused."""
import numpy as np
import pytest

import ztile
from ztile import entropy


@pytest.mark.parametrize("n", [0, 1, 5000, (1 << 24) + 3])
@pytest.mark.parametrize("symbols", ["bytes", "words"])
def test_bytes_come_back(n, symbols):
    data = np.random.default_rng(1).geometric(0.2, n).astype(np.uint8).tobytes()
    coded = entropy.encode(data, symbols)
    assert entropy.decode(coded) == data
    assert n < 5000 or len(coded) < 0.9 * n


def test_the_method_does_not_show():
    data = np.random.default_rng(2).choice(list(b"ACGT"), 100_001).astype(np.uint8)
    coded = entropy.encode(data, "kmers", k=5, letters=b"ACGT", threads=1)
    assert entropy.decode(coded, threads=2) == data.tobytes()
    assert len(coded) < 0.3 * len(data)
    for merge in 10, 11, 12:
        for reduction in None, 0, 4:
            assert coded == entropy.encode(
                data, "kmers", k=5, letters=b"ACGT", merge=merge, reduction=reduction, threads=2)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="not letters"):
        entropy.encode(b"abc", "letters")
    with pytest.raises(ztile.ArgumentError, match="no letter"):
        entropy.encode(b"ACGN", "kmers", k=2, letters=b"ACGT")
    with pytest.raises(ztile.ArgumentError):
        entropy.encode(b"ACGT", merge=13)
    coded = entropy.encode(b"ACGT" * 100)
    for broken in b"", coded[:-1], coded + b"x", b"x" + coded[1:]:
        with pytest.raises(ztile.CorruptError):
            entropy.decode(broken)
