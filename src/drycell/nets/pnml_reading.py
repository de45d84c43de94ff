"""PNML's text as a net, with the line of everything that is wrong with it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from drycell.base import DrycellError, FileError, Mistake, parse
from drycell.nets.coloured import ColouredNet
from drycell.nets.expression import Expression, Token
from drycell.nets.net import Net, Position
from drycell.nets.pnml_writing import COLOURED

if TYPE_CHECKING:
    Element = Any  # lxml has no types of its own

_LOOKED_THROUGH = ("page",)


@dataclass
class Node:
    """A place or transition of the file, and the arcs at it."""

    name: str
    element: "Element"
    takes: list[tuple[str, str, "Element"]] = field(default_factory=list)
    gives: list[tuple[str, str, "Element"]] = field(default_factory=list)
    unless: list[tuple[str, str, "Element"]] = field(default_factory=list)


class Reading:
    """One file being read; mistakes are collected, so that all are told at once."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.mistakes: list[Mistake] = []
        self.places: dict[str, Node] = {}  # by their id in the file
        self.transitions: dict[str, Node] = {}

    def net(self, text: bytes) -> Net | ColouredNet:
        """The first net of the file."""
        root = self._root(text)
        found = next((each for each in root.iter() if _tag(each) == "net"), None)
        if found is None:
            raise self._refusal(root, "there is no <net> in it")
        kind = found.get("type", "")
        if kind != COLOURED and not kind.rstrip("/#").endswith(("ptnet", "PTNet", "P/T net", "pt-net")):
            self._wrong(
                found, f"nets of type '{kind}' are not read", "place/transition nets are, and drycell's coloured ones"
            )
        self._nodes(found)
        self._arcs(found)
        name = _text(found, "name") or found.get("id", "net")
        net = self._coloured(name) if kind == COLOURED else self._plain(name)
        if self.mistakes:
            raise FileError.of(self.file, sorted(self.mistakes, key=lambda each: each.line or 0))
        return net

    def _root(self, text: bytes) -> "Element":
        from lxml import etree  # type: ignore[import-untyped]

        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=False
        )
        try:
            root = etree.fromstring(text, parser)
        except etree.XMLSyntaxError as error:
            line, column = error.position
            raise FileError.of(self.file, [Mistake(f"not XML: {error.msg}", "", line, column)]) from None
        except ValueError as error:
            raise FileError.of(self.file, [Mistake(f"not XML: {error}")]) from None
        if root.getroottree().docinfo.doctype:
            raise self._refusal(root, "it has a document type, and entities of a file are not looked up")
        return root

    def _nodes(self, net: "Element") -> None:
        names: dict[str, int] = {}
        for element in _inside(net):
            if _tag(element) not in ("place", "transition"):
                continue
            number = element.get("id", "")
            if not number or number in self.places or number in self.transitions:
                self._wrong(element, f"the id '{number}' is missing or used twice")
                continue
            name = _text(element, "name") or number
            names[name] = names.get(name, 0) + 1
            if names[name] > 1:  # PNML allows it; here names tell things apart
                name = f"{name} ({number})"
            into = self.places if _tag(element) == "place" else self.transitions
            into[number] = Node(name, element)

    def _arcs(self, net: "Element") -> None:
        for element in _inside(net):
            if _tag(element) != "arc":
                continue
            source, target = element.get("source", ""), element.get("target", "")
            forbids = any(_tag(each) == "type" and each.get("value") == "inhibitor" for each in element)
            inner = _text(element, "inscription") or _text(element, "hlinscription") or ""
            if source in self.places and target in self.transitions:
                here = self.transitions[target]
                (here.unless if forbids else here.takes).append((self.places[source].name, inner, element))
            elif source in self.transitions and target in self.places and not forbids:
                self.transitions[source].gives.append((self.places[target].name, inner, element))
            else:
                missing = [end for end in (source, target) if end not in self.places and end not in self.transitions]
                what = f"there is no '{missing[0]}'" if missing else "it joins two nodes of a kind, or forbids a place"
                self._wrong(element, f"arc '{element.get('id', '')}' from '{source}' to '{target}': {what}")

    def _plain(self, name: str) -> Net:
        net = Net(name)
        for node in self.places.values():
            tokens = self._whole(node.element, _text(node.element, "initialMarking"), "initialMarking", 0)
            capacity = _text(_own(node.element), "capacity") or _text(node.element, "capacity")
            limit = None if capacity is None else self._whole(node.element, capacity, "capacity", 0)
            with _At(self, node.element):
                net.place(node.name, tokens, capacity=limit, at=self._position(node.element))
        for node in self.transitions.values():
            arcs = [self._weights(group, node) for group in (node.takes, node.gives, node.unless)]
            own = _own(node.element)
            with _At(self, node.element):
                net.transition(
                    node.name,
                    arcs[0],
                    arcs[1],
                    unless=arcs[2],
                    lasts=self._lasts(node.element, _text(own, "duration")),
                    label=_text(own, "event") or "",
                    at=self._position(node.element),
                )
        return net

    def _coloured(self, name: str) -> ColouredNet:
        net = ColouredNet(name)
        for node in self.places.values():
            tokens: tuple[Token, ...] = ()
            with _At(self, node.element):
                text = _text(node.element, "hlinitialMarking")
                if text:
                    listed = Expression(f"({text},)").value({})
                    tokens = listed if isinstance(listed, tuple) else ()
                net.place(node.name, tokens, at=self._position(node.element))
        for node in self.transitions.values():
            with _At(self, node.element):
                net.transition(
                    node.name,
                    _listed(node.takes),
                    _listed(node.gives),
                    where=_text(node.element, "condition"),
                    label=_text(_own(node.element), "event") or "",
                    at=self._position(node.element),
                )
        return net

    def _weights(self, arcs: list[tuple[str, str, "Element"]], node: Node) -> dict[str, int]:
        weights: dict[str, int] = {}
        for place, text, element in arcs:
            weights[place] = weights.get(place, 0) + self._whole(element, text or "1", "inscription", 1)
        return weights

    def _whole(self, element: "Element", text: str | None, what: str, least: int) -> int:
        if text is None:
            return 0
        number = int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else -1
        if number < least or number >= 1 << 31:
            self._wrong(element, f"'{text}' is no whole number of {least} or more", field=what)
            return least
        return number

    def _lasts(self, element: "Element", text: str | None) -> tuple[float, float]:
        if text is None:
            return 0.0, 0.0
        parts = text.split("..")
        try:
            return parse(parts[0].strip(), "time"), parse(parts[-1].strip(), "time")
        except DrycellError as error:
            self._wrong(element, error.what, error.hint, "duration")
            return 0.0, 0.0

    def _position(self, element: "Element") -> Position | None:
        for each in element:
            if _tag(each) == "graphics":
                for place in each:
                    if _tag(place) == "position":
                        try:
                            return float(place.get("x", "")), float(place.get("y", ""))
                        except ValueError:
                            self._wrong(place, "x and y are no numbers", field="position")
        return None

    def _wrong(self, element: "Element", what: str, hint: str | None = None, field: str = "") -> None:
        self.mistakes.append(Mistake(what, field or _tag(element), element.sourceline, hint=hint))

    def _refusal(self, element: "Element", what: str) -> FileError:
        return FileError.of(self.file, [Mistake(what, line=element.sourceline)])


class _At:
    """Turns an error of the net into a mistake at an element."""

    def __init__(self, reading: Reading, element: "Element") -> None:
        self._reading, self._element = reading, element

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: object, trace: object) -> bool:
        if isinstance(error, DrycellError):
            self._reading._wrong(self._element, error.what, error.hint)
            return True
        return False


def read(text: bytes, file: str) -> Net | ColouredNet:
    """The net in PNML's text."""
    return Reading(file).net(text)


def _inside(net: "Element") -> Iterator["Element"]:
    """The nodes and arcs of a net, on whichever of its pages."""
    for each in net:
        if _tag(each) in _LOOKED_THROUGH:
            yield from _inside(each)
        else:
            yield each


def _own(element: "Element") -> "Element":
    for each in element:
        if _tag(each) == "toolspecific" and each.get("tool") == "drycell":
            return each
    return ()


def _text(element: "Element", label: str) -> str | None:
    """The text of a label, ``<name><text>…``; older files have ``<value>`` instead."""
    for each in element:
        if _tag(each) == label:
            for part in each:
                if _tag(part) in ("text", "value"):
                    found: str = (part.text or "").strip().removeprefix("Default,")
                    return found
    return None


def _tag(element: "Element") -> str:
    """The tag without its namespace; comments and instructions have none."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _listed(arcs: list[tuple[str, str, "Element"]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for place, text, _ in arcs:
        found.setdefault(place, []).append(text)
    return found
