"""Cells to report: parts that flow past a machine, a collision, a deadlock, nothing at all; and a page taken apart."""

from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser

import pytest

from drycell import Body, Box, Cell, Conveyor, Machine, Sink, Source, delay, mm, s, wait
from drycell.record import Result
from drycell.world import Travel

VOID = {"meta", "img", "br", "hr", "link", "input"}
EMPTY = {"path", "rect"}  # of SVG, closed by themselves


@dataclass
class Page(HTMLParser):
    """The content of a page: sections with their texts, tables by head, cards and drawings."""

    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str]] = field(default_factory=list)
    mistakes: list[str] = field(default_factory=list)
    sections: dict[str, str] = field(default_factory=dict)
    tables: list[list[list[str]]] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    """The labels of the timing diagram."""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[tuple[str, str]] = []
        self._title = ""

    @classmethod
    def of(cls, text: str) -> "Page":
        page = cls()
        page.feed(text)
        page.close()
        page.mistakes += [f"<{tag}> is never closed" for tag, _ in page._open]
        return page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.tables[-1][-1].append("")
        if tag not in VOID:
            self._open.append((tag, dict(attrs).get("class") or ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in EMPTY:
            self.mistakes.append(f"<{tag}/> is not an element that closes itself")

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1][0] != tag:
            self.mistakes.append(f"</{tag}> closes {self._open[-1:]}")
        else:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        inside = [tag for tag, _ in self._open]
        if inside[-1:] == ["h2"]:
            self._title = data
            self.sections[data] = ""
        elif inside[-1:] == ["h1"]:
            self.sections["head"] = data
            self._title = "head"
        elif self._title:
            self.sections[self._title] += f"{data} "
        if inside[-1:] in (["td"], ["th"]):
            self.tables[-1][-1][-1] += data
        if ("svg", "timing") in self._open and self._open[-1] == ("text", "end"):
            self.rows.append(data)

    def table(self, *head: str) -> list[list[str]]:
        """The rows of the table that has these columns."""
        return next(table[1:] for table in self.tables if table[0] == list(head))


@pytest.fixture
def read() -> Callable[[str], Page]:
    return Page.of


def flow_cell(name: str = "flow") -> Cell:
    """Plates come on a belt every 30 s and leave at its end; a mill works for 10 s of each 30 s. All on one clock."""
    cell = Cell(name)
    cell.add("belt", Conveyor(length=1.0, width=0.3, height=0.1, speed=200 * mm / s, end="fall", at=(0, 0, 0.5)))
    cell.add("feeder", Source(kinds=Box(60 * mm, 40 * mm, 20 * mm), on="belt", every=30 * s))
    cell.add("bin", Sink(shape=Box(1.0, 1.0, 0.1), at=(1.0, 0, -0.5)))
    mill = cell.add("mill", Machine(duration=10.0, at=(0, 3, 0)))
    level = cell.signal("level", 0.0)
    lamp = cell.signal("lamp", False)

    @cell.program
    def tend() -> None:
        while True:
            mill.start.set(True)
            delay(0.5)
            mill.start.set(False)
            wait(mill.ready, timeout=10.0)
            delay(19.5)

    @cell.program
    def blink() -> None:
        while True:
            lamp.set(not lamp.value)
            level.set(level.value * 0.9 + (1.0 if lamp.value else 0.0))
            delay(1.0)

    return cell


@pytest.fixture(scope="session")
def flow() -> Result:
    """Ten minutes of plates."""
    return flow_cell().run(until=600)


@pytest.fixture
def flow_again() -> Callable[[], Result]:
    """Runs them once more."""
    return lambda: flow_cell().run(until=600)


@pytest.fixture(scope="session")
def shift() -> Result:
    """Eight hours of plates."""
    return flow_cell("shift").run(until=8 * 3600)


@pytest.fixture
def collided() -> Result:
    """A cube goes through a wall from 0.9 s on, and passes a post at 3 mm."""
    cell = Cell("collision")
    cell.add("wall", Body(Box(100 * mm, 100 * mm, 100 * mm), at=(1.0, 0, 0)))
    cell.add("post", Body(Box(20 * mm, 20 * mm, 100 * mm), at=(0.5, 63 * mm, 0)))
    cube = cell.add("cube", Body(Box(100 * mm, 100 * mm, 100 * mm)))
    cell.check_collisions(clearance=5 * mm)
    pushing = cell.signal("pushing", False)

    @cell.program
    def push() -> None:
        pushing.set(True)
        cell.world.move(cube, Travel(0, 2_000_000, cube.pose, (1, 0, 0)))
        delay(1.5)
        pushing.set(False)
        delay(0.5)

    return cell.run()


@pytest.fixture
def deadlocked() -> Result:
    """Two programs wait for each other, the second from 2 s on."""
    cell = Cell("deadlock")
    nest, tool = cell.signal("nest", False), cell.signal("tool", False)

    @cell.program
    def left() -> None:
        delay(1)
        wait(nest)
        tool.set(True)

    @cell.program
    def right() -> None:
        delay(2)
        wait(tool)
        nest.set(True)

    return cell.run()
