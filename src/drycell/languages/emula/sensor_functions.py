"""Sensor functions: what ATTACH can attach to a sensor. Each returns one real value per basic cycle.

Users add their own as Python functions::

    def warmth(look, body, gain=1.0):
        return gain / max(look.distance("hand", body), 0.001)

After ``attach (4, warmth, parta, 2)`` it is called in each basic cycle, during moves and at rest, with a
:class:`SensorCall` and the arguments. It returns the value of the sensor.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

from drycell.base import DrycellError, Pose, ProgramError, Vector
from drycell.geometry import TOUCH
from drycell.kernel import seconds
from drycell.languages.emula.bodies import NamedBodies, Pairs, short
from drycell.languages.emula.proximity import Proximity
from drycell.world import LiveBody

if TYPE_CHECKING:
    from drycell.languages.emula.emulation import Emulation


@dataclass(frozen=True, slots=True)
class SensorCall:
    """One reading of a sensor, as a sensor function sees it. Lengths are in metres, angles in radians.

    ``limit`` is the limit that a guard watches the sensor against, and ``last`` the value that the function returned
    last. ``cycle`` counts the basic cycles of the move, or since the last move, from 1; ``tick`` is cell time in
    microseconds.
    """

    sensor: int
    limit: float
    last: float
    cycle: int
    tick: int
    emulation: "Emulation"

    @property
    def time(self) -> float:
        """Cell time in seconds."""
        return seconds(self.tick)

    @property
    def motors(self) -> Mapping[str, float]:
        """The motor values by name."""
        return self.emulation.motors

    @property
    def position(self) -> Vector:
        """The position of the point between the fingertips."""
        return self.emulation.position

    @property
    def random(self) -> Random:
        """The sensor's random stream. Use no other, or runs cannot be repeated."""
        return self.emulation.random_stream(self.sensor)

    def touching(self, a: str, b: str | None = None) -> bool:
        """Whether two bodies touch, or one touches anything. Contacts within the grasped group are ignored."""
        emulation = self.emulation
        pairs = emulation.grasped.pairs(emulation.names.node(a), None if b is None else emulation.names.node(b))
        return emulation.proximity.within(pairs, emulation.cell.kernel.now, TOUCH) is not None

    def distance(self, a: str, b: str) -> float:
        """The distance between two bodies; negative is the depth of an overlap, infinite if they have no solids."""
        emulation = self.emulation
        pairs = emulation.grasped.pairs(emulation.names.node(a), emulation.names.node(b))
        now = emulation.cell.kernel.now
        return min((emulation.proximity.depth(x, y, now) for x, y in pairs), default=float("inf"))

    def signal(self, name: str) -> Any:
        """The value of a signal of the cell, such as the output of one of its sensors."""
        return self.emulation.cell.kernel.signal_named(name).value

    def pose(self, name: str) -> Pose:
        """The pose of a body in the world."""
        return self.emulation.cell.world.pose(self.emulation.names.node(name).body)


class ReadWhen(Enum):
    """When to call a sensor function.

    * ``ASKED``: its value depends only on the world. It is called in moves that watch its sensor, and when the value is
    requested.
    * ``WATCHED``: it causes an event that only a watcher can notice. It is called in each cycle of a move
      that watches its sensor, and at rest once in each cycle in which the program reads the sensor.
    * ``EVERY_CYCLE``: it may depend on anything. It is called in each cycle, during moves and at rest.
    """

    ASKED = "when asked"
    WATCHED = "when watched"
    EVERY_CYCLE = "every cycle"


class SensorValue(NamedTuple):
    """A value, and its cause as text."""

    value: float
    what: str = ""


NOTHING = SensorValue(0.0)


class SensorFunction(ABC):
    """A function attached to one sensor. ``answer`` is its last result."""

    name: str
    read_when: ReadWhen = ReadWhen.EVERY_CYCLE

    def __init__(self) -> None:
        self.answer = NOTHING

    def begin(self, cycles: int, watched: bool) -> None:  # noqa: B027  # most functions need nothing here
        """A move of ``cycles`` basic cycles begins; ``watched`` is whether its guard watches this sensor."""

    @abstractmethod
    def read(self, look: SensorCall) -> SensorValue:
        """Return the value now."""

    def quiet_until(self, tick: int, end: int) -> int:
        """The first tick after ``tick`` at which the value can differ from 0 if all motions continue.

        It is later than ``end`` if the value stays 0 until then, and the next tick if nothing is known.
        """
        return tick + 1

    @abstractmethod
    def describe(self) -> str:
        """The arguments of ATTACH for this function, without the sensor."""


class SignalFunction(SensorFunction):
    """The value of a signal of the cell, such as the output of one of its sensors; TRUE is 1."""

    name = "signal"

    def __init__(self, emulation: "Emulation", signal: str) -> None:
        super().__init__()
        self._signal = emulation.cell.kernel.signal_named(signal)
        if not isinstance(self._signal.value, int | float):
            raise ProgramError(
                f"signal {signal!r} has the value {self._signal.value!r}, which is not a number",
                hint="a sensor can read a signal that is TRUE or FALSE, or a number",
            )

    def read(self, look: SensorCall) -> SensorValue:
        value = float(self._signal.value)
        return SensorValue(value, f"{self._signal.name} is {value:g}")

    def describe(self) -> str:
        return f"signal,{self._signal.name}"


UserFunction = Callable[..., float]


class FromUser(SensorFunction):
    """A Python function of the user."""

    def __init__(self, name: str, function: UserFunction, arguments: Sequence[object]) -> None:
        super().__init__()
        self.name, self._function, self._arguments = name, function, tuple(arguments)

    def read(self, look: SensorCall) -> SensorValue:
        try:
            value = self._function(look, *self._arguments)
        except DrycellError:
            raise
        except Exception as error:
            raise ProgramError(
                f"sensor function {self.name!r} of sensor {look.sensor} failed: {type(error).__name__}: {error}",
                hint="it is called as function(look, *arguments) and returns a number",
            ) from error
        if not isinstance(value, int | float) or not math.isfinite(value):
            raise ProgramError(
                f"sensor function {self.name!r} of sensor {look.sensor} returned {value!r}",
                hint="return a finite number",
            )
        return SensorValue(float(value), f"{self.name} gives {value:g}")

    def describe(self) -> str:
        return ",".join((self.name, *(str(argument) for argument in self._arguments)))


LIMIT: Final = ("limit", "the limit", "l")
NO_CHANGE: Final = ("", "no change", "nochange", "none", "n")


class QueryAnswers:
    """The answers to QUERY: from a list, or from a person at the console. Each is written to the journal."""

    def __init__(
        self,
        answers: Iterator[str] | None,
        ask: Callable[[str], str] | None,
        note: Callable[[str], None],
        echo: Callable[[str], None],
    ) -> None:
        self._answers, self._ask, self._note, self._echo = answers, ask, note, echo
        self._taken = 0

    def value(self, look: SensorCall) -> float:
        """Ask for the value of a sensor: a number, the limit, or no change."""
        prompt = f"sensor {look.sensor}, cycle {look.cycle}, limit {look.limit:g}: value, limit, or no change? "
        while True:
            given = self._next(look, prompt)
            found = understood(given, look)
            if found is not None:
                self._note(f"QUERY {look.sensor}: {given.strip() or 'no change'}")
                return found
            mistake = f"{given.strip()!r} is not a value for sensor {look.sensor}"
            if self._ask is None:
                raise ProgramError(f"answer {self._taken}: {mistake}", hint="use a number, 'limit' or 'no change'")
            self._echo(f"{mistake}: type a number, 'limit', or nothing for no change")

    def _next(self, look: SensorCall, prompt: str) -> str:
        if self._answers is not None:
            given = next(self._answers, None)
            if given is not None:
                self._taken += 1
                return given
        if self._ask is None:
            raise ProgramError(
                f"QUERY of sensor {look.sensor} needs answer {self._taken + 1} in cycle {look.cycle}, "
                f"but the file has only {self._taken}",
                hint="add a line to the file of answers, or detach QUERY from the sensor",
            )
        try:
            return self._ask(prompt)
        except EOFError:
            raise ProgramError(
                f"QUERY of sensor {look.sensor} was not answered", hint="answer it, or detach QUERY from the sensor"
            ) from None


class QueryFunction(SensorFunction):
    """QUERY: asks in every cycle in which a guard or the program watches its sensor; otherwise nothing changes."""

    name = "query"
    read_when = ReadWhen.WATCHED

    def __init__(self, questions: QueryAnswers) -> None:
        super().__init__()
        self._questions = questions

    def read(self, look: SensorCall) -> SensorValue:
        value = self._questions.value(look)
        return SensorValue(value, f"answered {value:g}")

    def describe(self) -> str:
        return "query"


def understood(given: str, look: SensorCall) -> float | None:
    """The value of an answer; None if it is not a valid answer."""
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


Stream = Callable[[], Random]


class LinearChance(SensorFunction):
    """RANDOM (n, p1, pn): an event in the k-th cycle of a guarded move with a probability that rises linearly.

    p_k = p1 + (pn − p1)(k − 1)/(n − 1) for k ≤ n, and pn after that. Counting restarts with each guarded move that
    watches the sensor, and when the program first polls it after a move. In other moves the value is 0, and no random
    number is drawn.
    """

    name = "random"
    read_when = ReadWhen.WATCHED

    def __init__(self, stream: Stream, n: int, p1: float, pn: float) -> None:
        super().__init__()
        if n < 1:
            raise ProgramError(f"RANDOM cannot rise over {n} cycles", hint="use 1 or more: random,6,.1,.8")
        for name, p in (("first", p1), ("last", pn)):
            if not 0.0 <= p <= 1.0:
                what = f"the {name} probability of RANDOM is {p:g}, which is not in 0..1"
                raise ProgramError(what, hint="random,6,.1,.8")
        self._stream, self.n, self.p1, self.pn = stream, n, p1, pn
        self._count = 0

    def probability(self, k: int) -> float:
        """The probability of an event in the k-th cycle if there was none before."""
        if k >= self.n:
            return self.pn
        return self.p1 + (self.pn - self.p1) * (k - 1) / (self.n - 1)

    def begin(self, cycles: int, watched: bool) -> None:
        self._count, self.answer = 0, NOTHING

    def read(self, look: SensorCall) -> SensorValue:
        self._count += 1
        p = self.probability(self._count)
        if self._stream().random() < p:
            return SensorValue(look.limit, f"event by chance {p:.2f} in cycle {self._count}")
        return NOTHING

    def describe(self) -> str:
        return f"random,{self.n},{self.p1:g},{self.pn:g}"


class Sometime(SensorFunction):
    """SOMETIME (p): with probability p (default 1), an event in one cycle of each guarded move, at random.

    It is the function of the paper's mini-system, which has almost no geometry: an event sometime during each move.
    """

    name = "sometime"
    read_when = ReadWhen.WATCHED

    def __init__(self, stream: Stream, p: float = 1.0) -> None:
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise ProgramError(f"the probability of SOMETIME is {p:g}, which is not in 0..1")
        self._stream, self.p = stream, p
        self._due = self._count = 0

    def begin(self, cycles: int, watched: bool) -> None:
        self._count, self._due, self.answer = 0, 0, NOTHING
        if watched and cycles > 0:
            stream = self._stream()
            comes, when = stream.random() < self.p, stream.randint(1, cycles)
            self._due = when if comes else 0

    def read(self, look: SensorCall) -> SensorValue:
        self._count += 1
        if self._count == self._due:
            return SensorValue(look.limit, f"event by chance in cycle {self._count}")
        return NOTHING

    def describe(self) -> str:
        return "sometime" if self.p == 1.0 else f"sometime,{self.p:g}"


Form = Literal["any", "surface", "penetration", "depth", "volume"]
FORMS: Final = get_args(Form)
TOLERANCE: Final = 25.4e-6  # metres, a thousandth of an inch: a smaller overlap counts as touching


class ContactFunction(SensorFunction):
    """CONTACT: between two bodies, or of one body with anything except its own robot.

    * ``any``: the limit if they touch or overlap.
    * ``surface``: the limit if they touch or overlap by at most the tolerance.
    * ``penetration``: the limit if they overlap by more than the tolerance.
    * ``depth``: ``gain`` times the depth of the overlap, in units of length.
    * ``volume``: ``gain`` times the volume of the overlap, in cubed units of length.
    """

    name = "contact"
    read_when = ReadWhen.ASKED

    def __init__(
        self,
        proximity: Proximity,
        pairs: Callable[[NamedBodies, NamedBodies | None], Pairs],
        a: NamedBodies,
        b: NamedBodies | None = None,
        form: Form = "any",
        number: float = 1.0,
        unit: float = 1.0,
    ) -> None:
        super().__init__()
        self._proximity, self._find = proximity, pairs
        self.a, self.b, self.form = a, b, form
        self._tolerance = number if form in ("surface", "penetration") else TOLERANCE
        self._gain, self._unit = number, unit
        self._margin = max(TOUCH, self._tolerance) if form == "surface" else TOUCH

    def read(self, look: SensorCall) -> SensorValue:
        pairs = self._find(self.a, self.b)
        t = look.tick
        if self.form == "any":
            near = self._proximity.within(pairs, t, TOUCH)
            if near is None:
                return NOTHING
            return SensorValue(look.limit, f"{short(near.a)} touches {short(near.b)}")
        near_pairs = [(a, b) for a, b in pairs if self._proximity.gap(a, b, t, self._margin) <= self._margin]
        if self.form == "volume":
            return self._volume(near_pairs, t)
        best = NOTHING
        for a, b in near_pairs:
            value = self._value(a, b, look)
            if value > best.value:
                how = "touches" if self.form == "surface" else "penetrates"
                best = SensorValue(value, f"{short(a)} {how} {short(b)}")
        return best

    def _volume(self, pairs: Pairs, t: int) -> SensorValue:
        """The volume of the union of all overlaps: where overlaps of two pairs overlap again, it counts once."""
        volume = self._proximity.shared_volume(pairs, t)
        if volume <= 0.0:
            return NOTHING
        a, b = pairs[0]
        what = f"{short(a)} penetrates {short(b)}" if len(pairs) == 1 else f"{len(pairs)} pairs of bodies overlap"
        return SensorValue(self._gain * volume / self._unit**3, what)

    def _value(self, a: LiveBody, b: LiveBody, look: SensorCall) -> float:
        distance = self._proximity.depth(a, b, look.tick)
        if self.form == "surface":
            return look.limit if abs(distance) <= self._margin else 0.0
        if self.form == "penetration":
            return look.limit if distance < -self._tolerance else 0.0
        return self._gain * max(-distance, 0.0) / self._unit

    def quiet_until(self, tick: int, end: int) -> int:
        return self._proximity.clear_until(self._find(self.a, self.b), tick, end, self._margin)

    def describe(self) -> str:
        form = "" if self.form == "any" else f",{self.form}"
        return f"contact,{self.a.name}" + ("" if self.b is None else f",{self.b.name}") + form


_LARGEST: Final = 1e300  # the sum of larger numbers can overflow

Maker = Callable[["Emulation", Stream, Sequence[object]], SensorFunction]


def contact(emulation: "Emulation", stream: Stream, arguments: Sequence[object]) -> SensorFunction:
    """Make CONTACT from (a, b) or (a), with an optional form and number: contact,finger1,parta,volume,2."""
    words = [str(each) for each in arguments]
    form_at = next((k for k, word in enumerate(words) if k and word.casefold() in FORMS and _is_text(arguments[k])), -1)
    bodies = words if form_at < 0 else words[:form_at]
    rest = [] if form_at < 0 else list(arguments[form_at + 1 :])
    if not 1 <= len(bodies) <= 2 or len(rest) > 1 or not all(_is_text(each) for each in arguments[: len(bodies)]):
        raise ProgramError(
            f"CONTACT takes one or two bodies and an optional form, not ({', '.join(words)})",
            hint=f"contact,finger1,parta or contact,beam; forms are {', '.join(FORMS)}",
        )
    form: Form = next((each for each in FORMS if form_at >= 0 and each == words[form_at].casefold()), "any")
    number = number_of("CONTACT", rest[0]) if rest else 1.0
    if form in ("surface", "penetration"):
        number = number * emulation.unit if rest else TOLERANCE
    a = emulation.names.node(bodies[0])
    b = emulation.names.node(bodies[1]) if len(bodies) > 1 else None
    return ContactFunction(emulation.proximity, emulation.grasped.pairs, a, b, form, number, emulation.unit)


def random(emulation: "Emulation", stream: Stream, arguments: Sequence[object]) -> SensorFunction:
    """Make RANDOM from (n, p1, pn)."""
    if len(arguments) != 3:
        raise ProgramError(
            f"RANDOM takes three numbers, not {len(arguments)}",
            hint="give cycles, first and last probability: random,6,.1,.8",
        )
    n, p1, pn = (number_of("RANDOM", each) for each in arguments)
    if n != int(n):
        raise ProgramError(f"RANDOM needs a whole number of cycles, not {n:g}", hint="random,6,.1,.8")
    return LinearChance(stream, int(n), p1, pn)


def sometime(emulation: "Emulation", stream: Stream, arguments: Sequence[object]) -> SensorFunction:
    """Make SOMETIME from () or (p)."""
    if len(arguments) > 1:
        raise ProgramError(f"SOMETIME takes a probability or no argument, not {len(arguments)} arguments")
    return Sometime(stream, number_of("SOMETIME", arguments[0])) if arguments else Sometime(stream)


def query(emulation: "Emulation", stream: Stream, arguments: Sequence[object]) -> SensorFunction:
    """Make QUERY, which takes no arguments."""
    if arguments:
        raise ProgramError(f"QUERY takes no arguments, not {len(arguments)}", hint="attach (1,query)")
    return QueryFunction(emulation.questions)


def signal(emulation: "Emulation", stream: Stream, arguments: Sequence[object]) -> SensorFunction:
    """Make SIGNAL from the name of a signal of the cell."""
    if len(arguments) != 1:
        raise ProgramError(f"SIGNAL takes the name of a signal, not {len(arguments)} arguments", hint="signal,'prox'")
    return SignalFunction(emulation, str(arguments[0]))


BUILT_IN: Final[dict[str, Maker]] = {
    "contact": contact,
    "query": query,
    "random": random,
    "signal": signal,
    "sometime": sometime,
}


def number_of(function: str, value: object) -> float:
    """Check that an argument is a finite number."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST:
        return float(value)
    raise ProgramError(f"{function} needs a number, not {value!r}")


def _is_text(value: object) -> bool:
    return isinstance(value, str)
