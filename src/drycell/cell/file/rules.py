"""Rules that look at a cell file as a whole: names that must exist, choices that exclude each other, cycles."""

from collections.abc import Iterable, Iterator

from drycell.cell.file.model import CellFile, PlacedBody
from drycell.cell.file.section import registered_sections
from drycell.cell.file.shape import ShapeSpec
from drycell.errors import Mistake, did_you_mean


def broken_rules(cell_file: CellFile) -> list[Mistake]:
    """All that is wrong with a file whose fields are right one by one."""
    found = [*_bodies(cell_file), *_references(cell_file), *_robots(cell_file), *_crash(cell_file)]
    for name, section in registered_sections().items():
        if name in cell_file.sections:
            found.extend(section.rules(cell_file))
    return found or list(_cycles(cell_file))


def _bodies(cell_file: CellFile) -> Iterator[Mistake]:
    seen: dict[str, PlacedBody] = {}
    for body in cell_file.flat_bodies():
        spec, path = body.spec, body.path
        if body.name in seen:
            yield cell_file.mistake(path, f"there are two bodies {body.name!r}", "give each a name of its own")
        seen[body.name] = body
        if body.name in cell_file.robots:
            yield cell_file.mistake(path, f"there is also a robot {body.name!r}", "give each a name of its own")
        if spec.shape is not None:
            yield from _shape(cell_file, spec.shape, body)
        if body.nested and (spec.parent is not None or spec.on is not None):
            field = "on" if spec.on is not None else "parent"
            what = f"{body.name!r} is nested in {body.carrier!r} and cannot hang on something else"
            yield cell_file.mistake((*path, field), what, f"leave {field!r} out, or write the body outside")
        elif spec.parent is not None and spec.on is not None:
            hint = "'on' stands it on top, 'parent' sees it from the other's origin: keep one"
            yield cell_file.mistake((*path, "on"), "'on' and 'parent' cannot both be given", hint)
        if spec.hole and spec.shape is None:
            yield cell_file.mistake((*path, "hole"), "a hole needs a shape", "give it one")


def _shape(cell_file: CellFile, shape: ShapeSpec, body: PlacedBody) -> Iterator[Mistake]:
    path = (*body.path, "shape")
    if len(shape.kinds) != 1:
        found = " and ".join(map(repr, shape.kinds)) or "none"
        known = ", ".join(shape.known())
        yield cell_file.mistake(path, f"a shape is of exactly one kind, but here is {found}", f"choose one of {known}")
    if shape.cone is not None and shape.cone.radius == 0 and shape.cone.top_radius == 0:
        what = "a cone needs a radius at its foot or at its top, but both are 0"
        yield cell_file.mistake((*path, "cone"), what, "write for example 'radius: 10 mm'")
    if shape.prism is not None and len(shape.prism.outline) < 3:
        count = len(shape.prism.outline)
        what = f"an outline has at least 3 corners, but this has {count}"
        yield cell_file.mistake((*path, "prism", "outline"), what, "add corners, in order around the outline")


def _references(cell_file: CellFile) -> Iterator[Mistake]:
    bodies = {body.name for body in cell_file.flat_bodies()}
    for body in cell_file.flat_bodies():
        if not body.nested:
            yield from _carrier(cell_file, bodies, body.path, body.spec.parent, body.spec.on)
    for name, robot in cell_file.robots.items():
        yield from _carrier(cell_file, bodies, ("robots", name), robot.parent, robot.on)
    for name, workpoint in cell_file.workpoints.items():
        yield from _carrier(cell_file, bodies, ("workpoints", name), workpoint.on, None, "on")
    crash = cell_file.checks.crash
    if crash is not None:
        distances = tuple(each[:2] for each in crash.near_misses)
        for field, pairs in (("pairs", crash.pairs or ()), ("allowed", crash.allowed), ("near_misses", distances)):
            for index, pair in enumerate(pairs):
                for side, name in enumerate(pair):
                    yield from _exists(cell_file, bodies, ("checks", "crash", field, index, side), name)
        for index, name in enumerate(crash.everything_but or ()):
            yield from _exists(cell_file, bodies, ("checks", "crash", "everything_but", index), name)


def _carrier(
    cell_file: CellFile,
    bodies: Iterable[str],
    path: tuple[str | int, ...],
    parent: str | None,
    on: str | None,
    parent_field: str = "parent",
) -> Iterator[Mistake]:
    if parent is not None:
        yield from _exists(cell_file, bodies, (*path, parent_field), parent)
    if on is not None:
        yield from _exists(cell_file, bodies, (*path, "on"), on)


def _exists(cell_file: CellFile, bodies: Iterable[str], path: tuple[str | int, ...], name: str) -> Iterator[Mistake]:
    # A pattern may wait for bodies to come. The links of a robot are known only to its model. Sensors and devices are
    # bodies, too.
    if "*" in name or "?" in name or name in bodies or _robot_of(cell_file, name) is not None:
        return
    if cell_file.is_mounted(name):
        return
    yield cell_file.mistake(
        path, f"there is no body or robot {name!r}", did_you_mean(name, [*bodies, *cell_file.robots])
    )


def _robot_of(cell_file: CellFile, name: str) -> str | None:
    """The robot that a name is, or lies below."""
    return next((robot for robot in cell_file.robots if name == robot or name.startswith(f"{robot}/")), None)


def _robots(cell_file: CellFile) -> Iterator[Mistake]:
    for name, robot in cell_file.robots.items():
        if (robot.model is None) == (robot.file is None):
            said = "neither 'model' nor 'file' is given" if robot.model is None else "'model' and 'file' are both given"
            hint = "name a robot of the library as 'model', or the file that describes one as 'file'"
            yield cell_file.mistake(("robots", name), said, hint)
        if robot.parent is not None and robot.on is not None:
            hint = "'on' stands it on top, 'parent' sees it from the other's origin: keep one"
            yield cell_file.mistake(("robots", name, "on"), "'on' and 'parent' cannot both be given", hint)


def _crash(cell_file: CellFile) -> Iterator[Mistake]:
    crash = cell_file.checks.crash
    if crash is not None and crash.pairs is not None and crash.everything_but is not None:
        hint = "'pairs' names what is checked, 'everything_but' what is not: keep one"
        what = "'pairs' and 'everything_but' cannot both be given"
        yield cell_file.mistake(("checks", "crash", "everything_but"), what, hint)


def _cycles(cell_file: CellFile) -> Iterator[Mistake]:
    """Bodies, and robots with them, that hang on each other in a ring; each ring is told once."""
    carriers = {body.name: body.carrier for body in cell_file.flat_bodies()}
    paths = {body.name: body.path for body in cell_file.flat_bodies()}
    for name, robot in cell_file.robots.items():
        carriers[name] = robot.on if robot.on is not None else robot.parent
        paths[name] = ("robots", name)
    done: set[str] = set()
    for start in carriers:
        chain: list[str] = []
        here: str | None = start
        while here is not None and here not in done and here not in chain:
            chain.append(here)
            above = carriers[here]
            # A link of a robot hangs where the robot does.
            here = above if above is None or above in carriers else _robot_of(cell_file, above)
        if here is not None and here in chain:
            ring = [*chain[chain.index(here) :], here]
            what = f"{here!r} hangs on itself: {' → '.join(ring)}"
            yield cell_file.mistake(paths[here], what, "a tree of bodies has no cycles: let one of them stand free")
        done.update(chain)
