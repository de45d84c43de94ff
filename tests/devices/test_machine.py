"""A machine tool follows its handshake, takes the exact cycle time, moves within its limits, and carries its part."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st

from drycell.base import FieldError, Pose, mm
from drycell.cell import Cell
from drycell.devices import Machine
from drycell.devices.machine import MachiningCycle
from drycell.geometry import Box
from drycell.kernel import delay, now, wait
from drycell.record import Usage, figures
from drycell.robots import load_robot
from drycell.world import LiveBody


class Shop:
    """One machine, a part on its fixture unless stated otherwise, and part tracking."""

    def __init__(self, *, seed: int = 0, part: bool = True, **options: object) -> None:
        cell = Cell("shop", seed=seed)
        self.kernel, self.world, self.gravity = cell.kernel, cell.world, cell.gravity
        self.part_tracking = cell.part_tracking
        self.record = cell.record
        self.mill = cell.add("mill", Machine(**{"duration": 20.0, **options}))  # type: ignore[arg-type]
        self.part = LiveBody("part", Box(40 * mm, 40 * mm, 30 * mm), part=True)
        if part:
            self.world.add(self.part, self.mill.fixture, Pose(0, 0, 45 * mm))

    def run(self, *programs: Callable[[], object], until: float | None = None) -> str:
        for program in programs:
            self.kernel.spawn(program)
        if until is not None:
            self.kernel.spawn(lambda: delay(until), name="shift")  # the run ends with its programs
        return self.kernel.run().ending

    def used(self) -> Usage:
        return figures.device(self.record, "mill", self.kernel.now)

    def changes(self, name: str) -> list[tuple[float, object]]:
        return [(time / 1e6, value) for time, value, _ in self.kernel.signals[f"mill.{name}"].history[1:]]

    def notes(self, *kinds: str) -> list[tuple[float, str, dict[str, object]]]:
        return [(r.time / 1e6, r.kind, dict(r.fields)) for r in self.kernel.journal.records if r.kind in kinds]

    def pulse(self, at: float = 1.0) -> Callable[[], None]:
        def press() -> None:
            delay(at)
            self.mill.start.set(True)
            delay(0.2)
            self.mill.start.set(False)

        return press


def test_a_pulse_on_start_makes_one_cycle_of_exactly_the_duration() -> None:
    shop = Shop()
    shop.run(shop.pulse(), until=60)
    assert shop.changes("running") == [(1.0, True), (21.0, False)]
    assert shop.changes("ready") == [(21.0, True)]
    assert shop.notes("machined") == [(21.0, "machined", {"part": "part"})]
    assert shop.part_tracking.machined_by(shop.part) == ("mill",)
    assert (shop.used().time, shop.used().cycles) == (20.0, 1)


def test_a_level_that_stays_on_starts_it_once() -> None:
    shop = Shop()

    def hold() -> None:
        shop.mill.start.set(True)
        delay(60)

    shop.run(hold)
    assert shop.changes("running") == [(0.0, True), (20.0, False)]


def test_ready_stays_on_until_it_is_started_again() -> None:
    shop = Shop()

    def take_out() -> None:
        wait(shop.mill.ready)
        shop.world.attach(shop.part, None)

    shop.run(shop.pulse(0), take_out, shop.pulse(30), until=40)
    assert shop.changes("ready") == [(20.0, True), (30.0, False)]


def test_a_start_while_it_runs_is_ignored_and_reported() -> None:
    shop = Shop()
    shop.run(shop.pulse(0), shop.pulse(5), until=40)
    assert shop.changes("running") == [(0.0, True), (20.0, False)]
    assert shop.notes("ignored") == [(5.0, "ignored", {"signal": "mill.start", "because": "running"})]


def test_it_runs_a_full_cycle_without_a_part_and_reports_it() -> None:
    shop = Shop(part=False)
    shop.run(shop.pulse(0), until=40)
    assert shop.notes("idles", "machined") == [(0.0, "idles", {})]
    assert shop.changes("ready") == [(20.0, True)]


def test_a_machine_that_needs_a_part_does_not_start_without() -> None:
    shop = Shop(part=False, needs_part=True)
    shop.run(shop.pulse(0), until=40)
    assert shop.notes("ignored") == [(0.0, "ignored", {"signal": "mill.start", "because": "no part"})]
    assert shop.changes("running") == []


def test_a_part_that_is_taken_out_before_the_end_is_not_machined() -> None:
    shop = Shop()

    def rob() -> None:
        delay(10)
        shop.world.attach(shop.part, None)

    shop.run(shop.pulse(0), rob, until=40)
    assert shop.notes("machined") == []


def test_the_part_rides_on_the_fixture_and_comes_home() -> None:
    shop = Shop()
    before = shop.part.pose
    seen: list[Pose] = []

    def look() -> None:
        for _ in range(19):
            delay(1)
            seen.append(shop.world.relative(shop.mill.fixture, shop.part))
            assert sum(shop.part.pose.distance_to(before)) > 1 * mm

    shop.run(shop.pulse(0), look, until=40)
    assert all(pose.distance_to(seen[0]) == (0.0, 0.0) for pose in seen)
    assert shop.part.pose.distance_to(before)[0] < 1e-12
    assert max(abs(a - b) for a, b in zip(shop.mill.linkage.joints(), shop.mill.mechanism.home, strict=True)) < 1e-12


def test_a_part_dropped_on_the_fixture_is_in_the_machine() -> None:
    shop = Shop(part=False)
    above = shop.mill.fixture.pose.moved(z=70 * mm)  # the fixture's face is at 30 mm, half the part is 15 mm
    shop.world.add(shop.part, None, above)
    shop.kernel.at(0, lambda: shop.gravity.release(shop.part))
    shop.run(shop.pulse(1), until=40)
    assert shop.part.parent is shop.mill.fixture
    assert shop.notes("machined") == [(21.0, "machined", {"part": "part"})]


def test_a_declared_interval_is_drawn_by_the_runs_chooser() -> None:
    shop = Shop(duration=(20.0, 30.0), seed=5)
    shop.run(shop.pulse(0), until=60)
    (note,) = shop.notes("interval")
    drawn = float(note[2]["value"])  # type: ignore[arg-type]
    assert 20.0 <= drawn <= 30.0
    assert shop.changes("ready") == [(round(drawn, 6), True)]


@pytest.mark.parametrize(("door", "end"), [(False, 20.0), (True, 22.833334)])
def test_a_program_that_waits_for_ready_is_in_no_deadlock_and_one_that_waits_for_more_is(
    door: bool, end: float
) -> None:
    shop = Shop(door=door)
    report: list[float] = []

    def operator() -> None:
        shop.mill.start.set(True)
        wait(shop.mill.ready)
        report.append(now())
        wait(~shop.mill.ready)

    assert (shop.run(operator), report) == ("deadlock", [end])


# -------------------------------------------------------------------- the axes

MILL = load_robot("machine-tool")


@given(st.integers(20_000, 200_000_000))
def test_the_axes_keep_their_limits_begin_and_end_at_home_and_take_the_whole_time(span: int) -> None:
    motion = MachiningCycle(MILL, span).trajectory(5)
    assert (motion.start, motion.end) == (5, 5 + span)
    assert motion.joints(5) == pytest.approx(MILL.home, abs=1e-12)
    assert motion.joints(5 + span) == pytest.approx(MILL.home, abs=1e-9)
    top = motion.curve.top_speeds.max(axis=0)
    c2, c3, lengths = motion.coefficients[:, 2], motion.coefficients[:, 3], np.diff(motion.breaks)[:, None]
    pushed = np.maximum(abs(2 * c2), abs(2 * c2 + 6 * c3 * lengths)).max(axis=0)
    jerked = abs(6 * c3).max(axis=0)
    for joint, speed, acceleration, jerk in zip(MILL.joints, top, pushed, jerked, strict=True):
        assert speed <= joint.speed * 1.000001
        assert acceleration <= joint.acceleration * 1.000001
        assert jerk <= joint.jerk * 1.000001
    for t in np.linspace(5, 5 + span, 99).astype(int).tolist():
        MILL.check_joints(motion.joints(t))


def test_every_cycle_is_the_same_motion_and_a_longer_one_ends_with_a_rest_at_home() -> None:
    shop = Shop(duration=(20.0, 30.0))

    def operator() -> None:
        for _ in range(3):
            shop.mill.start.set(True)
            wait(shop.mill.ready)
            shop.mill.start.set(False)

    shop.run(operator)
    first, *others = [each for each in shop.mill.linkage.history if each.duration > 1]
    assert len(others) == 2
    assert all(each.curve is first.curve and each.duration == 20.0 for each in (first, *others))


@given(st.integers(200_000, 40_000_000), st.floats(0.0, 0.999), st.floats(0.0, 1.0))
def test_the_rest_of_a_motion_continues_from_the_same_position(span: int, stopped: float, later: float) -> None:
    cycle = MachiningCycle(MILL, span)
    done = int(stopped * span)
    motion, rest = cycle.trajectory(0), cycle.trajectory(7_000_000, done)
    at = int(later * (span - done))
    assert rest.end == 7_000_000 + span - done
    assert rest.joints(7_000_000 + at) == pytest.approx(motion.joints(done + at), abs=1e-9)


# -------------------------------------------------------------------- the door


def test_the_door_closes_before_the_work_and_is_open_before_ready() -> None:
    shop = Shop(door=True)
    shop.run(shop.pulse(0), until=60)
    # 420 mm of door and 5 mm at 300 mm/s.
    slide = round(425 / 300, 6)
    assert shop.changes("door_open") == [(0.0, False), (20 + 2 * slide, True)]
    assert shop.changes("door_closed") == [(slide, True), (20 + slide, False)]
    assert shop.changes("running") == [(0.0, True), (20 + 2 * slide, False)]
    assert shop.changes("ready") == [(20 + 2 * slide, True)]


def test_the_door_does_not_close_on_the_arm() -> None:
    shop = Shop(door=True)
    interlock = shop.kernel.signals["mill.interlock"]

    def arm() -> None:
        interlock.set(True)
        delay(3)
        interlock.set(False)
        delay(0.5)
        interlock.set(True)  # the door has moved 150 mm: it moves back
        delay(2)
        interlock.set(False)

    shop.run(shop.pulse(1), arm, until=60)
    assert shop.notes("waits") == [(1.0, "waits", {"signal": "mill.interlock"})]
    assert shop.changes("door_open")[:3] == [(3.0, False), (4.0, True), (5.5, False)]
    assert shop.changes("door_closed")[0] == (round(5.5 + 425 / 300, 6), True)


def test_a_door_hangs_before_the_front_and_slides_along_it() -> None:
    shop = Shop(door=True)
    plate = shop.world.body("mill/door")
    assert [round(v / mm, 3) for v in plate.pose.position] == [425, -200, 470]  # 160 mm to 780 mm high
    shop.run(shop.pulse(0), until=5)
    assert [round(v / mm, 3) for v in plate.pose.position] == [0, -200, 470]


# -------------------------------------------------------------------- failures


def test_a_machine_that_breaks_is_repaired_and_resumes_its_cycle() -> None:
    shop = Shop(breaks=8.0, repair=5.0, seed=2)
    shop.run(shop.pulse(0), until=200)
    breaks = [time for time, value in shop.changes("broken") if value]
    assert breaks
    assert [time for time, value in shop.changes("broken") if not value] == pytest.approx([t + 5 for t in breaks])
    ((end, _),) = shop.changes("ready")
    assert end == pytest.approx(20 + 5 * len(breaks))
    assert shop.used().time == pytest.approx(20)
    assert max(abs(a - b) for a, b in zip(shop.mill.linkage.joints(), MILL.home, strict=True)) < 1e-9


def test_a_broken_machine_does_not_run_and_cannot_be_started() -> None:
    shop = Shop(breaks=8.0, repair=5.0, seed=2)

    def press() -> None:
        wait(shop.mill.broken)
        assert not shop.mill.running.value
        shop.mill.start.set(True)

    shop.run(shop.pulse(0), press, until=200)
    assert shop.notes("ignored")[0][2] == {"signal": "mill.start", "because": "broken"}


def test_the_time_between_failures_has_the_mean_asked_for() -> None:
    shop = Shop(breaks=100.0, repair=1.0)

    def operator() -> None:
        for _ in range(2000):
            shop.mill.start.set(True)
            wait(shop.mill.ready)
            shop.mill.start.set(False)

    shop.run(operator)
    breaks = sum(value is True for _, value in shop.changes("broken"))
    # 40,000 s of work at 100 s each: 400, with a standard deviation of 20.
    assert abs(breaks - 400) < 60
    assert math.isclose(shop.used().time, 40_000, abs_tol=1e-3)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"duration": (30.0, 20.0)}, "Machine.duration: expected one time, or two with the lower one first"),
        ({"duration": 0.0}, "Machine.duration: 0 must be above 0"),
        ({"duration": (1.0, 2.0, 3.0)}, "Machine.duration: expected one time, or two with the lower one first"),
        ({"breaks": 100.0}, "Machine: 'breaks' and 'repair' need each other"),
        ({"breaks": -1.0, "repair": 1.0}, "Machine.breaks: -1 s must be above 0"),
    ],
)
def test_times_that_make_no_sense_are_refused(options: dict[str, object], what: str) -> None:
    with pytest.raises(FieldError) as caught:
        Shop(**options)
    assert caught.value.what == what


def test_how_much_it_is_used() -> None:
    shop = Shop()
    shop.run(shop.pulse(0), until=80)
    assert (shop.used().busy, shop.used().time, shop.used().cycles) == (0.25, 20.0, 1)


def test_a_part_that_was_out_of_the_machine_meanwhile_is_not_machined() -> None:
    shop = Shop()
    table = shop.world.add(LiveBody("table", Box(1.0, 1.0, 0.1)), None, Pose(2, 0, 0))

    def borrow() -> None:
        shop.mill.start.set(True)
        delay(5)
        shop.world.attach(shop.part, table)
        delay(1)
        shop.world.attach(shop.part, shop.mill.fixture)
        wait(shop.mill.ready)
        shop.mill.start.set(False)
        delay(1)
        shop.mill.start.set(True)  # now it lies there during the whole cycle
        wait(shop.mill.running.falls())

    shop.run(borrow)
    assert shop.notes("machined") == [(41.0, "machined", {"part": "part"})]
    assert shop.part_tracking.machined_by(shop.part) == ("mill",)
