"""Devices commanded by messages in cell files: made, used by a program, written back, and mistakes named by line."""

from pathlib import Path

import pytest
from drycell.cell.assembly import assemble
from drycell.cell.file import load_cell_file

from drycell.cell import Cell
from drycell.devices.effector import Effector, Pad, StandIn, Wrist
from drycell.errors import CellFileError
from drycell.protocols.effector import connect
from drycell.units import N, mm

TEXT = """\
format: 1
name: hand
bodies:
  table: {shape: {box: [300 mm, 200 mm, 20 mm]}, at: [0, 0, -10 mm]}
  block: {shape: {box: [24 mm, 10 mm, 60 mm]}, on: table}
devices:
  wrist: {wrist: {}, at: [0, 0, 125 mm], rpy: [180 deg, 0 deg, 0 deg]}
  hand: {effector: {gains: [900, 60], strength: 40 N, hesitates: [0 s, 10 ms], trouble: {failing: 1 %}}, parent: wrist}
  pad: {pad: {of: hand, finger: 2}}
  other: {stand_in: {table: gripper, takes: [1 s, 2 s]}}
"""


def written(tmp_path: Path, text: str = TEXT) -> Path:
    path = tmp_path / "cell.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_describes_them_and_a_program_commands_them(tmp_path: Path) -> None:
    cell = assemble(load_cell_file(written(tmp_path)))
    kinds = {name: type(device) for name, device in cell.devices.items()}
    assert kinds == {"wrist": Wrist, "hand": Effector, "other": StandIn, "pad": Pad}

    @cell.program
    def planner() -> None:
        with connect("cell:hand") as hand:
            hand.initialise()
            done = hand.squeeze(10 * N).wait()
            assert done.gap == pytest.approx(24 * mm, abs=1e-6)
            assert done.force == pytest.approx(10)

    assert cell.run().ending == "finished"


def test_a_cell_with_them_is_saved_and_read_again(tmp_path: Path) -> None:
    cell = assemble(load_cell_file(written(tmp_path)))
    cell.save(tmp_path / "copy.yaml")
    first, second = (load_cell_file(tmp_path / name).sections["devices"] for name in ("cell.yaml", "copy.yaml"))
    assert {name: (spec.effector, spec.wrist, spec.pad, spec.stand_in) for name, spec in first.items()} == {
        name: (spec.effector, spec.wrist, spec.pad, spec.stand_in) for name, spec in second.items()
    }
    assert second["hand"].parent == "wrist"


@pytest.mark.parametrize(
    ("wrong", "right", "told"),
    [
        ("of: hand", "of: hund", "there is no end effector 'hund'"),
        ("finger: 2", "finger: 3", "there is no finger 3"),
        ("failing: 1 %", "failing: 200 %", "failing is 2.0, a probability of 0 … 1"),
        ("[0 s, 10 ms]", "[1 s, 10 ms]", "the lower time comes first"),
        ("table: gripper", "table: griper", "no device 'griper' in the table of messages"),
        ("strength: 40 N", "strength: 40 mm", "force"),
        ("gains: [900, 60]", "gains: [900, 1]", "damp by 0.02, limit 0.2"),
    ],
)
def test_a_mistake_names_its_place(tmp_path: Path, wrong: str, right: str, told: str) -> None:
    with pytest.raises(CellFileError) as caught:
        assemble(load_cell_file(written(tmp_path, TEXT.replace(wrong, right))))
    assert told in str(caught.value)
    assert "cell.yaml:" in str(caught.value)


def test_a_pad_needs_an_end_effector() -> None:
    cell = Cell()
    cell.add("other", StandIn())
    with pytest.raises(Exception, match="'other' is no end effector, and has no fingers for pad 'pad'"):
        cell.add("pad", Pad(of="other"))  # type: ignore[arg-type]
