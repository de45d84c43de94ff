"""Fuzzy objects: sensors see boundaries redrawn within tolerances; everything else sees the nominal ones."""

import pytest

from drycell import Body, Cylinder
from drycell.base import ProgramError, inch
from drycell.languages.emula import SensorGuard


def test_sensors_see_the_redrawn_boundary_and_collision_checks_the_nominal_one(start) -> None:
    heights = set()
    for seed in range(8):
        session = start(seed=seed, model="hand", clearance=0.0)
        emulation = session.emulation

        def program(emulation=emulation, session=session) -> None:
            emulation.set_cycle(0.005)  # 0.02 in a cycle
            emulation.set_fuzzy("parta", (0, 0, 0.3 * inch))
            emulation.redraw()
            emulation.attach(1, "contact", ["finger1", "parta"])
            emulation.set_collision_check(True, "finger1", "parta")
            emulation.move_to({"x": -2 * inch, "y": 10 * inch, "z": 5 * inch})
            report = emulation.move_by({"z": -3 * inch}, SensorGuard((1,), 10))
            assert report.tripped == 1
            drawn = emulation.proximity.placed(session.body("parta"), session.cell.kernel.now)
            top = drawn.pose.z + drawn.shape.z / 2
            assert 2.75 * inch <= top <= 3.35 * inch
            assert 0 <= top - emulation.position[2] <= 0.02 * inch + 1e-9
            assert bool(emulation.collisions) == (session.inches["z"] <= 3.05)

        session.run(program)
        heights.add(session.inches["z"])
    assert len(heights) == 8


def test_it_is_nominal_until_redrawn_and_exact_without_tolerance(session) -> None:
    emulation, parta = session.emulation, session.body("parta")
    emulation.set_fuzzy("parta", (0.1 * inch, 0.1 * inch, 0.1 * inch))
    assert emulation.proximity.placed(parta, 0).shape is parta.shape
    emulation.redraw("parta")
    assert emulation.proximity.placed(parta, 0).shape is not parta.shape
    emulation.set_fuzzy("parta", (0, 0, 0))
    assert emulation.proximity.placed(parta, 0).shape is parta.shape


def test_other_shapes_are_stretched(session) -> None:
    session.cell.add("can", Body(Cylinder(1 * inch, 4 * inch), at=(0.5, 0.5, 0.5)))
    session.emulation.set_fuzzy("can", (0.1 * inch, 0.1 * inch, 0.5 * inch))
    session.emulation.redraw("can")
    lower, upper = session.emulation.fuzzy.shape(session.body("can")).bounds
    for low, high, size, play in zip(lower, upper, (2, 2, 4), (0.1, 0.1, 0.5), strict=True):
        assert low == pytest.approx(-size / 2 * inch, abs=play * inch)
        assert high == pytest.approx(size / 2 * inch, abs=play * inch)
        assert high - low != pytest.approx(size * inch)


def test_the_same_seed_draws_the_same_boundaries(start) -> None:
    drawn = []
    for seed in (1, 1, 2):
        emulation = start(seed=seed).emulation
        emulation.set_fuzzy("parta", (0.01, 0.01, 0.01))
        emulation.redraw()
        emulation.redraw()
        body = emulation.names.node("parta").body
        drawn.append((emulation.fuzzy.shape(body).key, emulation.fuzzy.offset(body)))
    assert drawn[0] == drawn[1] != drawn[2]


def test_mistakes_are_named(session) -> None:
    with pytest.raises(ProgramError, match="no body is fuzzy"):
        session.emulation.redraw()
    with pytest.raises(ProgramError, match="'parta' is not fuzzy"):
        session.emulation.redraw("parta")
    with pytest.raises(ProgramError, match=r"along z is 50\.800 mm, but must be .* below half its size, 29\.210 mm"):
        session.emulation.set_fuzzy("parta", (0, 0, 2 * inch))
