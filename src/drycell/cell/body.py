"""Bodies and workpoints: the solids of a cell, including loose parts, and named frames that a tool moves to."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

from drycell import world
from drycell.base import (
    GeometryError,
    Known,
    Mass,
    Name,
    Pose,
    Problem,
    Quantity,
    Ref,
    Roles,
    Several,
    Size,
    Vector,
    within,
)
from drycell.cell.furniture import Furniture, furniture_look, stand_on_legs
from drycell.cell.live import PlacedThing, Stage, Standing
from drycell.geometry import Box, Shape, ShapeModel, stable_states

if TYPE_CHECKING:
    from drycell.cell.cell import Cell
    from drycell.looks import Look


Material = Annotated[str, Known("material")]
Tangle = Annotated[float, Quantity("ratio", least=0.0, most=1.0)]
Direction = Annotated[Vector, Several((Quantity("ratio"),) * 3, "[0, 0, -1]")]
StateNames = dict[Name, Direction]


def check_states(shape: Shape | None, names: Mapping[str, Vector]) -> None:
    """Raise GeometryError if names cannot be given to the stable states of a shape."""
    for name, (x, y, z) in names.items():
        if x * x + y * y + z * z < 1e-12:
            raise GeometryError(f"the direction of state {name!r} has length 0", hint="write for example [0, 0, -1]")
    if shape is not None and names:
        stable_states(shape).named(names)


class Body(Standing, kind="body", section="bodies", stage=Stage.BODIES, kw_only=False, icon="check_box_outline_blank"):
    """A solid, a hole to be cut from one, or a frame without a shape that carries others.

    >>> from drycell import Body, Box, Cell, mm
    >>> cell = Cell()
    >>> table = cell.add("table", Body(Box(600*mm, 400*mm, 20*mm)))
    >>> block = cell.add("block", Body(Box(40*mm, 40*mm, 30*mm), on="table"))
    >>> cell.world.pose(block).z / mm
    25.0
    """

    shape: ShapeModel | None = None
    """Its geometry; without one it is only a frame."""
    material: Material = "plastic"
    """Its material, which determines how sensors detect it."""
    part: bool | None = None
    """Whether it is a loose part that can be grasped; by default a body that stands ``on`` another one is."""
    mass: Mass | None = None
    """Its mass; by default the volume of its shape times the density of its material. Payloads are checked with it."""
    grasps: dict[Name, world.PartGrasp] | None = None
    """For a part: how it is grasped in its stable states, by the name of the state. By default it is computed."""
    hole: bool = False
    """Whether it is a hole, to be cut from the body it is merged into."""
    merge: bool = False
    """Whether it becomes one solid with everything that is fixed to it."""
    settling: world.Settling | None = None
    """How parts that fall onto it settle: ``tumble``, ``pilot`` or ``keep``; by default as in the rest of the cell."""
    keeps: bool = False
    """Whether it is a bin: what falls onto it cannot leave it over its edge."""
    tangle: Tangle = 0.0
    """For a part: the probability that it stays where it fell, although it overlaps others there."""
    states: StateNames | None = None
    """For a part: names of its stable states, each with the direction of its own frame that points down."""
    children: dict[Name, "Body"] | None = None
    """Bodies fixed to it; a child ``hole`` of a body ``plate`` is called ``plate/hole``."""
    legs: Size | None = None
    """Height of the legs below it. They are a separate body, which is checked for collisions."""
    drawn_as: Furniture = "plain"
    """What a box is drawn as. This is visual only: the box itself is checked for collisions."""

    def problems(self) -> Iterable[Problem]:
        """Yield problems: holes, legs and furniture need shapes, and a child is carried by nothing but its parent."""
        yield from super().problems()
        if self.legs is not None and (self.shape is None or self.hole or self.merge):
            yield Problem(("legs",), "only a solid that is not merged with others has legs", "remove 'legs'")
        if self.drawn_as != "plain" and not isinstance(self.shape, Box):
            yield Problem(("drawn_as",), f"only a box can be drawn as a {self.drawn_as}", "give it a box as its shape")
        if self.states and self.shape is None:
            yield Problem(("states",), "a body without a shape has no stable states", "add a shape")
        if self.hole and self.shape is None:
            yield Problem(("hole",), "a hole needs a shape", "add a shape")
        for name, child in (self.children or {}).items():
            for field in ("on", "parent"):
                if getattr(child, field) is not None:
                    what = f"{name!r} is nested in another body, so it cannot stand on or be fixed to something else"
                    hint = f"remove {field!r}, or define the body at the top level"
                    yield Problem(("children", name, field), what, hint)

    def offers(self, name: str) -> Roles:
        """Return the body and its children, by their full names."""
        below = {each: roles for child, inner in self.inside(name) for each, roles in inner.offers(child).items()}
        own = {f"{name}/legs": ("body",)} if self.legs is not None else {}
        return {name: ("body",), **own, **below}

    def inside(self, name: str) -> Iterator[tuple[str, "Body"]]:
        """Yield its children with their full names."""
        for key, child in (self.children or {}).items():
            yield f"{name}/{key}", child.changed(parent=name)

    def build(self, cell: "Cell", name: str) -> world.LiveBody:
        """Add the body to the world, without its children."""
        shape = None
        if self.shape is not None:
            with within("shape"):
                shape = self.shape.solid(cell.folder)
        made = world.LiveBody(name, shape, material=self.material, hole=self.hole, mass=self.mass)
        made.settling, made.keeps, made.tangle = self.settling, self.keeps, self.tangle
        made.states = dict(self.states or {})
        with within("states"):
            check_states(shape, made.states)
        carrier, pose = cell.standing(self, made)
        if self.legs is not None and self.on is not None:
            pose = pose @ Pose(z=self.legs)
        made.grasps = world.checked_grasps(self.grasps, shape, made.states)
        made.part = self.on is not None if self.part is None else self.part
        cell.added.append(cell.world.add(made, carrier, pose))
        if self.legs is not None:
            stand_on_legs(cell, made, self.legs)
        if cell.ran:
            cell.part_tracking.enter([made])
        return made

    def look(self) -> "Look | None":
        """Return what it is drawn as."""
        return furniture_look(self.drawn_as, self.shape)

    def as_built(self, cell: "Cell", live: world.LiveBody) -> "Body | None":
        """Return the body, as one solid if bodies were merged by hand; None if it was merged into another body."""
        merged = cell.world.merged
        into = merged.get(live.name)
        model = cell.models.get((into or live).name)
        if isinstance(model, Body) and model.merge:
            return self
        if into is not None:
            return None
        return self.changed(shape=live.shape, children=None) if live in merged.values() else self

    def complete(self, cell: "Cell", live: world.LiveBody) -> None:
        """Merge it with everything that is fixed to it."""
        if self.merge:
            cell.world.merge(live)


class Workpoint(
    PlacedThing,
    kind="workpoint",
    section="workpoints",
    stage=Stage.POINTS,
    icon="my_location",
    example={"rpy": ["180 deg", 0, 0]},
):
    """A named frame that a tool can move to; it moves with the body it is on.

    >>> from drycell import Body, Box, Cell, Workpoint, m, mm
    >>> cell = Cell()
    >>> table = cell.add("table", Body(Box(1*m, 1*m, 20*mm)))
    >>> goal = cell.add("goal", Workpoint(on="table", at=(100*mm, 0, 50*mm)))
    >>> cell.world.pose(goal).x
    0.1
    """

    on: Annotated[str, Ref("body")] | None = None
    """The body or robot link whose frame it is relative to; the world by default."""

    def build(self, cell: "Cell", name: str) -> world.LiveWorkpoint:
        """Add the frame to the world."""
        return cell.world.add_workpoint(name, None if self.on is None else cell.body(self.on), self.pose)
