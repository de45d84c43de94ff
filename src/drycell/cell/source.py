"""Cells on disk: find a cell by its path, build it, and check whether its code is trusted.

Programs, ``cell.py`` and the files under ``uses`` are code. ``drycell run`` implies consent to run it; commands that
only inspect a cell run code only from folders that the user has declared trusted.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from drycell.base import CellFileError, DrycellError, Setting, did_you_mean, text_beside

if TYPE_CHECKING:
    from drycell.base import yamldoc
    from drycell.cell.cell import Cell
    from drycell.cell.model import Model
    from drycell.kernel import Chooser

CELL_NAMES = ("cell.yaml", "cell.yml", "cell.py")
"""The file names of a cell in a folder."""
_ENDINGS = (".py", ".yaml", ".yml")
_SHAPES = (".stl", ".obj", ".ply", ".glb", ".gltf", ".step", ".stp")


@dataclass(frozen=True, slots=True)
class CellSource:
    """A cell on disk: a cell file, or a Python file with a function ``build(cell)``.

    ``exchanged`` maps the names of replaced programs to their new files. ``settings`` override fields of the cell file.
    """

    path: Path
    exchanged: tuple[tuple[str, Path], ...] = ()
    settings: tuple[Setting, ...] = ()

    @classmethod
    def find(cls, given: str | Path) -> "CellSource":
        """Find the cell at a path: a file, or a folder that contains one.

        Raises:
            CellFileError: if there is no cell at the path.
        """
        path = Path(given)
        if path.is_dir():
            for own in _own(path):
                if own.is_file():
                    return cls(own)
            raise CellFileError(
                f"folder {path} contains no cell",
                hint=f"put one of {', '.join(CELL_NAMES)} there, or name the file itself",
            )
        if not path.is_file():
            near = _cells_in(path.parent)
            hint = did_you_mean(path.name, near) if near else f"name a file, or a folder with {', '.join(CELL_NAMES)}"
            raise CellFileError(f"there is no cell {str(path)!r}", hint=hint)
        if path.suffix not in _ENDINGS:
            raise CellFileError(
                f"{path} is neither a cell file nor a Python file",
                hint="name a .yaml or .py file, or a folder with one",
            )
        return cls(path)

    def exchange(self, program: str, file: Path) -> "CellSource":
        """Return the cell with a program replaced by a file; in a cell without programs, the file is added."""
        return replace(self, exchanged=(*self.exchanged, (program, file)))

    def set(self, path: str, text: str) -> "CellSource":
        """Return the cell with a field of its cell file overridden: ``source.set("belt.speed", "40 mm/s")``.

        The path names the field like in error messages (``devices.belt.conveyor.speed``); the section and the kind may
        be omitted. The text is written as in the file. Mistakes are reported when the cell is built. Python files have
        no fields to set and are rejected here.
        """
        setting = Setting(path, text)
        if self.path.suffix == ".py":
            raise CellFileError(
                f"{setting}: {self.path} is a Python file, and only cell files have fields to set",
                hint=f"save it as a cell file (drycell show {self.path} --save cell.yaml), or change build(cell)",
            )
        return replace(self, settings=(*self.settings, setting))

    def code(self, *, programs: bool = True) -> list[Path]:
        """Return the files that building executes: those that build the cell or define kinds, its programs, and
        descriptions with macros.

        This executes nothing, and does not check whether the files exist.
        """
        from drycell.base import FileError, yamldoc

        if self.path.suffix == ".py":
            return [self.path]
        try:
            root = yamldoc.parse(yamldoc.read_text(self.path), str(self.path))
        except FileError:  # reported when the cell is built
            return []
        uses = root.find(("uses",))
        found = [each.value for each in uses.value] if uses is not None and isinstance(uses.value, list) else []
        entries = root.find(("programs",)) if programs else None
        for name in entries.value if entries is not None and isinstance(entries.value, dict) else ():
            file = root.find(("programs", name, "file"))
            found += [] if file is None else [file.value]
        found += macro_files(root)
        named = dict.fromkeys(each for each in found if isinstance(each, str))
        return [*(self.path.parent / each for each in named), *(file for _, file in self.exchanged if programs)]

    def check_trusted(self, *, programs: bool = True) -> None:
        """Raise Untrusted if building the cell would execute files from a folder that the user does not trust."""
        check_trusted(self.code(programs=programs), f"{self.path.name} runs code")

    def build(
        self,
        *,
        seed: int | None = None,
        chooser: "Chooser | None" = None,
        programs: bool = True,
        model: "Model | None" = None,
    ) -> "Cell":
        """Build a new cell, ready to run. This executes the files of :meth:`code`.

        Without ``programs``, the programs of a cell file are listed but not loaded. ``model`` is the result of
        :meth:`model`, so that a cell file that is built many times is read once.
        """
        from drycell.cell.program import exchange

        if self.path.suffix == ".py":
            cell = self._build(seed, chooser)
        else:
            cell = self._from_file(seed, chooser, programs, model)
        for name, file in self.exchanged if programs else ():
            exchange(cell, name, file)
        cell.settings = {each.path: each.text for each in self.settings}
        return cell

    def _from_file(self, seed: int | None, chooser: "Chooser | None", programs: bool, known: "Model | None") -> "Cell":
        """Build the cell of a cell file. Replaced programs are not read."""
        from drycell.cell.cell import Cell

        model = self.model() if known is None else known
        idle = [name for name, _ in self.exchanged] if programs else list(model.section("programs"))
        return Cell(model, seed=seed, chooser=chooser, exchanged=idle)

    def model(self) -> "Model":
        """Load the model from the cell file and apply the settings. This executes the files under its ``uses``."""
        from drycell.cell.model import Model

        return Model.load(self.path, trusted=True, settings=self.settings)

    def _build(self, seed: int | None, chooser: "Chooser | None") -> "Cell":
        from drycell.cell.cell import Cell
        from drycell.kernel import naming_line

        name = self.path.resolve().parent.name if self.path.stem == "cell" else self.path.stem
        cell = Cell(name, seed=seed or 0, chooser=chooser)
        with naming_line(f"building {self.path}"):
            self._function()(cell)
        return cell

    def files(self) -> list[Path]:
        """Return all files that can affect a run: those in and below the cell's folder, and replaced programs."""
        from drycell.base import known_kinds
        from drycell.cell.program import endings

        kinds = {*_ENDINGS, *endings(known_kinds()), *_SHAPES}
        beside = (each for each in self.path.parent.rglob("*") if each.is_file() and each.suffix.lower() in kinds)
        found = [self.path, *sorted(each for each in beside if each != self.path)]
        known = {each.resolve() for each in found}
        return [*found, *(file for _, file in self.exchanged if file.resolve() not in known)]

    def _function(self) -> "Callable[[Cell], object]":
        from drycell.kernel import load_program

        build = load_program(self.path).namespace.get("build")
        if not callable(build):
            raise CellFileError(
                f"{self.path} has no function build(cell)",
                hint="write `def build(cell): …` that adds the bodies, robots and programs to the cell",
            )
        found: Callable[[Cell], object] = build
        return found


def _cells_in(folder: Path) -> list[str]:
    """Return the names of possible cells in a folder, for hints."""
    if not folder.is_dir():
        return []
    return [each.name for each in folder.iterdir() if _may_be_cell(each)]


def _may_be_cell(path: Path) -> bool:
    """Whether a path is a folder with a cell, a cell file, or a Python file that defines build()."""
    if path.suffix == ".py" and path.is_file():
        try:
            return "def build(" in path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False
    return path.suffix in _ENDINGS or any(map(Path.is_file, _own(path)))


def _own(folder: Path) -> list[Path]:
    """Return the paths at which a folder may contain its cell."""
    return [folder / name for name in CELL_NAMES]


# ---------------------------------------------------------------- trusted folders


class Untrusted(DrycellError):
    """Raised for a cell with code in a folder that the user does not trust."""

    def __init__(self, folder: Path, what: str, files: Iterable[str] = ()) -> None:
        self.folder, self.files = folder, tuple(files)
        super().__init__(
            f"{what}, and the folder {str(folder)!r} is not trusted",
            hint="look at the code; then trust the folder with --trust, which is remembered",
        )


def is_trusted(folder: str | Path) -> bool:
    """Return whether the user trusts a folder, or one above it."""
    here = Path(folder).resolve()
    known = _trusted()
    return any(str(each) in known for each in (here, *here.parents))


def trust(folder: str | Path) -> None:
    """Remember that the user trusts a folder and everything below it.

    Raises:
        DrycellError: The name of the folder cannot be a line of the file that remembers it.
    """
    name = str(Path(folder).resolve())
    if not name.isprintable():  # the rest after a line break would be another trusted folder
        raise DrycellError(
            f"the folder {name!r} cannot be trusted: its name has characters that cannot be printed",
            hint="rename the folder",
        )
    known = _trusted()
    known.setdefault(name)
    with text_beside(_trusted_file()) as file:
        file.write("".join(f"{each}\n" for each in known))


def untrusted(files: Iterable[Path]) -> list[Path]:
    """Return the files in folders that the user does not trust. Links are resolved."""
    return [file for file in files if not is_trusted(file.resolve().parent)]


def macro_files(node: "yamldoc.Node") -> Iterator[str]:
    """The files whose names end in ``.xacro``, anywhere below an entry: their macros are Python expressions."""
    # The ending is that of the path, as for the reader of robot files: "robot.xacro/" names the same file.
    if isinstance(node.value, dict):
        yield from (file for each in node.value.values() for file in macro_files(each))
    elif isinstance(node.value, list):
        yield from (file for each in node.value for file in macro_files(each))
    elif isinstance(node.value, str) and Path(node.value).suffix.lower() == ".xacro":
        yield node.value


def check_trusted(files: Iterable[Path], what: str) -> None:
    """Raise Untrusted for the first untrusted folder of some files; ``what`` describes what would execute them."""
    if found := untrusted(files):
        folder = found[0].resolve().parent
        names = [each.name for each in found if each.resolve().parent == folder]
        raise Untrusted(folder, f"{what}: {', '.join(names)}", names)


def _trusted_file() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "drycell" / "trusted"


def _trusted() -> dict[str, None]:
    try:
        return dict.fromkeys(filter(None, _trusted_file().read_text(encoding="utf-8").split("\n")))
    except (OSError, UnicodeDecodeError):
        return {}
