"""One run is a pure function of the bundle and the point."""

from pathlib import Path

import pytest

from drycell.base import DrycellError
from drycell.campaign import Campaign
from drycell.campaign.design import RunPoint
from drycell.campaign.work import RunRow, bound, build, measures_in, run
from drycell.cell import CellSource


def plain(row: RunRow | None) -> dict[str, object]:
    assert row is not None
    return {**row.data(), "cpu_s": 0}


def test_a_warm_run_equals_a_cold_one_byte_for_byte(toy: Path, tmp_path: Path) -> None:
    cell, other = toy / "cell.yaml", RunPoint(9, settings=(("work.args.pause", "5"),))
    points = [RunPoint(seed) for seed in range(4)]
    cold = [plain(run(cell, each)) for each in points]
    warm = [plain(run(cell, each)) for each in (other, *points[::-1], other)][1:-1][::-1]
    assert warm == cold
    assert len({each["journal_sha256"] for each in cold}) == 4
    first, again = tmp_path / "a.dry", tmp_path / "b.dry"
    run(cell, points[0], first)
    run(cell, points[1])
    run(cell, points[0], again)
    assert first.read_bytes() == again.read_bytes()


def test_a_row_has_the_figures_of_the_result(toy: Path) -> None:
    row = run(toy / "cell.yaml", RunPoint(3))
    assert row is not None
    result = CellSource.find(toy).build(seed=3).run()
    expected = result.row()
    assert row.figures["waited"] == expected["waited"] == pytest.approx(result.duration)
    assert row.journal == result.journal_hash
    assert row.clean
    assert not row.problem


def test_modules_of_programs_do_not_keep_state_from_run_to_run(toy: Path) -> None:
    (toy / "counter.py").write_text("count = []\n")
    text = (toy / "work.py").read_text().replace("    ready.set", "    counter.count.append(1)\n    ready.set")
    text = "import counter\n" + text.replace('"waited", cell.time', '"waited", len(counter.count) + 1')
    (toy / "work.py").write_text(text)
    found = [run(toy / "cell.yaml", RunPoint(0)) for _ in range(3)]
    assert [each.figures["waited"] for each in found if each] == [1.0, 1.0, 1.0]


def test_an_error_is_a_row_that_says_what_happened_without_folders(toy: Path) -> None:
    row = run(toy / "cell.yaml", RunPoint(1, settings=(("work.args.pause", "13"),)))
    assert row is not None
    assert (row.ending, row.clean) == ("error", False)
    assert row.problem == "error: pause 13 is unlucky"
    assert "work.py" in row.error
    assert str(toy) not in row.error


def test_a_python_error_in_a_program_is_a_row(toy: Path) -> None:
    (toy / "work.py").write_text("def work(cell, pause):\n    1 / 0\n")
    row = run(toy / "cell.yaml", RunPoint(1))
    assert row is not None
    assert "division by zero" in row.error


def test_a_deadlock_is_a_row_with_its_problem(toy: Path) -> None:
    row = run(toy / "cell.yaml", RunPoint(1, settings=(("work.args.pause", "14"),)))
    assert row is not None
    assert (row.ending, row.problem) == ("deadlock", "deadlock: work waits for ~ready")


def test_measures_are_columns_and_get_what_they_name(toy: Path) -> None:
    (toy / "measures.py").write_text(
        "import math\n\ndef twice(result):\n    return 2 * result.duration\n"
        "\ndef was_set(ready):\n    return ready.value\n"
        "\ndef unknown():\n    return math.nan\n\ndef changes(record):\n    return len(record.signals['ready'])\n"
        "\ndef _own():\n    return 3\n"
    )
    row = run(toy / "cell.yaml", RunPoint(3))
    assert row is not None
    assert row.figures["twice"] == pytest.approx(2 * float(row.figures["duration_s"] or 0))
    assert (row.figures["was_set"], row.figures["unknown"], row.figures["changes"]) == (True, None, 2)
    assert "_own" not in row.figures


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def stored():\n    return 1\n", "name of a figure"),
        ("def pair():\n    return (1, 2)\n", "tuple"),
        ("def bad():\n    raise ValueError('no')\n", "no"),
    ],
)
def test_a_wrong_measure_is_an_error_row(toy: Path, text: str, message: str) -> None:
    (toy / "measures.py").write_text(text)
    row = run(toy / "cell.yaml", RunPoint(3))
    assert row is not None
    assert message in row.error


def test_a_measure_that_names_nothing_is_found_before_the_first_run(toy: Path, tmp_path: Path) -> None:
    (toy / "measures.py").write_text("def x(redy):\n    return 1\n")
    with pytest.raises(DrycellError, match="redy"):
        Campaign(toy).open(tmp_path / "out")
    assert not (tmp_path / "out" / "rows.jsonl").read_text()
    with pytest.raises(DrycellError, match="redy"):
        bound(measures_in(toy), build(toy / "cell.yaml", RunPoint(0)))


def test_an_interrupted_run_is_not_a_row(toy: Path) -> None:
    text = "import os, signal\n" + (toy / "work.py").read_text()
    text = text.replace("    ready.set", "    os.kill(os.getpid(), signal.SIGTERM)\n    delay(1)\n    ready.set")
    (toy / "work.py").write_text(text)
    assert run(toy / "cell.yaml", RunPoint(0)) is None


def test_a_cell_in_python_can_be_run_with_many_seeds(tmp_path: Path) -> None:
    path = tmp_path / "cell.py"
    path.write_text(
        "from drycell import delay, interval\n\ndef build(cell):\n    @cell.program\n    def work():\n"
        "        delay(interval('wait', 1, 2))\n"
    )
    one, other, again = (plain(run(path, RunPoint(seed)))["journal_sha256"] for seed in (0, 1, 0))
    assert one == again != other
