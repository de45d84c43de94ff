"""Tray lines in a cell: times by hand, joints, geometry by separating axes, records that are replayed."""

import math
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest

from drycell import (
    Bend,
    Box,
    Cell,
    Director,
    DrycellError,
    Junction,
    Stop,
    StraightTrack,
    TrayLine,
    TrayLoad,
    TraySink,
    TraySource,
    deg,
    delay,
    m,
    mm,
    s,
    wait,
)
from drycell.base import Pose
from drycell.devices.sink_record import read_sunk, write_sunk
from drycell.devices.tray_line import LiveTrayLine
from drycell.recording import Recording

TRAY = Box(250 * mm, 150 * mm, 20 * mm)


def line(cell: Cell, name: str, **fields: object) -> LiveTrayLine:
    """Add a line of 0.2 m width that runs at 0.25 m/s."""
    given = {"track": [StraightTrack(3 * m)], "width": 200 * mm, "speed": 250 * mm / s, **fields}
    return cell.add(name, TrayLine(**given))  # type: ignore[arg-type]


def spurred(seed: int = 0, trays: int = 14) -> Cell:
    """A loop of two straights of 5 m and two half circles, with two spurs beside it."""
    cell = Cell("loop", seed=seed)
    spurs = [0.5, 2.5]
    long = 4 * 0.4 * math.sin(45 * deg) + 0.4
    line(
        cell,
        "main",
        track=[StraightTrack(5 * m), Bend(400 * mm, 180 * deg), StraightTrack(5 * m), Bend(400 * mm, 180 * deg)],
        loop=True,
        directors={f"d{k}": Director(x * m, to=f"spur{k}") for k, x in enumerate(spurs)},
        sensors={"s": 4.5 * m},
    )
    left, right = Bend(400 * mm, 45 * deg), Bend(400 * mm, -45 * deg)
    for k, x in enumerate(spurs):
        line(
            cell,
            f"spur{k}",
            track=[right, left, StraightTrack(400 * mm), left, right],
            at=(x * m, 0, 0),
            gates={"gate": 1 * m},
            into=Junction("main", (x + long) * m),
        )
    cell.add("feed", TraySource(tray=TRAY, every=2 * s, limit=trays, on="main", place=5 * m))

    @cell.program(daemon=True)
    def operate() -> None:
        chance = cell.kernel.random("operate")
        while True:
            delay(chance.uniform(0.3, 2.0))
            for k in range(2):
                if chance.random() < 0.4:
                    cell.kernel.signals[f"main.d{k}.divert"].set(chance.random() < 0.5)
                if chance.random() < 0.4:
                    cell.kernel.signals[f"spur{k}.gate.open"].set(chance.random() < 0.6)

    @cell.program
    def stay() -> None:
        delay(3600)

    return cell


def corners(pose: Pose) -> list[tuple[float, float]]:
    """The corners of a tray, seen from above."""
    found = []
    for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1)):
        x, y, _ = (pose @ Pose(a * 0.125, b * 0.075)).position
        found.append((x, y))
    return found


def apart(first: Sequence[tuple[float, float]], second: Sequence[tuple[float, float]]) -> float:
    """A lower bound of the distance of two rectangles; below 0 they overlap."""
    best = -math.inf
    for shape in (first, second):
        for (ax, ay), (bx, by) in zip(shape, [*shape[1:], shape[0]], strict=True):
            length = math.hypot(bx - ax, by - ay)
            nx, ny = (by - ay) / length, (ax - bx) / length
            one, two = ([x * nx + y * ny for x, y in each] for each in (first, second))
            best = max(best, min(two) - max(one), min(one) - max(two))
    return best


def test_a_tray_takes_the_time_of_its_way() -> None:
    # 1 m straight, a quarter circle of radius 0.5 m, less its own length of 0.25 m, at 0.25 m/s.
    cell = Cell("times")
    line(cell, "main", track=[StraightTrack(1 * m), Bend(500 * mm, 90 * deg)])
    cell.add("feed", TraySource(tray=TRAY, every=60 * s, limit=1, on="main"))
    out = cell.add("out", TraySink(on="main"))
    cell.run(until=10)
    assert [(each.part, each.time) for each in out.taken] == [
        ("tray1", pytest.approx((1 + math.pi / 4 - 0.25) / 0.25, abs=1e-6))
    ]


def test_a_tray_stands_along_the_track() -> None:
    cell = Cell("pose")
    main = line(
        cell, "main", track=[StraightTrack(1 * m), Bend(500 * mm, 90 * deg)], gates={"g": (1 + math.pi / 4 * 0.5) * m}
    )
    cell.add("feed", TraySource(tray=TRAY, every=60 * s, limit=1, on="main"))
    cell.run(until=20)
    # Its middle is 125 mm before the gate, which is in the middle of the bend.
    angle = (math.pi / 8 - 0.125) / 0.5
    pose = main.trays[0].pose
    assert pose.position == pytest.approx((1 + 0.5 * math.sin(angle), 0.5 - 0.5 * math.cos(angle), 0.01), abs=1e-6)
    assert pose.rpy[2] == pytest.approx(angle, abs=1e-6)


def test_a_sensor_is_on_while_a_tray_is_above() -> None:
    cell = Cell("sensor")
    line(cell, "main", sensors={"eye": 1 * m})
    cell.add("feed", TraySource(tray=TRAY, every=60 * s, limit=1, on="main"))
    cell.run(until=20)
    history = cell.kernel.signals["main.eye"].history
    times = [(time, value) for time, value in zip(history.times, history.values, strict=True)][1:]
    # The front reaches it after 0.75 m, the rear after 1 m.
    assert [value for _, value in times] == [True, False]
    assert [time for time, _ in times] == [pytest.approx(3_000_000, abs=1), pytest.approx(4_000_000, abs=1)]


def test_trays_queue_at_a_gate_with_the_gap() -> None:
    cell = Cell("queue")
    main = line(cell, "main", gates={"g": 2 * m})
    cell.add("feed", TraySource(tray=TRAY, every=3 * s, limit=3, on="main"))
    cell.run(until=30)
    assert [main.place(tray) for tray in main.trays] == [pytest.approx(value, abs=1e-6) for value in (2.0, 1.74, 1.48)]
    with pytest.raises(DrycellError, match="'tray9' is not on main"):
        main.place("tray9")


def test_an_open_gate_lets_one_tray_after_the_other_pass() -> None:
    cell = Cell("gate")
    main = line(cell, "main", gates={"g": Stop(2 * m)})
    cell.add("feed", TraySource(tray=TRAY, every=3 * s, limit=3, on="main"))
    out = cell.add("out", TraySink(on="main"))

    @cell.program
    def release() -> None:
        gate = cell.kernel.signals["main.g.open"]
        delay(20)
        gate.set(True)
        wait(cell.kernel.signals["out.count"] >= 1)
        gate.set(False)
        delay(20)

    cell.run()
    assert len(out.taken) == 3  # the others were moving when it closed, and a gate does not hold a tray that is past it
    assert not main.trays


def test_trays_on_the_main_line_have_priority() -> None:
    cell = Cell("merge")
    line(cell, "main", track=[StraightTrack(6 * m)])
    line(
        cell,
        "spur",
        track=[StraightTrack(1 * m), Bend(1 * m, 45 * deg), Bend(1 * m, -45 * deg)],
        at=(1 * m, -2 * (1 - math.cos(45 * deg)), 0),
        into=Junction("main", (2 + 2 * math.sin(45 * deg)) * m),
    )
    cell.add("one", TraySource(tray=TRAY, every=1.1 * s, limit=8, on="main"))
    cell.add("two", TraySource(tray=TRAY, every=1.1 * s, first=6 * s, limit=2, on="spur"))
    out = cell.add("out", TraySink(on="main"))
    cell.run(until=60)
    journal = cell.kernel.journal.text()
    assert len(out.taken) == 10
    waits = [line for line in journal.splitlines() if " waits " in line and "on=spur" in line]
    assert waits
    # Trays of the main line never wait: each leaves 5.75 m / 0.25 m/s after its arrival.
    arrived = {row[0]: at for at, *row in _rows(journal, "arrives") if "source=one" in row}
    for each in out.taken:
        if each.part in arrived:
            assert each.time - arrived[each.part] == pytest.approx(23.0, abs=1e-4)


def _rows(journal: str, verb: str) -> list[tuple[float, str, str]]:
    found = []
    for text in journal.splitlines():
        words = text.split()
        if len(words) > 2 and words[2] == verb:
            found.append((float(words[0]), words[1], words[-1]))
    return found


def test_trays_never_overlap_in_bends_and_joints() -> None:
    cell = spurred()
    cell.run(until=150)
    world, least, pairs = cell.world, math.inf, 0
    trays = [body for body in world.bodies.values() if body.name.startswith("tray")]
    for t in range(0, 150_000_000, 691_003):
        shapes = [corners(world.pose(tray, t)) for tray in trays if tray.exists(t)]
        for first, second in combinations(shapes, 2):
            least = min(least, apart(first, second))
            pairs += 1
    assert pairs > 10_000
    assert least > 9.9 * mm  # along the track it is 10 mm
    text = cell.kernel.journal.text()
    assert text.count(" diverts ") > 10
    assert text.count(" merges ") > 10


def test_a_recording_repeats_the_poses_of_trays(tmp_path: Path) -> None:
    cell = spurred(trays=6)
    cell.run(until=60, record=tmp_path / "run.dry")
    loaded = Recording.open(tmp_path / "run.dry")
    for t in range(0, 60_000_000, 1_730_001):
        for name in ("tray1", "tray4"):
            if cell.world.body(name).exists(t):
                assert loaded.world.pose(loaded.world.body(name), t) == cell.world.pose(cell.world.body(name), t)


def test_a_sink_record_gives_the_same_arrivals_to_the_microsecond(tmp_path: Path) -> None:
    load = [TrayLoad("cup", at=(50 * mm, 0)), TrayLoad("cup", at=(-50 * mm, 20 * mm))]
    cups = {"cup": Box(40 * mm, 40 * mm, 30 * mm)}
    first = Cell("first", seed=4)
    line(first, "main")
    first.add("feed", TraySource(tray=TRAY, every=5 * s, law="exponential", on="main", kinds=cups, load=load))
    out = first.add("out", TraySink(on="main"))
    first.run(until=120)
    assert write_sunk(tmp_path / "out.jsonl", out.sunk) == len(out.sunk) > 10
    read = read_sunk(tmp_path / "out.jsonl")
    assert [(row.time, row.sink, row.part.name) for row in read] == [
        (row.time, row.sink, row.part.name) for row in out.sunk
    ]

    second = Cell("second")
    line(second, "next", speed=5 * m / s)
    second.add("feed", TraySource(tray=TRAY, replay=str(tmp_path / "out.jsonl"), on="next", kinds=cups))
    far = second.add("far", TraySink(on="next"))
    second.run(until=200)
    travel = far.sunk[0].time - out.sunk[0].time
    assert [row.time - travel for row in far.sunk] == [row.time for row in out.sunk]
    assert [[each.kind for each in row.part.parts] for row in far.sunk] == [["cup", "cup"]] * len(far.sunk)
    for old, new in zip(out.sunk, far.sunk, strict=True):
        for before, after in zip(old.part.parts, new.part.parts, strict=True):
            assert before.pose.distance_to(after.pose) == (pytest.approx(0, abs=1e-8), pytest.approx(0, abs=1e-6))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"gates": {"g": 4 * m}}, "4000.000 mm is beyond the end of the line, at 3000.000 mm"),
        ({"sensors": {"g": 1 * m}, "gates": {"g": 2 * m}}, "the name 'g' is used twice"),
        ({"track": []}, "a track needs at least one piece"),
        ({"track": [Bend(90 * mm, 90 * deg)]}, "too narrow for a width of 200.000 mm"),
        ({"loop": True}, "the loop does not close: its end is 3000.000 mm"),
    ],
)
def test_impossible_lines_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(DrycellError, match=message):
        line(Cell("refused"), "main", **fields)


def test_lines_that_do_not_meet_are_refused_with_the_distance() -> None:
    cell = Cell("refused")
    line(cell, "main")
    with pytest.raises(DrycellError, match=r"the end of spur does not meet main at 2000.000 mm: they are 500.000 mm"):
        line(cell, "spur", at=(-1 * m, -500 * mm, 0), into=Junction("main", 2 * m))


def test_a_tray_that_is_too_large_is_refused() -> None:
    cell = Cell("refused")
    line(cell, "main")
    with pytest.raises(DrycellError, match=r"300.000 mm wide, but main is 200.000 mm wide"):
        cell.add("feed", TraySource(tray=Box(200 * mm, 300 * mm, 20 * mm), every=5 * s, on="main"))
    with pytest.raises(DrycellError, match=r"trays cannot appear with their front at 3100 mm"):
        cell.add("feed2", TraySource(tray=Box(3100 * mm, 100 * mm, 20 * mm), every=5 * s, on="main"))


def test_a_director_to_a_missing_line_is_reported_when_the_run_starts() -> None:
    cell = Cell("missing")
    line(cell, "main", directors={"d": Director(1 * m, to="spur")})
    cell.add("feed", TraySource(tray=TRAY, every=5 * s, on="main"))
    with pytest.raises(DrycellError, match="main leads to 'spur', which is not a tray line"):
        cell.run(until=5)


@pytest.mark.parametrize(
    "text",
    [
        "[]", "1", "null", '{"time_s": "x"}', '{"time_s": NaN, "sink": "a", "part": "p", "kind": "k"}',
        '{"time_s": -1, "sink": "a", "part": "p", "kind": "k"}',
        '{"time_s": 1, "sink": "a", "part": "p", "kind": "k", "position_m": [1, 2]}',
        '{"time_s": 1, "sink": "a", "part": "p", "kind": "k", "quaternion_wxyz": [0, 0, 0, 0]}',
        '{"time_s": 1, "sink": "a", "part": "p", "kind": "k", "parts": 3}',
        "[" * 100_000,
    ],
)  # fmt: skip
def test_damaged_records_name_the_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "sunk.jsonl"
    path.write_text(text + "\n")
    with pytest.raises(DrycellError, match=r"line 1 of .* is not the record of a sink"):
        read_sunk(path)


def test_a_record_of_several_sinks_needs_a_choice(tmp_path: Path) -> None:
    path = tmp_path / "sunk.jsonl"
    row = '{{"time_s": 1, "sink": "{}", "part": "p", "kind": "k"}}\n'
    path.write_text(row.format("a") + row.format("b"))
    with pytest.raises(DrycellError, match="has the records of 2 sinks"):
        read_sunk(path)
    assert [each.sink for each in read_sunk(path, "b")] == ["b"]
    with pytest.raises(DrycellError, match="has nothing from a sink 'c'"):
        read_sunk(path, "c")
