"""ztile.hdf5.check, over datasets of h5py without the filters, which HDF5 then leaves out."""
import struct
import subprocess
import sys
import warnings

import h5py
import numpy as np
import pytest

import ztile
import ztile.hdf5

WITHIN = (0x5a540101, 256, 3539053052, 1062232653, 0, 0, 0, 0)
LOSSLESS = (0x5a540101, 0, 0, 0, 0, 0, 0, 0)


def of_ztile(asked, *shape):
    return 48613, (*asked, 1 | len(shape) << 16, *shape)


def of_zfp(*shape, turned=False, **mode):
    """The words of H5Z-ZFP: zfp's version, zfp's header."""
    data = ztile.zfp.compress(np.zeros(shape, "f4"), word_bits=8, **mode)
    header = data[:20].ljust(20, b"\0")  # and some of the stream, which is not looked at
    return 32013, (0x10105111, *struct.unpack(">5I" if turned else "<5I", header))


def make(filter_of, chunks=(32, 32), before=None):
    file = h5py.File("x.h5", "w", driver="core", backing_store=False)
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk(chunks)
    if before:
        before(properties)
    properties.set_filter(filter_of[0], h5py.h5z.FLAG_OPTIONAL, filter_of[1])
    space = h5py.h5s.create_simple((64, 64))
    return h5py.Dataset(h5py.h5d.create(file.id, b"v", h5py.h5t.NATIVE_FLOAT, space, properties))


HONEST = [of_ztile(WITHIN, 32, 32), of_ztile(LOSSLESS, 32, 32), of_zfp(32, 32),
          of_zfp(32, 32, tolerance=1e-3), of_zfp(32, 32, turned=True),
          (48613, (1, 2, 3)), (32013, ()), (32013, (3, 0, 1, 2))]


@pytest.mark.parametrize("filter_of", HONEST)
def test_honest_datasets_pass(filter_of):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ztile.hdf5.check(make(filter_of))
        ztile.hdf5.check(h5py.File("x.h5", "w", driver="core", backing_store=False)
                         .create_dataset("plain", data=np.zeros(5)))


@pytest.mark.parametrize("filter_of", [of_ztile(WITHIN, 32, 1), of_ztile(LOSSLESS, 1024),
                                       of_zfp(4), of_zfp(32, 31, tolerance=1e-3),
                                       of_zfp(4, turned=True)])
def test_lying_cd_values(filter_of):
    with pytest.raises(ztile.CorruptError, match="told of chunks of .* and they have 8192"):
        ztile.hdf5.check(make(filter_of, chunks=(64, 32)))


@pytest.mark.parametrize("filter_of, is_bound", [
    (of_ztile(WITHIN, 32, 32), True), (of_ztile(LOSSLESS, 32, 32), False),
    (of_zfp(32, 32, tolerance=1e-3), True), (of_zfp(32, 32), False)])
def test_filter_before_a_bound(filter_of, is_bound):
    dataset = make(filter_of, before=lambda properties: properties.set_shuffle())
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ztile.hdf5.check(dataset)
    assert len(said) == is_bound
    assert not said or "shuffle (filter 2) stands before filter" in str(said[0].message)


def test_filter_is_what_the_words_are():
    assert ztile.hdf5.filter(abs=1e-3) == {
        "compression": 48613, "compression_opts": (1515454720, 256, 3539053052, 1062232653)}
    assert ztile.hdf5.filter(abs=1e-3, effort="high")["compression_opts"][1] == 256 | 3 << 24
    assert ztile.hdf5.filter(abs=1e-3, effort="default") == ztile.hdf5.filter(abs=1e-3)
    assert ztile.hdf5.filter()["compression_opts"] == (1515454720, 0, 0, 0)
    psnr = ztile.hdf5.filter(codec="sz", psnr=60, range=(-1, 1))["compression_opts"]
    assert psnr == (1515454720, 3 | 4 << 8, *struct.unpack("<6I", struct.pack("<3d", 60, -1, 1)))
    expert = ztile.hdf5.filter(codec="zfp", expert=(1, 2, 3, -4))["compression_opts"]
    assert expert == (1515454720, 1 | 7 << 8, 0, 0, 1, 2, 3, 2**32 - 4)
    ways = ztile.hdf5.filter(abs=1e-3, ways=103)["compression_opts"]
    assert ways == (1515454720, 256, 3539053052, 1062232653, 0, 0, 0, 0, 103)
    assert ztile.hdf5.filter(abs=1e-3, ways=0) == ztile.hdf5.filter(abs=1e-3)
    ways = ztile.hdf5.filter(codec="sz", psnr=60, range=(-1, 1), ways=103)["compression_opts"]
    assert ways == (*psnr, 103)


FILTERED = """
import sys
import h5py, numpy as np, ztile, ztile.hdf5
a = np.load(sys.argv[1])
ztile.hdf5.register()
with h5py.File("x.h5", "w", driver="core", backing_store=False) as file:
    for ways in 0, *range(96, 96 + 8), *range(112, 112 + 8):  # 3 axes
        given = ztile.hdf5.filter(abs=1e-3, ways=ways)
        dataset = file.create_dataset(str(ways), data=a, chunks=a.shape, **given)
        ztile.hdf5.check(dataset)
        chunk = dataset.id.read_direct_chunk((0, 0, 0))[1]
        assert chunk == ztile.compress(a, abs=1e-3, codec="sz", ways=ways), ways
        assert ways in (0, ztile.info(chunk).sz.ways)
        assert abs(dataset[...] - a).max() <= 1e-3
"""


def test_the_filter_codes_in_the_same_ways(tmp_path, cube):
    np.save(tmp_path / "a.npy", cube[:24, :, :36])
    done = subprocess.run([sys.executable, "-c", FILTERED, str(tmp_path / "a.npy")], cwd=tmp_path,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("params, said", [
    ({"rel": 1e-3}, "one chunk at a time"), ({"psnr": 60}, "one chunk at a time"),
    ({"abs": 1e-3, "method": "cusz"}, "no parameter 'method'"),
    ({"abs": 1e-3, "rate": 8}, "one bound"), ({"tolerance": 1}, "no parameter 'tolerance'")])
def test_filter_refuses(params, said):
    with pytest.raises(ztile.ArgumentError, match=said):
        ztile.hdf5.filter(**params)
