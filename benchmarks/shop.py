"""A cell with many sensors: two belts with parts, a busy arm, posts, and a thousand sensors at 10 Hz."""

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from drycell.base import Pose, align_z
from drycell.cell import Body, Cell
from drycell.geometry import Box, Cylinder
from drycell.kernel import delay
from drycell.robots import Robot
from drycell.sensors import Beam, Sensor, TraceLines
from drycell.world import LiveBody, Travel

BODIES: Final = 200
SENSORS: Final = 1000
_PERIOD: Final = 0.1  # s
_LENGTH: Final = 9.0  # m of a belt
_BELTS: Final = ((-1.6, 0.1), (1.6, 0.2))  # y in m, and m/s
_QUEUE: Final = 15  # parts on each
_HOME: Final = (0.0, -1.2, 1.2, -1.5, -1.57, 0.0)

Kind = tuple[str, Mapping[str, Any]]  # a sensor of the library, and the changed fields


def build(seed: int = 1) -> Cell:
    """The cell, ready to run. No program waits for the sensors, but every sensor publishes."""
    cell = Cell(seed=seed)
    cell.add("arm", Robot("ur5-like", joints=_HOME))
    for number in range(len(_BELTS)):
        _add_belt(cell, number)
    r = random.Random(2)
    posts: list[LiveBody] = []
    while sum(body.shape is not None for body in cell.world.bodies.values()) < BODIES:
        at = (r.uniform(-4, 4), r.choice((-1, 1)) * r.uniform(2.8, 5), 0.5)
        posts.append(cell.add(f"post{len(posts)}", Body(Cylinder(0.05, 1.0), material="steel", at=at)))
    _watch_belts(cell, 80)
    _watch_arm(cell, 16)
    _ride_arm(cell, 4)
    _watch_posts(cell, SENSORS - len(cell.sensors), posts, r)
    cell.program(lambda: _busy(cell), name="arm")
    return cell


def _add_belt(cell: Cell, number: int) -> None:
    """A belt, and a program that moves each part from its end back to its start."""
    y, speed = _BELTS[number]
    cell.add(f"belt{number}", Body(Box(_LENGTH, 0.3, 0.1), at=(0.0, y, 0.7)))
    spacing = _LENGTH / _QUEUE
    way = round(_LENGTH / speed * 1e6)  # ticks
    parts = []
    for k in range(_QUEUE):
        shape = (Box(0.1, 0.08, 0.05), Cylinder(0.04, 0.1), Box(0.06, 0.06, 0.12))[k % 3]
        part = LiveBody(f"part{number}-{k}", shape, material=("steel", "beech", "plastic")[k % 3], part=True)
        first = Pose(-_LENGTH / 2, y, 0.75 - shape.bounds[0][2])
        entry = -round(k * spacing / speed * 1e6)
        cell.world.add(part, motion=Travel(entry, entry + way, first, (speed, 0.0, 0.0)))
        parts.append((part, first))

    def feed() -> None:
        while True:
            for part, first in reversed(parts):
                delay(spacing / speed)
                now = cell.kernel.now
                cell.world.move(part, Travel(now, now + way, first, (speed, 0.0, 0.0)))

    cell.program(feed, name=f"feed{number}", daemon=True)


def _busy(cell: Cell) -> None:
    """A program that moves the arm without a pause."""
    arm, r = cell.robots["arm"], random.Random(7)
    while True:
        spans = ((-3, 3), (-2.0, -0.8), (0.6, 1.8), (-2, 0.5), (-2, -1), (-2, 2))
        arm.move_joints([r.uniform(*span) for span in spans], 0.5)


def _mount(cell: Cell, kind: Kind, at: Sequence[float], along: Sequence[float], on: str | None = None) -> None:
    model, changes = kind
    number = len(cell.sensors)
    phase = 0.01 * (number * 7 % 10)  # ten phases, so that not all sensors sample at once
    cell.add(f"s{number}", Sensor(model, on=on, at=align_z(along, at), every=_PERIOD, phase=phase, **changes))


def _height() -> dict[str, Any]:
    """The fields of a range sensor for half a metre with five lines."""
    return {
        "volume": Beam(0.5, math.radians(8)),
        "trace_lines": TraceLines(count=5, spread=math.radians(6)),
    }


def _watch_belts(cell: Cell, count: int) -> None:
    """Sensors across the belts and sensors that look down on them."""
    low = {"volume": Cylinder(0.01, 0.3)}
    across = {"trace_lines": TraceLines(count=1, reach=0.32)}
    above = _height()
    kinds: list[tuple[Kind, bool]] = [
        (("e3jk-diffuse", low), False),
        (("e3jk-through", across), False),
        (("honeywell-942", above), True),
        (("tl-x5", {}), False),
        (("vl53l0x", above), True),
    ]
    for k in range(count):
        y, _ = _BELTS[k % len(_BELTS)]
        x = _LENGTH * (k * 0.618034 % 1 - 0.5)  # not in step with the parts
        kind, down = kinds[k // len(_BELTS) % len(kinds)]
        _mount(cell, kind, (x, y, 1.2) if down else (x, y - 0.16, 0.78), (0, 0, -1) if down else (0, 1, 0))


def _watch_arm(cell: Cell, count: int) -> None:
    """Sensors in a ring around the arm, looking inwards."""
    near = {"volume": Beam(0.8, math.radians(4))}
    for k in range(count):
        angle = k * math.tau / count
        x, y = 0.95 * math.cos(angle), 0.95 * math.sin(angle)
        kind = (("honeywell-942", near), ("e3jk-diffuse", {}), ("gp2y0a21", {}), ("e3jk-diffuse", {}))[k % 4]
        _mount(cell, kind, (x, y, 0.2 + 0.01 * k), (-x, -y, 0.2))


def _ride_arm(cell: Cell, count: int) -> None:
    """Sensors on the links, looking outwards."""
    for k in range(count):
        on = f"arm/{('upper_arm', 'forearm', 'wrist1', 'flange')[k % 4]}"
        _mount(cell, (("honeywell-942", _height()), ("e2k-x8", {}))[k % 2], (0.0, 0.0, 0.08), (1, k % 3 - 1, 1), on)


def _watch_posts(cell: Cell, count: int, posts: Sequence[LiveBody], r: random.Random) -> None:
    """Sensors at the posts, where nothing moves. One in twenty is noisy and publishes a new value every time."""
    noisy = {"volume": Beam(1.0, math.radians(15))}
    kinds: list[tuple[Kind, float]] = [
        (("tl-x5", {}), 0.053),
        (("limit-switch", {}), 0.0505),
        (("e3jk-diffuse", {}), 0.25),
        (("e2k-x8", {}), 0.053),
        (("gp2y0a21", {}), 0.4),
    ]
    for k in range(count):
        x, y, _ = posts[k % len(posts)].pose.position
        angle = r.uniform(-math.pi, math.pi)
        u, v = math.cos(angle), math.sin(angle)
        kind, away = (("hc-sr04", noisy), 0.5) if k % 20 == 0 else kinds[k % len(kinds)]
        _mount(cell, kind, (x + away * u, y + away * v, 0.5), (-u, -v, 0))
