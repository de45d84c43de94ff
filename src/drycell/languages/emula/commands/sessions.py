"""The session itself: printing values, units, cell time, other files, and what is going on."""

from pathlib import Path

from drycell.languages.emula.invocation import Invocation
from drycell.languages.emula.routine import routine
from drycell.languages.emula.values import Closure, Monitor, Value, show


@routine("display", "DISPLAY(values, …)", group="session", arguments=(0, None))
def display(call: Invocation) -> None:
    """Prints values on a line, and into the journal."""
    call.session.say(" ".join(show(value) for value in call.values()), journal=True)


@routine("print", "PRINT(values, …)", group="session", arguments=(0, None))
def print_(call: Invocation) -> None:
    """The same as DISPLAY."""
    display(call)


@routine("units", "UNITS('mm', 'deg')", "UNITS", group="session", arguments=(0, 2))
def units(call: Invocation) -> None:
    """Sets the units of lengths (inch, mm, cm, m) and angles (deg, rad), or says which are in use."""
    session = call.session
    measure = session.measure
    for place in range(len(call)):
        measure = measure.with_unit(call.name(place))
    session.measure = measure
    session.emulation.unit = measure.length
    if not len(call):
        session.say(f"  {measure}")


@routine("time", "TIME", group="session", gives=True)
def time(call: Invocation) -> Value:
    """Cell time in seconds."""
    return call.session.now / 1e6


@routine("load", "LOAD('file.eml')", group="session", arguments=(1, 1))
def load(call: Invocation) -> None:
    """Runs the statements of a file as if they were typed here."""
    call.session.load(Path(call.name(0)))


@routine("status", group="session")
def status(call: Invocation) -> None:
    """Shows motors, sensors and variables."""
    session = call.session
    session.say(f"  motors    {session.motors.shown(session.motors.names, session.measure)}  ({session.measure})")
    sensors, attached = session.emulation.sensors, session.emulation.attached
    for number, functions in sorted(attached.items()):
        session.say(f"  sensor {number}  {sensors[number]:g}  ({' and '.join(functions)})")
    for held, carrier in session.emulation.held.items():
        session.say(f"  grasped   {held} moves with {carrier}")
    for name, value in sorted(session.scope.variables.items()):
        if isinstance(value, Closure):
            parameters = ", ".join(each.written for each in value.definition.parameters)
            session.say(f"  {name:<9} SUBR({parameters})")
        else:
            tripped = " tripped" if isinstance(value, Monitor) and value.tripped else ""
            session.say(f"  {name:<9} {show(value, quote=True)[:100]}{tripped}")
