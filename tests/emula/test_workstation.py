"""The paper's program does what figures 2 and 3 show, with numbers computed by hand."""

import pytest

from drycell.base import deg, inch
from drycell.languages.emula import SensorGuard

EITHER = SensorGuard((1, 2), 10)


def inches(**moves: float) -> dict[str, float]:
    return {motor: value * inch for motor, value in moves.items()}


def motors(**given: float) -> dict[str, float]:
    """All motors in inches and degrees; those not given are at 0."""
    return dict.fromkeys(("x", "y", "z", "roll", "pitch", "yaw", "gripper"), 0) | given


def test_table_1_step_by_step(session) -> None:
    emulation = session.emulation

    def program() -> None:
        assert session.inches == motors(z=3)
        emulation.attach(1, "contact", ["finger1", "parta"])
        emulation.attach(2, "contact", ["finger2", "parta"])
        # move (-2,10,8): Y has 10 in to go at 4 in/s.
        report = emulation.move_by(inches(x=-2, y=10, z=8))
        assert (report.motors, report.seconds, report.cycles, report.tripped) == (3, 2.5, 25, None)
        assert tuple(round(v / inch, 9) for v in emulation.position) == (-2, 10, 11)
        # movedown (10): 25 sub-moves of 0.4 in; parta's top is at 0.75 + 2.3 = 3.05 in, met after 7.95 in, in the
        # 20th cycle, at whose end the tips are 8 in down.
        report = emulation.move_by(inches(z=-10), EITHER)
        assert (report.cycles, report.seconds) == (20, 2.0)
        assert (report.tripped, report.value, report.what) == (1, 10, "finger1 touches parta")
        assert session.inches["z"] == 3.0
        assert emulation.sensors == {1: 10, 2: 10, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0, 8: 0}
        # open: 3.25 in at 0.4 in/s is 81.25 cycles. Still on top of parta, which is 4 in long that way.
        assert emulation.move_to(inches(gripper=3.25)).cycles == 82
        assert (emulation.sensors[1], emulation.sensors[2]) == (10, 10)
        # rotate (90) at 18 deg/s. Across, parta is 2 in wide, the fingers 3.25 in apart.
        assert emulation.move_by({"roll": 90 * deg}).seconds == 5.0
        assert (emulation.sensors[1], emulation.sensors[2]) == (0, 0)
        # movedown (1) is 2.5 cycles.
        assert emulation.move_by(inches(z=-1)).cycles == 3
        assert session.inches["z"] == 2.0
        # close: 82 sub-moves of 3.25 / 82 in; 1.25 in until 2 in are left is 31.54 of them, so 32 are made.
        report = emulation.move_to(inches(gripper=0), EITHER)
        assert (report.cycles, report.what) == (32, "finger1 touches parta")
        assert session.inches["gripper"] == round(3.25 - 32 * 3.25 / 82, 6)
        emulation.grasp("parta")
        assert session.body("parta").parent is session.body("robot/hand")
        emulation.move_by(inches(z=10))
        assert session.place("parta") == (-2, 10, 0.75 + 1.15 + 10)
        # Inside the grasped group contacts do not count.
        assert (emulation.sensors[1], emulation.sensors[2]) == (0, 0)
        emulation.move_by(inches(x=2, y=-10, z=0))
        assert session.place("parta") == (0, 0, 11.9)
        emulation.attach(3, "contact", ["gripper", "table"])
        # parta's bottom is at 10.75 in, the table's top at 2 in: 8.75 in are 21.875 sub-moves of 0.4 in.
        report = emulation.move_by(inches(z=-10), SensorGuard((1, 2, 3), 10))
        assert (report.cycles, report.tripped, report.what) == (22, 3, "parta touches table")
        assert session.inches["z"] == 3.2
        assert session.place("parta") == (0, 0, round(11.9 - 8.8, 6))

    # 2.5 + 2 + 8.2 + 5 + 0.3 + 3.2 + 2.5 + 2.5 + 2.2 s
    assert session.run(program).duration == pytest.approx(28.4, abs=1e-9)


@pytest.mark.parametrize("model", ["hand", "stylised", "detailed"])
def test_the_position_is_that_of_the_fingertips(start, model) -> None:
    session = start(model=model)
    for finger in ("robot/finger1", "robot/finger2"):
        body = session.body(finger)
        corners = [body.pose.point(corner) for corner in body.shape.bounds]
        assert min(z for _, _, z in corners) == pytest.approx(session.emulation.position[2])


def test_table_2_puts_the_part_into_fingers_that_chance_has_stopped(start) -> None:
    session = start(seed=4)
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "random", [6, 0.1, 0.8])
        emulation.move_by(inches(x=-2, y=10, z=8))
        report = emulation.move_by(inches(z=-10), EITHER)
        assert report.tripped == 1
        assert report.what.startswith("event by chance")
        height = 11 - 0.4 * report.cycles
        assert session.inches["z"] == pytest.approx(height)
        assert height > 3.05  # far above parta, whose size is unknown
        emulation.move_to(inches(gripper=3.25))
        emulation.move_by({"roll": 90 * deg})
        emulation.move_by(inches(z=-1))
        closed = emulation.move_to(inches(gripper=0), EITHER)
        gap = 3.25 - closed.cycles * 3.25 / 82
        emulation.grasp("parta", (1 * inch, 0, 0), "finger1")
        # finger1 is on the side of y after the turn; parta, 2 in wide, is flush with it, its middle at the tips.
        assert session.place("parta") == pytest.approx((-2, 10 + gap / 2 - 1, height - 1), abs=1e-6)
        # It moves with finger1: by half of the opening.
        emulation.move_to(inches(gripper=3.25))
        assert session.place("parta") == pytest.approx((-2, 10 + 1.625 - 1, height - 1), abs=1e-6)

    session.run(program)


@pytest.mark.parametrize("model", ["hand", "stylised", "detailed"])
def test_no_model_touches_anything_it_is_not_meant_to(start, model) -> None:
    session = start(model=model)
    emulation = session.emulation

    def program() -> None:
        for base in ("table", "tray", "partb"):
            emulation.set_collision_check(True, "gripper", base)
        emulation.attach(1, "contact", ["finger1", "parta"])
        emulation.move_by(inches(x=-2, y=10, z=8))
        emulation.move_by(inches(z=-10), SensorGuard((1,), 10))
        emulation.move_to(inches(gripper=3.25))
        emulation.move_by({"roll": 90 * deg})
        emulation.move_by(inches(z=-1))
        emulation.move_to(inches(gripper=0), SensorGuard((1,), 10))

    session.run(program)
    assert list(emulation.collisions) == []
    assert session.inches == motors(x=-2, y=10, z=2, roll=90, gripper=round(3.25 - 32 * 3.25 / 82, 6))
