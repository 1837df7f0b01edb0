"""Whole files whose datasets have chunks without filters, which the command reads where they are in
the file. Whatever layout the same values have, the same coded chunks must come out.

    stored_test.py PLUGINS ZTILE

PLUGINS is the plug-ins' folder, ZTILE the command, which must do without it.
"""
import os
import struct
import sys
import tempfile

import command
from command import check, failures

plugins, ztile = sys.argv[1:3]
os.environ["HDF5_PLUGIN_PATH"] = plugins

import h5py  # noqa: E402 (after the environment was set)
import numpy as np  # noqa: E402

CHUNK, SHAPE = (32, 40, 48), (100, 120, 130)  # of 245,760 bytes; cut along two axes


def run(*words):
    return command.run(ztile, *words)


def done(*words):
    ran = run(*words)
    check(ran.returncode == 0, f"{' '.join(words)}: {ran.stderr}")


def field():
    z, y, x = np.meshgrid(*[np.linspace(0, 3, n) for n in SHAPE], indexing="ij")
    noise = np.random.default_rng(5).normal(0, 1e-3, SHAPE)
    return (np.sin(z * 2) + np.cos(y * 3) * x + noise).astype("f4")


def create(path, dtype="f4", chunks=CHUNK, userblock=0, **words):
    libver = words.pop("libver", "earliest")
    with h5py.File(path, "w", userblock_size=userblock, libver=libver) as f:
        f.create_dataset("v", SHAPE, dtype, chunks=chunks, fillvalue=-7, **words)


def make(path, values, **words):
    create(path, **words)
    with h5py.File(path, "r+") as f:
        f["v"][...] = values
    return path


def make_all(values):
    """The same values in all layouts. The first is read by HDF5, chunk for chunk."""
    made = [make("gzip.h5", values, compression="gzip"), make("stored.h5", values),
            make("late.h5", values, libver="latest"), make("block.h5", values, userblock=512),
            make("big.h5", values, dtype=">f4"), make("other.h5", values, chunks=(50, 60, 130)),
            make("summed.h5", values, fletcher32=True)]
    create("turned.h5")  # chunks are in the file from the last to the first
    with h5py.File("turned.h5", "r+") as f:
        for part in list(f["v"].iter_chunks())[::-1]:
            f["v"][part] = values[part]
    create("padded.h5")  # beyond the array's end chunks have other values
    with h5py.File("padded.h5", "r+") as f:
        for part in f["v"].iter_chunks():
            chunk = np.full(CHUNK, 1e30, "f4")
            inside = values[part]
            chunk[tuple(slice(n) for n in inside.shape)] = inside
            f["v"].id.write_direct_chunk([s.start for s in part], chunk.tobytes())
    return made + ["turned.h5", "padded.h5"]


def raw_chunks(path):
    with h5py.File(path) as f:
        id_ = f["v"].id
        infos = [id_.get_chunk_info(i) for i in range(id_.get_num_chunks())]
        return {info.chunk_offset: id_.read_direct_chunk(info.chunk_offset)[1] for info in infos}


def words_of(path):
    with h5py.File(path) as f:
        return f["v"]._filters


def test_layouts():
    values = field()
    files = make_all(values)
    for words in (["--rel", "1e-3"], ["--lossless"], ["--abs", "1e-4", "--effort", "fast"]):
        for exec_ in ("serial", "omp=2", "omp=5"):
            wanted = None
            for path in files:
                done("compress", path, "-qf", "-x", exec_, "-o", "z.h5", "--var", "*", *words)
                what = f"{path}, {words}, {exec_}"
                if path != "other.h5":  # its chunks are kept
                    one = words_of("z.h5"), raw_chunks("z.h5")
                    wanted = wanted or one
                    check(one == wanted, f"{what}: not the chunks of {files[0]}")
                done("decompress", "z.h5", "-qf", "-x", exec_, "-o", "back.h5")
                with h5py.File("z.h5") as z, h5py.File("back.h5") as back:
                    check(np.array_equal(z["v"][...].view("u4"), back["v"][...].view("u4")),
                          f"{what}: comes back otherwise than HDF5 reads it")
                    error = np.abs(back["v"][...] - values).max()
                    check(error <= 1e-3 * np.ptp(values), f"{what}: off by {error}")


def test_chunks_that_are_not_there():
    values = field()
    for name, words in (("some.h5", {}), ("some_gzip.h5", {"compression": "gzip"})):
        create(name, **words)
        with h5py.File(name, "r+") as f:
            for part in list(f["v"].iter_chunks())[::3]:
                f["v"][part] = values[part]
    with h5py.File("some.h5") as f:
        whole = f["v"][...]
    for exec_ in ("serial", "omp=3"):
        made = []
        for name in ("some.h5", "some_gzip.h5"):
            done("compress", name, "-qf", "-x", exec_, "-o", "z.h5", "--rel", "1e-3", "--var", "*")
            made.append((words_of("z.h5"), raw_chunks("z.h5")))
            with h5py.File("z.h5") as z:
                now = z["v"][...]
                check(np.array_equal(now == -7, whole == -7), f"{name}: fill values moved")
        check(made[0] == made[1], "chunks that are not there are not coded as fill values")


def test_room_is_used_again():
    """What is coded and then kept as it was leaves no hole."""
    rng = np.random.default_rng(3)
    with h5py.File("mixed.h5", "w", libver="earliest") as f:
        for name in ("noise", "z_noise"):
            bits = rng.integers(0, 2**32, 500000, dtype="u4")
            f[name] = (bits & 0xff7fffff).view("f4")
        f["smooth"] = field()
    for exec_ in ("serial", "omp=3"):
        done("compress", "mixed.h5", "-qf", "-x", exec_, "-o", "all.h5")
        done("compress", "mixed.h5", "-qf", "-x", exec_, "-o", "one.h5", "--var", "smooth:lossless")
        with h5py.File("mixed.h5") as was, h5py.File("all.h5") as f:
            check(not f["noise"]._filters and f["smooth"]._filters, "noise is not kept")
            for name in was:
                check(np.array_equal(was[name][...].view("u4"), f[name][...].view("u4")), name)
        extra = os.path.getsize("all.h5") - os.path.getsize("one.h5")
        check(abs(extra) <= 4096, f"what was tried and kept leaves {extra} bytes")


def refused(path, part):
    for exec_ in ("serial", "omp=3"):
        for words in (["--abs", "1e-3"], ["--rel", "1e-3"]):
            ran = run("compress", path, "-x", exec_, "-o", "none.h5", *words)
            check(ran.returncode == 2, f"{path} {words}: ends with {ran.returncode}")
            check(part in ran.stderr.strip().splitlines()[-1], f"{path}: {ran.stderr}")
            check(not os.path.exists("none.h5"), f"{path}: leaves a file")
            check(not [n for n in os.listdir(".") if n.endswith(".part")], f"{path}: leaves a part")


def test_damage():
    """A file that ends too soon, whether or not its first bytes admit it."""
    make("short.h5", field())
    size = os.path.getsize("short.h5")
    os.truncate("short.h5", size - (1 << 20))
    refused("short.h5", "truncated")
    with open("short.h5", "r+b") as f:  # the superblock's end of the file
        f.seek(40)
        check(struct.unpack("<Q", f.read(8))[0] == size, "where is the end of the file?")
        f.seek(40)
        f.write(struct.pack("<Q", size - (1 << 20)))
    refused("short.h5", "cannot read /v")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for test in (test_layouts, test_chunks_that_are_not_there,
                 test_room_is_used_again, test_damage):
        test()
    os.chdir("/")
if not failures:
    print("chunks without filters are coded as others are")
sys.exit(bool(failures))
