"""python -m ztile.bench: rows of peers, and the command that is called with them."""
import importlib
import os
import pathlib
import stat
import subprocess
import sys
import zlib

import numpy as np
import pytest

from ztile import bench


@pytest.fixture
def field(tmp_path):
    x = np.linspace(0, 6, 40, dtype="f4")
    array = np.sin(x)[:, None] * np.cos(x)
    path = tmp_path / "wave_40x40.f32"
    array.astype("<f4").tofile(path)
    return str(path), array


def fake_peers():
    """One that rounds, and one that loses nothing."""
    def rounding(array, tolerance):
        step = 2 * tolerance
        return (lambda: np.rint(array / step).astype("i4").tobytes(),
                lambda data: (len(data), (np.frombuffer(data, "i4").reshape(array.shape) * step)
                              .astype(array.dtype)))

    def exact(array, _):
        return (lambda: zlib.compress(array.tobytes()),
                lambda data: (len(data), np.frombuffer(zlib.decompress(data), array.dtype)
                              .reshape(array.shape)))

    yield "round", "lossy", rounding
    yield "zlib", "lossless", exact


@pytest.fixture
def command(tmp_path):
    """In the place of ztile: writes down how it was called."""
    path = tmp_path / "ztile"
    path.write_text(f"#!/bin/sh\necho \"$@\" >{tmp_path}/called\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_rows_of_every_bound(monkeypatch, tmp_path, field, command):
    monkeypatch.setattr(bench, "find_peers", fake_peers)
    path, array = field
    out = tmp_path / "report"
    assert bench.main([path, "-o", str(out), "--bounds", "rel=1e-2,abs=0.5,lossless", "--codecs",
                       "zfp", "--ztile", command]) == 0
    lines = (out / "peers.tsv").read_text().splitlines()
    assert lines[0] == "#" + "\t".join(bench.COLUMNS)
    rows = [dict(zip(bench.COLUMNS, line.split("\t"))) for line in lines[1:]]
    assert [(r["codec"], r["bound"]) for r in rows] == [("round", "rel"), ("round", "abs"),
                                                        ("zlib", "lossless")]
    span = float(np.ptp(array))
    assert 0 < float(rows[0]["max_error"]) <= 0.01 * span * 1.001
    assert float(rows[0]["psnr"]) > 40 and float(rows[2]["max_error"]) == 0
    assert all(r["file"] == "wave_40x40.f32" and int(r["bytes"]) > 0 for r in rows)
    called = (tmp_path / "called").read_text().split()
    assert called[:2] == ["bench", path] and called[called.index("--peers") + 1] == \
        str(out / "peers.tsv") and called[called.index("--codecs") + 1] == "zfp"
    assert bench.main([path, "-o", str(out), "--ztile", command]) == 1  # there already


def test_arrays_with_nan_are_not_given_to_lossy_peers(monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "find_peers", fake_peers)
    path = str(tmp_path / "a.npy")
    np.save(path, np.array([1, np.nan, 3]))
    rows = list(bench.rows_of(path, bench.parse_bounds("rel=1e-2,lossless")))
    assert [r["codec"] for r in rows] == ["zlib"]


def test_sperr_takes_arrays_of_two_to_four_axes():
    pytest.importorskip("hdf5plugin").Sperr  # an older one has none
    wave = np.sin(np.arange(3 * 4 * 20 * 24) / 9).astype("f4")
    assert bench.through_sperr(wave, 1e-3) is None
    for shape in (12, 480), (12, 20, 24), (3, 4, 20, 24):
        array = wave.reshape(shape)
        encode, decode = bench.through_sperr(array, 1e-3)
        size, after = decode(encode())
        assert 0 < size < array.nbytes and after.shape == shape
        assert np.abs(after - array).max() <= 1e-3


@pytest.mark.parametrize("name, values, words", [
    ("a.npy", np.zeros(3, "i2"), "4 or 8 bytes"), ("a.raw", np.zeros(3), "whose name says"),
    ("a_4.f64", np.zeros(3), "its name says 4")])
def test_files_that_are_refused(capsys, tmp_path, command, name, values, words):
    path = str(tmp_path / name)
    np.save(path, values) if name.endswith(".npy") else values.tofile(path)
    assert bench.main([path, "-o", str(tmp_path / "out"), "--ztile", command]) == 1
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("arguments, words", [
    (["--bounds", "rel=0"], "rel=E, abs=E or lossless"), (["--bounds", "psnr=3"], "rel=E"),
    (["--ztile", "no-such-command"], "no such command")])
def test_words_that_are_refused(capsys, tmp_path, field, command, arguments, words):
    assert bench.main([field[0], "-o", str(tmp_path / "out"), "--ztile", command, *arguments]) == 1
    assert words in capsys.readouterr().err


def test_it_is_a_module_to_run():
    out = subprocess.run([sys.executable, "-m", "ztile.bench", "--help"], capture_output=True,
                         text=True, env={**os.environ, "COLUMNS": "100"})
    assert out.returncode == 0 and "SZ3" in out.stdout


def test_lossless_peers_names_a_library_that_is_missing(monkeypatch):
    monkeypatch.syspath_prepend(pathlib.Path(__file__).parents[2] / "bench")
    peers = importlib.import_module("lossless_peers")
    monkeypatch.setattr(peers.ctypes.util, "find_library", lambda name: None)
    for maker, name in (peers.fpzip, "libfpzip"), (peers.libzfp, "libzfp"):
        with pytest.raises(OSError, match=name):
            maker()
