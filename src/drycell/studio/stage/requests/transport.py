"""Run, pause, step, speed, stop; and the past: seek, play, hold, follow."""

from drycell.errors import DrycellError
from drycell.studio.stage.status import status
from drycell.studio.stage.table import Reply, request
from drycell.studio.stage.theatre import Theatre


@request("status")
def tell_status(theatre: Theatre) -> Reply:
    """How far it is."""
    return status(theatre)


@request("run")
def run(theatre: Theatre) -> Reply:
    """Lets the cell run, or go on; lets a recording be played."""
    if theatre.mode == "recorded":
        theatre.play()
    elif theatre.mode == "live" and theatre.pace is not None:
        theatre.playhead.follow()
        theatre.pace.resume()
    else:
        theatre.start()
    return status(theatre)


@request("pause")
def pause(theatre: Theatre) -> Reply:
    """Holds the run before its next event; holds a recording."""
    if theatre.mode == "live" and theatre.pace is not None:
        theatre.pace.pause()
    elif theatre.mode == "recorded":
        theatre.playhead.hold()
    return status(theatre)


@request("speed")
def speed(theatre: Theatre, *, factor: float | None) -> Reply:
    """Times real time, of the run and of what is played; None: as fast as possible."""
    if factor is not None and not 0.001 <= factor <= 100_000:
        raise DrycellError(f"a speed of {factor:g} × real time", hint="0.001 to 100000, or null for all it can do")
    theatre.speed = factor
    if theatre.pace is not None:
        theatre.pace.factor = factor
    if theatre.playhead.factor is not None:
        theatre.play()
    return status(theatre)


@request("stop")
def stop(theatre: Theatre) -> Reply:
    """Ends the run where it is."""
    if theatre.mode == "live":
        theatre.needs_cell().kernel.stop("stopped in the studio")
    return status(theatre)


@request("seek")
def seek(theatre: Theatre, *, t: int) -> Reply:
    """Shows an instant of the past."""
    theatre.playhead.seek(t)
    return status(theatre)


@request("play")
def play(theatre: Theatre, *, factor: float | None = None) -> Reply:
    """Plays the past from what is shown on; backwards if the factor is negative."""
    if factor is not None and not 0.001 <= abs(factor) <= 100_000:
        raise DrycellError(f"cannot play {factor:g} × real time", hint="0.001 to 100000, negative for backwards")
    theatre.play(factor)
    return status(theatre)


@request("hold")
def hold(theatre: Theatre) -> Reply:
    """Stays at the instant that is shown; a run goes on meanwhile."""
    theatre.playhead.hold()
    return status(theatre)


@request("follow")
def follow(theatre: Theatre) -> Reply:
    """Shows the run as it goes on; of what is over, its end."""
    theatre.playhead.follow()
    return status(theatre)
