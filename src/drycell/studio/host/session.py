"""The session: what is open, be it a cell on the bench, at work or after its run, or a recording."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drycell.base import DrycellError
from drycell.cell import check_trusted
from drycell.kernel import Changes, JournalLine, Kernel, Pace, is_users
from drycell.record import LiveRecord, Record
from drycell.studio.api.transport import Mode
from drycell.studio.host.bodies import BodyNumbering
from drycell.studio.host.frames import FrameMaker
from drycell.studio.host.journal import LiveJournal
from drycell.studio.host.meshes import MeshStore
from drycell.studio.host.playhead import Playhead
from drycell.world import LiveBody, Scene, World

if TYPE_CHECKING:
    from drycell.cell import Cell, CellSource, Result
    from drycell.recording import Recording
    from drycell.studio.host.sensing import Watcher

Push = Callable[[object], None]
"""Tells the server something: an event, one of ``studio.api.events``."""


def _nothing() -> Record:
    """The record of a run that never was."""
    kernel = Kernel()
    return LiveRecord(kernel, World(kernel))


class HostSession:
    """What is open in a host. All of it belongs to the cell's thread, on which requests are answered."""

    def __init__(self, folder: Path, push: Push) -> None:
        self.folder = folder
        """For files of this host alone: the recording of the run."""
        self.push = push
        self.meshes = MeshStore()
        self.speed: float | None = 1.0
        """Times real time at which a run goes, and the past is played; None: as fast as possible."""
        self.breaks: dict[str, set[int]] = {}
        self.changed: Callable[[], None] = lambda: None
        """Told whenever something about it is new for those who watch."""
        self.mode: Mode = "empty"
        self.numbering = BodyNumbering(_nothing().world)
        self.clear()

    def clear(self) -> None:
        """Closes everything. A run must have ended first: it goes on below whoever asks."""
        if self.mode == "live":
            raise DrycellError("the run has not ended", hint="stop it first, or open it on a new stage: restart")
        self.mode = "empty"
        self.path: Path | None = None
        self.source: CellSource | None = None
        self.cell: Cell | None = None
        self.recording: Recording | None = None
        self.pace: Pace | None = None
        self.result: Result | None = None
        self.failure: BaseException | None = None
        self.until: float | None = None
        self.wants_run = False
        self.idle: tuple[Path, ...] = ()
        """Programs that were not loaded, because the user does not trust the folder."""
        self.before_run: list[Callable[[], None]] = []
        """Done when the run is asked for: what was only tried on the bench is put back."""
        self.starts: dict[str, tuple[float, ...]] = {}
        """The joints at which robots that were jogged begin a run."""
        self.released: list[JournalLine] = []
        self.printed = ""
        """The last of what programs have printed, for pages that come later."""
        self.record = _nothing()
        """What has happened in the run so far, or in the recording: all figures come from it."""
        self._show(self.record.world)

    # ---------------------------------------------------------------- opening things

    def set_up(
        self, cell: "Cell", source: "CellSource | None" = None, path: Path | None = None, idle: Sequence[Path] = ()
    ) -> None:
        """Puts a cell on the bench. ``idle`` are programs that were not loaded: nobody trusts their folder."""
        self.clear()
        self.idle = tuple(idle)
        self.cell, self.source, self.path = cell, source, path
        self.mode = "bench"
        self.record = cell.record
        self._show(cell.world)

    def put_on(self, recording: "Recording", path: Path) -> None:
        """Puts a recording on, at its beginning."""
        self.clear()
        self.record = self.recording = recording
        self.path = path
        self.mode = "recorded"
        self._show(recording.world, recording.bodies)
        self.playhead.seek(0)

    def _show(self, world: World, bodies: Sequence[LiveBody] | None = None) -> None:
        self.numbering = BodyNumbering(world, bodies, version=self.numbering.version)
        self.frames = FrameMaker(self.numbering)
        self.playhead = Playhead(lambda: self.now)
        for lazy in ("scene", "_recorded_journal"):
            self.__dict__.pop(lazy, None)
        self.changed()

    # ---------------------------------------------------------------- what there is

    @property
    def world(self) -> World:
        """Where everything is, at any instant up to now."""
        return self.numbering.world

    @property
    def bodies(self) -> list[LiveBody]:
        """Every body that ever was; its place here is its number in frames and trees."""
        return self.numbering.bodies

    @cached_property
    def scene(self) -> Scene:
        """Questions to the world, asked here so that what a run keeps for its own is left alone."""
        return Scene(self.world)

    @property
    def now(self) -> int:
        """The end of what is known, in ticks."""
        if self.mode == "live" and self.pace is not None:
            return self.pace.shown
        return self.world.now

    @property
    def shown(self) -> int:
        """The instant on the screen, in ticks."""
        return self.playhead.shown

    @property
    def name(self) -> str:
        """What is open is called so."""
        if self.cell is not None:
            return self.cell.name
        return self.recording.header.cell if self.recording is not None else ""

    @property
    def seed(self) -> int | None:
        """What the run's random streams derive from."""
        if self.cell is not None:
            return self.cell.seed
        return self.recording.header.seed if self.recording is not None else None

    @property
    def sensors(self) -> "Mapping[str, Watcher]":
        """All sensors by name, those inside of devices included."""
        from drycell.sensors import sensors_of
        from drycell.studio.host.sensing import SensorAtWork, SensorOfRecording

        if self.cell is not None:
            return {name: SensorAtWork(sensor) for name, sensor in sensors_of(self.cell).items()}
        if self.recording is None:
            return {}
        return {
            name: SensorOfRecording(each, partial(self._published, name))
            for name, each in self.recording.sensors.items()
        }

    def _published(self, name: str) -> Changes[Any] | None:
        """The changes of a signal: read when first asked for, since opening a recording must not wait for them."""
        return self.record.signals.get(name)

    @property
    def journal(self) -> Sequence[JournalLine]:
        """The journal so far. The last of its records may still get company of earlier ones."""
        if self.cell is not None:
            return LiveJournal(self.released, self.cell.kernel.journal.records)
        return self._recorded_journal

    @cached_property
    def _recorded_journal(self) -> Sequence[JournalLine]:
        return () if self.recording is None else tuple(self.recording.journal())

    def needs_cell(self) -> "Cell":
        """The cell; says so if there is none."""
        if self.cell is None:
            what = "a recording is on stage" if self.mode == "recorded" else "nothing is on stage"
            raise DrycellError(f"{what}, and no cell", hint="open a cell file, a Python file or their folder")
        return self.cell

    def play(self, factor: float | None = None) -> None:
        """Plays the past, at a factor or at the speed that is set; from the end of a recording it begins anew."""
        if self.mode == "recorded" and self.shown >= self.now:
            self.playhead.seek(0)
        self.playhead.play(factor or self.speed or 1.0)

    def frame(self) -> bytes:
        """What is to be seen now."""
        return self.frames.at(self.shown)

    def source_file(self, file: str) -> str | None:
        """Where a source file is that the record names; None: it is none of the user's, or nobody knows where.

        A recording names files as they are seen from the folder of its cell.
        """
        if not is_users(file):
            return None
        if self.recording is None:
            return file
        folder = self.recording.header.folder
        return os.path.normpath(self.recording.path.parent.resolve() / folder / file) if folder else None

    # ---------------------------------------------------------------- the run

    def start(self, *, paused: bool = False) -> Pace:
        """Has the cell's run begin as soon as this request is answered."""
        self.needs_cell()
        if self.mode != "bench":
            raise DrycellError("this cell has run already", hint="restart: the cell is built anew")
        if self.idle and self.path is not None:
            check_trusted(self.idle, "the run executes code")
            raise DrycellError("its programs have not been loaded", hint="restart: the cell is built anew")
        for put_back in self.before_run:
            put_back()
        self.pace = Pace(self.speed, paused=paused)
        for file, lines in self.breaks.items():
            for line in lines:
                self.pace.break_at(file, line)
        self.playhead.follow()
        self.wants_run = True
        return self.pace

    def set_breaks(self, file: str, lines: set[int]) -> None:
        """The break points of a file, seen from the folder of the cell or by its whole path."""
        folder = Path() if self.path is None else self.path.parent
        whole = os.path.abspath(folder / file)
        known = self.breaks.get(whole, set())
        self.breaks[whole] = lines
        if self.pace is not None:
            for line in known - lines:
                self.pace.clear_break(whole, line)
            for line in lines - known:
                self.pace.break_at(whole, line)

    def perform(self) -> None:
        """Runs the cell to its end. Whoever has a request meanwhile is served by ``kernel.inspect``."""
        from drycell.cell import run

        cell, pace = self.needs_cell(), self.pace
        self.wants_run = False
        self.mode = "live"
        self.changed()
        try:
            self.result = run(
                cell,
                self.until,
                pace=pace,
                journal=None,
                record=self.recorded_as,
                source=self.source,
                sink=self.released.append,
            )
        except (Exception, SystemExit) as error:
            self.failure = error
        finally:
            self.mode = "ended"
            self.changed()

    @property
    def recorded_as(self) -> Path:
        """Where the run is recorded."""
        return self.folder / "run.dry"

    def look(self, action: Callable[[], Any]) -> bool:
        """From another thread: has something done by the cell's thread; False if no run is on that would do it."""
        cell = self.cell
        if self.mode != "live" or cell is None:
            return False
        cell.kernel.inspect(action)
        return True
