"""Control of the emulation: cycles and modes, collision checks, the journal, and the model in use."""

from drycell.languages.emula.invocation import Invocation
from drycell.languages.emula.output import plain_name
from drycell.languages.emula.routine import routine
from drycell.languages.emula.values import Refusal


@routine("startupmotors", group="emulation")
def startupmotors(call: Invocation) -> None:
    """Starts the motors up, which takes its declared time and moves nothing."""
    call.session.emulation.start_up()


@routine("setincrement", "setincrement (1)", group="emulation", arguments=(1, 1))
def setincrement(call: Invocation) -> None:
    """Moves one sub-move a basic cycle (1), or each move in a single cycle (0)."""
    call.session.emulation.set_increment(call.flag(0))


@routine("setcycle", "setcycle (seconds)", group="emulation", arguments=(1, 1))
def setcycle(call: Invocation) -> None:
    """Sets the length of the basic cycle."""
    cycle = call.number(0)
    if not 1e-3 <= cycle <= 1000:
        raise Refusal(f"a basic cycle of {cycle:g} s is not possible", "0.001 to 1000 seconds are")
    call.session.emulation.set_cycle(cycle)


@routine("setspeed", "setspeed (share)", group="emulation", arguments=(1, 1))
def setspeed(call: Invocation) -> None:
    """Sets the share, from 0.01 to 1, of the motors' greatest speeds at which they move."""
    share = call.number(0)
    if not 0.01 <= share <= 1:
        raise Refusal(f"{share:g} of the greatest speed is not possible", "0.01 to 1 are")
    call.session.emulation.set_speed(share)


@routine("setclearance", "setclearance (gap)", group="emulation", arguments=(1, 1))
def setclearance(call: Invocation) -> None:
    """Sets the gap from which on a checked pair counts as collided; 0 is touching."""
    call.session.emulation.set_clearance(call.number(0) * call.session.measure.length)


@routine("setcrashchk", "setcrashchk (1, finger1, finger2)", group="emulation", arguments=(3, 3))
def setcrashchk(call: Invocation) -> None:
    """Looks every cycle whether two bodies collision (1), or no longer (0)."""
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
            raise Refusal("a journal is closed without a name", "setjournal (0)")
        emulation.close_journal()
        return
    name = plain_name(call.name(1)) if len(call) > 1 else "emula.journal"
    if len(call) > 2:
        emulation.open_journal(call.session.out / name, call.name(2))
    else:
        emulation.open_journal(call.session.out / name)


@routine("setmodel", "setmodel (detailed)", group="emulation", arguments=(1, 1))
def setmodel(call: Invocation) -> None:
    """Exchanges the robot's model for another of its family; the motors stay as they are."""
    call.session.emulation.exchange_model(call.name(0))
