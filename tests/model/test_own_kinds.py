"""Kinds defined by users, in a file beside the cell or in an installed distribution, work like built-in ones."""

import importlib
import sys
from pathlib import Path

import pytest

from drycell import Cell, Model
from drycell.base import CellFileError
from drycell.cell import CellSource, Device, Live, Untrusted, is_trusted, known_kinds, trust

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "36_own_device"
LAMP = '''"""A lamp that blinks."""

from drycell import Box
from drycell.cell import Cell, Device, Duration, Live


class Lamp(Device, kind="lamp", icon="lightbulb", example={"every": "1 s"}):
    """Blinks."""

    every: Duration = 1.0
    """Time between two changes."""

    def signals(self):
        return ("on",)

    def build(self, cell: Cell, name: str) -> "LiveLamp":
        return LiveLamp(cell, name, self)


class LiveLamp(Live[Lamp]):
    """A lamp in a run."""

    def __init__(self, cell, name, model):
        super().__init__(cell, name, model)
        self.stand(Box(0.1, 0.1, 0.1))
        self.on = self.signal("on", False)
        self.later(model.every, self.blink)

    def blink(self):
        self.on.set(not self.on.peek())
        self.later(self.model.every, self.blink)
'''
TEXT = """\
name: lamps
{uses}devices:
  lamp1: {{lamp: {{every: 500 ms}}, at: [1 m, 0, 0]}}
run: {{until: 1.75 s}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a cell that uses a custom kind; no folder is trusted yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    here = tmp_path / "cell"
    here.mkdir()
    (here / "lamp.py").write_text(LAMP, encoding="utf-8")
    (here / "cell.yaml").write_text(TEXT.format(uses="uses: [lamp.py]\n"), encoding="utf-8")
    return here


def test_a_device_from_a_file_beside_the_cell_runs_saves_and_reads_back(folder: Path) -> None:
    model = Model.load(folder, trusted=True)
    cell = Cell(model)
    assert cell["lamp1"].body.pose.position == (1.0, 0.0, 0.0)
    cell.run()
    assert cell["lamp1"].on.value is True  # changed at 0.5, 1.0 and 1.5 s
    assert cell.model == model
    assert Model.read(model.text(), folder / "cell.yaml", trusted=True) == model


def test_mistakes_in_its_fields_are_placed_like_those_of_any_device(folder: Path) -> None:
    text = (folder / "cell.yaml").read_text(encoding="utf-8").replace("500 ms", "500 mm").replace("at:", "att:")
    with pytest.raises(CellFileError) as caught:
        Model.read(text, folder / "cell.yaml", trusted=True)
    found = [(each.field, each.line) for each in caught.value.mistakes]
    assert found == [("devices.lamp1.lamp.every", 4), ("devices.lamp1.att", 4)]


def test_code_beside_a_cell_runs_only_from_a_trusted_folder(folder: Path) -> None:
    with pytest.raises(Untrusted, match=r"cell\.yaml uses code: lamp\.py"):
        Model.load(folder)
    assert not is_trusted(folder)
    trust(folder.parent)
    assert is_trusted(folder)
    assert set(Model.load(folder).things) == {"lamp1"}


def test_a_file_name_that_is_not_text_is_not_executed(folder: Path) -> None:
    (folder / "5").write_text("raise SystemExit('executed')", encoding="utf-8")
    for trusted in (False, True):
        with pytest.raises(CellFileError) as caught:
            Model.read(TEXT.format(uses="uses: [5]\n"), folder / "cell.yaml", trusted=trusted)
        assert caught.value.mistakes[0].field == "uses[0]"


def test_a_link_counts_as_its_target(folder: Path, tmp_path: Path) -> None:
    trust(folder)
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / "cell.yaml").symlink_to(folder / "cell.yaml")
    (evil / "lamp.py").write_text("raise SystemExit('executed')", encoding="utf-8")
    with pytest.raises(Untrusted):
        CellSource.find(evil).check_trusted()
    (folder / "lamp.py").unlink()
    (folder / "lamp.py").symlink_to(evil / "lamp.py")
    with pytest.raises(Untrusted):
        CellSource.find(folder).check_trusted()
    with pytest.raises(Untrusted):
        Model.load(folder)


def test_a_plug_in_that_cannot_be_loaded_is_reported_with_the_mistakes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    (site / "broken-1.0.dist-info").mkdir(parents=True)
    (site / "broken-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (site / "broken-1.0.dist-info" / "entry_points.txt").write_text("[drycell.kinds]\nbroken = no_such_module\n")
    monkeypatch.syspath_prepend(str(site))
    known_kinds.cache_clear()  # type: ignore[attr-defined]
    try:
        with pytest.raises(CellFileError) as caught:
            Model.read(TEXT.format(uses=""))
        assert [each.field for each in caught.value.mistakes] == ["devices.lamp1.lamp", ""]
        assert "plug-in 'broken' cannot be loaded" in caught.value.mistakes[1].what
    finally:
        known_kinds.cache_clear()  # type: ignore[attr-defined]


def test_a_missing_file_and_one_with_an_error_are_reported_where_they_are_named(folder: Path) -> None:
    with pytest.raises(CellFileError) as caught:
        Model.read(TEXT.format(uses="uses: [lmap.py]\n"), folder / "cell.yaml", trusted=True)
    assert caught.value.mistakes[0].field == "uses[0]"
    assert caught.value.mistakes[0].hint == "did you mean 'lamp.py'?"
    (folder / "lamp.py").write_text("x = 1 / 0\n", encoding="utf-8")
    with pytest.raises(Exception, match="ZeroDivisionError") as error:
        Model.load(folder, trusted=True)
    assert "lamp.py" in str(error.value)


def test_two_cells_may_each_have_a_kind_of_the_same_name(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "lamp.py").write_text(LAMP.replace("0.1, 0.1, 0.1", "0.2, 0.2, 0.2"), encoding="utf-8")
    (other / "cell.yaml").write_text(TEXT.format(uses="uses: [lamp.py]\n"), encoding="utf-8")
    small, large = (Cell(Model.load(each, trusted=True))["lamp1"].body.shape.x for each in (folder, other))
    assert (small, large) == (0.1, 0.2)


def test_a_kind_of_an_installed_plug_in_needs_no_uses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    (site / "my_lamps-1.0.dist-info").mkdir(parents=True)
    (site / "my_lamps.py").write_text(LAMP.replace('kind="lamp"', 'kind="plugged_lamp"'), encoding="utf-8")
    (site / "my_lamps-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: my-lamps\nVersion: 1.0\n")
    (site / "my_lamps-1.0.dist-info" / "entry_points.txt").write_text("[drycell.kinds]\nlamps = my_lamps\n")
    monkeypatch.syspath_prepend(str(site))
    known_kinds.cache_clear()  # type: ignore[attr-defined]  # as in a new process
    try:
        cell = Cell(Model.read(TEXT.format(uses="").replace("lamp:", "plugged_lamp:")))
        cell.run()
        assert cell["lamp1"].on.value is True
    finally:
        known_kinds.cache_clear()  # type: ignore[attr-defined]
        sys.modules.pop("my_lamps", None)


PAIR = '''from typing import Annotated

from drycell.cell import Device, Live, Ref
from drycell.effector import Effector


class Pair(Device, kind="pair"):
    """Needs another device."""

    other: Annotated[str, Ref("device")]
    """The other one."""

    def build(self, cell, name):
        return Live(cell, name, self)


class Hand(Effector, kind="hand"):
    """A custom end effector."""
'''


def test_devices_that_need_each_other_are_reported_as_a_ring(folder: Path) -> None:
    (folder / "pair.py").write_text(PAIR, encoding="utf-8")
    text = "uses: [pair.py]\ndevices:\n  a: {pair: {other: b}, on: t}\n  b: {pair: {other: a}}\nbodies: {t: {}}\n"
    with pytest.raises(CellFileError, match="'a' depends on itself: a → b → a"):
        Model.read(text, folder / "cell.yaml", trusted=True)


def test_a_kind_made_from_another_can_stand_wherever_that_one_can(folder: Path) -> None:
    (folder / "pair.py").write_text(PAIR, encoding="utf-8")
    text = "uses: [pair.py]\ndevices:\n  h: {hand: {}}\n  p: {pad: {of: h}}\n"
    assert Model.read(text, folder / "cell.yaml", trusted=True).things["p"].of == "h"


def test_an_unknown_kind_is_reported_with_those_that_exist() -> None:
    with pytest.raises(CellFileError) as caught:
        Model.read(TEXT.format(uses=""))
    assert caught.value.mistakes[0].field == "devices.lamp1.lamp"
    assert "there is no such field or device" in caught.value.mistakes[0].what


def test_the_press_of_the_example_is_about_forty_lines() -> None:
    assert len((EXAMPLE / "press.py").read_text(encoding="utf-8").splitlines()) <= 40


def test_saving_elsewhere_keeps_pointing_to_the_files_that_define_kinds(folder: Path, tmp_path: Path) -> None:
    model = Model.load(folder, trusted=True)
    model.save(tmp_path / "deep" / "copy")
    copy = Model.load(tmp_path / "deep" / "copy", trusted=True)
    assert copy.head.uses == ("../../cell/lamp.py",)
    assert copy.things == model.things


def test_a_cell_built_in_python_is_saved_with_the_files_that_define_its_kinds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_lamp.py").write_text(LAMP, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_lamp", raising=False)
    lamp = importlib.import_module("my_lamp").Lamp
    cell = Cell("lamps")
    cell.add("a", lamp(every=0.5))
    cell.add("b", lamp())
    cell.save(tmp_path / "saved")
    model = Model.load(tmp_path / "saved", trusted=True)
    assert model.head.uses == ("../my_lamp.py",)
    again = Cell(model)
    again.add("c", lamp())  # of the same file, imported
    again.save(tmp_path / "again")
    model = Model.load(tmp_path / "again", trusted=True)
    assert model.head.uses == ("../my_lamp.py",)
    assert list(model.things) == ["a", "b", "c"]


def test_a_kind_that_no_file_defines_cannot_be_saved_and_the_error_says_what_to_do(tmp_path: Path) -> None:
    class Knob(Device, kind="knob"):
        """Built nowhere else."""

        def build(self, cell: Cell, name: str) -> Live["Knob"]:
            return Live(cell, name, self)

    cell = Cell()
    cell.add("knob", Knob())
    with pytest.raises(CellFileError, match="defines the kind 'knob'") as caught:
        cell.save(tmp_path / "saved")
    assert caught.value.hint == "define Knob in a separate Python file, and import it from there"
    assert not (tmp_path / "saved").exists()
