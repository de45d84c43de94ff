"""A trial: one run of the cell under one chooser, and its result."""

import contextlib
import io
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import BusyWait, DrycellError, KernelError
from drycell.kernel import Abandoned, Blocked, Chooser, Kernel, is_live
from drycell.verify.checks import Function, bound, functions_in
from drycell.verify.lost_signals import LostSignal, MissedPulse
from drycell.verify.watch import CutOff, Draw, OutOfTime, RunWatcher, Violated

if TYPE_CHECKING:
    from drycell.cell import Cell, CellSource, Model
    from drycell.kernel import Chooser
    from drycell.world import Collision


Build = Callable[["Cell"], object]


@dataclass(frozen=True, slots=True)
class Subject:
    """The source of the cell: files on disk, or a function ``build(cell)``."""

    name: str
    source: "CellSource | None"
    model: "Model | None"
    """The cell file, read once for all runs; None if the source is not a cell file."""
    builder: Build | None
    seed: int | None
    checks: tuple[Function, ...]

    @classmethod
    def of(cls, given: "str | Path | CellSource | Build", seed: int | None, checks: Iterable[Function]) -> "Subject":
        """Return the subject for a path, a source or a function."""
        from drycell.cell import Cell, CellSource

        if isinstance(given, Cell):
            raise KernelError(
                "a cell runs only once, but a search runs it many times",
                hint="give verify the cell's path, or the function build(cell) that fills it",
            )
        if isinstance(given, (str, Path, CellSource)):
            source = given if isinstance(given, CellSource) else CellSource.find(given)
            folder = source.path.resolve().parent
            name = folder.name if source.path.stem == "cell" else source.path.stem
            read = None if source.path.suffix == ".py" else source.model()
            return cls(name, source, read, None, seed, (*functions_in(folder), *checks))
        return cls(getattr(given, "__name__", "cell"), None, None, given, seed, tuple(checks))

    def build(self, chooser: "Chooser | None") -> "Cell":
        """Build a new cell."""
        from drycell.cell import Cell

        if self.model is not None:
            return Cell(self.model, seed=self.seed, chooser=chooser)
        if self.source is not None:
            return self.source.build(seed=self.seed, chooser=chooser)
        cell = Cell(self.name, seed=self.seed or 0, chooser=chooser)
        if self.builder is not None:
            self.builder(cell)
        return cell


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one run. ``ending`` is the kernel's, or 'error', 'violated', 'cut off', 'abandoned' (by the search,
    because the run would only have repeated a known one), or 'out of time'."""

    ending: str
    time: int
    steps: int
    ties: int
    choices: tuple[int, ...]
    draws: tuple[Draw, ...]
    final: Mapping[str, object]
    """The value of every signal at the end."""
    by_others: frozenset[str] = frozenset()
    """Signals written by anything except the programs that keep the run alive: daemons, devices, sensors."""
    settled: bool = True
    """Whether nothing was left to do at the time of the end."""
    blocked: tuple[Blocked, ...] = ()
    error: Exception | None = None
    check: str = ""
    lost: LostSignal | None = None
    circles: bool = False
    asks: tuple[str, ...] = ()
    """For a run that repeats itself: the inputs that each program polls, and when they last changed."""
    pulses: tuple[MissedPulse, ...] = ()
    """The pulses of polled signals that nobody has read."""
    stuck: int | None = None
    """The time since which some programs can never continue, or none has made progress although daemons have."""
    unclear: tuple[str, ...] = ()
    """What might have released programs that still waited, though nothing says so."""
    collisions: "tuple[Collision, ...]" = ()
    parts_lost: tuple[str, ...] = ()
    clock_read: bool = False
    world_moved: bool = False

    def same(self, other: "Trial") -> bool:
        """Return whether another run was identical in everything observable."""
        mine, theirs = ((run.ending, run.time, run.steps, run.choices, run.final) for run in (self, other))
        return mine == theirs


def _by_others(kernel: Kernel) -> frozenset[str]:
    main = {"", *(process.name for process in kernel.processes if not process.daemon)}
    signals = kernel.signals.items()
    return frozenset(name for name, signal in signals if any(writer not in main for _, _, writer in signal.history))


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The limits of a run: in cell time, in steps and in wall time."""

    until: float | None
    most_steps: int
    deadline: float = math.inf
    """The end of the search, by the monotonic clock."""
    patience: float = math.inf
    """The number of seconds that a program may compute without using the cell's clock."""

    def have_patience(self, kernel: Kernel) -> None:
        """Shorten the time after which a program that computes endlessly is aborted."""
        if kernel.patience is not None:
            kernel.patience = min(kernel.patience, self.patience)


def try_out(
    subject: Subject, chooser: Chooser, limits: RunLimits, visible: dict[str, set[str]]
) -> tuple[Trial, RunWatcher]:
    """Build the cell and run it under a chooser, discarding what its programs print."""
    watch = RunWatcher(chooser, limits.most_steps, visible, limits.deadline)
    begin, bind = getattr(chooser, "begin", None), getattr(chooser, "bind", None)
    if begin is not None:
        begin()
    ending, check, result = "error", "", None
    error: Exception | None = None
    with contextlib.redirect_stdout(io.StringIO()):
        cell = subject.build(watch)
        kernel = cell.kernel
        if bind is not None:
            bind(kernel)
        cell.pace = None
        limits.have_patience(kernel)
        until = cell.until if limits.until is None else limits.until
        try:
            watch.bind(cell, bound(subject.checks, cell), until)
            result = cell.run(until)
            ending = result.ending
        except Violated as violated:
            ending, check = "violated", violated.check.text
        except CutOff:
            ending = "cut off"
        except OutOfTime:
            ending = "out of time"
        except Abandoned:
            ending = "abandoned"
        except DrycellError as failure:
            if not cell.ran:
                raise  # the program could not be started
            error = failure
        except Exception as failure:
            error = failure
    seen = watch.lost_signals if ending not in ("abandoned", "out of time") else None
    blocked = watch.blocked if result is None else result.outcome.blocked
    stuck = [each.stuck_since for each in blocked if each.stuck_since is not None] + [
        since for since in (watch.stuck,) if since is not None
    ]
    circles = (watch.circles and ending in ("cut off", "until")) or isinstance(error, BusyWait)
    over = ending in ("finished", "deadlock") or watch.stuck is not None
    polled = {each.process: each.signals for each in blocked if each.polls} | (watch.polled if circles else {})
    return Trial(
        ending=ending,
        time=kernel.now,
        steps=watch.steps,
        ties=watch.ties,
        choices=tuple(watch.choices),
        draws=tuple(watch.draws),
        final={name: signal.peek() for name, signal in kernel.signals.items()},
        by_others=_by_others(kernel),
        settled=not any(time == kernel.now and is_live(what) for time, _, _, what in kernel.queue),
        blocked=blocked,
        error=error,
        check=check,
        lost=None if seen is None else seen.lost(at_the_end=over),
        circles=circles,
        asks=tuple(watch.asks()) if circles else (),
        pulses=() if seen is None else tuple(each for who in polled for each in seen.missed_pulses(who, polled[who])),
        stuck=min(stuck, default=None) if ending in ("cut off", "until") else None,
        unclear=kernel.deadlock.unclear,
        collisions=() if result is None else result.collisions,
        parts_lost=() if result is None else result.lost,
        clock_read=watch.clock_read,
        world_moved=watch.world_moved,
    ), watch
