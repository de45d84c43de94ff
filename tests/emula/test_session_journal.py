"""The journal of a session: exactly table 4, and as data; times are a declared start plus cell time."""

import json
from pathlib import Path

import pytest

from drycell.base import FieldError, ProgramError, inch
from drycell.languages.emula.session_journal import milliseconds, time_of_day

TABLE_4 = """\
***JOURNAL OPENED AT 10:00:00:000***
setdisplay (0);
startupmotors;
open (1); /* open fingers */
setcrashchk (1, 'FINGER1', 'FINGER2');
close (0); /* close fingers */
**CRASH DETECTED* FINGER1 & FINGER2
**CRASH DETECTED* FINGER1 & FINGER2
setjournal (0);
***JOURNAL CLOSED AT 10:04:50:000***
"""


def table_4(session, path: Path) -> None:
    """The commands of table 4, each logged as typed and then executed, as the language does."""
    emulation = session.emulation
    typed = TABLE_4.splitlines()

    def program() -> None:
        emulation.open_journal(path)
        emulation.note(typed[1])
        emulation.display.set_display(0)
        emulation.note(typed[2])
        emulation.start_up()
        emulation.note(typed[3])
        emulation.move_to({"gripper": 1 * inch})
        emulation.note(typed[4])
        emulation.set_collision_check(True, "FINGER1", "FINGER2")
        emulation.note(typed[5])
        emulation.move_to({"gripper": 0})
        emulation.note(typed[8])
        emulation.close_journal()

    session.run(program)


@pytest.mark.parametrize("model", ["hand", "stylised", "detailed"])
def test_table_4s_commands_give_table_4s_journal(start, tmp_path, model) -> None:
    session = start(model=model)
    table_4(session, tmp_path / "table4.journal")
    assert (tmp_path / "table4.journal").read_text() == TABLE_4
    assert session.lines == ["**CRASH DETECTED* FINGER1 & FINGER2"] * 2


def test_the_same_as_json_lines(session, tmp_path) -> None:
    table_4(session, tmp_path / "table4.journal")
    lines = [json.loads(line) for line in (tmp_path / "table4.journal.jsonl").read_text().splitlines()]
    assert [line["text"] for line in lines if line["kind"] != "moved"] == TABLE_4.splitlines()
    moved = [round(line["motors"]["gripper"], 6) for line in lines if line["kind"] == "moved"]
    assert moved == [0.0254, 0.0]  # where each move ended, in metres
    kinds = [line["kind"] for line in lines]
    assert kinds == [
        *["opened", *["command"] * 3, "moved", "command", "command"],
        *["collision", "collision", "moved", "command", "closed"],
    ]
    # The motors take 285 s to start up, the fingers 2.5 s each way; the last two cycles of 0.1 s are collisions.
    assert [line["t"] for line in lines] == [0, 0, 0, 285, *[287.5] * 3, 289.9, *[290] * 4]
    assert lines[7]["clock"] == "10:04:49:900"


def test_a_journal_is_opened_and_closed_once(session, tmp_path) -> None:
    emulation = session.emulation
    with pytest.raises(ProgramError, match="no journal is open"):
        emulation.close_journal()
    emulation.open_journal(tmp_path / "one")
    with pytest.raises(ProgramError, match=r"a journal is already open: .*one"):
        emulation.open_journal(tmp_path / "two")
    emulation.close_journal()
    emulation.open_journal(tmp_path / "two")
    emulation.close()  # the end of the session also closes it
    assert (tmp_path / "two").read_text().endswith("***JOURNAL CLOSED AT 10:00:00:000***\n")


def test_notes_without_a_journal_go_to_the_journal_of_the_run(session) -> None:
    session.emulation.note("open (1);")
    assert [r.fields["text"] for r in session.cell.kernel.journal.records if r.kind == "command"] == ["open (1);"]


def test_the_declared_start_is_the_time_of_day_at_the_beginning_of_cell_time(session, tmp_path) -> None:
    def program() -> None:
        session.emulation.move_by({"z": 4 * inch})
        session.emulation.open_journal(tmp_path / "late", "23:59:59:500")
        session.emulation.close_journal()

    session.run(program)
    assert (tmp_path / "late").read_text().startswith("***JOURNAL OPENED AT 00:00:00:500***")


def test_times_of_day_are_read_and_written() -> None:
    assert milliseconds("10:04:50:000") == 36_290_000
    assert milliseconds("7:00:00") == 25_200_000
    assert time_of_day(36_290_007) == "10:04:50:007"
    for text in ("24:00:00:000", "10:60:00:000", "ten", "", "10:00"):
        with pytest.raises(FieldError, match="is not a time of day"):
            milliseconds(text)
