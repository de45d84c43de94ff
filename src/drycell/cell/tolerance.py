"""Tolerances: bodies that differ from run to run, drawn from the cell's seed.

Every seed gives a different instance of the cell, reproducibly. A body that lies on another stays on it: its bottom
stays in the same plane, it is shifted within that plane and turned about its vertical axis, and whatever lies on a body
whose height has changed moves with its top.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from drycell import world
from drycell.base import FieldError, NoLess, Pose, Quantity, Thing, Type, Vector, WorldError, deg, described, mm
from drycell.cell.live import Stage, top_of
from drycell.world import DrawnBody, Law, LinkMotion, LiveBody, Spread, World, draw

if TYPE_CHECKING:
    from drycell.base import Describer, Kinds, Node, Path, Plain, Reader
    from drycell.cell.cell import Cell

_TOUCH: Final = 1e-9


@dataclass(frozen=True)
class _OneOrThree(Type):
    """Three values for x, y and z, or one value for all of them, with or without brackets."""

    inner: Type
    example: str

    def read(self, node: "Node", path: "Path", reader: "Reader") -> Any:
        """Read a list or a bare value."""
        from drycell.base import MISSING

        items = node.value if isinstance(node.value, list) else [node]
        if len(items) not in (1, 3):
            return reader.report(path, self._wanted(node.plain()), f"write for example {self.example}")
        where = [(*path, index) if isinstance(node.value, list) else path for index in range(len(items))]
        found = tuple(self.inner.read(item, at, reader) for item, at in zip(items, where, strict=True))
        return MISSING if MISSING in found else found

    def check(self, value: Any) -> tuple[float, ...]:
        """Check a number, or a sequence of one or three numbers."""
        values = (value,) if isinstance(value, int | float) else tuple(value)
        if len(values) not in (0, 1, 3):
            raise FieldError(self._wanted(values), hint=f"write for example {self.example}")
        return tuple(map(self.inner.check, values))

    def _wanted(self, written: object) -> str:
        return f"expected one value or a list of 3, got {described(written)}"

    def write(self, value: Sequence[float]) -> "Plain":
        """Return a list, or one value."""
        items = [self.inner.write(each) for each in value]
        return items[0] if len(items) == 1 else items

    def schema(self, describer: "Describer") -> dict[str, Any]:
        """Describe a value or a list of three."""
        inner = self.inner.schema(describer)
        return {"anyOf": [inner, {"type": "array", "items": inner, "minItems": 1, "maxItems": 3}]}

    def part(self, step: str | int, kinds: "Kinds") -> Type | None:
        """One value."""
        return self.inner if isinstance(step, int) and 0 <= step < 3 else None


Shift = Annotated[Spread, _OneOrThree(Quantity("length", least=0.0), "1 mm or [1 mm, 1 mm, 0]")]
Turn = Annotated[Spread, _OneOrThree(Quantity("angle", least=0.0), "0.5 deg or [0, 0, 2 deg]")]


class Tolerance(Thing, kind="tolerance", section="tolerances", about="body", stage=Stage.TOLERANCES):
    """How much a body may differ from its nominal size and pose; each seed gives different values.

    >>> from drycell import Body, Box, Cell, Tolerance, mm
    >>> cell = Cell(seed=3)
    >>> block = cell.add("block", Body(Box(40*mm, 40*mm, 30*mm)))
    >>> drawn = cell.add("block", Tolerance(at=2*mm))
    >>> abs(cell.world.pose(block).x) <= 2*mm
    True
    """

    size: NoLess = 0.0
    """Maximum deviation of each dimension, in both directions."""
    at: Shift = ()
    """Maximum displacement along x, y and z of its carrier: one value, or three."""
    angle: Turn = ()
    """Maximum rotation about its own axes: one value, or three."""
    law: Law = "uniform"
    """How values are drawn: ``uniform``, or ``normal``, which concentrates around the nominal values."""

    def build(self, cell: "Cell", name: str) -> DrawnBody:
        """Draw the size and pose of the body, and apply them."""
        return _vary(cell, cell.world.body(name), self)


def _vary(cell: "Cell", body: LiveBody, given: Tolerance) -> DrawnBody:
    here, lies = cell.world, _lies(cell.world, body)
    if body.name in cell.about.get("tolerances", {}):
        raise WorldError(f"{body.name!r} already has tolerances", hint="give it all of them at once")
    if cell.ran:
        raise WorldError(f"{body.name!r} cannot get tolerances now: the cell has run", hint="declare them before")
    if isinstance(body.history.values[-1].motion, LinkMotion):
        raise WorldError(f"{body.name!r} is a link of a robot, which has no tolerances", hint="give them to a body")
    shift = _spread(given.at, (1.0, 1.0, 0.0 if lies else 1.0))
    tolerance = world.ToleranceLimits(given.size, shift, _turns(given.angle, lies), given.law)
    if body.shape is None and given.size:
        raise WorldError(f"{body.name!r} has no shape whose size could vary", hint="give it `at` and `angle` alone")
    if body.shape is not None:
        tolerance.check(body.shape, body.name)
    drawn = draw(tolerance, body.shape, lambda what: cell.kernel.random(f"tolerance {body.name} {what}"))
    local = here.relative(body.parent, body)
    if lies and body.shape is not None and drawn.shape is not None:
        local = local @ Pose(0.0, 0.0, body.shape.bounds[0][2] - drawn.shape.bounds[0][2])
    carried = [child for child in body.children if _lies(here, child)]
    above = None if body.shape is None else top_of(body).z
    body.shape = drawn.shape
    here.place(body, drawn.pose(local), body.parent)
    for child in carried:
        here.place(child, here.relative(body, child).moved(z=top_of(body).z - (above or 0.0)), body)
    cell.kernel.journal.write("tolerance", body.name, **_drawn_fields(tolerance, drawn))
    return drawn


def _drawn_fields(tolerance: world.ToleranceLimits, drawn: DrawnBody) -> dict[str, object]:
    """Return the drawn values for the journal, without those that could not vary."""
    fields: dict[str, object] = {f"{name}_mm": value / mm for name, value in drawn.changes.items()}
    if any(tolerance.at):
        fields["at_mm"] = [value / mm for value in drawn.shift]
    if any(tolerance.angle):
        fields["angle_deg"] = [value / deg for value in drawn.turn]
    return fields


def _lies(world: World, body: LiveBody) -> bool:
    """Whether a body (for a robot, its base) lies on the top of the body it is attached to."""
    parent = body.parent
    if parent is None or parent.shape is None:
        return False
    local = world.relative(parent, body)
    upright = local.rows[10] > 1.0 - 1e-12
    feet = [local.z] if body.shape is None else [local.z, local.z + body.shape.bounds[0][2]]
    return upright and any(abs(foot - top_of(parent).z) <= _TOUCH for foot in feet)


def _spread(given: Spread, free: Vector) -> Vector:
    """Return limits for x, y and z: a single number applies to the free axes."""
    if isinstance(given, int | float):
        x, y, z = (float(given) * share for share in free)
        return (x, y, z)
    if not given:
        return (0.0, 0.0, 0.0)
    if len(given) == 1:
        return _spread(given[0], free)
    if len(given) != 3:
        raise WorldError(f"a tolerance has one value or three, not {len(given)}", hint="write 1*mm or (1*mm, 1*mm, 0)")
    x, y, z = (float(value) for value in given)
    return (x, y, z)


def _turns(given: Spread, lies: bool) -> Vector:
    return _spread(given, (0.0, 0.0, 1.0) if lies else (1.0, 1.0, 1.0))
