"""Sensor functions of the user: their arguments, what they can query, and what they must not return."""

import pytest

from drycell.base import ProgramError, UnknownName, inch
from drycell.languages.emula import SensorCall, SensorGuard


def test_it_is_called_once_a_cycle_with_a_look_and_its_arguments(start) -> None:
    seen: list[tuple[object, ...]] = []

    def spring(look: SensorCall, body: str, gain: float = 1.0) -> float:
        seen.append((look.sensor, look.cycle, look.limit, round(look.time, 6), look.last))
        return gain * look.cycle

    session = start(functions={"Spring": spring})
    emulation = session.emulation

    def program() -> None:
        emulation.attach(2, "SPRING", ["parta", 2.5])
        report = emulation.move_by({"z": 8 * inch}, SensorGuard((2,), 10))
        assert (report.tripped, report.cycles, report.what) == (2, 4, "Spring gives 10")
        assert seen == [(2, 1, 10, 0.1, 0.0), (2, 2, 10, 0.2, 2.5), (2, 3, 10, 0.3, 5.0), (2, 4, 10, 0.4, 7.5)]
        seen.clear()
        emulation.move_by({"z": 1 * inch})  # also when no guard watches
        assert len(seen) == 3

    session.run(program)


def test_queries_of_a_user_function(start) -> None:
    def curious(look: SensorCall) -> float:
        assert look.position == pytest.approx((0, 0, 3.4 * inch))
        assert look.motors["z"] == pytest.approx(3.4 * inch)
        assert look.distance("gripper", "table") == pytest.approx(1.4 * inch)
        assert not look.touching("gripper", "table")
        assert look.touching("finger1", "finger2")
        assert not look.touching("finger1")
        assert look.pose("parta").position == pytest.approx((-2 * inch, 10 * inch, 1.9 * inch))
        return look.random.random()

    session = start(functions={"curious": curious})

    def program() -> None:
        session.emulation.attach(1, "curious")
        session.emulation.move_by({"z": 0.4 * inch})

    session.run(program)
    from drycell.kernel import Streams

    assert session.emulation.sensors[1] == Streams(0).of("sensor 1").random()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "5", None])
def test_it_must_return_a_finite_number(start, value) -> None:
    session = start(functions={"odd": lambda look: value})

    def program() -> None:
        session.emulation.attach(1, "odd")
        with pytest.raises(ProgramError, match=r"'odd' of sensor 1 returned"):
            session.emulation.move_by({"z": 0.4 * inch})

    session.run(program)


def test_an_unknown_function_is_refused_with_what_there_is(start) -> None:
    session = start(functions={"warmth": lambda look: 1.0})
    with pytest.raises(UnknownName) as error:
        session.emulation.attach(1, "zzz")
    assert error.value.hint == "choose one of: 'contact', 'query', 'random', 'signal', 'sometime', 'warmth'"
