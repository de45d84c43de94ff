"""Commands of the session: printing, units, files, modes, collision checks, the journal, and pictures."""

from pathlib import Path

from drycell.languages.emula.routines import Invocation, plain_name, routine
from drycell.languages.emula.values import Closure, Monitor, Value, show
from drycell.languages.kit import StatementError


@routine("display", "DISPLAY(values, …)", group="session", arguments=(0, None))
def display(call: Invocation) -> None:
    """Prints values on one line, and writes them to the journal."""
    call.session.say(" ".join(show(value) for value in call.values()), journal=True)


@routine("print", "PRINT(values, …)", group="session", arguments=(0, None))
def print_(call: Invocation) -> None:
    """Prints values, like DISPLAY."""
    display(call)


@routine("units", "UNITS('mm', 'deg')", "UNITS", group="session", arguments=(0, 2))
def units(call: Invocation) -> None:
    """Sets the units of lengths (inch, mm, cm, m) and angles (deg, rad), or shows them."""
    session = call.session
    chosen = session.units
    for place in range(len(call)):
        chosen = chosen.with_unit(call.name(place))
    session.units = chosen
    session.emulation.unit = chosen.length
    if not len(call):
        session.say(f"  {chosen}")


@routine("time", "TIME", group="session", gives=True)
def time(call: Invocation) -> Value:
    """Cell time in seconds."""
    return call.session.now / 1e6


@routine("load", "LOAD('file.eml')", group="session", arguments=(1, 1))
def load(call: Invocation) -> None:
    """Runs the statements of a file as if they were typed."""
    call.session.load(Path(call.name(0)))


@routine("status", group="session")
def status(call: Invocation) -> None:
    """Shows motors, sensors and variables."""
    session = call.session
    session.say(f"  motors    {session.motors.shown(session.motors.names, session.units)}  ({session.units})")
    sensors, attached = session.emulation.sensors, session.emulation.attached
    for number, function in sorted(attached.items()):
        session.say(f"  sensor {session.emulation.label(number)}  {sensors[number]:g}  ({function})")
    for held, carrier in session.emulation.held.items():
        session.say(f"  grasped   {held} moves with {carrier}")
    for name, value in sorted(session.scope.variables.items()):
        if isinstance(value, Closure):
            parameters = ", ".join(each.written for each in value.definition.parameters)
            session.say(f"  {name:<9} SUBR({parameters})")
        else:
            tripped = " tripped" if isinstance(value, Monitor) and value.tripped else ""
            session.say(f"  {name:<9} {show(value, quote=True)[:100]}{tripped}")


@routine("startupmotors", group="emulation")
def startupmotors(call: Invocation) -> None:
    """Starts the motors. This takes their start-up time, and nothing moves."""
    call.session.emulation.start_up()


@routine("setincrement", "setincrement (1)", group="emulation", arguments=(1, 1))
def setincrement(call: Invocation) -> None:
    """Divides moves into steps, one per basic cycle (1), or makes each move in a single cycle (0)."""
    call.session.emulation.set_increment(call.flag(0))


@routine("setcycle", "setcycle (seconds)", group="emulation", arguments=(1, 1))
def setcycle(call: Invocation) -> None:
    """Sets the length of the basic cycle."""
    cycle = call.number(0)
    if not 1e-3 <= cycle <= 1000:
        raise StatementError(f"a basic cycle of {cycle:g} s is not possible", "use 0.001 to 1000 seconds")
    call.session.emulation.set_cycle(cycle)


@routine("setspeed", "setspeed (fraction)", group="emulation", arguments=(1, 1))
def setspeed(call: Invocation) -> None:
    """Sets the speed of the motors as a fraction, from 0.01 to 1, of their maximum speeds."""
    fraction = call.number(0)
    if not 0.01 <= fraction <= 1:
        raise StatementError(f"the speed cannot be {fraction:g} times the maximum", "use 0.01 to 1")
    call.session.emulation.set_speed(fraction)


@routine("setclearance", "setclearance (gap)", group="emulation", arguments=(1, 1))
def setclearance(call: Invocation) -> None:
    """Sets the distance at which a checked pair counts as collided; 0 is touching."""
    call.session.emulation.set_clearance(call.number(0) * call.session.units.length)


@routine("setcrashchk", "setcrashchk (1, finger1, finger2)", group="emulation", arguments=(3, 3))
def setcrashchk(call: Invocation) -> None:
    """Starts (1) or stops (0) checking two bodies for collisions, in every basic cycle."""
    call.session.emulation.set_collision_check(call.flag(0), call.name(1), call.name(2))


@routine(
    "setjournal",
    "setjournal (1[, 'name'[, '10:00:00:000']])",
    "setjournal (0)",
    group="emulation",
    arguments=(1, 3),
)
def setjournal(call: Invocation) -> None:
    """Opens a journal of commands and responses in the output folder (1), or closes it (0)."""
    emulation = call.session.emulation
    if not call.flag(0):
        if len(call) > 1:
            raise StatementError("closing a journal does not take a name", "write setjournal (0)")
        emulation.close_journal()
        return
    name = plain_name(call.name(1)) if len(call) > 1 else "emula.journal"
    if len(call) > 2:
        emulation.open_journal(call.session.out / name, call.name(2))
    else:
        emulation.open_journal(call.session.out / name)


@routine("setmodel", "setmodel (detailed)", "setmodel ('mine.yaml'[, detailed])", group="emulation", arguments=(1, 2))
def setmodel(call: Invocation) -> None:
    """Replaces the robot's model with another one of its family, or with that of a file. The motors do not change."""
    call.session.emulation.exchange_model(call.name(0), call.name(1) if len(call) > 1 else None)


@routine("draw", group="display")
def draw(call: Invocation) -> None:
    """Draws the model as it is now."""
    call.session.emulation.display.draw()


@routine("erase", group="display")
def erase(call: Invocation) -> None:
    """Erases the display. The next drawing begins a new picture."""
    call.session.emulation.display.erase()


@routine("setdisplay", "setdisplay (1)", group="display", arguments=(1, 1))
def setdisplay(call: Invocation) -> None:
    """Turns drawing during moves on (1) or off (0)."""
    call.session.emulation.display.set_display(int(call.flag(0)))


@routine("setdisplaytk", "setdisplaytk (cycles)", group="display", arguments=(1, 1))
def setdisplaytk(call: Invocation) -> None:
    """Draws moves every so often, given in basic cycles, and at their end; 0 draws only the end."""
    cycles = call.integer(0)
    if not 0 <= cycles <= 1_000_000:
        raise StatementError(f"a drawing every {cycles} cycles is not possible", "use 0 to 1000000")
    call.session.emulation.display.set_every(cycles)


@routine("setdrawall", "setdrawall (1)", group="display", arguments=(1, 1))
def setdrawall(call: Invocation) -> None:
    """Redraws the whole model each time (1), or only what moves (0)."""
    call.session.emulation.display.set_draw_all(call.flag(0))


@routine("seterase", "seterase (1)", group="display", arguments=(1, 1))
def seterase(call: Invocation) -> None:
    """Erases between drawings (1), or draws on top of each other (0)."""
    call.session.emulation.display.set_erase(call.flag(0))


@routine("setshaded", "setshaded (1)", group="display", arguments=(1, 1))
def setshaded(call: Invocation) -> None:
    """Draws shaded pictures as PNG files, one per instant (1), or line drawings (0)."""
    call.session.emulation.display.set_shaded(call.flag(0))


@routine("setview", "setview (front)", "setview (iso, zoom, <x,y,z>)", group="display", arguments=(1, 5))
def setview(call: Invocation) -> None:
    """Selects the view of pictures (iso, front, back, left, right, top), the zoom, and the point to zoom in on."""
    zoom = call.number(1) if len(call) > 1 else 1.0
    focus = None
    if len(call) > 2:
        unit = call.session.units.length
        x, y, z = call.vector(call.arguments[2:], "the point of a view")
        focus = (x * unit, y * unit, z * unit)
    call.session.emulation.display.set_view(call.name(0), zoom, focus)


@routine("setfilm", "setfilm ('name.mp4'[, lines])", "setfilm (0)", group="display", arguments=(1, 2))
def setfilm(call: Invocation) -> None:
    """Starts a film of 24 frames per second in the output folder, shaded or as line drawings, or ends it (0)."""
    name = call.name_or_value(0)
    lines = len(call) > 1
    if lines and call.name(1).lower() != "lines":
        raise StatementError(
            f"{call.name(1)!r} is not a kind of film",
            "write setfilm ('name.mp4', lines), or setfilm ('name.mp4')",
        )
    display = call.session.emulation.display
    if isinstance(name, str):
        display.film(Path(plain_name(name)), lines=lines)
    elif call.flag(0):
        display.film(Path("emula.mp4"), lines=lines)
    else:
        display.film(None)
