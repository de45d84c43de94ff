"""The functions ATTACH knows by name, and how each reads its arguments."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from drycell.base import ProgramError
from drycell.languages.emula.functions.chance import LinearChance, Sometime, Stream
from drycell.languages.emula.functions.contact import FORMS, TOLERANCE, Contact, Form
from drycell.languages.emula.functions.function import SensorFunction
from drycell.languages.emula.functions.query import Query, Questions
from drycell.languages.emula.holding import Holding
from drycell.languages.emula.names import Names
from drycell.languages.emula.vicinity import Vicinity


class Kit(Protocol):
    """What functions are made of."""

    @property
    def names(self) -> Names:
        """Who is who."""

    @property
    def holding(self) -> Holding:
        """Who is held."""

    @property
    def sight(self) -> Vicinity:
        """How near things are, as sensors see them."""

    @property
    def questions(self) -> Questions:
        """Where QUERY's answers come from."""

    @property
    def unit(self) -> float:
        """Metres in a unit of length, for arguments that are lengths."""


_LARGEST: Final = 1e300  # beyond that sums of numbers are no numbers any more

Maker = Callable[[Kit, Stream, Sequence[object]], SensorFunction]


def contact(kit: Kit, stream: Stream, arguments: Sequence[object]) -> SensorFunction:
    """(a, b), (a), or either with a form and its number: contact,finger1,parta,volume,2."""
    words = [str(each) for each in arguments]
    form_at = next((k for k, word in enumerate(words) if k and word.casefold() in FORMS and _is_text(arguments[k])), -1)
    bodies = words if form_at < 0 else words[:form_at]
    rest = [] if form_at < 0 else list(arguments[form_at + 1 :])
    if not 1 <= len(bodies) <= 2 or len(rest) > 1 or not all(_is_text(each) for each in arguments[: len(bodies)]):
        raise ProgramError(
            f"CONTACT takes one or two bodies and a form, not ({', '.join(words)})",
            hint=f"contact,finger1,parta or contact,beam; forms are {', '.join(FORMS)}",
        )
    form: Form = next((each for each in FORMS if form_at >= 0 and each == words[form_at].casefold()), "any")
    number = number_of("CONTACT", rest[0]) if rest else 1.0
    if form in ("surface", "penetration"):
        number = number * kit.unit if rest else TOLERANCE
    a = kit.names.node(bodies[0])
    b = kit.names.node(bodies[1]) if len(bodies) > 1 else None
    return Contact(kit.sight, kit.holding.pairs, a, b, form, number, kit.unit)


def random(kit: Kit, stream: Stream, arguments: Sequence[object]) -> SensorFunction:
    """(n, p1, pn)."""
    if len(arguments) != 3:
        raise ProgramError(
            f"RANDOM takes three numbers, not {len(arguments)}",
            hint="cycles, first and last probability: random,6,.1,.8",
        )
    n, p1, pn = (number_of("RANDOM", each) for each in arguments)
    if n != int(n):
        raise ProgramError(f"RANDOM rises over a whole number of cycles, not {n:g}", hint="random,6,.1,.8")
    return LinearChance(stream, int(n), p1, pn)


def sometime(kit: Kit, stream: Stream, arguments: Sequence[object]) -> SensorFunction:
    """(), or (p)."""
    if len(arguments) > 1:
        raise ProgramError(f"SOMETIME takes a probability or nothing, not {len(arguments)} arguments")
    return Sometime(stream, number_of("SOMETIME", arguments[0])) if arguments else Sometime(stream)


def query(kit: Kit, stream: Stream, arguments: Sequence[object]) -> SensorFunction:
    """()."""
    if arguments:
        raise ProgramError(f"QUERY takes no arguments, not {len(arguments)}", hint="attach (1,query)")
    return Query(kit.questions)


BUILT_IN: Final[dict[str, Maker]] = {"contact": contact, "query": query, "random": random, "sometime": sometime}


def number_of(function: str, value: object) -> float:
    """An argument that must be a finite number."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST:
        return float(value)
    raise ProgramError(f"{function} needs a number, not {value!r}")


def _is_text(value: object) -> bool:
    return isinstance(value, str)
