"""The test bench: a cell under test, which is built when needed and can be run repeatedly."""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from drycell.base import CellFileError, DrycellError, FieldError, KernelError
from drycell.cell import Cell, CellSource, LiveProgram, exchange as exchange_program
from drycell.testing.checked import CheckedResult
from drycell.verify import Verdict, verify as search

if TYPE_CHECKING:
    from drycell.kernel import Signal
    from drycell.verify import Verdict


Factory = Callable[[Cell], object]
Programs = Mapping[str, "str | Path | Callable[..., object]"]
TAIL: Final = 12
"""The number of journal records that a failing test shows."""
_SAMPLE: Final = re.compile(r" *[\d.]+  (\S+) +signal +value=(?!True|False)\S+  writer=\1")
"""A number that a sensor has measured: it is its own writer."""


class Bench:
    """A cell under test: a source or a function ``build(cell)``, with its seed and replaced programs.

    Tests get one from the fixture ``drycell_cell``. ``cell`` is the cell of the latest run, or the one that will run
    next; inspect its signals and robots before and after a run. Each further ``run`` builds the cell again. With
    ``record``, every run is recorded there.

    >>> from drycell import delay

    >>> def build(cell):
    ...     lamp = cell.signal("lamp", False)
    ...     @cell.program
    ...     def blink():
    ...         delay(2)
    ...         lamp.set(True)
    >>> bench = Bench(build)
    >>> bench.run().duration, bench.signal("lamp").value
    (2.0, True)
    """

    def __init__(
        self,
        subject: CellSource | Factory,
        *,
        seed: int | None = None,
        programs: Programs | None = None,
        record: Path | None = None,
    ) -> None:
        self.subject, self.seed = subject, seed
        self._programs = dict(programs or {})
        self._record = record
        self._cell: Cell | None = None
        self._until: float | None = None
        self.result: CheckedResult | None = None
        self.error: DrycellError | None = None
        self.verdict: Verdict | None = None
        self.files: list[Path] = []
        """The files written for the latest run: its recording, and its journal beside it."""
        self._found: list[Path] = []
        """Recordings of faults that searches have found."""

    @property
    def cell(self) -> Cell:
        """The cell of the latest run, or the one that will run next."""
        if self._cell is None:
            self._cell = self.build()
        return self._cell

    def signal(self, name: str) -> "Signal[Any]":
        """Return a signal of the cell by its name; ``signal.history`` has all its values."""
        return self.cell.kernel.signal_named(name)

    def build(self) -> Cell:
        """Build a new cell with the replaced programs."""
        if isinstance(self.subject, CellSource):
            cell = self.subject.build(seed=self.seed)
            self._exchange(cell)
        else:
            cell = Cell(getattr(self.subject, "__name__", "cell"), seed=self.seed or 0)
            self._fill(cell)
        return cell

    def _fill(self, cell: Cell) -> None:
        if not isinstance(self.subject, CellSource):
            self.subject(cell)
        self._exchange(cell)

    def _source(self) -> CellSource | None:
        """Return the source that a replay builds: the cell on disk, with the files that replace programs."""
        if not isinstance(self.subject, CellSource):
            return None
        source = self.subject
        for name, program in self._programs.items():
            if not callable(program):
                source = source.exchange(name, Path(program))
        return source

    def _exchange(self, cell: Cell) -> None:
        for name, program in self._programs.items():
            exchange(cell, name, program)

    def run(self, until: float | None = None) -> CheckedResult:
        """Run the cell and return its result.

        Args:
            until: The cell time in seconds at which the run ends; by default the cell's own.
        """
        if self._cell is None or self._cell.ran:
            self._cell = self.build()
        self._until, self.result, self.error = until, None, None
        journal = record = None
        if self._record is not None:
            self._record.parent.mkdir(parents=True, exist_ok=True)
            record, journal = self._record, self._record.with_suffix(".journal")
            self.files = [record, journal]
        try:
            result = self._cell.run(until, journal=journal, record=record, source=self._source())
        except DrycellError as error:
            self.error = error
            raise
        self.result = CheckedResult.of(result)
        return self.result

    def verify(self, **options: Any) -> "Verdict":
        """Search the orders of events; see :func:`drycell.verify.verify` for the options."""
        from drycell.verify import verify

        if isinstance(self.subject, CellSource) and self._programs:
            raise KernelError(
                f"a search uses {_shown(self.subject.path)} from disk, without replaced programs",
                hint="write a cell file, or a function build(cell), with these programs",
            )
        if self._record is not None:
            options.setdefault("out", self._record.parent)
        subject = self.subject if isinstance(self.subject, CellSource) else self._fill
        self.verdict = verify(subject, **{"seed": self.seed, **options})
        if self._record is not None and self.verdict.finding is not None and self.verdict.finding.recording is not None:
            self._found.append(self.verdict.finding.recording)
        return self.verdict

    def discard(self) -> None:
        """Delete the recordings."""
        for file in (*self.files, *self._found):
            file.unlink(missing_ok=True)
        self.files, self._found = [], []

    # ---------------------------------------------------------------- for the report of a failing test

    def report(self) -> str:
        """Describe the latest run (with the end of its journal and the command that repeats it) and the latest
        search."""
        parts = [] if self.verdict is None else [str(self.verdict), f"  repeat        {self._search_command()}"]
        if self._cell is not None and self._cell.ran:
            parts.append(self._run_report())
        return "\n".join(parts) or "the cell was not run"

    def __repr__(self) -> str:
        name = (
            _shown(self.subject.path)
            if isinstance(self.subject, CellSource)
            else getattr(self.subject, "__name__", "?")
        )
        return f"<Bench {name}, seed {self.seed}>"

    def _run_report(self) -> str:
        summary = self.result.summary() if self.result is not None else f"  error         {self.error}"
        records, samples = self._journal_tail()
        without = f" (without {samples:,} sensor samples)" if samples else ""
        head = f"last {len(records)} lines{without}:" if records else "empty"
        kept = [f"  recording     {self.files[0]}"] if self.files else []
        return "\n".join([summary, f"  journal       {head}", *records, *kept, f"  repeat        {self.command()}"])

    def command(self) -> str:
        """Return the command that reruns the cell the same way."""
        if not isinstance(self.subject, CellSource):
            name = getattr(self.subject, "__name__", "build")
            return (
                f"Bench({name}, seed={self.cell.seed}).run({'' if self._until is None else f'until={self._until:g}'})"
            )
        words = ["drycell", "run", _shown(self.subject.path), "--seed", str(self.cell.seed)]
        if self._until is not None:
            words += ["--until", f"{self._until:g}s"]
        for name, program in self._programs.items():
            if callable(program):
                return f"{shlex.join(words)}   (with program {name!r} replaced as in the test)"
            words += ["--program", f"{name}={program}"]
        return shlex.join(words)

    def _search_command(self) -> str:
        seed = [] if self.seed is None else ["--seed", str(self.seed)]
        if not isinstance(self.subject, CellSource):
            return f"verify({getattr(self.subject, '__name__', 'build')}, seed={self.seed or 0})"
        return shlex.join(["drycell", "verify", _shown(self.subject.path), *seed])

    def _journal_tail(self) -> tuple[list[str], int]:
        """Return the last lines of the journal, without measured numbers, and how many of those were skipped."""
        if self.files and self.files[-1].is_file():
            lines = self.files[-1].read_text(encoding="utf-8").splitlines()
        else:
            lines = [record.text() for record in self.cell.kernel.journal.records]
        found: list[str] = []
        skipped = 0
        for line in reversed(lines):
            if len(found) == TAIL:
                break
            if _SAMPLE.fullmatch(line):
                skipped += 1
            else:
                found.append(line)
        return found[::-1], skipped


def exchange(cell: Cell, name: str, program: "str | Path | Callable[..., object]") -> None:
    """Replace a program of the cell by a function or another file."""
    if not callable(program):
        exchange_program(cell, name, Path(program))
    elif name in cell.programs:
        known = cell.programs[name]
        cell.programs[name] = LiveProgram(
            program, controller=known.controller, daemon=known.daemon, priority=known.priority
        )
    else:
        cell.program(program, name=name)


def _shown(path: Path) -> str:
    """Return a path relative to the current folder if possible, and only the folder for a file named ``cell``."""
    if path.stem == "cell":
        path = path.parent
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)


def subject_from(given: "str | Path | CellSource | Factory", folders: Sequence[Path]) -> "CellSource | Factory":
    """Return the cell to test for a path, a source or a function ``build(cell)``."""
    if isinstance(given, CellSource):
        return given
    if isinstance(given, (str, Path)):
        return CellSource.find(_found(given, folders, "cell"))
    if isinstance(given, Cell) or not callable(given):
        raise FieldError(
            f"drycell_cell takes a path or a function build(cell), not {given!r}",
            hint="a cell runs only once: pass its path or the function that builds it",
        )
    return given


def programs_from(
    given: "Mapping[str, str | Path | Callable[..., object]] | None", folders: Sequence[Path]
) -> Programs:
    """Return the programs to replace, by name, with the full paths of files."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise FieldError(
            f"program={given!r} does not name the program to replace",
            hint='pass names: program={"robot": "robot.py"}, or a function instead of the file',
        )
    return {
        name: program if callable(program) else _found(program, folders, "program") for name, program in given.items()
    }


def _found(given: str | Path, folders: Sequence[Path], kind: str) -> Path:
    for folder in dict.fromkeys(folders):
        if (folder / given).exists():
            return folder / given
    looked = " and ".join(str(folder) for folder in dict.fromkeys(folders))
    raise CellFileError(f"there is no {kind} {str(given)!r}", hint=f"looked in {looked}")


def verify(cell: Bench | CellSource | str | Path | Factory, **options: Any) -> Verdict:
    """Search the orders of events of a cell; see :func:`drycell.verify.verify` for the options.

    A bench is searched with its seed, even if it has not run before. ``verdict.faults`` lists the faults found,
    ``.exhausted`` is true if everything was covered, and ``.clean`` if everything was covered without a fault.
    """
    return cell.verify(**options) if isinstance(cell, Bench) else search(cell, **options)
