"""Whole files: ztile compress IN.nc -o OUT.nc and back, over files that have all that HDF5 and
netCDF-4 have, looked at with h5py and netCDF4, which bring HDF5 libraries of their own.

    whole_test.py PLUGINS ZTILE

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
import netCDF4  # noqa: E402
import numpy as np  # noqa: E402

OURS, ZFP = "48613", "32013"


def run(*words):
    return command.run(ztile, *words)


def done(*words):
    ran = run(*words)
    check(ran.returncode == 0, f"{' '.join(words)}: {ran.stderr}")
    return ran.stderr


def refused(status, part, *words):
    ran = run(*words)
    lines = ran.stderr.strip().splitlines()
    check(ran.returncode == status and lines and part in lines[-1],
          f"{' '.join(words)} ends with {ran.returncode}: {ran.stderr}")
    out = words[words.index("-o") + 1] if "-o" in words else None
    check(out is None or not os.path.exists(out), f"{' '.join(words)} leaves a file")
    check(not [f for f in os.listdir(".") if f.endswith(".part")], "a temporary file is left")


def smooth(*shape, dtype="f4"):
    grids = np.meshgrid(*[np.linspace(0, 3, n) for n in shape], indexing="ij")
    return sum(np.sin(g * (i + 1)) for i, g in enumerate(grids)).astype(dtype)


def filters(dataset):
    return [f for f in dataset._filters]


# ---- HDF5 with all kinds of objects ------------------------------------------------------------

def make_h5(path):
    with h5py.File(path, "w", userblock_size=512, track_order=True, libver="earliest") as f:
        f.attrs["title"] = "all kinds"
        f.attrs["list"] = np.arange(5, dtype="i2")
        f.attrs["words"] = ["a", "bc", ""]
        f["named"] = np.dtype([("x", "f4"), ("y", "i8")])
        g = f.create_group("z_first", track_order=True)
        big = g.create_dataset("plain", data=smooth(40, 30, 20))
        big.attrs["units"] = "m s-1"
        big.attrs["big"] = np.arange(4000.0)
        for name in ("z", "b", "y", "c"):  # in no order of names
            f.require_group("a").attrs[name] = name
        f.create_dataset("a/deflated", data=smooth(64, 64, dtype="f8"), chunks=(64, 32),
                         compression="gzip", shuffle=True, fletcher32=True)
        f.create_dataset("a/growing", data=smooth(30, 40), maxshape=(None, 40), chunks=(30, 40))
        f.create_dataset("a/filled", data=np.where(smooth(32, 48) > 1, np.float32(-999),
                                                   smooth(32, 48)), fillvalue=-999)
        f.create_dataset("a/turned", data=smooth(64, 64), dtype=">f8")
        f.create_dataset("six", data=smooth(3, 1, 4, 5, 6, 7))
        f.create_dataset("empty", shape=(0, 4), maxshape=(None, 4), dtype="f4")
        f.create_dataset("scalar", data=1.5)
        f.create_dataset("null", data=h5py.Empty("f4"))
        f.create_dataset("half", data=smooth(40, 40).astype("f2"))
        f.create_dataset("ints", data=np.arange(5000).reshape(50, 100), compression="lzf")
        f.create_dataset("texts", data=["one", "two", "", "vier"])
        f.create_dataset("ragged", (3,), dtype=h5py.vlen_dtype("f4"))
        for i in range(3):
            f["ragged"][i] = np.arange(i + 1, dtype="f4")
        f.create_dataset("pairs", data=np.array([(1, 2), (3, 4)], dtype=f["named"].dtype),
                         dtype=f["named"])
        f.create_dataset("flags", data=np.array([0, 1, 1]),
                         dtype=h5py.enum_dtype({"no": 0, "yes": 1}))
        refs = f.create_dataset("refs", (3,), dtype=h5py.ref_dtype)
        refs[0], refs[1] = big.ref, g.ref  # and one that leads nowhere
        regions = f.create_dataset("regions", (1,), dtype=h5py.regionref_dtype)
        regions[0] = big.regionref[2:5, 3, 4:6]
        f.attrs["best"] = big.ref
        mixed = np.zeros(2, dtype=[("n", "i4"), ("ref", h5py.ref_dtype)])
        mixed["n"], mixed["ref"][:] = [7, 8], [f["six"].ref, h5py.Reference()]
        f.create_dataset("mixed", data=mixed)
        f["again"] = big  # a hard link
        f["soft"] = h5py.SoftLink("/a/deflated")
        f["out"] = h5py.ExternalLink("elsewhere.h5", "/x")
        f["a/up"] = f["/z_first"]  # and one to a group
        f["loop"] = f["/"]
    with open(path, "r+b") as raw:
        raw.write(b"before HDF5's own first byte")


FLOATS = {"z_first/plain": 1e-3, "a/deflated": 1e-3, "a/growing": 1e-3, "a/filled": 1e-3,
          "a/turned": 1e-3, "six": 1e-3}


def order(owner):
    """Attributes as they lie in the object's header."""
    names = []
    h5py.h5a.iterate(owner.id, lambda name, *_: names.append(name) and None,
                     order=h5py.h5.ITER_NATIVE)
    return names


def compare_h5(path, was, bounds, filter_of):
    with h5py.File(was) as a, h5py.File(path) as b:
        check(list(a) == list(b) and list(a["z_first"]) == list(b["z_first"]),
              f"{path}: names or their order differ: {list(b)}")
        for name, bound in bounds.items():
            x, y = a[name][...], b[name][...]
            check(x.shape == y.shape and np.abs(x.astype("f8") - y).max() <= bound,
                  f"{path}: {name} is not within {bound}")
            check(list(b[name]._filters) == filter_of, f"{path}: {name} has {b[name]._filters}")
            check(a[name].maxshape == b[name].maxshape and a[name].fillvalue == b[name].fillvalue,
                  f"{path}: {name} has another largest shape or fill value")
        check(filter_of == [ZFP] or
              (b["a/filled"][...][a["a/filled"][...] == -999] == -999).all(),
              "fill values changed")
        for name in ("empty", "scalar", "half", "ints", "texts", "pairs", "flags"):
            check(np.array_equal(a[name][...], b[name][...]) and a[name].dtype == b[name].dtype,
                  f"{path}: {name} differs")
            check(a[name]._filters == b[name]._filters, f"{path}: {name} has other filters")
        check(b["null"].shape is None, "a null dataspace is another one")
        check(all(np.array_equal(a["ragged"][i], b["ragged"][i]) for i in range(3)), "lists differ")
        check(b["pairs"].id.get_type().committed(), "a named type lost its name")
        for owner in ("/", "z_first/plain"):
            x, y = a[owner].attrs, b[owner].attrs
            check(list(x) == list(y), f"{path}: attributes of {owner} differ: {list(y)}")
            for key in x:
                if key != "best":
                    check(np.array_equal(x[key], y[key]), f"{path}: {owner}@{key} differs")
        check(order(a["a"]) == order(b["a"]) == [b"z", b"b", b"y", b"c"],
              f"{path}: attributes without an order are in another: {order(b['a'])}")
        check(b[b.attrs["best"]] == b["z_first/plain"], "an attribute's reference leads away")
        check(b[b["refs"][0]] == b["z_first/plain"] and b[b["refs"][1]] == b["z_first"] and
              not b["refs"][2], "references lead away")
        region = b["regions"][0]
        check(b[region] == b["z_first/plain"] and
              h5py.h5r.get_region(region, b.id).get_select_bounds() ==
              ((2, 3, 4), (4, 3, 5)), "a region is another one")
        check(b[b["mixed"]["ref"][0]] == b["six"] and list(b["mixed"]["n"]) == [7, 8],
              "references in a compound lead away")
        check(b["again"] == b["z_first/plain"] and b["a/up"] == b["z_first"] and
              b["loop"] == b["/"],
              "hard links lead to copies")
        check(b.get("soft", getlink=True).path == "/a/deflated" and
              b.get("out", getlink=True).filename == "elsewhere.h5", "links differ")
    with open(path, "rb") as raw:
        check(raw.read(28) == b"before HDF5's own first byte", "the user block is lost")


def test_h5():
    make_h5("in.h5")
    said = done("compress", "in.h5", "--abs", "1e-3", "-o", "out.h5")
    check("/z_first/plain: f32, 40x30x20" in said and "ratio" in said, f"it says: {said}")
    compare_h5("out.h5", "in.h5", FLOATS, [OURS])
    done("decompress", "out.h5", "-o", "back.h5")
    compare_h5("back.h5", "out.h5", {name: 0 for name in FLOATS}, [])
    done("compress", "in.h5", "--format", "zfp", "--abs", "1e-3", "-o", "zfp.h5")
    compare_h5("zfp.h5", "in.h5", FLOATS, [ZFP])
    named = [word for name in FLOATS for word in ("--var", name)]  # as they may grow
    done("compress", "in.h5", "-o", "exact.h5", "-x", "serial", "-q", *named)
    compare_h5("exact.h5", "in.h5", {name: 0 for name in FLOATS}, [OURS])
    with h5py.File("out.h5") as f:
        check(f["a/growing"].chunks == (30, 40) or f["a/growing"].chunks[0] > 1, "chunks")
        check(f["six"].chunks[0] <= 3, "six axes")


def test_words():
    """Variables by name, bounds of their own, relative bounds."""
    done("compress", "in.h5", "-o", "some.h5", "--abs", "1e-2", "--var", "plain",
         "--var", "/a/deflated:lossless", "--var", "filled:rel=1e-4,codec=sz", "-q")
    with h5py.File("in.h5") as a, h5py.File("some.h5") as b:
        for name, bound in (("z_first/plain", 1e-2), ("a/deflated", 0)):
            check(list(b[name]._filters) == [OURS] and
                  np.abs(a[name][...] - b[name][...]).max() <= bound, f"--var of {name}")
        x, y = a["a/filled"][...], b["a/filled"][...]
        valid = x != -999
        check(np.abs(x - y)[valid].max() <= 1e-4 * np.ptp(x[valid]), "rel is of the valid values")
        check("gzip" not in str(b["a/deflated"].compression) and
              list(b["a/growing"]._filters) == [], "a variable that was not named is rewritten")
    done("compress", "in.h5", "-o", "rest.h5", "--var", "plain:abs=1", "--var", "*", "--abs",
         "1e-3", "-q")
    with h5py.File("in.h5") as a, h5py.File("rest.h5") as b:
        check(list(b["a/growing"]._filters) == [OURS], "'*' is not the rest")
        worst = np.abs(a["z_first/plain"][...] - b["z_first/plain"][...]).max()
        check(1e-3 < worst <= 1, "a variable's own bound does not count")
    sizes = []
    for effort in ("fast", "default", "high"):
        done("compress", "in.h5", "-o", "effort.h5", "--abs", "1e-3", "-qf", "--effort", effort)
        with h5py.File("in.h5") as a, h5py.File("effort.h5") as b:
            x = b["z_first/plain"]
            sizes.append(x.id.get_storage_size())
            check(np.abs(a["z_first/plain"][...] - x[...]).max() <= 1e-3, f"{effort}: its bound")
    check(sizes[0] > sizes[1] > sizes[2], f"efforts make no difference: {sizes}")
    refused(1, "goes with", "compress", "in.h5", "-o", "x.h5", "--abs", "1e-3", "--format", "zfp",
            "--effort", "high")
    for format in ([], ["--format", "zfp"]):
        done("compress", "in.h5", "-o", "rel.h5", "--rel", "1e-3", "-qf", *format)
        with h5py.File("in.h5") as a, h5py.File("rel.h5") as b:
            x, y = a["a/turned"][...], b["a/turned"][...]
            check(np.abs(x - y).max() <= 1e-3 * np.ptp(x), "rel does not hold")


# ---- netCDF-4 ----------------------------------------------------------------------------------

def make_nc(path):
    with netCDF4.Dataset(path, "w") as f:
        f.Conventions = "CF-1.8"
        for name, size in (("time", None), ("lat", 48), ("lon", 72)):
            f.createDimension(name, size)
            v = f.createVariable(name, "f8", (name,))
            v.units = "days since 2000-01-01" if name == "time" else "degrees"
            v[:] = np.arange(size or 40)
        kind = f.createEnumType("u1", "kind_t", {"sea": 0, "land": 1})
        land = f.createVariable("land", kind, ("lat", "lon"))
        land[:] = (smooth(48, 72) > 1).astype("u1")
        t = f.createVariable("t", "f4", ("time", "lat", "lon"), zlib=True, fill_value=1e20,
                             chunksizes=(1, 48, 72))
        t.units, t.coordinates = "K", "lat lon"
        values = 280 + smooth(40, 48, 72)
        t[:] = np.ma.masked_where(values > 281.9, values)
        packed = f.createVariable("packed", "i2", ("time", "lat"))
        packed.scale_factor, packed.add_offset = 0.01, 273.15
        packed[:] = 273.15 + smooth(40, 48)
        names = f.createVariable("names", str, ("lat",))
        names[:] = np.array([f"row {i}" for i in range(48)], dtype=object)
        g = f.createGroup("ocean/deep")
        s = g.createVariable("salt", "f8", ("time", "lat", "lon"))  # netCDF's own fill value
        s[:39] = 35 + smooth(39, 48, 72)


def compare_nc(path, was, bound):
    with netCDF4.Dataset(was) as a, netCDF4.Dataset(path) as b:
        check(list(a.variables) == list(b.variables) and list(a.dimensions) == list(b.dimensions),
              f"{path}: variables or dimensions differ: {list(b.variables)}")
        check(b.dimensions["time"].isunlimited() and b.ncattrs() == a.ncattrs(), "dimensions")
        for name in a.variables:
            x, y = a[name], b[name]
            check(x.dimensions == y.dimensions and x.ncattrs() == y.ncattrs() and
                  str(x.dtype) == str(y.dtype), f"{path}: {name} is another variable")
            if name != "t":
                check(np.array_equal(x[...], y[...]), f"{path}: {name} differs")
        for x, y in ((a["t"], b["t"]), (a["ocean/deep/salt"], b["ocean/deep/salt"])):
            u, v = x[...], y[...]
            check(np.array_equal(np.ma.getmaskarray(u), np.ma.getmaskarray(v)), "masks differ")
            check(np.abs(u - v).max() <= bound, f"{path}: {x.name} is not within {bound}")
        b2 = b["t"]
        check(b2.coordinates == "lat lon", "an attribute is lost")
    with netCDF4.Dataset(path, "a") as f:  # and it grows
        n = len(f.dimensions["time"])
        f["t"][n] = np.full((48, 72), 300)
        check(f["t"].shape == (n + 1, 48, 72), "an unlimited dimension does not grow")
    with netCDF4.Dataset(path) as f:
        check(np.abs(f["t"][-1] - 300).max() <= bound, "what was appended is lost")


def test_nc():
    make_nc("in.nc")
    for words, bound in ((["--abs", "1e-3"], 1e-3), (["--abs", "1e-3", "-c", "zfp"], 1e-3),
                         (["--abs", "1e-3", "-c", "sz"], 1e-3), ([], 0)):
        done("compress", "in.nc", "-qf", "-o", "out.nc", *words)
        compare_nc("out.nc", "in.nc", bound)
    done("compress", "in.nc", "--abs", "1e-3", "-f", "-o", "out.nc")
    done("decompress", "out.nc", "-o", "back.nc")
    compare_nc("back.nc", "out.nc", 0)
    with h5py.File("back.nc") as f:
        check(not f["t"]._filters and f["ocean/deep/salt"].chunks is not None,
              "what is unlimited must stay in chunks")
    said = done("compress", "in.nc", "--abs", "1e-3", "--format", "zfp", "-fo", "out.nc")
    check("warning" in said and "fill values changed" in said,
          "zfp's stream beside fill values of 1e20 gives no warning")
    # a variable of the compressed file is an array like others
    done("compress", "in.nc", "--abs", "1e-3", "-fqo", "out.nc")
    check(run("compare", "in.nc:/ocean/deep/salt", "out.nc:/ocean/deep/salt").returncode == 0,
          "a variable behind the filter is not read without the plug-ins' variable")


# ---- nothing grows -----------------------------------------------------------------------------

def test_files_that_grew():
    rng = np.random.default_rng(1)
    with h5py.File("grows.h5", "w") as f:
        f["noise"] = rng.normal(size=(40, 50))
        f["short"] = smooth(300)  # shorter than the index of one chunk
        f.create_dataset("repeats", data=np.resize(rng.normal(size=100), (64, 64)), dtype="f4",
                         chunks=(64, 64), compression="gzip", shuffle=True)
        f.create_dataset("unwritten", shape=(50, 60), dtype="f4")
    said = done("compress", "grows.h5", "-o", "copy.h5")
    check("4 that would not become smaller" in said and "is a copy of it" in said,
          f"a file that would grow: {said}")
    with open("grows.h5", "rb") as a, open("copy.h5", "rb") as b:
        check(a.read() == b.read(), "a file that would grow is no copy")
    with h5py.File("grows.h5", "a") as f:
        f["data"] = smooth(40, 50, 60)
    said = done("compress", "grows.h5", "-o", "less.h5", "-v")
    check("/repeats: would not become smaller" in said, f"-v does not say what is left: {said}")
    with h5py.File("grows.h5") as a, h5py.File("less.h5") as b:
        check(list(b["data"]._filters) == [OURS], "what becomes smaller is left alone")
        for name in ("noise", "short", "repeats", "unwritten"):
            check(a[name]._filters == b[name]._filters and a[name].chunks == b[name].chunks and
                  a[name].id.get_storage_size() == b[name].id.get_storage_size() and
                  np.array_equal(a[name][...], b[name][...]), f"{name} is not as it was")
    check(os.path.getsize("less.h5") < os.path.getsize("grows.h5"), "it grows all the same")
    done("compress", "grows.h5", "-o", "asked.h5", "-q", "--var", "noise")
    with h5py.File("asked.h5") as f:
        check(list(f["noise"]._filters) == [OURS], "--var does not compress what grows")


def test_missing_values_were_lost():
    """An attribute says what they are, HDF5's fill value does not: so nccopy writes files."""
    values = np.where(smooth(40, 60, 20) > 1, np.float32(-999.9), smooth(40, 60, 20))
    with h5py.File("missing.h5", "w") as f:
        for name, said in (("one", {"_FillValue": -999.9}), ("same", {"_FillValue": -999.9,
                           "missing_value": -999.9}), ("two", {"missing_value": [-1e3, -999.9]}),
                           ("other", {"_FillValue": -999.9})):
            f.create_dataset(name, data=values, fillvalue=7 if name == "other" else None)
            for key, value in said.items():
                f[name].attrs[key] = np.array(value, "f4")
    done("compress", "missing.h5", "--rel", "1e-3", "-qo", "missing_z.h5")
    with h5py.File("missing_z.h5") as f:
        for name in f:
            check(list(f[name]._filters) == [OURS] and
                  np.array_equal(f[name][...] == np.float32(-999.9), values == np.float32(-999.9)),
                  f"{name}: missing values are no longer what its attribute says")


# ---- the CF conventions ------------------------------------------------------------------------

def make_cf(path):
    """A file with all the ways in which CF variables name others, and its data variables."""
    with netCDF4.Dataset(path, "w") as f:
        f.Conventions = "CF-1.10"
        f.coordinates = "of_all"
        for name, size in (("time", 200), ("y", 24), ("x", 32), ("bnds", 4), ("site", 300)):
            f.createDimension(name, size)

        def add(name, dimensions=("y", "x"), group=f, **attributes):
            v = group.createVariable(name, "f8", dimensions)
            v.setncatts(attributes)
            shape = [len(f.dimensions[d]) for d in dimensions]
            v[...] = smooth(*shape, dtype="f8") * np.pi
            return v

        add("tas", ("time", "y", "x"), coordinates="lat lon", ancillary_variables="tas_error",
            cell_measures="area: areacella volume: v", grid_mapping="crs: x y other: lat lon",
            cell_methods="area: mean")
        add("other_data", ("time", "y", "x"), grid_mapping="plain", geometry="shapes")
        add("time", ("time",), bounds="time_bnds", climatology="seasons")
        add("lat", bounds="lat_bnds")
        add("lon")
        add("level", ("time",), formula_terms="a: hya b:hyb ps: surface")
        add("shapes", ("site",), node_coordinates="node_x node_y")
        for name in ("tas_error", "areacella", "v", "crs", "other", "plain", "surface", "of_all"):
            add(name)
        for name in ("time_bnds", "seasons"):
            add(name, ("time", "bnds"))
        add("lat_bnds", ("y", "x", "bnds"))
        for name in ("hya", "hyb"):
            add(name, ("time",))
        for name in ("node_x", "node_y"):
            add(name, ("site",))
        add("measured", units="degrees_north")  # says itself what it is
        add("nav_lon")
        g = f.createGroup("ocean/deep")
        add("salt", ("time", "y", "x"), g, coordinates="lon near ../over /ocean/fixed aside")
        add("near", group=g)
        add("site", ("site",), g)  # the dimension is the root's
        for name in ("over", "fixed", "lon"):  # this lon is nearer than the root's
            add(name, group=f["ocean"])
        add("aside", group=f.createGroup("other_group"))
        add("angle", group=f.createGroup("SWATHS/s/Geolocation Fields"))
        g["salt"].grid_mapping = "ocean_crs"
        add("ocean_crs", group=f["ocean"])


CF_DATA = ["tas", "other_data", "ocean/deep/salt"]


def names_of(group, before=""):
    for name in group.variables:
        yield before + name
    for name, inner in group.groups.items():
        yield from names_of(inner, f"{before}{name}/")


def compressed_in(path):
    with netCDF4.Dataset(path) as f, h5py.File(path) as h:
        return sorted(name for name in names_of(f) if OURS in h[name]._filters)


def test_cf_coordinates_move():
    make_cf("cf.nc")
    done("compress", "cf.nc", "--rel", "1e-3", "-qo", "cf_z.nc")
    check(compressed_in("cf_z.nc") == sorted(CF_DATA),
          f"CF: these are compressed: {compressed_in('cf_z.nc')}")
    with netCDF4.Dataset("cf.nc") as a, netCDF4.Dataset("cf_z.nc") as b:
        for name in names_of(a):
            check(name in CF_DATA or np.array_equal(a[name][...], b[name][...]),
                  f"CF: {name} moved")
    done("compress", "cf.nc", "--rel", "1e-3", "--var", "*", "--var", "lat", "--var",
         "/ocean/lon:abs=1", "-qo", "cf_named.nc")
    check(compressed_in("cf_named.nc") == sorted(CF_DATA + ["lat", "ocean/lon"]),
          f"CF: with --var these are compressed: {compressed_in('cf_named.nc')}")


def test_refusals():
    with netCDF4.Dataset("classic.nc", "w", format="NETCDF3_CLASSIC") as f:
        f.createDimension("x", 2000)
        f.createVariable("v", "f4", ("x",))[:] = np.arange(2000)
    with h5py.File("nothing.h5", "w") as f:
        f["n"] = np.arange(1000)
    with h5py.File("nan.h5", "w") as f:
        f["v"] = np.where(np.arange(4096) == 5, np.nan, np.arange(4096.0))
    with open("half.h5", "wb") as cut, open("in.h5", "rb") as whole:
        data = whole.read()
        cut.write(data[:len(data) // 2])
    refused(2, "nccopy -k nc4", "compress", "classic.nc", "-o", "x.nc")
    refused(2, "no float variable", "compress", "nothing.h5", "-o", "x.h5")
    refused(2, "decompress it first", "compress", "out.h5", "-o", "x.h5")
    refused(1, "once more would add", "compress", "out.h5", "--var", "plain", "-o", "x.h5")
    refused(1, "--var nothing", "compress", "in.h5", "--var", "nothing", "-o", "x.h5")
    refused(1, "means nothing", "compress", "in.h5", "--var", "plain:abs=x", "-o", "x.h5")
    refused(2, "neither a netCDF-4 nor", "compress", os.path.abspath(__file__), "-o", "x.h5")
    refused(2, "used as it is", "decompress", "in.h5", "-o", "x.h5")
    refused(2, "cannot read", "compress", "half.h5", "-o", "x.h5")
    refused(3, "NaN", "compress", "nan.h5", "--abs", "1e-3", "--format", "zfp", "-o", "x.h5")
    refused(5, "ZTileCodec", "compress", "in.h5", "-o", "x.zarr")
    refused(1, "name one with -o", "compress", "in.h5", "--var", "plain")
    for words in (["--index", "none"], ["--slab-bytes", "1M"], ["--format", "ndzip"],
                  ["--fill", "3"], ["--allow-nonfinite"], ["--method", "cusz"], ["-t", "f32"]):
        refused(1, "is not for whole files", "compress", "in.h5", "-o", "x.h5", *words)
    before = open("out.h5", "rb").read()
    check(run("compress", "in.h5", "-o", "out.h5").returncode == 1 and
          open("out.h5", "rb").read() == before, "a file is overwritten without -f")
    done("compress", "nan.h5", "--abs", "1e-3", "-o", "kept.h5", "-q")
    with h5py.File("kept.h5") as f:
        check(np.isnan(f["v"][5]) and np.isfinite(f["v"][...]).sum() == 4095, "NaN is lost")


# ---- datasets whose filter cannot know what it is told ------------------------------------------

LOSSLESS, WITHIN = (1515454720, 0, 0, 0), (1515454720, 256, 3539053052, 1062232653)


def patch(path, old, new):
    """Words of the file, which are there once."""
    with open(path, "rb") as f:
        data = f.read()
    old, new = (struct.pack(f"<{len(w)}I", *w) for w in (old, new))
    check(data.count(old) == 1, f"{path}: words are there {data.count(old)} times")
    with open(path, "wb") as f:
        f.write(data.replace(old, new))


def test_filter_before_ours_in_a_file():
    """As versions wrote it that let shuffle stand before a bound."""
    with h5py.File("before.h5", "w", libver="earliest") as f:
        f.create_dataset("v", data=smooth(64, 64), chunks=(32, 32), compression=int(OURS),
                         compression_opts=LOSSLESS, shuffle=True)
    said = done("decompress", "before.h5", "-o", "exact.h5", "-qf")
    check(said == "", f"a lossless filter after another is right: {said}")
    patch("before.h5", (1515454721, 3, *LOSSLESS[2:], 0), (1515454721, *WITHIN[1:], 0))
    with open("before.nc", "wb") as copy, open("before.h5", "rb") as f:
        copy.write(f.read())
    for words in (["decompress", "before.h5", "-o", "back.h5"],
                  ["compress", "before.h5:v", "-o", "v.zt"],
                  ["compress", "before.nc:v", "-o", "v.zt"], ["info", "before.h5"]):
        said = done(*words) if words[0] == "info" else done(*words, "-qf")
        check("shuffle (filter 2) stands before filter 48613, which then keeps no bound" in said,
              f"{words}: a filter before ours is not said: {said}")


def test_lying_cd_values():
    """HDF5 would copy what lies behind the filter's buffer, or crash."""
    for number, opts, told, new in (
            (OURS, LOSSLESS, (65537, 1000), (65537, 10)),
            (ZFP, (5,), (0x0570667a, (1000 - 1) << 4 | 2), (0x0570667a, (10 - 1) << 4 | 2))):
        with h5py.File("lies.h5", "w", libver="earliest") as f:
            short = f.create_dataset("short", data=smooth(10), chunks=(10,),
                                     compression=int(number), compression_opts=opts).id
            f.create_dataset("v", (1000,), "f4", chunks=(1000,), compression=int(number),
                             compression_opts=opts).id.write_direct_chunk(
                                 (0,), short.read_direct_chunk((0,))[1])
        patch("lies.h5", told, new)
        with open("lies.nc", "wb") as copy, open("lies.h5", "rb") as f:
            copy.write(f.read())
        sentence = f"filter {number} is told of chunks of 40 bytes, and they have 4000"
        refused(2, sentence, "decompress", "lies.h5", "-o", "x.h5")
        refused(2, sentence, "compress", "lies.h5:v", "-o", "x.zt")
        refused(2, sentence, "compress", "lies.nc:v", "-o", "x.zt")
        check(sentence in done("info", "lies.h5"), "info does not say that cd_values lie")


def raw_chunks(dataset):
    """The chunks as they are in the file, by where they begin."""
    infos = [dataset.id.get_chunk_info(i) for i in range(dataset.id.get_num_chunks())]
    return {info.chunk_offset: dataset.id.read_direct_chunk(info.chunk_offset)[1]
            for info in infos}


def as_hdf5_would(f, path, dataset, values):
    """A dataset with the same properties, which HDF5 itself puts through the filter."""
    plist = dataset.id.get_create_plist()
    made = h5py.h5d.create(f.id, path.encode(), dataset.id.get_type(), dataset.id.get_space(),
                           plist)
    h5py.Dataset(made)[...] = values
    return h5py.Dataset(made)


def test_threads():
    """Chunks that threads code are those that HDF5's own pipeline makes."""
    rng = np.random.default_rng(7)
    holes = (smooth(70, 81, 90) + rng.normal(0, 1e-3, (70, 81, 90))).astype("f4")
    holes[3:9, :, 60:] = -999
    with h5py.File("many.h5", "w", libver="earliest", userblock_size=1024) as f:
        f["whole"] = smooth(128, 128, 96)
        f["cut"] = smooth(301, 250, dtype="f8")
        f.create_dataset("fill", data=holes, fillvalue=-999, chunks=(32, 32, 32))
        f.create_dataset("gzip", data=holes, chunks=(16, 40, 90), compression="gzip")
        f.create_dataset("never", data=smooth(100, 100), chunks=(64, 64), fillvalue=5,
                         fill_time="never")
        f["line"] = smooth(1000003)
        f["blocks"] = smooth(150, 130, 222)  # of 8 MiB, two and a part
        f.create_dataset("thirds", data=smooth(150, 130, 222), chunks=(50, 50, 74))
        f["five"] = smooth(5, 6, 7, 30, 31)
        f["noise"] = (rng.integers(0, 2**32, 400000, dtype="u4") & 0xff7fffff).view("f4")
    for words in (["--abs", "1e-4", "-c", "sz"], ["--rel", "1e-3"], ["--lossless", "-c", "ndzip"],
                  ["--format", "zfp", "--rate", "12", "--allow-nonfinite"]):
        for exec_ in ("serial", "omp=2", "omp=3", "omp=7"):
            done("compress", "many.h5", "-qf", "-x", exec_, "-o", exec_ + ".h5", "--var", "*",
                 *words)
            done("decompress", exec_ + ".h5", "-qf", "-x", exec_, "-o", "back.h5")
            with h5py.File("many.h5") as was, h5py.File(exec_ + ".h5") as now, \
                    h5py.File("back.h5") as back, h5py.File("own.h5", "w") as own:
                compressed = [n for n in now if OURS in filters(now[n]) or ZFP in filters(now[n])]
                check(len(compressed) > 5, f"{words}: only {compressed} are compressed")
                for name in compressed:
                    if exec_ == "serial":
                        as_hdf5_would(own, name, now[name], was[name][...])
                        wanted = raw_chunks(own[name])
                        check(raw_chunks(now[name]) == wanted, f"{words}: chunks of {name}")
                    with h5py.File("serial.h5") as one:
                        check(raw_chunks(one[name]) == raw_chunks(now[name]),
                              f"{words}, {exec_}: chunks of {name} are not those of one thread")
                    check(np.array_equal(back[name][...].view("u1"), now[name][...].view("u1")),
                          f"{words}, {exec_}: {name} comes back otherwise than HDF5 reads it")


def test_chunks_that_threads_cannot_code():
    """Those that were never written have fill values; those of damage are refused by name."""
    with h5py.File("gaps.h5", "w", libver="earliest") as f:
        v = f.create_dataset("v", (90, 100), "f4", chunks=(30, 50), fillvalue=7,
                             compression=int(OURS), compression_opts=LOSSLESS)
        v[:30] = smooth(30, 100)
    for exec_ in ("serial", "omp=3"):
        done("decompress", "gaps.h5", "-qf", "-x", exec_, "-o", "back.h5")
        with h5py.File("gaps.h5") as f, h5py.File("back.h5") as back:
            check(np.array_equal(f["v"][...], back["v"][...]) and back["v"][50, 5] == 7,
                  "chunks that are not there are not the fill value")
    with h5py.File("gaps.h5", "r+") as f:
        offset, size = f["v"].id.get_chunk_info(0)[2:4]
    with open("gaps.h5", "r+b") as f:
        f.seek(offset + size // 4)
        data = f.read(size // 2)
        f.seek(offset + size // 4)
        f.write(bytes(byte ^ 0x55 for byte in data))
    for exec_ in ("serial", "omp=3"):
        refused(2, "cannot read /v: frame 0", "decompress", "gaps.h5", "-x", exec_, "-o", "none.h5")
    with h5py.File("nan.h5", "w", libver="earliest") as f:
        values = smooth(64, 64, 64)
        values[40, 40, 40] = np.nan
        f["v"] = values
    for exec_ in ("serial", "omp=3"):
        refused(3, "ZTILE_ALLOW_NONFINITE", "compress", "nan.h5", "--format", "zfp", "--rate", "8",
                "-x", exec_, "-o", "none.h5")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for test in (test_h5, test_words, test_nc, test_files_that_grew,
                 test_missing_values_were_lost, test_cf_coordinates_move, test_refusals,
                 test_filter_before_ours_in_a_file, test_lying_cd_values, test_threads,
                 test_chunks_that_threads_cannot_code):
        test()
    os.chdir("/")
if not failures:
    print("whole HDF5 and netCDF-4 files go through the filters and back, nothing else changed")
sys.exit(bool(failures))
