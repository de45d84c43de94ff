"""Sources and sinks of trays, at the ends of tray lines."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, ClassVar, cast

from drycell.base import FieldError, Many, Name, Problem, Shortened, Size, WorldError, type_of, within
from drycell.cell import Cell, Device, Live, PlacedThing, Stage, laid_on
from drycell.devices.sink import PartTaker
from drycell.devices.source import Arrivals, Kinds, PartKind, template_of
from drycell.devices.tray_line import LiveTrayLine
from drycell.geometry import ShapeModel
from drycell.kernel import DeviceOutput, Rank
from drycell.world import LiveBody


class TrayLoad(PlacedThing, kw_only=False):
    """A part on a new tray. Its position is relative to the middle of the tray's top.

    >>> from drycell import TrayLoad, mm
    >>> TrayLoad("cup", at=(50*mm, 0)).kind
    'cup'
    """

    kind: Name
    """The kind of the part, one of the source's ``kinds``."""


class TraySource(
    Arrivals,
    kind="tray_source",
    stage=Stage.WIRED,
    icon="input",
    example={"tray": {"shape": {"box": ["200 mm", "150 mm", "20 mm"]}}, "every": "10 s"},
):
    """Brings trays onto the tray line that it is ``on``, empty or loaded with parts.

    >>> from drycell import Box, Cell, StraightTrack, TrayLine, TrayLoad, TraySource, m, mm, s
    >>> cell = Cell("line")
    >>> line = cell.add("main", TrayLine(track=[StraightTrack(3*m)], width=200*mm, speed=250*mm/s))
    >>> feed = cell.add("feed", TraySource(tray=Box(200*mm, 150*mm, 20*mm), every=4*s, on="main",
    ...                                    kinds={"cup": Box(40*mm, 40*mm, 30*mm)},
    ...                                    load=[TrayLoad("cup", at=(50*mm, 0))]))
    >>> _ = cell.run(until=5*s)
    >>> [[part.name for part in tray.children] for tray in line.trays]
    [['cup1'], ['cup2']]
    """

    has_body: ClassVar[bool] = False

    tray: Annotated[PartKind | ShapeModel, Shortened(PartKind)]
    """The trays: their shape runs along x."""
    kinds: Kinds | None = None
    """The kinds of parts on the trays, by name."""
    load: Annotated[Sequence[TrayLoad], Many(type_of(TrayLoad))] = ()
    """The parts on each new tray."""
    place: Size | None = None
    """Where the front of a new tray appears, from the start of the line; by default its length."""

    def problems(self) -> Iterable[Problem]:
        """Yield problems: the source needs a line, and the kinds of its loads."""
        yield from super().problems()
        if self.on is None:
            yield Problem((), "a source of trays needs a tray line", "write for example 'on: main'")
        kinds = cast("Mapping[str, PartKind]", self.kinds or {})
        for number, each in enumerate(self.load):
            if each.kind not in kinds:
                hint = f"it has {', '.join(kinds)}" if kinds else "add it to 'kinds'"
                yield Problem(("load", number, "kind"), f"there is no kind {each.kind!r} in 'kinds'", hint)

    def signals(self) -> Iterable[str]:
        """``count`` is the number of trays so far; ``waiting`` is on while a tray waits for space."""
        return ("count", "waiting")

    def build(self, cell: Cell, name: str) -> "LiveTraySource":
        """Add the source to a cell."""
        return LiveTraySource(cell, name, self)


def _line_of(cell: Cell, name: str, on: str | None) -> LiveTrayLine:
    line = cell.things.get(on or "")
    if not isinstance(line, LiveTrayLine):
        raise WorldError(f"{name} must be on a tray line, but {on!r} is not one", hint="write 'on:' and a tray line")
    return line


class LiveTraySource(Live[TraySource]):
    """A source of trays in a running cell."""

    def __init__(self, cell: Cell, name: str, model: TraySource) -> None:
        super().__init__(cell, name, model)
        self.line = _line_of(cell, name, model.on)
        self._tray = template_of(cell, "tray", cast(PartKind, model.tray))
        kinds = cast("Mapping[str, PartKind]", model.kinds or {})
        self._templates = {each: template_of(cell, each, kind) for each, kind in kinds.items()}
        (left, front, _), (right, back, _) = self._tray.shape.bounds
        self._length = right - left
        self._place = self._length if model.place is None else model.place
        if not self._length <= self._place <= self.line.line.length:
            raise FieldError(
                f"{name}: trays cannot appear with their front at {self._place * 1e3:g} mm",
                hint=f"the line is {self.line.line.length * 1e3:g} mm long, a tray {self._length * 1e3:g} mm",
            )
        with within("tray"):
            self.line.network.admit(name, self.line, self._length, back - front)
        self._schedule = model.schedule(cell, name)
        for kind in {part.kind for tray in self._schedule.parts for part in tray.parts} - kinds.keys():
            raise FieldError(
                f"{name} is to replay parts of kind {kind!r}, which it does not have",
                hint=f"add it to kinds: it has {', '.join(kinds) or 'none'}",
            )
        self.count = DeviceOutput(cell.kernel, name, f"{name}.count", 0)
        self.waiting = DeviceOutput(cell.kernel, name, f"{name}.waiting", False)
        cell.part_tracking.keep()
        cell.part_tracking.concerns(self.count, self.waiting)
        self._due(self._schedule.first())

    def _due(self, when: int | None) -> None:
        if when is not None:
            writes = self.cell.part_tracking.may_change(self.count, self.waiting)
            self.cell.kernel.at(when, self._arrive, Rank.DEVICE, self.name, writes=writes)

    def _arrive(self) -> None:
        """Bring in the next tray, at once or when there is space."""
        tracking, tray = self.cell.part_tracking, self._tray
        body = LiveBody(tracking.next_name("tray"), tray.shape, material=tray.material, part=True, mass=tray.mass)
        self.waiting.publish(True)
        self.line.network.put(body, self.line, self._place, self._length, lambda: self._entered(body))

    def _entered(self, tray: LiveBody) -> None:
        cell, tracking = self.cell, self.cell.part_tracking
        cell.kernel.journal.write("arrives", tray.name, of="tray", source=self.name)
        tracking.arrives(tray, "tray", self.name)
        given = self._schedule.part
        loads = (
            [(each.kind, each.pose, False) for each in self.model.load]
            if given is None
            else [(each.kind, each.pose, True) for each in given.parts]
        )
        for kind, pose, exact in loads:
            part = self._templates[kind]
            body = LiveBody(tracking.next_name(kind), part.shape, material=part.material, part=True, mass=part.mass)
            cell.kernel.journal.write("arrives", body.name, of=kind, source=self.name)
            tracking.arrives(body, kind, self.name)
            cell.world.add(body, tray, pose if exact else laid_on(body, tray, pose))
        self.waiting.publish(False)
        self.count.publish(self.count.peek() + 1)
        self._due(self._schedule.next())


class TraySink(Device, kind="tray_sink", stage=Stage.WIRED, icon="output"):
    """Removes trays from the cell, with what is on them, at the end of the tray line that it is ``on``.

    >>> from drycell import Box, Cell, StraightTrack, TrayLine, TraySink, TraySource, m, mm, s
    >>> cell = Cell("line")
    >>> line = cell.add("main", TrayLine(track=[StraightTrack(1*m)], width=200*mm, speed=250*mm/s))
    >>> feed = cell.add("feed", TraySource(tray=Box(200*mm, 150*mm, 20*mm), every=4*s, limit=2, on="main"))
    >>> out = cell.add("out", TraySink(on="main"))
    >>> _ = cell.run(until=10*s)
    >>> [(each.part, each.time) for each in out.taken]
    [('tray1', 3.2), ('tray2', 7.2)]
    """

    has_body: ClassVar[bool] = False

    def problems(self) -> Iterable[Problem]:
        """Yield a problem if it is not on a line."""
        yield from super().problems()
        if self.on is None:
            yield Problem((), "a sink of trays needs a tray line", "write for example 'on: main'")

    def signals(self) -> Iterable[str]:
        """``count`` is the number of trays and parts removed so far."""
        return ("count",)

    def build(self, cell: Cell, name: str) -> "LiveTraySink":
        """Add the sink to a cell."""
        return LiveTraySink(cell, name, self)


class LiveTraySink(Live[TraySink]):
    """A sink of trays in a running cell."""

    def __init__(self, cell: Cell, name: str, model: TraySink) -> None:
        super().__init__(cell, name, model)
        line = _line_of(cell, name, model.on)
        if line.end is None or line.end.joins is not None or line.end.sink is not None:
            what = "is a loop" if line.end is None else "leads elsewhere"
            raise WorldError(
                f"{name} cannot take trays from {line.name}, which {what}", hint="use a line with a free end"
            )
        self._taker = PartTaker(cell, name)
        self.count, self.taken, self.sunk = self._taker.count, self._taker.taken, self._taker.sunk
        line.end.sink = self

    def take(self, tray: LiveBody) -> None:
        """Remove a tray, with everything on it."""
        self._taker.take(tray)
