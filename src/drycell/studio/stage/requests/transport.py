"""Run, pause, step, speed, stop; and the past: seek, play, hold, follow."""

from typing import Literal

from drycell.base import DrycellError
from drycell.studio.stage.cycles import cycle_goal
from drycell.studio.stage.instants import event_instants, following, part_instants
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


@request("step")
def step(theatre: Theatre, *, by: Literal["event", "line", "cycle"], back: bool = False) -> Reply:
    """One event, one line of a program, or one part on, and stop there.

    A cycle ends when a part reaches a store or a sink; in a cell that keeps no parts it is one period of the sensor or
    device that samples most often. What is over is stepped through from one instant that the journal tells of to the
    next, and backwards if wanted; lines are not in a recording.
    """
    if theatre.mode in ("ended", "recorded"):
        _step_past(theatre, by, back)
        return status(theatre)
    if back:
        raise DrycellError("a run cannot be stepped backwards", hint="pause it, and seek an instant of its past")
    theatre.playhead.follow()
    pace = theatre.pace if theatre.mode == "live" and theatre.pace is not None else theatre.start(paused=True)
    if by == "event":
        pace.step()
    elif by == "line":
        pace.step_line()
    else:
        pace.go_to(cycle_goal(theatre.needs_cell(), theatre.now))
    return status(theatre)


def _step_past(theatre: Theatre, by: str, back: bool) -> None:
    if by == "line":
        raise DrycellError(
            "what is over cannot be stepped by lines: a recording has events, and not where programs stood",
            hint="step by events; or restart (a recording: run it again) and step by lines",
        )
    instants = event_instants(theatre) if by == "event" else part_instants(theatre)
    theatre.playhead.hold()
    theatre.playhead.seek(following(instants, theatre.shown, theatre.now, back=back))


@request("run_to")
def run_to(theatre: Theatre, *, t: int) -> Reply:
    """Lets the run go on to a time, that instant included, and pauses it there; shows that instant if it is past."""
    if theatre.mode in ("ended", "recorded") or t <= theatre.now:
        theatre.playhead.hold()
        theatre.playhead.seek(t)
        return status(theatre)
    theatre.playhead.follow()
    pace = theatre.pace if theatre.mode == "live" and theatre.pace is not None else theatre.start(paused=True)
    pace.go_to(t)
    return status(theatre)


@request("breaks")
def breaks(theatre: Theatre, *, file: str, lines: list[int]) -> Reply:
    """The break points of a file, all of them: others that it had are gone."""
    theatre.set_breaks(file, set(lines))
    return {"file": file, "lines": sorted(lines)}


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
