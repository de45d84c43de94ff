"""Two recordings are compared: equal ones agree, and of unequal ones the first difference is described."""

from pathlib import Path

import numpy as np
import pytest

from drycell.base import Pose
from drycell.geometry import Box, Sphere
from drycell.kernel import Kernel, delay
from drycell.record import LiveRecord
from drycell.recording import Difference, Header, Recording, RecordingWriter, compare
from drycell.robots import Drive, Joint, Link, Mark, Mechanism
from drycell.world import Fall, JointTrajectory, Linkage, LiveBody, Sampled, Travel, World

SECOND = 1_000_000

USUAL = {
    "seed": 1,
    "size": 0.05,
    "speed": 0.1,
    "height": 1.0,
    "limit": 3.0,
    "reach": 0.5,
    "level": 0.5,
    "note": "fine",
    "parts": 2,
    "grip": 0.01,
    "tumble": 0.25,
    "extra": False,
    "ending": "finished",
}


@pytest.fixture
def recorded(tmp_path: Path):
    """A run of 1 s per part, with the given differences."""
    count = 0

    def record(**changes: object) -> Recording:
        nonlocal count
        count += 1
        how = {**USUAL, **changes}
        kernel = Kernel(how["seed"])
        world = World(kernel)
        belt = world.add(LiveBody("belt", Box(1, 0.2, 0.02)))
        mechanism = Mechanism(
            "one axis",
            joints=(Joint("turn", "revolute", -how["limit"], how["limit"], 1.0, 1.0, 10.0),),
            links=(Link("hand", -1, Pose(0, 0, 1), (Drive(0, "revolute"),)),),
            flange=Mark(0),
        )
        linkage = Linkage(world, "arm", mechanism, world.add(LiveBody("arm")), [LiveBody("arm/hand")], [0.0])
        world.add_linkage(linkage)
        world.add_workpoint("grip", belt, Pose(how["grip"], 0, 0))
        level = kernel.signal("level", 0.0)
        writer = RecordingWriter(
            tmp_path / f"{count}.dry", world, LiveRecord(kernel, world).signals, Header("demo", how["seed"])
        )

        def program() -> None:
            for number in range(how["parts"]):
                part = world.add(LiveBody(f"part{number}", Sphere(how["size"]), part=True), belt)
                delay(0.25)
                world.move(part, Travel(kernel.now, kernel.now + SECOND, Pose(), (how["speed"], 0, 0)), belt)
                reach = how["reach"] * (-1) ** number
                here = linkage.joints()[0]
                coefficients = [[[here], [0.0], [3 * reach], [-2 * reach]]]
                linkage.follow(JointTrajectory(kernel.now, np.array([0.0, 1.0]), np.array(coefficients)))
                delay(0.25)
                level.set(how["level"] + number)
                world.move(part, Fall(kernel.now, kernel.now + SECOND, Pose(0, 0, how["height"])))
                delay(0.25)
                world.move(part, Sampled([kernel.now, kernel.now + 5], [Pose(), Pose(how["tumble"], 0, 0)]))
                kernel.journal.write("note", f"part{number}", text=how["note"])
                delay(0.25)
            if how["extra"]:
                world.place(world.body("part0"), Pose(5, 5, 5))

        kernel.spawn(program)
        outcome = kernel.run()
        for each in kernel.journal.records:
            writer.record(each)
        writer.close(outcome.time, {"ending": how["ending"]})
        return Recording.open(writer.path)

    return record


def test_equal_runs_agree(recorded):
    assert compare(recorded(), recorded()) is None


@pytest.mark.parametrize(
    ("change", "time", "kind", "subject", "what", "values"),
    [
        ({"seed": 2}, None, "run", "demo", "seed", ("1", "2")),
        ({"size": 0.06}, None, "body", "part0", "shape", ("sphere 0.05", "sphere 0.06")),
        ({"limit": 2.0}, None, "linkage", "arm", "is a different mechanism", ("arm", "arm")),
        ({"speed": 0.2}, 250_000, "motion", "part0", "velocity x in m/s", ("0.1", "0.2")),
        ({"height": 2.0}, 500_000, "motion", "part0", "z in m", ("1.0", "2.0")),
        ({"tumble": 0.5}, 750_000, "motion", "part0", "x in m of sample 1", ("0.25", "0.5")),
        (
            {"reach": 0.6},
            250_000,
            "joints",
            "arm",
            "coefficient 2 of joint 0 in piece 0",
            ("1.5", "1.7999999999999998"),
        ),
        ({"level": 0.75}, 500_000, "signal", "level", "value", ("0.5", "0.75")),
        ({"parts": 3}, 2 * SECOND, "body", "part2", "is only in one of the runs", ("not there", "there")),
        (
            {"ending": "until"},
            2 * SECOND,
            "ending",
            "demo",
            "outcome",
            ("{'ending': 'finished'}", "{'ending': 'until'}"),
        ),
    ],
)
def test_the_first_difference_is_found(recorded, change, time, kind, subject, what, values):
    found = compare(recorded(), recorded(**change))
    assert found == Difference(time, kind, subject, what, *values)


def test_a_difference_in_a_workpoint_is_reported_by_its_place(recorded):
    found = compare(recorded(), recorded(grip=0.02))
    assert (found.time, found.kind, found.subject, found.what) == (None, "workpoint", "grip", "is elsewhere")
    assert found.recorded.startswith("Pose(10.000, 0.000, 0.000 mm")


def test_a_journal_line_is_reported_by_its_number_and_both_texts(recorded):
    found = compare(recorded(), recorded(note="bad"))
    assert (found.time, found.kind, found.subject) == (750_000, "journal", "part0")
    assert found.recorded == "0.750000  part0           note        text=fine"
    assert found.replayed == "0.750000  part0           note        text=bad"
    assert found.what.startswith("line ")


def test_an_extra_motion_is_a_difference_at_its_start(recorded):
    found = compare(recorded(), recorded(extra=True))
    assert (found.time, found.kind, found.subject) == (2 * SECOND, "motion", "part0")
    assert found.what == "continues only in one of the runs"
    assert found.recorded == "nothing more"
    assert found.replayed == "start in µs 2000000, attached to the world, motion Rest, rotation, entry 0 1.0"


def test_motions_are_reported_before_the_journal(recorded):
    """At 0.5 s both the level and the fall differ, at 0.25 s the speed: the earliest is the cause."""
    found = compare(recorded(), recorded(speed=0.2, level=0.75, note="bad"))
    assert (found.time, found.kind) == (250_000, "motion")
    found = compare(recorded(), recorded(height=2.0, level=0.75))
    assert (found.time, found.kind) == (500_000, "motion")


def test_differences_within_the_tolerance_are_ignored(recorded):
    one, other = recorded(), recorded(speed=0.1 + 1e-12, level=0.5 + 1e-12)
    assert compare(one, other) is not None
    assert compare(one, other, tolerance=1e-9) is None


def test_a_difference_is_printed_on_three_lines(recorded):
    assert str(compare(recorded(), recorded(speed=0.2))) == (
        "at 0.250000 s, motion 'part0': velocity x in m/s\n  recorded: 0.1\n  replayed: 0.2"
    )
    assert str(compare(recorded(), recorded(seed=2))).startswith("from the start, run 'demo': seed\n")
