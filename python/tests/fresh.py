"""What a user does first with an installed wheel; run by fresh.sh in a new environment.

    fresh.py PROGRAM...      the tools that must not be found: no compiler builds anything here
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import ztile
import ztile.hdf5
from ztile import _core


def command(*arguments: str, status: int = 0) -> str:
    done = subprocess.run(["ztile", *arguments], capture_output=True, text=True)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def field() -> np.ndarray:
    z, y, x = np.ogrid[0:3:40j, 0:3:60j, 0:3:80j]
    return (np.sin(z) * np.cos(2 * y) + np.sin(3 * x)).astype("f4")


def check_the_command(a: np.ndarray) -> None:
    assert ztile.__version__ in command("--version")
    np.save("a.npy", a)
    command("compress", "--abs", "1e-3", "a.npy", "-o", "a.zt")
    command("decompress", "a.zt", "-o", "b.npy")
    assert np.abs(np.load("b.npy") - a).max() <= 1e-3
    assert np.abs(ztile.load("a.zt") - a).max() <= 1e-3
    pathlib.Path("a.nc").write_bytes(b"CDF\1" + bytes(60))
    for arguments in ("compress", "--abs", "1e-3", "a.nc", "-o", "n.zt"), ("plot", "a.npy", "a.zt"):
        said = command(*arguments, status=5)
        assert "Debian package" in said and "build" in said, said


def check_the_instruction_set() -> None:
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    wanted = "avx512" if "avx512_vbmi2" in flags else "avx2" if "avx2" in flags else "plain"
    assert _core.isa == wanted, (_core.isa, wanted)


def check_hdf5(a: np.ndarray) -> None:
    import h5py

    assert "HDF5_PLUGIN_PATH" not in os.environ
    assert ztile.hdf5.register() == ztile.hdf5.register()
    with h5py.File("a.h5", "w") as f:
        f.create_dataset("a", data=a, chunks=(20, 60, 80), **ztile.hdf5.filter(abs=1e-3))
        f.create_dataset("z", data=a, chunks=(20, 60, 80), compression=32013,
                         compression_opts=(3, 0, 3539053052, 1062232653))
    with h5py.File("a.h5") as f:
        for name in "az":
            assert np.abs(f[name][...] - a).max() <= 1e-3
            assert f[name].id.get_storage_size() < a.nbytes / 3
        ztile.hdf5.check(f["a"])


def check_zarr(a: np.ndarray) -> None:
    import numcodecs
    import zarr

    codec = numcodecs.get_codec({"id": "ztile", "abs": 1e-3})
    assert np.abs(codec.decode(codec.encode(a)).view("f4").reshape(a.shape) - a).max() <= 1e-3
    from ztile.zarr import ZTileCodec
    z = zarr.create_array("a.zarr", shape=a.shape, dtype=a.dtype, chunks=(20, 60, 80),
                          serializer=ZTileCodec(abs=1e-3), compressors=None)
    z[...] = a
    assert np.abs(zarr.open_array("a.zarr", mode="r")[...] - a).max() <= 1e-3


def main() -> None:
    for tool in sys.argv[1:]:
        assert shutil.which(tool) is None, f"{tool} is on the PATH"
    check_the_instruction_set()
    a = field()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_the_command(a)
        check_hdf5(a)
        check_zarr(a)
        os.chdir("/")


main()
