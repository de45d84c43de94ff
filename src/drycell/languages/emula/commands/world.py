"""Sensors and the functions attached to them; assertions about the physical world, and changes to its model."""

from typing import TYPE_CHECKING

from drycell.base import Vector
from drycell.languages.emula.routines import Invocation, routine
from drycell.languages.emula.values import Monitor, Value
from drycell.languages.kit import StatementError

if TYPE_CHECKING:
    from drycell.languages.emula.assertions import Landing


@routine(
    "attach",
    "attach (sensor, contact, finger1, parta)",
    "attach (sensor, random, 6, .1, .8)",
    "attach (sensor, query)",
    "attach (sensor, signal, 'prox')",
    group="sensors",
    arguments=(2, None),
)
def attach(call: Invocation) -> None:
    """Attaches a function to a sensor, in place of the one it has. It computes the value once per basic cycle."""
    arguments = [call.name_or_value(place) for place in range(2, len(call))]
    call.session.emulation.attach(call.integer(0), call.name(1).lower(), arguments)


@routine("detach", "detach (sensor[, function])", group="sensors", arguments=(1, 2))
def detach(call: Invocation) -> None:
    """Detaches the function of a sensor, which then reads 0."""
    call.session.emulation.detach(call.integer(0), call.name(1).lower() if len(call) > 1 else None)


@routine("sensor", "SENSOR(number)", group="sensors", arguments=(1, 1), gives=True)
def sensor(call: Invocation) -> Value:
    """Returns the last value of a sensor, or an aggregate of values for an aggregate of numbers."""
    return _read(call, call.value(0))


@routine("sensio", "SENSIO(number)", "SENSIO('signal'[, value])", group="sensors", arguments=(1, 2), gives=True)
def sensio(call: Invocation) -> Value:
    """Reads a sensor by number, or a signal of the cell by name. With a value it sets the signal."""
    what = call.name_or_value(0)
    if isinstance(what, str):
        return _signal(call, what)
    if len(call) > 1:
        raise StatementError(
            "a sensor cannot be set", "use attach (1,query) to enter its values, or name a signal with a string"
        )
    return _read(call, what)


@routine(
    "monitor", "MONITOR(sensors, limit)", "MONITOR('signal', limit)", group="sensors", arguments=(2, 2), gives=True
)
def monitor(call: Invocation) -> Value:
    """Returns a guard as a value. MOVE, DMOVE and AMOVE stop when one of its sensors is at the limit or above it."""
    session = call.session
    made = Monitor(len(session.monitors) + 1, call.sensors([call.arguments[0]]), call.number(1))
    if len(session.monitors) >= 10_000:
        raise StatementError("the limit is 10000 monitors", "create them once, not in a loop")
    session.monitors.append(made)
    return made


@routine("qmonitor", "QMONITOR(monitor)", group="sensors", arguments=(1, 1), gives=True)
def qmonitor(call: Invocation) -> Value:
    """Returns 1 if the monitor stopped the last move it was given to, otherwise 0; for an aggregate, one for each."""
    return _asked(call, call.value(0))


@routine("endmonitor", "ENDMONITOR(monitor)", group="sensors", arguments=(1, 1))
def endmonitor(call: Invocation) -> None:
    """Ends a monitor, or an aggregate of them. Moves no longer accept it."""
    value = call.value(0)
    for each in value if isinstance(value, tuple) else (value,):
        if not isinstance(each, Monitor):
            raise call.refuse(0, "a monitor", each)
        each.ended = True


def _asked(call: Invocation, value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(_asked(call, each) for each in value)
    if not isinstance(value, Monitor):
        raise call.refuse(0, "a monitor", value)
    return int(value.tripped)


def _read(call: Invocation, value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(_read(call, each) for each in value)
    number = call.as_number(value, 0)
    if number != int(number) or number < 1:
        raise StatementError(f"sensor {number:g} does not exist", "sensors are numbered 1, 2, …")
    return call.session.emulation.poll(int(number))


def _signal(call: Invocation, name: str) -> Value:
    signal = call.session.emulation.cell.kernel.signal_named(name)
    if len(call) > 1:
        value = call.value(1)
        if not isinstance(value, (int, float, str)):
            raise call.refuse(1, "a number or a string", value)
        signal.set(type(signal.value)(value) if isinstance(signal.value, (bool, int, float)) else value)
    found = signal.value
    if isinstance(found, bool):
        return int(found)
    return found if isinstance(found, (int, float, str)) else str(found)


@routine(
    "grasp", "grasp (body) [at (x,y,z)] [from (finger1)]", group="assertions", arguments=(1, 1), clauses=("at", "from")
)
def grasp(call: Invocation) -> None:
    """Attaches a body to the hand, or to the body named by FROM; AT places it at an offset first."""
    at = None if call.clauses.at is None else _lengths(call, call.vector(call.clauses.at, "AT"))
    from_ = None if call.clauses.from_ is None else call.as_name(call.clauses.from_, 0)
    name = call.name(0)
    if call.session.emulation.grasp(name, at, from_):
        return
    call.session.say(f"  {name} is not a loose part of the cell, but moves with the robot now", journal=True)


@routine("release", "release [(body)]", group="assertions", arguments=(0, 1))
def release(call: Invocation) -> None:
    """Detaches a body, or everything that is grasped. It stays where it is until SUPPORT lets it fall."""
    call.session.emulation.release(call.name(0) if len(call) else None)


@routine("support", "support (base, body[, <0,0,-1>])", group="assertions", arguments=(2, 5))
def support(call: Invocation) -> None:
    """Supports a body by a base. Unless they touch, the body falls in the given direction until it hits something."""
    direction = call.vector(call.arguments[2:], "a direction") if len(call) > 2 else (0.0, 0.0, -1.0)
    if not any(direction):
        raise StatementError("a direction cannot be zero", "down is <0,0,-1>")
    _landed(call, call.session.emulation.support(call.name(0), call.name(1), direction))


@routine(
    "translate",
    "translate (body, dx, dy, dz[, frame])",
    "translate (body, axis, distance[, frame])",
    group="assertions",
    arguments=(3, 5),
)
def translate(call: Invocation) -> None:
    """Shifts a body along the axes of what carries it, or of a frame: world, own, or a body; shows where it is then."""
    body, axis = call.name(0), call.axis(1)
    if axis is not None:
        distance, rest = call.number(2) * call.session.units.length, 3
        shift = (distance * (axis == "x"), distance * (axis == "y"), distance * (axis == "z"))
    else:
        if len(call) == 3:
            raise StatementError(f"{call.name(1)!r} is not an axis", "axes are x, y and z")
        rest = 4
        shift = _lengths(call, call.vector(call.arguments[1:rest], "a shift"))
    if len(call) > rest + 1:
        raise StatementError("translate takes at most one frame, after the distances", call.routine.usage[0])
    call.session.emulation.translate(body, *shift, frame=call.name(rest) if len(call) > rest else None)
    _place(call, body, None)


@routine("where", "where (body[, frame])", group="assertions", arguments=(1, 2))
def where(call: Invocation) -> None:
    """Shows where the origin of a body is and how it is turned about x, y and z: in the world, or seen from a body."""
    _place(call, call.name(0), call.name(1) if len(call) > 1 else None)


def _place(call: Invocation, body: str, frame: str | None) -> None:
    session = call.session
    name, carrier, pose = session.emulation.place(body, frame)
    units = session.units
    x, y, z = (f"{round(value / units.length, 3) + 0.0:.3f}" for value in pose.position)
    turned = ", ".join(f"{round(value / units.angle, 2) + 0.0:g}" for value in pose.rpy)
    seen = "" if frame is None else f", seen from {frame}"
    on = "" if carrier is None else f", carried by {carrier}"
    text = f"  {name} is at X {x} Y {y} Z {z}, turned {turned} {units.angle_name}{seen}{on}"
    session.say(text, journal=True)


@routine("setfuzzy", "setfuzzy (body, tx, ty, tz)", group="assertions", arguments=(2, 4))
def setfuzzy(call: Invocation) -> None:
    """Makes the boundaries that sensors see of a body uncertain, by tolerances along x, y and z; 0,0,0 ends it."""
    call.session.emulation.set_fuzzy(call.name(0), _lengths(call, call.vector(call.arguments[1:], "setfuzzy")))


@routine("redraw", "redraw [(body)]", group="assertions", arguments=(0, 1))
def redraw(call: Invocation) -> None:
    """Draws new random boundaries of a fuzzy body, or of all of them."""
    call.session.emulation.redraw(call.name(0) if len(call) else None)


@routine("merge", "merge (body)", group="assertions", arguments=(1, 1))
def merge(call: Invocation) -> None:
    """Merges a body and all its solids and holes into one indivisible body."""
    call.session.emulation.merge(call.name(0))


def _landed(call: Invocation, landing: "Landing") -> None:
    if landing.on is None:
        text = f"{landing.body} fell out of the cell"
    elif landing.seconds > 0:
        text = f"{landing.body} fell for {landing.seconds:.3f} s and rests on {landing.on}"
    else:
        text = f"{landing.body} rests on {landing.on}"
    if landing.overlap:
        units = call.session.units
        text += f", which it overlaps by {landing.overlap / units.length:.3f} {units.length_name}"
    call.session.say(f"  {text}", journal=True)


def _lengths(call: Invocation, vector: Vector) -> Vector:
    unit = call.session.units.length
    return (vector[0] * unit, vector[1] * unit, vector[2] * unit)
