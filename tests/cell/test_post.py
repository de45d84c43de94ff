"""Posts from outside: mistakes raise an error at the call, and no other post is lost."""

from pathlib import Path

import pytest

from drycell import Cell, delay, wait
from drycell.base import DrycellError, RecordingError
from drycell.recording import Recording


@pytest.fixture
def cell() -> Cell:
    made = Cell("line")
    go = made.signal("go", False)
    made.signal("count", 0)

    @made.program
    def work() -> None:
        wait(go)
        delay(1)

    return made


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({5: True}, "expected values by signal name, not {5: True}"),
        ([1], "expected values by signal name"),
        (None, "expected values by signal name"),
        ({"og": True}, "there is no signal 'og'"),
        ({"go": 1}, "signal 'go' holds bool"),
        ({"count": 2**70}, "takes more than 64 bits"),
    ],
)
def test_mistakes_are_refused_where_they_are_made(cell: Cell, values: object, said: str) -> None:
    with pytest.raises(DrycellError) as error:
        cell.post(values)  # type: ignore[arg-type]
    assert said in error.value.what


def test_senders_of_posts_need_printable_names(cell: Cell) -> None:
    with pytest.raises(DrycellError, match="is not a valid name for the sender of a request"):
        cell.post({"go": True}, who="two\nlines")


def test_requests_after_the_end_are_refused(cell: Cell) -> None:
    assert cell.post({"go": True}) is True
    assert cell.run().ending == "finished"
    assert cell.post({"count": 1}) is False


def test_a_number_that_cannot_be_recorded_leaves_no_file(tmp_path: Path) -> None:
    cell = Cell("wide")
    count = cell.signal("count", 0)

    @cell.program
    def grow() -> None:
        delay(1)
        count.set(2**70)
        delay(1)

    with pytest.raises(RecordingError, match="beyond the 64 bits"):
        cell.run(record=tmp_path / "wide.dry")
    assert list(tmp_path.iterdir()) == []


def test_a_recording_contains_the_waits_at_the_end(tmp_path: Path) -> None:
    cell = Cell("stuck")
    never = cell.signal("never", False)

    @cell.program
    def waiter() -> None:
        wait(never)

    live = cell.run(record=tmp_path / "stuck.dry")
    with Recording.open(tmp_path / "stuck.dry") as recording:
        assert recording.result.summary() == live.summary()
        assert [each["waits_for"] for each in recording.result.as_json()["blocked"]] == ["never"]
    assert live.ending == "deadlock"
