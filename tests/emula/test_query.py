"""QUERY asks once a cycle for a value, the limit, or no change; in a batch run, the answers come from a list."""

import pytest

from drycell.base import ProgramError, inch
from drycell.languages.emula import SensorGuard


def test_each_answer_is_a_cycle_and_the_limit_trips(start) -> None:
    session = start(answers=["3", "no change", " 9.5 ", "", "limit", "7"])
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "query")
        emulation.move_by({"z": 1 * inch})  # no guard watches, so there is no question
        report = emulation.move_by({"z": 8 * inch}, SensorGuard((1,), 10))
        assert (report.cycles, report.tripped, report.value, report.what) == (5, 1, 10.0, "answered 10")
        assert emulation.sensors[1] == 10.0

    session.run(program)
    answers = [r.fields["text"] for r in session.cell.kernel.journal.records if r.kind == "answer"]
    assert answers == ["QUERY 1: 3", "QUERY 1: no change", "QUERY 1: 9.5", "QUERY 1: no change", "QUERY 1: limit"]


def test_no_change_keeps_a_value_that_is_above_the_limit(start) -> None:
    session = start(answers=["12", "", ""])
    emulation = session.emulation

    def program() -> None:
        emulation.attach(1, "query")
        assert emulation.move_by({"z": 1 * inch}, SensorGuard((1,), 10)).cycles == 1
        assert emulation.move_by({"z": 1 * inch}, SensorGuard((1,), 10)).cycles == 1

    session.run(program)


def test_the_end_of_the_answers_is_an_error_and_the_session_goes_on(start) -> None:
    session = start(answers=["1", "2"])
    emulation = session.emulation

    def program() -> None:
        emulation.attach(3, "query")
        message = "QUERY of sensor 3 needs answer 3 in cycle 3, but the file has only 2"
        with pytest.raises(ProgramError, match=message):
            emulation.move_by({"z": 8 * inch}, SensorGuard((3,), 10))
        assert session.inches["z"] == pytest.approx(3 + 3 * 0.4)
        emulation.detach(3)
        emulation.move_by({"z": 1 * inch}, SensorGuard((3,), 10))

    session.run(program)


def test_an_invalid_answer_is_reported_in_batch(start) -> None:
    session = start(answers=["1", "many"])

    def program() -> None:
        session.emulation.attach(1, "query")
        with pytest.raises(ProgramError, match="answer 2: 'many' is not a value for sensor 1"):
            session.emulation.move_by({"z": 8 * inch}, SensorGuard((1,), 10))

    session.run(program)


def test_at_the_console_a_person_is_asked_again(start) -> None:
    typed = iter(["many", "nan", "limit"])
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return next(typed)

    session = start(ask=ask)

    def program() -> None:
        session.emulation.attach(1, "query")
        assert session.emulation.move_by({"z": 8 * inch}, SensorGuard((1,), 10)).cycles == 1

    session.run(program)
    assert prompts == ["sensor 1, cycle 1, limit 10: value, limit, or no change? "] * 3
    assert session.lines[0] == "'many' is not a value for sensor 1: type a number, 'limit', or nothing for no change"


def test_a_person_may_answer_slowly_and_a_list_answers_at_once(start) -> None:
    assert start(ask=input).cell.kernel.patience is None
    assert start(answers=[]).cell.kernel.patience is not None


def test_a_person_who_leaves_ends_the_move_but_not_the_session(start) -> None:
    def ask(prompt: str) -> str:
        raise EOFError

    session = start(ask=ask)

    def program() -> None:
        session.emulation.attach(1, "query")
        with pytest.raises(ProgramError, match="was not answered"):
            session.emulation.move_by({"z": 8 * inch}, SensorGuard((1,), 10))
        session.emulation.detach(1)
        session.emulation.move_by({"z": 1 * inch})

    session.run(program)


def test_query_takes_no_arguments(session) -> None:
    with pytest.raises(ProgramError, match="QUERY takes no arguments, not 1"):
        session.emulation.attach(1, "query", [3])
