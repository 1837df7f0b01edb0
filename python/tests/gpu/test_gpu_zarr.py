"""Chunks of Zarr that are coded and decoded in a GPU's memory."""
import cupy
import device
import numpy as np
import pytest
import zarr
import zarr.registry
from device import field, values_of
from zarr.core.buffer import gpu
from zarr.storage import MemoryStore

import ztile
from ztile import _gpu
from ztile.zarr import ZfpCodec, ZTileCodec

zarr.registry.register_codec("ztile", ZTileCodec)  # an installed package says so itself
gpu.cp = cupy  # zarr looks for CuPy when it is imported, which its plug-in for pytest does early


@pytest.fixture
def on_gpu():
    with zarr.config.enable_gpu(), zarr.config.set({"async.concurrency": 1}):  # one test device
        yield


def make(store, shape, codec, chunks):
    return zarr.create_array(store, shape=shape, chunks=chunks, dtype="f4", serializer=codec,
                             compressors=None, filters=None)


SHAPES = [((12, 18, 20), (5, 18, 7)), ((40,), (16,)), ((3, 1, 2, 4, 6, 8), (2, 1, 2, 4, 6, 8))]


@pytest.mark.parametrize("shape, chunks", SHAPES, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_chunks_are_decoded_where_zarr_wants_them(on_gpu, shape, chunks):
    a, store = field(shape), MemoryStore()
    there = make(store, shape, ZTileCodec(abs=1e-3), chunks)
    there[...] = cupy.asarray(a)
    with zarr.config.set({"buffer": "zarr.buffer.cpu.Buffer",
                          "ndbuffer": "zarr.buffer.cpu.NDBuffer"}):
        here = zarr.open_array(store)[...]  # the same chunks, read on the host
    assert np.abs(here - a).max() <= 1e-3
    part = there[...]
    assert isinstance(part, cupy.ndarray) and np.array_equal(values_of(part), here)


@pytest.mark.filterwarnings("ignore")
def test_no_value_comes_to_the_host(on_gpu, monkeypatch):
    a = field((32, 16, 16))
    codec = ZTileCodec(abs=1e-3, codec="zfp")
    spec = zarr.core.array_spec.ArraySpec(
        shape=a.shape, dtype=zarr.core.dtype.Float32(), fill_value=np.float32(0),
        config=zarr.core.array_spec.ArrayConfig(order="C", write_empty_chunks=True),
        prototype=gpu.buffer_prototype)
    cupy.copied_to_host = 0
    data = codec._encode_sync(gpu.NDBuffer(cupy.asarray(a)), spec)
    chunk = codec._decode_sync(data, spec)
    assert cupy.copied_to_host == 0
    assert data.to_bytes() == ztile.compress(a, abs=1e-3, codec="zfp")
    assert np.array_equal(values_of(chunk.as_ndarray_like()), ztile.decompress(data.to_bytes()))
    # in a build without CUDA, through the host as before
    monkeypatch.setattr(_gpu, "is_in_this_build", lambda: False)
    cupy.copied_to_host = 0
    again = codec._decode_sync(codec._encode_sync(gpu.NDBuffer(cupy.asarray(a)), spec), spec)
    assert cupy.copied_to_host > a.nbytes
    assert np.array_equal(values_of(again.as_ndarray_like()), values_of(chunk.as_ndarray_like()))


@pytest.mark.filterwarnings("ignore")
def test_chunks_of_other_metadata_carry_our_sentence(on_gpu):
    store = MemoryStore()
    there = make(store, (8, 8), ZTileCodec(), (8, 8))
    there[...] = cupy.asarray(field((8, 8)))
    key = next(key for key in store._store_dict if key.startswith("c"))
    store._store_dict[key] = gpu.Buffer.from_bytes(ztile.compress(field((4, 16))))
    with pytest.raises(ztile.CorruptError, match="of shape \\(4, 16\\)"):
        there[...]


@pytest.mark.filterwarnings("ignore")
def test_zfp_chunks_pass_through_the_host(on_gpu):
    a = field((12, 10))
    there = make(MemoryStore(), a.shape, ZfpCodec(mode="reversible"), (6, 10))
    there[...] = cupy.asarray(a)
    assert np.array_equal(values_of(there[...]), a)
    assert device.values_of(there[3:5]).shape == (2, 10)
