"""The flow of trays along lines, as an exact simulation of events: nothing is stepped or polled.

Places on a line are distances in metres. A tray is described by the distance that its front has travelled, a speed, and
the time from which both hold; in between it moves at constant speed. When a tray changes to another line, its node on
the old line stays until its rear has left, so that the trays behind still see it. A change is passed on to the trays
that depend on it (the one behind, and those that wait for space) through a work list, not by recursion: a thousand
trays can start at one instant.

Events are rounded down to a tick, so trays come to rest up to a tick's travel early and are never closer than the gap.
"""

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

from drycell.world import FOREVER, SECOND

EXACT: Final = 1e-9
"""Metres: what rounding can amount to."""


@dataclass(eq=False, slots=True)
class TrayNode:
    """A tray on a line. ``base`` is the travelled distance of the tray at the beginning of the line."""

    tray: "Tray"
    row: "TrayRow"
    base: float
    ahead: "TrayNode | None" = None
    behind: "TrayNode | None" = None
    hint_for: "list[float]" = field(default_factory=list)  # places whose searches start here


class TrayRow:
    """The trays on a line, in order. On a loop the last is ahead of the first."""

    def __init__(self, length: float, *, closed: bool) -> None:
        self.length, self.closed = length, closed
        self.first: TrayNode | None = None
        self.count = 0
        self.hints: dict[float, TrayNode] = {}
        """For places at which trays enter: a node to search their neighbours from."""
        self.latest: TrayNode | None = None

    def insert(self, node: TrayNode, ahead: TrayNode | None) -> None:
        """Insert a node behind another; None puts it at the front (on a loop, only into an empty row)."""
        first = self.first
        self.count += 1
        self.latest = node
        if first is None:
            self.first = node
            if self.closed:
                node.ahead = node.behind = node
            return
        if ahead is None:
            node.behind, first.ahead, self.first = first, node, node
            return
        node.ahead, node.behind = ahead, ahead.behind
        ahead.behind = node
        if node.behind is not None:
            node.behind.ahead = node

    def remove(self, node: TrayNode) -> None:
        """Take a node out. Searches that would start from it start from the one ahead."""
        self.count -= 1
        ahead, behind = node.ahead, node.behind
        if self.first is node:
            self.first = None if behind is node else behind
        if ahead is not None:
            ahead.behind = behind
        if behind is not None:
            behind.ahead = ahead
        if ahead is node:
            ahead = None
        if self.latest is node:
            self.latest = ahead
        for at in node.hint_for:
            del self.hints[at]
            if ahead is not None:
                self.hint(at, ahead)

    def hint(self, at: float, node: TrayNode) -> None:
        """Start the next search for a place from a node."""
        before = self.hints.get(at)
        if before is not node:
            if before is not None:
                before.hint_for.remove(at)
            self.hints[at] = node
            node.hint_for.append(at)


class Stopper(Protocol):
    """A place on a line at which something happens to a tray: a gate, a sensor, a director or the end."""

    @property
    def at(self) -> float:
        """The place on the line, in metres."""

    def reached(self, flow: "TrayFlow", tray: "Tray") -> bool:
        """Handle a tray whose front is here. Returns False if it must wait; then something must call ``flow.look``."""


@dataclass(eq=False)
class FlowLine:
    """A line for trays.

    Args:
        name: its name, for the journal.
        length: its length in metres.
        speed: its speed in m/s; 0 while it stands.
        gap: the least distance between two trays, in metres.
        closed: whether it is a loop.
    """

    name: str
    length: float
    speed: float
    gap: float
    closed: bool = False
    points: list[Stopper] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.row = TrayRow(self.length, closed=self.closed)
        self.waiting: dict[Tray, None] = {}  # trays that enter when it runs

    def add(self, point: Stopper) -> None:
        """Add a place at which something happens."""
        self.points.append(point)
        self.points.sort(key=lambda each: each.at)

    def nodes(self) -> list[TrayNode]:
        """The nodes on it, foremost first, including those of trays whose front is on another line."""
        found: list[TrayNode] = []
        node = self.row.first
        while node is not None and len(found) < self.row.count:
            found.append(node)
            node = node.behind
        return found


class Tray:
    """A tray in motion: the front has travelled ``place`` at time ``since`` and moves at ``speed``.

    Args:
        name: its name.
        length: its length in metres, including what it needs in bends.
    """

    __slots__ = (
        "anew", "held", "lap", "length", "line", "marks", "name", "next", "node", "place", "since", "speed", "trail",
        "version", "waits_for", "watchers",
    )  # fmt: skip

    def __init__(self, name: str, length: float) -> None:
        self.name, self.length = name, length
        self.line: FlowLine | None = None
        self.node: TrayNode | None = None
        self.trail: list[TrayNode] = []  # nodes on lines that its rear has not left yet
        self.place, self.since, self.speed = 0.0, 0, 0.0
        self.next = 0  # index of the next point of its line
        self.lap = 0.0  # the distance of the laps that the index has made
        self.marks: list[
            tuple[float, Callable[[], None]]
        ] = []  # travelled distances at which its rear leaves something
        self.held = ""  # why it waits
        self.waits_for: Entry | None = None
        self.watchers: dict[Tray, None] = {}
        self.version = 0
        self.anew = False  # whether it has changed lines since the last report

    def travelled(self, now: int) -> float:
        """The distance that its front has travelled at a time, in metres."""
        return self.place + self.speed * ((now - self.since) * SECOND)

    def on_line(self, now: int) -> float:
        """The place of its front on its line, counted on over the laps of a loop."""
        return self.travelled(now) - (0.0 if self.node is None else self.node.base)


@dataclass(frozen=True, eq=False, slots=True)
class Entry:
    """A place at which trays come onto a line: from a source, a director or a line that ends there.

    ``keep`` is the distance after which the rear of a tray has left the line that it comes from.
    """

    line: FlowLine
    at: float
    keep: float = 0.0


class FlowListener(Protocol):
    """What a flow reports to the cell."""

    def moved(self, tray: Tray) -> None:
        """The tray's speed or line has changed."""

    def held(self, tray: Tray, why: str) -> None:
        """A tray has stopped, or could not enter: for a gate, the tray ahead, space on another line, or the end."""


class TrayFlow:
    """All trays on lines that belong together.

    Args:
        listener: it is called when something has changed.
    """

    def __init__(self, listener: FlowListener) -> None:
        self.now = 0
        self.events = 0
        """Number of events so far."""
        self._listener = listener
        self._queue: list[tuple[int, int, Tray, int]] = []
        self._number = 0
        self._work: dict[Tray, None] = {}

    # ---------------------------------------------------------------- from outside

    def run(self, now: int) -> int:
        """Execute the events up to a time, and return the time of the next one."""
        queue = self._queue
        while queue and queue[0][0] <= now:
            self.now, _, tray, version = heapq.heappop(queue)
            if version == tray.version:
                self.events += 1
                self._work[tray] = None
                self._settle()
        self.now = now
        self._settle()
        while queue and queue[0][3] != queue[0][2].version:
            heapq.heappop(queue)
        return queue[0][0] if queue else FOREVER

    def look(self, *trays: Tray) -> None:
        """Plan trays again, because something that they wait for may have changed. Call :meth:`run` afterwards."""
        for tray in trays:
            self._work[tray] = None

    def look_at_line(self, line: FlowLine) -> None:
        """Plan all trays of a line again, because its speed has changed."""
        self.look(*[node.tray for node in line.nodes() if node is node.tray.node], *line.waiting)
        line.waiting.clear()

    def put(self, tray: Tray, entry: Entry) -> None:
        """Bring a new tray onto a line, as soon as there is space for it."""
        tray.waits_for = entry
        self.look(tray)

    def remove(self, tray: Tray) -> None:
        """Take a tray off its line."""
        tray.version += 1
        for node in (*tray.trail, *([] if tray.node is None else [tray.node])):
            self._clear(node)
        tray.trail.clear()
        tray.marks.clear()
        tray.line = tray.node = tray.waits_for = None
        tray.place, tray.speed = tray.travelled(self.now), 0.0
        self._notify_watchers(tray)

    def ahead(self, tray: Tray) -> tuple[Tray | None, float]:
        """The tray ahead on the same line, and the distance to its rear less the gap."""
        node, line = tray.node, tray.line
        if node is None or line is None or node.ahead is None or node.ahead is node:
            return None, math.inf
        return node.ahead.tray, self._room(line, node, node.ahead)

    def wait_behind(self, tray: Tray, blocking: Tray, distance: float) -> None:
        """Plan a tray again when another has moved on by a distance, or changes how it moves."""
        blocking.watchers[tray] = None
        if blocking.speed > 0.0:
            self._schedule(tray, self.now + max(math.ceil(distance / blocking.speed / SECOND), 1))

    def _settle(self) -> None:
        """Plan all trays that depend on what has changed."""
        work = self._work
        while work:
            tray = next(iter(work))
            del work[tray]
            if tray.line is not None or tray.waits_for is not None:
                self._plan(tray)

    # ---------------------------------------------------------------- one tray

    def _plan(self, tray: Tray) -> None:
        """Decide how a tray moves from now on, and when to look again."""
        tray.version += 1
        if tray.line is None and not self._come(tray):
            return
        travelled, before = tray.travelled(self.now), tray.held
        held = not self._pass_points(tray, travelled)
        line, node = tray.line, tray.node
        if line is None or node is None:
            return  # it has left its last line
        speed, room, leader, ahead = line.speed, math.inf, 0.0, node.ahead
        if ahead is not None and ahead is not node:
            room, leader = self._room(line, node, ahead), ahead.tray.speed
            if room <= max(speed - leader, 0.0) * SECOND + EXACT:
                speed = min(speed, leader)
        if held:
            speed = 0.0
        else:
            tray.held = "tray" if speed == 0.0 < line.speed else ""
        if tray.held and tray.held != before:
            self._listener.held(tray, tray.held)
        if speed != tray.speed or tray.anew:
            tray.place, tray.since, tray.speed, tray.anew = travelled, self.now, speed, False
            self._listener.moved(tray)
            self._notify(tray)
        if speed > 0.0:
            when = self._to_point(tray, travelled) / speed
            if leader < speed:
                when = min(when, room / (speed - leader))
            span = max(math.floor(when / SECOND), 1) if when < math.inf else FOREVER
            if tray.marks:
                span = min(span, max(math.ceil((tray.marks[0][0] - travelled) / speed / SECOND), 1))
            if span < FOREVER:
                self._schedule(tray, self.now + span)

    def _pass_points(self, tray: Tray, travelled: float) -> bool:
        """Handle the points that its front has reached. Returns False if it must wait at one of them."""
        while True:
            while tray.marks and tray.marks[0][0] <= travelled + EXACT:
                tray.marks.pop(0)[1]()
            line = tray.line
            if line is None or self._to_point(tray, travelled) > line.speed * SECOND + EXACT:
                return True
            if not line.points[tray.next].reached(self, tray):
                return False
            if tray.line is line:
                tray.next += 1

    def _to_point(self, tray: Tray, travelled: float) -> float:
        line, node = tray.line, tray.node
        if line is None or node is None or not line.points:
            return math.inf
        if tray.next == len(line.points):
            if not line.closed:
                return math.inf
            tray.next, tray.lap = 0, tray.lap + line.length
        return line.points[tray.next].at + tray.lap - (travelled - node.base)

    def _schedule(self, tray: Tray, when: int) -> None:
        self._number += 1
        heapq.heappush(self._queue, (when, self._number, tray, tray.version))

    def _room(self, line: FlowLine, node: TrayNode, ahead: TrayNode) -> float:
        """From the front of a node to the rear of the one ahead, less the gap."""
        distance = self._place(ahead) - self._place(node)
        if line.closed:
            distance %= line.length
            if distance > line.length - EXACT:
                distance -= line.length
        return distance - ahead.tray.length - line.gap

    def mark(self, tray: Tray, distance: float, action: Callable[[], None]) -> None:
        """Call an action when a tray has travelled a distance from now."""
        tray.marks.append((tray.travelled(self.now) + distance, action))
        tray.marks.sort(key=lambda each: each[0])

    # ---------------------------------------------------------------- those that depend on it

    def _notify(self, tray: Tray) -> None:
        for node in (tray.node, *tray.trail):
            if node is not None:
                self._notify_behind(node)
        self._notify_watchers(tray)

    def _notify_behind(self, node: TrayNode) -> None:
        behind = node.behind
        if behind is not None and behind is behind.tray.node and behind is not node:
            self._work[behind.tray] = None

    def _notify_watchers(self, tray: Tray) -> None:
        for each in tray.watchers:
            self._work[each] = None
        tray.watchers.clear()

    # ---------------------------------------------------------------- changing lines

    def enter(self, tray: Tray, entry: Entry) -> bool:
        """Move a tray to another line at its present instant, or wait for space. Returns whether there was space."""
        line, now = entry.line, self.now
        if line.speed == 0.0:
            line.waiting[tray] = None
            return False
        ahead, behind = self._neighbours(line, entry.at)
        if ahead is not None:
            other = ahead.tray
            room = self._forward(line, entry.at, ahead) - other.length - line.gap
            # A tray does not stop half on one line and half on the other.
            needed = 0.0 if other.speed >= line.speed or tray.node is None else tray.length
            if room < needed - EXACT:
                self.wait_behind(tray, other, needed - room)
                return False
        if behind is not None:
            distance = self._backward(line, entry.at, behind)
            if distance < tray.length + line.gap - EXACT:
                self.wait_behind(tray, behind.tray, distance + behind.tray.length + line.gap)
                return False
        old, travelled = tray.node, tray.travelled(now)
        if old is not None:
            tray.trail.append(old)
            self.mark(tray, tray.length + entry.keep, lambda: self._leave(tray, old))
        tray.node = TrayNode(tray, line.row, travelled - entry.at)
        line.row.insert(tray.node, ahead)
        line.row.hint(entry.at, tray.node)
        tray.line, tray.lap, tray.held, tray.anew = line, 0.0, "", True
        tray.next = next((k for k, each in enumerate(line.points) if each.at > entry.at + EXACT), len(line.points))
        if behind is not None:
            self._work[behind.tray] = None
        if old is not None:
            self._notify_behind(old)
        self._notify_watchers(tray)
        return True

    def _come(self, tray: Tray) -> bool:
        entry = tray.waits_for
        if entry is None:
            return False
        if not self.enter(tray, entry):
            if not tray.held:
                tray.held = "space"
                self._listener.held(tray, "space")
            return False
        tray.waits_for = None
        return True

    def _leave(self, tray: Tray, node: TrayNode) -> None:
        tray.trail.remove(node)
        self._clear(node)

    def _clear(self, node: TrayNode) -> None:
        self._notify_behind(node)
        node.row.remove(node)

    # ---------------------------------------------------------------- neighbours of a place

    def _neighbours(self, line: FlowLine, at: float) -> tuple[TrayNode | None, TrayNode | None]:
        """The nodes ahead of and behind a place.

        The search begins where the last one for this place ended: between two searches only a few trays have passed.
        """
        node = line.row.hints.get(at) or line.row.latest or line.row.first
        if node is None:
            return None, None
        if line.closed:
            here = self._forward(line, at, node)
            while node.behind is not None and node.behind is not node:
                there = self._forward(line, at, node.behind)
                if there >= here:
                    break
                node, here = node.behind, there
            line.row.hint(at, node)
            return node, node.behind
        found: TrayNode | None = node
        while found is not None and self._place(found) < at - EXACT:
            found = found.ahead
        behind = line.row.first if found is None else found.behind
        while behind is not None and self._place(behind) >= at - EXACT:
            found, behind = behind, behind.behind
        if found is not None:
            line.row.hint(at, found)
        return found, behind

    def _place(self, node: TrayNode) -> float:
        tray = node.tray
        return tray.place + tray.speed * ((self.now - tray.since) * SECOND) - node.base

    def _forward(self, line: FlowLine, at: float, node: TrayNode) -> float:
        """From a place forward to the front of a node."""
        distance = self._place(node) - at
        if not line.closed:
            return distance
        distance %= line.length
        return distance if distance < line.length - EXACT else 0.0

    def _backward(self, line: FlowLine, at: float, node: TrayNode) -> float:
        distance = at - self._place(node)
        return distance % line.length if line.closed else distance
