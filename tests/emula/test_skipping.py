"""Skipped sensor samples would not have differed: a session without skipping gives the same result, and repeats."""

import random

import pytest

from drycell import Body, Box
from drycell.base import deg, inch
from drycell.languages.emula import SensorGuard

LOW = {"x": -8, "y": -14, "z": 0.5, "gripper": 0.0}
HIGH = {"x": 8, "y": 14, "z": 12, "gripper": 3.2}


def wander(session, seed: int) -> None:
    """Guarded moves at random in a crowded cell, with grasps, releases, shifts, fuzzy parts and exchanged models."""
    emulation, r = session.emulation, random.Random(seed)
    for number in range(12):
        size = [r.uniform(0.5, 3) * inch for _ in range(3)]
        at = (r.uniform(-8, 8) * inch, r.uniform(-12, 12) * inch, r.uniform(0.5, 6) * inch)
        session.cell.add(f"block{number}", Body(Box(*size), at=at))
    parts = ["parta", "partb", *(f"block{number}" for number in range(12))]
    reports: list[object] = []
    session.reports = reports

    def program() -> None:
        for sensor in range(1, 5):
            emulation.attach(sensor, "contact", [r.choice(["finger1", "finger2", "gripper"]), r.choice(parts)])
        emulation.attach(5, "contact", ["gripper"])
        emulation.attach(6, "random", [30, 0.0, 0.05])
        emulation.attach(7, "contact", ["beam"])
        emulation.attach(8, "contact", ["gripper", r.choice(parts), "volume", 40])
        for _ in range(4):
            emulation.set_collision_check(True, r.choice(["finger1", "hand", "robot"]), r.choice(parts))
        for _ in range(25):
            what = r.random()
            if what < 0.1:
                emulation.grasp(r.choice(parts))
            elif what < 0.2 and emulation.held:
                emulation.release()
            elif what < 0.3:
                emulation.translate(r.choice(parts), *(r.uniform(-2, 2) * inch for _ in range(3)))
            elif what < 0.35:
                part = r.choice(parts)
                emulation.set_fuzzy(part, (0.1 * inch, 0.1 * inch, 0.1 * inch))
                emulation.redraw(part)
            elif what < 0.4:
                emulation.exchange_model(r.choice(["hand", "stylised", "detailed"]))
            emulation.set_speed(r.choice([0.1, 0.3, 1.0]))
            target = {motor: r.uniform(LOW[motor], HIGH[motor]) * inch for motor in LOW}
            target |= {turn: r.uniform(-80, 80) * deg for turn in ("roll", "pitch", "yaw")}
            guard = None if r.random() < 0.3 else SensorGuard(tuple(r.sample(range(1, 9), 3)), 10)
            reports.append(emulation.move_to(target, guard))
            reports.append(emulation.sensors)
            reports.append(emulation.motors)

    session.run(program)


@pytest.mark.parametrize("seed", range(6))
def test_skipping_makes_no_difference(start, seed) -> None:
    quick, slow, again = start(seed=seed), start(seed=seed, look_every_cycle=True), start(seed=seed)
    for session in (quick, slow, again):
        wander(session, seed)
    assert quick.reports == slow.reports == again.reports
    assert quick.lines == slow.lines
    assert quick.cell.kernel.journal.sha256() == slow.cell.kernel.journal.sha256() == again.cell.kernel.journal.sha256()
    assert any(getattr(each, "tripped", None) for each in quick.reports)


def test_another_seed_is_another_session(start) -> None:
    one, other = start(seed=1), start(seed=2)
    for session in (one, other):
        wander(session, 1)
    assert one.reports != other.reports
