"""Sensors: functions attached to them, their values, monitors as values, and signals of the cell."""

from drycell.languages.emula.invocation import Invocation
from drycell.languages.emula.routine import routine
from drycell.languages.emula.values import Monitor, Refusal, Value


@routine(
    "attach",
    "attach (sensor, contact, finger1, parta)",
    "attach (sensor, random, 6, .1, .8)",
    "attach (sensor, query)",
    group="sensors",
    arguments=(2, None),
)
def attach(call: Invocation) -> None:
    """Binds a function to a sensor: it is asked for the sensor's value once a basic cycle."""
    arguments = [call.name_or_value(place) for place in range(2, len(call))]
    call.session.emulation.attach(call.integer(0), call.name(1).lower(), arguments)


@routine("detach", "detach (sensor[, function])", group="sensors", arguments=(1, 2))
def detach(call: Invocation) -> None:
    """Takes a function, or all of them, off a sensor, which then reads 0."""
    call.session.emulation.detach(call.integer(0), call.name(1).lower() if len(call) > 1 else None)


@routine("sensor", "SENSOR(number)", group="sensors", arguments=(1, 1), gives=True)
def sensor(call: Invocation) -> Value:
    """The last value of a sensor, or an aggregate of values for an aggregate of numbers."""
    return _read(call, call.value(0))


@routine("sensio", "SENSIO(number)", "SENSIO('signal'[, value])", group="sensors", arguments=(1, 2), gives=True)
def sensio(call: Invocation) -> Value:
    """Reads a sensor by number, or a signal of the cell by name; with a value it sets the signal."""
    what = call.name_or_value(0)
    if isinstance(what, str):
        return _signal(call, what)
    if len(call) > 1:
        raise Refusal("a sensor cannot be set", "attach (1,query) asks for its values; signals are named by strings")
    return _read(call, what)


@routine("monitor", "MONITOR(sensors, limit)", group="sensors", arguments=(2, 2), gives=True)
def monitor(call: Invocation) -> Value:
    """A guard as a value: MOVE and its kin take it, and stop when one of the sensors exceeds the limit."""
    session = call.session
    made = Monitor(len(session.monitors) + 1, call.sensors([call.arguments[0]]), call.number(1))
    if len(session.monitors) >= 10_000:
        raise Refusal("there are 10000 monitors already", "make them once, not in a loop")
    session.monitors.append(made)
    return made


@routine("qmonitor", "QMONITOR(monitor)", group="sensors", arguments=(1, 1), gives=True)
def qmonitor(call: Invocation) -> Value:
    """1 if the monitor stopped the last move it was given to, 0 if not; for an aggregate one for each."""
    return _asked(call, call.value(0))


@routine("endmonitor", "ENDMONITOR(monitor)", group="sensors", arguments=(1, 1))
def endmonitor(call: Invocation) -> None:
    """Ends a monitor, or an aggregate of them: moves no longer take it."""
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
        raise Refusal(f"there is no sensor {number:g}", "sensors are numbered 1, 2, …")
    return float(call.session.emulation.sensors.get(int(number), 0.0))


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
