"""The interview that makes a family: questions one after the other, and a wrong answer is asked for again with why."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, Literal, TypeVar

from drycell.base import (
    Amount,
    DrycellError,
    FieldError,
    Measure,
    Naming,
    Quantity,
    UnitError,
    UnknownName,
    Vector,
    read_with_places,
    render,
)
from drycell.geometry import PosedShape
from drycell.robots.builder import Builder
from drycell.robots.description import SHAPES, FrameSpec, MoveSpec, NodeSpec
from drycell.robots.draft import (
    SOURCE,
    FamilyDraft,
    MotorDraft,
    usual_acceleration,
    usual_jerk,
    usual_speed,
)
from drycell.robots.family import ModelSpec
from drycell.robots.quantity import turns

Ask = Callable[[str], str]
Tell = Callable[[str], None]
T = TypeVar("T")

_VALUE: Final = Measure(("angle", "length"))
_SPEED: Final = Measure(("angular speed", "speed"))
_ACCELERATION: Final = Measure(("angular acceleration", "acceleration"))
_JERK: Final = Measure(("angular jerk", "jerk"))
_AXES: Final = ("x", "y", "z")


class Interview:
    """Asks for all that makes a family. ``answers`` are those given and accepted so far, to go on from later."""

    def __init__(
        self,
        ask: Ask,
        tell: Tell,
        *,
        refused: Callable[[DrycellError], None] | None = None,
        name_check: Callable[[str], None] = lambda name: None,
    ) -> None:
        self._ask, self._tell, self._name_check = ask, tell, name_check
        self._refused = refused or self._told
        self.answers: list[str] = []

    def question(self, text: str, read: Callable[[str], T], default: str | None = None) -> T:
        """The answer to a question, read; what cannot be read is told and asked for again.

        Without an answer the default counts, which is shown in brackets.
        """
        shown = f"{text} [{default}]: " if default else f"{text}: "
        while True:
            given = self._ask(shown).strip()
            try:
                value = read(given or default or "")
            except DrycellError as error:
                self._refused(error)
                continue
            self.answers.append(given)
            return value

    def _told(self, error: DrycellError) -> None:
        self._tell(f"  {error.what}" + (f"; {error.hint}" if error.hint else ""))

    def family(self) -> FamilyDraft:
        """The whole interview."""
        self._tell(
            "Names are letters, digits, '_', '-' and '.'; lengths and angles have units, such as 150 mm, 90 deg."
        )
        name = self.question("Name of the family", self._new_family)
        title = self.question("What it is, in a few words (may stay empty)", str)
        source = self.question("Where its numbers come from", str, SOURCE)
        motors = self._motors()
        sensors = self.question("How many sensors it has, numbered from 1", _count, "8")
        nodes = self._nodes(motors)
        flange = self._flange(nodes)
        cycle = self.question("Basic cycle", Quantity("time", above=0.0).take, "20 ms")
        home = self._home(motors)
        models = self._model(nodes)
        return FamilyDraft(
            family=name,
            title=title,
            source=source,
            motors=motors,
            sensors=sensors,
            nodes=nodes,
            flange=flange,
            cycle=cycle,
            home=home,
            models=models,
        )

    # ---------------------------------------------------------------- motors

    def _motors(self) -> dict[str, MotorDraft]:
        motors: dict[str, MotorDraft] = {}
        while True:
            name = self.question(*_next("Motor", motors, "motors"))
            if not name:
                return motors
            limits = self.question(f"{name}: limits, such as -200 mm, 200 mm or -90 deg, 90 deg", _limits)
            turning = bool(turns(limits[0]))
            speed = self.question(f"{name}: top speed", _amount(_SPEED, turning), _shown(usual_speed(limits)))
            acceleration = self.question(
                f"{name}: acceleration", _amount(_ACCELERATION, turning), _shown(usual_acceleration(speed))
            )
            jerk = self.question(f"{name}: jerk", _amount(_JERK, turning), _shown(usual_jerk(acceleration)))
            motors[name] = MotorDraft(limits=limits, speed=speed, acceleration=acceleration, jerk=jerk)

    def _home(self, motors: dict[str, MotorDraft]) -> tuple[Amount, ...]:
        limits = [(_VALUE.check(motor.limits[0]), _VALUE.check(motor.limits[1])) for motor in motors.values()]
        near = [Amount(min(max(0.0, low), high), low.dimension) for low, high in limits]

        def read(text: str) -> tuple[Amount, ...]:
            values = [_VALUE.take(part) for part in _parts(text)]
            if len(values) != len(motors):
                raise FieldError(f"{len(values)} values for {len(motors)} motors", hint=f"give {', '.join(motors)}")
            for value, name, (low, high) in zip(values, motors, limits, strict=True):
                if turns(value) != turns(low) or not low <= value <= high:
                    raise FieldError(f"{name} cannot be there", hint=f"its limits are {_shown(low)}, {_shown(high)}")
            return tuple(values)

        return self.question("Where the motors start", read, ", ".join(map(_shown, near)))

    # ---------------------------------------------------------------- nodes

    def _nodes(self, motors: dict[str, MotorDraft]) -> dict[str, NodeSpec]:
        nodes: dict[str, NodeSpec] = {}
        self._tell("Nodes are the parts that every model must have, each after the one it hangs on.")
        while True:
            moving = {move.by for node in nodes.values() for move in node.moves}
            idle = [motor for motor in motors if motor not in moving]
            name = self.question(*_next("Node", nodes, "nodes", taken=("base",), idle=idle))
            if not name:
                return nodes
            on = self.question(f"{name}: hangs on", _one_of("node", ["base", *nodes]), next(reversed(nodes), "base"))
            at, rpy = self._place(name)
            text = f"{name}: moved by, as motor axis [ratio], several with ';' (empty if by none)"
            moves = self.question(text, lambda given: _moves(given, motors))
            nodes[name] = NodeSpec(on=on, at=at, rpy=rpy, moves=moves)

    def _place(self, name: str) -> tuple[Vector, Vector]:
        at = self.question(f"{name}: at", lambda text: _three(text, "length"), "0 mm, 0 mm, 0 mm")
        return at, self.question(
            f"{name}: turned by roll, pitch, yaw", lambda text: _three(text, "angle"), "0 deg, 0 deg, 0 deg"
        )

    def _flange(self, nodes: dict[str, NodeSpec]) -> FrameSpec:
        on = self.question("The flange is on", _one_of("node", ["base", *nodes]), next(reversed(nodes)))
        at, rpy = self._place("flange")
        return FrameSpec(on=on, at=at, rpy=rpy)

    # ---------------------------------------------------------------- a model

    def _model(self, nodes: dict[str, NodeSpec]) -> dict[str, ModelSpec]:
        text = "Name of the first model (empty for an outline drawn from the nodes)"
        name = self.question(text, lambda given: Naming().check(given) if given else "")
        if not name:
            return {}
        self._tell("Solids are written as in robot files: box: [50 mm, 40 mm, 30 mm], at: [0 mm, 0 mm, 15 mm]")
        base = self._solids("base")
        return {name: ModelSpec(nodes={node: self._solids(node) for node in nodes}, base=base)}

    def _solids(self, node: str) -> tuple[PosedShape, ...]:
        pieces: list[PosedShape] = []
        while True:
            piece = self.question(f"{node}: solid {len(pieces) + 1} (empty when there are no more)", _piece)
            if piece is None:
                return tuple(pieces)
            pieces.append(piece)

    def _new_family(self, text: str) -> str:
        name = Naming().check(text)
        self._name_check(name)
        return name


# ---------------------------------------------------------------- reading answers


def _next(
    kind: str, known: Iterable[str], several: str, taken: Iterable[str] = (), idle: Sequence[str] = ()
) -> tuple[str, Callable[[str], str]]:
    """The question for one more name, which may be none once there is one."""
    names = list(known)

    def read(text: str) -> str:
        if not text and names and idle:
            raise FieldError(f"motor {idle[0]!r} moves no node yet", hint="name another node, which it moves")
        if not text and names:
            return ""
        if not text:
            raise FieldError(f"there must be {several}", hint=f"name one {kind.lower()} at least")
        name = Naming().check(text)
        if name in names or name in taken:
            raise FieldError(f"there is already a {kind.lower()} {name!r}", hint="give it another name")
        return name

    ending = f" (empty when there are no more {several})" if names else ""
    return f"{kind} {len(names) + 1}, its name{ending}", read


def _limits(text: str) -> tuple[Amount, Amount]:
    parts = _parts(text)
    if len(parts) != 2:
        raise FieldError(f"two limits are wanted, but there are {len(parts)}", hint="write -200 mm, 200 mm, say")
    low, high = (_VALUE.take(part) for part in parts)
    if turns(low) != turns(high):
        raise UnitError("one limit is an angle and the other a length", hint="write both in deg, or both in mm")
    if not low < high:
        raise FieldError("the lower limit is at or above the upper one", hint="write the lower one first")
    return low, high


def _amount(kind: Measure, turning: bool) -> Callable[[str], Amount]:
    def read(text: str) -> Amount:
        value = kind.take(text)
        if turns(value) != turning:
            wanted = kind.dimensions[0] if turning else kind.dimensions[1]
            raise UnitError(f"the motor {'turns' if turning else 'slides'}", hint=f"write an answer for {wanted}")
        if not value > 0.0:
            raise FieldError(f"{text!r} must be above 0", hint="write how much it can do at most")
        return value

    return read


def _shown(value: Amount) -> str:
    return render(value, value.dimension or "length")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) > 1000:
        raise FieldError(f"{text!r} is no whole number up to 1000", hint="write 8, say")
    return int(text)


def _one_of(kind: str, known: list[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in known:
            raise UnknownName(kind, text, known)
        return text

    return read


def _three(text: str, dimension: str) -> Vector:
    parts = _parts(text)
    if len(parts) != 3:
        example = "10 mm, 0 mm, 50 mm" if dimension == "length" else "0 deg, 90 deg, 0 deg"
        raise FieldError(f"three values are wanted, but there are {len(parts)}", hint=f"write {example}, say")
    x, y, z = (Quantity(dimension).take(0 if part == "0" else part) for part in parts)
    return (x, y, z)


def _moves(text: str, motors: Iterable[str]) -> tuple[MoveSpec, ...]:
    found = []
    for part in (each.strip() for each in text.split(";")):
        words = part.split()
        if not words:
            continue
        if len(words) not in (2, 3) or words[1] not in _AXES:
            raise FieldError(f"{part!r} is no motor and axis", hint="write 'lift z', or 'gripper x -0.5' with a ratio")
        motor = _one_of("motor", list(motors))(words[0])
        ratio = Quantity("ratio").take(words[2]) if len(words) == 3 else 1.0
        axis: Literal["x", "y", "z"] = "x" if words[1] == "x" else "y" if words[1] == "y" else "z"
        found.append(MoveSpec(by=motor, axis=axis, ratio=ratio))
    return tuple(found)


def _piece(text: str) -> PosedShape | None:
    """A solid in the words of a robot file, tried out."""
    if not text:
        return None
    inner = text[1:-1] if text.startswith("{") and text.endswith("}") else text
    piece, root = read_with_places(PosedShape, f"{{{inner}}}", "answer", SHAPES)
    with Builder("answer", root, None).placing():
        piece.placed(Path())
    return piece


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]
