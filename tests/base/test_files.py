"""Files are written completely or not at all; devices, pipes and links are written to and never replaced."""

import errno
import fcntl
import os
import stat
import threading
from pathlib import Path

import pytest

from drycell.base import PendingFile, WriteError, beside, file_to_write, read_regular, text_beside


def write(path: Path, text: str) -> None:
    with text_beside(path) as file:
        file.write(text)


def test_a_failed_write_keeps_the_old_file_and_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.journal"
    path.write_text("old")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError) as raised:
        write(path, "new")
    assert raised.value.what == f"cannot write {path}: No space left on device; the file keeps its previous content"
    assert raised.value.hint == "free some space, or choose a file on another disk"
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["run.journal"]


def test_the_content_is_on_the_disk_before_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    done: list[str] = []
    sync, replace = os.fsync, os.replace

    def synced(handle: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        sync(handle)

    def renamed(source: Path, target: Path) -> None:
        done.append("rename")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    write(path, "new")
    assert done == ["file", "rename", "folder"]


def test_an_error_in_the_block_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with pytest.raises(ZeroDivisionError), text_beside(path) as file:
        file.write(f"half {1 / 0}")
    assert os.listdir(tmp_path) == []


def test_an_error_about_another_file_names_that_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="elsewhere"), beside(tmp_path / "a.txt"):
        (tmp_path / "elsewhere").read_text()


def test_two_writers_of_one_name_do_not_share_a_temporary_file(tmp_path: Path) -> None:
    path = tmp_path / "same.txt"
    first, second = PendingFile(path), PendingFile(path)
    assert first.path != second.path
    for pending, text in ((first, b"first"), (second, b"second")):
        with pending.open() as file:
            file.write(text)
    first.commit()
    assert path.read_text() == "first"
    second.commit()
    assert path.read_text() == "second"
    assert os.listdir(tmp_path) == ["same.txt"]


def test_temporary_files_of_killed_processes_are_removed_and_no_others(tmp_path: Path) -> None:
    stale = tmp_path / ".run.drycell-0123456789abcdef.dry"
    others = [".run.drycell-notes.dry", ".drycell-0123456789abcdef", "run.drycell-0123456789abcdef.dry"]
    for name in (stale.name, *others):
        (tmp_path / name).write_text("x")
    held = PendingFile(tmp_path / "other.txt")  # is being written
    assert not stale.exists()
    write(tmp_path / "a.txt", "x")
    assert held.path.exists()
    held.discard()
    assert sorted(os.listdir(tmp_path)) == sorted([*others, "a.txt"])


def test_a_temporary_file_is_locked_while_it_is_written(tmp_path: Path) -> None:
    pending = PendingFile(tmp_path / "a.txt")
    with open(pending.path) as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    pending.discard()


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o600), (0o022, 0o644), (0o002, 0o664)])
def test_permissions_follow_the_umask(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write(tmp_path / "a.txt", "x")
    finally:
        os.umask(before)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == mode


def test_an_existing_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o640)
    write(path, "new")
    assert (path.stat().st_mode & 0o777, path.read_text()) == (0o640, "new")


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name, target in (("link", "folder/real.txt"), ("second", "link")):
        (tmp_path / name).symlink_to(target)
    write(tmp_path / "second", "text")  # the file does not exist yet
    assert (tmp_path / "folder" / "real.txt").read_text() == "text"
    assert (tmp_path / "second").is_symlink()
    assert (tmp_path / "link").is_symlink()


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(WriteError, match=r"cannot write .*a: Too many levels of symbolic links"):
        write(tmp_path / "a", "x")


def test_a_folder_and_a_long_name_are_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="Is a directory"), beside(tmp_path):
        pytest.fail("the block was entered")
    with pytest.raises(WriteError, match="File name too long") as raised:
        file_to_write(tmp_path / ("n" * 300))
    assert "255 bytes" in str(raised.value.hint)
    write(tmp_path / ("n" * 251 + ".txt"), "x")  # the temporary file has a shorter name


@pytest.mark.parametrize("writer", ["text", "path"])
def test_a_pipe_is_written_to(tmp_path: Path, writer: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    file_to_write(pipe)
    if writer == "text":
        write(pipe, "to the pipe")
    else:
        with beside(pipe) as written:
            written.write_text("to the pipe")
    reader.join()
    assert got == ["to the pipe"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_is_not_replaced() -> None:
    write(Path("/dev/null"), "nothing")
    with beside("/dev/null") as written:
        written.write_text("nothing")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_an_open_file_of_the_process_is_continued_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    with open(path, "w") as file:  # as the shell opens it for `> out.txt`
        file.write("before\n")
        file.flush()
        write(Path(f"/dev/fd/{file.fileno()}"), "the journal\n")
        file.write("after\n")
    assert path.read_text() == "before\nthe journal\nafter\n"


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(OSError, match="it is a pipe or a device, not a regular file"):
            read_regular(path)
    (tmp_path / "file").write_bytes(b"four")
    assert (read_regular(tmp_path / "file"), read_regular(tmp_path / "file", 2)) == (b"four", b"fo")
