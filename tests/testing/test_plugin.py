"""The plug-in, tried as its users do: in a folder of their own, with a cell and tests about it."""

import subprocess
import sys
from math import pi
from pathlib import Path

import pytest

from drycell import Body, Box, Cell, Pose, Sensor, delay, mm
from drycell.cell import CellSource
from drycell.cli.main import main
from drycell.sensors import Noise
from drycell.testing import Bench, verify

pytest_plugins = ["pytester"]

CELL = """
name: two steps
signals: {ready: false, go: false}
programs:
  feeder: {file: programs.py}
  robot: {file: programs.py}
"""
PROGRAMS = """
from drycell import delay, wait

def feeder(cell, ready):
    delay(cell.kernel.random("feeder").choice([1, 2, 3]))
    ready.set(True)

def robot(ready, go):
    wait(ready)
    go.set(True)
"""
SLOW = "from drycell import delay\n\ndef feeder(ready):\n    delay(50)\n    ready.set(True)\n"


@pytest.fixture(scope="module", autouse=True)
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Everything is imported once: what tests of the inner pytest import is forgotten after each."""
    folder = tmp_path_factory.mktemp("press")
    (folder / "cell.yaml").write_text(CELL)
    (folder / "programs.py").write_text(PROGRAMS)
    bench = Bench(CellSource.find(folder), programs={"feeder": folder / "programs.py"}, record=folder / "warm.dry")
    bench.run()
    verify(folder)


@pytest.fixture
def folder(pytester: pytest.Pytester) -> pytest.Pytester:
    cell = pytester.mkdir("press")
    (cell / "cell.yaml").write_text(CELL)
    (cell / "programs.py").write_text(PROGRAMS)
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")  # not declared: a warning
    return pytester


def test_a_cell_is_found_beside_the_test_or_from_the_root_and_runs(folder: pytest.Pytester) -> None:
    text = """
        def test_it_goes(drycell_cell):
            bench = drycell_cell("press", seed=7)
            result = bench.run()
            assert result.seed == 7
            assert result.ending == "finished" and result.no_deadlock and result.clean
            assert result.parts_lost == 0
            assert bench.signal("go").value
            assert bench.run().journal_hash == result.journal_hash   # built anew
    """
    folder.makepyfile(text)
    below = folder.mkdir("tests")
    (below / "test_below.py").write_text("def test_b(drycell_cell):\n    assert drycell_cell('press').run().clean\n")
    folder.runpytest().assert_outcomes(passed=2)


def test_a_function_that_builds_and_other_programs(folder: pytest.Pytester) -> None:
    folder.makepyfile("""
        import pytest
        from drycell import delay

        def build(cell):
            go = cell.signal("go", False)

            @cell.program
            def robot():
                delay(3)
                go.set(True)

        def quick(ready):
            ready.set(True)

        def test_built(drycell_cell):
            assert drycell_cell(build).run(until=2).ending == "until"

        def test_exchanged(drycell_cell):
            assert drycell_cell("press", program={"feeder": quick}).run().duration == 0.0

        def test_from_a_file(drycell_cell):
            assert drycell_cell("press", program={"feeder": "slow.py"}).run().duration == 50.0
    """)
    (folder.path / "slow.py").write_text(SLOW)
    folder.runpytest().assert_outcomes(passed=3)


def test_a_failing_test_shows_summary_journal_and_the_command_to_repeat(folder: pytest.Pytester) -> None:
    folder.makepyfile("""
        def test_it(drycell_cell):
            result = drycell_cell("press", seed=3).run(until=10)
            assert result.parts_lost == 1
    """)
    result = folder.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*assert 0 == 1*",
            "*where 0 = <result of 'two steps', seed 3: finished at * s>.parts_lost*",
            "*- drycell -*",
            "  finished      at * s, all programs ended",
            "  journal       last * lines:",
            "*robot*start*",
            "*run*end*ending=finished*",
            "  repeat        drycell run press --seed 3 --until 10s",
        ]
    )


@pytest.mark.parametrize("kept", [False, True])
def test_the_journal_of_a_report_leaves_out_sensor_samples(tmp_path: Path, kept: bool) -> None:
    def build(cell: Cell) -> None:
        cell.add("table", Body(Box(1, 1, 20 * mm)))
        cell.add("eye", Sensor("vl53l0x", noise=Noise(sigma=5 * mm), at=Pose(0, 0, 0.3) @ Pose.turn_x(pi)))
        count, level = cell.signal("count", 0), cell.signal("level", 0.0)

        @cell.program
        def robot() -> None:
            delay(5)
            count.set(3)
            delay(5)
            level.set(0.5)

    bench = Bench(build, record=tmp_path / "run.dry" if kept else None)
    bench.run()
    report = bench.report()
    head, *lines = report[report.index("  journal") :].splitlines()[:6]
    assert head.startswith("  journal       last 5 lines (without ")
    assert head.endswith(" sensor samples):")
    assert [line.split()[1:4] for line in lines] == [
        ["robot", "start"],
        ["count", "signal", "value=3"],
        ["level", "signal", "value=0.500000"],
        ["robot", "end", "how=finished"],
        ["run", "end", "ending=finished"],
    ]


def test_an_error_of_the_cell_is_reported_with_its_journal(folder: pytest.Pytester) -> None:
    folder.makepyfile("""
        def broken(ready):
            raise ValueError("no")

        def test_it(drycell_cell):
            drycell_cell("press", program={"feeder": broken}).run()
    """)
    result = folder.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "  error         ValueError in program 'feeder': no*",
            "  repeat        drycell run press --seed 0 * (with program 'feeder' replaced as in the test)",
        ]
    )


def test_seeds_make_a_test_each(folder: pytest.Pytester) -> None:
    folder.makepyfile("""
        import pytest

        @pytest.mark.seeds(range(3))
        def test_it(drycell_cell, drycell_seed):
            bench = drycell_cell("press")
            assert bench.run().seed == drycell_seed

        @pytest.mark.seeds([5])
        def test_that(drycell_cell):
            assert drycell_cell("press").run().seed == 5
            assert drycell_cell("press", seed=6).run().seed == 6
    """)
    result = folder.runpytest("-v", "--strict-markers")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["*test_it[[]seed0[]]*", "*test_it[[]seed2[]]*", "*test_that[[]seed5[]]*"])


@pytest.mark.parametrize(
    ("mark", "printed"),
    [
        ("@pytest.mark.seeds(3)\ndef test_it(drycell_cell): ...", "takes the seeds, such as range(5)"),
        ("@pytest.mark.seeds(['a'])\ndef test_it(drycell_cell): ...", "takes whole numbers, not 'a'"),
    ],
)
def test_an_invalid_mark_is_reported(folder: pytest.Pytester, mark: str, printed: str) -> None:
    folder.makepyfile(f"import pytest\n{mark}")
    result = folder.runpytest()
    assert result.ret != 0
    assert printed in result.stdout.str() + result.stderr.str()


def test_a_mark_of_the_same_name_in_tests_without_a_cell_is_left_alone(folder: pytest.Pytester) -> None:
    folder.makepyfile("import pytest\n@pytest.mark.seeds('poppy', 3)\ndef test_gardening(): ...")
    folder.runpytest().assert_outcomes(passed=1)


def test_a_recording_is_replayed_with_the_files_that_took_the_place_of_programs(folder: pytest.Pytester) -> None:
    slow = folder.path / "slow.py"
    slow.write_text(SLOW)
    record = folder.path / "kept" / "run.dry"
    Bench(CellSource.find(folder.path / "press"), programs={"feeder": slow}, record=record).run()
    assert main(["replay", str(record)]) == 0


def test_recordings_of_failing_tests_are_kept_and_no_others(folder: pytest.Pytester) -> None:
    folder.makepyfile("""
        import pytest

        def test_good(drycell_cell):
            assert drycell_cell("press").run().clean

        @pytest.mark.seeds([4])
        def test_bad(drycell_cell):
            assert not drycell_cell("press").run().clean
    """)
    result = folder.runpytest("--drycell-record", "kept")
    result.assert_outcomes(passed=1, failed=1)
    (name,) = (each.stem for each in (folder.path / "kept").glob("*.dry"))
    assert name.endswith("-test_bad-seed4")
    assert sorted(each.name for each in (folder.path / "kept").iterdir()) == [f"{name}.dry", f"{name}.journal"]
    result.stdout.fnmatch_lines([f"  recording     *kept/{name}.dry", "  repeat        drycell run press --seed 4"])
    replayed = subprocess.run(
        [sys.executable, "-m", "drycell.cli.main", "replay", f"kept/{name}.dry"],
        cwd=folder.path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "identical: " in replayed.stdout, replayed.stderr


def test_verification_is_a_test_like_any_other(folder: pytest.Pytester) -> None:
    folder.makepyfile("""
        from drycell import delay, wait
        from drycell.testing import verify

        def tie(cell):
            door = cell.signal("door", False)

            @cell.program
            def arm():
                delay(4)
                assert not door, "the arm meets the open door"

            @cell.program
            def other():
                delay(4)
                door.set(True)

        def test_clean(drycell_cell):
            verdict = verify(drycell_cell("press"))
            assert verdict.exhausted
            assert verdict.clean

        def test_a_run_at_fault(drycell_cell):
            assert verify(drycell_cell(tie)).clean
    """)
    result = folder.runpytest()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*- drycell -*", "*found in run *", "*the arm meets the open door*", "*verify(tie, seed=0)"]
    )


@pytest.mark.parametrize(
    ("call", "printed"),
    [
        ("drycell_cell('pres')", "there is no cell 'pres'\n*looked in *"),
        ("drycell_cell(3)", "drycell_cell takes a path or a function build(cell), not 3"),
        ("drycell_cell('press', program='robot.py')", "does not name the program to replace"),
        ("drycell_cell('press').run().no_collision", "'two steps' was not checked for collisions"),
        ("drycell_cell('press', program={'robot': print}).verify()", "from disk, without replaced programs"),
    ],
)
def test_mistakes_of_the_author_are_reported(folder: pytest.Pytester, call: str, printed: str) -> None:
    folder.makepyfile(f"def test_it(drycell_cell):\n    {call}\n")
    result = folder.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*{line}*" for line in printed.split("\n")])


def test_it_costs_nothing_when_unused(folder: pytest.Pytester) -> None:
    folder.makepyfile("""
        import sys

        def test_nothing_is_loaded(request):
            assert request.config.pluginmanager.get_plugin("drycell") is not None
            loaded = {name for name in sys.modules if name.startswith("drycell.")}
            base = {"drycell.packages"}
            assert loaded <= base | {"drycell.testing", "drycell.testing.plugin"}
            assert "numpy" not in sys.modules
    """)
    folder.runpytest_subprocess("-p", "no:hypothesispytest").assert_outcomes(passed=1)
