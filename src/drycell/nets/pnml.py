"""PNML: place/transition nets, read from the interchange format of Petri nets (ISO/IEC 15909-2).

Inhibitor, test and reset arcs are read in the spellings of other tools: ``<arc type="inhibitor">``,
``<type value="inhibitor"/>`` and ``<arctype><text>inhibitor</text></arctype>``. Capacities, durations and events are in
drycell's ``toolspecific`` part. Unknown elements that could change the behaviour of the net are rejected.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from xml.parsers import expat

from drycell.base import DrycellError, FileError, Mistake, parse, read_regular
from drycell.nets.net import Net, Position

_MOST_BYTES: Final = 50_000_000
_HINT: Final = "pass a PNML file; drycell run and drycell show read cell files"
_DEEPEST: Final = 100  # levels of nested elements: nets have at most ten
_KINDS: Final = {
    "": "ordinary", "normal": "ordinary", "ordinary": "ordinary", "inhibitor": "inhibitor", "reset": "reset",
    "test": "test", "read": "test",
}  # fmt: skip
_DRAWN: Final = {"name", "graphics", "toolspecific", "description", "orientation", "labels"}
_UNTIMED: Final = {"rate", "infiniteServer"}  # these affect how often a transition fires, not whether it can
_CHILDREN: Final = {
    "net": {"page", "place", "transition", "arc", "referencePlace", "referenceTransition", "token"} | _DRAWN,
    "place": {"initialMarking", "capacity"} | _DRAWN,
    "transition": {"priority", "timed"} | _UNTIMED | _DRAWN,
    "referencePlace": _DRAWN,
    "referenceTransition": _DRAWN,
    "arc": {"inscription", "type", "arctype", "arcpath"} | _DRAWN,
}
"""The known elements inside other elements: they are read, or change only the appearance of the net."""
_ATTRIBUTES: Final = {
    "net": {"active"},
    "referencePlace": {"ref"},
    "referenceTransition": {"ref"},
    "arc": {"source", "target", "type", "inscription", "weight"},
    "place": {"initialMarking"},
}
_LOOKS: Final = ("position", "nameOffset", "displayName", "name", "angle", "curve", "colour", "color", "fill", "stroke")
_SAME: Final = {"priority": "priorities", "timed": "timed and immediate transitions"}


def load_net(path: str | Path) -> Net:
    """Read the net of a PNML file.

    Raises:
        FileError: The file cannot be read, or has mistakes; the error lists all of them with their lines.
    """
    file = Path(path)
    try:
        size = file.stat().st_size
        if size > _MOST_BYTES:
            raise FileError(f"{file} has {size:,} bytes: the limit is {_MOST_BYTES:,} bytes", hint="split the net")
        text = read_regular(file)
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
        """drycell's tool-specific part; an empty element if there is none."""
        found = (each for each in self.children if each.tag == "toolspecific" and each.get("tool") == "drycell")
        return next(found, _Element("toolspecific", {}, self.line))

    def inside(self) -> "Iterator[_Element]":
        """Yield the elements of a net, on all its pages."""
        for each in self.children:
            if each.tag == "page":
                yield from each.inside()
            else:
                yield each

    def text_or_attribute(self, tag: str) -> str | None:
        """Return the text of a label, or the attribute that some tools write instead."""
        found = self.label(tag)
        return self.attributes.get(tag) if found is None else found

    def walk(self) -> "Iterator[_Element]":
        yield self
        for each in self.children:
            yield from each.walk()


def _parsed(text: bytes, file: str) -> _Element:
    """Parse an XML text. Document types, and therefore entities, are rejected."""
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
    """A place or transition of the file. A transition has arcs by kind: the name of a place, the weight."""

    name: str
    element: _Element
    takes: dict[str, int] = field(default_factory=dict)
    gives: dict[str, int] = field(default_factory=dict)
    unless: dict[str, int] = field(default_factory=dict)
    needs: dict[str, int] = field(default_factory=dict)
    empties: dict[str, int] = field(default_factory=dict)


class _Reader:
    """Reads a file and collects its mistakes, so that all are reported together."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.mistakes: list[Mistake] = []
        self.places: dict[str, _Node] = {}  # by the id in the file
        self.transitions: dict[str, _Node] = {}
        self.references: dict[str, _Element] = {}

    def net(self, text: bytes) -> Net:
        """Return the net of the file."""
        root = _parsed(text, self.file)
        nets = [each for each in root.walk() if each.tag == "net"]
        if not nets:
            raise FileError.of(self.file, [Mistake("there is no <net> in it", line=root.line, hint=_HINT)])
        for other in nets[1:]:
            self._wrong(other, f"there is a second net '{other.get('id')}'", "write one net per file")
        found = nets[0]
        kind = found.get("type")
        if not kind.rstrip("/#").endswith(("ptnet", "PTNet", "P/T net", "pt-net")):
            self._wrong(found, f"nets of type '{kind}' are not supported", "use a place/transition net")
        else:
            self._known(found)
            self._nodes(found)
            self._arcs(found)
        net = self._built(found.label("name") or found.get("id") or "net")
        if self.mistakes:
            raise FileError.of(self.file, sorted(self.mistakes, key=lambda each: each.line or 0))
        return net

    def _known(self, element: _Element) -> None:
        """Reject unknown elements and attributes: they could change the behaviour of the net."""
        tag = "net" if element.tag == "page" else element.tag
        for name in element.attributes:
            short = name.rpartition("}")[2]
            if short not in ("id", "type") and short not in _ATTRIBUTES.get(tag, ()) and not short.startswith(_LOOKS):
                self._unknown(element, f"attribute {short}='{element.attributes[name]}' of")
        if element.get("type") and tag not in ("net", "arc"):
            self._unknown(element, f"attribute type='{element.get('type')}' of")
        for each in element.children:
            if each.tag not in _CHILDREN[tag]:
                self._unknown(element, f"element <{each.tag}> in", each.line)
            elif each.tag == "page" or each.tag in _CHILDREN:
                self._known(each)

    def _unknown(self, element: _Element, what: str, line: int | None = None) -> None:
        text = f"{what} {element.tag} '{element.get('id')}' is not supported: it could change the behaviour of the net"
        hint = "remove it if the net does not depend on it; a toolspecific element is ignored"
        self.mistakes.append(Mistake(text, element.tag, line or element.line, hint=hint))

    def _nodes(self, net: _Element) -> None:
        names: dict[str, int] = {}
        seen: set[str] = set()
        same: dict[str, _Element] = {}
        for element in net.inside():
            if element.tag not in ("place", "transition", "referencePlace", "referenceTransition"):
                continue
            number = element.get("id")
            if not number or number in seen:
                self._wrong(element, f"the id '{number}' is missing or used twice")
                continue
            seen.add(number)
            if element.tag.startswith("reference"):
                self.references[number] = element
                continue
            for label, words in _SAME.items() if element.tag == "transition" else ():
                if same.setdefault(label, element).label(label) != element.label(label):
                    self._wrong(element, f"transition '{number}': nets with different {words} are not supported")
            name = element.label("name") or element.get("name") or number
            names[name] = names.get(name, 0) + 1
            if names[name] > 1:  # PNML allows equal names; here they must differ
                name = f"{name} ({number})"
            into = self.places if element.tag == "place" else self.transitions
            into[number] = _Node(name, element)
        for number, element in self.references.items():
            self._resolved(number, element)

    def _resolved(self, number: str, element: _Element) -> None:
        """Resolve a reference node to the node that it refers to, possibly through other references."""
        nodes = self.places if element.tag == "referencePlace" else self.transitions
        kind = "place" if element.tag == "referencePlace" else "transition"
        ref, passed = element.get("ref"), {number}
        while ref in self.references and ref not in passed and self.references[ref].tag == element.tag:
            passed.add(ref)
            ref = self.references[ref].get("ref")
        if ref in nodes:
            nodes[number] = nodes[ref]
        elif ref in passed:
            self._wrong(element, f"{element.tag} '{number}' refers to itself")
        else:
            self._wrong(element, f"{element.tag} '{number}' refers to '{ref}', but there is no {kind} '{ref}'")

    def _arcs(self, net: _Element) -> None:
        for element in net.inside():
            if element.tag != "arc":
                continue
            source, target = element.get("source"), element.get("target")
            kind = self._kind(element)
            inner = element.text_or_attribute("inscription") or element.get("weight") or "1"
            weight = self._whole(element, inner, "inscription", 1)
            if source in self.places and target in self.transitions:
                self._connect(element, kind, self.transitions[target], self.places[source].name, weight)
            elif source in self.transitions and target in self.places and kind == "ordinary":
                gives, place = self.transitions[source].gives, self.places[target].name
                gives[place] = gives.get(place, 0) + weight
            else:
                missing = [end for end in (source, target) if end not in self.places and end not in self.transitions]
                ends = source in self.transitions and target in self.places
                what = (
                    f"there is no '{missing[0]}'"
                    if missing
                    else f"{'an' if kind == 'inhibitor' else 'a'} {kind} arc leads from a place to a transition"
                    if ends
                    else "it connects two places or two transitions"
                )
                self._wrong(element, f"arc '{element.get('id')}' from '{source}' to '{target}': {what}")

    def _connect(self, element: _Element, kind: str, to: _Node, place: str, weight: int) -> None:
        """Add an arc from a place to a transition. Of several inhibitor or test arcs, the strictest counts."""
        if kind == "ordinary":
            to.takes[place] = to.takes.get(place, 0) + weight
        elif kind == "inhibitor":
            to.unless[place] = min(to.unless.get(place, weight), weight)
        elif kind == "test":
            to.needs[place] = max(to.needs.get(place, weight), weight)
        else:
            to.empties[place] = 1
            if weight != 1:
                self._wrong(
                    element, f"arc '{element.get('id')}': a reset arc removes all tokens, but has weight {weight}"
                )

    def _kind(self, element: _Element) -> str:
        """Return the kind of an arc, in any of its spellings; if there are several, they must agree."""
        written = [element.get("type")] if "type" in element.attributes else []
        for each in element.children:
            if each.tag in ("type", "arctype"):
                texts = [part.text.strip() for part in each.children if part.tag in ("text", "value")]
                written += [each.get("value")] if "value" in each.attributes else texts or [each.text.strip()]
        kinds = {_KINDS.get(text) for text in written} or {"ordinary"}
        kind = kinds.pop()
        if kind is None or kinds:
            named = " and ".join(f"'{text}'" for text in written)
            hint = f"known types: {', '.join(dict.fromkeys(_KINDS.values()))}"
            self._wrong(element, f"arc '{element.get('id')}' has type {named}, which is not supported", hint)
        return kind or "ordinary"

    def _built(self, name: str) -> Net:
        net = Net(name)
        for number, node in self.places.items():
            if number in self.references:
                continue
            written = node.element.text_or_attribute("initialMarking")
            tokens = self._whole(node.element, written, "initialMarking", 0)
            with self._at(node.element):
                net.place(node.name, tokens, capacity=self._capacity(node.element), at=self._position(node.element))
        for number, node in self.transitions.items():
            if number in self.references:
                continue
            own = node.element.own
            with self._at(node.element):
                net.transition(
                    node.name,
                    node.takes,
                    node.gives,
                    unless=node.unless,
                    needs=node.needs,
                    empties=node.empties,
                    lasts=self._lasts(node.element, own.label("duration")),
                    label=own.label("event") or "",
                    at=self._position(node.element),
                )
        return net

    def _capacity(self, element: _Element) -> int | None:
        own = element.own.label("capacity")
        text = own or element.label("capacity")
        if text is None:
            return None
        limit = self._whole(element, text, "capacity", 0)
        return limit if limit or own else None  # PIPE writes 0 for places without a limit

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
