"""Tray lines: tracks of straight and circular pieces on which trays run, with gates, sensors, directors and spurs.

All lines of a cell are one network. How trays run is computed event by event (``tray_flow.py``); a tray's motion is
exact along the track (``drycell.world.Along``). Trays keep a gap, also in bends, where rectangular trays need more
room, and where lines meet: a tray that waits to join a line stays clear of it, and a tray that leaves a line is seen by
the ones behind until it is clear.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, Protocol

from drycell.base import (
    Many,
    Name,
    Pose,
    Problem,
    Quantity,
    Ref,
    Shortened,
    Size,
    Speed,
    Table,
    Thing,
    WorldError,
    deg,
    format_length,
    mm,
    type_of,
)
from drycell.cell import Cell, Device, Live, Material
from drycell.devices.conveyor import Stop
from drycell.devices.tray_flow import Entry, FlowLine, Stopper, Tray, TrayFlow
from drycell.geometry import Box, Compound, Prism, Shape
from drycell.kernel import DeviceOutput, Rank, Signal, Timer
from drycell.world import FOREVER, SECOND, STRAIGHT, Along, ArcPath, LiveBody, Rest

_MEETS: Final = 1 * mm  # the largest offset between two lines where they meet
_MEETS_ANGLE: Final = 0.2 * deg
_CLOSES: Final = 1e-6  # metres: the largest offset between the ends of a loop
_SECTOR: Final = 10 * deg  # of a bend, in the solid of a line
_STEP: Final = 5 * mm  # in the search for the place where two lines are clear of each other
_COARSE: Final = 50 * mm


class TrackPiece(Thing, noun="piece of a track"):
    """A piece of a track."""

    @property
    def run(self) -> tuple[float, float]:
        """Its length in metres and its curvature in 1/m."""
        raise NotImplementedError


class StraightTrack(TrackPiece, kind="straight", compact=True, kw_only=False):
    """A straight piece of a track.

    >>> from drycell import StraightTrack, m
    >>> StraightTrack(2*m).run
    (2.0, 0.0)
    """

    length: Size
    """Length of the piece."""

    @property
    def run(self) -> tuple[float, float]:
        """Its length and no curvature."""
        return self.length, 0.0


class Bend(TrackPiece, kind="bend", compact=True, kw_only=False):
    """A bend of a track.

    >>> from drycell import Bend, deg, mm
    >>> length, curvature = Bend(500*mm, 90*deg).run
    >>> round(length, 4), curvature
    (0.7854, 2.0)
    """

    radius: Size
    """Radius of the middle of the track."""
    angle: Annotated[float, Quantity("angle")]
    """Angle by which it turns: to the left if above 0, to the right if below."""

    def problems(self) -> Iterable[Problem]:
        """Yield a problem if it does not turn, or turns by more than a full circle."""
        if not 0.0 < abs(self.angle) <= 360 * deg + 1e-9:
            yield Problem(("angle",), f"a bend cannot turn by {self.angle / deg:g} deg", "write for example 90 deg")

    @property
    def run(self) -> tuple[float, float]:
        """The length of its middle, and its curvature."""
        return self.radius * abs(self.angle), math.copysign(1.0 / self.radius, self.angle)


class Director(Thing, kw_only=False):
    """A place at which trays can be diverted to another line, while the director's signal ``divert`` is on.

    >>> from drycell import Director, m
    >>> Director(1*m, to="spur").if_full
    'wait'
    """

    at: Size
    """Distance from the start of the line."""
    to: Annotated[str, Ref("tray_line", needed=False)]
    """The line that begins here."""
    if_full: Literal["wait", "pass"] = "wait"
    """Whether a tray waits, and blocks its line, if there is no space on the other line; or passes by."""


class Junction(Thing, kw_only=False):
    """Where a line joins another.

    >>> from drycell import Junction, m
    >>> Junction("main", at=2.5*m).at
    2.5
    """

    line: Annotated[str, Ref("tray_line", needed=False)]
    """The line that it joins. Its trays have priority."""
    at: Size
    """Distance from the start of that line."""


class TrayLine(
    Device,
    kind="tray_line",
    icon="route",
    example={"track": [{"straight": "2 m"}], "width": "200 mm", "speed": "300 mm/s"},
):
    """A line on which trays run: a track of straight pieces and bends that begins at its pose and runs along x.

    Trays run at the speed of the line. They queue at closed gates, behind other trays, and where their line joins
    another, whose trays have priority.

    >>> from drycell import Bend, Box, Cell, StraightTrack, TrayLine, TraySink, TraySource, deg, m, mm, s
    >>> cell = Cell("line")
    >>> line = cell.add("main", TrayLine(track=[StraightTrack(1*m), Bend(500*mm, 90*deg)], width=200*mm, speed=250*mm/s,
    ...                                  gates={"g1": 600*mm}, sensors={"s1": 400*mm}))
    >>> feed = cell.add("feed", TraySource(tray=Box(200*mm, 150*mm, 20*mm), every=2*s, on="main"))
    >>> out = cell.add("out", TraySink(on="main"))
    >>> _ = cell.run(until=10*s)
    >>> [tray.name for tray in line.trays], round(line.place("tray1") / mm)  # the gate is closed
    (['tray1', 'tray2'], 600)
    """

    track: Annotated[Sequence[TrackPiece], Many(type_of(TrackPiece))]
    """The pieces, in order."""
    width: Size
    """Width of the line, and the greatest width of its trays."""
    height: Size = 60 * mm
    """Height of its solid; trays run on its top."""
    speed: Speed
    """Speed of its trays."""
    gap: Size = 10 * mm
    """Least distance between two trays."""
    loop: bool = False
    """Whether its end is its start."""
    run: bool = True
    """Whether it runs when the simulation starts."""
    gates: Mapping[Name, Annotated[Stop | float, Shortened(Stop)]] | None = None
    """Gates, by name. Each has a signal that opens it."""
    sensors: Mapping[Name, Size] | None = None
    """Sensors in the track, by name: distances from the start. Their signals are on while a tray is above."""
    directors: Annotated[Mapping[str, Director] | None, Table(type_of(Name), type_of(Director))] = None
    """Places at which trays can be diverted to other lines, by name."""
    into: Junction | None = None
    """Where its end joins another line."""
    material: Material = "aluminium"
    """Material of its solid."""

    def problems(self) -> Iterable[Problem]:
        """Yield problems: places must be on the line, names differ, loops close, and bends be wide enough."""
        yield from super().problems()
        if not self.track:
            yield Problem(("track",), "a track needs at least one piece", "write for example [{straight: 2 m}]")
            return
        length = self.path.length
        named: set[str] = set()
        for field, places in self._places.items():
            for name, at in places.items():
                if name in named or name in _SIGNALS:
                    yield Problem((field, name), f"the name {name!r} is used twice on this line", "rename one of them")
                named.add(name)
                if at > length:
                    what = f"{format_length(at)} is beyond the end of the line, at {format_length(length)}"
                    yield Problem((field, name), what, "distances are measured along the track, from its start")
        for number, piece in enumerate(self.track):
            if isinstance(piece, Bend) and piece.radius <= self.width / 2:
                what = f"a bend of radius {format_length(piece.radius)} is too narrow for a width of"
                yield Problem(
                    ("track", number), f"{what} {format_length(self.width)}", "the radius must exceed half the width"
                )
        if self.loop:
            last = self.path.pieces[-1]
            off, turned = Pose().distance_to(last.pose(last.length))
            if off > _CLOSES or turned > 1e-6:
                missing = f"its end is {format_length(off)} and {turned / deg:.3g} deg from its start"
                hint = "change the lengths or angles of the pieces"
                yield Problem(("loop",), f"the loop does not close: {missing}", hint)
            if self.into is not None:
                yield Problem(("into",), "a loop has no end that could join another line", "remove 'into' or 'loop'")

    @property
    def path(self) -> ArcPath:
        """The middle of the track, on the top of the solid, relative to the start."""
        return ArcPath.of([piece.run for piece in self.track], closed=self.loop)

    @property
    def _places(self) -> dict[str, dict[str, float]]:
        gates = {name: gate.at for name, gate in (self.gates or {}).items() if isinstance(gate, Stop)}
        directors = {name: each.at for name, each in (self.directors or {}).items()}
        return {"gates": gates, "sensors": dict(self.sensors or {}), "directors": directors}

    def signals(self) -> Iterable[str]:
        """Inputs ``run``, ``NAME.open`` of each gate and ``NAME.divert`` of each director; outputs of the sensors."""
        return (
            "run",
            *(f"{each}.open" for each in self.gates or ()),
            *(f"{each}.divert" for each in self.directors or ()),
            *(self.sensors or ()),
        )

    def build(self, cell: Cell, name: str) -> "LiveTrayLine":
        """Add the line to a cell."""
        return LiveTrayLine(cell, name, self)

    def complete(self, cell: Any, live: Any) -> None:
        """Connect the lines that are there; in Python, lines can be added in any order."""
        live.network.connect(complete=False)


_SIGNALS: Final = ("run",)


class LiveTrayLine(Live[TrayLine]):
    """A tray line in a running cell."""

    def __init__(self, cell: Cell, name: str, model: TrayLine) -> None:
        super().__init__(cell, name, model)
        self.path = model.path
        self.network = cell.shared(TrayNetwork, lambda: TrayNetwork(cell))
        shape = _solid(self.path, model.width, model.height)
        body = LiveBody(name, shape, material=model.material, conveys=True, network="trays")
        self.body: LiveBody = cell.world.add(body, *cell.standing(model, body))
        self.run: Signal[bool] = self.signal("run", model.run)
        self.line = FlowLine(name, self.path.length, model.speed if model.run else 0.0, model.gap, closed=model.loop)
        places = model._places
        self.points: tuple[str, ...] = tuple(f"{name}.{each}" for field in places.values() for each in field)
        for field in places.values():
            for each, at in field.items():
                cell.world.add_workpoint(f"{name}.{each}", self.body, self.path.pose(at) @ Pose.turn_x(math.pi))
        self.gates = {each: _Gate(self, each, gate) for each, gate in (model.gates or {}).items()}
        detecting = {each: _TrackSensor(self, each, at) for each, at in (model.sensors or {}).items()}
        self.sensors: dict[str, Signal[bool]] = {each: sensor.output for each, sensor in detecting.items()}
        """The signals of the sensors, by name."""
        self.directors = {each: _LiveDirector(self, each, given) for each, given in (model.directors or {}).items()}
        self.end: _End | None = None if model.loop else _End(self)
        points: list[Stopper] = [*self.gates.values(), *detecting.values(), *self.directors.values()]
        for point in points:
            self.line.add(point)
        if self.end is not None:
            self.line.add(self.end)
        self.network.join(self)
        self.run.subscribe(self._switched, self.network.may_write)

    @property
    def trays(self) -> list[LiveBody]:
        """The trays whose front is on the line, foremost first."""
        nodes = self.line.nodes()
        return [self.network.bodies[node.tray] for node in nodes if node is node.tray.node]

    def place(self, tray: LiveBody | str) -> float:
        """Return the distance of a tray's front from the start of the line, in metres.

        Args:
            tray: The tray or its name.

        Raises:
            WorldError: The tray is not on this line.
        """
        name = tray if isinstance(tray, str) else tray.name
        for node in self.line.nodes():
            if node.tray.name == name and node is node.tray.node:
                place = node.tray.on_line(self.cell.kernel.now)
                return place % self.line.length if self.line.closed else place
        on = ", ".join(each.name for each in self.trays) or "no trays"
        raise WorldError(f"{name!r} is not on {self.name}", hint=f"the line has {on}")

    def meet(self, lines: "Mapping[str, LiveTrayLine]") -> None:
        """Connect it to the lines that it joins or leads to.

        Args:
            lines: the lines that exist, by name.

        Raises:
            WorldError: the lines do not meet.
        """
        if self.model.into is not None and self.end is not None and self.model.into.line in lines:
            main, at = lines[self.model.into.line], self.model.into.at
            if at > main.line.length:
                what = f"{self.name} cannot join {main.name} at {format_length(at)}: it"
                raise WorldError(f"{what} is {format_length(main.line.length)} long", hint="give a smaller distance")
            here, there = self.body.pose @ self.path.pose(self.path.length), main.body.pose @ main.path.pose(at)
            x, y, z = (f"{(b - a) / mm:.1f}" for a, b in zip(here.position, there.position, strict=True))
            hint = f"the end must move by ({x}, {y}, {z}) mm: change the track, or the pose of {self.name}"
            _check_meets(f"the end of {self.name} does not meet {main.name} at {format_length(at)}", here, there, hint)
            self.end.joins = (main, at)
        for director in self.directors.values():
            if director.model.to not in lines:
                continue
            spur = lines[director.model.to]
            here, there = spur.body.pose, self.body.pose @ self.path.pose(director.at)
            _check_meets(f"{spur.name} does not begin at {director.name}", here, there, _as_written(there))
            director.spur = spur

    def _switched(self, running: bool) -> None:
        self.line.speed = self.model.speed if running else 0.0
        self.network.flow.look_at_line(self.line)
        self.network.run_soon()


def _check_meets(what: str, here: Pose, there: Pose, hint: str) -> None:
    metres, radians = here.distance_to(there)
    if metres > _MEETS or radians > _MEETS_ANGLE:
        raise WorldError(f"{what}: they are {format_length(metres)} and {radians / deg:.2f} deg apart", hint=hint)


def _as_written(pose: Pose) -> str:
    """A pose in the world as a cell file has it."""
    x, y, z = (f"{value / mm:.6g} mm" for value in pose.position)
    return f"write at: [{x}, {y}, {z}], rpy: [{', '.join(f'{angle / deg:.6g} deg' for angle in pose.rpy)}]"


def _solid(path: ArcPath, width: float, height: float) -> Shape:
    """The solid of a line: its top is at z = 0."""
    parts: list[tuple[Pose, Shape]] = []
    for piece in path.pieces:
        if abs(piece.curvature) < STRAIGHT:
            middle = piece.pose(piece.length / 2) @ Pose(z=-height / 2)
            parts.append((middle, Box(piece.length, width, height)))
            continue
        radius, turned = 1.0 / abs(piece.curvature), piece.length * abs(piece.curvature)
        count = max(math.ceil(turned / _SECTOR), 1)
        # The outer corners lie outside the bend, so that its whole width is covered.
        inner, outer = radius - width / 2, (radius + width / 2) / math.cos(turned / count / 2)
        half = turned / count / 2
        left = math.copysign(1.0, piece.curvature)
        outline = [
            (r * math.sin(a), left * (radius - r * math.cos(a)))
            for r, a in ((inner, -half), (outer, -half), (outer, half), (inner, half))
        ]
        sector = Prism(tuple(outline), height)
        for number in range(count):
            parts.append((piece.pose((number + 0.5) * piece.length / count) @ Pose(z=-height / 2), sector))
    return Compound(tuple(parts))


# ---------------------------------------------------------------- what is on a line


class _Gate:
    """A gate: trays wait at it while it is closed."""

    def __init__(self, live: LiveTrayLine, name: str, model: Stop | float) -> None:
        stop = model if isinstance(model, Stop) else Stop(model)
        self.at, self._live = stop.at, live
        self.open: Signal[bool] = live.signal(f"{name}.open", stop.open)
        self._waiting: Tray | None = None
        self.open.subscribe(self._switched, live.network.may_write)

    def reached(self, flow: TrayFlow, tray: Tray) -> bool:
        """Let the tray pass if the gate is open."""
        if self.open.peek():
            return True
        self._waiting, tray.held = tray, "gate"
        return False

    def _switched(self, is_open: bool) -> None:
        if is_open and self._waiting is not None:
            self._live.network.flow.look(self._waiting)
            self._waiting = None
            self._live.network.run_soon()


class _TrackSensor:
    """A sensor in the track: on while any part of a tray is above it."""

    def __init__(self, live: LiveTrayLine, name: str, at: float) -> None:
        self.at, self._network, self._above = at, live.network, 0
        self.output = DeviceOutput(live.cell.kernel, live.name, f"{live.name}.{name}", False)
        live.network.outputs.append(self.output)

    def reached(self, flow: TrayFlow, tray: Tray) -> bool:
        """Detect the tray until its rear has passed."""
        self._above += 1
        self.output.publish(True)
        flow.mark(tray, self._network.lengths[tray], self._left)
        return True

    def _left(self) -> None:
        self._above -= 1
        self.output.publish(self._above > 0)


class _LiveDirector:
    """A director: diverts trays to another line while its signal is on."""

    def __init__(self, live: LiveTrayLine, name: str, model: Director) -> None:
        self.at, self.model, self._live, self.name = model.at, model, live, f"{live.name}.{name}"
        self.divert: Signal[bool] = live.signal(f"{name}.divert", False)
        self.spur: LiveTrayLine | None = None
        self.keep = 0.0
        """How far the rear of a diverted tray must be from here to be clear of the line."""
        self._waiting: Tray | None = None
        self.divert.subscribe(self._switched, live.network.may_write)

    def reached(self, flow: TrayFlow, tray: Tray) -> bool:
        """Divert the tray, let it pass, or let it wait for space on the other line."""
        if not self.divert.peek() or self.spur is None:
            return True
        network = self._live.network
        if self._clear_ahead(flow, tray) and flow.enter(tray, Entry(self.spur.line, 0.0, self.keep)):
            network.crossed(tray, "diverts", self._live, self.at, self.spur, 0.0, 0.0)
            return True
        if self.model.if_full == "pass":
            return True
        self._waiting, tray.held = tray, "space"
        return False

    def _clear_ahead(self, flow: TrayFlow, tray: Tray) -> bool:
        """Whether the tray ahead, if it has gone straight on, is out of the way of one that is diverted."""
        leader, room = flow.ahead(tray)
        if leader is None or self.spur is None or leader.line is self.spur.line or room >= self.keep:
            return True
        flow.wait_behind(tray, leader, self.keep - room)
        return False

    def _switched(self, _: bool) -> None:
        if self._waiting is not None:
            self._live.network.flow.look(self._waiting)
            self._waiting = None
            self._live.network.run_soon()


class _End:
    """The end of a line: trays join another line, leave through a sink, or stop."""

    def __init__(self, live: LiveTrayLine) -> None:
        self._live = live
        self.back = 0.0
        """Trays that join another line wait this far before the end, where they are clear of it."""
        self.joins: tuple[LiveTrayLine, float] | None = None
        self.sink: TrayTaker | None = None

    @property
    def at(self) -> float:
        """Where trays leave the line, or wait."""
        return self._live.path.length - self.back

    def reached(self, flow: TrayFlow, tray: Tray) -> bool:
        """Let the tray leave the line if it can."""
        network = self._live.network
        if self.sink is not None:
            network.take(tray, self.sink)
            return True
        if self.joins is None:
            tray.held = "end"
            return False
        main, at = self.joins
        if flow.enter(tray, Entry(main.line, at - self.back, self.back)):
            network.crossed(tray, "merges", self._live, self._live.path.length, main, at, self.back)
            return True
        tray.held = "space"
        return False


class TrayTaker(Protocol):
    """What takes trays at the end of a line."""

    def take(self, tray: LiveBody) -> None:
        """Take a tray out of the cell."""


# ---------------------------------------------------------------- all lines of a cell


@dataclass(frozen=True, slots=True)
class _Size:
    """The largest tray of a cell: length, width, and what it needs in bends, before and behind."""

    length: float = 0.0
    width: float = 0.0
    extra: float = 0.0


class TrayNetwork:
    """All tray lines of a cell, with the trays on them."""

    def __init__(self, cell: Cell) -> None:
        self.flow = TrayFlow(self)
        self.lines: list[LiveTrayLine] = []
        self.bodies: dict[Tray, LiveBody] = {}
        self.lengths: dict[Tray, float] = {}
        self.outputs: list[Signal[Any]] = []
        self._cell, self._kernel, self._world = cell, cell.kernel, cell.world
        self._live: dict[FlowLine, LiveTrayLine] = {}
        self._of: dict[LiveBody, Tray] = {}
        self._paths: dict[Tray, ArcPath] = {}
        self._entered: dict[Tray, Callable[[], None]] = {}
        self._size = _Size()
        self._known, self._writes = -1, list[Signal[Any]]()
        self._connected = False
        self._timer: Timer | None = None
        self._moving = False
        cell.world.subscribe(self._changed)

    def join(self, live: LiveTrayLine) -> None:
        """Add a line."""
        self.lines.append(live)
        self._live[live.line] = live

    def connect(self, *, complete: bool = True) -> None:
        """Connect lines where they meet.

        Args:
            complete: whether all lines must be there.

        Raises:
            WorldError: lines do not meet, or a line is missing.
        """
        lines = {each.name: each for each in self.lines}
        for each in self.lines:
            each.meet(lines)
            named = [director.to for director in (each.model.directors or {}).values()]
            named += [] if each.model.into is None else [each.model.into.line]
            for name in named:
                if complete and name not in lines:
                    raise WorldError(f"{each.name} leads to {name!r}, which is not a tray line of this cell")

    def may_write(self) -> list[Signal[Any]]:
        """The signals that may change when a tray moves."""
        known = len(self._kernel.signals)
        if known != self._known:
            self._known, self._writes = known, self._cell.part_tracking.may_change(*self.outputs)
        return self._writes

    # ---------------------------------------------------------------- trays

    def admit(self, name: str, line: LiveTrayLine, length: float, width: float) -> None:
        """Take a kind of tray into account before the run starts.

        Args:
            name: the source, for errors.
            line: the line on which it begins.
            length: its length along the track in metres.
            width: its width in metres.

        Raises:
            WorldError: it is too large for a line.
        """
        for each in self.lines:
            if width > each.model.width + 1e-9:
                what = f"the trays of {name} are {format_length(width)} wide, but {each.name} is"
                raise WorldError(f"{what} {format_length(each.model.width)} wide", hint="make the line wider")
            needed = length + 2 * self._extra(length, width)
            if needed >= each.line.length:
                what = f"the trays of {name} need {format_length(needed)}, but {each.name} is only"
                hint = "make the line longer or the trays shorter"
                raise WorldError(f"{what} {format_length(each.line.length)} long", hint=hint)
        size = self._size
        longest, widest = max(size.length, length), max(size.width, width)
        self._size = _Size(longest, widest, self._extra(longest, widest))

    def put(self, body: LiveBody, line: LiveTrayLine, at: float, length: float, entered: Callable[[], None]) -> None:
        """Bring a tray onto a line with its front at a place, as soon as there is space.

        Args:
            body: its body, which is not in the cell yet.
            line: the line.
            at: where its front appears, in metres from the start of the line.
            length: its length in metres.
            entered: called when it has entered.
        """
        tray = Tray(body.name, length + 2 * self._size.extra)
        self.bodies[tray], self.lengths[tray], self._of[body] = body, length, tray
        self._paths[tray] = line.path
        if not self._connected:
            self._connected = True
            self.connect()
            self._lay_out()
        self._entered[tray] = entered
        self.flow.put(tray, Entry(line.line, at))
        self.run_soon()

    def take(self, tray: Tray, taker: TrayTaker) -> None:
        """Hand a tray to what takes it."""
        body = self.bodies[tray]
        self._forget(tray)
        taker.take(body)

    def _lay_out(self) -> None:
        """Find where trays wait to join other lines, and when they have left a line, now that all trays are known."""
        for each in self.lines:
            end = each.end
            if end is not None and end.joins is not None:
                main, at = end.joins
                end.back = self._clear_distance(each, each.path.length, main, at)
                for point in each.line.points:
                    if point is not end and point.at > end.at:
                        waits = f"trays on {each.name} wait to join {main.name} at {format_length(end.at)}"
                        raise WorldError(
                            f"{waits}, before the point at {format_length(point.at)}",
                            hint="move the gate, sensor or director further from the end",
                        )
            for director in each.directors.values():
                if director.spur is not None:
                    director.keep = self._clear_distance(director.spur, 0.0, each, director.at)
            each.line.points.sort(key=lambda point: point.at)

    def _forget(self, tray: Tray) -> None:
        self.flow.remove(tray)
        del self._of[self.bodies.pop(tray)], self.lengths[tray], self._paths[tray]

    def _extra(self, length: float, width: float) -> float:
        """What a tray needs before and behind it so that two trays do not touch in the narrowest bend.

        Two rectangles that follow each other on a circle touch with the inner corners, on the line through the centre
        that bisects the angle between them. The gap between these corners is smaller than that along the track.
        """
        curvature = max((line.path.curvature for line in self.lines), default=0.0)
        if curvature < STRAIGHT:
            return 0.0
        radius = 1.0 / curvature
        inner = radius - width / 2
        gap = max(line.model.gap for line in self.lines)
        return max(radius * math.atan2(length / 2, inner) - length / 2, 0.0) + 0.5 * gap * (radius / inner - 1.0)

    # ---------------------------------------------------------------- where lines meet

    def _clear_distance(self, spur: LiveTrayLine, end: float, main: LiveTrayLine, at: float) -> float:
        size = self._size
        seen = self._world.relative(main.body, spur.body)
        sign = -1.0 if end > 0.0 else 1.0
        # Trays stick out on the outer side of bends.
        over = max(_overhang(each.path.curvature, size.length, size.width) for each in (spur, main))
        wanted = size.width / 2 + over + spur.model.gap
        longest = min(spur.line.length, at if sign < 0.0 and not main.line.closed else math.inf)

        def clear(distance: float) -> bool:
            pose = seen @ spur.path.pose(end + sign * distance)
            corners = [(pose @ Pose(0.0, side * (size.width / 2 + over))).position for side in (-1.0, 1.0)]
            return min(_off(main.path, corner) for corner in corners) >= wanted

        coarse = 0.0
        while coarse <= longest and not clear(coarse):
            coarse += _COARSE
        fine = max(coarse - _COARSE, 0.0)
        while fine <= min(coarse, longest):
            if clear(fine):
                return fine
            fine += _STEP
        joint = "the end" if sign < 0.0 else "the start"
        needed = size.width + 2 * over + spur.model.gap
        raise WorldError(
            f"trays on {spur.name} are nowhere clear of {main.name}, within {format_length(longest)} of {joint}",
            hint=f"let the lines run at least {format_length(needed)} apart further out",
        )

    def crossed(
        self,
        tray: Tray,
        verb: str,
        source: LiveTrayLine,
        left: float,
        target: LiveTrayLine,
        entered: float,
        back: float,
    ) -> None:
        """Give a tray that has changed lines a path that begins on the line that it comes from.

        Args:
            tray: the tray, which is already a tray of the new line.
            verb: the event for the journal.
            source: the line that it comes from.
            left: where its path leaves that line.
            target: the line that it has entered.
            entered: where its path enters that line.
            back: how far its front still is from there.
        """
        self._kernel.journal.write(verb, tray.name, of=source.name, to=target.name)
        behind = tray.length + back + 10 * mm
        pieces = source.path.part(left - behind if source.line.closed else max(left - behind, 0.0), left)
        ahead = 2 * behind if target.line.closed else min(2 * behind, target.line.length - entered)
        rest = target.path.part(entered, entered + ahead)
        # The end of the first part is moved onto the start of the second: lines meet to within a millimetre.
        moved = ArcPath(pieces).seen_from(pieces[-1].pose(pieces[-1].length) @ rest[0].start.inverse()).pieces
        self._paths[tray] = ArcPath((*moved, *rest), entered - sum(piece.length for piece in pieces))
        self.flow.mark(tray, min(behind, back + ahead), lambda: self._straighten(tray, target))

    def _straighten(self, tray: Tray, line: LiveTrayLine) -> None:
        """Use the line's own path from now on."""
        if tray in self._paths and tray.line is line.line:
            self._paths[tray] = line.path
            tray.anew = True

    # ---------------------------------------------------------------- what the flow reports

    def moved(self, tray: Tray) -> None:
        """Move the body as its tray moves."""
        body, now = self.bodies[tray], self._kernel.now
        line = tray.line
        if line is None:
            return
        live, path = self._live[line], self._paths[tray]
        half = self.lengths[tray] / 2
        place = tray.on_line(now) - half
        up = Pose(z=0.0 if body.shape is None else -body.shape.bounds[0][2])
        self._moving = True
        if tray.speed > 0.0:
            left = FOREVER if path.closed else max(math.floor((path.end - place) / tray.speed / SECOND), 1)
            motion: Along | Rest = Along(now, min(now + left, FOREVER), path, place, tray.speed, up)
        else:
            motion = Rest(path.pose(place) @ up)
        if body.history:
            self._world.move(body, motion, live.body)
        else:
            self._world.add(body, live.body, motion=motion)
            self._entered.pop(tray)()
        self._moving = False

    def held(self, tray: Tray, why: str) -> None:
        """Write to the journal why a tray waits."""
        if why != "tray":
            where = "" if tray.line is None else tray.line.name
            self._kernel.journal.write("waits", tray.name, on=where, of=why)

    # ---------------------------------------------------------------- time

    def run_soon(self) -> None:
        """Run the flow at this instant, after what is going on."""
        self._arm(self._kernel.now)

    def _arm(self, when: int) -> None:
        if self._timer is not None and self._timer.alive:
            if self._timer.time <= when:
                return
            self._timer.cancel()
        self._timer = None
        if when < FOREVER:
            self._timer = self._kernel.at(when, self._run, Rank.MOTION, "trays", writes=self.may_write())

    def _run(self) -> None:
        self._timer = None
        self._arm(self.flow.run(self._kernel.now))

    def _changed(self, body: LiveBody) -> None:
        """Forget a tray that something else has taken off its line."""
        tray = self._of.get(body)
        if tray is not None and not self._moving:
            self._forget(tray)
            self.run_soon()


def _overhang(curvature: float, length: float, width: float) -> float:
    """How far the corners of a tray stick out on the outer side of a bend."""
    if curvature < STRAIGHT:
        return 0.0
    radius = 1.0 / curvature + width / 2
    return math.hypot(radius, length / 2) - radius


def _off(path: ArcPath, point: Sequence[float]) -> float:
    """The horizontal distance of a point from a path."""
    x, y = point[0], point[1]
    best = math.inf
    for piece in path.pieces:
        if abs(piece.curvature) < STRAIGHT:
            (px, py, _), (dx, dy, _) = piece.start.position, piece.start.direction((1.0, 0.0, 0.0))
            u = min(max((x - px) * dx + (y - py) * dy, 0.0), piece.length)
            best = min(best, math.hypot(x - px - u * dx, y - py - u * dy))
            continue
        cx, cy, _ = (piece.start @ Pose(0.0, 1.0 / piece.curvature)).position
        sx, sy, _ = piece.start.position
        turned = math.atan2(y - cy, x - cx) - math.atan2(sy - cy, sx - cx)
        turned = (turned if piece.curvature > 0.0 else -turned) % math.tau
        if turned <= piece.length * abs(piece.curvature):
            best = min(best, abs(math.hypot(x - cx, y - cy) - 1.0 / abs(piece.curvature)))
        else:
            for end in (0.0, piece.length):
                ex, ey, _ = piece.pose(end).position
                best = min(best, math.hypot(x - ex, y - ey))
    return best
