"""One run of a campaign as a pure function of the bundle and the point. All engines call it."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from inspect import isfunction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from drycell.base import DrycellError, FieldError, Setting
from drycell.campaign.design import RunPoint
from drycell.cell import CellSource, LiveProgram
from drycell.kernel import load_program, naming_line

if TYPE_CHECKING:
    from drycell.cell import Cell, Model, Result

MEASURES: Final = "measures.py"
Value = bool | int | float | str | None
_DIGITS: Final = 9  # as in results: the last bits differ between processors


@dataclass(frozen=True)
class RunRow:
    """A finished run: its figures by column, or the error that ended it.

    ``ending`` is that of the result, ``error``, or ``killed`` if its process died repeatedly. ``cpu`` is the CPU time
    in seconds; tables do not contain it.
    """

    key: str
    point: RunPoint
    ending: str
    clean: bool
    problem: str = ""
    error: str = ""
    figures: Mapping[str, Value] = field(default_factory=dict)
    journal: str = ""
    cpu: float = 0.0

    def data(self) -> dict[str, Any]:
        """The row as plain data."""
        return {
            "key": self.key,
            "point": self.point.data(),
            "ending": self.ending,
            "clean": self.clean,
            "problem": self.problem,
            "error": self.error,
            "figures": dict(self.figures),
            "journal_sha256": self.journal,
            "cpu_s": self.cpu,
        }

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "RunRow":
        """Restore a row from plain data.

        Raises:
            KeyError, TypeError, ValueError: The data is not a row.
        """
        found = cls(
            str(data["key"]),
            RunPoint.of(data["point"]),
            str(data["ending"]),
            bool(data["clean"]),
            str(data["problem"]),
            str(data["error"]),
            {str(name): _plain(value) for name, value in data["figures"].items()},
            str(data["journal_sha256"]),
            float(data["cpu_s"]),
        )
        if found.key != found.point.key:
            raise ValueError("the key is not that of the point")
        return found


def _plain(value: object) -> Value:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{value!r} is not a figure")


def source_of(cell: Path, point: RunPoint) -> CellSource:
    """Return the cell of a point: the file of the bundle with the point's settings and programs."""
    source = CellSource(cell)
    for path, text in point.settings:
        source = source.set(path, text)
    for name, file in point.programs:
        source = source.exchange(name, cell.parent / file)
    return source


@lru_cache(maxsize=64)
def _model(cell: Path, settings: tuple[Setting, ...]) -> "Model | None":
    """Read a cell file once for many runs. Files under ``uses`` are code that could keep state, so they are read anew
    for every run."""
    if cell.suffix == ".py":
        return None
    model = CellSource(cell, settings=settings).model()
    return None if model.head.uses else model


def build(cell: Path, point: RunPoint) -> "Cell":
    """Build the cell of a point.

    Raises:
        DrycellError: The cell cannot be built with these settings and programs.
    """
    source = source_of(cell, point)
    return source.build(seed=point.seed, model=_model(cell, source.settings))


def run(cell: Path, point: RunPoint, record: Path | None = None) -> RunRow | None:
    """Make one run and return its row; None if it was interrupted by a signal, because such a run is not finished.

    Errors of the cell, of its programs and of measures are rows. The row depends only on the bundle and the point,
    whatever has run before in this process.

    Args:
        cell: The cell file in the folder of the unpacked bundle.
        point: The run to make.
        record: A file for the recording.
    """
    started = time.process_time()
    try:
        built = build(cell, point)
        built.pace = None
        functions = measures_in(cell.parent)
        # Measures may look at the whole past, and figures after a warm-up need it.
        keep = bool(functions or point.after)
        result = built.run(
            point.until, record=record, source=None if record is None else source_of(cell, point), keep=keep
        )
        if result.ending == "interrupted":
            return None
        figures = dict(result.row(point.after)) | measured(functions, built, result)
    except Exception as error:
        text = str(error) if isinstance(error, DrycellError) else f"{type(error).__name__}: {error}"
        first = _portable(text, cell.parent)
        return RunRow(point.key, point, "error", False, f"error: {first.splitlines()[0]}", first, cpu=_since(started))
    journal = str(figures.pop("journal_sha256"))
    for name in ("cell", "seed", "ending", "clean", *(name for name in figures if name.startswith("set "))):
        figures.pop(name, None)
    return RunRow(point.key, point, result.ending, result.clean, result.problem, "", figures, journal, _since(started))


def _since(started: float) -> float:
    return round(time.process_time() - started, 4)


def _portable(text: str, folder: Path) -> str:
    """Return an error without the folder of the bundle, which differs between machines."""
    for each in {str(folder), str(folder.resolve())}:
        text = text.replace(each + os.sep, "")
    return text


def measures_in(folder: Path) -> list[Callable[..., object]]:
    """Return the measures of a cell's folder: the functions of its ``measures.py`` whose names do not start with an
    underscore."""
    path = folder / MEASURES
    if not path.is_file():
        return []
    with naming_line(f"reading {path}"):
        names = load_program(path).namespace
    return [
        each
        for name, each in names.items()
        if isfunction(each) and each.__globals__ is names and not name.startswith("_")
    ]


def bound(functions: list[Callable[..., object]], cell: "Cell") -> dict[str, list[object]]:
    """Fill the parameters of measures from a cell: ``result``, ``record``, ``cell``, and the names of its things and
    signals, as for programs.

    Raises:
        DrycellError: A parameter names nothing in the cell.
    """
    offered = {**cell.offered(), "result": None, "record": cell.record}
    return {each.__name__: LiveProgram(each).arguments(offered) for each in functions}


def measured(functions: list[Callable[..., object]], cell: "Cell", result: "Result") -> dict[str, Value]:
    """Return the values of measures after a run, by name."""
    offered = {**cell.offered(), "result": result, "record": result.record}
    taken = result.row()
    found: dict[str, Value] = {}
    for each in functions:
        name = each.__name__
        if name in taken:
            raise FieldError(f"{MEASURES}: {name}() has the name of a figure of every result", hint="rename it")
        value = each(*LiveProgram(each).arguments(offered))
        if hasattr(value, "item"):  # a number of numpy
            value = value.item()
        if not (value is None or isinstance(value, (bool, int, float, str))):
            raise FieldError(
                f"{MEASURES}: {name}() returned {type(value).__name__}, which is not one value of a table",
                hint="return a number, a truth value, a text or None",
            )
        if isinstance(value, float):
            value = round(value, _DIGITS) if abs(value) < float("inf") else None  # false for nan as well
        found[name] = value
    return found
