"""CONTACT: whether bodies touch, and in its richer forms how much.

The paper's function tells contact from no contact and returns the sensor's limit. It suggests the others: a value
proportional to the volume of the interference, and surface contact told from penetration.
"""

from collections.abc import Callable
from typing import Final, Literal, get_args

from drycell.geometry import TOUCH
from drycell.languages.emula.functions.function import NOTHING, Answer, Reads, SensorFunction
from drycell.languages.emula.functions.look import Look
from drycell.languages.emula.holding import Pairs
from drycell.languages.emula.names import Node, short
from drycell.languages.emula.vicinity import Vicinity
from drycell.world import LiveBody

Form = Literal["any", "surface", "penetration", "depth", "volume"]
FORMS: Final = get_args(Form)
TOLERANCE: Final = 25.4e-6  # metres, a thousandth of an inch: what overlaps by no more only touches


class Contact(SensorFunction):
    """Contact between two nodes, or of one with anything that is not its robot.

    * ``any``: the limit, if they touch or overlap.
    * ``surface``: the limit, if they touch and overlap by no more than the tolerance.
    * ``penetration``: the limit, if they overlap by more than the tolerance.
    * ``depth``: ``gain`` times the depth of the overlap, in units of length.
    * ``volume``: ``gain`` times the volume of the overlap, in units of length cubed.
    """

    name = "contact"
    reads = Reads.WHEN_ASKED

    def __init__(
        self,
        vicinity: Vicinity,
        pairs: Callable[[Node, Node | None], Pairs],
        a: Node,
        b: Node | None = None,
        form: Form = "any",
        number: float = 1.0,
        unit: float = 1.0,
    ) -> None:
        super().__init__()
        self._vicinity, self._find = vicinity, pairs
        self.a, self.b, self.form = a, b, form
        self._tolerance = number if form in ("surface", "penetration") else TOLERANCE
        self._gain, self._unit = number, unit
        self._margin = max(TOUCH, self._tolerance) if form == "surface" else TOUCH

    def read(self, look: Look) -> Answer:
        pairs = self._find(self.a, self.b)
        t = look.tick
        if self.form == "any":
            near = self._vicinity.within(pairs, t, TOUCH)
            if near is None:
                return NOTHING
            return Answer(look.limit, f"{short(near.a)} touches {short(near.b)}")
        best = NOTHING
        for a, b in pairs:
            if self._vicinity.gap(a, b, t, self._margin) <= self._margin:
                value = self._measure(a, b, look)
                if value > best.value:
                    how = "touches" if self.form == "surface" else "penetrates"
                    best = Answer(value, f"{short(a)} {how} {short(b)}")
        return best

    def _measure(self, a: LiveBody, b: LiveBody, look: Look) -> float:
        if self.form == "volume":
            return self._gain * self._vicinity.interference(a, b, look.tick).volume / self._unit**3
        distance = self._vicinity.depth(a, b, look.tick)
        if self.form == "surface":
            return look.limit if abs(distance) <= self._margin else 0.0
        if self.form == "penetration":
            return look.limit if distance < -self._tolerance else 0.0
        return self._gain * max(-distance, 0.0) / self._unit

    def quiet_until(self, tick: int, end: int) -> int:
        return self._vicinity.clear_until(self._find(self.a, self.b), tick, end, self._margin)

    def describe(self) -> str:
        form = "" if self.form == "any" else f",{self.form}"
        return f"contact,{self.a.name}" + ("" if self.b is None else f",{self.b.name}") + form
