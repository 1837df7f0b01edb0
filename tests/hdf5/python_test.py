"""The filters in Python: h5py brings an HDF5 of its own, hdf5plugin an H5Z-ZFP of its own, netCDF4
a netCDF library whose Zarr stores have filters.

    python_test.py PLUGINS WORDS

PLUGINS is the plug-ins' folder, WORDS ztile_h5_words. One process reads and writes with
hdf5plugin's filter 32013 and another one with ours: a process has room for one.
"""
import ast
import ctypes
import glob
import os
import subprocess
import sys
import tempfile

plugins, words_program = sys.argv[1:3]
role = sys.argv[3] if len(sys.argv) > 3 else "main"
if role != "theirs":
    os.environ["HDF5_PLUGIN_PATH"] = plugins

import h5py  # noqa: E402 (after the environment was set)
import numpy as np  # noqa: E402

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("not so:", what)


def words(config):
    """Filter and cd_values of a configuration."""
    out = subprocess.run([words_program, config], check=True, capture_output=True, text=True).stdout
    line = out.splitlines()[-1].removeprefix("h5py: ")
    number, values = line.split(", compression_opts=")
    return int(number.removeprefix("compression=")), ast.literal_eval(values)


def field(dtype="f4"):
    x = np.linspace(0, 6, 36)
    f = np.sin(x[:, None, None]) * np.cos(x[None, :, None]) + x[None, None, :]
    return (f * 1000).astype(dtype) if np.dtype(dtype).kind in "iu" else f.astype(dtype)


MODES = {
    "rate": ("format=zfp,rate=9.5", dict(rate=9.5)),
    "precision": ("format=zfp,precision=14", dict(precision=14)),
    "accuracy": ("format=zfp,abs=1e-3", dict(accuracy=1e-3)),
    "reversible": ("format=zfp,lossless", dict(reversible=True)),
    "expert": ("format=zfp,expert=1:500:20:-10",
               dict(minbits=1, maxbits=500, maxprec=20, minexp=-10)),
}
TYPES = ["f4", "f8", "i4", "i8", "u4", "u8"]
CHUNKS = {"cubes": (12, 36, 20), "flat": (1, 36, 36), "line": (1, 1, 36), "one": (1, 36, 1)}


def write(path, filter_of):
    """A dataset a mode, type and chunk shape."""
    with h5py.File(path, "w") as f:
        for mode in MODES:
            for dtype in TYPES:
                for chunks in CHUNKS:
                    if chunks == "cubes" or dtype == "f4":
                        f.create_dataset(f"{mode}_{dtype}_{chunks}", data=field(dtype),
                                         chunks=CHUNKS[chunks], **filter_of(mode))


def read(path):
    with h5py.File(path) as f:
        return {name: f[name][...] for name in f}


def facts(path):
    """Stored words but the version's, and stored bytes, of each dataset."""
    with h5py.File(path) as f:
        return {name: (f[name].id.get_create_plist().get_filter(0)[2][1:],
                       f[name].id.get_storage_size()) for name in f}


def theirs(folder):
    """In a process of its own: hdf5plugin's H5Z-ZFP."""
    import hdf5plugin
    write(f"{folder}/theirs.h5", lambda mode: hdf5plugin.Zfp(**MODES[mode][1]))
    np.savez(f"{folder}/theirs_of_theirs.npz", **read(f"{folder}/theirs.h5"))
    np.savez(f"{folder}/theirs_of_ours.npz", **read(f"{folder}/ours.h5"))


def test_exchange(folder):
    def ours(mode):
        number, values = words(MODES[mode][0])
        return dict(compression=number, compression_opts=values)

    write(f"{folder}/ours.h5", ours)
    subprocess.run([sys.executable, __file__, plugins, words_program, "theirs", folder], check=True)
    a, b = read(f"{folder}/ours.h5"), read(f"{folder}/theirs.h5")
    c, d = np.load(f"{folder}/theirs_of_theirs.npz"), np.load(f"{folder}/theirs_of_ours.npz")
    check(len(a) > 40, "datasets were written")
    for name in a:
        for other in (b, c, d):
            check(a[name].tobytes() == other[name].tobytes(), f"{name} is the same by all")
        if "reversible" in name:
            check(np.array_equal(a[name], field(a[name].dtype)), f"{name} is exact")
    check(facts(f"{folder}/ours.h5") == facts(f"{folder}/theirs.h5"), "stored words and sizes")
    # a chunk's bytes themselves
    with h5py.File(f"{folder}/ours.h5") as f, h5py.File(f"{folder}/theirs.h5") as g:
        for name in f:
            first = [h[name].id.read_direct_chunk((0, 0, 0)) for h in (f, g)]
            check(first[0] == first[1], f"{name}: the first chunk")


def test_ztile_filter(folder):
    number, values = words("abs=1e-3")
    a = field("f8")
    with h5py.File(f"{folder}/zt.h5", "w") as f:
        f.create_dataset("a", data=a, chunks=(12, 36, 20), compression=number,
                         compression_opts=values, shuffle=False, fletcher32=True)
        holes = a.copy()
        holes[3, 4, 5], holes[7] = np.inf, np.nan
        f.create_dataset("holes", data=holes, chunks=(12, 36, 20), compression=number,
                         compression_opts=values)
        grown = f.create_dataset("grown", shape=(0, 36), maxshape=(None, 36), chunks=(7, 36),
                                 dtype="f4", fillvalue=np.nan, compression=number,
                                 compression_opts=values)
        for i in range(36):
            grown.resize(i + 1, axis=0)
            grown[i] = a[i, :, 0]
        for dtype in ("i2", "u1", "f2", ">f8"):
            try:
                f.create_dataset(f"no_{dtype}", data=a.astype(dtype), chunks=(12, 36, 20),
                                 compression=number, compression_opts=values)
                check(False, f"{dtype} is refused")
            except (OSError, ValueError, RuntimeError) as error:
                check("ztile codes" in str(error) or "byte order" in str(error),
                      f"{dtype} is refused with a sentence, not: {error}")
        for before in (dict(shuffle=True), dict(scaleoffset=3)):
            try:
                f.create_dataset(f"no_{before}", data=a, chunks=(12, 36, 20), compression=number,
                                 compression_opts=values, **before)
                check(False, f"{before} before a bound is refused")
            except (OSError, ValueError, RuntimeError) as error:
                check("stands before filter 48613" in str(error),
                      f"{before} is refused with a sentence, not: {error}")
        f.create_dataset("shuffled", data=a, chunks=(12, 36, 20), compression=number,
                         compression_opts=words("lossless")[1], shuffle=True)
        chunk = f.create_dataset("damaged", data=a, chunks=(12, 36, 20), compression=number,
                                 compression_opts=values).id
        mask, data = chunk.read_direct_chunk((0, 0, 0))
        half = len(data) // 2
        chunk.write_direct_chunk((0, 0, 0), data[:half] + bytes([data[half] ^ 64]) +
                                 data[half + 1:], mask)
    with h5py.File(f"{folder}/zt.h5") as f:
        try:
            f["damaged"][...]
            check(False, "a damaged chunk is refused")
        except OSError as error:
            check("is damaged" in str(error), f"what is damaged reaches h5py: {error}")
        check(np.array_equal(f["shuffled"][...], a), "any bytes are kept without a loss")
        check(abs(f["a"][...] - a).max() <= 1e-3, "the bound is kept")
        check(f["a"].id.get_storage_size() < a.nbytes / 3, "the dataset is smaller")
        check(abs(f["grown"][...] - a[:, :, 0].astype("f4")).max() <= 1e-3, "a growing dataset")
        h = f["holes"][...]
        finite = np.isfinite(holes)
        check(np.array_equal(h[~finite], holes[~finite], equal_nan=True), "NaN and infinities stay")
        check(abs(h[finite] - holes[finite]).max() <= 1e-3, "the bound is kept beside NaN")


def test_nczarr(folder):
    """A Zarr store by netCDF's own library, with the codec's words in its metadata."""
    import netCDF4
    site = os.path.dirname(netCDF4.__file__)
    found = glob.glob(f"{site}/../netCDF4.libs/libnetcdf*") + \
        glob.glob(f"{site}/../netcdf4.libs/libnetcdf*")
    if not found:
        print("SKIP: the netCDF4 wheel has no libnetcdf to call")
        return
    nc = ctypes.CDLL(found[0])
    a = np.ascontiguousarray(field("f8")[0])
    n, m = a.shape
    for config in ("codec=zfp,abs=1e-3", "lossless", "format=zfp,abs=1e-3"):
        number, values = words(config)
        name = config.replace(",", "_").replace("=", "_")
        url = f"file://{folder}/{name}#mode=nczarr,file".encode()
        file, x, y, var = (ctypes.c_int() for _ in range(4))

        def call(function, *arguments):
            status = getattr(nc, function)(*arguments)
            nc.nc_strerror.restype = ctypes.c_char_p
            check(status == 0, f"{config}: {function}: {nc.nc_strerror(status).decode()}")
            return status == 0

        if nc.nc_create(url, 0x1000, ctypes.byref(file)) != 0:
            print("SKIP: the netCDF4 wheel has no Zarr stores")
            return
        call("nc_def_dim", file, b"y", ctypes.c_size_t(n), ctypes.byref(y))
        call("nc_def_dim", file, b"x", ctypes.c_size_t(m), ctypes.byref(x))
        dims, chunks = (ctypes.c_int * 2)(y.value, x.value), (ctypes.c_size_t * 2)(16, m)
        call("nc_def_var", file, b"v", 6, 2, dims, ctypes.byref(var))
        call("nc_def_var_chunking", file, var, 0, chunks)
        call("nc_def_var_filter", file, var, ctypes.c_uint(number), ctypes.c_size_t(len(values)),
             (ctypes.c_uint * len(values))(*values))
        call("nc_put_var_double", file, var, a.ctypes.data_as(ctypes.c_void_p))
        call("nc_close", file)
        with open(f"{folder}/{name}/v/.zarray") as f:
            zarray = f.read()
        check('"id": "ztile' in zarray, f"{config}: the codec is in {zarray}")
        check(os.path.getsize(f"{folder}/{name}/v/0.0") < 16 * m * 8, f"{config}: a small chunk")
        b = np.zeros_like(a)
        if call("nc_open", url, 0, ctypes.byref(file)):
            call("nc_inq_varid", file, b"v", ctypes.byref(var))
            call("nc_get_var_double", file, var, b.ctypes.data_as(ctypes.c_void_p))
            call("nc_close", file)
        check(abs(a - b).max() <= (0 if "lossless" in config else 1e-3), f"{config}: the bound")


if role == "theirs":
    theirs(sys.argv[4])
else:
    with tempfile.TemporaryDirectory() as temporary:
        test_exchange(temporary)
        test_ztile_filter(temporary)
        test_nczarr(temporary)
    version = h5py.version.hdf5_version
    print(f"h5py {h5py.__version__} with HDF5 {version}: {len(failures)} failures")
sys.exit(1 if failures else 0)
