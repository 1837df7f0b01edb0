#!/usr/bin/env python3
"""tight_doubles.py: doubles under tight bounds: effort high of sz beside SZ3 and SPERR.

    tight_doubles.py --ztile BIN --data FOLDER [--fields WORD,...]

Smooth fields of FOLDER, and made ones (waves, bells, shocks, layers, noise of a known level,
seasons, ensembles, spectra), at rel 1e-6, 1e-8 and 1e-10: bytes of whole files of effort default,
of high by prediction and by the transform, and of what high takes; and how many times the last the
better peer takes. Peers that break the bound do not count. Needs numpy, numcodecs-wasm-sperr,
numcodecs-wasm-sz3 and hdf5plugin.
"""

import argparse
import io
import os
import subprocess
import sys
import tempfile

import h5py
import hdf5plugin
import numcodecs
import numpy
import numcodecs_wasm_sperr  # noqa: F401: registers the codec
import numcodecs_wasm_sz3  # noqa: F401

RELS = (1e-6, 1e-8, 1e-10)
REAL = (("pde_ks2d", (513, 201)), ("channel_dns_uvw4d", (3, 48, 65, 48)),
        ("vmec_modb3d", (200, 96, 64)), ("qc_acrolein_rho", (77, 69, 96)),
        ("qmc_bcch_rho3d", (54, 54, 54)))
METHODS = (("default", "default", None), ("prediction", "high", "prediction"),
           ("transform", "high", "transform"), ("high", "high", None))


def read_field(folder, name, shape):
    path = os.path.join(folder, name + ".f64")
    if os.path.exists(path):
        with open(path, "rb") as file:
            raw = file.read()
    else:
        raw = subprocess.run(["zstd", "-dc", path + ".zst"], check=True,
                             stdout=subprocess.PIPE).stdout
    return numpy.frombuffer(raw, "<f8").reshape(shape)


def spectrum(rng, n, slope, cut):
    """A random field whose amplitudes fall by a power of the wave number."""
    k = numpy.fft.fftfreq(n) * n
    size = numpy.sqrt(k[:, None, None] ** 2 + k[None, :, None] ** 2 + k[None, None, :] ** 2)
    size[0, 0, 0] = 1
    noise = numpy.fft.fftn(rng.standard_normal((n, n, n)))
    return numpy.fft.ifftn(noise * size ** -slope * numpy.exp(-(size / cut) ** 2)).real


def made_1d():
    x = numpy.linspace(0, 1, 262144)
    yield "waves1d", sum(numpy.sin(2 * numpy.pi * k * x + k * k) / k ** 2 for k in range(1, 30))
    yield "shock1d", (numpy.tanh((x - .3) * 4000) + numpy.tanh((x - .61) * 800) +
                      .3 * numpy.sin(20 * x))
    yield "kinks1d", numpy.abs(numpy.sin(40 * x)) + .1 * numpy.abs(x - .5)
    yield "chirp1d", numpy.sin(2 * numpy.pi * (5 * x + 400 * x ** 3))


def made_2d():
    y, x = numpy.meshgrid(numpy.linspace(0, 1, 600), numpy.linspace(0, 1, 600), indexing="ij")
    yield "waves2d", sum(numpy.sin(2 * numpy.pi * (k * x + (k % 7) * y) + k * k) / k ** 1.5
                         for k in range(1, 25))
    yield "steps2d", numpy.floor(8 * (x + .3 * numpy.sin(5 * y))) + .01 * numpy.sin(30 * x * y)


def made_3d(rng):
    z, y, x = numpy.meshgrid(*[numpy.linspace(0, 1, 80)] * 3, indexing="ij")
    bells = zip(rng.random((12, 3)), rng.uniform(.05, .3, 12))
    yield "bells3d", sum(numpy.exp(-((x - c[0]) ** 2 + (y - c[1]) ** 2 + (z - c[2]) ** 2) /
                                   (2 * s * s)) for c, s in bells)
    yield "shock3d", (numpy.tanh((x + .3 * numpy.sin(6 * y) + .2 * z - .7) / .02) +
                      .1 * numpy.sin(8 * z))
    wave = numpy.sin(9 * x) * numpy.cos(7 * y) * numpy.exp(z)
    yield "noise3d", wave + 1e-7 * rng.standard_normal(x.shape)
    yield "layers3d", (numpy.sin(5 * x) * numpy.cos(4 * y) + .2 * numpy.sin(6 * z) +
                       numpy.where(z + .1 * x < .4, 0, numpy.where(z < .7, 2, 5)))
    yield "polynomial3d", (x - .3) ** 3 * (y + .2) ** 2 + z ** 4 * x - y * z
    yield "distance3d", numpy.sqrt((x - .4) ** 2 + (y - .5) ** 2 + (z - .6) ** 2)
    yield "blast3d", numpy.where((x - .5) ** 2 + (y - .5) ** 2 + (z - .5) ** 2 < .09,
                                 3 + numpy.exp(-20 * ((x - .5) ** 2 + (y - z) ** 2)),
                                 1 + .2 * numpy.sin(3 * x) * numpy.cos(4 * y) * numpy.sin(2 * z))
    yield "turbulence3d", spectrum(rng, 80, 17 / 6, 20)
    yield "rough3d", spectrum(rng, 80, 11 / 6, 1e9)
    yield "smooth3d", spectrum(rng, 80, 5, 1e9)


def made_seasons(rng):
    t = numpy.arange(730)[:, None, None]
    lat = numpy.linspace(-1.5, 1.5, 36)[None, :, None]
    lon = numpy.linspace(0, 2 * numpy.pi, 60, endpoint=False)[None, None, :]
    yield "season3d", (288 + 25 * numpy.cos(lat) + 10 * numpy.sin(lat) *
                       numpy.cos(2 * numpy.pi * t / 365.25) +
                       3 * numpy.sin(3 * lon - 2 * numpy.pi * t / 20) * numpy.cos(lat) ** 2)
    y, x = numpy.meshgrid(numpy.linspace(0, 1, 150), numpy.linspace(0, 1, 150), indexing="ij")
    yield "ensemble3d", numpy.stack([
        numpy.sin(6 * x + .1 * a) * numpy.cos(5 * y - .2 * b) + .05 * c * numpy.sin(15 * x * y)
        for a, b, c in rng.standard_normal((12, 3))])
    t = numpy.linspace(0, 1, 20)[:, None, None, None]
    z, y, x = numpy.meshgrid(*[numpy.linspace(0, 1, 28)] * 3, indexing="ij")
    yield "waves4d", (numpy.sin(6 * x + 4 * t) * numpy.cos(5 * y - 3 * t) * numpy.exp(-z * t) +
                      .2 * numpy.sin(9 * z * x + 2 * t))


def fields(folder):
    for name, shape in REAL:
        yield name, read_field(folder, name, shape)
    rng = numpy.random.default_rng(7)
    for made in made_1d(), made_2d(), made_3d(rng), made_seasons(rng):
        for name, values in made:
            yield name, numpy.ascontiguousarray(values, "<f8")


def own_bytes(ztile, folder, values, rel):
    """Bytes of each method."""
    path = os.path.join(folder, "field.f64")
    values.tofile(path)
    shape = "x".join(map(str, values.shape))
    sizes = {}
    for name, effort, method in METHODS:
        out = os.path.join(folder, "field.zt")
        command = [ztile, "compress", path, "-t", "f64", "-s", shape, "--rel", repr(rel),
                   "-c", "sz", "--effort", effort, "-f", "-o", out]
        command += ["--method", method] if method else []
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        sizes[name] = os.path.getsize(out)
    return sizes


def in_hdf5(values, options):
    with h5py.File(io.BytesIO(), "w") as file:
        data = file.create_dataset("x", data=values, chunks=values.shape, **options)
        return data.id.get_storage_size(), data[...]


def by_numcodecs(values, config):
    codec = numcodecs.get_codec(config)
    coded = codec.encode(values)
    return len(numpy.asarray(coded).tobytes()), numpy.asarray(codec.decode(coded))


def peers(values, bound):
    """Ways to code by peers; SPERR takes volumes."""
    yield "SZ3", lambda: in_hdf5(values, hdf5plugin.SZ3(absolute=bound))
    for way in "interpolation", "interpolation-lorenzo", "lorenzo-regression":
        yield "SZ3", lambda way=way: by_numcodecs(values, {
            "id": "sz3.rs", "eb_mode": "abs", "eb_abs": bound, "predictor": way})
    if values.ndim > 1:
        volume = values.reshape((-1,) + values.shape[-2:]) if values.ndim > 3 else values
        yield "SPERR", lambda: by_numcodecs(volume, {"id": "sperr.rs", "mode": "pwe", "pwe": bound})
        yield "SPERR", lambda: in_hdf5(volume, hdf5plugin.Sperr(absolute=bound))


def best_peer(values, bound):
    best = None
    for name, run in peers(values, bound):
        try:
            size, back = run()
        except (RuntimeError, ValueError, OSError) as error:
            print(f"    {name}: {error}", file=sys.stderr)
            continue
        worst = numpy.abs(back.reshape(values.shape) - values).max()
        if worst <= bound * 1.0001 and (best is None or size < best[1]):
            best = name, size
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ztile", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--fields", default="")
    options = parser.parse_args()
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for name, values in fields(options.data):
            if not any(word in name for word in options.fields.split(",")):
                continue
            for rel in RELS:
                sizes = own_bytes(options.ztile, folder, values, rel)
                peer = best_peer(values, rel * (values.max() - values.min()))
                times.append(peer[1] / sizes["high"])
                own = " ".join(f"{key} {size}" for key, size in sizes.items())
                print(f"{name:18s} {rel:.0e} {own} {peer[0]} {peer[1]} x {times[-1]:.3f}",
                      flush=True)
    print(f"mean {numpy.exp(numpy.mean(numpy.log(times))):.3f} least {min(times):.3f}")


if __name__ == "__main__":
    main()
