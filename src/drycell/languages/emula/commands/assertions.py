"""Assertions: what the emulation is told about the physical world, and changes to its model."""

from typing import TYPE_CHECKING

from drycell.base import Vector
from drycell.languages.emula.invocation import Invocation
from drycell.languages.emula.routine import routine
from drycell.languages.emula.values import Refusal

if TYPE_CHECKING:
    from drycell.languages.emula.assertion import Landing


@routine(
    "grasp", "grasp (body) [at (x,y,z)] [from (finger1)]", group="assertions", arguments=(1, 1), clauses=("at", "from")
)
def grasp(call: Invocation) -> None:
    """Says that a body is grasped: it moves with the hand, or with the node named by FROM, put AT a place of it."""
    at = None if call.clauses.at is None else _lengths(call, call.vector(call.clauses.at, "AT"))
    from_ = None if call.clauses.from_ is None else call.as_name(call.clauses.from_, 0)
    call.session.emulation.grasp(call.name(0), at, from_)


@routine("release", "release [(body)]", group="assertions", arguments=(0, 1))
def release(call: Invocation) -> None:
    """Says that a body, or whatever is grasped, is let go: it stays where it is until SUPPORT says otherwise."""
    call.session.emulation.release(call.name(0) if len(call) else None)


@routine("support", "support (base, body[, <0,0,-1>])", group="assertions", arguments=(2, 5))
def support(call: Invocation) -> None:
    """Says that a base supports a body: if they do not touch, the body falls, in the direction given, until they do."""
    direction = call.vector(call.arguments[2:], "a direction") if len(call) > 2 else (0.0, 0.0, -1.0)
    if not any(direction):
        raise Refusal("a direction cannot be zero", "down is <0,0,-1>")
    _landed(call, call.session.emulation.support(call.name(0), call.name(1), direction))


@routine(
    "translate",
    "translate (body, dx, dy, dz)",
    "translate (body, axis, distance)",
    group="assertions",
    arguments=(3, 4),
)
def translate(call: Invocation) -> None:
    """Shifts a body of the model by three lengths, or along one axis."""
    body = call.name(0)
    if len(call) == 4:
        shift = _lengths(call, call.vector(call.arguments[1:], "the lengths"))
    else:
        axis, distance = call.name(1).lower(), call.number(2) * call.session.measure.length
        if axis not in ("x", "y", "z"):
            raise Refusal(f"there is no axis {axis!r}", "axes are x, y and z")
        shift = (distance * (axis == "x"), distance * (axis == "y"), distance * (axis == "z"))
    call.session.emulation.translate(body, *shift)


@routine("setfuzzy", "setfuzzy (body, tx, ty, tz)", group="assertions", arguments=(2, 4))
def setfuzzy(call: Invocation) -> None:
    """Gives a body boundaries that sensors see elsewhere, within so much along x, y and z; 0,0,0 ends it."""
    call.session.emulation.set_fuzzy(call.name(0), _lengths(call, call.vector(call.arguments[1:], "tolerances")))


@routine("redraw", "redraw [(body)]", group="assertions", arguments=(0, 1))
def redraw(call: Invocation) -> None:
    """Draws the boundaries of a fuzzy body, or of all of them, anew."""
    call.session.emulation.redraw(call.name(0) if len(call) else None)


@routine("merge", "merge (body)", group="assertions", arguments=(1, 1))
def merge(call: Invocation) -> None:
    """Makes one indivisible body of a body and all its solids and holes."""
    call.session.emulation.merge(call.name(0))


def _landed(call: Invocation, landing: "Landing") -> None:
    if landing.on is None:
        text = f"{landing.body} fell out of the cell"
    elif landing.seconds > 0:
        text = f"{landing.body} fell for {landing.seconds:.3f} s and rests on {landing.on}"
    else:
        text = f"{landing.body} rests on {landing.on}"
    call.session.say(f"  {text}", journal=True)


def _lengths(call: Invocation, vector: Vector) -> Vector:
    unit = call.session.measure.length
    return (vector[0] * unit, vector[1] * unit, vector[2] * unit)
