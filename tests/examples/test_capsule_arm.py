"""The arm of capsules agrees with the closed form, in its distances and in the times of contact."""

import importlib.util
from pathlib import Path
from random import Random

import pytest

from drycell.cell import CellSource

FOLDER = Path(__file__).parents[2] / "examples" / "37_capsule_arm"


@pytest.fixture
def exact():
    """The closed form of the example: the least distance of the links from the bar, at joint values."""
    spec = importlib.util.spec_from_file_location("sweep", FOLDER / "sweep.py")
    sweep = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sweep)

    def distances(joints):
        return {
            link: sweep.segments(spine, sweep.bar()) - radius - sweep.BAR[1]
            for link, spine, radius in sweep.links(*joints)
        }

    return distances


def test_distances_agree_to_a_nanometre_in_a_thousand_configurations(exact) -> None:
    cell = CellSource.find(FOLDER).build()
    arm, stream, apart = cell.robots["arm"], Random(3), 0
    for _ in range(1000):
        arm.put((stream.uniform(-3.0, 3.0), stream.uniform(-2.5, 2.5)))
        for link, distance in exact(arm.joints).items():
            found = cell.scene.distance(f"arm/{link}", "bar")
            assert (found > 0.0) == (distance > 0.0)
            if distance > 0.0:
                apart += 1
                assert found == pytest.approx(distance, abs=1e-9)
    assert 1000 < apart < 2000  # both cases occur


def test_contacts_begin_when_the_closed_form_reaches_zero(exact) -> None:
    cell = CellSource.find(FOLDER).build()
    result = cell.run()
    linkage = cell.robots["arm"].linkage
    for found in result.collisions:
        link, tick = found.a.rpartition("/")[2], found.time
        assert exact(linkage.joints(tick - 1000))[link] > 0.0  # the collision checks run every millisecond
        assert exact(linkage.joints(tick))[link] <= 0.0
    touched, last = 0, {"upper": 1.0, "lower": 1.0}
    for tick in range(0, round(cell.time * 1e6), 1000):
        now = exact(linkage.joints(tick))
        touched += sum(last[link] > 0.0 >= now[link] for link in now)
        last = now
    assert touched == len(result.collisions) == 3
