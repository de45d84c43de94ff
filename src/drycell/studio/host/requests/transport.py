"""Run, pause, step, speed, stop; and the past: seek, play, hold, follow."""

from typing import Literal

from drycell.base import DrycellError
from drycell.studio.host.cycles import cycle_goal
from drycell.studio.host.instants import event_instants, following, part_instants
from drycell.studio.host.session import HostSession
from drycell.studio.host.status import status
from drycell.studio.host.table import Reply, request


@request("status")
def tell_status(session: HostSession) -> Reply:
    """How far it is."""
    return status(session)


@request("run")
def run(session: HostSession) -> Reply:
    """Lets the cell run, or go on; lets a recording be played."""
    if session.mode == "recorded":
        session.play()
    elif session.mode == "live" and session.pace is not None:
        session.playhead.follow()
        session.pace.resume()
    else:
        session.start()
    return status(session)


@request("pause")
def pause(session: HostSession) -> Reply:
    """Holds the run before its next event; holds a recording."""
    if session.mode == "live" and session.pace is not None:
        session.pace.pause()
    elif session.mode == "recorded":
        session.playhead.hold()
    return status(session)


@request("step")
def step(session: HostSession, *, by: Literal["event", "line", "cycle"], back: bool = False) -> Reply:
    """One event, one line of a program, or one part on, and stop there.

    A cycle ends when a part reaches a store or a sink; in a cell that keeps no parts it is one period of the sensor or
    device that samples most often. What is over is stepped through from one instant that the journal tells of to the
    next, and backwards if wanted; lines are not in a recording.
    """
    if session.mode in ("ended", "recorded"):
        _step_past(session, by, back)
        return status(session)
    if back:
        raise DrycellError("a run cannot be stepped backwards", hint="pause it, and seek an instant of its past")
    session.playhead.follow()
    pace = session.pace if session.mode == "live" and session.pace is not None else session.start(paused=True)
    if by == "event":
        pace.step()
    elif by == "line":
        pace.step_line()
    else:
        pace.go_to(cycle_goal(session.needs_cell(), session.now))
    return status(session)


def _step_past(session: HostSession, by: str, back: bool) -> None:
    if by == "line":
        raise DrycellError(
            "what is over cannot be stepped by lines: a recording has events, and not where programs stood",
            hint="step by events; or restart (a recording: run it again) and step by lines",
        )
    instants = event_instants(session) if by == "event" else part_instants(session)
    session.playhead.hold()
    session.playhead.seek(following(instants, session.shown, session.now, back=back))


@request("run_to")
def run_to(session: HostSession, *, t: int) -> Reply:
    """Lets the run go on to a time, that instant included, and pauses it there; shows that instant if it is past."""
    if session.mode in ("ended", "recorded") or t <= session.now:
        session.playhead.hold()
        session.playhead.seek(t)
        return status(session)
    session.playhead.follow()
    pace = session.pace if session.mode == "live" and session.pace is not None else session.start(paused=True)
    pace.go_to(t)
    return status(session)


@request("breaks")
def breaks(session: HostSession, *, file: str, lines: list[int]) -> Reply:
    """The break points of a file, all of them: others that it had are gone."""
    session.set_breaks(file, set(lines))
    return {"file": file, "lines": sorted(lines)}


@request("speed")
def speed(session: HostSession, *, factor: float | None) -> Reply:
    """Times real time, of the run and of what is played; None: as fast as possible."""
    if factor is not None and not 0.001 <= factor <= 100_000:
        raise DrycellError(f"a speed of {factor:g} × real time", hint="0.001 to 100000, or null for all it can do")
    session.speed = factor
    if session.pace is not None:
        session.pace.factor = factor
    if session.playhead.factor is not None:
        session.play()
    return status(session)


@request("stop")
def stop(session: HostSession) -> Reply:
    """Ends the run where it is."""
    if session.mode == "live":
        session.needs_cell().kernel.stop("stopped in the studio")
    return status(session)


@request("seek")
def seek(session: HostSession, *, t: int) -> Reply:
    """Shows an instant of the past."""
    session.playhead.seek(t)
    return status(session)


@request("play")
def play(session: HostSession, *, factor: float | None = None) -> Reply:
    """Plays the past from what is shown on; backwards if the factor is negative."""
    if factor is not None and not 0.001 <= abs(factor) <= 100_000:
        raise DrycellError(f"cannot play {factor:g} × real time", hint="0.001 to 100000, negative for backwards")
    session.play(factor)
    return status(session)


@request("hold")
def hold(session: HostSession) -> Reply:
    """Stays at the instant that is shown; a run goes on meanwhile."""
    session.playhead.hold()
    return status(session)


@request("follow")
def follow(session: HostSession) -> Reply:
    """Shows the run as it goes on; of what is over, its end."""
    session.playhead.follow()
    return status(session)
