"""Bodies that differ from run to run: tolerances declared on a cell, drawn from its seed, and as a section of its file.

Every seed makes another instance of the cell, the same one each time. What lies on another body keeps lying on it:
its bottom stays where it was, it is shifted within that plane and turned about its upright axis, and what lies on a
body whose height came out differently goes with its top.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from drycell.cell.file import CellFile, Section, register_section
from drycell.cell.placing import top_of
from drycell.errors import FieldError, Mistake, WorldError, did_you_mean
from drycell.fields import Name, Quantity, described
from drycell.geometry import Shape
from drycell.spatial import Pose, Vector
from drycell.units import deg, mm
from drycell.world import Body, Drawn, Law, Spread, Tolerance, World, draw
from drycell.world.linkage import LinkMotion

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

    from drycell.cell.cell import Cell

_TOUCH: Final = 1e-9


@dataclass(frozen=True)
class Varied:
    """What was declared of a body, and what came out."""

    tolerance: Tolerance
    drawn: Drawn


@dataclass(frozen=True)
class Nominal:
    """A body as it was built: its shape, and its place seen from what it is affixed to."""

    shape: Shape | None
    local: Pose


def vary(cell: "Cell", body: Body, size: float, at: Spread, angle: Spread, law: Law) -> Drawn:
    """Draws a body's dimensions and place from the cell's seed, and puts it there. See ``Cell.vary``."""
    world, lies = cell.world, _lies(cell.world, body)
    if body in cell.varied:
        raise WorldError(f"{body.name!r} has tolerances already", hint="give it all of them at once")
    if cell.ran:
        raise WorldError(f"{body.name!r} cannot get tolerances now: the cell has run", hint="declare them before")
    if isinstance(body.history[-1].motion, LinkMotion):
        raise WorldError(f"{body.name!r} is a link of a robot, which has no tolerances", hint="give them to a body")
    tolerance = Tolerance(size, _spread(at, (1.0, 1.0, 0.0 if lies else 1.0)), _turns(angle, lies), law)
    if body.shape is None and size:
        raise WorldError(f"{body.name!r} has no shape whose size could vary", hint="give it `at` and `angle` alone")
    if body.shape is not None:
        tolerance.check(body.shape, body.name)
    drawn = draw(tolerance, body.shape, lambda what: cell.kernel.random(f"tolerance {body.name} {what}"))
    local = _kept(cell, body)
    if lies and body.shape is not None and drawn.shape is not None:
        local = local @ Pose(0.0, 0.0, body.shape.bounds[0][2] - drawn.shape.bounds[0][2])
    carried = [child for child in body.children if _lies(world, child)]
    above = None if body.shape is None else top_of(body).z
    body.shape = drawn.shape
    world.place(body, drawn.pose(local), body.parent)
    for child in carried:
        world.place(child, _kept(cell, child).moved(z=top_of(body).z - (above or 0.0)), body)
    cell.varied[body] = Varied(tolerance, drawn)
    cell.kernel.journal.write("tolerance", body.name, **_told(tolerance, drawn))
    return drawn


def _kept(cell: "Cell", body: Body) -> Pose:
    """Where a body is now; how it was built is kept, for the cell's file."""
    local = cell.world.relative(body.parent, body)
    cell.nominals.setdefault(body, Nominal(body.shape, local))
    return local


def _told(tolerance: Tolerance, drawn: Drawn) -> dict[str, object]:
    """What came out, for the journal: only what could have come out otherwise."""
    told: dict[str, object] = {f"{name}_mm": value / mm for name, value in drawn.changes.items()}
    if any(tolerance.at):
        told["at_mm"] = [value / mm for value in drawn.shift]
    if any(tolerance.angle):
        told["angle_deg"] = [value / deg for value in drawn.turn]
    return told


def _lies(world: World, body: Body) -> bool:
    """Whether a body lies on the top of what it is affixed to (a robot: whether its base stands there)."""
    parent = body.parent
    if parent is None or parent.shape is None:
        return False
    local = world.relative(parent, body)
    upright = local.rows[10] > 1.0 - 1e-12
    feet = [local.z] if body.shape is None else [local.z, local.z + body.shape.bounds[0][2]]
    return upright and any(abs(foot - top_of(parent).z) <= _TOUCH for foot in feet)


def _spread(given: Spread, free: Vector) -> Vector:
    """Limits for x, y and z: one number counts for those that are free."""
    if isinstance(given, int | float):
        x, y, z = (float(given) * share for share in free)
        return (x, y, z)
    if len(given) != 3:
        raise WorldError(f"a tolerance has one value or three, not {len(given)}", hint="write 1*mm or (1*mm, 1*mm, 0)")
    x, y, z = (float(value) for value in given)
    return (x, y, z)


def _turns(given: Spread, lies: bool) -> Vector:
    return _spread(given, (0.0, 0.0, 1.0) if lies else (1.0, 1.0, 1.0))


# ---------------------------------------------------------------- in a cell file


@dataclass(frozen=True)
class _OneOrThree:
    """A list of three, or one value for all of them, with or without brackets."""

    example: str

    def read(self, written: object) -> tuple[object, ...]:
        values = tuple(written) if isinstance(written, list | tuple) else (written,)
        if len(values) not in (1, 3):
            hint = f"write for example {self.example}"
            raise FieldError(f"one value or a list of 3 is wanted, but this is {described(written)}", hint=hint)
        return values

    def __get_pydantic_core_schema__(self, source: object, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(self.read, handler(source))


_Limit = Annotated[float, Quantity("length", least=0.0)]
_Turn = Annotated[float, Quantity("angle", least=0.0)]


@dataclass(frozen=True, kw_only=True)
class ToleranceSpec:
    """The tolerances of one body."""

    __pydantic_config__: ClassVar[Mapping[str, object]] = {"extra": "forbid"}
    size: _Limit = 0.0
    at: Annotated[tuple[_Limit, ...], _OneOrThree("1 mm or [1 mm, 1 mm, 0]")] = ()
    angle: Annotated[tuple[_Turn, ...], _OneOrThree("0.5 deg or [0, 0, 2 deg]")] = ()
    law: Law = "uniform"


def _rules(cell_file: CellFile) -> Iterable[Mistake]:
    bodies = {body.name: body for body in cell_file.flat_bodies()}
    for name, spec in _specs(cell_file).items():
        if name not in bodies:
            yield cell_file.mistake(("tolerances", name), f"there is no body {name!r}", did_you_mean(name, bodies))
        elif spec.size and bodies[name].spec.shape is None and not bodies[name].spec.merge:
            yield cell_file.mistake(("tolerances", name, "size"), f"{name!r} has no shape", "leave 'size' out")


def _specs(cell_file: CellFile) -> dict[str, ToleranceSpec]:
    found = cell_file.sections.get("tolerances", {})
    return found if isinstance(found, dict) else {}


register_section(Section("tolerances", dict[Name, ToleranceSpec], _rules))


def apply_tolerances(cell: "Cell", cell_file: CellFile) -> None:
    """Draws what a file gives tolerances to, in its order."""
    for name, spec in _specs(cell_file).items():
        cell.vary(name, size=spec.size, at=_given(spec.at), angle=_given(spec.angle), law=spec.law)


def _given(values: Sequence[float]) -> Spread:
    return values[0] if len(values) == 1 else values or 0.0


def tolerance_specs(cell: "Cell") -> dict[str, object]:
    """The section of a cell's file; nothing if no body has tolerances."""
    specs = {
        body.name: ToleranceSpec(
            size=varied.tolerance.size,
            at=varied.tolerance.at if any(varied.tolerance.at) else (),
            angle=varied.tolerance.angle if any(varied.tolerance.angle) else (),
            law=varied.tolerance.law,
        )
        for body, varied in cell.varied.items()
    }
    return {"tolerances": specs} if specs else {}
