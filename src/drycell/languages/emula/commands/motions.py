"""Moves: those of the paper, which are relative, and those of AML, which name their motors.

MOVE has two forms. ``move (dx,dy,dz)`` with three numbers is the paper's and *relative*. ``MOVE(motors, values)``, with
a monitor or an aggregate of monitors as an optional third argument, is AML's and *absolute*. A monitor is not a number,
so no call can have both forms. DMOVE is AML's relative move.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from drycell.base import MotionError
from drycell.languages.emula.routines import Invocation, routine
from drycell.languages.emula.sensors import MoveReport, SensorGuard
from drycell.languages.emula.values import Monitor, Value
from drycell.languages.kit import StatementError

_UNTIL = "[until sensors (1,2) exceed (10)]"
_LONGEST = 86_400.0  # seconds of one delay: a day


@routine(
    "move",
    f"move (dx,dy,dz) {_UNTIL}",
    "MOVE(motors, values[, monitors])",
    group="moves",
    arguments=(2, 3),
    clauses=("until",),
)
def move(call: Invocation) -> None:
    """Moves the hand by three distances; or, with motors and values, moves the motors to these values (AML's MOVE)."""
    values = call.values()
    if len(values) == 3 and all(isinstance(value, (int, float)) for value in values):
        x, y, z = (call.as_number(value, k) for k, value in enumerate(values))
        return _shift(call, (x, y, z))
    if len(values) == 2 and call.is_written(0) and call.is_written(1):
        raise StatementError(
            "two numbers can be a motor and its value, or two of the three distances of the paper's move",
            f"name the motor, as in MOVE({call.session.motors.names[0].upper()}, 2), or write move (1,2,0)",
        )
    return _aml_move(call, values, relative=False)


@routine("moveup", f"moveup (distance) {_UNTIL}", group="moves", arguments=(1, 1), clauses=("until",))
def moveup(call: Invocation) -> None:
    """Moves the hand up by a distance."""
    _shift(call, (None, None, call.number(0)))


@routine("movedown", f"movedown (distance) {_UNTIL}", group="moves", arguments=(1, 1), clauses=("until",))
def movedown(call: Invocation) -> None:
    """Moves the hand down by a distance; with a guard it stops at what is below."""
    _shift(call, (None, None, -call.number(0)))


@routine(
    "rotate",
    f"rotate (angle) {_UNTIL}",
    "rotate (body, axis, angle)",
    group="moves",
    arguments=(1, 3),
    clauses=("until",),
)
def rotate(call: Invocation) -> None:
    """Rotates the hand about its roll axis by an angle; or rotates a body of the model about its axis x, y or z."""
    if len(call) == 1:
        return _by(call, {call.session.motors.roll: call.number(0)})
    if len(call) != 3 or call.clauses.spans:
        raise StatementError(
            "rotate takes an angle, or a body, an axis and an angle", "rotate (90) or rotate (parta, z, 45)"
        )
    body, axis = call.name(0), call.name(1).lower()
    if axis not in ("x", "y", "z"):
        raise StatementError(f"{axis!r} is not an axis", "axes are x, y and z")
    call.session.emulation.rotate(body, axis, call.number(2) * call.session.units.angle)
    return None


@routine("open", f"open [(opening)] {_UNTIL}", group="moves", arguments=(0, 1), clauses=("until",))
def open_(call: Invocation) -> None:
    """Opens the fingers, completely or to an opening."""
    _fingers(call, 1)


@routine("close", f"close [(opening)] {_UNTIL}", group="moves", arguments=(0, 1), clauses=("until",))
def close(call: Invocation) -> None:
    """Closes the fingers, completely or to an opening; with a guard it stops at what is between them."""
    _fingers(call, 0)


@routine("dmove", "DMOVE(motors, distances[, monitors])", group="moves", arguments=(2, 3))
def dmove(call: Invocation) -> None:
    """Moves motors by distances."""
    _aml_move(call, call.values(), relative=True)


@routine("amove", "AMOVE(motors, values[, monitors])", group="moves", arguments=(2, 3))
def amove(call: Invocation) -> None:
    """Starts a move of motors to values and continues at once; WAITMOVE waits for its end."""
    session = call.session
    targets, monitors = _targets(call, call.values())
    _finish(call)
    with _in_units(call, targets):
        session.emulation.move_to(targets, _guard_of(monitors), wait=False)
    session.background_move = (list(targets), monitors)


@routine("waitmove", "WAITMOVE", group="moves")
def waitmove(call: Invocation) -> None:
    """Waits until the move that AMOVE started has ended."""
    _finish(call)


@routine("delay", "DELAY(seconds)", group="moves", arguments=(1, 1))
def delay_(call: Invocation) -> None:
    """Lets cell time pass."""
    duration = call.number(0)
    if not 0 <= duration <= _LONGEST:
        raise StatementError(f"a delay of {duration:g} s is not possible", f"use 0 to {_LONGEST:g} seconds")
    call.session.emulation.rest(duration)


@routine("qposition", "QPOSITION(motors)", group="moves", arguments=(1, 1), gives=True)
def qposition(call: Invocation) -> Value:
    """Returns the values of motors now: a number for one motor, an aggregate for several."""
    session, asked = call.session, call.value(0)
    names = session.motors.chosen(asked)
    found = tuple(session.emulation.motors[name] / session.motors.factor(name, session.units) for name in names)
    return found if isinstance(asked, tuple) else found[0]


def _by(call: Invocation, deltas: Mapping[str, float]) -> None:
    session = call.session
    guard = call.guard()
    _finish(call)
    scaled = {name: value * session.motors.factor(name, session.units) for name, value in deltas.items()}
    with _in_units(call, _ends(call, scaled)):
        report = session.emulation.move_by(scaled, guard)
    _show(call, report, session.motors.shown(list(deltas), session.units), guard)


def _ends(call: Invocation, deltas: Mapping[str, float]) -> dict[str, float]:
    """The target values of a relative move, in SI units."""
    here = call.session.emulation.motors
    return {name: here[name] + delta for name, delta in deltas.items()}


@contextmanager
def _in_units(call: Invocation, targets: Mapping[str, float]) -> Iterator[None]:
    """Report a motor limit in the units of the program; the engine reports it in millimetres."""
    try:
        yield
    except MotionError:
        call.session.motors.check(targets, call.session.units)
        raise


def _shift(call: Invocation, shift: tuple[float | None, float | None, float]) -> None:
    """Move the hand: by the motors x, y and z, or the TCP of an arm without them. None leaves an axis alone."""
    session = call.session
    axes = session.motors.axes
    if axes is not None:
        return _by(call, {axis: value for axis, value in zip(axes, shift, strict=True) if value is not None})
    guard = call.guard()
    _finish(call)
    x, y, z = ((value or 0.0) * session.units.length for value in shift)
    _show(call, session.emulation.move_hand((x, y, z), guard), session.motors.hand(session.units), guard)
    return None


def _fingers(call: Invocation, end: int) -> None:
    """Move the fingers to an opening, or fully closed (0) or open (1): by a motor, or by the gripper."""
    session = call.session
    motors, units, robot = session.motors, session.units, session.emulation.robot
    name = motors.gripper
    if name is None and not robot.has_fingers:
        raise StatementError(
            f"{robot.name} has no motor 'gripper' and no gripper with jaws", "give it one in the cell file"
        )
    opening = call.number(0) * (units.length if name is None else motors.factor(name, units)) if len(call) else None
    guard = call.guard()
    _finish(call)
    if name is None:
        gap = robot.fingers.opening[end] if opening is None else opening
        _show(call, session.emulation.move_jaws(gap, guard), motors.jaws(units), guard)
        return
    opening = motors.limits(name)[end] if opening is None else opening
    with _in_units(call, {name: opening}):
        report = session.emulation.move_to({name: opening}, guard)
    _show(call, report, motors.shown([name], units), guard)


def _aml_move(call: Invocation, values: Sequence[Value], *, relative: bool) -> None:
    if call.clauses.until is not None:
        raise call.session.error_at(
            call.clauses.until.span,
            "MOVE of motors takes monitors, not UNTIL",
            "m: NEW MONITOR(<1,2>, 10); MOVE(Z, 5, m)",
        )
    session = call.session
    targets, monitors = _targets(call, values)
    _finish(call)
    guard = _guard_of(monitors)
    emulation = session.emulation
    with _in_units(call, _ends(call, targets) if relative else targets):
        report = emulation.move_by(targets, guard) if relative else emulation.move_to(targets, guard)
    _show(call, report, session.motors.shown(list(targets), session.units), guard, monitors)


def _targets(call: Invocation, values: Sequence[Value]) -> tuple[dict[str, float], tuple[Monitor, ...]]:
    """The motors with their values in SI units, and the monitors, of an AML move."""
    session = call.session
    names = session.motors.chosen(values[0])
    wanted = values[1] if isinstance(values[1], tuple) else (values[1],)
    if len(names) != len(wanted):
        raise call.session.error_at(
            call.arguments[1].span,
            f"{len(names)} motors need {len(names)} values, not {len(wanted)}",
            "MOVE(<1,2,3>, <0,0,5>); the paper's move (dx,dy,dz) takes three numbers",
        )
    numbers = [call.as_number(value, 1) for value in wanted]
    scaled = {name: n * session.motors.factor(name, session.units) for name, n in zip(names, numbers, strict=True)}
    return scaled, _monitors(call, values[2]) if len(values) > 2 else ()


def _monitors(call: Invocation, value: Value) -> tuple[Monitor, ...]:
    found = []
    for each in value if isinstance(value, tuple) else (value,):
        if not isinstance(each, Monitor):
            raise call.refuse(2, "a monitor", each)
        if each.ended:
            raise StatementError(f"monitor {each.number} has ended", "create another with MONITOR(sensors, limit)")
        found.append(each)
    return tuple(found)


def _guard_of(monitors: Sequence[Monitor]) -> SensorGuard | None:
    if not monitors:
        return None
    limits = {monitor.limit for monitor in monitors}
    if len(limits) > 1:
        listed = ", ".join(f"{limit:g}" for limit in sorted(limits))
        raise StatementError(f"monitors with different limits ({listed}) cannot guard one move", "use one limit")
    sensors = dict.fromkeys(sensor for monitor in monitors for sensor in monitor.sensors)
    for monitor in monitors:
        monitor.tripped = False
    return SensorGuard(tuple(sensors), monitors[0].limit)


def _finish(call: Invocation) -> None:
    """Wait for a move in the background: the motors accept the next command when they have stopped."""
    session = call.session
    if session.background_move is None:
        return
    names, monitors = session.background_move
    session.background_move = None
    report = session.emulation.wait_move()
    guard = SensorGuard(monitors[0].sensors, monitors[0].limit) if monitors else None
    _show(call, report, session.motors.shown(names, session.units), guard, monitors)


def _show(
    call: Invocation,
    report: MoveReport,
    place: str,
    guard: SensorGuard | None,
    monitors: Sequence[Monitor] = (),
) -> None:
    """Mark the monitors that stopped a move, and show its result; a sensor event is also written to the journal."""
    for monitor in monitors:
        monitor.tripped = report.tripped is not None and report.tripped in monitor.sensors
    session = call.session
    if report.tripped is not None and guard is not None:
        cycles = f"{report.cycles} cycle{'s' if report.cycles != 1 else ''}"
        why = f": {report.what}" if report.what else ""
        label = session.emulation.label(report.tripped)
        session.say(f"  sensor {label} exceeded {guard.limit:g} after {cycles} at {place}{why}", journal=True)
        return
    moved = f"{report.motors} motor{'s' if report.motors != 1 else ''} moved, {report.seconds:.2f} s, now at {place}"
    session.say(f"  {moved}" + (", no sensor exceeded its limit" if guard is not None else ""))
