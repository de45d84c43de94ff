"""While the arm is at rest, basic cycles continue as in moves: sensors are sampled, and programs can wait for them."""

import pytest

from drycell.base import ProgramError, inch
from drycell.kernel import delay
from drycell.languages.emula import SensorCall, run_text

POLL = "n: NEW 0; WHILE SENSOR(1) LT {limit} AND n LT 1000 DO BEGIN DELAY(.1); n = n + 1; END; DISPLAY(n, TIME)"


def after(look: SensorCall, t: float) -> float:
    return 10.0 if look.time >= t else 0.0


def test_a_loop_that_polls_a_sensor_sees_its_event(start) -> None:
    session = start(functions={"after": after})
    session.run(lambda: run_text(f"attach (1,after,2)\n{POLL.format(limit=10)}", session.emulation))
    assert session.lines == ["20 2.0"]


def test_functions_are_called_once_per_cycle_of_a_delay_even_across_delays(start) -> None:
    seen: list[tuple[int, float]] = []

    def note(look: SensorCall) -> float:
        seen.append((look.cycle, round(look.time, 6)))
        return 0.0

    session = start(functions={"note": note})
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "note")
        emulation.rest(0.25)
        assert seen == [(1, 0.1), (2, 0.2)]
        emulation.rest(0.05)  # the third cycle began in the first delay
        assert seen[2:] == [(3, 0.3)]
        emulation.move_by({"z": 0.4 * inch})
        assert seen[3:] == [(1, 0.4)]
        emulation.move_to({"z": 3.8 * inch}, wait=False)
        emulation.rest(0.3)
        assert seen[4:] == [(1, 0.5), (1, 0.6), (2, 0.7)]  # of the move, and then at rest
        emulation.wait_move()

    session.run(program)


def test_something_that_moves_while_the_arm_rests_interrupts_a_beam(session) -> None:
    def belt() -> None:
        delay(1.05)
        session.cell.world.translate(session.body("partb"), x=-6 * inch, y=3 * inch, z=0.9 * inch)

    session.cell.program(belt)
    session.run(lambda: run_text(f"attach (1,contact,beam)\n{POLL.format(limit=1)}", session.emulation))
    assert session.lines == ["11 1.1"]


def test_query_asks_once_per_cycle_in_which_the_program_reads_its_sensor(start) -> None:
    session = start(answers=["3", "", "7"])
    text = "attach (1,query)\nDELAY(5)\nDISPLAY(SENSOR(1), SENSOR(1))\nWHILE SENSOR(1) LT 5 DO DELAY(.1)\nDISPLAY(TIME)"
    session.run(lambda: run_text(text, session.emulation))
    assert session.lines == ["3.0 3.0", "5.2"]


def test_random_counts_the_cycles_in_which_it_is_polled(session) -> None:
    session.run(lambda: run_text(f"attach (1,random,4,0,1)\n{POLL.format(limit=1)}", session.emulation))
    (line,) = session.lines
    assert 2 <= int(line.split()[0]) <= 4  # never in the first cycle, always in the fourth


def test_a_guard_and_a_function_watch_a_signal_of_the_cell(start) -> None:
    session = start(functions={"warm": lambda look: 2.0 * look.signal("prox")})
    prox = session.cell.signal("prox", False)
    text = session.cell.signal("text", "a")

    def sensor() -> None:
        delay(0.25)
        prox.set(True)

    def program() -> None:
        run_text("m: NEW MONITOR('prox', 1)\nMOVE(Z, 5, m)\nDISPLAY(QMONITOR(m))", session.emulation)
        run_text("moveup (1) until sensors (prox) exceed (1)", session.emulation)
        run_text("attach (1,signal,prox); attach (2,warm); DELAY(.1); DISPLAY(SENSOR(<1,2>))", session.emulation)
        with pytest.raises(ProgramError, match="signal 'text' has the value 'a', which is not a number"):
            session.emulation.attach(1, "signal", ["text"])
        assert text.value == "a"

    session.cell.program(sensor)
    session.run(program)
    assert session.lines == [
        "  sensor prox exceeded 1 after 3 cycles at Z 4.200: prox is 1",
        "1",
        "  sensor prox exceeded 1 after 1 cycle at Z 4.533: prox is 1",
        "<1.0,2.0>",
    ]


def test_a_second_fall_at_the_same_instant_starts_at_rest(session) -> None:
    falls = []

    def program() -> None:
        for _ in range(2):
            session.emulation.translate("partb", z=5 * inch)
            falls.append(session.emulation.support("table", "partb").seconds)

    session.run(program)
    assert falls == [pytest.approx((2 * 5 * inch / 9.80665) ** 0.5, abs=2e-6)] * 2
