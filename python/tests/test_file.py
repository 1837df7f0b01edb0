"""Files: lazy reading, writing slab by slab, what is left after a failure."""
import io
import os
import pickle
import stat
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import field

import ztile


@pytest.fixture
def path(tmp_path, cube):
    ztile.save(tmp_path / "cube.zt", cube, abs=1e-3, name="t", units="K", slab_bytes=50000)
    return tmp_path / "cube.zt"


def test_open_looks_like_an_array(path, cube):
    with ztile.open(path) as f:
        assert (f.shape, f.dtype, f.ndim, len(f)) == (cube.shape, cube.dtype, 3, 30)
        assert (f.size, f.nbytes) == (cube.size, cube.nbytes)
        assert f.chunks == (f.info.slab_extent, 41, 52)
        assert (f.info.name, f.info.units) == ("t", "K")
        assert "float32" in repr(f) and "cube.zt" in repr(f)
        whole = np.asarray(f)
        assert np.abs(whole - cube).max() <= 1e-3
        assert np.array_equal(f[...], whole)
        assert np.array_equal(f[5:20, -1, ::3], whole[5:20, -1, ::3])
        assert np.array_equal(np.stack(list(f)), whole)
        assert np.asarray(f, dtype="float64").dtype == "float64"
        assert isinstance(f[1, 2, 3], np.float32)
        out = np.empty(f.shape, f.dtype, order="F")
        assert f.read(out) is out and np.array_equal(out, whole)
        f.check()
    with pytest.raises(ValueError, match="closed"):
        f[0]
    assert np.array_equal(ztile.load(path), whole)


def test_a_slice_reads_little_of_the_file(tmp_path):
    a = field((200, 64, 64))
    ztile.save(tmp_path / "a.zt", a, abs=1e-4)

    class Counting(io.FileIO):
        total = 0

        def read(self, n=-1):
            data = super().read(n)
            Counting.total += len(data)
            return data

    with Counting(tmp_path / "a.zt") as raw, ztile.open(raw) as f:
        Counting.total = 0
        assert np.abs(f[100, 30:40, :8] - a[100, 30:40, :8]).max() <= 1e-4
        assert Counting.total < f.info.file_bytes / 5


def test_threads_share_a_file(path):
    with ztile.open(path, threads=2) as f:
        whole = f[...]
        with ThreadPoolExecutor(8) as pool:
            parts = list(pool.map(lambda i: f[i % 30, ::-1], range(120)))
        for i, part in enumerate(parts):
            assert np.array_equal(part, whole[i % 30, ::-1])


def test_closing_waits_for_parts_that_are_being_read(path):
    class Slow(io.FileIO):
        is_slow = False

        def read(self, n=-1):
            if self.is_slow:
                reading.set()
                closed.wait(10)
            return super().read(n)

    reading, closed = threading.Event(), threading.Event()
    expected = ztile.load(path)
    with Slow(path) as raw, ThreadPoolExecutor(1) as pool:
        f = ztile.open(raw)
        raw.is_slow = True
        part = pool.submit(lambda: f[3:9])
        assert reading.wait(10)
        f.close()
        closed.set()
        assert np.array_equal(part.result(), expected[3:9])
        with pytest.raises(ValueError, match="closed"):
            f[0]


def test_a_file_can_be_pickled(path):
    with ztile.open(path) as f, pickle.loads(pickle.dumps(f)) as again:
        assert np.array_equal(f[3], again[3])
    with pytest.raises(TypeError, match="path"):
        pickle.dumps(ztile.open(io.BytesIO(path.read_bytes())))


def test_reading_goes_on_in_a_forked_child(path):
    with ztile.open(path, threads=2) as f:
        expected = f[...]
        child = os.fork()
        if child == 0:
            os._exit(0 if np.array_equal(f[...], expected) else 1)
        assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("first", [30, None])
@pytest.mark.parametrize("thickness", [1, 7, 30])
def test_slabs_give_the_bytes_of_the_whole(tmp_path, cube, first, thickness):
    with ztile.create(tmp_path / "w.zt", (first, 41, 52), "float32", abs=1e-3) as writer:
        assert writer.slab_extent >= 1
        for i in range(0, 30, thickness):
            writer.write(cube[i:i + thickness])
        assert writer.written == 30
        assert not (tmp_path / "w.zt").exists()
    assert (tmp_path / "w.zt").read_bytes() == ztile.compress(cube, abs=1e-3)
    assert os.listdir(tmp_path) == ["w.zt"]


def test_a_pipe_can_be_written_to(cube):
    reader, writer = os.pipe()
    got = []
    thread = threading.Thread(target=lambda: got.append(os.fdopen(reader, "rb").read()))
    thread.start()
    with os.fdopen(writer, "wb", buffering=0) as pipe:
        with ztile.create(pipe, (None, 41, 52), "float32", abs=1e-3) as w:
            w.write(cube)
    thread.join()
    assert got == [ztile.compress(cube, abs=1e-3)]


def test_nothing_is_left_after_a_failure(tmp_path, cube):
    target = tmp_path / "f.zt"
    target.write_bytes(b"precious")
    with pytest.raises(RuntimeError):
        with ztile.create(target, cube.shape, "float32") as writer:
            writer.write(cube[:5])
            raise RuntimeError
    with pytest.raises(ztile.ArgumentError):  # fewer slices than were announced
        with ztile.create(target, cube.shape, "float32") as writer:
            writer.write(cube[:5])
    with pytest.raises(ztile.ArgumentError, match="does not continue"):
        with ztile.create(target, cube.shape, "float32") as writer:
            writer.write(cube[:, :5])
    with pytest.raises(ztile.ArrayTypeError, match="float64"):
        with ztile.create(target, cube.shape, "float32") as writer:
            writer.write(cube.astype("float64"))
    with pytest.raises(ztile.ArgumentError):
        ztile.create(target, cube.shape, "float32", rel=1e-3)  # whose range is not known
    with pytest.raises(ztile.ArgumentError, match="first may be None"):
        ztile.create(target, (30, None), "float32")
    with pytest.raises(FileExistsError):
        ztile.save(target, cube, mode="x")
    with pytest.raises(ztile.ArgumentError, match="mode"):
        ztile.save(target, cube, mode="a")
    with pytest.raises(FileNotFoundError):
        ztile.save(tmp_path / "no" / "such", cube)
    assert target.read_bytes() == b"precious" and os.listdir(tmp_path) == ["f.zt"]
    ztile.save(target, cube)
    assert np.array_equal(ztile.load(target), cube)
    ztile.save(tmp_path / "new.zt", cube, mode="x")
    assert sorted(os.listdir(tmp_path)) == ["f.zt", "new.zt"]


def test_nobody_else_reads_a_file_before_it_is_whole(tmp_path, cube):
    target = tmp_path / "f.zt"
    kept = os.umask(0o022)
    try:
        for wanted in (0o644, 0o640):  # what the umask leaves; what the file had that is replaced
            with ztile.create(target, cube.shape, "float32") as writer:
                part, = (name for name in os.listdir(tmp_path) if name.endswith(".part"))
                assert os.stat(tmp_path / part).st_mode & 0o777 == 0o600
                writer.write(cube)
            assert os.stat(target).st_mode & 0o777 == wanted
            target.chmod(0o640)
    finally:
        os.umask(kept)
    if os.geteuid() == 0:
        os.chown(target, 12345, 54321)
        ztile.save(target, cube)
        is_now = os.stat(target)
        assert (is_now.st_uid, is_now.st_gid, is_now.st_mode & 0o777) == (12345, 54321, 0o640)


def test_sync_comes_before_and_after_the_name(tmp_path, cube, monkeypatch):
    calls = []
    monkeypatch.setattr(os, "fsync", lambda fd: calls.append(
        "folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file"))
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda *names: (calls.append("name"), replace(*names)))
    ztile.save(tmp_path / "f.zt", cube)
    assert calls == ["name"]
    ztile.save(tmp_path / "f.zt", cube, sync=True)
    assert calls == ["name", "file", "name", "folder"]
    with pytest.raises(ztile.ArgumentError, match="path"):
        ztile.save(io.BytesIO(), cube, sync=True)


def test_a_writer_that_is_closed_takes_nothing(tmp_path, cube):
    writer = ztile.create(tmp_path / "f.zt", cube.shape, "float32")
    writer.write(cube)
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.write(cube)


def test_rel_of_a_written_file_takes_a_range(tmp_path, cube):
    low, high = float(cube.min()), float(cube.max())
    with ztile.create(tmp_path / "f.zt", cube.shape, "float32", rel=1e-3,
                      range=(low, high)) as writer:
        writer.write(cube)
    assert np.abs(ztile.load(tmp_path / "f.zt") - cube).max() <= 1e-3 * (high - low)


def test_damage_in_the_payload_is_found_where_it_is_read(path):
    data = bytearray(path.read_bytes())
    with ztile.open(path) as f:
        good = f[...]
    data[len(data) * 3 // 4] ^= 0x40
    path.write_bytes(data)
    with ztile.open(path) as f:
        with pytest.raises(ztile.CorruptError) as caught:
            f.check()
        assert "damaged" in str(caught.value)
        with pytest.raises(ztile.CorruptError):
            f[...]
        assert np.array_equal(f[0], good[0])  # another frame, and the file can still be used


def test_what_is_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        ztile.open(tmp_path / "missing.zt")
    with pytest.raises(ztile.ArgumentError, match="path"):
        ztile.open(3)
    with pytest.raises(ztile.ArgumentError, match="write"):
        ztile.save(3, np.zeros(4))
    with pytest.raises(ValueError, match="copy"):
        ztile.save(tmp_path / "a.zt", np.zeros(4))
        ztile.open(tmp_path / "a.zt").__array__(copy=False)
