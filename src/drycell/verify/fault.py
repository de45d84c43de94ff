"""Faults: what can be wrong with a run, each by its kind."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from drycell.base import DrycellError
from drycell.kernel import Location, seconds
from drycell.verify.trial import Trial

Kind = Literal["check", "assertion", "error", "lost signal", "deadlock", "livelock", "collision", "lost part", "order"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong in a run: its kind, when, and the lines that say so."""

    kind: Kind
    time: int
    lines: tuple[str, ...]
    identity: tuple[object, ...] = ()
    """What makes two faults of a kind the same one, whenever they happen."""

    @property
    def head(self) -> str:
        """The first line of the report."""
        name = "order dependence" if self.kind == "order" else self.kind
        return f"{name.upper()} at {seconds(self.time):.3f} s"

    def same(self, other: "Fault | None") -> bool:
        """Whether another run shows the same fault."""
        return other is not None and (self.kind, self.identity) == (other.kind, other.identity)


def fault_of(trial: Trial, ignored: frozenset[Kind]) -> Fault | None:
    """What is wrong with a run by itself, the most telling fault first."""
    for fault in _faults(trial):
        if fault.kind not in ignored:
            return fault
    return None


def _faults(trial: Trial) -> list[Fault]:
    time = trial.time
    found: list[Fault] = []
    if trial.check:
        found.append(Fault("check", time, (f"does not hold: {trial.check}",), (trial.check,)))
    if trial.lost is not None:
        found.append(_lost(trial))
    if trial.circles and trial.stuck is None:
        where = (
            str(trial.error).splitlines()[0] if trial.error is not None else "the cell comes back to one state for ever"
        )
        found.append(Fault("livelock", time, (where,)))
    elif trial.error is not None:
        found.append(_error(trial.error, time))
    if trial.ending == "deadlock" or trial.stuck is not None:
        waiting = tuple(f"{who:<10} {where:<14} waits for  {what}" for who, where, what in _blocked(trial))
        since = time if trial.stuck is None else trial.stuck
        found.append(Fault("deadlock", since, waiting, tuple(_blocked(trial))))
    for collision in trial.collisions[:1]:
        found.append(
            Fault("collision", collision.time, (f"{collision.a} with {collision.b}",), (collision.a, collision.b))
        )
    if trial.parts_lost:
        found.append(Fault("lost part", time, (", ".join(trial.parts_lost),), trial.parts_lost))
    return found


def _error(error: Exception, time: int) -> Fault:
    kind: Kind = "assertion" if isinstance(error.__cause__, AssertionError) else "error"
    what = error.what if isinstance(error, DrycellError) else f"{type(error).__name__}: {error}"
    lines = [what]
    if isinstance(error, DrycellError) and error.where:
        lines.append(f"at {error.where}")
    return Fault(kind, time, tuple(lines), (type(error).__name__, _without_numbers(what)))


def _lost(trial: Trial) -> Fault:
    lost = trial.lost
    assert lost is not None  # asked for by its caller
    edge = lost.edge
    what = f"{edge.signal.name} became {edge.after} at {seconds(edge.time):.3f} s ({edge.writer}), and nobody saw it"
    vain = "waited for it until its time was out" if lost.timed_out else "waits for it in vain"
    waits = [f"{who:<10} {where:<14} waits for  {what}" for who, where, what in _blocked(trial)]
    lines = (what, f"{lost.process} {vain}: {lost.waits_for}", *waits)
    return Fault("lost signal", trial.time, lines, (edge.signal.name, edge.after, lost.process))


def _blocked(trial: Trial) -> list[tuple[str, str, str]]:
    return [
        (each.process, str(Location(each.file, each.line, "")), each.waits_for)
        for each in trial.blocked
        if trial.ending == "deadlock" or (trial.stuck is not None and not each.daemon)
    ]


def _without_numbers(text: str) -> str:
    return "".join(sign for sign in text if not sign.isdigit())
