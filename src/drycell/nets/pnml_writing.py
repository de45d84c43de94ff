"""A net as PNML's text."""

from collections.abc import Callable, Iterator
from itertools import count
from xml.sax.saxutils import escape, quoteattr

from drycell.nets.coloured import ColouredNet, Giver
from drycell.nets.errors import NetError
from drycell.nets.expression import Expression
from drycell.nets.net import Net, Place, Position, Transition

NAMESPACE = "http://www.pnml.org/version-2009/grammar/pnml"
PLAIN = "http://www.pnml.org/version-2009/grammar/ptnet"
COLOURED = "urn:drycell:coloured-net"

Lines = Iterator[str]


def written(net: Net | ColouredNet) -> str:
    """The whole file."""
    kind = PLAIN if isinstance(net, Net) else COLOURED
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<pnml xmlns={quoteattr(NAMESPACE)}>",
        f'  <net id="net" type={quoteattr(kind)}>',
        f"    {_label('name', net.name)}",
        '    <page id="page">',
    ]
    ids = {name: f"n{number}" for number, name in enumerate((*net.places, *net.transitions), 1)}
    body = _plain(net, ids) if isinstance(net, Net) else _coloured(net, ids)
    lines += (f"      {line}" for line in body)
    return "\n".join((*lines, "    </page>", "  </net>", "</pnml>", ""))


def _plain(net: Net, ids: dict[str, str]) -> Lines:
    arc = _arcs(ids)
    for each in net.places.values():
        yield from _node("place", ids[each.name], each.name, each.at, _of_place(each))
    for it in net.transitions.values():
        yield from _node("transition", ids[it.name], it.name, it.at, _of_transition(it))
    for it in net.transitions.values():
        for place, weight in it.takes.items():
            yield arc(place, it.name, "" if weight == 1 else _label("inscription", str(weight)))
        for place, weight in it.gives.items():
            yield arc(it.name, place, "" if weight == 1 else _label("inscription", str(weight)))
        for place, weight in it.unless.items():
            inner = "" if weight == 1 else _label("inscription", str(weight))
            yield arc(place, it.name, f'{inner}<type value="inhibitor"/>')


def _coloured(net: ColouredNet, ids: dict[str, str]) -> Lines:
    arc = _arcs(ids)
    for each in net.places.values():
        tokens = [_label("hlinitialMarking", ", ".join(map(repr, each.tokens)))] if each.tokens else []
        yield from _node("place", ids[each.name], each.name, each.at, tokens)
    for it in net.transitions.values():
        inner = [] if it.where is None else [_label("condition", _text(it.where, it.name))]
        inner += _own([_label("event", it.label)] if it.label else [])
        yield from _node("transition", ids[it.name], it.name, it.at, inner)
    for it in net.transitions.values():
        for place, pattern in it.takes:
            yield arc(place, it.name, _label("hlinscription", pattern.text))
        for place, giver in it.gives:
            yield arc(it.name, place, _label("hlinscription", _text(giver, it.name)))


def _of_place(place: Place) -> list[str]:
    tokens = [_label("initialMarking", str(place.tokens))] if place.tokens else []
    return tokens + _own([] if place.capacity is None else [_label("capacity", str(place.capacity))])


def _of_transition(it: Transition) -> list[str]:
    low, high = it.lasts
    inner = [_label("duration", f"{low!r} s" if low == high else f"{low!r} s .. {high!r} s")] if it.timed else []
    return _own([*inner, *([_label("event", it.label)] if it.label else [])])


def _node(tag: str, number: str, name: str, at: Position | None, inner: list[str]) -> Lines:
    yield f'<{tag} id="{number}">'
    yield f"  {_label('name', name)}"
    if at is not None:
        yield f'  <graphics><position x="{at[0]:g}" y="{at[1]:g}"/></graphics>'
    yield from (f"  {line}" for line in inner)
    yield f"</{tag}>"


def _arcs(ids: dict[str, str]) -> Callable[[str, str, str], str]:
    numbers = count(1)

    def arc(source: str, target: str, inner: str) -> str:
        head = f'<arc id="a{next(numbers)}" source="{ids[source]}" target="{ids[target]}"'
        return f"{head}>{inner}</arc>" if inner else f"{head}/>"

    return arc


def _own(inner: list[str]) -> list[str]:
    return [f'<toolspecific tool="drycell" version="1">{"".join(inner)}</toolspecific>'] if inner else []


def _label(tag: str, text: str) -> str:
    return f"<{tag}><text>{escape(text)}</text></{tag}>"


def _text(giver: Giver, transition: str) -> str:
    if not isinstance(giver.given, Expression):
        raise NetError(
            f"transition '{transition}' has a Python function, which no file can hold",
            hint="write it as an expression: values, names, tuples, + - * // %, comparisons, and, or, not",
        )
    return giver.text
