"""The package as it is installed: version, symbols, types, documentation, the example."""
import doctest
import inspect
import pathlib
import re
import subprocess
import sys
import warnings

import numpy as np

import ztile
from ztile import _core, hdf5, numcodecs, zarr, zfp

HERE = pathlib.Path(__file__).parent


def test_version_is_the_librarys():
    header = (HERE.parent.parent / "include" / "ztile.h").read_text()
    assert f'ZT_VERSION_STRING "{ztile.__version__}"' in header
    assert _core.isa in ("plain", "avx2", "avx512")


def test_what_is_tested_is_what_is_installed():
    assert HERE.parent not in pathlib.Path(ztile.__file__).parents


def test_every_public_name_is_there_and_explained():
    for module in ztile, zfp, ztile.entropy, numcodecs, zarr, hdf5:
        assert module.__doc__
    for name in ztile.__all__:
        thing = getattr(ztile, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name


def test_numbers_are_those_of_the_headers():
    headers = sorted((HERE.parent.parent / "include").glob("*.h"))
    header = "".join(path.read_text() for path in headers)

    def number(name):
        return int(re.search(rf"\b{name} = (\d+)", header).group(1))

    from ztile import _arrays, _params
    for prefix, names in ("ZT_CODEC_", _params.CODECS), ("ZT_INDEX_", _params.INDEXES), \
            ("ZT_PLAN_", _params.PLANS), ("ZT_EFFORT_", _params.EFFORTS), ("ZT_", _params.BOUNDS):
        for name, value in names.items():
            assert number(prefix + name.upper()) == value
    assert number("ZT_SZ_CUSZ") == _params.METHODS["cusz"]
    assert number("ZT_SZ_TRANSFORM") == _params.METHODS["transform"]
    assert f"#define ZT_MAX_FILLS {_params.MAX_FILLS} " in header
    for name, value in _arrays.NUMBERS.items():
        assert number(f"ZT_{name[0].upper()}{np.dtype(name).itemsize * 8}") == value
    for name in "expert", "fixed_rate", "fixed_precision", "fixed_accuracy", "reversible":
        assert number(f"ZT_ZFP_{name.upper()}") == getattr(zfp, f"mode_{name}")


USE = """
from typing import Any
import numpy as np
import ztile
import ztile.hdf5
data: bytes = ztile.compress(np.zeros(3), abs=1e-3, threads=2, name="t")
f = ztile.open("f.zt")
row: np.ndarray[Any, np.dtype[Any]] = f[1:3, 2]
rest: np.ndarray[Any, np.dtype[Any]] = f[..., :4] - f[2:]
some: np.ndarray[Any, np.dtype[Any]] | np.number[Any] = f[1]
box: np.ndarray[Any, np.dtype[Any]] = ztile.decompress_box(data, np.s_[1:2, 3])
error: float = ztile.compare(row, rest)["max_abs_error"]
opts: tuple[int, ...] = ztile.hdf5.filter(abs=1e-3)["compression_opts"]
f["x"]
reveal_type(f[1])
reveal_type(ztile.info(data).shape)
ztile.compress(np.zeros(3), tolerance=1e-3)
"""


def test_types_are_checked(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    config = ["-m", "mypy", "--strict", "--config-file", str(HERE.parent.parent / "pyproject.toml")]
    package = subprocess.run([sys.executable, *config, "-p", "ztile"], cwd=tmp_path,
                             capture_output=True, text=True)
    assert package.returncode == 0, package.stdout
    user = subprocess.run([sys.executable, *config, "use.py"], cwd=tmp_path, capture_output=True,
                          text=True).stdout
    assert "tuple[int, ...]" in user and 'Unexpected keyword argument "tolerance"' in user
    assert 'Revealed type is "Any"' not in user and "str" in user.split("__getitem__")[1], user
    lines = {line.split(":")[1] for line in user.splitlines() if ": error:" in line}
    assert lines == {"14", "17"}, user


def test_the_dask_and_xarray_example_keeps_its_bound(tmp_path):
    example = HERE.parent / "examples" / "dask_xarray.py"
    done = subprocess.run([sys.executable, str(example), "--shape", "8", "60", "90", "--chunk", "4",
                           "60", "90", "--workers", "2", "--store", str(tmp_path / "s.zarr")],
                          cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the largest error is 0.00" in done.stdout
    import zarr as zarr_python
    array = zarr_python.open_array(tmp_path / "s.zarr" / "t2m", mode="r")
    assert array.shape == (8, 60, 90) and "ztile" in str(array.metadata.codecs[0].to_dict())


def test_the_pages_have_no_habits_that_proselint_knows():
    root = HERE.parent.parent
    proselint = pathlib.Path(sys.executable).with_name("proselint")
    habits = root / "tests" / "docs" / "habits.py"
    done = subprocess.run([sys.executable, str(habits), "--proselint", str(proselint), str(root)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_documentation_shows_what_happens(tmp_path, monkeypatch):
    from numcodecs import registry
    from numcodecs.zfpy import ZFPY

    monkeypatch.chdir(tmp_path)
    root = HERE.parent.parent
    try:
        for page, least in (root / "docs" / "python.md", 30), (root / "README.md", 5):
            with warnings.catch_warnings():
                failed, tried = doctest.testfile(str(page), module_relative=False)
            assert tried >= least and failed == 0
    finally:
        registry.register_codec(ZFPY)
