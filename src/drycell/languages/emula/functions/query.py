"""QUERY: the user is asked for the value, once a cycle."""

import math
from collections.abc import Callable, Iterator
from typing import Final

from drycell.base import ProgramError
from drycell.languages.emula.functions.function import Answer, Reads, SensorFunction
from drycell.languages.emula.functions.look import Look

LIMIT: Final = ("limit", "the limit", "l")
NO_CHANGE: Final = ("", "no change", "nochange", "none", "n")


class Questions:
    """Where answers come from: a list in batch, a person at the console; each is put down in the journal."""

    def __init__(
        self,
        answers: Iterator[str] | None,
        ask: Callable[[str], str] | None,
        note: Callable[[str], None],
        echo: Callable[[str], None],
    ) -> None:
        self._answers, self._ask, self._note, self._echo = answers, ask, note, echo
        self._taken = 0

    def value(self, look: Look) -> float:
        """The value a sensor is set to: a number, the limit, or what it was."""
        prompt = f"sensor {look.sensor}, cycle {look.cycle}, limit {look.limit:g}: value, limit, or no change? "
        while True:
            given = self._next(look, prompt)
            found = understood(given, look)
            if found is not None:
                self._note(f"QUERY {look.sensor}: {given.strip() or 'no change'}")
                return found
            mistake = f"{given.strip()!r} is no value for sensor {look.sensor}"
            if self._ask is None:
                raise ProgramError(
                    f"answer {self._taken}: {mistake}", hint="each answer is a number, 'limit' or 'no change'"
                )
            self._echo(f"{mistake}: give a number, 'limit', or nothing for no change")

    def _next(self, look: Look, prompt: str) -> str:
        if self._answers is not None:
            given = next(self._answers, None)
            if given is not None:
                self._taken += 1
                return given
        if self._ask is None:
            raise ProgramError(
                f"QUERY of sensor {look.sensor} needs answer {self._taken + 1} in cycle {look.cycle}, "
                f"but there are only {self._taken}",
                hint="add a line to the file of answers, or detach the sensor",
            )
        try:
            return self._ask(prompt)
        except EOFError:
            raise ProgramError(
                f"QUERY of sensor {look.sensor} was not answered", hint="answer it, or detach the sensor"
            ) from None


class Query(SensorFunction):
    """Asks in every cycle of a move that watches its sensor; in other moves the value stays."""

    name = "query"
    reads = Reads.WHEN_WATCHED

    def __init__(self, questions: Questions) -> None:
        super().__init__()
        self._questions = questions

    def read(self, look: Look) -> Answer:
        value = self._questions.value(look)
        return Answer(value, f"answered {value:g}")

    def describe(self) -> str:
        return "query"


def understood(given: str, look: Look) -> float | None:
    """What an answer means; None if nothing."""
    text = given.strip().casefold()
    if text in LIMIT:
        return look.limit
    if text in NO_CHANGE:
        return look.last
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
