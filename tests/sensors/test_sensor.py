"""Sensors at work: each on its own grid, asleep while nothing can change, published as a signal."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest

from drycell import Body, Cell, Robot, Sensor, above
from drycell.base import FieldError, KernelError, N, Pose, UnknownName, deg, mm, ms, s
from drycell.geometry import Box, Cylinder, Sphere
from drycell.kernel import Rank, ReplayingChooser, delay, wait
from drycell.sensors import Beam, Noise, Output, SensorModel, TraceLines
from drycell.world import LiveBody, Travel

RULER = SensorModel(type="range", trace_lines=TraceLines(count=1, reach=500 * mm), every=100 * ms)
"""Looks up, 500 mm far."""


def passing_part(cell: Cell, speed: float = 0.2) -> LiveBody:
    """A cube of 100 mm whose underside is 250 mm up: over x = 0 from 4.725 s to 5.225 s, at 0.2 m/s."""
    ride = Travel(0, 10_000_000, Pose(-0.995, 0.0, 0.3), (speed, 0.0, 0.0))
    return cell.world.add(LiveBody("part", Box(0.1, 0.1, 0.1), part=True), motion=ride)


def counted(sensor: "Sensor[float]") -> list[int]:
    """The instants at which a sensor really looks at the world."""
    looks: list[int] = []
    plain = sensor._read

    def read(now: int) -> object:
        looks.append(now)
        return plain(now)

    sensor._read = read
    return looks


def run(cell: Cell, seconds: float = 10.0) -> list[tuple[float, str, str, dict[str, object]]]:
    cell.program(lambda: delay(seconds), name="main")
    cell.run()
    return [(r.time / 1e6, r.kind, r.subject, dict(r.fields)) for r in cell.kernel.journal.records]


# ---------------------------------------------------------------- samples


@pytest.mark.parametrize(
    ("changes", "comes", "goes"),
    [
        ({}, 4.8, 5.3),
        ({"phase": 30 * ms}, 4.73, 5.23),
        ({"delay": 20 * ms}, 4.82, 5.32),
        ({"every": 350 * ms}, 4.9, 5.25),
        ({"every": 1 / 24}, 114 / 24, 126 / 24),
    ],
)
def test_changes_are_published_at_the_next_instant_of_the_grid(
    changes: dict[str, float], comes: float, goes: float
) -> None:
    cell = Cell()
    passing_part(cell)
    ruler = cell.add("ruler", Sensor(RULER, **changes))
    run(cell)
    assert [(t / 1e6, value) for t, value, _ in ruler.history] == [(0.0, 0.5), (comes, 0.25), (goes, 0.5)]
    assert {writer for _, _, writer in ruler.history[1:]} == {"ruler"}


def test_it_looks_only_while_something_moves_in_its_beam() -> None:
    cell = Cell()
    passing_part(cell)
    cell.add("roof", Body(Box(1, 1, 0.1), at=(0, 0, 0.5)))
    ruler = cell.add("ruler", Sensor(RULER))
    looks = counted(ruler)
    run(cell, 100 * s)
    assert looks[0] == 0
    assert 4_200_000 < min(looks[1:]) <= 4_700_000  # the part's ball of 87 mm reaches the beam
    assert max(looks) < 5_800_000
    assert ruler.samples == 1001
    assert cell.kernel.now == 100_000_000


def test_a_sensor_that_nothing_approaches_samples_once() -> None:
    cell = Cell()
    ruler = cell.add("ruler", Sensor(RULER))
    looks = counted(ruler)
    run(cell, 1000 * s)
    assert looks == [0]
    assert (ruler.samples, ruler.period) == (10_001, 0.1)


def test_a_thousandth_of_a_second_after_a_part_was_put_before_it_it_knows() -> None:
    cell = Cell()
    part = cell.add("part", Body(Box(0.1, 0.1, 0.1), at=(3, 0, 0.3)))
    ruler = cell.add("ruler", Sensor(RULER, every=1 * ms))
    cell.kernel.at(2_000_300, lambda: cell.world.place(part, Pose(0, 0, 0.3)), Rank.DEVICE)
    cell.kernel.at(3_000_000, lambda: cell.world.remove(part), Rank.MOTION)
    run(cell)
    assert [(t, value) for t, value, _ in ruler.history[1:]] == [(2_001_000, 0.25), (3_000_000, 0.5)]


def test_a_change_of_material_wakes_a_sleeping_sensor() -> None:
    cell = Cell("paint shop")
    plate = cell.add("plate", Body(Box(50 * mm, 50 * mm, 10 * mm), material="steel", at=(0, 0, 20 * mm)))
    eye = cell.add(
        "eye", Sensor(SensorModel(type="proximity", volume=Cylinder(5 * mm, 40 * mm), senses="metal", every=100 * ms))
    )
    looks = counted(eye)
    cell.kernel.at(1_234_000, lambda: setattr(plate, "material", "beech"), Rank.DEVICE, "painter", writes=())
    run(cell, 5.0)
    assert eye.history[1:] == [(0, True, "eye"), (1_300_000, False, "eye")]
    assert looks == [0, 1_300_000]
    with pytest.raises(UnknownName, match="no material 'beach'"):
        plate.material = "beach"
    assert plate.material == "beech"


def test_sensors_of_one_instant_report_in_the_order_in_which_they_were_made() -> None:
    for skip in (True, False):
        cell = Cell()
        passing_part(cell)
        for name in ("c", "a", "b"):
            cell.add(name, Sensor(RULER, skip=skip))
        cell.kernel.at(1_000_000, lambda cell=cell: cell.sensors["c"].deactivate())
        cell.kernel.at(4_790_000, lambda cell=cell: cell.sensors["c"].activate())
        report = run(cell)
        assert [subject for t, kind, subject, _ in report if kind == "signal" and t == 4.8] == ["c", "a", "b"]


def test_motions_caused_by_a_sensor_report_are_seen_by_later_sensors_of_the_same_instant() -> None:
    report = {}
    for skip in (True, False):
        cell = Cell()
        passing_part(cell)
        lid = cell.add("lid", Body(Box(0.1, 0.1, 0.1), at=(3, 0, 0.3)))
        before = cell.add("before", Sensor(RULER, at=(1, 0, 0), skip=skip))
        eye = cell.add("eye", Sensor(RULER, skip=skip))
        after = cell.add("after", Sensor(RULER, at=(1, 0, 0), skip=skip))
        eye.subscribe(lambda value, cell=cell, lid=lid: cell.world.place(lid, Pose(1, 0, 0.3)))
        report[skip] = run(cell)
        assert (before.history[1][0], after.history[1][0]) == (4_900_000, 4_800_000)
    assert report[True] == report[False]


def test_periods_are_kept_as_fractions_of_a_second() -> None:
    cell = Cell()
    film = cell.add("film", Sensor(RULER, every=float(Fraction(10, 182))))
    run(cell)
    assert (film.samples, film.next_sample) == (183, math.floor(183 * 1e7 / 182) / 1e6)


# ---------------------------------------------------------------- on and off


def test_switched_off_it_keeps_its_value_and_switched_on_it_goes_on_with_its_grid() -> None:
    cell = Cell()
    passing_part(cell)
    ruler = cell.add("ruler", Sensor(RULER, phase=50 * ms))
    cell.kernel.at(4_900_000, ruler.deactivate)
    cell.kernel.at(7_777_000, ruler.activate)
    assert ruler.next_sample == 0.05
    report = run(cell)
    assert [(t, value) for t, value, _ in ruler.history[1:]] == [(4_750_000, 0.25), (7_850_000, 0.5)]
    assert [entry[:1] + entry[3:] for entry in report if entry[1] == "sensor"] == [
        (4.9, {"state": "inactive"}),
        (7.777, {"state": "active"}),
    ]
    assert ruler.samples == 49 + 22  # 0.05 … 4.85 and 7.85 … 9.95
    assert ruler.active


def test_a_sensor_made_inactive_takes_no_sample() -> None:
    cell = Cell()
    cell.add("roof", Body(Box(1, 1, 0.1), at=(0, 0, 0.3)))
    ruler = cell.add("ruler", Sensor(RULER, active=False))
    run(cell)
    assert (ruler.samples, ruler.next_sample, ruler.value) == (0, None, 0.5)
    assert ruler.reading.distance == pytest.approx(0.25, abs=1e-12)  # asked, it looks


def test_delayed_values_are_published_although_the_sensor_was_switched_off() -> None:
    cell = Cell()
    passing_part(cell)
    ruler = cell.add("ruler", Sensor(RULER, delay=300 * ms))
    cell.kernel.at(4_900_000, ruler.deactivate)
    run(cell)
    assert [(t, value) for t, value, _ in ruler.history[1:]] == [(5_100_000, 0.25)]


def test_a_sensor_goes_with_the_part_it_is_mounted_on() -> None:
    cell = Cell()
    cell.add("roof", Body(Box(0.1, 1, 0.1), at=(0, 0, 0.6)))
    part = passing_part(cell)
    ruler = cell.add("ruler", Sensor(RULER, on=part.name))
    cell.kernel.at(7_000_000, lambda: cell.world.remove(part))
    report = run(cell)
    # The roof is 250 mm above the middle of the part while that is between -50 and 50 mm: 4.725 s to 5.225 s.
    assert [(t, value) for t, value, _ in ruler.history[1:]] == [(4_800_000, 0.25), (5_300_000, 0.5)]
    assert (7.1, "sensor", "ruler", {"state": "inactive"}) in report


# ---------------------------------------------------------------- programs


def test_a_program_waits_for_a_sensor_as_for_any_signal() -> None:
    cell = Cell()
    passing_part(cell)
    near = cell.add("near", Sensor(RULER, output=Output(kind="boolean", below=300 * mm)))
    seen: list[float] = []

    @cell.program
    def main(near: "Sensor[bool]") -> None:
        wait(near)
        seen.append(cell.time)
        wait(~near)
        seen.append(cell.time)

    assert cell.run().outcome.ending == "finished"
    assert (seen, near.reading.on) == ([4.8, 5.3], False)


@pytest.mark.parametrize("chosen", [False, True])
def test_a_sensor_that_nothing_can_reach_any_more_does_not_prevent_a_deadlock(chosen: bool) -> None:
    for speed, ending, time in ((0.2, "finished", 4_800_000), (-0.2, "deadlock", 0)):
        cell = Cell(chooser=ReplayingChooser() if chosen else None)
        passing_part(cell, speed)
        near = cell.add("near", Sensor(RULER, output=Output(kind="boolean", below=300 * mm)))
        cell.add("noisy", Sensor(RULER, at=(0, 5, 0), noise=Noise(sigma=1 * mm)))
        cell.program(lambda near=near: wait(near), name="main")
        outcome = cell.run(until=20 * s).outcome
        assert (outcome.ending, outcome.time) == (ending, time)


def test_an_arm_touches_the_table_and_stops_at_the_sample_that_feels_it() -> None:
    cell = Cell("touch down")
    table = cell.add("table", Body(Box(600 * mm, 400 * mm, 20 * mm)))
    part = cell.add(
        "block", Body(Box(40 * mm, 40 * mm, 30 * mm), material="beech", on=table.name, at=(100 * mm, 50 * mm))
    )
    arm = cell.add("arm", Robot("ur5-like", gripper="two-finger", at=(-300 * mm, 0, 0)))
    touch = cell.add("wrist-force", Sensor("wrist-force", on=arm.flange.name))
    looks = counted(touch)
    hits = []

    @cell.program
    def place() -> None:
        arm.pick(part)
        arm.move(above(table, 80 * mm))
        hits.append(arm.move_linear(above(table, -5 * mm), speed=10 * mm / s, until=touch.exceeds(5 * N)))
        arm.gripper.open()

    assert cell.run().outcome.ending == "finished"
    (hit,) = hits
    # The hand holds the block by its middle: it meets the table (its top at 10 mm) with the tool at 25 mm. A sample is
    # 10 ms, 0.1 mm, 2 N at 20 kN/m: the first above 5 N is at a depth between 0.25 and 0.35 mm.
    depth = 25 * mm - hit.pose.z
    assert hit
    assert hit.time * 100 == pytest.approx(round(hit.time * 100), abs=1e-9)
    assert 0.25 * mm < depth < 0.36 * mm
    felt = [value for t, value, _ in touch.history if t <= round(hit.time * 1e6)]
    assert felt[-1] == pytest.approx(depth * 20e3, abs=0.051)  # in steps of 0.1 N
    assert [b - a for a, b in pairwise(felt[1:])] == pytest.approx([2.0, 2.0], abs=1e-9)
    assert touch.history[-1][1] == 0.0  # after its release, the block no longer presses on the hand
    assert len(looks) < 0.8 * touch.samples


# ---------------------------------------------------------------- noise, and what lines miss


def test_noise_belongs_to_the_number_of_a_sample_not_to_how_many_were_taken() -> None:
    values = []
    for active in (True, False):
        cell = Cell(seed=5)
        cell.add("roof", Body(Box(1, 1, 0.1), at=(0, 0, 0.3)))
        ruler = cell.add("ruler", Sensor(RULER, noise=Noise(sigma=1 * mm), active=active))
        looks = counted(ruler)
        cell.kernel.at(5_050_000, ruler.activate)
        run(cell)
        assert len(looks) == 1  # sensor and roof are at rest: only the noise differs
        values.append([(t, value) for t, value, _ in ruler.history if t > 5_050_000])
    assert values[0] == values[1]
    assert len(values[0]) == 50
    assert max(abs(value - 0.25) for _, value in values[0]) < 4 * mm


def test_nothing_detected_is_not_noisy() -> None:
    cell = Cell()
    ruler = cell.add("ruler", Sensor(RULER, noise=Noise(sigma=1 * mm)))
    run(cell)
    assert len(ruler.history) == 1


def test_a_body_that_no_line_hits_is_reported_once() -> None:
    for skip in (True, False):
        cell = Cell()
        cell.add("roof", Body(Box(1, 1, 0.1), at=(0, 0, 1)))
        pin = cell.add("pin", Body(Sphere(5 * mm), at=(0.1, 0, 0.4)))
        model = SensorModel(type="range", volume=Beam(500 * mm, 20 * deg), trace_lines=TraceLines(count=1))
        cell.add("eye", Sensor(model, skip=skip))
        cell.kernel.at(2_050_000, lambda cell=cell, pin=pin: cell.world.place(pin, Pose(3, 0, 0)))
        cell.kernel.at(3_050_000, lambda cell=cell, pin=pin: cell.world.place(pin, Pose(0.1, 0, 0.3)))
        report = run(cell)
        said = [(t, fields) for t, kind, subject, fields in report if kind == "sensor"]
        assert said == [(0.0, {"missed": "pin"}), (3.1, {"missed": "pin"})]


# ---------------------------------------------------------------- mounting


@pytest.mark.parametrize(("ignore", "reads"), [((), 0.25), (("roof",), 0.5), (("ro*",), 0.5)])
def test_it_sees_neither_itself_nor_its_mount_nor_what_it_ignores(ignore: tuple[str, ...], reads: float) -> None:
    cell = Cell()
    cell.add("roof/tile", Body(Box(1, 1, 0.1), at=(0, 0, 0.3)))
    post = cell.add("post", Body(Box(0.02, 0.02, 0.2), at=(0, 0, 0.1)))
    ruler = cell.add("sensor", Sensor(RULER, on=post.name, at=(0, 0, -0.1), shape=Sphere(0.03), ignore=ignore))
    assert ruler.reading.value == reads


def test_mistakes_are_reported_before_anything_is_made() -> None:
    cell = Cell()
    with pytest.raises(FieldError, match="unknown sensor 'honeywel-942'"):
        cell.add("honeywel-942", Sensor("honeywel-942"))
    with pytest.raises(TypeError, match="evry"):
        cell.add("sensor", Sensor(RULER, evry=1.0))
    with pytest.raises(FieldError, match="hysteresis"):
        cell.add("sensor", Sensor(RULER, hysteresis="3 s"))
    with pytest.raises(UnknownName, match="body 'tabel'"):
        cell.add("sensor", Sensor(RULER, ignore=["tabel"]))
    cell.signal("ruler", 1.0)
    with pytest.raises(KernelError, match="a signal 'ruler' already exists"):
        cell.add("ruler", Sensor(RULER))
    assert not cell.sensors
    assert not cell.world.bodies


def test_programs_ask_for_sensors_by_name() -> None:
    cell = Cell()
    ruler = cell.add("ruler", Sensor(RULER, on=cell.add("post", Body()).name))
    assert cell.offered()["ruler"] is ruler
    assert (ruler.body.parent, ruler.body.name) == (cell.body("post"), "ruler")


def test_a_contact_sensor_with_nothing_to_touch_is_refused_before_the_run() -> None:
    cell = Cell("nothing to touch")
    with pytest.raises(FieldError) as caught:
        cell.add("bump", Sensor(SensorModel(type="contact")))
    assert caught.value.what == "contact sensor 'bump' has neither a volume nor a shape that could be touched"
    assert "bump" not in cell.world.bodies
    assert "bump" not in cell.kernel.signals
    cell.add("bump", Sensor(SensorModel(type="contact"), shape=Sphere(0.01)))


def test_a_factor_of_a_material_that_is_not_known_is_refused_with_what_may_be_meant() -> None:
    cell = Cell("factors")
    model = SensorModel(type="proximity", senses="metal", volume=Cylinder(9 * mm, 5 * mm), factors={"bras": 0.5})
    with pytest.raises(FieldError, match=r"sensor 'eye' use the unknown material 'bras'") as caught:
        cell.add("eye", Sensor(model))
    assert "'brass'" in str(caught.value)
