"""List the stable states of a part: the ways in which it can rest on a level surface, and how often it ends in each
when it is dropped from high above.

PART is a mesh or a STEP file, or a cell file followed by the name of a kind of part or of a body in it. The command
prints for each state the height of the centre of mass, the barrier (how far it must rise before the part rolls over),
the footprint, the probability, and the direction of the part's own frame that points down. A part that rolls has one
state for its round side.

Laws of the probabilities:

  tumble        drops the part many times: impacts and friction of the two materials, nothing fitted. The error is the
                standard error of the sample
  quench        from the heights of the centre of mass in all directions, without any drop: a first look
  quasi-static  the solid angle of each state, as in the Pilot simulator
  all           all three side by side

Results of drops are kept in $XDG_CACHE_HOME/drycell/states, by shape, materials and number of drops.


examples:
  drycell states bracket.stl --units mm
  drycell states housing.step --material aluminium --on rubber --law all
  drycell states examples/50_parts/stairs bracket --picture out/states
"""

import argparse
import hashlib
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from drycell.base import DrycellError, UnknownName, Vector, mm

if TYPE_CHECKING:
    from drycell.geometry import Shape, StableState, StableStates

_LAWS: Final = ("tumble", "quench", "quasi-static")
_MESHES: Final = (".stl", ".obj", ".ply", ".gltf", ".glb", ".step", ".stp", ".dae")
_MODEL: Final = 1  # counts changes of the model of a drop, so that older results are not used
_MOST_BYTES: Final = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell states``."""
    parser.add_argument("part", metavar="PART", help="a mesh or STEP file, or a cell")
    parser.add_argument("kind", metavar="KIND", nargs="?", help="a kind of part or a body of the cell")
    parser.add_argument("--units", metavar="UNIT", help="unit of the mesh: m, cm, mm, um or in")
    parser.add_argument("--law", choices=(*_LAWS, "all"), default="tumble", help="default: tumble")
    parser.add_argument("--material", metavar="NAME", help="material of the part (default: that of the kind, or steel)")
    parser.add_argument("--on", metavar="NAME", default="steel", help="material of the surface (default: steel)")
    parser.add_argument("--drops", metavar="N", type=int, default=600, help="number of drops (default: 600)")
    parser.add_argument("--picture", metavar="FOLDER", help="draw each state: one .svg per state")


def main(options: argparse.Namespace) -> int:
    """Print the table and return the exit code."""
    from drycell.geometry import stable_states

    if not 1 <= options.drops <= 1_000_000:
        raise DrycellError(f"--drops is {options.drops}, but must be in 1…1000000", hint="600 are the default")
    name, shape, material, given = _part(options)
    base = stable_states(shape).named(given)
    laws = _LAWS if options.law == "all" else (options.law,)
    tables = {law: _states(law, shape, material, options).named(given) for law in laws}
    properties = shape.mass_properties
    x, y, z = (value / mm for value in properties.centre)
    print(f"{name}: {len(base)} stable states; centre of mass at ({x:.2f}, {y:.2f}, {z:.2f}) mm")
    if "tumble" in laws:
        print(f"{material} on {options.on}, {options.drops} drops")
    print()
    print("\n".join(_table(base, tables)))
    if options.picture:
        for path in _draw(shape, base, Path(options.picture)):
            print(f"drawn: {path}")
    return 0


def _part(options: argparse.Namespace) -> "tuple[str, Shape, str, dict[str, Vector]]":
    """The name, the shape, the material and the named states of the part."""
    path = Path(options.part)
    if path.suffix.lower() in _MESHES:
        from drycell.geometry import load_mesh

        if options.kind is not None:
            raise DrycellError(f"{path.name} is a mesh, so it has no kind {options.kind!r}", hint="leave the kind out")
        units = options.units
        if units is None and path.suffix.lower() in (".step", ".stp", ".dae"):
            units = "file"
        if units is None:
            raise DrycellError(f"{path.name} does not say its unit", hint="write for example --units mm")
        return path.name, load_mesh(path, units), options.material or "steel", {}
    from drycell.cell import Body, CellSource
    from drycell.cli import consent
    from drycell.devices import PartKind, Source

    if options.units is not None:
        raise DrycellError("--units is for meshes; a cell file has units", hint="leave it out")
    source = CellSource.find(options.part)
    consent.check_consent(source, False, programs=False)
    model = source.model()
    found = {}
    for thing_name, thing in model.things.items():
        if isinstance(thing, Body) and thing.shape is not None:
            found[thing_name] = (thing.shape, thing.material, thing.states)
        if isinstance(thing, Source):
            for kind_name, kind in cast(Mapping[str, PartKind], thing.kinds).items():
                found[kind_name] = (kind.shape, kind.material, kind.states)
    if options.kind is None:
        raise DrycellError(
            f"{options.part} is a cell: which part is meant?", hint=f"add one of {', '.join(sorted(found)) or 'none'}"
        )
    if options.kind not in found:
        raise UnknownName("part", options.kind, found)
    described, material, names = found[options.kind]
    return options.kind, described.solid(source.path.parent), options.material or material, dict(names or {})


def _states(law: str, shape: "Shape", material: str, options: argparse.Namespace) -> "StableStates":
    from drycell.geometry import stable_states
    from drycell.world import Materials, tumbled_states

    if law != "tumble":
        return stable_states(shape, "quench" if law == "quench" else "quasi-static")
    materials = Materials()
    part, surface = materials[material], materials[options.on]
    restitution, friction = part.restitution * surface.restitution, min(part.friction, surface.friction)
    if len(stable_states(shape)) == 1:
        return tumbled_states(shape, restitution, friction, options.drops)
    counts = _counts(shape, restitution, friction, options.drops)
    return tumbled_states(shape, restitution, friction, options.drops, counts)


def _counts(shape: "Shape", restitution: float, friction: float, drops: int) -> tuple[int, ...]:
    """The results of the drops, from the cache if it has them."""
    from drycell.base import text_beside
    from drycell.cli.progress import share_bar
    from drycell.geometry import stable_states
    from drycell.world import dropped

    key = json.dumps([_MODEL, shape.key, restitution, friction, drops])
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    file = base / "drycell" / "states" / f"{hashlib.sha256(key.encode()).hexdigest()}.json"
    known = _read(file, len(stable_states(shape)), drops)
    if known is not None:
        return known
    with share_bar(f"{drops} drops") as progress:
        counts = dropped(shape, restitution, friction, drops, progress)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with text_beside(file) as out:
            out.write(json.dumps(counts))
    except (OSError, DrycellError):
        pass  # a cache that cannot be written costs time only
    return counts


def _read(file: Path, states: int, drops: int) -> tuple[int, ...] | None:
    """The counts in a file of the cache; None if it is missing or damaged."""
    try:
        if file.stat().st_size > _MOST_BYTES:
            return None
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(found, list) or len(found) != states:
        return None
    if not all(type(each) is int and each >= 0 for each in found) or sum(found) != drops:
        return None
    return tuple(found)


def _table(base: "StableStates", tables: "dict[str, StableStates]") -> list[str]:
    wide = max(5, *(len(state.name) for state in base))
    head = f"  {'state':<{wide}}  {'height':>9}  {'barrier':>9}  {'footprint':>17}"
    lines = [head + "".join(f"  {law:>13}" for law in tables) + "   down"]
    for state in sorted(base, key=lambda each: -next(iter(tables.values()))[each.name].probability):
        shares = "".join(f"  {_share(found[state.name]):>13}" for found in tables.values())
        barrier = "none" if math.isinf(state.barrier) else f"{state.barrier / mm:.2f} mm"
        down = ", ".join(f"{round(value, 3) + 0.0:g}" for value in state.down)
        rolls = ", rolls" if state.rolls else ""
        lines.append(
            f"  {state.name:<{wide}}  {state.height / mm:>6.2f} mm  {barrier:>9}  {_size(state):>17}{shares}"
            f"   [{down}]{rolls}"
        )
    return lines


def _share(state: "StableState") -> str:
    return f"{state.probability:.3f}" + (f" ± {state.error:.3f}" if state.error else "")


def _size(state: "StableState") -> str:
    low, high = ([pick(point[k] for point in state.footprint) for k in (0, 1)] for pick in (min, max))
    return f"{(high[0] - low[0]) / mm:.1f} × {(high[1] - low[1]) / mm:.1f} mm"


def _draw(shape: "Shape", states: "StableStates", folder: Path) -> list[Path]:
    """Draw each state on a plate, and return the files."""
    from drycell.base import Pose
    from drycell.geometry import Box
    from drycell.pictures import Camera, LineDrawing
    from drycell.world import LiveBody, World

    folder.mkdir(parents=True, exist_ok=True)
    size = max(high - low for low, high in zip(*shape.bounds, strict=True))
    made = []
    for state in states:
        world = World(_Clock())
        world.add(LiveBody("part", shape, material="aluminium"), None, state.pose)
        plate = Box(1.8 * size, 1.8 * size, 0.02 * size)
        world.add(LiveBody("plate", plate, material="concrete"), None, Pose(0.0, 0.0, -0.01 * size))
        drawing = LineDrawing(world, camera=Camera("iso"), title=state.name, caption=f"state {state.name}")
        drawing.expose(0, tuple(world.bodies.values()))
        path = folder / f"{''.join(c if c.isalnum() or c in '-_' else '_' for c in state.name)}.svg"
        drawing.save(path)
        made.append(path)
    return made


class _Clock:
    """The clock of a picture."""

    now = 0
