"""PNML: place/transition nets, read from the interchange format of Petri nets (ISO/IEC 15909-2).

Inhibitor arcs are read as most tools write them (``<type value="inhibitor"/>``). Capacities, durations and events are
in drycell's ``toolspecific`` part. High-level nets are not supported.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from xml.parsers import expat

from drycell.base import DrycellError, FileError, Mistake, parse
from drycell.nets.net import Net, Position

_MOST_BYTES: Final = 50_000_000
_HINT: Final = "pass a PNML file; drycell run and drycell show read cell files"
_DEEPEST: Final = 100  # levels of nested elements: nets have at most ten


def load_net(path: str | Path) -> Net:
    """Read a net from a PNML file; the first one, if there are several.

    Raises:
        FileError: The file cannot be read, or has mistakes; the error lists all of them with their lines.
    """
    file = Path(path)
    try:
        size = file.stat().st_size
        if size > _MOST_BYTES:
            raise FileError(
                f"{file} has {size:,} bytes: nets of more than {_MOST_BYTES:,} bytes are not read", hint="split the net"
            )
        text = file.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {file}: {error.strerror}", hint="check the path of the net") from None
    return parse_net(text, str(file))


def parse_net(text: str | bytes, name: str = "net.pnml") -> Net:
    """Read a net from PNML text; errors name ``file``."""
    return _Reader(name).net(text.encode() if isinstance(text, str) else text)


@dataclass
class _Element:
    """An element of the file; its tag has no namespace."""

    tag: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list["_Element"] = field(default_factory=list)

    def get(self, name: str) -> str:
        return self.attributes.get(name, "")

    def child(self, tag: str) -> "_Element | None":
        return next((each for each in self.children if each.tag == tag), None)

    def label(self, tag: str) -> str | None:
        """Return the text of a label, ``<name><text>…``; older files have ``<value>`` instead."""
        for each in self.children:
            if each.tag == tag:
                for part in each.children:
                    if part.tag in ("text", "value"):
                        return part.text.strip().removeprefix("Default,")
        return None

    @property
    def own(self) -> "_Element":
        """drycell's part of it; an empty element if there is none."""
        found = (each for each in self.children if each.tag == "toolspecific" and each.get("tool") == "drycell")
        return next(found, _Element("toolspecific", {}, self.line))

    def inside(self) -> "Iterator[_Element]":
        """Yield the nodes and arcs of a net, on all its pages."""
        for each in self.children:
            if each.tag == "page":
                yield from each.inside()
            else:
                yield each

    def walk(self) -> "Iterator[_Element]":
        yield self
        for each in self.children:
            yield from each.walk()


def _parsed(text: bytes, file: str) -> _Element:
    """Parse an XML text. Document types, and with them entities, are rejected."""
    parser = expat.ParserCreate(namespace_separator="}")
    root = _Element("", {}, 1)
    stack = [root]

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(stack) > _DEEPEST:
            raise FileError.of(
                file, [Mistake(f"elements are nested more than {_DEEPEST} deep", "", parser.CurrentLineNumber)]
            )
        element = _Element(name.rpartition("}")[2], attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    def end(name: str) -> None:
        stack.pop()

    def text_of(data: str) -> None:
        stack[-1].text += data

    def doctype(name: str, system: str | None, public: str | None, internal: bool) -> None:
        what = "it has a document type: entities are not supported"
        raise FileError.of(file, [Mistake(what, line=parser.CurrentLineNumber)])

    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = text_of, doctype
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        what = f"not XML: {expat.ErrorString(error.code)}"
        raise FileError.of(file, [Mistake(what, "", error.lineno, error.offset + 1, hint=_HINT)]) from None
    return root.children[0]


@dataclass
class _Node:
    """A place or transition of the file with its arcs: the name of a place, the inscription, the arc."""

    name: str
    element: _Element
    takes: list[tuple[str, str, _Element]] = field(default_factory=list)
    gives: list[tuple[str, str, _Element]] = field(default_factory=list)
    unless: list[tuple[str, str, _Element]] = field(default_factory=list)


class _Reader:
    """Reads one file, and collects its mistakes so that all are reported together."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.mistakes: list[Mistake] = []
        self.places: dict[str, _Node] = {}  # by the id in the file
        self.transitions: dict[str, _Node] = {}

    def net(self, text: bytes) -> Net:
        """Return the first net of the file."""
        root = _parsed(text, self.file)
        found = next((each for each in root.walk() if each.tag == "net"), None)
        if found is None:
            raise FileError.of(self.file, [Mistake("there is no <net> in it", line=root.line, hint=_HINT)])
        kind = found.get("type")
        if not kind.rstrip("/#").endswith(("ptnet", "PTNet", "P/T net", "pt-net")):
            self._wrong(found, f"nets of type '{kind}' are not supported", "use a place/transition net")
        self._nodes(found)
        self._arcs(found)
        net = self._built(found.label("name") or found.get("id") or "net")
        if self.mistakes:
            raise FileError.of(self.file, sorted(self.mistakes, key=lambda each: each.line or 0))
        return net

    def _nodes(self, net: _Element) -> None:
        names: dict[str, int] = {}
        for element in net.inside():
            if element.tag not in ("place", "transition"):
                continue
            number = element.get("id")
            if not number or number in self.places or number in self.transitions:
                self._wrong(element, f"the id '{number}' is missing or used twice")
                continue
            name = element.label("name") or number
            names[name] = names.get(name, 0) + 1
            if names[name] > 1:  # PNML allows equal names; here they must differ
                name = f"{name} ({number})"
            into = self.places if element.tag == "place" else self.transitions
            into[number] = _Node(name, element)

    def _arcs(self, net: _Element) -> None:
        for element in net.inside():
            if element.tag != "arc":
                continue
            source, target = element.get("source"), element.get("target")
            forbids = any(each.tag == "type" and each.get("value") == "inhibitor" for each in element.children)
            inner = element.label("inscription") or ""
            if source in self.places and target in self.transitions:
                here = self.transitions[target]
                (here.unless if forbids else here.takes).append((self.places[source].name, inner, element))
            elif source in self.transitions and target in self.places and not forbids:
                self.transitions[source].gives.append((self.places[target].name, inner, element))
            else:
                missing = [end for end in (source, target) if end not in self.places and end not in self.transitions]
                what = (
                    f"there is no '{missing[0]}'"
                    if missing
                    else "it connects two places or two transitions, or inhibits a place"
                )
                self._wrong(element, f"arc '{element.get('id')}' from '{source}' to '{target}': {what}")

    def _built(self, name: str) -> Net:
        net = Net(name)
        for node in self.places.values():
            tokens = self._whole(node.element, node.element.label("initialMarking"), "initialMarking", 0)
            capacity = node.element.own.label("capacity") or node.element.label("capacity")
            limit = None if capacity is None else self._whole(node.element, capacity, "capacity", 0)
            with self._at(node.element):
                net.place(node.name, tokens, capacity=limit, at=self._position(node.element))
        for node in self.transitions.values():
            arcs = [self._weights(group, node) for group in (node.takes, node.gives, node.unless)]
            own = node.element.own
            with self._at(node.element):
                net.transition(
                    node.name,
                    arcs[0],
                    arcs[1],
                    unless=arcs[2],
                    lasts=self._lasts(node.element, own.label("duration")),
                    label=own.label("event") or "",
                    at=self._position(node.element),
                )
        return net

    def _weights(self, arcs: list[tuple[str, str, _Element]], node: _Node) -> dict[str, int]:
        weights: dict[str, int] = {}
        for place, text, element in arcs:
            weights[place] = weights.get(place, 0) + self._whole(element, text or "1", "inscription", 1)
        return weights

    def _whole(self, element: _Element, text: str | None, what: str, least: int) -> int:
        if text is None:
            return 0
        number = int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else -1
        if number < least or number >= 1 << 31:
            self._wrong(element, f"'{text}' is not a whole number of {least} or more", field=what)
            return least
        return number

    def _lasts(self, element: _Element, text: str | None) -> tuple[float, float]:
        if text is None:
            return 0.0, 0.0
        parts = text.split("..")
        try:
            return parse(parts[0].strip(), "time"), parse(parts[-1].strip(), "time")
        except DrycellError as error:
            self._wrong(element, error.what, error.hint, "duration")
            return 0.0, 0.0

    def _position(self, element: _Element) -> Position | None:
        graphics = element.child("graphics")
        place = None if graphics is None else graphics.child("position")
        if place is None:
            return None
        try:
            return float(place.get("x")), float(place.get("y"))
        except ValueError:
            self._wrong(place, "x and y are not numbers", field="position")
            return None

    @contextmanager
    def _at(self, element: _Element) -> Iterator[None]:
        """Turn an error of the net into a mistake at an element."""
        try:
            yield
        except DrycellError as error:
            self._wrong(element, error.what, error.hint)

    def _wrong(self, element: _Element, what: str, hint: str | None = None, field: str = "") -> None:
        self.mistakes.append(Mistake(what, field or element.tag, element.line, hint=hint))
