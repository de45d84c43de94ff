"""The workspace: files are written whole, nothing typed is lost, and nothing outside the folder is touched."""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from drycell.base import FileError
from drycell.studio import drafts as drafts_module
from drycell.studio.drafts import DraftStore
from drycell.studio.workspace import LARGEST, ChangedOnDisk, Workspace


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    folder = tmp_path / "cell"
    (folder / "parts").mkdir(parents=True)
    (folder / "cell.yaml").write_text("name: demo\n")
    (folder / "robot.pas").write_bytes(b"begin\r\nend.\r\n")
    (folder / "parts" / "notes.txt").write_text("steel\n")
    (folder / "wheel.stl").write_bytes(b"\0\1")
    (folder / ".hidden.py").write_text("x")
    return folder


@pytest.fixture
def workspace(cell: Path, tmp_path: Path) -> Workspace:
    return Workspace(cell / "cell.yaml", drafts=DraftStore(tmp_path / "state" / "drafts"))


def test_the_text_files_of_the_folder_are_listed_the_opened_one_first(workspace: Workspace, cell: Path) -> None:
    (cell / "another.py").write_text("")
    assert workspace.files() == ["cell.yaml", "another.py", "robot.pas", "parts/notes.txt"]
    assert workspace.main == "cell.yaml"


def test_a_recording_opens_the_folder_it_lies_in(workspace: Workspace, cell: Path) -> None:
    (cell / "run.dry").write_bytes(b"")
    workspace.open(cell / "run.dry")
    assert workspace.main is None
    assert "robot.pas" in workspace.files()


@pytest.mark.parametrize(
    "name",
    ["../secret.py", "/etc/hosts.txt", "link.py", "folder/inside.py", "", "a\0.py", "..\\x.py", "wheel.stl", "parts"],
)
def test_nothing_outside_the_folder_can_be_read_or_written(
    name: str, workspace: Workspace, cell: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.py").write_text("secret")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "inside.py").write_text("secret")
    (cell / "link.py").symlink_to(tmp_path / "secret.py")
    (cell / "folder").symlink_to(tmp_path / "elsewhere")
    for action in (
        workspace.read,
        lambda name: workspace.save(name, "x", None),
        lambda name: workspace.type(name, "x", ""),
    ):
        with pytest.raises(FileError):
            action(name)
    assert (tmp_path / "secret.py").read_text() == "secret"
    assert (tmp_path / "elsewhere" / "inside.py").read_text() == "secret"


def test_line_ends_and_the_mark_of_a_file_stay_as_they_are(workspace: Workspace, cell: Path) -> None:
    read = workspace.read("robot.pas")
    assert read.text == "begin\nend.\n"
    workspace.save("robot.pas", "begin\n  ;\nend.\n", read.stamp)
    assert (cell / "robot.pas").read_bytes() == b"begin\r\n  ;\r\nend.\r\n"
    (cell / "mark.py").write_bytes(b"\xef\xbb\xbfx = 1\n")
    marked = workspace.read("mark.py")
    workspace.save("mark.py", marked.text + "y = 2\n", marked.stamp)
    assert (cell / "mark.py").read_bytes() == b"\xef\xbb\xbfx = 1\ny = 2\n"


def test_a_file_that_is_not_text_or_too_long_is_refused_with_the_reason(workspace: Workspace, cell: Path) -> None:
    (cell / "latin.txt").write_bytes("Gehäuse".encode("latin-1"))
    with pytest.raises(FileError, match=r"latin.txt is not UTF-8 text \(byte 3\)"):
        workspace.read("latin.txt")
    (cell / "long.txt").write_bytes(b"x" * (LARGEST + 1))
    with pytest.raises(FileError, match="too large"):
        workspace.read("long.txt")
    with pytest.raises(FileError, match="the limit is"):
        workspace.save("cell.yaml", "x" * (LARGEST + 1), None)


def test_a_file_that_another_program_wrote_is_not_overwritten_without_asking(workspace: Workspace, cell: Path) -> None:
    read = workspace.read("cell.yaml")
    (cell / "cell.yaml").write_text("name: theirs\n")
    with pytest.raises(ChangedOnDisk) as caught:
        workspace.save("cell.yaml", "name: mine\n", read.stamp)
    assert caught.value.disk is not None
    assert caught.value.disk.text == "name: theirs\n"
    workspace.save("cell.yaml", "name: mine\n", None)
    assert (cell / "cell.yaml").read_text() == "name: mine\n"
    assert [each.text for each in workspace.drafts.aside(cell / "cell.yaml")] == ["name: theirs\n"]


def test_taking_theirs_sets_mine_aside(workspace: Workspace, cell: Path) -> None:
    read = workspace.read("cell.yaml")
    workspace.type("cell.yaml", "name: mine\n", read.stamp)
    (cell / "cell.yaml").write_text("name: theirs\n")
    assert workspace.discard("cell.yaml").text == "name: theirs\n"
    assert workspace.draft("cell.yaml") is None
    assert [each.text for each in workspace.drafts.aside(cell / "cell.yaml")] == ["name: mine\n"]


def test_text_typed_into_one_file_in_two_studios_is_not_lost(workspace: Workspace, cell: Path, tmp_path: Path) -> None:
    other = Workspace(cell / "cell.yaml", drafts=DraftStore(tmp_path / "state" / "drafts"))
    base = workspace.read("cell.yaml").stamp
    assert workspace.draft("cell.yaml") is None
    assert other.draft("cell.yaml") is None
    workspace.type("cell.yaml", "name: mine\n", base)
    workspace.type("cell.yaml", "name: mine too\n", base)
    other.type("cell.yaml", "name: theirs\n", base)
    assert [each.text for each in other.drafts.aside(cell / "cell.yaml")] == ["name: mine too\n"]
    workspace.save("cell.yaml", "name: mine too\n", base)
    assert workspace.drafts.aside(cell / "cell.yaml")[0].text == "name: theirs\n"
    again = Workspace(cell / "cell.yaml", drafts=DraftStore(tmp_path / "state" / "drafts"))
    assert again.draft("cell.yaml") is None
    with pytest.raises(ChangedOnDisk):
        other.save("cell.yaml", "name: theirs\n", base)


def test_a_change_on_disk_is_reported_once_and_a_touch_is_ignored(workspace: Workspace, cell: Path) -> None:
    reported: list[tuple[str, bool]] = []
    stop = workspace.listen(lambda name, stamp: reported.append((name, stamp is None)))
    workspace.read("cell.yaml")
    workspace.read("robot.pas")
    os.utime(cell / "cell.yaml", ns=(1, 1))
    workspace.poll()
    assert reported == []
    (cell / "cell.yaml").write_text("name: other\n")
    (cell / "robot.pas").unlink()
    workspace.poll()
    workspace.poll()
    assert reported == [("cell.yaml", False), ("robot.pas", True)]
    stop()
    (cell / "cell.yaml").write_text("name: third\n")
    workspace.poll()
    assert len(reported) == 2


def test_a_change_that_one_reader_finds_is_reported_to_all(workspace: Workspace, cell: Path) -> None:
    reported: list[tuple[str, str | None]] = []
    workspace.read("cell.yaml")
    workspace.listen(lambda name, stamp: reported.append((name, stamp)))
    (cell / "cell.yaml").write_text("name: other\n")
    found = workspace.read("cell.yaml")  # such as by a page that is opened before the next look at the disk
    workspace.poll()
    assert reported == [("cell.yaml", found.stamp)]
    assert workspace.known("cell.yaml") == found.stamp


def test_a_write_in_the_very_moment_of_reading_or_saving_is_noticed(
    workspace: Workspace, cell: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[str | None] = []
    workspace.listen(lambda name, stamp: reported.append(stamp))
    file, read_bytes, replace = cell / "cell.yaml", Path.read_bytes, os.replace

    def read_and_overtaken(path: Path) -> bytes:
        content = read_bytes(path)
        file.write_text("name: written by another while it was read\n")
        return content

    def put_there_and_overtaken(source: str, target: Path) -> None:
        replace(source, target)
        if target == file:
            file.write_text("name: written by another just after it was saved\n")

    monkeypatch.setattr(Path, "read_bytes", read_and_overtaken)
    base = workspace.read("cell.yaml").stamp
    monkeypatch.undo()
    workspace.poll()
    assert reported == [workspace.read("cell.yaml").stamp]
    assert reported[0] != base
    monkeypatch.setattr(os, "replace", put_there_and_overtaken)
    saved = workspace.save("cell.yaml", "name: mine\n", reported[0])
    monkeypatch.undo()
    workspace.poll()
    assert reported[1:] == [saved.stamp, workspace.read("cell.yaml").stamp]
    assert reported[2] != saved.stamp


def test_drafts_are_readable_by_their_owner_alone(workspace: Workspace) -> None:
    workspace.type("cell.yaml", "name: typed\n", "")
    (kept,) = workspace.drafts.folder.iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(workspace.drafts.folder.stat().st_mode) == 0o700


def test_a_damaged_draft_counts_as_none(workspace: Workspace) -> None:
    workspace.type("cell.yaml", "name: typed\n", "")
    (kept,) = workspace.drafts.folder.iterdir()
    for spoiled in ("", "[]", '{"draft": 3}', '{"file": "x", "draft": {"text": 1}}', "\0"):
        kept.write_text(spoiled)
        assert workspace.draft("cell.yaml") is None
    workspace.type("cell.yaml", "name: again\n", "")
    draft = workspace.draft("cell.yaml")
    assert draft is not None
    assert draft.text == "name: again\n"


def test_the_oldest_drafts_go_when_there_are_too_many(
    workspace: Workspace, cell: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts_module, "MOST_DRAFTS", 3)
    for number in range(5):
        (cell / f"{number}.py").write_text("")
        workspace.type(f"{number}.py", "typed", "")
        (made,) = (each for each in workspace.drafts.folder.iterdir() if each.stat().st_mtime > 10**6)
        os.utime(made, (number, number))
    assert [name for name in workspace.unsaved() if name[0].isdigit()] == ["2.py", "3.py", "4.py"]


def test_breakpoints_come_back_with_the_folder(workspace: Workspace, cell: Path, tmp_path: Path) -> None:
    workspace.breakpoints.set("robot.pas", [3, 1, 3])
    again = Workspace(cell, drafts=DraftStore(tmp_path / "state" / "drafts"))
    assert dict(again.breakpoints) == {"robot.pas": [1, 3]}
    assert again.breakpoints.by_path() == {str(cell / "robot.pas"): [1, 3]}
    again.breakpoints.set("robot.pas", [])
    assert dict(Workspace(cell, drafts=DraftStore(tmp_path / "state" / "drafts")).breakpoints) == {}


texts = st.text(st.characters(exclude_characters="\r\ufeff", exclude_categories=["Cs"]), max_size=20)


class Typing(RuleBasedStateMachine):
    """A person who types, saves, reloads, collisions, and another program that writes the same file."""

    @initialize()
    def begin(self) -> None:
        self.home = tempfile.TemporaryDirectory()
        root = Path(self.home.name)
        self.file = root / "cell" / "robot.py"
        self.file.parent.mkdir()
        self.file.write_bytes(b"first\n")
        self.store = DraftStore(root / "drafts")
        self.page()

    def teardown(self) -> None:
        self.home.cleanup()

    @rule()
    def page(self) -> None:
        """After a restart of the page or the server, the screen shows the last typed text."""
        self.workspace = Workspace(self.file.parent, drafts=DraftStore(self.store.folder))
        read, draft = self.workspace.read("robot.py"), self.workspace.draft("robot.py")
        before = getattr(self, "text", None)
        self.text, self.base = (read.text, read.stamp) if draft is None else (draft.text, draft.base)
        assert before is None or not self.dirty or self.text == before
        self.dirty = draft is not None

    @rule(text=texts)
    def types(self, text: str) -> None:
        self.workspace.type("robot.py", text, self.base)
        self.text = text
        self.dirty = text.encode() != self.file.read_bytes()

    @rule(text=texts)
    def another_writes(self, text: str) -> None:
        self.file.write_bytes(text.encode())
        if not self.dirty:
            read = self.workspace.read("robot.py")
            self.text, self.base = read.text, read.stamp

    @rule()
    def saves(self) -> None:
        disk = self.file.read_bytes().decode()
        if hashlib.sha256(self.file.read_bytes()).hexdigest().startswith(self.base):
            self.base = self.workspace.save("robot.py", self.text, self.base).stamp
            self.dirty = False
            assert self.file.read_bytes().decode() == self.text
        else:
            with pytest.raises(ChangedOnDisk) as caught:
                self.workspace.save("robot.py", self.text, self.base)
            assert caught.value.disk is not None
            assert caught.value.disk.text == disk == self.file.read_bytes().decode()

    @precondition(lambda self: self.dirty)
    @rule()
    def keeps_mine(self) -> None:
        disk = self.file.read_bytes().decode()
        self.base = self.workspace.save("robot.py", self.text, None).stamp
        self.dirty = False
        kept = {each.text for each in self.store.aside(self.file)}
        assert disk in kept or disk == self.text or not disk

    @precondition(lambda self: self.dirty)
    @rule()
    def takes_theirs(self) -> None:
        mine = self.text
        read = self.workspace.discard("robot.py")
        assert mine in {each.text for each in self.store.aside(self.file)}
        self.text, self.base, self.dirty = read.text, read.stamp, False

    @invariant()
    def nothing_typed_is_lost(self) -> None:
        if hasattr(self, "text") and self.dirty:
            draft = self.store.find(self.file)
            assert draft is not None
            assert draft.text == self.text


TestTyping = Typing.TestCase
TestTyping.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)
