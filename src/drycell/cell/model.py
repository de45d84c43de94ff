"""Model: a whole cell as a value. Loading, saving and checking work for any kind of thing.

A cell file is data: nothing in it is executed except the files under ``uses``, which define custom kinds, and those
only if the folder is trusted.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from hashlib import sha256
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from drycell.base import (
    CellFileError,
    DrycellError,
    FileError,
    FileNaming,
    InvalidThing,
    Kinds,
    Many,
    Mistake,
    Name,
    OneOf,
    PlugInError,
    Reader,
    Ref,
    Roles,
    Setting,
    SingleValue,
    Table,
    Thing,
    Type,
    Use,
    beside,
    cache,
    described,
    did_you_mean,
    dotted,
    fields_of,
    known_kinds,
    seen_from,
    text_beside,
    type_of,
    yamldoc,
)
from drycell.cell.head import Head
from drycell.cell.live import Stage
from drycell.cell.source import check_trusted
from drycell.geometry import MeshFile, Shape


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A thing with its full name and its place in the file. A child of a body is a separate entry."""

    name: str
    thing: Thing
    path: yamldoc.Path
    nested: bool = False


@dataclass(frozen=True)
class Model:
    """A cell as a value: its things by name, unique across all sections. Models with the same content are equal.

    >>> from drycell import Cell, Model
    >>> model = Model.read("name: line")
    >>> model.head.name
    'line'
    >>> Cell(model).run(until=5).duration
    5.0
    """

    head: Head = Head()  # noqa: RUF009  # frozen
    things: Mapping[str, Thing] = field(default_factory=dict)
    about: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Declarations about other things, by section and name: tolerances, and lists of faults."""
    kinds: Kinds = field(default_factory=lambda: known_kinds(), compare=False, repr=False)
    path: Path = field(default=Path("cell.yaml"), compare=False)
    root: yamldoc.Node | None = field(default=None, compare=False, repr=False)
    settings: Sequence[Setting] = field(default=(), compare=False, repr=False)
    """Top-level entries that are not in the file."""

    # ---------------------------------------------------------------- reading

    @classmethod
    def load(cls, path: str | Path, *, trusted: bool = False, settings: Sequence[Setting] = ()) -> "Model":
        """Load a cell file.

        Args:
            path: The cell file, or the folder of a ``cell.yaml``.
            trusted: Whether files under ``uses`` may be executed; otherwise only if the user trusts the folder.
            settings: Values that replace those of fields in the file.

        Raises:
            CellFileError: The file cannot be read or has mistakes; it lists all of them.
        """
        path = Path(path)
        if path.is_dir():
            path = path / "cell.yaml"
        try:
            text = yamldoc.read_text(path)
        except FileError as error:
            raise CellFileError.like(error) from error
        return cls.read(text, path, trusted=trusted, settings=settings)

    @classmethod
    def read(
        cls,
        text: str,
        path: str | Path = "cell.yaml",
        *,
        trusted: bool = False,
        kinds: Kinds | None = None,
        settings: Sequence[Setting] = (),
    ) -> "Model":
        """Read the text of a cell file.

        Args:
            text: The text, in YAML.
            path: The path for messages and relative file names.
            trusted: Whether files under ``uses`` may be executed; otherwise only if the user trusts the folder.
            kinds: The kinds of things that the text may use; by default the built-in ones and those of plug-ins.
            settings: Values that replace those of fields in the text.

        Raises:
            CellFileError: The text has mistakes; it lists all of them.
        """
        if kinds is not None:
            return cls._read(text, Path(path), kinds, trusted, settings)
        try:
            return cls._read(text, Path(path), known_kinds(), trusted, settings)
        except CellFileError as error:  # plug-ins may define more; loading them takes longer than reading
            try:
                kinds = known_kinds(plug_ins=True)
            except PlugInError as broken:
                found = [*error.mistakes, Mistake(broken.what, hint=broken.hint)]
                raise CellFileError.of(str(path), found) from broken
            if kinds.classes == known_kinds().classes:
                raise
            return cls._read(text, Path(path), kinds, trusted, settings)

    @classmethod
    def _read(cls, text: str, path: Path, kinds: Kinds, trusted: bool, settings: Sequence[Setting]) -> "Model":
        try:
            root = yamldoc.parse(text, str(path))
        except FileError as error:
            raise CellFileError.like(error) from error
        reader = Reader(root, kinds)
        if not isinstance(root.value, dict):
            what = f"expected a mapping of fields, got {described(root.plain())}"
            reader.report((), what, "write for example 'name: …' and 'bodies: …'")
            raise _error(path, reader.mistakes, settings)
        kinds = reader.kinds = kinds_used(reader, path, trusted)
        if settings:
            from drycell.cell.settings import varied

            root, mistakes = varied(root, kinds, settings)
            if mistakes:
                raise _error(path, mistakes, settings)
            reader.root = root
        own = {each.key for each in fields_of(Head)}
        for key in root.value:
            if key not in kinds.sections and key not in own:
                hint = did_you_mean(key, [*own, *kinds.sections])
                reader.report((key,), "there is no such field", hint, key=True)
        above = replace(root, value={key: node for key, node in root.value.items() if key in own})
        head = OneOf(Head).read(above, (), reader)
        things, about = dict[str, Thing](), dict[str, dict[str, Any]]()
        for section in (each for each in root.value if each in kinds.sections):
            node = root.value[section]
            if node.value is None:  # an empty section
                continue
            found = section_type(kinds, section).read(node, (section,), reader)
            if kinds.sections[section].meta.about:
                about[section] = found
                continue
            for name, thing in found.items() if isinstance(found, dict) else ():
                if name in things:
                    what = f"there is also {_a(things[name].meta.kind)} {name!r}"
                    reader.report((section, name), what, "give each a unique name", key=True)
                things[name] = thing
        if reader.mistakes:
            raise _error(path, reader.mistakes, settings)
        model = cls(head, things, about, kinds, path, root, settings)
        model.check()
        return model

    # ---------------------------------------------------------------- writing

    def text(self) -> str:
        """Return the text of a cell file that reads back as this model, without default values."""
        whole: dict[str, Any] = {"name": self.head.name, **OneOf(Head).write(self.head)}
        last: dict[str, Any] = {key: whole.pop(key) for key in ("checks", "run") if key in whole}
        for section in sorted(self.kinds.sections, key=lambda each: self.kinds.sections[each].meta.stage):
            entries = self.section(section)
            if entries:
                whole[section] = section_type(self.kinds, section).write(entries)
        whole |= last
        return "".join(line + "\n" for key, value in whole.items() for line in yamldoc.block(key, value, 0, 2))

    def save(self, path: str | Path) -> None:
        """Write a cell file atomically.

        Shapes that are neither primitives nor from a file become mesh files next to it. File names become relative to
        it.

        Args:
            path: The cell file, or a folder for a ``cell.yaml``.

        Raises:
            WriteError: The file cannot be written.
        """
        target = Path(path)
        if target.suffix not in (".yaml", ".yml"):
            target = target / "cell.yaml"
        text = _saved(self, target).text()
        with text_beside(target) as file:
            file.write(text)

    # ---------------------------------------------------------------- content

    def section(self, name: str) -> dict[str, Any]:
        """Return the entries of a section by name; ``name`` is that of the section, such as ``devices``."""
        if self.kinds.sections[name].meta.about:
            return dict(self.about.get(name, {}))
        return {each: thing for each, thing in self.things.items() if thing.meta.section == name}

    @cached_property
    def entries(self) -> dict[str, ModelEntry]:
        """All things by their full names, children after their parents."""
        found: dict[str, ModelEntry] = {}
        for name, thing in self.things.items():
            _enter(found, name, thing, (thing.meta.section, name), False)
        return found

    @cached_property
    def offered(self) -> Roles:
        """All names that references can use, with their roles."""
        found = {each: roles for name, thing in self.things.items() for each, roles in thing.offers(name).items()}
        return found | dict.fromkeys(self.head.signals or (), ("signal",))

    def uses(self) -> Iterator[Use]:
        """Yield all references to other things in the model."""
        for leaf in self.leaves(naming=True):
            for name, ref in leaf.type.names(leaf.value):
                how: Any = "key" if leaf.key else "value" if leaf.value == name else "within"
                yield Use(leaf.path, name, ref, how)

    def leaves(self, *, naming: bool = False) -> Iterator[SingleValue]:
        """Yield all single values in the model, with their paths in the file.

        Args:
            naming: Whether to yield only values that can name other things.
        """
        yield from OneOf(Head).walk(self.head, naming=naming)
        for section in self.kinds.sections:
            for leaf in section_type(self.kinds, section).walk(self.section(section), naming=naming):
                yield leaf.below(section)

    def in_order(self) -> list[ModelEntry]:
        """Return all entries, each after the entries it needs.

        Bodies come first, then robots and the things they carry, then the rest stage by stage; within a stage, in the
        order of the file.
        """
        needs, depth = self._needs, self._depths()
        index = {name: number for number, name in enumerate(self.entries)}
        early = [name for name in self.entries if depth[name][0] <= Stage.ROBOTS]
        early.sort(key=lambda name: (*depth[name], index[name]))
        done, order = set(early), list(early)
        sections = list(self.kinds.sections)
        rest = [name for name in self.entries if name not in done]
        rest.sort(
            key=lambda name: (
                max(depth[name][0], Stage.MOUNTED),
                self.entries[name].thing.meta.stage == Stage.BODIES,
                sections.index(self.entries[name].thing.meta.section),
                index[name],
            )
        )
        while rest:
            ready = next(name for name in rest if needs[name] <= done)
            rest.remove(ready)
            done.add(ready)
            order.append(ready)
        return [self.entries[name] for name in order]

    @cached_property
    def _needs(self) -> dict[str, set[str]]:
        """The entries that must be built before each entry."""
        owners = {each.rstrip("/"): name for name, entry in self.entries.items() for each in entry.thing.offers(name)}
        found: dict[str, set[str]] = {name: set() for name in self.entries}
        for name, entry in self.entries.items():
            for use in OneOf(type(entry.thing)).uses(entry.thing):
                owner = _owner(use.name, owners)
                if use.ref.needed and use.path[:1] != ("children",) and owner is not None:
                    found[name].add(owner)
        return found

    def _depths(self) -> dict[str, tuple[int, int]]:
        """Return the stage at which each entry can be built, and its depth among the entries of that stage."""
        found: dict[str, tuple[int, int]] = {}
        try:
            order = list(TopologicalSorter(self._needs).static_order())
        except CycleError as error:
            raise _error(self.path, self._circles(), self.settings) from error
        for name in order:
            before = [found[each] for each in self._needs[name]]
            stage = max([self.entries[name].thing.meta.stage, *(each[0] for each in before)])
            found[name] = stage, max([0, *(each[1] + 1 for each in before if each[0] == stage)])
        return found

    # ---------------------------------------------------------------- validation

    def check(self) -> None:
        """Check that all references are valid and that none is circular.

        Raises:
            CellFileError: There are mistakes; it lists all of them.
        """
        if mistakes := [*self._taken(), *self._dangling()] or [*self._circles()]:
            raise _error(self.path, mistakes, self.settings)

    def _taken(self) -> Iterator[Mistake]:
        seen: dict[str, ModelEntry] = {}
        for name, thing in self.things.items():
            for entry in _flat(name, thing, (thing.meta.section, name), False):
                if entry.name in seen and (entry.nested or seen[entry.name].nested):
                    what = f"there are two bodies {entry.name!r}"
                    yield self.mistake(entry.path, what, "give each a unique name")
                seen[entry.name] = entry
        owners = {
            each: f"{_a(thing.meta.kind)} {name!r}"
            for name, thing in self.things.items()
            for each, roles in thing.offers(name).items()
            if "signal" in roles
        }
        for name in (name for name in self.head.signals or () if name in owners):
            what = f"there is also a signal {name!r} of {owners[name]}"
            yield self.mistake(("signals", name), what, "give each a unique name")

    def _dangling(self) -> Iterator[Mistake]:
        for use in self.uses():
            if problem := reference_problem(use.name, use.ref, self.offered):
                yield self.mistake(use.path, *problem, key=use.how == "key")

    def _circles(self) -> Iterator[Mistake]:
        """Yield circular references, each cycle once."""
        needs, names = {name: set(each) for name, each in self._needs.items()}, list(self.entries)
        while True:
            try:
                TopologicalSorter(needs).prepare()
            except CycleError as error:
                ring: list[str] = error.args[1][:0:-1]
                first = ring.index(min(ring, key=names.index))
                ring = [*ring[first:], *ring[:first], ring[first]]
                what = f"{ring[0]!r} depends on itself: {' → '.join(ring)}"
                yield self.mistake(self.entries[ring[0]].path, what, "remove one of these references")
                needs[ring[0]].discard(ring[1])
            else:
                return

    # ---------------------------------------------------------------- files, and errors about them

    @property
    def folder(self) -> Path:
        """The folder that file names are relative to."""
        return self.path.parent

    def mistake(self, path: yamldoc.Path, what: str, hint: str | None = None, *, key: bool = False) -> Mistake:
        """Return a mistake in a field, with its line if the model comes from a file.

        Args:
            path: The path of the field.
            what: What is wrong.
            hint: What to try.
            key: Whether the mistake is in the field's name rather than its value.
        """
        if self.root is None:
            return Mistake(what, dotted(path), hint=hint)
        return self.root.mistake(path, what, hint, key=key)

    def error(self, path: yamldoc.Path, error: DrycellError, thing: Thing | None = None) -> CellFileError:
        """Return an error that was raised while building, with the position of the entry that caused it.

        Args:
            path: The path of the entry.
            error: The error.
            thing: The thing that could not be built, if the error is to name its fields.
        """
        if isinstance(error, InvalidThing):
            found = []
            for each in error.problems:
                base = self.kinds.sections[thing.meta.section] if thing is not None else Thing
                at = each.path if thing is None else OneOf(base).place_of(type(thing), each.path)
                found.append(self.mistake((*path, *at), each.what, each.hint))
        else:
            named = error.where is None or error.what.startswith(Path(error.where).name)
            what = error.what if named else f"{error.what} ({error.where})"
            found = [self.mistake(path, what, error.hint)]
        return _error(self.path, found, self.settings)


def section_type(kinds: Kinds, section: str) -> Table:
    """The type of a section: things by name."""
    base = kinds.sections[section]
    key: Type = Ref(base.meta.about) if base.meta.about else type_of(Name)
    return Table(key, Many(OneOf(base)) if base.meta.many else OneOf(base))


def _enter(found: dict[str, ModelEntry], name: str, thing: Thing, path: yamldoc.Path, nested: bool) -> None:
    for entry in _flat(name, thing, path, nested):
        found[entry.name] = entry


def _flat(name: str, thing: Thing, path: yamldoc.Path, nested: bool) -> Iterator[ModelEntry]:
    """Yield a thing and the things that are written inside it."""
    yield ModelEntry(name, thing, path, nested)
    for full, child in thing.inside(name):
        yield from _flat(full, child, (*path, "children", full.removeprefix(f"{name}/")), True)


def _owner(named: str, owners: Mapping[str, str]) -> str | None:
    """The entry that provides a name, or an entry above the name."""
    while named not in owners and "/" in named:
        named = named.rpartition("/")[0]
    return owners.get(named)


def reference_problem(named: str, ref: Ref, offered: Roles) -> tuple[str, str] | None:
    """Return what is wrong with a reference and what to try; None if it is valid."""
    if ref.optional or ref.role in offered.get(named, ()):
        return None
    above = named
    while "/" in above:  # 'arm/': only the live arm knows its links
        above = above.rpartition("/")[0]
        if ref.role in offered.get(f"{above}/", ()):
            return None
    fitting = [name for name, roles in offered.items() if ref.role in roles and not name.endswith("/")]
    if named in offered:
        what = f"expected {_a(ref.role)}, but {named!r} is {_a(offered[named][0])}"
        return (
            what,
            f"choose one of: {', '.join(map(repr, sorted(fitting)[:12]))}"
            if fitting
            else "there are none yet; define one first",
        )
    return ref.missing(named, fitting)


def _a(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def _error(path: Path, mistakes: Iterable[Mistake], settings: Sequence[Setting] = ()) -> CellFileError:
    found = CellFileError.of(str(path), sorted(mistakes, key=lambda each: (each.line or 0, each.column or 0)))
    if settings and all(each.setting is None for each in found.mistakes):  # the file may be valid without the settings
        found.where = f"{found.where}, with {' '.join(map(str, settings))}"
    return found


# ---------------------------------------------------------------- saving


def _saved(model: Model, target: Path) -> Model:
    """Return the model for a file at ``target``. Shapes that files cannot describe are saved as meshes."""
    folder, here = target.parent, model.folder
    listed = {(here / each).resolve() for each in model.head.uses}
    foreign = {cls: file for cls, file in _foreign(model) if file not in listed}
    model = replace(model, kinds=Kinds((*model.kinds.classes, *foreign)))
    model.check()
    meshes = _Meshes(folder, {here / each.value for each in model.leaves() if isinstance(each.type, FileNaming)})

    def moved(kind: Type, value: Any) -> Any:
        return seen_from(folder, value, here) if isinstance(kind, FileNaming) else value

    things = {}
    for name, thing in model.things.items():

        def written(kind: Type, value: Any, name: str = name) -> Any:
            return meshes.saved(value, name) if _is_bare(value) else moved(kind, value)

        things[name] = OneOf(type(thing)).mapped(thing.as_written(), written)
    about = {each: section_type(model.kinds, each).mapped(said, moved) for each, said in model.about.items()}
    head = OneOf(Head).mapped(model.head, moved)
    files = dict.fromkeys(file for file in foreign.values() if file is not None)
    uses = (Path(os.path.relpath(file, folder.resolve())).as_posix() for file in files)
    return replace(model, head=head.changed(uses=(*head.uses, *uses)), things=things, about=about, path=target)


def _is_bare(value: object) -> bool:
    """Return whether a shape exists only in Python and cannot be written to a file."""
    return isinstance(value, Shape) and not value.meta.kind


def _foreign(model: Model) -> Iterator[tuple[type[Thing], Path | None]]:
    """The classes that the model's kinds do not include, and the Python files that define them (none for plug-ins)."""
    used = {type(each): None for each in _inside([model.things, model.about, model.head])}
    for cls in used:
        if not cls.meta.kind or cls in model.kinds.classes:
            continue
        if cls in known_kinds(plug_ins=True).classes:
            yield cls, None
            continue
        module = sys.modules.get(cls.__module__)
        file = getattr(module, "__file__", None)
        if file is None or cls.__module__ == "__main__" or getattr(module, cls.__qualname__, None) is not cls:
            raise CellFileError(
                f"no file that a cell file could name defines the kind {cls.meta.kind!r}",
                hint=f"define {cls.__name__} in a separate Python file, and import it from there",
            )
        yield cls, Path(file).resolve()


def _inside(value: Any) -> Iterator[Thing]:
    """All things in a value, in the order of a file."""
    if isinstance(value, Thing):
        value = value.as_written()
        yield value
        if not _is_bare(value):
            for field in fields_of(type(value)):
                yield from _inside(getattr(value, field.name))
    elif isinstance(value, Mapping):
        yield from _inside(list(value.values()))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _inside(each)


class _Meshes:
    """Saves shapes as mesh files in a folder. It does not overwrite existing files or files that the cell uses."""

    def __init__(self, folder: Path, used: set[Path]) -> None:
        self._folder, self._used = folder, {each.resolve() for each in used}

    def saved(self, shape: Shape, name: str) -> MeshFile:
        """Return the mesh file for a shape of the thing with that name."""
        from drycell.geometry import save_mesh  # a heavy import that reading a cell does not need

        stem = name.replace("/", "-")
        with TemporaryDirectory() as aside:
            save_mesh(shape, Path(aside) / "mesh.ply", units="m")
            content = (Path(aside) / "mesh.ply").read_bytes()
        for number in count(1):
            file = self._folder / f"{stem}{f'-{number}' if number > 1 else ''}.ply"
            if not file.exists() and file.resolve() not in self._used:
                with beside(file) as part:
                    part.write_bytes(content)
                break
            if file.is_file() and file.read_bytes() == content:
                break
        return MeshFile(file.name, "m")


# ---------------------------------------------------------------- kinds


def kinds_used(reader: Reader, path: Path, trusted: bool) -> Kinds:
    """The kinds that a file may use: the known kinds and those defined by the files under its ``uses``."""
    uses, kinds = reader.root.find(("uses",)), reader.kinds
    for index, file in enumerate(uses.value if uses is not None and isinstance(uses.value, list) else ()):
        if not isinstance(file.value, str):  # mistakes in it are reported with the other fields
            continue
        found = (path.parent / file.value).resolve()
        if not found.is_file():
            there = [each.name for each in path.parent.glob("*.py")]
            reader.report(("uses", index), f"there is no file {file.value!r}", did_you_mean(found.name, there))
            continue
        if not trusted:
            check_trusted([found], f"{path.name} uses code")
        kinds = kinds | _module(found, yamldoc.read_text(found))
    return kinds


@cache
def _module(path: Path, text: str) -> ModuleType:
    """Load a Python file beside a cell. Cached by its text, because executing a module twice gives unequal classes."""
    from drycell.kernel import naming_line

    module = ModuleType(f"drycell.beside.{path.stem}_{sha256(f'{path}{text}'.encode()).hexdigest()[:8]}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # pickle and inspect.getsource look for its classes there
    try:
        with naming_line(f"reading {path}"):
            exec(compile(text, path, "exec"), vars(module))
    except BaseException:
        del sys.modules[module.__name__]
        raise
    # Exclude classes that it imports from drycell.
    own = [name for name, each in vars(module).items() if getattr(each, "__module__", None) == module.__name__]
    module.__all__ = own  # type: ignore[attr-defined]
    return module
