"""Compress a dataset that no memory holds into a Zarr store, in parallel, with Dask and xarray.

    python dask_xarray.py [--shape 96 721 1440] [--workers 2] [--abs 0.01] [--store out.zarr]

A local cluster of processes makes a temperature field chunk by chunk, writes it through ztile's
codec, and checks every value against the bound, again chunk by chunk. The same script runs on many
machines: give Client the address of their scheduler, and a store that all of them reach.
"""
from __future__ import annotations

import argparse
import os
import tempfile
import time
import warnings

import dask.array as da
import numpy as np
import xarray as xr
from dask.distributed import Client, LocalCluster

from ztile.zarr import ZTileCodec


def weather(block_info=None):
    """One chunk of a temperature field in kelvin: waves that travel east, and noise of 0.05 K."""
    (t0, t1), (y0, y1), (x0, x1) = block_info[None]["array-location"]
    _, ny, nx = block_info[None]["shape"]
    waves = np.array([3, 5, 8, 21, 55])
    time_step, latitude = np.ogrid[t0:t1, y0:y1]
    latitude = np.pi * (latitude / max(ny - 1, 1) - 0.5)
    phase = (latitude - 0.1 * time_step)[:, :, None] * waves
    height = 30 / waves * np.cos(latitude)[:, :, None]
    angle = 2 * np.pi * waves[:, None] * np.arange(x0, x1) / nx
    # sin(angle + phase), summed over the waves
    field = np.concatenate([height * np.cos(phase), height * np.sin(phase)], -1).astype("float32") \
        @ np.concatenate([np.sin(angle), np.cos(angle)]).astype("float32")
    field += (288 - 40 * np.sin(latitude) ** 2).astype("float32")[:, :, None]
    noise = np.random.default_rng([t0, y0, x0]).standard_normal(field.shape, dtype="float32")
    return field + np.float32(0.05) * noise


def dataset(shape, chunk):
    data = da.map_blocks(weather, chunks=da.core.normalize_chunks(chunk, shape), dtype="float32",
                         meta=np.empty((0, 0, 0), "float32"))
    t2m = xr.DataArray(data, dims=("time", "lat", "lon"),
                       attrs={"units": "K", "long_name": "temperature"})
    return xr.Dataset({"t2m": t2m}, coords={"lat": np.linspace(90, -90, shape[1]),
                                            "lon": np.linspace(0, 360, shape[2], endpoint=False)})


def bytes_of(folder):
    return sum(os.path.getsize(os.path.join(root, name))
               for root, _, names in os.walk(folder) for name in names)


def processor_time():
    return time.process_time()


def timed(client, call):
    """What the call returns, and its wall-clock seconds and the workers' processor seconds."""
    used = sum(client.run(processor_time).values())
    start = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - start
    used = sum(client.run(processor_time).values()) - used
    return result, f"{seconds:.2f} s (processors {used:.2f} s)"


def write(data, store, chunk, serializer=None):
    """Returns the store's bytes. Without a serializer: Zarr's default, Zstandard."""
    encoding = {"chunks": chunk}
    if serializer is not None:
        encoding.update(serializer=serializer, compressors=None)
    data.to_zarr(store, mode="w", zarr_format=3, consolidated=False, encoding={"t2m": encoding})
    return bytes_of(store)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shape", type=int, nargs=3, default=(96, 721, 1440),
                        help="time, lat, lon (default: 96 721 1440, 380 MiB)")
    parser.add_argument("--chunk", type=int, nargs=3, default=(24, 721, 720))
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--abs", type=float, default=0.01, help="the bound, in kelvin")
    parser.add_argument("--store", help="default: a temporary one")
    options = parser.parse_args()
    chunk = tuple(min(c, n) for c, n in zip(options.chunk, options.shape))
    warnings.filterwarnings("ignore", message=".*Zarr.*specification.*")
    with tempfile.TemporaryDirectory() as folder:
        error = run(options, chunk, folder)
    raise SystemExit(0 if error <= options.abs else "the bound does not hold")


def run(options, chunk, folder):
    """Returns the largest error."""
    store = options.store or os.path.join(folder, "t2m.zarr")
    # a process a core: each chunk is compressed on one thread, and chunks run side by side
    with LocalCluster(n_workers=options.workers, threads_per_worker=1, processes=True,
                      dashboard_address=None) as cluster, Client(cluster) as client:
        data = dataset(options.shape, chunk)
        _, took = timed(client, lambda: data.t2m.sum().compute())
        raw = data.t2m.nbytes
        print(f"{options.workers} workers, {raw / 1e6:.0f} MB of float32 in "
              f"{data.t2m.data.npartitions} chunks; making and summing it takes {took}")

        for name, serializer, path in (
                ("zstd (Zarr's default)", None, os.path.join(folder, "zstd.zarr")),
                (f"ztile, abs {options.abs} K", ZTileCodec(abs=options.abs), store)):
            size, took = timed(client, lambda: write(data, path, chunk, serializer))
            print(f"{name:24} {size / 1e6:7.1f} MB  ratio {raw / size:5.2f}  "
                  f"made and written in {took}")

        again = xr.open_zarr(store, consolidated=False, chunks={})
        error, took = timed(
            client, lambda: float(abs(again.t2m.astype("float64") - data.t2m).max()))
        print(f"read back, made again and compared in {took}: the largest error is {error:.6f} K")
        point, took = timed(
            client, again.t2m[:, options.shape[1] // 2, options.shape[2] // 2].load)
        print(f"a time series at one point: {point.size} values in {took}")
    return error


if __name__ == "__main__":
    main()
