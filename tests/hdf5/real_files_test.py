"""Whole files that others made: ztile compress --rel 1e-3 makes none larger, moves no coordinate,
holds the bound, and changes nothing that ncdump -h shows.

    real_files_test.py PLUGINS ZTILE LIST

PLUGINS is the plug-ins' folder, ZTILE the command. ZTILE_REAL_FILES in the environment names a
folder; LIST, where there is such a file, says which files of it are meant: lines of repository and
path, which lie in FOLDER/repository/path. Without a list these are all the netCDF and HDF5 files in
the folder. Classic netCDF files are converted with nccopy first.
"""
import os
import shutil
import subprocess
import sys
import tempfile

plugins, ztile, listed = sys.argv[1:4]
os.environ["HDF5_PLUGIN_PATH"] = plugins
folder = os.environ.get("ZTILE_REAL_FILES", "")
if not os.path.isdir(folder):
    print("SKIP: ZTILE_REAL_FILES in the environment names no folder of real netCDF files")
    sys.exit(77)
for tool in ("nccopy", "ncdump"):
    if not shutil.which(tool):
        print(f"SKIP: {tool} is missing (Debian package netcdf-bin)")
        sys.exit(77)

import h5py  # noqa: E402 (after the environment was set)
import netCDF4  # noqa: E402
import numpy as np  # noqa: E402

REL = 1e-3
NAMING = ("coordinates", "bounds", "climatology", "cell_measures", "ancillary_variables",
          "grid_mapping", "formula_terms", "geometry", "node_coordinates")
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("not so:", what)


def files():
    if not os.path.exists(listed):
        return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names
                      if name.endswith((".nc", ".nc4", ".h5", ".hdf5", ".he5")))
    with open(listed) as lines:
        rows = [line.split("\t") for line in lines if line.strip() and not line.startswith("#")]
    return [os.path.join(folder, *row[0].split("/"), *row[1].strip().split("/")) for row in rows]


def header(path):
    """Without the first line, which has the file's name."""
    ran = subprocess.run(["ncdump", "-h", path], capture_output=True)
    check(ran.returncode == 0, f"ncdump -h {path}: {ran.stderr}")
    return ran.stdout.splitlines()[1:]


def coordinates(group):
    """Names of coordinates, and of what belongs to them, of a file without nested names."""
    named = set()
    for owner in [group, *group.variables.values()]:
        for attribute in NAMING:
            if attribute in owner.ncattrs():
                named.update(str(owner.getncattr(attribute)).replace(":", " ").split())
    return {name for name, v in group.variables.items()
            if name in v.dimensions or name in named or
            str(getattr(v, "units", "")).startswith(("degrees_n", "degrees_e", "degree_n",
                                                     "degree_e"))}


def variables(group, before=""):
    for name in group.variables:
        yield before + name
    for name, inner in group.groups.items():
        yield from variables(inner, f"{before}{name}/")


def is_compressed(h5, name):
    return name in h5 and not {"48613", "32013"}.isdisjoint(h5[name]._filters)


def compare(was, path):
    with netCDF4.Dataset(was) as a, netCDF4.Dataset(path) as b, h5py.File(path) as h5:
        exact = coordinates(a)
        for name in variables(a):
            a[name].set_auto_maskandscale(False)
            b[name].set_auto_maskandscale(False)
            x, y = a[name][...], b[name][...]
            if not is_compressed(h5, name):
                check(np.array_equal(x, y) or np.array_equal(x.view("u1"), y.view("u1")),
                      f"{path}: {name} is not compressed and differs")
                continue
            check(name not in exact, f"{path}: the coordinate {name} is compressed")
            missing = [getattr(a[name], f) for f in ("_FillValue", "missing_value")
                       if f in a[name].ncattrs()]
            valid = np.isfinite(x) & ~np.isin(x, np.array(missing, dtype=x.dtype))
            check(np.array_equal(x[~valid], y[~valid], equal_nan=True), f"{path}: {name}: missing")
            if valid.any():
                x, y = x[valid].astype("f8"), y[valid].astype("f8")
                check(np.abs(x - y).max() <= REL * np.ptp(x), f"{path}: {name} is beyond the bound")


def try_file(path, room):
    """Bytes before and after; None where there is nothing to do."""
    was, out = os.path.join(room, "in.nc"), os.path.join(room, "out.nc")
    with open(path, "rb") as f:
        is_classic = f.read(3) == b"CDF"
    if is_classic:
        ran = subprocess.run(["nccopy", "-k", "nc4", path, was], capture_output=True, text=True)
        if ran.returncode != 0:
            print(f"SKIP: {path}: nccopy does not convert it: {ran.stderr.splitlines()[0]}")
            return None
    else:
        shutil.copyfile(path, was)
    ran = subprocess.run([ztile, "compress", was, "--rel", str(REL), "-fqo", out],
                         capture_output=True, text=True)
    if ran.returncode == 2 and "no float variable" in ran.stderr:
        return None
    check(ran.returncode == 0, f"{path}: {ran.stderr}")
    if ran.returncode != 0:
        return None
    sizes = os.path.getsize(was), os.path.getsize(out)
    check(sizes[1] <= sizes[0], f"{path}: grows from {sizes[0]} to {sizes[1]} bytes")
    check(header(was) == header(out), f"{path}: ncdump -h differs")
    compare(was, out)
    return sizes


there = [path for path in files() if os.path.exists(path)]
missing = len(files()) - len(there)
if not there:
    print(f"SKIP: none of the files is in {folder}")
    sys.exit(77)
with tempfile.TemporaryDirectory() as room:
    sizes = [try_file(path, room) for path in there]
done = [s for s in sizes if s]
if missing:
    print(f"SKIP: {missing} of {len(there) + missing} files are not in {folder}")
if not failures:
    print(f"{len(done)} files: {sum(s[0] for s in done)} -> {sum(s[1] for s in done)} bytes, none "
          f"grew, {sum(s[0] == s[1] for s in done)} stayed as they were; {sizes.count(None)} have "
          "nothing to compress")
sys.exit(bool(failures))
