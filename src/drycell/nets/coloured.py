"""Coloured nets: tokens are values, and inscriptions on arcs select which values are taken and given."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from drycell.base import UnknownName
from drycell.nets.expression import ArcExpression, Binding, Token
from drycell.nets.net import NetError, Position

Bag = tuple[Token, ...]
Marking = tuple[Bag, ...]
"""The tokens on each place, sorted, in the order of the net's places."""
Inscription = str | Callable[..., Token]
Inscriptions = Mapping[str, Inscription | Iterable[Inscription]]


@dataclass(frozen=True, slots=True)
class Firing:
    """A transition with the values bound to its names."""

    transition: str
    binding: tuple[tuple[str, Token], ...] = ()

    def __str__(self) -> str:
        inner = ", ".join(f"{name}={value if isinstance(value, str) else repr(value)}" for name, value in self.binding)
        return f"{self.transition}({inner})"


@dataclass(frozen=True, slots=True)
class OutputInscription:
    """An output arc's inscription: an expression, or a function whose parameters are names."""

    given: ArcExpression | Callable[..., Token]

    def value(self, binding: Binding) -> Token:
        """Return the token for a binding."""
        if isinstance(self.given, ArcExpression):
            return self.given.value(binding)
        return self.given(*(binding[name] for name in self.names))

    @property
    def names(self) -> tuple[str, ...]:
        """The names that must be bound."""
        return (
            self.given.names
            if isinstance(self.given, ArcExpression)
            else tuple(inspect.signature(self.given).parameters)
        )

    @property
    def text(self) -> str:
        """The expression as written, or the name of the function."""
        return self.given.text if isinstance(self.given, ArcExpression) else getattr(self.given, "__name__", "function")


@dataclass(frozen=True, slots=True)
class ColouredTransition:
    """A transition that takes tokens that match patterns, and gives tokens built from the matched values."""

    name: str
    takes: tuple[tuple[str, ArcExpression], ...]
    gives: tuple[tuple[str, OutputInscription], ...]
    where: OutputInscription | None = None
    label: str = ""
    at: Position | None = None


@dataclass(frozen=True, slots=True)
class ColouredPlace:
    """A place and its initial tokens."""

    name: str
    tokens: Bag = ()
    at: Position | None = None


class ColouredNet:
    """A net whose tokens are values.

    >>> net = ColouredNet("lending")
    >>> net.place("free", ["nest", "tool"]); net.place("held")
    >>> net.transition("take", takes={"free": "what"}, gives={"held": "what"}, where='what != "tool"')
    >>> [str(firing) for firing in net.enabled(net.initial)]
    ['take(what=nest)']
    """

    def __init__(self, name: str = "net") -> None:
        self.name = name
        self.places: dict[str, ColouredPlace] = {}
        self.transitions: dict[str, ColouredTransition] = {}

    def place(self, name: str, tokens: Iterable[Token] = (), *, at: Position | None = None) -> None:
        """Add a place with its tokens."""
        self._new(name)
        self.places[name] = ColouredPlace(name, _bag(tokens), at)
        self.__dict__.pop("index", None)

    def transition(
        self,
        name: str,
        takes: Mapping[str, str | Iterable[str]] | None = None,
        gives: Inscriptions | None = None,
        *,
        where: Inscription | None = None,
        label: str = "",
        at: Position | None = None,
    ) -> None:
        """Add a transition.

        Args:
            name: Its name, which no other place or transition may have.
            takes: Patterns by place, which bind names.
            gives: Expressions, or Python functions, of these names, by place.
            where: An expression or function of these names that must be true.
            label: The event that it represents; by default the firing itself.
            at: Its position in pictures.
        """
        self._new(name)
        taken = tuple((place, ArcExpression(text)) for place, text in _pairs(takes or {}) if isinstance(text, str))
        given = tuple((place, _giver(what)) for place, what in _pairs(gives or {}))
        for place, _ in (*taken, *given):
            if place not in self.places:
                raise UnknownName(f"place for transition '{name}'", place, self.places)
        known = {each for _, pattern in taken for each in pattern.names}
        condition = None if where is None else _giver(where)
        for pattern in (each for _, each in taken if not each.is_pattern):
            raise NetError(
                f"transition '{name}' cannot take '{pattern.text}': tokens are matched with names, values and tuples",
                hint="bind a name, and put the rest into where=",
            )
        for giver in (*(each for _, each in given), *([condition] if condition else [])):
            for missing in (each for each in giver.names if each not in known):
                raise NetError(
                    f"transition '{name}' uses '{missing}' in '{giver.text}', but no token it takes binds it",
                    hint=f"bound names: {', '.join(sorted(known)) or 'none'}",
                )
        self.transitions[name] = ColouredTransition(name, taken, given, condition, label, at)

    # ---------------------------------------------------------------- the token game

    @cached_property
    def index(self) -> dict[str, int]:
        """The index of each place in a marking."""
        return {name: number for number, name in enumerate(self.places)}

    @property
    def initial(self) -> Marking:
        """The initial marking."""
        return tuple(place.tokens for place in self.places.values())

    def tokens(self, marking: Marking) -> dict[str, Bag]:
        """Return the places that have tokens, with their tokens."""
        return {name: bag for name, bag in zip(self.places, marking, strict=True) if bag}

    def text(self, marking: Marking | None = None) -> str:
        """Return a marking as text, by default the initial one."""
        found = self.tokens(self.initial if marking is None else marking).items()
        return ", ".join(f"{name} {{{', '.join(map(str, bag))}}}" for name, bag in found) or "no tokens"

    def enabled(self, marking: Marking) -> list[Firing]:
        """Return every transition with every binding under which it can fire."""
        found: dict[Firing, None] = {}
        for it in self.transitions.values():
            for binding in self._bindings(it.takes, list(marking), {}):
                if it.where is None or it.where.value(binding):
                    found[Firing(it.name, tuple(binding.items()))] = None
        return list(found)

    def fire(self, marking: Marking, move: Firing | str) -> Marking:
        """Return the marking after a firing. The name of a transition is enough if it can fire in only one way."""
        firing = self._one(marking, move) if isinstance(move, str) else move
        it, binding = self._transition(firing.transition), dict(firing.binding)
        bags = list(marking)
        for place, pattern in it.takes:
            number, token = self.index[place], pattern.value(binding)
            if token not in bags[number]:
                raise NetError(
                    f"{firing} is not enabled: there is no {token!r} on '{place}'", hint=f"marked: {self.text(marking)}"
                )
            bags[number] = _without(bags[number], token)
        if it.where is not None and not it.where.value(binding):
            raise NetError(f"{firing} is not enabled: '{it.where.text}' does not hold")
        for place, giver in it.gives:
            bags[self.index[place]] = _bag((*bags[self.index[place]], giver.value(binding)))
        return tuple(bags)

    def firing(self, transition: str, **binding: Token) -> Firing:
        """Return a transition with values for its names, as :meth:`enabled` returns it."""
        it = self._transition(transition)
        names = dict.fromkeys(name for _, pattern in it.takes for name in pattern.names)
        if set(names) != set(binding):
            raise NetError(
                f"'{transition}' binds {', '.join(names) or 'nothing'}, not {', '.join(binding) or 'nothing'}"
            )
        return Firing(transition, tuple((name, binding[name]) for name in names))

    def named(self, move: Firing) -> str:
        """Return the transition of a firing."""
        return move.transition

    def event(self, move: Firing) -> str:
        """Return the event that a firing represents."""
        return self._transition(move.transition).label or str(move)

    # ---------------------------------------------------------------- inside

    def _bindings(
        self, takes: tuple[tuple[str, ArcExpression], ...], bags: list[Bag], binding: Binding
    ) -> Iterator[Binding]:
        if not takes:
            yield binding
            return
        (place, pattern), *others = takes
        number = self.index[place]
        for token in dict.fromkeys(bags[number]):
            bound = pattern.match(token, binding)
            if bound is not None:
                rest = [*bags[:number], _without(bags[number], token), *bags[number + 1 :]]
                yield from self._bindings(tuple(others), rest, bound)

    def _one(self, marking: Marking, name: str) -> Firing:
        self._transition(name)
        found = [each for each in self.enabled(marking) if each.transition == name]
        if len(found) != 1:
            ways = ", ".join(map(str, found[:5])) or "it is not enabled"
            raise NetError(f"'{name}' can fire in {len(found)} ways: {ways}", hint="choose one: net.firing(name, x=…)")
        return found[0]

    def _transition(self, name: str) -> ColouredTransition:
        try:
            return self.transitions[name]
        except KeyError:
            raise UnknownName("transition", name, self.transitions) from None

    def _new(self, name: str) -> None:
        if not name or name in self.places or name in self.transitions:
            raise NetError(f"there is already a '{name}' in net '{self.name}'" if name else "a name is missing")


def _pairs(arcs: Inscriptions) -> Iterator[tuple[str, Inscription]]:
    for place, what in arcs.items():
        if isinstance(what, str) or callable(what):
            yield place, what
        else:
            yield from ((place, each) for each in what)


def _giver(what: Inscription) -> OutputInscription:
    return OutputInscription(ArcExpression(what) if isinstance(what, str) else what)


def _bag(tokens: Iterable[Token]) -> Bag:
    return tuple(sorted(tokens, key=repr))  # numbers, strings and tuples cannot be compared with each other


def _without(bag: Bag, token: Token) -> Bag:
    number = bag.index(token)
    return bag[:number] + bag[number + 1 :]
