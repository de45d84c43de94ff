"""Faults in cell files: per sensor and in a section of their own, read, refused with line and field, written back."""

from pathlib import Path

import pytest

from drycell import Body, Cell, Sensor, delay, hour, ms, s
from drycell.base import CellFileError, Pose, deg
from drycell.cell import CellSource, Model
from drycell.geometry import Box
from drycell.recording import Recording, compare
from drycell.sensors import Beam, Fault, SensorModel, TraceLines
from drycell.sensors.faults import Drift, Dropout, Late, Spike, Stuck, StuckOff, StuckOn, Swapped

HEIGHT = """\
bodies:
  table: {shape: {box: [1 m, 1 m, 100 mm]}, at: [0, 0, -50 mm]}
sensors:
  height:
    type: range
    at: [0, 0, 400 mm]
    rpy: [180 deg, 0, 0]
    volume: {beam: {length: 500 mm, half_angle: 8 deg}}
    trace_lines: {count: 5, spread: 6 deg}
    every: 350 ms
    output: {kind: integer, from: [0 mm, 500 mm], to: [0, 255], default: 255}
    faults: [{dropout: 0.5 %}]
"""

MANY = """\
signals: {eye: false, beam: false, count: 3, level: 1.5, kind: tall}
faults:
  eye:
    - {stuck_on: {at: 12 s, until: 20 s}}
    - {stuck_off: 30 s}
    - stuck_off
    - {swapped: beam}
  beam: [{late: 50 ms}, {dropout: {rate: 3/h, lasting: 2 min}}, {spike: 1 %}]
  count: [{stuck: 7}, {spike: {size: -2, rate: 0.5 Hz, lasting: 10 ms, until: 1 h}}, {dropout: {value: 9, share: 0.25}}]
  level: [{drift: 0.5}, {drift: {per_second: -1, every: 1 s, lasting: 1 min}}]
  kind: [{stuck: {value: short, at: 1 s}}]
"""


def given(text: str) -> dict[str, list[Fault]]:
    """The faults that a file's cell has, by signal."""
    found: dict[str, list[Fault]] = {}
    for each in Cell(Model.read(text)).faults:
        found.setdefault(each.signal.name, []).append(each.fault)
    return found


def test_a_sensor_of_the_file_has_its_faults():
    assert given(HEIGHT) == {"height": [Dropout(share=0.005)]}


def test_a_section_holds_faults_of_any_signal_in_long_and_in_short():
    assert given(MANY) == {
        "eye": [
            StuckOn(at=12 * s, until=20 * s),
            StuckOff(at=30 * s),
            StuckOff(),
            Swapped(other="beam"),
        ],
        "beam": [
            Late(by=50 * ms),
            Dropout(rate=3 / hour, lasting=120 * s),
            Spike(share=0.01),
        ],
        "count": [
            Stuck(value=7),
            Spike(size=-2.0, rate=0.5, lasting=10 * ms, until=1 * hour),
            Dropout(value=9, share=0.25),
        ],
        "level": [Drift(per_second=0.5), Drift(per_second=-1.0, every=1 * s, lasting=60 * s)],
        "kind": [Stuck(value="short", at=1 * s)],
    }


def test_a_sensors_faults_may_name_sensors_and_signals_that_come_later():
    text = HEIGHT.replace("[{dropout: 0.5 %}]", "[{swapped: depth}]") + "signals: {depth: 0}\n"
    assert given(text) == {"height": [Swapped(other="depth")]}


@pytest.mark.parametrize("text", [HEIGHT, MANY])
def test_a_file_with_faults_reads_back_the_same(text):
    once = Model.read(text)
    assert Model.read(once.text()) == once


@pytest.mark.parametrize("text", [HEIGHT, MANY])
def test_a_cell_with_faults_is_saved_with_them(text, tmp_path: Path):
    Cell(Model.read(text)).save(tmp_path)
    saved = (tmp_path / "cell.yaml").read_text()
    assert given(saved) == given(text)
    Cell(Model.load(tmp_path)).save(tmp_path)
    assert (tmp_path / "cell.yaml").read_text() == saved


def test_an_order_that_no_file_can_keep_is_refused(tmp_path: Path):
    cell = Cell()
    cell.signal("left", 0.0)
    cell.signal("right", 0.0)
    cell.fault("left", "stuck", value=1.0)
    cell.fault("right", "stuck", value=2.0)
    cell.fault("left", "swapped", other="right")
    with pytest.raises(CellFileError) as caught:
        cell.save(tmp_path / "cell.yaml")
    assert caught.value.what == (
        "a file cannot keep the order of the faults on 'right', one of which swaps it with another signal"
    )


@pytest.mark.parametrize(
    ("entry", "field", "what", "hint"),
    [
        ("{stuk_on: 1 s}", "[0].stuk_on", "there is no such fault", "did you mean 'stuck_on'"),
        ("stuck-on", "[0]", "there is no such fault", "did you mean 'stuck_on'"),
        ("{stuck_on: {at: 12}}", "[0].stuck_on.at", "'12' has no unit, but a time needs one", "2.5 s"),
        ("{stuck_on: {at: -1 s}}", "[0].stuck_on.at", "'-1 s' must be at least 0", "2.5 s"),
        (
            "{stuck_on: {at: 9 s, until: 3 s}}",
            "[0].stuck_on.until",
            "'until' is 3 s, not later than its start at 9 s",
            "later time than 'at'",
        ),
        ("{stuck_on: {from: 9 s}}", "[0].stuck_on.from", "there is no such field", "at"),
        ("{dropout: 150 %}", "[0].dropout.share", "a share of 1.5 is not in 0..1", "0.5 %"),
        ("{dropout: 3 mm}", "[0].dropout", "'3 mm' is not a ratio", "0.5 %"),
        ("{dropout: {rate: often, lasting: 1 s}}", "[0].dropout.rate", "'often' is not a frequency", "10 Hz"),
        ("{dropout: {rate: 3/mm, lasting: 1 s}}", "[0].dropout.rate", "'3/mm' is not a rate", "3/h"),
        ("{dropout: {rate: 3/h}}", "[0].dropout.rate", "'dropout' with a rate of 0.000833333/s needs 'lasting'", "2 s"),
        ("{drift: {every: 1 s}}", "[0].drift.per_second", "this field must be given", "per_second"),
        ("{late: 0 s}", "[0].late", "'0 s' must be above 0", "2.5 s"),
        (
            "{late: 1 s, stuck: 3}",
            "[0]",
            "a fault must have exactly one kind, but has 'late' and 'stuck'",
            "choose one",
        ),
        ("{}", "[0]", "a fault must have exactly one kind, but has none", "choose one"),
        ("{drift: 1}", "[0]", "a drift needs a number, but 'eye' holds bool", "spike"),
        (
            "{swapped: level}",
            "[0]",
            "'eye', which holds bool, cannot be swapped with 'level', which holds float",
            "one",
        ),
        ("{stuck: 7}", "[0]", "signal 'eye' holds bool, got 7 of type int", "bool"),
    ],
)
def test_mistakes_are_reported_with_line_and_field(entry, field, what, hint):
    text = f"signals: {{eye: false, level: 1.5}}\nfaults:\n  eye: [{entry}]\n"
    with pytest.raises(CellFileError) as caught:
        Cell(Model.read(text))
    mistake = caught.value.mistakes[0]
    assert (mistake.field, mistake.line, mistake.what) == (f"faults.eye{field}", 3, what)
    assert hint in str(mistake.hint)


def test_an_unknown_signal_is_reported_with_the_nearest():
    with pytest.raises(CellFileError) as caught:
        Cell(Model.read("signals: {eye: false}\nfaults:\n  eyes: [stuck_on]\n"))
    mistake = caught.value.mistakes[0]
    assert (mistake.what, mistake.line, mistake.hint) == ("there is no signal 'eyes'", 3, "did you mean 'eye'?")


def test_a_mistake_in_a_sensors_faults_names_the_sensor():
    with pytest.raises(CellFileError) as caught:
        Cell(Model.read(HEIGHT.replace("{dropout: 0.5 %}", "stuck_on")))
    mistake = caught.value.mistakes[0]
    assert (mistake.field, mistake.line) == ("sensors.height.faults[0]", 12)
    assert mistake.what == "'stuck_on' needs a signal that is on or off, but 'height' holds int"


PROGRAM = """\
from drycell import delay


def work(cell, height, eye):
    for n in range(20):
        delay(1)
        eye.set(n % 2 == 0)
        if n == 5:
            cell.fault(eye, "late", by=0.3, lasting=4)
"""


def test_a_run_with_faults_repeats_and_replays_bit_for_bit(tmp_path: Path):
    (tmp_path / "work.py").write_text(PROGRAM)
    extra = "signals: {eye: false}\nprograms: {work: {file: work.py}}\n"
    extra += "faults: {eye: [{stuck_on: {rate: 6/min, lasting: 1 s}}]}\n"
    faults = "[{dropout: 5 %}, {drift: {per_second: 3, at: 4 s, until: 9 s}}]"
    (tmp_path / "cell.yaml").write_text(HEIGHT.replace("[{dropout: 0.5 %}]", faults) + extra)
    hashes = []
    for name in ("one.dry", "two.dry"):
        source = CellSource.find(tmp_path)
        hashes.append(source.build(seed=4).run(record=tmp_path / name, source=source).journal_hash)
    assert hashes[0] == hashes[1]
    with Recording.open(tmp_path / "one.dry") as one, Recording.open(tmp_path / "two.dry") as two:
        assert compare(one, two) is None
        report = [record.fields["state"] for record in one.journal() if record.kind == "fault"]
    assert {"begins", "ends", "strikes"} <= set(report)


def test_drycell_replay_agrees_with_a_faulty_run(tmp_path: Path, capsys):
    from drycell.cli.main import main

    (tmp_path / "work.py").write_text(PROGRAM)
    text = HEIGHT + "signals: {eye: false}\nprograms: {work: {file: work.py}}\n"
    (tmp_path / "cell.yaml").write_text(text.replace("0.5 %", "20 %"))
    record = str(tmp_path / "run.dry")
    assert main(["run", str(tmp_path), "--record", record, "--seed", "3"]) == 0
    assert main(["replay", record]) == 0
    assert "fault" not in capsys.readouterr().err


def test_real_sensors_with_faults_publish_the_same_whether_samples_are_skipped_or_not():
    def journal(skip: bool) -> str:
        cell = Cell("faulty", seed=6)
        cell.add("table", Body(Box(1.0, 1.0, 0.1), at=(0, 0, -0.05)))
        model = SensorModel(type="range", volume=Beam(0.5, 0.1), every=0.1)
        down = Pose.of_rpy(180 * deg, 0, 0, at=(0, 0, 0.4))
        for name, late in (("near", 0.0), ("far", 0.15)):
            cell.add(name, Sensor(model, at=down, skip=skip, delay=late))
        for name in ("near", "far"):
            cell.fault(name, "drift", per_second=0.01, rate=0.3, lasting=1.5)
            cell.fault(name, "dropout", share=0.05)
            cell.fault(name, "spike", size=0.2, rate=0.5)
        cell.fault("near", "swapped", other="far", at=10, lasting=5)
        cell.fault("near", "late", by=0.25, at=12)
        cell.run(until=30)
        return cell.kernel.journal.text()

    assert journal(True) == journal(False)
    assert journal(True).count("strikes") > 10


def test_a_share_that_is_put_on_repeatedly_strikes_the_same_samples_whether_some_are_skipped_or_not():
    def journal(skip: bool) -> str:
        cell = Cell("again", seed=3)
        cell.add("wall", Body(Box(1, 1, 0.1), at=(0, 0, 0.5)))
        model = SensorModel(type="range", trace_lines=TraceLines(count=1, reach=1.0), every=0.01, delay=0.055)
        cell.add("eye", Sensor(model, skip=skip))

        @cell.program
        def test() -> None:
            for _ in range(4):
                fault = cell.fault("eye", "dropout", share=0.3)
                delay(0.5)
                fault.end()
                delay(0.2)

        cell.run()
        return cell.kernel.journal.text()

    assert journal(skip=True) == journal(skip=False)
