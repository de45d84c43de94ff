"""The session: the cell or recording that is open in a host, and the run of the cell."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drycell.base import DrycellError
from drycell.cell import CellSource, check_trusted
from drycell.kernel import Changes, JournalLine, Kernel, Outcome, Pace, is_users
from drycell.record import LiveRecord, Record
from drycell.studio.api.debugging import RunRecipe
from drycell.studio.api.problems import RunProblem
from drycell.studio.api.transport import Mode
from drycell.studio.host.collision_watch import CollisionWatch
from drycell.studio.host.frames import BodyNumbering, FrameMaker
from drycell.studio.host.journal import LiveJournal
from drycell.studio.host.last_programs import LastPrograms
from drycell.studio.host.meshes import MeshStore
from drycell.studio.host.playhead import Playhead
from drycell.studio.host.status import status
from drycell.world import LiveBody, Scene, World

if TYPE_CHECKING:
    from drycell.cell import Cell, Result
    from drycell.recording import Recording
    from drycell.studio.host.sensing import SensorView

Push = Callable[[object], None]
"""Sends an event, one of ``studio.api.events``, to the server."""


def _empty_record() -> Record:
    """The record of an empty world, for a session with nothing open."""
    kernel = Kernel()
    return LiveRecord(kernel, World(kernel))


def stamp(file: Path) -> tuple[int, int]:
    """When a file was written, and its size; zeros if there is none."""
    try:
        status = file.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


class HostSession:
    """What is open in a host. Used by the cell's thread only, which also answers requests."""

    def __init__(self, folder: Path, push: Push, *, first_scene: int = 0) -> None:
        self.folder = folder
        """Temporary folder of this host, for the recording of the run."""
        self.push = push
        self.meshes = MeshStore()
        self.speed: float | None = 1.0
        """Speed of the run and of replays, in multiples of real time; None: as fast as possible."""
        self.breakpoints: dict[str, set[int]] = {}
        self.stops_at_collision = False
        """Whether runs pause at their next collision."""
        self.changed: Callable[[], None] = lambda: None
        """Called whenever the page may have to show something new."""
        self.mode: Mode = "empty"
        self.numbering = BodyNumbering(_empty_record().world, scene=first_scene)
        self.clear()

    def clear(self) -> None:
        """Close the cell or recording. A run must have ended first, because this call may come from within it."""
        if self.mode == "live":
            raise DrycellError("the run has not ended", hint="stop it first, or restart")
        self.mode = "empty"
        self.path: Path | None = None
        self.source: CellSource | None = None
        self.cell: Cell | None = None
        self.recording: Recording | None = None
        self.pace: Pace | None = None
        self._collision_watch: CollisionWatch | None = None
        self.result: Result | None = None
        self.failure: BaseException | None = None
        self.recipe: RunRecipe | None = None
        """How to run the open cell again, as far as it is known before the run; None if that is not possible."""
        self.stamps: dict[str, tuple[int, int]] = {}
        """When the files of the cell were written, and their sizes, when it was built."""
        self.last_programs: LastPrograms | None = None
        """What the programs did last, once the run has ended."""
        self.until: float | None = None
        self.wants_run = False
        self.idle: tuple[Path, ...] = ()
        """Programs that were not loaded because the user does not trust their folder."""
        self.before_run: list[Callable[[], None]] = []
        """Called when the run starts: robots that were jogged go back to their start positions."""
        self.starts: dict[str, tuple[float, ...]] = {}
        """The joints at which robots that were jogged start a run."""
        self.released: list[JournalLine] = []
        self.printed = ""
        """The latest program output, for pages that are opened later."""
        self.record = _empty_record()
        """The record of the run so far, or of the recording. All figures are computed from it."""
        self._show(self.record.world)

    # ---------------------------------------------------------------- opening

    def open_cell(
        self, cell: "Cell", source: CellSource | None = None, path: Path | None = None, idle: Sequence[Path] = ()
    ) -> None:
        """Open a cell, ready to run.

        Args:
            cell: The cell.
            source: The file it was built from.
            path: The path that the user opened.
            idle: Programs that were not loaded because their folder is not trusted.
        """
        self.clear()
        self.idle = tuple(idle)
        self.cell, self.source, self.path = cell, source, path
        self.mode = "ready"
        self.record = cell.record
        self._show(cell.world)

    def can_repeat(self, recipe: RunRecipe) -> None:
        """Note how the open cell was built, and from which files."""
        self.recipe = recipe
        source = self.source or (None if self.path is None else CellSource.find(self.path))
        self.stamps = {} if source is None else {str(file): stamp(file) for file in source.files()}

    def open_recording(self, recording: "Recording", path: Path) -> None:
        """Open a recording at its beginning."""
        self.clear()
        self.record = self.recording = recording
        self.path = path
        self.mode = "recorded"
        self.recipe = RunRecipe(str(path), recording=True)
        self._show(recording.world, recording.bodies)
        self.playhead.seek(0)

    def _show(self, world: World, bodies: Sequence[LiveBody] | None = None) -> None:
        before = self.numbering
        self.numbering = BodyNumbering(world, bodies, scene=before.scene + 1, version=before.version)
        self.frames = FrameMaker(self.numbering, self.record)
        self.playhead = Playhead(lambda: self.now)
        for lazy in ("scene", "_recorded_journal"):
            self.__dict__.pop(lazy, None)
        self.changed()

    # ---------------------------------------------------------------- contents

    @property
    def world(self) -> World:
        """The world: the pose of everything at any time up to now."""
        return self.numbering.world

    @property
    def bodies(self) -> list[LiveBody]:
        """All bodies that were ever in the world. The index of a body is its number in frames and in the tree."""
        return self.numbering.bodies

    @cached_property
    def scene(self) -> Scene:
        """Queries of the world, separate from those of the run, so that its caches stay untouched."""
        return Scene(self.world)

    @property
    def now(self) -> int:
        """The end of the recorded time, in ticks."""
        if self.mode == "live" and self.pace is not None:
            return self.pace.shown
        return self.world.now

    @property
    def shown(self) -> int:
        """The time that is shown, in ticks."""
        return self.playhead.shown

    @property
    def name(self) -> str:
        """The name of the cell."""
        if self.cell is not None:
            return self.cell.name
        return self.recording.header.cell if self.recording is not None else ""

    @property
    def seed(self) -> int | None:
        """The seed of the run."""
        if self.cell is not None:
            return self.cell.seed
        return self.recording.header.seed if self.recording is not None else None

    @property
    def outcome(self) -> Outcome | None:
        """How the run ended; None before that, and after an error."""
        if self.recording is not None:
            return self.recording.outcome if self.recording.header.outcome else None
        return None if self.result is None else self.result.outcome

    @property
    def sensors(self) -> "Mapping[str, SensorView]":
        """All sensors by name, including those inside devices."""
        from drycell.sensors import sensors_of
        from drycell.studio.host.sensing import LiveSensorView, RecordedSensorView

        if self.cell is not None:
            return {name: LiveSensorView(sensor) for name, sensor in sensors_of(self.cell).items()}
        if self.recording is None:
            return {}
        return {
            name: RecordedSensorView(each, partial(self._published, name))
            for name, each in self.recording.sensors.items()
        }

    def _published(self, name: str) -> Changes[Any] | None:
        """The changes of a signal. They are read on demand, so that a recording opens quickly."""
        return self.record.signals.get(name)

    @property
    def journal(self) -> Sequence[JournalLine]:
        """The journal so far. Further records may still be inserted between the latest ones."""
        if self.cell is not None:
            return LiveJournal(self.released, self.cell.kernel.journal.records)
        return self._recorded_journal

    @cached_property
    def _recorded_journal(self) -> Sequence[JournalLine]:
        return () if self.recording is None else tuple(self.recording.journal())

    def require_cell(self) -> "Cell":
        """The open cell. Raises DrycellError if no cell is open."""
        if self.cell is None:
            what = "a recording is open, not a cell" if self.mode == "recorded" else "no cell is open"
            raise DrycellError(what, hint="open a cell file, a Python file or a folder with one")
        return self.cell

    def play(self, factor: float | None = None) -> None:
        """Replay the past, at a factor or at the set speed. At the end of a recording it starts from the beginning."""
        if self.mode == "recorded" and self.shown >= self.now:
            self.playhead.seek(0)
        self.playhead.play(factor or self.speed or 1.0)

    def frame(self) -> bytes:
        """The frame of the time that is shown."""
        return self.frames.at(self.shown)

    def source_file(self, file: str) -> str | None:
        """The path of a source file named in the record; None if it is not the user's, or its folder is unknown.

        A recording names files relative to the folder of its cell.
        """
        if not is_users(file):
            return None
        if self.recording is None:
            return file
        folder = self.recording.header.folder
        return os.path.normpath(self.recording.path.parent.resolve() / folder / file) if folder else None

    # ---------------------------------------------------------------- the run

    def start(self, *, paused: bool = False) -> Pace:
        """Start the run of the cell as soon as the current request is answered."""
        self.require_cell()
        if self.mode != "ready":
            raise DrycellError("the cell has already run", hint="restart to run it again")
        if self.idle and self.path is not None:
            check_trusted(self.idle, "the run executes code")
            raise DrycellError("the programs of the cell have not been loaded", hint="restart to load them")
        for put_back in self.before_run:
            put_back()
        self.pace = Pace(self.speed, paused=paused)
        for file, lines in self.breakpoints.items():
            for line in lines:
                self.pace.break_at(file, line)
        self.stop_at_collision(self.stops_at_collision)
        self.playhead.follow()
        self.wants_run = True
        return self.pace

    def stop_at_collision(self, on: bool) -> None:
        """Set whether this run and the next ones pause at the instant at which a collision begins."""
        self.stops_at_collision = on
        if self.pace is None or self.cell is None or self.cell.monitor is None or self.mode == "ended":
            return
        if self._collision_watch is None:
            self._collision_watch = CollisionWatch(self.cell.monitor, self.pace)
        self._collision_watch.set(on)

    @property
    def stopped_at_collision(self) -> RunProblem | None:
        """The collision at whose beginning the run is paused."""
        watch = self._collision_watch
        return None if watch is None or self.mode != "live" else watch.reached

    def set_breakpoints(self, file: str, lines: set[int]) -> None:
        """Replace the breakpoints of a file, given by absolute path or relative to the folder of the cell."""
        folder = Path() if self.path is None else self.path.parent
        whole = os.path.abspath(folder / file)
        known = self.breakpoints.get(whole, set())
        self.breakpoints[whole] = lines
        if self.pace is not None:
            for line in known - lines:
                self.pace.clear_break(whole, line)
            for line in lines - known:
                self.pace.break_at(whole, line)

    def perform(self) -> None:
        """Run the cell to its end. Requests are served during the run through ``kernel.inspect``."""
        from drycell.cell import run

        cell, pace = self.require_cell(), self.pace
        self.wants_run = False
        self.mode = "live"
        self.changed()

        def last_look() -> None:
            self.last_programs = LastPrograms.of(cell.kernel, status(self).processes)

        cell.kernel.last_look = last_look
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
        """The file in which the run is recorded."""
        return self.folder / "run.dry"

    def inspect(self, action: Callable[[], Any]) -> bool:
        """Have the cell's thread call ``action`` during a run. Returns False if there is no run.

        To be called from another thread.
        """
        cell = self.cell
        if self.mode != "live" or cell is None:
            return False
        cell.kernel.inspect(action)
        return True
